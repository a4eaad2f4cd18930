package difftest

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unread are files that DuckDB reads and Ebira does not, with a part of its message.
var unread = map[string]string{
	// DuckDB does not check the checksums of pages.
	"parquet-testing/data/datapage_v1-corrupt-checksum.parquet":           "page checksum does not match",
	"parquet-testing/data/rle-dict-uncompressed-corrupt-checksum.parquet": "page checksum does not match",
	// DuckDB lets the years before 0 and after 294,000 of INT96 wrap around.
	"parquet-testing/data/int96_from_spark.parquet": "out of range for DATETIME",
	// The authors of the files want errors here.
	"parquet-testing/shredded_variant/case-040.parquet":                      "a value and a typed value",
	"parquet-testing/shredded_variant/case-042.parquet":                      "a value and a typed value",
	"parquet-testing/shredded_variant/case-087.parquet":                      "corrupt",
	"parquet-testing/shredded_variant/case-128.parquet":                      "corrupt",
	"duckdb/data/parquet-testing/parquet_column_num_values_mismatch.parquet": "ends before its row group",
	// No type holds 77 digits; DuckDB reads them as DOUBLE.
	"duckdb/data/parquet-testing/bigdecimal.parquet": "more than 76 digits",
	// DuckDB gives other names to columns without a name or with the same name.
	"duckdb/data/parquet-testing/silly-names.parquet": "without a name",
	"duckdb/data/parquet-testing/bug13053-2.parquet":  "columns column and column",
}

// differs are files that both read with different meaning; the value says why.
var differs = map[string]string{
	"duckdb/data/parquet-testing/bug13053.parquet": "DuckDB renames columns that differ in case only",
	"duckdb/data/parquet-testing/enum.parquet":     "DuckDB prints binary values in JSON in another way",
}

// TestParquet loads every real Parquet file that DuckDB can read by schema evolution and compares all values.
func TestParquet(t *testing.T) {
	data := sharedData(t)
	e, d := openEbira(t, nil, data), openDuck(t)
	n, compared := 0, 0
	for _, file := range parquetFiles(t, data) {
		name, err := filepath.Rel(data, file)
		if err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(strings.TrimSuffix(name, ".parquet"), func(t *testing.T) {
			if _, err := d.query("SELECT 1"); err != nil {
				// A file before was fatal for DuckDB.
				d = openDuck(t)
			}
			if compareParquet(t, e, d, name, file, fmt.Sprintf("t%d", n)) {
				compared++
			}
		})
	}
	t.Logf("%d of %d files compared", compared, n)
}

