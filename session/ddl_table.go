package session

import (
	"context"
	"strings"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// maxColumns bounds the columns of a table.
const maxColumns = 10_000

// createTable creates a table; CREATE TABLE AS also fills it, in the same Edit.
func (s *Session) createTable(ctx context.Context, st *parse.CreateTable) (*Result, error) {
	if st.Temporary {
		return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "temporary tables are not supported")
	}
	snap := s.snapshot()
	if st.IfNotExists {
		if _, err := s.table(snap, st.Name); err == nil {
			return &Result{}, nil
		}
	}
	t, err := s.buildTable(snap, st)
	if err != nil {
		return nil, err
	}
	if st.As != nil {
		return s.createTableAs(ctx, st, t)
	}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		e, err := s.createOps(snap, st, t)
		return e, err
	})
}

// createOps makes the Edit that creates t, replacing a table of its name where the statement says so.
func (s *Session) createOps(snap *catalog.Snapshot, st *parse.CreateTable, t *catalog.Table) (*catalog.Edit, error) {
	e := &catalog.Edit{}
	if v, err := snap.View(t.Database, t.Name, st.Name.Last().Quoted); err == nil {
		return nil, sqlerr.At(sqlerr.Exists, st.Name.Pos(), "%s.%s exists already as a view", v.Database, v.Name)
	}
	if old, err := snap.Table(t.Database, t.Name, st.Name.Last().Quoted); err == nil {
		switch {
		case st.IfNotExists:
			return nil, nil
		case !st.OrReplace:
			return nil, sqlerr.At(sqlerr.Exists, st.Name.Pos(), "table %s.%s exists already", old.Database, old.Name)
		}
		e.Add(&catalog.DropTable{ID: old.ID})
	}
	e.Add(&catalog.CreateTable{Table: t})
	return e, nil
}

// buildTable makes the catalogue entry of a CREATE TABLE without its AS query's columns.
func (s *Session) buildTable(snap *catalog.Snapshot, st *parse.CreateTable) (*catalog.Table, error) {
	database, name, err := s.newName(snap, "table", st.Name)
	if err != nil {
		return nil, err
	}
	t := &catalog.Table{ID: catalog.TableID(s.engine.store.NewID()), Database: database, Name: name, NextColumn: 1}
	if !st.Like.IsZero() {
		like, err := s.table(snap, st.Like)
		if err != nil {
			return nil, err
		}
		t.Columns, t.NextColumn, t.SortKey = like.Columns, like.NextColumn, like.SortKey
		t.Evolution, t.Comment, t.Properties = like.Evolution, like.Comment, like.Properties
	}
	for i := range st.Columns {
		if st.Columns[i].Type == nil && st.As != nil {
			continue // CREATE TABLE t (a, b) AS SELECT: types come from the query
		}
		c, err := s.buildColumn(&st.Columns[i])
		if err != nil {
			return nil, err
		}
		if err := addColumn(t, c, st.Columns[i].Name); err != nil {
			return nil, err
		}
	}
	if len(t.Columns) == 0 && st.As == nil {
		return nil, sqlerr.At(sqlerr.Bind, st.Name.Pos(), "table %s needs at least one column", name)
	}
	if st.Comment != nil {
		t.Comment = st.Comment.Value
	}
	return t, s.tableClauses(t, st, st.As == nil)
}

// addColumn appends a column under a new id.
func addColumn(t *catalog.Table, c catalog.Column, at parse.Ident) error {
	for i := range t.Columns {
		old := &t.Columns[i]
		if old.Name == c.Name || !at.Quoted && strings.EqualFold(old.Name, c.Name) {
			return sqlerr.At(sqlerr.Exists, at.Pos(), "column %s exists already in table %s", old.Name, t.Name)
		}
	}
	if len(t.Columns) >= maxColumns {
		return sqlerr.At(sqlerr.Resource, at.Pos(), "a table has at most %d columns", maxColumns)
	}
	c.ID = t.NextColumn
	t.NextColumn++
	t.Columns = append(t.Columns[:len(t.Columns):len(t.Columns)], c)
	return nil
}

// buildColumn makes a column from its definition; the id is given by addColumn.
func (s *Session) buildColumn(d *parse.ColumnDef) (catalog.Column, error) {
	if err := checkName("column", d.Name); err != nil {
		return catalog.Column{}, err
	}
	c, err := bind.Column(s.bindEnv(nil), d)
	if err == nil {
		c.Type = s.withVariantDefaults(d, c.Type)
	}
	return c, err
}

func constraintName(k parse.ConstraintKind) string {
	switch k {
	case parse.ConstraintPrimaryKey:
		return "PRIMARY KEY"
	case parse.ConstraintUnique:
		return "UNIQUE"
	case parse.ConstraintForeignKey:
		return "FOREIGN KEY"
	case parse.ConstraintCheck:
		return "CHECK"
	case parse.ConstraintAutoIncrement:
		return "AUTO_INCREMENT"
	case parse.ConstraintAggregate:
		return "an aggregation type of a column"
	case parse.ConstraintGenerated:
		return "a generated column"
	}
	return "ON UPDATE"
}

// variantDefaults are the session variables that stand in for properties which a VARIANT column does not give.
var variantDefaults = []string{
	"variant_max_subcolumns_count", "variant_enable_typed_paths_to_sparse", "variant_sparse_hash_shard_count", "variant_enable_doc_mode",
	"variant_doc_materialization_min_rows", "variant_doc_hash_shard_count", "variant_enable_nested_group",
}

// withVariantDefaults writes session defaults that were changed into a VARIANT type that gives no properties of its own.
func (s *Session) withVariantDefaults(d *parse.ColumnDef, t types.Type) types.Type {
	if t.Kind != types.Variant || len(d.Type.Properties) > 0 {
		return t
	}
	def := *d.Type
	for _, name := range variantDefaults {
		setting := settings["default_"+name]
		if v := s.Var(setting.name); v != setting.initial {
			def.Properties = append(def.Properties, parse.Option{Place: d.Type.Place, Name: name, Value: parse.Value{Kind: parse.ValueString, Text: v}})
		}
	}
	// Defaults that exclude one another are the session's business, not this table's: then none is taken.
	if with, err := bind.Type(&def); err == nil {
		return with
	}
	return t
}

func (s *Session) dropTable(ctx context.Context, st *parse.DropTable) (*Result, error) {
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		e := &catalog.Edit{}
		for _, n := range st.Names {
			t, err := s.table(snap, n)
			if err != nil {
				if st.IfExists && sqlerr.KindOf(err) == sqlerr.NotFound {
					continue
				}
				return nil, err
			}
			e.Add(&catalog.DropTable{ID: t.ID})
		}
		if len(e.Ops) == 0 {
			return nil, nil
		}
		return e, nil
	})
}

func (s *Session) truncate(ctx context.Context, st *parse.TruncateTable) (*Result, error) {
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		t, err := s.table(snap, st.Name)
		if err != nil {
			return nil, err
		}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.Truncate{Table: t.ID}}}, nil
	})
}
