package vexec

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// rowFilter is a condition on rows that becomes known while a query runs: what lies behind the source would drop the other rows anyway,
// so the source need not read them.
type rowFilter interface {
	// bounds returns conditions of one column, without its name, that all rows that matter satisfy; nil if there are none yet.
	bounds(r *run) []segment.Predicate
	// keep returns which of the n values of its expression belong to rows that matter; all is true if it cannot rule out any.
	keep(r *run, v *vec.Vector, n int) (sel vec.Sel, all bool)
	// known says that keep may rule out something.
	known(r *run) bool
	// late says that keep takes longer than most conditions.
	late() bool
	// beforeGroups says that the filter is known before the rows behind an aggregate are asked for, so that it may filter the rows before it.
	beforeGroups() bool
}

// filterSite is a rowFilter with its expression over the columns of a source.
type filterSite struct {
	f   rowFilter
	key expr.Expr
}

// offer hands a filter on the rows of n down to where the rows come from, as far as that is possible. It tells whether a source took it.
func (b *builder) offer(n plan.Node, key expr.Expr, f rowFilter) bool {
	// What a step of a recursion computes once must serve all later steps.
	if b.env.Options.NoRowFilters || b.loop != nil {
		return false
	}
	for expr.Infallible(key) && !b.several[n] {
		switch x := n.(type) {
		case *plan.Project:
			n, key = x.Input, inTermsOf(key, x.Exprs)
		case *plan.Filter:
			n = x.Input
		case *plan.Join:
			// Right and full joins also yield what no left row met.
			if x.Kind == plan.Right || x.Kind == plan.Full || !within(key, len(x.Left.Schema())) {
				return false
			}
			n = x.Left
		case *plan.Union:
			taken := false
			for _, in := range x.Inputs {
				taken = b.offer(in, key, f) || taken
			}
			return taken
		case *plan.Aggregate:
			if f.beforeGroups() {
				// Groups that do not matter need not be made.
				if !within(key, len(x.Keys)) {
					return false
				}
				n, key = x.Input, inTermsOf(key, x.Keys)
				continue
			}
			b.filters[n] = append(b.filters[n], filterSite{f, key})
			return true
		case *plan.Scan:
			b.filters[n] = append(b.filters[n], filterSite{f, key})
			return true
		default:
			return false
		}
	}
	return false
}

// inTermsOf replaces the columns of an expression by what computes them.
func inTermsOf(e expr.Expr, by []expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Column); ok {
			return by[c.Index]
		}
		return e
	})
}

// within tells whether an expression reads only the first n columns.
func within(e expr.Expr, n int) bool {
	for _, c := range expr.Columns(e) {
		if c >= n {
			return false
		}
	}
	return true
}

// topFilter leaves out what sorts behind the last row that a top-n can still return.
type topFilter struct {
	of    *sorter
	order vec.Order
}

// bound returns the first key of that row, nil if it is not known yet.
func (f *topFilter) bound(r *run) *vec.Vector {
	if s, ok := r.sinks[f.of].(*sortState); ok {
		return s.first.Load()
	}
	return nil // the rows are collected before they come to the top-n
}

func (f *topFilter) bounds(r *run) []segment.Predicate {
	b := f.bound(r)
	if b == nil || b.IsNull(0) || f.order.NullsFirst {
		return nil
	}
	if f.order.Desc {
		return []segment.Predicate{{Op: segment.Ge, Values: b}}
	}
	return []segment.Predicate{{Op: segment.Le, Values: b}}
}

func (f *topFilter) keep(r *run, v *vec.Vector, n int) (vec.Sel, bool) {
	b := f.bound(r)
	if b == nil {
		return nil, true
	}
	sel := maybeWithin(flat(v), n, b, f.order)
	return sel, len(sel) == n
}

func (f *topFilter) known(r *run) bool { return f.bound(r) != nil }

func (f *topFilter) late() bool { return false }

func (f *topFilter) beforeGroups() bool { return false }
