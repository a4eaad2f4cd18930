package vec

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/types"
)

// textBlockBytes is the size of a builder's later text buffers, minTextBlockBytes of the first; longer texts get a buffer of their own.
const (
	textBlockBytes    = 256 << 10
	minTextBlockBytes = 1 << 10
)

// Builder appends values to a flat vector of one type. Its typed Append must fit the type's physical form.
type Builder struct {
	t     types.Type
	n     int
	valid Bitmap // nil until the first NULL
	nulls int

	data column // nil for the NULL type, lists and structs

	bufs [][]byte
	meta *Builder // variants

	offsets  []int32
	children []*Builder
}

// column is a growing typed slice. It sits behind a pointer, so that appending to it stores no new slice header in an interface.
type column interface {
	// appendZero appends what stands for NULL.
	appendZero()
	// slice returns the values as in Vector.Data.
	slice() any
}

type values[T any] struct{ s []T }

func (v *values[T]) slice() any { return v.s }

func (v *values[T]) appendZero() {
	var zero T
	v.s = append(v.s, zero)
}

// NewBuilder makes a builder with room for capacity values.
func NewBuilder(t types.Type, capacity int) *Builder {
	b := &Builder{t: t}
	switch t.Phys() {
	case types.PhysBool:
		b.data = &values[bool]{make([]bool, 0, capacity)}
	case types.PhysInt8:
		b.data = &values[int8]{make([]int8, 0, capacity)}
	case types.PhysInt16:
		b.data = &values[int16]{make([]int16, 0, capacity)}
	case types.PhysInt32:
		b.data = &values[int32]{make([]int32, 0, capacity)}
	case types.PhysInt64:
		b.data = &values[int64]{make([]int64, 0, capacity)}
	case types.PhysInt128:
		b.data = &values[types.Int128]{make([]types.Int128, 0, capacity)}
	case types.PhysInt256:
		b.data = &values[types.Int256]{make([]types.Int256, 0, capacity)}
	case types.PhysUint32:
		b.data = &values[uint32]{make([]uint32, 0, capacity)}
	case types.PhysUint128:
		b.data = &values[types.Uint128]{make([]types.Uint128, 0, capacity)}
	case types.PhysFloat32:
		b.data = &values[float32]{make([]float32, 0, capacity)}
	case types.PhysFloat64:
		b.data = &values[float64]{make([]float64, 0, capacity)}
	case types.PhysInterval:
		b.data = &values[types.IntervalValue]{make([]types.IntervalValue, 0, capacity)}
	case types.PhysString:
		b.data = &values[View]{make([]View, 0, capacity)}
	case types.PhysVariant:
		b.data = &values[View]{make([]View, 0, capacity)}
		b.meta = NewBuilder(types.Of(types.Binary), capacity)
	case types.PhysList:
		b.offsets = make([]int32, 1, capacity+1)
		b.children = []*Builder{NewBuilder(elemType(t), capacity)}
	case types.PhysStruct:
		for _, f := range t.Fields {
			b.children = append(b.children, NewBuilder(f.Type, capacity))
		}
	}
	return b
}

// elemType is the type of the child of a list: the element of an ARRAY, the (key, value) struct of a MAP.
func elemType(t types.Type) types.Type {
	if t.Kind == types.Map {
		return types.Type{Kind: types.Struct, Fields: t.Fields}
	}
	return *t.Elem
}

// Len returns the number of values so far.
func (b *Builder) Len() int { return b.n }

// Type returns the type of the values.
func (b *Builder) Type() types.Type { return b.t }

func (b *Builder) grow(valid bool) {
	b.n++
	if b.valid != nil {
		if b.n > len(b.valid)*64 {
			b.valid = append(b.valid, 0)
		}
		if valid {
			b.valid.Set(b.n - 1)
		}
	}
}

// Append appends a value of a fixed-width form; T must match the physical form.
func Append[T any](b *Builder, x T) {
	v, ok := b.data.(*values[T])
	if !ok {
		panic(fmt.Sprintf("BUG: append %T to %s builder", x, b.t))
	}
	v.s = append(v.s, x)
	b.grow(true)
}

// AppendBytes appends a text or binary value, which is copied.
func (b *Builder) AppendBytes(s []byte) {
	v := b.data.(*values[View])
	v.s = append(v.s, b.store(s))
	b.grow(true)
}

// AppendString appends a text value.
func (b *Builder) AppendString(s string) { b.AppendBytes([]byte(s)) }

// AppendVariant appends a variant, whose bytes are copied; a metadata equal to the one before shares its bytes.
func (b *Builder) AppendVariant(meta, value []byte) {
	b.appendMeta(meta)
	b.AppendBytes(value)
}

