package session

import (
	"context"
	"strings"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/vec"
)

// tables answers the binder's questions about names in FROM from the call's Snapshot.
type tables struct{ c *call }

// Relation finds a table, a view or a system table.
func (t *tables) Relation(db, name parse.Ident) (bind.Relation, error) {
	database := db.Name
	if database == "" {
		database = t.c.s.Database()
	}
	if reservedDatabase(database) {
		rows, err := t.c.systemTable(database, name.Name)
		if err != nil {
			return bind.Relation{}, err
		}
		return bind.Relation{Node: &plan.Batches{Data: []*vec.Batch{rows.batch()}, Out: rows.schema}}, nil
	}
	table, err := t.c.snap.Table(database, name.Name, name.Quoted)
	if sqlerr.KindOf(err) == sqlerr.NotFound {
		if v, viewErr := t.c.snap.View(database, name.Name, name.Quoted); viewErr == nil {
			return bind.Relation{View: &bind.View{Database: v.Database, Name: v.Name, Text: v.Text, Home: v.Home, Columns: v.Columns}}, nil
		}
	}
	return bind.Relation{Table: table}, err
}

// Function answers table functions over the catalogue.
func (t *tables) Function(name string, args []bind.FuncArg) (plan.Node, error) {
	switch strings.ToLower(name) {
	case "list_stage":
		return t.c.listFunction(args)
	case "copy_history":
		return t.c.historyFunction(args)
	case "infer_schema":
		return t.c.inferFunction(args)
	}
	return nil, nil
}

// Stage reads staged files as a table: NDJSON as the single VARIANT column $1, Parquet by column names.
func (t *tables) Stage(st *parse.StageTable) (plan.Node, error) {
	p, files, format, err := t.c.fileRelation(st)
	if err != nil {
		return nil, err
	}
	spec := stage.ReadSpec{Format: format, OnError: stage.OnError{Mode: stage.Abort, Limit: 1}}
	if l := t.c.load; l != nil {
		if files, err = l.queryFiles(st, p, files); err != nil {
			return nil, err
		}
		if l.o.given {
			spec.Format = l.o.format
		}
		spec.OnError = l.o.onError
	}
	format = spec.Format
	scan := &plan.StageScan{Files: files}
	if format.Type == stage.NDJSON {
		spec.WholeRow = true
		scan.Out = types.Schema{{Name: "$1", Type: types.Of(types.Variant)}}
	} else {
		if len(files) == 0 {
			return nil, sqlerr.At(sqlerr.NotFound, st.Pos(), "no files match: the columns of a Parquet location come from its files")
		}
		schema, err := stage.ParquetSchema(t.c.s.engine.fs, files[0])
		if err != nil {
			return nil, sqlerr.WithPlace(err, st.Pos())
		}
		spec.CaseSensitive = true
		for _, f := range schema {
			spec.Targets = append(spec.Targets, stage.Target{Name: f.Name, Type: f.Type})
		}
		scan.Out = schema
	}
	spec.Zone = t.c.fn.Zone
	scan.Read = spec
	scan.Report = stage.NewReport(files, spec.OnError)
	if scan.Files, err = stage.Split(t.c.s.engine.fs, files, &spec, partBytes); err != nil {
		return nil, err
	}
	if t.c.load != nil {
		t.c.load.report = scan.Report
	}
	return scan, nil
}

func argText(args []bind.FuncArg, name string, pos int) (string, bool) {
	for i, a := range args {
		if strings.EqualFold(a.Name, name) || a.Name == "" && i == pos {
			if a.Value.Type.Kind == types.Varchar && !a.Value.IsNull(0) {
				return string(a.Value.Bytes(0)), true
			}
		}
	}
	return "", false
}

func (c *call) listFunction(args []bind.FuncArg) (plan.Node, error) {
	where, ok := argText(args, "location", 0)
	name, isStage := strings.CutPrefix(where, "@")
	if !ok || !isStage {
		return nil, sqlerr.New(sqlerr.Bind, "list_stage takes location => '@stage/path'")
	}
	stageName, path, _ := strings.Cut(name, "/")
	var pattern *parse.StringLit
	if p, ok := argText(args, "pattern", 1); ok {
		pattern = &parse.StringLit{Value: p}
	}
	files, err := c.s.stageFiles(&parse.Location{Stage: parse.Ident{Name: stageName}, Path: path}, pattern)
	if err != nil {
		return nil, err
	}
	out := newRows(listSchema...)
	for _, f := range files {
		out.add(f.Name, f.Size, nil, f.ModTime.UnixMicro(), nil)
	}
	return &plan.Batches{Data: []*vec.Batch{out.batch()}, Out: out.schema}, nil
}

func (c *call) historyFunction(args []bind.FuncArg) (plan.Node, error) {
	name, ok := argText(args, "table", 0)
	if !ok {
		return nil, sqlerr.New(sqlerr.Bind, "copy_history takes the name of a table")
	}
	t, err := c.snap.Table(c.s.Database(), name, false)
	if err != nil {
		return nil, err
	}
	out := newRows(historySchema...)
	addHistory(out, t)
	return &plan.Batches{Data: []*vec.Batch{out.batch()}, Out: out.schema}, nil
}

// inferFunction answers infer_schema(location => ..., file_format => ...): the columns that schema evolution would add to an empty table.
func (c *call) inferFunction(args []bind.FuncArg) (plan.Node, error) {
	where, ok := argText(args, "location", 0)
	if !ok {
		return nil, sqlerr.New(sqlerr.Bind, "infer_schema takes location => '@stage/path' or '/path', and file_format => 'NDJSON' or 'PARQUET'")
	}
	st := &parse.StageTable{Location: parse.Location{URI: where}}
	if name, isStage := strings.CutPrefix(where, "@"); isStage {
		st.Location.URI = ""
		stageName, path, _ := strings.Cut(name, "/")
		st.Location.Stage, st.Location.Path = parse.Ident{Name: stageName}, path
	}
	if f, ok := argText(args, "file_format", 1); ok {
		st.Args = append(st.Args, parse.Option{Name: "FILE_FORMAT", Value: parse.Value{Kind: parse.ValueString, Text: f}})
	}
	if p, ok := argText(args, "pattern", 2); ok {
		st.Args = append(st.Args, parse.Option{Name: "PATTERN", Value: parse.Value{Kind: parse.ValueString, Text: p}})
	}
	_, files, format, err := c.fileRelation(st)
	if err != nil {
		return nil, err
	}
	cols, err := stage.Infer(context.Background(), c.s.engine.fs, files, stage.InferSpec{Format: format})
	if err != nil {
		return nil, err
	}
	out := newRows(text("column_name"), text("type"), boolean("nullable"), text("filenames"), bigint("order_id"))
	for i, col := range cols {
		out.add(col.Name, col.Type.String(), true, col.File, i)
	}
	return &plan.Batches{Data: []*vec.Batch{out.batch()}, Out: out.schema}, nil
}
