package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// mixed is a query with a value of every shape that the formats treat differently.
const mixed = `SELECT 1 AS i, '<x> "y"' AS s, CAST(NULL AS INT) AS n, 1.50 AS d, 170141183460469231731687303715884105727 AS l, DATE '2026-01-02' AS dt,
	true AS b, CAST('{"b":[1.0,"z"],"a":null}' AS VARIANT) AS v, [1,2] AS a, 1e300 AS e, '' AS empty, 'a,b' AS comma`

func TestFormats(t *testing.T) {
	data := filepath.Join(t.TempDir(), "d")
	f := func(format, sql, want string) {
		t.Helper()
		equal(t, call{}.ok(t, "sql", "--data", data, "--format", format, "-c", sql), want)
	}
	f("csv", mixed, "i,s,n,d,l,dt,b,v,a,e,empty,comma\n"+
		`1,"<x> ""y""",,1.50,170141183460469231731687303715884105727,2026-01-02,true,"{""a"":null,""b"":[1,""z""]}","[1,2]",1e+300,"","a,b"`+"\n")
	f("csv", "SELECT CAST(NULL AS STRING) AS x UNION ALL SELECT ''", "x\n\n\"\"\n")
	f("csv", "SELECT 1 AS x WHERE false", "x\n")
	f("json", mixed, `{"i":1,"s":"<x> \"y\"","n":null,"d":1.50,"l":170141183460469231731687303715884105727,"dt":"2026-01-02","b":true,`+
		`"v":{"a":null,"b":[1,"z"]},"a":[1,2],"e":1e+300,"empty":"","comma":"a,b"}`+"\n")
	f("json", "SELECT number AS n FROM numbers(3) ORDER BY n", "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n")
	f("json", "SELECT 1 AS x WHERE false", "")
	f("table", "SELECT 'ab' AS s, 12.5 AS d, CAST(NULL AS INT) AS n UNION ALL SELECT 'c', 3, 4 ORDER BY s", ""+
		"s  |    d |    n\n"+
		"---+------+-----\n"+
		"ab | 12.5 | NULL\n"+
		"c  |  3.0 |    4\n")
	f("table", "SELECT E'a\\tb\\nc\\x1b[31m' AS s", "s\n---------------\na\\tb\\nc\\x1b[31m\n")
	f("csv", "CREATE TABLE t (a INT); INSERT INTO t VALUES (1),(2)", "")
	f("csv", "SELECT sum(a) AS s FROM t; SELECT 5 AS five", "s\n3\nfive\n5\n")
	call{}.fails(t, []string{`--format is table, csv, json or arrow, not "xml"`}, "sql", "--data", data, "--format", "xml", "-c", "SELECT 1")
}

// TestManyRows prints more rows than a batch and than the table format holds back.
func TestManyRows(t *testing.T) {
	data := filepath.Join(t.TempDir(), "d")
	for _, format := range []string{"csv", "json", "table"} {
		out := call{}.ok(t, "sql", "--data", data, "--format", format, "-c", "SELECT number AS n FROM numbers(20000)")
		extra := map[string]int{"csv": 1, "json": 0, "table": 2}[format]
		if got := strings.Count(out, "\n"); got != 20000+extra {
			t.Errorf("%s: %d lines, want %d", format, got, 20000+extra)
		}
	}
}

func TestArrowFormat(t *testing.T) {
	out := call{}.ok(t, "sql", "--data", filepath.Join(t.TempDir(), "d"), "--format", "arrow", "-c",
		"SELECT number AS n, CASE WHEN number > 0 THEN 'x' END AS s, CAST('{\"a\":1}' AS VARIANT) AS v FROM numbers(3) ORDER BY n")
	rd, err := ipc.NewReader(bytes.NewReader([]byte(out)))
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Release()
	var types []string
	for _, f := range rd.Schema().Fields() {
		types = append(types, f.Name+" "+f.Type.String())
	}
	equal(t, strings.Join(types, ", "), "n int64, s utf8, v utf8")
	var n []int64
	var s []string
	for rd.Next() {
		rec := rd.RecordBatch()
		n = append(n, rec.Column(0).(*array.Int64).Int64Values()...)
		for i := range int(rec.NumRows()) {
			s = append(s, cellText(rec.Column(1), i)+" "+cellText(rec.Column(2), i))
		}
	}
	if rd.Err() != nil || len(n) != 3 || n[0] != 0 || n[2] != 2 {
		t.Errorf("numbers are %v, error %v", n, rd.Err())
	}
	equal(t, strings.Join(s, "; "), `NULL {"a":1}; x {"a":1}; x {"a":1}`)
}

