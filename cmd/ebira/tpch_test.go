package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/tpch"
)

// openTpch returns an engine with the tables of a scale factor.
func openTpch(t *testing.T, scale float64, allowed ...string) *embedded {
	t.Helper()
	g, err := tpch.New(scale)
	if err != nil {
		t.Fatal(err)
	}
	c, err := openEmbedded(t.TempDir(), allowed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	if err := generateTables(t.Context(), io.Discard, g, c, "tpch"); err != nil {
		t.Fatal(err)
	}
	return c
}

// answer runs a query and prints its rows; NULL is "".
func answer(ctx context.Context, c conn, sql string) ([][]string, error) {
	r, err := c.run(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer r.close()
	var out [][]string
	for {
		b, err := r.next(ctx)
		if b == nil || err != nil {
			return out, err
		}
		rows, err := texts(b)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			cells := make([]string, len(row))
			for i, cell := range row {
				if cell != nil {
					cells[i] = *cell
				}
			}
			out = append(out, cells)
		}
	}
}

// TestTpchAnswers runs the 22 queries at scale factor 0.01.
func TestTpchAnswers(t *testing.T) {
	c := openTpch(t, tpch.AnswerScale)
	for n := 1; n <= tpch.QueryCount; n++ {
		got, err := answer(t.Context(), c, tpch.Query(n))
		if err == nil {
			err = tpch.Compare(got, tpch.Answer(n), tpch.Tolerance)
		}
		if err != nil {
			t.Errorf("query %d: %v", n, err)
		}
	}
}

// TestTpchAnswersSF1 compares with the published answers at scale factor 1. Those of queries 8 and 14 are rounded.
func TestTpchAnswersSF1(t *testing.T) {
	dir := filepath.Join(os.Getenv("EBIRA_SHARED"), "data/polars-benchmark/data/answers")
	if _, err := os.Stat(dir); err != nil || os.Getenv("EBIRA_SLOW") == "" {
		t.Skip("set EBIRA_SHARED and EBIRA_SLOW=1 to run")
	}
	c := openTpch(t, 1, dir)
	rounded := map[int]string{8: "o_year, round(mkt_share, 2)", 14: "round(promo_revenue, 2)"}
	for n := 1; n <= tpch.QueryCount; n++ {
		want, err := answer(t.Context(), c, fmt.Sprintf("SELECT * FROM '%s/q%d.parquet'", dir, n))
		if err != nil {
			t.Fatalf("answer %d: %v", n, err)
		}
		sql := tpch.Query(n)
		if columns, ok := rounded[n]; ok {
			sql = "SELECT " + columns + " FROM (" + sql + ")"
		}
		got, err := answer(t.Context(), c, sql)
		if err == nil {
			err = tpch.Compare(got, want, tpch.Tolerance)
		}
		if err != nil {
			t.Errorf("query %d: %v", n, err)
		}
	}
}

// TestTpchFiles checks that the files together are the tables, whatever their format.
func TestTpchFiles(t *testing.T) {
	g, err := tpch.New(tpch.AnswerScale)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, format := range []string{"parquet", "tbl"} {
		if _, err := generateFiles(t.Context(), io.Discard, g, dir, format); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := generateFiles(t.Context(), io.Discard, g, dir, "xml"); err == nil || !strings.Contains(err.Error(), "parquet and tbl") {
		t.Errorf("an unknown format: %v", err)
	}
	c := openTpch(t, tpch.AnswerScale, dir)
	for _, table := range tpch.Tables() {
		var lines []byte
		for r := g.Rows(table, 0, g.Units(table)); ; {
			b := r.Next()
			if b == nil {
				break
			}
			lines = tpch.AppendLines(lines, table, b)
		}
		got, err := os.ReadFile(filepath.Join(dir, table.String(), table.String()+".0.tbl"))
		if err != nil || string(got) != string(lines) {
			t.Errorf("%s: the .tbl file has other %d bytes, want %d (%v)", table, len(got), len(lines), err)
		}
		file := fmt.Sprintf("'%s/%s/%[2]s.0.parquet'", dir, table)
		// All rows of a table differ, so that sets will do.
		for _, sql := range []string{
			fmt.Sprintf("SELECT count(*) FROM (SELECT * FROM %s EXCEPT SELECT * FROM %s)", table, file),
			fmt.Sprintf("SELECT (SELECT count(*) FROM %s) - (SELECT count(*) FROM %s)", file, table),
		} {
			if rows, err := answer(t.Context(), c, sql); err != nil || rows[0][0] != "0" {
				t.Errorf("%s: %v, %v", sql, rows, err)
			}
		}
	}
}

// TestBenchTpch measures two queries without peers, whose answers are compared with the recorded ones.
func TestBenchTpch(t *testing.T) {
	dir := t.TempDir()
	out, errs, code := call{dir: dir}.run(t, "bench", "tpch", "--sf", "0.01", "--peers", "none", "--runs", "1", "--queries", "6,22", "--json", "times.json")
	if code != 0 || !strings.Contains(out, "| Q06 |") || !strings.Contains(out, "| Q22 |") || strings.Contains(out, "| Q01 |") {
		t.Errorf("status %d\n%s%s", code, out, errs)
	}
	text, err := os.ReadFile(filepath.Join(dir, "times.json"))
	if err != nil || !strings.Contains(string(text), `"part": "tpch"`) {
		t.Errorf("%s, %v", text, err)
	}
	for _, args := range [][]string{{"--sf", "0"}, {"--queries", "0"}, {"--queries", "23"}, {"--peers", "oracle"}} {
		if out, errs, code := (call{dir: dir}).run(t, append([]string{"bench", "tpch"}, args...)...); code != 1 {
			t.Errorf("%v: status %d\n%s%s", args, code, out, errs)
		}
	}
}
