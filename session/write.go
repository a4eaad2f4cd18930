package session

import (
	"context"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/store"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
)

// changeRows executes INSERT, DELETE, UPDATE or MERGE.
func (c *call) changeRows(ctx context.Context, st parse.Statement) (*Result, error) {
	ch, err := c.bindChange(st)
	if err != nil {
		return nil, err
	}
	job := writeJob{plan: ch.Plan, table: ch.Table}
	if in, ok := st.(*parse.Insert); ok && in.Overwrite {
		// The new rows take the place of those that the statement has seen.
		job.first = []catalog.Op{&catalog.Truncate{Table: ch.Table.ID}}
		base := c.view.base()
		job.check = func(cur *catalog.Snapshot) error { return catalog.SameRows(ch.Table.ID, base, cur) }
	}
	return c.write(ctx, st.SourceText(), job)
}

// writeJob is a plan that writes to a table, and what is committed with its rows.
type writeJob struct {
	plan  plan.Node
	table *catalog.Table
	// first are operations that come before the rows.
	first []catalog.Op
	check store.Check
}

// createTableAs executes CREATE TABLE AS: the query runs first, then table and rows are committed together.
func (s *Session) createTableAs(ctx context.Context, st *parse.CreateTable, t *catalog.Table) (*Result, error) {
	v, err := s.writing(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Release()
	c := s.newCall(v, nil)
	r, err := bind.Query(c.env, st.As)
	if err != nil {
		return nil, err
	}
	cols, err := bind.ResultColumns(r.Schema, st.Columns, st.Pos())
	if err != nil {
		return nil, err
	}
	t.Columns, t.NextColumn = nil, 1
	for _, col := range cols {
		id := parse.Ident{Place: st.As.Place, Name: col.Name, Quoted: true}
		if err := checkName("column", id); err != nil {
			return nil, err
		}
		if err := addColumn(t, col, id); err != nil {
			return nil, err
		}
	}
	if err := s.tableClauses(t, st, true); err != nil {
		return nil, err
	}
	n, err := bind.Rows(c.env, r.Plan, t, nil)
	if err != nil {
		return nil, err
	}
	create, err := s.createOps(c.snap, st, t)
	if err != nil || create == nil {
		return &Result{}, err
	}
	return c.write(ctx, st.SourceText(), writeJob{plan: n, table: t, first: create.Ops})
}

// write runs a Write or Delete plan to its end and commits its effects.
func (c *call) write(ctx context.Context, textOf string, job writeJob) (*Result, error) {
	w, err := c.run(ctx, textOf, job.plan)
	if err != nil {
		return nil, err
	}
	defer w.lease.End()
	e := &catalog.Edit{Ops: job.first}
	e.Add(w.ops(job.table)...)
	if len(e.Ops) > 0 {
		if err := c.view.commit(ctx, e, job.check, w.lease); err != nil {
			return nil, err
		}
	}
	c.s.engine.counts.rowsWritten.Add(w.effects.WrittenRows)
	r := &Result{Affected: max(w.effects.WrittenRows, w.effects.DeletedRows+w.effects.AddedRows)}
	r.noteRemoved(w.effects.Losses)
	return r, nil
}

// written is what a finished Write or Delete plan leaves to be committed. The lease must be ended after the commit.
type written struct {
	lease   *store.Lease
	effects vexec.Effects
	store   *store.Store
}

// run executes a plan without result rows while its caller waits.
func (c *call) run(ctx context.Context, textOf string, n plan.Node) (*written, error) {
	return c.runTo(ctx, textOf, n, func(*vec.Batch) error { return nil })
}

// runTo is run for a plan whose rows go to sink.
func (c *call) runTo(ctx context.Context, textOf string, n plan.Node, sink func(*vec.Batch) error) (w *written, err error) {
	s := c.s
	n, _ = c.optimize(n, false)
	run, cancel := s.detach(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() { cancel(canceled(ctx)) })
	defer stop()
	q, end := s.begin(ctx, textOf, cancel)
	defer func() { end(err) }()
	sl, err := s.engine.slots.take(run)
	if err != nil {
		return nil, err
	}
	defer sl.release()
	budget := s.queryBudget()
	defer budget.Close()
	w = &written{lease: s.engine.store.Lease(), store: s.engine.store}
	vq, err := vexec.Build(n, c.execEnv(run, budget, w.lease))
	if err == nil {
		q.run(&execution{sl, vq, budget})
		err = vq.Run(run, sink)
	}
	if err != nil {
		w.lease.End()
		return nil, err
	}
	w.effects = vq.Effects()
	q.written.Add(max(w.effects.WrittenRows, w.effects.DeletedRows+w.effects.AddedRows))
	return w, nil
}

// ops turns the effects into operations on a table.
func (w *written) ops(t *catalog.Table) []catalog.Op {
	var ops []catalog.Op
	if len(w.effects.Segments) > 0 {
		ops = append(ops, &catalog.AddSegments{Table: t.ID, Segments: w.effects.Segments})
	}
	var ids []catalog.ColumnID
	for _, c := range t.Columns {
		ids = append(ids, c.ID)
	}
	for _, b := range w.effects.Batches {
		id := segment.ID(w.store.NewID())
		ops = append(ops, &catalog.AddBatch{Table: t.ID, Batch: &catalog.Batch{ID: id, Columns: ids, Data: b}})
	}
	for id, rows := range w.effects.Deleted {
		ops = append(ops, &catalog.DeleteRows{Table: t.ID, Target: id, Rows: catalog.NewDeletionVector(rows...)})
	}
	return ops
}

// queryBudget makes the budget of one query.
func (s *Session) queryBudget() *cache.Budget {
	m := s.engine.memory
	limit := int64(s.intVar("max_query_memory"))
	if limit == 0 {
		limit = m.QueryLimit()
	}
	return m.Queries.Child("the query", limit)
}

// execEnv is what a query may use that is to stop when ctx ends. lease covers the segments that it writes; nil for queries that write none.
func (c *call) execEnv(ctx context.Context, budget *cache.Budget, lease *store.Lease) *vexec.Env {
	c.running = ctx
	s := c.s
	e := s.engine
	workers := s.intVar("max_threads")
	if workers == 0 {
		workers = e.cfg.Threads
	}
	return &vexec.Env{
		Fn: c.fn, Workers: workers, BatchRows: s.intVar("batch_rows"), Budget: budget,
		OpenSegment: func(_ *catalog.Table, m *segment.Meta) (*segment.Reader, error) { return e.openSegment(m) },
		NewSegment:  func(t *catalog.Table) (*segment.Writer, error) { return e.newSegment(lease, t) },
		OpenStage:   e.openStage,
		Spill:       e.spill,
		Options:     vexec.Options{NoPruning: s.Var("enable_pruning") == "false", DeltaRows: e.cfg.DeltaRows, ForceSpill: s.Var("force_spill") == "true"},
	}
}
