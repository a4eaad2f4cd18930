package difftest

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
)

// TestNDJSONByEvolution loads each real file into a table that has one column and grows the others, and compares each column with the
// key of the same name in DuckDB.
func TestNDJSONByEvolution(t *testing.T) {
	data, dir := sharedData(t), t.TempDir()
	for _, in := range ndjsonInputs(t, data, dir) {
		t.Run(in.name, func(t *testing.T) {
			if in.large && testing.Short() {
				t.Skip("large file in a short run")
			}
			e, d := openEbira(t, nil, data, dir), openDuck(t)
			e.must(t, "CREATE TABLE t (zz_load INT) ENABLE_SCHEMA_EVOLUTION = true")
			e.must(t, `COPY INTO t FROM %s FILE_FORMAT = (TYPE = NDJSON MISSING_FIELD_AS = FIELD_DEFAULT)
				SCHEMA_EVOLUTION = (SAMPLE_FILES = FULL, SAMPLE_RECORDS_PER_FILE = FULL, SAMPLE_TOTAL_RECORDS = FULL)`, quote(in.path))
			d.must(t, "CREATE TABLE d AS SELECT json AS j FROM read_ndjson_objects(%s, maximum_object_size = 100000000)", quote(in.path))
			_, docs := documents(t, d.must(t, "SELECT j::VARCHAR FROM d"))
			cols := e.must(t, "DESC t").rows[1:]
			paths := columnPaths(t, cols, pathStats(docs, 1))
			flattenFolded(t, d, paths, pathStats(docs, 1))
			for _, pass := range []string{"loaded", "compacted"} {
				if pass == "compacted" {
					e.settle(t)
				}
				compareColumns(t, pass, e, d, cols, paths)
				compareDocuments(t, pass, e, docs, cols)
			}
			t.Logf("%d rows, %d columns", len(docs), len(cols))
		})
	}
}

// columnPaths finds the key of each column. Keys that are null everywhere make no column; keys that differ in case share one.
func columnPaths(t *testing.T, cols [][]string, stats []*pathStat) (paths []*pathStat) {
	t.Helper()
	for _, c := range cols {
		i := slices.IndexFunc(stats, func(p *pathStat) bool { return p.path[0] == c[0] })
		if i < 0 {
			t.Fatalf("column %s is no key of the file", c[0])
		}
		paths = append(paths, stats[i])
	}
	for _, p := range stats {
		if !slices.ContainsFunc(cols, func(c []string) bool { return strings.EqualFold(c[0], p.path[0]) }) && p.kind() != "null" {
			t.Errorf("key %s has no column", p.path[0])
		}
	}
	return paths
}

// flattenFolded is flatten for columns: keys that differ in case only go to one column.
func flattenFolded(t *testing.T, d *duck, paths, stats []*pathStat) {
	t.Helper()
	var texts, cols []string
	for i, p := range paths {
		var readings []string
		for _, s := range append([]*pathStat{p}, stats...) {
			if strings.EqualFold(s.path[0], p.path[0]) {
				texts = append(texts, quote(s.duck()))
				readings = append(readings, fmt.Sprintf("l[%d]", len(texts)))
			}
		}
		cols = append(cols, fmt.Sprintf("coalesce(%s) AS c%d", strings.Join(readings, ", "), i))
	}
	d.must(t, "CREATE TABLE p AS SELECT %s FROM (SELECT json_extract_string(j, [%s]) AS l FROM d)", strings.Join(cols, ", "), strings.Join(texts, ", "))
}

// compareColumns compares counts, bounds, sums and groups of typed columns with the texts of the keys.
func compareColumns(t *testing.T, pass string, e *ebira, d *duck, cols [][]string, paths []*pathStat) {
	t.Helper()
	var ea, da []string
	for i, c := range cols {
		name, text := ident(c[0]), fmt.Sprintf("c%d", i)
		add := func(format, duckFormat string) {
			ea = append(ea, strings.ReplaceAll(format, "@", name))
			da = append(da, strings.ReplaceAll(duckFormat, "@", text))
		}
		add("count(@)", "count(@)")
		switch c[1] {
		case "BIGINT":
			add("sum(@::DECIMAL(38,0))", "sum(@::HUGEINT)::HUGEINT")
			add("min(@)", "min(@::BIGINT)")
			add("max(@)", "max(@::BIGINT)")
			add("count(DISTINCT @)", "count(DISTINCT @::BIGINT)")
		case "DOUBLE":
			add("sum(@)", "sum(@::DOUBLE)")
			add("min(@)", "min(@::DOUBLE)")
			add("max(@)", "max(@::DOUBLE)")
			add("count(DISTINCT @)", "count(DISTINCT @::DOUBLE)")
		case "VARCHAR":
			add("min(@)", "min(@)")
			add("max(@)", "max(@)")
			add("sum(length(@))", "sum(length(@))::BIGINT")
			add("count(DISTINCT @)", "count(DISTINCT @)")
		case "BOOLEAN":
			add("sum(CASE WHEN @ THEN 1 ELSE 0 END)", "sum(CASE WHEN @::BOOLEAN THEN 1 ELSE 0 END)::BIGINT")
		}
	}
	ea, da = append(ea, "count(*)"), append(da, "count(*)")
	compareCells(t, pass, e, d, ea, da)
	for i, c := range cols {
		if c[1] == "BIGINT" || c[1] == "VARCHAR" || c[1] == "BOOLEAN" {
			compare(t, pass, e, d, fmt.Sprintf("SELECT CAST(%s AS STRING), count(*) FROM t GROUP BY 1", ident(c[0])),
				fmt.Sprintf("SELECT c%d, count(*) FROM p GROUP BY 1", i))
		}
	}
}

// compareDocuments compares VARIANT columns with the parsed lines, as DuckDB prints the numbers of an extracted part anew.
func compareDocuments(t *testing.T, pass string, e *ebira, docs []any, cols [][]string) {
	t.Helper()
	for _, c := range cols {
		if c[1] != "VARIANT" {
			continue
		}
		got, _ := documents(t, e.must(t, "SELECT %s FROM t WHERE %s IS NOT NULL", ident(c[0]), ident(c[0])))
		var want []string
		for _, doc := range docs {
			if v := doc.(map[string]any)[c[0]]; v != nil {
				want = append(want, string(appendCanonical(nil, v)))
			}
		}
		sort.Strings(want)
		sameDocuments(t, pass+" "+c[0], got, want)
	}
}
