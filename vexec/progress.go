package vexec

import (
	"sync/atomic"

	"github.com/ebira-db/ebira/storage/segment"
)

// Progress is how much of its tables and files a query has read. Rows of files are not known before they are read and do not count.
type Progress struct {
	RowsDone, RowsTotal   int64
	BytesDone, BytesTotal int64
	// Files says that files are read, whose rows are not known.
	Files bool
}

// Fraction is the part that is done, from 0 to 1; 1 for a query that reads nothing.
func (p Progress) Fraction() float64 {
	done, total := p.RowsDone, p.RowsTotal
	if p.Files {
		done, total = p.BytesDone, p.BytesTotal
	}
	if total == 0 {
		return 1
	}
	return min(float64(done)/float64(total), 1)
}

// weighed is a source that knows how much there is to read.
type weighed interface {
	weight() (rows, bytes int64)
}

// weighedState is the state of a weighed source; it knows the weight of each morsel.
type weighedState interface {
	morselWeight(m int) (rows, bytes int64)
}

// progress counts while the query runs.
type progress struct {
	total     Progress
	rows      atomic.Int64
	bytes     atomic.Int64
	perSource map[source]Progress
}

// newProgress adds up what the sources of the pipelines will read.
func newProgress(pipelines []*pipeline) *progress {
	p := &progress{perSource: map[source]Progress{}}
	for _, l := range pipelines {
		if w, ok := l.src.(weighed); ok {
			var s Progress
			s.RowsTotal, s.BytesTotal = w.weight()
			_, files := l.src.(*stageSource)
			p.total.Files = p.total.Files || files
			p.perSource[l.src] = s
			p.total.RowsTotal += s.RowsTotal
			p.total.BytesTotal += s.BytesTotal
		}
	}
	return p
}

// Progress tells how far the present run is. It may be called while the query runs.
func (q *Query) Progress() Progress {
	p := q.progress.total
	p.RowsDone, p.BytesDone = q.progress.rows.Load(), q.progress.bytes.Load()
	return p
}

// tally counts the morsels of one pipeline.
type tally struct {
	p           *progress
	src         source
	state       weighedState // nil if the source has no weight
	rows, bytes atomic.Int64
}

func (p *progress) begin(src source, st sourceState) *tally {
	t := &tally{p: p, src: src}
	if _, ok := p.perSource[src]; ok {
		t.state, _ = st.(weighedState)
	}
	return t
}

// done counts a morsel.
func (t *tally) done(m int) {
	if t.state == nil {
		return
	}
	rows, bytes := t.state.morselWeight(m)
	t.add(rows, bytes)
}

func (t *tally) add(rows, bytes int64) {
	t.rows.Add(rows)
	t.bytes.Add(bytes)
	t.p.rows.Add(rows)
	t.p.bytes.Add(bytes)
}

// end counts what the pipeline did not have to read.
func (t *tally) end() {
	s := t.p.perSource[t.src]
	t.add(s.RowsTotal-t.rows.Load(), s.BytesTotal-t.bytes.Load())
}

func (s *scanSource) weight() (rows, bytes int64) {
	t := s.n.Table
	for _, m := range t.Segments {
		rows += m.Rows
		bytes += m.Bytes
	}
	for _, b := range t.Batches {
		rows += int64(b.Data.Len)
		bytes += b.Data.SizeBytes()
	}
	return rows, bytes
}

func (st *scanState) morselWeight(m int) (rows, bytes int64) {
	u := &st.units[m]
	if u.seg != nil {
		all := u.seg.meta.Rows
		rows = min(segment.PageRows, all-int64(u.page)*segment.PageRows)
		return rows, share(u.seg.meta.Bytes, rows, all)
	}
	for _, p := range u.delta {
		n := int64(p.to - p.from)
		rows += n
		bytes += share(p.b.Data.SizeBytes(), n, int64(p.b.Data.Len))
	}
	return rows, bytes
}

// share is the part of bytes that belongs to n of all rows.
func share(bytes, n, all int64) int64 { return int64(float64(bytes) * float64(n) / float64(all)) }

func (s *stageSource) weight() (rows, bytes int64) {
	for m := range s.n.Files {
		_, b := s.morselWeight(m)
		bytes += b
	}
	return 0, bytes
}

func (s *stageState) morselWeight(m int) (rows, bytes int64) { return s.s.morselWeight(m) }

// morselWeight takes the parts of one file, which stand beside each other, for equally large.
func (s *stageSource) morselWeight(m int) (rows, bytes int64) {
	f := &s.n.Files[m]
	parts := int64(1)
	for i := m - 1; i >= 0 && s.n.Files[i].Path == f.Path; i-- {
		parts++
	}
	for i := m + 1; i < len(s.n.Files) && s.n.Files[i].Path == f.Path; i++ {
		parts++
	}
	return 0, f.Size / parts
}
