package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// pending is a sub-query that waits to be joined to the rows of the enclosing query. Its expressions number columns as follows:
// below outerBase columns of the enclosing query, from rightBase on columns of right.
type pending struct {
	kind      plan.JoinKind
	right     plan.Node
	leftKeys  []expr.Expr // over the enclosing query
	rightKeys []expr.Expr // over right, plain numbers
	cond      expr.Expr   // over both, nil for none
	// value replaces the placeholder; nil for joins that only select rows.
	value expr.Expr
}

// subList collects the sub-queries of one clause.
type subList struct{ pending []*pending }

// add returns the placeholder of a sub-query's value.
func (l *subList) add(p *pending, pos int, b *binder) expr.Expr {
	l.pending = append(l.pending, p)
	x := &expr.Column{Index: subBase + len(l.pending) - 1, Name: "sub-query", T: p.value.Type()}
	b.places[x] = pos
	return x
}

// attach joins the sub-queries collected so far to node and returns a function that replaces their placeholders. prepare is applied to
// expressions over the enclosing query first (numbers after grouping).
func (l *subList) attach(node plan.Node, prepare func(expr.Expr) (expr.Expr, error)) (plan.Node, func(expr.Expr) expr.Expr, error) {
	var values []expr.Expr
	replace := func(e expr.Expr) expr.Expr {
		return plan.MapColumns(e, func(c *expr.Column) expr.Expr {
			if c.Index >= subBase && c.Index < rightBase {
				return values[c.Index-subBase]
			}
			return c
		})
	}
	for _, p := range l.pending {
		width := len(node.Schema())
		over := func(e expr.Expr) (expr.Expr, error) {
			if e == nil {
				return nil, nil
			}
			if hasWindow(e) {
				return nil, sqlerr.New(sqlerr.Unsupported, "a window function compared with the rows of a sub-query is not supported; compute it in a sub-query of FROM")
			}
			x, err := prepare(e)
			if err != nil {
				return nil, err
			}
			return plan.MapColumns(replace(x), func(c *expr.Column) expr.Expr {
				if c.Index >= rightBase {
					return plan.Moved(c, width+c.Index-rightBase)
				}
				return c
			}), nil
		}
		keys := make([]expr.Expr, len(p.leftKeys))
		for i, k := range p.leftKeys {
			var err error
			if keys[i], err = over(k); err != nil {
				return nil, nil, err
			}
		}
		cond, err := over(p.cond)
		if err != nil {
			return nil, nil, err
		}
		value, err := over(p.value)
		if err != nil {
			return nil, nil, err
		}
		node = plan.NewJoin(p.kind, node, p.right, keys, p.rightKeys, cond)
		values = append(values, value)
	}
	l.pending = nil
	return node, replace, nil
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
	sub, err := s.subquery(q)
	if err != nil {
		return nil, err
	}
	if sub.correlated() {
		p, err := sub.correlatedScalar(s, pos)
		if err != nil {
			return nil, err
		}
		return s.subs.add(p, pos, s.b), nil
	}
	rel, err := sub.finish()
	if err != nil {
		return nil, err
	}
	if len(rel.cols) != 1 {
		return nil, sqlerr.At(sqlerr.Bind, pos, "a sub-query used as a value must have one column, not %d", len(rel.cols))
	}
	value := rightColumn(rel, 0)
	p := &pending{kind: plan.Cross, right: rel.node, value: value}
	if !oneRow(rel.node) {
		p.kind, value.NotNull = plan.Single, false
	}
	return s.subs.add(p, pos, s.b), nil
}

// oneRow tells whether a plan yields exactly one row, whatever the data.
func oneRow(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Project:
		return oneRow(n.Input)
	case *plan.Aggregate:
		return len(n.Keys) == 0
	case *plan.Values:
		return len(n.Rows) == 1
	}
	return false
}

// rightColumn reads a column of a relation that will be the right side of a join.
func rightColumn(rel *relation, i int) *expr.Column {
	c := rel.cols[i]
	return &expr.Column{Index: rightBase + c.index, Name: c.name, T: c.t, NotNull: c.notNull}
}

// inSubquery binds x IN (SELECT ...) as a value: true, false or NULL.
func (s *scope) inSubquery(e *parse.In) (expr.Expr, error) {
	p, err := s.membership(e.X, e.Query, e.Pos())
	if err != nil {
		return nil, err
	}
	if p.cond != nil || len(p.leftKeys) > rowWidth(e.X) {
		return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "a correlated IN is only supported as a condition of WHERE joined by AND")
	}
	p.kind = plan.Mark
	p.value = &expr.Column{Index: rightBase, Name: "mark", T: types.Of(types.Boolean)}
	x := s.subs.add(p, e.Pos(), s.b)
	if e.Not {
		x = negate(x)
	}
	return x, nil
}

func rowWidth(e parse.Expr) int {
	if r, ok := e.(*parse.Row); ok {
		return len(r.Elems)
	}
	return 1
}

