package session

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/stage"
)

// copySchema are the result columns of COPY INTO a table. Status tells skipped files from loaded ones.
var copySchema = []types.Field{text("File"), bigint("Rows_loaded"), bigint("Errors_seen"), text("First_error"), bigint("First_error_line"), text("Status")}

// partBytes is the size of the parts of files that workers share out.
const partBytes = 8 << 20

// load is one COPY INTO a table while it runs.
type load struct {
	s      *Session
	st     *parse.CopyIntoTable
	o      *copyOptions
	id     uint64
	c      *call
	place  *place
	table  *catalog.Table
	files  []stage.File
	skip   []stage.File // loaded before
	added  []stage.NewColumn
	report *stage.Report
	losses segment.Losses
}

// copyIntoTable loads files. Rows, new columns and load history are committed together. Where another statement changed the table
// meanwhile, the load starts again from the new definition.
func (s *Session) copyIntoTable(ctx context.Context, st *parse.CopyIntoTable) (*Result, error) {
	if st.With != nil {
		return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "WITH is not supported in COPY INTO a table")
	}
	o, err := s.copyOptions(st.Options)
	if err != nil {
		return nil, err
	}
	for tries := 0; ; tries++ {
		l := &load{s: s, st: st, o: o, id: s.engine.store.NewID()}
		r, err := l.run(ctx)
		if err == nil || sqlerr.KindOf(err) != sqlerr.Conflict || tries >= maxCommitTries {
			return r, err
		}
	}
}

