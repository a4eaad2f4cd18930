package stage

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// parquetScan reads the rows of a Parquet file.
type parquetScan struct {
	name   string
	file   vfs.File
	parsed *parquetio.ForeignFile
	reader *parquetio.ForeignReader // nil if there is nothing to read
	spec   *ReadSpec
	out    *reporter
	ctx    *function.Ctx
	row    int64 // of the file, of the next batch
	plan   []parquetColumn
}

// parquetColumn tells where a column of the batches comes from.
type parquetColumn struct {
	target *Target
	// at is the position among the columns scanned; -1 for a column that is fill in every row.
	at   int
	fill *vec.Vector // one row
}

// openParquetFile opens a file and reads its footer.
func openParquetFile(fsys vfs.FS, f *File, raw bool, toVariant func(column string) bool) (vfs.File, *parquetio.ForeignFile, error) {
	file, err := open(fsys, f)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := parquetio.OpenForeign(file, f.Size, parquetio.ForeignOptions{RawIntegers: raw, KeepBad: true, ToVariant: toVariant})
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, nil, inFile(f.Name, err)
	}
	return file, parsed, nil
}

// inFile names the file in an error and keeps the error's kind.
func inFile(name string, err error) error {
	kind := sqlerr.IO
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		kind = e.Kind
	}
	return sqlerr.Wrap(kind, err, "file %s", name)
}

func openParquet(fsys vfs.FS, f File, spec *ReadSpec, out *reporter) (*parquetScan, error) {
	file, parsed, err := openParquetFile(fsys, &f, spec.Format.RawIntegers, spec.toVariant)
	if err != nil {
		return nil, err
	}
	zone := spec.Zone
	if zone == nil {
		zone = time.UTC
	}
	s := &parquetScan{name: f.Name, file: file, parsed: parsed, spec: spec, out: out, ctx: &function.Ctx{Zone: zone, Rounding: spec.Rounding}}
	if err := s.start(&f); err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return s, nil
}

// toVariant tells whether a column of a file may become VARIANT values.
func (r *ReadSpec) toVariant(column string) bool {
	for i := range r.Targets {
		if t := &r.Targets[i]; t.Type.IsVariant() && strings.EqualFold(t.Name, column) {
			return true
		}
	}
	return r.WholeRow
}

// start chooses columns and row groups. A file without rows is not looked at further.
func (s *parquetScan) start(f *File) error {
	if s.parsed.Rows() == 0 {
		return nil
	}
	var cols []int
	if s.spec.WholeRow {
		for i := range s.parsed.Schema() {
			if err := s.parsed.ColumnError(i); err != nil {
				return inFile(s.name, err)
			}
			cols = append(cols, i)
		}
	} else {
		var err error
		if cols, err = s.match(); err != nil {
			return err
		}
	}
	from, to := 0, s.parsed.RowGroups()
	if f.part() {
		from, to = int(f.From), min(to, int(f.To))
	}
	for g := range from {
		s.row += s.parsed.GroupRows(g)
	}
	s.reader = s.parsed.Scan(cols, from, to)
	return nil
}

// match finds the file's columns for the targets, and returns those to scan.
func (s *parquetScan) match() (cols []int, err error) {
	schema := s.parsed.Schema()
	wanted, found := 0, 0
	for i := range s.spec.Targets {
		t := &s.spec.Targets[i]
		c := parquetColumn{target: t, at: -1}
		at := nameUnknown
		if !t.Fixed {
			wanted++
			if at, err = s.find(t); err != nil {
				return nil, err
			}
		}
		if at >= 0 {
			found++
			if err := s.parsed.ColumnError(at); err != nil {
				return nil, inFile(s.name, err)
			}
			if !loadable(schema[at].Type, t.Type, s.spec.Format.Missing == MissingError) {
				return nil, sqlerr.New(sqlerr.Type, "file %s: column %s of type %s cannot be loaded into a column of type %s", s.name, schema[at].Name, schema[at].Type, t.Type)
			}
			c.at = len(cols)
			cols = append(cols, at)
		} else if c.fill, err = s.missing(t); err != nil {
			return nil, err
		}
		s.plan = append(s.plan, c)
	}
	if wanted > 0 && found == 0 {
		return nil, s.errNothing()
	}
	return cols, nil
}

// errNothing is the error for a file that has no column of the table.
func (s *parquetScan) errNothing() error {
	var have []string
	for _, f := range s.parsed.Schema() {
		if have = append(have, f.Name); len(have) == 10 {
			have = append(have, "...")
			break
		}
	}
	return sqlerr.New(sqlerr.Constraint, "file %s has no column of the table; it has %s", s.name, strings.Join(have, ", "))
}

