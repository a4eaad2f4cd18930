package difftest

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/session"
)

// storedCase is a VARIANT value with what DuckDB has to read from the segment: its JSON, NULL as null, and the kind of path a. own is what
// Ebira prints where that differs: Parquet has no type for some numbers, which are text there.
type storedCase struct{ in, json, typeOf, own string }

// segmentCases is a table of every kind that JSON can bring; key a has the kind, and odd keys are beside it.
var segmentCases = map[string][]storedCase{
	"kinds": {
		{`{"a":null}`, `{"a":null}`, "VARIANT_NULL", ""},
		{`{}`, `{}`, null, ""},
		{`{"a":true}`, `{"a":true}`, "BOOL_TRUE", ""},
		{`{"a":false}`, `{"a":false}`, "BOOL_FALSE", ""},
		{`{"a":5}`, `{"a":5}`, "INT", ""},
		{`{"a":-128}`, `{"a":-128}`, "INT", ""},
		{`{"a":40000}`, `{"a":40000}`, "INT", ""},
		{`{"a":9223372036854775807}`, `{"a":9223372036854775807}`, "INT", ""},
		{`{"a":-9223372036854775808}`, `{"a":-9223372036854775808}`, "INT", ""},
		{`{"a":9223372036854775808}`, `{"a":9223372036854775808}`, "DECIMAL(38, 0)", ""},
		{`{"a":99999999999999999999999999999999999999}`, `{"a":99999999999999999999999999999999999999}`, "DECIMAL(38, 0)", ""},
		{`{"a":1.5}`, `{"a":1.5}`, "DOUBLE", ""},
		{`{"a":-1e300}`, `{"a":-1e300}`, "DOUBLE", ""},
		{`{"a":0.1234567890123456789}`, `{"a":0.1234567890123456789}`, "DECIMAL(38, 19)", ""},
		{`{"a":"text"}`, `{"a":"text"}`, "VARCHAR", ""},
		{`{"a":""}`, `{"a":""}`, "VARCHAR", ""},
		{`{"a":"2024-01-02"}`, `{"a":"2024-01-02"}`, "VARCHAR", ""},
		{`{"a":"` + strings.Repeat("long é ", 40) + `"}`, `{"a":"` + strings.Repeat("long é ", 40) + `"}`, "VARCHAR", ""},
		{`{"a":[]}`, `{"a":[]}`, "ARRAY", ""},
		{`{"a":[1,null,"x",{"b":[true]}]}`, `{"a":[1,null,"x",{"b":[true]}]}`, "ARRAY", ""},
		{`{"a":{}}`, `{"a":{}}`, "OBJECT", ""},
		{`{"a":{"b":{"c":[{"d":1},{"d":"2"}]}}}`, `{"a":{"b":{"c":[{"d":1},{"d":"2"}]}}}`, "OBJECT", ""},
	},
	"whole values": {
		{`null`, `null`, null, ""}, {`1`, `1`, null, ""}, {`"x"`, `"x"`, null, ""}, {`[1,2]`, `[1,2]`, null, ""}, {`true`, `true`, null, ""},
		{`{"a":1}`, `{"a":1}`, "INT", ""}, {"", null, null, ""},
	},
	"arrays": {
		{`{"a":[1,2,3]}`, `{"a":[1,2,3]}`, "ARRAY", ""},
		{`{"a":[]}`, `{"a":[]}`, "ARRAY", ""},
		{`{"a":null}`, `{"a":null}`, "VARIANT_NULL", ""},
		{`{"b":"no a"}`, `{"b":"no a"}`, null, ""},
		{`{"a":[null]}`, `{"a":[null]}`, "ARRAY", ""},
		{`{"a":[null,null,7,null]}`, `{"a":[null,null,7,null]}`, "ARRAY", ""},
		{`{"a":[1,"x",true,1.5,null,{},[]]}`, `{"a":[1,"x",true,1.5,null,{},[]]}`, "ARRAY", ""},
		{`{"a":["x","","` + strings.Repeat("long ", 30) + `"]}`, `{"a":["x","","` + strings.Repeat("long ", 30) + `"]}`, "ARRAY", ""},
		{`{"a":[true,false]}`, `{"a":[true,false]}`, "ARRAY", ""},
		{`{"a":[1.5,2,-0.25]}`, `{"a":[1.5,2,-0.25]}`, "ARRAY", ""},
		{`{"a":[9223372036854775808,1]}`, `{"a":[9223372036854775808,1]}`, "ARRAY", ""},
		{`{"a":[0.1234567890123456789]}`, `{"a":[0.1234567890123456789]}`, "ARRAY", ""},
		{`{"a":[{"id":1,"name":"n"},{"id":2},{"name":"m","x":[1]},{}]}`, `{"a":[{"id":1,"name":"n"},{"id":2},{"name":"m","x":[1]},{}]}`, "ARRAY", ""},
		{`{"a":[{"id":1},{"id":"2"},{"id":null},{"ID":3},5]}`, `{"a":[{"id":1},{"id":"2"},{"id":null},{"ID":3},5]}`, "ARRAY", ""},
		{`{"a":[{"o":{"p":{"q":1}}},{"o":{"p":2}},{"o":{}}]}`, `{"a":[{"o":{"p":{"q":1}}},{"o":{"p":2}},{"o":{}}]}`, "ARRAY", ""},
		{`{"a":[[1,2],[],[3]]}`, `{"a":[[1,2],[],[3]]}`, "ARRAY", ""},
		{`{"a":[[],[[]],[[[1,null]],null]]}`, `{"a":[[],[[]],[[[1,null]],null]]}`, "ARRAY", ""},
		{`{"a":[[[[[[1]],2]]]]}`, `{"a":[[[[[[1]],2]]]]}`, "ARRAY", ""},
		{`{"a":[{"in":[{"k":[1,2]},{"k":[]},{}]},{"in":[]}]}`, `{"a":[{"in":[{"k":[1,2]},{"k":[]},{}]},{"in":[]}]}`, "ARRAY", ""},
		{`{"a":[{"list":1,"element":2,"value":3,"typed_value":[4]}]}`, `{"a":[{"list":1,"element":2,"value":3,"typed_value":[4]}]}`, "ARRAY", ""},
		{`{"a":{"b":[1],"c":{"d":["x",{"e":[[]]}]}}}`, `{"a":{"b":[1],"c":{"d":["x",{"e":[[]]}]}}}`, "OBJECT", ""},
		{`{"a":7}`, `{"a":7}`, "INT", ""},
	},
	"two kinds": {
		{`{"a":5,"o":{"b":"x"}}`, `{"a":5,"o":{"b":"x"}}`, "INT", ""}, {`{"a":"x","o":{"b":1.5}}`, `{"a":"x","o":{"b":1.5}}`, "VARCHAR", ""},
		{`{"a":true,"o":{"b":true}}`, `{"a":true,"o":{"b":true}}`, "BOOL_TRUE", ""}, {`{"a":6,"o":{}}`, `{"a":6,"o":{}}`, "INT", ""},
	},
	"whole arrays": {
		{`[1,2]`, `[1,2]`, null, ""}, {`[]`, `[]`, null, ""}, {`[[1],null,{"a":1}]`, `[[1],null,{"a":1}]`, null, ""}, {`[{"a":1},{"b":[2]}]`, `[{"a":1},{"b":[2]}]`, null, ""},
		{"", null, null, ""},
	},
	"odd keys": {
		{`{"a":1,"a.b":2}`, `{"a":1,"a.b":2}`, "INT", ""},
		{`{"a":1,"value":{"typed_value":3},"metadata":"m","list":[{"element":1}]}`, `{"a":1,"value":{"typed_value":3},"metadata":"m","list":[{"element":1}]}`, "INT", ""},
		{`{"a":1,"it's":{"\"q\"":1},"日本":{"é":2},"x y":3,"\n":4}`, `{"a":1,"it's":{"\"q\"":1},"日本":{"é":2},"x y":3,"\n":4}`, "INT", ""},
		{`{"a":1,"b":{"a.b":{"c.d":5}},"$":6,"[0]":7}`, `{"a":1,"b":{"a.b":{"c.d":5}},"$":6,"[0]":7}`, "INT", ""},
	},
	"keys that differ in case": {
		{`{"a":1,"sku":1,"SKU":2}`, `{"a":1,"sku":1,"SKU":2}`, "INT", ""},
		{`{"a":1,"Sku":"x"}`, `{"a":1,"Sku":"x"}`, "INT", ""},
		{`{"a":1,"sku":null,"SKU":[1],"n":{"B":1,"b":2}}`, `{"a":1,"sku":null,"SKU":[1],"n":{"B":1,"b":2}}`, "INT", ""},
	},
}

