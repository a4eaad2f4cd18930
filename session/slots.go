package session

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// slots bounds the statements that run at once. Those that find no free slot wait in the order in which they came. A statement whose result
// waits for its reader holds none.
type slots struct {
	free    chan struct{}
	waiting atomic.Int64
	// limit is the most statements that may wait.
	limit int64
}

func newSlots(n, limit int) *slots {
	s := &slots{free: make(chan struct{}, n), limit: int64(limit)}
	for range n {
		s.free <- struct{}{}
	}
	return s
}

// slot is the right of one statement to run. It may be given back while the statement is parked and taken again.
type slot struct {
	of   *slots
	mu   sync.Mutex
	held bool
}

// take waits for a free slot.
func (s *slots) take(ctx context.Context) (*slot, error) {
	sl := &slot{of: s}
	select {
	case <-s.free:
		sl.held = true
		return sl, nil
	default:
	}
	if s.waiting.Add(1) > s.limit {
		s.waiting.Add(-1)
		return nil, sqlerr.New(sqlerr.Resource, "%d statements run and %d wait; try again later, or start the server with a higher limit", cap(s.free), s.limit)
	}
	defer s.waiting.Add(-1)
	return sl, sl.acquire(ctx)
}

func (s *slot) acquire(ctx context.Context) error {
	select {
	case <-s.of.free:
	case <-ctx.Done():
		return canceled(ctx)
	}
	s.mu.Lock()
	s.held = true
	s.mu.Unlock()
	return nil
}

// holds tells whether the statement may run.
func (s *slot) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// release gives the slot back; it is no error to have none.
func (s *slot) release() {
	s.mu.Lock()
	held := s.held
	s.held = false
	s.mu.Unlock()
	if held {
		s.of.free <- struct{}{}
	}
}
