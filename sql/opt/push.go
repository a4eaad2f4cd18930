package opt

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// pushFilters moves conditions down to where their columns first exist, into scans at best. Among the conditions of one node the order is
// kept, lower ones first, so that a guard written inside a sub-query still guards. A condition that can fail (expr.Infallible) stays above
// joins that drop rows, which it must not see.
func pushFilters(_ *context, n plan.Node) plan.Node { return push(n, nil) }

// push returns n with conditions over its columns, moved as far down as they go.
func push(n plan.Node, conds []expr.Expr) plan.Node {
	conds, never := simplify(conds)
	if never {
		return empty(n)
	}
	stay, move := volatileApart(conds)
	switch x := n.(type) {
	case *plan.Filter:
		return push(x.Input, append(expr.Conjuncts(x.Cond), conds...))
	case *plan.Project:
		return pushProject(x, conds)
	case *plan.Join:
		return filter(pushJoin(x, move), stay)
	case *plan.Aggregate:
		return pushAggregate(x, conds)
	case *plan.Sort:
		if x.Limit < 0 && x.Offset == 0 {
			return filter(plan.WithChildren(x, []plan.Node{push(x.Input, move)}), stay)
		}
	case *plan.Distinct:
		return filter(&plan.Distinct{Input: push(x.Input, move)}, stay)
	case *plan.Union:
		inputs := make([]plan.Node, len(x.Inputs))
		for i, in := range x.Inputs {
			inputs[i] = push(in, move)
		}
		return filter(&plan.Union{Inputs: inputs, Out: x.Out}, stay)
	case *plan.Explode:
		element := len(x.Out) - 1
		below, above := split(move, func(e expr.Expr) bool { return !reads(e, element, element+1) && (x.Outer || expr.Infallible(e)) })
		return filter(plan.WithChildren(x, []plan.Node{push(x.Input, below)}), append(above, stay...))
	case *plan.Window:
		below, above := split(move, func(e expr.Expr) bool { return wholePartitions(x, e) })
		return filter(plan.WithChildren(x, []plan.Node{push(x.Input, below)}), append(above, stay...))
	case *plan.Expand:
		width := len(x.Input.Schema())
		below, above := split(move, func(e expr.Expr) bool { return within(e, 0, width) })
		return filter(plan.WithChildren(x, []plan.Node{push(x.Input, below)}), append(above, stay...))
	case *plan.Scan:
		if len(move) == 0 {
			return filter(x, stay)
		}
		c := *x
		c.Filter, never = simplify(append(append([]expr.Expr(nil), x.Filter...), move...))
		if never {
			return empty(n)
		}
		return filter(&c, stay)
	}
	return filter(plan.MapChildren(n, func(c plan.Node) plan.Node { return push(c, nil) }), conds)
}

// wholePartitions tells whether a condition keeps or drops partitions of a window as a whole: it reads nothing but their keys.
func wholePartitions(w *plan.Window, cond expr.Expr) bool {
	whole := true
	plan.EachColumn(cond, func(c *expr.Column) {
		whole = whole && slices.ContainsFunc(w.Partition, func(k expr.Expr) bool {
			key, ok := k.(*expr.Column)
			return ok && key.Index == c.Index
		})
	})
	return whole
}

// split separates the expressions that satisfy f from the others; order is kept.
func split(list []expr.Expr, f func(expr.Expr) bool) (yes, no []expr.Expr) {
	for _, e := range list {
		if f(e) {
			yes = append(yes, e)
		} else {
			no = append(no, e)
		}
	}
	return yes, no
}

func volatileApart(list []expr.Expr) (volatile, others []expr.Expr) {
	return split(list, plan.Volatile)
}

// reads tells whether e uses a column numbered in [from, to).
func reads(e expr.Expr, from, to int) bool {
	found := false
	plan.EachColumn(e, func(c *expr.Column) { found = found || c.Index >= from && c.Index < to })
	return found
}

// within tells whether all columns of e are numbered in [from, to).
func within(e expr.Expr, from, to int) bool {
	ok := true
	plan.EachColumn(e, func(c *expr.Column) { ok = ok && c.Index >= from && c.Index < to })
	return ok
}

// substitute replaces columns by the expressions that compute them. A path below a path becomes one path.
func substitute(e expr.Expr, by []expr.Expr) expr.Expr {
	if c, ok := e.(*expr.Column); ok {
		return by[c.Index]
	}
	e = plan.MapArgs(e, func(a expr.Expr) expr.Expr { return substitute(a, by) })
	if p, ok := e.(*expr.Path); ok {
		return appendSteps(p.Arg, p.Steps)
	}
	return e
}

