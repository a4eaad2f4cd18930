package vexec

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// joinUnmatched is the source of the right rows that no left row has met, with NULLs on the left. It starts when the pipelines
// through the probe have ended.
type joinUnmatched struct {
	label
	probe *joinProbe
}

func (u *joinUnmatched) uses() sink { return u.probe.build }

func (u *joinUnmatched) open(r *run) (sourceState, error) {
	t := r.sinks[u.probe.build].(*joinTable)
	met := vec.NewBitmap(t.rows)
	if s, ok := r.operators[u.probe].(*probeState); ok {
		for _, m := range s.met {
			for i, w := range m {
				met[i] |= w
			}
		}
	}
	st := &unmatchedState{t: t, left: u.probe.j.left, limit: r.env.batchRows()}
	for i := range t.rows {
		if !met.Get(i) {
			st.rows = append(st.rows, int32(i))
		}
	}
	return st, nil
}

type unmatchedState struct {
	t     *joinTable
	left  []types.Type
	limit int
	rows  []int32
}

func (s *unmatchedState) morsels() int { return (len(s.rows) + s.limit - 1) / s.limit }

func (s *unmatchedState) reader(*worker) (reader, error) { return &unmatchedReader{s: s}, nil }

type unmatchedReader struct {
	s    *unmatchedState
	rows []int32
}

func (u *unmatchedReader) start(m int) error {
	u.rows = u.s.rows[m*u.s.limit : min((m+1)*u.s.limit, len(u.s.rows))]
	return nil
}

func (u *unmatchedReader) next() (*vec.Batch, error) {
	if len(u.rows) == 0 {
		return nil, nil
	}
	b := u.s.t.unmatched(u.rows, u.s.left)
	u.rows = nil
	return b, nil
}

// unmatched returns right rows, with NULLs for the left columns.
func (t *joinTable) unmatched(rows []int32, left []types.Type) *vec.Batch {
	b := vec.NewBatch(len(rows))
	for _, typ := range left {
		b.Cols = append(b.Cols, vec.NewNull(typ, b.Len))
	}
	for _, c := range t.cols {
		b.Cols = append(b.Cols, vec.GatherRows(c, rows))
	}
	return b
}

func (u *unmatchedReader) close() {}
