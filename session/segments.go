package session

import (
	"path"

	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/storage/store"
	"github.com/ebira-db/ebira/vexec"
)

// segmentColumns are the columns of a table as its segments store them.
func segmentColumns(t *catalog.Table) []segment.Column {
	cols := make([]segment.Column, len(t.Columns))
	for i, c := range t.Columns {
		cols[i] = segment.Column{ID: c.ID, Name: c.Name, Type: c.Type, NotNull: c.NotNull}
	}
	return cols
}

// openSegment opens a segment for queries, through the caches.
func (e *Engine) openSegment(m *segment.Meta) (*segment.Reader, error) {
	return segment.Open(e.fs, path.Join(e.store.SegmentDir(), m.File), m, segment.Caches{Meta: e.meta, Pages: e.pages})
}

// newSegment starts a segment of a table.
func (e *Engine) newSegment(lease *store.Lease, t *catalog.Table) (*segment.Writer, error) {
	if lease == nil {
		panic("BUG: a query without a lease writes a segment")
	}
	id, name := lease.NewSegment()
	return segment.NewWriter(e.fs, name, id, segmentColumns(t), segment.WriterOptions{SortBy: t.SortKey})
}

// openStage opens a staged file for a load or a query.
func (e *Engine) openStage(f stage.File, spec stage.ReadSpec, r *stage.Report) (vexec.StageReader, error) {
	in, err := stage.Open(e.fs, f, spec, r)
	if err != nil {
		return nil, err
	}
	return in, nil
}

// forget drops what the caches hold of segments that are gone.
func (e *Engine) forget(ids []segment.ID) {
	for _, id := range ids {
		if e.pages != nil {
			e.pages.DeleteGroup(uint64(id))
			e.meta.DeleteGroup(uint64(id))
		}
	}
}
