package vexec

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/vec"
)

// project computes one column per expression.
type project struct {
	label
	exprs []expr.Expr
}

func (p *project) open(*run) (operatorState, error) { return p, nil }

func (p *project) local(w *worker, next step) (step, error) {
	return &projectStep{passing{next}, p.exprs, w.run.env.Fn}, nil
}

type projectStep struct {
	passing
	exprs []expr.Expr
	fn    *function.Ctx
}

func (s *projectStep) push(b *vec.Batch) (status, error) {
	cols, err := evalAll(s.fn, s.exprs, b)
	if err != nil {
		return done, err
	}
	return s.next.push(vec.NewBatch(b.Len, cols...))
}

// evalAll evaluates expressions over b.
func evalAll(c *function.Ctx, exprs []expr.Expr, b *vec.Batch) ([]*vec.Vector, error) {
	out := make([]*vec.Vector, len(exprs))
	for i, e := range exprs {
		v, err := e.Eval(c, b)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}
