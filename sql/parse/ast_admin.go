package parse

// ShowKind is what a Show statement lists.
type ShowKind uint8

// The things to show.
const (
	ShowDatabases ShowKind = iota
	ShowTables
	ShowViews
	ShowColumns
	ShowFunctions
	ShowCreateTable
	ShowCreateDatabase
	ShowCreateView
	ShowVariables
	ShowStatus
	ShowStages
	ShowFileFormats
	ShowProcesslist
	ShowIndex
	ShowUsers
	ShowCatalogs
	ShowTableStatus
)

// Show is SHOW ... [FROM x] [LIKE 'p'] [WHERE e] [LIMIT n].
type Show struct {
	StmtBase
	Kind ShowKind
	// Full is SHOW FULL or SHOW EXTENDED.
	Full bool
	// Scope is GLOBAL or SESSION of VARIABLES and STATUS.
	Scope SetScope
	// Name is the object of SHOW CREATE, COLUMNS and INDEX.
	Name ObjectName
	// From is the database of FROM db or IN db.
	From  ObjectName
	Like  *StringLit
	Where Expr
	Limit Expr
}

// DescribeKind is what a Describe statement describes.
type DescribeKind uint8

// The things to describe.
const (
	DescribeTable DescribeKind = iota
	DescribeStage
	DescribeQuery
	DescribeDatabase
	DescribeUser
)

// Describe is DESC | DESCRIBE [TABLE] t [PARTITION (...)], DESC STAGE s, DESC query.
type Describe struct {
	StmtBase
	Kind DescribeKind
	// Name is the table, database, stage or user.
	Name ObjectName
	// All is DESC t ALL.
	All        bool
	Partitions []Ident
	// Query is set for DescribeQuery.
	Query *Query
}

// SetScope is GLOBAL or SESSION.
type SetScope uint8

// The scopes; ScopeDefault means that none was written.
const (
	ScopeDefault SetScope = iota
	ScopeSession
	ScopeGlobal
)

// SetItem is one name = value of SET.
type SetItem struct {
	Place
	Scope SetScope
	// Name is the variable as written; parts of a dotted name are joined by dots.
	Name string
	// Value is any expression. A bare word is a ColumnRef of one part, DEFAULT is *DefaultValue, ON and OFF are words.
	Value Expr
}

// Set is SET [GLOBAL|SESSION] name = value, ...
type Set struct {
	StmtBase
	Items []SetItem
}

// Unset is UNSET [GLOBAL|SESSION] name or (name, ...), also RESET name.
type Unset struct {
	StmtBase
	Scope SetScope
	Names []Ident
}

// Use is USE [DATABASE] name, USE catalog.name or USE CATALOG name.
type Use struct {
	StmtBase
	// Catalog tells that USE CATALOG was written.
	Catalog bool
	Name    ObjectName
}

// ExplainMode is the word behind EXPLAIN.
type ExplainMode uint8

// The modes; ExplainPlan is the default and also PLAN.
const (
	ExplainPlan ExplainMode = iota
	ExplainAnalyze
	ExplainVerbose
	ExplainLogical
)

// Explain is EXPLAIN [mode] statement.
type Explain struct {
	StmtBase
	Mode ExplainMode
	Stmt Statement
}

// Begin is BEGIN [TRANSACTION|WORK] or START TRANSACTION.
type Begin struct {
	StmtBase
	ReadOnly bool
}

// Commit is COMMIT [WORK|TRANSACTION] or END.
type Commit struct{ StmtBase }

// Rollback is ROLLBACK or ABORT.
type Rollback struct{ StmtBase }

// UserName is a user as written: name, 'name' or 'name'@'host'.
type UserName struct {
	Place
	Name string
	// Host is "" if not written.
	Host string
}

// CreateUser is CREATE USER [OR REPLACE] [IF NOT EXISTS] name IDENTIFIED [WITH method] BY 'pw' [WITH options].
type CreateUser struct {
	StmtBase
	OrReplace, IfNotExists bool
	User                   UserName
	// Method is the word of IDENTIFIED WITH, or "".
	Method string
	// Password is nil if no BY was written. It is a secret: Format prints it, so do not log formatted or source text.
	Password *StringLit
	Options  []Option
}

// AlterUser is ALTER USER [IF EXISTS] name [IDENTIFIED ...] [WITH options].
type AlterUser struct {
	StmtBase
	IfExists bool
	User     UserName
	Method   string
	Password *StringLit
	Options  []Option
}

// DropUser is DROP USER [IF EXISTS] name.
type DropUser struct {
	StmtBase
	IfExists bool
	User     UserName
}

// Kill is KILL [QUERY|CONNECTION] id.
type Kill struct {
	StmtBase
	// Connection is KILL CONNECTION: the session ends, not only its query.
	Connection bool
	// ID is the number or string as written, without quotes.
	ID string
}

// Compact is OPTIMIZE TABLE t [COMPACT|ALL|FINAL].
type Compact struct {
	StmtBase
	Table ObjectName
}

// Analyze is ANALYZE TABLE t: gather statistics.
type Analyze struct {
	StmtBase
	Table ObjectName
}

// Flush is FLUSH TABLE t: turn the delta batches of a table into segments. Without a name it is FLUSH TABLES: all tables.
type Flush struct {
	StmtBase
	Table ObjectName
}
