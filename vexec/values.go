package vexec

import (
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// valuesSource yields the rows of VALUES lists: one morsel.
type valuesSource struct {
	label
	n *plan.Values
}

func (s *valuesSource) open(r *run) (sourceState, error) {
	rows := s.n.Rows
	step := r.env.batchRows()
	var out []*vec.Batch
	for from := 0; from < len(rows); from += step {
		b, err := s.batch(r, from, min(from+step, len(rows)))
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return &batchList{groups: [][]*vec.Batch{out}}, nil
}

// batch evaluates rows [from, to).
func (s *valuesSource) batch(r *run, from, to int) (*vec.Batch, error) {
	builders := make([]*vec.Builder, len(s.n.Out))
	for c, f := range s.n.Out {
		builders[c] = vec.NewBuilder(f.Type, to-from)
	}
	one := vec.NewBatch(1)
	for _, row := range s.n.Rows[from:to] {
		for c, e := range row {
			v, err := e.Eval(r.env.Fn, one)
			if err != nil {
				return nil, err
			}
			builders[c].AppendFrom(plain(v), 0)
		}
	}
	b := vec.NewBatch(to - from)
	for _, x := range builders {
		b.Cols = append(b.Cols, x.Finish())
	}
	return b, nil
}

// batchesSource yields materialized batches, one a morsel.
type batchesSource struct {
	label
	data []*vec.Batch
}

func (s *batchesSource) open(r *run) (sourceState, error) {
	st := &batchList{}
	for _, b := range s.data {
		st.groups = append(st.groups, cut(b, r.env.batchRows()))
	}
	return st, nil
}

// cut slices b into batches of at most n rows.
func cut(b *vec.Batch, n int) []*vec.Batch {
	if b.Len <= n {
		return []*vec.Batch{b}
	}
	var out []*vec.Batch
	for from := 0; from < b.Len; from += n {
		out = append(out, b.Slice(from, min(from+n, b.Len)))
	}
	return out
}

// batchList is the state of sources that have their batches at hand: one group a morsel.
type batchList struct{ groups [][]*vec.Batch }

func (l *batchList) morsels() int { return len(l.groups) }

func (l *batchList) reader(*worker) (reader, error) { return &batchListReader{list: l}, nil }

type batchListReader struct {
	list *batchList
	rest []*vec.Batch
}

func (r *batchListReader) start(m int) error {
	r.rest = r.list.groups[m]
	return nil
}

func (r *batchListReader) next() (*vec.Batch, error) {
	for len(r.rest) > 0 {
		b := r.rest[0]
		r.rest = r.rest[1:]
		if b.Len > 0 {
			return b, nil
		}
	}
	return nil, nil
}

func (r *batchListReader) close() {}
