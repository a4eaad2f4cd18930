package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// subquery is a sub-query of an expression, bound as far as WHERE if it is a SELECT block.
type subquery struct {
	b *binder
	q *parse.Query
	// sel and from are set for SELECT blocks.
	sel  *selectBinder
	from *relation
	// scope is that of the enclosing query.
	scope *scope
	done  func()
}

// subquery starts a sub-query. The caller must end it by finish or correlate; after an error the binder is not used any more.
func (s *scope) subquery(q *parse.Query) (*subquery, error) {
	x := &subquery{b: s.b, q: q, scope: s}
	for {
		inner, ok := q.Body.(*parse.Query)
		if !ok || q.With != nil || len(q.OrderBy) > 0 || q.Limit != nil || q.Offset != nil {
			break
		}
		q = inner
	}
	x.q = q
	block, ok := q.Body.(*parse.Select)
	if !ok {
		return x, nil
	}
	x.done = s.b.scopeCTEs()
	if err := s.b.with(q.With); err != nil {
		return nil, err
	}
	x.sel = &selectBinder{b: s.b, s: block, order: q.OrderBy, outer: s}
	if err := x.sel.start(); err != nil {
		return nil, err
	}
	x.from = x.sel.from
	return x, nil
}

func (x *subquery) correlated() bool { return x.sel != nil && len(x.sel.correlated) > 0 }

// finish binds the rest of a sub-query without correlation.
func (x *subquery) finish() (*relation, error) {
	if x.sel == nil {
		return x.b.query(x.q)
	}
	defer x.done()
	rel, err := x.sel.finish()
	if err != nil {
		return nil, err
	}
	return x.b.limit(rel, x.q)
}

// unsupported refuses clauses that a correlated sub-query cannot have.
func (x *subquery) unsupported(what string, pos int) error {
	return sqlerr.At(sqlerr.Unsupported, pos, "a correlated sub-query with %s is not supported", what)
}

// plainShape checks that the sub-query is FROM and WHERE only.
func (x *subquery) plainShape() error {
	s := x.sel.s
	switch {
	case s.GroupBy != nil:
		return x.unsupported("GROUP BY", s.GroupBy.Pos())
	case s.Having != nil:
		return x.unsupported("HAVING", s.Having.Pos())
	case x.q.Limit != nil:
		return x.unsupported("LIMIT", x.q.Limit.Pos())
	case x.q.Offset != nil:
		return x.unsupported("OFFSET", x.q.Offset.Pos())
	}
	return nil
}

// outputs binds the SELECT list of a correlated sub-query; aggs collects aggregates.
func (x *subquery) outputs(outerRefs bool) ([]item, error) {
	s := x.sel.scope("the SELECT list of a sub-query")
	s.outerRefs, s.aggs = outerRefs, &x.sel.aggs
	for i := range x.sel.s.Items {
		it := &x.sel.s.Items[i]
		if star, ok := it.Expr.(*parse.Star); ok {
			if err := x.sel.star(star); err != nil {
				return nil, err
			}
			continue
		}
		e, err := s.bind(it.Expr)
		if err != nil {
			return nil, err
		}
		x.sel.items = append(x.sel.items, x.sel.item(s, it, x.b.settle(e)))
	}
	return x.sel.items, nil
}

// plainOutputs returns the output columns of x IN (correlated query).
func (x *subquery) plainOutputs() ([]expr.Expr, error) {
	err := x.plainShape()
	if err != nil {
		return nil, err
	}
	items, err := x.outputs(false)
	if err == nil && len(x.sel.aggs.calls) > 0 {
		err = x.unsupported("aggregates in IN", x.sel.s.Pos())
	}
	if err != nil {
		return nil, err
	}
	out := make([]expr.Expr, len(items))
	for i, it := range items {
		out[i] = it.e
	}
	return out, nil
}

// existenceShape checks that EXISTS asks for nothing but rows of FROM and WHERE.
func (x *subquery) existenceShape() error {
	s := x.sel.s
	if s.Having != nil {
		return x.unsupported("HAVING", s.Having.Pos())
	}
	if x.q.Offset != nil {
		return x.unsupported("OFFSET", x.q.Offset.Pos())
	}
	if x.q.Limit != nil {
		if n, err := x.b.rowCount(x.q.Limit, "LIMIT", -1); err != nil || n == 0 {
			return x.unsupported("this LIMIT", x.q.Limit.Pos())
		}
	}
	if _, err := x.outputs(true); err != nil {
		return err
	}
	if len(x.sel.aggs.calls) > 0 && s.GroupBy == nil {
		return x.unsupported("aggregates in EXISTS", s.Pos())
	}
	return nil
}

