package stage

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// op is the way in which a slot takes values.
type op uint8

const (
	opBool op = iota
	opInt8
	opInt16
	opInt32
	opInt64
	opInt128
	opFloat32
	opFloat64
	opDecimal64
	opDecimal128
	opDecimal256
	opText
	opBinary
	opDate
	opTime
	opDateTime
	opTimestampTZ
	opInterval
	opIPv4
	opIPv6
	opUUID
	opVariant // a column: one sink for all rows
	opCell    // a variant inside an array or struct
	opList
	opStruct
	opMap
)

// slot builds the vector of one column, or of the elements or a member of a nested one. Values are put at row numbers, so that a value
// put again (a duplicate key) replaces the first, and what a bad row has put is simply overwritten by the next: nothing needs to be undone,
// except in the sink of a variant column. Rows before the last one put must all have been put.
type slot struct {
	op  op
	t   types.Type
	env *slotEnv
	// label is the name in messages.
	label   string
	notNull bool
	target  *Target // nil inside nested columns
	width   int     // cells that a value takes, not counting the elements of arrays and maps
	// mark is the serial number of the row, or of the object around it, that put the last value.
	mark int64

	size  int // rows that there is room for
	valid vec.Bitmap
	// One of these holds the values, by op.
	bools []bool
	i8    []int8
	i16   []int16
	i32   []int32
	i64   []int64
	i128  []types.Int128
	i256  []types.Int256
	f32   []float32
	f64   []float64
	u32   []uint32
	u128  []types.Uint128
	spans []types.IntervalValue
	views []vec.View
	bufs  [][]byte

	limit types.Int256 // of decimals: 10^precision
	whole int64        // of 64-bit decimals: 10^(precision-scale)
	unit  int64        // of 64-bit decimals: 10^scale; of times: microseconds of the last digit kept

	date       [10]byte // of timestamps: the date read last, and its midnight
	dateMicros int64

	// opVariant: values go to sink, which is builder or something from outside; filled is the serial number of the row begun or ended there.
	sink    variant.RowSink
	builder *variant.BatchBuilder
	filled  int64
	cells   []*vec.Vector // opCell: one row each, nil for NULL

	offsets  []int32 // opList, opMap
	elements int     // opList, opMap: elements put
	children []*slot // elements; members; key and value
	members  *nameIndex
}

// slotEnv is what all slots of a scan share.
type slotEnv struct {
	rounding bool
	zone     *zone
	scratch  []byte
	cell     *variant.BatchBuilder
}

// maxTypeDepth bounds nested types, so that recursion over them is bounded.
const maxTypeDepth = 64

// newSlot makes the slot of a type. Types that JSON values do not convert to are errors.
func newSlot(env *slotEnv, label string, t types.Type, depth int) (*slot, error) {
	s := &slot{t: t, env: env, label: label, width: 1}
	if depth > maxTypeDepth {
		return nil, sqlerr.New(sqlerr.Resource, "column %s is nested deeper than %d levels", label, maxTypeDepth)
	}
	switch t.Kind {
	case types.Decimal:
		s.decimal()
	case types.Variant, types.JSON:
		s.op = opCell
		if depth == 0 {
			s.op = opVariant
			s.builder = variant.NewBatchBuilder(0)
			s.sink, s.filled = s.builder, -1
		}
	case types.Array:
		s.op = opList
		s.offsets = []int32{0}
		return s, s.nest(depth, types.Field{Name: label + "[]", Type: *t.Elem})
	case types.Struct:
		s.op = opStruct
		names := make([]string, len(t.Fields))
		fields := make([]types.Field, len(t.Fields))
		for i, f := range t.Fields {
			names[i], fields[i] = f.Name, f
			fields[i].Name = label + "." + f.Name
		}
		s.members = newNameIndex(names, false)
		return s, s.nest(depth, fields...)
	case types.Map:
		if t.Fields[0].Type.Kind != types.Varchar {
			return nil, sqlerr.New(sqlerr.Unsupported, "column %s: a MAP with keys of type %s cannot be read from JSON, whose keys are text", label, t.Fields[0].Type)
		}
		s.op = opMap
		s.offsets = []int32{0}
		key, value := t.Fields[0], t.Fields[1]
		key.Name, value.Name = label+" key", label+"[]"
		return s, s.nest(depth, key, value)
	default:
		o, ok := scalarOps[t.Kind]
		if !ok {
			return nil, sqlerr.New(sqlerr.Unsupported, "column %s of type %s cannot be loaded from JSON", label, t)
		}
		s.op = o
		if t.Kind == types.Time || t.Kind == types.DateTime || t.Kind == types.TimestampTZ {
			s.unit = precisionUnit(t.Precision)
		}
	}
	return s, nil
}

