package variant

import (
	"encoding/binary"
	"math"

	"github.com/ebira-db/ebira/sql/types"
)

// The basic types: bits 0 and 1 of the first byte of a value.
const (
	basicPrimitive = iota
	basicShortString
	basicObject
	basicArray
)

// The primitive type ids: bits 2 to 7 of the first byte of a primitive.
const (
	primNull = iota
	primTrue
	primFalse
	primInt8
	primInt16
	primInt32
	primInt64
	primDouble
	primDecimal4
	primDecimal8
	primDecimal16
	primDate
	primTimestamp
	primTimestampNTZ
	primFloat
	primBinary
	primString
	primTime
	primTimestampNanos
	primTimestampNTZNanos
	primUUID

	// In memory only; see the package comment.
	privNumber     = 56
	privLargeInt   = 57
	privDecimal256 = 58
	privIPv4       = 59
	privIPv6       = 60
)

// MaxDepth bounds the nesting of values that are read. Builders write what they are given: their sources nest less.
const MaxDepth = 1024

// maxShortString is the longest text whose length fits the first byte.
const maxShortString = 63

// nullValue is JSON null.
var nullValue = []byte{primNull << 2}

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, primTrue<<2)
	}
	return append(dst, primFalse<<2)
}

// appendInt appends v in the smallest width that holds it.
func appendInt(dst []byte, v int64) []byte {
	switch {
	case v == int64(int8(v)):
		return append(dst, primInt8<<2, byte(v))
	case v == int64(int16(v)):
		return append(dst, primInt16<<2, byte(v), byte(v>>8))
	case v == int64(int32(v)):
		return append(dst, primInt32<<2, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return appendFixed64(dst, primInt64, uint64(v))
}

func appendFixed32(dst []byte, prim byte, v uint32) []byte {
	return append(dst, prim<<2, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

func appendFixed64(dst []byte, prim byte, v uint64) []byte {
	return append(dst, prim<<2, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
}

func appendDouble(dst []byte, f float64) []byte {
	return appendFixed64(dst, primDouble, math.Float64bits(f))
}

func appendString(dst, s []byte) []byte {
	if len(s) <= maxShortString {
		dst = append(dst, byte(len(s))<<2|basicShortString)
		return append(dst, s...)
	}
	return appendSized(dst, primString, s)
}

// appendSized appends a primitive with a 4-byte length.
func appendSized(dst []byte, prim byte, s []byte) []byte {
	dst = append(dst, prim<<2)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)))
	return append(dst, s...)
}

func appendInt128(dst []byte, v types.Int128) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, v.Lo)
	return binary.LittleEndian.AppendUint64(dst, uint64(v.Hi))
}

// appendDecimal appends an unscaled number in the encoding of a declared precision: readers tell DECIMAL(9), (18), (38) apart by it.
func appendDecimal(dst []byte, v types.Int256, scale, precision uint8) []byte {
	switch {
	case precision <= 9:
		dst = append(dst, primDecimal4<<2, scale)
		return binary.LittleEndian.AppendUint32(dst, uint32(v[0]))
	case precision <= 18:
		dst = append(dst, primDecimal8<<2, scale)
		return binary.LittleEndian.AppendUint64(dst, v[0])
	case precision <= 38:
		dst = append(dst, primDecimal16<<2, scale)
		return appendInt128(dst, types.Int128{Lo: v[0], Hi: int64(v[1])})
	}
	dst = append(dst, privDecimal256<<2, scale)
	for _, w := range v {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// appendLargeInt appends an integer: as an integer where it fits, else as decimal16 up to 38 digits, else in the private form.
func appendLargeInt(dst []byte, v types.Int128) []byte {
	if i, ok := v.Int64(); ok {
		return appendInt(dst, i)
	}
	if fits38(v) {
		return appendInt128(append(dst, primDecimal16<<2, 0), v)
	}
	return appendInt128(append(dst, privLargeInt<<2), v)
}

// fits38 tells whether v has at most 38 decimal digits.
func fits38(v types.Int128) bool {
	limit := types.Pow10(38)
	return v.Cmp(limit) < 0 && v.Cmp(limit.Neg()) > 0
}

// appendScalar appends any scalar.
func appendScalar(dst []byte, s *scalar) []byte {
	switch s.kind {
	case Null, Missing:
		return append(dst, primNull<<2)
	case Boolean:
		return appendBool(dst, s.i != 0)
	case BigInt:
		return appendInt(dst, s.i)
	case LargeInt:
		return appendLargeInt(dst, types.Int128{Lo: s.w[0], Hi: int64(s.w[1])})
	case Double:
		return appendDouble(dst, s.f)
	case Float:
		return appendFixed32(dst, primFloat, math.Float32bits(float32(s.f)))
	case Decimal:
		return appendDecimal(dst, s.wide(), s.scale, s.width)
	case Number:
		return appendSized(dst, privNumber, s.b)
	case String:
		return appendString(dst, s.b)
	case Binary:
		return appendSized(dst, primBinary, s.b)
	case Date:
		return appendFixed32(dst, primDate, uint32(s.i))
	case Time:
		return appendFixed64(dst, primTime, uint64(s.i))
	case DateTime:
		return appendTimestamp(dst, primTimestampNTZ, primTimestampNTZNanos, s)
	case TimestampTZ:
		return appendTimestamp(dst, primTimestamp, primTimestampNanos, s)
	case IPv4:
		return appendFixed32(dst, privIPv4, uint32(s.i))
	case IPv6:
		return appendUint128(append(dst, privIPv6<<2), s.u)
	case UUID:
		return appendUint128(append(dst, primUUID<<2), s.u)
	}
	panic("BUG: append of a " + s.kind.String() + " as scalar")
}

func appendTimestamp(dst []byte, micros, nanos byte, s *scalar) []byte {
	if s.nanos != 0 {
		return appendFixed64(dst, nanos, uint64(s.i*1000+int64(s.nanos)))
	}
	return appendFixed64(dst, micros, uint64(s.i))
}

func appendUint128(dst []byte, v types.Uint128) []byte {
	dst = binary.BigEndian.AppendUint64(dst, v.Hi)
	return binary.BigEndian.AppendUint64(dst, v.Lo)
}
