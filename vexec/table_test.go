package vexec_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

// database is a table on a file system in memory.
type database struct {
	t      *testing.T
	fs     *vfs.Mem
	snap   *catalog.Snapshot
	nextID segment.ID
	opened []segment.ID // by OpenSegment
}

const tableID = 50

// newDatabase makes a database with one table t of the columns given, whose ids count from 1.
func newDatabase(t *testing.T, columns ...catalog.Column) *database {
	t.Helper()
	d := &database{t: t, fs: vfs.NewMem(), snap: catalog.NewSnapshot(), nextID: 100}
	for i := range columns {
		columns[i].ID = catalog.ColumnID(i + 1)
	}
	d.apply(&catalog.CreateTable{Table: &catalog.Table{ID: tableID, Database: catalog.DefaultDatabase, Name: "t", Columns: columns,
		NextColumn: catalog.ColumnID(len(columns) + 1)}})
	return d
}

func (d *database) table() *catalog.Table { return d.snap.TableByID(tableID) }

func (d *database) apply(ops ...catalog.Op) {
	d.t.Helper()
	snap, err := d.snap.Apply(&catalog.Edit{Ops: ops})
	if err != nil {
		d.t.Fatal(err)
	}
	d.snap = snap
}

// env is an environment over the files of d.
func (d *database) env(workers, batch int, o vexec.Options) *vexec.Env {
	return &vexec.Env{
		Fn: optest.Fn(), Workers: workers, BatchRows: batch, Options: o,
		OpenSegment: func(_ *catalog.Table, m *segment.Meta) (*segment.Reader, error) {
			if workers == 1 {
				d.opened = append(d.opened, m.ID)
			}
			return segment.Open(d.fs, m.File, m, segment.Caches{})
		},
		NewSegment: func(t *catalog.Table) (*segment.Writer, error) {
			d.nextID++
			var cols []segment.Column
			for _, c := range t.Columns {
				cols = append(cols, segment.Column{ID: c.ID, Name: c.Name, Type: c.Type, NotNull: c.NotNull})
			}
			return segment.NewWriter(d.fs, fmt.Sprintf("%d.parquet", d.nextID), d.nextID, cols, segment.WriterOptions{})
		},
	}
}

// commit applies the effects of a statement, as a session does.
func (d *database) commit(e vexec.Effects) {
	d.t.Helper()
	var ops []catalog.Op
	if len(e.Segments) > 0 {
		ops = append(ops, &catalog.AddSegments{Table: tableID, Segments: e.Segments})
	}
	var ids []catalog.ColumnID
	for _, c := range d.table().Columns {
		ids = append(ids, c.ID)
	}
	for _, b := range e.Batches {
		d.nextID++
		ops = append(ops, &catalog.AddBatch{Table: tableID, Batch: &catalog.Batch{ID: d.nextID, Columns: ids, Data: b}})
	}
	for id, rows := range e.Deleted {
		ops = append(ops, &catalog.DeleteRows{Table: tableID, Target: id, Rows: catalog.NewDeletionVector(rows...)})
	}
	d.apply(ops...)
}

// change runs a Write or Delete and commits it.
func (d *database) change(n plan.Node, o vexec.Options) vexec.Effects {
	d.t.Helper()
	e, err := d.try(n, o)
	if err != nil {
		d.t.Fatal(err)
	}
	d.commit(e)
	return e
}

// try runs a Write or Delete without committing it.
func (d *database) try(n plan.Node, o vexec.Options) (vexec.Effects, error) {
	q, err := vexec.Build(n, d.env(1, 0, o))
	if err != nil {
		return vexec.Effects{}, err
	}
	var count int64
	err = q.Run(d.t.Context(), func(b *vec.Batch) error {
		count += vec.Slice[int64](b.Cols[0])[0]
		return nil
	})
	e := q.Effects()
	if err == nil && count != max(e.WrittenRows, e.DeletedRows) {
		d.t.Fatalf("row count %d, effects %d and %d", count, e.WrittenRows, e.DeletedRows)
	}
	return e, err
}

// insert writes the rows of an input to the table: to a segment, or as a small write.
func (d *database) insert(in optest.Table, small bool) {
	d.t.Helper()
	o := vexec.Options{DeltaRows: -1}
	if small {
		o.DeltaRows = 1 << 20
	}
	e := d.change(&plan.Write{Input: in.Node(1000), Table: d.table()}, o)
	if small != (len(e.Batches) == 1) || small == (len(e.Segments) > 0) {
		d.t.Fatalf("%d batches, %d segments", len(e.Batches), len(e.Segments))
	}
}

// rows runs a plan in several ways, which must agree, and returns its rows.
func (d *database) rows(n plan.Node) []string {
	d.t.Helper()
	var first []string
	for i, o := range []vexec.Options{{}, {NoPruning: true}, {NoLateMaterialization: true}, {}} {
		workers, batch := 1, 0
		if i == 3 {
			workers, batch = 4, 333
		}
		got, err := optest.Collect(n, d.env(workers, batch, o))
		if err != nil {
			d.t.Fatal(err)
		}
		if i == 0 {
			first = got
			continue
		}
		if fmt.Sprint(got) != fmt.Sprint(first) {
			d.t.Fatalf("options %+v, %d workers: %d rows instead of %d", o, workers, len(got), len(first))
		}
	}
	return first
}

// comparison resolves a function of the catalogue.
func comparison(t *testing.T, name string, args ...function.Arg) *function.Scalar {
	t.Helper()
	s, err := function.Resolve(name, args)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func column(name string, k types.Type) catalog.Column { return catalog.Column{Name: name, Type: k} }

// serialEnv is env with a lock around NewSegment, for several workers.
func (d *database) serialEnv(workers int) *vexec.Env {
	e := d.env(workers, 0, vexec.Options{})
	var mu sync.Mutex
	start := e.NewSegment
	e.NewSegment = func(t *catalog.Table) (*segment.Writer, error) {
		mu.Lock()
		defer mu.Unlock()
		return start(t)
	}
	return e
}
