package stage

import (
	"math"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// rowReader reads the rows of one file.
type rowReader interface {
	// next returns the next batch, nil at the end; see Scanner.NextInto.
	next(sinks []variant.RowSink, limit int) (*vec.Batch, error)
	close() error
}

// Scanner reads one file, or a part of one. It belongs to one goroutine.
type Scanner struct {
	fsys vfs.FS
	file File
	spec ReadSpec
	out  reporter
	rows rowReader
	done bool
}

// Open starts reading a file. The batches have the columns of spec.Targets in order, or with spec.WholeRow one VARIANT column. What is
// seen on the way goes to the report, which must know the file. Errors name the file: NotFound and IO for the file itself, Corrupt for its
// content, Type and Bind for columns that do not fit the targets.
func Open(fsys vfs.FS, f File, spec ReadSpec, r *Report) (*Scanner, error) {
	s := &Scanner{fsys: fsys, file: f, spec: spec}
	s.out = reporter{report: r, file: r.fileIndex(&f), trial: spec.OnError.Mode == SkipFile}
	if s.out.trial && f.part() {
		return nil, sqlerr.New(sqlerr.Internal, "file %s is read in parts, of which none knows whether to skip it", f.Name)
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Scanner) open() (err error) {
	switch s.spec.Format.Type {
	case NDJSON:
		s.rows, err = asReader(openLines(s.fsys, s.file, &s.spec, &s.out))
	case Parquet:
		s.rows, err = asReader(openParquet(s.fsys, s.file, &s.spec, &s.out))
	default:
		err = sqlerr.New(sqlerr.Unsupported, "file %s: %s files are not supported", s.file.Name, s.spec.Format.Type)
	}
	return err
}

// asReader keeps a nil of a concrete type from becoming a reader.
func asReader[T rowReader](r T, err error) (rowReader, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Next returns the next batch, nil at the end. A batch has at least one row. After an error the scan is over.
func (s *Scanner) Next() (*vec.Batch, error) { return s.NextInto(nil, math.MaxInt) }

// NextInto is Next for a caller who collects the values of variant columns in sinks, one a column, nil for the others. A scanner may send
// the values of a column to its sink instead of the batch, which then has nil in their place and at most limit rows (at least 1). After
// an error the sinks hold rows of no batch.
func (s *Scanner) NextInto(sinks []variant.RowSink, limit int) (*vec.Batch, error) {
	if s.done {
		return nil, nil
	}
	if s.out.trial {
		if err := s.try(); err != nil || s.done {
			s.done = true
			return nil, err
		}
	}
	b, err := s.rows.next(sinks, limit)
	if err != nil || b == nil {
		s.done = true
		return nil, err
	}
	s.out.loaded(b.Len)
	return b, nil
}

// try reads the whole file to see whether it has bad rows, in which case it is skipped, else starts again.
func (s *Scanner) try() error {
	for {
		b, err := s.rows.next(nil, math.MaxInt)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
	}
	if s.out.report.failed(s.out.file) {
		s.out.report.skip(s.out.file)
		s.done = true
		return nil
	}
	s.out.trial = false
	rows := s.rows
	s.rows = nil
	if err := rows.close(); err != nil {
		return err
	}
	return s.open()
}

// Close ends the scan.
func (s *Scanner) Close() error {
	s.done = true
	rows := s.rows
	s.rows = nil
	if rows == nil {
		return nil
	}
	return rows.close()
}

// reporter is the report as one scanner sees it.
type reporter struct {
	report *Report
	file   int
	// trial is set while a file is read only to see whether it has bad rows: these are counted, all else is not.
	trial bool
}

func (o *reporter) reject(kind sqlerr.Kind, e RowError) error {
	return o.report.reject(o.file, kind, e)
}

func (o *reporter) late(name string, line int64, pos int) error {
	return o.report.addLate(o.file, name, line, pos)
}

func (o *reporter) loaded(rows int) { o.report.loaded(o.file, rows) }

func (o *reporter) duplicates(n int64) {
	if !o.trial {
		o.report.addDuplicates(n)
	}
}
