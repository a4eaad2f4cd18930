package variant

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// load takes row i of a vector, which is not NULL and of a type that AppendScalar takes.
func (s *scalar) load(v *vec.Vector, i int) {
	h, j := v.At(i)
	switch d := h.Data.(type) {
	case []int64:
		s.loadInt64(v.Type, d[j])
	case []vec.View:
		s.kind, s.b = String, d[j].Bytes(h.Bufs)
		if v.Type.Kind == types.Binary {
			s.kind = Binary
		}
	case []float64:
		s.kind, s.f = Double, d[j]
	case []bool:
		s.kind, s.i = Boolean, int64(boolInt(d[j]))
	case []int8:
		s.kind, s.i = BigInt, int64(d[j])
	case []int16:
		s.kind, s.i = BigInt, int64(d[j])
	case []int32:
		s.kind, s.i = BigInt, int64(d[j])
		if v.Type.Kind == types.Date {
			s.kind = Date
		}
	case []types.Int128:
		if v.Type.Kind == types.LargeInt {
			s.setLargeInt(d[j])
		} else {
			s.setDecimal(types.Int256From(d[j]), v.Type.Precision, v.Type.Scale)
		}
	case []types.Int256:
		s.setDecimal(d[j], v.Type.Precision, v.Type.Scale)
	case []uint32:
		s.kind, s.i = IPv4, int64(d[j])
	case []types.Uint128:
		s.kind, s.u = IPv6, d[j]
		if v.Type.Kind == types.UUID {
			s.kind = UUID
		}
	case []float32:
		s.kind, s.f = Float, float64(d[j])
	default:
		panic(fmt.Sprintf("BUG: a %s value is no variant scalar", v.Type))
	}
}

func (s *scalar) loadInt64(t types.Type, x int64) {
	s.i = x
	switch t.Kind {
	case types.BigInt:
		s.kind = BigInt
	case types.Time:
		s.kind = Time
	case types.DateTime:
		s.kind, s.nanos = DateTime, 0
	case types.TimestampTZ:
		s.kind, s.nanos = TimestampTZ, 0
	default:
		s.kind, s.scale, s.width = Decimal, t.Scale, widthOf(t.Precision)
	}
}

// pow256 are the powers of ten up to 10^76.
var pow256 = func() (t [types.MaxDecimalPrecision + 1]types.Int256) {
	t[0] = types.Int256{1}
	for i := 1; i < len(t); i++ {
		// 10x = 2x + 8x, which keeps this free of a wide multiplication.
		double, _ := t[i-1].Add(t[i-1])
		four, _ := double.Add(double)
		eight, _ := four.Add(four)
		t[i], _ = double.Add(eight)
	}
	return t
}()

// fitsDecimal tells whether v has at most precision digits.
func fitsDecimal(v types.Int256, precision int) bool {
	if v.Sign() < 0 {
		v = v.Neg()
	}
	return v.Cmp(pow256[precision]) < 0
}

// toLargeInt converts to an integer, fractions rounded half away from zero.
func (s *scalar) toLargeInt() (v types.Int128, ok bool) {
	switch s.kind {
	case Boolean, BigInt:
		return types.Int128From(s.i), true
	case LargeInt:
		return s.w.Int128()
	case Double, Float:
		return types.Int128FromFloat(math.Round(s.f))
	case String:
		if i, ok := types.ParseInt(s.b); ok {
			return types.Int128From(i), true
		}
	case Decimal, Number:
	default:
		return v, false
	}
	w, ok := s.toDecimal(types.MaxDecimalPrecision, 0)
	if !ok {
		return v, false
	}
	return w.Int128()
}

// toInt64 is toLargeInt within the range of BIGINT.
func (s *scalar) toInt64() (int64, bool) {
	switch s.kind {
	case Boolean, BigInt:
		return s.i, true
	case Double, Float:
		// 2^63 is a double, so the comparison is exact; NaN fails it.
		if r := math.Round(s.f); r >= -0x1p63 && r < 0x1p63 {
			return int64(r), true
		}
		return 0, false
	}
	v, ok := s.toLargeInt()
	if !ok {
		return 0, false
	}
	return v.Int64()
}

// toDouble converts to the nearest double; what lies beyond the range has none.
func (s *scalar) toDouble() (float64, bool) {
	switch {
	case s.kind == Double || s.kind == Float:
		return s.f, true
	case s.kind == Boolean:
		return float64(s.i), true
	case s.kind == String:
		return types.ParseDouble(s.b)
	case s.isNumber():
		f := s.nearest()
		return f, !math.IsInf(f, 0)
	}
	return 0, false
}

