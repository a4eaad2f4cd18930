package vexec

import (
	"cmp"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// withinBound returns those of n rows whose keys sort before the keys of row 0 of bound. Most rows are settled by a plain comparison of
// their first key, only the others need the full one.
func withinBound(keys []*vec.Vector, n int, bound []*vec.Vector, orders []vec.Order) vec.Sel {
	sel := maybeWithin(keys[0], n, bound[0], orders[0])
	k := 0
	for _, r := range sel {
		if vec.CompareRows(keys, int(r), bound, 0, orders) < 0 {
			sel[k] = r
			k++
		}
	}
	return sel[:k]
}

// maybeWithin returns the rows that their first key does not rule out.
func maybeWithin(v *vec.Vector, n int, bound *vec.Vector, o vec.Order) vec.Sel {
	if v.Form != vec.Flat || bound.IsNull(0) {
		return vec.SelectAll(n)
	}
	var sel vec.Sel
	switch d := v.Data.(type) {
	case []int8:
		sel = notBehind(d, n, vec.Slice[int8](bound)[0], o.Desc)
	case []int16:
		sel = notBehind(d, n, vec.Slice[int16](bound)[0], o.Desc)
	case []int32:
		sel = notBehind(d, n, vec.Slice[int32](bound)[0], o.Desc)
	case []int64:
		sel = notBehind(d, n, vec.Slice[int64](bound)[0], o.Desc)
	case []float32:
		sel = notBehind(d, n, vec.Slice[float32](bound)[0], o.Desc)
	case []float64:
		sel = notBehind(d, n, vec.Slice[float64](bound)[0], o.Desc)
	case []vec.View:
		if v.Type.Phys() != types.PhysString {
			return vec.SelectAll(n)
		}
		sel = textsNotBehind(d[:n], v.Bufs, bound, o.Desc)
	default:
		return vec.SelectAll(n)
	}
	if v.Valid == nil {
		return sel
	}
	return withNulls(sel, v.Valid, n)
}

// notBehind returns the rows that do not sort behind bound; NaN, which has no order here, is one of them.
func notBehind[T cmp.Ordered](data []T, n int, bound T, desc bool) vec.Sel {
	var sel vec.Sel
	if desc {
		for i, x := range data[:n] {
			if !(x < bound) {
				sel = append(sel, uint16(i))
			}
		}
		return sel
	}
	for i, x := range data[:n] {
		if !(x > bound) {
			sel = append(sel, uint16(i))
		}
	}
	return sel
}

// textsNotBehind is notBehind for texts.
func textsNotBehind(views []vec.View, bufs [][]byte, bound *vec.Vector, desc bool) vec.Sel {
	limit := &vec.Slice[vec.View](bound)[0]
	sign := 1
	if desc {
		sign = -1
	}
	var sel vec.Sel
	for i := range views {
		if sign*vec.CompareViews(&views[i], bufs, limit, bound.Bufs) <= 0 {
			sel = append(sel, uint16(i))
		}
	}
	return sel
}

// withNulls adds the NULL rows to an ascending selection.
func withNulls(sel vec.Sel, valid vec.Bitmap, n int) vec.Sel {
	out := make(vec.Sel, 0, n)
	for i := range n {
		if len(sel) > 0 && int(sel[0]) == i {
			sel = sel[1:]
		} else if valid.Get(i) {
			continue
		}
		out = append(out, uint16(i))
	}
	return out
}
