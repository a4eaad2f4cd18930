package vexec

import (
	"context"
	"slices"
	"sync"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// recursive collects the rows of a recursive query: first those of its base, then, when these have ended, of step after step. A step is
// a set of pipelines that is run as a whole; what does not depend on the rows of the last step, such as groups of other tables, runs once.
type recursive struct {
	label
	n      *plan.Recursive
	layout *keyLayout // nil unless equal rows are dropped
	steps  []*pipeline
}

// loop is what a builder knows inside of a step.
type loop struct {
	self *plan.Recursion
	rec  *recursive
	up   *loop
}

// of returns the recursion of a Working node.
func (l *loop) of(self *plan.Recursion) *recursive {
	for ; l != nil; l = l.up {
		if l.self == self {
			return l.rec
		}
	}
	panic("BUG: rows of a recursion are read outside of it")
}

func (b *builder) recursive(n *plan.Recursive) (heads, error) {
	rec := &recursive{label: label{"recursion", n}, n: n}
	if n.Distinct {
		keys, _ := plan.Identity(n.Out)
		ts, nullable := keyTypes(keys)
		for i := range nullable {
			nullable[i] = true
		}
		var err error
		if rec.layout, err = newKeyLayout(ts, nullable, b.env); err != nil {
			return nil, err
		}
	}
	base, err := b.build(n.Base)
	if err != nil {
		return nil, err
	}
	if b.defs == nil {
		b.defs = map[*plan.Definition]*shared{}
	}
	inner := &builder{env: b.env, defs: b.defs, loop: &loop{n.Self, rec, b.loop}}
	step, err := inner.build(n.Step)
	if err != nil {
		return nil, err
	}
	inner.end(step, rec, false)
	rec.steps = inner.pipelines
	b.end(base, rec, false)
	return b.start(&recursiveSource{label{"recursive", n}, rec}), nil
}

// settled notes, inside of a step, which heads depend on nothing that changes from step to step.
func (b *builder) settled(n plan.Node, h heads) {
	if b.loop == nil {
		return
	}
	once := true
	for l := b.loop; l != nil; l = l.up {
		once = once && !l.self.Reads(n)
	}
	for _, p := range h {
		p.once = once
	}
}

// recursion is what the workers share.
type recursion struct {
	rec     *recursive
	r       *run
	account *cache.Account

	mu     sync.Mutex
	locals []*recursionStep

	// all are the batches so far, last those of the last step.
	all, last []storedBatch
	seen      *table
	keys      keyBatch
}

func (s *recursive) open(r *run) (sinkState, error) {
	return &recursion{rec: s, r: r, account: r.account()}, nil
}

func (s *recursion) local(w *worker) (step, error) {
	return localStep(&s.mu, &s.locals, w, func() *recursionStep { return &recursionStep{store: newRowStore(s.r)} }), nil
}

// recursionStep stores the batches of one worker. They stay in memory: every step reads the last of them.
type recursionStep struct {
	ofWorker
	store *rowStore
}

func (s *recursionStep) push(b *vec.Batch) (status, error) {
	return more, s.store.add(own(s.w.seq, b.Len, b.Cols), s.store.charge.grow)
}

func (s *recursionStep) endMorsel() error { return nil }
func (s *recursionStep) finish() error    { return nil }

// finalize is called when the base has ended, and runs the steps.
func (s *recursion) finalize(context.Context) error {
	if err := s.take(); err != nil {
		return err
	}
	// A sink belongs to every step if one of the pipelines into it does. The hash table of a join serves one probe only.
	changing := map[sink]bool{s.rec: true}
	for _, p := range s.rec.steps {
		_, build := p.sink.(*joinBuild)
		changing[p.sink] = changing[p.sink] || !p.once || build
	}
	var once, again []*pipeline
	for _, p := range s.rec.steps {
		if !changing[p.sink] {
			once = append(once, p)
		} else {
			again = append(again, p)
		}
	}
	if err := s.r.runAgain(once, s.rec); err != nil {
		return err
	}
	mark := s.r.accountMark()
	for n := int64(0); len(s.last) > 0; n++ {
		if n >= s.rec.n.MaxSteps {
			return sqlerr.New(sqlerr.Resource, "the recursive query %s has not ended after %d steps; raise cte_max_recursion_depth if it is meant to go on", s.rec.n.Self.Name, n)
		}
		s.r.release(mark, s.stores())
		mark = s.r.accountMark()
		if err := s.r.runAgain(again, s.rec); err != nil {
			return err
		}
		if err := s.take(); err != nil {
			return err
		}
	}
	return nil
}

// stores are the accounts of the rows that stay.
func (s *recursion) stores() map[*cache.Account]bool {
	out := map[*cache.Account]bool{}
	for _, l := range s.locals {
		out[l.store.charge.soft], out[l.store.charge.reserve] = true, true
	}
	return out
}

// accountMark is the number of accounts so far.
func (r *run) accountMark() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.accounts)
}

