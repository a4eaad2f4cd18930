package segment

import (
	"cmp"
	"slices"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// sortRows feeds the rows held back in the order of the sort columns. Documents that went straight to a shredder are put together and
// shredded anew in that order.
func (w *Writer) sortRows() {
	cols := w.joinHeld()
	var keys []*vec.Vector
	for _, id := range w.opt.SortBy {
		i := slices.IndexFunc(w.cols, func(c Column) bool { return c.ID == id })
		if i < 0 || w.cols[i].Type.IsVariant() {
			panic("BUG: a segment is sorted by a column that it does not have or cannot order")
		}
		keys = append(keys, cols[i])
	}
	order := sortOrder(keys, w.rows)
	for from := 0; from < w.rows; from += PageRows {
		part := order[from:min(from+PageRows, w.rows)]
		b := &vec.Batch{Len: len(part)}
		for _, c := range cols {
			b.Cols = append(b.Cols, vec.GatherRows(c, part))
		}
		w.feed(b)
	}
	w.held = nil
}

// sortOrder returns the rows in the order of keys, which are compared one after the other; the prefix of the first settles most pairs.
func sortOrder(keys []*vec.Vector, rows int) []int32 {
	type item struct {
		prefix uint64
		row    int32
	}
	prefix := make([]uint64, rows)
	from := 0
	if vec.SortPrefix(keys[0], vec.Order{}, prefix) {
		from = 1
	}
	items := make([]item, rows)
	for i := range items {
		items[i] = item{prefix[i], int32(i)}
	}
	slices.SortFunc(items, func(a, b item) int {
		if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		for _, k := range keys[from:] {
			if c := vec.CompareNullsLast(k, int(a.row), k, int(b.row)); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.row, b.row)
	})
	order := make([]int32, rows)
	for i := range items {
		order[i] = items[i].row
	}
	return order
}

// joinHeld returns all rows as one vector a column.
func (w *Writer) joinHeld() []*vec.Vector {
	cols := make([]*vec.Vector, len(w.cols))
	for i, s := range w.states {
		if s.lent {
			cols[i] = variant.AssembleTree(s.shredder.Finish(variant.Options{Plain: true}))
			// A template was applied when the documents came; applying it again changes nothing.
			s.shredder, s.lent = newShredder(s.col), false
			continue
		}
		parts := make([]*vec.Vector, 0, len(w.held))
		for _, b := range w.held {
			v := retyped(b.Cols[i], s.col.Type)
			if v.Form == vec.Shredded {
				v = variant.Flatten(v)
			}
			if s.col.Type.Kind != types.Null {
				v = vec.Flatten(v)
			}
			parts = append(parts, v)
		}
		cols[i] = vec.Concat(s.col.Type, parts...)
	}
	return cols
}
