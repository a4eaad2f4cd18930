package segment

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Keys of the file's key-value metadata.
const (
	// FormatKey holds the format version, in decimal.
	FormatKey = "ebira.format"
	// KindsKey names the kinds of VARIANT paths that Parquet has no type for: "column.path=KIND" a line.
	KindsKey = "ebira.variant.kinds"
)

// exactSuffix is the end of the name of the column that holds the exact numbers of a VARIANT column.
const exactSuffix = "$exact"

// secondSuffix is the end of the name of the group that holds the second kinds of the paths of a VARIANT column.
const secondSuffix = "$kinds"

// writeBufferBytes is the size of the writes to the file.
const writeBufferBytes = 1 << 20

// WriterOptions says how a segment is written. The zero value is good.
type WriterOptions struct {
	// SortBy are the columns by which rows are sorted, NULLs last; ties keep the order of arrival. Rows then stay in memory until Finish.
	SortBy []ColumnID
	// Uncompressed switches compression off.
	Uncompressed bool
}

// Writer collects rows and writes them as one segment. It belongs to one goroutine. It ends with Finish or Abort.
type Writer struct {
	fs   vfs.FS
	path string
	id   ID
	cols []Column
	opt  WriterOptions

	rows   int
	states []*columnState
	held   []*vec.Batch // with SortBy
	losses Losses
	done   bool
}

// Losses counts what VARIANT values lost on their way into a segment, by rules that their users chose.
type Losses struct {
	// Removed are values that could not be converted to the type that a Schema Template gives their path.
	Removed int64
	// Duplicates are members with the name of a later one in the same object that the shredder had not counted before Finish.
	Duplicates int64
}

// Add adds what another segment lost.
func (l *Losses) Add(o Losses) {
	l.Removed += o.Removed
	l.Duplicates += o.Duplicates
}

// columnState is a column on its way into the file.
type columnState struct {
	col   Column
	codec parquetio.Codec
	node  *parquetio.Node

	pending     []*vec.Vector
	pendingRows int
	nulls       int64                     // of nested types
	cols        []*parquetio.ColumnWriter // one a leaf; nil for variants until Finish
	shredder    *variant.Shredder
	lent        bool // the shredder is driven from outside
}

// NewWriter starts a segment in a new file at path. Nothing is written before Finish.
func NewWriter(fsys vfs.FS, path string, id ID, cols []Column, opt WriterOptions) (*Writer, error) {
	w := &Writer{fs: fsys, path: path, id: id, cols: cols, opt: opt}
	codec := parquetio.Zstd
	if opt.Uncompressed {
		codec = parquetio.Uncompressed
	}
	for _, c := range cols {
		s := &columnState{col: c, codec: codec}
		if c.Type.IsVariant() {
			s.shredder = newShredder(c)
		} else {
			s.open()
		}
		w.states = append(w.states, s)
	}
	return w, nil
}

func newShredder(c Column) *variant.Shredder {
	if c.Type.Kind == types.JSON {
		return variant.NewShredder(nil)
	}
	return variant.NewShredder(variant.NewTemplate(c.Type.Variant))
}

// open makes the node and the leaf writers of a static column.
func (s *columnState) open() {
	s.node = parquetio.NodeOf(s.col.Name, s.col.Type, s.col.NotNull)
	s.node.FieldID = int32(s.col.ID)
	leaves := parquetio.Number(&parquetio.Node{Children: []*parquetio.Node{s.node}})
	store, scalar := parquetio.StoreOf(s.col.Type)
	for _, l := range leaves {
		order := parquetio.OrderNone
		if scalar {
			order = store.Order
		}
		w := parquetio.NewColumnWriter(l.Leaf, order, s.codec)
		if scalar {
			w.CountDistinct()
		}
		s.cols = append(s.cols, w)
	}
}

// VariantShredder returns the shredder of the VARIANT or JSON column at position col, for a loader that drives it row by row. A batch has
// nil in the place of the column for rows that the shredder has; other rows may follow as usual, but not where the rows are sorted. By
// Finish the shredder must have as many rows as were appended.
func (w *Writer) VariantShredder(col int) *variant.Shredder {
	s := w.states[col]
	if s.shredder == nil {
		panic("BUG: no shredder for a column of type " + s.col.Type.String())
	}
	s.lent = true
	return s.shredder
}

