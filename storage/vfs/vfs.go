package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
	"unicode"
)

// FS is a file system. Names are paths with forward slashes on all systems that we support.
// Errors are of type *fs.PathError where the operating system's would be: errors.Is with fs.ErrNotExist, fs.ErrExist and
// syscall.ENOSPC works on all implementations.
type FS interface {
	// Create makes an empty file open for writing and reading, truncating one that exists.
	Create(name string) (File, error)
	// Open opens a regular file for reading. Anything else (directory, pipe, device) is an error and never blocks.
	Open(name string) (File, error)
	// OpenBeneath opens the regular file dir/rel for reading and refuses, without a race, every rel that leaves dir by
	// "..", an absolute path or a symbolic link. It is the way to open files that users name.
	OpenBeneath(dir, rel string) (File, error)
	// OpenAppend opens a file for writing at its end and for reading, making it if it does not exist.
	OpenAppend(name string) (File, error)

	// Rename gives a file or directory a new name, replacing a file of that name atomically.
	Rename(oldName, newName string) error
	// Remove deletes a file or an empty directory.
	Remove(name string) error
	// RemoveAll deletes a tree. It is no error if there is none.
	RemoveAll(name string) error
	// MkdirAll makes a directory and its missing parents. It is no error if it exists.
	MkdirAll(name string) error
	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error

	// List describes the entries of a directory, sorted by name. Symbolic links are described, not followed.
	List(name string) ([]Info, error)
	// Stat describes a file or directory, following symbolic links.
	Stat(name string) (Info, error)
	// Canonical returns the absolute path of name with all symbolic links resolved. Trailing elements that do not exist yet
	// are kept as they are; a dangling link is an error, since writing through it would leave the checked folder.
	Canonical(name string) (string, error)

	// Lock takes the exclusive lock that the file name stands for, making the file if needed, and writes our process id into it.
	// If another FS, process or caller holds it, the error is a *LockedError. The lock ends with Close or with the process.
	Lock(name string) (HeldLock, error)
	// DiskFree returns the bytes that an unprivileged writer may still use on the disk of a directory.
	DiskFree(dir string) (int64, error)
}

// File is an open file. ReadAt is safe for concurrent use; Write, Sync, Truncate and Close belong to one goroutine.
type File interface {
	// Read reads on from where the last Read ended, from the start at first. On a file opened for writing it fails: use ReadAt.
	io.Reader
	io.ReaderAt
	io.Closer
	// Write appends. On a file opened by Open it fails. After an error a part of p may have been written.
	io.Writer
	// Sync makes everything written so far durable. After a failed Sync nothing is known about unsynced bytes, and calling
	// it again proves nothing: the caller must stop trusting the file.
	Sync() error
	// Truncate cuts the file to size bytes, which must not be more than it has.
	Truncate(size int64) error
	// Size returns the present length in bytes.
	Size() (int64, error)
}

// HeldLock is a lock that its holder has taken.
type HeldLock interface {
	// Close gives the lock up. It may be called once.
	io.Closer
	// Note tells others who want the lock something about its holder: a text of one line, at most MaxLockNote bytes.
	Note(text string) error
}

// MaxLockNote is the most bytes of the note in a lock file.
const MaxLockNote = 512

// Info describes a directory entry.
type Info struct {
	// Name is the last element of the path.
	Name string
	// Size is in bytes, meaningful for regular files only.
	Size int64
	// ModTime is the time of the last write.
	ModTime time.Time
	// Mode tells files, directories and links apart.
	Mode fs.FileMode
}

// IsDir reports whether the entry is a directory.
func (i Info) IsDir() bool { return i.Mode.IsDir() }

// IsRegular reports whether the entry is a regular file.
func (i Info) IsRegular() bool { return i.Mode.IsRegular() }

// LockedError is the answer of FS.Lock when somebody else holds the lock.
type LockedError struct {
	// Name is the lock file.
	Name string
	// PID is the process id of the holder, or 0 if it has not written it yet.
	PID int
	// Note is what the holder wrote with HeldLock.Note, "" if it has not.
	Note string
}

// Error names the lock file and the holder.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("lock %s: held by another process", e.Name)
	}
	return fmt.Sprintf("lock %s: held by process %d", e.Name, e.PID)
}

// checkNote refuses a note that is no short line of printable characters.
func checkNote(text string) error {
	if len(text) > MaxLockNote {
		return fmt.Errorf("a lock note of %d bytes is longer than %d", len(text), MaxLockNote)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the lock note %q has a character that cannot be printed", text)
		}
	}
	return nil
}

// errNotRegular is the cause of errors about opening what is not a regular file.
var errNotRegular = errors.New("not a regular file")

// Exists reports whether name exists. An error other than "does not exist" is returned.
func Exists(fsys FS, name string) (bool, error) {
	_, err := fsys.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
