package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// cross joins two elements of FROM without a condition.
func (b *binder) cross(l, r *relation, pos int) (*relation, error) {
	if err := distinctNames(l, r, pos); err != nil {
		return nil, err
	}
	return &relation{node: plan.NewJoin(plan.Cross, l.node, r.node, nil, nil, nil), cols: sideBySide(l, r)}, nil
}

// distinctNames refuses two tables of one name in a FROM.
func distinctNames(l, r *relation, pos int) error {
	names := map[string]bool{}
	for _, c := range l.cols {
		if c.table != "" {
			names[c.database+"\x00"+c.table] = true
		}
	}
	for _, c := range r.cols {
		if names[c.database+"\x00"+c.table] {
			return sqlerr.At(sqlerr.Bind, pos, "table name %s is used twice; give one of them an alias", c.table)
		}
	}
	return nil
}

// sideBySide numbers the columns of the right side behind those of the left.
func sideBySide(l, r *relation) []column {
	width := len(l.node.Schema())
	out := append([]column(nil), l.cols...)
	for _, c := range r.cols {
		c.index += width
		out = append(out, c)
	}
	return out
}

var joinKinds = [...]plan.JoinKind{
	parse.JoinInner: plan.Inner, parse.JoinLeft: plan.Left, parse.JoinRight: plan.Right, parse.JoinFull: plan.Full, parse.JoinCross: plan.Cross,
	parse.JoinLeftSemi: plan.Semi, parse.JoinLeftAnti: plan.Anti, parse.JoinRightSemi: plan.Semi, parse.JoinRightAnti: plan.Anti,
}

// join binds L JOIN R. Right semi and anti joins change sides.
func (b *binder) join(j *parse.Join) (*relation, error) {
	l, err := b.from(j.L)
	if err != nil {
		return nil, err
	}
	kind := joinKinds[j.Kind]
	switch t := j.R.(type) {
	case *parse.TableFunc:
		if isExplode(t.Call) || b.usesLeft(t, l) {
			return b.joinExplode(j, t, l)
		}
	case *parse.DerivedTable:
		if t.Lateral {
			return b.joinLateral(j, t, l)
		}
	}
	r, err := b.from(j.R)
	if err != nil {
		return nil, err
	}
	if j.Kind == parse.JoinRightSemi || j.Kind == parse.JoinRightAnti {
		l, r = r, l
	}
	if err := distinctNames(l, r, j.Pos()); err != nil {
		return nil, err
	}
	switch {
	case j.Natural:
		return b.joinUsing(j, kind, l, r, commonNames(l, r))
	case len(j.Using) > 0:
		return b.joinUsing(j, kind, l, r, j.Using)
	}
	cols := sideBySide(l, r)
	var leftKeys, rightKeys []expr.Expr
	var cond expr.Expr
	if j.On != nil {
		s := &scope{b: b, cols: cols, outer: b.outer, level: b.level(), clause: "ON", subs: &subList{}}
		on, err := s.condition(j.On)
		if err != nil {
			return nil, err
		}
		if len(s.subs.pending) > 0 {
			return b.joinWithSubqueries(j, kind, l, r, s.subs, on)
		}
		leftKeys, rightKeys, cond = splitKeys(on, len(l.node.Schema()))
		if kind == plan.Cross {
			kind = plan.Inner
		}
	}
	node := plan.NewJoin(kind, l.node, r.node, leftKeys, rightKeys, cond)
	return joined(node, l, cols), nil
}

// joined gives a join's columns the nullability of its schema.
func joined(node *plan.Join, l *relation, cols []column) *relation {
	if !node.Kind.YieldsRight() {
		return &relation{node: node, cols: l.cols}
	}
	for i := range cols {
		cols[i].notNull = node.Out[cols[i].index].NotNull
	}
	return &relation{node: node, cols: cols}
}

// splitKeys separates the equalities between both sides, which a hash join can use, from the rest of a join condition.
func splitKeys(on expr.Expr, width int) (left, right []expr.Expr, cond expr.Expr) {
	// A column of an enclosing query is on neither side: such a condition is no key.
	readsLeft := func(e expr.Expr) bool { return reads(e, 0, width) || hasOuter(e) }
	readsRight := func(e expr.Expr) bool { return reads(e, width, ownEnd) || hasOuter(e) }
	var rest []expr.Expr
	for _, c := range expr.Conjuncts(on) {
		if l, r, ok := equality(c, readsLeft, readsRight); ok {
			left, right = append(left, l), append(right, expr.Shift(r, -width))
			continue
		}
		rest = append(rest, c)
	}
	return left, right, expr.Join(rest)
}

