package vexec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

// spy counts the batches with and without values that went past the pipeline.
type spy struct {
	vexec.StageReader
	direct, whole *int
}

func (s spy) NextInto(sinks []variant.RowSink, limit int) (*vec.Batch, error) {
	b, err := s.StageReader.NextInto(sinks, limit)
	if b != nil {
		if slices.Contains(b.Cols, nil) {
			*s.direct++
		} else {
			*s.whole++
		}
	}
	return b, err
}

// staged is NDJSON in a file of the database's file system, read by one worker.
type staged struct {
	d    *database
	text string
	read stage.ReadSpec
	// through makes the input of the write from the scan; nil for the scan itself.
	through func(*plan.StageScan) plan.Node
}

// load writes the lines to the table and returns its rows, what the report says and how many batches went which way.
func (s staged) load(o vexec.Options) (rows []string, report *stage.Report, direct, whole int) {
	t := s.d.t
	t.Helper()
	const path = "staged.ndjson"
	if err := vfs.WriteFileAtomic(s.d.fs, path, []byte(s.text)); err != nil {
		t.Fatal(err)
	}
	file := stage.File{Name: path, Path: path, Size: int64(len(s.text))}
	report = stage.NewReport([]stage.File{file}, s.read.OnError)
	scan := &plan.StageScan{Files: []stage.File{file}, Read: s.read, Report: report}
	if s.read.WholeRow {
		scan.Out = types.Schema{{Name: "$1", Type: types.Of(types.Variant)}}
	}
	for _, c := range s.read.Targets {
		scan.Out = append(scan.Out, types.Field{Name: c.Name, Type: c.Type})
	}
	var in plan.Node = scan
	if s.through != nil {
		in = s.through(scan)
	}
	env := s.d.env(1, 0, o)
	env.OpenStage = func(f stage.File, spec stage.ReadSpec, r *stage.Report) (vexec.StageReader, error) {
		in, err := stage.Open(s.d.fs, f, spec, r)
		return spy{in, &direct, &whole}, err
	}
	before := s.d.snap
	q, err := vexec.Build(&plan.Write{Input: in, Table: s.d.table()}, env)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Run(t.Context(), func(*vec.Batch) error { return nil }); err != nil {
		t.Fatal(err)
	}
	s.d.commit(q.Effects())
	rows, err = optest.Collect(plan.NewScan(s.d.table(), false), s.d.env(1, 0, vexec.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	s.d.snap = before
	return rows, report, direct, whole
}

// both loads with values past the pipeline and through it, which must give the same, and returns the rows.
func (s staged) both(o vexec.Options) []string {
	t := s.d.t
	t.Helper()
	got, report, direct, _ := s.load(o)
	o.NoDirectVariants = true
	want, plainReport, none, _ := s.load(o)
	if direct == 0 || none != 0 {
		t.Fatalf("%d and %d batches had values that went past the pipeline", direct, none)
	}
	if len(got) != len(want) {
		t.Fatalf("%d rows instead of %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("row %d is %s instead of %s", i, got[i], want[i])
		}
	}
	a, b := fmt.Sprint(report.Files(), report.RowErrors(), report.Duplicates()), fmt.Sprint(plainReport.Files(), plainReport.RowErrors(), plainReport.Duplicates())
	if a != b {
		t.Errorf("report %s instead of %s", a, b)
	}
	return got
}

// drifting makes n lines with values of all kinds, duplicate members, gaps, nulls, and lines that are bad before, within and behind a
// VARIANT value.
func drifting(n int) string {
	var b strings.Builder
	for i := range n {
		switch i % 11 {
		case 0:
			fmt.Fprintf(&b, `{"n":%d,"v":{"a":%d,"b":{"c":"x%d"},"d":"2026-01-0%d"},"j":[1,{"k":%d}],"x":"s"}`, i, i, i, i%9+1, i)
		case 1:
			fmt.Fprintf(&b, `{"v":{"a":1.5,"a":"last"},"n":%d,"x":{"z":null}}`, i)
		case 2:
			fmt.Fprintf(&b, `{"n":%d,"v":{"a":[]},"v":{"b":{}},"j":null,"x":%d}`, i, i)
		case 3:
			fmt.Fprintf(&b, `{"n":%d,"v":null,"j":{"k":1e400},"x":true}`, i)
		case 4:
			fmt.Fprintf(&b, `{"v":{"a":%d},"n":"no number","x":1}`, i)
		case 5:
			fmt.Fprintf(&b, `{"n":%d,"v":{"a":{"deep":[1,2,`, i)
		case 6:
			fmt.Fprintf(&b, `{"n":%d,"v":{"d":"no date","a":12345678901234567890123},"x":{}}`, i)
		case 7:
			fmt.Fprintf(&b, `{"n":%d,"v":{"a":1},"x":null}`, i)
		case 8:
			fmt.Fprintf(&b, `{"n":%d,"v":7,"j":"text","x":-0.0}`, i)
		case 9:
			fmt.Fprintf(&b, `{"n":%d,"j":{"b":%d},"v":{"b":{"c":%d}},"x":[[]]}`, i, i, i)
		default:
			b.WriteString(`[1]`)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func driftingTable(t *testing.T) (*database, stage.ReadSpec) {
	t.Helper()
	template := types.Type{Kind: types.Variant, Variant: &types.VariantSpec{Template: []types.TemplateEntry{{Pattern: "d", Type: types.Of(types.Date)}}}}
	cols := []catalog.Column{column("n", tBig), column("v", template), column("j", types.Of(types.JSON)), column("x", types.Of(types.Variant))}
	cols[3].NotNull = true
	spec := stage.ReadSpec{Format: stage.Format{Type: stage.NDJSON, Missing: stage.MissingNull}, OnError: stage.OnError{Mode: stage.Continue}}
	for _, c := range cols {
		spec.Targets = append(spec.Targets, stage.Target{Name: c.Name, Type: c.Type, NotNull: c.NotNull})
	}
	return newDatabase(t, cols...), spec
}

// TestDirectVariants loads drifting records, whose first batches are too few for a segment.
func TestDirectVariants(t *testing.T) {
	d, spec := driftingTable(t)
	s := staged{d: d, text: drifting(60000), read: spec}
	for _, o := range []vexec.Options{{}, {DeltaRows: -1}} {
		rows := s.both(o)
		want := []string{
			`0 | {"a":0,"b":{"c":"x0"},"d":"2026-01-01"} | [1,{"k":0}] | "s"`, `1 | {"a":"last"} | NULL | {"z":null}`, `2 | {"b":{}} | NULL | 2`, `3 | NULL | {"k":1e400} | true`,
			`6 | {"a":12345678901234567890123} | NULL | {}`, `8 | 7 | "text" | -0`, `9 | {"b":{"c":9}} | {"b":9} | [[]]`,
		}
		if len(rows) != 60000/11*7+4 || !slices.Equal(rows[:len(want)], want) {
			t.Errorf("%d rows, first %s", len(rows), strings.Join(rows[:len(want)], "\n"))
		}
	}
}

// TestDirectWholeRows sends $1 through a projection, also beyond the rows of one segment.
func TestDirectWholeRows(t *testing.T) {
	d := newDatabase(t, column("k", tBig), column("v", types.Of(types.Variant)))
	read := stage.ReadSpec{Format: stage.Format{Type: stage.NDJSON}, WholeRow: true}
	first := func(exprs func(doc expr.Expr) []expr.Expr) func(*plan.StageScan) plan.Node {
		return func(s *plan.StageScan) plan.Node {
			return &plan.Project{Input: s, Exprs: exprs(plan.ColumnOf(s.Out, 0)), Out: types.Schema{{Name: "k", Type: tBig}, {Name: "v", Type: types.Of(types.Variant)}}}
		}
	}
	seven := &expr.Const{Value: vec.NewFlat(tBig, []int64{7}, nil)}
	s := staged{d: d, read: read, text: strings.Repeat("{\"a\":1}\n{}\n", segment.MaxRows/2+10000), through: first(func(doc expr.Expr) []expr.Expr { return []expr.Expr{seven, doc} })}
	if rows := s.both(vexec.Options{}); len(rows) != segment.MaxRows+20000 || rows[segment.MaxRows] != `7 | {"a":1}` || rows[segment.MaxRows+1] != "7 | {}" {
		t.Errorf("%d rows", len(rows))
	}
	// A document that something else reads too must be in the batch.
	s.text = strings.Repeat("{\"a\":3}\n", 50000)
	s.through = first(func(doc expr.Expr) []expr.Expr {
		return []expr.Expr{&expr.Cast{Arg: &expr.Path{Arg: doc, Steps: []expr.Step{{Key: "a"}}}, To: tBig}, doc}
	})
	if rows, _, direct, _ := s.load(vexec.Options{DeltaRows: -1}); direct != 0 || len(rows) != 50000 || rows[49999] != `3 | {"a":3}` {
		t.Errorf("%d rows, %d batches without documents", len(rows), direct)
	}
}

// TestDirectSorted loads into a table with a sort key: its rows move, so their values stay with them.
func TestDirectSorted(t *testing.T) {
	d, spec := driftingTable(t)
	sorted := *d.table()
	sorted.SortKey = []catalog.ColumnID{1}
	d.apply(&catalog.AlterTable{Table: &sorted, From: sorted.SchemaVersion})
	s := staged{d: d, text: drifting(22000), read: spec}
	if rows, _, direct, _ := s.load(vexec.Options{DeltaRows: -1}); direct != 0 || len(rows) != 22000/11*7 {
		t.Errorf("%d rows, %d batches without documents", len(rows), direct)
	}
}
