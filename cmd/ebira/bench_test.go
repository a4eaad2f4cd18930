package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rowsOf makes rows out of lines with cells between bars; "-" is NULL.
func rowsOf(lines ...string) benchRows {
	var out benchRows
	for _, l := range lines {
		var r []*string
		for _, c := range strings.Split(l, "|") {
			if c == "-" {
				r = append(r, nil)
			} else {
				r = append(r, &c)
			}
		}
		out = append(out, r)
	}
	return out
}

func TestDescribeDifference(t *testing.T) {
	check := func(got, want benchRows, part string) {
		t.Helper()
		d := describeDifference(got, want)
		if part == "" && d != "" || !strings.Contains(d, part) {
			t.Errorf("%q, want %q", d, part)
		}
	}
	check(rowsOf("1|a", "2|b"), rowsOf("2|b", "1|a"), "")
	check(rowsOf("1|a", "1|a"), rowsOf("1|a", "2|a"), "1 of 2 rows differ: got 1 | a, want 2 | a")
	check(rowsOf("1.00000000001|a"), rowsOf("1.0|a"), "")
	check(rowsOf("1.0001|a"), rowsOf("1.0|a"), "rows differ")
	check(rowsOf("2|a"), rowsOf("2.0|a"), "")
	check(rowsOf("9007199254740993"), rowsOf("9007199254740992"), "rows differ")
	check(rowsOf("1.5", "x"), rowsOf("1.50", "x"), "rows differ") // text that looks like a number
	check(rowsOf("-|a"), rowsOf("|a"), "rows differ")
	check(rowsOf("-"), rowsOf("-"), "")
	check(rowsOf("1.5", "-"), rowsOf("-", "1.5"), "")
	check(rowsOf("a"), rowsOf("a", "b"), "1 rows, want 2; missing is b")
	check(rowsOf("a", "b"), rowsOf("a"), "one too many is b")
	check(nil, nil, "")
	check(nil, rowsOf("a"), "missing is a")
}

// TestJudge has answers to "name, count, order by count desc limit 3" over a|9, b|7, c|5, d|5, e|5, f|1.
func TestJudge(t *testing.T) {
	ctx := context.Background()
	j := &judge{answers: map[int]benchRows{}, ask: func(_ context.Context, sql string) (benchRows, error) {
		if sql == "Q" {
			return rowsOf("a|9|9", "b|7|7", "c|5|5"), nil
		}
		var out benchRows
		for _, r := range rowsOf("a|9|9", "b|7|7", "c|5|5", "d|5|5", "e|5|5", "f|1|1", "it's|5|5") {
			if strings.Contains(sql, "'"+strings.ReplaceAll(*r[0], "'", "''")+"', '"+*r[1]+"'") {
				out = append(out, r)
			}
		}
		return out, nil
	}}
	check := func(limited bool, rows benchRows, part string) {
		t.Helper()
		d, err := j.judge(ctx, 1, question{sql: "Q", all: "A", keys: 1, limited: limited}, rows)
		if err != nil || part == "" && d != "" || !strings.Contains(d, part) {
			t.Errorf("%q %v, want %q", d, err, part)
		}
	}
	check(true, rowsOf("a|9", "b|7", "c|5"), "")
	check(true, rowsOf("a|9", "b|7", "e|5"), "")
	check(true, rowsOf("a|9", "b|7", "it's|5"), "")
	check(false, rowsOf("a|9", "b|7", "e|5"), "rows differ")
	check(true, rowsOf("a|9", "c|5", "b|7"), "out of order")
	check(true, rowsOf("a|9", "b|7", "f|1"), "out of order")
	check(true, rowsOf("a|9", "b|7", "x|5"), "no such row")
	check(true, rowsOf("a|9", "c|7", "c|5"), "missing is b")
	check(true, rowsOf("a|9", "b|7"), "2 rows, want 3")
	check(true, rowsOf("a", "b", "c"), "1 columns, want 2")
	if want := "SELECT CAST(c0 AS VARCHAR), CAST(c1 AS VARCHAR), CAST(c2 AS VARCHAR) FROM (A) t(c0, c1, c2) WHERE (1, coalesce(CAST(c0 AS VARCHAR), ''), coalesce(CAST(c1 AS VARCHAR), '')) IN ((1, 'x', '5'))"; lookup(question{all: "A", keys: 1}, rowsOf("x|5"), []bool{false, false}) != want {
		t.Error(lookup(question{all: "A", keys: 1}, rowsOf("x|5"), []bool{false, false}))
	}
}

