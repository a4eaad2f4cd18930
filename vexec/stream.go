package vexec

import (
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// streamSource yields the batches of a plan.Stream: one morsel, since there is one stream.
type streamSource struct {
	label
	n *plan.Stream
}

func (s *streamSource) open(r *run) (sourceState, error) {
	return &streamState{next: s.n.Next, rows: r.env.batchRows()}, nil
}

type streamState struct {
	next func() (*vec.Batch, error)
	rows int
}

func (s *streamState) morsels() int { return 1 }

func (s *streamState) reader(*worker) (reader, error) { return &streamReader{streamState: s}, nil }

// streamReader cuts the batches that come in to the size that operators like.
type streamReader struct {
	*streamState
	rest []*vec.Batch
}

func (r *streamReader) start(int) error { return nil }

func (r *streamReader) next() (*vec.Batch, error) {
	for len(r.rest) == 0 {
		b, err := r.streamState.next()
		if b == nil || err != nil {
			return nil, err
		}
		if b.Len > 0 {
			r.rest = cut(b, r.rows)
		}
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

func (r *streamReader) close() {}