func (s *scalar) toFloat() (float32, bool) {
	f, ok := s.toDouble()
	r := float32(f)
	return r, ok && (!math.IsInf(float64(r), 0) || math.IsInf(f, 0))
}

// toDecimal converts to an unscaled number of at most precision digits at scale, by way of decimal text where the source is no decimal;
// excess digits are rounded half away from zero.
func (s *scalar) toDecimal(precision, scale int) (v types.Int256, ok bool) {
	var buf [96]byte
	var text []byte
	switch s.kind {
	case Boolean, BigInt:
		if wide, ok := types.Int128From(s.i).Mul(types.Pow10(min(scale, maxDigits))); ok && scale <= maxDigits {
			v = types.Int256From(wide)
			return v, fitsDecimal(v, precision)
		}
		text = strconv.AppendInt(buf[:0], s.i, 10)
	case Decimal:
		if int(s.scale) == scale {
			v = s.wide()
			return v, fitsDecimal(v, precision)
		}
		text = s.appendDecimal(buf[:0])
	case LargeInt:
		text = append(buf[:0], s.w.String()...)
	case Double:
		text = strconv.AppendFloat(buf[:0], s.f, 'e', -1, 64)
	case Float:
		text = strconv.AppendFloat(buf[:0], s.f, 'e', -1, 32)
	case Number, String:
		text = s.b
	default:
		return v, false
	}
	v, _, ok = types.ParseDecimal(text, scale)
	return v, ok && fitsDecimal(v, precision)
}

// toBool converts to BOOLEAN: numbers are true unless zero.
func (s *scalar) toBool() (bool, bool) {
	switch s.kind {
	case Boolean, BigInt:
		return s.i != 0, true
	case Double, Float:
		return s.f != 0, !math.IsNaN(s.f)
	case LargeInt, Number:
		return true, true
	case Decimal:
		return s.wide().Sign() != 0, true
	case String:
		return types.ParseBool(s.b)
	}
	return false, false
}

// toDate converts to days since 1970-01-01.
func (s *scalar) toDate() (int32, bool) {
	switch s.kind {
	case Date:
		return int32(s.i), true
	case DateTime, TimestampTZ:
		days, _ := types.SplitMicros(s.i)
		return days, true
	case String:
		return types.ParseDate(s.b)
	}
	return 0, false
}

// toTimestamp converts to microseconds since 1970-01-01 00:00:00, for DATETIME and TIMESTAMPTZ alike: a wall clock without zone is UTC.
func (s *scalar) toTimestamp() (int64, bool) {
	switch s.kind {
	case Date:
		if days := s.i; days < math.MaxInt64/microsPerDay && days > math.MinInt64/microsPerDay {
			return days * microsPerDay, true
		}
	case DateTime, TimestampTZ:
		return s.i, true
	case String:
		us, _, ok := types.ParseDateTime(s.b)
		return us, ok
	}
	return 0, false
}

// toTime converts to microseconds since midnight.
func (s *scalar) toTime() (int64, bool) {
	switch s.kind {
	case Time:
		return s.i, true
	case DateTime, TimestampTZ:
		_, rest := types.SplitMicros(s.i)
		return rest, true
	case String:
		return types.ParseTime(s.b)
	}
	return 0, false
}

func (s *scalar) toIPv4() (uint32, bool) {
	switch s.kind {
	case IPv4:
		return uint32(s.i), true
	case String:
		return types.ParseIPv4(s.b)
	}
	return 0, false
}

func (s *scalar) toIPv6() (types.Uint128, bool) {
	switch s.kind {
	case IPv6:
		return s.u, true
	case IPv4:
		return types.Uint128{Lo: 0xffff<<32 | uint64(uint32(s.i))}, true
	case String:
		return types.ParseIPv6(s.b)
	}
	return types.Uint128{}, false
}

func (s *scalar) toUUID() (types.Uint128, bool) {
	switch s.kind {
	case UUID:
		return s.u, true
	case String:
		return types.ParseUUID(s.b)
	}
	return types.Uint128{}, false
}

// cutFraction drops the digits of micros that a fraction of so many digits does not keep, toward the past.
func cutFraction(micros int64, precision uint8) int64 {
	if precision >= types.MaxTimePrecision {
		return micros
	}
	unit := int64(1)
	for range types.MaxTimePrecision - precision {
		unit *= 10
	}
	rest := micros % unit
	if rest < 0 {
		rest += unit
	}
	return micros - rest
}
