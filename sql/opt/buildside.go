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
		case leftFirst(kind) && len(j.LeftKeys) > 0 && l*leftFirstFactor < r:
			first := *j
			first.LeftFirst = true
			return &first
		default:
			return n
		}
		return plan.Swap(j, kind)
	})
}

// leftFirst tells whether a join of this kind must hash its right input although rows of it that meet no left row never count.
func leftFirst(k plan.JoinKind) bool { return k == plan.Semi || k == plan.Anti || k == plan.Single }

// leftFirstFactor is how much larger the right input must be for the left one to be kept until that is read.
const leftFirstFactor = 4

// outerSwapFactor is how much larger the build side of a left join must be before sides change: emitting unmatched build rows costs.
const outerSwapFactor = 4
