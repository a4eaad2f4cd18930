package session

import (
	"strings"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// sysTable is a built-in table: its columns, and how its rows are made of the state that a call sees.
type sysTable struct {
	fields []types.Field
	fill   func(c *call, out *rowsBuilder) error
}

var historySchema = []types.Field{text("table_name"), text("file_name"), bigint("content_length"), instant("last_modified"), text("etag"),
	bigint("rows_loaded"), bigint("errors_seen"), bigint("load_id"), instant("loaded_at")}

// systemTables and infoTables are the databases system and information_schema.
var systemTables, infoTables map[string]sysTable

func init() {
	systemTables = map[string]sysTable{
		"metrics":        {[]types.Field{text("name"), {Name: "value", Type: types.Of(types.Double)}, text("description")}, fillMetrics},
		"settings":       {[]types.Field{text("name"), text("value"), text("default"), text("scope"), text("description")}, fillSettings},
		"queries":        {queriesSchema, fillQueries},
		"query_log":      {queryLogSchema, fillQueryLog},
		"functions":      {texts("name", "kind", "signatures", "description", "alias_of", "example"), fillFunctions},
		"load_history":   {append([]types.Field{text("database")}, historySchema...), fillLoadHistory},
		"load_errors":    {[]types.Field{bigint("load_id"), text("table_name"), text("file_name"), bigint("line"), bigint("byte_offset"), text("column_name"), text("reason"), text("row_text"), instant("at")}, fillLoadErrors},
		"schema_changes": {[]types.Field{text("database"), text("table_name"), text("column_name"), text("type"), text("file_name"), bigint("load_id"), instant("at")}, fillSchemaChanges},
		"tables":         {[]types.Field{text("database"), text("name"), bigint("columns"), bigint("rows"), bigint("segments"), bigint("delta_batches"), bigint("bytes"), boolean("schema_evolution"), text("comment")}, fillTables},
		"views":          {texts("database", "name", "definition", "comment", "error"), fillViews},
		"columns":        {[]types.Field{text("database"), text("table_name"), text("name"), bigint("position"), text("type"), boolean("nullable"), text("default"), text("comment")}, fillColumns},
		"segments":       {[]types.Field{text("database"), text("table_name"), bigint("segment_id"), bigint("rows"), bigint("deleted_rows"), bigint("bytes"), text("file_name")}, fillSegments},
		"variant_paths":  {[]types.Field{text("database"), text("table_name"), text("column_name"), text("path"), text("type"), text("kinds"), bigint("rows")}, fillVariantPaths},
	}
	infoTables = map[string]sysTable{
		"schemata": {texts("catalog_name", "schema_name"), func(c *call, out *rowsBuilder) error {
			for _, d := range c.s.engine.databaseNames(c.snap) {
				out.add(catalog.CatalogName, d)
			}
			return nil
		}},
		"tables": {append(texts("table_catalog", "table_schema", "table_name", "table_type"), bigint("table_rows"), text("table_comment")), fillInfoTables},
		"columns": {[]types.Field{text("table_catalog"), text("table_schema"), text("table_name"), text("column_name"), bigint("ordinal_position"),
			text("column_default"), text("is_nullable"), text("data_type"), text("column_type"), text("column_comment")}, fillInfoColumns},
		"views": {texts("table_catalog", "table_schema", "table_name", "view_definition", "check_option", "is_updatable"), fillInfoViews},
	}
}

func systemDatabaseTables(database string) map[string]sysTable {
	if strings.EqualFold(database, informationSchema) {
		return infoTables
	}
	return systemTables
}

// systemTableNames lists the tables of a built-in database.
func systemTableNames(database string) []string { return sortedKeys(systemDatabaseTables(database)) }

// systemSchema returns the columns of a built-in table.
func systemSchema(database, name string) (types.Schema, bool) {
	t, ok := systemDatabaseTables(database)[strings.ToLower(name)]
	return t.fields, ok
}

// SystemTables lists the built-in tables by database and name with their columns, for metadata calls.
func SystemTables(f func(database, name string, s types.Schema)) {
	for _, d := range []string{informationSchema, systemDatabase} {
		for _, n := range systemTableNames(d) {
			s, _ := systemSchema(d, n)
			f(d, n, s)
		}
	}
}

func (c *call) systemTable(database, name string) (*rowsBuilder, error) {
	t, ok := systemDatabaseTables(database)[strings.ToLower(name)]
	if !ok {
		return nil, sqlerr.New(sqlerr.NotFound, "table %s.%s does not exist", database, name)
	}
	out := newRows(t.fields...)
	return out, t.fill(c, out)
}

// eachTable calls f for every stored table, by database and name.
func (c *call) eachTable(f func(t *catalog.Table) error) error {
	for _, d := range c.snap.Databases() {
		for _, t := range c.snap.Tables(d) {
			if err := f(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func fillMetrics(c *call, out *rowsBuilder) error {
	for _, m := range c.s.engine.Metrics() {
		out.add(m.Name, m.Value, m.Help)
	}
	return nil
}

func fillFunctions(_ *call, out *rowsBuilder) error {
	for _, f := range function.Names() {
		out.add(f.Name, f.Group, strings.Join(f.Signatures, "\n"), f.About, orNull(f.AliasOf), f.Example)
	}
	return nil
}

func fillSettings(c *call, out *rowsBuilder) error {
	for _, n := range settingNames() {
		scope := "session"
		if settings[n].global {
			scope = "global"
		}
		out.add(n, c.s.Var(n), settings[n].initial, scope, settings[n].note)
	}
	return nil
}

func addHistory(out *rowsBuilder, t *catalog.Table, before ...any) {
	t.Loads(func(l catalog.LoadEntry) bool {
		out.add(append(before, t.Name, l.Key, l.Size, l.ModTime.UnixMicro(), orNull(l.ETag), l.Rows, l.Errors, int64(l.LoadID), l.LoadedAt.UnixMicro())...)
		return true
	})
}

func fillLoadHistory(c *call, out *rowsBuilder) error {
	return c.eachTable(func(t *catalog.Table) error { addHistory(out, t, t.Database); return nil })
}

func fillLoadErrors(c *call, out *rowsBuilder) error {
	for _, e := range c.snap.Errors {
		out.add(int64(e.LoadID), e.Table, e.File, e.Line, e.Offset, orNull(e.Column), e.Reason, e.Text, e.At.UnixMicro())
	}
	return nil
}

func fillSchemaChanges(c *call, out *rowsBuilder) error {
	for _, s := range c.snap.Changes {
		out.add(s.Database, s.Name, s.Column, s.Type, s.File, int64(s.LoadID), s.At.UnixMicro())
	}
	return nil
}

func fillTables(c *call, out *rowsBuilder) error {
	return c.eachTable(func(t *catalog.Table) error {
		out.add(t.Database, t.Name, len(t.Columns), t.Rows(), len(t.Segments), len(t.Batches), t.Bytes(), t.Evolution, orNull(t.Comment))
		return nil
	})
}

func fillColumns(c *call, out *rowsBuilder) error {
	return c.eachTable(func(t *catalog.Table) error {
		for i, col := range t.Columns {
			out.add(t.Database, t.Name, col.Name, i+1, col.Type.String(), !col.NotNull, orNull(col.Default), orNull(col.Comment))
		}
		return nil
	})
}

func fillSegments(c *call, out *rowsBuilder) error {
	return c.eachTable(func(t *catalog.Table) error {
		for _, m := range t.Segments {
			out.add(t.Database, t.Name, int64(m.ID), m.Rows, t.Deleted(m.ID).Count(), m.Bytes, m.File)
		}
		return nil
	})
}

func fillViews(c *call, out *rowsBuilder) error {
	for _, v := range c.snap.Views() {
		var broken any
		if _, err := c.viewSchema(v); err != nil {
			broken = message(err)
		}
		out.add(v.Database, v.Name, v.Text, orNull(v.Comment), broken)
	}
	return nil
}

func fillInfoViews(c *call, out *rowsBuilder) error {
	for _, v := range c.snap.Views() {
		out.add(catalog.CatalogName, v.Database, v.Name, v.Text, "NONE", "NO")
	}
	return nil
}

func fillInfoTables(c *call, out *rowsBuilder) error {
	SystemTables(func(database, name string, _ types.Schema) {
		out.add(catalog.CatalogName, database, name, "SYSTEM TABLE", nil, nil)
	})
	for _, v := range c.snap.Views() {
		out.add(catalog.CatalogName, v.Database, v.Name, "VIEW", nil, orNull(v.Comment))
	}
	return c.eachTable(func(t *catalog.Table) error {
		out.add(catalog.CatalogName, t.Database, t.Name, "BASE TABLE", t.Rows(), orNull(t.Comment))
		return nil
	})
}

func fillInfoColumns(c *call, out *rowsBuilder) error {
	SystemTables(func(database, name string, s types.Schema) {
		for i, f := range s {
			out.add(catalog.CatalogName, database, name, f.Name, i+1, nil, yesNo(!f.NotNull), f.Type.Kind.String(), f.Type.String(), nil)
		}
	})
	for _, v := range c.snap.Views() {
		// A view that cannot be read has no columns; system.views tells why.
		schema, _ := c.viewSchema(v)
		for i, f := range schema {
			out.add(catalog.CatalogName, v.Database, v.Name, f.Name, i+1, nil, yesNo(!f.NotNull), f.Type.Kind.String(), f.Type.String(), orNull(f.Comment))
		}
	}
	return c.eachTable(func(t *catalog.Table) error {
		for i, col := range t.Columns {
			out.add(catalog.CatalogName, t.Database, t.Name, col.Name, i+1, orNull(col.Default), yesNo(!col.NotNull), col.Type.Kind.String(), col.Type.String(), orNull(col.Comment))
		}
		return nil
	})
}
