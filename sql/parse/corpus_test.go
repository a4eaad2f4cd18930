package parse

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// loadStatements parses a file of testdata.
func loadStatements(tb testing.TB, name string) []Statement {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	list, err := Parse(string(text))
	if err != nil {
		tb.Fatalf("%s: %s", name, sqlerr.Render(err, string(text)))
	}
	return list
}

// TestCorpus parses whole files of SQL, counts their statements, and checks that every one prints to text that means the same.
func TestCorpus(t *testing.T) {
	f := func(name string, want int) {
		t.Helper()
		list := loadStatements(t, name)
		if len(list) != want {
			t.Errorf("%s: %d statements, want %d", name, len(list), want)
		}
		for _, s := range list {
			checkStable(t, s)
		}
	}
	f("tpch.sql", 22)
	f("clickbench.sql", 43)
	f("variant.sql", 47)
	f("evolution.sql", 36)
}

// checkStable checks that printing, parsing and printing again gives the same text.
func checkStable(t *testing.T, s Statement) {
	t.Helper()
	first := Format(s)
	again, err := Parse(first)
	if err != nil {
		t.Errorf("%s\nprints as\n%s\nwhich fails: %s", s.SourceText(), first, sqlerr.Render(err, first))
		return
	}
	if len(again) != 1 {
		t.Errorf("%s\nprints as %d statements:\n%s", s.SourceText(), len(again), first)
		return
	}
	if second := Format(again[0]); second != first {
		t.Errorf("%s\nprints as\n%s\nand then as\n%s", s.SourceText(), first, second)
	}
}

func TestObjectName(t *testing.T) {
	n := ObjectName{Parts: []Ident{{Place: 3, Name: "a"}, {Place: 5, Name: `b"c`, Quoted: true}}}
	if got := n.String(); got != `a."b""c"` {
		t.Errorf("got %s", got)
	}
	if n.Pos() != 3 || n.Last().Name != `b"c` || n.IsZero() || !(ObjectName{}).IsZero() || (ObjectName{}).Last().Name != "" {
		t.Errorf("wrong parts of %s", n)
	}
}
