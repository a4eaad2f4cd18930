package arrowvec

import (
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// bytesArray is any array of bytes: Binary, LargeBinary, BinaryView, FixedSizeBinary.
type bytesArray interface {
	arrow.Array
	Value(i int) []byte
}

// Batch copies a record batch that a client sent. Values keep their meaning: unsigned integers widen, units become microseconds; a
// value that does not fit (nanoseconds that are no whole microseconds, years out of range) is a Conversion error naming the column.
func Batch(rec arrow.RecordBatch) (*vec.Batch, error) {
	b := &vec.Batch{Len: int(rec.NumRows())}
	for i, col := range rec.Columns() {
		v, err := Vector(rec.Schema().Field(i), col)
		if err != nil {
			return nil, sqlerr.New(sqlerr.KindOf(err), "column %s: %s", rec.ColumnName(i), err)
		}
		b.Cols = append(b.Cols, v)
	}
	return b, nil
}

// Vector copies an Arrow array, a column of field f.
func Vector(f arrow.Field, a arrow.Array) (*vec.Vector, error) {
	t, ok := SQLType(f)
	if !ok {
		return nil, sqlerr.New(sqlerr.Unsupported, "Arrow type %s is not supported", f.Type)
	}
	b := vec.NewBuilder(t, a.Len())
	for i := range a.Len() {
		if err := appendValue(b, a, i); err != nil {
			return nil, err
		}
	}
	return b.Finish(), nil
}

// appendValue appends value i of a, an array of a field whose SQLType is the builder's type.
func appendValue(b *vec.Builder, a arrow.Array, i int) error {
	if a.IsNull(i) || a.DataType().ID() == arrow.NULL {
		b.AppendNull()
		return nil
	}
	switch a := a.(type) {
	case array.ExtensionArray:
		return appendValue(b, a.Storage(), i)
	case *array.Dictionary:
		return appendValue(b, a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return appendValue(b, a.Values(), a.GetPhysicalIndex(i))
	}
	switch b.Type().Kind {
	case types.Variant:
		return appendVariant(b, a, i)
	case types.UUID:
		return appendUUID(b, a, i)
	}
	switch a := a.(type) {
	case *array.Boolean:
		vec.Append(b, a.Value(i))
	case *array.Int8:
		vec.Append(b, a.Value(i))
	case *array.Int16:
		vec.Append(b, a.Value(i))
	case *array.Int32:
		vec.Append(b, a.Value(i))
	case *array.Int64:
		vec.Append(b, a.Value(i))
	case *array.Uint8:
		vec.Append(b, int16(a.Value(i)))
	case *array.Uint16:
		vec.Append(b, int32(a.Value(i)))
	case *array.Uint32:
		vec.Append(b, int64(a.Value(i)))
	case *array.Uint64:
		vec.Append(b, types.Int128{Lo: a.Value(i)})
	case *array.Float16:
		vec.Append(b, a.Value(i).Float32())
	case *array.Float32:
		vec.Append(b, a.Value(i))
	case *array.Float64:
		vec.Append(b, a.Value(i))
	default:
		return appendOther(b, a, i)
	}
	return nil
}

func appendOther(b *vec.Builder, a arrow.Array, i int) error {
	switch a := a.(type) {
	case array.StringLike:
		b.AppendString(a.Value(i))
	case bytesArray:
		b.AppendBytes(a.Value(i))
	case *array.Struct:
		for j := range a.NumField() {
			if err := appendValue(b.Child(j), a.Field(j), i); err != nil {
				return err
			}
		}
		b.CloseStruct()
	case *array.Map:
		from, to := a.ValueOffsets(i)
		for e := from; e < to; e++ {
			pair := b.Child(0)
			if err := appendValue(pair.Child(0), a.Keys(), int(e)); err != nil {
				return err
			}
			if err := appendValue(pair.Child(1), a.Items(), int(e)); err != nil {
				return err
			}
			pair.CloseStruct()
		}
		b.CloseList()
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		for e := from; e < to; e++ {
			if err := appendValue(b.Child(0), a.ListValues(), int(e)); err != nil {
				return err
			}
		}
		b.CloseList()
	default:
		return appendScalar(b, a, i)
	}
	return nil
}

// appendScalar appends decimals and times.
func appendScalar(b *vec.Builder, a arrow.Array, i int) error {
	switch a := a.(type) {
	case *array.Decimal32:
		return appendDecimal(b, a.DataType(), types.Int256From(types.Int128From(int64(a.Value(i)))))
	case *array.Decimal64:
		return appendDecimal(b, a.DataType(), types.Int256From(types.Int128From(int64(a.Value(i)))))
	case *array.Decimal128:
		return appendDecimal(b, a.DataType(), int256From128(a.Value(i)))
	case *array.Decimal256:
		return appendDecimal(b, a.DataType(), int256From256(a.Value(i)))
	case *array.Date32:
		vec.Append(b, int32(a.Value(i)))
	case *array.Date64:
		ms := int64(a.Value(i))
		days, rest := types.SplitMicros(ms * 1000)
		if rest != 0 || ms > math.MaxInt64/1000 || ms < math.MinInt64/1000 {
			return sqlerr.New(sqlerr.Conversion, "date64 value %d is not a whole day", ms)
		}
		vec.Append(b, days)
	case *array.Time32:
		return appendMicros(b, int64(a.Value(i)), a.DataType().(*arrow.Time32Type).Unit)
	case *array.Time64:
		return appendMicros(b, int64(a.Value(i)), a.DataType().(*arrow.Time64Type).Unit)
	case *array.Timestamp:
		return appendMicros(b, int64(a.Value(i)), a.DataType().(*arrow.TimestampType).Unit)
	case *array.Duration:
		us, err := micros(int64(a.Value(i)), a.DataType().(*arrow.DurationType).Unit)
		vec.Append(b, types.IntervalValue{Micros: us})
		return err
	case *array.MonthInterval:
		vec.Append(b, types.IntervalValue{Months: int32(a.Value(i))})
	case *array.DayTimeInterval:
		vec.Append(b, types.IntervalValue{Days: a.Value(i).Days, Micros: int64(a.Value(i).Milliseconds) * 1000})
	case *array.MonthDayNanoInterval:
		x := a.Value(i)
		if x.Nanoseconds%1000 != 0 {
			return sqlerr.New(sqlerr.Conversion, "interval of %d nanoseconds is not a whole number of microseconds", x.Nanoseconds)
		}
		vec.Append(b, types.IntervalValue{Months: x.Months, Days: x.Days, Micros: x.Nanoseconds / 1000})
	default:
		return sqlerr.New(sqlerr.Unsupported, "Arrow type %s is not supported", a.DataType())
	}
	return nil
}

var ten = big.NewInt(10)

func int256From128(n decimal128.Num) types.Int256 {
	return types.Int256From(types.Int128{Lo: n.LowBits(), Hi: n.HighBits()})
}

func int256From256(n decimal256.Num) types.Int256 { return types.Int256(n.Array()) }

// appendDecimal appends an unscaled number of a decimal type; negative scales have been widened to 0 by SQLType.
func appendDecimal(b *vec.Builder, t arrow.DataType, v types.Int256) error {
	if s := t.(arrow.DecimalType).GetScale(); s < 0 {
		n := v.Big()
		for ; s < 0; s++ {
			n.Mul(n, ten)
		}
		var ok bool
		if v, ok = types.Int256FromBig(n); !ok {
			return sqlerr.New(sqlerr.OutOfRange, "decimal %s does not fit %s", n, b.Type())
		}
	}
	small, fits := v.Int128()
	switch b.Type().Phys() {
	case types.PhysInt64:
		x, ok := small.Int64()
		if !fits || !ok {
			return sqlerr.New(sqlerr.OutOfRange, "decimal %s does not fit %s", v, b.Type())
		}
		vec.Append(b, x)
	case types.PhysInt128:
		if !fits {
			return sqlerr.New(sqlerr.OutOfRange, "decimal %s does not fit %s", v, b.Type())
		}
		vec.Append(b, small)
	default:
		vec.Append(b, v)
	}
	return nil
}

func appendMicros(b *vec.Builder, v int64, unit arrow.TimeUnit) error {
	us, err := micros(v, unit)
	if err == nil {
		vec.Append(b, us)
	}
	return err
}

// micros converts a count of units to microseconds.
func micros(v int64, unit arrow.TimeUnit) (int64, error) {
	factor := int64(1)
	switch unit {
	case arrow.Second:
		factor = 1_000_000
	case arrow.Millisecond:
		factor = 1000
	case arrow.Nanosecond:
		if v%1000 != 0 {
			return 0, sqlerr.New(sqlerr.Conversion, "time of %d nanoseconds is not a whole number of microseconds", v)
		}
		return v / 1000, nil
	}
	if v > math.MaxInt64/factor || v < math.MinInt64/factor {
		return 0, sqlerr.New(sqlerr.OutOfRange, "time %d %s is out of range", v, unit)
	}
	return v * factor, nil
}

// appendVariant appends a Parquet Variant.
func appendVariant(b *vec.Builder, a arrow.Array, i int) error {
	st, ok := a.(*array.Struct)
	if !ok || st.NumField() != 2 {
		return sqlerr.New(sqlerr.Unsupported, "shredded variants are not accepted; send metadata and value")
	}
	meta, ok1 := binaryField(st, "metadata", i)
	value, ok2 := binaryField(st, "value", i)
	if !ok1 || !ok2 {
		return sqlerr.New(sqlerr.Unsupported, "a variant needs the binary fields metadata and value")
	}
	b.AppendVariant(meta, value)
	return nil
}

func appendUUID(b *vec.Builder, a arrow.Array, i int) error {
	f, ok := a.(bytesArray)
	if !ok || len(f.Value(i)) != 16 {
		return sqlerr.New(sqlerr.Conversion, "a UUID needs 16 bytes")
	}
	vec.Append(b, types.Uint128FromBytes(f.Value(i)))
	return nil
}

func binaryField(st *array.Struct, name string, i int) ([]byte, bool) {
	j, ok := st.DataType().(*arrow.StructType).FieldIdx(name)
	if !ok {
		return nil, false
	}
	f, ok := st.Field(j).(bytesArray)
	if !ok || f.IsNull(i) {
		return nil, false
	}
	return f.Value(i), true
}
