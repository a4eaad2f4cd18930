package vexec

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// scanSource reads a table: its segments page by page, then its delta batches.
type scanSource struct {
	label
	n     *plan.Scan
	conds []scanCond
	// wanted are the output columns that the consumer reads; the others are nil in its batches.
	wanted []bool
	// preds are the conditions that zone maps can decide.
	preds []segment.Predicate
	// filters are what operators behind the scan find out while the query runs.
	filters []scanFilter
}

// scanFilter is a filter on rows with the output columns that it reads.
type scanFilter struct {
	filterSite
	cols []int
	// pred names the column for the bounds of the filter, nil if zone maps can say nothing about it.
	pred *segment.Predicate
}

// scanCond is a condition of the scan with the output columns that it reads.
type scanCond struct {
	e    expr.Expr
	cols []int
	// pred is the same for zone maps, nil if they can say nothing about it.
	pred *segment.Predicate
}

// deltaRows is up to how many rows of neighbouring delta batches are read as one.
const deltaRows = 2 * vec.Size

// scan makes a scan whose consumer reads only the columns of exprs; nil stands for all columns.
func (b *builder) scan(n *plan.Scan, exprs []expr.Expr) (heads, error) {
	s := &scanSource{label: label{"scan", n}, n: n, wanted: make([]bool, len(n.Columns))}
	for _, f := range n.Filter {
		for _, e := range expr.Conjuncts(f) {
			c := scanCond{e: e, cols: expr.Columns(e)}
			if p, ok := predicateOf(n, e); ok && !b.env.Options.NoPruning {
				c.pred = &p
				s.preds = append(s.preds, p)
			}
			s.conds = append(s.conds, c)
		}
	}
	// What cannot fail may go first whatever it keeps from the others; what can fail must see only the rows that those before it left.
	slices.SortStableFunc(s.conds, compareConds)
	for _, f := range b.filters[n] {
		x := scanFilter{filterSite: f, cols: expr.Columns(f.key)}
		if p, t, ok := prunable(n, f.key); ok && !t.IsVariant() && !b.env.Options.NoPruning {
			x.pred = &p
		}
		s.filters = append(s.filters, x)
	}
	for i := range s.wanted {
		s.wanted[i] = exprs == nil
	}
	for _, c := range columnsOf(exprs) {
		if c < len(s.wanted) {
			s.wanted[c] = true
		}
	}
	return b.start(s), nil
}

// compareConds orders conditions by cost; what may fail comes last and keeps its order.
func compareConds(a, b scanCond) int {
	x, y := expr.Infallible(a.e), expr.Infallible(b.e)
	switch {
	case x && y:
		return cmp.Compare(expr.Cost(a.e), expr.Cost(b.e))
	case x:
		return -1
	case y:
		return 1
	}
	return 0
}

// scanUnit is a morsel: a page of a segment, or neighbouring delta batches.
type scanUnit struct {
	seg   *openSegment
	page  int
	delta []deltaPart
}

// deltaPart is rows [from, to) of a delta batch.
type deltaPart struct {
	b        *catalog.Batch
	from, to int
}

// openSegment is a segment that is opened by the first worker that comes to it.
type openSegment struct {
	meta *segment.Meta
	once sync.Once
	r    *segment.Reader
	err  error
	// skip says that no row of the segment can satisfy the conditions.
	skip bool
}

type scanState struct {
	s     *scanSource
	r     *run
	units []scanUnit
	// segments are those that may have to be closed.
	segments []*openSegment
	// pages counts those of all segments, read those that the zone maps did not rule out.
	pages int
	read  atomic.Int64
}

func (s *scanSource) open(r *run) (sourceState, error) {
	st := &scanState{s: s, r: r}
	r.atEnd(st.end)
	t := s.n.Table
	for _, m := range t.Segments {
		pages := int((m.Rows + segment.PageRows - 1) / segment.PageRows)
		st.pages += pages
		if len(s.preds) > 0 && segment.Prune(m, s.preds) == segment.None {
			continue
		}
		seg := &openSegment{meta: m}
		st.segments = append(st.segments, seg)
		for page := range pages {
			st.units = append(st.units, scanUnit{seg: seg, page: page})
		}
	}
	var parts []deltaPart
	rows := 0
	for _, b := range t.Batches {
		for from := 0; from < b.Data.Len; from += segment.PageRows {
			p := deltaPart{b, from, min(from+segment.PageRows, b.Data.Len)}
			if rows > 0 && rows+p.to-p.from > deltaRows {
				st.units = append(st.units, scanUnit{delta: parts})
				parts, rows = nil, 0
			}
			parts = append(parts, p)
			rows += p.to - p.from
		}
	}
	if rows > 0 {
		st.units = append(st.units, scanUnit{delta: parts})
	}
	return st, nil
}

// end closes the segments that were opened, and says what was read.
func (st *scanState) end() {
	if st.pages > 0 {
		st.r.statOf(st.s).detail = fmt.Sprintf("read %d of %d pages", st.read.Load(), st.pages)
	}
	for _, seg := range st.segments {
		if seg.r != nil {
			// The file was only read; the cache, if it has it, keeps it open.
			_ = seg.r.Close()
		}
	}
}

func (st *scanState) morsels() int { return len(st.units) }

func (st *scanState) reader(w *worker) (reader, error) {
	return &scanReader{st: st, s: st.s, w: w, limit: st.r.env.batchRows()}, nil
}

// openUp opens a segment once for all workers and looks whether it can be skipped.
func (st *scanState) openUp(seg *openSegment) (*openSegment, error) {
	seg.once.Do(func() {
		if seg.r, seg.err = st.r.env.OpenSegment(st.s.n.Table, seg.meta); seg.err != nil {
			return
		}
		seg.skip = len(st.s.preds) > 0 && seg.r.Prune(st.s.preds) == segment.None
	})
	return seg, seg.err
}