func (l *load) run(ctx context.Context) (*Result, error) {
	v, err := l.s.writing(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Release()
	l.c = l.s.newCall(v, nil)
	if l.table, err = l.s.table(l.c.snap, l.st.Table); err != nil {
		return nil, err
	}
	if l.st.Query != nil {
		return l.runQuery(ctx)
	}
	if l.place, err = l.s.resolve(l.c.snap, l.st.Source); err != nil {
		return nil, err
	}
	all, err := l.s.engine.list(l.place)
	if err != nil {
		return nil, err
	}
	if err := l.pick(all, l.st.Source.Pos()); err != nil {
		return nil, err
	}
	if len(l.files) == 0 {
		return l.result(), nil
	}
	if err := l.checkFormat(); err != nil {
		return nil, err
	}
	if err := l.infer(ctx); err != nil {
		return nil, err
	}
	return l.execute(ctx)
}

// execute reads the files into the table and commits; with ON_NEW_FIELD = ADD it starts again where the sample missed fields.
func (l *load) execute(ctx context.Context) (*Result, error) {
	for {
		spec, err := l.readSpec()
		if err != nil {
			return nil, err
		}
		l.report = stage.NewReport(l.files, l.o.onError)
		parts, err := stage.Split(l.s.engine.fs, l.files, &spec, partBytes)
		if err != nil {
			return nil, err
		}
		scan := &plan.StageScan{Files: parts, Read: spec, Report: l.report}
		for _, t := range spec.Targets {
			scan.Out = append(scan.Out, types.Field{Name: t.Name, Type: t.Type})
		}
		w, err := l.c.run(ctx, l.st.SourceText(), &plan.Write{Input: scan, Table: l.evolved()})
		if err == nil {
			again, lateErr := l.lateFields(ctx)
			if again {
				w.lease.End()
				continue
			}
			err = lateErr
			if err != nil {
				w.lease.End()
			}
		}
		if err != nil {
			l.keepErrors(ctx, err)
			return nil, err
		}
		defer w.lease.End()
		if err := l.commit(ctx, w); err != nil {
			return nil, err
		}
		l.c.view.ended(l.purge)
		return l.result(), nil
	}
}

// lateFields deals with fields that the sample missed: they fail the load, or join the new columns for another go.
func (l *load) lateFields(ctx context.Context) (again bool, err error) {
	late := l.report.Late()
	if len(late) == 0 {
		return false, nil
	}
	if l.o.evolution != nil && l.o.evolution.addLate {
		before := len(l.added)
		if err := l.inferWith(ctx, -1, -1, -1); err != nil {
			return false, err
		}
		if len(l.added) > before {
			return true, nil
		}
	}
	var names []string
	for _, f := range late {
		names = append(names, fmt.Sprintf("%s (first in %s, line %d)", f.Name, f.File, f.Line))
	}
	return false, sqlerr.At(sqlerr.Constraint, l.st.Source.Pos(),
		"the sample did not cover all fields; nothing was loaded. Not in the table and not sampled: %s. Increase SAMPLE_FILES, SAMPLE_RECORDS_PER_FILE or SAMPLE_TOTAL_RECORDS, or use SCHEMA_EVOLUTION = (ON_NEW_FIELD = ADD)",
		strings.Join(names, "; "))
}

// pick keeps the files that are to be loaded: those that FILES or PATTERN selects, without empty ones and those loaded before.
func (l *load) pick(all []stage.File, pos int) (err error) {
	if all, err = l.selected(all, pos); err != nil {
		return err
	}
	hours := l.s.intVar("load_file_metadata_expire_hours")
	oldest := time.Now().Add(-time.Duration(hours) * time.Hour)
	for _, f := range all {
		if f.Size == 0 {
			continue
		}
		if !l.o.force && l.loaded(f, oldest) {
			l.skip = append(l.skip, f)
			continue
		}
		if l.o.maxFiles == 0 || len(l.files) < l.o.maxFiles {
			l.files = append(l.files, f)
		}
	}
	if len(l.files) > maxFilesPerCopy {
		return sqlerr.At(sqlerr.Resource, pos, "%d files match; one COPY loads at most %d, use MAX_FILES", len(l.files), maxFilesPerCopy)
	}
	return nil
}

// selected applies FILES and PATTERN. A name in FILES that does not exist is an error.
func (l *load) selected(all []stage.File, pos int) ([]stage.File, error) {
	if len(l.o.files) > 0 {
		byName := map[string]stage.File{}
		for _, f := range all {
			byName[belowPrefix(f.Name, l.place.prefix)] = f
		}
		var out []stage.File
		for _, name := range l.o.files {
			f, ok := byName[strings.TrimPrefix(name, "/")]
			if !ok {
				return nil, sqlerr.At(sqlerr.NotFound, pos, "file %s of FILES does not exist in the location", name)
			}
			out = append(out, f)
		}
		return out, nil
	}
	if l.o.pattern == nil {
		return all, nil
	}
	var out []stage.File
	for _, f := range all {
		if l.o.pattern(belowPrefix(f.Name, l.place.prefix)) {
			out = append(out, f)
		}
	}
	return out, nil
}

// historyKey names a file in the load history.
func (l *load) historyKey(f stage.File) string { return l.place.key + "/" + f.Name }

// loaded tells whether the very file was loaded into the table since oldest.
func (l *load) loaded(f stage.File, oldest time.Time) bool {
	e, ok := l.table.Load(l.historyKey(f))
	return ok && e.LoadedAt.After(oldest) && e.Size == f.Size && e.ETag == f.ETag && e.ModTime.Equal(f.ModTime)
}

func (l *load) checkFormat() (err error) {
	if !l.o.given && len(l.place.format) > 0 {
		if l.o.format, err = l.s.storedFormat(l.place.format); err != nil {
			return err
		}
	}
	if l.o.matchPos > 0 && l.o.format.Type != stage.Parquet {
		return sqlerr.At(sqlerr.Bind, l.o.matchPos-1, "COLUMN_MATCH_MODE is for Parquet files; NDJSON fields always match without regard to case")
	}
	if l.o.evolution != nil && !l.table.Evolution {
		return sqlerr.At(sqlerr.Bind, l.o.evolution.pos, "SCHEMA_EVOLUTION needs the table option: ALTER TABLE %s SET OPTIONS(ENABLE_SCHEMA_EVOLUTION = true)", types.QuoteName(l.table.Name))
	}
	return nil
}

// evolving tells whether new columns may be added by this load.
func (l *load) evolving() bool {
	return l.table.Evolution && (l.o.format.Type == stage.Parquet || l.o.format.Type == stage.NDJSON)
}

func (l *load) infer(ctx context.Context) error {
	if !l.evolving() {
		return nil
	}
	if e := l.o.evolution; e != nil {
		return l.inferWith(ctx, e.files, e.perFile, e.total)
	}
	return l.inferWith(ctx, 0, 0, 0)
}

func (l *load) inferWith(ctx context.Context, files, perFile, total int) (err error) {
	spec := stage.InferSpec{Format: l.o.format, CaseSensitive: l.o.caseSensitive, Files: files, RecordsPerFile: perFile, Total: total}
	for _, c := range l.table.Columns {
		spec.Known = append(spec.Known, c.Name)
	}
	l.added, err = stage.Infer(ctx, l.s.engine.fs, l.files, spec)
	if err == nil && len(l.table.Columns)+len(l.added) > maxColumns {
		return sqlerr.At(sqlerr.Resource, l.st.Source.Pos(), "the files have %d new fields; a table has at most %d columns: load them into a VARIANT column", len(l.added), maxColumns)
	}
	return err
}

// evolved is the table with the new columns.
func (l *load) evolved() *catalog.Table {
	if len(l.added) == 0 {
		return l.table
	}
	t := *l.table
	t.Columns = append([]catalog.Column{}, l.table.Columns...)
	for _, a := range l.added {
		t.Columns = append(t.Columns, catalog.Column{ID: t.NextColumn, Name: a.Name, Type: a.Type})
		t.NextColumn++
	}
	t.SchemaVersion++
	return &t
}

// readSpec tells the scanners what each table column gets.
func (l *load) readSpec() (stage.ReadSpec, error) {
	t := l.evolved()
	spec := stage.ReadSpec{Format: l.o.format, CaseSensitive: l.o.caseSensitive, OnError: l.o.onError, VariantNullOnBad: l.o.nullOnBadJSON, Rounding: l.c.fn.Rounding, Zone: l.c.fn.Zone}
	if l.evolving() && l.o.format.Type == stage.NDJSON {
		spec.Unknown = stage.UnknownCollect
	}
	listed := map[catalog.ColumnID]bool{}
	for _, id := range l.st.Columns {
		c, err := column(l.table, id)
		if err != nil {
			return spec, err
		}
		listed[c.ID] = true
	}
	for i, c := range t.Columns {
		def, err := bind.DefaultOf(l.c.env, &c)
		if err != nil {
			return spec, err
		}
		target := stage.Target{Name: c.Name, Type: c.Type, NotNull: c.NotNull, Default: def, Added: i >= len(l.table.Columns)}
		target.Fixed = len(listed) > 0 && !listed[c.ID] && !target.Added
		if target.Fixed && c.NotNull && def == nil {
			return spec, sqlerr.At(sqlerr.Constraint, l.st.Table.Pos(), "column %s is NOT NULL, has no default and is not in the column list", c.Name)
		}
		spec.Targets = append(spec.Targets, target)
	}
	return spec, nil
}

// commit makes rows, columns, history and refused rows durable together.
func (l *load) commit(ctx context.Context, w *written) error {
	l.losses = w.effects.Losses
	e := &catalog.Edit{}
	now := time.Now().UTC()
	if len(l.added) > 0 {
		e.Add(&catalog.AlterTable{Table: l.evolved(), From: l.table.SchemaVersion})
		var changes []catalog.SchemaChange
		for _, a := range l.added {
			changes = append(changes, catalog.SchemaChange{Table: l.table.ID, Database: l.table.Database, Name: l.table.Name, Column: a.Name, Type: a.Type.String(), File: a.File, LoadID: l.id, At: now})
		}
		e.Add(&catalog.AddChanges{Changes: changes})
	}
	e.Add(w.ops(l.evolved())...)
	if loads := l.history(now); len(loads) > 0 {
		e.Add(&catalog.AddLoads{Table: l.table.ID, Loads: loads})
	}
	if errs := l.rowErrors(now); len(errs) > 0 {
		e.Add(&catalog.AddErrors{Errors: errs})
	}
	if len(e.Ops) == 0 {
		return nil
	}
	err := l.c.view.commit(ctx, e, l.checkHistory, w.lease)
	if err == nil {
		l.s.engine.counts.rowsWritten.Add(w.effects.WrittenRows)
		l.s.engine.counts.filesLoaded.Add(int64(len(l.files)))
	}
	return err
}

// checkHistory refuses to load a file that another load has committed while this one ran.
func (l *load) checkHistory(cur *catalog.Snapshot) error {
	t := cur.TableByID(l.table.ID)
	if t == nil || l.o.force {
		return nil
	}
	for _, f := range l.files {
		before, had := l.table.Load(l.historyKey(f))
		now, has := t.Load(l.historyKey(f))
		if has && (!had || now.LoadID != before.LoadID) {
			return sqlerr.New(sqlerr.Conflict, "file %s was loaded by another statement meanwhile", f.Name)
		}
	}
	return nil
}

// history are the entries for files of which at least one row was loaded or that had no bad row: a file of which every row was refused
// can be loaded again once repaired.
func (l *load) history(now time.Time) (out []catalog.LoadEntry) {
	for i, r := range l.report.Files() {
		f := l.files[i]
		if r.Skipped || r.Loaded == 0 && r.Errors > 0 {
			continue
		}
		out = append(out, catalog.LoadEntry{Key: l.historyKey(f), Size: f.Size, ModTime: f.ModTime, ETag: f.ETag, Rows: r.Loaded, Errors: r.Errors, LoadID: l.id, LoadedAt: now})
	}
	return out
}

func (l *load) rowErrors(now time.Time) (out []catalog.LoadError) {
	for _, e := range l.report.RowErrors() {
		out = append(out, catalog.LoadError{LoadID: l.id, Table: l.table.Database + "." + l.table.Name, File: e.File, Line: e.Line, Offset: e.Offset, Column: e.Column, Reason: e.Reason, Text: e.Text, At: now})
	}
	return out
}

// keepErrors records the refused rows of a failed load; the load itself leaves nothing.
func (l *load) keepErrors(ctx context.Context, cause error) {
	errs := l.rowErrors(time.Now().UTC())
	if len(errs) == 0 {
		return
	}
	if _, err := l.s.engine.store.Commit(ctx, &catalog.Edit{Ops: []catalog.Op{&catalog.AddErrors{Errors: errs}}}, nil); err != nil {
		l.s.engine.log.Warn("refused rows were not recorded", "load", l.id, "error", err, "cause", cause)
	}
}

// purge removes the loaded files of which no row was refused. A failed removal does not fail the load.
func (l *load) purge() {
	if !l.o.purge {
		return
	}
	for i, r := range l.report.Files() {
		if r.Skipped || r.Errors > 0 {
			continue
		}
		if err := l.s.engine.fs.Remove(l.files[i].Path); err != nil {
			l.s.engine.log.Warn("loaded file was not purged", "file", l.files[i].Name, "error", err)
		}
	}
}

// result is a row per file, by name, and a notice for files skipped as loaded before.
func (l *load) result() *Result {
	out := newRows(copySchema...)
	if l.report != nil {
		for _, r := range l.report.Files() {
			if l.o.failedOnly && r.Errors == 0 {
				continue
			}
			status, line := "LOADED", any(nil)
			switch {
			case r.Skipped:
				status = "SKIPPED: bad rows"
			case r.Loaded == 0 && r.Errors > 0:
				status = "LOAD_FAILED"
			case r.Errors > 0:
				status = "PARTIALLY_LOADED"
			}
			if r.FirstLine > 0 {
				line = r.FirstLine
			}
			out.add(r.File, r.Loaded, r.Errors, orNull(r.FirstError), line, status)
		}
	}
	for _, f := range l.skip {
		if !l.o.failedOnly {
			out.add(f.Name, 0, 0, nil, nil, "SKIPPED: loaded before; FORCE = TRUE loads it again")
		}
	}
	r := out.result()
	if l.report != nil {
		for _, f := range l.report.Files() {
			r.Affected += f.Loaded
		}
		if n := l.report.Duplicates() + l.losses.Duplicates; n > 0 {
			r.Notices = append(r.Notices, strconv.FormatInt(n, 10)+" duplicate keys: the last one of each object was kept")
		}
	}
	r.noteRemoved(l.losses)
	if n := len(l.skip); n > 0 {
		r.Notices = append(r.Notices, strconv.Itoa(n)+" files were loaded before and skipped; FORCE = TRUE loads them again")
	}
	return r
}

// noteRemoved tells how many values a Schema Template has removed.
func (r *Result) noteRemoved(l segment.Losses) {
	if l.Removed > 0 {
		r.Notices = append(r.Notices, strconv.FormatInt(l.Removed, 10)+" values could not be converted to the types of the Schema Template and were removed")
	}
}
