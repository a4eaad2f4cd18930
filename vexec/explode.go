package vexec

import (
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// explode repeats each row once per element of an array, with the element appended.
type explode struct {
	label
	n *plan.Explode
}

func newExplode(n *plan.Explode) *explode { return &explode{label{"explode", n}, n} }

func (e *explode) open(*run) (operatorState, error) { return e, nil }

func (e *explode) local(w *worker, next step) (step, error) {
	return &explodeStep{passing: passing{next}, n: e.n, w: w, limit: w.run.env.batchRows()}, nil
}

type explodeStep struct {
	passing
	n     *plan.Explode
	w     *worker
	limit int
}

func (s *explodeStep) push(b *vec.Batch) (status, error) {
	arg, err := s.n.Arg.Eval(s.w.run.env.Fn, b)
	if err != nil {
		return done, err
	}
	rows, elements := s.elements(plain(arg), b.Len)
	for from := 0; from < len(rows); from += s.limit {
		if err := s.w.check(); err != nil {
			return done, err
		}
		part := rows[from:min(from+s.limit, len(rows))]
		out := vec.NewBatch(len(part))
		for _, c := range b.Cols {
			out.Cols = append(out.Cols, vec.GatherRows(c, part))
		}
		out.Cols = append(out.Cols, elements.Slice(from, from+len(part)))
		if st, err := s.next.push(out); err != nil || st == done {
			return done, err
		}
	}
	return more, nil
}

// elements returns all elements of the n arrays, and for each the row that it belongs to.
func (s *explodeStep) elements(arg *vec.Vector, n int) ([]int32, *vec.Vector) {
	switch {
	case arg.Type.Kind == types.Null:
		out := s.n.Out
		return s.none(n), vec.NewNull(out[len(out)-1].Type, n)
	case arg.Type.IsVariant():
		return s.variantElements(arg, n)
	}
	return s.listElements(arg, n)
}

// none returns the rows of n arrays without elements.
func (s *explodeStep) none(n int) []int32 {
	if !s.n.Outer {
		return nil
	}
	return identity(n)
}

func (s *explodeStep) listElements(arg *vec.Vector, n int) ([]int32, *vec.Vector) {
	var rows, from []int32
	var child *vec.Vector
	for i := range n {
		count := 0
		if !arg.IsNull(i) {
			c, lo, hi := arg.ListAt(i)
			child = c
			for e := lo; e < hi; e++ {
				rows, from = append(rows, int32(i)), append(from, int32(e))
			}
			count = hi - lo
		}
		if count == 0 && s.n.Outer {
			rows, from = append(rows, int32(i)), append(from, -1)
		}
	}
	if child == nil {
		return rows, vec.NewNull(s.n.Out[len(s.n.Out)-1].Type, len(rows))
	}
	return rows, vec.GatherRows(child, from)
}

// variantElements takes values that are not arrays for arrays without elements.
func (s *explodeStep) variantElements(arg *vec.Vector, n int) ([]int32, *vec.Vector) {
	var rows []int32
	out := vec.NewBuilder(s.n.Out[len(s.n.Out)-1].Type, n)
	for i := range n {
		before := len(rows)
		if !arg.IsNull(i) {
			meta, value := arg.VariantAt(i)
			if variant.KindOf(value) == variant.Array {
				variant.Elements(value, func(_ int, e []byte) bool {
					rows = append(rows, int32(i))
					out.AppendVariant(meta, e)
					return true
				})
			}
		}
		if len(rows) == before && s.n.Outer {
			rows = append(rows, int32(i))
			out.AppendNull()
		}
	}
	return rows, out.Finish()
}
