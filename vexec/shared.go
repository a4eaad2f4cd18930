package vexec

import (
	"context"
	"sync"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// shared keeps the rows of a definition for the places of a query that read it, on disk what does not fit into memory.
type shared struct{ label }

// shared makes the pipelines of a definition the first time that it is read, and a source that reads its rows.
func (b *builder) shared(n *plan.Shared) (heads, error) {
	k := b.defs[n.Def]
	if k == nil {
		h, err := b.build(n.Def.Plan)
		if err != nil {
			return nil, err
		}
		k = &shared{label{"keep", n}}
		if b.defs == nil {
			b.defs = map[*plan.Definition]*shared{}
		}
		b.defs[n.Def] = k
		b.end(h, k, false)
	}
	return b.start(&sharedSource{label{"shared", n}, n, k}), nil
}

// keptRows is what the workers share.
type keptRows struct {
	s       *shared
	r       *run
	mu      sync.Mutex
	locals  []*keepStep
	file    *spillFile
	batches []storedBatch
	blocks  []spillBlock
}

func (s *shared) open(r *run) (sinkState, error) { return &keptRows{s: s, r: r}, nil }

func (k *keptRows) local(w *worker) (step, error) {
	return localStep(&k.mu, &k.locals, w, func() *keepStep { return &keepStep{k: k, store: newRowStore(k.r)} }), nil
}

func (k *keptRows) finalize(context.Context) error {
	stores := make([]*rowStore, len(k.locals))
	for i, l := range k.locals {
		stores[i] = l.store
		k.blocks = append(k.blocks, l.spilled.blocks...)
	}
	k.batches, _ = gatherStores(stores)
	return nil
}

// release gives the rows up.
func (k *keptRows) release() {
	for _, l := range k.locals {
		l.store.clear()
	}
	if k.file != nil {
		k.r.closeFile(k.file)
	}
	k.locals, k.batches, k.blocks = nil, nil, nil
}

// keepStep stores the batches of one worker.
type keepStep struct {
	ofWorker
	k       *keptRows
	store   *rowStore
	enc     spillEncoder
	spilled spillRows
}

func (s *keepStep) push(b *vec.Batch) (status, error) {
	return more, s.store.addOrSpill(s.w.seq, b.Len, b.Cols, s.spill)
}

// spill writes the rows of the worker.
func (s *keepStep) spill() (err error) {
	k := s.k
	k.mu.Lock()
	if k.file == nil {
		k.file, err = k.r.newSpillFile(k.s)
	}
	s.spilled.file = k.file
	k.mu.Unlock()
	if err != nil {
		return err
	}
	for _, b := range s.store.batches {
		if err := k.r.check(); err != nil {
			return err
		}
		if err := s.spilled.add(&s.enc, vec.NewBatch(b.n, b.cols...)); err != nil {
			return err
		}
	}
	s.store.clear()
	return nil
}

func (s *keepStep) endMorsel() error { return nil }
func (s *keepStep) finish() error    { return nil }

// sharedSource reads kept rows, a morsel a batch: first those in memory, then those on disk.
type sharedSource struct {
	label
	n    *plan.Shared
	keep *shared
}

func (s *sharedSource) uses() sink { return s.keep }

func (s *sharedSource) open(r *run) (sourceState, error) {
	return &sharedState{s, r.sinks[s.keep].(*keptRows)}, nil
}

type sharedState struct {
	s    *sharedSource
	kept *keptRows
}

func (s *sharedState) morsels() int { return len(s.kept.batches) + len(s.kept.blocks) }

func (s *sharedState) reader(*worker) (reader, error) { return &sharedReader{s: s}, nil }

type sharedReader struct {
	s    *sharedState
	rest []*vec.Batch
}

func (r *sharedReader) start(m int) error {
	k := r.s.kept
	var all *vec.Batch
	if m < len(k.batches) {
		b := k.batches[m]
		all = vec.NewBatch(b.n, b.cols...)
	} else {
		b, err := k.file.read(&k.blocks[m-len(k.batches)])
		if err != nil {
			return err
		}
		all = b
	}
	one := vec.NewBatch(all.Len)
	for i := range r.s.s.n.Out {
		one.Cols = append(one.Cols, all.Cols[r.s.s.n.Column(i)])
	}
	r.rest = cut(one, k.r.env.batchRows())
	return nil
}

func (r *sharedReader) next() (*vec.Batch, error) {
	if len(r.rest) == 0 {
		return nil, nil
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

func (r *sharedReader) close() {}
