package session

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/opt"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
)

// Query is a running or ended statement as SHOW PROCESSLIST and system.queries show it.
type Query struct {
	ID       int64
	User     string
	Database string
	// Text is the statement, cut; passwords are blanked.
	Text    string
	Started time.Time

	ended  atomic.Int64 // nanoseconds after Started plus one; 0 while it runs
	rows   atomic.Int64
	peak   atomic.Int64
	failed atomic.Pointer[string]
	cancel context.CancelCauseFunc
}

// Elapsed is the time that the statement has taken so far.
func (q *Query) Elapsed() time.Duration {
	if e := q.ended.Load(); e > 0 {
		return time.Duration(e - 1)
	}
	return time.Since(q.Started)
}

// State is running, finished or failed.
func (q *Query) State() string {
	switch {
	case q.ended.Load() == 0:
		return "running"
	case q.failed.Load() != nil:
		return "failed"
	}
	return "finished"
}

// maxQueryText cuts the statements that are remembered; maxRecent is how many ended ones are.
const (
	maxQueryText = 2000
	maxRecent    = 1000
)

// begin registers a statement.
func (s *Session) begin(textOf string, cancel context.CancelCauseFunc) *Query {
	if len(textOf) > maxQueryText {
		textOf = strings.ToValidUTF8(textOf[:maxQueryText], "") + "…"
	}
	e := s.engine
	q := &Query{ID: e.lastID.Add(1), User: s.user, Database: s.Database(), Text: textOf, Started: time.Now(), cancel: cancel}
	e.mu.Lock()
	e.running[q.ID] = q
	e.mu.Unlock()
	return q
}

// end takes a statement off the list of running ones.
func (e *Engine) end(q *Query, err error) {
	if err != nil {
		msg := err.Error()
		q.failed.Store(&msg)
	}
	q.ended.Store(int64(time.Since(q.Started)) + 1)
	e.counts.note(q, err)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.running, q.ID)
	e.recent = append(e.recent, q)
	if len(e.recent) > 2*maxRecent {
		e.recent = append([]*Query(nil), e.recent[maxRecent:]...)
	}
}

// Running lists the statements that run.
func (e *Engine) Running() []*Query {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]*Query, 0, len(e.running))
	for _, q := range e.running {
		out = append(out, q)
	}
	return out
}

// Cancel ends a running statement. It reports whether there was one.
func (e *Engine) Cancel(id int64) bool {
	e.mu.Lock()
	q := e.running[id]
	e.mu.Unlock()
	if q == nil {
		return false
	}
	q.cancel(sqlerr.New(sqlerr.Canceled, "the statement was killed"))
	return true
}

// ErrTimeout is the cause of the error of a statement that query_timeout has ended.
var ErrTimeout = errors.New("query_timeout is over")

// detach makes the context of a query that outlives the call which started it; query_timeout ends it.
func (s *Session) detach(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	if sec := s.intVar("query_timeout"); sec > 0 {
		t := time.AfterFunc(time.Duration(sec)*time.Second, func() {
			cancel(sqlerr.Wrap(sqlerr.Canceled, ErrTimeout, "the statement ran longer than %d seconds", sec))
		})
		context.AfterFunc(run, func() { t.Stop() })
	}
	return run, cancel
}

// bound is a query that is ready to run: an optimized plan with what its output needs.
type bound struct {
	*bind.Result
	plan    plan.Node
	ordered bool
}

// bindQuery binds and optimizes a query.
func (c *call) bindQuery(q *parse.Query) (*bound, error) {
	r, err := bind.Query(c.env, q)
	if err != nil {
		return nil, err
	}
	if err := c.checkOutput(r); err != nil {
		return nil, err
	}
	b := &bound{Result: r, ordered: len(q.OrderBy) > 0}
	b.plan, _ = c.optimize(r.Plan, false)
	return b, nil
}

// optimize makes a plan ready to run and rewrites it; with trace it also tells what each rule did.
func (c *call) optimize(n plan.Node, trace bool) (plan.Node, []opt.Step) {
	o := opt.Options{Ctx: c.fn, Trace: trace}
	for _, name := range strings.Split(c.s.Var("disabled_optimizer_rules"), ",") {
		name = strings.TrimSpace(name)
		if name == "all" {
			for _, r := range opt.Rules {
				o.Off = append(o.Off, r.Name)
			}
		} else if name != "" {
			o.Off = append(o.Off, name)
		}
	}
	return opt.Optimize(c.withPathTypes(n), o)
}

// start runs a query in the background; its result is read from the stream. release ends the hold on the call's Snapshot.
func (c *call) start(ctx context.Context, textOf string, b *bound, release func()) (*Result, error) {
	s := c.s
	run, cancel := s.detach(ctx)
	q := s.begin(textOf, cancel)
	fail := func(err error) (*Result, error) {
		release()
		s.engine.end(q, err)
		cancel(nil)
		return nil, err
	}
	sl, err := s.engine.slots.take(ctx)
	if err != nil {
		return fail(err)
	}
	budget := s.queryBudget()
	st := newStream(func() { cancel(sqlerr.New(sqlerr.Canceled, "the result was closed by its reader")) }, sl, func() {
		budget.Close()
		release()
	})
	vq, err := vexec.Build(b.plan, c.execEnv(run, budget, nil))
	if err != nil {
		sl.release()
		budget.Close()
		return fail(err)
	}
	out := newPrinter(c.fn, b.Schema, b.Whole, c.form)
	go func() {
		err := vq.Run(run, func(batch *vec.Batch) error {
			q.rows.Add(int64(batch.Len))
			printed, err := out.print(batch)
			if err != nil {
				return err
			}
			return st.put(run, printed)
		})
		q.peak.Store(budget.Peak())
		s.engine.end(q, err)
		st.finish(err)
	}()
	return &Result{Schema: b.Schema, Ordered: b.ordered, stream: st}, nil
}

// runQuery executes SELECT.
func (c *call) runQuery(ctx context.Context, textOf string, q *parse.Query, release func()) (*Result, error) {
	b, err := c.bindQuery(q)
	if err != nil {
		release()
		return nil, err
	}
	return c.start(ctx, textOf, b, release)
}

// checkOutput refuses result columns that have no form on the wire.
func (c *call) checkOutput(r *bind.Result) error {
	for _, f := range r.Schema {
		if f.Type.Kind == types.Struct && len(f.Type.Fields) == 0 {
			return sqlerr.New(sqlerr.Unsupported, "column %s is a STRUCT without members", f.Name)
		}
	}
	return nil
}
