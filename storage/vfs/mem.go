package vfs

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Mem is a file system in memory that keeps apart what is written and what would survive a crash; CrashClone shows the latter.
// It has no symbolic links, and relative names start at the root. Make it with NewMem.
type Mem struct {
	mu    sync.RWMutex
	root  *memNode
	locks map[string]*memLock
}

var _ FS = (*Mem)(nil)

// memNode is a file or a directory, guarded by Mem.mu. It lives on while a File refers to it, as an inode does.
type memNode struct {
	dir     bool
	modTime time.Time

	// For files. data never changes in place: Write appends and Truncate moves to a new array, so that synced and the
	// pending writes may share its array.
	data    []byte
	synced  []byte
	pending []memWrite

	// For directories. synced entries are the names that survive a crash; ops are the changes since.
	entries       map[string]*memNode
	syncedEntries map[string]*memNode
	ops           []memOp
}

// memWrite is a change of a file that is not synced yet: bytes at an offset, or a cut to size off if bytes is nil.
type memWrite struct {
	off   int64
	bytes []byte
}

// memOp is a change of the names of one directory, applied by a crash as a whole or not at all.
type memOp struct {
	changes []memChange
}

// memChange sets a name to a node, or removes it if node is nil.
type memChange struct {
	name string
	node *memNode
}

// NewMem returns an empty in-memory file system.
func NewMem() *Mem {
	return &Mem{root: newMemDir(), locks: make(map[string]*memLock)}
}

func newMemDir() *memNode {
	return &memNode{dir: true, modTime: time.Now(), entries: make(map[string]*memNode), syncedEntries: make(map[string]*memNode)}
}

// change applies an operation on a directory's names and remembers it as unsynced.
func (d *memNode) change(changes ...memChange) {
	applyChanges(d.entries, changes)
	d.ops = append(d.ops, memOp{changes})
	d.modTime = time.Now()
}

func applyChanges(entries map[string]*memNode, changes []memChange) {
	for _, c := range changes {
		if c.node == nil {
			delete(entries, c.name)
		} else {
			entries[c.name] = c.node
		}
	}
}

func memErr(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// clean returns the absolute form of a name.
func clean(name string) string { return path.Clean("/" + name) }

// lookup finds a node. The caller holds m.mu.
func (m *Mem) lookup(op, name string) (*memNode, error) {
	n := m.root
	for _, elem := range strings.Split(clean(name)[1:], "/") {
		if elem == "" {
			continue
		}
		if !n.dir {
			return nil, memErr(op, name, syscall.ENOTDIR)
		}
		child, ok := n.entries[elem]
		if !ok {
			return nil, memErr(op, name, fs.ErrNotExist)
		}
		n = child
	}
	return n, nil
}

// parent finds the directory of a name and the last element. The caller holds m.mu.
func (m *Mem) parent(op, name string) (*memNode, string, error) {
	dir, base := path.Split(clean(name))
	if base == "" {
		return nil, "", memErr(op, name, fs.ErrInvalid)
	}
	d, err := m.lookup(op, dir)
	if err == nil && !d.dir {
		err = syscall.ENOTDIR
	}
	if err != nil {
		// The error names what the caller asked for, not its parent.
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err
		}
		return nil, "", memErr(op, name, err)
	}
	return d, base, nil
}

// Create implements FS.
func (m *Mem) Create(name string) (File, error) { return m.openWrite(name, true) }

// OpenAppend implements FS.
func (m *Mem) OpenAppend(name string) (File, error) { return m.openWrite(name, false) }

func (m *Mem) openWrite(name string, truncate bool) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, base, err := m.parent("open", name)
	if err != nil {
		return nil, err
	}
	n, ok := d.entries[base]
	switch {
	case ok && n.dir:
		return nil, memErr("open", name, syscall.EISDIR)
	case !ok:
		n = &memNode{modTime: time.Now()}
		d.change(memChange{base, n})
	case truncate:
		n.truncate(0)
	}
	return &memFile{m: m, n: n, name: name, writable: true}, nil
}

// Open implements FS.
func (m *Mem) Open(name string) (File, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.lookup("open", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return nil, memErr("open", name, errNotRegular)
	}
	return &memFile{m: m, n: n, name: name}, nil
}

// OpenBeneath implements FS.
func (m *Mem) OpenBeneath(dir, rel string) (File, error) {
	if !fs.ValidPath(path.Clean(rel)) {
		return nil, memErr("open", rel, errors.New("path escapes from parent"))
	}
	return m.Open(path.Join(dir, rel))
}

