package session

import (
	"context"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
)

// ExecuteMany executes an INSERT once per set of values and commits all rows together, or none. Atomic tells which statements it takes.
func (p *Prepared) ExecuteMany(ctx context.Context, sets [][]*vec.Vector) (r *Result, err error) {
	defer func() { recovered(recover(), &err) }()
	st, ok := p.stmt.(*parse.Insert)
	if !ok || st.Overwrite {
		return nil, sqlerr.New(sqlerr.Unsupported, "only INSERT takes many sets of values at once")
	}
	v, err := p.sess.writing(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Release()
	var t *catalog.Table
	rows := &rowGatherer{}
	for i, values := range sets {
		if len(values) != len(p.Params) {
			return nil, sqlerr.New(sqlerr.Bind, "the statement has %d parameters, set %d has %d values", len(p.Params), i+1, len(values))
		}
		c := p.sess.newCall(v, values)
		ch, err := c.bindChange(st)
		if err == nil {
			t = ch.Table
			err = rows.add(ctx, c, ch.Plan.(*plan.Write).Input)
		}
		if err != nil {
			return nil, sqlerr.Wrap(sqlerr.KindOf(err), err, "set %d of %d", i+1, len(sets))
		}
	}
	if t == nil {
		return &Result{}, nil
	}
	rows.seal()
	c := p.sess.newCall(v, nil)
	return c.write(ctx, st.SourceText(), writeJob{plan: &plan.Write{Input: &plan.Stream{Next: rows.next, Out: rows.schema}, Table: t}, table: t})
}

// Atomic tells whether ExecuteMany takes the statement.
func (p *Prepared) Atomic() bool {
	st, ok := p.stmt.(*parse.Insert)
	return ok && !st.Overwrite
}

// rowGatherer collects the rows of many small plans with the same schema in batches of the usual size.
type rowGatherer struct {
	schema types.Schema
	small  []*vec.Batch
	rows   int
	full   []*vec.Batch
}

func (g *rowGatherer) add(ctx context.Context, c *call, n plan.Node) error {
	g.schema = n.Schema()
	budget := c.s.queryBudget()
	defer budget.Close()
	env := c.execEnv(ctx, budget, nil)
	env.Workers = 1
	n, _ = c.optimize(n, false)
	q, err := vexec.Build(n, env)
	if err != nil {
		return err
	}
	return q.Run(ctx, func(b *vec.Batch) error {
		g.small = append(g.small, b)
		if g.rows += b.Len; g.rows >= vec.Size {
			g.seal()
		}
		return nil
	})
}

// seal joins the small batches.
func (g *rowGatherer) seal() {
	if g.rows == 0 {
		return
	}
	out := &vec.Batch{Len: g.rows}
	for i := range g.schema {
		parts := make([]*vec.Vector, len(g.small))
		for j, b := range g.small {
			parts[j] = b.Cols[i]
			if parts[j].Type.IsVariant() {
				parts[j] = variant.Flatten(parts[j])
			}
		}
		out.Cols = append(out.Cols, vec.Concat(g.schema[i].Type, parts...))
	}
	g.full = append(g.full, out)
	g.small, g.rows = nil, 0
}

// next hands out the batches; nil at the end.
func (g *rowGatherer) next() (*vec.Batch, error) {
	if len(g.full) == 0 {
		return nil, nil
	}
	b := g.full[0]
	g.full = g.full[1:]
	return b, nil
}