// release closes the accounts made since mark except for those to be kept: what they were charged for is replaced by the next step.
func (r *run) release(mark int, keep map[*cache.Account]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.accounts[:mark]
	for _, a := range r.accounts[mark:] {
		if keep[a] {
			left = append(left, a)
			continue
		}
		a.Close()
	}
	r.accounts = left
}

// runAgain runs pipelines as if for the first time. The sink that they belong to is left alone.
func (r *run) runAgain(list []*pipeline, own sink) error {
	for _, p := range list {
		for _, op := range p.ops {
			delete(r.operators, op)
		}
		if p.sink != own {
			if st, ok := r.sinks[p.sink].(releaser); ok {
				st.release()
			}
			delete(r.sinks, p.sink)
			r.pending[p.sink] = 0
		}
	}
	for _, p := range list {
		if p.sink != own {
			r.pending[p.sink]++
		}
	}
	for _, p := range list {
		if err := r.execute(p); err != nil {
			return err
		}
		if p.sink == own {
			continue
		}
		if err := r.finalize(p.sink); err != nil {
			return err
		}
	}
	return nil
}

// take moves what the workers have stored to last, without rows that came before where equal rows are dropped.
func (s *recursion) take() error {
	stores := make([]*rowStore, len(s.locals))
	for i, l := range s.locals {
		stores[i] = l.store
	}
	s.last, _ = gatherStores(stores)
	if s.rec.layout != nil {
		if err := s.dropSeen(); err != nil {
			return err
		}
	}
	s.all = append(s.all, s.last...)
	return nil
}

func (s *recursion) dropSeen() error {
	if s.seen == nil {
		s.seen = newTable(s.rec.layout)
	}
	var fresh []storedBatch
	var ids []uint32
	for _, b := range s.last {
		if err := s.r.check(); err != nil {
			return err
		}
		if err := s.rec.layout.fill(&s.keys, b.cols, b.n, false); err != nil {
			return err
		}
		s.keys.settle()
		before := s.seen.count
		ids = sized(ids, b.n)
		if err := s.seen.assign(&s.keys, nil, ids); err != nil {
			return err
		}
		met := make([]bool, s.seen.count-before)
		var sel vec.Sel
		for i, id := range ids {
			if n := int(id) - before; n >= 0 && !met[n] {
				met[n] = true
				sel = append(sel, uint16(i))
			}
		}
		if len(sel) > 0 {
			g := vec.NewBatch(b.n, b.cols...).Gather(sel)
			fresh = append(fresh, storedBatch{seq: b.seq, n: g.Len, cols: g.Cols})
		}
	}
	s.last = fresh
	return s.account.Resize(s.seen.SizeBytes())
}

// batchesOf are the given stored batches as morsels.
func batchesOf(list []storedBatch, limit int) *batchList {
	out := &batchList{}
	for _, b := range list {
		out.groups = append(out.groups, cut(vec.NewBatch(b.n, slices.Clone(b.cols)...), limit))
	}
	return out
}

// recursiveSource reads all rows of a recursion.
type recursiveSource struct {
	label
	rec *recursive
}

func (s *recursiveSource) open(r *run) (sourceState, error) {
	return batchesOf(r.sinks[s.rec].(*recursion).all, r.env.batchRows()), nil
}

// workingSource reads the rows of the last step.
type workingSource struct {
	label
	rec *recursive
}

func (s *workingSource) open(r *run) (sourceState, error) {
	return batchesOf(r.sinks[s.rec].(*recursion).last, r.env.batchRows()), nil
}
