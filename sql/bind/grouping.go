package bind

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

const (
	// maxGroupingSets bounds the grouping sets of one GROUP BY, which each cost a pass of the rows through the aggregate.
	maxGroupingSets = 4096
	// maxGroupingArgs is what the bits of a BIGINT allow.
	maxGroupingArgs = 63
)

// groupingSets binds the elements of GROUP BY. Several of them make every combination of their sets.
func (x *selectBinder) groupingSets(g *parse.GroupBy) error {
	sets := [][]int{nil}
	plain := true
	for i := range g.Items {
		it := &g.Items[i]
		plain = plain && (it.Kind == parse.GroupExpr || it.Kind == parse.GroupSet)
		more, err := x.setsOf(it)
		if err != nil {
			return err
		}
		if len(sets)*len(more) > maxGroupingSets {
			return tooManySets(it)
		}
		combined := make([][]int, 0, len(sets)*len(more))
		for _, a := range sets {
			for _, b := range more {
				combined = append(combined, union(a, b))
			}
		}
		sets = combined
	}
	if !plain {
		x.sets = sets
	}
	return nil
}

func tooManySets(it *parse.GroupItem) error {
	return sqlerr.At(sqlerr.Resource, it.Pos(), "GROUP BY with more than %d grouping sets", maxGroupingSets)
}

// union returns the numbers that are in a or b, each once.
func union(a, b []int) []int {
	out := slices.Clone(a)
	for _, k := range b {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// setsOf returns the grouping sets of one element.
func (x *selectBinder) setsOf(it *parse.GroupItem) ([][]int, error) {
	if it.Kind == parse.GroupExpr || it.Kind == parse.GroupSet {
		set := []int{}
		for _, e := range it.Exprs {
			k, err := x.groupKey(e)
			if err != nil {
				return nil, err
			}
			set = union(set, []int{k})
		}
		return [][]int{set}, nil
	}
	var members [][]int
	for i := range it.Sets {
		sets, err := x.setsOf(&it.Sets[i])
		if err != nil {
			return nil, err
		}
		if len(sets) != 1 && it.Kind != parse.GroupSets {
			return nil, sqlerr.At(sqlerr.Syntax, it.Sets[i].Pos(), "ROLLUP and CUBE take expressions and lists of expressions")
		}
		if members = append(members, sets...); len(members) > maxGroupingSets {
			return nil, tooManySets(it)
		}
	}
	switch it.Kind {
	case parse.GroupRollup:
		return rollup(members), nil
	case parse.GroupCube:
		if 1<<min(len(members), 30) > maxGroupingSets {
			return nil, tooManySets(it)
		}
		return cube(members), nil
	}
	return members, nil
}

// rollup returns the unions of the first n members, from all to none.
func rollup(members [][]int) [][]int {
	out := [][]int{{}}
	for _, m := range members {
		out = append(out, union(out[len(out)-1], m))
	}
	slices.Reverse(out)
	return out
}

// cube returns the unions of all selections of members.
func cube(members [][]int) [][]int {
	out := [][]int{{}}
	for _, m := range members {
		for _, s := range out[:len(out):len(out)] {
			out = append(out, union(s, m))
		}
	}
	return out
}

// aggregateOver groups node. With grouping sets it is expanded first, and the number of the set becomes the last column.
func (x *selectBinder) aggregateOver(node plan.Node, keys []expr.Expr, aggs []plan.AggCall) (plan.Node, error) {
	if x.sets == nil {
		return plan.NewAggregate(node, keys, x.keyNames, aggs), nil
	}
	if err := x.b.grow(len(x.sets), x.s.Pos()); err != nil {
		return nil, err
	}
	sets := make([][]bool, len(x.sets))
	var empty []int
	for i, s := range x.sets {
		sets[i] = make([]bool, len(keys))
		for _, k := range s {
			sets[i][k] = true
		}
		if len(s) == 0 {
			empty = append(empty, i)
		}
	}
	width := len(node.Schema())
	expanded := plan.NewExpand(node, keys, x.keyNames, sets)
	var groups []expr.Expr
	for i := range len(keys) + 1 {
		groups = append(groups, plan.ColumnOf(expanded.Out, width+i))
	}
	agg := plan.NewAggregate(expanded, groups, append(slices.Clone(x.keyNames), plan.SetColumn), aggs)
	n := len(keys)
	out := pick(agg, append(append(span(0, n), span(n+1, len(agg.Out))...), n))
	if len(empty) == 0 {
		return out, nil
	}
	return x.totals(out, empty, aggs)
}

// totals adds the rows of empty grouping sets where there was nothing to group: a total is always a row.
func (x *selectBinder) totals(n plan.Node, empty []int, aggs []plan.AggCall) (plan.Node, error) {
	schema := n.Schema()
	last := len(schema) - 1
	sets := &plan.Values{Out: types.Schema{schema[last]}}
	for _, i := range empty {
		sets.Rows = append(sets.Rows, []expr.Expr{constOf(types.Of(types.Int), int32(i))})
	}
	key := plan.ColumnOf(schema, last)
	join := plan.NewJoin(plan.Full, n, sets, []expr.Expr{key}, []expr.Expr{plan.ColumnOf(sets.Out, 0)}, nil)
	exprs, names := plan.Identity(join.Out[:last+1])
	for i := range aggs {
		at := last - len(aggs) + i
		e, err := x.b.orEmpty(exprs[at], &aggs[i])
		if err != nil {
			return nil, err
		}
		exprs[at] = e
	}
	number, err := (&scope{b: x.b}).resolve(x.s.Pos(), "coalesce", exprs[last], plan.ColumnOf(join.Out, last+1))
	if err != nil {
		return nil, err
	}
	exprs[last] = number
	return plan.NewProject(join, exprs, names), nil
}

// grouping binds GROUPING(a, b): a number whose bits, a's first, tell which keys the row's grouping set leaves out.
func (s *scope) grouping(c *parse.Call, name string) (expr.Expr, error) {
	switch {
	case s.aggs == nil || s.inAggregate:
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "%s is not allowed in %s", name, s.clause)
	case len(c.Args) == 0 || len(c.Args) > maxGroupingArgs:
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "%s takes 1 to %d arguments, which must be keys of GROUP BY", name, maxGroupingArgs)
	}
	inner := *s
	inner.aggs, inner.wins = nil, nil
	args, err := inner.bindAll(c.Args)
	if err != nil {
		return nil, err
	}
	s.aggs.groupings = append(s.aggs.groupings, args)
	x := &expr.Column{Index: setBase + len(s.aggs.groupings) - 1, Name: name, T: types.Of(types.BigInt), NotNull: true}
	s.b.places[x] = c.Pos()
	return x, nil
}

