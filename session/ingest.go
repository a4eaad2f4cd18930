package session

import (
	"context"
	"strings"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/vec"
)

// IfExists says what Ingest does with a table that exists.
type IfExists uint8

// The choices of IfExists.
const (
	ExistsFail IfExists = iota
	ExistsAppend
	ExistsReplace
)

// IngestOptions describe a bulk ingest.
type IngestOptions struct {
	// Database is "" for the current one. Names are exact, not patterns.
	Database, Table string
	// Create makes the table if it does not exist; otherwise that is NotFound.
	Create   bool
	IfExists IfExists
	// Declared are the types of the columns of a table made for the data, where they are not those of the data; nil if all are.
	Declared []types.Type
}

// Ingest writes batches of a schema to a table, matching columns by name: missing ones take their default, unknown ones are an error.
// It is atomic: table and rows are committed together, or nothing is. next returns nil at the end.
func (s *Session) Ingest(ctx context.Context, o IngestOptions, schema types.Schema, next func() (*vec.Batch, error)) (rows int64, err error) {
	defer func() { recovered(recover(), &err) }()
	v, err := s.writing(ctx)
	if err != nil {
		return 0, err
	}
	defer v.Release()
	c := s.newCall(v, nil)
	t, first, err := s.ingestTable(c.snap, o, schema)
	if err != nil {
		return 0, err
	}
	in := &ingest{call: c, next: next, schema: append(types.Schema(nil), schema...), exact: make([]types.Type, len(schema))}
	exprs, err := in.columns(t)
	if err != nil {
		return 0, err
	}
	src := &plan.Stream{Next: in.batch, Out: in.schema}
	project := &plan.Project{Input: src, Exprs: exprs}
	for _, col := range t.Columns {
		project.Out = append(project.Out, types.Field{Name: col.Name, Type: col.Type})
	}
	r, err := c.write(ctx, "bulk ingest into "+t.Name, writeJob{plan: &plan.Write{Input: project, Table: t}, table: t, first: first})
	if err != nil {
		return 0, err
	}
	return r.Affected, nil
}

// ingestTable finds or makes the table and returns the operations that must come before its rows.
func (s *Session) ingestTable(snap *catalog.Snapshot, o IngestOptions, schema types.Schema) (*catalog.Table, []catalog.Op, error) {
	database := o.Database
	if database == "" {
		database = s.Database()
	}
	if reservedDatabase(database) {
		return nil, nil, sqlerr.New(sqlerr.Permission, "tables of %s can only be read", database)
	}
	d, err := snap.Database(database, false)
	if err != nil {
		return nil, nil, err
	}
	old, err := snap.Table(d.Name, o.Table, true)
	switch {
	case err != nil && !o.Create:
		return nil, nil, err
	case err == nil && o.IfExists == ExistsFail:
		return nil, nil, sqlerr.New(sqlerr.Exists, "table %s.%s exists already", d.Name, old.Name)
	case err == nil && o.IfExists == ExistsAppend:
		return old, nil, nil
	}
	if err := checkName("table", parse.Ident{Name: o.Table}); err != nil {
		return nil, nil, err
	}
	t := &catalog.Table{ID: catalog.TableID(s.engine.store.NewID()), Database: d.Name, Name: o.Table, NextColumn: 1}
	for i, f := range schema {
		id := parse.Ident{Name: f.Name, Quoted: true}
		if err := checkName("column", id); err != nil {
			return nil, nil, err
		}
		ft := f.Type
		if o.Declared != nil {
			ft = o.Declared[i]
		}
		if ft.Kind == types.Null {
			ft = types.Of(types.Varchar)
		}
		if err := addColumn(t, catalog.Column{Name: f.Name, Type: ft, NotNull: f.NotNull}, id); err != nil {
			return nil, nil, err
		}
	}
	if len(t.Columns) == 0 {
		return nil, nil, sqlerr.New(sqlerr.Bind, "the data to be ingested has no columns")
	}
	var first []catalog.Op
	if old != nil {
		first = append(first, &catalog.DropTable{ID: old.ID})
	}
	return t, append(first, &catalog.CreateTable{Table: t}), nil
}

// ingest brings the columns of the data to the types of the table.
type ingest struct {
	call *call
	next func() (*vec.Batch, error)
	// schema describes the batches that batch returns.
	schema types.Schema
	// exact are the types to which batch converts columns, Null for the others.
	exact []types.Type
}

// batch returns the next batch of the data. Numbers and times are converted here, because a value is never changed to fit (decision D5).
func (in *ingest) batch() (*vec.Batch, error) {
	b, err := in.next()
	if b == nil || err != nil {
		return nil, err
	}
	cols := append([]*vec.Vector(nil), b.Cols...)
	for i, to := range in.exact {
		if to.Kind == types.Null {
			continue
		}
		v, err := Adapt(cols[i], to)
		if err == nil {
			v, err = function.Assign(in.call.fn, v, to, false)
		}
		if err != nil {
			return nil, sqlerr.New(sqlerr.KindOf(err), "column %s: %s", in.schema[i].Name, err)
		}
		cols[i] = v
	}
	return vec.NewBatch(b.Len, cols...), nil
}

// convertsExactly tells which conversions batch does; the others cannot lose anything, or, as floating point numbers that become
// decimals, are rounded.
func convertsExactly(from, to types.Type) bool {
	isFloat := from.Kind == types.Float || from.Kind == types.Double
	isNested := to.Kind == types.Array || to.Kind == types.Struct || to.Kind == types.Map
	return adaptable(from, to) || isNested || to.IsTemporal() || to.IsNumeric() && !(isFloat && to.Kind == types.Decimal)
}

// columns maps the columns of the data to those of the table.
func (in *ingest) columns(t *catalog.Table) ([]expr.Expr, error) {
	schema := in.schema
	used := make([]bool, len(schema))
	exprs := make([]expr.Expr, len(t.Columns))
	for i, col := range t.Columns {
		j := matchField(schema, used, col.Name)
		if j < 0 {
			v, err := bind.DefaultOf(in.call.env, &col)
			if err != nil {
				return nil, err
			}
			if v == nil {
				v = vec.NewNull(col.Type, 1)
			}
			exprs[i] = &expr.Const{Value: vec.Flatten(v)}
			continue
		}
		used[j] = true
		from := schema[j].Type
		exprs[i] = &expr.Column{Index: j, Name: col.Name, T: from}
		switch {
		case from.Equal(col.Type):
		case function.CanCast(from, col.Type) == function.No && !adaptable(from, col.Type):
			return nil, sqlerr.New(sqlerr.Type, "column %s: %s cannot be converted to %s", col.Name, from, col.Type)
		case convertsExactly(from, col.Type):
			in.exact[j], schema[j].Type = col.Type, col.Type
			exprs[i] = &expr.Column{Index: j, Name: col.Name, T: col.Type}
		default:
			exprs[i] = &expr.Cast{Arg: exprs[i], To: col.Type}
		}
	}
	for j, f := range schema {
		if !used[j] {
			return nil, sqlerr.New(sqlerr.Bind, "table %s has no column %s", t.Name, f.Name)
		}
	}
	return exprs, nil
}

// matchField finds the field for a column: the exact name, else one that differs in case only.
func matchField(schema types.Schema, used []bool, name string) int {
	hit := -1
	for j, f := range schema {
		if used[j] {
			continue
		}
		if f.Name == name {
			return j
		}
		if hit < 0 && strings.EqualFold(f.Name, name) {
			hit = j
		}
	}
	return hit
}
