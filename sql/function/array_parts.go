package function

import (
	"math"
	"slices"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// defineArrayParts adds functions that take arrays apart and put them together in other ways.
func defineArrayParts() {
	first := func(from int) maker {
		return func(s *Scalar, args []Arg) (Kernel, error) {
			s.Ret = *args[0].Type.Elem
			return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
				list := flatten(args[0])
				at := make([]int32, n)
				for i := range at {
					at[i] = -1
					_, lo, hi := list.ListAt(i)
					if lo < hi && !list.IsNull(i) {
						at[i] = int32(lo)
						if from < 0 {
							at[i] = int32(hi - 1)
						}
					}
				}
				return vec.GatherRows(list.Children[0], at), nil
			}, nil
		}
	}
	define("list_first", "array", "The first element, NULL if there is none.", sig("(array<any>) -> first", first(1), traits{maybeNull: true, infallible: true}))
	define("list_last", "array", "The last element, NULL if there is none.", sig("(array<any>) -> first", first(-1), traits{maybeNull: true, infallible: true}))
	without := func(front, back int) maker {
		return buildRows(func(r *row, b *vec.Builder) {
			child, from, to := r.list(0)
			for e := from + front; e < to-back; e++ {
				b.Child(0).AppendFrom(child, e)
			}
			b.CloseList()
		})
	}
	define("array_pop_back array_popback", "array", "The array without its last element.", sig("(array<any>) -> first", without(0, 1), traits{infallible: true}))
	define("array_pop_front array_popfront", "array", "The array without its first element.", sig("(array<any>) -> first", without(1, 0), traits{infallible: true}))
	define("array_reverse_sort list_reverse_sort", "array", "The array in descending order, NULL last.", sig("(array<any>) -> first", buildRows(func(r *row, b *vec.Builder) {
		child, from, to := r.list(0)
		order := SortElements(child, from, to)
		known := len(order)
		for known > 0 && child.IsNull(int(order[known-1])) {
			known--
		}
		slices.Reverse(order[:known])
		for _, e := range order {
			b.Child(0).AppendFrom(child, int(e))
		}
		b.CloseList()
	})))
	define("array_unique list_unique", "array", "The number of different elements, NULL left out.", sig("(array<any>) -> bigint", rows(func(r *row) int64 {
		var set elementSet
		n := int64(0)
		child, from, to := r.list(0)
		for e := from; e < to; e++ {
			if !child.IsNull(e) && set.add(child, e) {
				n++
			}
		}
		return n
	}), traits{infallible: true}))
	define("array_contains_all list_has_all array_has_all", "array", "Whether every element of the second array, NULL left out, is in the first.", sig("(array<T>, array<T>) -> boolean", rows(func(r *row) bool {
		x, from, to := r.list(0)
		y, yFrom, yTo := r.list(1)
		for f := yFrom; f < yTo; f++ {
			found := y.IsNull(f)
			for e := from; e < to && !found; e++ {
				found = sameElement(x, e, y, f)
			}
			if !found {
				return false
			}
		}
		return true
	}), traits{infallible: true}))
	defineBy("flatten array_flatten", "array", "The elements of an array of arrays one behind the other.", []string{"(array<any>) -> array<any>"}, flattenArrays)
	define("array_repeat", "array", "An array of n times the first argument.", sig("(T, bigint) -> array<T>", buildRows(func(r *row, b *vec.Builder) {
		if r.isNull(1) {
			b.AppendNull()
			return
		}
		n := max(r.int(1), 0)
		if n > maxArrayElements {
			r.fail(sqlerr.Resource, "array_repeat makes an array of %d elements, more than the limit of %d", n, maxArrayElements)
			return
		}
		for range n {
			b.Child(0).AppendFrom(r.args[0].v, r.i&r.args[0].mask)
		}
		b.CloseList()
	}), traits{nullsIn: true}))
	define("array_enumerate", "array", "The positions 1, 2 and so on of the elements.", sig("(array<any>) -> array<bigint>", buildRows(func(r *row, b *vec.Builder) {
		_, from, to := r.list(0)
		for k := range to - from {
			vec.Append(b.Child(0), int64(k+1))
		}
		b.CloseList()
	}), traits{infallible: true}))
}

