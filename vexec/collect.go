package vexec

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// collect is a sink that keeps the left side of a join, which is small, until the right side has been read with the help of its keys.
type collect struct {
	label
	keys []expr.Expr
	// wanted says for which keys some source of the right side takes a filter.
	wanted []bool
}

// leftFirst makes the left side of n be collected before the right side is built, if that lets some source of the right side leave out
// rows; otherwise it returns nil.
func (b *builder) leftFirst(n *plan.Join) (heads, error) {
	if !n.LeftFirst {
		return nil, nil
	}
	c := &collect{label: label{"collect", n}, keys: n.LeftKeys, wanted: make([]bool, len(n.LeftKeys))}
	taken := false
	for k, e := range n.RightKeys {
		if filterable(e.Type()) {
			c.wanted[k] = b.offer(n.Right, e, &joinFilter{c, k})
			taken = taken || c.wanted[k]
		}
	}
	if !taken {
		return nil, nil
	}
	left, err := b.build(n.Left)
	if err != nil {
		return nil, err
	}
	b.end(left, c, false)
	return b.start(&collected{label{"collected rows", n}, c}), nil
}

// collectState is what the workers share.
type collectState struct {
	c *collect
	r *run

	mu     sync.Mutex
	locals []*collectStep

	batches []collectedBatch
	sets    []*keySet
}

// collectedBatch is a batch with the number of its morsel and its keys.
type collectedBatch struct {
	seq  int64
	b    *vec.Batch
	keys []*vec.Vector
}

func (c *collect) open(r *run) (sinkState, error) { return &collectState{c: c, r: r}, nil }

func (c *collect) keySets(r *run) []*keySet {
	if s, ok := r.sinks[c].(*collectState); ok {
		return s.sets
	}
	return nil
}

func (s *collectState) local(w *worker) (step, error) {
	return localStep(&s.mu, &s.locals, w, func() *collectStep { return &collectStep{s: s, account: s.r.account()} }), nil
}

type collectStep struct {
	ofWorker
	s       *collectState
	account *cache.Account
	batches []collectedBatch
}

func (l *collectStep) push(b *vec.Batch) (status, error) {
	out := vec.NewBatch(b.Len)
	var size int64
	for _, c := range b.Cols {
		if c != nil {
			var dict *vec.Vector
			if c, dict = flatOwned(c); dict == nil {
				size += c.SizeBytes()
			} else {
				size += int64(16 * c.Len)
			}
		}
		out.Cols = append(out.Cols, c)
	}
	if err := l.account.Grow(size); err != nil {
		return done, err
	}
	keys, err := evalAll(l.s.r.env.Fn, l.s.c.keys, out)
	if err != nil {
		return done, err
	}
	l.batches = append(l.batches, collectedBatch{l.w.seq, out, keys})
	return more, nil
}

func (l *collectStep) endMorsel() error { return nil }
func (l *collectStep) finish() error    { return nil }

// finalize puts the batches in the order of the input and makes the sets of their keys.
func (s *collectState) finalize(context.Context) error {
	for _, l := range s.locals {
		s.batches = append(s.batches, l.batches...)
	}
	slices.SortStableFunc(s.batches, func(a, b collectedBatch) int { return cmp.Compare(a.seq, b.seq) })
	s.sets = newKeySets(s.c.wanted, len(s.batches), func(b, k int) *vec.Vector { return s.batches[b].keys[k] })
	return nil
}

// collected is the source of the rows of a collect, a batch a morsel.
type collected struct {
	label
	of *collect
}

func (c *collected) open(r *run) (sourceState, error) {
	return &collectedState{r.sinks[c.of].(*collectState)}, nil
}

type collectedState struct{ s *collectState }

func (s *collectedState) morsels() int { return len(s.s.batches) }

func (s *collectedState) reader(*worker) (reader, error) { return &collectedReader{s: s.s}, nil }

type collectedReader struct {
	s     *collectState
	batch *vec.Batch
}

func (r *collectedReader) start(m int) error {
	r.batch = r.s.batches[m].b
	return nil
}

func (r *collectedReader) next() (*vec.Batch, error) {
	b := r.batch
	r.batch = nil
	return b, nil
}

func (r *collectedReader) close() {}
