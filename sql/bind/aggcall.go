package bind

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// aggList collects the aggregate calls of one SELECT.
type aggList struct {
	calls []plan.AggCall
	// groupings are the arguments of the calls of grouping().
	groupings [][]expr.Expr
}

// aggregate binds an aggregate call to a placeholder column.
func (s *scope) aggregate(c *parse.Call, name string) (expr.Expr, error) {
	switch {
	case s.inAggregate:
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "aggregate %s cannot stand inside another aggregate", name)
	case s.aggs == nil && s.outer == nil:
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "aggregate %s is not allowed in %s", name, s.clause)
	case c.Star && name != "count":
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "%s(*) is not possible; only count(*) is", name)
	}
	inner := *s
	inner.inAggregate, inner.wins, inner.lambda = true, nil, nil
	inner.clause = "an aggregate"
	call, err := inner.aggregateCall(c, name)
	if err != nil {
		return nil, err
	}
	if o := s.aggregateOf(&call); o != nil {
		return o.outerAggregate(call, s, c.Pos())
	}
	if s.aggs == nil {
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "aggregate %s is not allowed in %s", name, s.clause)
	}
	call.Name = call.String()
	guardArgs(call.Filter, call.Args)
	if s.subs != nil {
		for _, e := range append([]expr.Expr{call.Filter}, call.Args...) {
			s.subs.early(e)
		}
	}
	return s.aggs.add(call, s.b, c.Pos()), nil
}

// aggregateCall binds function, arguments, order and filter of an aggregate.
func (s *scope) aggregateCall(c *parse.Call, name string) (call plan.AggCall, err error) {
	list, order, err := withinGroup(c, name)
	if err != nil {
		return call, err
	}
	args, err := s.bindAll(list)
	if err != nil {
		return call, err
	}
	if len(c.Within) > 0 {
		for i := range args {
			args[i] = expr.Fold(s.b.env.Ctx, args[i]) // shares must be constants
		}
	}
	call.Distinct = c.Distinct
	if c.Filter != nil {
		if call.Filter, err = s.condition(c.Filter); err != nil {
			return call, err
		}
	}
	if err := s.aggregateArgs(c, name, args, &call); err != nil {
		return call, err
	}
	return call, s.aggregateOrder(order, &call)
}

// withinGroup returns the arguments and the order of an aggregate. WITHIN GROUP gives functions that pick a value by its place what they pick
// from, and all others the order of their rows.
func withinGroup(c *parse.Call, name string) ([]parse.Expr, []parse.OrderItem, error) {
	if len(c.Within) == 0 {
		return c.Args, c.OrderBy, nil
	}
	if len(c.OrderBy) > 0 {
		return nil, nil, sqlerr.At(sqlerr.Bind, c.Pos(), "%s has two orders", name)
	}
	if !picksByPlace(name) {
		return c.Args, c.Within, nil
	}
	first := &c.Within[0]
	if len(c.Within) != 1 || len(c.Args) > 1 {
		return nil, nil, sqlerr.At(sqlerr.Unsupported, c.Pos(), "WITHIN GROUP of %s takes one ORDER BY expression", name)
	}
	args := c.Args
	if first.Desc && name != "mode" {
		if name != "percentile_cont" && name != "quantile_cont" {
			return nil, nil, sqlerr.At(sqlerr.Unsupported, first.Expr.Pos(), "%s from the greatest value down is not supported; order by it without DESC", name)
		}
		// The place between two values is the same seen from the other end.
		one := &parse.Literal{Place: c.Place, Kind: parse.LitInteger, Text: "1"}
		for i, a := range args {
			args = append(append([]parse.Expr(nil), args[:i]...), &parse.Binary{Place: c.Place, Op: parse.OpSub, L: one, R: a})
		}
	}
	return append([]parse.Expr{first.Expr}, args...), nil, nil
}

func picksByPlace(name string) bool {
	switch name {
	case "percentile_cont", "percentile_disc", "quantile_cont", "quantile_disc", "percentile", "quantile", "median", "mode":
		return true
	}
	return false
}

