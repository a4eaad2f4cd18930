package parquetio

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Keys of the file metadata that we write. TypeKey names SQL types that Parquet lacks: "column=TYPE" pairs, one a line.
const (
	TypeKey = "ebira.type"
)

// ForeignOptions tells how to read a foreign file.
type ForeignOptions struct {
	// RawIntegers reads DATE, TIME and TIMESTAMP columns as the integers that they are stored as (USE_LOGIC_TYPE = FALSE).
	RawIntegers bool
	// KeepBad lists values that do not fit their SQL type in ForeignReader.Bad instead of failing their whole batch. They read as NULL;
	// inside of nested types that have no NULL there, the column of their row means nothing.
	KeepBad bool
	// ToVariant, if not nil, tells of a column whether its values become VARIANT values. Timestamps of nanoseconds, which no SQL type holds,
	// are read as VARIANT there.
	ToVariant func(column string) bool
}

// ForeignFile is a Parquet file from anywhere. It is immutable and may be scanned by several readers at once.
type ForeignFile struct {
	f      *file
	schema types.Schema
	shapes []*shape
	opt    ForeignOptions
}

// OpenForeign reads the footer of a file of size bytes. Broken files give errors of kind sqlerr.Corrupt, files that use what we do not
// read Unsupported. A column of a type that we do not read fails the open only if a scan asks for it.
func OpenForeign(r io.ReaderAt, size int64, opt ForeignOptions) (ff *ForeignFile, err error) {
	defer guard(&err, "schema")
	f, err := openFile(r, size)
	if err != nil {
		return nil, err
	}
	sh := shaper{rawIntegers: opt.RawIntegers, own: map[string]string{}}
	if text, ok := f.lookup(TypeKey); ok {
		for _, line := range strings.Split(text, "\n") {
			if i := strings.LastIndexByte(line, '='); i > 0 {
				sh.own[line[:i]] = line[i+1:]
			}
		}
	}
	ff = &ForeignFile{f: f, opt: opt}
	for _, n := range f.root.Children {
		if !n.IsLeaf() && firstLeaf(n) == nil {
			continue
		}
		sh.toVariant = opt.ToVariant != nil && opt.ToVariant(n.Name)
		s, err := sh.column(n)
		if err != nil {
			s = &shape{t: types.Of(types.Null), node: n, err: asCorrupt(err, "column %s", n.Name)}
		}
		ff.shapes = append(ff.shapes, s)
		ff.schema = append(ff.schema, types.Field{Name: n.Name, Type: s.t, NotNull: n.Repetition != Optional})
	}
	return ff, nil
}

// Schema returns the columns with their SQL types. Names may repeat.
func (f *ForeignFile) Schema() types.Schema { return f.schema }

// ColumnError returns why column i cannot be read, nil if it can. Its type in Schema is then NULL.
func (f *ForeignFile) ColumnError(i int) error { return f.shapes[i].err }

// Rows returns the number of rows.
func (f *ForeignFile) Rows() int64 {
	n := int64(0)
	for g := range f.f.meta.groups {
		n += f.f.meta.groups[g].rows
	}
	return n
}

// RowGroups returns the number of row groups, which scans can be split at.
func (f *ForeignFile) RowGroups() int { return len(f.f.meta.groups) }

// GroupRows returns the number of rows of row group g.
func (f *ForeignFile) GroupRows(g int) int64 { return f.f.meta.groups[g].rows }

// GroupBytes returns the compressed size of row group g, for progress and for splitting work.
func (f *ForeignFile) GroupBytes(g int) int64 {
	n := int64(0)
	for i := range f.f.meta.groups[g].columns {
		n += f.f.meta.groups[g].columns[i].compressed
	}
	return n
}

// RowError is a value that cannot be read as its SQL type. As the error of Next it stands for a batch that is lost as a whole.
type RowError struct {
	// Row counts the rows of the file from 0; Column is the top-level column.
	Row    int64
	Column string
	Err    error
}

// Error names column and row.
func (e *RowError) Error() string {
	return fmt.Sprintf("column %s, row %d: %v", e.Column, e.Row+1, e.Err)
}

// Unwrap returns the cause, an *sqlerr.Error.
func (e *RowError) Unwrap() error { return e.Err }

// Batches hold about this many bytes, and at most PageRows rows.
const (
	foreignBatchRows  = 8192
	foreignBatchBytes = 16 << 20
)

// ForeignReader reads batches of rows. It belongs to one goroutine.
type ForeignReader struct {
	f        *ForeignFile
	cols     []int
	group    int
	end      int
	row      int64 // of the file, of the next batch
	start    int64 // of the file, of the present batch
	left     int64 // rows of the group
	leaves   map[int]*leafCursor
	batch    int
	bad      []RowError
	poisoned error
}

