package vexec

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/variant"
)

// directWrite is the short way of VARIANT values from staged files to the segments of a table: the scanner drives the shredder of the
// segment that its worker has open, instead of encoding values that the shredder would take apart again. The other columns, and the
// number of rows, go through the pipeline, whose batches have nil in the place of these values.
type directWrite struct {
	to *writer
	// columns has the table's column for each column of the scan, -1 for those that go through the pipeline.
	columns []int
}

// directWriteOf returns the short way for n, nil if no VARIANT column arrives there as the scan read it.
func directWriteOf(n *plan.Write, w *writer) *directWrite {
	// Sorted segments need the values to move them.
	if len(n.Table.SortKey) > 0 {
		return nil
	}
	from := make([]int, len(n.Table.Columns))
	for i := range from {
		from[i] = i
	}
	node := n.Input
	for {
		p, ok := node.(*plan.Project)
		if !ok {
			break
		}
		from = traceColumns(from, p)
		node = p.Input
	}
	scan, ok := node.(*plan.StageScan)
	if !ok {
		return nil
	}
	d := &directWrite{to: w, columns: make([]int, len(scan.Out))}
	for i := range d.columns {
		d.columns[i] = -1
	}
	for i, c := range n.Table.Columns {
		if j := from[i]; j >= 0 && c.Type.IsVariant() && scan.Out[j].Type.IsVariant() && (!c.NotNull || neverNull(scan, j)) {
			d.columns[j] = i
		}
	}
	if !slices.ContainsFunc(d.columns, func(i int) bool { return i >= 0 }) {
		return nil
	}
	return d
}

// traceColumns follows columns of a projection to its input: -1 for those that are computed, or read by something else too.
func traceColumns(from []int, p *plan.Project) []int {
	reads := map[int]int{}
	for _, e := range p.Exprs {
		for _, c := range expr.Columns(e) {
			reads[c]++
		}
	}
	out := make([]int, len(from))
	for i, at := range from {
		out[i] = -1
		if at < 0 {
			continue
		}
		if c, ok := p.Exprs[at].(*expr.Column); ok && reads[c.Index] == 1 {
			out[i] = c.Index
		}
	}
	return out
}

// neverNull tells whether the scan itself refuses NULLs in a column: they are its bad rows.
func neverNull(scan *plan.StageScan, column int) bool {
	return scan.Read.WholeRow || scan.Read.Targets[column].NotNull
}

// directStep is the short way of one worker.
type directStep struct {
	d    *directWrite
	to   *writeStep
	out  *segment.Writer // whose shredders are in list
	list []variant.RowSink
}

func (d *directWrite) local(w *worker) (*directStep, error) {
	s, err := w.run.sinks[d.to].local(w)
	if err != nil {
		return nil, err
	}
	return &directStep{d: d, to: s.(*writeStep)}, nil
}

// sinks returns where the values of the next rows go, by column of the scan, and how many rows there is room for. While the worker has no
// segment open, because it may not have rows enough for one, they go into batches.
func (s *directStep) sinks() ([]variant.RowSink, int) {
	out := s.to.out
	if out == nil {
		return nil, segment.MaxRows
	}
	if out != s.out {
		s.out, s.list = out, make([]variant.RowSink, len(s.d.columns))
		for j, i := range s.d.columns {
			if i >= 0 {
				s.list[j] = out.VariantShredder(i)
			}
		}
	}
	return s.list, int(segment.MaxRows - s.to.outRows)
}
