package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// pending is a sub-query that waits to be joined to the rows of the enclosing query. Its expressions number columns as follows:
// below ownEnd columns of the enclosing query, from rightBase on columns of right.
type pending struct {
	kind      plan.JoinKind
	right     plan.Node
	leftKeys  []expr.Expr // over the enclosing query
	rightKeys []expr.Expr // over right, plain numbers
	cond      expr.Expr   // over both, nil for none
	// domain, unless nil, is what right has to be supplied with; see lifted.
	domain   *domain
	domainAt int
	// values replace the placeholders; there are none for joins that only select rows.
	values []expr.Expr
	// first is the number of the first of them in the list.
	first int
	// early sub-queries are joined before grouping.
	early bool
}

// pending makes a join of a lifted sub-query.
func (x *lifted) pending(kind plan.JoinKind) *pending {
	return &pending{kind: kind, right: x.right, leftKeys: x.leftKeys, rightKeys: x.rightKeys, cond: expr.Join(x.conds), domain: x.domain, domainAt: x.domainAt}
}

// free tells whether a lifted sub-query is the same for all rows of the enclosing query.
func (x *lifted) free() bool { return x.domain == nil && len(x.leftKeys) == 0 && len(x.conds) == 0 }

// subList collects the sub-queries of the clauses that are joined at one place.
type subList struct {
	pending []*pending
	// values replace the placeholders once their sub-queries have been joined.
	values []expr.Expr
	// before tells which values are computed before grouping.
	before map[int]bool
}

// add appends a sub-query and returns the placeholders of its values.
func (l *subList) add(p *pending, pos int, b *binder) []expr.Expr {
	l.pending = append(l.pending, p)
	p.first = len(l.values)
	out := make([]expr.Expr, len(p.values))
	for i, v := range p.values {
		x := &expr.Column{Index: subBase + len(l.values), Name: "sub-query", T: v.Type()}
		l.values = append(l.values, nil)
		b.places[x], out[i] = pos, x
	}
	return out
}

// one appends a sub-query with one value and returns the placeholder of that.
func (l *subList) one(p *pending, value expr.Expr, pos int, b *binder) expr.Expr {
	p.values = []expr.Expr{value}
	return l.add(p, pos, b)[0]
}

// replace puts the values of joined sub-queries in the place of their placeholders.
func (l *subList) replace(e expr.Expr) expr.Expr {
	return plan.MapColumns(e, func(c *expr.Column) expr.Expr {
		if c.Index >= subBase && c.Index < rightBase && l.values[c.Index-subBase] != nil {
			return l.values[c.Index-subBase]
		}
		return c
	})
}

// hasSub tells whether e holds the value of a sub-query.
func hasSub(e expr.Expr) bool { return hasPlaceholder(e, subBase, rightBase) }

// early marks the sub-queries whose values e holds, and those that they need: they are joined before grouping.
func (l *subList) early(e expr.Expr) {
	plan.EachColumn(e, func(c *expr.Column) {
		if c.Index < subBase || c.Index >= rightBase {
			return
		}
		for _, p := range l.pending {
			if n := c.Index - subBase; n < p.first || n >= p.first+len(p.values) || p.early {
				continue
			}
			p.early = true
			if l.before == nil {
				l.before = map[int]bool{}
			}
			for i := range p.values {
				l.before[p.first+i] = true
			}
			for _, k := range append(append([]expr.Expr{p.cond}, p.leftKeys...), p.values...) {
				l.early(k)
			}
		}
	})
}

// isEarly tells whether the value that c stands for is computed before grouping.
func (l *subList) isEarly(c *expr.Column) bool { return l.before[c.Index-subBase] }

// attachEarly joins the sub-queries that are needed before grouping.
func (l *subList) attachEarly(node plan.Node) (plan.Node, error) {
	var early, late []*pending
	for _, p := range l.pending {
		if p.early {
			early = append(early, p)
		} else {
			late = append(late, p)
		}
	}
	l.pending = early
	node, err := l.attach(node, asIs)
	l.pending = late
	return node, err
}

