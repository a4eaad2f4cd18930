package flightsrv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/variant"
)

// jsonArray makes an array of a type from its JSON form.
func jsonArray(t *testing.T, typ arrow.DataType, values string) arrow.Array {
	t.Helper()
	if d, ok := typ.(*arrow.DictionaryType); ok {
		entries := jsonArray(t, d.ValueType, values)
		codes := array.NewInt8Builder(memory.DefaultAllocator)
		for i := range entries.Len() {
			if entries.IsNull(i) {
				codes.AppendNull()
				continue
			}
			codes.Append(int8(i))
		}
		return array.NewDictionaryArray(typ, codes.NewArray(), entries)
	}
	a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(values))
	if err != nil {
		t.Fatalf("%s %s: %v", typ, values, err)
	}
	return a
}

// extensionField is a field that carries an extension by its metadata, as it arrives from clients.
func extensionField(name string, storage arrow.DataType) arrow.Field {
	return arrow.Field{Type: storage, Nullable: true, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{name, ""})}
}

// upload writes one column to table t, by ingest or by an INSERT with parameters, and returns the values that are in the table then.
func (r *rig) upload(c *flightsql.Client, sqlType string, f arrow.Field, a arrow.Array, ingest bool) (string, error) {
	r.t.Helper()
	r.run(c, "DROP TABLE IF EXISTS t")
	r.run(c, "CREATE TABLE t (c "+sqlType+")")
	f.Name = "c"
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{f}, nil), []arrow.Array{a}, int64(a.Len()))
	var n int64
	var err error
	if ingest {
		rd, _ := array.NewRecordReader(rec.Schema(), []arrow.RecordBatch{rec})
		n, err = c.ExecuteIngest(r.ctx(), rd, &flightsql.ExecuteIngestOpts{Table: "t", TableDefinitionOptions: &flightsql.TableDefinitionOptions{
			IfNotExist: pb.CommandStatementIngest_TableDefinitionOptions_TABLE_NOT_EXIST_OPTION_FAIL,
			IfExists:   pb.CommandStatementIngest_TableDefinitionOptions_TABLE_EXISTS_OPTION_APPEND}})
	} else {
		p, perr := c.Prepare(r.ctx(), "INSERT INTO t VALUES (?)")
		if perr != nil {
			r.t.Fatal(perr)
		}
		defer p.Close(r.ctx())
		p.SetParameters(rec)
		n, err = p.ExecuteUpdate(r.ctx())
	}
	got := r.run(c, "SELECT c FROM t")
	if err == nil && n != int64(a.Len()) {
		r.t.Errorf("%s from %s: %d rows written, not %d", sqlType, f.Type, n, a.Len())
	}
	if err != nil && got != "" {
		r.t.Errorf("%s from %s: failed and left %q", sqlType, f.Type, got)
	}
	return got, err
}

