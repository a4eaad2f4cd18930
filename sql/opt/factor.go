package opt

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
)

// factorConditions turns (a AND b) OR (a AND c) into a AND (b OR c) in filters and join conditions, so that a can be pushed down or become
// a join key.
func factorConditions(_ *context, n plan.Node) plan.Node {
	return rewrite(n, func(n plan.Node) plan.Node {
		switch x := n.(type) {
		case *plan.Filter:
			if conds, changed := factorAll(expr.Conjuncts(x.Cond)); changed {
				return &plan.Filter{Input: x.Input, Cond: expr.Join(conds)}
			}
		case *plan.Join:
			if conds, changed := factorAll(expr.Conjuncts(x.Cond)); changed {
				c := *x
				c.Cond = expr.Join(conds)
				return &c
			}
		}
		return n
	})
}

func factorAll(conds []expr.Expr) (out []expr.Expr, changed bool) {
	for _, e := range conds {
		f := factor(e)
		changed = changed || len(f) != 1 || f[0] != e
		out = append(out, f...)
	}
	return out, changed
}

// branches are the conjuncts of each branch of an OR; nil if e is none.
func branches(e expr.Expr) [][]expr.Expr {
	or, ok := e.(*expr.Or)
	if !ok {
		return nil
	}
	var out [][]expr.Expr
	for _, a := range or.Args {
		if inner := branches(a); inner != nil {
			out = append(out, inner...)
			continue
		}
		out = append(out, expr.Conjuncts(a))
	}
	return out
}

// factor returns the conjuncts that e is equal to.
func factor(e expr.Expr) []expr.Expr {
	list := branches(e)
	if len(list) < 2 {
		return []expr.Expr{e}
	}
	var shared []expr.Expr
	for i, c := range list[0] {
		// A condition that can fail may be guarded by those before it.
		everywhere := !plan.Volatile(c) && (i == 0 || expr.Infallible(c))
		for _, other := range list[1:] {
			everywhere = everywhere && contains(other, c)
		}
		if everywhere {
			shared = append(shared, c)
		}
	}
	if len(shared) == 0 {
		return []expr.Expr{e}
	}
	or := &expr.Or{}
	for _, b := range list {
		var rest []expr.Expr
		for _, c := range b {
			if !contains(shared, c) {
				rest = append(rest, c)
			}
		}
		// A branch with nothing left is true wherever the shared part is.
		if len(rest) == 0 {
			return shared
		}
		or.Args = append(or.Args, expr.Join(rest))
	}
	return append(shared, or)
}

func contains(list []expr.Expr, e expr.Expr) bool {
	for _, x := range list {
		if expr.Equal(x, e) {
			return true
		}
	}
	return false
}

// implied derives from an OR a condition on the columns accepted by side alone: the OR of what each branch says about them. It returns
// nil if some branch says nothing.
func implied(e expr.Expr, side func(expr.Expr) bool) expr.Expr {
	list := branches(e)
	if len(list) < 2 {
		return nil
	}
	or := &expr.Or{}
	for _, b := range list {
		var said []expr.Expr
		for _, c := range b {
			if side(c) && expr.Infallible(c) {
				said = append(said, c)
			}
		}
		if len(said) == 0 {
			return nil
		}
		or.Args = append(or.Args, expr.Join(said))
	}
	return or
}
