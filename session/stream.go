package session

import (
	"context"
	"sync"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// streamBytes is how much of a result may wait for its reader before the query is held up.
const streamBytes = 4 << 20

// stream is the bounded queue between a running query and the reader of its result. The query parks in put when the queue is full; it
// has given its slot back by then (see slots), so a result that nobody fetches holds memory but no worker.
type stream struct {
	// run ends when the query is to stop; nil for results that are complete.
	run    context.Context
	cancel context.CancelFunc
	slot   *slot

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever the state below changes
	queue   []*vec.Batch
	bytes   int64
	rows    int64
	done    bool
	err     error
	closed  bool
	cleanup func()
}

func newStream(run context.Context, cancel context.CancelFunc, sl *slot, cleanup func()) *stream {
	return &stream{run: run, cancel: cancel, slot: sl, changed: make(chan struct{}), cleanup: cleanup}
}

// signal wakes all waiters; mu is held.
func (s *stream) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// put appends a batch and waits while the queue is full.
func (s *stream) put(ctx context.Context, b *vec.Batch) error {
	s.mu.Lock()
	s.queue = append(s.queue, b)
	s.bytes += b.SizeBytes()
	s.rows += int64(b.Len)
	s.signal()
	parked := false
	for s.bytes >= streamBytes && !s.closed {
		ch := s.changed
		s.mu.Unlock()
		if !parked {
			s.slot.release()
			parked = true
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return canceled(ctx)
		}
		s.mu.Lock()
	}
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return sqlerr.New(sqlerr.Canceled, "the result was closed by its reader")
	}
	if parked {
		return s.slot.acquire(ctx)
	}
	return nil
}

// finish marks the end of the result.
func (s *stream) finish(err error) {
	s.mu.Lock()
	s.done, s.err = true, err
	s.signal()
	cleanup := s.cleanup
	s.cleanup = nil
	s.mu.Unlock()
	s.slot.release()
	s.cancel()
	if cleanup != nil {
		cleanup()
	}
}

func (s *stream) next(ctx context.Context) (*vec.Batch, error) {
	s.mu.Lock()
	for len(s.queue) == 0 && !s.done {
		if err := s.pause(ctx); err != nil {
			return nil, err
		}
	}
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil, s.err
	}
	b := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.bytes -= b.SizeBytes()
	s.signal()
	return b, nil
}

// pause waits for a change; mu is held before and, without an error, after it. A query that was canceled or is late has ended for its
// reader, even while its workers still come to their end.
func (s *stream) pause(ctx context.Context) error {
	ch := s.changed
	s.mu.Unlock()
	select {
	case <-ch:
	case <-s.run.Done():
		select {
		case <-ch:
		case <-time.After(stopPatience):
			return canceled(s.run)
		}
	case <-ctx.Done():
		return canceled(ctx)
	}
	s.mu.Lock()
	return nil
}

// stopPatience is how long the reader of a result waits for the workers of a canceled query.
const stopPatience = 500 * time.Millisecond

func (s *stream) wait(ctx context.Context, bytes int64) error {
	s.mu.Lock()
	for s.bytes < min(bytes, streamBytes) && !s.done {
		if err := s.pause(ctx); err != nil {
			return err
		}
	}
	defer s.mu.Unlock()
	if s.done && s.err != nil {
		return s.err
	}
	return nil
}

func (s *stream) total() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done && s.err == nil {
		return s.rows
	}
	return -1
}

// close stops the query and waits for it, so that mostly nothing of it is left behind; workers that do not come to their end soon end, and
// free what they hold, by themselves.
func (s *stream) close() {
	s.mu.Lock()
	s.closed = true
	s.queue, s.bytes = nil, 0
	s.signal()
	s.mu.Unlock()
	s.cancel()
	late := time.After(stopPatience)
	for {
		s.mu.Lock()
		done, ch := s.done, s.changed
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-ch:
		case <-late:
			return
		}
	}
}

// canceled turns the end of a context into an error for the user.
func canceled(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil {
		if sqlerr.KindOf(cause) != sqlerr.Internal {
			return cause
		}
	}
	return sqlerr.New(sqlerr.Canceled, "the statement was canceled")
}
