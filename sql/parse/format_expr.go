package parse

import (
	"fmt"
	"strings"
)

// levelOfOp is the precedence of each operator.
var levelOfOp = [...]precedence{
	OpOr: precOr, OpAnd: precAnd, OpNot: precNot, OpEq: precCompare, OpNe: precCompare, OpLt: precCompare, OpLe: precCompare,
	OpGt: precCompare, OpGe: precCompare, OpDistinct: precCompare, OpNotDistinct: precCompare, OpBitOr: precBitOr,
	OpBitAnd: precBitAnd, OpShiftLeft: precShift, OpShiftRight: precShift, OpConcat: precConcat, OpArrow: precPrimary, OpLongArrow: precPrimary, OpAdd: precAdd, OpSub: precAdd,
	OpMul: precMul, OpDiv: precMul, OpMod: precMul, OpIntDiv: precMul, OpBitXor: precBitXor, OpNeg: precUnary, OpPlus: precUnary,
	OpBitNot: precUnary,
}

// levelOf returns how tightly the outermost operator of x binds.
func levelOf(x Expr) precedence {
	switch n := x.(type) {
	case *Logical:
		return levelOfOp[n.Op]
	case *Binary:
		return levelOfOp[n.Op]
	case *Unary:
		return levelOfOp[n.Op]
	case *Is, *Between, *In, *LikeExpr, *Match, *Quantified:
		return precCompare
	case *AtTimeZone:
		return precAt
	case *Subscript, *DotAccess:
		return precPostfix
	case *Interval, *NamedArg, *Lambda:
		return precUnary
	}
	return precPrimary
}

// expr writes x, in parentheses if it binds less tightly than level.
func (p *printer) expr(x Expr, level precedence) {
	if levelOf(x) < level {
		p.put("(")
		p.bare(x)
		p.put(")")
		return
	}
	p.bare(x)
}

// bare writes x without parentheses around it.
func (p *printer) bare(x Expr) {
	switch n := x.(type) {
	case *Literal:
		p.literal(n)
	case *TypedLiteral:
		p.put(n.Type, " ")
		p.str(n.Text)
	case *Param:
		p.put(n.Text)
	case *SystemVar:
		p.put("@@", [...]string{ScopeDefault: "", ScopeSession: "session.", ScopeGlobal: "global."}[n.Scope], n.Name)
	case *ColumnRef:
		p.name(ObjectName{Parts: n.Parts})
	case *DotAccess:
		p.dotAccess(n)
	case *Subscript:
		level := precPostfix
		if c, ok := n.X.(*ColumnRef); ok && len(c.Parts) == 1 && strings.EqualFold(c.Parts[0].String(), "array") {
			// ARRAY[1] is an array.
			level = precPrimary + 1
		}
		p.expr(n.X, level)
		p.put("[")
		p.expr(n.Index, precNone)
		p.put("]")
	case *Star:
		p.star(n)
	case *Array:
		p.put("[")
		p.exprs(n.Elems)
		p.put("]")
	case *Row:
		p.when(len(n.Elems) < 2, "ROW")
		p.parenExprs(n.Elems)
	case *Subquery:
		p.paren(n.Query)
	case *Exists:
		p.put("EXISTS ")
		p.paren(n.Query)
	case *DefaultValue:
		p.put("DEFAULT")
	case *NamedArg:
		p.ident(n.Name)
		p.put(" => ")
		p.expr(n.X, precNone)
	default:
		p.operator(x)
	}
}

