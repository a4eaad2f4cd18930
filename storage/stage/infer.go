package stage

import (
	"context"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
)

// InferSpec tells what to look for in files.
type InferSpec struct {
	Format Format
	// Known are the columns that the table has.
	Known         []string
	CaseSensitive bool
	// Files, RecordsPerFile and Total bound the sample of NDJSON: how many files are looked at, how many records of each, and how many in
	// all, counting those really read. 0 means AUTO (64, 1000 and 10,000), -1 no bound. Footers of Parquet files are all read.
	Files, RecordsPerFile, Total int
}

// The sample that AUTO means.
const (
	autoFiles          = 64
	autoRecordsPerFile = 1000
	autoTotal          = 10_000
)

// NewColumn is a column that files have and the table lacks.
type NewColumn struct {
	// Name is spelled as at its first appearance.
	Name string
	Type types.Type
	// File and Line are where it first appears; Line is 0 for Parquet.
	File string
	Line int64
}

// Infer returns the columns that files have beyond Known, in order of first appearance: of files as given, then of fields. A field that
// is null in every record looked at gives none. Empty files have no columns.
//
// For NDJSON the type comes from the values of a sample, whatever their order: BIGINT for integers that fit, LARGEINT for longer ones,
// DOUBLE for other numbers and mixtures of numbers, VARCHAR, BOOLEAN, VARIANT for objects and arrays and whatever is mixed with them,
// VARCHAR for other mixtures. A line that is no object gives no columns: what becomes of it is for the load to say. For Parquet a column
// must have the same type in all files that have it, else the error, of kind Type, names column, types and files.
func Infer(ctx context.Context, fsys vfs.FS, files []File, spec InferSpec) ([]NewColumn, error) {
	found := &columnSet{known: newNameIndex(spec.Known, spec.CaseSensitive), caseSensitive: spec.CaseSensitive, byKey: map[string]int{}}
	var err error
	switch spec.Format.Type {
	case NDJSON:
		err = inferLines(ctx, fsys, files, &spec, found)
	case Parquet:
		err = inferParquet(ctx, fsys, files, &spec, found)
	default:
		err = sqlerr.New(sqlerr.Unsupported, "%s files are not supported", spec.Format.Type)
	}
	if err != nil {
		return nil, err
	}
	var out []NewColumn
	for _, c := range found.columns {
		if c.Type.Kind == types.Null {
			continue
		}
		if c.Name == "" {
			return nil, sqlerr.New(sqlerr.Bind, "file %s, line %d: a field without a name cannot become a column; load the files into a VARIANT column", c.File, c.Line)
		}
		out = append(out, c)
	}
	return out, nil
}

// columnSet gathers new columns in order of appearance.
type columnSet struct {
	known         *nameIndex
	caseSensitive bool
	columns       []NewColumn
	byKey         map[string]int // by folded name, or by name if case matters
}

// key is the name under which spellings of one column meet.
func (s *columnSet) key(name string) string {
	if s.caseSensitive {
		return name
	}
	return fold(name)
}

// add returns the position of the column of a name, adding it if it is new, and knownColumn for columns that the table has.
func (s *columnSet) add(name string, file string, line int64) (int, error) {
	if s.known.find(name) != nameUnknown {
		return knownColumn, nil
	}
	key := s.key(name)
	i, ok := s.byKey[key]
	if !ok {
		if i = len(s.columns); i >= maxLateFields {
			return 0, sqlerr.New(sqlerr.Resource, "file %s, line %d: the files have more than %d different new fields; load them into a VARIANT column", file, line, maxLateFields)
		}
		s.byKey[key] = i
		s.columns = append(s.columns, NewColumn{Name: name, File: file, Line: line})
	}
	return i, nil
}

// inferParquet adds the columns of all footers.
func inferParquet(ctx context.Context, fsys vfs.FS, files []File, spec *InferSpec, found *columnSet) error {
	for i := range files {
		if files[i].Size == 0 {
			continue
		}
		if err := canceled(ctx); err != nil {
			return err
		}
		if err := inferFooter(fsys, &files[i], spec, found); err != nil {
			return err
		}
	}
	return nil
}

func inferFooter(fsys vfs.FS, f *File, spec *InferSpec, found *columnSet) error {
	file, parsed, err := openParquetFile(fsys, f, spec.Format.RawIntegers, nil)
	if err != nil {
		return err
	}
	defer file.Close() // nothing was written
	if parsed.Rows() == 0 {
		return nil
	}
	names := map[string]string{}
	for i, field := range parsed.Schema() {
		at, err := found.add(field.Name, f.Name, 0)
		if err != nil {
			return err
		}
		if at == knownColumn {
			continue
		}
		c := &found.columns[at]
		if other, twice := names[found.key(field.Name)]; twice {
			return errAmbiguous(f.Name, other, field.Name)
		}
		names[found.key(field.Name)] = field.Name
		if err := parsed.ColumnError(i); err != nil {
			return inFile(f.Name, err)
		}
		t := nullable(field.Type)
		switch {
		case t.Kind == types.Null:
		case c.Type.Kind == types.Null:
			c.Type, c.File = t, f.Name
		case !c.Type.Equal(t):
			return sqlerr.New(sqlerr.Type, "column %s has type %s in file %s and type %s in file %s; load the files one after the other, or into a column that you add before",
				c.Name, c.Type, c.File, t, f.Name)
		}
	}
	return nil
}

// nullable returns a type whose members may be NULL: what a file happens to have everywhere is no promise of the next one.
func nullable(t types.Type) types.Type {
	if t.Elem != nil {
		e := nullable(*t.Elem)
		t.Elem = &e
	}
	if t.Fields != nil {
		fields := make([]types.Field, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = types.Field{Name: f.Name, Type: nullable(f.Type), NotNull: t.Kind == types.Map && i == 0}
		}
		t.Fields = fields
	}
	return t
}

// canceled returns an error once ctx has ended.
func canceled(ctx context.Context) error {
	if ctx.Err() != nil {
		return sqlerr.Wrap(sqlerr.Canceled, context.Cause(ctx), "the load was canceled")
	}
	return nil
}

// ParquetSchema returns the columns of a Parquet file. A column that cannot be read is an error.
func ParquetSchema(fsys vfs.FS, f File) (types.Schema, error) {
	file, parsed, err := openParquetFile(fsys, &f, false, nil)
	if err != nil {
		return nil, err
	}
	defer file.Close() // nothing was written
	for i := range parsed.Schema() {
		if err := parsed.ColumnError(i); err != nil {
			return nil, inFile(f.Name, err)
		}
	}
	return parsed.Schema(), nil
}