func parquetFiles(t *testing.T, data string) (files []string) {
	t.Helper()
	for _, dir := range []string{"parquet-testing/data", "parquet-testing/shredded_variant", "duckdb/data", "databend", "polars-benchmark", "arrow-testing"} {
		err := filepath.WalkDir(filepath.Join(data, dir), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.EqualFold(filepath.Ext(path), ".parquet") && !strings.Contains(path, "INVALID") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// compareParquet loads one file in both and compares it; it tells whether both could read it.
func compareParquet(t *testing.T, e *ebira, d *duck, name, file, table string) bool {
	t.Helper()
	e.must(t, "CREATE TABLE %s (zz_load INT) ENABLE_SCHEMA_EVOLUTION = true", table)
	_, loadErr := e.query(fmt.Sprintf("COPY INTO %s FROM %s FILE_FORMAT = (TYPE = PARQUET MISSING_FIELD_AS = FIELD_DEFAULT) COLUMN_MATCH_MODE = CASE_SENSITIVE", table, quote(file)))
	if loadErr != nil && strings.Contains(loadErr.Error(), "BUG") {
		t.Fatal(loadErr)
	}
	cols, err := d.query(fmt.Sprintf("DESCRIBE SELECT * FROM read_parquet(%s, hive_partitioning = false)", quote(file)))
	if err == nil {
		_, err = d.query(fmt.Sprintf("SELECT count(*) FROM (SELECT DISTINCT * FROM read_parquet(%s, hive_partitioning = false))", quote(file)))
	}
	if err != nil {
		t.Skipf("DuckDB does not read it: %s; Ebira: %v", cut(err.Error()), loadErr)
	}
	if loadErr != nil {
		if want, ok := unread[filepath.ToSlash(name)]; !ok || !strings.Contains(loadErr.Error(), want) {
			t.Errorf("ebira: %v", loadErr)
		}
		return false
	}
	if why, ok := differs[filepath.ToSlash(name)]; ok {
		t.Skip(why)
	}
	got := e.must(t, "DESC %s", table).rows[1:]
	if len(got) == 0 && d.must(t, "SELECT count(*) FROM read_parquet(%s)", quote(file)).rows[0][0] == "0" {
		// A file without rows adds no columns.
		return true
	}
	cols.rows = withoutNulls(t, d, file, cols.rows, got)
	if len(got) != len(cols.rows) {
		t.Errorf("columns %q, DuckDB has %q", got, cols.rows)
		return true
	}
	var es, ds []string
	var json []bool
	for i, c := range cols.rows {
		if got[i][0] != c[0] && !strings.EqualFold(got[i][0], c[0]) {
			t.Errorf("column %d is %q, DuckDB has %q", i, got[i][0], c[0])
		}
		x, y, asJSON := columnForms(ident(got[i][0]), ident(c[0]), got[i][1], c[1])
		es, ds, json = append(es, x), append(ds, y), append(json, asJSON)
	}
	g := e.must(t, "SELECT %s FROM %s", strings.Join(es, ", "), table)
	w := d.must(t, "SELECT %s FROM read_parquet(%s, hive_partitioning = false)", strings.Join(ds, ", "), quote(file))
	for _, r := range []result{g, w} {
		for _, row := range r.rows {
			for i := range row {
				if json[i] && row[i] != null {
					if row[i] = canonicalForms(t, row[i]); row[i] == "null" {
						// DuckDB casts both NULL and a JSON null of a VARIANT to null.
						row[i] = null
					}
				}
			}
		}
	}
	if diff := sameRows(g, w); diff != "" {
		t.Errorf("%s\n%s", cut(diff), strings.Join(es, ", "))
	}
	return true
}

// withoutNulls leaves out the columns of the type NULL, of which Ebira makes none.
func withoutNulls(t *testing.T, d *duck, file string, cols, mine [][]string) (out [][]string) {
	t.Helper()
	for _, c := range cols {
		if slices.ContainsFunc(mine, func(m []string) bool { return strings.EqualFold(m[0], c[0]) }) ||
			d.must(t, "SELECT count(%s) FROM read_parquet(%s)", ident(c[0]), quote(file)).rows[0][0] != "0" {
			out = append(out, c)
		}
	}
	return out
}

// columnForms returns expressions that print a column alike on both sides.
func columnForms(e, d, ebiraType, duckType string) (ebira, duck string, json bool) {
	switch {
	case strings.HasPrefix(duckType, "STRUCT") || strings.HasPrefix(duckType, "MAP") || strings.HasSuffix(duckType, "]"):
		return "CAST(" + e + " AS JSON)", "to_json(" + d + ")::VARCHAR", true
	case duckType == "VARIANT":
		return e, "CAST(CAST(" + d + " AS JSON) AS VARCHAR)", true
	case strings.HasPrefix(duckType, "GEOMETRY"):
		return e + " IS NULL", d + " IS NULL", false
	case duckType == "BLOB":
		return "hex(" + e + ")", "hex(" + d + ")", false
	case duckType == "TIME WITH TIME ZONE":
		return e, d + "::TIME::VARCHAR", false
	case ebiraType == "TIMESTAMPTZ":
		return "CAST(" + e + " AS DATETIME(6))", d + "::TIMESTAMP", false
	case duckType == "TIMESTAMP_NS" || duckType == "UUID" || duckType == "TIME" || duckType == "INTERVAL" || duckType == "JSON" || strings.HasPrefix(duckType, "ENUM"):
		return e, d + "::VARCHAR", false
	}
	return e, d, false
}
