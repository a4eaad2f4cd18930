package store

import (
	"cmp"
	"slices"

	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// sortKeys returns the places of the sort key columns in a layout. A column that no source has is equal in all rows.
func sortKeys(t *catalog.Table, l *layout) []int {
	var out []int
	for _, id := range t.SortKey {
		if k := columnIndex(l.columns, id); k >= 0 && !l.columns[k].Type.IsVariant() {
			out = append(out, k)
		}
	}
	return out
}

// sorted writes the rows of all sources in the order of their sort key; rows with equal keys keep their order. It holds all of them in
// memory, as the writer of the segment does anyway; those who choose the sources bound their size.
func (r *rewriter) sorted(keys []int) error {
	parts := make([][]*vec.Vector, len(r.layout.columns))
	// from[i] tells which row of which source the row i of the joined parts was.
	type origin struct {
		source  int
		ordinal uint32
	}
	var from []origin
	for i, src := range r.sources {
		r.moved = append(r.moved, newMoved(src))
		err := r.each(src, func(b *vec.Batch, ordinals []uint32) error {
			for c, v := range b.Cols {
				parts[c] = append(parts[c], v)
			}
			for _, o := range ordinals {
				from = append(from, origin{i, o})
			}
			return nil
		})
		if err != nil || len(from) == 0 && i == len(r.sources)-1 {
			return err
		}
	}
	all := &vec.Batch{Len: len(from)}
	for c, p := range parts {
		all.Cols = append(all.Cols, vec.Concat(r.layout.columns[c].Type, p...))
	}
	order := sortedOrder(all, keys)
	for next, row := range order {
		r.moved[from[row].source][from[row].ordinal] = uint32(next)
	}
	for len(order) > 0 {
		page := order[:min(len(order), segment.PageRows)]
		order = order[len(page):]
		b := &vec.Batch{Len: len(page)}
		for _, v := range all.Cols {
			b.Cols = append(b.Cols, vec.GatherRows(v, page))
		}
		if err := r.out.append(b); err != nil {
			return err
		}
	}
	return nil
}

// sortedOrder returns the rows of b in the order of some of its columns, ascending, NULLs last.
func sortedOrder(b *vec.Batch, keys []int) []int32 {
	type item struct {
		prefix uint64
		row    int32
	}
	cols := make([]*vec.Vector, len(keys))
	for i, k := range keys {
		cols[i] = b.Cols[k]
	}
	prefixes := make([]uint64, b.Len)
	exact := vec.SortPrefix(cols[0], vec.Order{}, prefixes) && len(cols) == 1
	items := make([]item, b.Len)
	for i, p := range prefixes {
		items[i] = item{p, int32(i)}
	}
	orders := make([]vec.Order, len(cols))
	slices.SortFunc(items, func(x, y item) int {
		if c := cmp.Compare(x.prefix, y.prefix); c != 0 {
			return c
		}
		if !exact {
			if c := vec.CompareRows(cols, int(x.row), cols, int(y.row), orders); c != 0 {
				return c
			}
		}
		return cmp.Compare(x.row, y.row)
	})
	out := make([]int32, len(items))
	for i, it := range items {
		out[i] = it.row
	}
	return out
}