// TestSegmentsInDuckDB writes every kind, alone, mixed and repeated so that it is shredded or not, and opens the segment with DuckDB.
func TestSegmentsInDuckDB(t *testing.T) {
	for name, cases := range segmentCases {
		for _, c := range cases {
			// Alone the path is typed with this kind.
			checkSegment(t, name+" alone "+c.in[:min(len(c.in), 40)], "VARIANT", slices.Repeat([]storedCase{c}, 20))
		}
		checkSegment(t, name, "VARIANT", cases)
		checkSegment(t, name+" repeated", "VARIANT", slices.Repeat(cases, 50))
	}
	var all []storedCase
	for _, cases := range segmentCases {
		all = append(all, cases...)
	}
	checkSegment(t, "all", "VARIANT", all)
}

// TestTemplateSegmentsInDuckDB does so with the kinds that exist under a Schema Template only.
func TestTemplateSegmentsInDuckDB(t *testing.T) {
	f := func(template, value, json, typeOf string) {
		t.Helper()
		c := storedCase{`{"a":` + value + `,"b":"beside"}`, `{"a":` + json + `,"b":"beside"}`, typeOf, ""}
		if strings.HasPrefix(value, "1") && strings.HasPrefix(json, `"1`) && template != "STRING" {
			c.own = strings.ReplaceAll(c.json, json, strings.Trim(json, `"`))
		}
		if json == "" {
			c.json = `{"b":"beside"}`
		}
		none := storedCase{`{"b":1}`, `{"b":1}`, null, ""}
		checkSegment(t, template+" "+value, "VARIANT<'a' : "+template+">", slices.Concat(slices.Repeat([]storedCase{c}, 20), []storedCase{none}))
		checkSegment(t, template+" "+value+" once", "VARIANT<'a' : "+template+">", []storedCase{c, none, none})
	}
	f("TINYINT", "5", "5", "INT")
	f("SMALLINT", "-300", "-300", "INT")
	f("INT", "70000", "70000", "INT")
	f("BIGINT", "5000000000", "5000000000", "INT")
	f("LARGEINT", "170141183460469231731687303715884105727", `"170141183460469231731687303715884105727"`, "VARCHAR")
	f("LARGEINT", "12345678901234567890", "12345678901234567890", "DECIMAL")
	f("FLOAT", "1.5", "1.5", "FLOAT")
	f("DOUBLE", "0.1", "0.1", "DOUBLE")
	f("DECIMAL(9,2)", "1.5", "1.50", "DECIMAL(9, 2)")
	f("DECIMAL(18,4)", "123456789.1234", "123456789.1234", "DECIMAL(18, 4)")
	f("DECIMAL(38,10)", "1234567890123456789012345678.0123456789", "1234567890123456789012345678.0123456789", "DECIMAL(38, 10)")
	f("DECIMAL(50,2)", "123456789012345678901234567890123456789012.5", `"123456789012345678901234567890123456789012.50"`, "VARCHAR")
	f("BOOLEAN", "true", "true", "BOOL_TRUE")
	f("STRING", `"s"`, `"s"`, "VARCHAR")
	f("STRING", "12", `"12"`, "VARCHAR")
	f("DATE", `"2024-02-29"`, `"2024-02-29"`, "DATE")
	f("DATETIME(6)", `"2024-02-29 10:11:12.123456"`, `"2024-02-29 10:11:12.123456"`, "TIMESTAMP")
	f("TIMESTAMPTZ(6)", `"2024-02-29 10:11:12.5+02:00"`, `"2024-02-29 08:11:12.5+00"`, "TIMESTAMP_MICROS_TZ")
	f("IPV4", `"10.0.0.1"`, `"10.0.0.1"`, "VARCHAR")
	f("IPV6", `"2001:db8::1"`, `"2001:db8::1"`, "VARCHAR")
	f("ARRAY<INT>", "[1,null,3]", "[1,null,3]", "ARRAY")
	f("ARRAY<STRING>", `["x","y"]`, `["x","y"]`, "ARRAY")
	f("ARRAY<BOOLEAN>", "[true,null]", "[true,null]", "ARRAY")
	f("ARRAY<DOUBLE>", "[]", "[]", "ARRAY")
	f("ARRAY<DECIMAL(9,2)>", `[1.5,"x"]`, "[1.50,null]", "ARRAY")
	f("ARRAY<DATE>", `["2024-02-29",{"no":"date"}]`, `["2024-02-29",null]`, "ARRAY")
	f("ARRAY<IPV4>", `["10.0.0.1",[]]`, `["10.0.0.1",null]`, "ARRAY")
	f("INT", `"no number"`, "", null)
}

