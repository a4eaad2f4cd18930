package opt

import (
	"math"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// statistics is what the catalogue tells of a column over all rows of its table.
type statistics struct {
	// distinct bounds the number of different values; counted tells that they were counted, and are not only bounded by rows and range.
	distinct float64
	counted  bool
	// nulls is the share of NULLs, negative if unknown.
	nulls float64
	// lo and hi are the range of integers, dates and decimals, the latter without their point; ranged tells that it is known.
	lo, hi float64
	ranged bool
}

// ndv is a number of different values.
type ndv struct {
	n float64
	// rows is the rows of the table that has the values.
	rows float64
	// counted tells that they were counted; otherwise n is no more than a bound.
	counted bool
}

// columnKey names a column of a version of a table.
type columnKey struct {
	table *catalog.Table
	id    catalog.ColumnID
}

// column returns the statistics of a scan's column.
func (c *context) column(s *plan.Scan, i int) statistics {
	rows := float64(max(s.Table.Rows(), 1))
	col := &s.Columns[i]
	if len(col.Path) > 0 {
		return statistics{distinct: rows, nulls: -1}
	}
	key := columnKey{s.Table, col.ID}
	if st, ok := c.columns[key]; ok {
		return st
	}
	st := gather(s.Table, col.ID)
	st.distinct = min(st.distinct, rows)
	if st.ranged {
		st.distinct = min(st.distinct, st.hi-st.lo+1)
	}
	if col.Type.Kind == types.Boolean {
		st.distinct, st.counted = min(rows, 2), true
	}
	c.columns[key] = st
	return st
}

// gather joins what is known of a column in the segments of a table. Rows of delta batches are taken to be like the others.
func gather(t *catalog.Table, id catalog.ColumnID) statistics {
	st := statistics{distinct: math.Inf(1), nulls: -1}
	if len(t.Segments) == 0 {
		return st
	}
	var sketch vec.Sketch
	var rows, nulls int64
	lo, hi, counted, ranged := math.Inf(1), math.Inf(-1), true, len(t.Batches) == 0
	for _, m := range t.Segments {
		z := zone(m, id)
		if z == nil {
			return st
		}
		rows, nulls = rows+z.Rows, nulls+z.Nulls
		if z.Distinct != nil {
			sketch.Merge(z.Distinct)
		}
		counted = counted && z.Distinct != nil
		if ranged && z.Nulls < z.Rows {
			a, aok := number(z.Min)
			b, bok := number(z.Max)
			lo, hi, ranged = min(lo, a), max(hi, b), aok && bok
		}
	}
	if rows > 0 {
		st.nulls = float64(nulls) / float64(rows)
	}
	if ranged && lo <= hi {
		st.lo, st.hi, st.ranged = lo, hi, true
	}
	if counted {
		st.distinct, st.counted = max(sketch.Estimate(), 1), true
		for _, b := range t.Batches {
			st.distinct += float64(b.Data.Len)
		}
	}
	return st
}

// zone returns the zone map of a column in a segment, nil if the segment was written before the column was added.
func zone(m *segment.Meta, id catalog.ColumnID) *segment.ZoneMap {
	for i := range m.Columns {
		if m.Columns[i].ID == id && i < len(m.Zones) {
			return &m.Zones[i]
		}
	}
	return nil
}

// number reads a one-row vector of an integer, date, timestamp or short decimal type.
func number(v *vec.Vector) (float64, bool) {
	if v == nil || v.IsNull(0) {
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
