package opt

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
)

// semiShareLimit is the share of key values that a semi join may let through for it to be worth doing early.
const semiShareLimit = 0.5

// pushSemiJoins moves semi joins that keep few rows below inner joins, to the one input whose columns they test.
func pushSemiJoins(c *context, n plan.Node) plan.Node {
	return rewrite(n, func(n plan.Node) plan.Node {
		if j, ok := n.(*plan.Join); ok && j.Kind == plan.Semi && len(j.LeftKeys) > 0 {
			return c.sinkSemi(j)
		}
		return n
	})
}

func (c *context) sinkSemi(j *plan.Join) plan.Node {
	in, ok := j.Left.(*plan.Join)
	if !ok || in.Kind != plan.Inner && in.Kind != plan.Cross || !infallible(j.LeftKeys) || j.Cond != nil && !expr.Infallible(j.Cond) {
		return j
	}
	width, total := len(in.Left.Schema()), len(in.Out)
	tests := append(append([]expr.Expr(nil), j.LeftKeys...), j.Cond)
	side := func(from, to int) bool {
		for _, e := range tests {
			// Columns from total on are those of the semi join's right side.
			if reads(e, 0, from) || reads(e, to, total) {
				return false
			}
		}
		return true
	}
	var target plan.Node
	shift := 0
	switch {
	case side(0, width):
		target = in.Left
	case side(width, total):
		target, shift = in.Right, -width
	default:
		return j
	}
	keys := make([]expr.Expr, len(j.LeftKeys))
	for i, k := range j.LeftKeys {
		keys[i] = expr.Shift(k, shift)
	}
	cond := j.Cond
	if cond != nil {
		moved := total - len(target.Schema())
		cond = plan.MapColumns(cond, func(k *expr.Column) expr.Expr {
			if k.Index >= total {
				return plan.Moved(k, k.Index-moved)
			}
			return plan.Moved(k, k.Index+shift)
		})
	}
	semi := plan.NewJoin(plan.Semi, target, j.Right, keys, j.RightKeys, cond)
	if c.semiShare(semi) > semiShareLimit {
		return j
	}
	lower := c.sinkSemi(semi)
	if shift == 0 {
		return plan.WithChildren(in, []plan.Node{lower, in.Right})
	}
	return plan.WithChildren(in, []plan.Node{in.Left, lower})
}
