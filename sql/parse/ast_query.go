package parse

// QueryStmt is a query as a statement.
type QueryStmt struct {
	StmtBase
	Query *Query
}

// Query is [WITH ...] body [ORDER BY ...] [LIMIT ...] [OFFSET ...]. FETCH FIRST n ROWS ONLY is Limit, LIMIT m, n is both.
type Query struct {
	Place
	// Text is the source of the query as written, for views and messages.
	Text string
	With *With
	// Body is *Select, *SetOp, *Values, or *Query for a parenthesised operand that has clauses of its own.
	Body    QueryBody
	OrderBy []OrderItem
	// Limit and Offset are nil if not written.
	Limit, Offset Expr
}

// QueryBody is what a query consists of below its ORDER BY and LIMIT.
type QueryBody interface {
	Node
	bodyNode()
}

// With is WITH [RECURSIVE] a AS (...), b AS (...).
type With struct {
	Place
	Recursive bool
	CTEs      []CTE
}

// CTE is one common table expression.
type CTE struct {
	Name Ident
	// Columns are the column names in parentheses, if written.
	Columns []Ident
	// Materialized says whether MATERIALIZED or NOT MATERIALIZED was written.
	Materialized Materialization
	Query        *Query
}

// Materialization is what WITH says about computing a query once.
type Materialization uint8

// The materializations.
const (
	MaterializedUnspecified Materialization = iota
	Materialized
	NotMaterialized
)

// SetOpKind tells UNION, INTERSECT and EXCEPT (also MINUS) apart.
type SetOpKind uint8

// The set operations. INTERSECT binds tighter than the others.
const (
	Union SetOpKind = iota
	Intersect
	Except
)

// SetOp combines two queries.
type SetOp struct {
	Place
	Kind SetOpKind
	// All is false for DISTINCT, written or not.
	All bool
	// ByName matches columns by their names and not by their places; Union only.
	ByName bool
	L, R   QueryBody
}

// Values is VALUES (1, 'a'), (2, DEFAULT). The rows need not have equal lengths: the binder checks.
type Values struct {
	Place
	Rows [][]Expr
}

// Select is one SELECT ... block.
type Select struct {
	Place
	Distinct bool
	// DistinctOn are the expressions of DISTINCT ON (...); Distinct is false then.
	DistinctOn []Expr
	Items      []SelectItem
	// From is empty for a SELECT without FROM. Several elements were separated by commas: a cross join in which a later
	// element may be lateral.
	From []TableExpr
	// Sample is USING SAMPLE, which is taken of the rows of From; nil if not written.
	Sample  *Sample
	Where   Expr
	GroupBy *GroupBy
	Having  Expr
	Windows []NamedWindow
	Qualify Expr
}

// SelectItem is one output column, or several when Expr is a *Star.
type SelectItem struct {
	Expr Expr
	// Alias is the zero Ident if none was written.
	Alias Ident
	// Text is the source of Expr, the name of the output column when there is no better one.
	Text string
}

// Pos is the place of the expression.
func (s SelectItem) Pos() int { return s.Expr.Pos() }

// NullsOrder is NULLS FIRST or NULLS LAST.
type NullsOrder uint8

// The orders; NullsDefault means that nothing was written.
const (
	NullsDefault NullsOrder = iota
	NullsFirst
	NullsLast
)

// OrderItem is one key of an ORDER BY.
type OrderItem struct {
	// Expr is a *Star for ORDER BY ALL: every output column is a key.
	Expr  Expr
	Desc  bool
	Nulls NullsOrder
}

// GroupBy is a GROUP BY clause.
type GroupBy struct {
	Place
	// All is GROUP BY ALL: every output expression without aggregate is a key.
	All   bool
	Items []GroupItem
}

// GroupKind tells the elements of GROUP BY apart.
type GroupKind uint8

// The elements of GROUP BY.
const (
	// GroupExpr is one key: Exprs has one element.
	GroupExpr GroupKind = iota
	// GroupSet is a parenthesised list of keys, possibly empty.
	GroupSet
	// GroupRollup, GroupCube and GroupSets hold their members in Sets. GROUP BY a, b WITH ROLLUP is ROLLUP (a, b).
	GroupRollup
	GroupCube
	GroupSets
)

// GroupItem is one element of GROUP BY.
type GroupItem struct {
	Place
	Kind  GroupKind
	Exprs []Expr
	Sets  []GroupItem
}

// NamedWindow is one definition of a WINDOW clause.
type NamedWindow struct {
	Name Ident
	Spec *WindowSpec
}

// WindowSpec is what follows OVER, or the right side of a WINDOW definition.
type WindowSpec struct {
	Place
	// Ref tells that only a name was written (OVER w): Name is set and the rest is empty.
	Ref bool
	// Name is the referenced window, or inside parentheses the window that is extended.
	Name        Ident
	PartitionBy []Expr
	OrderBy     []OrderItem
	// Frame is nil if not written.
	Frame *Frame
}

// FrameUnit is ROWS, RANGE or GROUPS.
type FrameUnit uint8

// The frame units.
const (
	FrameRows FrameUnit = iota
	FrameRange
	FrameGroups
)

// FrameExclude is the EXCLUDE clause of a frame.
type FrameExclude uint8

// What a frame leaves out.
const (
	ExcludeNothing FrameExclude = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is a window frame. A frame without BETWEEN ends at the current row.
type Frame struct {
	Place
	Unit       FrameUnit
	Start, End Bound
	Exclude    FrameExclude
}

// BoundKind tells the ends of a frame apart.
type BoundKind uint8

// The ends of a frame.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Bound is one end of a frame.
type Bound struct {
	Place
	Kind BoundKind
	// X is the distance of Preceding and Following.
	X Expr
}

func (*Select) bodyNode() {}
func (*SetOp) bodyNode()  {}
func (*Values) bodyNode() {}
func (*Query) bodyNode()  {}
