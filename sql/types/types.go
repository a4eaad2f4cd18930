// Package types holds SQL types, schemas and the wide integers behind LARGEINT and DECIMAL.
// It is plain data at the bottom of the house: it knows no vectors, no expressions and no storage.
// All values are immutable once built and safe for concurrent use.
package types

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the closed list of SQL types.
type Kind uint8

// The kinds. The comment gives the physical form in vectors (see Type.Phys).
const (
	Null        Kind = iota // the type of an untyped NULL literal
	Boolean                 // bool
	TinyInt                 // int8
	SmallInt                // int16
	Int                     // int32
	BigInt                  // int64
	LargeInt                // Int128
	Float                   // float32
	Double                  // float64
	Decimal                 // int64 (p <= 18), Int128 (p <= 38), Int256 (p <= 76): the unscaled number
	Varchar                 // UTF-8 text (CHAR, VARCHAR, STRING, TEXT)
	Binary                  // bytes
	Date                    // int32 days since 1970-01-01
	Time                    // int64 microseconds since midnight
	DateTime                // int64 microseconds since 1970-01-01 00:00:00, no zone
	TimestampTZ             // int64 microseconds since 1970-01-01 00:00:00 UTC
	Interval                // IntervalValue
	IPv4                    // uint32, host order
	IPv6                    // Uint128, big end first
	UUID                    // Uint128, big end first
	JSON                    // variant, never shredded
	Variant                 // variant
	Array                   // list of Elem
	Struct                  // Fields
	Map                     // list of (Fields[0] key, Fields[1] value)
)

// Limits of type parameters.
const (
	MaxDecimalPrecision = 76
	MaxTimePrecision    = 6 // digits below the second that DATETIME and its like keep
)

// Type is a SQL type with its parameters. The zero value is Null.
type Type struct {
	Kind Kind
	// Precision: decimal digits of DECIMAL (1..76); fractional second digits of TIME, DATETIME, TIMESTAMPTZ (0..6).
	Precision uint8
	// Scale: digits behind the point of DECIMAL.
	Scale uint8
	// Length: characters of CHAR(n)/VARCHAR(n); 0 means no limit.
	Length int32
	// Elem: element type of ARRAY.
	Elem *Type
	// Fields: members of STRUCT; key and value of MAP.
	Fields []Field
	// Variant: template and layout properties of VARIANT; nil means none given.
	Variant *VariantSpec
}

// Field is a named, typed member of a schema or STRUCT.
type Field struct {
	Name    string
	Type    Type
	NotNull bool
	// Table and Database tell clients where a result column comes from; empty for expressions.
	Table, Database string
	// Comment is the column comment, shown as REMARKS.
	Comment string
}

// Schema is an ordered list of fields; names need not be unique in results.
type Schema []Field

// Phys is the physical form of values in a vector.
type Phys uint8

// The physical forms.
const (
	PhysNone Phys = iota // Null
	PhysBool
	PhysInt8
	PhysInt16
	PhysInt32
	PhysInt64
	PhysInt128
	PhysInt256
	PhysUint32
	PhysUint128
	PhysFloat32
	PhysFloat64
	PhysString // View: text and bytes
	PhysInterval
	PhysVariant
	PhysList   // ARRAY, MAP
	PhysStruct // STRUCT
)

var physOf = [...]Phys{
	Null: PhysNone, Boolean: PhysBool, TinyInt: PhysInt8, SmallInt: PhysInt16, Int: PhysInt32, BigInt: PhysInt64, LargeInt: PhysInt128,
	Float: PhysFloat32, Double: PhysFloat64, Varchar: PhysString, Binary: PhysString, Date: PhysInt32, Time: PhysInt64, DateTime: PhysInt64,
	TimestampTZ: PhysInt64, Interval: PhysInterval, IPv4: PhysUint32, IPv6: PhysUint128, UUID: PhysUint128, JSON: PhysVariant,
	Variant: PhysVariant, Array: PhysList, Struct: PhysStruct, Map: PhysList,
}

// Phys returns the physical form of t.
func (t Type) Phys() Phys {
	if t.Kind != Decimal {
		return physOf[t.Kind]
	}
	switch {
	case t.Precision <= 18:
		return PhysInt64
	case t.Precision <= 38:
		return PhysInt128
	}
	return PhysInt256
}