// Rename implements FS.
func (m *Mem) Rename(oldName, newName string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, fromBase, err := m.parent("rename", oldName)
	if err != nil {
		return err
	}
	to, toBase, err := m.parent("rename", newName)
	if err != nil {
		return err
	}
	n, ok := from.entries[fromBase]
	if !ok {
		return memErr("rename", oldName, fs.ErrNotExist)
	}
	if n.dir && strings.HasPrefix(clean(newName)+"/", clean(oldName)+"/") && clean(newName) != clean(oldName) {
		return memErr("rename", newName, fs.ErrInvalid)
	}
	if old, exists := to.entries[toBase]; exists {
		switch {
		case old == n:
			return nil
		case old.dir && !n.dir:
			return memErr("rename", newName, syscall.EISDIR)
		case !old.dir && n.dir:
			return memErr("rename", newName, syscall.ENOTDIR)
		case old.dir && len(old.entries) > 0:
			return memErr("rename", newName, syscall.ENOTEMPTY)
		}
	}
	if from == to {
		from.change(memChange{fromBase, nil}, memChange{toBase, n})
		return nil
	}
	to.change(memChange{toBase, n})
	from.change(memChange{fromBase, nil})
	return nil
}

// Remove implements FS.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, base, err := m.parent("remove", name)
	if err != nil {
		return err
	}
	n, ok := d.entries[base]
	if !ok {
		return memErr("remove", name, fs.ErrNotExist)
	}
	if n.dir && len(n.entries) > 0 {
		return memErr("remove", name, syscall.ENOTEMPTY)
	}
	d.change(memChange{base, nil})
	return nil
}

// RemoveAll implements FS.
func (m *Mem) RemoveAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, base, err := m.parent("remove", name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	n, ok := d.entries[base]
	if !ok {
		return nil
	}
	n.empty()
	d.change(memChange{base, nil})
	return nil
}

// empty removes everything beneath a directory one by one, since a crash may keep any part of it.
func (d *memNode) empty() {
	// Sorted, so that a crash seed always meets the same order of operations.
	for _, name := range slices.Sorted(maps.Keys(d.entries)) {
		d.entries[name].empty()
		d.change(memChange{name, nil})
	}
}

// MkdirAll implements FS.
func (m *Mem) MkdirAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.root
	for _, elem := range strings.Split(clean(name)[1:], "/") {
		if elem == "" {
			continue
		}
		child, ok := n.entries[elem]
		if !ok {
			child = newMemDir()
			n.change(memChange{elem, child})
		}
		if !child.dir {
			return memErr("mkdir", name, syscall.ENOTDIR)
		}
		n = child
	}
	return nil
}

// SyncDir implements FS.
func (m *Mem) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.lookup("sync", name)
	if err != nil {
		return err
	}
	if !d.dir {
		return memErr("sync", name, syscall.ENOTDIR)
	}
	for _, op := range d.ops {
		applyChanges(d.syncedEntries, op.changes)
	}
	d.ops = nil
	return nil
}

// List implements FS.
func (m *Mem) List(name string) ([]Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	d, err := m.lookup("list", name)
	if err != nil {
		return nil, err
	}
	if !d.dir {
		return nil, memErr("list", name, syscall.ENOTDIR)
	}
	infos := make([]Info, 0, len(d.entries))
	for base, n := range d.entries {
		infos = append(infos, n.info(base))
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return infos, nil
}

// Stat implements FS.
func (m *Mem) Stat(name string) (Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.lookup("stat", name)
	if err != nil {
		return Info{}, err
	}
	return n.info(path.Base(clean(name))), nil
}

func (n *memNode) info(base string) Info {
	i := Info{Name: base, ModTime: n.modTime, Size: int64(len(n.data)), Mode: memFileMode}
	if n.dir {
		i.Mode = fs.ModeDir | memDirMode
	}
	return i
}

// The permissions that Stat shows.
const (
	memFileMode = fs.FileMode(0o600)
	memDirMode  = fs.FileMode(0o700)
)

// Canonical implements FS.
func (m *Mem) Canonical(name string) (string, error) { return clean(name), nil }

// DiskFree implements FS; memory has no end that Mem knows of.
func (m *Mem) DiskFree(string) (int64, error) { return math.MaxInt64, nil }

type memLock struct {
	m    *Mem
	name string
	note string // guarded by m.mu
	once sync.Once
}

// Lock implements FS. The holder is always this process.
func (m *Mem) Lock(name string) (HeldLock, error) {
	f, err := m.OpenAppend(name)
	if err != nil {
		return nil, err
	}
	_ = f.Close() // closing a file in memory cannot fail
	m.mu.Lock()
	defer m.mu.Unlock()
	key := clean(name)
	if held := m.locks[key]; held != nil {
		return nil, &LockedError{Name: name, PID: os.Getpid(), Note: held.note}
	}
	held := &memLock{m: m, name: key}
	m.locks[key] = held
	return held, nil
}

// Note implements HeldLock.
func (l *memLock) Note(text string) error {
	if err := checkNote(text); err != nil {
		return err
	}
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	l.note = text
	return nil
}

func (l *memLock) Close() error {
	l.once.Do(func() {
		l.m.mu.Lock()
		defer l.m.mu.Unlock()
		delete(l.m.locks, l.name)
	})
	return nil
}
