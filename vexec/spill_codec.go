package vexec

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// A block is the columns of a batch one after the other. A vector is
//
//	one word: form (255: the column is nil), words of validity << 8; one word: Len
//	the validity
//	Dictionary: the codes, then the dictionary as a vector (one that is longer than the rows is resolved first)
//	Shredded: Typed, then Rest, which may be nil
//	else the data as it is in memory, for one row if Constant
//	     texts: the views, the number of buffers, the length and bytes of each; then Meta, which is nil except for variants
//	     lists: the offsets from 0, then the elements; structs: the members
//
// and every part begins at a multiple of 8, so that reading makes slices of the buffer without copying. Numbers have the byte order of
// the machine: a block lives no longer than the process. The types of the vectors are kept in memory.

// spillEncoder writes blocks. It belongs to one worker.
type spillEncoder struct {
	buf   []byte
	text  []byte
	rows  int
	types []types.Type // of all vectors in the order of writing; shared by blocks, so it is not changed
	next  int          // place in types
}

const nilColumn = 255

// encode sets buf, rows and types for a batch.
func (e *spillEncoder) encode(b *vec.Batch) {
	e.buf, e.rows, e.next = e.buf[:0], b.Len, 0
	for _, c := range b.Cols {
		e.vector(c)
	}
	e.types = e.types[:e.next:e.next]
}

func (e *spillEncoder) word(x uint64) { e.buf = binary.NativeEndian.AppendUint64(e.buf, x) }

// bytes appends p and pads it.
func (e *spillEncoder) bytes(p []byte) {
	e.buf = append(e.buf, p...)
	for len(e.buf)%8 != 0 {
		e.buf = append(e.buf, 0)
	}
}

// noteType makes t the type of the next vector.
func (e *spillEncoder) noteType(t types.Type) {
	switch {
	case e.next < len(e.types) && sameType(&e.types[e.next], &t):
	default:
		e.types = append(append([]types.Type(nil), e.types[:e.next]...), t)
	}
	e.next++
}

// sameType tells whether two types are the same value in memory. Others may be equal all the same.
func sameType(a, b *types.Type) bool {
	return a.Kind == b.Kind && a.Precision == b.Precision && a.Scale == b.Scale && a.Length == b.Length && a.Elem == b.Elem &&
		a.Variant == b.Variant && len(a.Fields) == len(b.Fields) && (len(a.Fields) == 0 || &a.Fields[0] == &b.Fields[0])
}

func (e *spillEncoder) vector(v *vec.Vector) {
	if v == nil {
		e.word(nilColumn)
		return
	}
	if v.Form == vec.Dictionary && v.Dict.Len > v.Len {
		v = vec.Flatten(v)
	}
	e.noteType(v.Type)
	entries := v.Len
	if v.Form == vec.Constant {
		entries = 1
	}
	words := 0
	if v.Valid != nil {
		words = (entries + 63) / 64
	}
	e.word(uint64(v.Form) | uint64(words)<<8)
	e.word(uint64(v.Len))
	e.bytes(rawBytes(v.Valid[:words]))
	switch v.Form {
	case vec.Dictionary:
		e.bytes(rawBytes(v.Codes[:v.Len]))
		e.vector(v.Dict)
	case vec.Shredded:
		e.vector(v.Typed)
		e.vector(v.Rest)
	default:
		e.entries(v, entries)
	}
}

// entries writes the data of a Flat or Constant vector.
func (e *spillEncoder) entries(v *vec.Vector, n int) {
	switch d := v.Data.(type) {
	case []bool:
		e.bytes(rawBytes(d[:n]))
	case []int8:
		e.bytes(rawBytes(d[:n]))
	case []int16:
		e.bytes(rawBytes(d[:n]))
	case []int32:
		e.bytes(rawBytes(d[:n]))
	case []int64:
		e.bytes(rawBytes(d[:n]))
	case []types.Int128:
		e.bytes(rawBytes(d[:n]))
	case []types.Int256:
		e.bytes(rawBytes(d[:n]))
	case []uint32:
		e.bytes(rawBytes(d[:n]))
	case []types.Uint128:
		e.bytes(rawBytes(d[:n]))
	case []float32:
		e.bytes(rawBytes(d[:n]))
	case []float64:
		e.bytes(rawBytes(d[:n]))
	case []types.IntervalValue:
		e.bytes(rawBytes(d[:n]))
	case []vec.View:
		e.views(d[:n], v.Bufs)
		e.vector(v.Meta)
	case nil:
		e.nested(v, n)
	default:
		panic(fmt.Sprintf("BUG: spill %T", d))
	}
}

