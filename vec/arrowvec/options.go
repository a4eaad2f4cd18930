package arrowvec

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ebira-db/ebira/sql/types"
)

// VariantForm is how VARIANT and JSON columns travel.
type VariantForm uint8

// The forms of variants.
const (
	// VariantText is JSON text in a plain text column.
	VariantText VariantForm = iota
	// VariantJSON is JSON text in a column of the extension arrow.json.
	VariantJSON
	// VariantBinary is the extension arrow.parquet.variant for VARIANT; JSON columns are plain text.
	VariantBinary
)

// TextForm is the Arrow type of columns that travel as text.
type TextForm uint8

// The forms of texts.
const (
	TextUtf8 TextForm = iota
	TextLargeUtf8
	TextView
)

// Options choose the Arrow types of SQL types. The zero value is the default: only types that every Flight SQL client reads, and text
// for everything that such clients lack.
type Options struct {
	Variant VariantForm
	Text    TextForm
	// Unit is the unit of DATETIME and TIMESTAMPTZ; the zero value, seconds, stands for microseconds.
	Unit arrow.TimeUnit
	// Zone is the time zone that TIMESTAMPTZ columns name, "" for UTC. The values are instants in any case.
	Zone string

	LargeIntDecimal bool // LARGEINT as Decimal256(39, 0), not as text
	WideDecimalText bool // DECIMAL beyond 38 digits as text, not as Decimal256
	NativeIP        bool // IPV4 as UInt32, IPV6 as FixedSizeBinary(16), not as text
	NativeUUID      bool // UUID as arrow.uuid, not as text
	NativeInterval  bool // INTERVAL as MonthDayNano, not as text
	NestedText      bool // ARRAY, MAP and STRUCT as JSON text, not as List, Map and Struct
	Dictionary      bool // VARCHAR columns as Dictionary(Int32, Utf8 or LargeUtf8)
}

// Type returns the Arrow type under which values of t travel.
func (o *Options) Type(t types.Type) arrow.DataType {
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
		if t.Precision <= 38 {
			return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
		}
		if !o.WideDecimalText {
			return &arrow.Decimal256Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
		}
	case types.Binary:
		return arrow.BinaryTypes.Binary
	case types.Date:
		return arrow.FixedWidthTypes.Date32
	case types.Time:
		return arrow.FixedWidthTypes.Time64us
	case types.DateTime:
		return &arrow.TimestampType{Unit: o.unit()}
	case types.TimestampTZ:
		return &arrow.TimestampType{Unit: o.unit(), TimeZone: o.zone()}
	case types.Array, types.Struct, types.Map:
		return o.nestedType(t)
	}
	return o.optionalType(t)
}

// optionalType returns the type of values that travel as text unless an option says otherwise.
func (o *Options) optionalType(t types.Type) arrow.DataType {
	switch {
	case t.Kind == types.LargeInt && o.LargeIntDecimal:
		return &arrow.Decimal256Type{Precision: 39}
	case t.Kind == types.IPv4 && o.NativeIP:
		return arrow.PrimitiveTypes.Uint32
	case t.Kind == types.IPv6 && o.NativeIP:
		return &arrow.FixedSizeBinaryType{ByteWidth: 16}
	case t.Kind == types.UUID && o.NativeUUID:
		return uuidType
	case t.Kind == types.Interval && o.NativeInterval:
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	case t.Kind == types.Variant && o.Variant == VariantBinary:
		return variantType
	case t.IsVariant() && o.Variant == VariantJSON:
		return newExtension(nameJSON, o.textType())
	}
	return o.textType()
}

func (o *Options) nestedType(t types.Type) arrow.DataType {
	switch {
	case o.NestedText:
		return o.textType()
	case t.Kind == types.Array:
		return arrow.ListOf(o.Type(*t.Elem))
	case t.Kind == types.Struct:
		return arrow.StructOf(o.fields(t.Fields)...)
	}
	return arrow.MapOf(o.Type(t.Fields[0].Type), o.Type(t.Fields[1].Type))
}

func (o *Options) textType() arrow.DataType {
	switch o.Text {
	case TextLargeUtf8:
		return arrow.BinaryTypes.LargeString
	case TextView:
		return arrow.BinaryTypes.StringView
	}
	return arrow.BinaryTypes.String
}

func (o *Options) unit() arrow.TimeUnit {
	if o.Unit == arrow.Second {
		return arrow.Microsecond
	}
	return o.Unit
}

func (o *Options) zone() string {
	if o.Zone == "" {
		return "UTC"
	}
	return o.Zone
}

var uuidType = newExtension(nameUUID, &arrow.FixedSizeBinaryType{ByteWidth: 16})

// variantType is a Parquet Variant that is not shredded. Both members are there in every row, also in NULL ones.
var variantType = newExtension(nameVariant, arrow.StructOf(
	arrow.Field{Name: "metadata", Type: arrow.BinaryTypes.Binary}, arrow.Field{Name: "value", Type: arrow.BinaryTypes.Binary}))

func (o *Options) fields(in []types.Field) []arrow.Field {
	out := make([]arrow.Field, len(in))
	for i, f := range in {
		out[i] = arrow.Field{Name: f.Name, Type: o.Type(f.Type), Nullable: !f.NotNull}
	}
	return out
}

// Schema returns the wire schema of result columns without metadata.
func (o *Options) Schema(s types.Schema) *arrow.Schema {
	fields := o.fields(s)
	for i := range fields {
		if o.Dictionary && s[i].Type.Kind == types.Varchar {
			// Views are no values of dictionaries: few clients read that.
			values := fields[i].Type
			if o.Text == TextView {
				values = arrow.BinaryTypes.String
			}
			fields[i].Type = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: values}
		}
	}
	return arrow.NewSchema(fields, nil)
}

// Sliceable tells whether a slice of a record batch of the schema that Options make takes room in proportion to its rows. Views and
// dictionaries bring all their text along; their rows must be chosen before Record.
func (o *Options) Sliceable() bool { return o.Text != TextView && !o.Dictionary }
