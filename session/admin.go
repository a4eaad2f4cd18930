package session

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
)

func (s *Session) unset(st *parse.Unset) (*Result, error) {
	for _, id := range st.Names {
		if st.Scope == parse.ScopeGlobal {
			return nil, sqlerr.At(sqlerr.Unsupported, id.Pos(), "UNSET GLOBAL is not supported; SET GLOBAL %s = the value you want", id.Name)
		}
		d, err := findSetting(id.Name)
		if err != nil {
			return nil, sqlerr.WithPlace(err, id.Pos())
		}
		s.mu.Lock()
		delete(s.vars, d.name)
		s.mu.Unlock()
	}
	return &Result{}, nil
}

func (s *Session) compact(ctx context.Context, st *parse.Compact) (*Result, error) {
	t, err := s.table(s.snapshot(), st.Table)
	if err != nil {
		return nil, err
	}
	return &Result{}, s.engine.store.Compact(ctx, t.ID)
}

func (s *Session) kill(st *parse.Kill) (*Result, error) {
	id, err := strconv.ParseInt(st.ID, 10, 64)
	if err != nil {
		return nil, sqlerr.At(sqlerr.Bind, st.Pos(), "KILL takes the number of a statement, see SHOW PROCESSLIST")
	}
	if !s.engine.Cancel(id) {
		return nil, sqlerr.At(sqlerr.NotFound, st.Pos(), "no statement %d is running", id)
	}
	return &Result{}, nil
}

func (s *Session) describeStatement(_ context.Context, st *parse.Describe) (*Result, error) {
	snap := s.snapshot()
	switch st.Kind {
	case parse.DescribeTable:
		if len(st.Partitions) > 0 {
			return nil, sqlerr.At(sqlerr.Unsupported, st.Partitions[0].Pos(), "tables have no partitions")
		}
		return s.describeTable(snap, st.Name, func(string) bool { return true })
	case parse.DescribeStage:
		return s.describeStage(snap, st.Name)
	case parse.DescribeQuery:
		r, err := bind.Query(s.newCall(s.present(), nil).env, st.Query)
		if err != nil {
			return nil, err
		}
		out := newRows(describeSchema...)
		for _, f := range r.Schema {
			out.add(f.Name, f.Type.String(), yesNo(!f.NotNull), "NULL", "")
		}
		return out.result(), nil
	}
	return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "DESC knows tables, stages and queries")
}

// explain prints the plan; with ANALYZE it also runs the statement and prints what each operator did.
func (s *Session) explain(ctx context.Context, st *parse.Explain) (*Result, error) {
	v, err := s.reading()
	if err != nil {
		return nil, err
	}
	defer v.Release()
	c := s.newCall(v, nil)
	n, err := c.planOf(st.Stmt)
	if err != nil {
		return nil, err
	}
	out := newRows(texts("plan")...)
	if st.Mode == parse.ExplainLogical {
		out.lines(plan.Format(n))
		return out.result(), nil
	}
	opted, steps := c.optimize(n, st.Mode == parse.ExplainVerbose)
	out.lines(plan.Format(opted))
	switch st.Mode {
	case parse.ExplainVerbose:
		for _, step := range steps {
			out.lines("\nafter " + step.Rule + ":\n" + step.Plan)
		}
	case parse.ExplainAnalyze:
		return c.analyze(ctx, st, opted, out)
	}
	return out.result(), nil
}

func (c *call) planOf(st parse.Statement) (plan.Node, error) {
	switch st := st.(type) {
	case *parse.QueryStmt:
		r, err := bind.Query(c.env, st.Query)
		if err != nil {
			return nil, err
		}
		return r.Plan, nil
	case *parse.Insert, *parse.Delete, *parse.Update, *parse.Merge:
		ch, err := c.bindChange(st)
		if err != nil {
			return nil, err
		}
		return ch.Plan, nil
	}
	return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "EXPLAIN knows queries, INSERT, DELETE, UPDATE and MERGE")
}

func (c *call) analyze(ctx context.Context, st *parse.Explain, n plan.Node, out *rowsBuilder) (_ *Result, err error) {
	if _, ok := st.Stmt.(*parse.QueryStmt); !ok {
		return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "EXPLAIN ANALYZE knows queries")
	}
	run, cancel := c.s.detach(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(canceled(ctx)) })()
	stat, end := c.s.begin(ctx, st.SourceText(), cancel)
	defer func() { end(err) }()
	sl, err := c.s.engine.slots.take(run)
	if err != nil {
		return nil, err
	}
	defer sl.release()
	budget := c.s.queryBudget()
	defer budget.Close()
	q, err := vexec.Build(n, c.execEnv(run, budget, nil))
	if err != nil {
		return nil, err
	}
	stat.run(&execution{sl, q, budget})
	rows := 0
	if err := q.Run(run, func(b *vec.Batch) error { rows += b.Len; return nil }); err != nil {
		return nil, err
	}
	out.add("")
	spilled := int64(0)
	for _, o := range q.Stats() {
		line := fmt.Sprintf("%-40s %12d rows %8d batches %12.3f ms", o.Name, o.Rows, o.Batches, float64(o.Time.Microseconds())/1000)
		if o.Spilled > 0 {
			line += fmt.Sprintf(" %12d bytes spilled", o.Spilled)
			spilled += o.Spilled
		}
		out.add(line)
	}
	out.add(fmt.Sprintf("result %d rows, peak memory %d bytes, %d bytes spilled", rows, budget.Peak(), spilled))
	return out.result(), nil
}

// lines adds a row per line of a text.
func (b *rowsBuilder) lines(text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		b.add(l)
	}
}
