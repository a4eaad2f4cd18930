package opt

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// reduceKeys drops grouping keys that follow from others: constants, and expressions over columns that are keys themselves. They are
// computed once a group instead of once a row.
func reduceKeys(_ *context, n plan.Node) plan.Node {
	return rewrite(n, func(n plan.Node) plan.Node {
		a, ok := n.(*plan.Aggregate)
		if !ok || len(a.Keys) < 2 {
			return n
		}
		// column tells, for each input column that is a key, which key it is.
		column := map[int]int{}
		for i, k := range a.Keys {
			if c, ok := k.(*expr.Column); ok {
				if _, twice := column[c.Index]; !twice {
					column[c.Index] = i
				}
			}
		}
		dropped := make([]bool, len(a.Keys))
		left := len(a.Keys)
		for i, k := range a.Keys {
			if left > 1 && follows(k, i, column) {
				dropped[i] = true
				left--
			}
		}
		if left == len(a.Keys) {
			return n
		}
		return withoutKeys(a, dropped, column)
	})
}

// follows tells whether key i is determined by the keys that are plain columns.
func follows(k expr.Expr, i int, column map[int]int) bool {
	if plan.Volatile(k) {
		return false
	}
	known := true
	plan.EachColumn(k, func(c *expr.Column) {
		at, ok := column[c.Index]
		known = known && ok && at != i
	})
	return known
}

// withoutKeys groups by the remaining keys and computes the dropped ones above.
func withoutKeys(a *plan.Aggregate, dropped []bool, column map[int]int) plan.Node {
	var keys []expr.Expr
	var names []string
	at := make([]int, len(a.Keys))
	for i, k := range a.Keys {
		if !dropped[i] {
			at[i] = len(keys)
			keys, names = append(keys, k), append(names, a.Out[i].Name)
		}
	}
	inner := plan.NewAggregate(a.Input, keys, names, a.Aggs)
	exprs, outNames := make([]expr.Expr, len(a.Out)), make([]string, len(a.Out))
	for i := range a.Out {
		outNames[i] = a.Out[i].Name
		switch {
		case i >= len(a.Keys):
			exprs[i] = plan.ColumnOf(inner.Out, len(keys)+i-len(a.Keys))
		case !dropped[i]:
			exprs[i] = plan.ColumnOf(inner.Out, at[i])
		default:
			exprs[i] = plan.MapColumns(a.Keys[i], func(c *expr.Column) expr.Expr { return plan.ColumnOf(inner.Out, at[column[c.Index]]) })
		}
	}
	p := plan.NewProject(inner, exprs, outNames)
	p.Out = renamed(p.Out, a.Out)
	return p
}

// maxShift bounds k of sum(x + k): x + k must fit the wider type for every x of a narrower one, and k * count must not overflow.
const maxShift = 1 << 24

// shiftedSum is sum(x + k) where x is of a narrower type than x + k, so that x + k cannot overflow.
type shiftedSum struct {
	x expr.Expr
	k int64
}

// shareSums turns several sums sum(x + k) of one x into one sum(x) and one count(x), since sum(x + k) = sum(x) + k * count(x).
func shareSums(_ *context, n plan.Node) plan.Node {
	return rewrite(n, func(n plan.Node) plan.Node {
		a, ok := n.(*plan.Aggregate)
		if !ok {
			return n
		}
		sums := map[int]shiftedSum{}
		for i := range a.Aggs {
			if s, ok := shifted(&a.Aggs[i]); ok {
				sums[i] = s
			}
		}
		for i, s := range sums {
			others := 0
			for _, o := range sums {
				if expr.Equal(s.x, o.x) {
					others++
				}
			}
			if others < 3 {
				delete(sums, i)
			}
		}
		if len(sums) == 0 {
			return n
		}
		if out := splitSums(a, sums); out != nil {
			return out
		}
		return n
	})
}

