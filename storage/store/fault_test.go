package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/storage/vfs/errorfs"
)

// content describes what users see of a Snapshot, whose files are on fsys; flush, compaction and checkpoints do not change it.
func content(t testing.TB, fsys vfs.FS, s *catalog.Snapshot) string {
	t.Helper()
	in := &Store{dir: testDir, o: Options{Segments: &plainFiles{fs: fsys}}}
	var out []string
	for _, d := range s.Databases() {
		out = append(out, "database "+d.Name)
		for _, tb := range s.Tables(d) {
			loads := 0
			tb.Loads(func(catalog.LoadEntry) bool { loads++; return true })
			rows, err := readRows(in, s, tb.ID)
			if err != nil {
				t.Fatalf("read table %s: %v", tb.Name, err)
			}
			got := keys(rows)
			slices.Sort(got)
			out = append(out, fmt.Sprintf("table %s: %d columns, %d loads, %d rows %v", tb.Name, len(tb.Columns), loads, tb.Rows(), got))
		}
	}
	for _, st := range s.Stages() {
		out = append(out, "stage "+st.Name)
	}
	return strings.Join(out, "\n")
}

// step is a part of the workload. It returns the first error, and then must have changed nothing.
type step struct {
	name string
	run  func(s *Store) error
}

func commitStep(name string, edit func(s *Store, l *Lease, t *catalog.Table) ([]catalog.Op, error)) step {
	return step{name, func(s *Store) error {
		p := s.Pin()
		defer p.Release()
		l := s.Lease()
		defer l.End()
		t, err := p.Snapshot().Table("default", "t", true)
		if err != nil && sqlerr.KindOf(err) != sqlerr.NotFound {
			return err
		}
		ops, err := edit(s, l, t)
		if err == nil {
			_, err = s.Commit(bg, &catalog.Edit{Ops: ops}, nil)
		}
		return err
	}}
}

// writeSegment writes a segment with five rows.
func writeSegment(s *Store, l *Lease, t *catalog.Table, from int64) ([]catalog.Op, error) {
	id, name := l.NewSegment()
	w, err := s.o.Segments.Create(id, name, []segment.Column{{ID: 1, Name: "k", Type: types.Of(types.BigInt)}, {ID: 2, Name: "s", Type: types.Of(types.Varchar)}})
	if err != nil {
		return nil, writeError(err)
	}
	if err := w.Append(batch(s, t.ID, from, 5).Batch.Data); err != nil {
		return nil, err
	}
	m, err := w.Finish()
	if err != nil {
		w.Abort()
		return nil, writeError(err)
	}
	return []catalog.Op{&catalog.AddSegments{Table: t.ID, Segments: []*segment.Meta{m}}}, nil
}

// workload goes through everything that a Store does.
func workload() []step {
	checkpoint := step{"checkpoint", func(s *Store) error { return s.Checkpoint(bg) }}
	insert := commitStep("insert", func(s *Store, _ *Lease, t *catalog.Table) ([]catalog.Op, error) {
		return []catalog.Op{batch(s, t.ID, 1, 4), &catalog.AddLoads{Table: t.ID, Loads: []catalog.LoadEntry{{Key: fmt.Sprint(s.NewID())}}}}, nil
	})
	add := commitStep("add segment", func(s *Store, l *Lease, t *catalog.Table) ([]catalog.Op, error) {
		return writeSegment(s, l, t, 100)
	})
	remove := commitStep("delete", func(s *Store, _ *Lease, t *catalog.Table) ([]catalog.Op, error) {
		var ops []catalog.Op
		for _, b := range t.Batches[max(0, len(t.Batches)-1):] {
			ops = append(ops, &catalog.DeleteRows{Table: t.ID, Target: b.ID, Rows: catalog.NewDeletionVector(2)})
		}
		for _, m := range t.Segments[max(0, len(t.Segments)-1):] {
			ops = append(ops, &catalog.DeleteRows{Table: t.ID, Target: m.ID, Rows: catalog.NewDeletionVector(0)})
		}
		return ops, nil
	})
	flush := step{"flush", func(s *Store) error { return s.Flush(bg) }}
	compact := step{"compact", func(s *Store) error {
		t, err := s.Snapshot().Table("default", "t", true)
		if err == nil {
			err = s.Compact(bg, t.ID)
		}
		return err
	}}
	return []step{
		commitStep("create", func(s *Store, _ *Lease, _ *catalog.Table) ([]catalog.Op, error) {
			t := newTable(s, "t")
			return []catalog.Op{&catalog.CreateTable{Table: t}, batch(s, t.ID, 1, 2)}, nil
		}),
		insert, add, remove, checkpoint, insert, flush, insert, compact,
		commitStep("create stage", func(s *Store, _ *Lease, _ *catalog.Table) ([]catalog.Op, error) {
			return []catalog.Op{&catalog.PutStage{Stage: &catalog.Stage{ID: s.NewID(), Database: "default", Name: "st"}}}, nil
		}),
		add, remove, flush, checkpoint, add, compact,
		commitStep("drop stage", func(*Store, *Lease, *catalog.Table) ([]catalog.Op, error) {
			return []catalog.Op{&catalog.DropStage{Database: "default", Name: "st"}}, nil
		}),
		commitStep("truncate", func(_ *Store, _ *Lease, t *catalog.Table) ([]catalog.Op, error) {
			return []catalog.Op{&catalog.Truncate{Table: t.ID}}, nil
		}),
		add, insert,
		commitStep("drop", func(_ *Store, _ *Lease, t *catalog.Table) ([]catalog.Op, error) {
			return []catalog.Op{&catalog.DropTable{ID: t.ID}}, nil
		}),
	}
}

