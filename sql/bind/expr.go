package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// bind turns a syntax tree into a typed expression.
func (s *scope) bind(e parse.Expr) (expr.Expr, error) {
	switch x := e.(type) {
	case *parse.Literal:
		return s.literal(x, false)
	case *parse.TypedLiteral:
		return s.typedLiteral(x)
	case *parse.Interval:
		return s.interval(x)
	case *parse.Param:
		return s.param(x)
	case *parse.SystemVar:
		return s.systemVar(x)
	case *parse.ColumnRef:
		return s.columnRef(x)
	case *parse.DotAccess, *parse.Subscript:
		return s.access(e)
	case *parse.Unary:
		return s.unary(x)
	case *parse.Binary:
		return s.binary(x)
	case *parse.Logical:
		return s.logical(x)
	case *parse.Is:
		return s.is(x)
	case *parse.Between:
		return s.between(x)
	case *parse.In:
		return s.in(x)
	case *parse.LikeExpr:
		return s.like(x)
	case *parse.Case:
		return s.caseExpr(x)
	case *parse.Cast:
		return s.cast(x)
	case *parse.Call:
		return s.call(x)
	case *parse.Extract:
		return s.extract(x)
	case *parse.Array:
		return s.array(x)
	}
	return s.bindRare(e)
}

// bindRare binds the forms that need sub-queries, and refuses what is not built.
func (s *scope) bindRare(e parse.Expr) (expr.Expr, error) {
	switch x := e.(type) {
	case *parse.Subquery:
		return s.scalarSubquery(x.Query, x.Pos())
	case *parse.Exists:
		return s.existsValue(x)
	case *parse.Quantified:
		return s.quantified(x)
	case *parse.Match:
		return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "MATCH is not supported yet; use LIKE or RLIKE")
	case *parse.AtTimeZone:
		v, err := s.bind(x.X)
		if err != nil {
			return nil, err
		}
		zone, err := s.bind(x.Zone)
		if err != nil {
			return nil, err
		}
		return s.resolve(x.Pos(), "timezone", zone, v)
	case *parse.Row:
		return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "a row of values can only be compared with = or IN")
	case *parse.Star:
		return nil, sqlerr.At(sqlerr.Bind, e.Pos(), "* is only allowed in the SELECT list and in count(*)")
	case *parse.DefaultValue:
		return nil, sqlerr.At(sqlerr.Bind, e.Pos(), "DEFAULT is only allowed as a value of INSERT or UPDATE")
	case *parse.NamedArg:
		return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "named arguments are only supported by table functions")
	case *parse.Lambda:
		return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "a lambda stands only in functions of arrays and maps that take one")
	}
	return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "this expression is not supported")
}

// bindAll binds a list.
func (s *scope) bindAll(list []parse.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		x, err := s.bind(e)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// condition binds an expression that decides: WHERE, HAVING, ON, FILTER, WHEN, AND.
func (s *scope) condition(e parse.Expr) (expr.Expr, error) {
	x, err := s.bind(e)
	if err != nil {
		return nil, err
	}
	return s.asBoolean(x, e.Pos())
}

// asBoolean makes a condition of x: numbers and VARIANT values are cast.
func (s *scope) asBoolean(x expr.Expr, pos int) (expr.Expr, error) {
	t := x.Type()
	boolean := types.Of(types.Boolean)
	switch {
	case t.Kind == types.Boolean:
		return x, nil
	case t.Kind == types.Null || t.IsVariant() || t.IsNumeric():
		return s.coerce(x, boolean), nil
	}
	return nil, sqlerr.At(sqlerr.Type, pos, "a condition is expected here, but this is %s", t)
}

func (s *scope) unary(u *parse.Unary) (expr.Expr, error) {
	if l, ok := u.X.(*parse.Literal); ok && u.Op == parse.OpNeg && (l.Kind == parse.LitInteger || l.Kind == parse.LitDecimal || l.Kind == parse.LitDouble) {
		return s.literal(l, true)
	}
	if u.Op == parse.OpNot {
		x, err := s.condition(u.X)
		if err != nil {
			return nil, err
		}
		return negate(x), nil
	}
	x, err := s.bind(u.X)
	if err != nil {
		return nil, err
	}
	switch u.Op {
	case parse.OpNeg:
		return s.resolve(u.Pos(), "neg", x)
	case parse.OpPlus:
		if t := x.Type(); !t.IsNumeric() && !t.IsVariant() && t.Kind != types.Interval && t.Kind != types.Null {
			return nil, sqlerr.At(sqlerr.Type, u.Pos(), "+ needs a number, not %s", t)
		}
		return x, nil
	}
	return s.resolve(u.Pos(), u.Op.String(), x)
}

// negate returns NOT x, without a node where x has a form for it.
func negate(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case *expr.Not:
		return x.Arg
	case *expr.In:
		return &expr.In{Arg: x.Arg, List: x.List, HasNull: x.HasNull, Negate: !x.Negate}
	case *expr.IsNull:
		return &expr.IsNull{Arg: x.Arg, Negate: !x.Negate}
	}
	return &expr.Not{Arg: x}
}

