package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/opt"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
)

// Query is a running or ended statement as SHOW PROCESSLIST, system.queries and system.query_log show it.
type Query struct {
	ID       int64
	User     string
	Database string
	// Text is the statement, cut; passwords are blanked.
	Text    string
	Started time.Time

	sess    *state
	ended   atomic.Int64 // nanoseconds after Started plus one; 0 while it runs
	rows    atomic.Int64 // of the result
	written atomic.Int64
	peak    atomic.Int64
	failed  atomic.Pointer[error]
	cancel  context.CancelCauseFunc

	// What it runs on at present: nil before it has a slot, and for statements that need none.
	running atomic.Pointer[execution]
	// plain says that the statement needs no slot.
	plain atomic.Bool
	// read is what the executions that have ended have read.
	mu   sync.Mutex
	read vexec.Progress
}

// execution is a plan that runs for a statement.
type execution struct {
	slot   *slot
	query  *vexec.Query
	budget *cache.Budget
}

// run notes what the statement runs on; nil at the end of that.
func (q *Query) run(x *execution) {
	old := q.running.Swap(x)
	if old == nil || old.query == nil {
		return
	}
	p := old.query.Progress()
	q.peak.Store(max(q.peak.Load(), old.budget.Peak()))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.read.RowsDone += p.RowsDone
	q.read.BytesDone += p.BytesDone
	q.read.RowsTotal += p.RowsTotal
	q.read.BytesTotal += p.BytesTotal
}

// Progress is what the statement has read so far, and is known to have to read.
func (q *Query) Progress() vexec.Progress {
	q.mu.Lock()
	p := q.read
	q.mu.Unlock()
	if x := q.running.Load(); x != nil && x.query != nil {
		now := x.query.Progress()
		p.RowsDone += now.RowsDone
		p.BytesDone += now.BytesDone
		p.RowsTotal += now.RowsTotal
		p.BytesTotal += now.BytesTotal
		p.Files = p.Files || now.Files
	}
	return p
}

// memory returns the bytes charged to the statement now.
func (q *Query) memory() int64 {
	if x := q.running.Load(); x != nil && x.budget != nil {
		return x.budget.Used()
	}
	return 0
}

// Elapsed is the time that the statement has taken so far.
func (q *Query) Elapsed() time.Duration {
	if e := q.ended.Load(); e > 0 {
		return time.Duration(e - 1)
	}
	return time.Since(q.Started)
}

// State is queued, running, waiting (the result waits for its reader), finished, canceled or failed.
func (q *Query) State() string {
	if q.ended.Load() > 0 {
		switch err := q.failed.Load(); {
		case err == nil:
			return "finished"
		case sqlerr.KindOf(*err) == sqlerr.Canceled:
			return "canceled"
		}
		return "failed"
	}
	switch x := q.running.Load(); {
	case q.plain.Load():
		return "running"
	case x == nil:
		return "queued"
	case x.slot.holds():
		return "running"
	}
	return "waiting"
}

// maxQueryText cuts the statements that are remembered; maxRecent is how many ended ones at least are, twice as many at most.
const (
	maxQueryText = 2000
	maxRecent    = 1000
)

type queryKey struct{}

// begin registers a statement, unless ctx belongs to one already, whose part this is. end must be called at its end.
func (s *Session) begin(ctx context.Context, textOf string, cancel context.CancelCauseFunc) (q *Query, end func(error)) {
	if q, ok := ctx.Value(queryKey{}).(*Query); ok {
		return q, func(error) { q.run(nil) }
	}
	q = s.register(textOf, cancel)
	return q, func(err error) { s.engine.end(q, err) }
}

// register puts a statement on the list of those that run.
func (s *Session) register(textOf string, cancel context.CancelCauseFunc) *Query {
	if len(textOf) > maxQueryText {
		textOf = strings.ToValidUTF8(textOf[:maxQueryText], "") + "…"
	}
	e := s.engine
	q := &Query{ID: e.lastID.Add(1), User: s.user, Database: s.Database(), Text: textOf, Started: time.Now(), cancel: cancel, sess: s.state}
	e.mu.Lock()
	e.running[q.ID] = q
	e.mu.Unlock()
	return q
}

// end takes a statement off the list of running ones.
func (e *Engine) end(q *Query, err error) {
	q.run(nil)
	if err != nil {
		q.failed.Store(&err)
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

// Running lists the statements that run, the oldest first.
func (e *Engine) Running() []*Query {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]*Query, 0, len(e.running))
	for _, q := range e.running {
		out = append(out, q)
	}
	slices.SortFunc(out, func(a, b *Query) int { return cmp.Compare(a.ID, b.ID) })
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
	q, end := s.begin(ctx, textOf, cancel)
	fail := func(err error) (*Result, error) {
		release()
		end(err)
		cancel(nil)
		return nil, err
	}
	// The query outlives the call, but not while it waits for its turn.
	stop := context.AfterFunc(ctx, func() { cancel(canceled(ctx)) })
	sl, err := s.engine.slots.take(run)
	stop()
	if err != nil {
		return fail(err)
	}
	budget := s.queryBudget()
	st := newStream(run, func() { cancel(sqlerr.New(sqlerr.Canceled, "the result was closed by its reader")) }, sl, func() {
		budget.Close()
		release()
	})
	vq, err := vexec.Build(b.plan, c.execEnv(run, budget, nil))
	if err != nil {
		sl.release()
		budget.Close()
		return fail(err)
	}
	q.run(&execution{sl, vq, budget})
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
		end(err)
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
