package parquetio

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/rle"
)

// encodeValues appends the values in an encoding other than a dictionary's. The format's encoders are the library's; they overwrite
// their destination, so scratch is lent to them.
func encodeValues(dst []byte, v *Values, enc int, scratch *[]byte) []byte {
	out := (*scratch)[:0]
	var err error
	switch {
	case v.N == 0:
		return dst
	case enc == encPlain:
		return appendPlain(dst, v)
	case enc == encRLE:
		return appendRLEBools(dst, v.Bool)
	case enc == encDelta && v.Kind == KindInt32:
		out, err = deltaInts.EncodeInt32(out, v.I32)
	case enc == encDelta && v.Kind == KindInt64:
		out, err = deltaInts.EncodeInt64(out, v.I64)
	case enc == encDeltaLength:
		lengths := make([]int32, v.N)
		for i := range lengths {
			lengths[i] = int32(v.Views[i].Len())
		}
		out, err = deltaInts.EncodeInt32(out, lengths)
		dst = append(dst, out...)
		*scratch = out
		for i := range v.Views {
			dst = append(dst, v.bytes(i)...)
		}
		out = out[:0]
	case enc == encByteStreamSplit && v.Kind == KindDouble:
		out, err = byteStreamSplit.EncodeDouble(out, v.F64)
	case enc == encByteStreamSplit && v.Kind == KindFloat:
		out, err = byteStreamSplit.EncodeFloat(out, v.F32)
	default:
		err = fmt.Errorf("%s in encoding %d", v.Kind, enc)
	}
	if err != nil {
		panic("BUG: encode page: " + err.Error())
	}
	*scratch = out
	return append(dst, out...)
}

// appendPlain appends values in PLAIN encoding.
func appendPlain(dst []byte, v *Values) []byte {
	switch v.Kind {
	case KindBool:
		for i := 0; i < v.N; i += 8 {
			var b byte
			for j, x := range v.Bool[i:min(i+8, v.N)] {
				if x {
					b |= 1 << j
				}
			}
			dst = append(dst, b)
		}
	case KindInt32:
		dst = append(dst, rawBytes(v.I32)...)
	case KindInt64:
		dst = append(dst, rawBytes(v.I64)...)
	case KindFloat:
		dst = append(dst, rawBytes(v.F32)...)
	case KindDouble:
		dst = append(dst, rawBytes(v.F64)...)
	case KindBytes:
		for i := range v.Views {
			b := v.bytes(i)
			dst = binary.LittleEndian.AppendUint32(dst, uint32(len(b)))
			dst = append(dst, b...)
		}
	default:
		dst = append(dst, v.Fixed[:v.N*v.Width]...)
	}
	return dst
}

// appendRLEBools appends booleans in the hybrid, behind their length.
func appendRLEBools(dst []byte, v []bool) []byte {
	at := len(dst)
	e := levelEncoder{dst: append(dst, 0, 0, 0, 0), width: 1}
	for i := 0; i < len(v); {
		j := i + 1
		for j < len(v) && v[j] == v[i] {
			j++
		}
		level := uint8(0)
		if v[i] {
			level = 1
		}
		e.run(level, j-i)
		i = j
	}
	e.flush()
	binary.LittleEndian.PutUint32(e.dst[at:], uint32(len(e.dst)-at-4))
	return e.dst
}

// appendCodes appends dictionary codes: their bit width, then the hybrid.
func appendCodes(dst []byte, codes []uint32, scratch *[]byte) []byte {
	top := uint32(0)
	for _, c := range codes {
		top |= c
	}
	width := bits.Len32(top)
	dst = append(dst, byte(width))
	enc := rle.Encoding{BitWidth: width}
	out, err := enc.EncodeInt32((*scratch)[:0], asInt32(codes))
	if err != nil {
		panic("BUG: encode codes: " + err.Error())
	}
	*scratch = out
	return append(dst, out...)
}
