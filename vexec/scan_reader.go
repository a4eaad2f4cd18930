package vexec

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// scanReader reads units for one worker.
type scanReader struct {
	st    *scanState
	s     *scanSource
	w     *worker
	limit int

	unit scanUnit
	// rows is the number of rows of the unit; sel the rows that are left, nil for all.
	rows int
	sel  vec.Sel
	// holds tells which conditions are known to be true for all rows of the unit.
	holds []bool
	// cols are the columns read so far.
	cols []*vec.Vector
	// from is the next place in sel, or the next row if sel is nil, to be handed on.
	from int
}

func (r *scanReader) close() {}

func (r *scanReader) start(m int) error {
	r.unit, r.rows, r.sel, r.from = r.st.units[m], 0, nil, 0
	r.cols = make([]*vec.Vector, len(r.s.n.Columns))
	r.holds = make([]bool, len(r.s.conds))
	if r.unit.seg == nil {
		return r.startDelta()
	}
	return r.startPage()
}

// startPage finds the rows of a page that satisfy the conditions.
func (r *scanReader) startPage() error {
	seg, err := r.st.openUp(r.unit.seg)
	if err != nil || seg.skip {
		return err
	}
	if !r.prunePage() {
		return nil
	}
	r.st.read.Add(1)
	r.rows = seg.r.PageRows(r.unit.page)
	first := r.unit.page * segment.PageRows
	gone := r.s.n.Table.Deleted(seg.meta.ID).Ordinals(uint32(first), uint32(first+r.rows))
	if len(gone) > 0 {
		r.sel = without(gone, first, r.rows)
	}
	return r.filter()
}

// prunePage asks the zone maps of the page. It returns false if no row satisfies the conditions, and notes those that all rows do.
func (r *scanReader) prunePage() bool {
	for i, c := range r.s.conds {
		if c.pred == nil {
			continue
		}
		switch r.unit.seg.r.PrunePage([]segment.Predicate{*c.pred}, r.unit.page) {
		case segment.None:
			return false
		case segment.All:
			r.holds[i] = true
		}
	}
	for _, f := range r.s.filters {
		if f.pred == nil {
			continue
		}
		for _, p := range f.f.bounds(r.st.r) {
			p.Column, p.Path, p.Integer = f.pred.Column, f.pred.Path, f.pred.Integer
			if r.unit.seg.r.PrunePage([]segment.Predicate{p}, r.unit.page) == segment.None {
				return false
			}
		}
	}
	return true
}

// without returns the n rows from first on that are not in gone, which ascends, numbered from first.
func without(gone []uint32, first, n int) vec.Sel {
	out := make(vec.Sel, 0, n)
	for i := range n {
		if len(gone) > 0 && int(gone[0]) == first+i {
			gone = gone[1:]
			continue
		}
		out = append(out, uint16(i))
	}
	return out
}

// startDelta is startPage for delta batches.
func (r *scanReader) startDelta() error {
	for _, p := range r.unit.delta {
		n := p.to - p.from
		gone := r.s.n.Table.Deleted(p.b.ID).Ordinals(uint32(p.from), uint32(p.to))
		if len(gone) > 0 && r.sel == nil {
			r.sel = vec.SelectAll(r.rows)
		}
		if r.sel != nil {
			for _, i := range without(gone, p.from, n) {
				r.sel = append(r.sel, uint16(r.rows)+i)
			}
		}
		r.rows += n
	}
	return r.filter()
}

// filter narrows sel condition by condition, reading only what the next one needs.
func (r *scanReader) filter() error {
	if r.st.r.env.Options.NoLateMaterialization {
		for c := range r.cols {
			if _, err := r.column(c); err != nil {
				return err
			}
		}
	}
	if err := r.filterLive(false); err != nil {
		return err
	}
	for i, cond := range r.s.conds {
		if r.left() == 0 {
			return nil
		}
		if r.holds[i] {
			continue
		}
		b, err := r.batchOf(cond.cols)
		if err != nil {
			return err
		}
		sel, err := expr.Select(r.w.run.env.Fn, cond.e, b)
		if err != nil {
			return err
		}
		r.narrow(sel, b.Len)
	}
	return r.filterLive(true)
}

// filterLive narrows sel by what operators behind the scan have found out.
func (r *scanReader) filterLive(late bool) error {
	for _, f := range r.s.filters {
		if r.left() == 0 {
			return nil
		}
		if f.f.late() != late || !f.f.known(r.st.r) {
			continue
		}
		b, err := r.batchOf(f.cols)
		if err != nil {
			return err
		}
		v, err := f.key.Eval(r.w.run.env.Fn, b)
		if err != nil {
			return err
		}
		if sel, all := f.f.keep(r.st.r, v, b.Len); !all {
			r.narrow(sel, b.Len)
		}
	}
	return nil
}

// batchOf returns a batch of the rows left with the given columns.
func (r *scanReader) batchOf(cols []int) (*vec.Batch, error) {
	b := vec.NewBatch(r.left())
	b.Cols = make([]*vec.Vector, len(r.cols))
	for _, c := range cols {
		v, err := r.column(c)
		if err != nil {
			return nil, err
		}
		if r.sel != nil {
			v = vec.GatherSel(v, r.sel)
		}
		b.Cols[c] = v
	}
	return b, nil
}

