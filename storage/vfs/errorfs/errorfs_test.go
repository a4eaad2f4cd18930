package errorfs

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/ebira-db/ebira/storage/vfs"
)

// start returns a file system on which /d/f holds "old", durably.
func start(t *testing.T) *vfs.Mem {
	t.Helper()
	m := vfs.NewMem()
	if err := vfs.MkdirAllSync(m, "/d"); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(m, "/d/f", []byte("old")); err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t *testing.T, fsys vfs.FS) string {
	t.Helper()
	b, err := vfs.ReadFile(fsys, "/d/f", 1<<10)
	if err != nil {
		t.Fatalf("the file is gone: %v", err)
	}
	return string(b)
}

// TestAtomicWrite fails every operation of vfs.WriteFileAtomic in turn, before and after its effect, and loses power after
// each: the file is old or new, and new for sure once the call has succeeded.
func TestAtomicWrite(t *testing.T) {
	for _, after := range []bool{false, true} {
		var kinds []Kind
		for n := 0; ; n++ {
			m := start(t)
			nth := FailNth(n)
			if after {
				nth.AfterEffect()
			}
			fsys := Wrap(m, func(op Op) Fault {
				f := nth.Inject(op)
				if f.Err != nil {
					kinds = append(kinds, op.Kind)
				}
				return f
			})
			err := vfs.WriteFileAtomic(fsys, "/d/f", []byte("new"))
			for seed := range uint64(50) {
				c := m.CrashClone(rand.New(rand.NewPCG(seed, uint64(n))))
				got := read(t, c)
				if got != "new" && (err == nil || got != "old") {
					t.Fatalf("operation %d, seed %d: %q after %v", n, seed, got, err)
				}
				if _, err := vfs.RemoveTemps(c, "/d"); err != nil {
					t.Fatal(err)
				}
				if infos, err := c.List("/d"); err != nil || len(infos) != 1 {
					t.Fatalf("operation %d: left %v, %v", n, infos, err)
				}
			}
			if !nth.Fired() {
				if err != nil {
					t.Fatalf("without a failure: %v", err)
				}
				break
			}
			if !errors.Is(err, ErrInjected) {
				t.Fatalf("operation %d: error is %v", n, err)
			}
		}
		if got := fmt.Sprint(kinds); got != "[create write sync close rename sync-dir]" {
			t.Errorf("operations were %s", got)
		}
	}
}

// TestUnsafeWriteIsCaught makes sure that the loop above would notice a protocol without syncs.
func TestUnsafeWriteIsCaught(t *testing.T) {
	m := start(t)
	f, err := m.Create("/d/t")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := m.Rename("/d/t", "/d/f"); err != nil {
		t.Fatal(err)
	}
	torn := 0
	for seed := range uint64(50) {
		if got := read(t, m.CrashClone(rand.New(rand.NewPCG(seed, 3)))); got != "old" && got != "new" {
			torn++
		}
	}
	if torn == 0 {
		t.Error("no crash tore the unsynced file")
	}
}

func TestFailFrom(t *testing.T) {
	m := start(t)
	nth := FailFrom(2).Mutating()
	fsys := Wrap(m, nth.Inject)
	f, err := fsys.Create("/d/g")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Size(); err != nil { // reads are not counted
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); !errors.Is(err, ErrInjected) || err.Error() != "sync /d/g: injected error" {
		t.Errorf("Sync = %v", err)
	}
	if n, err := f.Write([]byte("defg")); n != 2 || !errors.Is(err, ErrInjected) {
		t.Errorf("Write = %d, %v", n, err)
	}
	if nth.Count() != 4 {
		t.Errorf("Count = %d", nth.Count())
	}
	fsys.SetInjector(nil)
	if err := f.Sync(); err != nil {
		t.Error(err)
	}
	p := make([]byte, 10)
	if n, err := f.ReadAt(p, 0); string(p[:n]) != "abcde" || err != io.EOF {
		t.Errorf("ReadAt = %q, %v", p[:n], err)
	}
}

func TestDisk(t *testing.T) {
	disk := NewDisk(5)
	fsys := Wrap(start(t), disk.Inject)
	f, err := fsys.Create("/d/g")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	if n, err := f.Write([]byte("defg")); n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Write = %d, %v", n, err)
	}
	if _, err := fsys.Create("/d/h"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Create on a full disk = %v", err)
	}
	disk.Free(1)
	if n, err := f.Write([]byte("f")); n != 1 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
}

func TestFailIf(t *testing.T) {
	fsys := Wrap(start(t), FailIf(func(op Op) bool { return op.Kind == Rename && op.NewPath == "/d/x" }, syscall.EIO))
	if err := fsys.Rename("/d/f", "/d/y"); err != nil {
		t.Error(err)
	}
	if err := fsys.Rename("/d/y", "/d/x"); !errors.Is(err, syscall.EIO) {
		t.Errorf("Rename = %v", err)
	}
	held, err := Wrap(start(t), FailNth(0).AfterEffect().Inject).Lock("/d/LOCK")
	if held != nil || !errors.Is(err, ErrInjected) {
		t.Errorf("Lock = %v, %v", held, err)
	}
}
