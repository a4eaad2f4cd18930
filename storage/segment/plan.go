package segment

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// columnPlan is a column ready to be written: its schema nodes, its leaves in file order, and the directory entries that wait for the
// places of their pages.
type columnPlan struct {
	nodes    []*parquetio.Node // the column, and for a VARIANT with exact numbers the column beside it
	cols     []*parquetio.ColumnWriter
	entries  []*entry
	ownTypes []string
	ownKinds []string
	nulls    int64 // of variants and nested types
	losses   Losses
}

// plan completes a column of rows rows.
func (s *columnState) plan(rows int) *columnPlan {
	p := &columnPlan{}
	if s.shredder != nil {
		p.shredded(s, rows)
		return p
	}
	s.flush()
	p.nulls = s.nulls
	s.annotate(p)
	p.nodes, p.cols = []*parquetio.Node{s.node}, s.cols
	e := &entry{column: s.col.ID, key: entryKey(s.col.ID, nil), leaves: []*leafEntry{}}
	for _, c := range s.cols {
		e.leaves = append(e.leaves, newLeafEntry(c))
	}
	p.entries = []*entry{e}
	return p
}

// annotate names the types that Parquet lacks. LARGEINT passes for DECIMAL(38, 0) in segments whose values have that few digits.
func (s *columnState) annotate(p *columnPlan) {
	store, scalar := parquetio.StoreOf(s.col.Type)
	if !scalar || store.Lossless {
		return
	}
	if s.col.Type.Kind == types.LargeInt {
		if min, max, ok := zoneBounds(s.cols[0].Total(), store.Leaf, s.col.Type); ok && fits38(min) && fits38(max) {
			s.node.Annotation = parquetio.Annotation{Logical: parquetio.LogicalDecimal, Precision: 38}
		}
	}
	p.ownTypes = append(p.ownTypes, s.col.Name+"="+s.col.Type.String())
}

// fits38 tells whether a LARGEINT bound has at most 38 digits.
func fits38(v *vec.Vector) bool {
	x := vec.Slice[types.Int128](v)[0]
	limit, _ := types.Pow10(38).Sub(types.Int128From(1))
	return x.Cmp(limit) <= 0 && x.Cmp(limit.Neg()) >= 0
}

// newLeafEntry makes an entry that finish completes with the place of the leaf's pages.
func newLeafEntry(c *parquetio.ColumnWriter) *leafEntry {
	l := &leafEntry{}
	for _, wp := range c.Pages() {
		l.pages = append(l.pages, pageEntry{loc: parquetio.PageLoc{Offset: wp.Offset, Bytes: wp.Bytes}, entries: wp.Entries,
			values: int(wp.Stats.Values), min: wp.Stats.Min, max: wp.Stats.Max, noBounds: wp.Stats.NoBounds})
	}
	return l
}

// finish puts the places of the leaves into the entries. cols and chunks are those of the whole file, in order.
func (p *columnPlan) finish(cols []*parquetio.ColumnWriter, chunks []parquetio.ChunkPages) []*entry {
	first := 0
	for first < len(cols) && len(p.cols) > 0 && cols[first] != p.cols[0] {
		first++
	}
	n := first
	place := func(l *leafEntry) {
		l.num, l.chunk = n, chunks[n].Chunk
		for i := range l.pages {
			l.pages[i].loc.Offset += chunks[n].Data
		}
		n++
	}
	for _, e := range p.entries {
		for _, l := range e.leaves {
			place(l)
		}
		for _, l := range []*leafEntry{e.meta, e.value} {
			if l != nil {
				place(l)
			}
		}
		if e.hasEmpty {
			n++
		}
		if e.typed != nil {
			place(e.typed)
		}
	}
	for _, e := range p.entries {
		if e.exact != nil {
			place(e.exact)
		}
	}
	for _, e := range p.entries {
		if e.second != nil {
			place(e.second)
		}
	}
	return p.entries
}

// zone returns the zone map of the column.
func (p *columnPlan) zone(col Column, rows int64) ZoneMap {
	z := ZoneMap{Rows: rows, Nulls: p.nulls}
	if col.Type.IsVariant() {
		return z
	}
	store, scalar := parquetio.StoreOf(col.Type)
	if !scalar {
		return z
	}
	total := p.cols[0].Total()
	z.Nulls, z.Distinct = total.Nulls, p.cols[0].Distinct()
	if min, max, ok := zoneBounds(total, store.Leaf, col.Type); ok {
		z.Min, z.Max = min, max
	}
	return z
}

// zoneBounds returns bounds of a column as one-row vectors of its type; false if there are none.
func zoneBounds(s parquetio.Stats, leaf parquetio.LeafInfo, t types.Type) (min, max *vec.Vector, ok bool) {
	if s.NoBounds || s.Min == nil || s.Max == nil {
		return nil, nil, false
	}
	min, err := parquetio.BoundVector(s.Min, leaf, t)
	if err != nil {
		return nil, nil, false
	}
	max, err = parquetio.BoundVector(s.Max, leaf, t)
	return min, max, err == nil
}

// The most names, and their length together, that the rows of a VARIANT column share as one dictionary.
const (
	maxNames     = 16 << 10
	maxNameBytes = 256 << 10
)

// shredOptions are the layout properties of a column.
func shredOptions(t types.Type) variant.Options {
	if t.Kind == types.JSON {
		return variant.Options{Plain: true, MaxNames: maxNames, MaxNameBytes: maxNameBytes}
	}
	o := variant.Options{MaxSubcolumns: t.Variant.SubcolumnLimit(), PageRows: PageRows, MaxNames: maxNames, MaxNameBytes: maxNameBytes}
	if t.Variant != nil {
		o.CountDeclared = t.Variant.Props.TypedPathsToSparse
	}
	return o
}
