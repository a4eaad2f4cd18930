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

// Origin tells where rows come from.
type Origin uint8

// The origins. Published files write times as seconds, dates as days and text as bytes in Parquet, and quote 64-bit numbers in JSON.
const (
	Generated Origin = iota
	Published
)

// CreateTable returns the statement that makes the table of a layout under a name.
func (l Layout) CreateTable(name string, o Origin) string {
	switch l {
	case Variant:
		return "CREATE TABLE " + name + " (v VARIANT<" + Template(o) + ">)"
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

// hinted tells whether a column is text in JSON but not in the table: the date, the three times, and quoted numbers.
func (o Origin) hinted(k kind) bool {
	return k == datetime || k == date || o == Published && k == bigint
}

// Template declares the paths whose type JSON cannot show.
func Template(o Origin) string {
	var out []string
	for _, c := range columns {
		if o.hinted(c.kind) {
			out = append(out, "'"+c.Name+"' : "+kinds[c.kind].name)
		}
	}
	return strings.Join(out, ", ")
}

// expressions returns the select list that turns published Parquet columns into those of the table, in their order. Each function gets the
// name of a column of that kind.
func expressions(text, seconds, days func(string) string) string {
	var out []string
	for _, c := range columns {
		switch {
		case c.kind.isText():
			out = append(out, text(c.Name))
		case c.kind == datetime:
			out = append(out, seconds(c.Name))
		case c.kind == date:
			out = append(out, days(c.Name))
		default:
			out = append(out, c.Name)
		}
	}
	return strings.Join(out, ", ")
}

// around returns a function that puts a name between two texts.
func around(before, after string) func(string) string {
	return func(name string) string { return before + name + after }
}

// Load returns the COPY statement that fills table hits of a layout: from a Parquet file for predefined columns, else from files of NDJSON.
func (l Layout) Load(o Origin, source string) string {
	source = quoted(source)
	switch {
	case l != Predefined:
		return "COPY INTO hits FROM (SELECT $1 FROM " + source + " (FILE_FORMAT => 'NDJSON'))"
	case o == Published:
		list := expressions(around("CAST(", " AS VARCHAR)"), around("to_timestamp_seconds(", ")"), around("make_date(", ")"))
		return "COPY INTO hits FROM (SELECT " + list + " FROM " + source + " (FILE_FORMAT => 'PARQUET'))"
	}
	return "COPY INTO hits FROM " + source + " FILE_FORMAT = (TYPE = PARQUET)"
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
