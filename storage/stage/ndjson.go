package stage

import (
	"bytes"
	"errors"
	"io"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Batches end at whichever comes first.
const (
	maxScanRows  = 8192
	maxScanCells = 1 << 20 // rows times columns
	minScanRows  = 256
	maxScanBytes = 8 << 20 // of lines, and of the elements of arrays at cellBytes each
	cellBytes    = 8
	firstRoom    = 64 // rows that the slots of a new batch have room for; the room doubles as needed
)

// lineScan reads the records of NDJSON.
type lineScan struct {
	fsys vfs.FS
	file File
	spec *ReadSpec
	out  *reporter

	in     *input
	split  *jsonparse.Splitter
	chunk  *jsonparse.Chunk // nil before the first one and at the end
	lines  jsonparse.Lines
	parser *jsonparse.Parser
	before int64 // lines of the file before the part that is read, -1 if not counted yet

	visitor *rowVisitor // nil for WholeRow
	columns []*slot     // by target, nil where it takes its default
	room    int         // rows that the slots have room for
	maxRows int
	whole   *variant.BatchBuilder // WholeRow
	sink    variant.RowSink       // WholeRow: whole, or one from outside
	counted int                   // duplicate members that the sinks of the batch had dropped before it
}

func openLines(fsys vfs.FS, f File, spec *ReadSpec, out *reporter) (*lineScan, error) {
	s := &lineScan{fsys: fsys, file: f, spec: spec, out: out, parser: jsonparse.New(jsonparse.Options{}), maxRows: maxScanRows}
	if f.From > 0 {
		s.before = -1
	}
	if spec.WholeRow {
		s.whole = variant.NewBatchBuilder(0)
	} else if err := s.build(); err != nil {
		return nil, err
	}
	var err error
	if s.in, err = openInput(fsys, &f, spec.Format.Compression); err != nil {
		return nil, err
	}
	s.split = jsonparse.NewSplitter(s.in, jsonparse.SplitOptions{Offset: f.From})
	return s, nil
}

// build makes the slots of the targets.
func (s *lineScan) build() error {
	env := &slotEnv{rounding: s.spec.Rounding, zone: newZone(s.spec.Zone), cell: variant.NewBatchBuilder(1)}
	v := &rowVisitor{format: &s.spec.Format}
	s.columns = make([]*slot, len(s.spec.Targets))
	for i := range s.spec.Targets {
		t := &s.spec.Targets[i]
		if t.Fixed {
			continue
		}
		c, err := newSlot(env, t.Name, t.Type, 0)
		if err != nil {
			return err
		}
		c.target, c.notNull = t, t.NotNull
		s.columns[i] = c
		v.slots = append(v.slots, c)
		if c.op == opVariant {
			v.variants = append(v.variants, c)
		}
	}
	v.fields = newFieldFinder(s.spec, s.columns)
	s.visitor = v
	width := 1
	for _, c := range v.slots {
		width += c.width
	}
	s.maxRows = max(minScanRows, min(maxScanRows, maxScanCells/width))
	return nil
}

func (s *lineScan) close() error {
	if s.chunk != nil {
		s.chunk.Release()
		s.chunk = nil
	}
	return s.in.close()
}

// next returns the next batch of records, nil at the end.
func (s *lineScan) next(sinks []variant.RowSink, limit int) (*vec.Batch, error) {
	s.aim(sinks)
	rows, size, limit := 0, 0, min(limit, s.maxRows)
	for rows < limit && (size < maxScanBytes || rows == 0) {
		if !s.lines.Next() {
			more, err := s.advance()
			if err != nil {
				return nil, err
			}
			if !more {
				break
			}
			continue
		}
		bad, err := s.record(rows)
		if err != nil {
			return nil, err
		}
		size += len(s.lines.Line)
		if s.visitor != nil {
			size += s.visitor.cells * cellBytes
		}
		if bad == nil {
			rows++
			continue
		}
		if err := s.reject(bad, s.lines.Number, s.lines.Offset, s.lines.Line); err != nil {
			return nil, err
		}
		if rows == 0 && size >= maxScanBytes {
			// The text of bad rows must not pile up in the slots.
			s.reset()
			size = 0
		}
	}
	if rows == 0 {
		return nil, nil
	}
	return s.batch(rows), nil
}

// aim chooses where the values of variant columns go.
func (s *lineScan) aim(sinks []variant.RowSink) {
	choose := func(i int, own *variant.BatchBuilder) variant.RowSink {
		if i < len(sinks) && sinks[i] != nil {
			return sinks[i]
		}
		return own
	}
	if s.whole != nil {
		s.sink = choose(0, s.whole)
	}
	for i, c := range s.columns {
		if c != nil && c.op == opVariant {
			c.sink = choose(i, c.builder)
		}
	}
	s.counted = s.duplicates()
}

// duplicates sums up the duplicate members that the present sinks have dropped.
func (s *lineScan) duplicates() int {
	if s.whole != nil {
		return s.sink.Duplicates()
	}
	n := 0
	for _, c := range s.visitor.variants {
		n += c.sink.Duplicates()
	}
	return n
}

// reset empties the slots.
func (s *lineScan) reset() {
	for _, c := range s.columns {
		if c != nil {
			c.finish(0)
		}
	}
	s.room = 0
}

// advance goes to the next chunk of lines; false at the end.
func (s *lineScan) advance() (bool, error) {
	if s.chunk != nil {
		s.lines = jsonparse.Lines{}
		s.chunk.Release()
		s.chunk = nil
	}
	c, err := s.split.Next()
	for {
		long, ok := errors.AsType[*jsonparse.InputError](err)
		if !ok {
			break
		}
		// A line that is too long is a bad row, behind which the splitter goes on. What it says twice ends the file.
		c, err = s.split.Next()
		if again, ok := errors.AsType[*jsonparse.InputError](err); ok && again == long {
			return false, sqlerr.New(sqlerr.Corrupt, "file %s, line %d: %s", s.file.Name, long.Line, long.Msg)
		}
		bad := &fault{kind: sqlerr.Resource, reason: long.Msg}
		if err := s.reject(bad, long.Line, long.Offset, nil); err != nil {
			return false, err
		}
	}
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.chunk, s.lines = c, c.Lines()
	return true, nil
}

// record reads the present line into a row, or tells what is wrong with it. An error ends the load.
func (s *lineScan) record(row int) (*fault, error) {
	if s.whole != nil {
		return s.wholeRecord(), nil
	}
	v := s.visitor
	if row >= s.room {
		s.room = min(max(firstRoom, 2*s.room), s.maxRows)
		for _, c := range v.slots {
			c.grow(s.room)
		}
	}
	v.row = row
	v.begin()
	err := s.parser.Parse(s.lines.Line, v)
	bad := v.bad
	if err != nil {
		bad = syntaxFault(err)
	} else if bad == nil {
		v.finish()
		bad = v.bad
	}
	if bad != nil {
		v.undo()
		return bad, nil
	}
	s.out.duplicates(v.duplicates)
	return nil, s.noteLate()
}

// wholeRecord reads the present line as one variant.
func (s *lineScan) wholeRecord() *fault {
	s.sink.BeginRow()
	err := s.parser.Parse(s.lines.Line, s.sink)
	if err != nil {
		s.sink.Undo()
		return syntaxFault(err)
	}
	switch first := bytes.TrimLeft(s.lines.Line, " \t\r\n")[0]; first {
	case '{':
		s.sink.EndRow()
		return nil
	case '[':
		s.sink.Undo()
		return notObject("an array")
	}
	s.sink.Undo()
	return notObject("a scalar")
}

func syntaxFault(err error) *fault {
	return &fault{kind: sqlerr.Conversion, reason: "the line is no JSON object: " + err.Error()}
}

// noteLate reports the fields of the present row that have a value and no column. Each is reported once: the first line of a file is
// the one that counts.
func (s *lineScan) noteLate() error {
	if s.out.trial {
		return nil
	}
	for _, l := range s.visitor.late {
		line, err := s.lineNumber(s.lines.Number)
		if err != nil {
			return err
		}
		if err := s.out.late(l.field.name, line, l.pos); err != nil {
			return err
		}
		l.field.kind = fieldIgnored
	}
	return nil
}

// lineNumber turns a line number within the part into that within the file. The lines before the part are only counted when somebody
// needs to know.
func (s *lineScan) lineNumber(n int64) (int64, error) {
	if s.before < 0 {
		lines, err := jsonparse.CountRangeLines(s.in.file, 0, s.file.From)
		if err != nil {
			return 0, s.in.failure(err)
		}
		s.before = lines
	}
	return s.before + n, nil
}

// reject reports a bad row; the error ends the load.
func (s *lineScan) reject(f *fault, number, offset int64, text []byte) error {
	line, err := s.lineNumber(number)
	if err != nil {
		return err
	}
	return s.out.reject(f.kind, RowError{Line: line, Offset: offset, Column: f.column, Reason: f.reason, Text: cutText(text)})
}

// batch returns the rows read.
func (s *lineScan) batch(rows int) *vec.Batch {
	s.out.duplicates(int64(s.duplicates() - s.counted))
	if s.whole != nil {
		var all *vec.Vector
		if s.sink == variant.RowSink(s.whole) {
			all = s.whole.Finish()
		}
		return vec.NewBatch(rows, all)
	}
	cols := make([]*vec.Vector, len(s.columns))
	for i, c := range s.columns {
		if c == nil {
			cols[i] = fixedColumn(&s.spec.Targets[i], rows)
			continue
		}
		cols[i] = c.finish(rows)
	}
	s.room = 0
	return vec.NewBatch(rows, cols...)
}

// fixedColumn is a column that no field is read into.
func fixedColumn(t *Target, rows int) *vec.Vector {
	if t.Default == nil {
		return vec.NewNull(t.Type, rows)
	}
	return vec.NewConstant(vec.Flatten(t.Default), rows)
}
