package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// level is how many queries enclose the one that is being bound.
func (b *binder) level() int {
	if b.outer == nil {
		return 0
	}
	return b.outer.level + 1
}

// within binds f with s as the enclosing scope.
func (b *binder) within(s *scope, f func() (*relation, error)) (*relation, error) {
	saved := b.outer
	b.outer = s
	rel, err := f()
	b.outer = saved
	return rel, err
}

// subquery binds a sub-query of an expression. Its plan may hold columns of the enclosing queries.
func (s *scope) subquery(q *parse.Query) (*relation, error) {
	return s.b.within(s, func() (*relation, error) { return s.b.query(q) })
}

// outerColumn reads column c of the enclosing scope o; nil for no column.
func (s *scope) outerColumn(o *scope, c *column, pos int) expr.Expr {
	if c == nil {
		return nil
	}
	x := &expr.Column{Index: outerBase + o.level*levelStep + c.index, Name: c.name, T: c.t, NotNull: c.notNull}
	s.b.places[x] = pos
	return x
}

// outerPlace is the level that a column of an enclosing query belongs to, and its number there.
func outerPlace(c *expr.Column) (level, index int) {
	return (c.Index - outerBase) / levelStep, (c.Index - outerBase) % levelStep
}

// isOuter tells whether c is a column of the enclosing query of a level.
func isOuter(c *expr.Column, level int) bool {
	if c.Index < outerBase {
		return false
	}
	l, _ := outerPlace(c)
	return l == level
}

// readsOuter tells whether e uses a column of the enclosing query of a level.
func readsOuter(e expr.Expr, level int) bool {
	found := false
	plan.EachColumn(e, func(c *expr.Column) { found = found || isOuter(c, level) })
	return found
}

// hasOuter tells whether e uses a column of any enclosing query.
func hasOuter(e expr.Expr) bool {
	found := false
	plan.EachColumn(e, func(c *expr.Column) { found = found || c.Index >= outerBase })
	return found
}

// planReads tells whether an expression of a plan, or of the definitions it reads, satisfies f.
func planReads(n plan.Node, f func(expr.Expr) bool) bool {
	found := false
	seen := map[*plan.Definition]bool{}
	var visit func(n plan.Node) bool
	visit = func(n plan.Node) bool {
		if s, ok := n.(*plan.Shared); ok && !found && !seen[s.Def] {
			seen[s.Def] = true
			plan.Walk(s.Def.Plan, visit)
		}
		for _, e := range plan.Exprs(n) {
			found = found || f(e)
		}
		return !found
	}
	plan.Walk(n, visit)
	return found
}

// correlated tells whether a plan uses columns of any enclosing query.
func correlated(n plan.Node) bool { return planReads(n, hasOuter) }

