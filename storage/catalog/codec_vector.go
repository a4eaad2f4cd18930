package catalog

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"unsafe"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// A vector is encoded flat: 0 for nil; else 1, type as JSON, length, validity, payload. Fixed-width values are copied as they lie in
// memory (little-endian), texts as lengths and bytes.

// maxDepth bounds the nesting of encoded types.
const maxDepth = 64

// appendVector appends v, which may be nil. Shredded variants must have been flattened.
func appendVector(dst []byte, v *vec.Vector) []byte {
	if v == nil {
		return append(dst, 0)
	}
	t, err := json.Marshal(v.Type)
	if err != nil {
		panic("BUG: type does not marshal: " + err.Error())
	}
	dst = appendBlob(append(dst, 1), t)
	dst = binary.AppendUvarint(dst, uint64(v.Len))
	return appendPayload(dst, vec.Flatten(v))
}

func appendPayload(dst []byte, v *vec.Vector) []byte {
	if v.Type.Kind == types.Null {
		return dst
	}
	if v.Valid == nil {
		dst = append(dst, 0)
	} else {
		dst = append(dst, 1)
		for _, w := range v.Valid[:(v.Len+63)/64] {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	}
	switch d := v.Data.(type) {
	case []bool:
		return appendRaw(dst, d)
	case []int8:
		return appendRaw(dst, d)
	case []int16:
		return appendRaw(dst, d)
	case []int32:
		return appendRaw(dst, d)
	case []int64:
		return appendRaw(dst, d)
	case []types.Int128:
		return appendRaw(dst, d)
	case []types.Int256:
		return appendRaw(dst, d)
	case []uint32:
		return appendRaw(dst, d)
	case []types.Uint128:
		return appendRaw(dst, d)
	case []float32:
		return appendRaw(dst, d)
	case []float64:
		return appendRaw(dst, d)
	case []types.IntervalValue:
		return appendRaw(dst, d)
	case []vec.View:
		return appendTexts(dst, v, d)
	}
	if v.Type.Phys() == types.PhysList {
		base := v.Offsets[0]
		for _, o := range v.Offsets[1 : v.Len+1] {
			dst = binary.AppendUvarint(dst, uint64(o-base))
		}
		child := v.Children[0].Slice(int(base), int(v.Offsets[v.Len]))
		return appendVector(dst, child)
	}
	for _, c := range v.Children {
		dst = appendVector(dst, c)
	}
	return dst
}

func appendRaw[T any](dst []byte, d []T) []byte {
	if len(d) == 0 {
		return dst
	}
	return append(dst, unsafe.Slice((*byte)(unsafe.Pointer(&d[0])), len(d)*int(unsafe.Sizeof(d[0])))...)
}

func appendTexts(dst []byte, v *vec.Vector, views []vec.View) []byte {
	if v.Meta != nil {
		var last []byte
		for i := range v.Len {
			m := []byte(nil)
			if !v.IsNull(i) {
				m = v.Meta.Bytes(i)
			}
			if i > 0 && string(m) == string(last) {
				dst = append(dst, 0)
				continue
			}
			dst = appendBlob(append(dst, 1), m)
			last = m
		}
	}
	for i := range views {
		if v.IsNull(i) {
			dst = append(dst, 0)
			continue
		}
		dst = appendBlob(dst, views[i].Bytes(v.Bufs))
	}
	return dst
}

// reader reads encoded bytes; the first misfit sets err and everything after it reads zero.
type reader struct {
	data  []byte
	depth int
	err   error
}

func (r *reader) fail(msg string) {
	if r.err == nil {
		r.err = errors.New(msg)
	}
	r.data = nil
}

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		r.fail("unexpected end")
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.fail("bad number")
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.data)) {
		r.fail("unexpected end")
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) blob() []byte { return r.take(r.uvarint()) }

