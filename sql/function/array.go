package function

import (
	"bytes"
	"slices"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// maxArrayElements bounds the arrays that one call may make of one row.
const maxArrayElements = 4 << 20

// Array functions count elements from 1. In searches NULL elements equal NULL.
func init() {
	define("array list_value list_pack", "array", "An array of the arguments.", sig("(T*) -> array<T>", buildRows(func(r *row, b *vec.Builder) {
		for k := range r.args {
			b.Child(0).AppendFrom(r.args[k].v, r.i&r.args[k].mask)
		}
		b.CloseList()
	}), traits{nullsIn: true}))
	define("array_size cardinality size array_length", "array", "The number of elements, or of keys of a map; of a VARIANT the elements of its array or the members of its object.",
		sig("(array<any>) -> bigint", rows(listLength)), sig("(map) -> bigint", rows(listLength)),
		sig("(variant) -> bigint", rows(variantSize), traits{maybeNull: true}))
	define("len", "array", "The number of elements of an array or characters of a text.",
		sig("(array<any>) -> bigint", rows(listLength)),
		sig("(text) -> bigint", rows(func(r *row) int64 { return int64(len([]rune(string(r.text(0))))) })))
	define("subscript element_at array_element list_element list_extract array_extract map_extract_value", "array", "The n-th element, from the end if n is negative; NULL if there is none. Of a MAP the value of a key, of a VARIANT the member or element.",
		sig("(array<any>, bigint) -> first", subscript, traits{maybeNull: true}), sig("(map, any) -> first", mapElement, traits{maybeNull: true}),
		sig("(variant, text) -> variant", variantMember, traits{maybeNull: true}),
		sig("(variant, bigint) -> variant", variantMember, traits{maybeNull: true}))
	define("array_contains list_contains has array_has list_has", "array", "Whether an array has an element.", sig("(array<T>, T) -> boolean", rows(arrayContains), traits{nullsIn: true}))
	define("list_position list_indexof array_indexof", "array", "The position of an element, NULL if it is not there.",
		sig("(array<T>, T) -> bigint", rows(func(r *row) int64 {
			at := arrayFind(r)
			r.null = r.null || at < 0
			return int64(at + 1)
		}), traits{nullsIn: true, infallible: true}))
	define("array_position index_of", "array", "The position of an element, 0 if it is not there (list_position gives NULL).",
		sig("(array<T>, T) -> bigint", rows(func(r *row) int64 { return int64(arrayFind(r) + 1) }), traits{nullsIn: true}))
	define("array_join array_to_string", "array", "The elements as text with a separator between them; NULL elements are left out or replaced by a text.",
		sig("(array<text>, text, text?) -> text", textRows(func(r *row, dst []byte) []byte { return joinArray(r, dst, 0, 1, 2) })))
	define("split string_to_array string_split str_split split_by_string", "array", "The parts of a text between delimiters; an empty delimiter gives the characters.",
		sig("(text, text) -> array<text>", buildRows(func(r *row, b *vec.Builder) {
			for _, part := range bytes.Split(r.text(0), r.text(1)) {
				b.Child(0).AppendBytes(part)
			}
			b.CloseList()
		})))
	define("array_distinct list_distinct", "array", "The array without repeated elements, in order of first appearance.", sig("(array<any>) -> first", buildRows(distinctElements)))
	define("array_sort sort_array list_sort", "array", "The array in ascending order, NULL last.", sig("(array<any>) -> first", buildRows(sortElements)))
	define("array_reverse list_reverse", "array", "The array in reverse order.", sig("(array<any>) -> first", buildRows(reverseRows)))
	define("array_concat array_cat list_concat list_cat", "array", "The arrays one behind the other.", sig("(array<T>, array<T>*) -> array<T>", buildRows(concatArrays)))
	define("array_slice list_slice", "array", "The elements from one position to another, both included; negative positions count from the end.",
		sig("(array<any>, bigint, bigint?) -> first", buildRows(sliceElements)))
	define("array_append array_pushback array_push_back list_append", "array", "The array with an element more at its end.", sig("(array<T>, T) -> array<T>", buildRows(func(r *row, b *vec.Builder) {
		pushElement(r, b, false)
	}), traits{nullsIn: true}))
	define("array_prepend array_pushfront array_push_front list_prepend", "array", "The array with an element more at its beginning.", sig("(array<T>, T) -> array<T>", buildRows(func(r *row, b *vec.Builder) {
		pushElement(r, b, true)
	}), traits{nullsIn: true}))
	define("array_remove list_remove", "array", "The array without the elements that equal a value.", sig("(array<T>, T) -> array<T>", buildRows(removeElement)))
	define("array_compact", "array", "The array without NULL elements.", sig("(array<any>) -> first", buildRows(func(r *row, b *vec.Builder) {
		keepElements(r, b, func(child *vec.Vector, e int) bool { return !child.IsNull(e) })
	})))
	define("array_union", "array", "The distinct elements of both arrays.", sig("(array<T>, array<T>) -> array<T>", buildRows(func(r *row, b *vec.Builder) { combineArrays(r, b, true, false) })))
	define("array_intersect list_intersect", "array", "The distinct elements that are in both arrays.", sig("(array<T>, array<T>) -> array<T>", buildRows(func(r *row, b *vec.Builder) { combineArrays(r, b, false, true) })))
	define("array_except", "array", "The distinct elements of the first array that are not in the second.", sig("(array<T>, array<T>) -> array<T>", buildRows(func(r *row, b *vec.Builder) { combineArrays(r, b, false, false) })))
	define("arrays_overlap array_overlap list_has_any array_has_any", "array", "Whether the arrays have a common element that is not NULL.", sig("(array<T>, array<T>) -> boolean", rows(arraysOverlap)))
	define("range sequence array_range", "array", "The numbers from a start (default 0) up to, without, an end; the third argument is the step.",
		sig("(bigint, bigint?, bigint?) -> array<bigint>", buildRows(rangeRow)))
	defineArrayParts()
	defineArraySums()
	defineBy("array_min list_min", "array", "The smallest element, NULL elements left out.", []string{"(array<T>) -> T"}, extremeElement(-1))
	defineBy("array_max list_max", "array", "The greatest element, NULL elements left out.", []string{"(array<T>) -> T"}, extremeElement(1))
	defineBy("array_sum list_sum", "array", "The sum of the elements.", []string{"(array<number>) -> double or bigint or decimal"}, foldElements("sum"))
	defineBy("array_avg list_avg", "array", "The mean of the elements.", []string{"(array<number>) -> double"}, foldElements("avg"))
}

// list returns the elements of argument k.
func (r *row) list(k int) (child *vec.Vector, from, to int) {
	return r.args[k].v.ListAt(r.i & r.args[k].mask)
}

// sameElement compares an element with another, NULL with NULL being equal.
func sameElement(a *vec.Vector, i int, b *vec.Vector, j int) bool {
	if a.Type.IsVariant() && !a.IsNull(i) && !b.IsNull(j) {
		am, av := a.VariantAt(i)
		bm, bv := b.VariantAt(j)
		return variant.Equal(am, av, bm, bv)
	}
	return vec.CompareNullsLast(a, i, b, j) == 0
}

// arrayFind returns the index of argument 1 in the array argument 0, -1 if it is not there; NULL arrays make the row NULL.
func arrayFind(r *row) int {
	if r.isNull(0) {
		r.null = true
		return -1
	}
	child, from, to := r.list(0)
	for e := from; e < to; e++ {
		if sameElement(child, e, r.args[1].v, r.i&r.args[1].mask) {
			return e - from
		}
	}
	return -1
}

func arrayContains(r *row) bool { return arrayFind(r) >= 0 }

// joinArray joins the array argument at with the text argument sep; missing is the argument that replaces NULL, if it was given.
func joinArray(r *row, dst []byte, at, sep, missing int) []byte {
	child, from, to := r.list(at)
	first := true
	for e := from; e < to; e++ {
		null := child.IsNull(e)
		if null && (missing < 0 || !r.has(missing)) {
			continue
		}
		if !first {
			dst = append(dst, r.text(sep)...)
		}
		first = false
		if null {
			dst = append(dst, r.text(missing)...)
		} else {
			dst = append(dst, child.Bytes(e)...)
		}
	}
	return dst
}

// subscript gathers one element of each array.
func subscript(s *Scalar, args []Arg) (Kernel, error) {
	if args[0].Type.Kind == types.Array {
		s.Ret = *args[0].Type.Elem
	}
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		list, index := args[0], vec.Slice[int64](args[1])
		valid := validity(args, n)
		rows := make([]int32, n)
		var child *vec.Vector
		for i := range rows {
			rows[i] = -1
			if !valid.Get(i) {
				continue
			}
			c, from, to := list.ListAt(i)
			child = c
			k := index[i&args[1].Mask()]
			switch size := int64(to - from); {
			case k >= 1 && k <= size:
				rows[i] = int32(int64(from) + k - 1)
			case k <= -1 && k >= -size:
				rows[i] = int32(int64(to) + k)
			}
		}
		if child == nil {
			return vec.NewNull(s.Ret, n), nil
		}
		return vec.GatherRows(child, rows), nil
	}, nil
}

