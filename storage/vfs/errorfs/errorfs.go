// Package errorfs wraps a vfs.FS so that chosen operations fail.
// It knows nothing of what the files mean; tests say which operations fail and see which ones were asked for.
// Wrapped file systems and injectors are safe for concurrent use.
//
// The usual test runs a protocol once for every operation that it makes:
//
//	for n := 0; ; n++ {
//		nth := errorfs.FailNth(n)
//		err := protocol(errorfs.Wrap(fsys, nth.Inject))
//		if !nth.Fired() {
//			break // n is past the last operation
//		}
//		// Assert what must hold after a failure.
//	}
package errorfs

import (
	"errors"
	"io/fs"
	"sync/atomic"
	"syscall"
)

// ErrInjected is the cause of failures that FailNth and FailFrom inject.
var ErrInjected = errors.New("injected error")

// Kind is the sort of an operation.
type Kind uint8

// The kinds, named after the methods of vfs.FS and vfs.File.
const (
	Create Kind = iota
	Open
	OpenAppend
	Rename
	Remove
	RemoveAll
	MkdirAll
	SyncDir
	List
	Stat
	Canonical
	Lock
	DiskFree
	Read
	Write
	Sync
	Truncate
	Size
	Close
)

var kindNames = [...]string{
	Create: "create", Open: "open", OpenAppend: "open-append", Rename: "rename", Remove: "remove", RemoveAll: "remove-all",
	MkdirAll: "mkdir-all", SyncDir: "sync-dir", List: "list", Stat: "stat", Canonical: "canonical", Lock: "lock",
	DiskFree: "disk-free", Read: "read", Write: "write", Sync: "sync", Truncate: "truncate", Size: "size", Close: "close",
}

// String returns the name of the kind in lower case.
func (k Kind) String() string { return kindNames[k] }

// Mutates reports whether operations of the kind may change what is on disk or make it durable.
func (k Kind) Mutates() bool {
	switch k {
	case Create, OpenAppend, Rename, Remove, RemoveAll, MkdirAll, SyncDir, Lock, Write, Sync, Truncate:
		return true
	}
	return false
}

// Op is one operation that is about to happen.
type Op struct {
	Kind Kind
	// Path is the file; for Rename the old name.
	Path string
	// NewPath is the new name, for Rename only.
	NewPath string
	// Bytes is the length of a Write, 0 otherwise.
	Bytes int
}

// Fault is what an injector wants to happen. The zero Fault lets the operation pass.
type Fault struct {
	// Err is the cause of the error to report, or nil.
	Err error
	// Done asks to carry out the operation before the error is reported, as when a network or a disk loses the answer.
	Done bool
	// Written is, for a Write that is not Done, how many bytes of it reach the file.
	Written int
}

// Injector decides about every operation. It may be called from many goroutines.
type Injector func(Op) Fault

// Nth fails operations by their number, counted from 0 over the operations that it watches. Make it with FailNth or FailFrom.
type Nth struct {
	n     int64
	from  bool
	done  bool
	match func(Op) bool
	count atomic.Int64
}

// FailNth fails operation number n and no other. A failing Write leaves the first half of its bytes in the file.
func FailNth(n int) *Nth { return &Nth{n: int64(n)} }

// FailFrom fails operation number n and all later ones, like a disk that went away.
func FailFrom(n int) *Nth { return &Nth{n: int64(n), from: true} }

// Matching restricts what is counted and failed to operations for which match is true.
func (x *Nth) Matching(match func(Op) bool) *Nth {
	x.match = match
	return x
}

// Mutating restricts what is counted and failed to operations that change the disk.
func (x *Nth) Mutating() *Nth {
	return x.Matching(func(op Op) bool { return op.Kind.Mutates() })
}

// AfterEffect makes the failing operation happen before its error is reported.
func (x *Nth) AfterEffect() *Nth {
	x.done = true
	return x
}

// Inject is the Injector.
func (x *Nth) Inject(op Op) Fault {
	if x.match != nil && !x.match(op) {
		return Fault{}
	}
	i := x.count.Add(1) - 1
	if i == x.n || x.from && i > x.n {
		return Fault{Err: ErrInjected, Done: x.done, Written: op.Bytes / 2}
	}
	return Fault{}
}

// Count returns how many operations were watched so far.
func (x *Nth) Count() int64 { return x.count.Load() }

// Fired reports whether an operation has failed. A loop over n ends when it is false.
func (x *Nth) Fired() bool { return x.count.Load() > x.n }

// FailIf fails the operations for which match is true with the cause err.
func FailIf(match func(Op) bool, err error) Injector {
	return func(op Op) Fault {
		if match(op) {
			return Fault{Err: err, Written: op.Bytes / 2}
		}
		return Fault{}
	}
}

// Disk simulates a disk with room for a number of written bytes. Make it with NewDisk.
type Disk struct {
	free atomic.Int64
}

// NewDisk returns a disk with freeBytes left. What is removed or truncated is not given back; use Free for that.
func NewDisk(freeBytes int64) *Disk {
	d := &Disk{}
	d.free.Store(freeBytes)
	return d
}

// Free makes room for n more bytes.
func (d *Disk) Free(n int64) { d.free.Add(n) }

// Inject is the Injector: the Write that does not fit leaves what fits and fails with ENOSPC, and while the disk is full
// nothing can be created either.
func (d *Disk) Inject(op Op) Fault {
	full := Fault{Err: syscall.ENOSPC}
	switch op.Kind {
	case Create, OpenAppend, MkdirAll:
		if d.free.Load() <= 0 {
			return full
		}
	case Write:
		for {
			free := d.free.Load()
			take := min(int64(op.Bytes), free)
			if !d.free.CompareAndSwap(free, free-take) {
				continue
			}
			if take < int64(op.Bytes) {
				full.Written = int(take)
				return full
			}
			return Fault{}
		}
	}
	return Fault{}
}

// pathError gives a fault the form of an operating-system error.
func pathError(op Op, f Fault) error {
	return &fs.PathError{Op: op.Kind.String(), Path: op.Path, Err: f.Err}
}
