package difftest

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
)

// maxPaths bounds the paths of a file that are compared one by one.
const maxPaths = 300

// TestNDJSONAsVariant loads each real file as whole rows into one VARIANT column and compares documents and paths with DuckDB's view of
// the same text, before and after compaction; then DuckDB opens the segments.
func TestNDJSONAsVariant(t *testing.T) {
	data, dir := sharedData(t), t.TempDir()
	for _, in := range ndjsonInputs(t, data, dir) {
		t.Run(in.name, func(t *testing.T) {
			if in.large && testing.Short() {
				t.Skip("large file in a short run")
			}
			e, d := openEbira(t, nil, data, dir), openDuck(t)
			e.must(t, "CREATE TABLE t (v VARIANT)")
			e.must(t, "COPY INTO t FROM (SELECT $1 FROM %s (FILE_FORMAT => 'NDJSON'))", quote(in.path))
			d.must(t, "CREATE TABLE d AS SELECT json AS j FROM read_ndjson_objects(%s, maximum_object_size = 100000000)", quote(in.path))
			want, docs := documents(t, d.must(t, "SELECT j::VARCHAR FROM d"))
			paths := pathStats(docs, 5)
			if len(paths) > maxPaths {
				paths = paths[:maxPaths]
			}
			flatten(t, d, paths)
			for _, pass := range []string{"loaded", "compacted"} {
				if pass == "compacted" {
					e.settle(t)
				}
				got, _ := documents(t, e.must(t, "SELECT v FROM t"))
				sameDocuments(t, pass, got, want)
				comparePaths(t, pass, e, d, paths)
			}
			var files []string
			for _, f := range e.segments(t) {
				files = append(files, quote(f))
			}
			r := d.must(t, "SELECT v::JSON::VARCHAR FROM read_parquet([%s])", strings.Join(files, ", "))
			for _, row := range r.rows {
				row[0] = withZeros(row[0])
			}
			opened, _ := documents(t, r)
			sameDocuments(t, "segments opened by DuckDB", opened, want)
			t.Logf("%d documents, %d paths", len(want), len(paths))
		})
	}
}

// withZeros puts the zero before decimal points back that DuckDB leaves out where a decimal has no digits before its point: {"a":.5} is no
// JSON.
func withZeros(text string) string {
	var out strings.Builder
	quoted, escaped := false, false
	for i := range len(text) {
		c := text[i]
		if !quoted && c == '.' && (i == 0 || strings.IndexByte(":,[-", text[i-1]) >= 0) {
			out.WriteByte('0')
		}
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		}
		out.WriteByte(c)
	}
	return out.String()
}

// documents returns the canonical texts of a result of JSON texts, sorted, and the parsed documents.
func documents(t *testing.T, r result) (texts []string, docs []any) {
	t.Helper()
	for _, row := range r.rows {
		v, err := decodeJSON(row[0])
		if err != nil {
			t.Fatalf("%v in %s", err, cut(row[0]))
		}
		docs = append(docs, v)
		texts = append(texts, string(appendCanonical(nil, v)))
	}
	sort.Strings(texts)
	return texts, docs
}

func sameDocuments(t *testing.T, pass string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d documents, want %d", pass, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: document\n%s\nwant\n%s", pass, cut(got[i]), cut(want[i]))
		}
	}
}

// flatten makes the table p of DuckDB with a text column a path: c0, c1, ...
func flatten(t *testing.T, d *duck, paths []*pathStat) {
	t.Helper()
	var texts, cols []string
	for i, p := range paths {
		texts = append(texts, quote(p.duck()))
		cols = append(cols, fmt.Sprintf("l[%d] AS c%d", i+1, i))
	}
	d.must(t, "CREATE TABLE p AS SELECT %s FROM (SELECT json_extract_string(j, [%s]) AS l FROM d)", strings.Join(cols, ", "), strings.Join(texts, ", "))
}

// comparePaths compares aggregates, filters and grouped counts of paths.
func comparePaths(t *testing.T, pass string, e *ebira, d *duck, paths []*pathStat) {
	t.Helper()
	var cols []string
	for i := range paths {
		cols = append(cols, fmt.Sprintf("c%d", i))
	}
	for chunk := range slices.Chunk(indexes(len(paths)), 30) {
		var ea, da []string
		for _, i := range chunk {
			e1, d1 := paths[i].aggregates(cols[i])
			ea, da = append(ea, e1...), append(da, d1...)
			e1, d1 = paths[i].filters(cols[i])
			for k := range e1 {
				ea = append(ea, "sum(CASE WHEN "+e1[k]+" THEN 1 ELSE 0 END)")
				da = append(da, "sum(CASE WHEN "+d1[k]+" THEN 1 ELSE 0 END)::BIGINT")
			}
		}
		compareCells(t, pass, e, d, ea, da)
	}
	filters, groups := 0, 0
	for i, p := range paths {
		if e1, d1 := p.filters(cols[i]); p.kind() != "mixed" && filters < 40 {
			filters++
			for k := range e1 {
				compare(t, pass, e, d, "SELECT count(*) FROM t WHERE "+e1[k], "SELECT count(*) FROM p WHERE "+d1[k])
			}
		}
		if k := p.kind(); (k == "int" || k == "text" || k == "bool") && groups < 25 {
			groups++
			compare(t, pass, e, d, fmt.Sprintf("SELECT CAST(%s AS STRING), count(*) FROM t GROUP BY 1", p.ebira()),
				fmt.Sprintf("SELECT %s, count(*) FROM p GROUP BY 1", cols[i]))
		}
	}
}

// compareCells runs one query of many aggregates in both and names those that differ.
func compareCells(t *testing.T, pass string, e *ebira, d *duck, ea, da []string) {
	t.Helper()
	got := e.must(t, "SELECT %s FROM t", strings.Join(ea, ", "))
	want := d.must(t, "SELECT %s FROM p", strings.Join(da, ", "))
	for i := range ea {
		g, w := plainNumber(got.rows[0][i]), plainNumber(want.rows[0][i])
		if g != w && !((got.float[i] || want.float[i]) && sameFloat(g, w)) {
			t.Errorf("%s: %s = %q, DuckDB says %q", pass, ea[i], cut(g), cut(w))
		}
	}
}

func compare(t *testing.T, pass string, e *ebira, d *duck, eq, dq string) {
	t.Helper()
	if diff := sameRows(e.must(t, "%s", eq), d.must(t, "%s", dq)); diff != "" {
		t.Errorf("%s: %s: %s", pass, eq, diff)
	}
}