// Losses returns what the values of a segment have lost; it is known after Finish.
func (w *Writer) Losses() Losses { return w.losses }

// Rows returns the number of rows appended.
func (w *Writer) Rows() int { return w.rows }

// SizeBytes estimates the memory that the writer holds. Rows that wait for a page count with all the buffers they point into.
func (w *Writer) SizeBytes() int64 {
	n := int64(0)
	for _, b := range w.held {
		n += b.SizeBytes()
	}
	for _, s := range w.states {
		n += s.sizeBytes()
	}
	return n
}

func (s *columnState) sizeBytes() int64 {
	n := int64(0)
	for _, v := range s.pending {
		n += v.SizeBytes()
	}
	for _, c := range s.cols {
		n += c.SizeBytes()
	}
	if s.shredder != nil {
		n += s.shredder.SizeBytes()
	}
	return n
}

// Append adds rows. The batch has the writer's columns in order, in any form; their vectors are kept until their page is full.
// A NULL in a NOT NULL column or a wrong type is a bug of the caller.
func (w *Writer) Append(b *vec.Batch) error {
	if len(b.Cols) != len(w.cols) {
		panic(fmt.Sprintf("BUG: batch of %d columns for a segment of %d", len(b.Cols), len(w.cols)))
	}
	if w.rows+b.Len > MaxRows*2 {
		return sqlerr.New(sqlerr.Resource, "segment of more than %d rows", MaxRows*2)
	}
	for i, v := range b.Cols {
		w.states[i].check(v, b.Len, len(w.opt.SortBy) > 0)
	}
	w.rows += b.Len
	if len(w.opt.SortBy) > 0 {
		w.held = append(w.held, b)
		return nil
	}
	w.feed(b)
	return nil
}

// check asserts what Append promises.
func (s *columnState) check(v *vec.Vector, n int, sorted bool) {
	switch {
	case v == nil && s.lent:
	case v == nil:
		panic("BUG: column " + s.col.Name + " is missing in a batch")
	case s.lent && sorted:
		panic("BUG: column " + s.col.Name + " of sorted rows is driven by its shredder and by batches")
	case v.Len != n:
		panic(fmt.Sprintf("BUG: column %s has %d rows in a batch of %d", s.col.Name, v.Len, n))
	case v.Type.Phys() != s.col.Type.Phys() && v.Type.Kind != types.Null:
		panic(fmt.Sprintf("BUG: %s appended to column %s of type %s", v.Type, s.col.Name, s.col.Type))
	case s.col.NotNull && v.HasNulls():
		for i := range v.Len {
			if v.IsNull(i) {
				panic("BUG: NULL appended to column " + s.col.Name + ", which is NOT NULL")
			}
		}
	}
}

// feed hands the columns of a batch to their states.
func (w *Writer) feed(b *vec.Batch) {
	for i, v := range b.Cols {
		s := w.states[i]
		switch {
		case v == nil:
		case s.shredder != nil:
			s.shredder.AppendVector(retyped(v, s.col.Type))
		default:
			s.append(retyped(v, s.col.Type))
		}
	}
}

// retyped gives v the type of the column; an untyped NULL becomes NULLs of it.
func retyped(v *vec.Vector, t types.Type) *vec.Vector {
	if v.Type.Kind == types.Null && t.Kind != types.Null {
		return vec.NewNull(t, v.Len)
	}
	return v
}

// append collects rows and writes pages of exactly PageRows of them.
func (s *columnState) append(v *vec.Vector) {
	for v.Len > 0 {
		n := min(v.Len, PageRows-s.pendingRows)
		s.pending = append(s.pending, v.Slice(0, n))
		s.pendingRows += n
		v = v.Slice(n, v.Len)
		if s.pendingRows == PageRows {
			s.flush()
		}
	}
}

