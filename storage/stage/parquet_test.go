package stage

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
)

// parquetTargets is a spec that loads Parquet files.
func parquetTargets(targets ...Target) ReadSpec {
	spec := lines(targets...)
	spec.Format.Type = Parquet
	return spec
}

// build reads NDJSON text into a batch of the targets.
func build(t testing.TB, text string, targets ...Target) *vec.Batch {
	t.Helper()
	fsys := vfs.NewMem()
	f := put(t, fsys, "f", []byte(text))
	spec := lines(targets...)
	spec.Format.Missing = MissingNull
	s, err := Open(fsys, f, spec, NewReport([]File{f}, spec.OnError))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// putParquet writes NDJSON text as a Parquet file of the targets' columns.
func putParquet(t testing.TB, fsys vfs.FS, name, text string, targets ...Target) File {
	t.Helper()
	if err := fsys.MkdirAll("/stage"); err != nil {
		t.Fatal(err)
	}
	var schema types.Schema
	for _, x := range targets {
		schema = append(schema, types.Field{Name: x.Name, Type: x.Type, NotNull: x.NotNull})
	}
	w, err := NewWriter(fsys, "/stage/"+name, Format{}, schema)
	if err != nil {
		t.Fatal(err)
	}
	if text != "" {
		if err := w.Append(build(t, text, targets...)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	f, err := Stat(fsys, "/stage/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParquetCases(t *testing.T) {
	f := shared(t, "cases", "34-null-vs-empty", "nested.parquet")
	spec := parquetTargets(column("id", types.Of(types.Int)), column("l", types.ArrayOf(types.Of(types.Int))), column("s", types.Of(types.Variant)),
		column("m", types.Of(types.Variant)), column("ll", types.Of(types.Variant)))
	rows, err := load(t, vfs.OS, spec, NewReport([]File{f}, spec.OnError), f)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "nested", rows, []string{"1|NULL|NULL|NULL|NULL", `2|[]|{"a":null,"b":null}|{}|[]`, `3|[null]|{"a":1,"b":null}|{"k":null}|[null]`,
		`4|[1,null,2]|{"a":null,"b":"x"}|{"j":2,"k":1}|[[],[null],["x"]]`})

	old := shared(t, "cases", "34-null-vs-empty", "two_level_list.parquet")
	spec = parquetTargets(column("id", types.Of(types.Int)), column("nums", types.ArrayOf(types.Of(types.Int))))
	rows, err = load(t, vfs.OS, spec, NewReport([]File{old}, spec.OnError), old)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "two levels", rows, []string{"1|[7,8,9]", "2|[]", "3|NULL"})
}

// TestParquetConversions loads a column of one type into one of another. Want is the values, or "!" and a part of the error.
func TestParquetConversions(t *testing.T) {
	f := func(from types.Type, values string, to types.Type, missing MissingField, want string) {
		t.Helper()
		fsys := vfs.NewMem()
		var text strings.Builder
		for _, v := range strings.Fields(values) {
			fmt.Fprintf(&text, "{\"c\":%s}\n", v)
		}
		file := putParquet(t, fsys, "f.parquet", text.String(), column("c", from))
		spec := parquetTargets(column("C", to))
		spec.Format.Missing = missing
		rows, err := load(t, fsys, spec, NewReport([]File{file}, spec.OnError), file)
		if part, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil || !strings.Contains(message(err), part) {
				t.Errorf("%s to %s: %v (%v), want %s", from, to, rows, err, want)
			}
			return
		}
		if got := strings.Join(rows, " "); err != nil || got != want {
			t.Errorf("%s to %s: %s (%v), want %s", from, to, got, err, want)
		}
	}
	small, int4, big, double := types.Of(types.SmallInt), types.Of(types.Int), types.Of(types.BigInt), types.Of(types.Double)
	text, variant, date, stamp := types.Of(types.Varchar), types.Of(types.Variant), types.Of(types.Date), types.Of(types.DateTime)
	f(int4, "1 null -2", big, MissingError, "1 NULL -2")
	f(big, "1 40000", small, MissingError, "!file f.parquet, line 2: column C: value 40000 (BIGINT) is out of range for SMALLINT")
	f(double, "1 2.5", int4, MissingError, "!file f.parquet, line 2: column C: value 2.5 (DOUBLE) would lose digits as INT")
	f(types.Of(types.Boolean), "true false", int4, MissingDefault, "1 0")
	f(text, `"12" "x"`, int4, MissingDefault, "!file f.parquet, line 2: column C: cannot convert 'x' (VARCHAR) to INT")
	f(int4, "1 2", text, MissingError, "1 2")
	f(int4, "1 2", text, MissingDefault, "!type error: file f.parquet: column c of type INT cannot be loaded into a column of type VARCHAR")
	f(date, `"2020-01-02"`, types.Of(types.Boolean), MissingError, "!column c of type DATE cannot be loaded into a column of type BOOLEAN")
	f(types.DecimalOf(9, 3), "12.345", types.DecimalOf(5, 1), MissingError, "!would lose digits")
	f(types.DecimalOf(9, 3), "12.500", types.DecimalOf(5, 1), MissingError, "12.5")
	f(big, "19000 null", date, MissingError, "2022-01-08 NULL")
	f(big, "1700000000", stamp, MissingError, "2023-11-14 22:13:20")
	f(date, `"2020-01-02"`, stamp, MissingError, "2020-01-02 00:00:00")
	f(stamp, `"2020-01-02T00:00:00"`, date, MissingError, "2020-01-02")
	f(stamp, `"2020-01-02T00:00:01"`, date, MissingError, "!would lose digits")
	f(text, `"{\"a\":1}" "[1,2]" null`, variant, MissingError, `{"a":1} [1,2] NULL`)
	f(text, `"oops"`, variant, MissingError, "!file f.parquet, line 1: column C: cannot convert 'oops' (VARCHAR) to VARIANT")
	f(variant, `{"a":1} "x" null`, variant, MissingError, `{"a":1} x NULL`)
	f(variant, `1 2.0 null`, int4, MissingError, `1 2 NULL`)
	f(variant, `1 "x"`, int4, MissingError, `!file f.parquet, line 2: column C: cannot take "x" (VARIANT): it does not read as INT`)
	f(types.ArrayOf(int4), `[1,null]`, types.ArrayOf(big), MissingError, `[1,null]`)
	f(types.ArrayOf(big), `[1,3000000000]`, types.ArrayOf(int4), MissingError, `!line 1: column C: value 3000000000 (BIGINT) is out of range for INT`)
	f(types.ArrayOf(int4), `[1,null]`, variant, MissingError, `[1,null]`)
	f(types.ArrayOf(int4), `[1]`, int4, MissingError, `!cannot be loaded`)
	pair := func(a, b string, t types.Type) types.Type {
		return types.Type{Kind: types.Struct, Fields: []types.Field{{Name: a, Type: t}, {Name: b, Type: t}}}
	}
	f(pair("a", "b", int4), `{"a":1,"b":2} null`, pair("B", "x", big), MissingError, `{"B":2,"x":null} NULL`)
	f(pair("a", "b", int4), `{"a":1,"b":2}`, pair("c", "d", int4), MissingError, `!cannot be loaded`)
	f(types.ArrayOf(pair("a", "b", int4)), `[{"a":1},null]`, types.ArrayOf(pair("b", "a", big)), MissingError, `[{"a":1,"b":null},null]`)
}

func TestParquetNamesAndGaps(t *testing.T) {
	fsys := vfs.NewMem()
	int4, text := types.Of(types.Int), types.Of(types.Varchar)
	five := vec.NewFlat(int4, []int32{5}, nil)
	file := putParquet(t, fsys, "f.parquet", `{"Id":1,"b":"x"}`, column("Id", int4), column("b", text))
	twins := putParquet(t, fsys, "twins.parquet", `{"id":1,"ID":2}`, column("id", int4), column("ID", int4))
	none := putParquet(t, fsys, "none.parquet", "", column("z", int4))
	f := func(file File, missing MissingField, caseSensitive bool, want string, targets ...Target) {
		t.Helper()
		spec := parquetTargets(targets...)
		spec.Format.Missing, spec.CaseSensitive = missing, caseSensitive
		rows, err := load(t, fsys, spec, NewReport([]File{file}, spec.OnError), file)
		got := strings.Join(rows, " ")
		if err != nil {
			got = "!" + message(err)
		}
		equal(t, fmt.Sprint(file.Name, targets), got, want)
	}
	id, b, d := column("id", int4), column("b", text), Target{Name: "d", Type: int4, Default: five}
	f(file, MissingError, false, "1|x", id, b)
	f(file, MissingError, false, "x", b)
	f(file, MissingError, false, "!constraint violation: file f.parquet has no column d (INT), and MISSING_FIELD_AS is ERROR; FIELD_DEFAULT or NULL would fill it", id, d)
	f(file, MissingDefault, false, "1|5|NULL|0", id, d, column("e", int4), notNull(column("g", int4)))
	f(file, MissingNull, false, "1|NULL", id, d)
	f(file, MissingNull, false, "!constraint violation: file f.parquet has no column g, which is NOT NULL", id, notNull(column("g", int4)))
	f(file, MissingError, false, "1|NULL|5", id, Target{Name: "new", Type: text, Added: true}, Target{Name: "b", Type: int4, Default: five, Fixed: true})
	f(file, MissingDefault, true, "!constraint violation: file f.parquet has no column of the table; it has Id, b", id)
	f(file, MissingDefault, true, "1", column("Id", int4))
	f(twins, MissingError, false, "!bind error: file twins.parquet: columns id and ID differ in case only; use COLUMN_MATCH_MODE = CASE_SENSITIVE", id)
	f(twins, MissingError, false, "!bind error: file twins.parquet: columns id and ID differ in case only; use COLUMN_MATCH_MODE = CASE_SENSITIVE", column("Id", int4))
	f(twins, MissingError, false, "1|2", id, column("ID", int4))
	f(twins, MissingError, true, "1", id)
	f(none, MissingError, false, "", id)
}

func TestParquetBadRows(t *testing.T) {
	fsys := vfs.NewMem()
	big, text := types.Of(types.BigInt), types.Of(types.Varchar)
	file := putParquet(t, fsys, "f.parquet", `{"n":1,"s":"a"}
{"n":300,"s":"b"}
{"n":null,"s":"NA"}
{"n":4,"s":null}
{"n":5,"s":"e"}`, column("n", big), column("s", text))
	spec := parquetTargets(column("n", types.Of(types.TinyInt)), notNull(column("s", text)))
	spec.Format.NullIf = []string{"NA"}
	spec.OnError = OnError{Mode: Continue}
	r := NewReport([]File{file}, spec.OnError)
	rows, err := load(t, fsys, spec, r, file)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{"1|a", "NULL|NA", "5|e"})
	equal(t, "report", summary(r), []string{"f.parquet loaded 3 errors 2 first 2: column n: value 300 (BIGINT) is out of range for TINYINT"})
	equal(t, "second", r.RowErrors()[1], RowError{File: "f.parquet", Line: 4, Column: "s", Reason: "column s: cannot take null: the column is NOT NULL"})

	spec.OnError = OnError{Mode: SkipFile}
	r = NewReport([]File{file}, spec.OnError)
	rows, err = load(t, fsys, spec, r, file)
	equal(t, "rows", fmt.Sprint(rows, err), "[] <nil>")
	equal(t, "report", summary(r), []string{"f.parquet loaded 0 errors 2 first 2: column n: value 300 (BIGINT) is out of range for TINYINT skipped"})

	spec.OnError, spec.Targets[1].NotNull, spec.Targets[0].Type = OnError{Mode: SkipFile}, false, big
	r = NewReport([]File{file}, spec.OnError)
	rows, err = load(t, fsys, spec, r, file)
	equal(t, "rows", fmt.Sprintln(strings.Join(rows, " "), err), "1|a 300|b NULL|NULL 4|NULL 5|e <nil>")
}

