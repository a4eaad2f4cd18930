package parse

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files of testdata")

// TestErrors compares kind, place and text of errors with testdata/errors.txt, which holds pairs of lines: the SQL, then a tab,
// the byte offset and the error.
func TestErrors(t *testing.T) {
	path := filepath.Join("testdata", "errors.txt")
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(golden)) {
		sql := strings.TrimRight(line, "\n")
		if strings.HasPrefix(sql, "\t") {
			continue
		}
		_, err := Parse(sql)
		off, ok := sqlerr.Place(err)
		if err == nil || !ok {
			t.Errorf("%s: no error with a place: %v", sql, err)
			continue
		}
		fmt.Fprintf(&got, "%s\n\t%d %s\n", sql, off, err)
	}
	if got.String() == string(golden) {
		return
	}
	if *rewrite {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	wants, gots := strings.Split(string(golden), "\n"), strings.Split(got.String(), "\n")
	for i := range min(len(wants), len(gots)) {
		if wants[i] != gots[i] {
			t.Errorf("errors.txt:%d\n got %s\nwant %s", i+1, gots[i], wants[i])
		}
	}
	if len(wants) != len(gots) {
		t.Errorf("errors.txt: %d lines, want %d; run with -rewrite and review", len(gots), len(wants))
	}
}

// TestLimits checks the errors of kind Resource, and that what lies just below is accepted.
func TestLimits(t *testing.T) {
	f := func(name, sql string, want sqlerr.Kind) {
		t.Helper()
		_, err := Parse(sql)
		switch {
		case want == sqlerr.Internal && err != nil:
			t.Errorf("%s: %v", name, err)
		case want != sqlerr.Internal && (err == nil || sqlerr.KindOf(err) != want):
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	const ok = sqlerr.Internal
	nest := func(open, middle, closing string, n int) string {
		return "SELECT " + strings.Repeat(open, n) + middle + strings.Repeat(closing, n)
	}
	f("parentheses", nest("(", "1", ")", 200), ok)
	f("parentheses", nest("(", "1", ")", 300), sqlerr.Resource)
	f("parentheses", nest("(", "1", ")", 1_000_000), sqlerr.Resource)
	f("signs", nest("- ", "1", "", 200), ok)
	f("signs", nest("- ", "1", "", 1_000_000), sqlerr.Resource)
	f("calls", nest("f(", "1", ")", 100_000), sqlerr.Resource)
	f("cases", nest("CASE WHEN 1 THEN ", "1", " END", 100_000), sqlerr.Resource)
	f("sub-queries", nest("(SELECT ", "1", ")", 100_000), sqlerr.Resource)
	f("brackets", nest("[", "", "]", 100_000), sqlerr.Resource)
	f("not", nest("NOT ", "1", "", 100_000), sqlerr.Resource)
	f("tables", "SELECT 1 FROM "+strings.Repeat("(", 100_000), sqlerr.Resource)
	f("groups", "SELECT 1 GROUP BY "+strings.Repeat("ROLLUP(", 100_000), sqlerr.Resource)
	f("types", "SELECT x::"+strings.Repeat("ARRAY<", 100_000), sqlerr.Resource)
	f("options", "COPY INTO t FROM @s x = "+strings.Repeat("(", 100_000), sqlerr.Resource)
	f("named options", "COPY INTO t FROM @s x = "+strings.Repeat("(a = ", 100_000), sqlerr.Resource)
	f("queries", strings.Repeat("(", 100_000), sqlerr.Resource)
	f("explain", strings.Repeat("EXPLAIN ", 100_000)+"SELECT 1", sqlerr.Resource)
	f("with", strings.Repeat("WITH x AS (", 100_000), sqlerr.Resource)

	f("sum", "SELECT 1"+strings.Repeat(" + 1", 5000), ok)
	f("sum", "SELECT 1"+strings.Repeat(" + 1", 20_000), sqlerr.Resource)
	f("casts", "SELECT 1"+strings.Repeat("::INT", 20_000), sqlerr.Resource)
	f("array types", "SELECT 1::INT"+strings.Repeat("[]", 20_000), sqlerr.Resource)
	f("dots", "SELECT (a)"+strings.Repeat(".a", 20_000), sqlerr.Resource)
	f("joins", "SELECT 1 FROM a"+strings.Repeat(" CROSS JOIN a", 20_000), sqlerr.Resource)
	f("unions", "SELECT 1"+strings.Repeat(" UNION SELECT 1", 20_000), sqlerr.Resource)
	f("or", "SELECT a"+strings.Repeat(" OR a", 100_000), ok)
	f("sums of sums", "SELECT "+strings.Repeat("(", 100)+"1"+strings.Repeat(strings.Repeat("+1", 200)+")", 100), sqlerr.Resource)
	f("list", "SELECT a IN (1"+strings.Repeat(", 1", 100_000)+")", ok)

	var many strings.Builder
	for i := range maxOptions + 1 {
		fmt.Fprintf(&many, "a%d = 1 ", i)
	}
	f("many options", "COPY INTO t FROM @s "+many.String(), sqlerr.Resource)
	f("long string", "SELECT '"+strings.Repeat("x", MaxStatementBytes)+"'", sqlerr.Resource)
	f("long blank", "SELECT 1"+strings.Repeat(" ", MaxStatementBytes)+", 2", sqlerr.Resource)
	half := "SELECT '" + strings.Repeat("x", MaxStatementBytes/2) + "'"
	f("long script", half+";"+half+";"+half, ok)
}

// TestGoodPrefix checks that the statements in front of an error are returned.
func TestGoodPrefix(t *testing.T) {
	list, err := Parse("SELECT 1; SELECT 2; SELEC 3; SELECT 4")
	if len(list) != 2 || err == nil {
		t.Fatalf("%d statements, error %v", len(list), err)
	}
	if off, _ := sqlerr.Place(err); off != 20 {
		t.Errorf("error at %d", off)
	}
}

func TestInvalidUTF8(t *testing.T) {
	_, err := Parse("SELECT 'a\xffb'")
	if off, ok := sqlerr.Place(err); !ok || off != 9 || sqlerr.KindOf(err) != sqlerr.Syntax {
		t.Errorf("%v at %d", err, off)
	}
}