// attach joins the pending sub-queries to node, after which replace knows their values. prepare is applied to expressions over the
// enclosing query first (numbers after grouping).
func (l *subList) attach(node plan.Node, prepare func(expr.Expr) (expr.Expr, error)) (plan.Node, error) {
	for _, p := range l.pending {
		j, err := p.join(node, func(e expr.Expr) (expr.Expr, error) {
			if hasWindow(e) {
				return nil, sqlerr.New(sqlerr.Unsupported, "a window function compared with the rows of a sub-query is not supported; compute it in a sub-query of FROM")
			}
			x, err := prepare(e)
			if err != nil {
				return nil, err
			}
			return l.replace(x), nil
		})
		if err != nil {
			return nil, err
		}
		node = j.node
		copy(l.values[p.first:], j.values)
	}
	l.pending = nil
	return node, nil
}

// joinedPending is the result of a pending join: its node, and the values with numbers over that.
type joinedPending struct {
	node   *plan.Join
	values []expr.Expr
}

// join joins p to the rows of the enclosing query; prepare makes expressions over node of expressions over the enclosing query.
func (p *pending) join(node plan.Node, prepare func(expr.Expr) (expr.Expr, error)) (*joinedPending, error) {
	right, rightKeys := p.right, p.rightKeys
	var leftKeys []expr.Expr // of the domain
	if d := p.domain; d != nil {
		own, err := mapAll(d.own, prepare)
		if err != nil {
			return nil, err
		}
		if node, right, own, err = d.supply(node, right, own); err != nil {
			return nil, err
		}
		for i := range own {
			if d.byRow && i < len(own)-1 {
				continue
			}
			l, r := sameKeys(own[i], d.column(i, p.domainAt))
			leftKeys, rightKeys = append(leftKeys, l...), append(rightKeys[:len(rightKeys):len(rightKeys)], r...)
		}
	}
	width := len(node.Schema())
	over := func(e expr.Expr) (expr.Expr, error) {
		if e == nil {
			return nil, nil
		}
		x, err := prepare(e)
		if err != nil {
			return nil, err
		}
		return plan.MapColumns(x, func(c *expr.Column) expr.Expr {
			if c.Index >= rightBase && c.Index < levelStep {
				return plan.Moved(c, width+c.Index-rightBase)
			}
			return c
		}), nil
	}
	given, err := mapAll(p.leftKeys, over)
	if err != nil {
		return nil, err
	}
	cond, err := over(p.cond)
	if err != nil {
		return nil, err
	}
	values, err := mapAll(p.values, over)
	if err != nil {
		return nil, err
	}
	return &joinedPending{plan.NewJoin(p.kind, node, right, append(given, leftKeys...), rightKeys, cond), values}, nil
}

func mapAll(list []expr.Expr, f func(expr.Expr) (expr.Expr, error)) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		x, err := f(e)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// asIs is the prepare function for clauses before grouping.
func asIs(e expr.Expr) (expr.Expr, error) { return e, nil }

// ready checks that a sub-query is allowed in this clause.
func (s *scope) ready(pos int) error {
	if s.subs != nil {
		return nil
	}
	return sqlerr.At(sqlerr.Unsupported, pos, "a sub-query is not supported in %s", s.clause)
}

// scalarSubquery binds (SELECT ...) as a value.
func (s *scope) scalarSubquery(q *parse.Query, pos int) (expr.Expr, error) {
	if err := s.ready(pos); err != nil {
		return nil, err
	}
	rel, err := s.subquery(q)
	if err != nil {
		return nil, err
	}
	if len(rel.cols) != 1 {
		return nil, sqlerr.At(sqlerr.Bind, pos, "a sub-query used as a value must have one column, not %d", len(rel.cols))
	}
	p, values, err := s.oneRowOrNull(rel)
	if err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	return s.subs.one(p, values[0], pos, s.b), nil
}

// oneRowOrNull prepares the join with a sub-query of at most one row, and returns its columns as values that are NULL without that row.
func (s *scope) oneRowOrNull(rel *relation) (*pending, []expr.Expr, error) {
	if oneRow(rel.node) {
		if x, ok, err := s.liftAggregate(rel); ok || err != nil {
			if err != nil {
				return nil, nil, err
			}
			return x.pending(plan.Left), x.outs, nil
		}
	}
	x, err := s.lift(rel)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case oneRow(rel.node) && x.free():
		return x.pending(plan.Cross), x.outs, nil
	case oneRow(rel.node) && x.domain != nil:
		x.nullable()
		return x.pending(plan.Left), x.outs, nil
	}
	x.nullable()
	return x.pending(plan.Single), x.outs, nil
}

