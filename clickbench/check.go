package clickbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Check is what DuckDB, over predefined columns, is asked in order to judge the answers of others.
type Check struct {
	// SQL is the query with the expressions of its ORDER BY as Keys more columns at the end.
	SQL  string
	Keys int
	// All is SQL without ORDER BY and LIMIT.
	All string
	// Limited is that of the query.
	Limited bool
}

// Checks returns the checks of the 43 queries.
func Checks() []Check {
	var out []Check
	for _, q := range Queries(Predefined) {
		c := Check{Keys: len(q.Order), Limited: q.Limited}
		var keys strings.Builder
		for i, e := range q.Order {
			keys.WriteString(", " + e + " AS k" + strconv.Itoa(i))
		}
		c.SQL = strings.Replace(q.SQL, " FROM hits", keys.String()+" FROM hits", 1)
		c.All, _, _ = strings.Cut(c.SQL, " ORDER BY ")
		c.All, _, _ = strings.Cut(c.All, " LIMIT ")
		out = append(out, c)
	}
	return out
}

// Cells returns the values of a document as text, in the order of the table's columns.
func Cells(document string) ([]*string, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(document)))
	d.UseNumber()
	values := map[string]any{}
	if err := d.Decode(&values); err != nil {
		return nil, fmt.Errorf("document of a row: %w", err)
	}
	out := make([]*string, columnCount)
	for i, c := range columns {
		if v, ok := values[c.Name]; ok && v != nil {
			s := fmt.Sprint(v)
			out[i] = &s
		}
	}
	return out, nil
}