// reads tells whether e uses a column numbered in [from, to).
func reads(e expr.Expr, from, to int) bool { return hasPlaceholder(e, from, to) }

// commonNames are the names of NATURAL JOIN: those that both sides have, in the order of the left.
func commonNames(l, r *relation) []parse.Ident {
	var out []parse.Ident
	for _, a := range l.cols {
		for _, c := range r.cols {
			if !a.hidden && !c.hidden && strings.EqualFold(a.name, c.name) {
				out = append(out, parse.Ident{Name: a.name, Quoted: true})
				break
			}
		}
	}
	return out
}

// joinUsing joins on equal names. The merged columns come first in SELECT *, then the rest of the left, then of the right.
func (b *binder) joinUsing(j *parse.Join, kind plan.JoinKind, l, r *relation, names []parse.Ident) (*relation, error) {
	if kind == plan.Cross || len(names) == 0 && kind == plan.Inner {
		kind = plan.Cross
	}
	ls, rs := &scope{b: b, cols: l.cols}, &scope{b: b, cols: r.cols}
	width := len(l.node.Schema())
	var leftKeys, rightKeys []expr.Expr
	var cond []expr.Expr
	type pair struct{ left, right *column }
	var pairs []pair
	for _, n := range names {
		lc, err := ls.lookup(nil, n, n.Pos())
		if err != nil {
			return nil, err
		}
		rc, err := rs.lookup(nil, n, n.Pos())
		if err != nil {
			return nil, err
		}
		if lc == nil || rc == nil {
			return nil, sqlerr.At(sqlerr.NotFound, n.Pos(), "column %s of USING is not on both sides of the join", n.Name)
		}
		both := &scope{b: b, cols: sideBySide(l, r)}
		right := expr.Shift(rs.column(rc, n.Pos()), width)
		eq, err := both.operator(max(n.Pos(), j.Pos()), parse.OpEq, ls.column(lc, n.Pos()), right)
		if err != nil {
			return nil, err
		}
		lk, rk, rest := splitKeys(eq, width)
		leftKeys, rightKeys, cond = append(leftKeys, lk...), append(rightKeys, rk...), append(cond, expr.Conjuncts(rest)...)
		pairs = append(pairs, pair{lc, rc})
	}
	node := plan.NewJoin(kind, l.node, r.node, leftKeys, rightKeys, expr.Join(cond))
	if !kind.YieldsRight() {
		return &relation{node: node, cols: l.cols}, nil
	}
	rel := joined(node, l, sideBySide(l, r))
	merged := make([]column, 0, len(rel.cols))
	var coalesced []expr.Expr
	for _, p := range pairs {
		lc, rc := find(rel.cols, p.left.index), find(rel.cols, p.right.index+width)
		lc.hidden, rc.hidden = true, true
		m := *lc
		switch kind {
		case plan.Right:
			m = *rc
			m.table, m.database = "", ""
		case plan.Full:
			s := &scope{b: b, cols: rel.cols}
			x, err := s.resolve(j.Pos(), "coalesce", s.column(lc, j.Pos()), s.column(rc, j.Pos()))
			if err != nil {
				return nil, err
			}
			m = column{index: len(node.Out) + len(coalesced), name: lc.name, t: x.Type(), field: types.Field{Name: lc.name, Type: x.Type()}}
			coalesced = append(coalesced, x)
		default:
			m.table, m.database = "", ""
		}
		m.hidden = false
		merged = append(merged, m)
	}
	rel.cols = append(merged, rel.cols...)
	if len(coalesced) > 0 {
		exprs, names := plan.Identity(node.Out)
		for i, x := range coalesced {
			exprs, names = append(exprs, x), append(names, merged[i].name)
		}
		rel.node = plan.NewProject(node, exprs, names)
	}
	return rel, nil
}

func find(cols []column, index int) *column {
	for i := range cols {
		if cols[i].index == index && !cols[i].hidden {
			return &cols[i]
		}
	}
	for i := range cols {
		if cols[i].index == index {
			return &cols[i]
		}
	}
	panic("BUG: column of a join is lost")
}
