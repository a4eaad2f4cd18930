package session

import (
	"slices"

	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// mergeBatches joins the small writes of a transaction: thousands of INSERTs of one row become one delta batch. Batches of which the
// transaction has deleted rows stay as they are, because a row's identity is its batch and ordinal.
func mergeBatches(e *catalog.Edit) {
	deleted := map[segment.ID]bool{}
	for _, op := range e.Ops {
		if d, ok := op.(*catalog.DeleteRows); ok {
			deleted[d.Target] = true
		}
	}
	var ops []catalog.Op
	// runs has the batches of each table that may still be joined, at the place of the first one in ops.
	runs := map[catalog.TableID]*batchRun{}
	for _, op := range e.Ops {
		switch o := op.(type) {
		case *catalog.AddBatch:
			r := runs[o.Table]
			switch {
			case deleted[o.Batch.ID]:
			case r != nil && r.takes(o.Batch):
				r.parts = append(r.parts, o.Batch.Data)
				continue
			default:
				runs[o.Table] = &batchRun{add: o, at: len(ops), parts: []*vec.Batch{o.Batch.Data}}
			}
		case *catalog.DeleteRows:
		default:
			// What changes the table or its name comes between the rows before and behind it.
			for id, r := range runs {
				r.join(ops)
				delete(runs, id)
			}
		}
		ops = append(ops, op)
	}
	for _, r := range runs {
		r.join(ops)
	}
	e.Ops = ops
}

// batchRun is batches of one table that become one.
type batchRun struct {
	add   *catalog.AddBatch
	at    int
	parts []*vec.Batch
}

func (r *batchRun) takes(b *catalog.Batch) bool {
	first := r.add.Batch
	if !slices.Equal(first.Columns, b.Columns) {
		return false
	}
	for i, c := range b.Data.Cols {
		if !c.Type.Equal(first.Data.Cols[i].Type) {
			return false
		}
	}
	return true
}

// join puts the joined batch in the place of the first.
func (r *batchRun) join(ops []catalog.Op) {
	if len(r.parts) == 1 {
		return
	}
	out := &vec.Batch{}
	for _, p := range r.parts {
		out.Len += p.Len
	}
	for i, c := range r.add.Batch.Data.Cols {
		cols := make([]*vec.Vector, len(r.parts))
		for j, p := range r.parts {
			cols[j] = p.Cols[i]
			if cols[j].Type.IsVariant() {
				cols[j] = variant.Flatten(cols[j])
			}
		}
		out.Cols = append(out.Cols, vec.Concat(c.Type, cols...))
	}
	b := *r.add.Batch
	b.Data = out
	ops[r.at] = &catalog.AddBatch{Table: r.add.Table, Batch: &b}
}
