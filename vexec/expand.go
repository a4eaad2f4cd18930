package vexec

import (
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// expand hands on each batch once for each grouping set. The columns are shared by all of them; only the keys that a set leaves out change.
type expand struct {
	label
	n *plan.Expand
}

func (e *expand) open(*run) (operatorState, error) { return e, nil }

func (e *expand) local(w *worker, next step) (step, error) {
	return &expandStep{passing{next}, e.n, w}, nil
}

type expandStep struct {
	passing
	n *plan.Expand
	w *worker
}

func (s *expandStep) push(b *vec.Batch) (status, error) {
	keys, err := evalAll(s.w.run.env.Fn, s.n.Keys, b)
	if err != nil {
		return done, err
	}
	width := len(b.Cols)
	for i, set := range s.n.Sets {
		if err := s.w.check(); err != nil {
			return done, err
		}
		out := vec.NewBatch(b.Len)
		out.Cols = append(make([]*vec.Vector, 0, width+len(keys)+1), b.Cols...)
		for k, v := range keys {
			if !set[k] {
				v = vec.NewNull(s.n.Out[width+k].Type, b.Len)
			}
			out.Cols = append(out.Cols, v)
		}
		number := vec.NewFlat(types.Of(types.Int), []int32{int32(i)}, nil)
		out.Cols = append(out.Cols, vec.NewConstant(number, b.Len))
		if st, err := s.next.push(out); err != nil || st == done {
			return done, err
		}
	}
	return more, nil
}
