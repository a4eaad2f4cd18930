package vexec

import (
	"context"
	"sync"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// Query is a plan made executable. It may be run again once a run has ended, but not twice at once.
type Query struct {
	env       *Env
	pipelines []*pipeline
	out       *output
	last      *run
	// lastUse is the last pipeline that reads what a sink has collected.
	lastUse  map[sink]int
	progress *progress
}

// Build makes the pipelines of a plan. Errors are those of things that cannot be run, of kind Unsupported.
func Build(n plan.Node, env *Env) (*Query, error) {
	q := &Query{env: env, out: &output{label{"output", nil}}}
	b := &builder{env: env, filters: map[plan.Node][]filterSite{}, several: severalTimes(n)}
	heads, err := b.build(n)
	if err != nil {
		return nil, err
	}
	b.end(heads, q.out, true)
	q.pipelines = b.pipelines
	q.lastUse = lastUses(q.pipelines)
	q.progress = newProgress(q.pipelines)
	return q, nil
}

// Run executes the query and hands the result to emit, batch by batch in order; emit is called by one goroutine at a time and may
// block to slow the query down, but must come back when ctx ends. The first error, of emit too, ends the query and is returned;
// no goroutine and no memory charge is left behind.
func (q *Query) Run(ctx context.Context, emit func(*vec.Batch) error) error {
	r := newRun(ctx, q, emit)
	q.last = r
	defer r.close()
	err := r.guard(func(int) error {
		for i, p := range q.pipelines {
			if err := r.execute(p); err != nil {
				return err
			}
			if err := r.finalize(p.sink); err != nil {
				return err
			}
			r.releaseAfter(i)
		}
		return nil
	}, 0)
	if err != nil {
		r.fail(err)
		r.effects = Effects{}
		return cause(r.ctx)
	}
	return nil
}

// run is the state of one execution of a Query.
type run struct {
	q    *Query
	env  *Env
	emit func(*vec.Batch) error
	// budget is the query's; a private one without limit if there is none.
	budget *cache.Budget

	ctx    context.Context
	cancel context.CancelCauseFunc
	seq    int64 // seq of the next pipeline's first morsel

	// These change only between pipelines.
	operators map[operator]operatorState
	sinks     map[sink]sinkState
	pending   map[sink]int // pipelines into a sink that have not ended
	effects   Effects
	ends      []func()

	mu       sync.Mutex // guards what follows
	stats    map[any]*opStat
	accounts []*cache.Account
	files    map[*spillFile]struct{}
	memory   runMemory
}

func newRun(ctx context.Context, q *Query, emit func(*vec.Batch) error) *run {
	r := &run{
		q: q, env: q.env, emit: emit, budget: q.env.Budget,
		operators: map[operator]operatorState{}, sinks: map[sink]sinkState{}, pending: map[sink]int{}, stats: map[any]*opStat{},
		files: map[*spillFile]struct{}{},
	}
	if r.budget == nil {
		r.budget = cache.NewBudget("query", 0)
	}
	for _, p := range q.pipelines {
		r.pending[p.sink]++
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.memory.open(r)
	return r
}

// close gives back what the run holds. All workers have ended.
func (r *run) close() {
	r.cancel(nil)
	for _, a := range r.accounts {
		a.Close()
	}
	r.accounts = nil
	r.memory.soft.Close()
	for f := range r.files {
		f.close()
	}
	r.files = nil
	for _, f := range r.ends {
		f()
	}
	r.ends, r.operators, r.sinks = nil, nil, nil
}

// atEnd calls f when the run ends, well or not. It is called between pipelines.
func (r *run) atEnd(f func()) { r.ends = append(r.ends, f) }

// account makes a memory account that lives as long as the run and belongs to the caller.
func (r *run) account() *cache.Account {
	a := r.budget.Account()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accounts = append(r.accounts, &a)
	return &a
}

// openStates opens what the workers of p share, unless an earlier pipeline has. It is called before they start.
func (r *run) openStates(p *pipeline) error {
	for _, op := range p.ops {
		if r.operators[op] != nil {
			continue
		}
		st, err := op.open(r)
		if err != nil {
			return err
		}
		r.operators[op] = st
	}
	if r.sinks[p.sink] != nil {
		return nil
	}
	st, err := p.sink.open(r)
	if err != nil {
		return err
	}
	r.sinks[p.sink] = st
	return nil
}

// finalize ends a sink after the last pipeline into it.
func (r *run) finalize(s sink) error {
	if r.pending[s]--; r.pending[s] > 0 {
		return nil
	}
	return r.timed(s, func() error { return r.sinks[s].finalize(r.ctx) })
}
