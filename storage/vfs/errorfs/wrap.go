package errorfs

import (
	"sync/atomic"

	"github.com/ebira-db/ebira/storage/vfs"
)

// FS is a vfs.FS whose operations ask an injector first. Make it with Wrap.
type FS struct {
	inner  vfs.FS
	inject atomic.Pointer[Injector]
}

var _ vfs.FS = (*FS)(nil)

// Wrap puts inject before inner. A nil injector lets everything pass.
func Wrap(inner vfs.FS, inject Injector) *FS {
	f := &FS{inner: inner}
	f.SetInjector(inject)
	return f
}

// SetInjector replaces the injector, for open files too.
func (f *FS) SetInjector(inject Injector) {
	if inject == nil {
		inject = func(Op) Fault { return Fault{} }
	}
	f.inject.Store(&inject)
}

// do carries out an operation unless its fault forbids it, and reports the fault's error if there is one.
func (f *FS) do(op Op, run func() error) error {
	fault := (*f.inject.Load())(op)
	if fault.Err == nil {
		return run()
	}
	if fault.Done {
		// The injected error hides the result of the operation.
		_ = run()
	}
	return pathError(op, fault)
}

// open wraps the file that run opens. If an injected error hides a file that was opened, it is closed.
func (f *FS) open(kind Kind, name string, run func() (vfs.File, error)) (vfs.File, error) {
	var opened vfs.File
	err := f.do(Op{Kind: kind, Path: name}, func() (err error) {
		opened, err = run()
		return err
	})
	if err != nil {
		if opened != nil {
			_ = opened.Close()
		}
		return nil, err
	}
	return &file{fs: f, inner: opened, name: name}, nil
}

// Create implements vfs.FS.
func (f *FS) Create(name string) (vfs.File, error) {
	return f.open(Create, name, func() (vfs.File, error) { return f.inner.Create(name) })
}

// Open implements vfs.FS.
func (f *FS) Open(name string) (vfs.File, error) {
	return f.open(Open, name, func() (vfs.File, error) { return f.inner.Open(name) })
}

// OpenBeneath implements vfs.FS; for the injector it is an Open of rel.
func (f *FS) OpenBeneath(dir, rel string) (vfs.File, error) {
	return f.open(Open, rel, func() (vfs.File, error) { return f.inner.OpenBeneath(dir, rel) })
}

// OpenAppend implements vfs.FS.
func (f *FS) OpenAppend(name string) (vfs.File, error) {
	return f.open(OpenAppend, name, func() (vfs.File, error) { return f.inner.OpenAppend(name) })
}

// Rename implements vfs.FS.
func (f *FS) Rename(oldName, newName string) error {
	op := Op{Kind: Rename, Path: oldName, NewPath: newName}
	return f.do(op, func() error { return f.inner.Rename(oldName, newName) })
}

// Remove implements vfs.FS.
func (f *FS) Remove(name string) error {
	return f.do(Op{Kind: Remove, Path: name}, func() error { return f.inner.Remove(name) })
}

// RemoveAll implements vfs.FS.
func (f *FS) RemoveAll(name string) error {
	return f.do(Op{Kind: RemoveAll, Path: name}, func() error { return f.inner.RemoveAll(name) })
}

// MkdirAll implements vfs.FS.
func (f *FS) MkdirAll(name string) error {
	return f.do(Op{Kind: MkdirAll, Path: name}, func() error { return f.inner.MkdirAll(name) })
}

// SyncDir implements vfs.FS.
func (f *FS) SyncDir(name string) error {
	return f.do(Op{Kind: SyncDir, Path: name}, func() error { return f.inner.SyncDir(name) })
}

// ask carries out an operation that answers with a value.
func ask[T any](f *FS, kind Kind, name string, run func() (T, error)) (T, error) {
	var out T
	err := f.do(Op{Kind: kind, Path: name}, func() (err error) {
		out, err = run()
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// List implements vfs.FS.
func (f *FS) List(name string) ([]vfs.Info, error) {
	return ask(f, List, name, func() ([]vfs.Info, error) { return f.inner.List(name) })
}

// Stat implements vfs.FS.
func (f *FS) Stat(name string) (vfs.Info, error) {
	return ask(f, Stat, name, func() (vfs.Info, error) { return f.inner.Stat(name) })
}

// Canonical implements vfs.FS.
func (f *FS) Canonical(name string) (string, error) {
	return ask(f, Canonical, name, func() (string, error) { return f.inner.Canonical(name) })
}

// DiskFree implements vfs.FS.
func (f *FS) DiskFree(dir string) (int64, error) {
	return ask(f, DiskFree, dir, func() (int64, error) { return f.inner.DiskFree(dir) })
}

// Lock implements vfs.FS. Noting something in the lock and giving it up never fail by injection.
func (f *FS) Lock(name string) (vfs.HeldLock, error) {
	var held vfs.HeldLock
	err := f.do(Op{Kind: Lock, Path: name}, func() (err error) {
		held, err = f.inner.Lock(name)
		return err
	})
	if err != nil {
		if held != nil {
			_ = held.Close()
		}
		return nil, err
	}
	return held, nil
}

// file is a vfs.File whose operations ask the injector first.
type file struct {
	fs    *FS
	inner vfs.File
	name  string
}

func (x *file) op(kind Kind) Op { return Op{Kind: kind, Path: x.name} }

func (x *file) Read(p []byte) (n int, err error) {
	err = x.fs.do(x.op(Read), func() (err error) {
		n, err = x.inner.Read(p)
		return err
	})
	return n, err
}

func (x *file) ReadAt(p []byte, off int64) (n int, err error) {
	err = x.fs.do(x.op(Read), func() (err error) {
		n, err = x.inner.ReadAt(p, off)
		return err
	})
	return n, err
}

func (x *file) Write(p []byte) (int, error) {
	op := Op{Kind: Write, Path: x.name, Bytes: len(p)}
	fault := (*x.fs.inject.Load())(op)
	if fault.Err == nil {
		return x.inner.Write(p)
	}
	if !fault.Done {
		p = p[:fault.Written]
	}
	n, err := x.inner.Write(p)
	if err != nil {
		return n, err
	}
	return n, pathError(op, fault)
}

func (x *file) Sync() error { return x.fs.do(x.op(Sync), x.inner.Sync) }

func (x *file) Truncate(size int64) error {
	return x.fs.do(x.op(Truncate), func() error { return x.inner.Truncate(size) })
}

func (x *file) Size() (n int64, err error) {
	err = x.fs.do(x.op(Size), func() (err error) {
		n, err = x.inner.Size()
		return err
	})
	return n, err
}

// Close always closes the file beneath, so that a test does not leak handles.
func (x *file) Close() error {
	op := x.op(Close)
	fault := (*x.fs.inject.Load())(op)
	err := x.inner.Close()
	if fault.Err != nil {
		return pathError(op, fault)
	}
	return err
}
