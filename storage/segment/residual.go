package segment

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// numberKinds are the bits of the kinds that compare as numbers.
const numberKinds = 1<<variant.TinyInt | 1<<variant.SmallInt | 1<<variant.Int | 1<<variant.BigInt | 1<<variant.LargeInt | 1<<variant.Float |
	1<<variant.Double | 1<<variant.Decimal | 1<<variant.Number

// Primitive type ids of the Parquet Variant encoding that hold numbers.
const (
	primInt8      = 3
	primInt64     = 6
	primDouble    = 7
	primDecimal4  = 8
	primDecimal16 = 10
	primFloat     = 14
	primString    = 16
)

// residualOf computes the statistics of the residual values of a page.
func residualOf(v *vec.Vector) residualStats {
	s := residualStats{lo: math.Inf(1), hi: math.Inf(-1)}
	var least, most []byte
	views := vec.Slice[vec.View](v)
	for i := range views {
		b := views[i].Bytes(v.Bufs)
		k := variant.KindOf(b)
		if k == variant.Null {
			s.nulls++
			continue
		}
		s.kinds |= 1 << k
		switch {
		case 1<<k&numberKinds != 0:
			lo, hi := numberRange(b)
			if lo != lo {
				s.noNumbers = true
			}
			s.lo, s.hi = min(s.lo, lo), max(s.hi, hi)
		case k == variant.String:
			t := stringOf(b)
			if least == nil || bytes.Compare(t, least) < 0 {
				least = t
			}
			if most == nil || bytes.Compare(t, most) > 0 {
				most = t
			}
		}
	}
	if least != nil {
		s.textMin, s.textMax = parquetio.LowerBound(least), parquetio.UpperBound(most)
		s.noTexts = s.textMax == nil
	}
	return s
}

// numberRange returns doubles at or around the number in a value of a numeric kind; NaN if it is one or cannot be read.
func numberRange(b []byte) (lo, hi float64) {
	le := binary.LittleEndian
	body := b[1:]
	outward := func(f float64) (float64, float64) {
		return math.Nextafter(f, math.Inf(-1)), math.Nextafter(f, math.Inf(1))
	}
	switch prim := b[0] >> 2; {
	case prim >= primInt8 && prim <= primInt64 && len(body) >= 1<<(prim-primInt8):
		var x int64
		switch prim {
		case primInt8:
			x = int64(int8(body[0]))
		case primInt8 + 1:
			x = int64(int16(le.Uint16(body)))
		case primInt8 + 2:
			x = int64(int32(le.Uint32(body)))
		default:
			x = int64(le.Uint64(body))
		}
		if f := float64(x); x > -1<<53 && x < 1<<53 {
			return f, f
		}
		return outward(float64(x))
	case prim == primDouble && len(body) >= 8:
		// The nearest double also stands for exact numbers that no double holds.
		return outward(math.Float64frombits(le.Uint64(body)))
	case prim == primFloat && len(body) >= 4:
		return outward(float64(math.Float32frombits(le.Uint32(body))))
	case prim >= primDecimal4 && prim <= primDecimal16 && len(body) >= 1+4<<(prim-primDecimal4):
		var f float64
		switch prim {
		case primDecimal4:
			f = float64(int32(le.Uint32(body[1:])))
		case primDecimal4 + 1:
			f = float64(int64(le.Uint64(body[1:])))
		default:
			f = float64(int64(le.Uint64(body[9:])))*0x1p64 + float64(le.Uint64(body[1:]))
		}
		f /= math.Pow10(int(body[0]))
		// Two roundings and the quotient's are within a few units in the last place.
		slack := math.Abs(f)*0x1p-50 + 5e-324
		return f - slack, f + slack
	}
	return math.NaN(), math.NaN()
}

// stringOf returns the text of a string value.
func stringOf(b []byte) []byte {
	if b[0]&3 == 1 {
		return b[1:min(len(b), 1+int(b[0]>>2))]
	}
	if len(b) < 5 {
		return nil
	}
	return b[5:min(len(b), 5+int(binary.LittleEndian.Uint32(b[1:])))]
}
