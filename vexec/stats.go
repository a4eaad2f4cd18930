package vexec

import (
	"sync/atomic"
	"time"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// OpStats is what EXPLAIN ANALYZE knows of one physical operator. A breaker has two: its sink and its source.
type OpStats struct {
	Name string
	// Node is the plan node that the operator was built for, nil for auxiliary ones.
	Node plan.Node
	// Rows and Batches count what came out of a source or operator, or what went into a sink.
	Rows, Batches int64
	// Time is spent in the operator itself, summed over all workers.
	Time time.Duration
	// Spilled is how many bytes were written to disk for lack of memory.
	Spilled int64
	// Detail is a short text that some operators add, such as the pages read and skipped; "" for none.
	Detail string
}

// Stats returns the figures of the last run, in the order of execution. Figures of a run that failed are incomplete.
func (q *Query) Stats() []OpStats {
	if q.last == nil {
		return nil
	}
	var out []OpStats
	seen := map[any]bool{}
	add := func(op, next any) {
		if _, other := op.(countsAs); seen[op] || other || q.last.idle(op) {
			return
		}
		seen[op] = true
		s := OpStats{Name: op.(named).name(), Node: op.(named).node()}
		st := q.last.stats[op]
		if st == nil {
			out = append(out, s)
			return
		}
		s.Time, s.Spilled, s.Detail = time.Duration(st.nanos.Load()), st.spilled.Load(), st.detail
		in := st
		if next != nil {
			if in = q.last.stats[next]; in == nil {
				in = &opStat{}
			}
			if _, isSource := op.(source); !isSource {
				s.Time = max(s.Time-time.Duration(in.nanos.Load()), 0)
			}
		}
		s.Rows, s.Batches = in.rows.Load(), in.batches.Load()
		if _, isSource := op.(source); isSource {
			s.Rows, s.Batches = st.rows.Load(), st.batches.Load()
		}
		out = append(out, s)
	}
	for _, p := range q.pipelines {
		chain := append([]any{p.src}, anys(p.ops)...)
		chain = append(chain, p.sink)
		for i, op := range chain {
			var next any
			if i+1 < len(chain) {
				next = chain[i+1]
			}
			add(op, next)
		}
	}
	return out
}

// countsAs is implemented by operators whose figures are those of another one.
type countsAs interface{ countsAs() any }

// idle tells whether op is a source for rows on disk and there were none.
func (r *run) idle(op any) bool {
	_, spilled := op.(*joinSpilled)
	st := r.stats[op]
	return spilled && (st == nil || st.batches.Load() == 0)
}

func anys(ops []operator) []any {
	out := make([]any, len(ops))
	for i, op := range ops {
		out[i] = op
	}
	return out
}

// opStat counts what an operator is given (what a source gives), and the time until it comes back.
type opStat struct {
	rows, batches, nanos, spilled atomic.Int64
	detail                        string // set at the end of the run
}

func (s *opStat) add(b *vec.Batch, d time.Duration) {
	if b != nil {
		s.rows.Add(int64(b.Len))
		s.batches.Add(1)
	}
	s.nanos.Add(int64(d))
}

// statOf returns the counters of a source, operator or sink.
func (r *run) statOf(op any) *opStat {
	if c, ok := op.(countsAs); ok {
		op = c.countsAs()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats[op]
	if s == nil {
		s = &opStat{}
		r.stats[op] = s
	}
	return s
}

// meter counts what is pushed into s, a step of op.
func (r *run) meter(op any, s step) step { return &metered{s, r.statOf(op)} }

// timed counts the time of f to op.
func (r *run) timed(op any, f func() error) error {
	start := time.Now()
	err := f()
	r.statOf(op).add(nil, time.Since(start))
	return err
}

type metered struct {
	step
	stat *opStat
}

func (m *metered) push(b *vec.Batch) (status, error) {
	start := time.Now()
	st, err := m.step.push(b)
	m.stat.add(b, time.Since(start))
	return st, err
}

func (m *metered) finish() error {
	start := time.Now()
	err := m.step.finish()
	m.stat.add(nil, time.Since(start))
	return err
}