func TestAcceptedOnBindAndIngest(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "SET time_zone = 'Asia/Tokyo'")
	g := func(sqlType string, f arrow.Field, a arrow.Array, want string) {
		t.Helper()
		for _, ingest := range []bool{true, false} {
			if got, err := r.upload(c, sqlType, f, a, ingest); err != nil || got != want {
				t.Errorf("%s from %s (ingest %v): got %q %v, want %q", sqlType, f.Type, ingest, got, err, want)
			}
		}
	}
	f := func(sqlType string, typ arrow.DataType, values, want string) {
		t.Helper()
		g(sqlType, arrow.Field{Type: typ, Nullable: true}, jsonArray(t, typ, values), want)
	}
	dict := func(v arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: v}
	}
	dec := func(p, s int32) arrow.DataType { return &arrow.Decimal128Type{Precision: p, Scale: s} }
	dec256 := func(p, s int32) arrow.DataType { return &arrow.Decimal256Type{Precision: p, Scale: s} }
	fsb := func(n int) arrow.DataType { return &arrow.FixedSizeBinaryType{ByteWidth: n} }
	stamp := func(u arrow.TimeUnit, zone string) arrow.DataType {
		return &arrow.TimestampType{Unit: u, TimeZone: zone}
	}
	texts := []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, dict(arrow.BinaryTypes.String), dict(arrow.BinaryTypes.LargeString)}
	ints := []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64}

	for _, typ := range texts {
		f("VARCHAR", typ, `["a",null,"b","a"]`, "a;(null);b;a")
		f("VARIANT", typ, `["{\"b\":1,\"a\":[]}",null,"7"]`, `{"a":[],"b":1};(null);7`)
		f("JSON", typ, `["{\"b\":1}",null]`, `{"b":1};(null)`)
		f("LARGEINT", typ, `["170141183460469231731687303715884105727",null]`, "170141183460469231731687303715884105727;(null)")
		f("DECIMAL(10,2)", typ, `["1.25",null]`, "1.25;(null)")
		f("DECIMAL(50,3)", typ, `["12345678901234567890123456789012345678901234567.125"]`, "12345678901234567890123456789012345678901234567.125")
		f("IPV4", typ, `["10.0.0.1",null]`, "10.0.0.1;(null)")
		f("IPV6", typ, `["2001:db8::1",null]`, "2001:db8::1;(null)")
		f("UUID", typ, `["123E4567-e89b-12d3-a456-426614174000",null]`, "123e4567-e89b-12d3-a456-426614174000;(null)")
	}
	for _, typ := range ints {
		f("BOOLEAN", typ, `[1,0,null]`, "true;false;(null)")
		f("TINYINT", typ, `[7,null]`, "7;(null)")
		f("INT", typ, `[7,null]`, "7;(null)")
		f("BIGINT", typ, `[7,null]`, "7;(null)")
		f("LARGEINT", typ, `[7,null]`, "7;(null)")
		f("DECIMAL(10,2)", typ, `[7,null]`, "7;(null)")
		f("DOUBLE", typ, `[7,null]`, "7;(null)")
		f("VARIANT", typ, `[7,null]`, "7;(null)")
	}
	f("BIGINT", dec(10, 2), `["7.00",null]`, "7;(null)")
	f("LARGEINT", dec(38, 0), `["99999999999999999999999999999999999999",null]`, "99999999999999999999999999999999999999;(null)")
	f("LARGEINT", dec256(39, 0), `["-170141183460469231731687303715884105728",null]`, "-170141183460469231731687303715884105728;(null)")
	f("DECIMAL(10,2)", dec256(50, 2), `["1.25"]`, "1.25")
	f("DECIMAL(50,3)", dec256(50, 3), `["12345678901234567890123456789012345678901234567.125"]`, "12345678901234567890123456789012345678901234567.125")
	f("DECIMAL(10,2)", &arrow.Decimal32Type{Precision: 5, Scale: 2}, `["1.25"]`, "1.25")
	f("DECIMAL(10,2)", &arrow.Decimal64Type{Precision: 12, Scale: 2}, `["1.25"]`, "1.25")
	f("DECIMAL(10,2)", arrow.PrimitiveTypes.Float64, `[1.255,null]`, "1.26;(null)")
	f("DECIMAL(10,2)", arrow.PrimitiveTypes.Float32, `[0.1]`, "0.1")
	f("FLOAT", arrow.FixedWidthTypes.Float16, `[1.5]`, "1.5")

	f("IPV4", arrow.PrimitiveTypes.Uint32, `[4294967295,null]`, "255.255.255.255;(null)")
	f("IPV4", arrow.PrimitiveTypes.Int32, `[-1,167772161]`, "255.255.255.255;10.0.0.1")
	f("IPV4", fsb(4), `["CgAAAQ==",null]`, "10.0.0.1;(null)")
	f("IPV6", fsb(16), `["IAENuAAAAAAAAAAAAAAAAQ==",null]`, "2001:db8::1;(null)")
	f("IPV6", arrow.BinaryTypes.Binary, `["IAENuAAAAAAAAAAAAAAAAQ==",null]`, "2001:db8::1;(null)")
	f("UUID", fsb(16), `["Ej5FZ+ibEtOkVkJmFBdAAA==",null]`, "123e4567-e89b-12d3-a456-426614174000;(null)")
	g("UUID", extensionField("arrow.uuid", fsb(16)), jsonArray(t, fsb(16), `["Ej5FZ+ibEtOkVkJmFBdAAA==",null]`), "123e4567-e89b-12d3-a456-426614174000;(null)")
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView, fsb(2)} {
		f("BINARY", typ, `["AAE=",null]`, "AAE=;(null)")
	}

	f("DATE", arrow.FixedWidthTypes.Date32, `["2024-02-03",null]`, "2024-02-03;(null)")
	f("DATE", arrow.FixedWidthTypes.Date64, `["2024-02-03",null]`, "2024-02-03;(null)")
	f("DATE", stamp(arrow.Millisecond, ""), `["2024-02-03 00:00:00",null]`, "2024-02-03;(null)")
	for _, typ := range []arrow.DataType{arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Time64ns} {
		f("TIME", typ, `["01:02:03",null]`, "01:02:03.000000;(null)")
	}
	for _, u := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		f("DATETIME", stamp(u, ""), `["2024-02-03 04:05:06",null]`, "2024-02-03T04:05:06;(null)")
		f("TIMESTAMPTZ", stamp(u, "UTC"), `["2024-02-03 04:05:06Z",null]`, "2024-02-03T04:05:06Z;(null)")
	}
	// A moment becomes the wall clock of the session, and the other way round.
	f("DATETIME", stamp(arrow.Microsecond, "UTC"), `["2024-02-03 04:05:06Z"]`, "2024-02-03T13:05:06")
	f("TIMESTAMPTZ", stamp(arrow.Microsecond, ""), `["2024-02-03 04:05:06"]`, "2024-02-02T19:05:06Z")
	for _, zone := range []string{"Z", "+00:00", "utc", "Europe/Berlin"} {
		b := array.NewTimestampBuilder(memory.DefaultAllocator, stamp(arrow.Second, zone).(*arrow.TimestampType))
		b.Append(1706933106)
		g("TIMESTAMPTZ", arrow.Field{Type: b.Type(), Nullable: true}, b.NewArray(), "2024-02-03T04:05:06Z")
	}

	list := func(e arrow.DataType) []arrow.DataType {
		return []arrow.DataType{arrow.ListOf(e), arrow.LargeListOf(e), arrow.ListViewOf(e), arrow.LargeListViewOf(e), arrow.FixedSizeListOf(2, e)}
	}
	for _, typ := range list(arrow.PrimitiveTypes.Int32) {
		f("ARRAY<INT>", typ, `[[1,null],null]`, "[1,null];(null)")
		f("ARRAY<BIGINT>", typ, `[[1,2]]`, "[1,2]")
		f("VARIANT", typ, `[[1,null],null]`, "[1,null];(null)")
	}
	st := arrow.StructOf(arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "x", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64), Nullable: true})
	f("VARIANT", st, `[{"y":"a","x":[1.5]},null]`, `{"x":[1.5],"y":"a"};(null)`)
	f("STRUCT<y: STRING, x: ARRAY<DOUBLE>>", st, `[{"y":"a","x":[1.5]},null]`, `{"x":[1.5],"y":"a"};(null)`)
	m := arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32)
	f("VARIANT", m, `[[{"key":"b","value":1},{"key":"a","value":null}],null]`, `{"a":null,"b":1};(null)`)
	f("MAP<STRING, INT>", m, `[[{"key":"b","value":1}],null]`, `[{"key":"b","value":1}];(null)`)
	f("VARIANT", arrow.FixedWidthTypes.Boolean, `[true,null]`, "true;(null)")
	f("VARIANT", arrow.PrimitiveTypes.Float64, `[1.5,null]`, "1.5;(null)")
	f("VARIANT", dec(10, 2), `["1.25"]`, "1.25")
	f("VARIANT", arrow.FixedWidthTypes.Date32, `["2024-02-03"]`, `"2024-02-03"`)
	f("VARIANT", stamp(arrow.Microsecond, ""), `["2024-02-03 04:05:06"]`, `"2024-02-03 04:05:06"`)
	f("VARIANT", arrow.Null, `[null]`, "(null)")
	f("BIGINT", arrow.Null, `[null]`, "(null)")
	g("VARIANT", extensionField("arrow.json", arrow.BinaryTypes.String), jsonArray(t, arrow.BinaryTypes.String, `["{\"b\":1}"]`), `{"b":1}`)
	g("BIGINT", extensionField("acme.money", arrow.PrimitiveTypes.Int64), jsonArray(t, arrow.PrimitiveTypes.Int64, `[5]`), "5")
	for _, name := range []string{"arrow.parquet.variant", "parquet.variant"} {
		for _, bin := range []arrow.DataType{arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView} {
			a := variants(t, bin, `{"b":[1,"x"]}`, "", `null`, `12.5`)
			g("VARIANT", extensionField(name, a.DataType()), a, `{"b":[1,"x"]};(null);null;12.5`)
		}
	}
}

