package vfs

import (
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"
)

// memFile is a handle of a Mem file.
type memFile struct {
	m        *Mem
	n        *memNode
	name     string
	off      int64
	writable bool
	closed   bool
}

var _ File = (*memFile)(nil)

// fail returns the error of an operation on a closed handle or, if write is asked for, a read-only one. The caller holds m.mu.
func (f *memFile) fail(op string, write bool) error {
	switch {
	case f.closed:
		return memErr(op, f.name, fs.ErrClosed)
	case write && !f.writable:
		return memErr(op, f.name, syscall.EBADF)
	}
	return nil
}

// Read implements File.
func (f *memFile) Read(p []byte) (int, error) {
	if f.writable {
		return 0, memErr("read", f.name, fs.ErrInvalid)
	}
	n, err := f.ReadAt(p, f.off)
	f.off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// ReadAt implements File.
func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.m.mu.RLock()
	defer f.m.mu.RUnlock()
	if err := f.fail("read", false); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, memErr("read", f.name, fs.ErrInvalid)
	}
	n := 0
	if off < int64(len(f.n.data)) {
		n = copy(p, f.n.data[off:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Write implements File.
func (f *memFile) Write(p []byte) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.fail("write", true); err != nil {
		return 0, err
	}
	if len(p) > 0 {
		off := len(f.n.data)
		f.n.data = append(f.n.data, p...)
		f.n.pending = append(f.n.pending, memWrite{int64(off), f.n.data[off:len(f.n.data):len(f.n.data)]})
	}
	f.n.modTime = time.Now()
	return len(p), nil
}

// Sync implements File.
func (f *memFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.fail("sync", false); err != nil {
		return err
	}
	f.n.synced, f.n.pending = f.n.data[:len(f.n.data):len(f.n.data)], nil
	return nil
}

// Truncate implements File.
func (f *memFile) Truncate(size int64) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.fail("truncate", true); err != nil {
		return err
	}
	if size < 0 || size > int64(len(f.n.data)) {
		return memErr("truncate", f.name, fs.ErrInvalid)
	}
	f.n.truncate(size)
	return nil
}

// truncate cuts a file. The caller holds Mem.mu.
func (n *memNode) truncate(size int64) {
	if size < int64(len(n.data)) {
		n.data = slices.Clone(n.data[:size])
		n.pending = append(n.pending, memWrite{off: size})
	}
	n.modTime = time.Now()
}

// Size implements File.
func (f *memFile) Size() (int64, error) {
	f.m.mu.RLock()
	defer f.m.mu.RUnlock()
	if err := f.fail("stat", false); err != nil {
		return 0, err
	}
	return int64(len(f.n.data)), nil
}

// Close implements File.
func (f *memFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.fail("close", false); err != nil {
		return err
	}
	f.closed = true
	return nil
}

// CrashClone returns what could be on disk if the machine lost power now. Everything synced is there. Of every change that is
// not, rng decides on its own: an unsynced write is kept, torn (a prefix of it, or its length with some sectors zero) or lost,
// and so later writes may be there without earlier ones; a changed name is changed or not. Locks are gone. m is not changed
// and its open files do not reach the clone.
func (m *Mem) CrashClone(rng *rand.Rand) *Mem {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c := crash{rng: rng, done: make(map[*memNode]*memNode)}
	out := NewMem()
	out.root = c.node(m.root)
	return out
}

// crash is the state of one CrashClone.
type crash struct {
	rng *rand.Rand
	// done maps nodes to their clones, since a half-durable rename shows one file under two names.
	done map[*memNode]*memNode
}

func (c *crash) node(n *memNode) *memNode {
	if out, ok := c.done[n]; ok {
		return out
	}
	var out *memNode
	if !n.dir {
		data := c.content(n)
		out = &memNode{modTime: n.modTime, data: data, synced: data[:len(data):len(data)]}
		c.done[n] = out
		return out
	}
	out = newMemDir()
	c.done[n] = out
	entries := maps.Clone(n.syncedEntries)
	for _, op := range n.ops {
		if c.rng.IntN(2) == 0 {
			applyChanges(entries, op.changes)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		child := c.node(entries[name])
		out.entries[name] = child
		out.syncedEntries[name] = child
	}
	return out
}

// sectorBytes is the unit that a disk writes whole or not at all.
const sectorBytes = 512

// content is the data of a file after the crash.
func (c *crash) content(n *memNode) []byte {
	data := slices.Clone(n.synced)
	for _, w := range n.pending {
		if w.bytes == nil {
			if c.rng.IntN(2) == 0 && w.off < int64(len(data)) {
				data = data[:w.off]
			}
			continue
		}
		switch c.rng.IntN(4) {
		case 0:
			// Lost.
		case 1:
			data = writeAt(data, w.off, w.bytes[:c.rng.IntN(len(w.bytes))])
		case 2:
			torn := slices.Clone(w.bytes)
			for off := 0; off < len(torn); off += sectorBytes {
				if c.rng.IntN(2) == 0 {
					clear(torn[off:min(off+sectorBytes, len(torn))])
				}
			}
			data = writeAt(data, w.off, torn)
		default:
			data = writeAt(data, w.off, w.bytes)
		}
	}
	return data
}

// writeAt writes bytes at an offset, filling a gap with zeros as a file system does.
func writeAt(data []byte, off int64, b []byte) []byte {
	if len(b) == 0 {
		return data
	}
	if need := int(off) + len(b); need > len(data) {
		data = append(data, make([]byte, need-len(data))...)
	}
	copy(data[off:], b)
	return data
}
