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

// Record makes a record batch of schema (see Options.Schema) from the columns of b. Columns whose schema type is text, or JSON, must
// have been turned into text before if their SQL type is VARIANT, JSON, INTERVAL or nested; VARIANT columns that have not must be what
// variant.Export makes. A value that the schema type cannot hold is
// an OutOfRange error naming the column.
func Record(schema *arrow.Schema, b *vec.Batch) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, len(b.Cols))
	for i, c := range b.Cols {
		d, err := data(c, schema.Field(i).Type)
		if err != nil {
			return nil, sqlerr.New(sqlerr.KindOf(err), "column %s: %s", schema.Field(i).Name, err)
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
	switch x := t.(type) {
	case arrow.ExtensionType:
		d, err := data(v, x.StorageType())
		if err != nil {
			return nil, err
		}
		return array.NewData(t, d.Len(), d.Buffers(), d.Children(), d.NullN(), 0), nil
	case *arrow.DictionaryType:
		return dictionary(v, x)
	}
	if v.Type.Kind == types.Null {
		a := array.MakeArrayOfNull(memory.DefaultAllocator, t, v.Len)
		return a.Data(), nil
	}
	v = vec.Flatten(v)
	if v.Type.IsVariant() {
		return variants(v, t)
	}
	switch v.Type.Phys() {
	case types.PhysStruct, types.PhysList:
		return nested(v, t)
	}
	if add := printer(v, t); add != nil {
		return text(v, t, add)
	}
	buf, err := fixed(v, t)
	if err != nil {
		return nil, err
	}
	valid, nulls := validity(v)
	return array.NewData(t, v.Len, []*memory.Buffer{valid, buf}, nil, nulls, 0), nil
}

// printer returns the function that appends a value as text or bytes, for columns that travel so; nil for others.
func printer(v *vec.Vector, t arrow.DataType) func([]byte, int) []byte {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY:
	default:
		return nil
	}
	switch d := v.Data.(type) {
	case []vec.View:
		return func(dst []byte, i int) []byte { return append(dst, d[i].Bytes(v.Bufs)...) }
	case []types.Int128:
		return func(dst []byte, i int) []byte { return d[i].Append(dst) }
	case []types.Int256:
		return func(dst []byte, i int) []byte { return types.AppendDecimal256(dst, d[i], int(v.Type.Scale)) }
	case []uint32:
		return func(dst []byte, i int) []byte { return types.AppendIPv4(dst, d[i]) }
	case []types.Uint128:
		if v.Type.Kind == types.UUID {
			return func(dst []byte, i int) []byte { return types.AppendUUID(dst, d[i]) }
		}
		return func(dst []byte, i int) []byte { return types.AppendIPv6(dst, d[i]) }
	}
	panic(fmt.Sprintf("BUG: a column of %T reached the wire as %s", v.Data, t))
}

// fixed makes the values buffer of a column of a fixed width.
func fixed(v *vec.Vector, t arrow.DataType) (*memory.Buffer, error) {
	switch d := v.Data.(type) {
	case []bool:
		return bits(d), nil
	case []int8:
		return raw(d), nil
	case []int16:
		return raw(d), nil
	case []int32:
		return raw(d), nil
	case []uint32:
		return raw(d), nil
	case []float32:
		return raw(d), nil
	case []float64:
		return raw(d), nil
	case []int64:
		if v.Type.Kind == types.Decimal {
			return raw(mapped(d, types.Int128From)), nil
		}
		if s, ok := t.(*arrow.TimestampType); ok {
			return timestamps(v, d, s.Unit)
		}
		return raw(d), nil
	case []types.Int128:
		if t.ID() == arrow.DECIMAL256 {
			return raw(mapped(d, types.Int256From)), nil
		}
		return raw(d), nil
	case []types.Int256:
		return raw(d), nil
	case []types.Uint128:
		return raw(mapped(d, types.Uint128.Bytes)), nil
	case []types.IntervalValue:
		return intervals(v, d)
	}
	panic(fmt.Sprintf("BUG: a column of %T reached the wire as %s", v.Data, t))
}

func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return out
}

// timestamps converts microseconds to a unit. Milliseconds are those that have begun, also before 1970; a moment beyond the years that
// nanoseconds can count is an error.
func timestamps(v *vec.Vector, d []int64, unit arrow.TimeUnit) (*memory.Buffer, error) {
	switch unit {
	case arrow.Microsecond:
		return raw(d), nil
	case arrow.Millisecond:
		return raw(mapped(d, func(us int64) int64 {
			ms := us / 1000
			if us%1000 < 0 {
				ms--
			}
			return ms
		})), nil
	}
	out := make([]int64, len(d))
	for i, us := range d {
		if v.IsNull(i) {
			continue
		}
		if us > math.MaxInt64/1000 || us < math.MinInt64/1000 {
			return nil, sqlerr.New(sqlerr.OutOfRange, "%s %s does not fit a timestamp in nanoseconds, which reach from 1677-09-21 to 2262-04-11",
				v.Type.Kind, types.AppendDateTime(nil, us))
		}
		out[i] = us * 1000
	}
	return raw(out), nil
}

func intervals(v *vec.Vector, d []types.IntervalValue) (*memory.Buffer, error) {
	out := make([]arrow.MonthDayNanoInterval, len(d))
	for i, x := range d {
		if v.IsNull(i) {
			continue
		}
		if x.Micros > math.MaxInt64/1000 || x.Micros < math.MinInt64/1000 {
			return nil, sqlerr.New(sqlerr.OutOfRange, "an interval of %d microseconds does not fit nanoseconds", x.Micros)
		}
		out[i] = arrow.MonthDayNanoInterval{Months: x.Months, Days: x.Days, Nanoseconds: x.Micros * 1000}
	}
	return raw(out), nil
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

func nested(v *vec.Vector, t arrow.DataType) (arrow.ArrayData, error) {
	valid, nulls := validity(v)
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

// variants makes a struct of metadata and value.
func variants(v *vec.Vector, t arrow.DataType) (arrow.ArrayData, error) {
	if t.ID() != arrow.STRUCT {
		panic("BUG: a variant column reached the wire as " + t.String())
	}
	meta, value := newTexts(arrow.BinaryTypes.Binary, v.Len), newTexts(arrow.BinaryTypes.Binary, v.Len)
	for i := range v.Len {
		m, val := nullMeta, nullValue
		if !v.IsNull(i) {
			m, val = v.VariantAt(i)
		}
		meta.add(m)
		value.add(val)
	}
	var children []arrow.ArrayData
	for _, c := range []*texts{meta, value} {
		d, err := c.finish(nil, 0)
		if err != nil {
			return nil, err
		}
		children = append(children, d)
	}
	valid, nulls := validity(v)
	return array.NewData(t, v.Len, []*memory.Buffer{valid}, children, nulls, 0), nil
}

// nullMeta and nullValue are what stands in NULL rows: an empty dictionary and a JSON null.
var nullMeta, nullValue = []byte{1, 0, 0}, []byte{0}
