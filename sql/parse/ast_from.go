package parse

// TableExpr is an element of a FROM clause; every implementation is a pointer to one of the structs below.
type TableExpr interface {
	Node
	tableNode()
}

// TableAlias is AS name [(column, ...)]. The zero value means that none was written.
type TableAlias struct {
	Name    Ident
	Columns []Ident
}

// IsZero tells that no alias was written.
func (a TableAlias) IsZero() bool { return a.Name.Name == "" }

// TableName is a table, view or common table expression by name.
type TableName struct {
	Name  ObjectName
	Alias TableAlias
	// Sample is nil if there is no TABLESAMPLE.
	Sample *Sample
}

// Pos is the place of the name.
func (t *TableName) Pos() int { return t.Name.Pos() }

// Sample is TABLESAMPLE [method] (n PERCENT | n ROWS) [REPEATABLE (seed)].
type Sample struct {
	Place
	// Method is BERNOULLI, SYSTEM, RESERVOIR or "".
	Method string
	Value  Expr
	// Rows tells that Value counts rows; otherwise it is a percentage.
	Rows bool
	// Seed is nil if not written.
	Seed Expr
}

// DerivedTable is (query) [AS] alias, also a VALUES list used as a table.
type DerivedTable struct {
	Place
	Query   *Query
	Lateral bool
	Alias   TableAlias
}

// TableFunc is a function used as a table.
type TableFunc struct {
	Place
	Call    *Call
	Lateral bool
	// Ordinality is WITH ORDINALITY.
	Ordinality bool
	Alias      TableAlias
}

// StageTable reads staged files as a table: @stage/path (FILE_FORMAT => 'x', PATTERN => 're') alias.
type StageTable struct {
	Place
	Location Location
	// Args are the arguments in parentheses, in order.
	Args  []Option
	Alias TableAlias
}

// JoinKind tells the joins apart.
type JoinKind uint8

// The joins. For the semi and anti joins the side named is the one whose rows come out.
const (
	JoinInner JoinKind = iota
	JoinLeft
	JoinRight
	JoinFull
	JoinCross
	JoinLeftSemi
	JoinLeftAnti
	JoinRightSemi
	JoinRightAnti
)

// Join is L JOIN R. Exactly one of Natural, On, Using is set, none for JoinCross.
type Join struct {
	Place
	Kind    JoinKind
	L, R    TableExpr
	Natural bool
	On      Expr
	Using   []Ident
}

// LateralView is input LATERAL VIEW [OUTER] call table AS column, ...: the rows of call for each input row.
type LateralView struct {
	Place
	Input TableExpr
	// Outer keeps input rows for which call gives no row.
	Outer bool
	Call  *Call
	Table Ident
	// Columns may be empty: the function's own column names then.
	Columns []Ident
}

func (*TableName) tableNode()    {}
func (*DerivedTable) tableNode() {}
func (*TableFunc) tableNode()    {}
func (*StageTable) tableNode()   {}
func (*Join) tableNode()         {}
func (*LateralView) tableNode()  {}