// Of returns the type of a kind without parameters. DATETIME and its like get precision 6.
func Of(k Kind) Type {
	switch k {
	case Time, DateTime, TimestampTZ:
		return Type{Kind: k, Precision: MaxTimePrecision}
	}
	return Type{Kind: k}
}

// DecimalOf returns DECIMAL(p, s).
func DecimalOf(p, s int) Type { return Type{Kind: Decimal, Precision: uint8(p), Scale: uint8(s)} }

// ArrayOf returns ARRAY<elem>.
func ArrayOf(elem Type) Type { return Type{Kind: Array, Elem: &elem} }

// IsNumeric tells whether t is a number: integers, FLOAT, DOUBLE, DECIMAL.
func (t Type) IsNumeric() bool { return t.Kind >= TinyInt && t.Kind <= Decimal }

// IsInteger tells whether t is one of TINYINT to LARGEINT.
func (t Type) IsInteger() bool { return t.Kind >= TinyInt && t.Kind <= LargeInt }

// IsVariant tells whether values of t are variants (VARIANT or JSON).
func (t Type) IsVariant() bool { return t.Kind == Variant || t.Kind == JSON }

// IsTemporal tells whether t is DATE, TIME, DATETIME or TIMESTAMPTZ.
func (t Type) IsTemporal() bool { return t.Kind >= Date && t.Kind <= TimestampTZ }

// Equal tells whether two types are the same with all parameters. VARIANT specs count.
func (t Type) Equal(o Type) bool {
	if t.Kind != o.Kind || t.Precision != o.Precision || t.Scale != o.Scale || t.Length != o.Length || len(t.Fields) != len(o.Fields) {
		return false
	}
	if (t.Elem == nil) != (o.Elem == nil) || t.Elem != nil && !t.Elem.Equal(*o.Elem) {
		return false
	}
	for i, f := range t.Fields {
		if f.Name != o.Fields[i].Name || !f.Type.Equal(o.Fields[i].Type) {
			return false
		}
	}
	return t.Variant.String() == o.Variant.String()
}

var kindNames = [...]string{
	Null: "NULL", Boolean: "BOOLEAN", TinyInt: "TINYINT", SmallInt: "SMALLINT", Int: "INT", BigInt: "BIGINT", LargeInt: "LARGEINT",
	Float: "FLOAT", Double: "DOUBLE", Decimal: "DECIMAL", Varchar: "VARCHAR", Binary: "BINARY", Date: "DATE", Time: "TIME",
	DateTime: "DATETIME", TimestampTZ: "TIMESTAMPTZ", Interval: "INTERVAL", IPv4: "IPV4", IPv6: "IPV6", UUID: "UUID", JSON: "JSON",
	Variant: "VARIANT", Array: "ARRAY", Struct: "STRUCT", Map: "MAP",
}

// String returns the bare SQL name of the kind.
func (k Kind) String() string { return kindNames[k] }

// String returns the SQL spelling, as SHOW CREATE TABLE and DESC print it.
func (t Type) String() string {
	switch t.Kind {
	case Decimal:
		return fmt.Sprintf("DECIMAL(%d, %d)", t.Precision, t.Scale)
	case Varchar:
		if t.Length > 0 {
			return "VARCHAR(" + strconv.Itoa(int(t.Length)) + ")"
		}
	case Time, DateTime, TimestampTZ:
		if t.Precision != MaxTimePrecision {
			return t.Kind.String() + "(" + strconv.Itoa(int(t.Precision)) + ")"
		}
	case Array:
		return "ARRAY<" + t.Elem.String() + ">"
	case Map:
		return "MAP<" + t.Fields[0].Type.String() + "," + t.Fields[1].Type.String() + ">"
	case Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = QuoteName(f.Name) + ":" + f.Type.String()
		}
		return "STRUCT<" + strings.Join(parts, ",") + ">"
	case Variant:
		return "VARIANT" + t.Variant.String()
	}
	return t.Kind.String()
}

// QuoteName returns a name as it must be written in SQL: bare where it is a plain lower- or upper-case word, else in double quotes.
func QuoteName(s string) string {
	plain := s != "" && (s[0] < '0' || s[0] > '9')
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
