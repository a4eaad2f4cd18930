package flightsrv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// announced fetches a metadata result and asserts that its schema is the standard's, in the announcement and in the stream.
func (r *rig) announced(c *flightsql.Client, i *flight.FlightInfo, err error, want *arrow.Schema) []arrow.RecordBatch {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	s, err := flight.DeserializeSchema(i.Schema, memory.DefaultAllocator)
	if err != nil {
		r.t.Fatal(err)
	}
	if len(i.Endpoint) != 1 || len(i.Endpoint[0].Location) != 0 {
		r.t.Errorf("endpoints %v", i.Endpoint)
	}
	rd, err := c.DoGet(r.ctx(), i.Endpoint[0].Ticket)
	if err != nil {
		r.t.Fatal(err)
	}
	defer rd.Release()
	if !s.Equal(want) || !rd.Schema().Equal(want) || s.HasMetadata() {
		r.t.Errorf("announced %s, sent %s, want %s", s, rd.Schema(), want)
	}
	var out []arrow.RecordBatch
	for rd.Next() {
		rec := rd.RecordBatch()
		rec.Retain()
		out = append(out, rec)
	}
	if rd.Err() != nil {
		r.t.Fatal(rd.Err())
	}
	return out
}

func flat(recs []arrow.RecordBatch) string {
	var rows []string
	for _, rec := range recs {
		rows = append(rows, texts(rec)...)
	}
	return strings.Join(rows, ";")
}

func ptr[T any](v T) *T { return &v }

func TestCatalogs(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE DATABASE sales")
	i, err := c.GetCatalogs(r.ctx())
	if got := flat(r.announced(c, i, err, schema_ref.Catalogs)); got != "ebira" {
		t.Errorf("catalogs %s", got)
	}
	f := func(o *flightsql.GetDBSchemasOpts, want string) {
		t.Helper()
		i, err := c.GetDBSchemas(r.ctx(), o)
		if got := flat(r.announced(c, i, err, schema_ref.DBSchemas)); got != want {
			t.Errorf("schemas %s, want %s", got, want)
		}
	}
	f(&flightsql.GetDBSchemasOpts{}, "ebira,default;ebira,information_schema;ebira,sales;ebira,system")
	f(&flightsql.GetDBSchemasOpts{Catalog: ptr("ebira"), DbSchemaFilterPattern: ptr("s%")}, "ebira,sales;ebira,system")
	f(&flightsql.GetDBSchemasOpts{Catalog: ptr("%"), DbSchemaFilterPattern: ptr("SALES")}, "ebira,sales")
	f(&flightsql.GetDBSchemasOpts{Catalog: ptr("")}, "")
	f(&flightsql.GetDBSchemasOpts{Catalog: ptr("other")}, "")
	f(&flightsql.GetDBSchemasOpts{DbSchemaFilterPattern: ptr("")}, "")
	i, err = c.GetTableTypes(r.ctx())
	if got := flat(r.announced(c, i, err, schema_ref.TableTypes)); got != "SYSTEM TABLE;TABLE;VIEW" {
		t.Errorf("table types %s", got)
	}
}