// variants makes an array of Parquet Variants; the empty text stands for NULL.
func variants(t *testing.T, bin arrow.DataType, docs ...string) arrow.Array {
	t.Helper()
	b := array.NewStructBuilder(memory.DefaultAllocator, arrow.StructOf(arrow.Field{Name: "metadata", Type: bin}, arrow.Field{Name: "value", Type: bin, Nullable: true}))
	for _, d := range docs {
		if d == "" {
			b.AppendNull()
			continue
		}
		vb := variant.NewBatchBuilder(1)
		vb.BeginRow()
		switch d {
		case `null`:
			vb.Null()
		case `12.5`:
			vb.Double(12.5)
		default:
			vb.BeginObject()
			vb.Key([]byte("b"))
			vb.BeginArray()
			vb.Int(1)
			vb.String([]byte("x"))
			vb.EndArray()
			vb.EndObject()
		}
		vb.EndRow()
		meta, value := vb.Finish().VariantAt(0)
		b.Append(true)
		for i, part := range [][]byte{meta, value} {
			switch p := b.FieldBuilder(i).(type) {
			case *array.BinaryBuilder:
				p.Append(part)
			case *array.BinaryViewBuilder:
				p.Append(part)
			}
		}
	}
	return b.NewArray()
}

func TestRefusedOnIngest(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	f := func(sqlType string, typ arrow.DataType, values string, code codes.Code, part string) {
		t.Helper()
		_, err := r.upload(c, sqlType, arrow.Field{Type: typ, Nullable: true}, jsonArray(t, typ, values), true)
		wantCode(t, err, code, part)
	}
	stamp := &arrow.TimestampType{Unit: arrow.Millisecond}
	f("BIGINT", &arrow.Decimal128Type{Precision: 10, Scale: 2}, `["7.50"]`, codes.InvalidArgument, "column c: conversion error: value 7.50 (DECIMAL(10, 2)) would lose digits as BIGINT")
	f("BIGINT", arrow.PrimitiveTypes.Float64, `[1.5]`, codes.InvalidArgument, "would lose digits")
	f("TINYINT", arrow.PrimitiveTypes.Int64, `[128]`, codes.InvalidArgument, "out of range for TINYINT")
	f("DECIMAL(4,1)", &arrow.Decimal128Type{Precision: 10, Scale: 2}, `["7.55"]`, codes.InvalidArgument, "would lose digits")
	f("ARRAY<INT>", arrow.ListOf(arrow.PrimitiveTypes.Float64), `[[1,2.5]]`, codes.InvalidArgument, "value 2.5 (DOUBLE) would lose digits as INT")
	f("DATE", stamp, `["2024-02-03 00:00:01"]`, codes.InvalidArgument, "would lose digits")
	f("IPV4", &arrow.FixedSizeBinaryType{ByteWidth: 3}, `["CgAA"]`, codes.InvalidArgument, "IPV4 needs 4 bytes, not 3")
	f("IPV4", arrow.PrimitiveTypes.Int64, `[4294967296]`, codes.InvalidArgument, "4294967296 is no IPV4")
	f("UUID", arrow.BinaryTypes.Binary, `["CgAA"]`, codes.InvalidArgument, "UUID needs 16 bytes, not 3")
	f("VARIANT", arrow.BinaryTypes.String, `["{"]`, codes.InvalidArgument, "JSON")
	f("BIGINT", arrow.BinaryTypes.String, `["x"]`, codes.InvalidArgument, "'x'")
	f("DATETIME", &arrow.TimestampType{Unit: arrow.Nanosecond}, `["2024-02-03 00:00:00.000000001"]`, codes.InvalidArgument, "not a whole number of microseconds")
}

