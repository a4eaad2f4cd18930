package vec

import (
	"fmt"
	"unsafe"

	"github.com/ebira-db/ebira/sql/types"
)

// Size is the usual number of rows of a batch; MaxSize bounds it, so that selections are 16-bit.
const (
	Size    = 2048
	MaxSize = 65536
)

// Form tells how the payload stands for the rows.
type Form uint8

// The forms; see the package comment.
const (
	Flat Form = iota
	Constant
	Dictionary
	Shredded // variants only: Typed where the value has the common kind, Rest elsewhere
)

// Vector is a column of Len values. It is immutable once handed on.
type Vector struct {
	Type types.Type
	Form Form
	Len  int

	// Valid has a set bit for each value that is not NULL, nil if none is. For Dictionary it speaks of the rows; Dict has no NULL.
	// For Constant only bit 0 counts.
	Valid Bitmap

	// Data is the typed slice of a Flat or Constant vector by Type.Phys():
	// []bool, []int8, []int16, []int32, []int64, []types.Int128, []types.Int256, []uint32, []types.Uint128, []float32, []float64,
	// []View (text, binary; also the value bytes of variants), []types.IntervalValue; nil for Null, lists and structs.
	Data any
	// Bufs are the buffers that views point into.
	Bufs [][]byte

	// Meta holds, for variants, the metadata dictionary bytes of each row (type BINARY; usually Constant); same Len as the vector.
	Meta *Vector

	// Codes and Dict make a Dictionary vector. Codes of NULL rows are 0 and Dict then has at least one entry.
	Codes []uint32
	Dict  *Vector

	// Typed and Rest make a Shredded variant vector of a path: a row has its value in Typed (a plain vector of a scalar type), or in Rest
	// (a variant vector without JSON nulls, itself Shredded where a second kind is frequent; nil if no row needs it), or in neither, which is
	// SQL NULL.
	Typed, Rest *Vector

	// Offsets (one more than entries) and Children[0] make lists; Children are the members of structs; a MAP is a list of a
	// two-member struct.
	Offsets  []int32
	Children []*Vector
}

// Slice returns the data of v as its typed slice; T must be the type of v's physical form.
func Slice[T any](v *Vector) []T {
	s, ok := v.Data.([]T)
	if !ok {
		panic(fmt.Sprintf("BUG: %s vector holds %T", v.Type, v.Data))
	}
	return s
}

// NewFlat makes a flat vector over data.
func NewFlat[T any](t types.Type, data []T, valid Bitmap) *Vector {
	return &Vector{Type: t, Len: len(data), Data: data, Valid: valid}
}

// NewConstant makes a vector of n rows that all have the value of row 0 of one, a Flat vector.
func NewConstant(one *Vector, n int) *Vector {
	c := *one
	c.Form, c.Len = Constant, n
	if c.Meta != nil {
		c.Meta = NewConstant(c.Meta, n)
	}
	return &c
}

// NewNull makes a constant vector of n NULLs of type t.
func NewNull(t types.Type, n int) *Vector {
	b := NewBuilder(t, 1)
	b.AppendNull()
	return NewConstant(b.Finish(), n)
}

// IsNull reports whether row i is NULL.
func (v *Vector) IsNull(i int) bool {
	switch {
	case v.Type.Kind == types.Null:
		return true
	case v.Form == Shredded:
		return v.Typed.IsNull(i) && (v.Rest == nil || v.Rest.IsNull(i))
	case v.Valid == nil:
		return false
	}
	if v.Form == Constant {
		i = 0
	}
	return !v.Valid.Get(i)
}

// HasNulls reports whether any row may be NULL.
func (v *Vector) HasNulls() bool {
	if v.Form == Shredded {
		return v.Typed.HasNulls()
	}
	return v.Type.Kind == types.Null || v.Valid != nil
}

// ConstNull reports whether v is a Constant NULL.
func (v *Vector) ConstNull() bool { return v.Form == Constant && v.IsNull(0) }

// At is not defined for Shredded vectors, which package variant flattens first. It returns the index into Data (or Offsets, Children) for row i, and the vector that holds it.
func (v *Vector) At(i int) (*Vector, int) {
	switch v.Form {
	case Constant:
		return v, 0
	case Dictionary:
		return v.Dict, int(v.Codes[i])
	}
	return v, i
}

// Bytes returns the text, binary or variant value bytes of row i, which must not be NULL.
func (v *Vector) Bytes(i int) []byte {
	h, j := v.At(i)
	return Slice[View](h)[j].Bytes(h.Bufs)
}

// VariantAt returns metadata and value bytes of row i of a variant vector, which must not be NULL.
func (v *Vector) VariantAt(i int) (meta, value []byte) {
	h, j := v.At(i)
	return h.Meta.Bytes(j), Slice[View](h)[j].Bytes(h.Bufs)
}

// ListAt returns the child vector and the range of elements of row i of a list vector.
func (v *Vector) ListAt(i int) (child *Vector, from, to int) {
	h, j := v.At(i)
	return h.Children[0], int(h.Offsets[j]), int(h.Offsets[j+1])
}

// SizeBytes estimates the memory of the vector; shared buffers count in full.
func (v *Vector) SizeBytes() int64 {
	n := int64(len(v.Valid)*8 + len(v.Codes)*4 + len(v.Offsets)*4)
	entries := v.Len
	if v.Form == Constant {
		entries = 1
	}
	if v.Data != nil {
		n += int64(entries) * widths[v.Type.Phys()]
	}
	for _, b := range v.Bufs {
		n += int64(len(b))
	}
	for _, c := range v.Children {
		n += c.SizeBytes()
	}
	for _, part := range [...]*Vector{v.Dict, v.Meta, v.Typed, v.Rest} {
		if part != nil {
			n += part.SizeBytes()
		}
	}
	return n
}

// widths are the bytes of one entry of Data.
var widths = [...]int64{
	types.PhysBool: 1, types.PhysInt8: 1, types.PhysInt16: 2, types.PhysInt32: 4, types.PhysInt64: 8, types.PhysInt128: 16,
	types.PhysInt256: 32, types.PhysUint32: 4, types.PhysUint128: 16, types.PhysFloat32: 4, types.PhysFloat64: 8,
	types.PhysString: int64(unsafe.Sizeof(View{})), types.PhysInterval: 16, types.PhysVariant: int64(unsafe.Sizeof(View{})), types.PhysStruct: 0,
}

// Retype returns v under another type of the same physical form.
func (v *Vector) Retype(t types.Type) *Vector {
	if t.Phys() != v.Type.Phys() {
		panic(fmt.Sprintf("BUG: retype %s to %s", v.Type, t))
	}
	c := *v
	c.Type = t
	if c.Dict != nil {
		c.Dict = c.Dict.Retype(t)
	}
	return &c
}
