package session

import (
	"context"
	"slices"
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// alterTable applies all actions of one ALTER TABLE in one Edit.
func (s *Session) alterTable(ctx context.Context, st *parse.AlterTable) (*Result, error) {
	return s.again(ctx, func(v *View) (*Result, error) {
		old, err := s.table(v.snap, st.Name)
		if err != nil {
			if st.IfExists && sqlerr.KindOf(err) == sqlerr.NotFound {
				return &Result{}, nil
			}
			return nil, err
		}
		t := *old
		a := &alteration{s: s, snap: v.snap, old: old, t: &t, fits: map[catalog.ColumnID]int{}, filled: map[catalog.ColumnID]int{}}
		for _, action := range st.Actions {
			if err := a.apply(action); err != nil {
				return nil, err
			}
		}
		t.SchemaVersion++
		return a.commit(ctx, v, st)
	})
}

func (a *alteration) apply(action parse.AlterAction) error {
	t := a.t
	switch x := action.(type) {
	case *parse.SetTableOptions:
		return setOptions(t, x)
	case *parse.UnsetTableOptions:
		return unsetOptions(t, x)
	case *parse.AddColumn:
		return a.add(x)
	case *parse.DropColumn:
		return alterDrop(t, x)
	case *parse.RenameColumn:
		return alterRename(t, x)
	case *parse.RenameTable:
		return a.rename(x)
	case *parse.SwapTable:
		return a.swap(x)
	case *parse.SetTableComment:
		t.Comment = x.Comment
		return nil
	case *parse.ModifyColumn:
		return a.modify(x)
	case *parse.AlterColumn:
		return a.alterColumn(x)
	case *parse.AddIndex, *parse.DropTableIndex:
		return sqlerr.At(sqlerr.Unsupported, x.Pos(), "indexes cannot be made or dropped yet; no query needs one")
	}
	return sqlerr.At(sqlerr.Unsupported, action.Pos(), "this ALTER TABLE action is not supported")
}

func (a *alteration) rename(x *parse.RenameTable) error {
	database, name, err := a.s.newName(a.snap, "table", x.To)
	if err != nil {
		return err
	}
	if len(x.To.Parts) == 1 {
		database = a.t.Database
	}
	if v, err := a.snap.View(database, name, x.To.Last().Quoted); err == nil {
		return sqlerr.At(sqlerr.Exists, x.To.Pos(), "%s.%s exists already as a view", v.Database, v.Name)
	}
	if other, err := a.snap.Table(database, name, x.To.Last().Quoted); err == nil && other.ID != a.t.ID {
		return sqlerr.At(sqlerr.Exists, x.To.Pos(), "table %s.%s exists already", other.Database, other.Name)
	}
	a.t.Database, a.t.Name = database, name
	return nil
}

// swap exchanges the names of two tables.
func (a *alteration) swap(x *parse.SwapTable) error {
	other, err := a.s.table(a.snap, x.With)
	if err != nil {
		return err
	}
	if a.with != nil || a.t.Name != a.old.Name || a.t.Database != a.old.Database {
		return sqlerr.At(sqlerr.Unsupported, x.Pos(), "a table can be swapped or renamed once in one statement")
	}
	if other.ID == a.old.ID {
		return sqlerr.At(sqlerr.Bind, x.With.Pos(), "a table cannot be swapped with itself")
	}
	a.with = other
	return nil
}

func setOptions(t *catalog.Table, a *parse.SetTableOptions) error {
	for _, o := range a.Options {
		set := tableProperty
		if strings.EqualFold(o.Name, "enable_schema_evolution") || !strings.Contains(o.Name, "_") {
			set = tableOption
		}
		if err := set(t, o); err != nil {
			return err
		}
	}
	return nil
}

func unsetOptions(t *catalog.Table, a *parse.UnsetTableOptions) error {
	for _, id := range a.Names {
		if strings.EqualFold(id.Name, "enable_schema_evolution") {
			t.Evolution = false
			continue
		}
		name := strings.ToLower(id.Name)
		i := slices.IndexFunc(t.Properties, func(p types.Property) bool { return p.Name == name })
		if i < 0 {
			return sqlerr.At(sqlerr.NotFound, id.Pos(), "table %s has no option %s", t.Name, id.Name)
		}
		t.Properties = slices.Delete(slices.Clone(t.Properties), i, i+1)
	}
	return nil
}

func (a *alteration) add(x *parse.AddColumn) error {
	if x.IfNotExists {
		if _, err := column(a.t, x.Column.Name); err == nil {
			return nil
		}
	}
	c, err := a.s.buildColumn(&x.Column)
	if err != nil {
		return err
	}
	if c.NotNull && c.DefaultValue == nil {
		if a.old.Rows() > 0 {
			return sqlerr.At(sqlerr.Constraint, x.Pos(), "column %s is NOT NULL and needs a DEFAULT for the rows that exist", c.Name)
		}
		a.empty = true
	}
	if err := addColumn(a.t, c, x.Column.Name); err != nil {
		return err
	}
	return a.place(a.t.Columns[len(a.t.Columns)-1].ID, x.First, x.After)
}

// indexOf returns the position of a column in its table.
func indexOf(t *catalog.Table, c *catalog.Column) int {
	return slices.IndexFunc(t.Columns, func(o catalog.Column) bool { return o.ID == c.ID })
}

func alterDrop(t *catalog.Table, a *parse.DropColumn) error {
	c, err := column(t, a.Name)
	if err != nil {
		if a.IfExists {
			return nil
		}
		return err
	}
	if len(t.Columns) == 1 {
		return sqlerr.At(sqlerr.Constraint, a.Pos(), "column %s is the last one of table %s", c.Name, t.Name)
	}
	if slices.Contains(t.SortKey, c.ID) {
		return sqlerr.At(sqlerr.Constraint, a.Pos(), "column %s is in the key of table %s", c.Name, t.Name)
	}
	i := indexOf(t, c)
	t.Columns = slices.Delete(slices.Clone(t.Columns), i, i+1)
	return nil
}

func alterRename(t *catalog.Table, a *parse.RenameColumn) error {
	c, err := column(t, a.From)
	if err != nil {
		return err
	}
	if err := checkName("column", a.To); err != nil {
		return err
	}
	if other, err := column(t, a.To); err == nil && other.ID != c.ID {
		return sqlerr.At(sqlerr.Exists, a.To.Pos(), "column %s exists already in table %s", other.Name, t.Name)
	}
	i := indexOf(t, c)
	t.Columns = slices.Clone(t.Columns)
	t.Columns[i].Name = a.To.Name
	return nil
}

// extendsTemplate checks that a new VARIANT definition keeps the entries of the old one, in order, and may add some.
func extendsTemplate(old, next *types.VariantSpec) error {
	if old == nil {
		return nil
	}
	var have []types.TemplateEntry
	if next != nil {
		have = next.Template
	}
	for _, e := range old.Template {
		i := slices.IndexFunc(have, func(h types.TemplateEntry) bool {
			return h.Pattern == e.Pattern && h.Exact == e.Exact && h.Type.Equal(e.Type)
		})
		if i < 0 {
			return sqlerr.New(sqlerr.Unsupported, "template entry '%s' : %s cannot be removed or changed; entries may be added", e.Pattern, e.Type)
		}
		have = have[i+1:]
	}
	return nil
}