func isComparison(op parse.Op) bool { return op >= parse.OpEq && op <= parse.OpNotDistinct }

func (s *scope) binary(e *parse.Binary) (expr.Expr, error) {
	if l, ok := e.L.(*parse.Row); ok && isComparison(e.Op) {
		return s.compareRows(l, e)
	}
	l, err := s.bind(e.L)
	if err != nil {
		return nil, err
	}
	r, err := s.bind(e.R)
	if err != nil {
		return nil, err
	}
	return s.operator(e.Pos(), e.Op, l, r)
}

// operator resolves a binary operator.
func (s *scope) operator(pos int, op parse.Op, l, r expr.Expr) (expr.Expr, error) {
	if isComparison(op) {
		l, r = s.b.inferPair(l, r)
	}
	if k, ok := r.(*expr.Const); ok && (op == parse.OpArrow || op == parse.OpLongArrow) && l.Type().IsVariant() && !k.Value.IsNull(0) {
		return s.arrow(pos, op, l, k)
	}
	return s.resolve(pos, op.String(), l, r)
}

// inferPair gives an unknown parameter the type of the other side.
func (b *binder) inferPair(l, r expr.Expr) (expr.Expr, expr.Expr) {
	switch {
	case unknown(l) && !unknown(r):
		return b.infer(l, r.Type()), r
	case unknown(r) && !unknown(l):
		return l, b.infer(r, l.Type())
	}
	return l, r
}

// compareRows binds (a, b) = (x, y) and <>.
func (s *scope) compareRows(l *parse.Row, e *parse.Binary) (expr.Expr, error) {
	r, ok := e.R.(*parse.Row)
	if !ok || e.Op != parse.OpEq && e.Op != parse.OpNe {
		return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "a row of values can only be compared with = or <> to another row")
	}
	eq, err := s.equalRows(e.Pos(), l.Elems, r.Elems)
	if err != nil || e.Op == parse.OpEq {
		return eq, err
	}
	return negate(eq), nil
}

func (s *scope) equalRows(pos int, l, r []parse.Expr) (expr.Expr, error) {
	if len(l) != len(r) {
		return nil, sqlerr.At(sqlerr.Type, pos, "rows of %d and %d values cannot be compared", len(l), len(r))
	}
	and := &expr.And{}
	for i := range l {
		x, err := s.bind(l[i])
		if err != nil {
			return nil, err
		}
		y, err := s.bind(r[i])
		if err != nil {
			return nil, err
		}
		eq, err := s.operator(pos, parse.OpEq, x, y)
		if err != nil {
			return nil, err
		}
		and.Args = append(and.Args, eq)
	}
	if len(and.Args) == 1 {
		return and.Args[0], nil
	}
	return and, nil
}

func (s *scope) logical(e *parse.Logical) (expr.Expr, error) {
	args := make([]expr.Expr, 0, len(e.Args))
	for _, a := range e.Args {
		x, err := s.condition(a)
		if err != nil {
			return nil, err
		}
		args = append(args, x)
	}
	if e.Op == parse.OpAnd {
		return &expr.And{Args: args}, nil
	}
	return &expr.Or{Args: args}, nil
}

func (s *scope) is(e *parse.Is) (expr.Expr, error) {
	if e.Kind == parse.IsNull {
		x, err := s.bind(e.X)
		if err != nil {
			return nil, err
		}
		return &expr.IsNull{Arg: s.b.settle(x), Negate: e.Not}, nil
	}
	x, err := s.condition(e.X)
	if err != nil {
		return nil, err
	}
	if e.Kind == parse.IsUnknown {
		return &expr.IsNull{Arg: x, Negate: e.Not}, nil
	}
	if e.Kind == parse.IsFalse {
		x = negate(x)
	}
	return &expr.Case{Whens: []expr.When{{Cond: x, Then: boolConst(!e.Not)}}, Else: boolConst(e.Not), T: types.Of(types.Boolean)}, nil
}

func boolConst(v bool) *expr.Const {
	return &expr.Const{Value: vec.NewFlat(types.Of(types.Boolean), []bool{v}, nil)}
}

func (s *scope) between(e *parse.Between) (expr.Expr, error) {
	list, err := s.bindAll([]parse.Expr{e.X, e.Lo, e.Hi})
	if err != nil {
		return nil, err
	}
	lo, err := s.operator(e.Pos(), parse.OpGe, list[0], list[1])
	if err != nil {
		return nil, err
	}
	hi, err := s.operator(e.Pos(), parse.OpLe, list[0], list[2])
	if err != nil {
		return nil, err
	}
	and := &expr.And{Args: []expr.Expr{lo, hi}}
	if e.Not {
		return negate(and), nil
	}
	return and, nil
}