func cellText(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "NULL"
	}
	return a.ValueStr(i)
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "d")
	c := call{dir: dir}
	write(t, filepath.Join(dir, "q.sql"), "-- a comment\nCREATE TABLE t (a INT);;\nINSERT INTO t VALUES (7);\nSELECT a FROM t\n")
	equal(t, c.ok(t, "sql", "--data", data, "--format", "csv", "-f", "q.sql"), "a\n7\n")
	c.stdin = "SELECT a + 1 AS b FROM t;"
	equal(t, c.ok(t, "sql", "--data", data, "--format", "csv"), "b\n8\n")
	equal(t, c.ok(t, "sql", "--data", data, "--format", "csv", "-f", "-"), "b\n8\n")
	equal(t, c.ok(t, "sql", "--data", data, "--format", "csv", "-c", ""), "")
	c.fails(t, []string{"give -c or -f, not both"}, "sql", "--data", data, "-c", "SELECT 1", "-f", "q.sql")
	c.fails(t, []string{"give --url or --data, not both"}, "sql", "--data", data, "--url", "grpc://127.0.0.1:1", "-c", "SELECT 1")
	c.fails(t, []string{"nothing.sql", "no such file"}, "sql", "--data", data, "-f", "nothing.sql")
	c.fails(t, []string{"the scheme is grpc or grpc+tls"}, "sql", "--url", "http://127.0.0.1:1", "-c", "SELECT 1")
	c.fails(t, []string{"connect to grpc://127.0.0.1:1", "ebira serve", "--data"}, "sql", "--url", "grpc://127.0.0.1:1", "-c", "SELECT 1")
}

func TestErrorsInScripts(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "d")
	c := call{dir: dir}
	c.fails(t, []string{"error: syntax error: expected an expression, found the end of the statement", "line 1, column 11", "SELECT 1 +\n          ^"}, "sql", "--data", data, "-c", "SELECT 1 +")
	c.fails(t, []string{"column nope does not exist (line 1, column 8)\nSELECT nope\n       ^"}, "sql", "--data", data, "-c", "SELECT nope")
	write(t, filepath.Join(dir, "q.sql"), "CREATE TABLE t (a INT);\nINSERT INTO t VALUES (1);\nSELECT a FROM t;\nSELECT a FROM missing;\nINSERT INTO t VALUES (2);\n")
	out := c.fails(t, []string{"error: statement at line 4: not found: table", "missing", "SELECT a FROM missing\n              ^"}, "sql", "--data", data, "--format", "csv", "-f", "q.sql")
	equal(t, out, "a\n1\n")
	equal(t, c.ok(t, "sql", "--data", data, "--format", "csv", "-c", "SELECT count(*) AS n FROM t"), "n\n1\n")
	// A text that is not SQL from its first to its last byte does not run at all.
	write(t, filepath.Join(dir, "bad.sql"), "INSERT INTO t VALUES (3);\nSELEC 1;\n")
	c.fails(t, []string{"syntax error", "line 2, column 1", "SELEC 1;\n^"}, "sql", "--data", data, "-f", "bad.sql")
	equal(t, c.ok(t, "sql", "--data", data, "--format", "csv", "-c", "SELECT count(*) AS n FROM t"), "n\n1\n")
}

// TestEmbeddedFolders checks that an embedded engine reads the current folder and no other.
func TestEmbeddedFolders(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "in.ndjson"), "{\"a\":1}\n")
	write(t, filepath.Join(outside, "out.ndjson"), "{\"a\":1}\n")
	c := call{dir: dir}
	c.ok(t, "sql", "--data", "d", "-c", "CREATE TABLE t (a INT); COPY INTO t FROM '"+filepath.Join(dir, "in.ndjson")+"' FILE_FORMAT = (TYPE = NDJSON)")
	copyOut := "COPY INTO t FROM '" + filepath.Join(outside, "out.ndjson") + "' FILE_FORMAT = (TYPE = NDJSON)"
	c.fails(t, []string{"--allowed-dirs"}, "sql", "--data", "d", "-c", copyOut)
	c.ok(t, "sql", "--data", "d", "--allowed-dirs", outside, "-c", copyOut)
	equal(t, c.ok(t, "sql", "--data", "d", "--format", "csv", "-c", "SELECT count(*) AS n FROM t"), "n\n2\n")
}