// correlate turns the correlated conjuncts into join keys, where they are equalities, and into the join's condition. It ends the
// sub-query.
func (x *subquery) correlate(p *pending) error {
	defer x.done()
	conds := expr.Conjuncts(p.cond)
	for _, c := range x.sel.correlated {
		if l, r, ok := equality(c, hasOuter, hasInner); ok {
			p.leftKeys, p.rightKeys = append(p.leftKeys, x.b.fromOuter(l)), append(p.rightKeys, r)
			continue
		}
		conds = append(conds, x.b.fromOuter(plan.MapColumns(c, func(k *expr.Column) expr.Expr {
			if k.Index < outerBase {
				return plan.Moved(k, rightBase+k.Index)
			}
			return k
		})))
	}
	p.cond = expr.Join(conds)
	return nil
}

// fromOuter numbers columns of the enclosing query as that query does.
func (b *binder) fromOuter(e expr.Expr) expr.Expr {
	return plan.MapColumns(e, func(k *expr.Column) expr.Expr {
		if k.Index < outerBase || k.Index >= aggBase {
			return k
		}
		m := plan.Moved(k, k.Index-outerBase)
		b.places[m] = b.places[k]
		return m
	})
}

// equality splits l = r where one side uses only columns of the left kind and the other only of the right kind, and both sides can be
// hashed alike.
func equality(e expr.Expr, left, right func(expr.Expr) bool) (l, r expr.Expr, ok bool) {
	c, isCall := e.(*expr.Call)
	if !isCall || c.Fn.Name != "=" || len(c.Args) != 2 || !hashable(c.Args[0].Type(), c.Args[1].Type()) {
		return nil, nil, false
	}
	a, b := c.Args[0], c.Args[1]
	switch {
	case left(a) && !right(a) && right(b) && !left(b):
		return a, b, true
	case left(b) && !right(b) && right(a) && !left(a):
		return b, a, true
	}
	return nil, nil, false
}

// hashable tells whether equal values of two types have equal bytes, so that a hash join can compare them.
func hashable(a, b types.Type) bool {
	return a.Kind == b.Kind && a.Scale == b.Scale && a.Phys() == b.Phys() && !a.IsVariant()
}

// emptyCounts are the aggregates that give 0, not NULL, for no rows.
var emptyCounts = map[string]bool{"count": true, "count_if": true, "approx_count_distinct": true, "ndv": true}

// correlatedScalar prepares (SELECT expression FROM ... WHERE inner = outer): an aggregate becomes one row per key, joined on the keys;
// without aggregate there may be one matching row at most.
func (x *subquery) correlatedScalar(s *scope, pos int) (*pending, error) {
	if err := x.plainShape(); err != nil {
		return nil, err
	}
	items, err := x.outputs(true)
	if err != nil {
		return nil, err
	}
	p := &pending{kind: plan.Single, right: x.from.node}
	if err := x.correlate(p); err != nil {
		return nil, err
	}
	if len(items) != 1 {
		return nil, sqlerr.At(sqlerr.Bind, pos, "a sub-query used as a value must have one column, not %d", len(items))
	}
	calls := x.sel.aggs.calls
	if len(calls) == 0 {
		p.value = x.b.fromOuter(plan.MapColumns(items[0].e, func(k *expr.Column) expr.Expr {
			if k.Index < outerBase {
				m := plan.Moved(k, rightBase+k.Index)
				m.NotNull = false
				return m
			}
			return k
		}))
		return p, nil
	}
	if p.cond != nil {
		return nil, x.unsupported("aggregates and a condition other than inner = outer", pos)
	}
	names := make([]string, len(p.rightKeys))
	for i, k := range p.rightKeys {
		names[i] = plan.NameOf(k)
	}
	groups := plan.NewAggregate(x.from.node, p.rightKeys, names, calls)
	x.sel.keys, x.sel.raw = p.rightKeys, p.rightKeys
	over, err := x.sel.overGroups(items[0].e, groups.Out, true)
	if err != nil {
		return nil, err
	}
	p.kind, p.right = plan.Left, groups
	p.rightKeys = nil
	for i := range names {
		p.rightKeys = append(p.rightKeys, plan.ColumnOf(groups.Out, i))
	}
	p.value = x.b.fromOuter(plan.MapColumns(over, func(k *expr.Column) expr.Expr {
		if k.Index >= outerBase {
			return k
		}
		m := *k
		m.Index, m.NotNull = rightBase+k.Index, false
		if i := k.Index - len(names); i >= 0 && emptyCounts[calls[i].Fn.Name] {
			zero := s.coerce(constOf(types.Of(types.BigInt), int64(0)), m.T)
			return &expr.Case{Whens: []expr.When{{Cond: &expr.IsNull{Arg: &m}, Then: zero}}, Else: &m, T: m.T}
		}
		return &m
	}))
	return p, nil
}
