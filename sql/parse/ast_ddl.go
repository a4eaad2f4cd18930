package parse

// CreateDatabase is CREATE [OR REPLACE] DATABASE|SCHEMA [IF NOT EXISTS] name [PROPERTIES(...)].
type CreateDatabase struct {
	StmtBase
	OrReplace, IfNotExists bool
	Name                   ObjectName
	Properties             []Option
	Comment                *StringLit
}

// DropDatabase is DROP DATABASE|SCHEMA [IF EXISTS] name [FORCE|CASCADE].
type DropDatabase struct {
	StmtBase
	IfExists bool
	Name     ObjectName
	// Force is FORCE or CASCADE.
	Force bool
}

// AlterDatabase renames a database or sets its properties; exactly one of NewName and Properties is set.
type AlterDatabase struct {
	StmtBase
	IfExists bool
	Name     ObjectName
	// NewName is the zero Ident unless RENAME was written.
	NewName    Ident
	Properties []Option
}

// Nullability is NULL or NOT NULL of a column.
type Nullability uint8

// The choices; NullabilityUnspecified means nullable by default.
const (
	NullabilityUnspecified Nullability = iota
	Nullable
	NotNull
)

// ConstraintKind tells the constraints and key-like attributes apart.
type ConstraintKind uint8

// Constraints of tables and columns. They are kept in the tree so that the binder can refuse each at its place.
const (
	ConstraintPrimaryKey ConstraintKind = iota
	ConstraintUnique
	ConstraintForeignKey
	ConstraintCheck
	ConstraintAutoIncrement
	// ConstraintAggregate is the aggregation word behind a column of an AGGREGATE KEY table; Word holds it.
	ConstraintAggregate
	// ConstraintGenerated is [GENERATED ALWAYS] AS (expr).
	ConstraintGenerated
	// ConstraintOnUpdate is ON UPDATE expr.
	ConstraintOnUpdate
)

// Constraint is a constraint or key-like attribute.
type Constraint struct {
	Place
	Kind ConstraintKind
	// Name is CONSTRAINT name, if written.
	Name Ident
	// Columns are the columns of a table constraint.
	Columns []Ident
	// Expr belongs to CHECK, generated columns and ON UPDATE.
	Expr Expr
	// Word is SUM, MAX, MIN, REPLACE ... for ConstraintAggregate, STORED or VIRTUAL for ConstraintGenerated.
	Word string
	// Table and TableColumns are the target of FOREIGN KEY.
	Table        ObjectName
	TableColumns []Ident
}

// ColumnDef is one column of CREATE TABLE, ADD COLUMN or MODIFY COLUMN.
type ColumnDef struct {
	Name Ident
	// Type is nil only where the grammar allows it (CREATE TABLE t (a, b) AS SELECT).
	Type *TypeName
	Null Nullability
	// Default is nil if not written.
	Default Expr
	// DefaultText is the source of Default.
	DefaultText string
	Comment     *StringLit
	// Key is the attribute KEY, which changes nothing here.
	Key         bool
	Constraints []Constraint
}

// Pos is the place of the name.
func (c ColumnDef) Pos() int { return c.Name.Pos() }

// IndexDef is INDEX name (columns) [USING method] [PROPERTIES(...)] [COMMENT '...'].
type IndexDef struct {
	Place
	IfNotExists bool
	Name        Ident
	Columns     []Ident
	// Using is upper-case: INVERTED, BLOOMFILTER, NGRAM_BF ..., or "".
	Using      string
	Properties []Option
	Comment    *StringLit
}

// TableKeyKind is DUPLICATE, UNIQUE or AGGREGATE KEY.
type TableKeyKind uint8

// The table keys.
const (
	DuplicateKey TableKeyKind = iota
	UniqueKey
	AggregateKey
)

// TableKey is DUPLICATE|UNIQUE|AGGREGATE KEY (columns).
type TableKey struct {
	Place
	Kind    TableKeyKind
	Columns []Ident
}

// Partitioning is [AUTO] PARTITION BY [RANGE|LIST] (exprs) (definitions).
type Partitioning struct {
	Place
	Auto bool
	// Method is RANGE, LIST or "".
	Method string
	Exprs  []Expr
	// Definitions is the source text of the parenthesised partition definitions without the parentheses; "" if none.
	Definitions string
}

// Distribution is DISTRIBUTED BY HASH (columns) | RANDOM [BUCKETS n | AUTO].
type Distribution struct {
	Place
	// Columns is empty for RANDOM.
	Columns []Ident
	// Buckets is the number as written, AUTO, or "".
	Buckets string
}

// CreateTable is CREATE [OR REPLACE] [TEMPORARY] TABLE [IF NOT EXISTS].
type CreateTable struct {
	StmtBase
	OrReplace, Temporary, IfNotExists bool
	Name                              ObjectName
	Columns                           []ColumnDef
	Indexes                           []IndexDef
	Constraints                       []Constraint
	// Like is the template of CREATE TABLE t LIKE other, or zero.
	Like ObjectName
	// Engine is the word of ENGINE = x as written, or "".
	Engine       string
	Key          *TableKey
	Partition    *Partitioning
	Distribution *Distribution
	// ClusterBy holds CLUSTER BY (exprs), OrderBy holds ORDER BY (exprs).
	ClusterBy, OrderBy []Expr
	// Properties are those of PROPERTIES(...); Options are the free NAME = value clauses, both in order.
	Properties, Options []Option
	Comment             *StringLit
	// As is the query of CREATE TABLE ... AS, or nil.
	As *Query
}

