package store

import (
	"context"
	"errors"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// rewrite moves the live rows of a bundle of a pinned table into new segments and commits that. Rows that others delete meanwhile are
// deleted at their new place, and so are, as long as older pins live, rows that others will delete at the old one. An error of kind
// Conflict says that the table was dropped or its rows were replaced.
func (s *Store) rewrite(ctx context.Context, b *bundle) error {
	t, sources, l := b.t, b.sources, b.layout()
	lease := s.Lease()
	defer lease.End()
	out := &output{s: s, lease: lease, columns: l.columns, to: &destination{}}
	r := &rewriter{ctx: ctx, layout: l, out: out, sources: sources}
	var err error
	if keys := sortKeys(t, l); len(keys) > 0 && (len(sources) > 1 || !sources[0].sorted) {
		err = r.sorted(keys)
	} else {
		err = r.inOrder()
	}
	if err == nil {
		err = out.finish()
	}
	if err != nil {
		out.abort()
		return err
	}
	e := &catalog.Edit{}
	replace := &catalog.Replace{Table: t.ID, Add: out.metas}
	moved := make(map[segment.ID]*move)
	for i, src := range sources {
		replace.Remove = append(replace.Remove, src.id)
		moved[src.id] = &move{rows: r.moved[i], to: out.to}
	}
	e.Add(replace)
	_, err = s.commit(ctx, &request{edit: e, moved: moved, rebase: func(cur *catalog.Snapshot, e *catalog.Edit) error {
		return reapply(cur, e, t.ID, sources, moved)
	}})
	return err
}

// reapply adds to a Replace the deletes that were committed since the sources were read.
func reapply(cur *catalog.Snapshot, e *catalog.Edit, table catalog.TableID, sources []*source, moved map[segment.ID]*move) error {
	t := cur.TableByID(table)
	if t == nil {
		return sqlerr.New(sqlerr.Conflict, "the table was dropped meanwhile")
	}
	for _, src := range sources {
		fresh := t.Deleted(src.id).Minus(src.deleted)
		if fresh.Count() == 0 {
			continue
		}
		ops, err := moved[src.id].translate(table, fresh)
		if err != nil {
			return err
		}
		for _, op := range ops {
			e.Add(op)
		}
	}
	return nil
}

// output is the new segments of a rewrite: one after the other, each of at most segment.MaxRows rows.
type output struct {
	s       *Store
	lease   *Lease
	columns []segment.Column
	w       SegmentWriter
	rows    int // of the open segment
	total   int // of all
	metas   []*segment.Meta
	to      *destination
	// small are short batches that wait to be written together: many tables are written row by row.
	small     []*vec.Batch
	smallRows int
}

// append adds rows.
func (o *output) append(b *vec.Batch) error {
	if b.Len >= vec.Size && len(o.small) == 0 {
		return o.write(b)
	}
	o.small = append(o.small, b)
	if o.smallRows += b.Len; o.smallRows < vec.Size {
		return nil
	}
	return o.writeSmall()
}

// writeSmall writes the batches that wait.
func (o *output) writeSmall() error {
	if len(o.small) == 0 {
		return nil
	}
	joined := &vec.Batch{Len: o.smallRows}
	for c, column := range o.columns {
		var parts []*vec.Vector
		for _, b := range o.small {
			parts = append(parts, b.Cols[c])
		}
		joined.Cols = append(joined.Cols, vec.Concat(column.Type, parts...))
	}
	o.small, o.smallRows = o.small[:0], 0
	return o.write(joined)
}

func (o *output) write(b *vec.Batch) error {
	for from := 0; from < b.Len; {
		if o.w == nil {
			id, name := o.lease.NewSegment()
			w, err := o.s.o.Segments.Create(id, name, o.columns)
			if err != nil {
				return writeError(err)
			}
			o.w, o.rows = w, 0
			o.to.ids = append(o.to.ids, id)
			o.to.starts = append(o.to.starts, uint32(o.total))
		}
		n := min(b.Len-from, segment.MaxRows-o.rows)
		if err := o.w.Append(b.Slice(from, from+n)); err != nil {
			return writeError(err)
		}
		from += n
		o.rows += n
		o.total += n
		if o.rows == segment.MaxRows {
			if err := o.closeSegment(); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish writes what waits and completes the last segment.
func (o *output) finish() error {
	if err := o.writeSmall(); err != nil {
		return err
	}
	return o.closeSegment()
}

// closeSegment completes the open segment, if there is one.
func (o *output) closeSegment() error {
	if o.w == nil {
		return nil
	}
	m, err := o.w.Finish()
	if err != nil {
		return writeError(err)
	}
	if m.Rows != int64(o.rows) {
		panic("BUG: a segment has lost rows")
	}
	o.w = nil
	o.metas = append(o.metas, m)
	return nil
}

// abort gives up the open segment. Files of finished ones go with the lease.
func (o *output) abort() {
	if o.w != nil {
		o.w.Abort()
	}
}

// writeError gives plain errors of the file system their kind.
func writeError(err error) error {
	if _, ok := errors.AsType[*sqlerr.Error](err); ok {
		return err
	}
	return sqlerr.Wrap(sqlerr.IO, err, "write segment")
}

// rewriter reads the sources and notes where their rows go.
type rewriter struct {
	ctx     context.Context
	layout  *layout
	out     *output
	sources []*source
	// moved has, for each source and old ordinal, the number of the row among all new rows, or gone.
	moved [][]uint32
}

// each calls f with the live rows of each page of a source, in order, and their ordinals.
func (r *rewriter) each(src *source, f func(b *vec.Batch, ordinals []uint32) error) error {
	in, err := src.open()
	if err != nil {
		return err
	}
	defer in.Close()
	for from := 0; from < src.rows; from += segment.PageRows {
		if err := r.ctx.Err(); err != nil {
			return sqlerr.Wrap(sqlerr.Canceled, err, "rewrite segments")
		}
		b, err := in.Page(from / segment.PageRows)
		if err != nil {
			return err
		}
		if want := min(segment.PageRows, src.rows-from); b.Len != want {
			return sqlerr.New(sqlerr.Corrupt, "page %d of segment %d has %d rows instead of %d", from/segment.PageRows, src.id, b.Len, want)
		}
		sel, ordinals := liveRows(src.deleted, uint32(from), b.Len)
		if len(ordinals) == 0 {
			continue
		}
		if err := f(r.layout.arrange(src, b).Gather(sel), ordinals); err != nil {
			return err
		}
	}
	return nil
}

// liveRows returns which of n rows from an ordinal on are not deleted, within the page and as ordinals.
func liveRows(deleted *catalog.DeletionVector, from uint32, n int) (sel vec.Sel, ordinals []uint32) {
	dead := deleted.Ordinals(from, from+uint32(n))
	for i := range n {
		o := from + uint32(i)
		if len(dead) > 0 && dead[0] == o {
			dead = dead[1:]
			continue
		}
		sel = append(sel, uint16(i))
		ordinals = append(ordinals, o)
	}
	return sel, ordinals
}

// newMoved returns a mapping in which all rows of a source are gone.
func newMoved(src *source) []uint32 {
	m := make([]uint32, src.rows)
	for i := range m {
		m[i] = gone
	}
	return m
}

// inOrder writes the rows of one source after those of the other.
func (r *rewriter) inOrder() error {
	next := uint32(0)
	for _, src := range r.sources {
		moved := newMoved(src)
		r.moved = append(r.moved, moved)
		err := r.each(src, func(b *vec.Batch, ordinals []uint32) error {
			for _, o := range ordinals {
				moved[o] = next
				next++
			}
			return r.out.append(b)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
