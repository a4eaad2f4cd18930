package opt

import "github.com/ebira-db/ebira/sql/plan"

// chooseBuildSide puts the smaller input of a hash join to the right, where the hash table is built. A left join with a far larger right
// side becomes a right join.
func chooseBuildSide(c *context, n plan.Node) plan.Node {
	return rewrite(n, func(n plan.Node) plan.Node {
		j, ok := n.(*plan.Join)
		if !ok {
			return n
		}
		l, r := c.estimate(j.Left), c.estimate(j.Right)
		kind := j.Kind
		switch {
		case (kind == plan.Inner || kind == plan.Cross || kind == plan.Full) && l < r:
		case kind == plan.Left && l*outerSwapFactor < r:
			kind = plan.Right
		case kind == plan.Right && l < r*outerSwapFactor:
			kind = plan.Left
		default:
			return n
		}
		return plan.Swap(j, kind)
	})
}

// outerSwapFactor is how much larger the build side of a left join must be before sides change: emitting unmatched build rows costs.
const outerSwapFactor = 4
