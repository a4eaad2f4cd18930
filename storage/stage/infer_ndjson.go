package stage

import (
	"context"
	"errors"
	"io"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
)

// maxSampleBytes bounds what AUTO reads of one file; at least one record is looked at.
const maxSampleBytes = 32 << 20

// sampledFiles chooses n of count files, spread evenly with the first and the last among them; of one, the middle.
func sampledFiles(count, n int) []int {
	var out []int
	switch {
	case n < 0 || n >= count:
		for i := range count {
			out = append(out, i)
		}
	case n == 1:
		out = []int{count / 2}
	default:
		for i := range n {
			out = append(out, i*(count-1)/(n-1))
		}
	}
	return out
}

// bound returns a bound of the sample; -1 is none.
func bound(given, auto int) int {
	if given == 0 {
		return auto
	}
	return given
}

// inferLines adds the fields of a sample of NDJSON files.
func inferLines(ctx context.Context, fsys vfs.FS, files []File, spec *InferSpec, found *columnSet) error {
	var candidates []*File
	for i := range files {
		if files[i].Size > 0 {
			candidates = append(candidates, &files[i])
		}
	}
	s := &sampler{fsys: fsys, spec: spec, found: found, left: bound(spec.Total, autoTotal), parser: jsonparse.New(jsonparse.Options{}), columns: map[string]int{}}
	s.seen.spelled = map[string]string{}
	for _, i := range sampledFiles(len(candidates), bound(spec.Files, autoFiles)) {
		if s.left == 0 {
			break
		}
		if err := s.file(ctx, candidates[i]); err != nil {
			return err
		}
	}
	return nil
}

// sampler reads sampled files.
type sampler struct {
	fsys   vfs.FS
	spec   *InferSpec
	found  *columnSet
	left   int // records that may still be read, -1 for all
	parser *jsonparse.Parser
	seen   topFields
	// columns maps spellings to positions in found, or to knownColumn.
	columns map[string]int
}

// knownColumn stands for the columns that the table has.
const knownColumn = -1

// file reads the sample of one file.
func (s *sampler) file(ctx context.Context, f *File) error {
	in, err := openInput(s.fsys, f, s.spec.Format.Compression)
	if err != nil {
		return err
	}
	defer in.close() // nothing was written
	records := bound(s.spec.RecordsPerFile, autoRecordsPerFile)
	bytes := int64(maxSampleBytes)
	if s.spec.RecordsPerFile != 0 {
		bytes = -1
	}
	split := jsonparse.NewSplitter(in, jsonparse.SplitOptions{})
	var last *jsonparse.InputError
	for records != 0 && s.left != 0 {
		if err := canceled(ctx); err != nil {
			return err
		}
		chunk, err := split.Next()
		if long, ok := errors.AsType[*jsonparse.InputError](err); ok && long != last {
			// A line that is too long gives no columns; the splitter goes on behind it, or says the same again.
			last = long
			continue
		} else if err == io.EOF || ok {
			return nil
		}
		if err != nil {
			return err
		}
		for lines := chunk.Lines(); records != 0 && s.left != 0 && lines.Next(); {
			if err := s.record(f, &lines); err != nil {
				return err
			}
			records--
			s.left--
			if bytes >= 0 && lines.Offset+int64(len(lines.Line)) >= bytes {
				return nil
			}
		}
		chunk.Release()
	}
	return nil
}

// record adds the fields of one line, or nothing if it is no object.
func (s *sampler) record(f *File, line *jsonparse.Lines) error {
	s.seen.begin()
	if s.parser.Parse(line.Line, &s.seen) != nil || s.seen.other {
		return nil
	}
	for i, name := range s.seen.names {
		at, ok := s.columns[name]
		if !ok {
			var err error
			if at, err = s.found.add(name, f.Name, line.Number); err != nil {
				return err
			}
			if len(s.columns) >= maxKnownFields {
				clear(s.columns)
			}
			s.columns[name] = at
		}
		if at == knownColumn {
			continue
		}
		c, kind := &s.found.columns[at], s.seen.kinds[i]
		if c.Type.Kind == types.Null && kind != types.Null {
			// The place that counts is that of the first value.
			c.File, c.Line = f.Name, line.Number
		}
		c.Type = types.Of(mergeKinds(c.Type.Kind, kind))
	}
	return nil
}

// mergeKinds returns the type of a column that has values of both types. It is commutative and associative, so that the order of records
// does not matter.
func mergeKinds(a, b types.Kind) types.Kind {
	if a > b {
		a, b = b, a
	}
	number := func(k types.Kind) bool { return k == types.BigInt || k == types.LargeInt || k == types.Double }
	switch {
	case a == b || a == types.Null:
		return b
	case b == types.Variant:
		return types.Variant
	case number(a) && number(b):
		return b
	}
	return types.Varchar
}

// topFields is a visitor that takes down names and types of the members of an object.
type topFields struct {
	names []string
	kinds []types.Kind
	depth int
	other bool // the value is no object
	// spelled keeps one string of each name.
	spelled map[string]string
}

func (t *topFields) begin() {
	*t = topFields{names: t.names[:0], kinds: t.kinds[:0], spelled: t.spelled}
}

// value takes down the type of a value at the top level.
func (t *topFields) value(k types.Kind) {
	switch t.depth {
	case 0:
		t.other = true
	case 1:
		if !t.other {
			t.kinds = append(t.kinds, k)
		}
	}
}

// BeginObject is the record, or a VARIANT.
func (t *topFields) BeginObject() {
	if t.depth > 0 {
		t.value(types.Variant)
	}
	t.depth++
}

// BeginArray is a VARIANT.
func (t *topFields) BeginArray() {
	t.value(types.Variant)
	t.depth++
}

// Key names a member.
func (t *topFields) Key(k []byte) {
	if t.depth != 1 || t.other {
		return
	}
	name, ok := t.spelled[string(k)]
	if !ok {
		if len(t.spelled) >= maxKnownFields {
			clear(t.spelled)
		}
		name = string(k)
		t.spelled[name] = name
	}
	t.names = append(t.names, name)
}

// EndObject leaves an object.
func (t *topFields) EndObject() { t.depth-- }

// EndArray leaves an array.
func (t *topFields) EndArray() { t.depth-- }

// Null tells nothing of a type.
func (t *topFields) Null() { t.value(types.Null) }

// Bool is a BOOLEAN.
func (t *topFields) Bool(bool) { t.value(types.Boolean) }

// Int is a BIGINT.
func (t *topFields) Int(int64) { t.value(types.BigInt) }

// Double is a DOUBLE.
func (t *topFields) Double(float64) { t.value(types.Double) }

// Number is a LARGEINT if it is an integer that fits, so that long identifiers keep their digits; else a DOUBLE.
func (t *topFields) Number(text []byte) {
	if _, ok := types.ParseInt128(text); ok {
		t.value(types.LargeInt)
		return
	}
	t.value(types.Double)
}

// String is a VARCHAR; dates are not guessed.
func (t *topFields) String([]byte) { t.value(types.Varchar) }