// fromOuter numbers columns of the enclosing query of a level as that query does.
func (b *binder) fromOuter(e expr.Expr, level int) expr.Expr {
	return plan.MapColumns(e, func(k *expr.Column) expr.Expr {
		if !isOuter(k, level) {
			return k
		}
		_, index := outerPlace(k)
		m := plan.Moved(k, index)
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

// lifted is a sub-query made ready for a join with the enclosing query: right has no columns of that query any more. Expressions number
// columns as those of pending do.
type lifted struct {
	right plan.Node
	// outs are the output columns of the sub-query.
	outs                []expr.Expr
	leftKeys, rightKeys []expr.Expr
	conds               []expr.Expr
	// domain is set if right holds the rows of a domain; its columns in right begin at domainAt, and rows of the enclosing query meet
	// rows of right where these are equal.
	domain   *domain
	domainAt int
}

// lift separates a sub-query from the enclosing query of this scope.
//
// Where the sub-query is a filter over something independent, the conditions that use the enclosing query become those of the join. In all
// other cases the sub-query is computed for each different combination of values that the enclosing query has for it: see domain.
func (s *scope) lift(rel *relation) (*lifted, error) {
	level := s.level
	n := rel.node
	if !planReads(n, func(e expr.Expr) bool { return readsOuter(e, level) }) {
		x := &lifted{right: n}
		for i := range rel.cols {
			x.outs = append(x.outs, rightColumn(rel, i))
		}
		return x, nil
	}
	if p, ok := pullUp(n, level); ok {
		return s.b.liftFilters(rel, p, level), nil
	}
	x := &lifted{domain: newDomain(s.b, n, level), domainAt: len(n.Schema())}
	u := &unnester{b: s.b, level: level, d: x.domain}
	var err error
	if x.right, err = u.unnest(n); err != nil {
		return nil, err
	}
	for i := range rel.cols {
		c := rightColumn(rel, i)
		c.NotNull = c.NotNull && x.right.Schema()[rel.cols[i].index].NotNull
		x.outs = append(x.outs, c)
	}
	return x, nil
}

// liftFilters makes join keys and conditions of what was pulled up.
func (b *binder) liftFilters(rel *relation, p *pulled, level int) *lifted {
	x := &lifted{right: p.core}
	own := func(e expr.Expr) bool { return reads(e, 0, ownEnd) }
	outer := func(e expr.Expr) bool { return readsOuter(e, level) }
	joined := func(e expr.Expr) expr.Expr {
		return b.fromOuter(plan.MapColumns(e, func(k *expr.Column) expr.Expr {
			if k.Index < ownEnd {
				return plan.Moved(k, rightBase+k.Index)
			}
			return k
		}), level)
	}
	for _, c := range p.conds {
		if l, r, ok := equality(c, outer, own); ok {
			x.leftKeys, x.rightKeys = append(x.leftKeys, b.fromOuter(l, level)), append(x.rightKeys, r)
			continue
		}
		x.conds = append(x.conds, joined(c))
	}
	for i := range rel.cols {
		x.outs = append(x.outs, joined(p.exprs[rel.cols[i].index]))
	}
	return x
}

// pulled is a plan as a projection of a filter over core: only the conditions and expressions use the enclosing query.
type pulled struct {
	core  plan.Node
	conds []expr.Expr
	exprs []expr.Expr
}

// pullUp takes conditions that use the enclosing query out of filters, projections and inner joins.
func pullUp(n plan.Node, level int) (*pulled, bool) {
	dependent := func(e expr.Expr) bool { return readsOuter(e, level) }
	if !planReads(n, dependent) {
		exprs, _ := plan.Identity(n.Schema())
		return &pulled{core: n, exprs: exprs}, true
	}
	switch x := n.(type) {
	case *plan.Project:
		p, ok := pullUp(x.Input, level)
		if !ok {
			return nil, false
		}
		exprs := make([]expr.Expr, len(x.Exprs))
		for i, e := range x.Exprs {
			if plan.Volatile(e) {
				return nil, false
			}
			exprs[i] = substitute(e, p.exprs)
		}
		return &pulled{p.core, p.conds, exprs}, true
	case *plan.Filter:
		p, ok := pullUp(x.Input, level)
		if !ok || plan.Volatile(x.Cond) {
			return nil, false
		}
		return p.filter(x.Cond, dependent), true
	case *plan.Sort:
		if x.Limit < 0 && x.Offset == 0 {
			return pullUp(x.Input, level)
		}
	case *plan.Join:
		if x.Kind == plan.Inner || x.Kind == plan.Cross {
			return pullJoin(x, level)
		}
	}
	return nil, false
}

// filter adds a condition over the columns that p yields.
func (p *pulled) filter(cond expr.Expr, dependent func(expr.Expr) bool) *pulled {
	var below []expr.Expr
	out := &pulled{core: p.core, conds: p.conds, exprs: p.exprs}
	for _, c := range expr.Conjuncts(cond) {
		if c = substitute(c, p.exprs); dependent(c) {
			out.conds = append(out.conds[:len(out.conds):len(out.conds)], c)
		} else {
			below = append(below, c)
		}
	}
	if len(below) > 0 {
		out.core = &plan.Filter{Input: p.core, Cond: expr.Join(below)}
	}
	return out
}

func pullJoin(j *plan.Join, level int) (*pulled, bool) {
	dependent := func(e expr.Expr) bool { return readsOuter(e, level) }
	l, ok := pullUp(j.Left, level)
	if !ok {
		return nil, false
	}
	r, ok := pullUp(j.Right, level)
	if !ok {
		return nil, false
	}
	for _, e := range append(append(append([]expr.Expr(nil), j.LeftKeys...), j.RightKeys...), j.Cond) {
		if e != nil && plan.Volatile(e) {
			return nil, false
		}
	}
	width := len(l.core.Schema())
	out := &pulled{conds: append([]expr.Expr(nil), l.conds...)}
	out.exprs = append(out.exprs, l.exprs...)
	shift := func(e expr.Expr) expr.Expr { return shiftOwn(e, width) }
	for _, c := range r.conds {
		out.conds = append(out.conds, shift(c))
	}
	for _, e := range r.exprs {
		out.exprs = append(out.exprs, shift(e))
	}
	leftKeys, rightKeys := make([]expr.Expr, len(j.LeftKeys)), make([]expr.Expr, len(j.LeftKeys))
	for i := range j.LeftKeys {
		leftKeys[i], rightKeys[i] = substitute(j.LeftKeys[i], l.exprs), substitute(j.RightKeys[i], r.exprs)
		if dependent(leftKeys[i]) || dependent(rightKeys[i]) {
			return nil, false
		}
	}
	kind := plan.Cross
	if len(leftKeys) > 0 {
		kind = plan.Inner
	}
	out.core = plan.NewJoin(kind, l.core, r.core, leftKeys, rightKeys, nil)
	if j.Cond == nil {
		return out, true
	}
	return out.filter(j.Cond, dependent), true
}

// shiftOwn adds delta to the numbers of real columns.
func shiftOwn(e expr.Expr, delta int) expr.Expr {
	return plan.MapColumns(e, func(k *expr.Column) expr.Expr {
		if k.Index < ownEnd {
			return plan.Moved(k, k.Index+delta)
		}
		return k
	})
}

// substitute replaces real columns by the expressions that compute them.
func substitute(e expr.Expr, by []expr.Expr) expr.Expr {
	return plan.MapColumns(e, func(k *expr.Column) expr.Expr {
		if k.Index < ownEnd {
			return by[k.Index]
		}
		return k
	})
}
