package parquetio

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// valueError is a value that cannot become its SQL type; Index counts the values of a page that are not NULL.
type valueError struct {
	Index int
	err   error
}

func (e *valueError) Error() string { return e.err.Error() }
func (e *valueError) Unwrap() error { return e.err }

func badValue(i int, k sqlerr.Kind, format string, args ...any) error {
	return &valueError{Index: i, err: sqlerr.New(k, format, args...)}
}

// int64s returns the integers of v widened.
func (v *Values) int64s() []int64 {
	if v.Kind == KindInt64 {
		return v.I64
	}
	return narrow[int64](v.I32)
}

// narrowConverter converts integers that the annotation promises to lie in [lo, hi].
func narrowConverter(lo, hi int64) converter {
	return func(v *Values, t types.Type) (*vec.Vector, error) {
		src := v.int64s()
		for i, x := range src {
			if x < lo || x > hi {
				return nil, badValue(i, sqlerr.OutOfRange, "%d is out of range for %s", x, t)
			}
		}
		switch t.Phys() {
		case types.PhysInt8:
			return flat(t, shrink[int8](src)), nil
		case types.PhysInt16:
			return flat(t, shrink[int16](src)), nil
		case types.PhysInt32:
			return flat(t, shrink[int32](src)), nil
		}
		return flat(t, src), nil
	}
}

func shrink[T int8 | int16 | int32](src []int64) []T {
	out := make([]T, len(src))
	for i, x := range src {
		out[i] = T(x)
	}
	return out
}

func convertUint32(v *Values, t types.Type) (*vec.Vector, error) {
	out := make([]int64, v.N)
	for i, x := range v.I32 {
		out[i] = int64(uint32(x))
	}
	return flat(t, out), nil
}

func convertUint64(v *Values, t types.Type) (*vec.Vector, error) {
	out := make([]types.Int128, v.N)
	for i, x := range v.int64s() {
		out[i] = types.Int128{Lo: uint64(x)}
	}
	return flat(t, out), nil
}

// unitConverter converts times and timestamps to microseconds. Nothing is rounded away.
func unitConverter(unit int) converter {
	return func(v *Values, t types.Type) (*vec.Vector, error) {
		src := v.int64s()
		out := make([]int64, len(src))
		switch unit {
		case Micros:
			copy(out, src)
		case Millis:
			for i, x := range src {
				if out[i] = x * 1000; x > math.MaxInt64/1000 || x < math.MinInt64/1000 {
					return nil, badValue(i, sqlerr.OutOfRange, "%d milliseconds are out of range for %s", x, t)
				}
			}
		default:
			for i, x := range src {
				if out[i] = x / 1000; x%1000 != 0 {
					return nil, badValue(i, sqlerr.Conversion, "%d nanoseconds do not fit %s without loss", x, t)
				}
			}
		}
		return flat(t, out), nil
	}
}

// timeConverter converts times of day. Some writers shift times below zero by a zone; they mean the day before.
func timeConverter(unit int) converter {
	micros := unitConverter(unit)
	return func(v *Values, t types.Type) (*vec.Vector, error) {
		out, err := micros(v, t)
		if err != nil {
			return nil, err
		}
		d := vec.Slice[int64](out)
		for i, x := range d {
			if x < 0 {
				d[i] = x + microsPerDay
			}
			if d[i] < 0 || d[i] >= microsPerDay {
				return nil, badValue(i, sqlerr.OutOfRange, "%d microseconds are no time of day", x)
			}
		}
		return out, nil
	}
}

// Julian day number of 1970-01-01, for INT96 timestamps.
const julianEpoch = 2440588

const microsPerDay = 24 * 60 * 60 * 1_000_000

// convertInt96 reads the legacy timestamp: nanoseconds of the day, then the Julian day.
func convertInt96(v *Values, t types.Type) (*vec.Vector, error) {
	out := make([]int64, v.N)
	for i := range out {
		b := v.fixed(i)
		nanos := int64(binary.LittleEndian.Uint64(b))
		day := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - julianEpoch
		switch {
		case nanos%1000 != 0:
			return nil, badValue(i, sqlerr.Conversion, "%d nanoseconds of a day do not fit %s without loss", nanos, t)
		case day > math.MaxInt64/microsPerDay-1 || day < math.MinInt64/microsPerDay+1 || nanos > 2*microsPerDay*1000 || nanos < -2*microsPerDay*1000:
			return nil, badValue(i, sqlerr.OutOfRange, "timestamp of day %d is out of range for %s", day, t)
		}
		// Spark writes nanoseconds below zero where a zone shifts the day.
		out[i] = day*microsPerDay + nanos/1000
	}
	return flat(t, out), nil
}

// convertText checks that text is UTF-8.
func convertText(v *Values, t types.Type) (*vec.Vector, error) {
	for i := range v.Views {
		if b := v.bytes(i); !utf8.Valid(b) {
			return nil, badValue(i, sqlerr.Conversion, "text is not valid UTF-8: %q", cut(b))
		}
	}
	return plainConvert(v, t)
}

// cut shortens a value for messages.
func cut(b []byte) []byte { return b[:min(len(b), 40)] }

// convertFixedBytes makes text views of fixed-width values.
func convertFixedBytes(v *Values, t types.Type) (*vec.Vector, error) {
	views := make([]vec.View, v.N)
	for i := range views {
		views[i] = vec.MakeView(v.fixed(i), 0, i*v.Width)
	}
	return &vec.Vector{Type: t, Len: v.N, Data: views, Bufs: [][]byte{v.Fixed}}, nil
}

