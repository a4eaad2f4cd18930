package vec

import "github.com/ebira-db/ebira/sql/types"

// Map1 sets dst[i] = f(a[i]) for every index of dst. It is small enough to be inlined together with a function literal, so that the
// call disappears; a kernel with a constant operand captures the constant in the literal.
func Map1[A, R any](dst []R, a []A, f func(A) R) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = f(a[i])
	}
}

// Map2 sets dst[i] = f(a[i], b[i]) for every index of dst. Like Map1 it is meant to be inlined.
func Map2[A, B, R any](dst []R, a []A, b []B, f func(A, B) R) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = f(a[i], b[i])
	}
}

// MapN sets dst[i] = f(a[i&am], b[i&bm]): a mask of -1 reads every entry, a mask of 0 repeats entry 0. It serves both flat and constant
// operands where the work of f outweighs the indexing.
func MapN[A, B, R any](dst []R, a []A, am int, b []B, bm int, f func(A, B) R) {
	for i := range dst {
		dst[i] = f(a[i&am], b[i&bm])
	}
}

// Mask returns the index mask of v for MapN: 0 for a Constant, -1 for a Flat vector.
func (v *Vector) Mask() int {
	if v.Form == Constant {
		return 0
	}
	return -1
}

// NewText makes a flat vector of type t over views into bufs.
func NewText(t types.Type, views []View, bufs [][]byte, valid Bitmap) *Vector {
	return &Vector{Type: t, Len: len(views), Data: views, Bufs: bufs, Valid: valid}
}

// GatherCodes returns entry codes[i] of the flat vector v for each i: what was computed over the entries of a dictionary, spread to rows.
func GatherCodes(v *Vector, codes []uint32) *Vector { return gather(v, codes) }
