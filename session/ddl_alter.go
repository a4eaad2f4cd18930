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
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		old, err := s.table(snap, st.Name)
		if err != nil {
			if st.IfExists && sqlerr.KindOf(err) == sqlerr.NotFound {
				return nil, nil
			}
			return nil, err
		}
		t := *old
		for _, a := range st.Actions {
			if err := s.alter(snap, &t, a); err != nil {
				return nil, err
			}
		}
		t.SchemaVersion++
		return &catalog.Edit{Ops: []catalog.Op{&catalog.AlterTable{Table: &t, From: old.SchemaVersion}}}, nil
	})
}

func (s *Session) alter(snap *catalog.Snapshot, t *catalog.Table, a parse.AlterAction) error {
	switch a := a.(type) {
	case *parse.SetTableOptions:
		return setOptions(t, a)
	case *parse.UnsetTableOptions:
		return unsetOptions(t, a)
	case *parse.AddColumn:
		return s.alterAdd(t, a)
	case *parse.DropColumn:
		return alterDrop(t, a)
	case *parse.RenameColumn:
		return alterRename(t, a)
	case *parse.RenameTable:
		database, name, err := s.newName(snap, "table", a.To)
		if len(a.To.Parts) == 1 {
			database = t.Database
		}
		if err == nil {
			t.Database, t.Name = database, name
		}
		return err
	case *parse.SetTableComment:
		t.Comment = a.Comment
		return nil
	case *parse.ModifyColumn:
		return s.alterModify(t, a)
	case *parse.AddIndex, *parse.DropTableIndex:
		return sqlerr.At(sqlerr.Unsupported, a.Pos(), "indexes cannot be made or dropped yet; no query needs one")
	}
	return sqlerr.At(sqlerr.Unsupported, a.Pos(), "this ALTER TABLE action is not supported")
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

func (s *Session) alterAdd(t *catalog.Table, a *parse.AddColumn) error {
	if a.First || a.After.Name != "" {
		return sqlerr.At(sqlerr.Unsupported, a.Pos(), "new columns go to the end of the table; FIRST and AFTER are not supported")
	}
	if a.IfNotExists {
		if _, err := column(t, a.Column.Name); err == nil {
			return nil
		}
	}
	c, err := s.buildColumn(&a.Column)
	if err != nil {
		return err
	}
	if c.NotNull && c.DefaultValue == nil && t.Rows() > 0 {
		return sqlerr.At(sqlerr.Constraint, a.Pos(), "column %s is NOT NULL and needs a DEFAULT for the rows that exist", c.Name)
	}
	return addColumn(t, c, a.Column.Name)
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

// alterModify changes what needs no rewriting of rows: comment, default of future rows, dropping NOT NULL, a longer VARCHAR, and
// template and layout of a VARIANT (for new segments).
func (s *Session) alterModify(t *catalog.Table, a *parse.ModifyColumn) error {
	c, err := column(t, a.Column.Name)
	if err != nil {
		return err
	}
	if a.First || a.After.Name != "" {
		return sqlerr.At(sqlerr.Unsupported, a.Pos(), "columns cannot be moved")
	}
	n, err := s.buildColumn(&a.Column)
	if err != nil {
		return err
	}
	switch {
	case n.Type.Kind == types.Variant && c.Type.Kind == types.Variant:
		if err := extendsTemplate(c.Type.Variant, n.Type.Variant); err != nil {
			return sqlerr.WithPlace(err, a.Pos())
		}
	case n.Type.Kind == types.Varchar && c.Type.Kind == types.Varchar && (n.Type.Length == 0 || c.Type.Length > 0 && n.Type.Length >= c.Type.Length):
	case !n.Type.Equal(c.Type):
		return sqlerr.At(sqlerr.Unsupported, a.Pos(), "column %s cannot change from %s to %s; add a column and UPDATE it", c.Name, c.Type, n.Type)
	}
	if n.NotNull && !c.NotNull {
		return sqlerr.At(sqlerr.Unsupported, a.Pos(), "column %s cannot become NOT NULL", c.Name)
	}
	i := indexOf(t, c)
	t.Columns = slices.Clone(t.Columns)
	n.ID, n.Name, n.DefaultValue = c.ID, c.Name, c.DefaultValue
	t.Columns[i] = n
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