// DropTable is DROP TABLE [IF EXISTS] name, ... [FORCE].
type DropTable struct {
	StmtBase
	IfExists bool
	Names    []ObjectName
	Force    bool
}

// TruncateTable is TRUNCATE [TABLE] name.
type TruncateTable struct {
	StmtBase
	Name ObjectName
}

// AlterTable is ALTER TABLE [IF EXISTS] name action, ...
type AlterTable struct {
	StmtBase
	IfExists bool
	Name     ObjectName
	// Actions has at least one element.
	Actions []AlterAction
}

// AlterAction is one action of ALTER TABLE; every implementation is a pointer to a struct below.
type AlterAction interface {
	Node
	actionNode()
}

// SetTableOptions is SET OPTIONS (...), SET (...) or SET ("k" = "v").
type SetTableOptions struct {
	Place
	Options []Option
}

// UnsetTableOptions is UNSET OPTIONS (name, ...).
type UnsetTableOptions struct {
	Place
	Names []Ident
}

// AddColumn is ADD [COLUMN] [IF NOT EXISTS] definition [FIRST | AFTER column]. A list in parentheses gives several actions.
type AddColumn struct {
	Place
	IfNotExists bool
	Column      ColumnDef
	First       bool
	// After is the zero Ident if not written.
	After Ident
}

// DropColumn is DROP [COLUMN] [IF EXISTS] name.
type DropColumn struct {
	Place
	IfExists bool
	Name     Ident
}

// RenameColumn is RENAME COLUMN a [TO] b.
type RenameColumn struct {
	Place
	From, To Ident
}

// RenameTable is RENAME [TO] name.
type RenameTable struct {
	Place
	To ObjectName
}

// ModifyColumn is MODIFY COLUMN definition [FIRST | AFTER column]. With MODIFY COLUMN c COMMENT '...' the Type is nil.
type ModifyColumn struct {
	Place
	Column ColumnDef
	First  bool
	After  Ident
}

// AlterColumn is ALTER [COLUMN] name and one change. Exactly one of the changes is set.
type AlterColumn struct {
	Place
	Name Ident
	// Type is [SET DATA] TYPE x.
	Type *TypeName
	// Default is SET DEFAULT x, DefaultText its source; DropDefault is DROP DEFAULT.
	Default     Expr
	DefaultText string
	DropDefault bool
	// Null is SET NOT NULL or DROP NOT NULL (Nullable).
	Null Nullability
	// Comment is COMMENT '...'.
	Comment *StringLit
}

// SwapTable is SWAP WITH name: two tables exchange their names.
type SwapTable struct {
	Place
	With ObjectName
}

// SetTableComment is COMMENT = '...' or MODIFY COMMENT '...'.
type SetTableComment struct {
	Place
	Comment string
}

// AddIndex is ADD INDEX definition.
type AddIndex struct {
	Place
	Index IndexDef
}

// DropTableIndex is DROP INDEX [IF EXISTS] name inside ALTER TABLE.
type DropTableIndex struct {
	Place
	IfExists bool
	Name     Ident
}

// CreateIndex is CREATE INDEX [IF NOT EXISTS] name ON table (columns) ...
type CreateIndex struct {
	StmtBase
	Table ObjectName
	Index IndexDef
}

// DropIndex is DROP INDEX [IF EXISTS] name ON table.
type DropIndex struct {
	StmtBase
	IfExists bool
	Name     Ident
	Table    ObjectName
}

// BuildIndex is BUILD INDEX name ON table.
type BuildIndex struct {
	StmtBase
	Name  Ident
	Table ObjectName
}

// ViewColumn is one column name of CREATE VIEW.
type ViewColumn struct {
	Name    Ident
	Comment *StringLit
}

// CreateView is CREATE [OR REPLACE] VIEW [IF NOT EXISTS] name [(columns)] [COMMENT '...'] AS query. Query.Text is what to store.
type CreateView struct {
	StmtBase
	OrReplace, IfNotExists bool
	Name                   ObjectName
	Columns                []ViewColumn
	Comment                *StringLit
	Query                  *Query
}

// CommentKind is what a Comment statement comments on.
type CommentKind uint8

// The commented things.
const (
	CommentTable CommentKind = iota
	CommentColumn
	CommentView
	CommentDatabase
)

// Comment is COMMENT ON TABLE|COLUMN|VIEW|DATABASE name IS '...' or NULL.
type Comment struct {
	StmtBase
	Kind CommentKind
	// Name is that of the table, view or database; for a column that of its table.
	Name   ObjectName
	Column Ident
	// Text is nil for NULL, which removes the comment.
	Text *StringLit
}

// DropView is DROP VIEW [IF EXISTS] name.
type DropView struct {
	StmtBase
	IfExists bool
	Name     ObjectName
}

func (*SetTableOptions) actionNode()   {}
func (*UnsetTableOptions) actionNode() {}
func (*AddColumn) actionNode()         {}
func (*DropColumn) actionNode()        {}
func (*RenameColumn) actionNode()      {}
func (*RenameTable) actionNode()       {}
func (*ModifyColumn) actionNode()      {}
func (*AlterColumn) actionNode()       {}
func (*SwapTable) actionNode()         {}
func (*SetTableComment) actionNode()   {}
func (*AddIndex) actionNode()          {}
func (*DropTableIndex) actionNode()    {}
