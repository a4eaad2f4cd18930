package expr

import (
	"sync"
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/vec"
)

// memoSlots is how many dictionaries a memo follows at a time: those of the row groups that the workers of a query are at.
const memoSlots = 8

// memo remembers what an expression of one column gives for the entries of a dictionary. Batches of one row group share a dictionary,
// so the work is done per entry instead of per row. A dictionary is computed as a whole once as many rows as half its entries were seen,
// so that a scan that reads little of it does not pay for it.
type memo struct {
	mu    sync.Mutex
	slots [memoSlots]memoSlot
	next  int
}

// memoRef is the memo of an expression, made when it is first needed.
type memoRef struct{ p atomic.Pointer[memo] }

// apply evaluates over the rows of v by way of the entries of its dictionary; ok is false if v has none or the rows must be evaluated.
func (r *memoRef) apply(c *function.Ctx, v *vec.Vector, eval func(entries *vec.Vector) (*vec.Vector, error)) (out *vec.Vector, ok bool) {
	if v.Form != vec.Dictionary {
		return nil, false
	}
	m := r.p.Load()
	if m == nil {
		r.p.CompareAndSwap(nil, &memo{})
		m = r.p.Load()
	}
	return m.apply(c, v, eval)
}

// memoState is how far a dictionary has got.
type memoState uint8

const (
	memoCounting memoState = iota
	memoBusy               // a worker computes it
	memoDone
	memoFailed // an entry has no result; the rows decide
)

type memoSlot struct {
	ctx    *function.Ctx
	dict   *vec.Vector
	rows   int
	state  memoState
	result *vec.Vector
}

// apply returns eval over the rows of v, a Dictionary vector, by way of the entries; ok is false if the rows must be evaluated instead.
func (m *memo) apply(c *function.Ctx, v *vec.Vector, eval func(entries *vec.Vector) (*vec.Vector, error)) (r *vec.Vector, ok bool) {
	result, compute := m.look(c, v)
	if compute {
		r, err := eval(v.Dict)
		if err == nil {
			result = flatten(r)
		}
		m.settle(c, v.Dict, result)
	}
	if result == nil {
		return nil, false
	}
	out := *vec.GatherCodes(result, v.Codes)
	out.Valid = vec.And(out.Valid, v.Valid, v.Len)
	return &out, true
}

// look finds the result for the dictionary of v, or tells that the caller should compute it.
func (m *memo) look(c *function.Ctx, v *vec.Vector) (result *vec.Vector, compute bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	slot := m.find(c, v.Dict)
	if slot == nil {
		slot = &m.slots[m.next]
		m.next = (m.next + 1) % memoSlots
		*slot = memoSlot{ctx: c, dict: v.Dict}
	}
	switch slot.state {
	case memoDone:
		return slot.result, false
	case memoCounting:
		if slot.rows += v.Len; slot.rows*2 >= v.Dict.Len {
			slot.state = memoBusy
			return nil, true
		}
	}
	return nil, false
}

func (m *memo) find(c *function.Ctx, dict *vec.Vector) *memoSlot {
	for i := range m.slots {
		if s := &m.slots[i]; s.dict == dict && s.ctx == c {
			return s
		}
	}
	return nil
}

// settle stores a result; nil means that there is none. The slot may have gone to another dictionary meanwhile.
func (m *memo) settle(c *function.Ctx, dict, result *vec.Vector) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.find(c, dict)
	if s == nil {
		return
	}
	s.state, s.result = memoDone, result
	if result == nil {
		s.state = memoFailed
	}
}
