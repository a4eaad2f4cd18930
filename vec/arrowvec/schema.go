package arrowvec

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ebira-db/ebira/sql/types"
)

// maxDepth bounds the nesting of types that clients send.
const maxDepth = 32

// SQLType returns the SQL type that holds all values of an Arrow field; false if there is none. Of the extensions, Parquet Variants and
// UUIDs are known; others stand for their storage.
func SQLType(f arrow.Field) (types.Type, bool) { return sqlType(f, 0) }

// DeclaredType is the type that a column made for a field should have: that of SQLType, but JSON for the extension arrow.json, whose
// values arrive as text.
func DeclaredType(f arrow.Field) (types.Type, bool) {
	t, ok := SQLType(f)
	if name, _ := extensionOf(f); name == nameJSON && t.Kind == types.Varchar {
		return types.Of(types.JSON), ok
	}
	return t, ok
}

func sqlType(f arrow.Field, depth int) (types.Type, bool) {
	if depth > maxDepth {
		return types.Type{}, false
	}
	name, storage := extensionOf(f)
	switch name {
	case nameVariant, oldNameVariant:
		return types.Of(types.Variant), true
	case nameUUID:
		return types.Of(types.UUID), true
	}
	inner := func(t arrow.DataType) (types.Type, bool) { return sqlType(arrow.Field{Type: t}, depth+1) }
	if k, ok := plainTypes[storage.ID()]; ok {
		return types.Of(k), true
	}
	switch t := storage.(type) {
	case arrow.DecimalType:
		p, s := int(t.GetPrecision()), int(t.GetScale())
		if s < 0 {
			p, s = p-s, 0
		}
		return types.DecimalOf(p, s), p >= 1 && p <= types.MaxDecimalPrecision && s <= p
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return types.Of(types.TimestampTZ), true
		}
		return types.Of(types.DateTime), true
	case *arrow.FixedSizeBinaryType:
		return types.Of(types.Binary), true
	case *arrow.DictionaryType:
		return inner(t.ValueType)
	case *arrow.RunEndEncodedType:
		return inner(t.Encoded())
	case arrow.ExtensionType:
		return inner(t)
	case *arrow.StructType:
		out := types.Type{Kind: types.Struct}
		for _, f := range t.Fields() {
			ft, ok := sqlType(f, depth+1)
			if !ok {
				return out, false
			}
			out.Fields = append(out.Fields, types.Field{Name: f.Name, Type: ft, NotNull: !f.Nullable})
		}
		return out, len(out.Fields) > 0
	case *arrow.MapType:
		k, ok1 := sqlType(t.KeyField(), depth+1)
		v, ok2 := sqlType(t.ItemField(), depth+1)
		return types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: k, NotNull: true}, {Name: "value", Type: v}}}, ok1 && ok2
	case arrow.ListLikeType:
		e, ok := sqlType(t.ElemField(), depth+1)
		return types.ArrayOf(e), ok
	}
	return types.Type{}, false
}

// plainTypes are the Arrow types without parameters that matter. Unsigned integers widen; UINT64 needs a decimal.
var plainTypes = map[arrow.Type]types.Kind{
	arrow.NULL: types.Null, arrow.BOOL: types.Boolean, arrow.INT8: types.TinyInt, arrow.INT16: types.SmallInt, arrow.INT32: types.Int,
	arrow.INT64: types.BigInt, arrow.UINT8: types.SmallInt, arrow.UINT16: types.Int, arrow.UINT32: types.BigInt, arrow.UINT64: types.LargeInt,
	arrow.FLOAT16: types.Float, arrow.FLOAT32: types.Float, arrow.FLOAT64: types.Double, arrow.STRING: types.Varchar,
	arrow.LARGE_STRING: types.Varchar, arrow.STRING_VIEW: types.Varchar, arrow.BINARY: types.Binary, arrow.LARGE_BINARY: types.Binary,
	arrow.BINARY_VIEW: types.Binary, arrow.DATE32: types.Date, arrow.DATE64: types.Date, arrow.TIME32: types.Time, arrow.TIME64: types.Time,
	arrow.INTERVAL_MONTHS: types.Interval, arrow.INTERVAL_DAY_TIME: types.Interval, arrow.INTERVAL_MONTH_DAY_NANO: types.Interval,
	arrow.DURATION: types.Interval,
}
