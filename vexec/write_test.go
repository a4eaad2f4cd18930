package vexec_test

import (
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

func TestWriteChecks(t *testing.T) {
	d := newDatabase(t, catalog.Column{Name: "id", Type: tBig, NotNull: true},
		column("name", types.Type{Kind: types.Varchar, Length: 5}))
	fields := []types.Field{optest.Col("id", types.BigInt), optest.Col("name", types.Varchar)}
	f := func(rows [][]any, kind sqlerr.Kind, text string) {
		t.Helper()
		for _, delta := range []int64{-1, 100} {
			w := &plan.Write{Input: optest.NewTable(fields, rows...).Node(10), Table: d.table()}
			e, err := d.try(w, vexec.Options{DeltaRows: delta})
			if sqlerr.KindOf(err) != kind || !strings.Contains(err.Error(), text) {
				t.Errorf("error %v, want %s", err, text)
			}
			if len(e.Segments)+len(e.Batches) > 0 || e.WrittenRows > 0 {
				t.Errorf("a failed write has effects: %+v", e)
			}
		}
	}
	f([][]any{{1, "a"}, {nil, "b"}}, sqlerr.Constraint, "column id of table t is NOT NULL")
	f([][]any{{1, "äöüßé"}, {2, "123456"}}, sqlerr.OutOfRange, "6 characters is too long for column name VARCHAR(5)")
	if names, err := d.fs.List("."); err != nil || len(names) > 0 {
		t.Errorf("failed writes left files %v, %v", names, err)
	}
	d.insert(optest.NewTable(fields, optest.Row(1, "äöüßé"), optest.Row(2, nil)), true)
	if got := d.rows(plan.NewScan(d.table(), false)); len(got) != 2 || got[0] != "1 | äöüßé" {
		t.Errorf("got %q", got)
	}
}

// TestWriteManySegments writes with several workers more rows than a segment takes from each.
func TestWriteManySegments(t *testing.T) {
	d := newDatabase(t, column("n", tBig))
	f := func(rows, workers, segments int) {
		t.Helper()
		in := &plan.Batches{Out: numbers().Schema}
		for from := 0; from < rows; from += 50000 {
			data := make([]int64, min(50000, rows-from))
			in.Data = append(in.Data, vec.NewBatch(len(data), vec.NewFlat(tBig, data, nil)))
		}
		q, err := vexec.Build(&plan.Write{Input: in, Table: d.table()}, d.serialEnv(workers))
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Run(t.Context(), func(*vec.Batch) error { return nil }); err != nil {
			t.Fatal(err)
		}
		e := q.Effects()
		var n int64
		for _, m := range e.Segments {
			n += m.Rows
		}
		if e.WrittenRows != int64(rows) || n != int64(rows) || len(e.Batches) > 0 || workers == 1 && len(e.Segments) != segments {
			t.Errorf("%d rows written, %d in %d segments, %d batches", e.WrittenRows, n, len(e.Segments), len(e.Batches))
		}
	}
	f(segment.MaxRows+5000, 1, 2)
	f(100000, 3, 0)
}

// TestSmallWriteKeepsOrder collects the rows of several workers in the order of the input.
func TestSmallWriteKeepsOrder(t *testing.T) {
	d := newDatabase(t, column("n", tBig))
	q, err := vexec.Build(&plan.Write{Input: manyNumbers(1000).Node(3), Table: d.table()}, d.serialEnv(4))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Run(t.Context(), func(*vec.Batch) error { return nil }); err != nil {
		t.Fatal(err)
	}
	e := q.Effects()
	if len(e.Batches) != 1 || e.Batches[0].Len != 1000 {
		t.Fatalf("effects %+v", e)
	}
	for i, x := range vec.Slice[int64](e.Batches[0].Cols[0]) {
		if x != int64(i) {
			t.Fatalf("row %d is %d", i, x)
		}
	}
}

// TestWriteOfNothing has no effects but a row count.
func TestWriteOfNothing(t *testing.T) {
	d := newDatabase(t, column("n", tBig))
	e := d.change(&plan.Write{Input: numbers().Node(1), Table: d.table()}, vexec.Options{})
	if len(e.Segments)+len(e.Batches) > 0 || e.WrittenRows != 0 {
		t.Errorf("effects %+v", e)
	}
}
