package sqltest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the results into the .slt files instead of comparing")

// Table is a printed result.
type Table struct {
	// Types has a letter a column, see the package comment.
	Types    string
	Rows     [][]string
	Affected int64
}

// Engine is what a file runs against.
type Engine interface {
	// Run executes one statement.
	Run(sql string) (Table, error)
	// Restart closes and opens the engine on the same data.
	Restart() error
	// Flush turns delta batches into segments; Compact merges segments.
	Flush() error
	Compact() error
}

// Runner runs files against an engine.
type Runner struct {
	Engine Engine
	// Vars are replaced in SQL and results: TMP, SHARED and loop variables.
	Vars map[string]string
	// Requires says what "require" finds.
	Requires map[string]bool
	// AnyOrder compares the rows of queries without ORDER BY in any order.
	AnyOrder bool

	labels map[string][]string
}

// RunFile runs one file as part of t and, with -rewrite, updates it.
func (r *Runner) RunFile(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	recs, err := parseFile(string(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	r.labels = map[string][]string{}
	out := r.run(t, path, recs)
	if !*rewrite {
		return
	}
	if got := strings.Join(out, "\n") + "\n"; got != string(text) {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run executes records and returns their lines, with results as they came where rewriting.
func (r *Runner) run(t *testing.T, path string, recs []record) []string {
	var out []string
	for i := range recs {
		rec := &recs[i]
		if rec.kind == recDirective && rec.word == "require" && !r.Requires[rec.args[0]] {
			t.Skipf("%s needs %s, which is not here", path, rec.args[0])
		}
		switch rec.kind {
		case recForeach:
			out = append(out, rec.raw...)
			out = append(out, r.foreach(t, path, rec)...)
			continue
		case recQuery:
			out = append(out, r.query(t, path, rec)...)
			continue
		case recStatement:
			r.statement(t, path, rec)
		case recDirective:
			if err := r.directive(rec); err != nil {
				t.Fatalf("%s:%d: %s: %v", path, rec.line, rec.word, err)
			}
		}
		out = append(out, rec.raw...)
	}
	return out
}

func (r *Runner) foreach(t *testing.T, path string, rec *record) (out []string) {
	for _, v := range rec.args[1:] {
		r.Vars[rec.args[0]] = v
		out = r.run(t, path, rec.children)
	}
	delete(r.Vars, rec.args[0])
	return out
}

func (r *Runner) expand(s string) string {
	for k, v := range r.Vars {
		s = strings.ReplaceAll(s, "${"+k+"}", v)
	}
	return s
}

func (r *Runner) directive(rec *record) error {
	switch rec.word {
	case "restart":
		return r.Engine.Restart()
	case "flush":
		return r.Engine.Flush()
	case "compact":
		return r.Engine.Compact()
	case "write":
		name := filepath.Join(r.Vars["TMP"], rec.args[0])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(strings.Join(rec.body, "\n")+"\n"), 0o644)
	}
	return nil
}

func (r *Runner) statement(t *testing.T, path string, rec *record) {
	t.Helper()
	res, err := r.Engine.Run(r.expand(rec.sql))
	switch {
	case rec.wantErr != nil && err == nil:
		t.Errorf("%s:%d: no error, want one that matches %q\n%s", path, rec.line, rec.wantErr, rec.sql)
	case rec.wantErr != nil && !rec.wantErr.MatchString(err.Error()):
		t.Errorf("%s:%d: error\n%v\ndoes not match %q\n%s", path, rec.line, err, rec.wantErr, rec.sql)
	case rec.wantErr == nil && err != nil:
		t.Errorf("%s:%d: %v\n%s", path, rec.line, err, rec.sql)
	case rec.count >= 0 && res.Affected != rec.count:
		t.Errorf("%s:%d: %d rows affected, want %d\n%s", path, rec.line, res.Affected, rec.count, rec.sql)
	}
}

// query runs a query record and returns its lines as they should be.
func (r *Runner) query(t *testing.T, path string, rec *record) []string {
	t.Helper()
	res, err := r.Engine.Run(r.expand(rec.sql))
	if err != nil {
		t.Errorf("%s:%d: %v\n%s", path, rec.line, err, rec.sql)
		return rec.raw
	}
	got := printRows(res.Rows, rec.sort)
	if *rewrite {
		head := strings.Fields(rec.raw[0])
		head[1] = res.Types
		return slices.Concat([]string{strings.Join(head, " ")}, strings.Split(rec.sql, "\n"), []string{"----"}, got)
	}
	if !sameTypes(rec.types, res.Types) {
		t.Errorf("%s:%d: columns have types %s, want %s\n%s", path, rec.line, res.Types, rec.types, rec.sql)
	}
	want := make([]string, len(rec.want))
	for i, l := range rec.want {
		want[i] = r.expand(l)
	}
	if r.AnyOrder && !orderBy.MatchString(rec.sql) {
		sort.Strings(got)
		sort.Strings(want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s:%d: got\n%s\nwant\n%s\n%s", path, rec.line, strings.Join(got, "\n"), strings.Join(want, "\n"), rec.sql)
	}
	if rec.label != "" {
		if first, ok := r.labels[rec.label]; ok && !slices.Equal(first, got) {
			t.Errorf("%s:%d: label %s: got\n%s\nbefore\n%s", path, rec.line, rec.label, strings.Join(got, "\n"), strings.Join(first, "\n"))
		}
		r.labels[rec.label] = got
	}
	return rec.raw
}

var orderBy = regexp.MustCompile(`(?i)\border\s+by\b`)

func sameTypes(want, got string) bool {
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != '?' && want[i] != got[i] {
			return false
		}
	}
	return true
}

// escaper keeps one row on one line.
var escaper = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`)

func printRows(rows [][]string, order string) []string {
	var out []string
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, c := range row {
			if cells[i] = escaper.Replace(c); c == "" {
				cells[i] = "(empty)"
			}
		}
		if order == "valuesort" {
			out = append(out, cells...)
			continue
		}
		out = append(out, strings.Join(cells, "\t"))
	}
	if order != "nosort" {
		sort.Strings(out)
	}
	return out
}

// Shared returns the folder with the shared test data, or "" if it is not here: $EBIRA_SHARED, else ../shared beside the repository.
func Shared(root string) string {
	dir := os.Getenv("EBIRA_SHARED")
	if dir == "" {
		dir = filepath.Join(root, "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		return ""
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	return abs
}
