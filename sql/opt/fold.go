package opt

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// foldConstants evaluates constant expressions everywhere and moves NOT inwards. A filter that is always true goes away, one that is never
// true leaves no rows, and constant VALUES become batches.
func foldConstants(c *context, n plan.Node) plan.Node {
	return rewrite(n, func(n plan.Node) plan.Node {
		n = plan.MapExprs(n, func(e expr.Expr) expr.Expr { return expr.Rewrite(expr.Fold(c.fn, e), invert) })
		switch x := n.(type) {
		case *plan.Filter:
			return filter(x.Input, expr.Conjuncts(x.Cond))
		case *plan.Values:
			return materialize(x)
		case *plan.Join:
			return emptyJoin(x)
		case *plan.Project, *plan.Sort, *plan.Limit, *plan.Distinct, *plan.Explode:
			if isEmpty(n.Children()[0]) {
				return empty(n)
			}
		case *plan.Aggregate:
			if len(x.Keys) > 0 && isEmpty(x.Input) {
				return empty(n)
			}
		}
		return n
	})
}

func isEmpty(n plan.Node) bool {
	v, ok := n.(*plan.Values)
	return ok && len(v.Rows) == 0
}

// emptyJoin settles joins of which one side has no rows.
func emptyJoin(j *plan.Join) plan.Node {
	switch j.Kind {
	case plan.Inner, plan.Cross, plan.Semi:
		if isEmpty(j.Left) || isEmpty(j.Right) {
			return empty(j)
		}
	case plan.Left, plan.Anti, plan.NullAwareAnti, plan.Mark, plan.Exists, plan.Single:
		if isEmpty(j.Left) {
			return empty(j)
		}
	}
	return j
}

// inverses are the comparisons that are true where another is false, and NULL where it is NULL.
var inverses = map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// invert moves a NOT into comparisons, AND and OR, where scans can prune by what stands there.
func invert(e expr.Expr) expr.Expr {
	not, ok := e.(*expr.Not)
	if !ok {
		return e
	}
	each := func(list []expr.Expr) []expr.Expr {
		out := make([]expr.Expr, len(list))
		for i, a := range list {
			out[i] = invert(&expr.Not{Arg: a})
		}
		return out
	}
	switch x := not.Arg.(type) {
	case *expr.Not:
		return x.Arg
	case *expr.And:
		return &expr.Or{Args: each(x.Args)}
	case *expr.Or:
		return &expr.And{Args: each(x.Args)}
	case *expr.IsNull:
		return &expr.IsNull{Arg: x.Arg, Negate: !x.Negate}
	case *expr.In:
		return &expr.In{Arg: x.Arg, List: x.List, HasNull: x.HasNull, Negate: !x.Negate}
	case *expr.Call:
		if name := inverses[x.Fn.Name]; name != "" && len(x.Args) == 2 && !x.Fn.Args[0].IsVariant() && !x.Fn.Args[1].IsVariant() {
			fn, err := function.Resolve(name, []function.Arg{{Type: x.Fn.Args[0]}, {Type: x.Fn.Args[1]}})
			if err == nil && fn.Args[0].Equal(x.Fn.Args[0]) && fn.Args[1].Equal(x.Fn.Args[1]) {
				return &expr.Call{Fn: fn, Args: x.Args}
			}
		}
	}
	return e
}

// truth tells whether e is a constant condition, and whether it holds (NULL does not).
func truth(e expr.Expr) (holds, constant bool) {
	c, ok := e.(*expr.Const)
	if !ok {
		return false, false
	}
	if c.Value.IsNull(0) {
		return false, true
	}
	if c.Value.Type.Kind != types.Boolean {
		return false, false
	}
	h, i := c.Value.At(0)
	return vec.Slice[bool](h)[i], true
}

// filter puts conditions on a node, without those that are always true or said twice.
func filter(n plan.Node, conds []expr.Expr) plan.Node {
	conds, never := simplify(conds)
	switch {
	case never:
		return empty(n)
	case len(conds) == 0:
		return n
	}
	if f, ok := n.(*plan.Filter); ok {
		return filter(f.Input, append(expr.Conjuncts(f.Cond), conds...))
	}
	return &plan.Filter{Input: n, Cond: expr.Join(conds)}
}

// simplify drops conditions that are always true or repeated; never says that one of them is never true.
func simplify(conds []expr.Expr) (out []expr.Expr, never bool) {
	for _, e := range conds {
		if holds, constant := truth(e); constant {
			if !holds {
				return nil, true
			}
			continue
		}
		repeated := false
		for _, o := range out {
			repeated = repeated || expr.Equal(o, e)
		}
		if !repeated {
			out = append(out, e)
		}
	}
	return out, false
}

// materialize makes batches of VALUES whose cells are all constant.
func materialize(v *plan.Values) plan.Node {
	if len(v.Rows) == 0 || len(v.Out) == 0 {
		return v
	}
	for _, row := range v.Rows {
		for i, e := range row {
			c, ok := e.(*expr.Const)
			if !ok || c.Value.Type.Kind != v.Out[i].Type.Kind || c.Value.Type.Phys() != v.Out[i].Type.Phys() {
				return v
			}
		}
	}
	out := &plan.Batches{Out: v.Out}
	for from := 0; from < len(v.Rows); from += vec.Size {
		rows := v.Rows[from:min(from+vec.Size, len(v.Rows))]
		cols := make([]*vec.Vector, len(v.Out))
		for i, f := range v.Out {
			b := vec.NewBuilder(f.Type, len(rows))
			for _, row := range rows {
				b.AppendFrom(row[i].(*expr.Const).Value, 0)
			}
			cols[i] = b.Finish()
		}
		out.Data = append(out.Data, vec.NewBatch(len(rows), cols...))
	}
	return out
}

// distinctToAggregate replaces Distinct by grouping on all columns.
func distinctToAggregate(_ *context, n plan.Node) plan.Node {
	return rewrite(n, func(n plan.Node) plan.Node {
		d, ok := n.(*plan.Distinct)
		if !ok || len(d.Schema()) == 0 {
			return n
		}
		keys, names := plan.Identity(d.Schema())
		return plan.NewAggregate(d.Input, keys, names, nil)
	})
}
