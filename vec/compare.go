package vec

import (
	"cmp"
	"fmt"

	"github.com/ebira-db/ebira/sql/types"
)

// microsPerDay turns the days of an interval into microseconds where intervals are compared.
const microsPerDay = 86_400_000_000

// normalInterval gives the value by which intervals are compared: a month counts 30 days, as PostgreSQL and DuckDB count it.
func normalInterval(x types.IntervalValue) (months, micros int64) {
	days := int64(x.Days) + x.Micros/microsPerDay
	micros = x.Micros % microsPerDay
	if micros < 0 {
		micros += microsPerDay
		days--
	}
	months = int64(x.Months)*30 + days
	return months, micros
}

// CompareIntervals orders intervals, a month counting 30 days and a day 24 hours.
func CompareIntervals(a, b types.IntervalValue) int {
	am, au := normalInterval(a)
	bm, bu := normalInterval(b)
	if c := cmp.Compare(am, bm); c != 0 {
		return c
	}
	return cmp.Compare(au, bu)
}

// CompareFloats orders doubles totally: -0 equals 0, NaN equals NaN and is greater than every number.
func CompareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	case a == a:
		return -1
	case b == b:
		return 1
	}
	return 0
}

// Compare orders row i of a and row j of b, which have the same type and are not NULL: -1, 0 or 1. The order is total: false before true,
// text and binary bytewise, NaN last, arrays element by element (a NULL element last, then the shorter first), structs member by
// member. Variants compare by bytes, which is only good for telling equal from different.
func Compare(a *Vector, i int, b *Vector, j int) int {
	a, i = a.At(i)
	b, j = b.At(j)
	switch d := a.Data.(type) {
	case []bool:
		return boolByte(d[i]) - boolByte(b.Data.([]bool)[j])
	case []int8:
		return cmp.Compare(d[i], b.Data.([]int8)[j])
	case []int16:
		return cmp.Compare(d[i], b.Data.([]int16)[j])
	case []int32:
		return cmp.Compare(d[i], b.Data.([]int32)[j])
	case []int64:
		return cmp.Compare(d[i], b.Data.([]int64)[j])
	case []uint32:
		return cmp.Compare(d[i], b.Data.([]uint32)[j])
	case []types.Int128:
		return d[i].Cmp(b.Data.([]types.Int128)[j])
	case []types.Int256:
		return d[i].Cmp(b.Data.([]types.Int256)[j])
	case []types.Uint128:
		return d[i].Cmp(b.Data.([]types.Uint128)[j])
	case []float32:
		return CompareFloats(float64(d[i]), float64(b.Data.([]float32)[j]))
	case []float64:
		return CompareFloats(d[i], b.Data.([]float64)[j])
	case []types.IntervalValue:
		return CompareIntervals(d[i], b.Data.([]types.IntervalValue)[j])
	case []View:
		return CompareViews(&d[i], a.Bufs, &b.Data.([]View)[j], b.Bufs)
	case nil:
		return compareNested(a, i, b, j)
	default:
		panic(fmt.Sprintf("BUG: compare %T", d))
	}
}

func compareNested(a *Vector, i int, b *Vector, j int) int {
	if a.Type.Phys() == types.PhysStruct {
		for k := range a.Children {
			if c := CompareNullsLast(a.Children[k], i, b.Children[k], j); c != 0 {
				return c
			}
		}
		return 0
	}
	x, y := int(a.Offsets[i]), int(b.Offsets[j])
	n, m := int(a.Offsets[i+1])-x, int(b.Offsets[j+1])-y
	for k := range min(n, m) {
		if c := CompareNullsLast(a.Children[0], x+k, b.Children[0], y+k); c != 0 {
			return c
		}
	}
	return cmp.Compare(n, m)
}

// CompareNullsLast is Compare for rows that may be NULL: NULL equals NULL and is greater than every value.
func CompareNullsLast(a *Vector, i int, b *Vector, j int) int {
	an, bn := a.IsNull(i), b.IsNull(j)
	if an || bn {
		return boolByte(an) - boolByte(bn)
	}
	return Compare(a, i, b, j)
}

// Order is the direction of one sort key.
type Order struct{ Desc, NullsFirst bool }

// CompareRows orders row i of the columns a and row j of the columns b by several keys.
func CompareRows(a []*Vector, i int, b []*Vector, j int, orders []Order) int {
	for k, o := range orders {
		an, bn := a[k].IsNull(i), b[k].IsNull(j)
		if an || bn {
			if an == bn {
				continue
			}
			if an == o.NullsFirst {
				return -1
			}
			return 1
		}
		c := Compare(a[k], i, b[k], j)
		if c == 0 {
			continue
		}
		if o.Desc {
			return -c
		}
		return c
	}
	return 0
}