// narrow leaves of the n rows left those in sel.
func (r *scanReader) narrow(sel vec.Sel, n int) {
	switch {
	case len(sel) == n:
	case r.sel == nil:
		r.sel = sel
		if sel == nil {
			r.sel = vec.Sel{}
		}
	default:
		r.sel = r.sel.Compose(sel)
	}
}

// left returns how many rows of the unit satisfy the conditions so far.
func (r *scanReader) left() int {
	if r.sel == nil {
		return r.rows
	}
	return len(r.sel)
}

// next hands the rows left on, in portions.
func (r *scanReader) next() (*vec.Batch, error) {
	n := min(r.left()-r.from, r.limit)
	if n == 0 {
		return nil, nil
	}
	from, to := r.from, r.from+n
	r.from = to
	part := func(v *vec.Vector) *vec.Vector {
		if r.sel == nil {
			return v.Slice(from, to)
		}
		return vec.GatherSel(v, r.sel[from:to])
	}
	b := vec.NewBatch(n)
	b.Cols = make([]*vec.Vector, 0, len(r.cols)+2)
	for c := range r.cols {
		if !r.s.wanted[c] {
			b.Cols = append(b.Cols, nil)
			continue
		}
		v, err := r.column(c)
		if err != nil {
			return nil, err
		}
		b.Cols = append(b.Cols, part(v))
	}
	if r.s.n.RowIDs {
		ids, ordinals := r.rowIDs()
		b.Cols = append(b.Cols, part(ids), part(ordinals))
	}
	return b, nil
}

// rowIDs returns the ids and ordinals of all rows of the unit.
func (r *scanReader) rowIDs() (ids, ordinals *vec.Vector) {
	big := types.Of(types.BigInt)
	ord := make([]int64, r.rows)
	if r.unit.seg != nil {
		for i := range ord {
			ord[i] = int64(r.unit.page*segment.PageRows + i)
		}
		one := vec.NewFlat(big, []int64{int64(r.unit.seg.meta.ID)}, nil)
		return vec.NewConstant(one, r.rows), vec.NewFlat(big, ord, nil)
	}
	id := make([]int64, 0, r.rows)
	for _, p := range r.unit.delta {
		for i := p.from; i < p.to; i++ {
			ord[len(id)] = int64(i)
			id = append(id, int64(p.b.ID))
		}
	}
	return vec.NewFlat(big, id, nil), vec.NewFlat(big, ord, nil)
}

// column returns output column c of all rows of the unit.
func (r *scanReader) column(c int) (*vec.Vector, error) {
	if r.cols[c] != nil {
		return r.cols[c], nil
	}
	read := r.deltaColumn
	if r.unit.seg != nil {
		read = r.pageColumn
	}
	v, err := read(&r.s.n.Columns[c])
	r.cols[c] = v
	return v, err
}

func (r *scanReader) pageColumn(c *plan.ScanColumn) (*vec.Vector, error) {
	seg := r.unit.seg
	for i := range seg.meta.Columns {
		if seg.meta.Columns[i].ID != c.ID {
			continue
		}
		v, err := seg.r.Read(segment.Want{Column: c.ID, Path: c.Path, Type: c.Type}, r.unit.page)
		if err != nil {
			return nil, err
		}
		return r.converted(v, c)
	}
	return r.missing(c, r.rows), nil
}

// converted casts values that were written before the type of their column was changed.
func (r *scanReader) converted(v *vec.Vector, c *plan.ScanColumn) (*vec.Vector, error) {
	t := c.Type
	same := v.Type.Kind == t.Kind && v.Type.Scale == t.Scale && v.Type.Phys() == t.Phys()
	if same || len(c.Path) > 0 || v.Type.IsVariant() && t.IsVariant() {
		return v, nil
	}
	return function.Cast(r.w.run.env.Fn, v, t, false)
}

// missing returns n rows of a column that was added after they were written.
func (r *scanReader) missing(c *plan.ScanColumn, n int) *vec.Vector {
	col := r.s.n.Table.Column(c.ID)
	if col == nil || col.DefaultValue == nil {
		return vec.NewNull(c.Type, n)
	}
	return pathOf(vec.NewConstant(vec.Flatten(col.DefaultValue), n), c)
}

func (r *scanReader) deltaColumn(c *plan.ScanColumn) (*vec.Vector, error) {
	parts := make([]*vec.Vector, len(r.unit.delta))
	for i, p := range r.unit.delta {
		v, err := r.partColumn(p, c)
		if err != nil || len(parts) == 1 {
			return v, err
		}
		parts[i] = flat(v)
	}
	return vec.Concat(c.Type, parts...), nil
}

func (r *scanReader) partColumn(p deltaPart, c *plan.ScanColumn) (*vec.Vector, error) {
	for i, id := range p.b.Columns {
		if id == c.ID {
			return r.converted(pathOf(p.b.Data.Cols[i].Slice(p.from, p.to), c), c)
		}
	}
	return r.missing(c, p.to-p.from), nil
}

// pathOf takes the path of a scan column out of a whole column.
func pathOf(v *vec.Vector, c *plan.ScanColumn) *vec.Vector {
	if len(c.Path) == 0 {
		return v
	}
	steps := make([]variant.Step, len(c.Path))
	for i, k := range c.Path {
		steps[i] = variant.Step{Key: k}
	}
	return variant.PathVector(v, steps)
}
