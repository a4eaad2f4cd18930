package opt

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
)

// mergeProjections computes a projection over a projection in one step where nothing is computed twice by that, and drops projections
// that change nothing.
func mergeProjections(_ *context, n plan.Node) plan.Node { return mergeBelow(n, true) }

// mergeBelow works from the inputs upwards; the names of the root's columns matter to clients, those of others do not.
func mergeBelow(n plan.Node, root bool) plan.Node {
	names := false
	switch n.(type) {
	case *plan.Filter, *plan.Sort, *plan.Limit, *plan.Distinct:
		names = root // these take their names from the input
	}
	n = plan.MapChildren(n, func(in plan.Node) plan.Node { return mergeBelow(in, names) })
	p, ok := n.(*plan.Project)
	if !ok {
		return n
	}
	for {
		in, ok := p.Input.(*plan.Project)
		if !ok || !mergeable(p, in) {
			break
		}
		exprs := make([]expr.Expr, len(p.Exprs))
		for i, e := range p.Exprs {
			exprs[i] = substitute(e, in.Exprs)
		}
		p = &plan.Project{Input: in.Input, Exprs: exprs, Out: p.Out}
	}
	if identity(p, root) {
		return p.Input
	}
	return p
}

// mergeable tells whether the expressions of in can be put in place of the columns that p reads: each is read once, or costs nothing.
func mergeable(p, in *plan.Project) bool {
	uses := make([]int, len(in.Exprs))
	for _, e := range p.Exprs {
		plan.EachColumn(e, func(c *expr.Column) { uses[c.Index]++ })
	}
	for i, e := range in.Exprs {
		switch e.(type) {
		case *expr.Column, *expr.Const, *expr.Param:
			continue
		}
		if uses[i] > 1 || uses[i] > 0 && plan.Volatile(e) {
			return false
		}
	}
	return true
}

// identity tells whether a projection passes its input as it is.
func identity(p *plan.Project, root bool) bool {
	schema := p.Input.Schema()
	if len(schema) != len(p.Exprs) {
		return false
	}
	for i, e := range p.Exprs {
		c, ok := e.(*expr.Column)
		if !ok || c.Index != i || root && p.Out[i].Name != schema[i].Name {
			return false
		}
	}
	return true
}