func (b *Builder) appendMeta(meta []byte) {
	m := b.meta
	views := m.data.(*values[View])
	if n := len(views.s); n > 0 && string(views.s[n-1].Bytes(m.bufs)) == string(meta) {
		views.s = append(views.s, views.s[n-1])
		m.grow(true)
		return
	}
	m.AppendBytes(meta)
}

// store copies s to the text buffers and returns its view.
func (b *Builder) store(s []byte) View {
	if len(s) <= inlineBytes {
		return MakeView(s, 0, 0)
	}
	last := len(b.bufs) - 1
	if last < 0 || len(b.bufs[last])+len(s) > cap(b.bufs[last]) {
		b.bufs = append(b.bufs, make([]byte, 0, max(min(textBlockBytes, minTextBlockBytes<<min(len(b.bufs), 16)), len(s))))
		last++
	}
	off := len(b.bufs[last])
	b.bufs[last] = append(b.bufs[last], s...)
	return MakeView(s, last, off)
}

// AppendNull appends NULL.
func (b *Builder) AppendNull() {
	if b.valid == nil {
		b.valid = NewBitmapSet(b.n)
		if b.n == 0 {
			b.valid = Bitmap{}
		}
	}
	b.nulls++
	b.appendZero()
	b.grow(false)
}

func (b *Builder) appendZero() {
	switch {
	case b.data != nil:
		b.data.appendZero()
		if b.meta != nil {
			b.appendMeta(nil)
		}
	case b.offsets != nil:
		b.offsets = append(b.offsets, b.offsets[len(b.offsets)-1])
	default:
		for _, c := range b.children {
			c.AppendNull()
		}
	}
}

// Child returns the builder of list elements (i = 0) or of struct member i. After filling it call CloseList or CloseStruct.
func (b *Builder) Child(i int) *Builder { return b.children[i] }

// CloseList ends one list value: the elements appended to Child(0) since the last CloseList or AppendNull.
func (b *Builder) CloseList() {
	b.offsets = append(b.offsets, int32(b.children[0].n))
	b.grow(true)
}

// CloseStruct ends one struct value: one value must have been appended to every child.
func (b *Builder) CloseStruct() { b.grow(true) }

// AppendFrom appends row i of v, which has the builder's type.
func (b *Builder) AppendFrom(v *Vector, i int) {
	if v.IsNull(i) {
		b.AppendNull()
		return
	}
	h, j := v.At(i)
	switch d := h.Data.(type) {
	case []bool:
		Append(b, d[j])
	case []int8:
		Append(b, d[j])
	case []int16:
		Append(b, d[j])
	case []int32:
		Append(b, d[j])
	case []int64:
		Append(b, d[j])
	case []types.Int128:
		Append(b, d[j])
	case []types.Int256:
		Append(b, d[j])
	case []uint32:
		Append(b, d[j])
	case []types.Uint128:
		Append(b, d[j])
	case []float32:
		Append(b, d[j])
	case []float64:
		Append(b, d[j])
	case []types.IntervalValue:
		Append(b, d[j])
	case []View:
		if b.meta != nil {
			b.appendMeta(h.Meta.Bytes(j))
		}
		b.AppendBytes(d[j].Bytes(h.Bufs))
	case nil:
		b.appendNested(h, j)
	default:
		panic(fmt.Sprintf("BUG: append from %T", d))
	}
}

func (b *Builder) appendNested(h *Vector, j int) {
	if b.offsets != nil {
		for e := h.Offsets[j]; e < h.Offsets[j+1]; e++ {
			b.children[0].AppendFrom(h.Children[0], int(e))
		}
		b.CloseList()
		return
	}
	for i, c := range b.children {
		c.AppendFrom(h.Children[i], j)
	}
	b.CloseStruct()
}

// AppendVector appends all rows of v.
func (b *Builder) AppendVector(v *Vector) {
	for i := range v.Len {
		b.AppendFrom(v, i)
	}
}

// Finish returns the vector; the builder must not be used afterwards.
func (b *Builder) Finish() *Vector {
	v := &Vector{Type: b.t, Len: b.n, Bufs: b.bufs, Offsets: b.offsets}
	if b.data != nil {
		v.Data = b.data.slice()
	}
	if b.t.Kind == types.Null {
		v.Form = Constant
	}
	if b.nulls > 0 {
		v.Valid = b.valid
	}
	if b.meta != nil {
		v.Meta = b.meta.Finish()
	}
	for _, c := range b.children {
		v.Children = append(v.Children, c.Finish())
	}
	return v
}
