package vexec

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// aggInputs are the columns that the calls of an aggregate read, each evaluated once a batch: arguments, and filters as BOOLEAN.
type aggInputs struct {
	columns []aggInput
	calls   []aggCall
}

// aggInput is one column. Where guard is not nil, only the rows for which it is true matter, and only they are evaluated.
type aggInput struct {
	e, guard expr.Expr
	filter   bool
}

// aggCall is an aggregate function over places in aggInputs.
type aggCall struct {
	fn     *function.Aggregate
	args   []int
	filter int // -1 for none
}

func newAggInputs(aggs []plan.AggCall) *aggInputs {
	in := &aggInputs{}
	for _, a := range aggs {
		c := aggCall{fn: a.Fn, filter: -1}
		if a.Distinct {
			c.fn = function.NewDistinct(a.Fn)
		}
		for _, e := range a.Args {
			x := aggInput{e: e}
			if a.Filter != nil && !expr.Infallible(e) {
				x.guard = a.Filter
			}
			c.args = append(c.args, in.place(x))
		}
		if a.Filter != nil {
			c.filter = in.place(aggInput{e: a.Filter, filter: true})
		}
		in.calls = append(in.calls, c)
	}
	return in
}

// place returns the place of a column, adding it if there is no equal one.
func (in *aggInputs) place(x aggInput) int {
	i := slices.IndexFunc(in.columns, func(y aggInput) bool {
		return x.filter == y.filter && expr.Equal(x.e, y.e) && expr.Equal(x.guard, y.guard)
	})
	if i < 0 {
		i = len(in.columns)
		in.columns = append(in.columns, x)
	}
	return i
}

// types returns the types of the columns.
func (in *aggInputs) types() []types.Type {
	var out []types.Type
	for _, c := range in.columns {
		out = append(out, c.e.Type())
	}
	return out
}

// eval returns the columns for a batch.
func (in *aggInputs) eval(fn *function.Ctx, b *vec.Batch) ([]*vec.Vector, error) {
	out := make([]*vec.Vector, len(in.columns))
	for i, c := range in.columns {
		v, err := c.eval(fn, b)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func (c *aggInput) eval(fn *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	cond := c.guard
	if c.filter {
		cond = c.e
	}
	if cond == nil {
		return c.e.Eval(fn, b)
	}
	sel, err := expr.Select(fn, cond, b)
	if err != nil {
		return nil, err
	}
	if c.filter {
		passed := make([]bool, b.Len)
		for _, r := range sel {
			passed[r] = true
		}
		return vec.NewFlat(types.Of(types.Boolean), passed, nil), nil
	}
	if len(sel) == 0 {
		return vec.NewNull(c.e.Type(), b.Len), nil
	}
	v, err := c.e.Eval(fn, b.Gather(sel))
	if err != nil {
		return nil, err
	}
	// The rows that do not matter get the value of one that does.
	place := make([]int32, b.Len)
	for i, r := range sel {
		place[r] = int32(i)
	}
	return vec.GatherRows(plain(v), place), nil
}