// nullable makes the output columns NULL where no row is found. What is not simply a column of the right side is guarded by one that
// tells whether there is a row.
func (x *lifted) nullable() {
	var found *expr.Column
	for i, e := range x.outs {
		if c, ok := e.(*expr.Column); ok && c.Index >= rightBase && c.Index < levelStep {
			m := *c
			m.NotNull = false
			x.outs[i] = &m
			continue
		}
		if found == nil {
			exprs, names := plan.Identity(x.right.Schema())
			found = &expr.Column{Index: rightBase + len(exprs), Name: "found", T: types.Of(types.Boolean)}
			x.right = plan.NewProject(x.right, append(exprs, boolConst(true)), append(names, "found"))
		}
		x.outs[i] = &expr.Case{Whens: []expr.When{{Cond: found, Then: e}}, T: e.Type()}
	}
}

// oneRow tells whether a plan yields exactly one row, whatever the data.
func oneRow(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Project:
		return oneRow(n.Input)
	case *plan.Sort:
		return n.Limit < 0 && oneRow(n.Input)
	case *plan.Limit:
		return n.Count != 0 && n.Offset == 0 && oneRow(n.Input)
	case *plan.Aggregate:
		return len(n.Keys) == 0
	case *plan.Values:
		return len(n.Rows) == 1
	case *plan.Shared:
		return oneRow(n.Def.Plan)
	}
	return false
}

// rightColumn reads a column of a relation that will be the right side of a join.
func rightColumn(rel *relation, i int) *expr.Column {
	c := rel.cols[i]
	return &expr.Column{Index: rightBase + c.index, Name: c.name, T: c.t, NotNull: c.notNull}
}

// liftAggregate lifts aggregates over rows that are found by equality with the enclosing query: they are computed once for each value
// that the rows have, not for those of the enclosing query. ok is false for other sub-queries.
func (s *scope) liftAggregate(rel *relation) (x *lifted, ok bool, err error) {
	exprs := make([]expr.Expr, len(rel.cols))
	for i, c := range rel.cols {
		exprs[i] = &expr.Column{Index: c.index, Name: c.name, T: c.t, NotNull: c.notNull}
	}
	n := rel.node
	var agg *plan.Aggregate
	for agg == nil {
		switch y := n.(type) {
		case *plan.Project:
			for i := range exprs {
				if exprs[i] = substitute(exprs[i], y.Exprs); plan.Volatile(exprs[i]) {
					return nil, false, nil
				}
			}
			n = y.Input
		case *plan.Sort:
			n = y.Input
		case *plan.Limit:
			n = y.Input
		case *plan.Aggregate:
			agg = y
		default:
			return nil, false, nil
		}
	}
	dependent := func(e expr.Expr) bool { return readsOuter(e, s.level) }
	p, ok := pullUp(agg.Input, s.level)
	if !ok || len(p.conds) == 0 {
		return nil, false, nil
	}
	below := plan.MapExprs(&plan.Aggregate{Aggs: agg.Aggs}, func(e expr.Expr) expr.Expr { return substitute(e, p.exprs) })
	for _, e := range plan.Exprs(below) {
		if dependent(e) || plan.Volatile(e) {
			return nil, false, nil
		}
	}
	x = s.b.liftFilters(&relation{}, p, s.level)
	if len(x.conds) > 0 {
		return nil, false, nil
	}
	names := make([]string, len(x.rightKeys))
	for i, k := range x.rightKeys {
		names[i] = plan.NameOf(k)
	}
	groups := plan.NewAggregate(p.core, x.rightKeys, names, below.(*plan.Aggregate).Aggs)
	x.right, x.rightKeys = groups, nil
	for i := range names {
		x.rightKeys = append(x.rightKeys, plan.ColumnOf(groups.Out, i))
	}
	values := make([]expr.Expr, len(agg.Aggs))
	for i := range values {
		c := plan.ColumnOf(groups.Out, len(names)+i)
		c.Index, c.NotNull = rightBase+len(names)+i, false
		if values[i], err = s.b.orEmpty(c, &agg.Aggs[i]); err != nil {
			return nil, false, err
		}
	}
	for _, e := range exprs {
		x.outs = append(x.outs, s.b.fromOuter(substitute(e, values), s.level))
	}
	return x, true, nil
}
