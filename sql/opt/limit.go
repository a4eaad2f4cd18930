package opt

import (
	"math"

	"github.com/ebira-db/ebira/sql/plan"
)

// pushLimits makes a top-N of a sort under a limit, and lets inputs stop early.
func pushLimits(_ *context, n plan.Node) plan.Node {
	l, ok := n.(*plan.Limit)
	if !ok {
		return plan.MapChildren(n, func(in plan.Node) plan.Node { return pushLimits(nil, in) })
	}
	if l.Count == 0 {
		return empty(l)
	}
	switch x := l.Input.(type) {
	case *plan.Sort:
		if x.Limit < 0 && x.Offset == 0 {
			return pushLimits(nil, &plan.Sort{Input: x.Input, Keys: x.Keys, Limit: l.Count, Offset: l.Offset})
		}
	case *plan.Project:
		below := &plan.Limit{Input: x.Input, Count: l.Count, Offset: l.Offset}
		return plan.WithChildren(x, []plan.Node{pushLimits(nil, below)})
	case *plan.Limit:
		return pushLimits(nil, merge(l, x))
	case *plan.Union:
		return limitUnion(l, x)
	}
	return plan.WithChildren(l, []plan.Node{pushLimits(nil, l.Input)})
}

// merge joins two limits: outer takes its rows from what inner lets through.
func merge(outer, inner *plan.Limit) *plan.Limit {
	count := outer.Count
	if inner.Count >= 0 {
		left := max(inner.Count-outer.Offset, 0)
		if count < 0 || left < count {
			count = left
		}
	}
	return &plan.Limit{Input: inner.Input, Count: count, Offset: addCapped(inner.Offset, outer.Offset)}
}

func addCapped(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// limitUnion lets no input of a union yield more rows than the whole.
func limitUnion(l *plan.Limit, u *plan.Union) plan.Node {
	if l.Count < 0 {
		return plan.WithChildren(l, []plan.Node{pushLimits(nil, u)})
	}
	enough := addCapped(l.Count, l.Offset)
	inputs := make([]plan.Node, len(u.Inputs))
	for i, in := range u.Inputs {
		if old, ok := in.(*plan.Limit); ok && old.Count >= 0 && old.Count <= enough {
			inputs[i] = pushLimits(nil, in)
			continue
		}
		inputs[i] = pushLimits(nil, &plan.Limit{Input: in, Count: enough})
	}
	return &plan.Limit{Input: &plan.Union{Inputs: inputs, Out: u.Out}, Count: l.Count, Offset: l.Offset}
}
