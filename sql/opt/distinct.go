package opt

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// splitDistinct turns an aggregate over the different values of one expression into two: the first groups by that expression as well, so
// that each of its values comes once, and the second joins these groups. Other calls are computed in parts, which is exact for those that
// the rule takes. Both steps run in parallel, by partition, where a set of values for each group would not.
func splitDistinct(_ *context, n plan.Node) plan.Node {
	return rewrite(n, func(n plan.Node) plan.Node {
		a, ok := n.(*plan.Aggregate)
		if !ok {
			return n
		}
		var value expr.Expr
		for _, c := range a.Aggs {
			if !c.Distinct {
				continue
			}
			if len(c.Args) != 1 || c.Filter != nil || value != nil && !expr.Equal(value, c.Args[0]) {
				return n
			}
			value = c.Args[0]
		}
		if value == nil || value.Type().IsVariant() || plan.Volatile(value) {
			return n
		}
		s := distinctSplit{a: a, value: value}
		for i := range a.Aggs {
			if !s.split(&a.Aggs[i]) {
				return n
			}
		}
		return s.plan()
	})
}

// distinctSplit collects the calls of both steps.
type distinctSplit struct {
	a     *plan.Aggregate
	value expr.Expr
	// inner are calls of the first step; outer those of the second, over a schema of keys, value and the results of inner.
	inner, outer []plan.AggCall
	// results compute the calls of a from the keys and the results of outer.
	results []func(out types.Schema) expr.Expr
}

// split adds one call; it returns false if that cannot be computed in parts.
func (s *distinctSplit) split(c *plan.AggCall) bool {
	if c.Distinct {
		// The values are different already, but for NULL, which most calls skip.
		at := s.addOuter(plan.AggCall{Fn: c.Fn, Args: []expr.Expr{s.column(len(s.a.Keys), s.value.Type())}})
		s.results = append(s.results, at)
		return true
	}
	switch c.Fn.Name {
	case "count":
		sum := s.parts(*c, "sum", types.BigInt)
		if sum == nil {
			return false
		}
		// The sum of no parts is NULL, the count of no rows 0.
		s.results = append(s.results, func(out types.Schema) expr.Expr { return orZero(sum(out)) })
		return true
	case "sum":
		t := c.Fn.Args[0]
		if t.Kind != types.TinyInt && t.Kind != types.SmallInt && t.Kind != types.Int {
			return false
		}
		return s.keep(s.parts(*c, "sum", types.BigInt))
	case "min", "max":
		return !c.Fn.Ret.IsVariant() && s.keep(s.parts(*c, c.Fn.Name, c.Fn.Ret.Kind))
	case "avg":
		return s.average(c)
	}
	return false
}

func (s *distinctSplit) keep(result func(types.Schema) expr.Expr) bool {
	if result == nil {
		return false
	}
	s.results = append(s.results, result)
	return true
}

// average splits avg of an integer into sum and count.
func (s *distinctSplit) average(c *plan.AggCall) bool {
	t := c.Fn.Args[0]
	if t.Kind != types.TinyInt && t.Kind != types.SmallInt && t.Kind != types.Int {
		return false
	}
	sumFn, err := function.ResolveAggregate("sum", []function.Arg{{Type: t}})
	countFn, err2 := function.ResolveAggregate("count", []function.Arg{{Type: t}})
	if err != nil || err2 != nil {
		return false
	}
	sum := s.parts(plan.AggCall{Fn: sumFn, Args: c.Args, Filter: c.Filter}, "sum", types.BigInt)
	count := s.parts(plan.AggCall{Fn: countFn, Args: c.Args, Filter: c.Filter}, "sum", types.BigInt)
	if sum == nil || count == nil {
		return false
	}
	double := types.Of(types.Double)
	div, err := function.Resolve("/", []function.Arg{{Type: double}, {Type: double}})
	if err != nil || !div.Ret.Equal(double) {
		return false
	}
	s.results = append(s.results, func(out types.Schema) expr.Expr {
		n := count(out)
		// Groups of NULL only have no average: the sum is NULL there, and the count, which is 0, must not be divided by.
		zero := &expr.Const{Value: vec.NewFlat(types.Of(types.BigInt), []int64{0}, nil)}
		positive := comparison(">", n, zero)
		if positive == nil {
			return nil
		}
		quotient := &expr.Call{Fn: div, Args: []expr.Expr{&expr.Cast{Arg: sum(out), To: double}, &expr.Cast{Arg: n, To: double}}}
		return &expr.Case{Whens: []expr.When{{Cond: positive, Then: quotient}}, T: double}
	})
	return true
}

