package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
)

// orderKey is one bound key of ORDER BY.
type orderKey struct {
	e          expr.Expr
	desc       bool
	nullsFirst bool
	pos        int
}

// orderKeys binds ORDER BY of a SELECT: a key that is an ordinal or alias of the SELECT list, else an expression over FROM, in which
// aliases of aggregates and names that FROM does not have mean the SELECT list as well.
func (x *selectBinder) orderKeys(order []parse.OrderItem) ([]orderKey, error) {
	var out []orderKey
	s := x.scope("ORDER BY")
	s.aggs, s.subs, s.wins, s.items = &x.aggs, &x.subs, &x.wins, x.items
	s.sumsFirst = true
	for i := range order {
		o := &order[i]
		if _, all := o.Expr.(*parse.Star); all {
			for k := range x.items {
				out = append(out, orderKey{e: x.items[k].e, desc: o.Desc, nullsFirst: o.Nulls == parse.NullsFirst, pos: o.Expr.Pos()})
			}
			continue
		}
		k := orderKey{desc: o.Desc, nullsFirst: o.Nulls == parse.NullsFirst, pos: o.Expr.Pos()}
		n, ok, err := x.ordinal(o.Expr, "ORDER BY")
		if err != nil {
			return nil, err
		}
		if ok {
			k.e = x.items[n].e
			out = append(out, k)
			continue
		}
		var e expr.Expr
		if r, ok := o.Expr.(*parse.ColumnRef); ok && len(r.Parts) == 1 {
			e, err = s.alias(r.Parts[0])
		}
		if e == nil && err == nil {
			e, err = s.bind(o.Expr)
		}
		if err != nil {
			return nil, err
		}
		k.e = x.b.settle(e)
		out = append(out, k)
	}
	return out, nil
}

// sortColumns maps the keys to columns of the output projection; keys that are no output column become hidden ones behind it.
func (x *selectBinder) sortColumns(order []orderKey) (keys []plan.SortKey, hidden []expr.Expr, err error) {
	s := x.scope("ORDER BY")
	for _, k := range order {
		e := x.typed(k.e)
		if err := s.groupable(e, k.pos, "ORDER BY"); err != nil {
			return nil, nil, err
		}
		at := -1
		for i := range x.items {
			if expr.Equal(x.items[i].e, e) {
				at = i
				break
			}
		}
		if at < 0 {
			if x.s.Distinct {
				return nil, nil, sqlerr.At(sqlerr.Bind, k.pos, "with SELECT DISTINCT, ORDER BY can only use columns of the SELECT list")
			}
			at = len(x.items) + len(hidden)
			hidden = append(hidden, e)
		}
		c := &expr.Column{Index: at, Name: plan.NameOf(k.e), T: e.Type()}
		if at < len(x.items) {
			c.Name = x.items[at].name
		}
		keys = append(keys, plan.SortKey{Expr: c, Desc: k.desc, NullsFirst: k.nullsFirst})
	}
	return keys, hidden, nil
}

// orderOutput sorts the rows of a set operation or VALUES by their output columns.
func (b *binder) orderOutput(rel *relation, order []parse.OrderItem) (*relation, error) {
	if len(order) == 0 {
		return rel, nil
	}
	s := &scope{b: b, cols: rel.cols, clause: "ORDER BY"}
	x := &selectBinder{b: b}
	for _, c := range rel.cols {
		x.items = append(x.items, item{e: s.column(&c, 0)})
	}
	var keys []plan.SortKey
	add := func(e expr.Expr, o *parse.OrderItem) error {
		e = b.knownTemplate(s, b.settle(e))
		keys = append(keys, plan.SortKey{Expr: e, Desc: o.Desc, NullsFirst: o.Nulls == parse.NullsFirst})
		return s.groupable(e, o.Expr.Pos(), "ORDER BY")
	}
	for i := range order {
		o := &order[i]
		if _, all := o.Expr.(*parse.Star); all {
			for k := range x.items {
				if err := add(x.items[k].e, o); err != nil {
					return nil, err
				}
			}
			continue
		}
		n, ok, err := x.ordinal(o.Expr, "ORDER BY")
		if err != nil {
			return nil, err
		}
		var e expr.Expr
		if ok {
			e = x.items[n].e
		} else if e, err = s.bind(o.Expr); err != nil {
			return nil, err
		}
		if err := add(e, o); err != nil {
			return nil, err
		}
	}
	return &relation{node: &plan.Sort{Input: rel.node, Keys: keys, Limit: -1}, cols: rel.cols}, nil
}
