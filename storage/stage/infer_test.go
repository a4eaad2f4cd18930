package stage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/storage/vfs"
)

func inferred(t testing.TB, fsys vfs.FS, spec InferSpec, files ...File) []string {
	t.Helper()
	spec.Format.Type = NDJSON
	cols, err := Infer(context.Background(), fsys, files, spec)
	if err != nil {
		return []string{"!" + message(err)}
	}
	var out []string
	for _, c := range cols {
		out = append(out, fmt.Sprintf("%s %s (%s:%d)", c.Name, c.Type, c.File, c.Line))
	}
	return out
}

// TestInferSixColumns is the example of the schema evolution page.
func TestInferSixColumns(t *testing.T) {
	fsys := vfs.NewMem()
	f := put(t, fsys, "f", []byte(`{"id":1,"name":"Alice","age":30,"active":true,"score":1,"profile":{"city":"SF"},"tags":["new"]}
{"id":2,"name":"Bob","age":null,"active":false,"score":1.5,"profile":{"city":"NYC"},"tags":["vip"]}
`))
	equal(t, "columns", inferred(t, fsys, InferSpec{Known: []string{"ID"}}, f), []string{
		"name VARCHAR (f:1)", "age BIGINT (f:1)", "active BOOLEAN (f:1)", "score DOUBLE (f:1)", "profile VARIANT (f:1)", "tags VARIANT (f:1)"})
}

func TestInferMerge(t *testing.T) {
	f := func(want string, values ...string) {
		t.Helper()
		for range 4 {
			rand.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			fsys := vfs.NewMem()
			var files []File
			for i, v := range values {
				files = append(files, put(t, fsys, fmt.Sprint(i), []byte(`{"c":`+v+"}\n")))
			}
			got := "nothing"
			if cols := inferred(t, fsys, InferSpec{}, files...); len(cols) == 1 {
				got = strings.Fields(cols[0])[1]
			}
			if got != want {
				t.Errorf("%v: %s, want %s", values, got, want)
			}
		}
	}
	f("nothing", "null", "null")
	f("BIGINT", "1", "null", "-9223372036854775808")
	f("LARGEINT", "1", "9223372036854775808")
	f("DOUBLE", "1", "1.5")
	f("DOUBLE", "9223372036854775808", "1e5", "1")
	f("DOUBLE", "1e400")
	f("VARCHAR", `"2020-01-01"`)
	f("VARCHAR", "true", "1")
	f("VARCHAR", "true", "1.5", "null")
	f("VARCHAR", `"x"`, "1", "1.5")
	f("BOOLEAN", "true", "false")
	f("VARIANT", "{}", "null")
	f("VARIANT", "[]", "1", `"x"`)
	f("VARIANT", "true", "[1]")
}

func TestInferNames(t *testing.T) {
	fsys := vfs.NewMem()
	a := put(t, fsys, "a", []byte("{\"City\":null,\"z\":1,\"gone\":null}\n{\"b\":1,\"a\":2,\"city\":\"x\"}\n"))
	b := put(t, fsys, "b", []byte("{\"CITY\":5,\"Z\":1.5,\"n\":1}\n"))
	spec := InferSpec{Known: []string{"N"}}
	equal(t, "columns", inferred(t, fsys, spec, a, b), []string{"City VARCHAR (a:2)", "z DOUBLE (a:1)", "b BIGINT (a:2)", "a BIGINT (a:2)"})
	spec.CaseSensitive = true
	equal(t, "columns", inferred(t, fsys, spec, a, b), []string{"z BIGINT (a:1)", "b BIGINT (a:2)", "a BIGINT (a:2)", "city VARCHAR (a:2)", "CITY BIGINT (b:1)", "Z DOUBLE (b:1)", "n BIGINT (b:1)"})
	nameless := put(t, fsys, "c", []byte("{\"\":1}\n"))
	equal(t, "columns", inferred(t, fsys, spec, nameless), []string{"!bind error: file c, line 1: a field without a name cannot become a column; load the files into a VARIANT column"})
}

func TestInferIgnoresBadLines(t *testing.T) {
	fsys := vfs.NewMem()
	f := put(t, fsys, "f", []byte("{\"a\":1}\n[1]\n{\"b\":1,\n{\"c\":{\"d\":1}} x\n\n7\n{\"e\":1}\n"))
	empty := put(t, fsys, "g", nil)
	equal(t, "columns", inferred(t, fsys, InferSpec{}, empty, f), []string{"a BIGINT (f:1)", "e BIGINT (f:7)"})
}

func TestSampledFiles(t *testing.T) {
	f := func(count, n int, want string) {
		t.Helper()
		equal(t, fmt.Sprintf("%d of %d", n, count), fmt.Sprint(sampledFiles(count, n)), want)
	}
	f(5, 1, "[2]")
	f(4, 1, "[2]")
	f(5, 2, "[0 4]")
	f(10, 4, "[0 3 6 9]")
	f(3, 3, "[0 1 2]")
	f(3, 64, "[0 1 2]")
	f(3, -1, "[0 1 2]")
	f(0, 64, "[]")
}

// TestSampleBudget: the total is charged by records really read, so that many small files are all looked at.
func TestSampleBudget(t *testing.T) {
	fsys := vfs.NewMem()
	var files []File
	for i := range 70 {
		files = append(files, put(t, fsys, fmt.Sprintf("f%02d", i), []byte(fmt.Sprintf("{\"k%d\":1}\n{\"late%d\":1}\n", i, i))))
	}
	f := func(spec InferSpec, want int) {
		t.Helper()
		equal(t, fmt.Sprintf("columns of %+v", spec), len(inferred(t, fsys, spec, files...)), want)
	}
	f(InferSpec{}, 128)
	f(InferSpec{Files: -1}, 140)
	f(InferSpec{Files: 3}, 6)
	f(InferSpec{Files: 100, RecordsPerFile: 1}, 70)
	f(InferSpec{Total: 7}, 7)
	f(InferSpec{Total: -1, RecordsPerFile: -1, Files: -1}, 140)

	var long strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&long, "{\"k%d\":1}\n", i)
	}
	big := put(t, fsys, "big", []byte(long.String()))
	equal(t, "AUTO of one file", len(inferred(t, fsys, InferSpec{}, big)), 1000)
	equal(t, "FULL of one file", len(inferred(t, fsys, InferSpec{RecordsPerFile: -1, Total: -1}, big)), 2500)
}

func TestInferCanceled(t *testing.T) {
	fsys := vfs.NewMem()
	f := put(t, fsys, "f", []byte("{\"a\":1}\n"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Infer(ctx, fsys, []File{f}, InferSpec{Format: Format{Type: NDJSON}})
	equal(t, "error", message(err), "canceled: the load was canceled: context canceled")
}
