package vec

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/types"
)

// EqualRows clears match[k] for each k where row ia[k] of a differs from row ib[k] of b; the columns have the same type. With nullEqual
// two NULLs are equal (GROUP BY), without it NULL equals nothing (joins). Hash tables call it once per key column for the candidates of
// a batch, so entries already cleared stay cleared.
func EqualRows(a *Vector, ia []int32, b *Vector, ib []int32, nullEqual bool, match []bool) {
	if a.HasNulls() || b.HasNulls() {
		equalWithNulls(a, ia, b, ib, nullEqual, match)
		return
	}
	equalValues(a, ia, b, ib, match)
}

// equalWithNulls settles the pairs with a NULL itself and compares the values of the others apart, because what lies under a NULL is
// not defined.
func equalWithNulls(a *Vector, ia []int32, b *Vector, ib []int32, nullEqual bool, match []bool) {
	var pos, ra, rb []int32
	for k, i := range ia {
		if !match[k] {
			continue
		}
		an, bn := a.IsNull(int(i)), b.IsNull(int(ib[k]))
		if an || bn {
			match[k] = an && bn && nullEqual
			continue
		}
		pos, ra, rb = append(pos, int32(k)), append(ra, i), append(rb, ib[k])
	}
	if len(pos) == 0 {
		return
	}
	same := make([]bool, len(pos))
	for k := range same {
		same[k] = true
	}
	equalValues(a, ra, b, rb, same)
	for k, p := range pos {
		match[p] = same[k]
	}
}

func equalValues(a *Vector, ia []int32, b *Vector, ib []int32, match []bool) {
	a, ia = entries(a, ia)
	b, ib = entries(b, ib)
	switch d := a.Data.(type) {
	case []bool:
		equal(d, ia, b.Data.([]bool), ib, match)
	case []int8:
		equal(d, ia, b.Data.([]int8), ib, match)
	case []int16:
		equal(d, ia, b.Data.([]int16), ib, match)
	case []int32:
		equal(d, ia, b.Data.([]int32), ib, match)
	case []int64:
		equal(d, ia, b.Data.([]int64), ib, match)
	case []uint32:
		equal(d, ia, b.Data.([]uint32), ib, match)
	case []types.Int128:
		equal(d, ia, b.Data.([]types.Int128), ib, match)
	case []types.Int256:
		equal(d, ia, b.Data.([]types.Int256), ib, match)
	case []types.Uint128:
		equal(d, ia, b.Data.([]types.Uint128), ib, match)
	case []View:
		e := b.Data.([]View)
		for k, i := range ia {
			match[k] = match[k] && EqualViews(&d[i], a.Bufs, &e[ib[k]], b.Bufs)
		}
	case []float32, []float64, []types.IntervalValue, nil:
		// Values that can be equal without being identical.
		for k, i := range ia {
			match[k] = match[k] && Compare(a, int(i), b, int(ib[k])) == 0
		}
	default:
		panic(fmt.Sprintf("BUG: equality of %T", d))
	}
}

func equal[T comparable](a []T, ia []int32, b []T, ib []int32, match []bool) {
	ib, match = ib[:len(ia)], match[:len(ia)]
	for k, i := range ia {
		match[k] = match[k] && a[i] == b[ib[k]]
	}
}

// entries translates rows of any form into indexes of the flat vector that holds the values.
func entries(v *Vector, rows []int32) (*Vector, []int32) {
	switch v.Form {
	case Constant:
		return v, make([]int32, len(rows))
	case Dictionary:
		idx := make([]int32, len(rows))
		for k, r := range rows {
			idx[k] = int32(v.Codes[r])
		}
		return v.Dict, idx
	}
	return v, rows
}
