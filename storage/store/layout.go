package store

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// bundle is sources of one table that are rewritten together.
type bundle struct {
	t       *catalog.Table
	sources []*source
	// stored has, for each column of the table, how a new segment stores it, nil while no source has it.
	stored []*segment.Column
	// lacking tells which columns some source lacks.
	lacking []bool
	live    int
	bytes   int64
}

// limits bound a bundle.
type limits struct {
	rows  int
	bytes int64
}

// bundles cuts a list of sources into runs that can share segments and keep to the limits.
func bundles(t *catalog.Table, sources []*source, lim limits) []*bundle {
	var out []*bundle
	for _, src := range sources {
		if n := len(out); n == 0 || !out[n-1].fits(src, lim) || !out[n-1].add(src) {
			b := &bundle{t: t, stored: make([]*segment.Column, len(t.Columns)), lacking: make([]bool, len(t.Columns))}
			b.add(src)
			out = append(out, b)
		}
	}
	return out
}

func (b *bundle) fits(src *source, lim limits) bool {
	return b.live+src.live() <= lim.rows && b.bytes+src.bytes <= lim.bytes
}

// add adds a source. It fails if the source stores a column in another type than those before it.
func (b *bundle) add(src *source) bool {
	stored, lacking := make([]*segment.Column, len(b.stored)), make([]bool, len(b.stored))
	for i := range b.t.Columns {
		c := &b.t.Columns[i]
		stored[i], lacking[i] = b.stored[i], b.lacking[i]
		if k := columnIndex(src.columns, c.ID); k < 0 {
			lacking[i] = true
		} else {
			as := storedAs(c, src.columns[k])
			if stored[i] != nil && !stored[i].Type.Equal(as.Type) {
				return false
			}
			stored[i] = &as
		}
		// What sources lack is filled with the default, which has the type that the column has now.
		if lacking[i] && stored[i] != nil && c.DefaultValue != nil && !c.DefaultValue.Type.Equal(stored[i].Type) {
			return false
		}
	}
	b.stored, b.lacking = stored, lacking
	b.sources = append(b.sources, src)
	b.live += src.live()
	b.bytes += src.bytes
	return true
}

// storedAs returns how a new segment stores a table column that a source stores as from: under the type that the column has now if that
// only changes the layout of a VARIANT or a parameter that no value depends on, such as the length of VARCHAR. After other changes of the
// type, old values keep theirs until they are read.
func storedAs(c *catalog.Column, from segment.Column) segment.Column {
	out := segment.Column{ID: c.ID, Name: c.Name, Type: from.Type, NotNull: c.NotNull}
	if p := c.Type.Phys(); c.Type.Kind == from.Type.Kind && c.Type.Kind != types.Decimal && p != types.PhysList && p != types.PhysStruct {
		out.Type = c.Type
	}
	return out
}

// layout says how the columns of sources become those of one new segment.
type layout struct {
	columns []segment.Column
	// fill holds, for each column, the one-row value for sources that lack it; nil for NULL.
	fill []*vec.Vector
}

// layout returns the layout of a segment for the bundle. A column that no source has is left out: readers take its default, as before.
func (b *bundle) layout() *layout {
	l := &layout{}
	for i, c := range b.stored {
		if c != nil {
			l.columns = append(l.columns, *c)
			l.fill = append(l.fill, b.t.Columns[i].DefaultValue)
		}
	}
	if len(l.columns) == 0 {
		// The columns that the rows were written with were all dropped. The rows are there all the same.
		c := &b.t.Columns[0]
		l.columns = []segment.Column{{ID: c.ID, Name: c.Name, Type: c.Type, NotNull: c.NotNull}}
		l.fill = []*vec.Vector{c.DefaultValue}
	}
	return l
}

func columnIndex(columns []segment.Column, id segment.ColumnID) int {
	for i := range columns {
		if columns[i].ID == id {
			return i
		}
	}
	return -1
}

// arrange brings a page of a source into the layout.
func (l *layout) arrange(src *source, b *vec.Batch) *vec.Batch {
	out := &vec.Batch{Len: b.Len, Cols: make([]*vec.Vector, len(l.columns))}
	for i, c := range l.columns {
		k := columnIndex(src.columns, c.ID)
		switch {
		case k >= 0 && b.Cols[k].Type.Equal(c.Type):
			out.Cols[i] = b.Cols[k]
		case k >= 0:
			// See storedAs: the values are the same.
			out.Cols[i] = b.Cols[k].Retype(c.Type)
		case l.fill[i] == nil:
			out.Cols[i] = vec.NewNull(c.Type, b.Len)
		default:
			out.Cols[i] = vec.NewConstant(vec.Flatten(l.fill[i]), b.Len)
		}
	}
	return out
}
