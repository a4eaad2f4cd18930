package store

import (
	"context"
	"sync"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
)

// minTick and maxTick bound how often the background goroutine looks at the clock; it does so four times per flush interval.
const (
	minTick = 10 * time.Millisecond
	maxTick = time.Second
)

// background is the goroutine that flushes, compacts, makes checkpoints and removes dead files, and what it knows.
type background struct {
	cancel context.CancelFunc
	done   chan struct{}
	// wake (of size 1) says that something is due now.
	wake chan struct{}

	mu       sync.Mutex
	interval time.Duration
	bytes    int64
	// pending are the tables that were written to and may need work.
	pending map[catalog.TableID]*pendingTable
}

// pendingTable is what is known of a table with recent writes.
type pendingTable struct {
	// since is when the first batch came that is not flushed yet; zero if there is none.
	since time.Time
	// bytes is the size of those batches.
	bytes int64
	// merge says that segments came or rows were deleted, so that a compaction may be worth it.
	merge bool
}

// SetFlush changes how long and up to which size small writes wait before they become a segment, see Options; 0 for the default.
func (s *Store) SetFlush(interval time.Duration, bytes int64) {
	if interval <= 0 {
		interval = defaultFlushInterval
	}
	if bytes <= 0 {
		bytes = defaultFlushBytes
	}
	s.bg.mu.Lock()
	defer s.bg.mu.Unlock()
	s.bg.interval, s.bg.bytes = interval, bytes
}

func (s *Store) startBackground() {
	if !s.o.Background {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := &s.bg
	b.pending = make(map[catalog.TableID]*pendingTable)
	b.wake = make(chan struct{}, 1)
	b.done = make(chan struct{})
	b.cancel = cancel
	now := time.Now()
	snap := s.pins.snapshot()
	for _, d := range snap.Databases() {
		for _, t := range snap.Tables(d) {
			if p := (&pendingTable{merge: len(t.Segments) > 0}); len(t.Batches) > 0 || p.merge {
				for _, batch := range t.Batches {
					p.since = now
					p.bytes += batch.Data.SizeBytes()
				}
				b.pending[t.ID] = p
			}
		}
	}
	go s.runBackground(ctx)
}

func (s *Store) stopBackground() {
	if s.bg.cancel != nil {
		s.bg.cancel()
		<-s.bg.done
	}
}

func (s *Store) runBackground(ctx context.Context) {
	defer close(s.bg.done)
	for {
		s.bg.mu.Lock()
		tick := min(max(s.bg.interval/4, minTick), maxTick)
		s.bg.mu.Unlock()
		timer := time.NewTimer(tick)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-s.bg.wake:
			timer.Stop()
		case <-timer.C:
		}
		s.collect()
		if s.writable() == nil {
			s.work(ctx, time.Now())
		}
	}
}

// work does what is due at a time.
func (s *Store) work(ctx context.Context, now time.Time) {
	for id, flush := range s.due(now) {
		if flush {
			if err := s.FlushTable(ctx, id); err != nil {
				s.report("flush", id, err)
				s.flushLater(id, now)
				continue
			}
		}
		if err := s.compactDue(ctx, id); err != nil {
			s.report("compaction", id, err)
		}
	}
	if s.checkpointDue() {
		if err := s.Checkpoint(ctx); err != nil {
			s.report("checkpoint", 0, err)
		}
	}
}

// report tells the operator of work that failed. A closing store is normal, and so is a table that was dropped meanwhile.
func (s *Store) report(what string, table catalog.TableID, err error) {
	if k := sqlerr.KindOf(err); k != sqlerr.Canceled && k != sqlerr.Conflict {
		s.o.Log.Warn("background "+what+" failed", "table", table, "error", err)
	}
}

// flushLater puts a table whose flush failed back, to be tried again after the flush interval.
func (s *Store) flushLater(id catalog.TableID, now time.Time) {
	s.bg.mu.Lock()
	defer s.bg.mu.Unlock()
	if p := s.bg.table(id); p.since.IsZero() {
		p.since = now
	}
}

// due takes the tables that need work at a time off the pending ones; the value says whether to flush.
func (s *Store) due(now time.Time) map[catalog.TableID]bool {
	b := &s.bg
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make(map[catalog.TableID]bool)
	for id, p := range b.pending {
		flush := !p.since.IsZero() && (now.Sub(p.since) >= b.interval || p.bytes >= b.bytes)
		switch {
		case flush:
			out[id] = true
			delete(b.pending, id)
		case p.merge:
			out[id] = false
			if p.merge = false; p.since.IsZero() {
				delete(b.pending, id)
			}
		}
	}
	return out
}

func (s *Store) checkpointDue() bool {
	return s.stats.logBytes.Load() > max(s.o.CheckpointBytes, s.checkpointBytes.Load())
}

// afterCommit notes what a committed Edit may have made due.
func (s *Store) afterCommit(e *catalog.Edit) {
	if !s.o.Background {
		s.collect()
		return
	}
	now := time.Now()
	b := &s.bg
	b.mu.Lock()
	wake := s.checkpointDue()
	for _, op := range e.Ops {
		switch o := op.(type) {
		case *catalog.AddBatch:
			p := b.table(o.Table)
			p.bytes += o.Batch.Data.SizeBytes()
			if p.since.IsZero() {
				p.since = now
			}
			wake = wake || p.bytes >= b.bytes
		case *catalog.AddSegments:
			b.table(o.Table).merge = true
		case *catalog.Replace:
			b.table(o.Table).merge = true
		case *catalog.DeleteRows:
			b.table(o.Table).merge = true
		}
	}
	b.mu.Unlock()
	if wake {
		s.wake()
	}
	s.collectSoon()
}

// table returns the entry of a table. The caller holds b.mu.
func (b *background) table(id catalog.TableID) *pendingTable {
	p := b.pending[id]
	if p == nil {
		p = new(pendingTable)
		b.pending[id] = p
	}
	return p
}

func (s *Store) wake() {
	select {
	case s.bg.wake <- struct{}{}:
	default:
	}
}

// collectSoon has dead files removed: in the background if there is one, so that no query waits for it.
func (s *Store) collectSoon() {
	switch {
	case !s.o.Background:
		s.collect()
	case s.pins.anyDead():
		s.wake()
	}
}
