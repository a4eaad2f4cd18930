package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

func writeGzip(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(f)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	c := call{dir: dir}
	write(t, filepath.Join(dir, "a.ndjson"), "{\"id\":1,\"name\":\"x\"}\n{\"id\":2,\"doc\":{\"n\":5}}\n")
	writeGzip(t, filepath.Join(dir, "b.jsonl.gz"), "{\"id\":3,\"score\":1.5}\n")
	c.ok(t, "sql", "--data", "d", "-c", "COPY INTO '"+filepath.Join(dir, "c.parquet")+
		"' FROM (SELECT 4::BIGINT AS id, 'JP' AS country) FILE_FORMAT = (TYPE = PARQUET) SINGLE = TRUE USE_RAW_PATH = TRUE")
	equal(t, c.ok(t, "load", "--data", "d", "--table", "t", "a.ndjson", "b.jsonl.gz", "c.parquet"),
		"a.ndjson: 2 rows\nb.jsonl.gz: 1 rows\nc.parquet: 1 rows\n")
	equal(t, c.ok(t, "sql", "--data", "d", "--format", "csv", "-c", "SELECT id, name, doc['n']::INT AS n, score, country FROM t ORDER BY id"),
		"id,name,n,score,country\n1,x,,,\n2,,5,,\n3,,,1.5,\n4,,,,JP\n")
	equal(t, c.ok(t, "load", "--data", "d", "--table", "t", "a.ndjson"), "a.ndjson: skipped: loaded before; force = true loads it again\n")
	equal(t, c.ok(t, "sql", "--data", "d", "--format", "csv", "-c", "SELECT count(*) AS n FROM t"), "n\n4\n")
}

func TestLoadVariant(t *testing.T) {
	dir := t.TempDir()
	c := call{dir: dir}
	write(t, filepath.Join(dir, "a.ndjson"), "{\"id\":1,\"x\":{\"y\":2.50}}\n{\"id\":\"two\"}\n")
	writeGzip(t, filepath.Join(dir, "b.json.gz"), "{\"id\":null}\n")
	equal(t, c.ok(t, "load", "--data", "d", "--table", "w", "--variant", "v", "a.ndjson", "b.json.gz"), "a.ndjson: 2 rows\nb.json.gz: 1 rows\n")
	equal(t, c.ok(t, "sql", "--data", "d", "--format", "json", "-c", "SELECT v FROM w"), "{\"v\":{\"id\":1,\"x\":{\"y\":2.5}}}\n{\"v\":{\"id\":\"two\"}}\n{\"v\":{\"id\":null}}\n")
	// A Parquet file has columns; nothing is made of the call.
	write(t, filepath.Join(dir, "c.parquet"), "PAR1")
	c.fails(t, []string{"c.parquet: --variant loads the records of NDJSON files"}, "load", "--data", "d", "--table", "z", "--variant", "v", "a.ndjson", "c.parquet")
	c.fails(t, []string{"table", "z does not exist"}, "sql", "--data", "d", "-c", "SELECT * FROM z")
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	c := call{dir: dir}
	c.fails(t, []string{`required flag(s) "table" not set`}, "load", "--data", "d", "a.ndjson")
	c.fails(t, []string{"requires at least 1 arg"}, "load", "--data", "d", "--table", "t")
	c.fails(t, []string{"a.txt: the name must end in .ndjson"}, "load", "--data", "d", "--table", "t", "a.txt")
	c.fails(t, []string{"missing.ndjson"}, "load", "--data", "d", "--table", "t", "missing.ndjson")
	write(t, filepath.Join(dir, "broken.parquet"), "PAR1 and then nothing of the kind PAR1")
	c.fails(t, []string{"broken.parquet"}, "load", "--data", "d", "--table", "t", "broken.parquet")
	write(t, filepath.Join(dir, "bad.ndjson"), "{\"id\":1}\n{\"id\":\n")
	c.fails(t, []string{"bad.ndjson", "2"}, "load", "--data", "d", "--table", "t", "bad.ndjson")
	write(t, filepath.Join(dir, "empty.ndjson"), "\n")
	c.fails(t, []string{"empty.ndjson", "no fields were found"}, "load", "--data", "d", "--table", "t", "empty.ndjson")
}

// TestLoadOverServer loads through a server that may read the folder, and through one that may not.
func TestLoadOverServer(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.ndjson"), "{\"id\":1}\n{\"id\":2}\n")
	c := call{dir: dir}
	open := c.launch(t, "--data", filepath.Join(dir, "d1"), "--allowed-dirs", dir)
	equal(t, c.ok(t, "load", "--url", open.url, "--table", "t", "a.ndjson"), "a.ndjson: 2 rows\n")
	equal(t, open.sql(t, "SELECT sum(id) AS s FROM t"), "s\n3\n")
	open.stop(t)
	closed := c.launch(t, "--data", filepath.Join(dir, "d2"))
	c.fails(t, []string{"--allowed-dirs"}, "load", "--url", closed.url, "--table", "t", "a.ndjson")
	closed.stop(t)
}