func flattenArrays(name string, args []Arg, _ Option) (*Scalar, error) {
	if len(args) != 1 || args[0].Type.Kind != types.Array || args[0].Type.Elem.Kind != types.Array {
		return nil, nil
	}
	ret := *args[0].Type.Elem
	core, err := buildRows(func(r *row, b *vec.Builder) {
		child, from, to := r.list(0)
		for e := from; e < to; e++ {
			if child.IsNull(e) {
				continue
			}
			inner, lo, hi := child.ListAt(e)
			for k := lo; k < hi; k++ {
				b.Child(0).AppendFrom(inner, k)
			}
		}
		b.CloseList()
	})(&Scalar{Ret: ret}, nil)
	return newScalar(name, []types.Type{args[0].Type}, ret, false, core), err
}

// defineArraySums adds functions that compute one number of an array or of two.
func defineArraySums() {
	for _, a := range strings.Fields("median product mode count stddev_pop stddev_samp var_pop var_samp bool_and bool_or any_value") {
		names := "list_" + a
		if a != "count" && a != "any_value" {
			names += " array_" + a
		}
		defineBy(names, "array", "The aggregate "+a+" of the elements.", []string{"(array<T>) -> any"}, foldElements(a))
	}
	defineBy("list_aggregate list_aggr array_aggregate array_aggr", "array", "The aggregate of the constant name, of the elements.", []string{"(array<T>, text) -> any"},
		func(name string, args []Arg, o Option) (*Scalar, error) {
			if len(args) != 2 || args[1].Const == nil || args[1].Type.Kind != types.Varchar || args[1].Const.IsNull(0) {
				return nil, nil
			}
			s, err := foldElements(string(vec.Flatten(args[1].Const).Bytes(0)))(name, args[:1], o)
			if s == nil || err != nil {
				return nil, err
			}
			fold := s.Kernel
			core := func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) { return fold(c, args[:1], n) }
			return newScalar(name, append(s.Args, args[1].Type), s.Ret, true, core), nil
		})
	pairs := func(names, about string, f func(x, y []float64) float64) {
		define(names, "array", about, sig("(array<double>, array<double>) -> double", rows(func(r *row) float64 {
			x, y := r.doubles(0), r.doubles(1)
			if r.null || r.err != nil {
				return 0
			}
			if len(x) != len(y) {
				r.fail(sqlerr.OutOfRange, "arrays of %d and %d numbers cannot be compared as vectors", len(x), len(y))
				return 0
			}
			return f(x, y)
		}), traits{maybeNull: true}))
	}
	product := func(x, y []float64) (sum float64) {
		for i := range x {
			sum += x[i] * y[i]
		}
		return sum
	}
	cosine := func(x, y []float64) float64 {
		return math.Max(-1, math.Min(1, product(x, y)/math.Sqrt(product(x, x)*product(y, y))))
	}
	pairs("inner_product list_inner_product array_inner_product dot_product list_dot_product array_dot_product", "The inner product of two vectors; NULL if one has a NULL.", product)
	pairs("l2_distance list_distance array_distance", "The Euclidean distance of two vectors; NULL if one has a NULL.", func(x, y []float64) float64 {
		sum := 0.0
		for i := range x {
			sum += (x[i] - y[i]) * (x[i] - y[i])
		}
		return math.Sqrt(sum)
	})
	pairs("l1_distance", "The sum of the distances of the elements of two vectors; NULL if one has a NULL.", func(x, y []float64) (sum float64) {
		for i := range x {
			sum += math.Abs(x[i] - y[i])
		}
		return sum
	})
	pairs("cosine_similarity list_cosine_similarity array_cosine_similarity", "The cosine of the angle between two vectors; NULL if one has a NULL.", cosine)
	pairs("cosine_distance list_cosine_distance array_cosine_distance", "1 - cosine_similarity.", func(x, y []float64) float64 { return 1 - cosine(x, y) })
}

// doubles returns the elements of the array argument k; a NULL among them makes the row NULL.
func (r *row) doubles(k int) []float64 {
	child, from, to := r.list(k)
	for e := from; e < to; e++ {
		if child.IsNull(e) {
			r.null = true
			return nil
		}
	}
	if from == to {
		return nil
	}
	return vec.Slice[float64](vec.Flatten(child))[from:to]
}
