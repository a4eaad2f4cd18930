package vexec

import (
	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// partitions are whole partitions of a window, sorted, with what its calls read.
type partitions struct {
	w *worker
	// account is for what the results of calls hold.
	account *cache.Account
	n       int
	cols    []*vec.Vector // of the input
	exprs   []*vec.Vector // see windower.exprs
	// starts are the rows at which partitions begin, peers those at which runs of peers begin; both end with n.
	starts, peers []int32
	orderKeys     []*vec.Vector
	orders        []vec.Order
}

// place is where a row stands: its partition and its peers, as rows [from, to), and the number of the run of peers, also of the first
// one of the partition and behind the last one.
type place struct {
	row, from, to           int32
	peerFrom, peerTo        int32
	run, firstRun, afterRun int32
}

// each calls f for every row in order.
func (p *partitions) each(f func(at *place)) {
	var at place
	part, run := 0, -1
	for i := range int32(p.n) {
		if i == p.starts[part] {
			at.from, at.to = i, p.starts[part+1]
			at.firstRun = int32(run + 1)
			at.afterRun = at.firstRun
			for p.peers[at.afterRun] < at.to {
				at.afterRun++
			}
			part++
		}
		if i == p.peers[run+1] {
			run++
			at.peerFrom, at.peerTo, at.run = i, p.peers[run+1], int32(run)
		}
		at.row = i
		f(&at)
	}
}

// span is a range of rows [from, to).
type span struct{ from, to int32 }

// frames are the rows that a call sees from each row: between ends, without what lies in its hole; inHole, if not empty, belongs to the
// frame nevertheless.
type frames struct {
	ends         []span
	hole, inHole []span // nil if nothing is excluded
}

// spans appends the up to three parts of the frame of row i.
func (f *frames) spans(out []span, i int) []span {
	e := f.ends[i]
	if f.hole == nil {
		return addSpan(out, e)
	}
	h := f.hole[i]
	out = addSpan(out, span{e.from, min(e.to, h.from)})
	in := f.inHole[i]
	out = addSpan(out, span{max(e.from, in.from), min(e.to, in.to)})
	return addSpan(out, span{max(e.from, h.to), e.to})
}

func addSpan(out []span, s span) []span {
	if s.from < s.to {
		return append(out, s)
	}
	return out
}

// frames computes the frames of a call.
func (p *partitions) frames(c *windowCall) *frames {
	f := &frames{ends: make([]span, p.n)}
	from, to := p.end(c, &c.Frame.Start, c.start, true), p.end(c, &c.Frame.End, c.end, false)
	p.each(func(at *place) {
		e := span{from(at), to(at)}
		e.to = max(e.to, e.from)
		f.ends[at.row] = e
	})
	if c.Frame.Exclude == plan.ExcludeNothing {
		return f
	}
	f.hole, f.inHole = make([]span, p.n), make([]span, p.n)
	p.each(func(at *place) {
		row := span{at.row, at.row + 1}
		if f.hole[at.row] = (span{at.peerFrom, at.peerTo}); c.Frame.Exclude == plan.ExcludeCurrentRow {
			f.hole[at.row] = row
		}
		if c.Frame.Exclude == plan.ExcludeTies {
			f.inHole[at.row] = row
		}
	})
	return f
}

// end returns the function that finds one end of a frame: the first row of it, or the one behind its last.
func (p *partitions) end(c *windowCall, b *plan.Bound, offset int, start bool) func(at *place) int32 {
	switch {
	case b.Kind == plan.Unbounded && start:
		return func(at *place) int32 { return at.from }
	case b.Kind == plan.Unbounded:
		return func(at *place) int32 { return at.to }
	case b.Kind == plan.CurrentRow && c.Frame.Unit == plan.FrameRows:
		return func(at *place) int32 { return at.row + afterIf(!start) }
	case b.Kind == plan.CurrentRow && start:
		return func(at *place) int32 { return at.peerFrom }
	case b.Kind == plan.CurrentRow:
		return func(at *place) int32 { return at.peerTo }
	case c.Frame.Unit == plan.FrameRange:
		return p.rangeEnd(p.exprs[offset], start)
	}
	distance := vec.Slice[int64](p.exprs[offset])
	sign := int64(1)
	if b.Kind == plan.Preceding {
		sign = -1
	}
	step := func(at *place) int32 { return int32(sign * min(distance[at.row], int64(p.n))) }
	if c.Frame.Unit == plan.FrameRows {
		return func(at *place) int32 { return min(max(at.row+step(at)+afterIf(!start), at.from), at.to) }
	}
	return func(at *place) int32 {
		run := min(max(at.run+step(at)+afterIf(!start), at.firstRun), at.afterRun)
		return p.peers[run]
	}
}

func afterIf(yes bool) int32 {
	if yes {
		return 1
	}
	return 0
}

// rangeEnd finds the first row whose key is not before the value at the frame's start, or is behind the value at its end. The values rise
// with the rows, so one pointer follows them through a partition. A row without a key sees its peers.
func (p *partitions) rangeEnd(value *vec.Vector, start bool) func(at *place) int32 {
	values := []*vec.Vector{value}
	var next int32
	return func(at *place) int32 {
		if at.row == at.from {
			next = at.from
		}
		if value.IsNull(int(at.row)) {
			if start {
				return at.peerFrom
			}
			return at.peerTo
		}
		for next < at.to {
			c := vec.CompareRows(p.orderKeys, int(next), values, int(at.row), p.orders)
			if c > 0 || c == 0 && start {
				break
			}
			next++
		}
		return next
	}
}

// kept renumbers rows of which only some count.
type kept struct {
	// rows are those that count, before[i] is how many of them lie before row i. Both are nil if all count.
	rows, before []int32
}

// keep makes a kept of the rows for which f holds.
func keep(n int, f func(i int) bool) kept {
	k := kept{before: make([]int32, n+1), rows: []int32{}}
	for i := range n {
		k.before[i] = int32(len(k.rows))
		if f(i) {
			k.rows = append(k.rows, int32(i))
		}
	}
	k.before[n] = int32(len(k.rows))
	return k
}

// span renumbers the ends of a range.
func (k *kept) span(s span) span {
	if k.before == nil {
		return s
	}
	return span{k.before[s.from], k.before[s.to]}
}

// row returns the row that has number i among those that count.
func (k *kept) row(i int32) int32 {
	if k.rows == nil {
		return i
	}
	return k.rows[i]
}
