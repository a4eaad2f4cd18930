package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// groupBy binds the keys of GROUP BY: ordinals and aliases of the SELECT list, or expressions over FROM.
func (x *selectBinder) groupBy() error {
	g := x.s.GroupBy
	x.grouped = g != nil || len(x.aggs.calls) > 0
	if g == nil {
		return nil
	}
	if g.All {
		for _, it := range x.items {
			if !it.agg && !hasWindow(it.e) {
				if _, err := x.addKey(it.e, it.name, it.pos); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return x.groupingSets(g)
}

// groupKey binds one key and returns its number.
func (x *selectBinder) groupKey(e parse.Expr) (int, error) {
	if n, ok, err := x.ordinal(e, "GROUP BY"); ok || err != nil {
		if err != nil {
			return 0, err
		}
		return x.addKey(x.items[n].e, x.items[n].name, e.Pos())
	}
	s := x.scope("GROUP BY")
	s.items, s.subs = x.items, &x.subs
	k, err := s.bind(e)
	if err != nil {
		return 0, err
	}
	return x.addKey(x.b.settle(k), plan.NameOf(k), e.Pos())
}

// ordinal reads an integer literal as the number of an output column, from 0; ok is false for anything else.
func (x *selectBinder) ordinal(e parse.Expr, clause string) (n int, ok bool, err error) {
	l, isLiteral := e.(*parse.Literal)
	if !isLiteral || l.Kind != parse.LitInteger {
		return 0, false, nil
	}
	for _, d := range l.Text {
		if n = n*10 + int(d-'0'); n > maxColumns {
			break
		}
	}
	if n < 1 || n > len(x.items) {
		return 0, true, sqlerr.At(sqlerr.Bind, e.Pos(), "%s %s: there are %d output columns", clause, l.Text, len(x.items))
	}
	return n - 1, true, nil
}

func (x *selectBinder) addKey(k expr.Expr, name string, pos int) (int, error) {
	switch {
	case hasAggregate(k):
		return 0, sqlerr.At(sqlerr.Bind, pos, "an aggregate is not allowed in GROUP BY")
	case hasWindow(k):
		return 0, sqlerr.At(sqlerr.Bind, pos, "a window function is not allowed in GROUP BY; compute it in a sub-query")
	}
	x.subs.early(k)
	s := x.scope("GROUP BY")
	typed := x.b.knownTemplate(s, k)
	if err := s.groupable(typed, pos, "GROUP BY"); err != nil {
		return 0, err
	}
	for i, old := range x.keys {
		if expr.Equal(old, typed) {
			return i, nil
		}
	}
	x.keys, x.raw, x.keyNames = append(x.keys, typed), append(x.raw, k), append(x.keyNames, name)
	return len(x.keys) - 1, nil
}

// having binds HAVING; nil for none.
func (x *selectBinder) having() (*expr.Expr, error) {
	if x.s.Having == nil {
		return nil, nil
	}
	s := x.scope("HAVING")
	s.aggs, s.subs, s.items = &x.aggs, &x.subs, x.items
	s.sumsFirst = true
	h, err := s.condition(x.s.Having)
	if err != nil {
		return nil, err
	}
	if hasWindow(h) {
		return nil, sqlerr.At(sqlerr.Bind, x.s.Having.Pos(), "a window function is not allowed in HAVING; use QUALIFY")
	}
	x.grouped = true
	return &h, nil
}

// group builds the Aggregate node where there is grouping, rewrites all expressions behind it to its columns, and joins the sub-queries.
func (x *selectBinder) group(having, qualify *expr.Expr, order []orderKey) (plan.Node, error) {
	node := x.from.node
	if len(x.aggs.calls) > 0 {
		x.grouped = true
	}
	if !x.grouped {
		return x.subs.attach(node, asIs)
	}
	node, err := x.subs.attachEarly(node)
	if err != nil {
		return nil, err
	}
	ready := plan.MapExprs(&plan.Aggregate{Keys: x.keys, Aggs: x.aggs.calls}, x.subs.replace).(*plan.Aggregate)
	if node, err = x.aggregateOver(node, ready.Keys, ready.Aggs); err != nil {
		return nil, err
	}
	out := node.Schema()
	rewrite := func(e *expr.Expr) error {
		g, err := x.overGroups(*e, out, true)
		*e = g
		return err
	}
	for i := range x.items {
		if err := rewrite(&x.items[i].e); err != nil {
			return nil, err
		}
	}
	if having != nil {
		if err := rewrite(having); err != nil {
			return nil, err
		}
	}
	for i := range order {
		if err := rewrite(&order[i].e); err != nil {
			return nil, err
		}
	}
	if qualify != nil {
		if err := rewrite(qualify); err != nil {
			return nil, err
		}
	}
	for i := range x.wins.calls {
		if err := x.wins.calls[i].eachExpr(rewrite); err != nil {
			return nil, err
		}
	}
	return x.subs.attach(node, func(e expr.Expr) (expr.Expr, error) { return x.overGroups(e, out, true) })
}

// overGroups rewrites e from columns of FROM to columns of the Aggregate: whole keys and aggregates are replaced, anything else of FROM
// is an error. top tells that the value stands alone or under a cast, so that its type may change from VARIANT to that of the key.
func (x *selectBinder) overGroups(e expr.Expr, out types.Schema, top bool) (expr.Expr, error) {
	for i := range x.keys {
		if expr.Equal(e, x.keys[i]) {
			return plan.ColumnOf(out, i), nil
		}
		if expr.Equal(e, x.raw[i]) {
			if top {
				return plan.ColumnOf(out, i), nil
			}
			return &expr.Cast{Arg: plan.ColumnOf(out, i), To: e.Type()}, nil
		}
	}
	if c, ok := e.(*expr.Column); ok {
		switch {
		case c.Index >= setBase && c.Index < winBase:
			return x.groupingValue(x.aggs.groupings[c.Index-setBase], out, x.b.places[c])
		case c.Index >= aggBase && c.Index < winBase:
			return plan.ColumnOf(out, len(x.keys)+c.Index-aggBase), nil
		case c.Index >= subBase && c.Index < rightBase && x.subs.isEarly(c):
			return nil, x.ungrouped(c)
		case c.Index >= ownEnd:
			return e, nil
		}
		return nil, x.ungrouped(c)
	}
	_, underCast := e.(*expr.Cast)
	var failed error
	r := plan.MapArgs(e, func(a expr.Expr) expr.Expr {
		if failed != nil {
			return a
		}
		g, err := x.overGroups(a, out, underCast)
		if err != nil {
			failed = err
			return a
		}
		return g
	})
	return r, failed
}

// ungrouped is the error for a column that has no single value in a group.
func (x *selectBinder) ungrouped(c *expr.Column) error {
	pos, ok := x.b.places[c]
	if !ok {
		pos = x.s.Pos()
	}
	if x.s.GroupBy == nil {
		return sqlerr.At(sqlerr.Bind, pos, "column %s stands beside an aggregate: add GROUP BY %s, or use any_value(%s)", c.Name, c.Name, c.Name)
	}
	return sqlerr.At(sqlerr.Bind, pos, "column %s must be in GROUP BY or inside an aggregate such as any_value(%s)", c.Name, c.Name)
}
