package store

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
)

// groupBytes is the size of encoded Edits at which a group is written, so that one record stays far below maxRecordBytes.
const groupBytes = 16 << 20

// maxEditBytes bounds an encoded Edit: with the rest of its group it fits into a record.
const maxEditBytes = maxRecordBytes - groupBytes - 1<<20

// Check looks at the state that an Edit will be applied to, which may be newer than the one that it was made for, and returns an error of
// kind Conflict if it must not be. It runs while all other commits wait, maybe in another goroutine, so it must be quick and must not
// call the Store. The state is not durable yet.
type Check func(current *catalog.Snapshot) error

// request is an Edit that waits for its turn.
type request struct {
	edit *catalog.Edit
	// check may be nil; so may rebase, which runs behind it and may change the Edit.
	check  Check
	rebase func(current *catalog.Snapshot, e *catalog.Edit) error
	// moved are rows that the Edit puts elsewhere.
	moved map[segment.ID]*move
	// encoded is the Edit's encoding if nothing can change it any more.
	encoded []byte

	// The leader sets what follows before it closes done.
	done     chan struct{}
	snap     *catalog.Snapshot
	err      error
	panicked any
}

// commitQueue is the waiting requests in order of arrival.
type commitQueue struct {
	mu      sync.Mutex
	waiting []*request
}

func (q *commitQueue) add(r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, r)
}

func (q *commitQueue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.waiting
	q.waiting = nil
	return out
}

// remove takes a request back. It fails if a leader has it already.
func (q *commitQueue) remove(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, r)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// Commit makes an Edit durable and visible and returns a Snapshot that contains it. The Snapshot is not pinned.
//
// The Edit belongs to the Store from now on. Its segment files must be complete and synced under SegmentDir; its vectors must not be
// in Shredded form. Deletes of rows that a flush or compaction has moved since the caller's Pin are redirected. check may be nil.
//
// Errors: what check or catalog.Snapshot.Apply returned; Canceled if ctx ended before the Edit had its turn (once it has, Commit waits
// for the outcome); IO if it could not be written, after which the Store may be read-only, see Health. Whatever the error, the state
// has not changed. Only after a failed sync may the Edit appear when the directory is opened again.
func (s *Store) Commit(ctx context.Context, e *catalog.Edit, check Check) (*catalog.Snapshot, error) {
	return s.commit(ctx, &request{edit: e, check: check})
}

func (s *Store) commit(ctx context.Context, r *request) (*catalog.Snapshot, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, sqlerr.Wrap(sqlerr.Canceled, err, "commit")
	}
	if err := s.checkFiles(r.edit); err != nil {
		return nil, err
	}
	if r.rebase == nil && !hasDeletes(r.edit) {
		// While others hold the turn: encoding rows takes time.
		var err error
		if r.encoded, err = encodeEdit(r.edit); err != nil {
			return nil, err
		}
	}
	r.done = make(chan struct{})
	s.queue.add(r)
	select {
	case s.turn <- struct{}{}:
		s.lead()
		<-s.turn
		// Whoever had the turn before may have taken the request, but then it is done.
		<-r.done
	case <-r.done:
	case <-ctx.Done():
		if s.queue.remove(r) {
			return nil, sqlerr.Wrap(sqlerr.Canceled, ctx.Err(), "commit")
		}
		<-r.done
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	if r.err == nil {
		s.afterCommit(r.edit)
	}
	return r.snap, r.err
}

// checkFiles makes sure that the files of an Edit are where the next reader looks for them. It guards against our own mistakes: losing
// rows after they were acknowledged would be the worst outcome.
func (s *Store) checkFiles(e *catalog.Edit) error {
	for _, m := range addedSegments(e) {
		info, err := s.fs.Stat(path.Join(s.SegmentDir(), m.File))
		if err != nil {
			return sqlerr.Wrap(sqlerr.IO, err, "commit segment %d", m.ID)
		}
		if info.Size != m.Bytes {
			return sqlerr.New(sqlerr.Corrupt, "segment file %s has %d bytes instead of %d", m.File, info.Size, m.Bytes)
		}
	}
	return nil
}

// addedSegments lists the segments that an Edit brings in.
func addedSegments(e *catalog.Edit) []*segment.Meta {
	var out []*segment.Meta
	for _, op := range e.Ops {
		switch o := op.(type) {
		case *catalog.AddSegments:
			out = append(out, o.Segments...)
		case *catalog.Replace:
			out = append(out, o.Add...)
		}
	}
	return out
}

// encodeEdit encodes an Edit, or refuses one that makes a record too long.
func encodeEdit(e *catalog.Edit) ([]byte, error) {
	b, err := e.Encode(nil)
	if err == nil && len(b) > maxEditBytes {
		err = sqlerr.New(sqlerr.Resource, "a change of %d MiB is too large to be committed at once; write in several statements", len(b)>>20)
	}
	return b, err
}

