package parquetio

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Order is how the values of a leaf compare, for its bounds.
type Order uint8

// The orders.
const (
	OrderNone     Order = iota // no bounds
	OrderSigned                // numbers
	OrderUnsigned              // INT32 and INT64 as unsigned numbers
	OrderBytes                 // text and fixed width, bytewise
	OrderDecimal               // fixed width, big-endian two's complement
)

// maxBoundBytes cuts text bounds in page and chunk statistics.
const maxBoundBytes = 64

// Stats bounds the values of a page or chunk, in the format's PLAIN form; nil where there is no value, no order, or a NaN.
type Stats struct {
	Min, Max []byte
	// Values are the values that are not NULL, Nulls the others.
	Values, Nulls int64
	// NoBounds says that values exist which Min and Max do not cover.
	NoBounds bool
}

// merge widens s by the bounds of another page.
func (s *Stats) merge(o *Stats, k Kind, ord Order) {
	s.Nulls += o.Nulls
	s.NoBounds = s.NoBounds || o.NoBounds
	if o.Values > 0 && o.Min != nil {
		if s.Min == nil || compareBounds(o.Min, s.Min, k, ord) < 0 {
			s.Min = o.Min
		}
		if s.Max == nil || compareBounds(o.Max, s.Max, k, ord) > 0 {
			s.Max = o.Max
		}
	}
	s.Values += o.Values
	if s.NoBounds {
		s.Min, s.Max = nil, nil
	}
}

// compareBounds orders two values in PLAIN form.
func compareBounds(a, b []byte, k Kind, ord Order) int {
	le := binary.LittleEndian
	cmp := func(less, more bool) int {
		switch {
		case less:
			return -1
		case more:
			return 1
		}
		return 0
	}
	switch {
	case ord == OrderBytes || k == KindBool:
		return bytes.Compare(a, b)
	case ord == OrderDecimal:
		if c := cmp(a[0]^0x80 < b[0]^0x80, a[0]^0x80 > b[0]^0x80); c != 0 {
			return c
		}
		return bytes.Compare(a, b)
	case k == KindInt32 && ord == OrderUnsigned:
		x, y := le.Uint32(a), le.Uint32(b)
		return cmp(x < y, x > y)
	case k == KindInt32:
		x, y := int32(le.Uint32(a)), int32(le.Uint32(b))
		return cmp(x < y, x > y)
	case k == KindInt64:
		x, y := int64(le.Uint64(a)), int64(le.Uint64(b))
		return cmp(x < y, x > y)
	case k == KindFloat:
		x, y := math.Float32frombits(le.Uint32(a)), math.Float32frombits(le.Uint32(b))
		return cmp(x < y, x > y)
	}
	x, y := math.Float64frombits(le.Uint64(a)), math.Float64frombits(le.Uint64(b))
	return cmp(x < y, x > y)
}

// statsOf computes the bounds of values; nulls are counted by the caller.
func statsOf(v *Values, ord Order) Stats {
	s := Stats{Values: int64(v.N)}
	if ord == OrderNone || v.N == 0 {
		s.NoBounds = v.N > 0
		return s
	}
	if v.Dict != nil {
		used := usedEntries(v)
		s = statsOf(&used, ord)
		s.Values = int64(v.N)
		return s
	}
	le := binary.LittleEndian
	switch v.Kind {
	case KindBool:
		lo, hi := byte(1), byte(0)
		for _, x := range v.Bool {
			if x {
				hi = 1
			} else {
				lo = 0
			}
		}
		s.Min, s.Max = []byte{lo}, []byte{hi}
	case KindInt32:
		lo, hi := bounds(v.I32)
		if ord == OrderUnsigned {
			ulo, uhi := bounds(asUint32(v.I32))
			lo, hi = int32(ulo), int32(uhi)
		}
		s.Min, s.Max = le.AppendUint32(nil, uint32(lo)), le.AppendUint32(nil, uint32(hi))
	case KindInt64:
		lo, hi := bounds(v.I64)
		s.Min, s.Max = le.AppendUint64(nil, uint64(lo)), le.AppendUint64(nil, uint64(hi))
	case KindFloat:
		lo, hi := bounds(v.F32)
		if s.NoBounds = hasNaN(v.F32); !s.NoBounds {
			lo, hi = signedZeros(lo, hi)
			s.Min, s.Max = le.AppendUint32(nil, math.Float32bits(lo)), le.AppendUint32(nil, math.Float32bits(hi))
		}
	case KindDouble:
		lo, hi := bounds(v.F64)
		if s.NoBounds = hasNaN(v.F64); !s.NoBounds {
			lo, hi = signedZeros(lo, hi)
			s.Min, s.Max = le.AppendUint64(nil, math.Float64bits(lo)), le.AppendUint64(nil, math.Float64bits(hi))
		}
	default:
		s.bytesBounds(v, ord)
	}
	return s
}

// bounds returns the least and greatest of at least one value; NaN is ignored unless it comes first.
func bounds[T int32 | int64 | uint32 | float32 | float64](s []T) (lo, hi T) {
	lo, hi = s[0], s[0]
	for _, x := range s {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return lo, hi
}

func hasNaN[T float32 | float64](s []T) bool {
	for _, x := range s {
		if x != x {
			return true
		}
	}
	return false
}

// signedZeros widens bounds that are zero, because -0 and 0 compare equal but readers may compare bits.
func signedZeros[T float32 | float64](lo, hi T) (T, T) {
	if lo == 0 {
		lo = T(math.Copysign(0, -1))
	}
	if hi == 0 {
		hi = 0
	}
	return lo, hi
}

func (s *Stats) bytesBounds(v *Values, ord Order) {
	at := func(i int) []byte {
		if v.Kind == KindBytes {
			return v.bytes(i)
		}
		return v.fixed(i)
	}
	lo, hi := at(0), at(0)
	for i := 1; i < v.N; i++ {
		b := at(i)
		if ord == OrderDecimal {
			if compareBounds(b, lo, v.Kind, ord) < 0 {
				lo = b
			} else if compareBounds(b, hi, v.Kind, ord) > 0 {
				hi = b
			}
			continue
		}
		if bytes.Compare(b, lo) < 0 {
			lo = b
		} else if bytes.Compare(b, hi) > 0 {
			hi = b
		}
	}
	s.Min, s.Max = LowerBound(lo), UpperBound(hi)
	if s.Max == nil {
		s.Min, s.NoBounds = nil, true
	}
}

// LowerBound cuts a text to a lower bound of it.
func LowerBound(b []byte) []byte { return append([]byte{}, b[:min(len(b), maxBoundBytes)]...) }

// UpperBound cuts a text to an upper bound of it: the cut prefix with its last byte that can grow increased; nil if none can.
func UpperBound(b []byte) []byte {
	if len(b) <= maxBoundBytes {
		return append([]byte{}, b...)
	}
	out := append([]byte{}, b[:maxBoundBytes]...)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i] < 0xFF {
			out[i]++
			return out[:i+1]
		}
	}
	return nil
}

// usedEntries returns the entries of a text dictionary that the codes of v use, each once.
func usedEntries(v *Values) Values {
	seen := make([]bool, v.Dict.N)
	out := Values{Kind: v.Kind, Bufs: v.Dict.Bufs}
	for _, c := range v.Codes {
		if !seen[c] {
			seen[c] = true
			out.N++
			out.Views = append(out.Views, v.Dict.Views[c])
		}
	}
	return out
}