// operator writes the nodes that combine operands.
func (p *printer) operator(x Expr) {
	switch n := x.(type) {
	case *Unary:
		p.unary(n)
	case *Binary:
		level := levelOfOp[n.Op]
		if n.Op == OpArrow || n.Op == OpLongArrow {
			// In parentheses always, lest it be read as a lambda.
			p.put("(")
			p.expr(n.L, precConcat)
			p.put(" ", n.Op.String(), " ")
			p.expr(n.R, precConcat+1)
			p.put(")")
			return
		}
		p.expr(n.L, level)
		p.put(" ", n.Op.String(), " ")
		right := level + 1
		if level == precCompare && beginsQuantifier(n.R) {
			right = precPrimary + 1
		}
		p.expr(n.R, right)
	case *Logical:
		level := levelOfOp[n.Op]
		for i, a := range n.Args {
			if i > 0 {
				p.put(" ", n.Op.String(), " ")
			}
			p.expr(a, level+1)
		}
	case *AtTimeZone:
		p.expr(n.X, precAt)
		p.put(" AT TIME ZONE ")
		p.expr(n.Zone, precAt+1)
	case *Is, *Between, *In, *LikeExpr, *Match, *Quantified:
		p.predicate(x)
	case *Case:
		p.caseExpr(n)
	case *Cast:
		p.put(either(n.Try, "TRY_CAST(", "CAST("))
		p.expr(n.X, precNone)
		p.put(" AS ")
		p.typeName(n.Type)
		p.put(")")
	case *Extract:
		p.put("EXTRACT(", n.fieldSQL(), " FROM ")
		p.expr(n.X, precNone)
		p.put(")")
	case *Interval:
		p.interval(n)
	case *Lambda:
		if len(n.Params) == 1 {
			p.ident(n.Params[0])
		} else {
			p.idents(n.Params)
		}
		p.put(" -> ")
		p.expr(n.Body, precNone)
	case *Call:
		p.call(n)
	default:
		panic(fmt.Sprintf("BUG: no SQL form for %T", x))
	}
}

func (p *printer) literal(n *Literal) {
	switch n.Kind {
	case LitNull:
		p.put("NULL")
	case LitBool:
		p.put(upper(n.Text))
	case LitString:
		p.str(n.Text)
	case LitBytes:
		p.put("X'", n.Text, "'")
	default:
		p.put(n.Text)
	}
}

// dotAccess writes (x).name; the parentheses are left out where x cannot be taken for the beginning of a dotted name.
func (p *printer) dotAccess(n *DotAccess) {
	switch n.X.(type) {
	case *DotAccess, *Subscript:
		p.bare(n.X)
	default:
		p.put("(")
		p.bare(n.X)
		p.put(")")
	}
	p.put(".")
	p.ident(n.Name)
}

func (p *printer) star(n *Star) {
	for _, q := range n.Qualifier {
		p.ident(q)
		p.put(".")
	}
	p.put("*")
	if n.Exclude != nil {
		p.put(" EXCLUDE ")
		p.idents(n.Exclude)
	}
}

// unary writes a prefix operator. The blank between two signs keeps them from becoming a comment.
func (p *printer) unary(n *Unary) {
	p.put(n.Op.String())
	inner, nested := n.X.(*Unary)
	p.when(n.Op == OpNot || nested && inner.Op != OpNot, " ")
	p.expr(n.X, levelOfOp[n.Op])
}

// predicate writes the comparisons that are words.
func (p *printer) predicate(x Expr) {
	switch n := x.(type) {
	case *Is:
		p.expr(n.X, precCompare)
		p.put(" IS ")
		p.when(n.Not, "NOT ")
		p.put([...]string{IsNull: "NULL", IsTrue: "TRUE", IsFalse: "FALSE", IsUnknown: "UNKNOWN"}[n.Kind])
	case *Between:
		p.negatable(n.X, n.Not, "BETWEEN ")
		p.expr(n.Lo, precCompare+1)
		p.put(" AND ")
		p.expr(n.Hi, precCompare+1)
	case *In:
		p.negatable(n.X, n.Not, "IN ")
		if n.Query != nil {
			p.paren(n.Query)
		} else {
			p.parenExprs(n.List)
		}
	case *LikeExpr:
		p.negatable(n.X, n.Not, [...]string{Like: "LIKE ", ILike: "ILIKE ", RLike: "RLIKE "}[n.Kind])
		p.expr(n.Pattern, precCompare+1)
		if n.Escape != nil {
			p.put(" ESCAPE ")
			p.expr(n.Escape, precCompare+1)
		}
	case *Match:
		p.negatable(n.X, n.Not, n.Kind.String()+" ")
		p.expr(n.Text, precCompare+1)
	case *Quantified:
		p.expr(n.X, precCompare)
		p.put(" ", n.Op.String(), either(n.All, " ALL ", " ANY "))
		if n.Query != nil {
			p.paren(n.Query)
		} else {
			p.parenExprs([]Expr{n.Array})
		}
	}
}