// groupingValue computes a call of GROUPING from the number of the set.
func (x *selectBinder) groupingValue(args []expr.Expr, out types.Schema, pos int) (expr.Expr, error) {
	keys := make([]int, len(args))
	for i, a := range args {
		keys[i] = slices.IndexFunc(x.keys, func(k expr.Expr) bool { return expr.Equal(k, a) })
		if keys[i] < 0 {
			keys[i] = slices.IndexFunc(x.raw, func(k expr.Expr) bool { return expr.Equal(k, a) })
		}
		if keys[i] < 0 {
			return nil, sqlerr.At(sqlerr.Bind, pos, "argument %d of GROUPING, %s, is no key of GROUP BY", i+1, plan.NameOf(a))
		}
	}
	big := types.Of(types.BigInt)
	if x.sets == nil {
		return constOf(big, int64(0)), nil
	}
	number := plan.ColumnOf(out, len(out)-1)
	e := &expr.Case{T: big}
	for i, set := range x.sets {
		bits := int64(0)
		for _, k := range keys {
			bits <<= 1
			if !slices.Contains(set, k) {
				bits |= 1
			}
		}
		eq, err := (&scope{b: x.b}).operator(pos, parse.OpEq, number, constOf(types.Of(types.Int), int32(i)))
		if err != nil {
			return nil, err
		}
		e.Whens = append(e.Whens, expr.When{Cond: eq, Then: constOf(big, bits)})
	}
	return e, nil
}
