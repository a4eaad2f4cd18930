package store

import (
	"path"

	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// segmentFiles makes and reads the segments of package segment. It goes past the caches, which belong to queries.
type segmentFiles struct{ fs vfs.FS }

var _ SegmentFiles = segmentFiles{}

// Create implements SegmentFiles. The rows come sorted, so the writer need not hold them.
func (f segmentFiles) Create(id segment.ID, name string, columns []segment.Column) (SegmentWriter, error) {
	return segment.NewWriter(f.fs, name, id, columns, segment.WriterOptions{})
}

// Open implements SegmentFiles.
func (f segmentFiles) Open(dir string, m *segment.Meta) (SegmentReader, error) {
	r, err := segment.Open(f.fs, path.Join(dir, m.File), m, segment.Caches{})
	if err != nil {
		return nil, err
	}
	return &wholeReader{r, m}, nil
}

// wholeReader reads all columns of a segment.
type wholeReader struct {
	*segment.Reader
	meta *segment.Meta
}

// Page implements SegmentReader.
func (r *wholeReader) Page(page int) (*vec.Batch, error) {
	b := &vec.Batch{Len: r.PageRows(page)}
	for _, c := range r.meta.Columns {
		v, err := r.Read(segment.Want{Column: c.ID, Type: c.Type}, page)
		if err != nil {
			return nil, err
		}
		if v.Type.IsVariant() {
			v = variant.Flatten(v)
		}
		b.Cols = append(b.Cols, v)
	}
	return b, nil
}
