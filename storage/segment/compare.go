package segment

import (
	"bytes"
	"math"
	"math/big"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// compareCells orders two values of different vectors that are not NULL; false if they have no order in common or one is NaN. Numbers
// compare exactly, whatever their types.
func compareCells(a *vec.Vector, i int, b *vec.Vector, j int) (int, bool) {
	x, y := a.Type, b.Type
	switch {
	case x.IsNumeric() && y.IsNumeric():
		return compareNumbers(numberAt(a, i), numberAt(b, j))
	case isText(x) && isText(y):
		return bytes.Compare(a.Bytes(i), b.Bytes(j)), true
	case x.Kind == types.Date && y.Kind == types.DateTime:
		return compareInts(microsAt(a, i), microsAt(b, j)), true
	case x.Kind == types.DateTime && y.Kind == types.Date:
		return compareInts(microsAt(a, i), microsAt(b, j)), true
	case x.Kind != y.Kind:
		return 0, false
	}
	switch x.Kind {
	case types.Boolean, types.Date, types.Time, types.DateTime, types.TimestampTZ, types.IPv4, types.IPv6, types.UUID:
		return vec.Compare(a, i, b, j), true
	}
	return 0, false
}

func isText(t types.Type) bool { return t.Kind == types.Varchar || t.Kind == types.Binary }

const microsPerDay = 24 * 60 * 60 * 1_000_000

// microsAt returns a DATE or DATETIME as microseconds; dates beyond all timestamps become the ends of their range.
func microsAt(v *vec.Vector, i int) int64 {
	h, j := v.At(i)
	if v.Type.Kind == types.Date {
		switch d := int64(vec.Slice[int32](h)[j]); {
		case d > math.MaxInt64/microsPerDay:
			return math.MaxInt64
		case d < math.MinInt64/microsPerDay:
			return math.MinInt64
		default:
			return d * microsPerDay
		}
	}
	return vec.Slice[int64](h)[j]
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// number is a value of a numeric type: an integer, a double, or a ratio for what neither holds.
type number struct {
	isInt bool
	i     int64
	f     float64 // if rat is nil and it is no integer
	rat   *big.Rat
}

// numberAt returns row i of a vector of a numeric type.
func numberAt(v *vec.Vector, i int) number {
	h, j := v.At(i)
	scale := int(v.Type.Scale)
	switch d := h.Data.(type) {
	case []int8:
		return number{isInt: true, i: int64(d[j])}
	case []int16:
		return number{isInt: true, i: int64(d[j])}
	case []int32:
		return number{isInt: true, i: int64(d[j])}
	case []int64:
		if scale == 0 {
			return number{isInt: true, i: d[j]}
		}
		return decimalNumber(big.NewInt(d[j]), scale)
	case []types.Int128:
		if x, ok := d[j].Int64(); ok && scale == 0 {
			return number{isInt: true, i: x}
		}
		return decimalNumber(d[j].Big(), scale)
	case []types.Int256:
		return decimalNumber(d[j].Big(), scale)
	case []float32:
		return number{f: float64(d[j])}
	case []float64:
		return number{f: d[j]}
	}
	panic("BUG: no number in a vector of type " + v.Type.String())
}

func decimalNumber(unscaled *big.Int, scale int) number {
	return number{rat: new(big.Rat).SetFrac(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))}
}

// exactIntegers is the range of doubles in which every integer has its own.
const exactIntegers = 1 << 53

// compareNumbers orders two numbers; false if one is NaN.
func compareNumbers(a, b number) (int, bool) {
	if a.isNaN() || b.isNaN() {
		return 0, false
	}
	if a.isInt && b.isInt {
		return compareInts(a.i, b.i), true
	}
	if x, ok := a.double(); ok {
		if y, ok := b.double(); ok {
			switch {
			case x < y:
				return -1, true
			case x > y:
				return 1, true
			}
			return 0, true
		}
	}
	if a.isInf() {
		return int(math.Copysign(1, a.f)), true
	}
	if b.isInf() {
		return -int(math.Copysign(1, b.f)), true
	}
	return a.ratio().Cmp(b.ratio()), true
}

func (n *number) isFloat() bool { return !n.isInt && n.rat == nil }
func (n *number) isNaN() bool   { return n.isFloat() && n.f != n.f }
func (n *number) isInf() bool   { return n.isFloat() && math.IsInf(n.f, 0) }

// double returns the number as a double if that is exact for sure.
func (n *number) double() (float64, bool) {
	if n.isInt {
		return float64(n.i), n.i > -exactIntegers && n.i < exactIntegers
	}
	return n.f, n.rat == nil
}

func (n *number) ratio() *big.Rat {
	switch {
	case n.rat != nil:
		return n.rat
	case n.isInt:
		return new(big.Rat).SetInt64(n.i)
	}
	return new(big.Rat).SetFloat64(n.f)
}