// maxMoved is how large a condition may grow when the columns that it reads are replaced by what computes them. Without a bound a chain of
// sub-queries that use a column twice each would grow without end.
const maxMoved = 256

// infallible tells whether no expression of a list can fail.
func infallible(list []expr.Expr) bool {
	return !slices.ContainsFunc(list, func(e expr.Expr) bool { return !expr.Infallible(e) })
}

// moved returns a condition with columns replaced by the expressions that compute them, nil if it must stay where it is.
func moved(c expr.Expr, by []expr.Expr) expr.Expr {
	total := 0
	plan.EachColumn(c, func(k *expr.Column) {
		if total <= maxMoved {
			total += size(by[k.Index], maxMoved+1)
		}
	})
	if total > maxMoved {
		return nil
	}
	s := substitute(c, by)
	if plan.Volatile(s) {
		return nil
	}
	return s
}

// size counts the parts of an expression, up to limit.
func size(e expr.Expr, limit int) int {
	n := 0
	expr.Walk(e, func(expr.Expr) bool {
		n++
		return n < limit
	})
	return n
}

func pushProject(p *plan.Project, conds []expr.Expr) plan.Node {
	var below, above []expr.Expr
	for _, c := range conds {
		if s := moved(c, p.Exprs); s != nil {
			below = append(below, s)
		} else {
			above = append(above, c)
		}
	}
	return filter(plan.WithChildren(p, []plan.Node{push(p.Input, below)}), above)
}

// pushAggregate moves conditions on keys below the grouping. Without keys there is always a row, so nothing may be removed below.
func pushAggregate(a *plan.Aggregate, conds []expr.Expr) plan.Node {
	var below, above []expr.Expr
	for _, c := range conds {
		if len(a.Keys) > 0 && within(c, 0, len(a.Keys)) && !plan.Volatile(c) {
			if s := moved(c, a.Keys); s != nil {
				below = append(below, s)
				continue
			}
		}
		above = append(above, c)
	}
	return filter(plan.WithChildren(a, []plan.Node{push(a.Input, below)}), above)
}

// pushJoin distributes conditions over a join, together with the join's own condition.
func pushJoin(j *plan.Join, conds []expr.Expr) plan.Node {
	width := len(j.Left.Schema())
	total := width + len(j.Right.Schema())
	kind := strengthen(j.Kind, conds, width, total)
	on, volatileOn := expr.Conjuncts(j.Cond), []expr.Expr(nil)
	volatileOn, on = volatileApart(on)
	p := &joinParts{width: width, total: total, leftKeys: j.LeftKeys, rightKeys: j.RightKeys}
	var above []expr.Expr
	switch kind {
	case plan.Inner, plan.Cross:
		p.distribute(append(on, conds...), true, true)
	case plan.Left, plan.Single:
		p.left, above = split(conds, p.isLeft)
		p.distribute(on, false, true)
	case plan.Right:
		p.right, above = split(conds, p.isRight)
		p.distribute(on, true, false)
	case plan.Full:
		above = conds
		p.distribute(on, false, false)
	case plan.Semi:
		p.left, above = split(conds, expr.Infallible)
		p.distribute(on, true, true)
	case plan.Anti, plan.NullAwareAnti:
		p.left, above = split(conds, expr.Infallible)
		p.distribute(on, false, kind == plan.Anti)
	case plan.Exists:
		p.left, above = split(conds, p.isLeft)
		p.distribute(on, false, true)
	case plan.Mark:
		p.left, above = split(conds, p.isLeft)
		p.rest = on
	}
	p.rest = append(p.rest, volatileOn...)
	if kind == plan.Cross && (len(p.leftKeys) > 0 || len(p.rest) > 0) {
		kind = plan.Inner
	}
	if kind == plan.Inner && len(p.leftKeys) == 0 && len(p.rest) == 0 {
		kind = plan.Cross
	}
	if kind == plan.Inner || kind == plan.Semi {
		p.spread()
	}
	for i, c := range p.right {
		p.right[i] = expr.Shift(c, -width)
	}
	out := plan.NewJoin(kind, push(j.Left, p.left), push(j.Right, p.right), p.leftKeys, p.rightKeys, expr.Join(p.rest))
	// Clients may rely on the names of the old schema; only what may be NULL can have changed.
	out.Out = renamed(out.Out, j.Out)
	return filter(out, above)
}

func renamed(s, names types.Schema) types.Schema {
	for i := range s {
		notNull := s[i].NotNull
		s[i] = names[i]
		s[i].NotNull = notNull
	}
	return s
}

