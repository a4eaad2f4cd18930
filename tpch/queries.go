package tpch

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strings"
)

//go:embed queries/*.sql
var queryFiles embed.FS

// answerFiles are what DuckDB 1.5.6 answers at scale factor 0.01.
//
//go:embed answers/*.csv
var answerFiles embed.FS

// QueryCount is the number of queries.
const QueryCount = 22

// AnswerScale is the scale factor of the answers that Answer returns.
const AnswerScale = 0.01

// Query returns the text of query n, from 1 to QueryCount, with the parameters that the specification validates with. Query 15 is the
// variant with a WITH clause in place of a view.
func Query(n int) string {
	return strings.TrimSpace(file(queryFiles, fmt.Sprintf("queries/%02d.sql", n)))
}

// Answer returns the rows of query n at AnswerScale as text; NULL is "".
func Answer(n int) [][]string {
	rows, err := csv.NewReader(strings.NewReader(file(answerFiles, fmt.Sprintf("answers/%02d.csv", n)))).ReadAll()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return rows[1:]
}

func file(fsys embed.FS, name string) string {
	text, err := fsys.ReadFile(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(text)
}