// find returns the position of a target's column in the file, nameUnknown if there is none.
func (s *parquetScan) find(t *Target) (int, error) {
	exact, other := nameUnknown, nameUnknown
	for i, f := range s.parsed.Schema() {
		switch {
		case f.Name == t.Name && exact >= 0:
			return 0, sqlerr.New(sqlerr.Bind, "file %s has two columns named %s", s.name, f.Name)
		case f.Name == t.Name:
			exact = i
		case !s.spec.CaseSensitive && strings.EqualFold(f.Name, t.Name) && !s.isTarget(f.Name):
			if other >= 0 {
				return 0, errAmbiguous(s.name, s.parsed.Schema()[other].Name, f.Name)
			}
			other = i
		}
	}
	switch {
	case exact >= 0 && other >= 0:
		return 0, errAmbiguous(s.name, s.parsed.Schema()[exact].Name, s.parsed.Schema()[other].Name)
	case exact >= 0:
		return exact, nil
	}
	return other, nil
}

// isTarget tells whether a column of the file has a target of exactly its name.
func (s *parquetScan) isTarget(name string) bool {
	for i := range s.spec.Targets {
		if s.spec.Targets[i].Name == name {
			return true
		}
	}
	return false
}

// missing returns the value, as one row, of a target that the file has no column for.
func (s *parquetScan) missing(t *Target) (*vec.Vector, error) {
	null := vec.NewNull(t.Type, 1)
	refused := sqlerr.New(sqlerr.Constraint, "file %s has no column %s, which is NOT NULL", s.name, t.Name)
	switch {
	case t.Fixed:
		if t.Default != nil {
			return vec.Flatten(t.Default), nil
		}
		return null, nil
	case t.Added:
		return null, nil
	case s.spec.Format.Missing == MissingError:
		return nil, sqlerr.New(sqlerr.Constraint, "file %s has no column %s (%s), and MISSING_FIELD_AS is ERROR; FIELD_DEFAULT or NULL would fill it", s.name, t.Name, t.Type)
	case s.spec.Format.Missing == MissingDefault && t.Default != nil && (!t.NotNull || !t.Default.IsNull(0)):
		return vec.Flatten(t.Default), nil
	case !t.NotNull:
		return null, nil
	case s.spec.Format.Missing == MissingNull:
		return nil, refused
	}
	zero, err := newSlot(&slotEnv{cell: variant.NewBatchBuilder(1)}, t.Name, t.Type, 0)
	if err != nil {
		return nil, refused
	}
	zero.grow(1)
	zero.putZero(0)
	return zero.finish(1), nil
}

// next returns the next batch, nil at the end.
func (s *parquetScan) next([]variant.RowSink, int) (*vec.Batch, error) {
	for s.reader != nil {
		b, err := s.reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, inFile(s.name, err)
		}
		first := s.row
		s.row += int64(b.Len)
		if b, err = s.convert(b, first, s.unread(first)); b != nil || err != nil {
			return b, err
		}
	}
	return nil, nil
}

func (s *parquetScan) close() error {
	if err := s.file.Close(); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "close file %s", s.name)
	}
	return nil
}

// unread are the faults of the batch just read, which begins with row first: values that do not read as the type of their own column,
// such as text that is not UTF-8. With DISABLE_VARIANT_CHECK, JSON that is none is NULL and no fault.
func (s *parquetScan) unread(first int64) map[int]*fault {
	faults := map[int]*fault{}
	for _, bad := range s.reader.Bad() {
		row := int(bad.Row - first)
		t := s.typeOf(bad.Column)
		if faults[row] == nil && !(s.spec.VariantNullOnBad && t.Kind == types.JSON) {
			faults[row] = columnFault(bad.Column, " ("+t.String()+")", bad.Err)
		}
	}
	return faults
}

// typeOf returns the type of a column of the file.
func (s *parquetScan) typeOf(column string) types.Type {
	for _, f := range s.parsed.Schema() {
		if f.Name == column {
			return f.Type
		}
	}
	panic("BUG: a bad value in a column that the file does not have")
}

// columnFault is the fault of a row because of the value in a column; about says more of the column.
func columnFault(column, about string, err error) *fault {
	f := &fault{kind: sqlerr.KindOf(err), column: column, reason: "column " + column + about + ": " + err.Error()}
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		f.reason = "column " + column + about + ": " + e.Msg
	}
	return f
}

// convert turns a batch of the file into one of the targets, without the bad rows; nil if no row is left. first is the row of the file
// with which it begins, faults has those rows of the batch that are known to be bad.
func (s *parquetScan) convert(b *vec.Batch, first int64, faults map[int]*fault) (*vec.Batch, error) {
	cols := make([]*vec.Vector, len(s.plan))
	for i := range s.plan {
		c := &s.plan[i]
		if c.at < 0 {
			cols[i] = vec.NewConstant(c.fill, b.Len)
			continue
		}
		var err error
		if cols[i], err = s.column(c.target, b.Cols[c.at]); err == nil {
			continue
		}
		if sqlerr.KindOf(err) == sqlerr.Type {
			return nil, inFile(s.name, err)
		}
		s.findFaults(c.target, b.Cols[c.at], faults)
	}
	if len(faults) == 0 {
		if s.spec.WholeRow {
			return s.wholeRows(b), nil
		}
		return vec.NewBatch(b.Len, cols...), nil
	}
	good := make([]int32, 0, b.Len)
	for i := range b.Len {
		f := faults[i]
		if f == nil {
			good = append(good, int32(i))
			continue
		}
		if err := s.out.reject(f.kind, RowError{Line: first + int64(i) + 1, Column: f.column, Reason: f.reason}); err != nil {
			return nil, err
		}
	}
	if len(good) == 0 {
		return nil, nil
	}
	kept := &vec.Batch{Len: len(good)}
	for _, c := range b.Cols {
		kept.Cols = append(kept.Cols, vec.GatherRows(plain(c), good))
	}
	return s.convert(kept, first, map[int]*fault{})
}

