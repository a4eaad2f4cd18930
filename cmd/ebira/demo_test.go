package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	tmp := t.TempDir()
	out := call{env: []string{"TMPDIR=" + tmp}}.ok(t, "demo")
	for _, want := range []string{
		"1. Sample files\n   generated day1.ndjson, day2.ndjson, day3.parquet in ",
		"2. Server\n   ready: data ",
		"3. Loading, while the files drift\n",
		"   day1.ndjson |        2000 |           0 | NULL        |             NULL | LOADED\n",
		"   day2.ndjson |        2000 |           0 | NULL        |             NULL | LOADED\n",
		"   day3.parquet |        2000 |           0 | NULL        |             NULL | LOADED\n",
		"   payload | VARIANT | YES  | NULL    | \n",
		"   country | VARCHAR | YES  | NULL    | \n",
		"| SKIPPED",
		"4. Paths of VARIANT are columns\n",
		"   section | views | avg_ms\n",
		"   payload.page.section ",
		"5. Connect yourself",
		"ebira sql --url grpc://127.0.0.1:",
		"jdbc:arrow-flight-sql://127.0.0.1:",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the tour lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("the demo leaves %v behind, error %v", left, err)
	}
}

func TestDemoOwnFiles(t *testing.T) {
	dir := t.TempDir()
	c := call{dir: dir}
	write(t, filepath.Join(dir, "mine.ndjson"), "{\"id\":1,\"name\":\"Zoë 箙\"}\n{\"id\":2}\n")
	writeGzip(t, filepath.Join(dir, "sub.jsonl.gz"), "{\"id\":3,\"extra\":{\"k\":true}}\n")
	out := c.ok(t, "demo", "mine.ndjson", "sub.jsonl.gz")
	for _, want := range []string{"   your files: mine.ndjson, sub.jsonl.gz\n", "   mine.ndjson: 2 rows\n   sub.jsonl.gz: 1 rows\n", "   extra | VARIANT | YES ",
		"   n\n   -\n   3\n", "Zoë 箙", `{"k":true}`, "5. Connect yourself"} {
		if !strings.Contains(out, want) {
			t.Errorf("the tour lacks %q:\n%s", want, out)
		}
	}
	c.fails(t, []string{"none.ndjson: no such file"}, "demo", "none.ndjson")
	c.fails(t, []string{"the name must end in .ndjson"}, "demo", "none.txt")
}

// TestSamples checks that the committed samples are what the program writes.
func TestSamples(t *testing.T) {
	dir := t.TempDir()
	call{}.ok(t, "samples", dir)
	got, err := os.ReadFile(filepath.Join(dir, "events.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("..", "..", "samples", "events.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("samples/events.ndjson differs from what 'go generate ./cmd/ebira' writes")
	}
	if len(want) > 200<<10 {
		t.Errorf("samples/events.ndjson has %d bytes, more than 200 KiB", len(want))
	}
}