// aggregateOrder makes the aggregate take its rows in order.
func (s *scope) aggregateOrder(order []parse.OrderItem, call *plan.AggCall) error {
	if len(order) == 0 {
		return nil
	}
	var keys []expr.Expr
	var ts []types.Type
	var orders []vec.Order
	for i := range order {
		o := &order[i]
		k, err := s.bind(o.Expr)
		if err != nil {
			return err
		}
		k = s.b.knownTemplate(s, s.b.settle(k))
		if err := s.groupable(k, o.Expr.Pos(), "ORDER BY"); err != nil {
			return err
		}
		if call.Distinct && !slices.ContainsFunc(call.Args, func(a expr.Expr) bool { return expr.Equal(a, k) }) {
			return sqlerr.At(sqlerr.Bind, o.Expr.Pos(), "with DISTINCT in an aggregate, ORDER BY can only use its arguments")
		}
		keys, ts = append(keys, k), append(ts, k.Type())
		orders = append(orders, vec.Order{Desc: o.Desc, NullsFirst: o.Nulls == parse.NullsFirst})
	}
	fn := function.NewOrdered(call.Fn, call.Distinct, ts, orders)
	if fn == call.Fn {
		return nil
	}
	call.Fn, call.Distinct = fn, false
	call.Args = append(call.Args, keys...)
	return nil
}

// aggregateOf returns the scope of the enclosing query whose aggregate a call is, because it reads columns of that query and none of this
// one; nil if it belongs here.
func (s *scope) aggregateOf(call *plan.AggCall) *scope {
	level := -1
	for _, e := range plan.Exprs(&plan.Aggregate{Aggs: []plan.AggCall{*call}}) {
		own := false
		plan.EachColumn(e, func(c *expr.Column) {
			if c.Index < outerBase {
				own = true
				return
			}
			l, _ := outerPlace(c)
			level = max(level, l)
		})
		if own {
			return nil
		}
	}
	for o := s.outer; o != nil; o = o.outer {
		if o.level == level {
			return o
		}
	}
	return nil
}

// outerAggregate adds an aggregate of a sub-query to the query of s, and returns its value as the sub-query sees it.
func (s *scope) outerAggregate(call plan.AggCall, from *scope, pos int) (expr.Expr, error) {
	if s.aggs == nil || s.inAggregate {
		return nil, sqlerr.At(sqlerr.Bind, pos, "aggregate %s over columns of an enclosing query is not allowed in %s of that query", call.Fn.Name, s.clause)
	}
	moved := plan.MapExprs(&plan.Aggregate{Aggs: []plan.AggCall{call}}, func(e expr.Expr) expr.Expr { return s.b.fromOuter(e, s.level) })
	call = moved.(*plan.Aggregate).Aggs[0]
	call.Name = call.String()
	x := s.aggs.add(call, s.b, pos).(*expr.Column)
	return from.outerColumn(s, &column{index: x.Index, name: x.Name, t: x.T}, pos), nil
}

// guardArgs keeps arguments that can fail from the rows that a FILTER drops.
func guardArgs(filter expr.Expr, args []expr.Expr) {
	if filter == nil || plan.Volatile(filter) {
		return
	}
	for i, a := range args {
		if !expr.Infallible(a) {
			args[i] = &expr.Case{Whens: []expr.When{{Cond: filter, Then: a}}, T: a.Type()}
		}
	}
}

// aggregateArgs resolves the function and casts its arguments.
func (s *scope) aggregateArgs(c *parse.Call, name string, args []expr.Expr, call *plan.AggCall) error {
	for i, a := range args {
		a = s.b.knownTemplate(s, a)
		args[i] = a
		if call.Distinct && a.Type().IsVariant() {
			if err := s.groupable(a, c.Pos(), "DISTINCT"); err != nil {
				return err
			}
		}
	}
	fn, err := function.ResolveAggregate(name, describe(args), s.b.options()...)
	if err != nil {
		return s.explain(err, c.Pos(), args)
	}
	call.Fn = fn
	for i, a := range args {
		call.Args = append(call.Args, s.coerce(a, fn.Args[i]))
	}
	return nil
}

// add returns the placeholder of a call; equal calls share one.
func (l *aggList) add(call plan.AggCall, b *binder, pos int) expr.Expr {
	at := -1
	for i := range l.calls {
		if sameCall(&l.calls[i], &call) {
			at = i
		}
	}
	if at < 0 {
		at = len(l.calls)
		l.calls = append(l.calls, call)
	}
	x := &expr.Column{Index: aggBase + at, Name: call.Name, T: call.Fn.Ret}
	b.places[x] = pos
	return x
}

func sameCall(a, b *plan.AggCall) bool {
	if a.Fn.Name != b.Fn.Name || !a.Fn.Ordering.Equal(b.Fn.Ordering) || a.Distinct != b.Distinct || len(a.Args) != len(b.Args) || !a.Fn.Ret.Equal(b.Fn.Ret) || !expr.Equal(a.Filter, b.Filter) {
		return false
	}
	for i := range a.Args {
		if !expr.Equal(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}
