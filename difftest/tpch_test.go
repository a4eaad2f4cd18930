package difftest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/tpch"
	"github.com/ebira-db/ebira/vec"
)

// TestTpch runs the 22 queries of TPC-H in both at scale factor 0.01, and at 0.1 where EBIRA_SLOW asks for it. DuckDB reads the data from
// Parquet files, Ebira has them in tables.
func TestTpch(t *testing.T) {
	scale := 0.01
	if os.Getenv("EBIRA_SLOW") != "" {
		scale = 0.1
	}
	g, err := tpch.New(scale)
	if err != nil {
		t.Fatal(err)
	}
	e, d, dir := openEbira(t, nil), openDuck(t), t.TempDir()
	for _, table := range tpch.Tables() {
		file := filepath.Join(dir, table.String()+".parquet")
		writeTpch(t, g, table, file)
		d.must(t, "CREATE VIEW %s AS SELECT * FROM '%s'", table, file)
		e.must(t, "%s", table.CreateSQL())
		rows := g.Rows(table, 0, g.Units(table))
		o := session.IngestOptions{Table: table.String(), IfExists: session.ExistsAppend}
		_, err := e.sess.Ingest(t.Context(), o, table.Schema(), func() (*vec.Batch, error) { return rows.Next(), nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	e.settle(t)
	for n := 1; n <= tpch.QueryCount; n++ {
		t.Run(fmt.Sprintf("q%02d", n), func(t *testing.T) {
			got, want := e.must(t, "%s", tpch.Query(n)), d.must(t, "%s", tpch.Query(n))
			if err := tpch.Compare(withoutNull(got.rows), withoutNull(want.rows), tpch.Tolerance); err != nil {
				t.Error(err)
			}
		})
	}
}

func writeTpch(t *testing.T, g *tpch.Generator, table tpch.Table, file string) {
	t.Helper()
	w, err := stage.NewWriter(vfs.OS, file, stage.Format{Type: stage.Parquet}, table.Schema())
	if err != nil {
		t.Fatal(err)
	}
	rows := g.Rows(table, 0, g.Units(table))
	for b := rows.Next(); b != nil; b = rows.Next() {
		if err := w.Append(b); err != nil {
			w.Abort()
			t.Fatal(err)
		}
	}
	if _, _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
}

// withoutNull prints NULL as package tpch has it.
func withoutNull(rows [][]string) [][]string {
	for _, r := range rows {
		for i, c := range r {
			if c == null {
				r[i] = ""
			}
		}
	}
	return rows
}
