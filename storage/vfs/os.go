//go:build unix

package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// OS is the file system of the operating system.
var OS FS = osFS{}

const (
	// osFileMode keeps data files from other users: they hold user data and password hashes.
	osFileMode = 0o600
	osDirMode  = 0o700
)

type osFS struct{}

// osFile shows only the methods of File, so that type assertions cannot reach past the contract.
type osFile struct {
	f        *os.File
	writable bool
}

var (
	_ FS   = osFS{}
	_ File = osFile{}
)

func (f osFile) Read(p []byte) (int, error) {
	if f.writable {
		return 0, &fs.PathError{Op: "read", Path: f.f.Name(), Err: fs.ErrInvalid}
	}
	return f.f.Read(p)
}

func (f osFile) ReadAt(p []byte, off int64) (int, error) { return f.f.ReadAt(p, off) }
func (f osFile) Write(p []byte) (int, error)             { return f.f.Write(p) }
func (f osFile) Sync() error                             { return f.f.Sync() }
func (f osFile) Close() error                            { return f.f.Close() }

func (f osFile) Truncate(size int64) error {
	have, err := f.Size()
	if err == nil && (size < 0 || size > have) {
		err = &fs.PathError{Op: "truncate", Path: f.f.Name(), Err: fs.ErrInvalid}
	}
	if err != nil {
		return err
	}
	return f.f.Truncate(size)
}

func (f osFile) Size() (int64, error) {
	info, err := f.f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// osOpen opens without blocking, so that a pipe under the name of a data file cannot hang the server. The flag has no
// effect on regular files.
func osOpen(name string, flags int) (File, error) {
	f, err := os.OpenFile(name, flags|unix.O_NONBLOCK, osFileMode)
	if err != nil {
		return nil, err
	}
	return regular(f, flags&os.O_RDWR != 0)
}

// regular wraps f, or closes it if it is not a regular file.
func regular(f *os.File, writable bool) (File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: errNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return osFile{f, writable}, nil
}

func (osFS) Create(name string) (File, error) {
	return osOpen(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND)
}

func (osFS) Open(name string) (File, error) { return osOpen(name, os.O_RDONLY) }

func (osFS) OpenAppend(name string) (File, error) {
	return osOpen(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
}

func (osFS) OpenBeneath(dir, rel string) (File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK, 0)
	// The file outlives the root; a failed close of a read-only directory handle has no consequence.
	_ = root.Close()
	if err != nil {
		return nil, err
	}
	return regular(f, false)
}

func (osFS) Rename(oldName, newName string) error { return os.Rename(oldName, newName) }
func (osFS) Remove(name string) error             { return os.Remove(name) }
func (osFS) RemoveAll(name string) error          { return os.RemoveAll(name) }
func (osFS) MkdirAll(name string) error           { return os.MkdirAll(name, osDirMode) }

func (osFS) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (osFS) List(name string) ([]Info, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	infos := make([]Info, 0, len(entries))
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			// Deleted since the directory was read.
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, infoOf(info))
	}
	return infos, nil
}

func (osFS) Stat(name string) (Info, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(info), nil
}

func infoOf(i fs.FileInfo) Info {
	return Info{Name: i.Name(), Size: i.Size(), ModTime: i.ModTime(), Mode: i.Mode()}
}

func (osFS) Canonical(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	missing := ""
	for dir := abs; ; dir = filepath.Dir(dir) {
		resolved, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(resolved, missing), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return "", err
		}
		if _, lerr := os.Lstat(dir); lerr == nil {
			// The name exists, so what is missing is the target of a link.
			return "", err
		}
		missing = filepath.Join(filepath.Base(dir), missing)
	}
}

func (osFS) DiskFree(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	// The types of the fields differ between systems.
	return int64(uint64(s.Bavail) * uint64(s.Bsize)), nil
}

// maxLockText bounds what is read back from a lock file: a process id and a note, a line each.
const maxLockText = 32 + MaxLockNote

type osLock struct{ f *os.File }

func (osFS) Lock(name string) (HeldLock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NONBLOCK, osFileMode)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = readHolder(f, name)
		} else {
			err = &fs.PathError{Op: "lock", Path: name, Err: err}
		}
		_ = f.Close()
		return nil, err
	}
	l := &osLock{f}
	if err := l.write(""); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// write makes the process id and a note the content of the file. The first line stays as it is, so that a reader never misses it.
func (l *osLock) write(note string) error {
	text := strconv.Itoa(os.Getpid()) + "\n"
	if note != "" {
		text += note + "\n"
	}
	if _, err := l.f.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	return l.f.Truncate(int64(len(text)))
}

// Note implements HeldLock.
func (l *osLock) Note(text string) error {
	if err := checkNote(text); err != nil {
		return err
	}
	return l.write(text)
}

// flock takes the lock without waiting; signals may interrupt the call.
func flock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// readHolder tells who holds a lock by the content of its file. What is missing or half written is left out.
func readHolder(f *os.File, name string) *LockedError {
	held := &LockedError{Name: name}
	var b [maxLockText]byte
	// A short read is the normal case.
	n, _ := f.ReadAt(b[:], 0)
	lines := strings.SplitAfter(string(b[:n]), "\n")
	if pid, err := strconv.Atoi(strings.TrimSpace(lines[0])); err == nil && pid > 0 {
		held.PID = pid
	}
	if len(lines) > 1 {
		if note, whole := strings.CutSuffix(lines[1], "\n"); whole && checkNote(note) == nil {
			held.Note = note
		}
	}
	return held
}

// Close empties the file, so that nobody reads a stale process id, and gives the lock up. The file stays: deleting it would
// let two openers lock two different files of one name.
func (l *osLock) Close() error {
	return errors.Join(l.f.Truncate(0), l.f.Close())
}