// elementSet finds repeated elements of one row by hash.
type elementSet struct {
	child *vec.Vector
	seen  map[uint64][]int
}

// add reports whether element e is new.
func (s *elementSet) add(child *vec.Vector, e int) bool {
	if s.seen == nil {
		s.seen = map[uint64][]int{}
	}
	h := elementHash(child, e)
	for _, f := range s.seen[h] {
		if sameElement(child, e, s.child, f) {
			return false
		}
	}
	s.child = child
	s.seen[h] = append(s.seen[h], e)
	return true
}

// elementHash hashes one element as vec.HashColumns does.
func elementHash(child *vec.Vector, e int) uint64 {
	if child.Type.IsVariant() && !child.IsNull(e) {
		return variant.Hash(child.VariantAt(e))
	}
	var h [1]uint64
	vec.HashColumns([]*vec.Vector{child.Slice(e, e+1)}, 1, h[:])
	return h[0]
}

// keepElements appends the elements of argument 0 that f accepts.
func keepElements(r *row, b *vec.Builder, f func(child *vec.Vector, e int) bool) {
	child, from, to := r.list(0)
	for e := from; e < to; e++ {
		if f(child, e) {
			b.Child(0).AppendFrom(child, e)
		}
	}
	b.CloseList()
}

func distinctElements(r *row, b *vec.Builder) {
	var set elementSet
	keepElements(r, b, func(child *vec.Vector, e int) bool { return set.add(child, e) })
}