// views writes texts. Neighbours that share their bytes share them afterwards too.
func (e *spillEncoder) views(views []vec.View, bufs [][]byte) {
	at := len(e.buf)
	e.bytes(rawBytes(views))
	out := viewSlice(e.buf[at:], len(views))
	e.text = e.text[:0]
	var ends []int // of all buffers but the last
	from := 0
	var last, lastOut vec.View
	for i := range views {
		x := &views[i]
		if x.Inline() {
			continue
		}
		if *x == last {
			out[i] = lastOut
			continue
		}
		text := x.Bytes(bufs)
		if len(e.text)-from+len(text) > vec.MaxBufferBytes && len(e.text) > from {
			ends = append(ends, len(e.text))
			from = len(e.text)
		}
		off := len(e.text) - from
		e.text = append(e.text, text...)
		out[i] = vec.MakeView(text, len(ends), off)
		last, lastOut = *x, out[i]
	}
	if len(e.text) > from {
		ends = append(ends, len(e.text))
	}
	e.word(uint64(len(ends)))
	from = 0
	for _, end := range ends {
		e.word(uint64(end - from))
		e.bytes(e.text[from:end])
		from = end
	}
}

func (e *spillEncoder) nested(v *vec.Vector, n int) {
	switch v.Type.Phys() {
	case types.PhysStruct:
		for _, c := range v.Children {
			if c.Len != n {
				c = c.Slice(0, n)
			}
			e.vector(c)
		}
	case types.PhysList:
		from, to := v.Offsets[0], v.Offsets[n]
		offsets := make([]int32, n+1)
		for i, o := range v.Offsets[:n+1] {
			offsets[i] = o - from
		}
		e.bytes(rawBytes(offsets))
		e.vector(v.Children[0].Slice(int(from), int(to)))
	}
}

// rawBytes returns the memory of s, whose elements hold no pointers.
func rawBytes[T any](s []T) []byte {
	var x T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(x)))
}

// alignedBytes makes n bytes that begin at a multiple of 8.
func alignedBytes(n int) []byte { return rawBytes(make([]uint64, (n+7)/8))[:n] }

func viewSlice(p []byte, n int) []vec.View {
	return unsafe.Slice((*vec.View)(unsafe.Pointer(unsafe.SliceData(p))), n)
}

// spillDecoder reads a block, whose checksum is known to be right.
type spillDecoder struct {
	data  []byte
	at    int
	types []types.Type
}

// batch reads a batch of n rows.
func (d *spillDecoder) batch(n int) *vec.Batch {
	b := vec.NewBatch(n)
	for d.at < len(d.data) {
		b.Cols = append(b.Cols, d.vector())
	}
	if d.at != len(d.data) || len(d.types) > 0 {
		panic("BUG: a spilled batch has more than its columns")
	}
	return b
}

func (d *spillDecoder) word() uint64 {
	x := binary.NativeEndian.Uint64(d.data[d.at:])
	d.at += 8
	return x
}

// take returns the next n elements.
func take[T any](d *spillDecoder, n int) []T {
	var x T
	size := n * int(unsafe.Sizeof(x))
	p := d.data[d.at : d.at+size]
	d.at += (size + 7) &^ 7
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(p))), n)
}

func (d *spillDecoder) vector() *vec.Vector {
	head := d.word()
	if head&255 == nilColumn {
		return nil
	}
	v := &vec.Vector{Type: d.types[0], Form: vec.Form(head & 255)}
	d.types = d.types[1:]
	v.Len = int(d.word())
	if words := int(head >> 8); words > 0 {
		v.Valid = take[uint64](d, words)
	}
	switch v.Form {
	case vec.Dictionary:
		v.Codes = take[uint32](d, v.Len)
		v.Dict = d.vector()
	case vec.Shredded:
		v.Typed, v.Rest = d.vector(), d.vector()
	case vec.Constant:
		d.entries(v, 1)
	default:
		d.entries(v, v.Len)
	}
	return v
}

func (d *spillDecoder) entries(v *vec.Vector, n int) {
	switch v.Type.Phys() {
	case types.PhysBool:
		v.Data = take[bool](d, n)
	case types.PhysInt8:
		v.Data = take[int8](d, n)
	case types.PhysInt16:
		v.Data = take[int16](d, n)
	case types.PhysInt32:
		v.Data = take[int32](d, n)
	case types.PhysInt64:
		v.Data = take[int64](d, n)
	case types.PhysInt128:
		v.Data = take[types.Int128](d, n)
	case types.PhysInt256:
		v.Data = take[types.Int256](d, n)
	case types.PhysUint32:
		v.Data = take[uint32](d, n)
	case types.PhysUint128:
		v.Data = take[types.Uint128](d, n)
	case types.PhysFloat32:
		v.Data = take[float32](d, n)
	case types.PhysFloat64:
		v.Data = take[float64](d, n)
	case types.PhysInterval:
		v.Data = take[types.IntervalValue](d, n)
	case types.PhysString, types.PhysVariant:
		v.Data = take[vec.View](d, n)
		for range d.word() {
			v.Bufs = append(v.Bufs, take[byte](d, int(d.word())))
		}
		v.Meta = d.vector()
	case types.PhysStruct:
		for range v.Type.Fields {
			v.Children = append(v.Children, d.vector())
		}
	case types.PhysList:
		v.Offsets = take[int32](d, n+1)
		v.Children = []*vec.Vector{d.vector()}
	}
}
