package store

import (
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// SegmentFiles makes and reads segment files. Its methods may be called from many goroutines.
type SegmentFiles interface {
	// Create begins a segment at a path.
	Create(id segment.ID, path string, columns []segment.Column) (SegmentWriter, error)
	// Open opens a segment file in a folder.
	Open(dir string, m *segment.Meta) (SegmentReader, error)
}

// SegmentWriter writes one segment; it belongs to one goroutine.
type SegmentWriter interface {
	// Append adds rows, one vector for each column.
	Append(*vec.Batch) error
	// Finish completes and syncs the file. Its name is made durable by Commit.
	Finish() (*segment.Meta, error)
	// Abort ends the writer without a segment and removes the file. It may be called after a failed Finish, too.
	Abort()
}

// SegmentReader reads one segment; it belongs to one goroutine.
type SegmentReader interface {
	// Page returns the rows of a page of segment.PageRows rows (the last may be shorter), with all columns of the Meta in its order and
	// types, deleted rows included, no vector in Shredded form.
	Page(page int) (*vec.Batch, error)
	Close() error
}

// source is a segment or batch whose rows are moved.
type source struct {
	id      segment.ID
	rows    int
	deleted *catalog.DeletionVector
	bytes   int64
	columns []segment.Column
	// sorted says that the rows are in the order of the table's sort key.
	sorted bool
	// open returns what reads the pages.
	open func() (SegmentReader, error)
}

// live returns the number of rows that are not deleted.
func (s *source) live() int { return s.rows - int(s.deleted.Count()) }

func (s *Store) segmentSource(t *catalog.Table, m *segment.Meta) *source {
	return &source{
		id: m.ID, rows: int(m.Rows), deleted: t.Deleted(m.ID), bytes: m.Bytes, columns: m.Columns, sorted: true,
		open: func() (SegmentReader, error) { return s.o.Segments.Open(s.SegmentDir(), m) },
	}
}

func batchSource(t *catalog.Table, b *catalog.Batch) *source {
	src := &source{
		id: b.ID, rows: b.Data.Len, deleted: t.Deleted(b.ID), bytes: b.Data.SizeBytes(),
		open: func() (SegmentReader, error) { return batchReader{b.Data}, nil },
	}
	for i, id := range b.Columns {
		src.columns = append(src.columns, segment.Column{ID: id, Type: b.Data.Cols[i].Type})
	}
	return src
}

// batchReader reads a delta batch as if it were a segment.
type batchReader struct{ data *vec.Batch }

func (r batchReader) Page(page int) (*vec.Batch, error) {
	from := page * segment.PageRows
	return r.data.Slice(from, min(from+segment.PageRows, r.data.Len)), nil
}

func (r batchReader) Close() error { return nil }