// membership prepares x IN (query): the first keys are x and the query's columns, further ones and cond come from correlation.
func (s *scope) membership(x parse.Expr, q *parse.Query, pos int) (*pending, error) {
	if err := s.ready(pos); err != nil {
		return nil, err
	}
	elems := []parse.Expr{x}
	if r, ok := x.(*parse.Row); ok {
		elems = r.Elems
	}
	left, err := s.bindAll(elems)
	if err != nil {
		return nil, err
	}
	sub, err := s.subquery(q)
	if err != nil {
		return nil, err
	}
	p := &pending{kind: plan.Semi}
	var right []expr.Expr
	if sub.correlated() {
		if right, err = sub.plainOutputs(); err != nil {
			return nil, err
		}
		p.right = sub.from.node
	} else {
		rel, err := sub.finish()
		if err != nil {
			return nil, err
		}
		p.right = rel.node
		for i := range rel.cols {
			c := rel.cols[i]
			right = append(right, &expr.Column{Index: c.index, Name: c.name, T: c.t, NotNull: c.notNull})
		}
	}
	if len(right) != len(left) {
		return nil, sqlerr.At(sqlerr.Bind, pos, "IN compares %d with %d columns", len(left), len(right))
	}
	for i := range left {
		l, r, err := s.keyPair(pos, left[i], right[i])
		if err != nil {
			return nil, err
		}
		p.leftKeys, p.rightKeys = append(p.leftKeys, l), append(p.rightKeys, r)
	}
	if sub.correlated() {
		return p, sub.correlate(p)
	}
	return p, nil
}

// keyPair casts two sides of an equality to a type in which they can be hashed.
func (s *scope) keyPair(pos int, l, r expr.Expr) (expr.Expr, expr.Expr, error) {
	l = s.b.knownTemplate(s, l)
	l, r = s.b.inferPair(l, r)
	if err := s.groupable(l, pos, "IN"); err != nil {
		return nil, nil, err
	}
	if err := s.groupable(r, pos, "IN"); err != nil {
		return nil, nil, err
	}
	t, ok := commonType(l.Type(), r.Type())
	if !ok || (l.Type().Kind == types.Varchar) != (r.Type().Kind == types.Varchar) && l.Type().Kind != types.Null && r.Type().Kind != types.Null {
		return nil, nil, sqlerr.At(sqlerr.Type, pos, "IN compares %s with %s; cast one of them", l.Type(), r.Type())
	}
	return s.coerce(l, t), s.coerce(r, t), nil
}

// existsValue binds EXISTS (SELECT ...) as a value: true or false.
func (s *scope) existsValue(e *parse.Exists) (expr.Expr, error) {
	p, err := s.existence(e.Query, e.Pos())
	if err != nil {
		return nil, err
	}
	if p.kind == plan.Semi {
		if p.cond != nil || len(p.leftKeys) == 0 {
			return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "this correlated EXISTS is only supported as a condition of WHERE joined by AND")
		}
		names := make([]string, len(p.rightKeys))
		for i := range names {
			names[i] = columnName(i)
		}
		groups := plan.NewAggregate(p.right, p.rightKeys, names, nil)
		p.kind, p.right, p.rightKeys = plan.Left, groups, nil
		for i := range groups.Out {
			p.rightKeys = append(p.rightKeys, plan.ColumnOf(groups.Out, i))
		}
		// Keys that met are not NULL, so a NULL key says that no row was found.
		first := plan.ColumnOf(groups.Out, 0)
		first.NotNull = false
		p.value = &expr.IsNull{Arg: plan.Moved(first, rightBase), Negate: true}
	}
	return s.subs.add(p, e.Pos(), s.b), nil
}

// existence prepares EXISTS (query): a Semi join if it is correlated, else a Cross with one row whose value says whether there are rows.
func (s *scope) existence(q *parse.Query, pos int) (*pending, error) {
	if err := s.ready(pos); err != nil {
		return nil, err
	}
	sub, err := s.subquery(q)
	if err != nil {
		return nil, err
	}
	if sub.correlated() {
		if err := sub.existenceShape(); err != nil {
			return nil, err
		}
		p := &pending{kind: plan.Semi, right: sub.from.node}
		return p, sub.correlate(p)
	}
	rel, err := sub.finish()
	if err != nil {
		return nil, err
	}
	fn, err := function.ResolveAggregate("count", nil)
	if err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	one := &plan.Limit{Input: rel.node, Count: 1}
	count := plan.NewAggregate(one, nil, nil, []plan.AggCall{{Fn: fn, Name: "count(*)"}})
	value, err := s.operator(pos, parse.OpGt, &expr.Column{Index: rightBase, Name: "count(*)", T: fn.Ret}, constOf(types.Of(types.BigInt), int64(0)))
	return &pending{kind: plan.Cross, right: count, value: value}, err
}

// quantified binds x op ANY (...) and x op ALL (...).
func (s *scope) quantified(e *parse.Quantified) (expr.Expr, error) {
	switch {
	case e.Array != nil && e.Op == parse.OpEq && !e.All:
		list, err := s.bindAll([]parse.Expr{e.Array, e.X})
		if err != nil {
			return nil, err
		}
		return s.resolve(e.Pos(), "array_contains", list...)
	case e.Query != nil && e.Op == parse.OpEq && !e.All:
		return s.inSubquery(&parse.In{Place: e.Place, X: e.X, Query: e.Query})
	case e.Query != nil && e.Op == parse.OpNe && e.All:
		return s.inSubquery(&parse.In{Place: e.Place, X: e.X, Query: e.Query, Not: true})
	}
	word := "ANY"
	if e.All {
		word = "ALL"
	}
	return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "%s %s is not supported; use IN, or compare with a min or max sub-query", e.Op, word)
}
