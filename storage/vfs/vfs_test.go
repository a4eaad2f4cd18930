package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// each runs a test on every implementation, with an existing empty directory.
func each(t *testing.T, run func(t *testing.T, fsys FS, dir string)) {
	t.Run("os", func(t *testing.T) { run(t, OS, t.TempDir()) })
	t.Run("mem", func(t *testing.T) {
		m := NewMem()
		must(t, m.MkdirAll("/d"))
		run(t, m, "/d")
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, fsys FS, name, text string) {
	t.Helper()
	must(t, writeSynced(fsys, name, []byte(text)))
}

func content(t *testing.T, fsys FS, name string) string {
	t.Helper()
	b, err := ReadFile(fsys, name, 1<<20)
	must(t, err)
	return string(b)
}

func names(t *testing.T, fsys FS, dir string) string {
	t.Helper()
	infos, err := fsys.List(dir)
	must(t, err)
	var out []string
	for _, i := range infos {
		out = append(out, i.Name)
	}
	return strings.Join(out, " ")
}

func TestFiles(t *testing.T) {
	each(t, func(t *testing.T, fsys FS, dir string) {
		a := path.Join(dir, "a")
		f, err := fsys.Create(a)
		must(t, err)
		for _, s := range []string{"hello", " ", "world"} {
			n, err := f.Write([]byte(s))
			if n != len(s) || err != nil {
				t.Fatalf("write = %d, %v", n, err)
			}
		}
		p := make([]byte, 5)
		n, err := f.ReadAt(p, 6)
		if string(p[:n]) != "world" || err != nil {
			t.Errorf("ReadAt = %q, %v", p[:n], err)
		}
		if n, err = f.ReadAt(p, 9); n != 2 || err != io.EOF {
			t.Errorf("ReadAt over the end = %d, %v", n, err)
		}
		if _, err = f.Read(p); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Read on a writable file = %v", err)
		}
		if err := f.Truncate(12); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("growing Truncate = %v", err)
		}
		must(t, f.Truncate(5))
		_, err = f.Write([]byte("!"))
		must(t, err)
		if size, err := f.Size(); size != 6 || err != nil {
			t.Errorf("Size = %d, %v", size, err)
		}
		must(t, f.Sync())
		must(t, f.Close())
		if _, err := f.Write(p); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Write after Close = %v", err)
		}
		if got := content(t, fsys, a); got != "hello!" {
			t.Errorf("content = %q", got)
		}
		f, err = fsys.OpenAppend(a)
		must(t, err)
		_, err = f.Write([]byte("?"))
		must(t, err)
		must(t, f.Close())
		f, err = fsys.Open(a)
		must(t, err)
		// A file that was removed stays readable through its handle.
		must(t, fsys.Remove(a))
		if b, err := io.ReadAll(f); string(b) != "hello!?" || err != nil {
			t.Errorf("ReadAll = %q, %v", b, err)
		}
		if _, err := f.Write(p); err == nil {
			t.Error("Write on a file opened for reading passed")
		}
		must(t, f.Close())
	})
}

