package expr

import (
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Type returns the type that the binder found.
func (e *Apply) Type() types.Type { return e.T }

// Eval evaluates the arguments, then the body over the elements of all rows, one behind the other.
func (e *Apply) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	args := make([]*vec.Vector, len(e.Args))
	constant := b.Len > 1 && !Volatile(e.Body)
	for i, a := range e.Args {
		v, err := a.Eval(c, b)
		if err != nil {
			return nil, e.At.mark(err)
		}
		args[i] = v
		constant = constant && v.Form == vec.Constant
	}
	n := b.Len
	if constant {
		for i, v := range args {
			args[i] = v.Slice(0, 1)
		}
		n = 1
	}
	for i := range e.Inputs {
		args[i] = flatten(typed(args[i], e.Args[i].Type()))
	}
	a := &application{e: e, c: c, n: n, inputs: args[:e.Inputs], captured: args[e.Inputs:]}
	out, err := a.run()
	if err != nil {
		return nil, e.At.mark(err)
	}
	if constant {
		return vec.NewConstant(flatten(out), b.Len), nil
	}
	return out, nil
}

// maxApplyElements bounds the elements of one batch.
const maxApplyElements = 32 << 20

// application is one evaluation of an Apply over n rows.
type application struct {
	e                *Apply
	c                *function.Ctx
	n                int
	inputs, captured []*vec.Vector

	// rows is the row of each element, at its place in the child of each array (-1 for what a shorter array lacks), offsets where the
	// elements of each row begin. Rows where an array is NULL have no elements and are not valid.
	rows    []int32
	at      [][]int32
	offsets []int32
	valid   vec.Bitmap
}

func (a *application) run() (*vec.Vector, error) {
	if a.n == 0 {
		return vec.NewBuilder(a.e.T, 0).Finish(), nil
	}
	kind := a.e.Fn.Kind
	lists := a.inputs
	if kind == function.HigherReduce {
		lists = lists[:1]
	}
	if err := a.spread(lists); err != nil {
		return nil, err
	}
	switch {
	case kind == function.HigherReduce:
		return a.reduce()
	case kind == function.HigherSortBy && len(a.e.Params) == 2:
		return a.sortByComparison()
	}
	r, err := a.body(a.rows, a.params())
	if err != nil {
		return nil, err
	}
	switch {
	case kind == function.HigherMapKeys:
		return a.mapKeys(r)
	case a.e.Fn.Decides():
		return a.decide(r), nil
	case kind == function.HigherSortBy:
		return a.sort(r), nil
	case kind == function.HigherMapValues:
		keys := vec.GatherRows(a.entries().Children[0], a.at[0])
		return a.list(a.entry(flatten(keys), r)), nil
	}
	return a.list(r), nil
}

// spread lists the elements of all rows.
func (a *application) spread(lists []*vec.Vector) error {
	a.at, a.offsets = make([][]int32, len(lists)), make([]int32, 1, a.n+1)
	pad := a.e.Fn.Kind == function.HigherZip
	for i := range a.n {
		size, null := -1, false
		for _, l := range lists {
			if null = null || l.IsNull(i); null {
				break
			}
			have := int(l.Offsets[i+1] - l.Offsets[i])
			if size >= 0 && have != size && !pad {
				return sqlerr.New(sqlerr.OutOfRange, "%s takes arrays of equal lengths, and these have %d and %d elements", a.e.Fn.Name, size, have)
			}
			size = max(size, have)
		}
		if null {
			if a.valid == nil {
				a.valid = vec.NewBitmapSet(a.n)
			}
			a.valid.Clear(i)
			size = 0
		}
		if len(a.rows)+size > maxApplyElements {
			return sqlerr.New(sqlerr.Resource, "%s has more than %d elements in one batch", a.e.Fn.Name, maxApplyElements)
		}
		for k := range size {
			a.rows = append(a.rows, int32(i))
			for j, l := range lists {
				at := l.Offsets[i] + int32(k)
				if at >= l.Offsets[i+1] {
					at = -1
				}
				a.at[j] = append(a.at[j], at)
			}
		}
		a.offsets = append(a.offsets, int32(len(a.rows)))
	}
	return nil
}

