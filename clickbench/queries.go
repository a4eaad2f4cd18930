package clickbench

import (
	_ "embed" // the texts of the queries
	"strconv"
	"strings"
)

// Layout is a way to store the rows.
type Layout uint8

// The layouts. VariantPlain is Variant without a template; both have the one column v, as JSON has.
const (
	Predefined Layout = iota
	Variant
	VariantPlain
	JSON
)

// Layouts are the names of the layouts by which the command knows them.
var Layouts = [...]string{Predefined: "predefined", Variant: "variant", VariantPlain: "variant_plain", JSON: "json"}

// String returns the name.
func (l Layout) String() string { return Layouts[l] }

//go:embed queries.sql
var queriesSQL string

// Query is one of the 43.
type Query struct {
	// SQL is the text, without a semicolon.
	SQL string
	// Order are the expressions of ORDER BY as they stand in the text, without DESC.
	Order []string
	// Limited tells that the text has LIMIT: rows that are equal in Order, or all groups if there is no Order, may be chosen freely at the
	// ends of the answer.
	Limited bool
}

// Queries returns the 43 queries over table hits in a layout.
func Queries(l Layout) []Query {
	var out []Query
	for _, line := range strings.Split(queriesSQL, "\n") {
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		sql := strings.TrimSuffix(line, ";")
		if l != Predefined {
			sql = Rewrite(sql, func(c string) string { return Path(c) })
		}
		q := Query{SQL: sql}
		_, tail, ordered := strings.Cut(sql, " ORDER BY ")
		head, _, limited := strings.Cut(tail, " LIMIT ")
		if !ordered {
			_, _, limited = strings.Cut(sql, " LIMIT ")
		} else {
			for _, e := range splitTop(head) {
				q.Order = append(q.Order, strings.TrimSuffix(e, " DESC"))
			}
		}
		q.Limited = limited
		out = append(out, q)
	}
	return out
}

// Scaled returns a query with bounds for a table of so many rows: HAVING and OFFSET are made for the full one, and leave nothing of a small
// one.
func Scaled(sql string, rows uint64) string {
	least := strconv.FormatUint(rows*100_000/fullRows, 10)
	return strings.NewReplacer("> 100000", "> "+least, "OFFSET 10000", "OFFSET 1", "OFFSET 1000", "OFFSET 3", "OFFSET 100", "OFFSET 2").Replace(sql)
}

// Path is a column in the layouts that have one column: the path of v under a cast to the column's type.
func Path(name string) string {
	return "CAST(v['" + name + "'] AS " + kinds[columns[indexOf(name)].kind].name + ")"
}

// Rewrite replaces the columns of the table in a query by what of returns for their names. Texts in quotes stay as they are.
func Rewrite(sql string, of func(name string) string) string {
	var b strings.Builder
	for i := 0; i < len(sql); {
		switch c := sql[i]; {
		case c == '\'':
			end := i + 1 + strings.IndexByte(sql[i+1:], '\'') + 1
			b.WriteString(sql[i:end])
			i = end
		case isLetter(c):
			end := i
			for end < len(sql) && (isLetter(sql[end]) || sql[end] >= '0' && sql[end] <= '9') {
				end++
			}
			word := sql[i:end]
			if isColumn(word) {
				word = of(word)
			}
			b.WriteString(word)
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func isColumn(word string) bool {
	for _, c := range columns {
		if c.Name == word {
			return true
		}
	}
	return false
}

// splitTop cuts a list at the commas outside parentheses and quotes.
func splitTop(list string) []string {
	var out []string
	depth, from, quoted := 0, 0, false
	for i := range len(list) {
		switch c := list[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(list[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(list[from:]))
}
