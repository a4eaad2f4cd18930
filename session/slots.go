package session

import (
	"context"
	"sync"
)

// slots limits how many statements run at once; others wait their turn.
type slots struct{ free chan struct{} }

func newSlots(n int) *slots {
	s := &slots{free: make(chan struct{}, n)}
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