// entries are the entries of the map argument as a struct.
func (a *application) entries() *vec.Vector { return flatten(a.inputs[0].Children[0]) }

// params are the columns of the lambda's parameters, one row for each element.
func (a *application) params() []*vec.Vector {
	var out []*vec.Vector
	if a.e.Fn.OverMap() {
		for _, part := range a.entries().Children {
			out = append(out, vec.GatherRows(part, a.at[0]))
		}
		return out
	}
	for j := range a.at {
		out = append(out, gatherElements(a.inputs[j].Children[0], a.at[j]))
	}
	if len(out) < len(a.e.Params) {
		position := make([]int64, len(a.rows))
		for k, r := range a.rows {
			position[k] = int64(k) - int64(a.offsets[r]) + 1
		}
		out = append(out, vec.NewFlat(types.Of(types.BigInt), position, nil))
	}
	return out
}

// gatherElements is vec.GatherRows without copying where the elements lie one behind the other.
func gatherElements(child *vec.Vector, at []int32) *vec.Vector {
	for k, x := range at {
		if x < 0 || x != at[0]+int32(k) {
			return vec.GatherRows(child, at)
		}
	}
	if len(at) == 0 {
		return child.Slice(0, 0)
	}
	return child.Slice(int(at[0]), int(at[0])+len(at))
}

// body evaluates the lambda for parameters; rows are those whose captured values belong to them. Batches have the usual size.
func (a *application) body(rows []int32, params []*vec.Vector) (*vec.Vector, error) {
	var parts []*vec.Vector
	t := a.e.Body.Type()
	for from := 0; from < len(rows); from += vec.Size {
		to := min(from+vec.Size, len(rows))
		b := &vec.Batch{Len: to - from}
		for _, p := range params {
			b.Cols = append(b.Cols, p.Slice(from, to))
		}
		for _, v := range a.captured {
			b.Cols = append(b.Cols, vec.GatherRows(v, rows[from:to]))
		}
		v, err := a.e.Body.Eval(a.c, b)
		if err != nil {
			return nil, err
		}
		parts = append(parts, flatten(typed(v, t)))
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return vec.Concat(t, parts...), nil
}

// list makes the arrays or maps whose elements are child.
func (a *application) list(child *vec.Vector) *vec.Vector {
	return &vec.Vector{Type: a.e.T, Len: a.n, Offsets: a.offsets, Children: []*vec.Vector{child}, Valid: a.valid}
}

// entry makes entries of maps.
func (a *application) entry(keys, values *vec.Vector) *vec.Vector {
	t := types.Type{Kind: types.Struct, Fields: a.e.T.Fields}
	return &vec.Vector{Type: t, Len: len(a.rows), Children: []*vec.Vector{keys, values}}
}

// pick makes the arrays or maps of some of the elements, given by their numbers in ascending order of rows.
func (a *application) pick(order []int32) *vec.Vector {
	at := make([]int32, len(order))
	offsets := make([]int32, a.n+1)
	for k, e := range order {
		at[k] = a.at[0][e]
		offsets[a.rows[e]+1]++
	}
	for i := range a.n {
		offsets[i+1] += offsets[i]
	}
	child := flatten(vec.GatherRows(a.inputs[0].Children[0], at))
	return &vec.Vector{Type: a.e.T, Len: a.n, Offsets: offsets, Children: []*vec.Vector{child}, Valid: a.valid}
}

// sort orders the elements of each row by keys.
func (a *application) sort(keys *vec.Vector) *vec.Vector {
	order := make([]int32, 0, len(a.rows))
	for i := range a.n {
		order = append(order, function.SortElements(keys, int(a.offsets[i]), int(a.offsets[i+1]))...)
	}
	return a.pick(order)
}
