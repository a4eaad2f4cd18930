package parse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// FuzzParse feeds any text to the parser. It must not panic; what it accepts must print to text that prints to itself.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"tpch.sql", "clickbench.sql", "variant.sql", "evolution.sql"} {
		for _, s := range loadStatements(f, name) {
			f.Add(s.SourceText())
		}
	}
	for _, name := range []string{"errors.txt", "forms.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			f.Add(strings.TrimSpace(line))
		}
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if len(sql) > 1<<16 {
			return
		}
		list, err := Parse(sql)
		if off, ok := sqlerr.Place(err); err != nil && (!ok || off < 0 || off > len(sql)) {
			t.Fatalf("%q: error without a place in the text: %v", sql, err)
		}
		for _, s := range list {
			if got := sql[s.Pos() : s.Pos()+len(s.SourceText())]; got != s.SourceText() {
				t.Fatalf("%q: source text %q is not at %d", sql, s.SourceText(), s.Pos())
			}
			fuzzStable(t, s)
		}
	})
}

// fuzzStable checks that s prints, parses and prints again to the same text. Canonical text may be nested a little deeper
// than the source, so at the limit it may be refused.
func fuzzStable(t *testing.T, s Statement) {
	first := Format(s)
	again, err := Parse(first)
	if sqlerr.KindOf(err) == sqlerr.Resource && err != nil {
		return
	}
	if err != nil || len(again) != 1 {
		t.Fatalf("%q\nprints as %q\nwhich gives %d statements and %v", s.SourceText(), first, len(again), err)
	}
	if second := Format(again[0]); second != first {
		t.Fatalf("%q\nprints as %q\nand then as %q", s.SourceText(), first, second)
	}
}
