package opt

import (
	"math"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// selectivity guesses the share of rows of n that satisfy all conditions.
func (c *context) selectivity(conds []expr.Expr, n plan.Node) float64 {
	s := 1.0
	for _, e := range conds {
		s *= c.share(e, n)
	}
	return s
}

func (c *context) share(e expr.Expr, n plan.Node) float64 {
	switch x := e.(type) {
	case *expr.And:
		return c.selectivity(x.Args, n)
	case *expr.Or:
		miss := 1.0
		for _, a := range x.Args {
			miss *= 1 - c.share(a, n)
		}
		return 1 - miss
	case *expr.Not:
		return 1 - c.share(x.Arg, n)
	case *expr.IsNull:
		if x.Negate {
			return 1 - nullSelectivity
		}
		return nullSelectivity
	case *expr.In:
		s := 0.5
		if d, ok := c.categories(n, x.Arg); ok {
			s = min(float64(x.List.Len)/d, 1)
		}
		if x.Negate {
			return 1 - s
		}
		return s
	case *expr.Call:
		return c.callShare(x, n)
	}
	return defaultSelectivity
}

func (c *context) callShare(x *expr.Call, n plan.Node) float64 {
	switch x.Fn.Name {
	case "=":
		for _, a := range x.Args {
			if d, ok := c.categories(n, a); ok {
				return 1 / d
			}
		}
		return likeSelectivity
	case "<>":
		return 1 - likeSelectivity
	case "<", "<=", ">", ">=":
		return c.rangeShare(x, n)
	case "like", "LIKE", "ilike", "ILIKE", "rlike", "RLIKE", "regexp", "REGEXP":
		return likeSelectivity
	}
	return defaultSelectivity
}

// rangeShare places the constant of a comparison within the column's range.
func (c *context) rangeShare(x *expr.Call, n plan.Node) float64 {
	col, cok := x.Args[0].(*expr.Column)
	k, kok := x.Args[1].(*expr.Const)
	less := x.Fn.Name[0] == '<'
	if !cok || !kok {
		col, cok = x.Args[1].(*expr.Column)
		k, kok = x.Args[0].(*expr.Const)
		less = !less
	}
	if !cok || !kok {
		return rangeSelectivity
	}
	scan, ok := n.(*plan.Scan)
	if !ok || col.Index >= len(scan.Columns) {
		return rangeSelectivity
	}
	lo, hi, ok := bounds(scan, col.Index)
	v, vok := number(k.Value)
	if !ok || !vok || hi <= lo {
		return rangeSelectivity
	}
	s := min(max((v-lo)/(hi-lo), 0), 1)
	if !less {
		s = 1 - s
	}
	// Never quite nothing: bounds may be old and data skewed.
	return max(s, 0.001)
}

// minCategories is the least number of different texts that a text column is taken to have.
const minCategories = 10

// categories is distinct for conditions with constants: texts that people compare with constants are mostly categories, far fewer than rows.
func (c *context) categories(n plan.Node, e expr.Expr) (float64, bool) {
	d, ok := c.distinct(n, e)
	if ok && e.Type().Kind == types.Varchar {
		d = min(d, max(math.Cbrt(d), minCategories))
	}
	return max(d, 1), ok
}
