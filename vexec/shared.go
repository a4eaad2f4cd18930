package vexec

import (
	"context"
	"sync"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// shared keeps the rows of a definition for the places of a query that read it.
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
	r       *run
	mu      sync.Mutex
	locals  []*keepStep
	batches []storedBatch
}

func (s *shared) open(r *run) (sinkState, error) { return &keptRows{r: r}, nil }

func (k *keptRows) local(w *worker) (step, error) {
	return localStep(&k.mu, &k.locals, w, func() *keepStep { return &keepStep{store: newRowStore(k.r)} }), nil
}

func (k *keptRows) finalize(context.Context) error {
	stores := make([]*rowStore, len(k.locals))
	for i, l := range k.locals {
		stores[i] = l.store
	}
	k.batches, _ = gatherStores(stores)
	return nil
}

// keepStep stores the batches of one worker.
type keepStep struct {
	ofWorker
	store *rowStore
}

func (s *keepStep) push(b *vec.Batch) (status, error) {
	return more, s.store.add(s.w.seq, b.Len, b.Cols)
}

func (s *keepStep) endMorsel() error { return nil }
func (s *keepStep) finish() error    { return nil }

// sharedSource reads kept rows, a morsel a batch.
type sharedSource struct {
	label
	n    *plan.Shared
	keep *shared
}

func (s *sharedSource) open(r *run) (sourceState, error) {
	kept := r.sinks[s.keep].(*keptRows)
	out := &batchList{}
	for _, b := range kept.batches {
		one := vec.NewBatch(b.n)
		for i := range s.n.Out {
			one.Cols = append(one.Cols, b.cols[s.n.Column(i)])
		}
		out.groups = append(out.groups, cut(one, r.env.batchRows()))
	}
	return out, nil
}
