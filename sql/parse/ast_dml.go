package parse

// Insert is INSERT INTO|OVERWRITE [TABLE] name [(columns)] query, or ... DEFAULT VALUES.
type Insert struct {
	StmtBase
	Overwrite bool
	Table     ObjectName
	// Columns is empty if no list was written.
	Columns []Ident
	// Query is nil for DEFAULT VALUES. INSERT ... VALUES is a Query whose Body is *Values, in whose rows DEFAULT may stand.
	Query *Query
}

// Delete is DELETE FROM name [AS alias] [USING ...] [WHERE x].
type Delete struct {
	StmtBase
	Table ObjectName
	Alias Ident
	Using []TableExpr
	// Where is nil if not written: all rows.
	Where Expr
}

// Assignment is column = value of UPDATE; the value may be *DefaultValue.
type Assignment struct {
	// Column is a ColumnRef, Subscript or DotAccess: a column, or a path into one.
	Column Expr
	Value  Expr
}

// Update is UPDATE name [AS alias] SET a = x, ... [FROM ...] [WHERE x].
type Update struct {
	StmtBase
	Table ObjectName
	Alias Ident
	Set   []Assignment
	From  []TableExpr
	Where Expr
}
