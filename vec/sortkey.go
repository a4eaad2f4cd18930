package vec

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ebira-db/ebira/sql/types"
)

// SortPrefix writes to out, for each row of v, a number that orders like the rows under o as far as it goes: a row with the smaller number
// sorts first; rows with equal numbers are equal if exact is true, else CompareRows must decide. Sorting such numbers beside row ids needs
// no call per comparison in most cases. v may have any form but Shredded.
func SortPrefix(v *Vector, o Order, out []uint64) (exact bool) {
	out = out[:v.Len]
	switch {
	case v.Type.Kind == types.Null:
		clear(out)
		return true
	case v.Form == Constant:
		clear(out)
		return true
	case v.Form == Dictionary:
		ranks := make([]uint64, v.Dict.Len)
		exact = prefixFlat(v.Dict, ranks)
		for i, c := range v.Codes {
			out[i] = ranks[c]
		}
	default:
		exact = prefixFlat(v, out)
	}
	if o.Desc {
		for i, x := range out {
			out[i] = ^x
		}
	}
	if v.Valid == nil {
		return exact
	}
	// One bit is given up to part NULL from values.
	top := uint64(1) << 63
	for i, x := range out {
		switch {
		case v.Valid.Get(i):
			x >>= 1
			if o.NullsFirst {
				x |= top
			}
		case o.NullsFirst:
			x = 0
		default:
			x = top
		}
		out[i] = x
	}
	return exact && narrow(v)
}

// narrow tells whether the numbers of v leave the lowest bit unused.
func narrow(v *Vector) bool {
	switch v.Type.Phys() {
	case types.PhysBool, types.PhysInt8, types.PhysInt16, types.PhysInt32, types.PhysUint32, types.PhysFloat32:
		return true
	}
	return false
}

// prefixFlat maps the entries of a flat vector to numbers whose order is theirs. Types narrower than 64 bits sit in the upper bits.
func prefixFlat(v *Vector, out []uint64) (exact bool) {
	switch d := v.Data.(type) {
	case []bool:
		Map1(out, d, func(x bool) uint64 { return uint64(boolByte(x)) << 32 })
	case []int8:
		Map1(out, d, func(x int8) uint64 { return orderInt(int64(x) << 32) })
	case []int16:
		Map1(out, d, func(x int16) uint64 { return orderInt(int64(x) << 32) })
	case []int32:
		Map1(out, d, func(x int32) uint64 { return orderInt(int64(x) << 32) })
	case []int64:
		Map1(out, d, orderInt)
	case []uint32:
		Map1(out, d, func(x uint32) uint64 { return uint64(x) << 32 })
	case []float32:
		Map1(out, d, func(x float32) uint64 { return orderFloat(float64(x)) })
	case []float64:
		Map1(out, d, orderFloat)
	case []types.Int128:
		Map1(out, d, func(x types.Int128) uint64 { return orderInt(x.Hi) })
		return false
	case []types.Uint128:
		Map1(out, d, func(x types.Uint128) uint64 { return x.Hi })
		return false
	case []types.Int256:
		Map1(out, d, func(x types.Int256) uint64 { return orderInt(int64(x[3])) })
		return false
	case []View:
		for i := range out {
			out[i] = textPrefix(&d[i], v.Bufs)
		}
		return false
	default:
		clear(out)
		return false
	}
	return true
}

// textPrefix is the first eight bytes, zero padded, as a big-endian number.
func textPrefix(x *View, bufs [][]byte) uint64 {
	if x.Inline() {
		var b [8]byte
		binary.LittleEndian.PutUint32(b[:], x.a)
		binary.LittleEndian.PutUint32(b[4:], x.b)
		return binary.BigEndian.Uint64(b[:])
	}
	return binary.BigEndian.Uint64(x.Bytes(bufs))
}

func orderInt(x int64) uint64 { return uint64(x) ^ 1<<63 }

// orderFloat maps doubles to numbers in the order of CompareFloats.
func orderFloat(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	if f == 0 {
		f = 0 // -0 and 0 are one value
	}
	b := math.Float64bits(f)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// AppendSortKey appends bytes for row i of v that order under bytes.Compare as the rows do under o; keys of several columns may be
// concatenated. v may have any form but Shredded; variants are not ordered here.
func AppendSortKey(dst []byte, v *Vector, i int, o Order) []byte {
	if v.IsNull(i) {
		if o.NullsFirst {
			return append(dst, 0)
		}
		return append(dst, 2)
	}
	dst = append(dst, 1)
	from := len(dst)
	h, j := v.At(i)
	dst = appendKey(dst, h, j)
	if o.Desc {
		for k := from; k < len(dst); k++ {
			dst[k] = ^dst[k]
		}
	}
	return dst
}

func appendKey(dst []byte, h *Vector, j int) []byte {
	be := binary.BigEndian
	switch d := h.Data.(type) {
	case []bool:
		return append(dst, byte(boolByte(d[j])))
	case []int8:
		return append(dst, byte(d[j])^0x80)
	case []int16:
		return be.AppendUint16(dst, uint16(d[j])^1<<15)
	case []int32:
		return be.AppendUint32(dst, uint32(d[j])^1<<31)
	case []int64:
		return be.AppendUint64(dst, orderInt(d[j]))
	case []uint32:
		return be.AppendUint32(dst, d[j])
	case []float32:
		return be.AppendUint64(dst, orderFloat(float64(d[j])))
	case []float64:
		return be.AppendUint64(dst, orderFloat(d[j]))
	case []types.Int128:
		return be.AppendUint64(be.AppendUint64(dst, orderInt(d[j].Hi)), d[j].Lo)
	case []types.Uint128:
		return be.AppendUint64(be.AppendUint64(dst, d[j].Hi), d[j].Lo)
	case []types.Int256:
		x := d[j]
		dst = be.AppendUint64(be.AppendUint64(dst, orderInt(int64(x[3]))), x[2])
		return be.AppendUint64(be.AppendUint64(dst, x[1]), x[0])
	case []types.IntervalValue:
		days, micros := normalInterval(d[j])
		return be.AppendUint64(be.AppendUint64(dst, orderInt(days)), orderInt(micros))
	case []View:
		// 0 is escaped as 0 255, so that the end (0 0) sorts before every longer text.
		for _, c := range d[j].Bytes(h.Bufs) {
			if dst = append(dst, c); c == 0 {
				dst = append(dst, 255)
			}
		}
		return append(dst, 0, 0)
	case nil:
		return appendNestedKey(dst, h, j)
	default:
		panic(fmt.Sprintf("BUG: sort key of %T", d))
	}
}

// appendNestedKey writes NULL elements last, as Compare orders them; 0 ends a list, 1 goes before each element.
func appendNestedKey(dst []byte, h *Vector, j int) []byte {
	if h.Type.Phys() == types.PhysStruct {
		for _, c := range h.Children {
			dst = AppendSortKey(dst, c, j, Order{})
		}
		return dst
	}
	for e := h.Offsets[j]; e < h.Offsets[j+1]; e++ {
		dst = AppendSortKey(append(dst, 1), h.Children[0], int(e), Order{})
	}
	return append(dst, 0)
}