func (s *scope) like(e *parse.LikeExpr) (expr.Expr, error) {
	list := []parse.Expr{e.X, e.Pattern}
	if e.Escape != nil {
		list = append(list, e.Escape)
	}
	args, err := s.bindAll(list)
	if err != nil {
		return nil, err
	}
	name := [...]string{parse.Like: "like", parse.ILike: "ilike", parse.RLike: "rlike"}[e.Kind]
	x, err := s.resolve(e.Pos(), name, args...)
	if err == nil && e.Not {
		x = negate(x)
	}
	return x, err
}

func (s *scope) caseExpr(e *parse.Case) (expr.Expr, error) {
	out := &expr.Case{}
	var operand expr.Expr
	if e.Operand != nil {
		x, err := s.bind(e.Operand)
		if err != nil {
			return nil, err
		}
		operand = x
	}
	var results []expr.Expr
	for _, w := range e.Whens {
		cond, err := s.when(operand, w.Cond)
		if err != nil {
			return nil, err
		}
		then, err := s.bind(w.Result)
		if err != nil {
			return nil, err
		}
		out.Whens = append(out.Whens, expr.When{Cond: cond})
		results = append(results, then)
	}
	if e.Else != nil {
		x, err := s.bind(e.Else)
		if err != nil {
			return nil, err
		}
		results = append(results, x)
	}
	results, t, err := s.unify(e.Pos(), "CASE", results)
	if err != nil {
		return nil, err
	}
	out.T = t
	for i := range out.Whens {
		out.Whens[i].Then = results[i]
	}
	if e.Else != nil {
		out.Else = results[len(out.Whens)]
	}
	return out, nil
}

// when binds the condition of one arm: compared with the operand if there is one.
func (s *scope) when(operand expr.Expr, e parse.Expr) (expr.Expr, error) {
	if operand == nil {
		return s.condition(e)
	}
	x, err := s.bind(e)
	if err != nil {
		return nil, err
	}
	return s.operator(e.Pos(), parse.OpEq, operand, x)
}

// unify casts expressions to their common type. what names the construct in messages.
func (s *scope) unify(pos int, what string, list []expr.Expr) ([]expr.Expr, types.Type, error) {
	t := types.Type{}
	for i, x := range list {
		list[i] = s.b.knownTemplate(s, x)
		c, ok := commonType(t, list[i].Type())
		if !ok {
			return nil, t, sqlerr.At(sqlerr.Type, pos, "%s mixes %s and %s; cast one of them", what, t, list[i].Type())
		}
		t = c
	}
	if t.Kind == types.Null {
		for _, x := range list {
			if unknown(x) {
				t = types.Of(types.Varchar)
			}
		}
	}
	for i, x := range list {
		list[i] = s.coerce(x, t)
	}
	return list, t, nil
}

func (s *scope) cast(e *parse.Cast) (expr.Expr, error) {
	x, err := s.bind(e.X)
	if err != nil {
		return nil, err
	}
	t, err := Type(e.Type)
	if err != nil {
		return nil, err
	}
	if unknown(x) {
		return s.coerce(x, t), nil
	}
	if err := castable(x.Type(), t, e.Pos()); err != nil {
		return nil, err
	}
	return &expr.Cast{Arg: x, To: t, Try: e.Try, At: s.b.place(e.Pos())}, nil
}

func (s *scope) array(e *parse.Array) (expr.Expr, error) {
	list, err := s.bindAll(e.Elems)
	if err != nil {
		return nil, err
	}
	list, _, err = s.unify(e.Pos(), "ARRAY", list)
	if err != nil {
		return nil, err
	}
	return s.resolve(e.Pos(), "array", list...)
}

// extract binds EXTRACT(field FROM x): by the function of the field's name for the common fields, else by date_part.
func (s *scope) extract(e *parse.Extract) (expr.Expr, error) {
	x, err := s.bind(e.X)
	if err != nil {
		return nil, err
	}
	field := strings.ToLower(e.Field)
	switch field {
	case "year", "quarter", "month", "day", "hour", "minute":
		return s.resolve(e.Pos(), field, x)
	}
	return s.resolve(e.Pos(), "date_part", textConst(field), x)
}

func (s *scope) systemVar(e *parse.SystemVar) (expr.Expr, error) {
	if f := s.b.env.Variable; f != nil {
		if v, ok := f(e.Name, e.Scope == parse.ScopeGlobal); ok {
			return textConst(v), nil
		}
	}
	return nil, sqlerr.At(sqlerr.NotFound, e.Pos(), "variable %s does not exist", e.Name)
}

func textConst(v string) *expr.Const {
	b := vec.NewBuilder(types.Of(types.Varchar), 1)
	b.AppendString(v)
	return &expr.Const{Value: b.Finish()}
}
