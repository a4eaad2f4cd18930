package store

import (
	"math"
	"slices"
	"sort"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
)

// move says where a flush or compaction has put the rows of one segment or batch.
type move struct {
	// version is the first one in which the rows are at their new place.
	version uint64
	// rows gives, for each old ordinal, the number of the row among all new rows, or gone.
	rows []uint32
	to   *destination
}

// gone marks rows that were deleted before they could be moved.
const gone = math.MaxUint32

// destination numbers the rows of several new segments through.
type destination struct {
	ids []segment.ID
	// starts[i] is the number of the first row of ids[i].
	starts []uint32
}

// place returns the segment and ordinal of a row number.
func (d *destination) place(row uint32) (segment.ID, uint32) {
	i := sort.Search(len(d.starts), func(i int) bool { return d.starts[i] > row }) - 1
	return d.ids[i], row - d.starts[i]
}

// translate returns the deletes at the new place that stand for deleting rows at the old one. Rows that were gone already are a
// conflict, as they would have been without the move.
func (m *move) translate(table catalog.TableID, rows *catalog.DeletionVector) ([]*catalog.DeleteRows, error) {
	byID := make(map[segment.ID][]uint32)
	for _, o := range rows.Ordinals(0, math.MaxUint32) {
		if int(o) >= len(m.rows) || m.rows[o] == gone {
			return nil, sqlerr.New(sqlerr.Conflict, "rows were deleted by another statement meanwhile")
		}
		id, at := m.to.place(m.rows[o])
		byID[id] = append(byID[id], at)
	}
	var out []*catalog.DeleteRows
	for _, id := range m.to.ids {
		if at := byID[id]; at != nil {
			out = append(out, &catalog.DeleteRows{Table: table, Target: id, Rows: catalog.NewDeletionVector(at...)})
		}
	}
	return out, nil
}

// redirect makes the deletes of an Edit point at where their rows are now. find returns the move of a segment or batch, or nil.
func redirect(e *catalog.Edit, find func(segment.ID) *move) error {
	moved := slices.ContainsFunc(e.Ops, func(op catalog.Op) bool {
		d, ok := op.(*catalog.DeleteRows)
		return ok && find(d.Target) != nil
	})
	if !moved {
		return nil
	}
	var ops []catalog.Op
	for _, op := range e.Ops {
		d, ok := op.(*catalog.DeleteRows)
		if !ok {
			ops = append(ops, op)
			continue
		}
		var err error
		if ops, err = appendRedirected(ops, d, find); err != nil {
			return err
		}
	}
	e.Ops = ops
	return nil
}

// appendRedirected appends d, or the deletes that stand for it. Rows may have been moved several times.
func appendRedirected(ops []catalog.Op, d *catalog.DeleteRows, find func(segment.ID) *move) ([]catalog.Op, error) {
	m := find(d.Target)
	if m == nil {
		return append(ops, d), nil
	}
	at, err := m.translate(d.Table, d.Rows)
	for _, a := range at {
		if ops, err = appendRedirected(ops, a, find); err != nil {
			break
		}
	}
	return ops, err
}
