package vexec

import (
	"context"
	"sync"

	"github.com/ebira-db/ebira/vec"
)

// gateBytes is how much may wait at a gate for its turn before the workers that are ahead have to wait themselves.
const gateBytes = 16 << 20

// gate brings the batches of many workers back into the order of their morsels and hands them to one step. The worker of the
// morsel whose turn it is passes its batches straight on; the others leave theirs at the gate.
type gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	// turn is the seq of the morsel that may pass.
	turn int64
	// draining says that a worker passes waiting batches on; nobody else may then.
	draining bool
	waiting  map[int64]*heldMorsel
	held     int64 // bytes of all waiting batches
	closed   bool  // the step behind wants no more
	running  int   // workers that have not finished

	ctx  context.Context
	tail *worker
	next step
	stop func() bool
}

// heldMorsel is what one morsel left at the gate.
type heldMorsel struct {
	batches []*vec.Batch
	bytes   int64
	ended   bool
}

// newGate makes a gate before next, whose steps were built for tail; the first morsel is first.
func newGate(ctx context.Context, tail *worker, next step, first int64, workers int) *gate {
	g := &gate{turn: first, waiting: map[int64]*heldMorsel{}, running: workers, ctx: ctx, tail: tail, next: next}
	g.cond = sync.NewCond(&g.mu)
	g.stop = context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.cond.Broadcast()
	})
	return g
}

// entry is the step by which w passes.
func (g *gate) entry(w *worker) step { return &gateEntry{g: g, w: w} }

type gateEntry struct {
	g *gate
	w *worker
}

func (s *gateEntry) push(b *vec.Batch) (status, error) {
	batches, turn, err := s.enter(b)
	if err != nil || batches == nil {
		return turn, err
	}
	return s.g.pass(s.w.seq, batches)
}

// enter returns what the worker has to pass on because it is its turn, b last. Otherwise b waits at the gate, and the status says
// whether more is wanted.
func (s *gateEntry) enter(b *vec.Batch) ([]*vec.Batch, status, error) {
	g, seq := s.g, s.w.seq
	size := b.SizeBytes()
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.closed && !g.mine(seq) && g.held > 0 && g.held+size > gateBytes && g.ctx.Err() == nil {
		g.cond.Wait()
	}
	if g.closed || g.ctx.Err() != nil {
		return nil, done, s.w.check()
	}
	if g.mine(seq) {
		return append(g.take(g.morsel(seq)), b), more, nil
	}
	h := g.morsel(seq)
	h.batches = append(h.batches, b)
	h.bytes += size
	g.held += size
	return nil, more, nil
}

// morsel returns what waits of a morsel. g.mu is held.
func (g *gate) morsel(seq int64) *heldMorsel {
	h := g.waiting[seq]
	if h == nil {
		h = &heldMorsel{}
		g.waiting[seq] = h
	}
	return h
}

// mine tells whether the worker of morsel seq may use the step behind the gate. g.mu is held.
func (g *gate) mine(seq int64) bool { return seq == g.turn && !g.draining }

// take empties h. g.mu is held.
func (g *gate) take(h *heldMorsel) []*vec.Batch {
	b := h.batches
	g.held -= h.bytes
	h.batches, h.bytes = nil, 0
	g.cond.Broadcast()
	return b
}

// pass hands batches of morsel seq to the step behind. The caller has the turn.
func (g *gate) pass(seq int64, batches []*vec.Batch) (status, error) {
	g.tail.seq = seq
	for _, b := range batches {
		st, err := g.next.push(b)
		if err != nil {
			return done, err
		}
		if st == done {
			g.mu.Lock()
			g.closed = true
			g.cond.Broadcast()
			g.mu.Unlock()
			return done, nil
		}
	}
	return more, nil
}

func (s *gateEntry) endMorsel() error {
	g := s.g
	g.mu.Lock()
	defer g.mu.Unlock()
	g.morsel(s.w.seq).ended = true
	if !g.mine(s.w.seq) {
		return nil
	}
	return g.drain()
}

// drain passes on all morsels that have ended and whose turn it is by now, and what waits of the first that has not ended.
// g.mu is held, but not while batches are passed.
func (g *gate) drain() error {
	g.draining = true
	defer func() { g.draining = false }()
	for {
		h := g.waiting[g.turn]
		if h == nil || !h.ended && len(h.batches) == 0 {
			return nil
		}
		seq, ended := g.turn, h.ended
		if err := g.passHeld(seq, g.take(h), ended); err != nil {
			return err
		}
		if ended {
			delete(g.waiting, seq)
			g.turn++
			g.cond.Broadcast()
		}
	}
}

// passHeld is pass for drain: it gives g.mu up meanwhile and holds it again afterwards, even if a step panics.
func (g *gate) passHeld(seq int64, batches []*vec.Batch, ended bool) error {
	if g.closed {
		return nil
	}
	g.mu.Unlock()
	defer g.mu.Lock()
	st, err := g.pass(seq, batches)
	if err != nil || st == done || !ended {
		return err
	}
	return g.next.endMorsel()
}

func (s *gateEntry) finish() error {
	g := s.g
	g.mu.Lock()
	g.running--
	last := g.running == 0
	g.mu.Unlock()
	if !last {
		return nil
	}
	return g.next.finish()
}
