package clickbench

import "strings"

// Dialect is a peer's way to write the queries.
type Dialect string

// The peers.
const (
	DuckDB     Dialect = "duckdb"
	ChDB       Dialect = "chdb"
	DataFusion Dialect = "datafusion"
)

// Has tells whether a peer takes part in a layout. DuckDB's VARIANT rebuilds whole objects at each access and is left out; DataFusion has
// neither a JSON nor a VARIANT type.
func (d Dialect) Has(l Layout) bool {
	switch l {
	case Predefined:
		return true
	case Variant:
		return d == ChDB
	case JSON:
		return d != DataFusion
	}
	return false
}

// words are the spellings of functions that differ.
var words = map[Dialect]*strings.Replacer{
	DuckDB: strings.NewReplacer(),
	ChDB: strings.NewReplacer("STRLEN(", "length(", "REGEXP_REPLACE(", "replaceRegexpOne(", `'\1'`, `'\\1'`, `\.`, `\\.`,
		"extract(minute FROM ", "toMinute(",
		"AVG(UserID)", "AVG(toFloat64(UserID))"), // its sum of BIGINT overflows
	DataFusion: strings.NewReplacer("STRLEN(", "octet_length("),
}

// Queries returns the 43 queries for a peer.
func (d Dialect) Queries(l Layout, o Origin) []string {
	var out []string
	for _, q := range Queries(Predefined) {
		sql := words[d].Replace(q.SQL)
		if l != Predefined {
			sql = Rewrite(sql, func(c string) string { return d.path(l, o, c) })
		}
		out = append(out, sql)
	}
	return out
}

// path is a column of the table in the layouts with one column.
func (d Dialect) path(l Layout, o Origin, name string) string {
	k := columns[indexOf(name)].kind
	switch {
	case d == DuckDB:
		return "CAST(v->>'$." + name + "' AS " + duckdbTypes[k] + ")"
	case l == JSON:
		return chdbExtract(name, k)
	case o.hinted(k):
		return "v." + name
	case k.isText():
		return "v." + name + ".:String"
	}
	return "v." + name + ".:Int64"
}

// chdbExtract reads a key of JSON text.
func chdbExtract(name string, k kind) string {
	switch k {
	case date:
		return "toDate(JSONExtractString(v, '" + name + "'))"
	case datetime:
		return "toDateTime(JSONExtractString(v, '" + name + "'), 'UTC')"
	case text, text255, char1:
		return "JSONExtractString(v, '" + name + "')"
	}
	return "JSONExtractInt(v, '" + name + "')"
}

var (
	duckdbTypes = [...]string{bigint: "BIGINT", smallint: "SMALLINT", integer: "INTEGER", text: "VARCHAR", text255: "VARCHAR", char1: "VARCHAR", datetime: "TIMESTAMP", date: "DATE"}
	chdbTypes   = [...]string{bigint: "Int64", smallint: "Int16", integer: "Int32", text: "String", text255: "String", char1: "String", datetime: "DateTime64(0, 'UTC')", date: "Date"}
)

// Load returns the statements that make table hits of a layout out of a source and fill it: a Parquet file for predefined columns, else
// files of NDJSON. Those of DataFusion have to be repeated in each new process.
func (d Dialect) Load(l Layout, o Origin, source string) []string {
	source = quoted(source)
	switch {
	case d == DataFusion && o == Published:
		list := expressions(around("", ""), func(n string) string { return "CAST(to_timestamp_seconds(" + n + ") AS TIMESTAMP) AS " + n },
			func(n string) string { return "CAST(CAST(" + n + " AS INTEGER) AS DATE) AS " + n })
		return []string{"SET datafusion.execution.parquet.binary_as_string = true", "CREATE EXTERNAL TABLE published STORED AS PARQUET LOCATION " + source,
			"CREATE VIEW hits AS SELECT " + list + " FROM published"}
	case d == DataFusion:
		return []string{"CREATE EXTERNAL TABLE hits STORED AS PARQUET LOCATION " + source}
	case d == DuckDB && l == Predefined:
		return []string{d.createTable(), "INSERT INTO hits " + d.selectAll(o) + " FROM read_parquet(" + source + ", binary_as_string = true)", "CHECKPOINT"}
	case d == DuckDB:
		return []string{"CREATE TABLE hits AS SELECT json AS v FROM read_ndjson_objects(" + source + ", maximum_object_size = 16777216)", "CHECKPOINT"}
	case l == Predefined:
		return []string{d.createTable(), "INSERT INTO hits " + d.selectAll(o) + " FROM file(" + source + ", Parquet)"}
	case l == JSON:
		return []string{"CREATE TABLE hits (v String) ENGINE = MergeTree ORDER BY tuple()", "INSERT INTO hits SELECT json FROM file(" + source + ", JSONAsString)"}
	}
	return []string{"CREATE TABLE hits (v " + chdbJSON(o) + ") ENGINE = MergeTree ORDER BY tuple()",
		"INSERT INTO hits SELECT json FROM file(" + source + ", JSONAsObject, 'json " + strings.ReplaceAll(chdbJSON(o), "'", `\'`) + "')"}
}

// selectAll reads a Parquet file's columns as those of the table.
func (d Dialect) selectAll(o Origin) string {
	switch {
	case o == Generated:
		return "SELECT *"
	case d == DuckDB:
		return "SELECT " + expressions(around("", ""), around("epoch_ms(1000 * ", ")"), around("make_date(", ")"))
	}
	return "SELECT " + expressions(around("", ""), around("toDateTime64(", ", 0, 'UTC')"), around("", ""))
}

func (d Dialect) createTable() string {
	types := duckdbTypes
	tail := ""
	if d == ChDB {
		types, tail = chdbTypes, " ENGINE = MergeTree ORDER BY (CounterID, EventDate, UserID, EventTime, WatchID)"
	}
	var out []string
	for _, c := range columns {
		s := c.Name + " " + types[c.kind]
		if d == DuckDB && kinds[c.kind].notNull {
			s += " NOT NULL"
		}
		out = append(out, s)
	}
	return "CREATE TABLE hits (" + strings.Join(out, ", ") + ")" + tail
}

// chdbJSON is ClickHouse's type of a document with the same paths declared as in Template.
func chdbJSON(o Origin) string {
	out := []string{"max_dynamic_paths = 1024"}
	for _, c := range columns {
		if o.hinted(c.kind) {
			out = append(out, c.Name+" "+chdbTypes[c.kind])
		}
	}
	return "JSON(" + strings.Join(out, ", ") + ")"
}

func indexOf(name string) int {
	for i, c := range columns {
		if c.Name == name {
			return i
		}
	}
	panic("BUG: no column " + name)
}
