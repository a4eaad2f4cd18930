package opt

import (
	"math"
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// leastShare is the least that a range is taken to keep: bounds may be old and data skewed.
const leastShare = 0.001

// selectivity guesses the share of rows of n that satisfy all conditions. Bounds of one column from both sides cut out a range, all other
// conditions are taken to be independent.
func (c *context) selectivity(conds []expr.Expr, n plan.Node) float64 {
	s := 1.0
	type sides struct{ lower, upper float64 }
	ranges := map[int]sides{}
	var columns []int
	for _, e := range conds {
		share, column, less, ok := c.bound(e, n)
		if !ok {
			s *= c.share(e, n)
			continue
		}
		r, seen := ranges[column]
		if !seen {
			r, columns = sides{1, 1}, append(columns, column)
		}
		if less {
			r.upper = min(r.upper, share)
		} else {
			r.lower = min(r.lower, share)
		}
		ranges[column] = r
	}
	for _, column := range columns {
		r := ranges[column]
		s *= max(r.lower+r.upper-1, leastShare)
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
		s := nullSelectivity
		if st, ok := c.scanned(n, x.Arg); ok && st.nulls >= 0 {
			s = st.nulls
		}
		if x.Negate {
			return 1 - s
		}
		return s
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
		if s, _, _, ok := c.bound(x, n); ok {
			return max(s, leastShare)
		}
		return rangeSelectivity
	case "like", "LIKE", "ilike", "ILIKE", "rlike", "RLIKE", "regexp", "REGEXP":
		return likeSelectivity
	}
	return defaultSelectivity
}

// bound places the constant of a comparison within the range of the column that it is compared with: share is the part of the range that
// satisfies it, less tells that the constant is an upper bound.
func (c *context) bound(e expr.Expr, n plan.Node) (share float64, column int, less, ok bool) {
	x, ok := e.(*expr.Call)
	if !ok || len(x.Args) != 2 || !slices.Contains([]string{"<", "<=", ">", ">="}, x.Fn.Name) {
		return 0, 0, false, false
	}
	arg, value := x.Args[0], x.Args[1]
	less = x.Fn.Name[0] == '<'
	if _, swapped := arg.(*expr.Const); swapped {
		arg, value, less = value, arg, !less
	}
	k, ok := value.(*expr.Const)
	st, found := c.scanned(n, arg)
	if !ok || !found || !st.ranged || st.hi <= st.lo {
		return 0, 0, false, false
	}
	v, ok := number(k.Value)
	if !ok {
		return 0, 0, false, false
	}
	s := min(max((v-st.lo)/(st.hi-st.lo), 0), 1)
	if !less {
		s = 1 - s
	}
	return s, arg.(*expr.Column).Index, less, true
}

// scanned returns the statistics of e if it is a column of the scan n.
func (c *context) scanned(n plan.Node, e expr.Expr) (statistics, bool) {
	col, ok := e.(*expr.Column)
	s, isScan := n.(*plan.Scan)
	if !ok || !isScan || col.Index >= len(s.Columns) {
		return statistics{}, false
	}
	return c.column(s, col.Index), true
}

// minCategories is the least number of different texts that a text column is taken to have.
const minCategories = 10

// categories is distinct for conditions with constants. Where texts were not counted, those that people compare with constants are taken to
// be categories, far fewer than rows.
func (c *context) categories(n plan.Node, e expr.Expr) (float64, bool) {
	d, ok := c.distinct(n, e)
	if ok && !d.counted && e.Type().Kind == types.Varchar {
		d.n = min(d.n, max(math.Cbrt(d.n), minCategories))
	}
	return max(d.n, 1), ok
}
