package opt

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/vec"
)

// answerFromMetadata replaces an ungrouped aggregate over a whole table by a row of constants where every aggregate is count(*), or min or
// max of a column whose zone maps are exact.
func answerFromMetadata(c *context, n plan.Node) plan.Node {
	return rewrite(n, func(n plan.Node) plan.Node {
		a, ok := n.(*plan.Aggregate)
		if !ok || len(a.Keys) > 0 || len(a.Aggs) == 0 {
			return n
		}
		scan, ok := a.Input.(*plan.Scan)
		if !ok || len(scan.Filter) > 0 {
			return n
		}
		row := make([]expr.Expr, len(a.Aggs))
		for i := range a.Aggs {
			v := known(&a.Aggs[i], scan)
			if v == nil {
				return n
			}
			row[i] = &expr.Const{Value: v}
		}
		return materialize(&plan.Values{Rows: [][]expr.Expr{row}, Out: a.Out})
	})
}

// known is the value of an aggregate over a whole table, nil if it must be computed.
func known(a *plan.AggCall, s *plan.Scan) *vec.Vector {
	if a.Filter != nil || a.Distinct && a.Fn.Name == "count" {
		return nil
	}
	switch a.Fn.Name {
	case "count":
		for _, e := range a.Args {
			c, ok := e.(*expr.Column)
			if !ok || !c.NotNull || c.T.IsVariant() {
				return nil
			}
		}
		return vec.NewFlat(types.Of(types.BigInt), []int64{s.Table.Rows()}, nil)
	case "min", "max":
		if c, ok := a.Args[0].(*expr.Column); ok && c.Index < len(s.Columns) && a.Fn.Ret.Equal(s.Columns[c.Index].Type) {
			return extreme(s.Table, &s.Columns[c.Index], a.Fn.Name == "min")
		}
	}
	return nil
}

// extreme returns the smallest or largest value of a column from the zone maps of all segments; nil if they do not tell: rows outside
// segments, deleted rows, bounds that may be cut or rounded.
func extreme(t *catalog.Table, c *plan.ScanColumn, smallest bool) *vec.Vector {
	switch k := c.Type.Kind; {
	case len(c.Path) > 0, len(t.Batches) > 0, deleted(t), len(t.Segments) == 0:
		return nil
	case !c.Type.IsInteger() && k != types.Date && k != types.DateTime && k != types.TimestampTZ && k != types.Decimal:
		return nil
	}
	var best *vec.Vector
	for _, m := range t.Segments {
		at := -1
		for i := range m.Columns {
			if m.Columns[i].ID == c.ID && m.Columns[i].Type.Equal(c.Type) {
				at = i
			}
		}
		if at < 0 || at >= len(m.Zones) {
			return nil
		}
		z := &m.Zones[at]
		v := z.Max
		if smallest {
			v = z.Min
		}
		switch {
		case v == nil && z.Nulls == m.Rows:
			continue
		case v == nil || v.IsNull(0):
			return nil
		case best == nil, smallest && vec.Compare(v, 0, best, 0) < 0, !smallest && vec.Compare(v, 0, best, 0) > 0:
			best = v
		}
	}
	if best == nil {
		return vec.Flatten(vec.NewNull(c.Type, 1))
	}
	return vec.Flatten(best)
}

func deleted(t *catalog.Table) bool {
	for _, m := range t.Segments {
		if t.Deleted(m.ID) != nil {
			return true
		}
	}
	return false
}