func TestParquetWholeRow(t *testing.T) {
	fsys := vfs.NewMem()
	file := putParquet(t, fsys, "f.parquet", `{"n":1.50,"d":"2024-01-02","l":[{"k":1}],"v":{"x":null}}
{}`, column("n", types.DecimalOf(5, 2)), column("d", types.Of(types.Date)), column("l", types.ArrayOf(types.Of(types.Variant))), column("v", types.Of(types.Variant)))
	spec := parquetTargets()
	spec.WholeRow = true
	rows, err := load(t, fsys, spec, NewReport([]File{file}, spec.OnError), file)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{`{"d":"2024-01-02","l":[{"k":1}],"n":1.50,"v":{"x":null}}`, `{"d":null,"l":null,"n":null,"v":null}`})
	schema, err := ParquetSchema(fsys, file)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "schema", fmt.Sprint(schema[0].Name, schema[0].Type, schema[3].Type), "nDECIMAL(5, 2) VARIANT")
}

func TestInferParquet(t *testing.T) {
	fsys := vfs.NewMem()
	int4, double, text := types.Of(types.Int), types.Of(types.Double), types.Of(types.Varchar)
	// The example of the schema evolution page.
	a := putParquet(t, fsys, "a.parquet", `{"order_id":1,"amount":100.5,"currency":"USD"}`, column("order_id", int4), column("amount", double), column("currency", text))
	b := putParquet(t, fsys, "b.parquet", `{"order_id":3,"amount":75.5}`, column("order_id", int4), column("amount", double))
	empty := putParquet(t, fsys, "empty.parquet", "", column("amount", text), column("other", text))
	other := putParquet(t, fsys, "other.parquet", `{"order_id":3,"amount":75}`, column("order_id", int4), column("Amount", types.Of(types.BigInt)))
	twins := putParquet(t, fsys, "twins.parquet", `{"x":1,"X":2}`, column("x", int4), column("X", int4))
	f := func(want string, spec InferSpec, files ...File) {
		t.Helper()
		cols, err := Infer(context.Background(), fsys, files, spec)
		var got []string
		for _, c := range cols {
			got = append(got, fmt.Sprintf("%s %s (%s)", c.Name, c.Type, c.File))
		}
		if err != nil {
			got = []string{"!" + message(err)}
		}
		equal(t, want, strings.Join(got, ", "), want)
	}
	known := InferSpec{Known: []string{"ORDER_ID"}}
	f("amount DOUBLE (a.parquet), currency VARCHAR (a.parquet)", known, a, empty, b)
	f("amount DOUBLE (b.parquet), currency VARCHAR (a.parquet)", known, b, a)
	f("!type error: column amount has type DOUBLE in file a.parquet and type BIGINT in file other.parquet; load the files one after the other, or into a column that you add before", known, a, other)
	f("amount DOUBLE (a.parquet), currency VARCHAR (a.parquet), Amount BIGINT (other.parquet)", InferSpec{Known: []string{"order_id"}, CaseSensitive: true}, a, other)
	f("!bind error: file twins.parquet: columns x and X differ in case only; use COLUMN_MATCH_MODE = CASE_SENSITIVE", InferSpec{}, twins)
	f("", InferSpec{Known: []string{"X"}}, twins)
}

