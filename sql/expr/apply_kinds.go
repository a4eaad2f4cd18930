package expr

import (
	"slices"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// decide makes the result of a function whose lambda gave hits.
func (a *application) decide(hits *vec.Vector) *vec.Vector {
	hit := vec.Slice[bool](hits)
	switch kind := a.e.Fn.Kind; kind {
	case function.HigherFilter, function.HigherMapFilter:
		kept := make([]int32, 0, len(hit))
		for k, x := range hit {
			if x && hits.Valid.Get(k) {
				kept = append(kept, int32(k))
			}
		}
		return a.pick(kept)
	case function.HigherAny, function.HigherNone:
		return a.quantify(hits, true, kind == function.HigherAny)
	case function.HigherAll:
		return a.quantify(hits, false, false)
	case function.HigherCount:
		out := make([]int64, a.n)
		for k, r := range a.rows {
			if hit[k] && hits.Valid.Get(k) {
				out[r]++
			}
		}
		return vec.NewFlat(a.e.T, out, a.valid)
	}
	return a.locate(hits)
}

// quantify looks for an element whose condition is wanted: found is the result if there is one, NULL if only a NULL could have been one.
func (a *application) quantify(hits *vec.Vector, wanted, found bool) *vec.Vector {
	hit := vec.Slice[bool](hits)
	out := make([]bool, a.n)
	valid := vec.NewBitmapSet(a.n)
	for i := range a.n {
		if !a.valid.Get(i) {
			valid.Clear(i)
			continue
		}
		out[i] = !found
		null := false
		for k := a.offsets[i]; k < a.offsets[i+1]; k++ {
			if !hits.Valid.Get(int(k)) {
				null = true
			} else if hit[k] == wanted {
				out[i], null = found, false
				break
			}
		}
		if null {
			valid.Clear(i)
		}
	}
	return vec.NewFlat(types.Of(types.Boolean), out, valid)
}

// locate finds the first or last hit of each row, as an element or a position.
func (a *application) locate(hits *vec.Vector) *vec.Vector {
	hit := vec.Slice[bool](hits)
	last := a.e.Fn.Kind == function.HigherLast || a.e.Fn.Kind == function.HigherLastIndex
	found := make([]int32, a.n)
	position := make([]int64, a.n)
	for i := range found {
		found[i] = -1
	}
	for k, r := range a.rows {
		if hit[k] && hits.Valid.Get(k) && (last || found[r] < 0) {
			found[r] = a.at[0][k]
			position[r] = int64(k) - int64(a.offsets[r]) + 1
		}
	}
	if a.e.Fn.Kind == function.HigherFirst || a.e.Fn.Kind == function.HigherLast {
		return vec.GatherRows(a.inputs[0].Children[0], found)
	}
	return vec.NewFlat(a.e.T, position, a.valid)
}

// mapKeys makes maps with other keys.
func (a *application) mapKeys(keys *vec.Vector) (*vec.Vector, error) {
	for i := range a.n {
		for k := int(a.offsets[i]); k < int(a.offsets[i+1]); k++ {
			if keys.IsNull(k) {
				return nil, sqlerr.New(sqlerr.Conversion, "a key of a MAP cannot be NULL")
			}
			for other := int(a.offsets[i]); other < k; other++ {
				if vec.Compare(keys, other, keys, k) == 0 {
					return nil, sqlerr.New(sqlerr.Conversion, "%s gives the key %s twice", a.e.Fn.Name, literal(keys, k))
				}
			}
		}
	}
	values := flatten(vec.GatherRows(a.entries().Children[1], a.at[0]))
	return a.list(a.entry(keys, values)), nil
}

// sortByComparison sorts with a lambda that compares two elements, a pair at a time.
func (a *application) sortByComparison() (*vec.Vector, error) {
	order := make([]int32, len(a.rows))
	for k := range order {
		order[k] = int32(k)
	}
	elements := gatherElements(a.inputs[0].Children[0], a.at[0])
	var failed error
	for i := range a.n {
		slices.SortStableFunc(order[a.offsets[i]:a.offsets[i+1]], func(x, y int32) int {
			if failed != nil {
				return 0
			}
			r, err := a.body([]int32{int32(i)}, []*vec.Vector{elements.Slice(int(x), int(x)+1), elements.Slice(int(y), int(y)+1)})
			if failed = err; err != nil || r.IsNull(0) {
				return 0
			}
			return int(max(-1, min(1, vec.Slice[int64](r)[0])))
		})
	}
	if failed != nil {
		return nil, failed
	}
	return a.pick(order), nil
}

// reduce folds the elements of each row, all rows a step at a time.
func (a *application) reduce() (*vec.Vector, error) {
	list := a.inputs[0]
	step := 0
	var total *vec.Vector
	if len(a.inputs) == 2 {
		total = a.inputs[1]
	} else {
		first := make([]int32, a.n)
		for i := range first {
			if first[i] = -1; a.offsets[i] < a.offsets[i+1] {
				first[i] = a.at[0][a.offsets[i]]
			} else if a.valid.Get(i) {
				return nil, sqlerr.New(sqlerr.OutOfRange, "%s of an empty array needs an initial value", a.e.Fn.Name)
			}
		}
		child, err := function.Cast(a.c, vec.GatherRows(list.Children[0], first), a.e.T, false)
		if err != nil {
			return nil, err
		}
		total, step = flatten(child), 1
	}
	for ; ; step++ {
		var rows, at []int32
		for i := range a.n {
			if k := a.offsets[i] + int32(step); k < a.offsets[i+1] {
				rows, at = append(rows, int32(i)), append(at, a.at[0][k])
			}
		}
		if len(rows) == 0 {
			break
		}
		params := []*vec.Vector{vec.GatherRows(total, rows), vec.GatherRows(list.Children[0], at)}
		if len(a.e.Params) == 3 {
			params = append(params, vec.NewConstant(vec.NewFlat(types.Of(types.BigInt), []int64{int64(step + 1)}, nil), len(rows)))
		}
		r, err := a.body(rows, params)
		if err != nil {
			return nil, err
		}
		from := make([]int32, a.n)
		for i := range from {
			from[i] = int32(i)
		}
		for k, i := range rows {
			from[i] = int32(a.n + k)
		}
		total = flatten(vec.GatherRows(vec.Concat(a.e.T, total, r), from))
	}
	out := *total
	out.Valid = vec.And(out.Valid, a.valid, a.n)
	return &out, nil
}