// shifted recognizes sum(x + k).
func shifted(a *plan.AggCall) (s shiftedSum, ok bool) {
	if a.Fn.Name != "sum" || a.Distinct || a.Filter != nil || len(a.Args) != 1 || a.Fn.Ret.Kind != types.BigInt {
		return s, false
	}
	c, ok := a.Args[0].(*expr.Call)
	if !ok || c.Fn.Name != "+" || len(c.Args) != 2 || c.Fn.Ret.Kind != types.Int && c.Fn.Ret.Kind != types.BigInt {
		return s, false
	}
	for i, arg := range c.Args {
		k, isConst := arg.(*expr.Const)
		x, isCast := c.Args[1-i].(*expr.Cast)
		other := c.Args[1-i]
		if isCast && x.Arg.Type().IsInteger() {
			other = x.Arg
		}
		if !isConst || k.Value.IsNull(0) || !other.Type().IsInteger() || other.Type().Kind >= c.Fn.Ret.Kind {
			continue
		}
		v, err := function.Cast(&function.Ctx{}, k.Value, types.Of(types.BigInt), false)
		if err != nil {
			return s, false
		}
		n := vec.Slice[int64](vec.Flatten(v))[0]
		// The larger type has room for twice the smaller one's range at least.
		return shiftedSum{x: other, k: n}, n >= -maxShift && n <= maxShift
	}
	return s, false
}

// splitSums builds the aggregate with the shared sums and counts, and the projection that computes the old ones.
func splitSums(a *plan.Aggregate, sums map[int]shiftedSum) plan.Node {
	var aggs []plan.AggCall
	add := func(name string, x expr.Expr) (int, bool) {
		for i := range aggs {
			if aggs[i].Fn.Name == name && len(aggs[i].Args) == 1 && expr.Equal(aggs[i].Args[0], x) && aggs[i].Filter == nil && !aggs[i].Distinct {
				return len(a.Keys) + i, true
			}
		}
		fn, err := function.ResolveAggregate(name, []function.Arg{{Type: x.Type()}})
		if err != nil || !fn.Args[0].Equal(x.Type()) || fn.Ret.Kind != types.BigInt {
			return 0, false
		}
		c := plan.AggCall{Fn: fn, Args: []expr.Expr{x}}
		c.Name = c.String()
		aggs = append(aggs, c)
		return len(a.Keys) + len(aggs) - 1, true
	}
	type pair struct{ sum, count int }
	at := make([]pair, len(a.Aggs))
	for i, call := range a.Aggs {
		s, ok := sums[i]
		if !ok {
			at[i].sum = len(a.Keys) + len(aggs)
			aggs = append(aggs, call)
			continue
		}
		var sumOK, countOK bool
		at[i].sum, sumOK = add("sum", s.x)
		at[i].count, countOK = add("count", s.x)
		if !sumOK || !countOK {
			return nil
		}
	}
	names := make([]string, len(a.Keys))
	for i := range names {
		names[i] = a.Out[i].Name
	}
	inner := plan.NewAggregate(a.Input, a.Keys, names, aggs)
	exprs, _ := plan.Identity(inner.Out[:len(a.Keys)])
	exprs = slices.Clip(exprs)
	for i := range a.Aggs {
		x := expr.Expr(plan.ColumnOf(inner.Out, at[i].sum))
		if s, ok := sums[i]; ok {
			k := &expr.Const{Value: vec.NewFlat(types.Of(types.BigInt), []int64{s.k}, nil)}
			product := bigInt("*", k, plan.ColumnOf(inner.Out, at[i].count))
			if x = bigInt("+", x, product); x == nil || product == nil {
				return nil
			}
		}
		exprs = append(exprs, x)
	}
	outNames := make([]string, len(a.Out))
	for i := range a.Out {
		outNames[i] = a.Out[i].Name
	}
	p := plan.NewProject(inner, exprs, outNames)
	p.Out = renamed(p.Out, a.Out)
	return p
}

// bigInt resolves an operator over two BIGINTs with a BIGINT result; nil if there is none.
func bigInt(op string, l, r expr.Expr) expr.Expr {
	if l == nil || r == nil {
		return nil
	}
	t := types.Of(types.BigInt)
	fn, err := function.Resolve(op, []function.Arg{{Type: t}, {Type: t}})
	if err != nil || fn.Ret.Kind != types.BigInt || !fn.Args[0].Equal(t) || !fn.Args[1].Equal(t) {
		return nil
	}
	return &expr.Call{Fn: fn, Args: []expr.Expr{l, r}}
}
