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

// createView stores a query. What it reads is found by name whenever the view is used: a * in it follows the columns of its table.
func (s *Session) createView(ctx context.Context, st *parse.CreateView) (*Result, error) {
	if len(st.Parameters()) > 0 {
		return nil, sqlerr.At(sqlerr.Unsupported, st.Parameters()[0].Pos(), "a view cannot have parameters")
	}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		database, name, err := s.newName(snap, "view", st.Name)
		if err != nil {
			return nil, err
		}
		quoted := st.Name.Last().Quoted
		if t, err := snap.Table(database, name, quoted); err == nil {
			return nil, sqlerr.At(sqlerr.Exists, st.Name.Pos(), "%s.%s exists already as a table", t.Database, t.Name)
		}
		e := &catalog.Edit{}
		if old, err := snap.View(database, name, quoted); err == nil {
			switch {
			case st.IfNotExists:
				return nil, nil
			case !st.OrReplace:
				return nil, sqlerr.At(sqlerr.Exists, st.Name.Pos(), "view %s.%s exists already", old.Database, old.Name)
			case old.Name != name:
				e.Add(&catalog.DropView{Database: old.Database, Name: old.Name})
			}
		}
		v := &catalog.View{Database: database, Name: name, Text: st.Query.Text, Home: s.Database()}
		if st.Comment != nil {
			v.Comment = st.Comment.Value
		}
		if err := s.viewColumns(v, st); err != nil {
			return nil, err
		}
		e.Add(&catalog.PutView{View: v})
		return e, s.checkView(snap, e, v, st)
	})
}

// checkView reads the new view once, so that one that uses itself is not made.
func (s *Session) checkView(snap *catalog.Snapshot, e *catalog.Edit, v *catalog.View, st *parse.CreateView) error {
	next, err := snap.Fork().Apply(e)
	if err == nil {
		_, err = s.newCall(newView(s.engine, next, nil, func() {}), nil).viewSchema(v)
	}
	if err != nil {
		return sqlerr.At(sqlerr.KindOf(err), st.Query.Pos(), "%s", message(err))
	}
	return nil
}

// viewColumns checks the query of a view and takes the column list.
func (s *Session) viewColumns(v *catalog.View, st *parse.CreateView) error {
	r, err := bind.Query(s.newCall(s.present(), nil).env, st.Query)
	if err != nil {
		return err
	}
	var names []parse.ColumnDef
	for _, c := range st.Columns {
		names = append(names, parse.ColumnDef{Name: c.Name})
		v.Columns = append(v.Columns, c.Name.Name)
		comment := ""
		if c.Comment != nil {
			comment = c.Comment.Value
		}
		v.Comments = append(v.Comments, comment)
	}
	if strings.Join(v.Comments, "") == "" {
		v.Comments = nil
	}
	cols, err := bind.ResultColumns(r.Schema, names, st.Query.Pos())
	for i := 0; err == nil && i < len(cols); i++ {
		err = checkName("column", parse.Ident{Place: st.Query.Place, Name: cols[i].Name})
	}
	return err
}

func (s *Session) dropView(ctx context.Context, st *parse.DropView) (*Result, error) {
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		v, err := s.view(snap, st.Name)
		if err != nil {
			if st.IfExists && sqlerr.KindOf(err) == sqlerr.NotFound {
				return nil, nil
			}
			return nil, err
		}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.DropView{Database: v.Database, Name: v.Name}}}, nil
	})
}

// view finds a view by its written name.
func (s *Session) view(snap *catalog.Snapshot, n parse.ObjectName) (*catalog.View, error) {
	database, id, err := s.split(n)
	if err != nil {
		return nil, err
	}
	if reservedDatabase(database) {
		return nil, sqlerr.At(sqlerr.NotFound, n.Pos(), "database %s has no views", database)
	}
	v, err := snap.View(database, id.Name, id.Quoted)
	if sqlerr.KindOf(err) == sqlerr.NotFound {
		if t, tableErr := snap.Table(database, id.Name, id.Quoted); tableErr == nil {
			return nil, sqlerr.At(sqlerr.Bind, n.Pos(), "%s.%s is a table, not a view", t.Database, t.Name)
		}
	}
	return v, sqlerr.WithPlace(err, n.Pos())
}

// viewSchema returns the columns that a view has now, or why it cannot be read any more.
func (c *call) viewSchema(v *catalog.View) (types.Schema, error) {
	stmts, err := parse.Parse("SELECT * FROM " + types.QuoteName(v.Database) + "." + types.QuoteName(v.Name))
	if err != nil {
		return nil, err
	}
	r, err := bind.Query(c.env, stmts[0].(*parse.QueryStmt).Query)
	if err != nil {
		return nil, err
	}
	schema := append(types.Schema(nil), r.Schema...)
	for i := range schema {
		schema[i].Comment = ""
		if i < len(v.Comments) {
			schema[i].Comment = v.Comments[i]
		}
	}
	return schema, nil
}

// ViewSchema returns the columns that a view has now, or why it cannot be read any more.
func (s *Session) ViewSchema(v *catalog.View) (types.Schema, error) {
	return s.newCall(s.present(), nil).viewSchema(v)
}

// CreateViewText returns a CREATE VIEW statement that makes an equal view in the database where it was made.
func CreateViewText(v *catalog.View) string {
	var b strings.Builder
	b.WriteString("CREATE VIEW ")
	if v.Home != v.Database {
		b.WriteString(types.QuoteName(v.Database) + ".")
	}
	b.WriteString(types.QuoteName(v.Name))
	if len(v.Columns) > 0 {
		var cols []string
		for i, c := range v.Columns {
			text := types.QuoteName(c)
			if i < len(v.Comments) && v.Comments[i] != "" {
				text += " COMMENT " + quoteText(v.Comments[i])
			}
			cols = append(cols, text)
		}
		b.WriteString(" (" + strings.Join(cols, ", ") + ")")
	}
	if v.Comment != "" {
		b.WriteString(" COMMENT " + quoteText(v.Comment))
	}
	b.WriteString(" AS " + v.Text)
	return b.String()
}

// describeView is DESC of a view.
func (s *Session) describeView(v *catalog.View, n parse.ObjectName, keep func(string) bool) (*Result, error) {
	schema, err := s.ViewSchema(v)
	if err != nil {
		return nil, sqlerr.At(sqlerr.KindOf(err), n.Pos(), "%s", message(err))
	}
	out := newRows(describeSchema...)
	for _, f := range schema {
		if keep(f.Name) {
			out.add(f.Name, f.Type.String(), yesNo(!f.NotNull), "NULL", extraText(f.Comment))
		}
	}
	return out.result(), nil
}

// message is the text of an error without its kind and place.
func message(err error) string {
	if e, ok := err.(*sqlerr.Error); ok {
		return e.Msg
	}
	return err.Error()
}
