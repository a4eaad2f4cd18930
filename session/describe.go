package session

import (
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// describeSchema are the columns of DESC.
var describeSchema = texts("Field", "Type", "Null", "Default", "Extra")

func yesNo(nullable bool) string {
	if nullable {
		return "YES"
	}
	return "NO"
}

func (s *Session) describeTable(snap *catalog.Snapshot, n parse.ObjectName, keep func(string) bool) (*Result, error) {
	out := newRows(describeSchema...)
	database, id, err := s.split(n)
	if err != nil {
		return nil, err
	}
	if reservedDatabase(database) {
		schema, ok := systemSchema(database, id.Name)
		if !ok {
			return nil, sqlerr.At(sqlerr.NotFound, n.Pos(), "table %s.%s does not exist", database, id.Name)
		}
		for _, f := range schema {
			out.add(f.Name, f.Type.String(), yesNo(!f.NotNull), "NULL", "")
		}
		return out.result(), nil
	}
	if v, err := s.view(snap, n); err == nil {
		return s.describeView(v, n, keep)
	}
	t, err := s.table(snap, n)
	if err != nil {
		return nil, err
	}
	for _, c := range t.Columns {
		if keep(c.Name) {
			out.add(c.Name, c.Type.String(), yesNo(!c.NotNull), defaultText(c), extraText(c.Comment))
		}
	}
	if s.Var("describe_extend_variant_column") == "true" {
		if err := s.describePaths(t, out, keep); err != nil {
			return nil, err
		}
	}
	return out.result(), nil
}

// extraText is the column Extra of DESC: the comment, as it may be written in a definition.
func extraText(comment string) string {
	if comment == "" {
		return ""
	}
	return "COMMENT " + quoteText(comment)
}

func defaultText(c catalog.Column) string {
	if c.Default == "" {
		return "NULL"
	}
	return c.Default
}

func (s *Session) describeStage(snap *catalog.Snapshot, n parse.ObjectName) (*Result, error) {
	database, id, err := s.split(n)
	if err != nil {
		return nil, err
	}
	g, err := snap.Stage(database, id.Name, id.Quoted)
	if err != nil {
		return nil, sqlerr.WithPlace(err, n.Pos())
	}
	out := newRows(stageSchema...)
	out.add(g.Name, "Internal", orNull(g.URL), orNull(propertyText(g.Format)), orNull(g.Comment), g.Created.UnixMicro())
	return out.result(), nil
}

var stageSchema = append(texts("name", "stage_type", "url", "file_format_options", "comment"), instant("created_on"))

// CreateTableText returns a CREATE TABLE statement that makes an equal, empty table.
func CreateTableText(t *catalog.Table) string {
	var b strings.Builder
	b.WriteString("CREATE TABLE " + types.QuoteName(t.Name) + " (\n")
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString("  " + types.QuoteName(c.Name) + " " + c.Type.String())
		if c.NotNull {
			b.WriteString(" NOT NULL")
		} else {
			b.WriteString(" NULL")
		}
		if c.Default != "" {
			b.WriteString(" DEFAULT " + c.Default)
		}
		if c.Comment != "" {
			b.WriteString(" COMMENT " + quoteText(c.Comment))
		}
	}
	var props []string
	for _, p := range t.Properties {
		if name, isIndex := strings.CutPrefix(p.Name, "index "); isIndex {
			cols, rest, _ := strings.Cut(p.Value, ")")
			b.WriteString(",\n  INDEX " + types.QuoteName(name) + cols + ")" + rest)
			continue
		}
		props = append(props, "  "+strconv.Quote(p.Name)+" = "+strconv.Quote(p.Value))
	}
	b.WriteString("\n)")
	if len(t.SortKey) > 0 {
		var keys []string
		for _, id := range t.SortKey {
			keys = append(keys, types.QuoteName(t.Column(id).Name))
		}
		b.WriteString("\nDUPLICATE KEY(" + strings.Join(keys, ", ") + ")")
	}
	if t.Comment != "" {
		b.WriteString("\nCOMMENT " + quoteText(t.Comment))
	}
	if len(props) > 0 {
		b.WriteString("\nPROPERTIES (\n" + strings.Join(props, ",\n") + "\n)")
	}
	if t.Evolution {
		b.WriteString("\nENABLE_SCHEMA_EVOLUTION = true")
	}
	return b.String()
}

// quoteText writes a text literal.
func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