func TestParquetDamaged(t *testing.T) {
	fsys := vfs.NewMem()
	file := putParquet(t, fsys, "f.parquet", `{"n":1}`, intColumn)
	data, err := vfs.ReadFile(fsys, file.Path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	spec := parquetTargets(intColumn)
	for cut := 1; cut < len(data); cut += 7 {
		short := put(t, fsys, "g.parquet", data[:cut])
		_, err := load(t, fsys, spec, NewReport([]File{short}, spec.OnError), short)
		if err == nil || !strings.Contains(message(err), "corrupt data: file g.parquet") {
			t.Fatalf("%d bytes: %v", cut, err)
		}
	}
	text := put(t, fsys, "h.parquet", []byte("{\"n\":1}\n"))
	_, err = Infer(context.Background(), fsys, []File{text}, InferSpec{})
	if !strings.Contains(message(err), "corrupt data: file h.parquet") {
		t.Error(err)
	}
}

// TestSplitParquet: parts give the rows of the whole file, with its row numbers.
func TestSplitParquet(t *testing.T) {
	fsys := vfs.NewMem()
	if err := fsys.MkdirAll("/stage"); err != nil {
		t.Fatal(err)
	}
	const n = 400_000
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i) * 0x9E3779B97F4A7C1 >> 8
	}
	values[n-5] = 1 << 60
	big := types.Of(types.BigInt)
	w, err := NewWriter(fsys, "/stage/f", Format{Compression: None}, types.Schema{{Name: "n", Type: big}})
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < n; at += 50_000 {
		if err := w.Append(vec.NewBatch(50_000, vec.NewFlat(big, values[at:at+50_000], nil))); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	file, err := Stat(fsys, "/stage/f")
	if err != nil {
		t.Fatal(err)
	}
	spec := parquetTargets(column("n", types.DecimalOf(18, 0)))
	spec.OnError = OnError{Mode: Continue}
	parts, err := Split(fsys, []File{file}, &spec, 1<<20)
	if err != nil || len(parts) < 2 {
		t.Fatal(len(parts), err)
	}
	r := NewReport([]File{file}, spec.OnError)
	rows := 0
	for _, p := range parts {
		s, err := Open(fsys, p, spec, r)
		if err != nil {
			t.Fatal(err)
		}
		for {
			b, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			rows += b.Len
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "rows", rows, n-1)
	equal(t, "report", summary(r), []string{"f loaded 399999 errors 1 first 399996: column n: value 1152921504606846976 (BIGINT) is out of range for DECIMAL(18, 0)"})
}

// putUnreadable writes a file of rows rows in which badColumn(i) names the column of row i with text that is not UTF-8, "" for none. The
// columns are n, s, must, which is required, and the map m, whose keys cannot be NULL either.
func putUnreadable(t *testing.T, fsys vfs.FS, rows int, badColumn func(i int) string) File {
	t.Helper()
	if err := fsys.MkdirAll("/stage"); err != nil {
		t.Fatal(err)
	}
	text, big := types.Of(types.Varchar), types.Of(types.BigInt)
	byKey := types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: text, NotNull: true}, {Name: "value", Type: big}}}
	schema := types.Schema{{Name: "n", Type: big}, {Name: "s", Type: text}, {Name: "must", Type: text, NotNull: true}, {Name: "m", Type: byKey}}
	var cols []*vec.Builder
	for _, f := range schema {
		cols = append(cols, vec.NewBuilder(f.Type, rows))
	}
	put := func(c *vec.Builder, i int, bad bool) {
		if bad {
			c.AppendBytes([]byte{'x', 0xFF})
		} else {
			c.AppendString(fmt.Sprint("t", i))
		}
	}
	for i := range rows {
		bad := badColumn(i)
		vec.Append(cols[0], int64(i))
		put(cols[1], i, bad == "s")
		put(cols[2], i, bad == "must")
		entry := cols[3].Child(0)
		for k := range i%3 + 1 {
			put(entry.Child(0), k, bad == "m")
			vec.Append(entry.Child(1), int64(i))
			entry.CloseStruct()
		}
		cols[3].CloseList()
	}
	b := vec.NewBatch(rows)
	for _, c := range cols {
		b.Cols = append(b.Cols, c.Finish())
	}
	w, err := NewWriter(fsys, "/stage/f.parquet", Format{}, schema)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < rows; at += vec.Size {
		part := vec.NewBatch(min(vec.Size, rows-at))
		for _, c := range b.Cols {
			part.Cols = append(part.Cols, c.Slice(at, at+part.Len))
		}
		if err := w.Append(part); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	f, err := Stat(fsys, "/stage/f.parquet")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestParquetUnreadableValues: each row with such a value is bad, whichever column has it, and the others come through.
func TestParquetUnreadableValues(t *testing.T) {
	const rows = 40_000
	text := types.Of(types.Varchar)
	f := func(badColumn func(i int) string) {
		t.Helper()
		fsys := vfs.NewMem()
		file := putUnreadable(t, fsys, rows, badColumn)
		var want []string
		var bad []RowError
		for i := range rows {
			switch c := badColumn(i); {
			case c == "":
				want = append(want, fmt.Sprintf(`%d|t%d|t%d|%d`, i, i, i, i))
			case len(bad) < maxRowErrors:
				of := map[string]string{"s": "VARCHAR", "must": "VARCHAR", "m": "MAP<VARCHAR,BIGINT>"}[c]
				bad = append(bad, RowError{File: "f.parquet", Line: int64(i) + 1, Column: c, Reason: fmt.Sprintf(`column %s (%s): text is not valid UTF-8: "x\xff"`, c, of)})
			}
		}
		spec := parquetTargets(column("n", types.Of(types.BigInt)), column("s", text), column("must", text), column("m", types.Of(types.Variant)))
		spec.OnError = OnError{Mode: Continue}
		r := NewReport([]File{file}, spec.OnError)
		got, err := load(t, fsys, spec, r, file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			// Of the map its first value, which is n, is enough.
			cut := strings.LastIndexByte(got[i], '|')
			got[i] = got[i][:cut+1] + strings.TrimPrefix(strings.Split(strings.TrimRight(got[i][cut+1:], "}"), ",")[0], `{"t0":`)
		}
		equal(t, "rows", got, want)
		equal(t, "errors", r.Files()[0].Errors, int64(rows-len(want)))
		equal(t, "row errors", r.RowErrors(), bad)

		spec.OnError = OnError{Mode: Abort, Limit: 3}
		_, err = load(t, fsys, spec, NewReport([]File{file}, spec.OnError), file)
		if want := fmt.Sprintf("file f.parquet, line %d: %s (3 bad rows;", bad[2].Line, bad[2].Reason); err == nil || !strings.Contains(message(err), want) {
			t.Errorf("ABORT_3: %v, want %s", err, want)
		}

		whole := parquetTargets()
		whole.WholeRow, whole.OnError = true, OnError{Mode: Continue}
		got, err = load(t, fsys, whole, NewReport([]File{file}, whole.OnError), file)
		if err != nil || len(got) != len(want) {
			t.Errorf("whole rows: %d of %d, %v", len(got), len(want), err)
		}
	}
	f(func(i int) string { return map[int]string{5: "s", 30_000: "must", 39_999: "m"}[i] })
	f(func(i int) string {
		switch {
		case i%3 != 0:
			return "s" // most of every page
		case i%7 == 1:
			return "must"
		case i%5 == 2:
			return "m"
		}
		return ""
	})
}
