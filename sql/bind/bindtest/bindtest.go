// Package bindtest is a catalogue in memory for tests of the binder and the optimizer: tables without rows, but with row counts.
// It knows nothing of stores and snapshots.
// A Catalog is filled first and then only read.
package bindtest

import (
	"strings"
	"time"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// Catalog is a bind.Tables with the tables and views of one database, "default".
type Catalog struct {
	Ctx    *function.Ctx
	tables []*catalog.Table
	views  []*bind.View
}

// New makes an empty catalogue. Its clock stands at 2024-05-06 07:08:09 UTC.
func New() *Catalog {
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC).UnixMicro()
	return &Catalog{Ctx: &function.Ctx{Now: now, Zone: time.UTC, User: "tester", Catalog: catalog.CatalogName, Database: catalog.DefaultDatabase}}
}

// Env returns the environment for binding one statement.
func (c *Catalog) Env() *bind.Env { return &bind.Env{Tables: c, Ctx: c.Ctx} }

// Create adds the table or view of a CREATE statement; a table seems to hold rows rows in one segment.
func (c *Catalog) Create(sql string, rows int64) error {
	list, err := parse.Parse(sql)
	if err != nil {
		return err
	}
	for _, st := range list {
		switch st := st.(type) {
		case *parse.CreateView:
			v := &bind.View{Database: catalog.DefaultDatabase, Name: st.Name.Last().Name, Text: st.Query.Text}
			for _, col := range st.Columns {
				v.Columns = append(v.Columns, col.Name.Name)
			}
			c.views = append(c.views, v)
		case *parse.CreateTable:
			if err := c.createTable(st, rows); err != nil {
				return err
			}
		default:
			return sqlerr.New(sqlerr.Unsupported, "only CREATE TABLE and CREATE VIEW")
		}
	}
	return nil
}

func (c *Catalog) createTable(st *parse.CreateTable, rows int64) error {
	cols, err := bind.Columns(c.Env(), st.Columns)
	if err != nil {
		return err
	}
	t := &catalog.Table{ID: catalog.TableID(len(c.tables) + 1), Database: catalog.DefaultDatabase, Name: st.Name.Last().Name, Columns: cols}
	m := &segment.Meta{ID: segment.ID(t.ID), Rows: rows}
	for i := range t.Columns {
		col := &t.Columns[i]
		col.ID = catalog.ColumnID(i + 1)
		m.Columns = append(m.Columns, segment.Column{ID: col.ID, Name: col.Name, Type: col.Type, NotNull: col.NotNull})
		m.Zones = append(m.Zones, segment.ZoneMap{Rows: rows})
	}
	if rows > 0 {
		t.Segments = []*segment.Meta{m}
	}
	c.tables = append(c.tables, t)
	return nil
}

// Bounds sets the zone map of an INT column.
func (c *Catalog) Bounds(table, column string, lo, hi int32) {
	for _, t := range c.tables {
		for i := range t.Columns {
			if t.Name == table && t.Columns[i].Name == column && len(t.Segments) > 0 {
				z := &t.Segments[0].Zones[i]
				z.Min, z.Max = vec.NewFlat(types.Of(types.Int), []int32{lo}, nil), vec.NewFlat(types.Of(types.Int), []int32{hi}, nil)
			}
		}
	}
}

// Distinct makes the statistics of a column tell that it has n different values.
func (c *Catalog) Distinct(table, column string, n int) {
	for _, t := range c.tables {
		for i := range t.Columns {
			if t.Name == table && t.Columns[i].Name == column && len(t.Segments) > 0 {
				z := &t.Segments[0].Zones[i]
				z.Distinct = new(vec.Sketch)
				for k := range n {
					z.Distinct.Add(vec.HashInt64(int64(k)))
				}
			}
		}
	}
}

// Relation finds a table or view by name.
func (c *Catalog) Relation(db, name parse.Ident) (bind.Relation, error) {
	if db.Name != "" && !strings.EqualFold(db.Name, catalog.DefaultDatabase) {
		return bind.Relation{}, sqlerr.New(sqlerr.NotFound, "database %s does not exist", db.Name)
	}
	same := func(s string) bool { return s == name.Name || !name.Quoted && strings.EqualFold(s, name.Name) }
	for _, t := range c.tables {
		if same(t.Name) {
			return bind.Relation{Table: t}, nil
		}
	}
	for _, v := range c.views {
		if same(v.Name) {
			return bind.Relation{View: v}, nil
		}
	}
	return bind.Relation{}, sqlerr.New(sqlerr.NotFound, "table %s does not exist", name.Name)
}

// Function knows none.
func (c *Catalog) Function(string, []bind.FuncArg) (plan.Node, error) { return nil, nil }

// Stage yields one VARIANT column named $1.
func (c *Catalog) Stage(*parse.StageTable) (plan.Node, error) {
	return &plan.StageScan{Out: types.Schema{{Name: "$1", Type: types.Of(types.Variant)}}}, nil
}
