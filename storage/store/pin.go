package store

import (
	"container/list"
	"sync"

	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
)

// Pin holds a Snapshot: the files that it refers to stay, and rows of it can be deleted even after a flush or compaction has moved
// them. End it with Release.
type Pin struct {
	s    *Store
	snap *catalog.Snapshot
	once sync.Once
	at   *list.Element // of pinTable.versions
}

// Snapshot returns the pinned Snapshot.
func (p *Pin) Snapshot() *catalog.Snapshot { return p.snap }

// Release ends the pin. Releasing again does nothing.
func (p *Pin) Release() {
	p.once.Do(func() {
		p.s.pins.release(p.at)
		p.s.collectSoon()
	})
}

// Pin pins the current Snapshot. It never waits for a commit.
func (s *Store) Pin() *Pin {
	p := &Pin{s: s}
	p.snap, p.at = s.pins.pin()
	return p
}

// Snapshot returns the current Snapshot without a pin: good for looking at definitions, not for reading files.
func (s *Store) Snapshot() *catalog.Snapshot { return s.pins.snapshot() }

// pinTable holds the current Snapshot, who reads older ones, and what has to wait for them.
type pinTable struct {
	mu      sync.Mutex
	current *catalog.Snapshot
	// versions are the pinned versions, ascending: a pin is always on the newest.
	versions list.List
	count    int
	dead     []deadPath
	moves    map[segment.ID]*move
}

// pinnedVersion is an element of pinTable.versions.
type pinnedVersion struct {
	version uint64
	count   int
}

// deadPath is a file or folder that Snapshots from a version on do not refer to.
type deadPath struct {
	version uint64
	path    string
	// segment is the id of a segment file, or 0 for the folder of a stage.
	segment segment.ID
}

func (t *pinTable) pin() (*catalog.Snapshot, *list.Element) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	if e := t.versions.Back(); e != nil {
		if v := e.Value.(*pinnedVersion); v.version == t.current.Version {
			v.count++
			return t.current, e
		}
	}
	return t.current, t.versions.PushBack(&pinnedVersion{t.current.Version, 1})
}

func (t *pinTable) release(e *list.Element) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count--
	v := e.Value.(*pinnedVersion)
	if v.count--; v.count > 0 {
		return
	}
	t.versions.Remove(e)
	for id, m := range t.moves {
		if m.version <= t.oldest() {
			delete(t.moves, id)
		}
	}
}

// oldest returns the version of the oldest Snapshot that anybody may read. The caller holds t.mu.
func (t *pinTable) oldest() uint64 {
	if e := t.versions.Front(); e != nil {
		return e.Value.(*pinnedVersion).version
	}
	return t.current.Version
}

func (t *pinTable) snapshot() *catalog.Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.current
}

// publish makes a Snapshot current, with what died and moved on the way to it.
func (t *pinTable) publish(next *catalog.Snapshot, dead []deadPath, moves map[segment.ID]*move) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = next
	t.dead = append(t.dead, dead...)
	for id, m := range moves {
		if m.version > t.oldest() {
			t.moves[id] = m
		}
	}
}

// move returns where the rows of a segment or batch went, or nil.
func (t *pinTable) move(id segment.ID) *move {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.moves[id]
}

// takeDead returns what nobody can reach any more. The caller removes it.
func (t *pinTable) takeDead() []deadPath {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, oldest := 0, t.oldest()
	for n < len(t.dead) && t.dead[n].version <= oldest {
		n++
	}
	out := t.dead[:n:n]
	t.dead = t.dead[n:]
	return out
}

// anyDead reports whether something can be removed.
func (t *pinTable) anyDead() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.dead) > 0 && t.dead[0].version <= t.oldest()
}