// TestJudgeHiddenKey has an order key that the answer does not show: a at 1, b at 2, then c and d at 3; b also occurs at 3.
func TestJudgeHiddenKey(t *testing.T) {
	j := &judge{answers: map[int]benchRows{}, ask: func(_ context.Context, sql string) (benchRows, error) {
		if sql == "Q" {
			return rowsOf("a|1", "b|2", "c|3"), nil
		}
		var out benchRows
		for _, r := range rowsOf("a|1", "b|2", "c|3", "d|3", "b|3", "e|4") {
			if strings.Contains(sql, "'"+*r[0]+"'") {
				out = append(out, r)
			}
		}
		return out, nil
	}}
	check := func(rows benchRows, part string) {
		t.Helper()
		d, err := j.judge(context.Background(), 1, question{sql: "Q", keys: 1, limited: true}, rows)
		if err != nil || part == "" && d != "" || !strings.Contains(d, part) {
			t.Errorf("%q %v, want %q", d, err, part)
		}
	}
	check(rowsOf("a", "b", "d"), "")
	check(rowsOf("a", "b", "b"), "")
	check(rowsOf("a", "b", "e"), "no such row")
	check(rowsOf("a", "d", "c"), "missing is b")
}

func TestQueryList(t *testing.T) {
	check := func(s string, want ...int) {
		t.Helper()
		got, err := queryList(s, 43)
		if len(got) != len(want) || err != nil {
			t.Fatalf("%v %v, want %v", got, err, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
	check("")
	check("0,5,40-42", 0, 5, 40, 41, 42)
	for _, s := range []string{"43", "a", "5-3", "-1"} {
		if _, err := queryList(s, 43); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestRowCount(t *testing.T) {
	for s, want := range map[string]uint64{"20k": 20_000, "10M": 10_000_000, "1_000": 1000, "7": 7} {
		var n rowCount
		if err := n.Set(s); err != nil || uint64(n) != want {
			t.Errorf("%s: %d %v", s, n, err)
		}
	}
	for _, s := range []string{"", "0", "-1", "1.5m", "k"} {
		var n rowCount
		if n.Set(s) == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

// TestReport checks the ratios and the files of a small result.
func TestReport(t *testing.T) {
	q := func(cold float64, hot ...float64) *queryResult { return &queryResult{Cold: cold, Hot: hot} }
	r := &benchResult{Suite: "S", Parts: []*partResult{{Part: "predefined", Rows: 5, Engines: []*engineResult{
		{Engine: ours, Load: 1, Bytes: 10, Queries: map[int]*queryResult{0: q(3, 2, 1), 1: q(3, 3, 4), 2: {Error: "no"}}},
		{Engine: "duckdb", Load: 2, Bytes: 40, Queries: map[int]*queryResult{0: q(6, 4, 5), 1: q(6, 12), 2: q(1, 1)}},
	}}}}
	r.comparePeers()
	want := "ratio duckdb predefined_hot_sum 0.250\nratio duckdb predefined_hot_geomean 0.250\nratio duckdb predefined_cold_sum 0.500\nratio duckdb predefined_load 0.500\nratio duckdb predefined_bytes 0.250\n"
	if got := r.printRatios(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if !r.oursWrong() || len(r.problems()) != 1 {
		t.Errorf("problems %q", r.problems())
	}
	dir := t.TempDir()
	if err := r.writeFolder(dir); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "ebira-predefined.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		LoadTime float64      `json:"load_time"`
		DataSize int64        `json:"data_size"`
		Result   [][]*float64 `json:"result"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Result) != 3 || *file.Result[0][0] != 3 || *file.Result[0][2] != 1 || file.Result[2][0] != nil || file.LoadTime != 1 || file.DataSize != 10 {
		t.Errorf("%s", b)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "chart-predefined.svg"))
	if err != nil || strings.Count(string(svg), "<title>") != 5 {
		t.Errorf("%s %v", svg, err)
	}
}
