package vexec

import (
	"cmp"
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// fetch reads the columns of a scan that its top-n does not need for the rows of the result only: SELECT * … ORDER BY … LIMIT 10 reads
// the conditions and the keys of all rows, and everything else of ten.
type fetch struct {
	label
	scan *plan.Scan
	// from has, for each column of the scan, its place among the columns that are there already, or -1.
	from []int
}

// maxFetchRows is the largest result whose columns are fetched: it is one batch, and reads no page twice.
const maxFetchRows = vec.Size

// lateColumns splits n, a top-n over a scan, into one over fewer columns and the operator that completes its rows; ok is false where that
// cannot be or gains nothing.
func lateColumns(n *plan.Sort, env *Env) (early *plan.Sort, f *fetch, ok bool) {
	scan, isScan := n.Input.(*plan.Scan)
	if !isScan || scan.RowIDs || n.Limit < 0 || n.Limit+n.Offset > min(maxFetchRows, int64(env.batchRows())) || env.Options.NoLateMaterialization {
		return nil, nil, false
	}
	rows := int64(0)
	for _, m := range scan.Table.Segments {
		rows += m.Rows
	}
	var read []expr.Expr
	for _, k := range n.Keys {
		read = append(read, k.Expr)
	}
	read = append(read, scan.Filter...)
	cols := columnsOf(read)
	if rows <= segment.PageRows || len(cols) == len(scan.Columns) {
		return nil, nil, false
	}
	f = &fetch{label: label{"fetch", n}, scan: scan, from: make([]int, len(scan.Columns))}
	for i := range f.from {
		f.from[i] = -1
	}
	s := &plan.Scan{Table: scan.Table, RowIDs: true}
	to := map[int]int{}
	for i, c := range cols {
		f.from[c], to[c] = i, i
		s.Columns = append(s.Columns, scan.Columns[c])
	}
	for _, e := range scan.Filter {
		s.Filter = append(s.Filter, expr.Remap(e, to))
	}
	s.Out = plan.ScanSchema(s.Table, s.Columns, true)
	early = &plan.Sort{Input: s, Limit: n.Limit, Offset: n.Offset}
	for _, k := range n.Keys {
		k.Expr = expr.Remap(k.Expr, to)
		early.Keys = append(early.Keys, k)
	}
	return early, f, true
}

// fetchState knows where rows are.
type fetchState struct {
	f        *fetch
	scan     *scanState
	segments map[segment.ID]*openSegment
	batches  map[segment.ID]*catalog.Batch
}

func (f *fetch) open(r *run) (operatorState, error) {
	s := &fetchState{f: f, segments: map[segment.ID]*openSegment{}, batches: map[segment.ID]*catalog.Batch{}}
	s.scan = &scanState{s: &scanSource{label: f.label, n: f.scan}, r: r}
	r.atEnd(s.scan.end)
	for _, m := range f.scan.Table.Segments {
		seg := &openSegment{meta: m}
		s.segments[m.ID] = seg
		s.scan.segments = append(s.scan.segments, seg)
	}
	for _, b := range f.scan.Table.Batches {
		s.batches[b.ID] = b
	}
	return s, nil
}

func (s *fetchState) local(w *worker, next step) (step, error) {
	return &fetchStep{passing{next}, s, w}, nil
}

type fetchStep struct {
	passing
	s *fetchState
	w *worker
}

// fetchGroup is the rows of a batch that lie in one page or delta batch.
type fetchGroup struct {
	unit scanUnit
	rows []int32 // within the unit
}

func (p *fetchStep) push(b *vec.Batch) (status, error) {
	k := len(b.Cols) - 2
	groups, place := p.s.groups(vec.Slice[int64](flat(b.Cols[k])), vec.Slice[int64](flat(b.Cols[k+1])))
	out := vec.NewBatch(b.Len)
	out.Cols = make([]*vec.Vector, len(p.s.f.from))
	err := p.w.run.parallel(len(out.Cols), func(c int) error {
		if from := p.s.f.from[c]; from >= 0 {
			out.Cols[c] = b.Cols[from]
			return nil
		}
		parts := make([]*vec.Vector, len(groups))
		for i, g := range groups {
			v, err := p.s.read(p.w, g.unit, c)
			if err != nil {
				return err
			}
			parts[i] = flat(vec.GatherRows(plain(v), g.rows))
		}
		out.Cols[c] = vec.GatherRows(vec.Concat(p.s.f.scan.Columns[c].Type, parts...), place)
		return nil
	})
	if err != nil {
		return done, err
	}
	return p.next.push(out)
}

// groups sorts rows by where they lie; place has the place of each row among the sorted ones.
func (s *fetchState) groups(ids, ordinals []int64) (groups []fetchGroup, place []int32) {
	order := identity(len(ids))
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(ids[a], ids[b]), cmp.Compare(ordinals[a], ordinals[b]))
	})
	place = make([]int32, len(ids))
	lastID, lastPage := int64(-1), int64(-1)
	for i, r := range order {
		place[r] = int32(i)
		id, page := ids[r], ordinals[r]/segment.PageRows
		if id != lastID || page != lastPage {
			groups = append(groups, fetchGroup{unit: s.unit(segment.ID(id), int(page))})
			lastID, lastPage = id, page
		}
		g := &groups[len(groups)-1]
		g.rows = append(g.rows, int32(ordinals[r]-page*segment.PageRows))
	}
	return groups, place
}

// unit returns a page of a segment or delta batch.
func (s *fetchState) unit(id segment.ID, page int) scanUnit {
	if seg := s.segments[id]; seg != nil {
		return scanUnit{seg: seg, page: page}
	}
	b := s.batches[id]
	from := page * segment.PageRows
	return scanUnit{delta: []deltaPart{{b, from, min(from+segment.PageRows, b.Data.Len)}}}
}

// read returns column c of a unit.
func (s *fetchState) read(w *worker, u scanUnit, c int) (*vec.Vector, error) {
	r := &scanReader{st: s.scan, s: s.scan.s, w: w, unit: u, cols: make([]*vec.Vector, len(s.f.from))}
	if u.seg == nil {
		r.rows = u.delta[0].to - u.delta[0].from
		return r.column(c)
	}
	seg, err := s.scan.openUp(u.seg)
	if err != nil {
		return nil, err
	}
	r.rows = seg.r.PageRows(u.page)
	return r.column(c)
}
