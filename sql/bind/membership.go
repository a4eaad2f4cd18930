package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// member is x IN (query), bound: pairs of values to be compared, numbered as in pending, and the sub-query.
type member struct {
	left, right []expr.Expr
	rel         *relation
	x           *lifted
	pos         int
}

// membership binds x IN (query).
func (s *scope) membership(x parse.Expr, q *parse.Query, pos int) (*member, error) {
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
	rel, err := s.subquery(q)
	if err != nil {
		return nil, err
	}
	if len(rel.cols) != len(left) {
		return nil, sqlerr.At(sqlerr.Bind, pos, "IN compares %d with %d columns", len(left), len(rel.cols))
	}
	return s.memberOf(left, rel, pos)
}

// memberOf compares left with the columns of a sub-query.
func (s *scope) memberOf(left []expr.Expr, rel *relation, pos int) (*member, error) {
	m := &member{rel: rel, pos: pos}
	var err error
	if m.x, err = s.lift(rel); err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	for i := range left {
		l, r, err := s.keyPair(pos, left[i], m.x.outs[i])
		if err != nil {
			return nil, err
		}
		m.left, m.right = append(m.left, l), append(m.right, r)
	}
	return m, nil
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

// onlyRight makes a key over the right side of an expression that reads nothing of the enclosing query.
func onlyRight(e expr.Expr) (expr.Expr, bool) {
	if reads(e, 0, rightBase) {
		return nil, false
	}
	return plan.MapColumns(e, func(c *expr.Column) expr.Expr {
		if c.Index < levelStep {
			return plan.Moved(c, c.Index-rightBase)
		}
		return c
	}), true
}

// matching is the join that finds the rows equal to x.
func (s *scope) matching(m *member, kind plan.JoinKind) (*pending, error) {
	p := m.x.pending(kind)
	var leftKeys, rightKeys, conds []expr.Expr
	for i := range m.left {
		if r, ok := onlyRight(m.right[i]); ok {
			leftKeys, rightKeys = append(leftKeys, m.left[i]), append(rightKeys, r)
			continue
		}
		eq, err := s.operator(m.pos, parse.OpEq, m.left[i], m.right[i])
		if err != nil {
			return nil, err
		}
		conds = append(conds, eq)
	}
	p.leftKeys, p.rightKeys = append(leftKeys, p.leftKeys...), append(rightKeys, p.rightKeys...)
	p.cond = expr.Join(append(conds, expr.Conjuncts(p.cond)...))
	return p, nil
}

// sure tells whether no comparison with x can be NULL.
func (m *member) sure() bool {
	for i := range m.left {
		if !neverNull(m.left[i]) || !neverNull(m.right[i]) {
			return false
		}
	}
	return true
}

// maybe are the conditions under which a row may be equal to x: it is, or the comparison is NULL.
func (s *scope) maybe(m *member) ([]expr.Expr, error) {
	var out []expr.Expr
	for i := range m.left {
		eq, err := s.operator(m.pos, parse.OpEq, m.left[i], m.right[i])
		if err != nil {
			return nil, err
		}
		out = append(out, &expr.Or{Args: []expr.Expr{eq, &expr.IsNull{Arg: m.left[i]}, &expr.IsNull{Arg: m.right[i]}}})
	}
	return out, nil
}

// selectIn keeps the rows for which x IN (query) is true, or x NOT IN (query).
func (s *scope) selectIn(e *parse.In, not bool) error {
	m, err := s.membership(e.X, e.Query, e.Pos())
	if err != nil {
		return err
	}
	var p *pending
	switch {
	case !not:
		p, err = s.matching(m, plan.Semi)
	case m.sure():
		p, err = s.matching(m, plan.Anti)
	case len(m.left) == 1 && m.x.free() && !reads(m.right[0], 0, rightBase):
		p, err = s.matching(m, plan.NullAwareAnti)
	default:
		p = m.x.pending(plan.Anti)
		var conds []expr.Expr
		if conds, err = s.maybe(m); err == nil {
			p.cond = expr.Join(append(expr.Conjuncts(p.cond), conds...))
		}
	}
	if err != nil {
		return err
	}
	s.subs.pending = append(s.subs.pending, p)
	return nil
}

// inSubquery binds x IN (SELECT ...) as a value: true, false or NULL.
func (s *scope) inSubquery(e *parse.In) (expr.Expr, error) {
	m, err := s.membership(e.X, e.Query, e.Pos())
	if err != nil {
		return nil, err
	}
	x, err := s.memberValue(m)
	if err == nil && e.Not {
		x = negate(x)
	}
	return x, err
}

// memberValue is x IN (query) as a value. Where NULL may come up and the list depends on the row, it is put together from whether there is a
// match, and from what would make it NULL.
func (s *scope) memberValue(m *member) (expr.Expr, error) {
	kind := plan.Exists
	simple := m.x.free()
	for _, r := range m.right {
		simple = simple && !reads(r, 0, rightBase)
	}
	if simple && !m.sure() {
		kind = plan.Mark
	}
	p, err := s.matching(m, kind)
	if err != nil {
		return nil, err
	}
	match := s.subs.one(p, markColumn(), m.pos, s.b)
	if simple || m.sure() {
		return match, nil
	}
	if len(m.left) == 1 {
		return s.countedNulls(m, match)
	}
	// The sub-query is lifted again: a domain belongs to one join.
	again, err := s.memberOf(m.left, m.rel, m.pos)
	if err != nil {
		return nil, err
	}
	conds, err := s.maybe(again)
	if err != nil {
		return nil, err
	}
	p = again.x.pending(plan.Exists)
	p.cond = expr.Join(append(expr.Conjuncts(p.cond), conds...))
	maybe := s.subs.one(p, markColumn(), m.pos, s.b)
	return threeValued(match, boolConst(false), maybe, false), nil
}

func markColumn() *expr.Column {
	return &expr.Column{Index: rightBase, Name: "mark", T: types.Of(types.Boolean)}
}

// threeValued is the opposite of otherwise where decide is true, else NULL where unknown is, else otherwise. Where empty is true it is
// otherwise in any case.
func threeValued(decide, empty, unknown expr.Expr, otherwise bool) expr.Expr {
	return &expr.Case{T: types.Of(types.Boolean), Whens: []expr.When{
		{Cond: empty, Then: boolConst(otherwise)},
		{Cond: decide, Then: boolConst(!otherwise)},
		{Cond: unknown, Then: nullBoolean()},
	}, Else: boolConst(otherwise)}
}

func nullBoolean() expr.Expr {
	v, err := function.Cast(&function.Ctx{}, nullConst().Value, types.Of(types.Boolean), false)
	if err != nil {
		panic("BUG: NULL is no BOOLEAN")
	}
	return &expr.Const{Value: v}
}

// countedNulls is x IN (query) where match says whether there is a match: NULL if x is and the query has rows, or if it has a NULL.
func (s *scope) countedNulls(m *member, match expr.Expr) (expr.Expr, error) {
	values, err := s.aggregates(m.rel, m.pos, m.right[0].Type(), "rows", "count")
	if err != nil {
		return nil, err
	}
	empty, unknown, err := s.nullness(m.left[0], values[0], values[1], m.pos)
	if err != nil {
		return nil, err
	}
	return threeValued(match, empty, unknown, false), nil
}

// nullness tells of a list with n rows, of which known are not NULL, whether it is empty, and whether a comparison of x with all of it
// involves NULL.
func (s *scope) nullness(x, n, known expr.Expr, pos int) (empty, unknown expr.Expr, err error) {
	zero := constOf(types.Of(types.BigInt), int64(0))
	if empty, err = s.operator(pos, parse.OpEq, n, zero); err != nil {
		return nil, nil, err
	}
	fewer, err := s.operator(pos, parse.OpLt, known, n)
	return empty, &expr.Or{Args: []expr.Expr{&expr.IsNull{Arg: x}, fewer}}, err
}

// aggregates computes aggregates over the first column of a sub-query, cast to t, for each row of the enclosing query. "rows" is count(*).
func (s *scope) aggregates(rel *relation, pos int, t types.Type, names ...string) ([]expr.Expr, error) {
	c := rel.cols[0]
	arg := s.coerce(&expr.Column{Index: c.index, Name: c.name, T: c.t, NotNull: c.notNull}, t)
	var calls []plan.AggCall
	for _, name := range names {
		args := []expr.Expr{arg}
		if name == "rows" {
			name, args = "count", nil
		}
		fn, err := function.ResolveAggregate(name, describe(args))
		if err != nil {
			return nil, s.explain(err, pos, args)
		}
		call := plan.AggCall{Fn: fn}
		for i, a := range args {
			call.Args = append(call.Args, s.coerce(a, fn.Args[i]))
		}
		call.Name = call.String()
		calls = append(calls, call)
	}
	agg := plan.NewAggregate(rel.node, nil, nil, calls)
	p, values, err := s.oneRowOrNull(nodeRelation(agg))
	if err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	p.values = values
	return s.subs.add(p, pos, s.b), nil
}

// existsValue binds EXISTS (SELECT ...) as a value: true or false.
func (s *scope) existsValue(e *parse.Exists) (expr.Expr, error) {
	p, err := s.existence(e.Query, e.Pos())
	if err != nil {
		return nil, err
	}
	if p.values == nil {
		p.kind, p.values = plan.Exists, []expr.Expr{markColumn()}
	}
	return s.subs.add(p, e.Pos(), s.b)[0], nil
}

// existence prepares EXISTS (query): a Semi join without value if it is correlated, else a Cross with one row whose value says whether there
// are rows.
func (s *scope) existence(q *parse.Query, pos int) (*pending, error) {
	if err := s.ready(pos); err != nil {
		return nil, err
	}
	rel, err := s.subquery(q)
	if err != nil {
		return nil, err
	}
	node := rowsOnly(rel.node)
	x, err := s.lift(&relation{node: node})
	if err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	if !x.free() || correlated(x.right) {
		return x.pending(plan.Semi), nil
	}
	fn, err := function.ResolveAggregate("count", nil)
	if err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	count := plan.NewAggregate(&plan.Limit{Input: x.right, Count: 1}, nil, nil, []plan.AggCall{{Fn: fn, Name: "count(*)"}})
	value, err := s.operator(pos, parse.OpGt, &expr.Column{Index: rightBase, Name: "count(*)", T: fn.Ret}, constOf(types.Of(types.BigInt), int64(0)))
	return &pending{kind: plan.Cross, right: count, values: []expr.Expr{value}}, err
}

// rowsOnly drops what does not decide whether there are rows.
func rowsOnly(n plan.Node) plan.Node {
	for {
		switch x := n.(type) {
		case *plan.Project:
			n = x.Input
		case *plan.Distinct:
			n = x.Input
		case *plan.Window:
			n = x.Input
		case *plan.Sort:
			if x.Limit >= 0 || x.Offset > 0 {
				return n
			}
			n = x.Input
		case *plan.Limit:
			if x.Count == 0 || x.Offset > 0 {
				return n
			}
			n = x.Input
		case *plan.Aggregate:
			if len(x.Keys) == 0 {
				return n
			}
			n = x.Input
		default:
			return n
		}
	}
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
	case e.Query != nil:
		return s.extremes(e)
	}
	word := "ANY"
	if e.All {
		word = "ALL"
	}
	return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "%s %s of an array is not supported; only = ANY is", e.Op, word)
}

