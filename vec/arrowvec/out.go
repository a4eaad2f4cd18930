package arrowvec

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Record makes a record batch of schema (see Schema) from the columns of b. VARIANT, JSON and INTERVAL columns must have been turned
// into text before.
func Record(schema *arrow.Schema, b *vec.Batch) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, len(b.Cols))
	for i, c := range b.Cols {
		d, err := data(c, schema.Field(i).Type)
		if err != nil {
			return nil, err
		}
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	rec := array.NewRecordBatch(schema, cols, int64(b.Len))
	for _, c := range cols {
		c.Release()
	}
	return rec, nil
}

// data makes the Arrow array data of a column.
func data(v *vec.Vector, t arrow.DataType) (arrow.ArrayData, error) {
	if v.Type.Kind == types.Null {
		return array.NewData(t, v.Len, []*memory.Buffer{memory.NewBufferBytes(make([]byte, (v.Len+7)/8)), memory.NewBufferBytes(make([]byte, 4*(v.Len+1))), nil}, nil, v.Len, 0), nil
	}
	v = vec.Flatten(v)
	valid, nulls := validity(v)
	fixed := func(b *memory.Buffer) (arrow.ArrayData, error) {
		return array.NewData(t, v.Len, []*memory.Buffer{valid, b}, nil, nulls, 0), nil
	}
	switch d := v.Data.(type) {
	case []bool:
		return fixed(bits(d))
	case []int8:
		return fixed(raw(d))
	case []int16:
		return fixed(raw(d))
	case []int32:
		return fixed(raw(d))
	case []float32:
		return fixed(raw(d))
	case []float64:
		return fixed(raw(d))
	case []int64:
		if v.Type.Kind == types.Decimal {
			wide := make([]types.Int128, len(d))
			for i, x := range d {
				wide[i] = types.Int128From(x)
			}
			return fixed(raw(wide))
		}
		return fixed(raw(d))
	case []types.Int128:
		if v.Type.Kind == types.Decimal {
			return fixed(raw(d))
		}
		return printed(v, t, valid, nulls, func(dst []byte, i int) []byte { return d[i].Append(dst) })
	case []types.Int256:
		return fixed(raw(d))
	case []uint32:
		return printed(v, t, valid, nulls, func(dst []byte, i int) []byte { return types.AppendIPv4(dst, d[i]) })
	case []types.Uint128:
		if v.Type.Kind == types.UUID {
			return printed(v, t, valid, nulls, func(dst []byte, i int) []byte { return types.AppendUUID(dst, d[i]) })
		}
		return printed(v, t, valid, nulls, func(dst []byte, i int) []byte { return types.AppendIPv6(dst, d[i]) })
	case []vec.View:
		if v.Meta != nil {
			panic("BUG: a variant column reached the wire")
		}
		return printed(v, t, valid, nulls, func(dst []byte, i int) []byte { return append(dst, d[i].Bytes(v.Bufs)...) })
	case nil:
		return nested(v, t, valid, nulls)
	}
	panic(fmt.Sprintf("BUG: a column of %T reached the wire", v.Data))
}

func validity(v *vec.Vector) (*memory.Buffer, int) {
	if v.Valid == nil || v.Len == 0 {
		return nil, 0
	}
	return raw(v.Valid[:(v.Len+63)/64]), v.Len - v.Valid.Count(v.Len)
}

// raw wraps the memory of a slice; values are little-endian as Arrow wants them on the machines that we run on.
func raw[T any](d []T) *memory.Buffer {
	if len(d) == 0 {
		return memory.NewBufferBytes(nil)
	}
	return memory.NewBufferBytes(unsafe.Slice((*byte)(unsafe.Pointer(&d[0])), len(d)*int(unsafe.Sizeof(d[0]))))
}

func bits(d []bool) *memory.Buffer {
	out := make([]byte, (len(d)+7)/8)
	for i, b := range d {
		if b {
			out[i>>3] |= 1 << (i & 7)
		}
	}
	return memory.NewBufferBytes(out)
}

// printed makes a Utf8 or Binary array of texts.
func printed(v *vec.Vector, t arrow.DataType, valid *memory.Buffer, nulls int, add func([]byte, int) []byte) (arrow.ArrayData, error) {
	offsets := make([]int32, v.Len+1)
	size := 16 * v.Len
	if views, ok := v.Data.([]vec.View); ok {
		size = 0
		for i := range views {
			size += views[i].Len()
		}
	}
	text := make([]byte, 0, size)
	for i := range v.Len {
		if !v.IsNull(i) {
			text = add(text, i)
		}
		if len(text) > math.MaxInt32 {
			return nil, sqlerr.New(sqlerr.Resource, "a batch of text is larger than 2 GiB")
		}
		offsets[i+1] = int32(len(text))
	}
	return array.NewData(t, v.Len, []*memory.Buffer{valid, raw(offsets), memory.NewBufferBytes(text)}, nil, nulls, 0), nil
}

func nested(v *vec.Vector, t arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	if v.Type.Kind == types.Struct {
		st := t.(*arrow.StructType)
		children := make([]arrow.ArrayData, len(v.Children))
		for i, c := range v.Children {
			d, err := data(c, st.Field(i).Type)
			if err != nil {
				return nil, err
			}
			children[i] = d
		}
		return array.NewData(t, v.Len, []*memory.Buffer{valid}, children, nulls, 0), nil
	}
	// Offsets start at 0 on the wire: some clients ignore where a list's values begin.
	base, end := v.Offsets[0], v.Offsets[v.Len]
	offsets := make([]int32, v.Len+1)
	for i := range offsets {
		offsets[i] = v.Offsets[i] - base
	}
	var elem arrow.DataType
	if m, ok := t.(*arrow.MapType); ok {
		elem = m.Elem()
	} else {
		elem = t.(arrow.ListLikeType).Elem()
	}
	child, err := data(v.Children[0].Slice(int(base), int(end)), elem)
	if err != nil {
		return nil, err
	}
	return array.NewData(t, v.Len, []*memory.Buffer{valid, raw(offsets)}, []arrow.ArrayData{child}, nulls, 0), nil
}
