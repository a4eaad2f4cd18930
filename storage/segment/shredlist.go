package segment

import (
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/variant"
)

// list writes the elements of arrays.
func (w *treeWriter) list(group *parquetio.Node, n *variant.Node, e *entry, at presence) {
	g := &parquetio.Node{Repetition: parquetio.Required, Children: []*parquetio.Node{}}
	group.Children = append(group.Children, parquetio.ListNode(parquetio.TypedName, parquetio.Optional, g))
	ce := e.element()
	w.plan.entries = append(w.plan.entries, ce)
	w.node(g, n.Elem, ce, w.elements(n, at))
}

// elements is the presence of the elements of a list whose group has presence at.
func (w *treeWriter) elements(n *variant.Node, at presence) presence {
	in := presence{top: at.top + 2, pages: make([][]parquetio.Run, w.pages), space: &space{
		base: at.top + 2, rep: at.rep + 1, cuts: make([]uint32, w.pages+1), entries: make([]int, w.pages),
		reps: make([][]parquetio.Run, w.pages), levels: make([][]byte, w.pages),
	}}
	next := 0 // array
	for p := range in.pages {
		x := elementRuns{at: &at, n: n, next: next, pos: at.cuts[p]}
		if at.rep > 0 {
			x.above = at.reps[p]
		}
		for _, r := range at.pages[p] {
			x.run(r)
		}
		next = x.next
		in.pages[p], in.reps[p], in.levels[p] = x.def, x.rep, parquetio.EncodeLevels(x.rep, in.rep)
		in.cuts[p+1] = n.Offsets[next]
		for _, r := range x.def {
			in.entries[p] += int(r.N)
		}
	}
	return in
}

// elementRuns makes the levels of the elements of one page of those of the group above the list.
type elementRuns struct {
	at   *presence
	n    *variant.Node
	next int    // the first array that did not come yet
	pos  uint32 // the row of the next entry that is one

	above []parquetio.Run // repetition levels of the entries to come; nil outside of lists
	taken int32           // of the first of them

	def, rep []parquetio.Run
}

// run adds entries that have a definition level in common.
func (x *elementRuns) run(r parquetio.Run) {
	if r.Level != x.at.top {
		x.plain(r.Level, r.N)
		if r.Level >= x.at.base {
			x.pos += uint32(r.N)
		}
		return
	}
	for end := x.pos + uint32(r.N); x.pos < end; x.pos++ {
		row := x.row()
		if row >= end {
			x.plain(r.Level, int32(end-x.pos))
			x.pos = end
			return
		}
		x.plain(r.Level, int32(row-x.pos))
		x.pos = row
		elems := int32(x.n.Offsets[x.next+1] - x.n.Offsets[x.next])
		x.next++
		if elems == 0 {
			x.plain(r.Level+1, 1)
			continue
		}
		x.plain(r.Level+2, 1)
		x.def = addRun(x.def, r.Level+2, elems-1)
		x.rep = addRun(x.rep, uint8(x.at.rep+1), elems-1)
	}
}

// row returns the row of the next array.
func (x *elementRuns) row() uint32 {
	switch {
	case x.next == len(x.n.Offsets)-1:
		return ^uint32(0)
	case x.n.ListRows == nil:
		return uint32(x.next)
	}
	return x.n.ListRows[x.next]
}

// plain adds entries that start no further element: they repeat as above.
func (x *elementRuns) plain(level uint8, n int32) {
	x.def = addRun(x.def, level, n)
	if x.above == nil {
		x.rep = addRun(x.rep, 0, n)
		return
	}
	for n > 0 {
		r := x.above[0]
		k := min(n, r.N-x.taken)
		x.rep = addRun(x.rep, r.Level, k)
		n -= k
		if x.taken += k; x.taken == r.N {
			x.above, x.taken = x.above[1:], 0
		}
	}
}
