package vexec

import (
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// limit passes count rows (below zero: all) after skipping offset. It sits behind a gate.
type limit struct {
	label
	count, offset int64
}

func (b *builder) limit(n *plan.Limit) (heads, error) {
	h, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	return h.inOrder().then(&limit{label{"limit", n}, n.Count, n.Offset}), nil
}

// limitState counts down over all pipelines; the gate lets one worker at a time use it.
type limitState struct {
	skip, left int64
	all        bool
}

func (l *limit) open(*run) (operatorState, error) {
	return &limitState{l.offset, l.count, l.count < 0}, nil
}

func (s *limitState) local(_ *worker, next step) (step, error) {
	return &limitStep{passing{next}, s}, nil
}

type limitStep struct {
	passing
	s *limitState
}

func (l *limitStep) push(b *vec.Batch) (status, error) {
	s := l.s
	from, to := 0, b.Len
	if s.skip > 0 {
		from = int(min(s.skip, int64(b.Len)))
		s.skip -= int64(from)
	}
	if !s.all {
		to = from + int(min(s.left, int64(b.Len-from)))
		s.left -= int64(to - from)
	}
	if from < to {
		if st, err := l.next.push(b.Slice(from, to)); err != nil || st == done {
			return done, err
		}
	}
	return status(!s.all && s.left == 0), nil
}