// Bad lists the values of the batch that Next just returned that do not fit their SQL type (ForeignOptions.KeepBad), column by column.
func (r *ForeignReader) Bad() []RowError { return r.bad }

// Scan reads the columns, given by their position in Schema, of row groups [from, to).
func (f *ForeignFile) Scan(cols []int, from, to int) *ForeignReader {
	r := &ForeignReader{f: f, cols: cols, group: from - 1, end: to}
	for g := range from {
		r.row += f.GroupRows(g)
	}
	return r
}

// Next returns the next batch, io.EOF at the end. After any other error the reader returns it for ever, except after a *RowError: then
// the next call goes on behind the batch that held the value.
func (r *ForeignReader) Next() (b *vec.Batch, err error) {
	if r.poisoned != nil {
		return nil, r.poisoned
	}
	defer func() {
		if _, ok := errors.AsType[*RowError](err); err != nil && !ok {
			r.poisoned = err
		}
	}()
	defer guard(&err, "page")
	for r.left == 0 {
		if r.group++; r.group >= r.end {
			return nil, io.EOF
		}
		r.open()
	}
	for _, c := range r.cols {
		if err := r.f.shapes[c].err; err != nil {
			return nil, err
		}
	}
	r.bad = nil
	n := int(min(int64(r.batch), r.left))
	r.left -= int64(n)
	r.row += int64(n)
	return r.read(n)
}

// open starts the cursors of a row group.
func (r *ForeignReader) open() {
	g := &r.f.f.meta.groups[r.group]
	r.left = g.rows
	r.leaves = map[int]*leafCursor{}
	bytes := int64(0)
	for _, c := range r.cols {
		s := r.f.shapes[c]
		s.eachLeaf(func(l *shape) {
			m := &g.columns[l.node.Index]
			bytes += max(m.uncompressed, 0)
			flat := s.node.IsLeaf() && s.repeated == nil
			cur := &leafCursor{pages: newPageReader(r.f.f, m, l.node.Leaf), shape: l, flat: flat, keep: r.f.opt.KeepBad}
			cur.found = func(row int, err error) {
				r.bad = append(r.bad, RowError{Row: r.start + int64(row), Column: r.f.schema[c].Name, Err: err})
			}
			r.leaves[l.node.Index] = cur
		})
	}
	r.batch = foreignBatchRows
	if r.left > 0 {
		perRow := max(bytes/r.left, 1)
		r.batch = int(max(1, min(foreignBatchRows, foreignBatchBytes/perRow)))
	}
}

// eachLeaf calls f for all leaf shapes below s.
func (s *shape) eachLeaf(f func(*shape)) {
	if s.variant != nil {
		s.variant.eachLeaf(f)
		return
	}
	if s.err != nil {
		return
	}
	if s.conv != nil || s.t.Kind == types.Null {
		f(s)
		return
	}
	for _, p := range s.parts {
		p.eachLeaf(f)
	}
}

func (r *ForeignReader) read(n int) (*vec.Batch, error) {
	out := &vec.Batch{Len: n}
	r.start = r.row - int64(n)
	var bad error
	for _, c := range r.cols {
		s := r.f.shapes[c]
		v, err := r.column(s, n)
		if ve, ok := errors.AsType[*valueError](err); ok {
			// The other columns must still move on, so that the next batch is aligned.
			bad = &RowError{Row: r.start + int64(ve.Index), Column: r.f.schema[c].Name, Err: ve.err}
			continue
		}
		if err != nil {
			return nil, ioOrCorrupt(err, "column "+r.f.schema[c].Name)
		}
		if v.Len != n {
			return nil, corrupt("column %s has %d rows where the footer says %d", r.f.schema[c].Name, v.Len, n)
		}
		out.Cols = append(out.Cols, v)
	}
	if bad != nil {
		return nil, bad
	}
	return out, nil
}

func (r *ForeignReader) column(s *shape, n int) (*vec.Vector, error) {
	if s.node.IsLeaf() && s.repeated == nil {
		return r.leaves[s.node.Index].rows(n)
	}
	cols := columns{}
	var bad error
	s.eachLeaf(func(l *shape) {
		c, err := r.leaves[l.node.Index].entries(n)
		if _, ok := errors.AsType[*valueError](err); bad == nil || !ok && err != nil {
			bad = err
		}
		cols[l.node.Index] = c
	})
	if bad != nil {
		return nil, bad
	}
	return s.assemble(cols, 0)
}

// unexpectedEnd turns the end of a chunk inside a row group into corruption.
func unexpectedEnd(err error, n *Node) error {
	if errors.Is(err, io.EOF) {
		return sqlerr.New(sqlerr.Corrupt, "column %s ends before its row group", n.Name)
	}
	return err
}
