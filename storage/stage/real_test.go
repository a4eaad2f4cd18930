package stage

import (
	"archive/zip"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/storage/vfs"
)

// loadInferred infers the columns of files from all their records and loads them. Nothing may be refused, left over or lost.
func loadInferred(t *testing.T, fsys vfs.FS, format Format, files ...File) (cols []NewColumn, rows []string) {
	t.Helper()
	cols, err := Infer(context.Background(), fsys, files, InferSpec{Format: format, CaseSensitive: true, Files: -1, RecordsPerFile: -1, Total: -1})
	if err != nil {
		t.Fatal(err)
	}
	spec := ReadSpec{Format: format, CaseSensitive: true, Unknown: UnknownCollect, OnError: OnError{Mode: Continue}}
	for _, c := range cols {
		spec.Targets = append(spec.Targets, Target{Name: c.Name, Type: c.Type, Added: true})
	}
	r := NewReport(files, spec.OnError)
	if rows, err = load(t, fsys, spec, r, files...); err != nil {
		t.Fatal(err)
	}
	if len(r.RowErrors()) > 0 || len(r.Late()) > 0 {
		t.Errorf("%s: %+v %+v", files[0].Name, r.RowErrors(), r.Late())
	}
	return cols, rows
}

// countLines counts the records of files.
func countLines(t *testing.T, fsys vfs.FS, format Format, files ...File) int {
	t.Helper()
	rows, err := load(t, fsys, ReadSpec{Format: format, WholeRow: true}, NewReport(files, OnError{}), files...)
	if err != nil {
		t.Fatal(err)
	}
	return len(rows)
}

func TestZeekLogs(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(sharedDir(t), "data", "zeek-json", "zeek-json", "*.json.gz"))
	if err != nil || len(names) == 0 {
		t.Skip("the Zeek logs are not there")
	}
	total := 0
	for _, n := range names {
		if strings.HasPrefix(filepath.Base(n), "ssl") || strings.HasPrefix(filepath.Base(n), "dns") {
			continue // large, and like the others
		}
		f, err := Stat(vfs.OS, n)
		if err != nil {
			t.Fatal(err)
		}
		format := Format{Type: NDJSON}
		_, rows := loadInferred(t, vfs.OS, format, f)
		if want := countLines(t, vfs.OS, format, f); len(rows) != want {
			t.Errorf("%s: %d rows of %d", f.Name, len(rows), want)
		}
		total += len(rows)
	}
	if total < 10_000 {
		t.Errorf("%d rows in all", total)
	}
}

// TestOntime: the same rows in NDJSON and in Parquet load as the same values.
func TestOntime(t *testing.T) {
	text := shared(t, "data", "databend", "tests", "data", "ontime_200.ndjson")
	tables := shared(t, "data", "databend", "tests", "data", "ontime_200.parquet")
	cols, fromParquet := loadInferred(t, vfs.OS, Format{}, tables)
	spec := lines()
	spec.Format.Missing = MissingNull
	for _, c := range cols {
		spec.Targets = append(spec.Targets, Target{Name: c.Name, Type: c.Type})
	}
	fromText, err := load(t, vfs.OS, spec, NewReport([]File{text}, spec.OnError), text)
	if err != nil {
		t.Fatal(err)
	}
	if len(fromText) != len(fromParquet) || len(fromText) < 199 {
		t.Fatalf("%d and %d rows", len(fromText), len(fromParquet))
	}
	// The files have the rows in different order. In the NDJSON file 00 and 100 were taken out of numbers, and most times of day are wrong.
	damaged := func(name string) bool { return strings.Contains(name, "Time") || strings.Contains(name, "Wheels") }
	comparable := func(rows []string) []string {
		for i, row := range rows {
			cells := strings.Split(row, "|")
			for j := range cells {
				if damaged(cols[j].Name) {
					cells[j] = ""
				}
			}
			rows[i] = strings.NewReplacer("0", "", "1", "").Replace(strings.Join(cells, "|"))
		}
		slices.Sort(rows)
		return rows
	}
	fromText, fromParquet = comparable(fromText), comparable(fromParquet)
	same := 0
	for _, row := range fromText {
		if slices.Contains(fromParquet, row) {
			same++
		}
	}
	if same < len(fromText)*19/20 {
		t.Errorf("%d rows of %d are the same, such as\n%s in NDJSON\n%s in Parquet", same, len(fromText), fromText[0], fromParquet[0])
	}
}

// TestWindowsEvents loads wide and sparse records, 194 keys of which 38 are set in a row.
func TestWindowsEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("40 MB")
	}
	z, err := zip.OpenReader(shared(t, "data", "otrf-windows-events", "datasets", "atomic", "windows", "lateral_movement", "host", "purplesharp_ad_playbook_I.zip").Path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	fsys := vfs.NewMem()
	f := put(t, fsys, "events.ndjson", data)
	cols, rows := loadInferred(t, fsys, Format{Type: NDJSON}, f)
	if want := countLines(t, fsys, Format{Type: NDJSON}, f); len(rows) != want || want < 20_000 || len(cols) < 100 {
		t.Errorf("%d rows of %d, %d columns", len(rows), want, len(cols))
	}
}