func removeElement(r *row, b *vec.Builder) {
	keepElements(r, b, func(child *vec.Vector, e int) bool {
		return !sameElement(child, e, r.args[1].v, r.i&r.args[1].mask)
	})
}

// SortElements returns the numbers of elements [from, to) in ascending order of their values, NULL last; equal ones keep their order.
func SortElements(child *vec.Vector, from, to int) []int32 {
	order := make([]int32, to-from)
	for i := range order {
		order[i] = int32(from + i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return compareElements(child, int(x), int(y)) })
	return order
}

func compareElements(child *vec.Vector, x, y int) int {
	if child.Type.IsVariant() && !child.IsNull(x) && !child.IsNull(y) {
		xm, xv := child.VariantAt(x)
		ym, yv := child.VariantAt(y)
		return variant.Compare(xm, xv, ym, yv)
	}
	return vec.CompareNullsLast(child, x, child, y)
}

func sortElements(r *row, b *vec.Builder) {
	child, from, to := r.list(0)
	for _, e := range SortElements(child, from, to) {
		b.Child(0).AppendFrom(child, int(e))
	}
	b.CloseList()
}

func reverseRows(r *row, b *vec.Builder) {
	child, from, to := r.list(0)
	for e := to - 1; e >= from; e-- {
		b.Child(0).AppendFrom(child, e)
	}
	b.CloseList()
}

func concatArrays(r *row, b *vec.Builder) {
	for k := range r.args {
		child, from, to := r.list(k)
		for e := from; e < to; e++ {
			b.Child(0).AppendFrom(child, e)
		}
	}
	b.CloseList()
}

func sliceElements(r *row, b *vec.Builder) {
	child, from, to := r.list(0)
	size := int64(to - from)
	first, last := r.int(1), size
	if r.has(2) {
		last = r.int(2)
	}
	if first < 0 {
		first = max(size+first+1, 1)
	}
	if last < 0 {
		last = size + last + 1
	}
	for k := max(first, 1); k <= min(last, size); k++ {
		b.Child(0).AppendFrom(child, from+int(k)-1)
	}
	b.CloseList()
}

func pushElement(r *row, b *vec.Builder, front bool) {
	if r.isNull(0) {
		b.AppendNull()
		return
	}
	child, from, to := r.list(0)
	if front {
		b.Child(0).AppendFrom(r.args[1].v, r.i&r.args[1].mask)
	}
	for e := from; e < to; e++ {
		b.Child(0).AppendFrom(child, e)
	}
	if !front {
		b.Child(0).AppendFrom(r.args[1].v, r.i&r.args[1].mask)
	}
	b.CloseList()
}

