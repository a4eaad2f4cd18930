package flightsrv

import (
	"context"
	"sort"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// The table types.
const (
	typeTable       = "TABLE"
	typeView        = "VIEW"
	typeSystemTable = "SYSTEM TABLE"
)

var tableTypes = []string{typeSystemTable, typeTable, typeView}

// tableEntry is a table as metadata calls list it.
type tableEntry struct {
	database, name, kind string
	schema               types.Schema
	view                 *catalog.View
}

// columns are the columns of a table or view. A view that cannot be read has none.
func (t *tableEntry) columns(s *session.Session) types.Schema {
	if t.view == nil {
		return t.schema
	}
	schema, err := s.ViewSchema(t.view)
	if err != nil {
		return nil
	}
	for i := range schema {
		schema[i].Database, schema[i].Table = t.database, t.name
	}
	return schema
}

func (s *Server) fillCatalogs(b *array.RecordBuilder) { appendText(b, 0, catalog.CatalogName) }

// databases lists all databases, the built-in ones too, by name.
func (s *Server) databases() []string {
	seen := map[string]bool{}
	for _, d := range s.engine.Snapshot().Databases() {
		seen[d.Name] = true
	}
	session.SystemTables(func(database, _ string, _ types.Schema) { seen[database] = true })
	var out []string
	for n := range seen {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

func (s *Server) fillSchemas(b *array.RecordBuilder, m *pb.CommandGetDbSchemas) {
	if !catalogMatches(m.Catalog) {
		return
	}
	for _, d := range filterNames(s.databases(), m.DbSchemaFilterPattern) {
		appendText(b, 0, catalog.CatalogName)
		appendText(b, 1, d)
	}
}

// fillTables lists tables by database and name, except that one whose name is the pattern itself comes first: drivers that look for a
// single table neither escape its name nor read on (FS-63).
func (s *Server) fillTables(ctx context.Context, b *array.RecordBuilder, m *pb.CommandGetTables) error {
	if !catalogMatches(m.Catalog) {
		return nil
	}
	var wire *wireOptions
	var cl *client
	if m.IncludeSchema {
		var err error
		if cl, err = s.client(ctx); err != nil {
			return err
		}
		if wire, err = cl.wire(ctx); err != nil {
			return err
		}
	}
	keepDB, keepName, keepType := namePattern(m.DbSchemaFilterPattern), namePattern(m.TableNameFilterPattern), typeFilter(m.TableTypes)
	all := s.tables()
	pass := func(db, name func(string) bool) (out []tableEntry) {
		for _, t := range all {
			if db(t.database) && name(t.name) && keepType(t.kind) {
				out = append(out, t)
			}
		}
		return out
	}
	list := pass(keepDB.exact, keepName.exact)
	if len(list) == 0 {
		list = pass(keepDB.loose, keepName.loose)
	}
	if p := m.TableNameFilterPattern; p != nil {
		sort.SliceStable(list, func(i, j int) bool { return list[i].name == *p && list[j].name != *p })
	}
	for _, t := range list {
		appendText(b, 0, catalog.CatalogName)
		appendText(b, 1, t.database)
		appendText(b, 2, t.name)
		appendText(b, 3, t.kind)
		if m.IncludeSchema {
			b.Field(4).(*array.BinaryBuilder).Append(serialize(wire.schema(t.columns(cl.sess))))
		}
	}
	return nil
}

// tables lists all tables by database, name and type.
func (s *Server) tables() []tableEntry {
	var out []tableEntry
	snap := s.engine.Snapshot()
	for _, d := range snap.Databases() {
		for _, t := range snap.Tables(d) {
			out = append(out, tableEntry{database: d.Name, name: t.Name, kind: typeTable, schema: tableSchema(t)})
		}
	}
	for _, v := range snap.Views() {
		out = append(out, tableEntry{database: v.Database, name: v.Name, kind: typeView, view: v})
	}
	session.SystemTables(func(database, name string, fields types.Schema) {
		schema := append(types.Schema(nil), fields...)
		for i := range schema {
			schema[i].Database, schema[i].Table = database, name
		}
		out = append(out, tableEntry{database: database, name: name, kind: typeSystemTable, schema: schema})
	})
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].database != out[j].database {
			return out[i].database < out[j].database
		}
		return out[i].name < out[j].name
	})
	return out
}

func tableSchema(t *catalog.Table) types.Schema {
	out := make(types.Schema, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = types.Field{Name: c.Name, Type: c.Type, NotNull: c.NotNull, Table: t.Name, Database: t.Database, Comment: c.Comment}
	}
	return out
}

// catalogMatches applies a catalog filter: absent and % mean any, everything else is an exact name (FS-64).
func catalogMatches(filter *string) bool {
	return filter == nil || *filter == "%" || *filter == catalog.CatalogName
}

// typeFilter applies a list of table types without regard to case; BASE TABLE means TABLE, and an empty list all types (FS-65).
func typeFilter(list []string) func(string) bool {
	if len(list) == 0 {
		return func(string) bool { return true }
	}
	want := map[string]bool{}
	for _, t := range list {
		t = strings.ToUpper(t)
		if t == "BASE TABLE" {
			t = typeTable
		}
		want[t] = true
	}
	return func(t string) bool { return want[t] }
}

// nameFilter is a pattern for names: exact as written, and loose without regard to case for patterns without wildcards, which are names
// that somebody has typed (FS-64).
type nameFilter struct{ exact, loose func(string) bool }

func namePattern(p *string) nameFilter {
	any := func(string) bool { return true }
	if p == nil {
		return nameFilter{any, any}
	}
	exact := func(s string) bool { return like(s, *p) }
	if plain, ok := plainPattern(*p); ok {
		return nameFilter{exact, func(s string) bool { return strings.EqualFold(s, plain) }}
	}
	return nameFilter{exact, exact}
}

func filterNames(names []string, p *string) []string {
	f := namePattern(p)
	for _, keep := range []func(string) bool{f.exact, f.loose} {
		var out []string
		for _, n := range names {
			if keep(n) {
				out = append(out, n)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// plainPattern returns the name that a pattern without wildcards stands for.
func plainPattern(p string) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '%' || p[i] == '_':
			return "", false
		case p[i] == '\\' && i+1 < len(p):
			i++
		}
		out.WriteByte(p[i])
	}
	return out.String(), true
}

// like matches with % for any text, _ for one character and \ before a character that stands for itself.
func like(s, pattern string) bool {
	text, pat := []rune(s), []rune(pattern)
	// star and mark are where to go on when the text after the last % does not match.
	i, j, star, mark := 0, 0, -1, 0
	for i < len(text) {
		switch {
		case j < len(pat) && pat[j] == '%':
			star, mark = j, i
			j++
			continue
		case j < len(pat) && pat[j] == '_':
			i++
			j++
			continue
		case j+1 < len(pat) && pat[j] == '\\' && pat[j+1] == text[i]:
			i++
			j += 2
			continue
		case j < len(pat) && pat[j] != '\\' && pat[j] == text[i], j == len(pat)-1 && pat[j] == '\\' && text[i] == '\\':
			i++
			j++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		i, j = mark, star+1
	}
	for j < len(pat) && pat[j] == '%' {
		j++
	}
	return j == len(pat)
}
