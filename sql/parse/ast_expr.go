package parse

// LiteralKind tells the literals apart.
type LiteralKind uint8

// The kinds of Literal. Text holds, in this order: "", "true" or "false", digits, digits with a point, a number with an
// exponent, the string's value, hexadecimal digits.
const (
	LitNull LiteralKind = iota
	LitBool
	LitInteger
	LitDecimal
	LitDouble
	LitString
	LitBytes
)

// Literal is a constant. Numbers keep their text and have no sign: -1 is a Unary over 1.
type Literal struct {
	Place
	Kind LiteralKind
	Text string
}

// TypedLiteral is DATE '...', TIMESTAMP '...' and their like, also from ODBC's {d '...'} and {ts '...'}.
type TypedLiteral struct {
	Place
	// Type is the upper-case word: DATE, DATEV2, DATETIME, DATETIMEV2, TIMESTAMP, TIMESTAMPTZ or TIME.
	Type string
	// Text is the value of the string, not checked.
	Text string
}

// Interval is INTERVAL '1' DAY, INTERVAL 3 MONTH or INTERVAL '1 day 2 hours'.
type Interval struct {
	Place
	Value Expr
	// Unit is upper-case and singular (YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND,
	// NANOSECOND), or "" if the string Value holds the units itself.
	Unit string
}

// Param is a parameter of a prepared statement, or (by $n and $name) a column or metadata column of a staged file, or a
// session variable: the binder knows which.
type Param struct {
	Place
	// Text is as written: ?, $1, :name or $name.
	Text string
	// Ordinal is n for $n, the running number from 1 for ?, and 0 for names.
	Ordinal int
	// Name is the name of :name and $name, else "".
	Name string
}

// SystemVar is @@name, @@session.name or @@global.name.
type SystemVar struct {
	Place
	Name string
	// Scope is ScopeDefault if it was not written.
	Scope SetScope
}

// ColumnRef is a name with dots: a column, t.column, db.t.column, or any of these followed by a path into a VARIANT or STRUCT
// (v.a.b). The binder finds the longest prefix that is a column; the rest is a path.
type ColumnRef struct {
	Place
	Parts []Ident
}

// DotAccess is (x).name: a member of an expression that is not a plain dotted name.
type DotAccess struct {
	Place
	X    Expr
	Name Ident
}

// Subscript is x[i]. x:name is parsed as x['name'].
type Subscript struct {
	Place
	X     Expr
	Index Expr
}

// Star is *, t.* or * EXCLUDE (a, b) in a select list.
type Star struct {
	Place
	// Qualifier is empty for a bare star.
	Qualifier []Ident
	// Exclude are the columns left out (EXCLUDE or EXCEPT).
	Exclude []Ident
}

// Op is the operator of a Unary, Binary, Logical or Quantified node.
type Op uint8

// Operators. OpDiv is /, OpIntDiv is DIV. OpDistinct is IS DISTINCT FROM; OpNotDistinct is IS NOT DISTINCT FROM and <=>.
// OpArrow and OpLongArrow read a member of a document, as a document and as text.
const (
	OpNone Op = iota
	OpOr
	OpAnd
	OpNot
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe
	OpDistinct
	OpNotDistinct
	OpBitOr
	OpBitAnd
	OpShiftLeft
	OpShiftRight
	OpConcat
	OpArrow
	OpLongArrow
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpMod
	OpIntDiv
	OpBitXor
	OpNeg
	OpPlus
	OpBitNot
)

var opNames = [...]string{
	OpOr: "OR", OpAnd: "AND", OpNot: "NOT", OpEq: "=", OpNe: "<>", OpLt: "<", OpLe: "<=", OpGt: ">", OpGe: ">=",
	OpDistinct: "IS DISTINCT FROM", OpNotDistinct: "IS NOT DISTINCT FROM", OpBitOr: "|", OpBitAnd: "&", OpShiftLeft: "<<",
	OpShiftRight: ">>", OpConcat: "||", OpArrow: "->", OpLongArrow: "->>", OpAdd: "+", OpSub: "-", OpMul: "*", OpDiv: "/", OpMod: "%", OpIntDiv: "DIV",
	OpBitXor: "^", OpNeg: "-", OpPlus: "+", OpBitNot: "~",
}

// String returns the SQL spelling.
func (o Op) String() string { return opNames[o] }

// Unary is NOT x, -x, +x or ~x.
type Unary struct {
	Place
	Op Op
	X  Expr
}

// Binary is an arithmetic, bit, string or comparison operator with two operands.
type Binary struct {
	Place
	Op   Op
	L, R Expr
}

// Logical is a chain of AND or of OR with two or more arguments: a AND b AND c is one node.
type Logical struct {
	Place
	// Op is OpAnd or OpOr.
	Op   Op
	Args []Expr
}

// IsKind is what an Is node asks for.
type IsKind uint8

// The questions of Is.
const (
	IsNull IsKind = iota
	IsTrue
	IsFalse
	IsUnknown
)

// Is is x IS [NOT] NULL | TRUE | FALSE | UNKNOWN.
type Is struct {
	Place
	X    Expr
	Kind IsKind
	Not  bool
}

// Between is x [NOT] BETWEEN lo AND hi.
type Between struct {
	Place
	X, Lo, Hi Expr
	Not       bool
}

// In is x [NOT] IN (list) or x [NOT] IN (query). X is a Row for (a, b) IN (...).
type In struct {
	Place
	X Expr
	// List is nil if Query is set, and has at least one element otherwise.
	List  []Expr
	Query *Query
	Not   bool
}

