package stage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Bounds of what a report keeps.
const (
	// maxRowErrors bounds the bad rows that are kept with their text; all are counted.
	maxRowErrors = 1000
	// maxRowText bounds the raw text kept of a bad row.
	maxRowText = 1 << 10
	// maxLateFields bounds the field names of a load that are no column: data with more keys than that belong in a VARIANT.
	maxLateFields = 20_000
)

// FileReport is what a load saw of one file.
type FileReport struct {
	// File is the name inside the stage.
	File string
	// Loaded are the rows handed on, Errors the bad rows seen, whatever became of them.
	Loaded, Errors int64
	// FirstError and FirstLine are reason and physical line (Parquet: row) of the first bad row; "" and 0 if there was none.
	FirstError string
	FirstLine  int64
	// Skipped says that ON_ERROR = SKIP_FILE left the file out.
	Skipped bool
}

// RowError is one bad row.
type RowError struct {
	File string
	// Line counts physical lines (Parquet: rows) from 1; Offset is the byte at which the line begins, in the decompressed file.
	Line, Offset int64
	// Column is the column that did not take its value, "" for a row that is no JSON object.
	Column string
	Reason string
	// Text is the beginning of the raw row, valid UTF-8.
	Text string
}

// LateField is a field that is no column, with the place where it first has a value.
type LateField struct {
	Name string
	File string
	Line int64
}

// Report collects what all scanners of one load see. It is safe for concurrent use.
type Report struct {
	onError OnError
	index   map[string]int // position in files by path

	mu         sync.Mutex
	files      []FileReport
	errors     int64
	rows       []placedError
	late       map[string]placedField // by folded name
	duplicates int64
}

type placedError struct {
	RowError
	file int
}

type placedField struct {
	LateField
	file, pos int // pos is the position within the row
}

// NewReport makes the report of a load of files, which are whole files; scanners of their parts report to them.
func NewReport(files []File, o OnError) *Report {
	r := &Report{onError: o, index: make(map[string]int, len(files)), late: map[string]placedField{}}
	for i, f := range files {
		if _, ok := r.index[f.Path]; !ok {
			r.index[f.Path] = i
		}
		r.files = append(r.files, FileReport{File: f.Name})
	}
	return r
}

// Files returns the files in the order given to NewReport.
func (r *Report) Files() []FileReport {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.files)
}

// RowErrors returns the bad rows in order of file and line, at most 1000 of them.
func (r *Report) RowErrors() []RowError {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(r.rows, func(a, b placedError) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.Line, b.Line))
	})
	out := make([]RowError, len(r.rows))
	for i, e := range r.rows {
		out[i] = e.RowError
	}
	return out
}

// Late returns all fields that are no target and hold a value somewhere (UnknownCollect), in order of first appearance.
func (r *Report) Late() []LateField {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]placedField, 0, len(r.late))
	for _, f := range r.late {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b placedField) int { return a.compare(&b) })
	out := make([]LateField, len(all))
	for i, f := range all {
		out[i] = f.LateField
	}
	return out
}

// compare orders fields by their first appearance.
func (f *placedField) compare(g *placedField) int {
	return cmp.Or(cmp.Compare(f.file, g.file), cmp.Compare(f.Line, g.Line), cmp.Compare(f.pos, g.pos), cmp.Compare(f.Name, g.Name))
}

// Duplicates returns the number of object members that were dropped because a later one of the same object has the same name.
func (r *Report) Duplicates() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.duplicates
}

// fileIndex finds the entry of a file or of the file that f is a part of.
func (r *Report) fileIndex(f *File) int {
	i, ok := r.index[f.Path]
	if !ok {
		panic("BUG: file " + f.Name + " is not in the report")
	}
	return i
}

// reject counts a bad row. The error, of the given kind, ends the load; without one the row is dropped.
func (r *Report) reject(file int, kind sqlerr.Kind, e RowError) error {
	e.File = r.files[file].File
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors++
	if len(r.rows) < maxRowErrors {
		r.rows = append(r.rows, placedError{e, file})
	}
	f := &r.files[file]
	if f.Errors++; f.FirstLine == 0 || e.Line < f.FirstLine {
		f.FirstLine, f.FirstError = e.Line, e.Reason
	}
	limit := int64(max(r.onError.Limit, 1))
	if r.onError.Mode != Abort || r.errors < limit {
		return nil
	}
	rows := "1 bad row"
	if r.errors > 1 {
		rows = fmt.Sprintf("%d bad rows", r.errors)
	}
	return sqlerr.New(kind, "file %s, line %d: %s (%s; ON_ERROR = CONTINUE loads the other rows)", e.File, e.Line, e.Reason, rows)
}

// loaded counts rows handed on.
func (r *Report) loaded(file int, rows int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[file].Loaded += int64(rows)
}

// skip marks a file as left out.
func (r *Report) skip(file int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[file].Skipped = true
}

// failed tells whether a file has bad rows.
func (r *Report) failed(file int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.files[file].Errors > 0
}

// addDuplicates counts dropped members.
func (r *Report) addDuplicates(n int64) {
	if n == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.duplicates += n
}

// addLate notes a field that is no target; of several places the first counts.
func (r *Report) addLate(file int, name string, line int64, pos int) error {
	f := placedField{LateField{Name: name, File: r.files[file].File, Line: line}, file, pos}
	key := fold(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	old, known := r.late[key]
	switch {
	case known && old.compare(&f) <= 0:
		return nil
	case !known && len(r.late) >= maxLateFields:
		return sqlerr.New(sqlerr.Resource, "file %s, line %d: the files have more than %d different fields that are no columns; load them into a VARIANT column",
			f.File, line, maxLateFields)
	}
	r.late[key] = f
	return nil
}

// cutText returns the beginning of a raw row as valid UTF-8.
func cutText(b []byte) string {
	if len(b) > maxRowText {
		b = b[:maxRowText]
	}
	return strings.ToValidUTF8(string(b), "")
}
