package store

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/vfs"
)

// copyDir copies a data directory into a fresh file system, as after a crash of the process.
func copyDir(t testing.TB, m *vfs.Mem, change func(name string, data []byte) []byte) *vfs.Mem {
	t.Helper()
	out := vfs.NewMem()
	var walk func(dir string)
	walk = func(dir string) {
		if err := vfs.MkdirAllSync(out, dir); err != nil {
			t.Fatal(err)
		}
		infos, err := m.List(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range infos {
			name := path.Join(dir, info.Name)
			if info.IsDir() {
				walk(name)
				continue
			}
			data, err := vfs.ReadFile(m, name, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			if change != nil {
				data = change(info.Name, data)
			}
			if err := vfs.WriteFileAtomic(out, name, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	walk(testDir)
	return out
}

// written makes a directory with a checkpoint, a log with several records, and returns the states by version.
func written(t testing.TB, clean bool) (m *vfs.Mem, states map[uint64]string) {
	t.Helper()
	m = vfs.NewMem()
	s := mustOpen(t, m)
	states = map[uint64]string{0: fingerprint(t, s.Snapshot())}
	note := func(snap *catalog.Snapshot) { states[snap.Version] = fingerprint(t, snap) }
	tb := newTable(s, "t")
	note(mustCommit(t, s, &catalog.CreateTable{Table: tb}))
	note(mustCommit(t, s, batch(s, tb.ID, 1, 3)))
	if err := s.Checkpoint(bg); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		note(mustCommit(t, s, batch(s, tb.ID, int64(i), 2)))
	}
	if clean {
		mustClose(t, s)
	}
	return m, states
}

// TestFlippedBytes changes every byte of every file. The store opens with the full state or says that the file is damaged; after an
// unclean end it may also lose what a torn commit would have lost, the last record.
func TestFlippedBytes(t *testing.T) {
	for _, clean := range []bool{true, false} {
		m, states := written(t, clean)
		full := states[6]
		infos, err := m.List(testDir)
		if err != nil {
			t.Fatal(err)
		}
		opened, refused := 0, 0
		for _, info := range infos {
			if info.IsDir() || info.Name == lockName {
				continue
			}
			for at := range info.Size {
				flip := []byte{1, 0x80, 0xff}[at%3]
				c := copyDir(t, m, func(name string, data []byte) []byte {
					if name == info.Name {
						data[at] ^= flip
					}
					return data
				})
				s, err := Open(Options{FS: c, Dir: testDir})
				if err != nil {
					if k := sqlerr.KindOf(err); k != sqlerr.Corrupt && k != sqlerr.Unsupported {
						t.Fatalf("%s byte %d: %v", info.Name, at, err)
					}
					if !strings.Contains(err.Error(), info.Name) && info.Name != formatName {
						t.Fatalf("%s byte %d: the message does not name the file: %v", info.Name, at, err)
					}
					refused++
					continue
				}
				opened++
				got := fingerprint(t, s.Snapshot())
				if got != full && (clean || got != states[5]) {
					t.Fatalf("%s byte %d: opens with another state", info.Name, at)
				}
				mustClose(t, s)
			}
		}
		if opened == 0 || refused == 0 {
			t.Errorf("opened %d, refused %d", opened, refused)
		}
	}
}

// TestCutLog cuts the log at every length: the state is that of the last whole record.
func TestCutLog(t *testing.T) {
	m, states := written(t, false)
	name := versionName(logPrefix, 2)
	size := int64(0)
	if info, err := m.Stat(path.Join(testDir, name)); err == nil {
		size = info.Size
	}
	last := uint64(2)
	for n := int64(fileHeaderBytes); n <= size; n++ {
		c := copyDir(t, m, func(file string, data []byte) []byte {
			if file == name {
				return data[:n]
			}
			return data
		})
		s := mustOpen(t, c)
		v := s.Snapshot().Version
		if v < last || fingerprint(t, s.Snapshot()) != states[v] {
			t.Fatalf("cut at %d: version %d after %d", n, v, last)
		}
		last = v
		// The store goes on behind the cut.
		snap := mustCommit(t, s, &catalog.PutDatabase{Name: "d"})
		want := fingerprint(t, snap)
		mustClose(t, s)
		s = mustOpen(t, c)
		if fingerprint(t, s.Snapshot()) != want {
			t.Fatalf("cut at %d: the commit behind the cut is lost", n)
		}
		mustClose(t, s)
	}
	if last != 6 {
		t.Errorf("the whole log gives version %d", last)
	}
}

func TestDamageInTheMiddle(t *testing.T) {
	m, _ := written(t, false)
	name := versionName(logPrefix, 2)
	c := copyDir(t, m, func(file string, data []byte) []byte {
		if file == name {
			data[fileHeaderBytes+recordHeaderBytes+5]++
		}
		return data
	})
	_, err := Open(Options{FS: c, Dir: testDir})
	want := fmt.Sprintf("corrupt data: file %s/%s, byte 32: a record is damaged, but there are records behind it", testDir, name)
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	// A record of another log, or at another place, is none.
	other, _ := written(t, false)
	c = copyDir(t, m, func(file string, data []byte) []byte {
		if file == name {
			foreign, err := vfs.ReadFile(other, path.Join(testDir, name), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			data[fileHeaderBytes]++
			data = append(data[:fileHeaderBytes+40], foreign[fileHeaderBytes:]...)
			data = append(data, foreign[fileHeaderBytes:]...)
		}
		return data
	})
	s := mustOpen(t, c)
	if v := s.Snapshot().Version; v != 2 {
		t.Errorf("version %d", v)
	}
	mustClose(t, s)
}

func TestMissingFiles(t *testing.T) {
	f := func(name, text string) {
		t.Helper()
		m, _ := written(t, true)
		if err := m.Remove(path.Join(testDir, name)); err != nil {
			t.Fatal(err)
		}
		_, err := Open(Options{FS: m, Dir: testDir})
		if sqlerr.KindOf(err) != sqlerr.Corrupt || !strings.Contains(err.Error(), text) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	f(versionName(logPrefix, 2), "log-00000000000000000002 is missing")
	f(versionName(checkpointPrefix, 2), "log-00000000000000000000 is missing")
	f(formatName, "its file FORMAT is missing")
}

func TestRecordTooLong(t *testing.T) {
	m, _ := written(t, true)
	name := versionName(logPrefix, 2)
	// A header that claims more than there is, with a right checksum.
	c := copyDir(t, m, func(file string, data []byte) []byte {
		if file != name {
			return data
		}
		f, err := m.Open(path.Join(testDir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		h, err := readFileHeader(f, name, logMagic, 2)
		if err != nil {
			t.Fatal(err)
		}
		b := (&record{version: 6, edits: [][]byte{make([]byte, 1000)}}).encode(nil, h.salt, int64(len(data)))
		return append(data, b[:900]...)
	})
	s := mustOpen(t, c)
	if v := s.Snapshot().Version; v != 6 {
		t.Errorf("version %d", v)
	}
	mustClose(t, s)
}

func TestUndecodableRecord(t *testing.T) {
	f := func(text string, r record) {
		t.Helper()
		m := vfs.NewMem()
		s := mustOpen(t, m)
		s.turn <- struct{}{}
		if err := s.log.append(&r); err != nil {
			t.Fatal(err)
		}
		<-s.turn
		_, err := Open(Options{FS: copyDir(t, m, nil), Dir: testDir})
		if sqlerr.KindOf(err) != sqlerr.Corrupt || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v", err)
		}
	}
	drop, err := (&catalog.Edit{Ops: []catalog.Op{&catalog.DropTable{ID: 9}}}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	f("byte 32: decode edit 0: operation 0 has unknown tag 255", record{edits: [][]byte{{1, 255, 0, 0}}})
	f("byte 32: apply edit 0: conflict: the table was dropped", record{edits: [][]byte{drop}})
	f("byte 32: a record for version 7 follows version 0", record{version: 7})
}

func FuzzLog(f *testing.F) {
	m, _ := written(f, true)
	data, err := vfs.ReadFile(m, path.Join(testDir, versionName(logPrefix, 2)), 1<<20)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:50])
	f.Fuzz(func(t *testing.T, data []byte) {
		c := copyDir(t, m, func(file string, old []byte) []byte {
			if strings.HasPrefix(file, logPrefix) {
				return data
			}
			return old
		})
		s, err := Open(Options{FS: c, Dir: testDir})
		if err != nil {
			if k := sqlerr.KindOf(err); k != sqlerr.Corrupt && k != sqlerr.Unsupported {
				t.Fatal(err)
			}
			return
		}
		mustClose(t, s)
	})
}

// FuzzPayload gives the decoder payloads with right checksums.
func FuzzPayload(f *testing.F) {
	s := mustOpen(f, vfs.NewMem())
	tb := newTable(s, "t")
	for _, op := range []catalog.Op{&catalog.CreateTable{Table: tb}, batch(s, tb.ID, 1, 3), &catalog.PutStage{Stage: &catalog.Stage{ID: 4, Database: "default", Name: "s"}},
		&catalog.DeleteRows{Table: tb.ID, Target: 1, Rows: catalog.NewDeletionVector(1)}, &catalog.PutStage{}, &catalog.PutUser{}, &catalog.PutFormat{}} {
		b, err := (&catalog.Edit{Ops: []catalog.Op{op}}).Encode(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	base, err := s.Snapshot().Apply(&catalog.Edit{Ops: []catalog.Op{&catalog.CreateTable{Table: tb}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := replay(base, &record{edits: [][]byte{data}}); err != nil && errors.Unwrap(err) == nil {
			t.Fatal(err)
		}
	})
}