// LikeKind tells the pattern operators apart.
type LikeKind uint8

// The pattern operators; REGEXP is the same as RLIKE.
const (
	Like LikeKind = iota
	ILike
	RLike
)

// LikeExpr is x [NOT] LIKE | ILIKE | RLIKE pattern [ESCAPE e].
type LikeExpr struct {
	Place
	X, Pattern Expr
	// Escape is nil if not written; RLIKE never has one.
	Escape Expr
	Kind   LikeKind
	Not    bool
}

// MatchKind tells the text search operators apart.
type MatchKind uint8

// The text search operators; MATCH is the same as MATCH_ANY.
const (
	MatchAny MatchKind = iota
	MatchAll
	MatchPhrase
	MatchPhrasePrefix
	MatchPhraseEdge
	MatchRegexp
)

// Match is x [NOT] MATCH_ANY 'text' and its relatives.
type Match struct {
	Place
	X, Text Expr
	Kind    MatchKind
	Not     bool
}

// Quantified is x op ANY (query) or x op ALL (query); SOME is ANY. Instead of a query there may be an array expression.
type Quantified struct {
	Place
	// Op is one of the six comparisons.
	Op    Op
	X     Expr
	All   bool
	Query *Query
	Array Expr
}

// Exists is EXISTS (query).
type Exists struct {
	Place
	Query *Query
}

// Subquery is a query used as a value.
type Subquery struct {
	Place
	Query *Query
}

// When is one arm of a CASE.
type When struct {
	Cond, Result Expr
}

// Case is CASE [operand] WHEN c THEN r ... [ELSE e] END.
type Case struct {
	Place
	// Operand is nil in the searched form.
	Operand Expr
	Whens   []When
	Else    Expr
}

// Cast is CAST(x AS type), TRY_CAST(x AS type) or x::type.
type Cast struct {
	Place
	X    Expr
	Type *TypeName
	Try  bool
}

// NullsTreatment is IGNORE NULLS or RESPECT NULLS of a window or aggregate function.
type NullsTreatment uint8

// The treatments.
const (
	NullsUnspecified NullsTreatment = iota
	NullsIgnored
	NullsRespected
)

// Call is a function call: scalar, aggregate, window or table function. Special syntax is turned into plain calls:
// SUBSTRING(x FROM a FOR b) is substring(x, a, b), POSITION(a IN b) is position(a, b), TRIM(BOTH c FROM x) is trim(x, c) (ltrim and
// rtrim for LEADING and TRAILING), CURRENT_DATE is current_date(), GROUP_CONCAT(x SEPARATOR s) is group_concat(x, s).
type Call struct {
	Place
	// Name is as written, or lower-case where special syntax decided it.
	Name ObjectName
	// Args may contain *NamedArg and *Lambda.
	Args []Expr
	// Star tells that the argument list is *, as in COUNT(*); Args is empty then.
	Star     bool
	Distinct bool
	// OrderBy is the ORDER BY inside the parentheses of an aggregate.
	OrderBy []OrderItem
	// Within is WITHIN GROUP (ORDER BY ...).
	Within []OrderItem
	// Filter is FILTER (WHERE ...), or nil.
	Filter Expr
	Nulls  NullsTreatment
	// Over is set for window functions.
	Over *WindowSpec
}

// NamedArg is name => x in an argument list.
type NamedArg struct {
	Place
	Name Ident
	X    Expr
}

// Lambda is x -> body, (x, y) -> body, lambda x: body or lambda x, y: body in the argument list of a function that takes one.
type Lambda struct {
	Place
	Params []Ident
	Body   Expr
}

// Extract is EXTRACT(field FROM x).
type Extract struct {
	Place
	// Field is upper-case: a unit as in Interval (singular), or another word such as DOW, EPOCH, ISOYEAR; the binder checks it.
	Field string
	X     Expr
}

// Array is [a, b] or ARRAY[a, b].
type Array struct {
	Place
	Elems []Expr
}

// Row is (a, b) or ROW(a, b); it has at least two elements unless ROW was written.
type Row struct {
	Place
	Elems []Expr
}

// AtTimeZone is x AT TIME ZONE zone.
type AtTimeZone struct {
	Place
	X, Zone Expr
}

// DefaultValue is the word DEFAULT in a row of VALUES, an assignment or SET.
type DefaultValue struct{ Place }

func (*Literal) exprNode()      {}
func (*TypedLiteral) exprNode() {}
func (*Interval) exprNode()     {}
func (*Param) exprNode()        {}
func (*SystemVar) exprNode()    {}
func (*ColumnRef) exprNode()    {}
func (*DotAccess) exprNode()    {}
func (*Subscript) exprNode()    {}
func (*Star) exprNode()         {}
func (*Unary) exprNode()        {}
func (*Binary) exprNode()       {}
func (*Logical) exprNode()      {}
func (*Is) exprNode()           {}
func (*Between) exprNode()      {}
func (*In) exprNode()           {}
func (*LikeExpr) exprNode()     {}
func (*Match) exprNode()        {}
func (*Quantified) exprNode()   {}
func (*Exists) exprNode()       {}
func (*Subquery) exprNode()     {}
func (*Case) exprNode()         {}
func (*Cast) exprNode()         {}
func (*Call) exprNode()         {}
func (*NamedArg) exprNode()     {}
func (*Lambda) exprNode()       {}
func (*Extract) exprNode()      {}
func (*Array) exprNode()        {}
func (*Row) exprNode()          {}
func (*AtTimeZone) exprNode()   {}
func (*DefaultValue) exprNode() {}