func convertFloat16(v *Values, t types.Type) (*vec.Vector, error) {
	out := make([]float32, v.N)
	for i := range out {
		out[i] = float16(binary.LittleEndian.Uint16(v.fixed(i)))
	}
	return flat(t, out), nil
}

// float16 widens an IEEE 754 half.
func float16(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp, frac := uint32(h>>10)&0x1F, uint32(h)&0x3FF
	switch {
	case exp == 0x1F:
		return math.Float32frombits(sign | 0xFF<<23 | frac<<13)
	case exp == 0 && frac == 0:
		return math.Float32frombits(sign)
	case exp == 0:
		s := uint32(bits.LeadingZeros32(frac)) - 21
		return math.Float32frombits(sign | (113-s)<<23 | frac<<(13+s)&0x7FFFFF)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// convertInterval reads the format's interval: months, days and milliseconds, unsigned.
func convertInterval(v *Values, t types.Type) (*vec.Vector, error) {
	out := make([]types.IntervalValue, v.N)
	for i := range out {
		b := v.fixed(i)
		m, d, ms := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
		if m > math.MaxInt32 || d > math.MaxInt32 {
			return nil, badValue(i, sqlerr.OutOfRange, "interval of %d months and %d days is out of range", m, d)
		}
		out[i] = types.IntervalValue{Months: int32(m), Days: int32(d), Micros: int64(ms) * 1000}
	}
	return flat(t, out), nil
}

// convertDecimal reads the unscaled number from any of the four physical types.
func convertDecimal(v *Values, t types.Type) (*vec.Vector, error) {
	switch v.Kind {
	case KindInt32, KindInt64:
		return decimalsOf(v.int64s(), t)
	}
	at := v.fixed
	if v.Kind == KindBytes {
		at = v.bytes
	}
	switch t.Phys() {
	case types.PhysInt64:
		out := make([]int64, v.N)
		for i := range out {
			w, ok := signExtend(at(i))
			n, fits := w.Int128()
			x, small := n.Int64()
			if !ok || !fits || !small {
				return nil, badValue(i, sqlerr.OutOfRange, "number of %d bytes is out of range for %s", len(at(i)), t)
			}
			out[i] = x
		}
		return flat(t, out), nil
	case types.PhysInt128:
		out := make([]types.Int128, v.N)
		for i := range out {
			w, ok := signExtend(at(i))
			n, fits := w.Int128()
			if !ok || !fits {
				return nil, badValue(i, sqlerr.OutOfRange, "number of %d bytes is out of range for %s", len(at(i)), t)
			}
			out[i] = n
		}
		return flat(t, out), nil
	}
	out := make([]types.Int256, v.N)
	for i := range out {
		w, ok := signExtend(at(i))
		if !ok {
			return nil, badValue(i, sqlerr.OutOfRange, "number of %d bytes is out of range for %s", len(at(i)), t)
		}
		out[i] = w
	}
	return flat(t, out), nil
}

func decimalsOf(src []int64, t types.Type) (*vec.Vector, error) {
	switch t.Phys() {
	case types.PhysInt64:
		return flat(t, src), nil
	case types.PhysInt128:
		out := make([]types.Int128, len(src))
		for i, x := range src {
			out[i] = types.Int128From(x)
		}
		return flat(t, out), nil
	}
	out := make([]types.Int256, len(src))
	for i, x := range src {
		out[i] = types.Int256From(types.Int128From(x))
	}
	return flat(t, out), nil
}

// signExtend reads a big-endian number in two's complement of any length; false if it needs more than 256 bits.
func signExtend(b []byte) (w types.Int256, ok bool) {
	fill := byte(0)
	if len(b) > 0 && b[0]&0x80 != 0 {
		fill = 0xFF
	}
	for len(b) > 32 {
		if b[0] != fill || b[1]&0x80 != fill&0x80 {
			return w, false
		}
		b = b[1:]
	}
	var full [32]byte
	for i := range full[:32-len(b)] {
		full[i] = fill
	}
	copy(full[32-len(b):], b)
	for i := range w {
		w[i] = binary.BigEndian.Uint64(full[24-8*i:])
	}
	return w, true
}

// convertJSON parses JSON text into variants.
func convertJSON(v *Values, t types.Type) (*vec.Vector, error) {
	p := jsonparse.New(jsonparse.Options{})
	b := variant.NewBatchBuilder(v.N)
	for i := range v.Views {
		b.BeginRow()
		if err := p.Parse(v.bytes(i), b); err != nil {
			return nil, badValue(i, sqlerr.Conversion, "invalid JSON: %v", err)
		}
		b.EndRow()
	}
	return b.Finish().Retype(t), nil
}

// convertAddress parses the text of IP addresses.
func convertAddress(v *Values, t types.Type) (*vec.Vector, error) {
	b := vec.NewBuilder(t, v.N)
	for i := range v.Views {
		ok := false
		if t.Kind == types.IPv4 {
			var x uint32
			x, ok = types.ParseIPv4(v.bytes(i))
			vec.Append(b, x)
		} else {
			var x types.Uint128
			x, ok = types.ParseIPv6(v.bytes(i))
			vec.Append(b, x)
		}
		if !ok {
			return nil, badValue(i, sqlerr.Conversion, "%q is no %s address", cut(v.bytes(i)), t)
		}
	}
	return b.Finish(), nil
}
