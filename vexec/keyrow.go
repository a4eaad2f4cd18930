package vexec

import (
	"encoding/binary"
	"math"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// rowEncoder writes keys of the form keyRow. A row is
//
//	one byte a column: 1 for NULL, else 0
//	the fixed-width columns in order, little endian, zero for NULL
//	the other columns in order: a 32-bit length and the bytes; text as it is, nested types and intervals as sort keys
//
// so two rows are equal if and only if their bytes are.
type rowEncoder struct {
	buf   []byte
	start []int // where each row begins
	at    []int // where the next variable column of each row goes
	// loose are the encoded values of the columns that are neither fixed nor text, by column.
	loose map[int]*vec.Vector
	col   []uint64
}

// encode fills kb.views and kb.bufs from kb.cols.
func (e *rowEncoder) encode(l *keyLayout, kb *keyBatch, n int) error {
	e.start, e.at = sized(e.start, n+1), sized(e.at, n)
	if err := e.measure(l, kb, n); err != nil {
		return err
	}
	total := e.start[n]
	if total > vec.MaxBufferBytes {
		return sqlerr.New(sqlerr.Resource, "the keys of one batch have more than %d bytes", vec.MaxBufferBytes)
	}
	if cap(e.buf) < total {
		e.buf = make([]byte, total)
	}
	e.buf = e.buf[:total]
	off := len(l.types)
	for c, t := range l.types {
		e.nulls(kb.cols[c], c, n)
		if width := fixedBits(t) / 8; width > 0 {
			e.fixed(kb.cols[c], width, off, n)
			off += width
		}
	}
	for i := range n {
		e.at[i] = e.start[i] + l.fixed
	}
	for c, t := range l.types {
		if fixedBits(t) == 0 {
			e.variable(e.textOf(kb.cols[c], c), n)
		}
	}
	kb.views = sized(kb.views, n)
	for i := range n {
		kb.views[i] = vec.MakeView(e.buf[e.start[i]:e.start[i+1]], 0, e.start[i])
	}
	kb.bufs = [][]byte{e.buf}
	return nil
}

// measure sets start.
func (e *rowEncoder) measure(l *keyLayout, kb *keyBatch, n int) error {
	e.loose = nil
	for i := range n {
		e.start[i+1] = l.fixed
	}
	for c, t := range l.types {
		if fixedBits(t) != 0 {
			continue
		}
		if t.Phys() != types.PhysString {
			v, err := sortKeys(kb.cols[c], n)
			if err != nil {
				return err
			}
			if e.loose == nil {
				e.loose = map[int]*vec.Vector{}
			}
			e.loose[c] = v
		}
		v := e.textOf(kb.cols[c], c)
		views := viewsOf(v, n)
		for i := range n {
			e.start[i+1] += 4
			if v.Valid.Get(i) {
				e.start[i+1] += views[i].Len()
			}
		}
	}
	e.start[0] = 0
	for i := range n {
		e.start[i+1] += e.start[i]
	}
	return nil
}

// textOf returns the bytes of a variable column as a Flat vector.
func (e *rowEncoder) textOf(v *vec.Vector, c int) *vec.Vector {
	if s, ok := e.loose[c]; ok {
		return s
	}
	if v.Type.Kind == types.Null {
		return vec.Flatten(vec.NewNull(types.Of(types.Varchar), v.Len))
	}
	return vec.Flatten(v)
}

// sortKeys returns the values of v as byte strings that are equal where the values are.
func sortKeys(v *vec.Vector, n int) (*vec.Vector, error) {
	b := vec.NewBuilder(types.Of(types.Binary), n)
	var key []byte
	for i := range n {
		if v.IsNull(i) {
			b.AppendNull()
			continue
		}
		key = vec.AppendSortKey(key[:0], v, i, vec.Order{})
		b.AppendBytes(key)
	}
	return b.Finish(), nil
}

// nulls writes the NULL byte of column c.
func (e *rowEncoder) nulls(v *vec.Vector, c, n int) {
	valid := validity(v, n)
	for i, s := range e.start[:n] {
		if valid.Get(i) {
			e.buf[s+c] = 0
		} else {
			e.buf[s+c] = 1
		}
	}
}

// fixed writes a fixed-width column at off in each row.
func (e *rowEncoder) fixed(v *vec.Vector, width, off, n int) {
	e.col = sized(e.col, n)
	valid := validity(v, n)
	for part := range max(width/8, 1) {
		columnWords(v, uint(part), e.col)
		if valid != nil {
			for i := range e.col {
				if !valid.Get(i) {
					e.col[i] = 0
				}
			}
		}
		putWords(e.buf, e.start[:n], off+8*part, min(width, 8), e.col)
	}
}

// putWords writes the lowest width bytes of each value at off behind each start.
func putWords(buf []byte, start []int, off, width int, values []uint64) {
	le := binary.LittleEndian
	switch width {
	case 1:
		for i, s := range start {
			buf[s+off] = byte(values[i])
		}
	case 2:
		for i, s := range start {
			le.PutUint16(buf[s+off:], uint16(values[i]))
		}
	case 4:
		for i, s := range start {
			le.PutUint32(buf[s+off:], uint32(values[i]))
		}
	default:
		for i, s := range start {
			le.PutUint64(buf[s+off:], values[i])
		}
	}
}

// variable writes a variable column where at says, and moves at behind it.
func (e *rowEncoder) variable(v *vec.Vector, n int) {
	views := viewsOf(v, n)
	for i := range n {
		p := e.at[i]
		size := 0
		if v.Valid.Get(i) {
			size = copy(e.buf[p+4:], views[i].Bytes(v.Bufs))
		}
		binary.LittleEndian.PutUint32(e.buf[p:], uint32(size))
		e.at[i] = p + 4 + size
	}
}

// rowColumn is a cursor over encoded rows for decoding them column by column.
type rowDecoder struct {
	views []vec.View
	bufs  [][]byte
	// off is where the next fixed column lies, at where the next variable one of each row does.
	off int
	at  []int
}

func newRowDecoder(l *keyLayout, views []vec.View, bufs [][]byte) *rowDecoder {
	d := &rowDecoder{views: views, bufs: bufs, off: len(l.types), at: make([]int, len(views))}
	for i := range d.at {
		d.at[i] = l.fixed
	}
	return d
}

// column decodes column c of type t. It must be called for all columns in order; nil is returned for columns that cannot be decoded.
func (d *rowDecoder) column(c int, t types.Type) *vec.Vector {
	valid := vec.NewBitmap(len(d.views))
	nulls := 0
	for i := range d.views {
		if d.views[i].Bytes(d.bufs)[c] == 0 {
			valid.Set(i)
		} else {
			nulls++
		}
	}
	if nulls == 0 {
		valid = nil
	}
	width := fixedBits(t) / 8
	switch {
	case width > 0:
		words := d.words(width)
		return fromWords(t, words, max(width/8, 1), valid)
	case t.Phys() == types.PhysString:
		return d.text(t, valid)
	}
	d.skip()
	return nil
}

// words reads a fixed column.
func (d *rowDecoder) words(width int) []uint64 {
	k := max(width/8, 1)
	out := make([]uint64, len(d.views)*k)
	le := binary.LittleEndian
	for i := range d.views {
		b := d.views[i].Bytes(d.bufs)[d.off:]
		switch width {
		case 1:
			out[i] = uint64(b[0])
		case 2:
			out[i] = uint64(le.Uint16(b))
		case 4:
			out[i] = uint64(le.Uint32(b))
		default:
			for p := range k {
				out[i*k+p] = le.Uint64(b[8*p:])
			}
		}
	}
	d.off += width
	return out
}

// text reads a text column; longer texts stay in the buffers of the rows.
func (d *rowDecoder) text(t types.Type, valid vec.Bitmap) *vec.Vector {
	out := make([]vec.View, len(d.views))
	for i := range d.views {
		row := &d.views[i]
		b := row.Bytes(d.bufs)
		p := d.at[i]
		size := int(binary.LittleEndian.Uint32(b[p:]))
		p += 4
		if row.Inline() {
			out[i] = vec.MakeView(b[p:p+size], 0, 0)
		} else {
			out[i] = vec.MakeView(b[p:p+size], row.Buffer(), row.Offset()+p)
		}
		d.at[i] = p + size
	}
	return vec.NewText(t, out, d.bufs, valid)
}

func (d *rowDecoder) skip() {
	for i := range d.views {
		b := d.views[i].Bytes(d.bufs)
		d.at[i] += 4 + int(binary.LittleEndian.Uint32(b[d.at[i]:]))
	}
}

// fromWords makes a vector of values of k words each, as columnWords wrote them.
func fromWords(t types.Type, words []uint64, k int, valid vec.Bitmap) *vec.Vector {
	n := len(words) / k
	switch t.Phys() {
	case types.PhysBool:
		return narrowed(t, words, valid, func(w uint64) bool { return w != 0 })
	case types.PhysInt8:
		return narrowed(t, words, valid, func(w uint64) int8 { return int8(w) })
	case types.PhysInt16:
		return narrowed(t, words, valid, func(w uint64) int16 { return int16(w) })
	case types.PhysInt32:
		return narrowed(t, words, valid, func(w uint64) int32 { return int32(w) })
	case types.PhysInt64:
		return narrowed(t, words, valid, func(w uint64) int64 { return int64(w) })
	case types.PhysUint32:
		return narrowed(t, words, valid, func(w uint64) uint32 { return uint32(w) })
	case types.PhysFloat32:
		return narrowed(t, words, valid, func(w uint64) float32 { return math.Float32frombits(uint32(w)) })
	case types.PhysFloat64:
		return narrowed(t, words, valid, math.Float64frombits)
	case types.PhysInt128:
		out := make([]types.Int128, n)
		for i := range out {
			out[i] = types.Int128{Lo: words[2*i], Hi: int64(words[2*i+1])}
		}
		return vec.NewFlat(t, out, valid)
	case types.PhysUint128:
		out := make([]types.Uint128, n)
		for i := range out {
			out[i] = types.Uint128{Lo: words[2*i], Hi: words[2*i+1]}
		}
		return vec.NewFlat(t, out, valid)
	case types.PhysInt256:
		out := make([]types.Int256, n)
		for i := range out {
			out[i] = types.Int256(words[4*i : 4*i+4])
		}
		return vec.NewFlat(t, out, valid)
	}
	panic("BUG: key of type " + t.String() + " from words")
}

func narrowed[T any](t types.Type, words []uint64, valid vec.Bitmap, f func(uint64) T) *vec.Vector {
	out := make([]T, len(words))
	vec.Map1(out, words, f)
	return vec.NewFlat(t, out, valid)
}