// run is one go through the workload under faults.
type run struct {
	t    *testing.T
	what string
	mem  *vfs.Mem
	fsys *errorfs.FS
	s    *Store
	// have is the content that was acknowledged; maybe, if not empty, is that which a failed commit may have made.
	have, maybe string
	steps       []step
	want        []string
}

// reopen opens the store on a file system without faults and compares.
func (r *run) reopen(fsys vfs.FS, how string) *Store {
	r.t.Helper()
	s, err := Open(Options{FS: fsys, Dir: testDir, Segments: &plainFiles{fs: fsys}})
	if err != nil {
		r.t.Fatalf("%s, %s: %v", r.what, how, err)
	}
	if got := content(r.t, fsys, s.Snapshot()); got != r.have && (r.maybe == "" || got != r.maybe) {
		r.t.Fatalf("%s, %s: state is\n%s\nwant\n%s\nor\n%s", r.what, how, got, r.have, r.maybe)
	}
	if st := s.Stats(); st.MissingFiles != 0 {
		r.t.Fatalf("%s, %s: %d files are missing", r.what, how, st.MissingFiles)
	}
	live := 0
	for _, d := range s.Snapshot().Databases() {
		for _, t := range s.Snapshot().Tables(d) {
			live += len(t.Segments)
		}
	}
	if infos, err := fsys.List(s.SegmentDir()); err != nil || len(infos) != live {
		r.t.Fatalf("%s, %s: %d segment files for %d segments: %v", r.what, how, len(infos), live, err)
	}
	return s
}

// crash loses power and looks at what is left.
func (r *run) crash(how string) {
	for seed := range uint64(3) {
		mustClose(r.t, r.reopen(r.mem.CrashClone(rand.New(rand.NewPCG(seed, 7))), how))
	}
}

// failed checks what has to hold when a step has returned an error.
func (r *run) failed(i int, err error) {
	r.t.Helper()
	r.maybe = ""
	if r.s.Health() != nil {
		r.maybe = r.want[i]
	}
	if sqlerr.KindOf(err) != sqlerr.IO || !errors.Is(err, errorfs.ErrInjected) && !errors.Is(err, syscall.ENOSPC) {
		r.t.Fatalf("%s, step %d (%s): error is %v", r.what, i, r.steps[i].name, err)
	}
	if got := content(r.t, r.mem, r.s.Snapshot()); got != r.have {
		r.t.Fatalf("%s, step %d (%s): the state changed to\n%s", r.what, i, r.steps[i].name, got)
	}
	r.crash("crash after the failure")
	if herr := r.s.Health(); herr == nil {
		return
	} else if sqlerr.KindOf(herr) != sqlerr.IO || !strings.Contains(herr.Error(), "read-only after a failed sync") {
		r.t.Fatalf("%s: health is %v", r.what, herr)
	}
	for _, st := range []step{r.steps[0], {"checkpoint", func(s *Store) error { return s.Checkpoint(bg) }}} {
		if err := st.run(r.s); sqlerr.KindOf(err) != sqlerr.IO {
			r.t.Fatalf("%s: %s on a read-only store: %v", r.what, st.name, err)
		}
	}
	_ = r.s.Close()
	r.s = r.reopen(r.fsys, "reopen after the failure")
	r.have, r.maybe = content(r.t, r.mem, r.s.Snapshot()), ""
}

