package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
)

const testDir = "/srv/data"

var bg = context.Background()

func mustOpen(t testing.TB, fsys vfs.FS) *Store {
	t.Helper()
	s, err := Open(Options{FS: fsys, Dir: testDir})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return s
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func mustCommit(t testing.TB, s *Store, ops ...catalog.Op) *catalog.Snapshot {
	t.Helper()
	snap, err := s.Commit(bg, &catalog.Edit{Ops: ops}, nil)
	if err != nil {
		t.Fatalf("commit: %v", err)
	}
	return snap
}

// fingerprint is equal for Snapshots of equal content, whatever ids have been given out beside.
func fingerprint(t testing.TB, s *catalog.Snapshot) string {
	t.Helper()
	c := *s
	c.NextID = 0
	var out []byte
	for _, e := range c.Rebuild() {
		var err error
		if out, err = e.Encode(out); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%d %x", s.Version, out)
}

// newTable describes a table "name" with columns k BIGINT, s VARCHAR.
func newTable(s *Store, name string) *catalog.Table {
	return &catalog.Table{ID: catalog.TableID(s.NewID()), Database: "default", Name: name, NextColumn: 3, Columns: []catalog.Column{
		{ID: 1, Name: "k", Type: types.Of(types.BigInt)}, {ID: 2, Name: "s", Type: types.Of(types.Varchar)},
	}}
}

// batch makes a small write with keys from, from+1, ...
func batch(s *Store, table catalog.TableID, from int64, n int) *catalog.AddBatch {
	keys := make([]int64, n)
	b := vec.NewBuilder(types.Of(types.Varchar), n)
	for i := range keys {
		keys[i] = from + int64(i)
		b.AppendString(fmt.Sprintf("row number %d", keys[i]))
	}
	data := vec.NewBatch(n, vec.NewFlat(types.Of(types.BigInt), keys, nil), b.Finish())
	return &catalog.AddBatch{Table: table, Batch: &catalog.Batch{ID: segment.ID(s.NewID()), Columns: []catalog.ColumnID{1, 2}, Data: data}}
}

// fakeSegment writes a file that passes for a segment as long as nobody reads rows.
func fakeSegment(s *Store, l *Lease, rows int64) (*segment.Meta, error) {
	id, name := l.NewSegment()
	f, err := s.fs.Create(name)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("segment %d", id)
	_, err = f.Write([]byte(text))
	if err == nil {
		err = f.Sync()
	}
	return &segment.Meta{ID: id, File: SegmentFile(id), Rows: rows, Bytes: int64(len(text))}, errors.Join(err, f.Close())
}

func mustFake(t testing.TB, s *Store, rows int64) *segment.Meta {
	t.Helper()
	l := s.Lease()
	m, err := fakeSegment(s, l, rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func exists(t testing.TB, fsys vfs.FS, name string) bool {
	t.Helper()
	ok, err := vfs.Exists(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestReopen(t *testing.T) {
	m := vfs.NewMem()
	s := mustOpen(t, m)
	if v := s.Snapshot().Version; v != 0 {
		t.Fatalf("a new store has version %d", v)
	}
	tb := newTable(s, "t")
	mustCommit(t, s, &catalog.CreateTable{Table: tb})
	mustCommit(t, s, batch(s, tb.ID, 1, 10))
	seg := mustFake(t, s, 100)
	mustCommit(t, s, &catalog.AddSegments{Table: tb.ID, Segments: []*segment.Meta{seg}},
		&catalog.DeleteRows{Table: tb.ID, Target: seg.ID, Rows: catalog.NewDeletionVector(3, 99)})
	mustCommit(t, s, &catalog.PutStage{Stage: &catalog.Stage{ID: s.NewID(), Database: "default", Name: "st"}})
	for round := range 3 {
		want, last := fingerprint(t, s.Snapshot()), s.NewID()
		if round == 1 {
			if err := s.Checkpoint(bg); err != nil {
				t.Fatal(err)
			}
			if got := s.Stats().LogBytes; got != fileHeaderBytes {
				t.Errorf("the log has %d bytes after a checkpoint", got)
			}
		}
		mustClose(t, s)
		s = mustOpen(t, m)
		if got := fingerprint(t, s.Snapshot()); got != want {
			t.Fatalf("round %d: state is\n%s, want\n%s", round, got, want)
		}
		if id := s.NewID(); id <= last {
			t.Errorf("id %d was given out again after %d", id, last)
		}
		if n := s.Stats().MissingFiles; n != 0 {
			t.Errorf("%d files are missing", n)
		}
		mustCommit(t, s, batch(s, tb.ID, int64(100*round), 3))
	}
	if n := s.Snapshot().TableByID(tb.ID).Rows(); n != 10+98+9 {
		t.Errorf("%d rows", n)
	}
	mustClose(t, s)
	if _, err := s.Commit(bg, &catalog.Edit{}, nil); sqlerr.KindOf(err) != sqlerr.Canceled {
		t.Errorf("commit after close: %v", err)
	}
}

func TestSecondOpener(t *testing.T) {
	f := func(fsys vfs.FS, dir string) {
		t.Helper()
		s, err := Open(Options{FS: fsys, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		second := func(want string) {
			t.Helper()
			_, err := Open(Options{FS: fsys, Dir: dir})
			if sqlerr.KindOf(err) != sqlerr.Resource || err.Error() != fmt.Sprintf("resource limit: data directory %s is in use by process %d%s", dir, os.Getpid(), want) {
				t.Errorf("second opener got %v, want ...%s", err, want)
			}
		}
		second(", which is no server that could be connected to, or not yet; wait until it ends, or end it")
		if err := s.SetURL("grpc+tls://[::1]:31337"); err != nil {
			t.Fatal(err)
		}
		second("; end it, or connect to it with: ebira sql --url grpc+tls://[::1]:31337")
		if err := s.SetURL("no\nURL"); sqlerr.KindOf(err) != sqlerr.IO {
			t.Errorf("SetURL = %v", err)
		}
		mustClose(t, s)
		if s, err = Open(Options{FS: fsys, Dir: dir}); err != nil {
			t.Fatalf("after close: %v", err)
		}
		mustClose(t, s)
	}
	f(vfs.NewMem(), testDir)
	f(vfs.OS, path.Join(t.TempDir(), "a", "b"))
}

func TestFormatRefused(t *testing.T) {
	prepared := func() *vfs.Mem {
		m := vfs.NewMem()
		s := mustOpen(t, m)
		mustCommit(t, s, &catalog.CreateTable{Table: newTable(s, "t")})
		if err := s.Checkpoint(bg); err != nil {
			t.Fatal(err)
		}
		mustCommit(t, s, &catalog.PutDatabase{Name: "d"})
		mustClose(t, s)
		return m
	}
	f := func(name string, at int, put byte, kind sqlerr.Kind, text string) {
		t.Helper()
		m := prepared()
		name = path.Join(testDir, name)
		b, err := vfs.ReadFile(m, name, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		b[at] = put
		if err := vfs.WriteFileAtomic(m, name, b); err != nil {
			t.Fatal(err)
		}
		_, err = Open(Options{FS: m, Dir: testDir})
		if sqlerr.KindOf(err) != kind || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	log, checkpoint := "log-00000000000000000001", "checkpoint-00000000000000000001"
	f(formatName, len(formatLine), '7', sqlerr.Unsupported, "has format version 7, but this ebira reads versions 1 to 1; open it with a newer ebira")
	f(formatName, len(formatLine), '0', sqlerr.Unsupported, "has format version 0, but this ebira reads versions 1 to 1; open it with an older ebira")
	f(formatName, 0, 'E', sqlerr.Corrupt, "does not hold a format version")
	f(log, 8, 2, sqlerr.Unsupported, log+" has format version 2, but this ebira reads versions 1 to 1; open it with a newer ebira")
	f(log, 8, 0, sqlerr.Unsupported, "open it with an older ebira")
	f(log, 0, 'X', sqlerr.Corrupt, "does not begin with EBIRALOG")
	f(log, 12, 9, sqlerr.Corrupt, "wrong checksum")
	f(checkpoint, 8, 2, sqlerr.Unsupported, checkpoint+" has format version 2")
	f(checkpoint, 20, 1, sqlerr.Corrupt, "wrong checksum")
}

func TestForeignDirectory(t *testing.T) {
	f := func(name string, kind sqlerr.Kind) {
		t.Helper()
		m := vfs.NewMem()
		if err := m.MkdirAll(testDir); err != nil {
			t.Fatal(err)
		}
		w, err := m.Create(path.Join(testDir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(Options{FS: m, Dir: testDir})
		if kind == sqlerr.Internal {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				mustClose(t, s)
			}
			return
		}
		if sqlerr.KindOf(err) != kind || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if exists(t, m, path.Join(testDir, formatName)) {
			t.Errorf("%s: a data directory was made", name)
		}
	}
	f("letter.txt", sqlerr.Constraint)
	f(versionName(logPrefix, 0), sqlerr.Corrupt)
	f(versionName(checkpointPrefix, 5), sqlerr.Corrupt)
	f("lost+found", sqlerr.Internal)
	f(".hidden", sqlerr.Internal)
}

func TestOrphans(t *testing.T) {
	m := vfs.NewMem()
	s := mustOpen(t, m)
	tb := newTable(s, "t")
	kept, lost := mustFake(t, s, 1), mustFake(t, s, 1)
	stage := &catalog.Stage{ID: s.NewID(), Database: "default", Name: "st"}
	mustCommit(t, s, &catalog.CreateTable{Table: tb}, &catalog.AddSegments{Table: tb.ID, Segments: []*segment.Meta{kept}}, &catalog.PutStage{Stage: stage})
	mustClose(t, s)
	put := func(name string) string {
		t.Helper()
		name = path.Join(testDir, name)
		if err := m.MkdirAll(path.Dir(name)); err != nil {
			t.Fatal(err)
		}
		f, err := m.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return name
	}
	gone := []string{s.SegmentPath(lost.ID), put(vfs.TempName("log-1")), put(vfs.TempName("segments/x")), put("segments/900.parquet"), put("stages/77/a/b.json"), put("tmp/sort/run")}
	stay := []string{s.SegmentPath(kept.ID), put("segments/notes.txt"), put(fmt.Sprintf("stages/%d/f.json", stage.ID)), s.TempDir()}
	s = mustOpen(t, m)
	for _, name := range gone {
		if exists(t, m, name) {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range stay {
		if !exists(t, m, name) {
			t.Errorf("%s is gone", name)
		}
	}
	if id := s.NewID(); id <= 900 {
		t.Errorf("id %d is below that of a file", id)
	}
	if err := m.Remove(s.SegmentPath(kept.ID)); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	s = mustOpen(t, m)
	if n := s.Stats().MissingFiles; n != 1 {
		t.Errorf("%d files are missing", n)
	}
	mustClose(t, s)
}

func TestPinsKeepFiles(t *testing.T) {
	m := vfs.NewMem()
	var told []segment.ID
	s, err := Open(Options{FS: m, Dir: testDir, OnRemove: func(ids []segment.ID) { told = append(told, ids...) }})
	if err != nil {
		t.Fatal(err)
	}
	a, b := newTable(s, "a"), newTable(s, "b")
	one, two, three := mustFake(t, s, 1), mustFake(t, s, 1), mustFake(t, s, 1)
	stage := &catalog.Stage{ID: s.NewID(), Database: "default", Name: "st"}
	mustCommit(t, s, &catalog.CreateTable{Table: a}, &catalog.CreateTable{Table: b}, &catalog.AddSegments{Table: a.ID, Segments: []*segment.Meta{one, two}},
		&catalog.AddSegments{Table: b.ID, Segments: []*segment.Meta{three}}, &catalog.PutStage{Stage: stage})
	f := func(want ...string) {
		t.Helper()
		var got []string
		for i, name := range []string{s.SegmentPath(one.ID), s.SegmentPath(two.ID), s.SegmentPath(three.ID), s.StageDir(stage.ID)} {
			if exists(t, m, name) {
				got = append(got, []string{"one", "two", "three", "stage"}[i])
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("files are %v, want %v", got, want)
		}
	}
	f("one", "two", "three", "stage")
	p1 := s.Pin()
	four := mustFake(t, s, 2)
	mustCommit(t, s, &catalog.Replace{Table: a.ID, Remove: []segment.ID{one.ID}, Add: []*segment.Meta{four}})
	p2, p2b := s.Pin(), s.Pin()
	mustCommit(t, s, &catalog.DropTable{ID: a.ID})
	mustCommit(t, s, &catalog.DropStage{Database: "default", Name: "st"})
	f("one", "two", "three", "stage")
	if st := s.Stats(); st.Pins != 3 || st.DeadFiles != 4 || st.OldestPin != p1.Snapshot().Version {
		t.Errorf("stats %+v", st)
	}
	p2.Release()
	f("one", "two", "three", "stage")
	p1.Release()
	p1.Release()
	f("two", "three", "stage")
	if got := p2b.Snapshot().TableByID(a.ID).Segments; len(got) != 2 || got[0].ID != two.ID || got[1].ID != four.ID {
		t.Errorf("the pinned table has %d segments", len(got))
	}
	p2b.Release()
	f("three")
	mustCommit(t, s, &catalog.Truncate{Table: b.ID})
	f()
	five := mustFake(t, s, 1)
	mustCommit(t, s, &catalog.PutDatabase{Name: "d"})
	c := newTable(s, "c")
	c.Database = "d"
	mustCommit(t, s, &catalog.CreateTable{Table: c}, &catalog.AddSegments{Table: c.ID, Segments: []*segment.Meta{five}}, &catalog.DropDatabase{Name: "d"})
	if exists(t, m, s.SegmentPath(five.ID)) {
		t.Error("a segment added and dropped by one edit stays")
	}
	if want := fmt.Sprint([]segment.ID{one.ID, two.ID, four.ID, three.ID, five.ID}); fmt.Sprint(told) != want {
		t.Errorf("removed %v, want %v", told, want)
	}
	mustClose(t, s)
}

func TestLease(t *testing.T) {
	m := vfs.NewMem()
	s := mustOpen(t, m)
	tb := newTable(s, "t")
	mustCommit(t, s, &catalog.CreateTable{Table: tb})
	l := s.Lease()
	kept, err := fakeSegment(s, l, 1)
	if err != nil {
		t.Fatal(err)
	}
	lost, err := fakeSegment(s, l, 1)
	if err != nil {
		t.Fatal(err)
	}
	l.NewSegment() // never written
	mustCommit(t, s, &catalog.AddSegments{Table: tb.ID, Segments: []*segment.Meta{kept}})
	l.End()
	l.End()
	if !exists(t, m, s.SegmentPath(kept.ID)) || exists(t, m, s.SegmentPath(lost.ID)) {
		t.Error("the lease removed the wrong file")
	}
	f := func(change func(*segment.Meta), kind sqlerr.Kind) {
		t.Helper()
		meta := *mustFake(t, s, 1)
		change(&meta)
		_, err := s.Commit(bg, &catalog.Edit{Ops: []catalog.Op{&catalog.AddSegments{Table: tb.ID, Segments: []*segment.Meta{&meta}}}}, nil)
		if sqlerr.KindOf(err) != kind {
			t.Errorf("commit of a wrong file: %v", err)
		}
	}
	f(func(m *segment.Meta) { m.File = "404.parquet" }, sqlerr.IO)
	f(func(m *segment.Meta) { m.Bytes++ }, sqlerr.Corrupt)
	if _, err := s.fs.Stat(s.SegmentPath(lost.ID)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	mustClose(t, s)
}
