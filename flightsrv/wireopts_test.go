package flightsrv

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/variant"
)

// wireTable has a column of every type that has more than one form on the wire, one row of values and one of NULLs.
var wireTable = []string{
	`CREATE TABLE w (v VARIANT, j JSON, h LARGEINT, p DECIMAL(50, 3), s VARCHAR, ip4 IPV4, ip6 IPV6, u UUID, dt DATETIME, tz TIMESTAMPTZ,
		a ARRAY<INT>, st STRUCT<x: INT, y: STRING>)`,
	`INSERT INTO w VALUES ('{"b":[1,"x"],"a":null}', '"text"', -170141183460469231731687303715884105728, 12345678901234567890123456789012345678901234567.125,
		'a text of more than twelve bytes', '10.1.2.3', '2001:db8::1', '123e4567-e89b-12d3-a456-426614174000',
		'2024-02-03 04:05:06.123456', '2024-02-03 04:05:06.123456+02:00', [1, NULL], CAST(CAST('{"x":1,"y":"z"}' AS VARIANT) AS STRUCT<x: INT, y: STRING>))`,
	`INSERT INTO w VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
}

// described is a schema as text: the types, with extensions in brackets.
func described(s *arrow.Schema) string {
	var out []string
	for _, f := range s.Fields() {
		text := f.Type.String()
		if name, ok := f.Metadata.GetValue("ARROW:extension:name"); ok {
			text += "[" + name + "]"
		}
		if !f.Nullable {
			text += " not null"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func decodeSchema(t *testing.T, b []byte) *arrow.Schema {
	t.Helper()
	s, err := flight.DeserializeSchema(b, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// allSchemas returns the schema of a statement as each call tells it, having asserted that all agree, and the values.
func (r *rig) allSchemas(ctx context.Context, c *flightsql.Client, sql string) (schema, values string) {
	r.t.Helper()
	i, err := c.Execute(ctx, sql)
	if err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	want := decodeSchema(r.t, i.Schema)
	check := func(from string, got *arrow.Schema) {
		r.t.Helper()
		if !got.Equal(want) || got.String() != want.String() {
			r.t.Errorf("%s: %s says\n%s\nFlightInfo\n%s", sql, from, got, want)
		}
	}
	told, err := c.GetExecuteSchema(ctx, sql)
	if err != nil {
		r.t.Fatal(err)
	}
	check("GetSchema", decodeSchema(r.t, told.Schema))
	p, err := c.Prepare(ctx, sql)
	if err != nil {
		r.t.Fatal(err)
	}
	defer p.Close(ctx)
	check("the prepared statement", p.DatasetSchema())
	pi, err := p.Execute(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	check("its FlightInfo", decodeSchema(r.t, pi.Schema))
	ps, err := p.GetSchema(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	check("its GetSchema", decodeSchema(r.t, ps.Schema))
	var rows []string
	for _, info := range []*flight.FlightInfo{i, pi} {
		rd, err := c.DoGet(ctx, info.Endpoint[0].Ticket)
		if err != nil {
			r.t.Fatal(err)
		}
		check("the stream", rd.Schema())
		rows = nil
		for rd.Next() {
			rows = append(rows, texts(rd.RecordBatch())...)
		}
		if rd.Err() != nil {
			r.t.Fatal(rd.Err())
		}
		rd.Release()
	}
	return described(want), strings.Join(rows, ";")
}

// tableSchemaOf returns what GetTables says about table w.
func (r *rig) tableSchemaOf(ctx context.Context, c *flightsql.Client) *arrow.Schema {
	r.t.Helper()
	name := "w"
	i, err := c.GetTables(ctx, &flightsql.GetTablesOpts{TableNameFilterPattern: &name, IncludeSchema: true})
	if err != nil {
		r.t.Fatal(err)
	}
	rd, err := c.DoGet(ctx, i.Endpoint[0].Ticket)
	if err != nil {
		r.t.Fatal(err)
	}
	defer rd.Release()
	if !rd.Next() {
		r.t.Fatal("GetTables lists no table w")
	}
	return decodeSchema(r.t, bytes.Clone(rd.RecordBatch().Column(4).(*array.Binary).Value(0)))
}

func TestWireOptions(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	for _, sql := range wireTable {
		r.run(c, sql)
	}
	f := func(option, value, cols, wantSchema, want string) {
		t.Helper()
		sql := "SELECT " + cols + " FROM w ORDER BY h"
		asked := metadata.AppendToOutgoingContext(r.ctx(), "x-ebira-"+strings.ReplaceAll(option, "_", "-"), value)
		byHeader, values := r.allSchemas(asked, c, sql)
		if byHeader != wantSchema || values != want+";"+strings.Repeat(",(null)", strings.Count(cols, ",")+1)[1:] {
			t.Errorf("%s = %s: got %s\n%s\nwant %s\n%s", option, value, byHeader, values, wantSchema, want)
		}
		fromTables := r.tableSchemaOf(asked, c)
		for _, col := range strings.Split(cols, ", ") {
			at := fromTables.FieldIndices(col)
			i, err := c.Execute(asked, "SELECT "+col+" FROM w")
			if err != nil {
				t.Fatal(err)
			}
			if got := decodeSchema(t, i.Schema).Field(0); !got.Equal(fromTables.Field(at[0])) {
				t.Errorf("%s = %s: GetTables says %v, the query %v", option, value, fromTables.Field(at[0]), got)
			}
		}
		// The header was for those calls only; SET and SetSessionOptions last.
		plain, _ := r.allSchemas(r.ctx(), c, sql)
		r.run(c, fmt.Sprintf("SET %s = '%s'", option, value))
		bySet, _ := r.allSchemas(r.ctx(), c, sql)
		r.run(c, "SET "+option+" = DEFAULT")
		again, _ := r.allSchemas(r.ctx(), c, sql)
		res, err := c.SetSessionOptions(r.ctx(), &flight.SetSessionOptionsRequest{SessionOptions: map[string]*pb.SessionOptionValue{
			option: {OptionValue: &pb.SessionOptionValue_StringValue{StringValue: value}}}})
		if err != nil || len(res.Errors) > 0 {
			t.Fatalf("SetSessionOptions %s: %v %v", option, res, err)
		}
		byAction, _ := r.allSchemas(r.ctx(), c, sql)
		if bySet != wantSchema || byAction != wantSchema || plain != again || plain == wantSchema {
			t.Errorf("%s = %s: by SET %s, by SetSessionOptions %s, plain %s, plain again %s", option, value, bySet, byAction, plain, again)
		}
		r.run(c, "SET "+option+" = DEFAULT")
	}
	f("variant_encoding", "arrow_json", "v, j", "utf8[arrow.json]; utf8[arrow.json]", `{"a":null,"b":[1,"x"]},"text"`)
	f("largeint_encoding", "decimal256", "h", "decimal256(39, 0)", "-170141183460469231731687303715884105728")
	f("decimal256_encoding", "utf8", "p", "utf8", "12345678901234567890123456789012345678901234567.125")
	f("string_encoding", "large_utf8", "s, v, h, u", "large_utf8; large_utf8; large_utf8; large_utf8",
		`a text of more than twelve bytes,{"a":null,"b":[1,"x"]},-170141183460469231731687303715884105728,123e4567-e89b-12d3-a456-426614174000`)
	f("string_encoding", "utf8_view", "s, v, ip4", "string_view; string_view; string_view", `a text of more than twelve bytes,{"a":null,"b":[1,"x"]},10.1.2.3`)
	f("ip_encoding", "native", "ip4, ip6", "uint32; fixed_size_binary[16]", "167838211,IAENuAAAAAAAAAAAAAAAAQ==")
	f("uuid_encoding", "arrow_uuid", "u", "fixed_size_binary[16][arrow.uuid]", "Ej5FZ+ibEtOkVkJmFBdAAA==")
	f("timestamp_unit", "ms", "dt, tz", "timestamp[ms]; timestamp[ms, tz=UTC]", "2024-02-03T04:05:06.123,2024-02-03T02:05:06.123Z")
	f("timestamp_unit", "ns", "dt, tz", "timestamp[ns]; timestamp[ns, tz=UTC]", "2024-02-03T04:05:06.123456,2024-02-03T02:05:06.123456Z")
	f("nested_encoding", "json_text", "a, st", "utf8; utf8", `[1,null],{"x":1,"y":"z"}`)
	f("dictionary", "on", "s, v", "dictionary<values=utf8, indices=int32, ordered=false>; utf8", `a text of more than twelve bytes,{"a":null,"b":[1,"x"]}`)
}

func TestWireIntervals(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	sql := "SELECT INTERVAL '14' MONTH AS m, INTERVAL '3' DAY AS d, INTERVAL '-1.5' SECOND AS s"
	f := func(want, wantValues string) {
		t.Helper()
		if got, values := r.allSchemas(r.ctx(), c, sql); got != want || values != wantValues {
			t.Errorf("got %s %s, want %s %s", got, values, want, wantValues)
		}
	}
	f("utf8; utf8; utf8", r.run(c, sql))
	r.run(c, "SET interval_encoding = native")
	f("month_day_nano_interval; month_day_nano_interval; month_day_nano_interval",
		`{"months":14,"days":0,"nanoseconds":0},{"months":0,"days":3,"nanoseconds":0},{"months":0,"days":0,"nanoseconds":-1500000000}`)
}

func TestWireTimestampTZZone(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "SET time_zone = 'Asia/Tokyo'")
	sql := "SELECT CAST('2024-01-01 00:00:00+00:00' AS TIMESTAMPTZ) AS t"
	if got, _ := r.allSchemas(r.ctx(), c, sql); got != "timestamp[us, tz=UTC]" {
		t.Errorf("default zone: %s", got)
	}
	r.run(c, "SET timestamptz_zone = session")
	if got, _ := r.allSchemas(r.ctx(), c, sql); got != "timestamp[us, tz=Asia/Tokyo]" {
		t.Errorf("zone of the session: %s", got)
	}
	// A statement prepared before follows the options of its execution (FS-55).
	p, err := c.Prepare(r.ctx(), sql)
	if err != nil {
		t.Fatal(err)
	}
	r.run(c, "SET time_zone = '+05:30'")
	i, err := p.Execute(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if got := described(decodeSchema(t, i.Schema)); got != "timestamp[us, tz=+05:30]" {
		t.Errorf("prepared before: %s", got)
	}
}

func TestWireNanosecondsOutOfRange(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE n (dt DATETIME)")
	r.run(c, "INSERT INTO n VALUES ('1677-09-21 00:12:43.145225'), ('2262-04-11 23:47:16.854775'), (NULL)")
	r.run(c, "SET timestamp_unit = 'ns'")
	if got := r.run(c, "SELECT dt FROM n ORDER BY dt"); got != "1677-09-21T00:12:43.145225;2262-04-11T23:47:16.854775;(null)" {
		t.Errorf("the ends of the range: %s", got)
	}
	for _, far := range []string{"2262-04-11 23:47:16.854776", "1677-09-21 00:12:43.145224", "0001-01-01 00:00:00"} {
		_, err := query(r.ctx(), c, "SELECT CAST('"+far+"' AS DATETIME) AS far")
		wantCode(t, err, codes.InvalidArgument, "column far: out of range: DATETIME "+far)
	}
}

func TestWireParquetVariant(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	for _, sql := range wireTable {
		r.run(c, sql)
	}
	r.run(c, "SET variant_encoding = 'parquet_variant'")
	schema, _ := r.allSchemas(r.ctx(), c, "SELECT v, j, v['b'][1] AS x FROM w WHERE h IS NOT NULL")
	pair := "struct<metadata: binary, value: binary>"
	if want := pair + "[arrow.parquet.variant]; utf8; " + pair + "[arrow.parquet.variant]"; schema != want {
		t.Errorf("got %s\nwant %s", schema, want)
	}
	i, err := c.Execute(r.ctx(), "SELECT v, v['b'] AS b, v['b'][1] AS x FROM w ORDER BY h")
	if err != nil {
		t.Fatal(err)
	}
	rd, err := c.DoGet(r.ctx(), i.Endpoint[0].Ticket)
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Release()
	var got []string
	for rd.Next() {
		for row := range int(rd.RecordBatch().NumRows()) {
			for _, col := range rd.RecordBatch().Columns() {
				st := col.(*array.Struct)
				if st.IsNull(row) {
					got = append(got, "NULL")
					continue
				}
				meta, value := st.Field(0).(*array.Binary).Value(row), st.Field(1).(*array.Binary).Value(row)
				if err := variant.Validate(meta, value, false); err != nil {
					t.Fatal(err)
				}
				got = append(got, string(variant.AppendJSON(nil, meta, value)))
			}
		}
	}
	if want := `{"a":null,"b":[1,"x"]} [1,"x"] "x" NULL NULL NULL`; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWireJSONQuotesPaths(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	for _, sql := range wireTable {
		r.run(c, sql)
	}
	sql := "SELECT v['b'][1] AS x FROM w WHERE h IS NOT NULL"
	if got := r.run(c, sql); got != "x" {
		t.Errorf("as text: %s", got)
	}
	r.run(c, "SET variant_encoding = 'arrow_json'")
	if got := r.run(c, sql); got != `"x"` {
		t.Errorf("as JSON: %s", got)
	}
}

func TestWireOptionsRefuse(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	_, err := query(r.ctx(), c, "SET string_encoding = 'utf16'")
	wantCode(t, err, codes.InvalidArgument, `variable string_encoding takes utf8 or large_utf8 or utf8_view, not "utf16"`)
	_, err = query(r.ctx(), c, "SET batch_bytes = 100000000")
	wantCode(t, err, codes.InvalidArgument, "a whole number from 1024 to 16777216")
	_, err = query(metadata.AppendToOutgoingContext(r.ctx(), "x-ebira-ip-encoding", "numbers"), c, "SELECT 1")
	wantCode(t, err, codes.InvalidArgument, `header x-ebira-ip-encoding: conversion error: variable ip_encoding takes text or native, not "numbers"`)
	_, err = query(metadata.AppendToOutgoingContext(r.ctx(), "x-ebira-encoding", "x"), c, "SELECT 1")
	wantCode(t, err, codes.InvalidArgument, "header x-ebira-encoding: there is no such wire option; the options are batch_bytes, decimal256_encoding,")
	res, err := c.SetSessionOptions(r.ctx(), &flight.SetSessionOptionsRequest{SessionOptions: map[string]*pb.SessionOptionValue{
		"uuid_encoding": {OptionValue: &pb.SessionOptionValue_StringValue{StringValue: "bytes"}},
		"dictionary":    {OptionValue: &pb.SessionOptionValue_BoolValue{BoolValue: true}},
		"batch_bytes":   {OptionValue: &pb.SessionOptionValue_Int64Value{Int64Value: 65536}}}})
	if err != nil || len(res.Errors) != 1 || res.Errors["uuid_encoding"].GetValue() != pb.SetSessionOptionsResult_INVALID_VALUE {
		t.Fatalf("got %v %v", res, err)
	}
	all, err := c.GetSessionOptions(r.ctx(), &flight.GetSessionOptionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"uuid_encoding": "text", "dictionary": "true", "batch_bytes": "65536", "timestamp_unit": "us"} {
		if got := all.SessionOptions[name].GetStringValue(); got != want {
			t.Errorf("GetSessionOptions says %s = %q, want %q", name, got, want)
		}
		if got := r.run(c, "SHOW VARIABLES LIKE '"+name+"'"); got != name+","+want {
			t.Errorf("SHOW VARIABLES says %q, want %s,%s", got, name, want)
		}
	}
	for name := range wireSetters {
		if all.SessionOptions[name] == nil {
			t.Errorf("wire option %s is no variable", name)
		}
	}
}

// TestWireMessages asserts sizes and compression of the messages themselves.
func TestWireMessages(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	raw := pb.NewFlightServiceClient(r.dial())
	sql := "SELECT r.range AS n, repeat('abcdefgh', 20) AS s FROM range(20000) r"
	f := func(settings string) (sizes []int, total int) {
		t.Helper()
		for _, s := range strings.Split(settings, ";") {
			if s != "" {
				r.run(c, s)
			}
		}
		i, err := c.Execute(r.ctx(), sql)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		rd, err := c.DoGet(r.ctx(), i.Endpoint[0].Ticket)
		if err != nil {
			t.Fatal(err)
		}
		for rd.Next() {
			rec := rd.RecordBatch()
			for k := range int(rec.NumRows()) {
				sum += rec.Column(0).(*array.Int64).Value(k)
				if got := rec.Column(1).ValueStr(k); got != strings.Repeat("abcdefgh", 20) {
					t.Fatalf("%s: a text became %q", settings, got)
				}
			}
		}
		if rd.Err() != nil || sum != 19999*10000 {
			t.Errorf("%s: the sum is %d, %v", settings, sum, rd.Err())
		}
		rd.Release()
		stream, err := raw.DoGet(r.ctx(), i.Endpoint[0].Ticket)
		if err != nil {
			t.Fatal(err)
		}
		for {
			d, err := stream.Recv()
			if err != nil {
				return sizes, total
			}
			sizes = append(sizes, len(d.DataHeader)+len(d.DataBody))
			total += sizes[len(sizes)-1]
		}
	}
	most := func(sizes []int) (m int) {
		for _, n := range sizes {
			m = max(m, n)
		}
		return m
	}
	_, plain := f("")
	small, _ := f("SET batch_bytes = 10000")
	if m := most(small); m > 10000 || m < 5000 || len(small) < plain/10000 {
		t.Errorf("batch_bytes = 10000: %d messages up to %d bytes", len(small), m)
	}
	views, _ := f("SET string_encoding = utf8_view")
	if m := most(views); m > 10000 || m < 5000 {
		t.Errorf("views: messages up to %d bytes", m)
	}
	f("SET dictionary = on;SET string_encoding = large_utf8")
	dict, dictTotal := f("SET string_encoding = utf8_view;SET batch_bytes = 20000")
	if m := most(dict); m > 20000 || dictTotal > plain/4 {
		t.Errorf("dictionaries: messages up to %d bytes, %d in all, %d without", m, dictTotal, plain)
	}
	for _, codec := range []string{"lz4", "zstd"} {
		if _, n := f("SET dictionary = off;SET string_encoding = utf8;SET batch_bytes = DEFAULT;SET ipc_compression = " + codec); n > plain/3 {
			t.Errorf("%s: %d bytes, %d without compression", codec, n, plain)
		}
	}
	// The call that fetches has the last word about compression.
	r.run(c, "SET ipc_compression = none")
	i, err := c.Execute(r.ctx(), sql)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := raw.DoGet(metadata.AppendToOutgoingContext(r.ctx(), "x-ebira-ipc-compression", "zstd"), i.Endpoint[0].Ticket)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for {
		d, err := stream.Recv()
		if err != nil {
			break
		}
		total += len(d.DataBody)
	}
	if total > plain/3 {
		t.Errorf("compression by the header of DoGet: %d bytes, %d without", total, plain)
	}
}

// TestWireDocs compares the page about the options with the options.
func TestWireDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "FLIGHT.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, Options{})
	sess := r.engine.NewSession("")
	defer sess.Close()
	seen := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| ([^|]+) \\|").FindAllStringSubmatch(string(page), -1) {
		name, values := row[1], strings.Split(row[2], ", ")
		seen[name] = true
		if wireSetters[name] == nil {
			t.Errorf("the page tells of an option %s", name)
			continue
		}
		if got := sess.Var(name); got != values[0] {
			t.Errorf("%s: the page says the default is %s, it is %s", name, values[0], got)
		}
		for _, v := range values {
			if _, err := session.CheckVar(name, v); err != nil {
				t.Error(err)
			}
		}
		_, err := session.CheckVar(name, "no such value")
		for _, v := range values[1:] {
			if !strings.Contains(fmt.Sprint(err), v) {
				t.Errorf("the error for a bad value of %s does not name %s: %v", name, v, err)
			}
		}
	}
	for name := range wireSetters {
		if !seen[name] {
			t.Errorf("the page does not tell of the option %s", name)
		}
	}
}