// all runs the whole workload; each step that fails is done again if it did not happen.
func (r *run) all() {
	o := Options{FS: r.fsys, Dir: testDir, Segments: &plainFiles{fs: r.fsys}}
	s, err := Open(o)
	if err != nil {
		if sqlerr.KindOf(err) != sqlerr.IO {
			r.t.Fatalf("%s: open: %v", r.what, err)
		}
		r.crash("crash after a failed open")
		if s, err = Open(o); err != nil {
			r.t.Fatalf("%s: open again: %v", r.what, err)
		}
	}
	r.s = s
	for i, st := range r.steps {
		err := st.run(r.s)
		if err != nil {
			r.failed(i, err)
			if err = nil; r.have != r.want[i] || i > 0 && r.want[i] == r.want[i-1] {
				err = st.run(r.s)
			}
		}
		if err != nil {
			r.t.Fatalf("%s, step %d (%s) done again: %v", r.what, i, st.name, err)
		}
		r.have, r.maybe = r.want[i], ""
		if got := content(r.t, r.mem, r.s.Snapshot()); got != r.have {
			r.t.Fatalf("%s, step %d (%s): state is\n%s\nwant\n%s", r.what, i, st.name, got, r.have)
		}
		if i%5 == 4 {
			r.crash("crash after " + st.name)
		}
	}
	_ = r.s.Close()
	mustClose(r.t, r.reopen(r.mem, "reopen at the end"))
}

func newRun(t *testing.T, what string, inject errorfs.Injector, steps []step, want []string) *run {
	m := vfs.NewMem()
	return &run{t: t, what: what, mem: m, fsys: errorfs.Wrap(m, inject), steps: steps, want: want, have: "database default"}
}

// dryRun returns the content after each step.
func dryRun(t *testing.T, steps []step) (want []string) {
	m := vfs.NewMem()
	s := openPlain(t, m)
	for _, st := range steps {
		if err := st.run(s); err != nil {
			t.Fatalf("%s: %v", st.name, err)
		}
		want = append(want, content(t, m, s.Snapshot()))
	}
	mustClose(t, s)
	return want
}

// TestEveryOperationFails fails each operation of the workload in turn, before and after its effect.
func TestEveryOperationFails(t *testing.T) {
	steps := workload()
	want := dryRun(t, steps)
	if !slices.ContainsFunc(want, func(s string) bool { return strings.Contains(s, "stage st") }) {
		t.Fatal("the workload makes no stage")
	}
	for _, after := range []bool{false, true} {
		n := 0
		for ; ; n++ {
			nth := errorfs.FailNth(n)
			if after {
				nth.AfterEffect()
			}
			r := newRun(t, fmt.Sprintf("operation %d (after: %v)", n, after), nth.Inject, steps, want)
			r.all()
			if !nth.Fired() {
				break
			}
		}
		t.Logf("%d operations failed", n)
	}
}

// TestDiskFull runs out of space at every size: the store stays writable, and the statement succeeds when there is space again.
func TestDiskFull(t *testing.T) {
	steps := workload()
	want := dryRun(t, steps)
	for free := int64(0); ; free += 61 {
		disk := errorfs.NewDisk(free)
		full := false
		r := newRun(t, fmt.Sprintf("disk of %d bytes", free), func(op errorfs.Op) errorfs.Fault {
			f := disk.Inject(op)
			if f.Err != nil && !full {
				// Space appears after the first failure.
				full = true
				disk.Free(1 << 30)
			}
			return f
		}, steps, want)
		r.all()
		if !full {
			break
		}
	}
}