// combineArrays appends distinct elements of the first array, and of the second if both is set; without both, those of the first whose
// presence in the second is as wanted.
func combineArrays(r *row, b *vec.Builder, both, wanted bool) {
	x, from, to := r.list(0)
	y, yFrom, yTo := r.list(1)
	inSecond := func(e int) bool {
		for f := yFrom; f < yTo; f++ {
			if sameElement(x, e, y, f) {
				return true
			}
		}
		return false
	}
	var taken []int // elements of x that were appended
	for e := from; e < to; e++ {
		repeated := slices.ContainsFunc(taken, func(t int) bool { return sameElement(x, e, x, t) })
		if !repeated && (both || inSecond(e) == wanted) {
			taken = append(taken, e)
			b.Child(0).AppendFrom(x, e)
		}
	}
	for f := yFrom; both && f < yTo; f++ {
		repeated := slices.ContainsFunc(taken, func(t int) bool { return sameElement(y, f, x, t) })
		for g := yFrom; g < f && !repeated; g++ {
			repeated = sameElement(y, f, y, g)
		}
		if !repeated {
			b.Child(0).AppendFrom(y, f)
		}
	}
	b.CloseList()
}

func arraysOverlap(r *row) bool {
	x, from, to := r.list(0)
	y, yFrom, yTo := r.list(1)
	for e := from; e < to; e++ {
		for f := yFrom; f < yTo; f++ {
			if !x.IsNull(e) && sameElement(x, e, y, f) {
				return true
			}
		}
	}
	return false
}

func rangeRow(r *row, b *vec.Builder) {
	start, end, step := int64(0), r.int(0), int64(1)
	if r.has(1) {
		start, end = r.int(0), r.int(1)
	}
	if r.has(2) {
		step = r.int(2)
	}
	if step == 0 {
		r.fail(sqlerr.OutOfRange, "the step of range must not be 0")
		return
	}
	if n := rangeLength(start, end, step); n > maxArrayElements {
		r.fail(sqlerr.Resource, "range makes an array of %d elements, more than the limit of %d", n, maxArrayElements)
		return
	}
	for x := start; step > 0 && x < end || step < 0 && x > end; {
		vec.Append(b.Child(0), x)
		next := x + step
		if (next > x) != (step > 0) {
			break
		}
		x = next
	}
	b.CloseList()
}

// rangeLength is the number of elements of a range.
func rangeLength(start, end, step int64) uint64 {
	switch {
	case step > 0 && start < end:
		return (uint64(end)-uint64(start)-1)/uint64(step) + 1
	case step < 0 && start > end:
		return (uint64(start)-uint64(end)-1)/uint64(-step) + 1
	}
	return 0
}

// extremeElement resolves array_min (sign -1) and array_max (sign 1).
func extremeElement(sign int) func(string, []Arg, Option) (*Scalar, error) {
	return func(name string, args []Arg, _ Option) (*Scalar, error) {
		if len(args) != 1 || args[0].Type.Kind != types.Array {
			return nil, nil
		}
		elem := *args[0].Type.Elem
		core, err := buildRows(func(r *row, b *vec.Builder) {
			child, from, to := r.list(0)
			best := -1
			for e := from; e < to; e++ {
				if !child.IsNull(e) && (best < 0 || vec.Compare(child, e, child, best)*sign > 0) {
					best = e
				}
			}
			if best < 0 {
				b.AppendNull()
				return
			}
			b.AppendFrom(child, best)
		})(&Scalar{Ret: elem}, nil)
		return newScalar(name, []types.Type{args[0].Type}, elem, true, core), err
	}
}

// foldElements resolves an array function that is an aggregate over the elements.
func foldElements(aggregate string) func(string, []Arg, Option) (*Scalar, error) {
	return func(name string, args []Arg, _ Option) (*Scalar, error) {
		if len(args) != 1 || args[0].Type.Kind != types.Array {
			return nil, nil
		}
		a, err := ResolveAggregate(aggregate, []Arg{{Type: *args[0].Type.Elem}})
		if err != nil {
			return nil, err
		}
		list := types.ArrayOf(a.Args[0])
		core := func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			v := vec.Flatten(args[0])
			state := a.New(c)
			child := v.Children[0]
			groups := make([]uint32, child.Len)
			rows := make([]int32, 0, child.Len)
			kept := groups[:0]
			for i := range n {
				if v.IsNull(i) {
					continue
				}
				for e := v.Offsets[i]; e < v.Offsets[i+1]; e++ {
					rows, kept = append(rows, e), append(kept, uint32(i))
				}
			}
			if err := state.Update(kept, n, []*vec.Vector{vec.GatherRows(child, rows)}, len(rows)); err != nil {
				return nil, err
			}
			r, err := state.Finish(0, n)
			if err != nil {
				return nil, err
			}
			out := *flatten(r)
			out.Valid = vec.And(out.Valid, v.Valid, n)
			return &out, nil
		}
		return newScalar(name, []types.Type{list}, a.Ret, true, core), nil
	}
}
