package arrowvec

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ebira-db/ebira/sql/types"
)

// Type returns the Arrow type under which values of t travel by default: only types that every Flight SQL client reads. Numbers and
// addresses that such clients lack (LARGEINT, IPV4, UUID, ...), VARIANT and JSON travel as text.
func Type(t types.Type) arrow.DataType {
	switch t.Kind {
	case types.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case types.TinyInt:
		return arrow.PrimitiveTypes.Int8
	case types.SmallInt:
		return arrow.PrimitiveTypes.Int16
	case types.Int:
		return arrow.PrimitiveTypes.Int32
	case types.BigInt:
		return arrow.PrimitiveTypes.Int64
	case types.Float:
		return arrow.PrimitiveTypes.Float32
	case types.Double:
		return arrow.PrimitiveTypes.Float64
	case types.Decimal:
		if t.Precision > 38 {
			return &arrow.Decimal256Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
		}
		return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
	case types.Binary:
		return arrow.BinaryTypes.Binary
	case types.Date:
		return arrow.FixedWidthTypes.Date32
	case types.Time:
		return arrow.FixedWidthTypes.Time64us
	case types.DateTime:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case types.TimestampTZ:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case types.Array:
		return arrow.ListOf(Type(*t.Elem))
	case types.Struct:
		return arrow.StructOf(fields(t.Fields)...)
	case types.Map:
		m := arrow.MapOf(Type(t.Fields[0].Type), Type(t.Fields[1].Type))
		return m
	}
	return arrow.BinaryTypes.String
}

func fields(in []types.Field) []arrow.Field {
	out := make([]arrow.Field, len(in))
	for i, f := range in {
		out[i] = arrow.Field{Name: f.Name, Type: Type(f.Type), Nullable: !f.NotNull}
	}
	return out
}

// Schema returns the wire schema of result columns without metadata.
func Schema(s types.Schema) *arrow.Schema { return arrow.NewSchema(fields(s), nil) }

// maxDepth bounds the nesting of types that clients send.
const maxDepth = 32

// SQLType returns the SQL type that holds all values of an Arrow type; false if there is none.
func SQLType(t arrow.DataType) (types.Type, bool) { return sqlType(t, 0) }

func sqlType(t arrow.DataType, depth int) (types.Type, bool) {
	if depth > maxDepth {
		return types.Type{}, false
	}
	if k, ok := plainTypes[t.ID()]; ok {
		return types.Of(k), true
	}
	switch t := t.(type) {
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
		return sqlType(t.ValueType, depth+1)
	case *arrow.RunEndEncodedType:
		return sqlType(t.Encoded(), depth+1)
	case arrow.ExtensionType:
		if isVariant(t) {
			return types.Of(types.Variant), true
		}
		if t.ExtensionName() == "arrow.uuid" {
			return types.Of(types.UUID), true
		}
		return sqlType(t.StorageType(), depth+1)
	case *arrow.StructType:
		out := types.Type{Kind: types.Struct}
		for _, f := range t.Fields() {
			ft, ok := sqlType(f.Type, depth+1)
			if !ok {
				return out, false
			}
			out.Fields = append(out.Fields, types.Field{Name: f.Name, Type: ft, NotNull: !f.Nullable})
		}
		return out, len(out.Fields) > 0
	case *arrow.MapType:
		k, ok1 := sqlType(t.KeyType(), depth+1)
		v, ok2 := sqlType(t.ItemType(), depth+1)
		return types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: k, NotNull: true}, {Name: "value", Type: v}}}, ok1 && ok2
	case arrow.ListLikeType:
		e, ok := sqlType(t.Elem(), depth+1)
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

// isVariant tells whether an extension is a Parquet Variant, under its canonical or its older name.
func isVariant(t arrow.ExtensionType) bool {
	return t.ExtensionName() == "arrow.parquet.variant" || t.ExtensionName() == "parquet.variant"
}
