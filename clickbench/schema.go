package clickbench

import (
	"strings"

	"github.com/ebira-db/ebira/sql/types"
)

// column is a column of the table.
type column struct {
	Name string
	kind
}

// kind is the type of a column.
type kind uint8

const (
	bigint kind = iota
	smallint
	integer
	text
	text255
	char1
	datetime
	date
)

// kinds are the SQL types; texts without a limit may be NULL, though no row of the table is.
var kinds = [...]struct {
	name    string
	t       types.Type
	notNull bool
}{
	bigint:   {"BIGINT", types.Of(types.BigInt), true},
	smallint: {"SMALLINT", types.Of(types.SmallInt), true},
	integer:  {"INTEGER", types.Of(types.Int), true},
	text:     {"VARCHAR", types.Of(types.Varchar), false},
	text255:  {"VARCHAR(255)", types.Type{Kind: types.Varchar, Length: 255}, true},
	char1:    {"VARCHAR(1)", types.Type{Kind: types.Varchar, Length: 1}, true},
	datetime: {"DATETIME", types.Of(types.DateTime), true},
	date:     {"DATE", types.Of(types.Date), true},
}

func (k kind) isText() bool { return k == text || k == text255 || k == char1 }

// Schema returns the table's columns.
func Schema() types.Schema {
	out := make(types.Schema, 0, columnCount)
	for _, c := range columns {
		out = append(out, types.Field{Name: c.Name, Type: kinds[c.kind].t, NotNull: kinds[c.kind].notNull})
	}
	return out
}

// CreateTable returns the statement that makes the table of a layout under a name.
func (l Layout) CreateTable(name string) string {
	switch l {
	case Variant:
		return "CREATE TABLE " + name + " (v VARIANT<" + Template() + ">)"
	case VariantPlain:
		return "CREATE TABLE " + name + " (v VARIANT)"
	case JSON:
		return "CREATE TABLE " + name + " (v JSON)"
	}
	var b strings.Builder
	b.WriteString("CREATE TABLE " + name + " (")
	for i, c := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.Name + " " + kinds[c.kind].name)
		if kinds[c.kind].notNull {
			b.WriteString(" NOT NULL")
		}
	}
	return b.String() + ")"
}

// Template declares the paths that JSON can write as text only: the date and the three times.
func Template() string {
	var out []string
	for _, c := range columns {
		if c.kind == datetime || c.kind == date {
			out = append(out, "'"+c.Name+"' : "+kinds[c.kind].name)
		}
	}
	return strings.Join(out, ", ")
}