var scalarOps = map[types.Kind]op{
	types.Boolean: opBool, types.TinyInt: opInt8, types.SmallInt: opInt16, types.Int: opInt32, types.BigInt: opInt64, types.LargeInt: opInt128,
	types.Float: opFloat32, types.Double: opFloat64, types.Varchar: opText, types.Binary: opBinary, types.Date: opDate, types.Time: opTime,
	types.DateTime: opDateTime, types.TimestampTZ: opTimestampTZ, types.Interval: opInterval, types.IPv4: opIPv4, types.IPv6: opIPv6, types.UUID: opUUID,
}

// nest makes the children.
func (s *slot) nest(depth int, fields ...types.Field) error {
	for _, f := range fields {
		c, err := newSlot(s.env, f.Name, f.Type, depth+1)
		if err != nil {
			return err
		}
		c.notNull = f.NotNull
		s.children = append(s.children, c)
		if s.op == opStruct {
			s.width += c.width
		}
	}
	return nil
}

// decimal prepares a slot of type DECIMAL.
func (s *slot) decimal() {
	p, scale := int(s.t.Precision), int(s.t.Scale)
	switch s.t.Phys() {
	case types.PhysInt64:
		s.op = opDecimal64
		s.unit, _ = types.Pow10(scale).Int64()
		s.whole, _ = types.Pow10(p - scale).Int64()
	case types.PhysInt128:
		s.op = opDecimal128
	default:
		s.op = opDecimal256
	}
	digits := "1" + strings.Repeat("0", min(p, types.MaxDecimalPrecision-1))
	s.limit, _, _ = types.ParseDecimal([]byte(digits), 0)
	if p == types.MaxDecimalPrecision {
		// 10^76 has a digit more than a decimal text may have: ten times 10^75 by doubling and adding.
		two, _ := s.limit.Add(s.limit)
		four, _ := two.Add(two)
		eight, _ := four.Add(four)
		s.limit, _ = eight.Add(two)
	}
}

// extend lengthens a slice to n entries.
func extend[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	grown := make([]T, n)
	copy(grown, s)
	return grown
}

// grow makes room for n rows.
func (s *slot) grow(n int) {
	s.size = max(s.size, n)
	s.valid = extend(s.valid, (n+63)/64)
	switch s.op {
	case opBool:
		s.bools = extend(s.bools, n)
	case opInt8:
		s.i8 = extend(s.i8, n)
	case opInt16:
		s.i16 = extend(s.i16, n)
	case opInt32, opDate:
		s.i32 = extend(s.i32, n)
	case opInt64, opDecimal64, opTime, opDateTime, opTimestampTZ:
		s.i64 = extend(s.i64, n)
	case opInt128, opDecimal128:
		s.i128 = extend(s.i128, n)
	case opDecimal256:
		s.i256 = extend(s.i256, n)
	case opFloat32:
		s.f32 = extend(s.f32, n)
	case opFloat64:
		s.f64 = extend(s.f64, n)
	case opText, opBinary:
		s.views = extend(s.views, n)
	case opInterval:
		s.spans = extend(s.spans, n)
	case opIPv4:
		s.u32 = extend(s.u32, n)
	case opIPv6, opUUID:
		s.u128 = extend(s.u128, n)
	case opCell:
		s.cells = extend(s.cells, n)
	case opList, opMap:
		s.offsets = extend(s.offsets, n+1)
	case opStruct:
		for _, c := range s.children {
			c.grow(n)
		}
	}
}

// begin starts the list or map of row r and drops what was put into it before.
func (s *slot) begin(r int) { s.elements = int(s.offsets[r]) }

// element makes room for the next element of the list or map begun, and returns its row in the children.
func (s *slot) element() int {
	if s.elements >= s.children[0].size {
		for _, c := range s.children {
			c.grow(max(minElements, 2*s.elements))
		}
	}
	return s.elements
}

// minElements is the room with which the children of lists begin.
const minElements = 64

// end completes the list, map or struct of row r.
func (s *slot) end(r int) {
	if s.op != opStruct {
		s.offsets[r+1] = int32(s.elements)
	}
	s.valid.Set(r)
}

// putNull puts NULL at row r.
func (s *slot) putNull(r int) {
	switch s.op {
	case opVariant:
		s.sink.AppendNull()
		return
	case opText, opBinary:
		s.views[r] = vec.View{}
	case opCell:
		s.cells[r] = nil
	case opList, opMap:
		s.offsets[r+1] = s.offsets[r]
	case opStruct:
		for _, c := range s.children {
			c.putNull(r)
		}
	}
	s.valid.Clear(r)
}
