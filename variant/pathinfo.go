package variant

import (
	"slices"

	"github.com/ebira-db/ebira/sql/types"
)

// PathInfo describes what a tree holds at one path, for DESC, variant_type and system tables.
type PathInfo struct {
	Path []string
	// Kinds counts the values, JSON nulls and objects included.
	Kinds KindCounts
	// Reported is the least common type of all values but JSON nulls and objects; see Merge.
	Reported types.Type
	// Column tells that the path has a typed column.
	Column bool
}

// describe lists the paths with values that are neither JSON null nor object: those with a column, and of the others the most frequent,
// as many as there may be columns. They are sorted by path.
func (f *finisher) describe() {
	var columns, others []*pathNode
	var visit func(n *pathNode)
	visit = func(n *pathNode) {
		switch {
		case n.plan.shred:
			columns = append(columns, n)
		case n.leaves() > 0:
			others = append(others, n)
		}
		for _, c := range n.children {
			visit(c)
		}
	}
	visit(f.s.root)
	if limit := max(f.o.MaxSubcolumns, types.DefaultMaxSubcolumns); len(others) > limit {
		slices.SortStableFunc(others, func(a, b *pathNode) int { return b.leaves() - a.leaves() })
		others = others[:limit]
	}
	for _, n := range append(columns, others...) {
		f.t.Paths = append(f.t.Paths, PathInfo{Path: n.path(), Kinds: n.plan.counts, Reported: n.reported(), Column: n.plan.shred})
	}
	slices.SortFunc(f.t.Paths, func(a, b PathInfo) int { return slices.Compare(a.Path, b.Path) })
}

// leaves returns the number of values that are neither JSON null nor object.
func (n *pathNode) leaves() int {
	c := &n.plan.counts
	return c.Total() - int(c[Null]) - int(c[Object])
}

// reported returns the least common type of the values of a node.
func (n *pathNode) reported() types.Type {
	t := types.Of(types.Null)
	for k, count := range n.plan.counts {
		if count == 0 || Kind(k) == Null || Kind(k) == Object {
			continue
		}
		of := types.Of(reportedKinds[k])
		switch {
		case Kind(k) == Array:
			of = n.reportedArrays()
		case n.conv != nil:
			of = n.conv.t
		case Kind(k) == Decimal && !n.plan.other.mixed:
			of = types.DecimalOf(int(n.plan.other.width), int(n.plan.other.scale))
		case Kind(k) == Decimal:
			of = types.Of(types.JSON)
		}
		t = Merge(t, of)
	}
	return t
}

// reportedArrays returns the least common type of the arrays of a node, NULL if it has none.
func (n *pathNode) reportedArrays() types.Type {
	o := &n.plan.other
	if n.plan.counts[Array] == 0 {
		return types.Of(types.Null)
	}
	elem, nested := o.elem, o.nested
	if n.arrays.len() > 0 {
		e := n.arrays.elem
		nested = nested || e.plan.counts[Array]+e.plan.counts[Object] > 0
		elem = Merge(elem, e.reported())
	}
	if nested {
		return types.Of(types.JSON)
	}
	return types.ArrayOf(elem)
}
