package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
)

// plainFiles is a SegmentFiles of simple files, one encoded batch each, so that tests of faults count few operations and do not depend
// on the layout of real segments.
type plainFiles struct {
	fs vfs.FS
	// onPage, if not nil, is called before each page is read.
	onPage func(page int)
}

type plainWriter struct {
	p       *plainFiles
	id      segment.ID
	name    string
	columns []segment.Column
	parts   []*vec.Batch
}

func (p *plainFiles) Create(id segment.ID, name string, columns []segment.Column) (SegmentWriter, error) {
	return &plainWriter{p: p, id: id, name: name, columns: columns}, nil
}

func (w *plainWriter) Append(b *vec.Batch) error {
	if len(b.Cols) != len(w.columns) {
		return fmt.Errorf("BUG: %d columns instead of %d", len(b.Cols), len(w.columns))
	}
	for i, c := range w.columns {
		if !b.Cols[i].Type.Equal(c.Type) || b.Cols[i].Len != b.Len {
			return fmt.Errorf("BUG: column %s is %s of %d rows", c.Name, b.Cols[i].Type, b.Cols[i].Len)
		}
	}
	w.parts = append(w.parts, b)
	return nil
}

// joined returns batches as one.
func joined(columns []segment.Column, parts []*vec.Batch) *vec.Batch {
	out := &vec.Batch{}
	for _, b := range parts {
		out.Len += b.Len
	}
	for i, c := range columns {
		var cols []*vec.Vector
		for _, b := range parts {
			cols = append(cols, b.Cols[i])
		}
		out.Cols = append(out.Cols, vec.Concat(c.Type, cols...))
	}
	return out
}

func (w *plainWriter) Finish() (*segment.Meta, error) {
	all := joined(w.columns, w.parts)
	e := &catalog.Edit{Ops: []catalog.Op{&catalog.AddBatch{Batch: &catalog.Batch{ID: w.id, Columns: make([]catalog.ColumnID, len(w.columns)), Data: all}}}}
	data, err := e.Encode(nil)
	if err != nil {
		return nil, err
	}
	f, err := w.p.fs.Create(w.name)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return &segment.Meta{ID: w.id, File: SegmentFile(w.id), Rows: int64(all.Len), Bytes: int64(len(data)), Columns: w.columns, Zones: make([]segment.ZoneMap, len(w.columns))}, nil
}

func (w *plainWriter) Abort() {
	_ = w.p.fs.Remove(w.name)
}

type plainReader struct {
	p   *plainFiles
	all *vec.Batch
}

func (p *plainFiles) Open(dir string, m *segment.Meta) (SegmentReader, error) {
	data, err := vfs.ReadFile(p.fs, dir+"/"+m.File, 1<<30)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "read segment")
	}
	e, err := catalog.DecodeEdit(data)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.Corrupt, err, "read segment")
	}
	return &plainReader{p, e.Ops[0].(*catalog.AddBatch).Batch.Data}, nil
}

func (r *plainReader) Page(page int) (*vec.Batch, error) {
	if r.p.onPage != nil {
		r.p.onPage(page)
	}
	return batchReader{r.all}.Page(page)
}

func (r *plainReader) Close() error { return nil }

// openPlain opens a store with plain segment files.
func openPlain(t testing.TB, fsys vfs.FS) *Store {
	t.Helper()
	s, err := Open(Options{FS: fsys, Dir: testDir, Segments: &plainFiles{fs: fsys}})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return s
}

// address is the place of a row.
type address struct {
	id      segment.ID
	ordinal uint32
}

// row is a live row of a table with its key and where it lies.
type row struct {
	key  int64
	text string
	at   address
}

// readRows returns the live rows of a table in order, read from files and batches as a scan would.
func readRows(s *Store, snap *catalog.Snapshot, id catalog.TableID) ([]row, error) {
	t := snap.TableByID(id)
	if t == nil {
		return nil, nil
	}
	var sources []*source
	for _, m := range t.Segments {
		sources = append(sources, s.segmentSource(t, m))
	}
	for _, b := range t.Batches {
		sources = append(sources, batchSource(t, b))
	}
	var out []row
	for _, src := range sources {
		in, err := src.open()
		if err != nil {
			return nil, err
		}
		for from := 0; from < src.rows; from += segment.PageRows {
			b, err := in.Page(from / segment.PageRows)
			if err != nil {
				return nil, err
			}
			k := columnIndex(src.columns, 1)
			x := columnIndex(src.columns, 2)
			for i := range b.Len {
				o := uint32(from + i)
				if src.deleted.Contains(o) {
					continue
				}
				r := row{at: address{src.id, o}}
				v, j := b.Cols[k].At(i)
				r.key = vec.Slice[int64](v)[j]
				if x >= 0 && !b.Cols[x].IsNull(i) {
					r.text = string(b.Cols[x].Bytes(i))
				}
				out = append(out, r)
			}
		}
		if err := in.Close(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func mustRead(t testing.TB, s *Store, id catalog.TableID) []row {
	t.Helper()
	p := s.Pin()
	defer p.Release()
	out, err := readRows(s, p.Snapshot(), id)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func keys(rows []row) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = r.key
	}
	return out
}

// deleteKeys makes the operations that delete rows by key.
func deleteKeys(rows []row, table catalog.TableID, keys ...int64) []catalog.Op {
	at := make(map[segment.ID][]uint32)
	for _, r := range rows {
		if slices.Contains(keys, r.key) {
			at[r.at.id] = append(at[r.at.id], r.at.ordinal)
		}
	}
	var out []catalog.Op
	for id, ordinals := range at {
		out = append(out, &catalog.DeleteRows{Table: table, Target: id, Rows: catalog.NewDeletionVector(ordinals...)})
	}
	slices.SortFunc(out, func(a, b catalog.Op) int {
		return cmp.Compare(a.(*catalog.DeleteRows).Target, b.(*catalog.DeleteRows).Target)
	})
	return out
}