// negated are the comparisons that are true where another is false.
var negated = map[parse.Op]parse.Op{
	parse.OpEq: parse.OpNe, parse.OpNe: parse.OpEq, parse.OpLt: parse.OpGe, parse.OpGe: parse.OpLt, parse.OpGt: parse.OpLe, parse.OpLe: parse.OpGt,
}

// extremes binds a comparison with all rows of a query by its least and greatest value: some row makes x op row true, or for ALL false, if
// one of these does.
func (s *scope) extremes(e *parse.Quantified) (expr.Expr, error) {
	if err := s.ready(e.Pos()); err != nil {
		return nil, err
	}
	if _, ok := e.X.(*parse.Row); ok {
		return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "a row of values can only be compared with = ANY and <> ALL of a sub-query")
	}
	x, err := s.bind(e.X)
	if err != nil {
		return nil, err
	}
	rel, err := s.subquery(e.Query)
	if err != nil {
		return nil, err
	}
	if len(rel.cols) != 1 {
		return nil, sqlerr.At(sqlerr.Bind, e.Pos(), "%s compares one value with a sub-query of %d columns", e.Op, len(rel.cols))
	}
	x, y, err := s.keyPair(e.Pos(), x, rightColumn(rel, 0))
	if err != nil {
		return nil, err
	}
	values, err := s.aggregates(rel, e.Pos(), y.Type(), "rows", "count", "min", "max")
	if err != nil {
		return nil, err
	}
	empty, unknown, err := s.nullness(x, values[0], values[1], e.Pos())
	if err != nil {
		return nil, err
	}
	op := e.Op
	if e.All {
		op = negated[op]
	}
	var decide []expr.Expr
	for _, v := range values[2:] {
		c, err := s.operator(e.Pos(), op, x, v)
		if err != nil {
			return nil, err
		}
		decide = append(decide, c)
	}
	return threeValued(&expr.Or{Args: decide}, empty, unknown, e.All), nil
}