// TestManyNamesInDuckDB writes documents over more names than rows share as one dictionary.
func TestManyNamesInDuckDB(t *testing.T) {
	var cases []storedCase
	for i := range 1000 {
		var more []string
		for k := range 16 {
			more = append(more, fmt.Sprintf(`"m%d_%d":%d`, i, k, k))
		}
		doc := fmt.Sprintf(`{"a":%d,"b%d":{"c%d":[{"d%d":null,"e":%d}],"e":"x"},"f%d":[],"g":[{"h":1},{"i":2}],%s}`, i, i, i, i, i, i, strings.Join(more, ","))
		cases = append(cases, storedCase{doc, doc, "INT", ""})
	}
	checkSegment(t, "20000 names", "VARIANT", append(cases, storedCase{"", null, null, ""}, storedCase{"5", "5", null, ""}))
}

// checkSegment writes documents, one segment, and reads it with DuckDB.
func checkSegment(t *testing.T, name, typeName string, cases []storedCase) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		e, d := openEbira(t, func(c *session.Config) { c.DeltaRows = -1 }), openDuck(t)
		e.must(t, "CREATE TABLE s (id BIGINT, v %s, j JSON)", typeName)
		var rows []string
		for i, c := range cases {
			text := quote(c.in)
			if c.in == "" {
				text = "NULL"
			}
			rows = append(rows, fmt.Sprintf("(%d, %s, %s)", i, text, text))
		}
		e.must(t, "INSERT INTO s VALUES %s", strings.Join(rows, ", "))
		files := e.segments(t)
		if len(files) != 1 {
			t.Fatalf("%d segments, want 1", len(files))
		}
		checkTypesOf(t, d, fmt.Sprintf("read_parquet(%s)", quote(files[0])))
		got := d.must(t, "SELECT id, v::JSON::VARCHAR, v IS NULL, variant_typeof(v.a), j::JSON::VARCHAR FROM read_parquet(%s) ORDER BY id", quote(files[0]))
		mine := e.must(t, "SELECT v FROM s ORDER BY id")
		if len(got.rows) != len(cases) {
			t.Fatalf("DuckDB reads %d rows, want %d", len(got.rows), len(cases))
		}
		for i, c := range cases {
			row := got.rows[i]
			checkCell(t, c, "v::JSON in DuckDB", row[1], c.json)
			checkCell(t, c, "v", mine.rows[i][0], cmp.Or(c.own, c.json))
			if c.in != "" && typeName == "VARIANT" {
				checkCell(t, c, "j::JSON in DuckDB", row[4], c.json)
			}
			if want := c.typeOf; !strings.HasPrefix(row[3], strings.TrimSuffix(want, null)) || want == null && row[3] != null && row[3] != "VARIANT_NULL" {
				t.Errorf("%s: DuckDB says a is %s, want %s", cut(c.in), row[3], want)
			}
		}
	})
}

