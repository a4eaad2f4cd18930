package opt

import (
	"math"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Guesses where nothing is known. They only order alternatives; results never depend on them.
const (
	defaultRows        = 1000 // rows of staged files
	defaultSelectivity = 0.25
	rangeSelectivity   = 0.3
	likeSelectivity    = 0.1
	nullSelectivity    = 0.1
	havingSelectivity  = 0.05 // a condition on an aggregate picks the outstanding groups
	explodeFactor      = 5
	groupShare         = 0.1
)

// estimate guesses how many rows a node yields; at least 1.
func (c *context) estimate(n plan.Node) float64 {
	if r, ok := c.rows[n]; ok {
		return r
	}
	r := max(c.guess(n), 1)
	c.rows[n] = r
	return r
}

func (c *context) guess(n plan.Node) float64 {
	switch x := n.(type) {
	case *plan.Scan:
		return float64(x.Table.Rows()) * c.selectivity(x.Filter, x)
	case *plan.Values:
		return float64(len(x.Rows))
	case *plan.Batches:
		rows := 0
		for _, b := range x.Data {
			rows += b.Len
		}
		return float64(rows)
	case *plan.StageScan:
		return defaultRows * float64(len(x.Files))
	case *plan.Filter:
		if _, having := x.Input.(*plan.Aggregate); having {
			return c.estimate(x.Input) * havingSelectivity
		}
		return c.estimate(x.Input) * c.selectivity(expr.Conjuncts(x.Cond), x.Input)
	case *plan.Aggregate:
		return c.groups(x)
	case *plan.Join:
		return c.joinRows(x)
	case *plan.Limit:
		return limited(c.estimate(x.Input), x.Count)
	case *plan.Sort:
		return limited(c.estimate(x.Input), x.Limit)
	case *plan.Union:
		total := 0.0
		for _, in := range x.Inputs {
			total += c.estimate(in)
		}
		return total
	case *plan.Explode:
		return explodeFactor * c.estimate(x.Input)
	case *plan.Shared:
		return c.estimate(x.Def.Plan)
	case *plan.Expand:
		return float64(len(x.Sets)) * c.estimate(x.Input)
	}
	if in := n.Children(); len(in) > 0 {
		return c.estimate(in[0])
	}
	return 1
}

func limited(rows float64, limit int64) float64 {
	if limit >= 0 {
		return min(rows, float64(limit))
	}
	return rows
}

func (c *context) groups(a *plan.Aggregate) float64 {
	if len(a.Keys) == 0 {
		return 1
	}
	in := c.estimate(a.Input)
	product := 1.0
	for _, k := range a.Keys {
		d, known := c.distinct(a.Input, k)
		if !known {
			return max(in*groupShare, 1)
		}
		product *= d
	}
	return min(product, in)
}

func (c *context) joinRows(j *plan.Join) float64 {
	l, r := c.estimate(j.Left), c.estimate(j.Right)
	switch j.Kind {
	case plan.Mark, plan.Exists, plan.Single:
		return l
	case plan.Semi:
		return l * c.semiShare(j)
	case plan.Anti, plan.NullAwareAnti:
		return l * 0.5
	}
	rows := l * r / c.keyDivisor(j.Left, j.Right, j.LeftKeys, j.RightKeys)
	for range expr.Conjuncts(j.Cond) {
		rows *= rangeSelectivity
	}
	switch j.Kind {
	case plan.Left:
		rows = max(rows, l)
	case plan.Right:
		rows = max(rows, r)
	case plan.Full:
		rows = max(rows, l, r)
	}
	return rows
}

// semiShare guesses which part of the left rows finds a match: the share of key values that the right side can have.
func (c *context) semiShare(j *plan.Join) float64 {
	if len(j.LeftKeys) == 0 {
		return 0.5
	}
	d, ok := c.distinct(j.Left, j.LeftKeys[0])
	if !ok {
		return 0.5
	}
	return min(1, c.estimate(j.Right)/max(d, 1))
}

// keyDivisor guesses by how much equalities of keys cut a cross product: the distinct values of the side that has fewer, which is right for
// keys and foreign keys. Further keys count less, since keys of one join tend to depend on one another.
func (c *context) keyDivisor(left, right plan.Node, leftKeys, rightKeys []expr.Expr) float64 {
	var ds []float64
	for i := range leftKeys {
		l, lok := c.distinct(left, leftKeys[i])
		r, rok := c.distinct(right, rightKeys[i])
		switch {
		case lok && rok:
			ds = append(ds, min(l, r))
		case lok:
			ds = append(ds, l)
		case rok:
			ds = append(ds, r)
		default:
			ds = append(ds, max(math.Sqrt(min(c.estimate(left), c.estimate(right))), 1))
		}
	}
	out, weight, most := 1.0, 1.0, min(c.estimate(left), c.estimate(right))
	for len(ds) > 0 {
		largest := 0
		for i := range ds {
			if ds[i] > ds[largest] {
				largest = i
			}
		}
		if weight == 1 {
			most = max(most, ds[largest])
		}
		out *= math.Pow(max(ds[largest], 1), weight)
		weight /= 2
		ds = append(ds[:largest], ds[largest+1:]...)
	}
	// A side cannot have more different key tuples than rows.
	return min(out, most)
}

// distinct guesses how many values e has over the rows of n, before filters. It follows columns down to scans.
func (c *context) distinct(n plan.Node, e expr.Expr) (float64, bool) {
	col, ok := e.(*expr.Column)
	if !ok {
		if k, isCast := e.(*expr.Cast); isCast {
			return c.distinct(n, k.Arg)
		}
		return 0, false
	}
	switch x := n.(type) {
	case *plan.Scan:
		if col.Index >= len(x.Columns) {
			return 0, false
		}
		return distinctOf(x, col.Index), true
	case *plan.Shared:
		return c.distinct(x.Def.Plan, plan.Moved(col, x.Column(col.Index)))
	case *plan.Filter:
		return c.distinct(x.Input, e)
	case *plan.Sort:
		return c.distinct(x.Input, e)
	case *plan.Limit:
		return c.distinct(x.Input, e)
	case *plan.Project:
		return c.distinct(x.Input, x.Exprs[col.Index])
	case *plan.Aggregate:
		if col.Index < len(x.Keys) {
			if len(x.Keys) == 1 {
				return c.estimate(x), true
			}
			return c.distinct(x.Input, x.Keys[col.Index])
		}
	case *plan.Join:
		w := len(x.Left.Schema())
		if col.Index < w {
			return c.distinct(x.Left, e)
		}
		if x.Kind.YieldsRight() {
			return c.distinct(x.Right, plan.Moved(col, col.Index-w))
		}
	}
	return 0, false
}

// distinctOf bounds the distinct values of a scan's column by the table's rows and, for integers and dates, by its range.
func distinctOf(s *plan.Scan, i int) float64 {
	rows := float64(max(s.Table.Rows(), 1))
	if lo, hi, ok := bounds(s, i); ok {
		return min(rows, hi-lo+1)
	}
	if s.Columns[i].Type.Kind == types.Boolean {
		return min(rows, 2)
	}
	return rows
}

// bounds returns the range of an integer or date column over all segments.
func bounds(s *plan.Scan, i int) (lo, hi float64, ok bool) {
	c := &s.Columns[i]
	if len(c.Path) > 0 || len(s.Table.Segments) == 0 || len(s.Table.Batches) > 0 {
		return 0, 0, false
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, m := range s.Table.Segments {
		at := -1
		for k := range m.Columns {
			if m.Columns[k].ID == c.ID {
				at = k
			}
		}
		if at < 0 || at >= len(m.Zones) || m.Zones[at].Min == nil || m.Zones[at].Max == nil {
			return 0, 0, false
		}
		a, aok := number(m.Zones[at].Min)
		b, bok := number(m.Zones[at].Max)
		if !aok || !bok {
			return 0, 0, false
		}
		lo, hi = min(lo, a), max(hi, b)
	}
	return lo, hi, true
}

// number reads a one-row vector of an integer, date or timestamp type.
func number(v *vec.Vector) (float64, bool) {
	if v.IsNull(0) {
		return 0, false
	}
	h, i := v.At(0)
	switch d := h.Data.(type) {
	case []int8:
		return float64(d[i]), true
	case []int16:
		return float64(d[i]), true
	case []int32:
		return float64(d[i]), true
	case []int64:
		return float64(d[i]), true
	}
	return 0, false
}