func TestTables(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, `CREATE TABLE r37 (id BIGINT NOT NULL, price DECIMAL(10,2), at DATETIME, v VARIANT, "Mixed Case" STRING)`)
	r.run(c, "CREATE TABLE r370x (a INT)")
	r.run(c, "CREATE TABLE a_b (a INT)")
	r.run(c, "CREATE TABLE aXb (a INT)")
	f := func(want string, o *flightsql.GetTablesOpts) {
		t.Helper()
		if o.DbSchemaFilterPattern == nil {
			o.DbSchemaFilterPattern = ptr("default")
		}
		i, err := c.GetTables(r.ctx(), o)
		var names []string
		for _, rec := range r.announced(c, i, err, schema_ref.Tables) {
			for j := range int(rec.NumRows()) {
				names = append(names, rec.Column(2).ValueStr(j))
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("tables %s, want %s", got, want)
		}
	}
	f("aXb a_b r37 r370x", &flightsql.GetTablesOpts{})
	f("r37", &flightsql.GetTablesOpts{TableNameFilterPattern: ptr("r3_")})
	f("r37 r370x", &flightsql.GetTablesOpts{TableNameFilterPattern: ptr("r3%")})
	f("a_b aXb", &flightsql.GetTablesOpts{TableNameFilterPattern: ptr("a_b")})
	f("a_b", &flightsql.GetTablesOpts{TableNameFilterPattern: ptr(`a\_b`)})
	f("r37", &flightsql.GetTablesOpts{TableNameFilterPattern: ptr("R37")})
	f("", &flightsql.GetTablesOpts{TableNameFilterPattern: ptr("R3_")})
	f("", &flightsql.GetTablesOpts{TableNameFilterPattern: ptr("")})
	f("", &flightsql.GetTablesOpts{Catalog: ptr("x")})
	f("aXb a_b r37 r370x", &flightsql.GetTablesOpts{Catalog: ptr("ebira"), TableTypes: []string{"base table", "view"}})
	f("", &flightsql.GetTablesOpts{TableTypes: []string{"VIEW"}})
	r.run(c, "CREATE VIEW seen (k, doc) AS SELECT id, v FROM r37")
	r.run(c, "CREATE VIEW broken AS SELECT a FROM aXb")
	r.run(c, "ALTER TABLE aXb RENAME COLUMN a TO b")
	f("broken seen", &flightsql.GetTablesOpts{TableTypes: []string{"VIEW"}})
	i, err := c.GetTables(r.ctx(), &flightsql.GetTablesOpts{TableTypes: []string{"view"}, IncludeSchema: true})
	views := r.announced(c, i, err, schema_ref.TablesWithIncludedSchema)
	for j, want := range []int{0, 2} {
		s, err := flight.DeserializeSchema(views[0].Column(4).(*array.Binary).Value(j), memory.DefaultAllocator)
		if err != nil || s.NumFields() != want {
			t.Errorf("view %d: %v, %v", j, s, err)
		}
	}
	r.run(c, "DROP VIEW seen")
	r.run(c, "DROP VIEW broken")
	f("columns schemata tables views", &flightsql.GetTablesOpts{DbSchemaFilterPattern: ptr("information\\_schema"), TableTypes: []string{"SYSTEM TABLE"}})

	i, err = c.GetTables(r.ctx(), &flightsql.GetTablesOpts{TableNameFilterPattern: ptr("r37"), IncludeSchema: true})
	recs := r.announced(c, i, err, schema_ref.TablesWithIncludedSchema)
	if len(recs) != 1 || recs[0].NumRows() != 1 {
		t.Fatalf("%d batches", len(recs))
	}
	s, err := flight.DeserializeSchema(recs[0].Column(4).(*array.Binary).Value(0), memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range s.Fields() {
		name, _ := f.Metadata.GetValue(flightsql.TypeNameKey)
		got = append(got, fmt.Sprintf("%s %s %s %v", f.Name, name, f.Type, f.Nullable))
	}
	want := "id BIGINT int64 false|price DECIMAL decimal(10, 2) true|at DATETIME timestamp[us] true|v VARIANT utf8 true|Mixed Case VARCHAR utf8 true"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestKeysAreEmpty(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	ref := flightsql.TableRef{Table: "nowhere"}
	f := func(i *flight.FlightInfo, err error) func(*arrow.Schema) {
		return func(schema *arrow.Schema) {
			t.Helper()
			if got := flat(r.announced(c, i, err, schema)); got != "" {
				t.Errorf("keys %s", got)
			}
		}
	}
	f(c.GetPrimaryKeys(r.ctx(), ref))(schema_ref.PrimaryKeys)
	f(c.GetImportedKeys(r.ctx(), ref))(schema_ref.ImportedKeys)
	f(c.GetExportedKeys(r.ctx(), ref))(schema_ref.ExportedKeys)
	f(c.GetCrossReference(r.ctx(), ref, ref))(schema_ref.CrossReference)
}

// children are the union children that drivers cast to without asking.
var children = map[arrow.UnionTypeCode]string{
	0: "0 1 2 6 7 504 513 514 529 530 531",
	1: "3 4 5 9 10 11 500-502 506 515 516 518-521 523 524 527 532 536 537 539 556 563 565 566 572-576",
	2: "503 505 507 541-555 557-561 562",
	3: "8 100 101 522 525 526 528 533 534 535 538 540 564 567-571",
	4: "508-512",
	5: "517",
}

func TestSQLInfo(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	i, err := c.GetSqlInfo(r.ctx(), nil)
	recs := r.announced(c, i, err, schema_ref.SqlInfo)
	if len(recs) != 1 {
		t.Fatalf("%d batches", len(recs))
	}
	ids, values := recs[0].Column(0).(*array.Uint32), recs[0].Column(1).(*array.DenseUnion)
	got := map[uint32]arrow.UnionTypeCode{}
	for j := range ids.Len() {
		if j > 0 && ids.Value(j) <= ids.Value(j-1) {
			t.Errorf("id %d follows %d", ids.Value(j), ids.Value(j-1))
		}
		got[ids.Value(j)] = values.TypeCode(j)
	}
	total := 0
	for code, list := range children {
		for _, part := range strings.Fields(list) {
			var from, to uint32
			if n, _ := fmt.Sscanf(part, "%d-%d", &from, &to); n == 1 {
				to = from
			}
			for id := from; id <= to; id++ {
				total++
				if c, ok := got[id]; !ok || c != code {
					t.Errorf("id %d: child %d, %v; want %d", id, c, ok, code)
				}
			}
		}
	}
	if total != len(got) {
		t.Errorf("%d ids, want %d", len(got), total)
	}
	i, err = c.GetSqlInfo(r.ctx(), []flightsql.SqlInfo{8, 504, 99_999, 0, 8})
	recs = r.announced(c, i, err, schema_ref.SqlInfo)
	if s := recs[0].Column(0).String(); s != "[0 8 504]" {
		t.Errorf("some ids: %s", s)
	}
	for id, list := range functionLists() {
		if len(list) == 0 {
			t.Errorf("info %d lists no function", id)
		}
	}
}

func TestTypeInfo(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	names := func(code *int32) string {
		i, err := c.GetXdbcTypeInfo(r.ctx(), code)
		var out []string
		for _, rec := range r.announced(c, i, err, schema_ref.XdbcTypeInfo) {
			codes := rec.Column(1).(*array.Int32)
			for j := range int(rec.NumRows()) {
				out = append(out, rec.Column(0).ValueStr(j))
				if j > 0 && codes.Value(j) < codes.Value(j-1) {
					t.Errorf("%s is out of order", rec.Column(0).ValueStr(j))
				}
			}
		}
		return strings.Join(out, " ")
	}
	want := "BOOLEAN TINYINT BIGINT BINARY STRING VARIANT JSON ARRAY MAP STRUCT CHAR LARGEINT DECIMAL INT SMALLINT FLOAT DOUBLE VARCHAR IPV4 IPV6 UUID DATE TIME DATETIME TIMESTAMPTZ"
	if got := names(nil); got != want {
		t.Errorf("types %s", got)
	}
	if got := names(ptr(int32(93))); got != "DATETIME TIMESTAMPTZ" {
		t.Errorf("timestamps: %s", got)
	}
	if got := names(ptr(int32(12345))); got != "" {
		t.Errorf("no such type: %s", got)
	}
}

func TestLike(t *testing.T) {
	f := func(s, pattern string, want bool) {
		t.Helper()
		if got := like(s, pattern); got != want {
			t.Errorf("%q like %q: %v", s, pattern, got)
		}
	}
	f("abc", "abc", true)
	f("abc", "ABC", false)
	f("abc", "a%", true)
	f("abc", "%c", true)
	f("abc", "%b%", true)
	f("abc", "a_c", true)
	f("abc", "a_", false)
	f("", "%", true)
	f("", "", true)
	f("a", "", false)
	f("a%c", `a\%c`, true)
	f("abc", `a\%c`, false)
	f(`a\`, `a\`, true)
	f("größe", "gr_ße", true)
	f(strings.Repeat("a", 5000), strings.Repeat("%a", 2000)+"b", false)
}
