package vexec

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/vec"
)

// filter keeps the rows for which all conditions are true; later conditions see only what earlier ones kept.
type filter struct {
	label
	conds []expr.Expr
}

func (f *filter) open(*run) (operatorState, error) { return f, nil }

func (f *filter) local(w *worker, next step) (step, error) {
	return &filterStep{passing{next}, f.conds, w.run.env.Fn}, nil
}

type filterStep struct {
	passing
	conds []expr.Expr
	fn    *function.Ctx
}

func (s *filterStep) push(b *vec.Batch) (status, error) {
	for _, c := range s.conds {
		sel, err := expr.Select(s.fn, c, b)
		if err != nil {
			return done, err
		}
		if len(sel) == 0 {
			return more, nil
		}
		b = b.Gather(sel)
	}
	return s.next.push(b)
}
