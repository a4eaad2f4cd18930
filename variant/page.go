package variant

import (
	"sort"

	"github.com/ebira-db/ebira/vec"
)

// Page returns rows [from, to) as a tree of their own, whose row numbers count from its start. It shares the values with t.
func (t *Tree) Page(from, to int) *Tree {
	p := *t
	p.Rows, p.Paths = to-from, nil
	if t.Null != nil {
		// Range gives nil where all bits are set, which here would mean that no row is NULL.
		if p.Null = t.Null.Range(from, p.Rows); p.Null == nil {
			p.Null = vec.NewBitmapSet(p.Rows)
		}
	}
	p.Root = t.Root.page(uint32(from), uint32(to))
	switch {
	case t.Metas != nil:
		p.Metas = t.Metas.Slice(from, to)
	case t.RowNames != nil:
		p.Metas, p.RowNames = t.RowNames.Metadata(from, to, nil), nil
	}
	at := func(row int) int {
		return sort.Search(len(t.Exact), func(i int) bool { return int(t.Exact[i].Row) >= row })
	}
	p.Exact = append([]ExactValue(nil), t.Exact[at(from):at(to)]...)
	for i := range p.Exact {
		p.Exact[i].Row -= uint32(from)
	}
	return &p
}

func (n *Node) page(from, to uint32) *Node {
	p := *n
	if n.Typed != nil {
		p.TypedRows, p.Typed = cutRows(n.TypedRows, n.Typed, from, to)
	}
	p.SecondRows, p.Second = nil, nil
	if n.Value != nil {
		p.ValueRows, p.Value = cutRows(n.ValueRows, n.Value, from, to)
	}
	if n.ObjectRows != nil {
		p.ObjectRows, _, _ = cutList(n.ObjectRows, from, to)
	}
	if n.Kind == NodeList {
		p.cutArrays(n, from, to)
	}
	p.Children = make([]*Node, len(n.Children))
	for i, c := range n.Children {
		p.Children[i] = c.page(from, to)
	}
	return &p
}

// cutArrays takes the arrays of n in rows [from, to), with their elements counted from 0.
func (p *Node) cutArrays(n *Node, from, to uint32) {
	lo, hi := int(from), int(to)
	if n.ListRows != nil {
		p.ListRows, lo, hi = cutList(n.ListRows, from, to)
	}
	first := n.Offsets[lo]
	p.Offsets = mapSlice(n.Offsets[lo:hi+1], func(x uint32) uint32 { return x - first })
	p.Elem = n.Elem.page(first, n.Offsets[hi])
}

func cutRows(rows []uint32, v *vec.Vector, from, to uint32) ([]uint32, *vec.Vector) {
	if rows == nil {
		return nil, v.Slice(int(from), int(to))
	}
	cut, lo, hi := cutList(rows, from, to)
	return cut, v.Slice(lo, hi)
}

// cutList returns the rows of an ascending list within [from, to), counted from from, and their positions.
func cutList(rows []uint32, from, to uint32) (cut []uint32, lo, hi int) {
	lo = sort.Search(len(rows), func(i int) bool { return rows[i] >= from })
	hi = lo + sort.Search(len(rows)-lo, func(i int) bool { return rows[lo+i] >= to })
	cut = make([]uint32, hi-lo)
	for i, r := range rows[lo:hi] {
		cut[i] = r - from
	}
	return cut, lo, hi
}