// flush writes the rows collected as a page of each leaf.
func (s *columnState) flush() {
	if s.pendingRows == 0 {
		return
	}
	if _, scalar := parquetio.StoreOf(s.col.Type); scalar {
		vals, valid, n := parquetio.Pack(s.col.Type, s.pending)
		s.cols[0].WritePage(&parquetio.PageInput{Rows: n, Entries: n, Valid: valid, Values: vals})
	} else {
		v := vec.Concat(s.col.Type, flattened(s.pending)...)
		s.nulls += int64(v.Len - v.Valid.Count(v.Len))
		for i, in := range parquetio.Shred(s.node, s.col.Type, v) {
			s.cols[i].WritePage(in)
		}
	}
	s.pending, s.pendingRows = s.pending[:0], 0
}

// flattened prepares nested vectors, whose members may be variants of any form, for joining.
func flattened(parts []*vec.Vector) []*vec.Vector {
	out := make([]*vec.Vector, len(parts))
	for i, p := range parts {
		out[i] = vec.Flatten(p)
	}
	return out
}

// Abort drops the rows and removes the file, if there is one. After Finish it does nothing.
func (w *Writer) Abort() {
	if w.done {
		return
	}
	w.done, w.states, w.held = true, nil, nil
	// The file exists only if Finish failed half-way, and then it has removed it; a left-over is deleted at the next open of the store.
	if err := w.fs.Remove(w.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
}

// Finish writes and syncs the file and returns its description; syncing the directory is the caller's. The writer is of no more use,
// whatever the outcome; after an error the file is removed.
func (w *Writer) Finish() (meta *Meta, err error) {
	if w.done {
		panic("BUG: segment writer finished twice")
	}
	w.done = true
	if len(w.opt.SortBy) > 0 {
		w.sortRows()
	}
	f, err := w.fs.Create(w.path)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "create segment %s", w.path)
	}
	defer func() {
		if err != nil {
			// The first error matters; what stays is deleted at the next open of the store.
			_ = f.Close()
			_ = w.fs.Remove(w.path)
		}
	}()
	buf := bufio.NewWriterSize(f, writeBufferBytes)
	meta, err = w.write(buf)
	if err == nil {
		err = buf.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "write segment %s", w.path)
	}
	if err := f.Close(); err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "write segment %s", w.path)
	}
	return meta, nil
}

// write writes the file.
func (w *Writer) write(out *bufio.Writer) (*Meta, error) {
	root := &parquetio.Node{Name: "schema", Children: []*parquetio.Node{}}
	var plans []*columnPlan
	for _, s := range w.states {
		p := s.plan(w.rows)
		w.losses.Add(p.losses)
		plans = append(plans, p)
		root.Children = append(root.Children, p.nodes...)
	}
	file, err := parquetio.NewFileWriter(out, root)
	if err != nil {
		return nil, err
	}
	var cols []*parquetio.ColumnWriter
	for _, p := range plans {
		cols = append(cols, p.cols...)
	}
	chunks, err := file.WriteRowGroup(cols, int64(w.rows))
	if err != nil {
		return nil, err
	}
	meta := &Meta{ID: w.id, File: w.path[strings.LastIndexByte(w.path, '/')+1:], Rows: int64(w.rows), Columns: w.cols}
	var entries []*entry
	for i, p := range plans {
		entries = append(entries, p.finish(cols, chunks)...)
		meta.Zones = append(meta.Zones, p.zone(w.cols[i], int64(w.rows)))
	}
	if err := file.WriteIndexes(); err != nil {
		return nil, err
	}
	if _, err := file.WriteBlob(encodeDirectory(int64(w.rows), file.Sum(), entries)); err != nil {
		return nil, err
	}
	written, err := file.Close(keyValues(plans))
	if err != nil {
		return nil, err
	}
	meta.Bytes, meta.Checksum = written.Bytes, written.Checksum
	return meta, nil
}

// keyValues returns the file's metadata.
func keyValues(plans []*columnPlan) []parquetio.KeyValue {
	kv := []parquetio.KeyValue{{Key: FormatKey, Value: fmt.Sprint(formatVersion)}}
	var own, kinds []string
	for _, p := range plans {
		own = append(own, p.ownTypes...)
		kinds = append(kinds, p.ownKinds...)
	}
	if len(own) > 0 {
		kv = append(kv, parquetio.KeyValue{Key: parquetio.TypeKey, Value: strings.Join(own, "\n")})
	}
	if len(kinds) > 0 {
		kv = append(kv, parquetio.KeyValue{Key: KindsKey, Value: strings.Join(kinds, "\n")})
	}
	return kv
}
