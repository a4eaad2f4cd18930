package flightsrv

import (
	"github.com/apache/arrow-go/v18/arrow/array"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
)

// The codes of JDBC and ODBC that type info speaks in.
const (
	xdbcChar = 1 + iota // CHAR
	xdbcNumeric
	xdbcDecimal
	xdbcInteger
	xdbcSmallInt
	xdbcFloat
	xdbcReal
	xdbcDouble
	xdbcDateTime
	xdbcVarchar = 12

	xdbcDate      = 91
	xdbcTime      = 92
	xdbcTimestamp = 93

	xdbcLongVarchar = -1
	xdbcBinary      = -2
	xdbcBigInt      = -5
	xdbcTinyInt     = -6
	xdbcBit         = -7
)

// Searchability and the largest column size.
const (
	searchNone  = 0
	searchBasic = 2 // all comparisons but LIKE
	searchFull  = 3
	maxColumn   = 1<<31 - 1
)

// xdbcType is one row of GetXdbcTypeInfo. Numbers below zero are NULL.
type xdbcType struct {
	name           string
	code           int32
	size           int32
	prefix, suffix string
	params         []string
	caseSensitive  bool
	search         int32
	number         bool
	fixedScale     bool
	minScale       int32
	maxScale       int32
	sqlType        int32
	subcode        int32
	radix          int32
}

func textType(name string, code int32, params ...string) xdbcType {
	return xdbcType{name: name, code: code, size: maxColumn, prefix: "'", suffix: "'", params: params, caseSensitive: true, search: searchFull,
		minScale: -1, maxScale: -1, sqlType: code, subcode: -1, radix: -1}
}

func numberType(name string, code, digits, maxScale, radix int32, fixed bool, params ...string) xdbcType {
	return xdbcType{name: name, code: code, size: digits, params: params, search: searchBasic, number: true, fixedScale: fixed, minScale: 0,
		maxScale: maxScale, sqlType: code, subcode: -1, radix: radix}
}

func timeType(name, literal string, code, size, maxScale, subcode int32) xdbcType {
	return xdbcType{name: name, code: code, size: size, prefix: literal + " '", suffix: "'", search: searchBasic, minScale: 0, maxScale: maxScale,
		sqlType: xdbcDateTime, subcode: subcode, radix: -1}
}

func otherType(name string, code int32, search int32) xdbcType {
	t := textType(name, code)
	t.search = search
	return t
}

// xdbcTypes are the types of CREATE TABLE by code, the closest to the code's meaning first (FS-70).
var xdbcTypes = []xdbcType{
	{name: "BOOLEAN", code: xdbcBit, size: 1, search: searchBasic, minScale: -1, maxScale: -1, sqlType: xdbcBit, subcode: -1, radix: -1},
	numberType("TINYINT", xdbcTinyInt, 3, 0, 10, true),
	numberType("BIGINT", xdbcBigInt, 19, 0, 10, true),
	{name: "BINARY", code: xdbcBinary, size: maxColumn, prefix: "X'", suffix: "'", search: searchBasic, minScale: -1, maxScale: -1, sqlType: xdbcBinary, subcode: -1, radix: -1},
	textType("STRING", xdbcLongVarchar),
	otherType("VARIANT", xdbcLongVarchar, searchNone),
	otherType("JSON", xdbcLongVarchar, searchNone),
	otherType("ARRAY", xdbcLongVarchar, searchNone),
	otherType("MAP", xdbcLongVarchar, searchNone),
	otherType("STRUCT", xdbcLongVarchar, searchNone),
	textType("CHAR", xdbcChar, "length"),
	numberType("LARGEINT", xdbcNumeric, 39, 0, 10, true),
	numberType("DECIMAL", xdbcDecimal, 76, 76, 10, false, "precision", "scale"),
	numberType("INT", xdbcInteger, 10, 0, 10, true),
	numberType("SMALLINT", xdbcSmallInt, 5, 0, 10, true),
	numberType("FLOAT", xdbcReal, 24, -1, 2, false),
	numberType("DOUBLE", xdbcDouble, 53, -1, 2, false),
	textType("VARCHAR", xdbcVarchar, "length"),
	otherType("IPV4", xdbcVarchar, searchBasic),
	otherType("IPV6", xdbcVarchar, searchBasic),
	otherType("UUID", xdbcVarchar, searchBasic),
	timeType("DATE", "DATE", xdbcDate, 10, -1, 1),
	timeType("TIME", "TIME", xdbcTime, 15, 6, 2),
	timeType("DATETIME", "TIMESTAMP", xdbcTimestamp, 26, 6, 3),
	timeType("TIMESTAMPTZ", "TIMESTAMP", xdbcTimestamp, 26, 6, 3),
}

// fillTypeInfo lists the types, or those of one code.
func fillTypeInfo(b *array.RecordBuilder, m *pb.CommandGetXdbcTypeInfo) {
	number := func(col int, v int32) {
		if f := b.Field(col).(*array.Int32Builder); v < 0 && col != 1 && col != 15 {
			f.AppendNull()
		} else {
			f.Append(v)
		}
	}
	text := func(col int, v string) {
		if v == "" {
			b.Field(col).AppendNull()
		} else {
			appendText(b, col, v)
		}
	}
	flag := func(col int, v bool) { b.Field(col).(*array.BooleanBuilder).Append(v) }
	for _, t := range xdbcTypes {
		if m.DataType != nil && *m.DataType != t.code {
			continue
		}
		appendText(b, 0, t.name)
		number(1, t.code)
		number(2, t.size)
		text(3, t.prefix)
		text(4, t.suffix)
		params := b.Field(5).(*array.ListBuilder)
		params.Append(len(t.params) > 0)
		for _, p := range t.params {
			params.ValueBuilder().(*array.StringBuilder).Append(p)
		}
		number(6, 1) // every type may be NULL
		flag(7, t.caseSensitive)
		number(8, t.search)
		if t.number {
			flag(9, false)
		} else {
			b.Field(9).AppendNull()
		}
		flag(10, t.fixedScale)
		if t.number {
			flag(11, false)
		} else {
			b.Field(11).AppendNull()
		}
		appendText(b, 12, t.name)
		number(13, t.minScale)
		number(14, t.maxScale)
		number(15, t.sqlType)
		number(16, t.subcode)
		number(17, t.radix)
		b.Field(18).AppendNull()
	}
}
