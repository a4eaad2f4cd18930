package opt

import (
	"math"
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
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
	recursionFactor    = 10
	// workingRows makes everything else in a step the build side of joins with the rows of the last step: hash tables over it are built once.
	workingRows = 1e9
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
	case *plan.Recursive:
		return recursionFactor * c.estimate(x.Base)
	case *plan.Working:
		return workingRows
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
		product *= d.n
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
	return min(1, c.estimate(j.Right)/max(d.n, 1))
}

// keyDivisor guesses by how much equalities of keys cut a cross product: the different values of the side that has more, where they were
// counted. Bounds may be far too high, and then the lower one is the better guess. Further keys count less, since keys of one join tend to
// depend on one another.
func (c *context) keyDivisor(left, right plan.Node, leftKeys, rightKeys []expr.Expr) float64 {
	var keys []keyPair
	for i := range leftKeys {
		x, xok := c.distinct(left, leftKeys[i])
		y, yok := c.distinct(right, rightKeys[i])
		keys = append(keys, keyPair{guess{x, xok}, guess{y, yok}})
	}
	return divisor(keys, c.estimate(left), c.estimate(right))
}

// guess is a number of different values, if it is known.
type guess struct {
	ndv
	known bool
}

// keyPair are the two sides of a key.
type keyPair struct{ left, right guess }

// divisor guesses by how much keys cut the cross product of l and r rows.
func divisor(keys []keyPair, l, r float64) float64 {
	if len(keys) == 0 {
		return 1
	}
	var space [8]float64
	single := space[:0]
	var leftRows, rightRows float64 // of the tables that keys come from
	for _, k := range keys {
		single = append(single, max(k.divisor(l, r), 1))
		leftRows, rightRows = max(leftRows, k.left.rows), max(rightRows, k.right.rows)
	}
	slices.Sort(single)
	out := single[0]
	for _, d := range single[1:] {
		// Each key counts the square root of all that are weaker.
		out = d * math.Sqrt(out)
	}
	// A side cannot have more different key tuples than its table has rows.
	most := min(leftRows, rightRows)
	if most == 0 {
		most = min(l, r)
	}
	return min(out, max(most, single[len(single)-1]))
}

// divisor is that of a single key.
func (k keyPair) divisor(l, r float64) float64 {
	x, y := k.left, k.right
	switch {
	case x.known && y.known && x.counted && y.counted:
		return max(x.n, y.n)
	case x.known && y.known:
		return min(x.n, y.n)
	case x.known:
		return x.n
	case y.known:
		return y.n
	}
	return math.Sqrt(min(l, r))
}

// distinct guesses how many values e has over the rows of n, before filters. It follows columns down to scans.
func (c *context) distinct(n plan.Node, e expr.Expr) (ndv, bool) {
	col, ok := e.(*expr.Column)
	if !ok {
		if k, isCast := e.(*expr.Cast); isCast {
			return c.distinct(n, k.Arg)
		}
		return ndv{}, false
	}
	switch x := n.(type) {
	case *plan.Scan:
		if col.Index >= len(x.Columns) {
			return ndv{}, false
		}
		st := c.column(x, col.Index)
		return ndv{st.distinct, float64(x.Table.Rows()), st.counted}, true
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
				return ndv{n: c.estimate(x), rows: c.estimate(x)}, true
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
	return ndv{}, false
}
