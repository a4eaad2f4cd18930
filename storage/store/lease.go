package store

import (
	"fmt"
	"path"
	"strconv"
	"sync"

	"github.com/ebira-db/ebira/storage/segment"
)

// NewID returns an id for a table, segment, batch, stage or load. Whatever a committed Edit or a file name has ever named is not given
// out again, not even after a crash: each record of the log says which ids had been given out when it was written.
func (s *Store) NewID() uint64 { return s.ids.Add(1) - 1 }

// raiseIDs makes sure that NewID returns at least next.
func (s *Store) raiseIDs(next uint64) {
	for {
		have := s.ids.Load()
		if have >= next || s.ids.CompareAndSwap(have, next) {
			return
		}
	}
}

// SegmentDir returns the folder of segment files.
func (s *Store) SegmentDir() string { return path.Join(s.dir, segmentsName) }

// SegmentFile returns the file name of a segment, as it goes into segment.Meta.File.
func SegmentFile(id segment.ID) string { return fmt.Sprintf("%d%s", id, segmentSuffix) }

// SegmentPath returns the path of a segment's file.
func (s *Store) SegmentPath(id segment.ID) string { return path.Join(s.SegmentDir(), SegmentFile(id)) }

// StageDir returns the folder of an internal stage. It exists from the commit that creates the stage on.
func (s *Store) StageDir(id uint64) string {
	return path.Join(s.dir, stagesName, strconv.FormatUint(id, 10))
}

// TempDir returns the folder for files that need not survive the process, such as sort runs. Open empties it.
func (s *Store) TempDir() string { return path.Join(s.dir, tmpName) }

// Lease covers the segment files that one statement writes until a commit takes them over. It is safe for concurrent use.
type Lease struct {
	s   *Store
	mu  sync.Mutex
	ids []segment.ID
}

// leaseTable holds the segments that some Lease covers and no commit has taken over.
type leaseTable struct {
	mu   sync.Mutex
	open map[segment.ID]bool
}

// Lease begins a lease. End it with End.
func (s *Store) Lease() *Lease { return &Lease{s: s} }

// NewSegment returns the id of a new segment and the path at which its file is to be made.
func (l *Lease) NewSegment() (segment.ID, string) {
	id := segment.ID(l.s.NewID())
	l.s.leases.add(id)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids = append(l.ids, id)
	return id, l.s.SegmentPath(id)
}

// Take makes the lease cover what another one covers, which covers nothing then.
func (l *Lease) Take(o *Lease) {
	o.mu.Lock()
	ids := o.ids
	o.ids = nil
	o.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids = append(l.ids, ids...)
}

// End removes the files of all segments of the lease that were not committed. Nobody may write them any more. Ending again does nothing.
func (l *Lease) End() {
	l.mu.Lock()
	ids := l.ids
	l.ids = nil
	l.mu.Unlock()
	for _, id := range ids {
		// After a failed sync the log may name the file all the same; the next Open knows.
		if l.s.leases.drop(id) && l.s.Health() == nil {
			l.s.removeFile(l.s.SegmentPath(id))
		}
	}
}

func (t *leaseTable) add(id segment.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[id] = true
}

// adopt ends the cover of segments that a commit has taken over.
func (t *leaseTable) adopt(metas []*segment.Meta) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range metas {
		delete(t.open, m.ID)
	}
}

// drop ends the cover of a segment and reports whether it was covered still.
func (t *leaseTable) drop(id segment.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	covered := t.open[id]
	delete(t.open, id)
	return covered
}