// plain returns a vector in a form that can be gathered.
func plain(v *vec.Vector) *vec.Vector {
	if v.Form == vec.Shredded {
		return variant.Flatten(v)
	}
	return v
}

// wholeRows makes one object of each row.
func (s *parquetScan) wholeRows(b *vec.Batch) *vec.Batch {
	row := &vec.Vector{Type: types.Type{Kind: types.Struct}, Len: b.Len}
	for i, f := range s.parsed.Schema() {
		row.Type.Fields = append(row.Type.Fields, types.Field{Name: f.Name, Type: f.Type})
		row.Children = append(row.Children, vec.Flatten(plain(b.Cols[i])))
	}
	return vec.NewBatch(b.Len, variant.FromVector(row))
}

// findFaults converts row by row and adds those that fail, unless a column before has failed there.
func (s *parquetScan) findFaults(t *Target, v *vec.Vector, faults map[int]*fault) {
	v = plain(v)
	for i := range v.Len {
		if faults[i] != nil {
			continue
		}
		_, err := s.column(t, v.Slice(i, i+1))
		if err == nil {
			continue
		}
		faults[i] = columnFault(t.Name, "", err)
	}
}

// column converts the values of a column to those of its target. The error names a value that does not fit.
func (s *parquetScan) column(t *Target, v *vec.Vector) (*vec.Vector, error) {
	if !t.NotNull && v.Type.Kind == types.Varchar && len(s.spec.Format.NullIf) > 0 {
		v = nullTexts(v, s.spec.Format.NullIf)
	}
	v = align(v, t.Type)
	var out *vec.Vector
	var err error
	switch {
	case v.Type.IsInteger() && t.Type.IsTemporal():
		out, err = s.counted(t, v)
	default:
		lenient := s.spec.VariantNullOnBad && v.Type.Kind == types.Varchar && t.Type.IsVariant()
		out, err = function.Assign(s.ctx, v, t.Type, lenient)
	}
	if err != nil {
		return nil, err
	}
	if v.Type.IsVariant() && !t.Type.IsVariant() {
		if err := lostVariant(v, out); err != nil {
			return nil, err
		}
	}
	if t.NotNull && out.HasNulls() {
		for i := range out.Len {
			if out.IsNull(i) {
				return nil, sqlerr.New(sqlerr.Constraint, "cannot take null: the column is NOT NULL")
			}
		}
	}
	return out, nil
}

// nullTexts applies NULL_IF.
func nullTexts(v *vec.Vector, list []string) *vec.Vector {
	out := *vec.Flatten(v)
	valid := vec.NewBitmap(out.Len)
	for i := range out.Len {
		if !out.IsNull(i) && !isNullText(list, out.Bytes(i)) {
			valid.Set(i)
		}
	}
	out.Valid = valid
	return &out
}

// counted reads integers as days, or as instants, like those of NDJSON.
func (s *parquetScan) counted(t *Target, v *vec.Vector) (*vec.Vector, error) {
	wide, err := function.Cast(s.ctx, v, types.Of(types.BigInt), false)
	if err != nil {
		return nil, err
	}
	c, err := newSlot(&slotEnv{rounding: s.spec.Rounding, zone: newZone(s.spec.Zone)}, t.Name, t.Type, 0)
	if err != nil {
		return nil, err
	}
	wide = vec.Flatten(wide)
	c.grow(wide.Len)
	for i, x := range vec.Slice[int64](wide) {
		if wide.IsNull(i) {
			c.putNull(i)
		} else if p := c.putInt(i, x); p != fits {
			return nil, sqlerr.New(sqlerr.OutOfRange, "%d is out of range for %s", x, t.Type)
		}
	}
	return c.finish(wide.Len), nil
}

// lostVariant returns an error if a variant became NULL because it does not convert.
func lostVariant(v, out *vec.Vector) error {
	if !out.HasNulls() {
		return nil
	}
	v = vec.Flatten(plain(v))
	had := variant.NotNull(v)
	for i := range out.Len {
		if out.IsNull(i) && had.Get(i) {
			return sqlerr.New(sqlerr.Conversion, "cannot take %s (%s): it does not read as %s", showText(variant.AppendJSON(nil, v.Meta.Bytes(i), v.Bytes(i))), v.Type, out.Type)
		}
	}
	return nil
}