func TestIngestMakesColumns(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	fields := []arrow.Field{
		extensionField("arrow.json", arrow.BinaryTypes.StringView), extensionField("arrow.uuid", &arrow.FixedSizeBinaryType{ByteWidth: 16}),
		{Type: arrow.PrimitiveTypes.Uint64}, {Type: &arrow.Decimal256Type{Precision: 60, Scale: 4}, Nullable: true},
		{Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Berlin"}, Nullable: true},
	}
	values := []string{`["{\"b\":1,\"a\":2}"]`, `["Ej5FZ+ibEtOkVkJmFBdAAA=="]`, `[18446744073709551615]`, `["1.5"]`, `["2024-02-03 03:05:06Z"]`}
	cols := make([]arrow.Array, len(fields))
	for i := range fields {
		fields[i].Name = fmt.Sprint("c", i)
		cols[i] = jsonArray(t, fields[i].Type, values[i])
	}
	rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, 1)
	rd, _ := array.NewRecordReader(rec.Schema(), []arrow.RecordBatch{rec})
	n, err := c.ExecuteIngest(r.ctx(), rd, &flightsql.ExecuteIngestOpts{Table: "made", TableDefinitionOptions: &flightsql.TableDefinitionOptions{
		IfNotExist: pb.CommandStatementIngest_TableDefinitionOptions_TABLE_NOT_EXIST_OPTION_CREATE,
		IfExists:   pb.CommandStatementIngest_TableDefinitionOptions_TABLE_EXISTS_OPTION_FAIL}})
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if got, want := r.run(c, "DESC made"), "c0,JSON,YES,NULL,;c1,UUID,YES,NULL,;c2,LARGEINT,NO,NULL,;c3,DECIMAL(60, 4),YES,NULL,;c4,TIMESTAMPTZ,YES,NULL,"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := r.run(c, "SELECT * FROM made"), `{"a":2,"b":1},123e4567-e89b-12d3-a456-426614174000,18446744073709551615,1.5,2024-02-03T03:05:06Z`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBoundIntervals(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	f := func(typ arrow.DataType, value, want string) {
		t.Helper()
		p, err := c.Prepare(r.ctx(), "SELECT CAST('2024-01-31 00:00:00' AS DATETIME) + CAST(? AS INTERVAL) AS x")
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close(r.ctx())
		a := jsonArray(t, typ, value)
		p.SetParameters(array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "0", Type: typ, Nullable: true}}, nil), []arrow.Array{a}, 1))
		i, err := p.Execute(r.ctx())
		if err != nil {
			t.Errorf("%s: %v", typ, status.Convert(err).Message())
			return
		}
		if got, err := fetch(r.ctx(), c, i); err != nil || got != want {
			t.Errorf("%s %s: got %s %v, want %s", typ, value, got, err, want)
		}
	}
	f(arrow.FixedWidthTypes.MonthInterval, `[{"months":1}]`, "2024-02-29T00:00:00")
	f(arrow.FixedWidthTypes.DayTimeInterval, `[{"days":2,"milliseconds":1500}]`, "2024-02-02T00:00:01.5")
	f(arrow.FixedWidthTypes.MonthDayNanoInterval, `[{"months":0,"days":1,"nanoseconds":1000}]`, "2024-02-01T00:00:00.000001")
	f(arrow.FixedWidthTypes.Duration_s, `["90s"]`, "2024-01-31T00:01:30")
	f(arrow.BinaryTypes.String, `["2 days"]`, "2024-02-02T00:00:00")
}