// joinParts are conditions of a join, sorted by the sides whose columns they use. Those in right are numbered as over both sides.
type joinParts struct {
	width, total        int
	left, right, rest   []expr.Expr
	leftKeys, rightKeys []expr.Expr
}

func (p *joinParts) isLeft(e expr.Expr) bool  { return within(e, 0, p.width) }
func (p *joinParts) isRight(e expr.Expr) bool { return within(e, p.width, p.total) }

// distribute sorts conditions; toLeft and toRight tell whether conditions on one side may be evaluated below the join. Those that can fail
// come last and stay at the join if anything else there drops rows.
func (p *joinParts) distribute(conds []expr.Expr, toLeft, toRight bool) {
	safe, fallible := split(conds, expr.Infallible)
	for _, c := range append(safe, fallible...) {
		if (len(p.leftKeys) > 0 || len(p.rest) > 0) && !expr.Infallible(c) {
			p.rest = append(p.rest, c)
			continue
		}
		switch {
		case toLeft && p.isLeft(c):
			p.left = append(p.left, c)
			continue
		case toRight && p.isRight(c) && reads(c, p.width, p.total):
			p.right = append(p.right, c)
			continue
		}
		if l, r, ok := p.equality(c); ok {
			p.leftKeys, p.rightKeys = append(p.leftKeys[:len(p.leftKeys):len(p.leftKeys)], l), append(p.rightKeys[:len(p.rightKeys):len(p.rightKeys)], r)
			continue
		}
		p.rest = append(p.rest, c)
		if toLeft {
			if i := implied(c, p.isLeft); i != nil {
				p.left = append(p.left, i)
			}
		}
		if toRight {
			if i := implied(c, p.isRight); i != nil {
				p.right = append(p.right, i)
			}
		}
	}
}

// equality splits l = r between the two sides; r is renumbered for the right side.
func (p *joinParts) equality(e expr.Expr) (l, r expr.Expr, ok bool) {
	c, isCall := e.(*expr.Call)
	if !isCall || c.Fn.Name != "=" || len(c.Args) != 2 {
		return nil, nil, false
	}
	a, b := c.Args[0], c.Args[1]
	s, t := a.Type(), b.Type()
	if s.Kind != t.Kind || s.Scale != t.Scale || s.Phys() != t.Phys() || s.IsVariant() {
		return nil, nil, false
	}
	hasColumns := func(e expr.Expr) bool { return reads(e, 0, p.total) }
	switch {
	case !hasColumns(a) || !hasColumns(b):
	case p.isLeft(a) && p.isRight(b):
		return a, expr.Shift(b, -p.width), true
	case p.isLeft(b) && p.isRight(a):
		return b, expr.Shift(a, -p.width), true
	}
	return nil, nil, false
}

// spread copies conditions on one key column to the column it is equal to on the other side.
func (p *joinParts) spread() {
	left, right := p.left, p.right
	for i := range p.leftKeys {
		l, lok := p.leftKeys[i].(*expr.Column)
		r, rok := p.rightKeys[i].(*expr.Column)
		if !lok || !rok || !l.T.Equal(r.T) {
			continue
		}
		for _, c := range left {
			if comparesOnly(c, l.Index) {
				p.right = append(p.right, plan.MapColumns(c, func(*expr.Column) expr.Expr { return plan.Moved(r, r.Index+p.width) }))
			}
		}
		for _, c := range right {
			if comparesOnly(c, r.Index+p.width) {
				p.left = append(p.left, plan.MapColumns(c, func(*expr.Column) expr.Expr { return l }))
			}
		}
	}
}

// comparesOnly tells whether e compares column index itself with constants, so that it gives the same answer for equal values.
func comparesOnly(e expr.Expr, index int) bool {
	isColumn := func(e expr.Expr) bool {
		c, ok := e.(*expr.Column)
		return ok && c.Index == index
	}
	isConst := func(e expr.Expr) bool {
		switch e.(type) {
		case *expr.Const, *expr.Param:
			return true
		}
		return false
	}
	switch x := e.(type) {
	case *expr.Call:
		return len(x.Args) == 2 && comparisons[x.Fn.Name] &&
			(isColumn(x.Args[0]) && isConst(x.Args[1]) || isColumn(x.Args[1]) && isConst(x.Args[0]))
	case *expr.In:
		return isColumn(x.Arg)
	case *expr.Or:
		for _, a := range x.Args {
			if !comparesOnly(a, index) {
				return false
			}
		}
		return true
	case *expr.And:
		for _, a := range x.Args {
			if !comparesOnly(a, index) {
				return false
			}
		}
		return true
	}
	return false
}

var comparisons = map[string]bool{"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true}