// checkTypesOf wants DuckDB to see a VARIANT column v.
func checkTypesOf(t *testing.T, d *duck, from string) {
	t.Helper()
	for _, c := range d.must(t, "DESCRIBE SELECT * FROM %s", from).rows {
		if c[0] == "v" && c[1] != "VARIANT" {
			t.Errorf("column %s is %s in DuckDB, want VARIANT", c[0], c[1])
		}
	}
}

func checkCell(t *testing.T, c storedCase, what, got, want string) {
	t.Helper()
	if want == null || want == "null" {
		if got != null && got != "null" {
			t.Errorf("%s: %s is %s, want NULL", cut(c.in), what, cut(got))
		}
		return
	}
	if got == null || canonicalForms(t, got) != canonicalForms(t, want) {
		t.Errorf("%s: %s is %s, want %s", cut(c.in), what, cut(got), cut(want))
	}
}

// TestUnloadInDuckDB writes the same documents and typed columns by COPY INTO a folder, as Parquet and NDJSON, and opens them with DuckDB.
func TestUnloadInDuckDB(t *testing.T) {
	dir := t.TempDir()
	e, d := openEbira(t, nil, dir), openDuck(t)
	var all []storedCase
	for _, name := range []string{"kinds", "odd keys", "keys that differ in case"} {
		all = append(all, segmentCases[name]...)
	}
	e.must(t, `CREATE TABLE s (id BIGINT, v VARIANT, i INT, d DECIMAL(20,4), f DOUBLE, t VARCHAR, dt DATE, ts DATETIME(6), b BOOLEAN, l LARGEINT)`)
	for i, c := range all {
		e.must(t, `INSERT INTO s VALUES (%d, %s, %d, %d.1250, %d / 8, 'é "%d"', DATE '2024-01-01' + INTERVAL %d DAY, '2024-01-01 01:02:03.0000%02d', %v, 18446744073709551616 + %d)`,
			i, quote(c.in), i-5, i, i, i, i, i, i%2 == 0, i)
		if i%9 == 8 {
			e.settle(t)
		}
	}
	e.must(t, "INSERT INTO s (id) VALUES (%d)", len(all))
	all = append(all, storedCase{"", null, null, ""})
	mine := e.must(t, "SELECT id, i, d, f, t, dt, ts, b, l FROM s")
	for _, format := range []string{"PARQUET", "NDJSON"} {
		t.Run(format, func(t *testing.T) {
			folder := filepath.Join(dir, format)
			e.must(t, "COPY INTO %s FROM (SELECT * FROM s) FILE_FORMAT = (TYPE = %s)", quote(folder+"/"), format)
			from := fmt.Sprintf("read_parquet(%s)", quote(filepath.Join(folder, "*")))
			if format == "NDJSON" {
				from = fmt.Sprintf("read_json(%s, format = 'newline_delimited', columns = {id: 'BIGINT', v: 'JSON', i: 'INT', d: 'DECIMAL(20,4)', f: 'DOUBLE', t: 'VARCHAR', dt: 'DATE', ts: 'TIMESTAMP', b: 'BOOLEAN', l: 'HUGEINT'})",
					quote(filepath.Join(folder, "*")))
			} else {
				checkTypesOf(t, d, from)
			}
			if diff := sameRows(mine, d.must(t, "SELECT id, i, d, f, t, dt, ts, b, l FROM %s", from)); diff != "" {
				t.Error(diff)
			}
			got := d.must(t, "SELECT v::JSON::VARCHAR FROM %s ORDER BY id", from)
			for i, c := range all {
				checkCell(t, c, "v::JSON in DuckDB", got.rows[i][0], c.json)
			}
		})
	}
}