// negatable writes the left operand and the word of a predicate, with NOT between them.
func (p *printer) negatable(x Expr, not bool, word string) {
	p.expr(x, precCompare)
	p.put(" ")
	p.when(not, "NOT ")
	p.put(word)
}

func (p *printer) caseExpr(n *Case) {
	p.put("CASE")
	if n.Operand != nil {
		p.put(" ")
		p.expr(n.Operand, precNone)
	}
	for _, w := range n.Whens {
		p.put(" WHEN ")
		p.expr(w.Cond, precNone)
		p.put(" THEN ")
		p.expr(w.Result, precNone)
	}
	if n.Else != nil {
		p.put(" ELSE ")
		p.expr(n.Else, precNone)
	}
	p.put(" END")
}

// interval writes a value that is more than a literal in parentheses, because the parser takes no more than one operand.
func (p *printer) interval(n *Interval) {
	p.put("INTERVAL ")
	lit, ok := n.Value.(*Literal)
	if ok && lit.Kind != LitNull && lit.Kind != LitBool && lit.Kind != LitBytes {
		p.literal(lit)
	} else {
		p.parenExprs([]Expr{n.Value})
	}
	p.when(n.Unit != "", " ")
	p.put(n.Unit)
}

// call writes a function call with the clauses behind its parentheses.
func (p *printer) call(n *Call) {
	p.name(n.Name)
	p.put("(")
	p.when(n.Distinct, "DISTINCT ")
	p.when(n.Star, "*")
	p.list(len(n.Args), func(i int) {
		level := precNone
		if i == 0 && n.isPosition() {
			level = precCompare + 1
		}
		p.expr(n.Args[i], level)
	})
	if n.OrderBy != nil {
		p.put(" ORDER BY ")
		p.orderItems(n.OrderBy)
	}
	p.put(")")
	if n.Within != nil {
		p.put(" WITHIN GROUP (ORDER BY ")
		p.orderItems(n.Within)
		p.put(")")
	}
	if n.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(n.Filter, precNone)
		p.put(")")
	}
	p.put([...]string{NullsUnspecified: "", NullsIgnored: " IGNORE NULLS", NullsRespected: " RESPECT NULLS"}[n.Nulls])
	if n.Over != nil {
		p.put(" OVER ")
		p.window(n.Over)
	}
}

// beginsQuantifier tells that x begins with a call of a function any or some, which would be taken for the quantifier behind a
// comparison.
func beginsQuantifier(x Expr) bool {
	for {
		switch n := x.(type) {
		case *Binary:
			x = n.L
		case *AtTimeZone:
			x = n.X
		case *Subscript:
			x = n.X
		case *Call:
			return n.named("any", "some")
		default:
			return false
		}
	}
}

// named tells that n calls a function by one of these bare names.
func (n *Call) named(names ...string) bool {
	id := n.Name.Parts[0]
	if len(n.Name.Parts) > 1 || id.Quoted {
		return false
	}
	for _, s := range names {
		if strings.EqualFold(id.Name, s) {
			return true
		}
	}
	return false
}

// isPosition tells that n is read as POSITION(a IN b), whose first argument must leave IN alone.
func (n *Call) isPosition() bool { return n.named("position") }

// String returns the canonical operator.
func (k MatchKind) String() string {
	return [...]string{
		MatchAny: "MATCH_ANY", MatchAll: "MATCH_ALL", MatchPhrase: "MATCH_PHRASE", MatchPhrasePrefix: "MATCH_PHRASE_PREFIX",
		MatchPhraseEdge: "MATCH_PHRASE_EDGE", MatchRegexp: "MATCH_REGEXP",
	}[k]
}

// fieldSQL returns the field as a word, or as a string if it is not one.
func (n *Extract) fieldSQL() string {
	if isBareWord(n.Field) {
		l := lexer{src: n.Field}
		if !l.scan(0).kw.reserved() {
			return n.Field
		}
	}
	var p printer
	p.str(n.Field)
	return p.String()
}