// parts computes a call for each value, and joins the results by another call; nil if the result is not of the given kind.
func (s *distinctSplit) parts(c plan.AggCall, join string, kind types.Kind) func(types.Schema) expr.Expr {
	i := addCall(&s.inner, c)
	fn, err := function.ResolveAggregate(join, []function.Arg{{Type: c.Fn.Ret}})
	if err != nil || fn.Ret.Kind != kind || !fn.Args[0].Equal(c.Fn.Ret) {
		return nil
	}
	return s.addOuter(plan.AggCall{Fn: fn, Args: []expr.Expr{s.column(len(s.a.Keys)+1+i, c.Fn.Ret)}})
}

// column reads a column of the first step; its name is set when that exists.
func (s *distinctSplit) column(i int, t types.Type) expr.Expr { return &expr.Column{Index: i, T: t} }

func (s *distinctSplit) addOuter(c plan.AggCall) func(types.Schema) expr.Expr {
	i := len(s.a.Keys) + addCall(&s.outer, c)
	return func(out types.Schema) expr.Expr { return plan.ColumnOf(out, i) }
}

// addCall appends a call unless there is an equal one, and returns its place.
func addCall(calls *[]plan.AggCall, c plan.AggCall) int {
	for i, o := range *calls {
		if o.Fn.Name == c.Fn.Name && o.Fn.Ret.Equal(c.Fn.Ret) && expr.Equal(o.Filter, c.Filter) && len(o.Args) == len(c.Args) {
			same := true
			for k := range o.Args {
				same = same && expr.Equal(o.Args[k], c.Args[k])
			}
			if same {
				return i
			}
		}
	}
	*calls = append(*calls, c)
	return len(*calls) - 1
}

// orZero is coalesce(e, 0) of a BIGINT; nil if there is no such function.
func orZero(e expr.Expr) expr.Expr {
	zero := &expr.Const{Value: vec.NewFlat(types.Of(types.BigInt), []int64{0}, nil)}
	fn, err := function.Resolve("coalesce", []function.Arg{{Type: e.Type()}, {Type: zero.Type(), Const: zero.Value}})
	if err != nil || fn.Ret.Kind != types.BigInt {
		return nil
	}
	return &expr.Call{Fn: fn, Args: []expr.Expr{e, zero}}
}

// comparison resolves a comparison of two BIGINTs; nil if there is none.
func comparison(op string, l, r expr.Expr) expr.Expr {
	fn, err := function.Resolve(op, []function.Arg{{Type: l.Type()}, {Type: r.Type()}})
	if err != nil {
		return nil
	}
	return &expr.Call{Fn: fn, Args: []expr.Expr{l, r}}
}

// plan builds the two aggregates and the projection over them; a itself if something is missing.
func (s *distinctSplit) plan() plan.Node {
	a := s.a
	keys := append(append([]expr.Expr(nil), a.Keys...), s.value)
	names := make([]string, len(keys))
	for i := range a.Keys {
		names[i] = a.Out[i].Name
	}
	names[len(a.Keys)] = plan.NameOf(s.value)
	for i := range s.inner {
		s.inner[i].Name = s.inner[i].String()
	}
	first := plan.NewAggregate(a.Input, keys, names, s.inner)
	named := func(e expr.Expr) expr.Expr {
		return plan.MapColumns(e, func(c *expr.Column) expr.Expr { return plan.ColumnOf(first.Out, c.Index) })
	}
	for i := range s.outer {
		s.outer[i].Args = []expr.Expr{named(s.outer[i].Args[0])}
		s.outer[i].Name = s.outer[i].String()
	}
	groupKeys, groupNames := plan.Identity(first.Out[:len(a.Keys)])
	second := plan.NewAggregate(first, groupKeys, groupNames, s.outer)
	exprs, outNames := plan.Identity(second.Out[:len(a.Keys)])
	exprs, outNames = exprs[:len(exprs):len(exprs)], outNames[:len(outNames):len(outNames)]
	for i, result := range s.results {
		e := result(second.Out)
		if e == nil {
			return a
		}
		exprs, outNames = append(exprs, e), append(outNames, a.Out[len(a.Keys)+i].Name)
	}
	p := plan.NewProject(second, exprs, outNames)
	p.Out = renamed(p.Out, a.Out)
	return p
}
