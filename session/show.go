package session

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// likeFilter is the LIKE of SHOW: % and _ with \ as escape, without regard to case. A nil pattern passes all.
func likeFilter(p *parse.StringLit) func(string) bool {
	if p == nil {
		return func(string) bool { return true }
	}
	return LikeMatcher(p.Value)
}

// LikeMatcher compiles a LIKE pattern with \ as escape, without regard to case.
func LikeMatcher(pattern string) func(string) bool {
	var re strings.Builder
	re.WriteString("(?is)^")
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			i++
			re.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		case c == '%':
			re.WriteString(".*")
		case c == '_':
			re.WriteString(".")
		case c < 0x80:
			re.WriteString(regexp.QuoteMeta(string(rune(c))))
		default:
			re.WriteByte(c)
		}
	}
	re.WriteString("$")
	m, err := regexp.Compile(re.String())
	if err != nil {
		return func(s string) bool { return strings.EqualFold(s, pattern) }
	}
	return m.MatchString
}

// showSchema gives the columns of a SHOW, so that it can be prepared without running.
func showSchema(st *parse.Show) []types.Field {
	switch st.Kind {
	case parse.ShowDatabases:
		return texts("Database")
	case parse.ShowTables:
		return texts("Tables")
	case parse.ShowViews:
		return texts("Views")
	case parse.ShowColumns:
		return describeSchema
	case parse.ShowCreateTable:
		return texts("Table", "Create Table")
	case parse.ShowCreateView:
		return texts("View", "Create View")
	case parse.ShowCreateDatabase:
		return texts("Database", "Create Database")
	case parse.ShowVariables, parse.ShowStatus:
		return texts("Variable_name", "Value")
	case parse.ShowStages:
		return stageSchema
	case parse.ShowFileFormats:
		return texts("name", "options")
	case parse.ShowProcesslist:
		return []types.Field{bigint("Id"), text("User"), text("Db"), bigint("Time"), text("State"), text("Info")}
	case parse.ShowFunctions:
		return texts("Function")
	case parse.ShowUsers:
		return []types.Field{text("User"), instant("Created")}
	case parse.ShowCatalogs:
		return texts("Catalog")
	}
	return nil
}

func (s *Session) show(_ context.Context, st *parse.Show) (*Result, error) {
	fields := showSchema(st)
	if fields == nil || st.Where != nil || st.Limit != nil {
		return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "this form of SHOW is not supported; LIKE is, and the tables of database system can be queried")
	}
	out := newRows(fields...)
	keep := likeFilter(st.Like)
	snap := s.snapshot()
	switch st.Kind {
	case parse.ShowDatabases:
		for _, d := range s.engine.databaseNames(snap) {
			if keep(d) {
				out.add(d)
			}
		}
	case parse.ShowTables, parse.ShowViews:
		return s.showTables(snap, st, out, keep)
	case parse.ShowColumns:
		return s.describeTable(snap, st.Name, keep)
	case parse.ShowCreateTable:
		if v, err := s.view(snap, st.Name); err == nil {
			out.add(v.Name, CreateViewText(v))
			break
		}
		t, err := s.table(snap, st.Name)
		if err != nil {
			return nil, err
		}
		out.add(t.Name, CreateTableText(t))
	case parse.ShowCreateView:
		v, err := s.view(snap, st.Name)
		if err != nil {
			return nil, err
		}
		out.add(v.Name, CreateViewText(v))
	case parse.ShowCreateDatabase:
		d, err := snap.Database(st.Name.Last().Name, st.Name.Last().Quoted)
		if err != nil {
			return nil, sqlerr.WithPlace(err, st.Name.Pos())
		}
		text := "CREATE DATABASE " + types.QuoteName(d.Name)
		if d.Comment != "" {
			text += " COMMENT " + quoteText(d.Comment)
		}
		out.add(d.Name, text)
	case parse.ShowVariables:
		for _, n := range settingNames() {
			if keep(n) {
				out.add(n, s.Var(n))
			}
		}
	default:
		s.showRest(snap, st, out, keep)
	}
	return out.result(), nil
}

func (s *Session) showRest(snap *catalog.Snapshot, st *parse.Show, out *rowsBuilder, keep func(string) bool) {
	switch st.Kind {
	case parse.ShowStatus:
		for _, m := range s.engine.Metrics() {
			if keep(m.Name) {
				out.add(m.Name, fmt.Sprint(m.Value))
			}
		}
	case parse.ShowStages:
		for _, g := range snap.Stages() {
			if keep(g.Name) && g.Database == s.Database() {
				out.add(g.Name, "Internal", orNull(g.URL), orNull(propertyText(g.Format)), orNull(g.Comment), g.Created.UnixMicro())
			}
		}
	case parse.ShowFileFormats:
		for _, f := range snap.Formats() {
			if keep(f.Name) && f.Database == s.Database() {
				out.add(f.Name, propertyText(f.Format))
			}
		}
	case parse.ShowProcesslist:
		for _, q := range s.engine.Running() {
			out.add(q.ID, q.User, q.Database, int64(q.Elapsed().Seconds()), q.State(), q.Text)
		}
	case parse.ShowFunctions:
		for _, n := range function.Names() {
			if keep(n.Name) {
				out.add(n.Name)
			}
		}
	case parse.ShowUsers:
		for _, u := range snap.Users() {
			if keep(u.Name) {
				out.add(u.Name, u.Created.UnixMicro())
			}
		}
	case parse.ShowCatalogs:
		out.add(catalog.CatalogName)
	}
}

// showTables lists tables and views of a database, by name, or its views only.
func (s *Session) showTables(snap *catalog.Snapshot, st *parse.Show, out *rowsBuilder, keep func(string) bool) (*Result, error) {
	database := s.Database()
	if !st.From.IsZero() {
		database = st.From.Last().Name
	}
	views := st.Kind == parse.ShowViews
	if reservedDatabase(database) {
		for _, n := range systemTableNames(database) {
			if keep(n) && !views {
				out.add(n)
			}
		}
		return out.result(), nil
	}
	d, err := snap.Database(database, false)
	if err != nil {
		return nil, sqlerr.WithPlace(err, st.From.Pos())
	}
	var names []string
	for _, t := range snap.Tables(d) {
		if !views {
			names = append(names, t.Name)
		}
	}
	for _, v := range snap.Views() {
		if v.Database == d.Name {
			names = append(names, v.Name)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		if keep(n) {
			out.add(n)
		}
	}
	return out.result(), nil
}

// databaseNames lists the stored databases and the built-in ones.
func (e *Engine) databaseNames(snap *catalog.Snapshot) []string {
	var out []string
	for _, d := range snap.Databases() {
		out = append(out, d.Name)
	}
	return append(out, informationSchema, systemDatabase)
}

// propertyText prints options as they may be written again.
func propertyText(props []types.Property) string {
	var parts []string
	for _, p := range props {
		parts = append(parts, p.Name+" = "+p.Value)
	}
	return strings.Join(parts, " ")
}