// hasDeletes reports whether redirect may change an Edit.
func hasDeletes(e *catalog.Edit) bool {
	return slices.ContainsFunc(e.Ops, func(op catalog.Op) bool { _, ok := op.(*catalog.DeleteRows); return ok })
}

// lead commits everything that waits. The caller has the turn.
func (s *Store) lead() {
	todo := s.queue.take()
	for len(todo) > 0 {
		g := &group{s: s, next: s.pins.snapshot(), moves: make(map[segment.ID]*move)}
		n := 0
		for n < len(todo) && g.bytes < groupBytes {
			g.add(todo[n])
			n++
		}
		g.finish()
		for _, r := range todo[:n] {
			close(r.done)
		}
		todo = todo[n:]
	}
}

// group is the Edits that share one record.
type group struct {
	s     *Store
	next  *catalog.Snapshot
	good  []*request
	rec   record
	bytes int

	dead  []deadPath
	moves map[segment.ID]*move
	// files tells that an Edit adds segment files, stages are the ids of new internal stages.
	files  bool
	stages []uint64
}

// add applies one request on top of the group, or fails it alone.
func (g *group) add(r *request) {
	defer func() {
		// A bug in one Edit must not take down the statement that happens to lead; it goes on in its own goroutine.
		if p := recover(); p != nil {
			r.panicked = p
		}
	}()
	if r.err = g.s.writable(); r.err != nil {
		return
	}
	if r.check != nil {
		if r.err = r.check(g.next); r.err != nil {
			return
		}
	}
	if r.rebase != nil {
		if r.err = r.rebase(g.next, r.edit); r.err != nil {
			return
		}
	}
	if r.err = redirect(r.edit, g.move); r.err != nil {
		return
	}
	next, err := g.next.Apply(r.edit)
	if err != nil {
		r.err = err
		return
	}
	b := r.encoded
	if b == nil {
		if b, r.err = encodeEdit(r.edit); r.err != nil {
			return
		}
	}
	dead := g.s.dropped(g.next, next, r.edit)
	g.files = g.files || len(addedSegments(r.edit)) > 0
	g.stages = append(g.stages, internalStages(r.edit)...)
	// From here on nothing can go wrong.
	g.rec.edits = append(g.rec.edits, b)
	g.bytes += len(b)
	g.dead = append(g.dead, dead...)
	for id, m := range r.moved {
		m.version = next.Version
		g.moves[id] = m
	}
	g.next, r.snap = next, next
	g.good = append(g.good, r)
}

func (g *group) move(id segment.ID) *move {
	if m := g.moves[id]; m != nil {
		return m
	}
	return g.s.pins.move(id)
}

// finish makes the group durable and visible, or fails all of it.
func (g *group) finish() {
	if len(g.good) == 0 {
		return
	}
	s := g.s
	g.rec.version = g.next.Version - uint64(len(g.good))
	g.rec.nextID = max(s.ids.Load(), g.next.NextID)
	err := s.syncNames(g)
	if err == nil {
		err = s.log.append(&g.rec)
	}
	if err != nil {
		if errors.Is(err, errLogUnknown) {
			s.breakDown(err)
		}
		for _, r := range g.good {
			r.snap, r.err = nil, err
		}
		return
	}
	s.clean = false
	// Nobody else has the newest Snapshot yet.
	g.next.NextID = g.rec.nextID
	s.raiseIDs(g.next.NextID)
	for _, r := range g.good {
		s.leases.adopt(addedSegments(r.edit))
	}
	s.pins.publish(g.next, g.dead, g.moves)
	s.stats.commits.Add(int64(len(g.good)))
	s.stats.records.Add(1)
	s.stats.logBytes.Store(s.log.size)
}

// syncNames makes the names of new segment files durable and makes the folders of new stages.
func (s *Store) syncNames(g *group) error {
	for _, id := range g.stages {
		if err := vfs.MkdirAllSync(s.fs, s.StageDir(id)); err != nil {
			if !isDiskFull(err) {
				err = unknown(err)
			}
			return sqlerr.Wrap(sqlerr.IO, err, "make the folder of a stage")
		}
	}
	if !g.files {
		return nil
	}
	if err := s.fs.SyncDir(s.SegmentDir()); err != nil {
		return sqlerr.Wrap(sqlerr.IO, unknown(err), "sync the segments directory")
	}
	return nil
}

func internalStages(e *catalog.Edit) []uint64 {
	var out []uint64
	for _, op := range e.Ops {
		if o, ok := op.(*catalog.PutStage); ok && o.Stage.URL == "" {
			out = append(out, o.Stage.ID)
		}
	}
	return out
}