func TestNames(t *testing.T) {
	each(t, func(t *testing.T, fsys FS, dir string) {
		in := func(name string) string { return path.Join(dir, name) }
		must(t, MkdirAllSync(fsys, in("x/y/z")))
		must(t, fsys.MkdirAll(in("x/y/z")))
		put(t, fsys, in("x/b"), "bb")
		put(t, fsys, in("x/a"), "a")
		if got := names(t, fsys, in("x")); got != "a b y" {
			t.Errorf("List = %q", got)
		}
		i, err := fsys.Stat(in("x/b"))
		must(t, err)
		if i.Name != "b" || i.Size != 2 || !i.IsRegular() || i.IsDir() || time.Since(i.ModTime).Abs() > time.Hour {
			t.Errorf("Stat = %+v", i)
		}
		if i, err = fsys.Stat(in("x/y")); err != nil || !i.IsDir() {
			t.Errorf("Stat of a directory = %+v, %v", i, err)
		}
		must(t, fsys.Rename(in("x/b"), in("x/a")))
		must(t, fsys.SyncDir(in("x")))
		if got := names(t, fsys, in("x")) + content(t, fsys, in("x/a")); got != "a ybb" {
			t.Errorf("after Rename: %q", got)
		}
		must(t, fsys.Rename(in("x/y"), in("w")))
		must(t, fsys.Rename(in("x/a"), in("w/z/a")))
		if got := names(t, fsys, in("w/z")) + names(t, fsys, dir); got != "aw x" {
			t.Errorf("after moving: %q", got)
		}
		f := func(what string, err, want error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", what, err, want)
			}
		}
		_, err = fsys.Open(in("none"))
		f("open", err, fs.ErrNotExist)
		_, err = fsys.Create(in("none/a"))
		f("create", err, fs.ErrNotExist)
		_, err = fsys.List(in("none"))
		f("list", err, fs.ErrNotExist)
		_, err = fsys.Stat(in("none"))
		f("stat", err, fs.ErrNotExist)
		_, err = fsys.Stat(in("w/z/a/b"))
		f("stat below a file", err, syscall.ENOTDIR)
		_, err = fsys.Open(in("w"))
		f("open directory", err, errNotRegular)
		f("remove", fsys.Remove(in("none")), fs.ErrNotExist)
		f("remove full", fsys.Remove(in("w")), syscall.ENOTEMPTY)
		f("rename", fsys.Rename(in("none"), in("x")), fs.ErrNotExist)
		f("mkdir over file", fsys.MkdirAll(in("w/z/a/q")), syscall.ENOTDIR)
		f("sync dir", fsys.SyncDir(in("none")), fs.ErrNotExist)
		must(t, fsys.RemoveAll(in("w")))
		must(t, fsys.RemoveAll(in("w")))
		must(t, fsys.RemoveAll(in("none/none")))
		if ok, err := Exists(fsys, in("w")); ok || err != nil {
			t.Errorf("Exists = %v, %v", ok, err)
		}
		if free, err := fsys.DiskFree(dir); free <= 0 || err != nil {
			t.Errorf("DiskFree = %d, %v", free, err)
		}
	})
}

func TestOpenBeneath(t *testing.T) {
	each(t, func(t *testing.T, fsys FS, dir string) {
		must(t, fsys.MkdirAll(path.Join(dir, "in/sub")))
		put(t, fsys, path.Join(dir, "secret"), "s")
		put(t, fsys, path.Join(dir, "in/sub/a"), "a")
		f := func(rel string, ok bool) {
			t.Helper()
			file, err := fsys.OpenBeneath(path.Join(dir, "in"), rel)
			if (err == nil) != ok {
				t.Errorf("OpenBeneath(%q): %v", rel, err)
			}
			if file != nil {
				must(t, file.Close())
			}
		}
		f("sub/a", true)
		f("sub/../sub/a", true)
		f("../secret", false)
		f("sub/../../secret", false)
		f(path.Join(dir, "secret"), false)
		f("sub", false)
		if fsys != OS {
			return
		}
		must(t, os.Symlink("../secret", path.Join(dir, "in/out")))
		must(t, os.Symlink("sub/a", path.Join(dir, "in/link")))
		f("out", false)
		f("link", true)
	})
}