func TestDiskFullMessage(t *testing.T) {
	m := vfs.NewMem()
	fsys := errorfs.Wrap(m, nil)
	s := mustOpen(t, fsys)
	disk := errorfs.NewDisk(40)
	fsys.SetInjector(disk.Inject)
	_, err := s.Commit(bg, &catalog.Edit{Ops: []catalog.Op{&catalog.PutDatabase{Name: "d"}}}, nil)
	if sqlerr.KindOf(err) != sqlerr.IO || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the disk is full, nothing was changed") {
		t.Errorf("got %v", err)
	}
	if err := s.Health(); err != nil {
		t.Errorf("a full disk made the store read-only: %v", err)
	}
	if size := s.Stats().LogBytes; size != fileHeaderBytes {
		t.Errorf("the log has %d bytes", size)
	}
	disk.Free(1 << 20)
	mustCommit(t, s, &catalog.PutDatabase{Name: "d"})
	mustClose(t, s)
	s = mustOpen(t, m)
	if n := len(s.Snapshot().Databases()); n != 2 {
		t.Errorf("%d databases", n)
	}
	mustClose(t, s)
}

// TestFailedSync makes sure that an Edit whose sync failed is refused for good, while readers go on.
func TestFailedSync(t *testing.T) {
	m := vfs.NewMem()
	fsys := errorfs.Wrap(m, nil)
	s := mustOpen(t, fsys)
	tb := newTable(s, "t")
	mustCommit(t, s, &catalog.CreateTable{Table: tb}, batch(s, tb.ID, 1, 3))
	l := s.Lease()
	seg, err := fakeSegment(s, l, 5)
	if err != nil {
		t.Fatal(err)
	}
	fsys.SetInjector(errorfs.FailNth(0).Matching(func(op errorfs.Op) bool { return op.Kind == errorfs.Sync }).Inject)
	_, err = s.Commit(bg, &catalog.Edit{Ops: []catalog.Op{&catalog.AddSegments{Table: tb.ID, Segments: []*segment.Meta{seg}}}}, nil)
	if sqlerr.KindOf(err) != sqlerr.IO {
		t.Errorf("got %v", err)
	}
	l.End()
	if !exists(t, m, s.SegmentPath(seg.ID)) {
		t.Error("the file was removed although the log may name it")
	}
	_, err = s.Commit(bg, &catalog.Edit{}, nil)
	if sqlerr.KindOf(err) != sqlerr.IO || !strings.Contains(err.Error(), "the store is read-only after a failed sync; check the disk of /srv/data and restart") {
		t.Errorf("next commit: %v", err)
	}
	if n := s.Pin().Snapshot().TableByID(tb.ID).Rows(); n != 3 || !s.Stats().ReadOnly {
		t.Errorf("%d rows, stats %+v", n, s.Stats())
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	s = mustOpen(t, m)
	if n := s.Snapshot().TableByID(tb.ID).Rows(); n != 8 {
		t.Errorf("%d rows after reopening: the file system had kept the record", n)
	}
	mustClose(t, s)
}

// TestRecoveredIsDurable opens a directory whose last record was written but never synced, which only the death of the process leaves
// behind. Once Open has shown it, a loss of power must not take it away: neither if the checkpoint that Open makes succeeds nor if not.
func TestRecoveredIsDurable(t *testing.T) {
	for _, full := range []bool{false, true} {
		m := vfs.NewMem()
		fsys := errorfs.Wrap(m, nil)
		s := mustOpen(t, fsys)
		mustCommit(t, s, &catalog.PutDatabase{Name: "a"})
		fsys.SetInjector(errorfs.FailNth(0).Matching(func(op errorfs.Op) bool { return op.Kind == errorfs.Sync }).Inject)
		if _, err := s.Commit(bg, &catalog.Edit{Ops: []catalog.Op{&catalog.PutDatabase{Name: "b"}}}, nil); err == nil {
			t.Fatal("the sync did not fail")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if full {
			fsys.SetInjector(errorfs.FailIf(func(op errorfs.Op) bool { return op.Kind == errorfs.Create }, syscall.ENOSPC))
		}
		s = mustOpen(t, fsys)
		if n, checkpoints := len(s.Snapshot().Databases()), s.Stats().Checkpoints; n != 3 || (checkpoints == 0) != full {
			t.Fatalf("%d databases, %d checkpoints", n, checkpoints)
		}
		for seed := range uint64(20) {
			c := mustOpen(t, m.CrashClone(rand.New(rand.NewPCG(seed, 3))))
			if n := len(c.Snapshot().Databases()); n != 3 {
				t.Fatalf("%d databases after a crash", n)
			}
			mustClose(t, c)
		}
		mustClose(t, s)
	}
}
