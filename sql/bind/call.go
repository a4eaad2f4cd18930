package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// call binds a scalar function or an aggregate.
func (s *scope) call(c *parse.Call) (expr.Expr, error) {
	if len(c.Name.Parts) > 1 {
		return nil, sqlerr.At(sqlerr.NotFound, c.Name.Pos(), "function %s does not exist", c.Name)
	}
	name := strings.ToLower(c.Name.Last().Name)
	if c.Over != nil {
		return s.window(c, name)
	}
	if function.IsWindow(name) {
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "%s is a window function: write %s(...) OVER (...)", name, name)
	}
	if c.Nulls != parse.NullsUnspecified {
		return nil, sqlerr.At(sqlerr.Unsupported, c.Pos(), "IGNORE NULLS and RESPECT NULLS are not supported")
	}
	if function.IsAggregate(name) {
		return s.aggregate(c, name)
	}
	if name == "grouping" || name == "grouping_id" {
		return s.grouping(c, name)
	}
	switch {
	case c.Star:
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "%s(*) is not possible; only count(*) is", name)
	case c.Distinct || c.Filter != nil || len(c.OrderBy) > 0 || len(c.Within) > 0:
		if !function.IsScalar(name) {
			_, err := function.Resolve(name, nil)
			return nil, sqlerr.WithPlace(err, c.Pos())
		}
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "%s is not an aggregate: DISTINCT, FILTER and ORDER BY do not belong in it", name)
	}
	switch {
	case isExplode(c):
		return nil, sqlerr.At(sqlerr.Unsupported, c.Pos(), "%s makes rows: use it in LATERAL VIEW or FROM", name)
	case name == "search":
		return nil, sqlerr.At(sqlerr.Unsupported, c.Pos(), "SEARCH is not supported yet; use LIKE or RLIKE")
	}
	if hasLambda(c.Args) {
		return s.lambdaCall(c, name)
	}
	args, err := s.arguments(c, name)
	if err != nil {
		return nil, err
	}
	if x, err := s.conditional(c.Pos(), name, args); x != nil || err != nil {
		return x, err
	}
	return s.resolve(c.Pos(), name, args...)
}

// unitFirst are the functions of three arguments whose first is a unit of time, which may be a bare word: timestampdiff(HOUR, a, b).
var unitFirst = map[string]bool{"timestampdiff": true, "timestampadd": true, "date_diff": true}

// arguments binds the arguments of a scalar function.
func (s *scope) arguments(c *parse.Call, name string) ([]expr.Expr, error) {
	if !unitFirst[name] || len(c.Args) != 3 {
		return s.bindAll(c.Args)
	}
	word, ok := c.Args[0].(*parse.ColumnRef)
	if !ok || len(word.Parts) != 1 || word.Parts[0].Quoted || !function.IsTimeUnit(word.Parts[0].Name) {
		return s.bindAll(c.Args)
	}
	rest, err := s.bindAll(c.Args[1:])
	return append([]expr.Expr{textConst(word.Parts[0].Name)}, rest...), err
}

// conditional binds the functions that must not evaluate all their arguments; nil if name is none of them.
func (s *scope) conditional(pos int, name string, args []expr.Expr) (expr.Expr, error) {
	switch {
	case (name == "if" || name == "iff") && len(args) == 3:
		cond, err := s.asBoolean(args[0], pos)
		if err != nil {
			return nil, err
		}
		list, t, err := s.unify(pos, name, args[1:])
		if err != nil {
			return nil, err
		}
		return &expr.Case{Whens: []expr.When{{Cond: cond, Then: list[0]}}, Else: list[1], T: t}, nil
	case name == "try" && len(args) == 1:
		return &expr.Try{Arg: s.b.settle(args[0])}, nil
	case name == "decode" && len(args) >= 3:
		return s.decode(pos, args)
	case name == "nvl2" && len(args) == 3:
		list, t, err := s.unify(pos, name, args[1:])
		if err != nil {
			return nil, err
		}
		return &expr.Case{Whens: []expr.When{{Cond: &expr.IsNull{Arg: s.b.settle(args[0]), Negate: true}, Then: list[0]}}, Else: list[1], T: t}, nil
	case name == "nullif" && len(args) == 2:
		eq, err := s.operator(pos, parse.OpEq, args[0], args[1])
		if err != nil {
			return nil, err
		}
		x := s.b.settle(args[0])
		null := s.coerce(nullConst(), x.Type())
		return &expr.Case{Whens: []expr.When{{Cond: eq, Then: null}}, Else: x, T: x.Type()}, nil
	case (name == "coalesce" || name == "ifnull" || name == "nvl") && len(args) > 1 && !cheap(args[1:]):
		// Later arguments may fail or cost much; they are evaluated only where earlier ones are NULL.
		list, t, err := s.unify(pos, name, args)
		if err != nil {
			return nil, err
		}
		out := &expr.Case{T: t, Else: list[len(list)-1]}
		for _, x := range list[:len(list)-1] {
			out.Whens = append(out.Whens, expr.When{Cond: &expr.IsNull{Arg: x, Negate: true}, Then: x})
		}
		return out, nil
	}
	return nil, nil
}

// decode binds decode(x, value, result, ..., other), in which NULL equals NULL.
func (s *scope) decode(pos int, args []expr.Expr) (expr.Expr, error) {
	out := &expr.Case{}
	var results []expr.Expr
	for i := 1; i+1 < len(args); i += 2 {
		same, err := s.operator(pos, parse.OpNotDistinct, args[0], args[i])
		if err != nil {
			return nil, err
		}
		out.Whens = append(out.Whens, expr.When{Cond: same})
		results = append(results, args[i+1])
	}
	if len(args)%2 == 0 {
		results = append(results, args[len(args)-1])
	}
	results, t, err := s.unify(pos, "decode", results)
	if err != nil {
		return nil, err
	}
	out.T = t
	for i := range out.Whens {
		out.Whens[i].Then = results[i]
	}
	if len(results) > len(out.Whens) {
		out.Else = results[len(out.Whens)]
	}
	return out, nil
}

// cheap tells whether all expressions are constants or columns.
func cheap(list []expr.Expr) bool {
	for _, x := range list {
		switch x.(type) {
		case *expr.Const, *expr.Column, *expr.Param:
		default:
			return false
		}
	}
	return true
}

// groupable checks that values of x can be grouped, ordered or made distinct: not bare variants.
func (s *scope) groupable(x expr.Expr, pos int, what string) error {
	t := x.Type()
	if t.IsVariant() && !s.b.env.Ctx.VariantTotalOrder {
		return sqlerr.At(sqlerr.Type, pos, "%s needs a typed value, and %s is a %s: write CAST(%s AS STRING) or another type", what, x, t, x)
	}
	if t.Kind == types.Map {
		return sqlerr.At(sqlerr.Type, pos, "%s is not possible on %s", what, t)
	}
	return nil
}