func (r *reader) vector() *vec.Vector {
	if r.err != nil || r.byte() == 0 {
		return nil
	}
	if r.depth++; r.depth > maxDepth {
		r.fail("types nested too deep")
		return nil
	}
	defer func() { r.depth-- }()
	var t types.Type
	if err := json.Unmarshal(r.blob(), &t); r.err == nil && err != nil {
		r.fail(err.Error())
	}
	n := r.uvarint()
	if r.err != nil {
		return nil
	}
	if t.Kind == types.Null {
		return vec.NewNull(t, int(min(n, 1<<31)))
	}
	if t.Kind > types.Map || t.Kind == types.Array && t.Elem == nil || t.Kind == types.Map && len(t.Fields) != 2 || t.Kind == types.Decimal && (t.Precision == 0 || t.Precision > types.MaxDecimalPrecision) {
		r.fail("bad type")
		return nil
	}
	v := &vec.Vector{Type: t, Len: int(n)}
	if r.byte() == 1 {
		raw := r.take((n + 63) / 64 * 8)
		v.Valid = make(vec.Bitmap, len(raw)/8)
		for i := range v.Valid {
			v.Valid[i] = binary.LittleEndian.Uint64(raw[i*8:])
		}
		if rest := n % 64; rest != 0 && len(v.Valid) > 0 {
			v.Valid[len(v.Valid)-1] &= 1<<rest - 1
		}
	}
	r.payload(v, n)
	if r.err != nil {
		return nil
	}
	return v
}

func (r *reader) payload(v *vec.Vector, n uint64) {
	switch v.Type.Phys() {
	case types.PhysBool:
		d := readRaw[uint8](r, n)
		b := make([]bool, len(d))
		for i, x := range d {
			b[i] = x != 0
		}
		v.Data = b
	case types.PhysInt8:
		v.Data = readRaw[int8](r, n)
	case types.PhysInt16:
		v.Data = readRaw[int16](r, n)
	case types.PhysInt32:
		v.Data = readRaw[int32](r, n)
	case types.PhysInt64:
		v.Data = readRaw[int64](r, n)
	case types.PhysInt128:
		v.Data = readRaw[types.Int128](r, n)
	case types.PhysInt256:
		v.Data = readRaw[types.Int256](r, n)
	case types.PhysUint32:
		v.Data = readRaw[uint32](r, n)
	case types.PhysUint128:
		v.Data = readRaw[types.Uint128](r, n)
	case types.PhysFloat32:
		v.Data = readRaw[float32](r, n)
	case types.PhysFloat64:
		v.Data = readRaw[float64](r, n)
	case types.PhysInterval:
		v.Data = readRaw[types.IntervalValue](r, n)
	case types.PhysString, types.PhysVariant:
		r.texts(v, n)
	case types.PhysList:
		r.list(v, n)
	case types.PhysStruct:
		for range v.Type.Fields {
			v.Children = append(v.Children, r.vector())
		}
	}
}

func readRaw[T any](r *reader, n uint64) []T {
	var zero T
	size := uint64(unsafe.Sizeof(zero))
	if n > uint64(len(r.data)) {
		r.fail("unexpected end")
		return nil
	}
	raw := r.take(n * size)
	out := make([]T, len(raw)/int(size))
	if len(out) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), len(raw)), raw)
	}
	return out
}

func (r *reader) texts(v *vec.Vector, n uint64) {
	if n > uint64(len(r.data)) {
		r.fail("unexpected end")
		return
	}
	if v.Type.Phys() == types.PhysVariant {
		b := vec.NewBuilder(types.Of(types.Binary), int(n))
		var last []byte
		for range n {
			if r.byte() == 1 {
				last = r.blob()
			}
			b.AppendBytes(last)
		}
		v.Meta = b.Finish()
	}
	b := vec.NewBuilder(types.Of(types.Binary), int(n))
	for range n {
		b.AppendBytes(r.blob())
	}
	texts := b.Finish()
	v.Data, v.Bufs = texts.Data, texts.Bufs
}

func (r *reader) list(v *vec.Vector, n uint64) {
	if n > uint64(len(r.data)) {
		r.fail("unexpected end")
		return
	}
	v.Offsets = make([]int32, 1, n+1)
	for range n {
		o := int64(r.uvarint())
		if o < int64(v.Offsets[len(v.Offsets)-1]) || o > 1<<31-1 {
			r.fail("list offsets are not ascending")
			return
		}
		v.Offsets = append(v.Offsets, int32(o))
	}
	c := r.vector()
	if r.err == nil && (c == nil || c.Len != int(v.Offsets[n])) {
		r.fail("list elements are missing")
	}
	v.Children = []*vec.Vector{c}
}