func TestCanonical(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, OS.MkdirAll(dir+"/a/b"))
	must(t, os.Symlink(dir+"/a", dir+"/l"))
	must(t, os.Symlink(dir+"/nowhere", dir+"/dangling"))
	f := func(in, want string) {
		t.Helper()
		got, err := OS.Canonical(dir + in)
		if want == "" {
			if err == nil {
				t.Errorf("Canonical(%q) = %q, want an error", in, got)
			}
			return
		}
		if got != dir+want || err != nil {
			t.Errorf("Canonical(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	f("/a/../a/./b", "/a/b")
	f("/l/b", "/a/b")
	f("/l/new/x", "/a/new/x")
	f("/l/b/../../a", "/a")
	f("/dangling", "")
	f("/dangling/x", "")
	w := func(a, b string, want bool) {
		t.Helper()
		if got := Within(a, b); got != want {
			t.Errorf("Within(%q, %q) = %v", a, b, got)
		}
	}
	w("/a", "/a", true)
	w("/a", "/a/b", true)
	w("/a", "/ab", false)
	w("/", "/ab", true)
	w("/a/b", "/a", false)
}

func TestOpenDoesNotBlockOnPipes(t *testing.T) {
	name := t.TempDir() + "/pipe"
	must(t, syscall.Mkfifo(name, 0o600))
	if _, err := OS.Open(name); !errors.Is(err, errNotRegular) {
		t.Errorf("Open of a pipe = %v", err)
	}
}

func TestLock(t *testing.T) {
	each(t, func(t *testing.T, fsys FS, dir string) {
		name := path.Join(dir, "LOCK")
		held, err := fsys.Lock(name)
		must(t, err)
		_, err = fsys.Lock(name)
		le, ok := errors.AsType[*LockedError](err)
		if !ok || le.PID != os.Getpid() || le.Name != name {
			t.Errorf("second Lock = %v", err)
		}
		for _, note := range []string{"grpc://127.0.0.1:1", "x", "a longer text", ""} {
			must(t, held.Note(note))
			_, err = fsys.Lock(name)
			if le, ok := errors.AsType[*LockedError](err); !ok || le.PID != os.Getpid() || le.Note != note {
				t.Errorf("Lock after the note %q = %#v", note, err)
			}
		}
		for _, bad := range []string{"two\nlines", "\x1b[31m", strings.Repeat("x", MaxLockNote+1)} {
			if held.Note(bad) == nil {
				t.Errorf("note %.20q is accepted", bad)
			}
		}
		must(t, held.Close())
		again, err := fsys.Lock(name)
		must(t, err)
		must(t, again.Close())
	})
}

// TestLockOtherProcess holds the lock in a child process, kills it and takes the lock.
func TestLockOtherProcess(t *testing.T) {
	if name := os.Getenv("VFS_TEST_LOCK"); name != "" {
		if _, err := OS.Lock(name); err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString("locked\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	name := t.TempDir() + "/LOCK"
	cmd := exec.Command(os.Args[0], "-test.run=^TestLockOtherProcess$")
	cmd.Env = append(os.Environ(), "VFS_TEST_LOCK="+name)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line := make([]byte, len("locked\n"))
	_, err = io.ReadFull(stdout, line)
	must(t, err)
	_, err = OS.Lock(name)
	if le, ok := errors.AsType[*LockedError](err); !ok || le.PID != cmd.Process.Pid {
		t.Errorf("Lock = %v, want a LockedError of process %d", err, cmd.Process.Pid)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	held, err := OS.Lock(name)
	must(t, err)
	must(t, held.Close())
}

func TestTempNames(t *testing.T) {
	f := func(name string, want bool) {
		t.Helper()
		if got := IsTemp(name); got != want {
			t.Errorf("IsTemp(%q) = %v", name, got)
		}
	}
	f(TempName("/a/b.parquet"), true)
	f(TempName("b"), true)
	f("/a/b.parquet", false)
	f(".b.tmp", false)
	f(".tmp", false)
	f(".0011223344556677.tmp", false)
	f(".b.0011223344556677.tmp", true)
	f("b.0011223344556677.tmp", false)
	if got := TempName("/a/b"); path.Dir(got) != "/a" || !strings.HasPrefix(path.Base(got), ".b.") {
		t.Errorf("TempName = %q", got)
	}
	each(t, func(t *testing.T, fsys FS, dir string) {
		put(t, fsys, path.Join(dir, "keep"), "k")
		put(t, fsys, TempName(path.Join(dir, "a")), "a")
		put(t, fsys, TempName(path.Join(dir, "a")), "a")
		if n, err := RemoveTemps(fsys, dir); n != 2 || err != nil {
			t.Errorf("RemoveTemps = %d, %v", n, err)
		}
		must(t, WriteFileAtomic(fsys, path.Join(dir, "keep"), []byte("new")))
		if got := names(t, fsys, dir) + content(t, fsys, path.Join(dir, "keep")); got != "keepnew" {
			t.Errorf("left: %q", got)
		}
		if _, err := ReadFile(fsys, path.Join(dir, "keep"), 2); err == nil {
			t.Error("ReadFile read more than its limit")
		}
	})
}
