package stage

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
)

var intColumn = column("n", types.Of(types.Int))

// summary renders the report of a load.
func summary(r *Report) []string {
	var out []string
	for _, f := range r.Files() {
		s := fmt.Sprintf("%s loaded %d errors %d", f.File, f.Loaded, f.Errors)
		if f.FirstLine > 0 {
			s += fmt.Sprintf(" first %d: %s", f.FirstLine, f.FirstError)
		}
		if f.Skipped {
			s += " skipped"
		}
		out = append(out, s)
	}
	return out
}

func TestBadLines(t *testing.T) {
	f := shared(t, "cases", "19-bad-lines", "bad.ndjson")
	spec := lines(intColumn)
	r := NewReport([]File{f}, spec.OnError)
	_, err := load(t, vfs.OS, spec, r, f)
	equal(t, "abort", message(err), "conversion error: file bad.ndjson, line 2: the line is no JSON object: expected only white space after the value, found '#' at byte 9 (1 bad row; ON_ERROR = CONTINUE loads the other rows)")
	equal(t, "kind", sqlerr.KindOf(err), sqlerr.Conversion)

	spec.OnError = OnError{Mode: Continue}
	r = NewReport([]File{f}, spec.OnError)
	rows, err := load(t, vfs.OS, spec, r, f)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{"10", "30", "80"})
	equal(t, "report", summary(r), []string{"bad.ndjson loaded 3 errors 5 first 2: the line is no JSON object: expected only white space after the value, found '#' at byte 9"})
	var all []string
	for _, e := range r.RowErrors() {
		all = append(all, fmt.Sprintf("%d %d %s %s", e.Line, e.Offset, e.Reason, e.Text))
	}
	equal(t, "errors", all, []string{
		`2 9 the line is no JSON object: expected only white space after the value, found '#' at byte 9 {"n":20} #dup`,
		`4 32 the line is no JSON object: expected the word null, found 'o' at byte 1 not json at all`,
		`5 48 the line is no JSON object: expected only white space after the value, found '{' at byte 8 {"n":40}{"n":50}`,
		`6 65 the line is no JSON object: expected ',' or '}' after a member, found the end of the text at byte 7 {"n":60`,
		`7 73 the line is an array, not an object [70]`})
}

func TestPurgeCase(t *testing.T) {
	spec := lines(notNull(column("boxes", types.Of(types.Int))))
	spec.OnError = OnError{Mode: Continue}
	files := []File{shared(t, "cases", "25-purge-after-errors", "all_bad.ndjson"), shared(t, "cases", "25-purge-after-errors", "half_bad.ndjson"),
		shared(t, "cases", "25-purge-after-errors", "good.ndjson")}
	r := NewReport(files, spec.OnError)
	rows, err := load(t, vfs.OS, spec, r, files...)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{"1", "2"})
	equal(t, "report", summary(r), []string{
		"all_bad.ndjson loaded 0 errors 2 first 1: column boxes (INT) has no field in this row, and MISSING_FIELD_AS is ERROR; FIELD_DEFAULT or NULL would fill it",
		`half_bad.ndjson loaded 1 errors 1 first 2: column boxes (INT) cannot take "not a number": a number is needed`,
		"good.ndjson loaded 1 errors 0"})
}

func TestErrorModes(t *testing.T) {
	fsys := vfs.NewMem()
	a := put(t, fsys, "a.ndjson", []byte("{\"n\":1}\n{\"n\":\"x\"}\n{\"n\":2}\n{\"n\":\"y\"}\n"))
	b := put(t, fsys, "b.ndjson", []byte("{\"n\":3,\"late\":1}\n"))
	c := put(t, fsys, "c.ndjson", []byte("{\"n\":true}\n{\"n\":4}\n"))
	f := func(o OnError, wantErr string, wantRows string, want ...string) {
		t.Helper()
		spec := lines(intColumn)
		spec.OnError, spec.Unknown = o, UnknownCollect
		r := NewReport([]File{a, b, c}, o)
		rows, err := load(t, fsys, spec, r, a, b, c)
		equal(t, "error", message(err), wantErr)
		equal(t, "rows", strings.Join(rows, " "), wantRows)
		equal(t, "report", summary(r), want)
	}
	bad := func(v string) string {
		return "column n (INT) cannot take " + v + ": a number is needed"
	}
	first := "first 2: " + bad(`"x"`)
	f(OnError{Mode: Abort}, `conversion error: file a.ndjson, line 2: `+bad(`"x"`)+` (1 bad row; ON_ERROR = CONTINUE loads the other rows)`, "",
		"a.ndjson loaded 0 errors 1 "+first, "b.ndjson loaded 0 errors 0", "c.ndjson loaded 0 errors 0")
	f(OnError{Mode: Abort, Limit: 3}, `conversion error: file c.ndjson, line 1: `+bad("true")+` (3 bad rows; ON_ERROR = CONTINUE loads the other rows)`, "1 2 3",
		"a.ndjson loaded 2 errors 2 "+first, "b.ndjson loaded 1 errors 0", "c.ndjson loaded 0 errors 1 first 1: "+bad("true"))
	f(OnError{Mode: Abort, Limit: 4}, "", "1 2 3 4",
		"a.ndjson loaded 2 errors 2 "+first, "b.ndjson loaded 1 errors 0", "c.ndjson loaded 1 errors 1 first 1: "+bad("true"))
	f(OnError{Mode: Continue}, "", "1 2 3 4",
		"a.ndjson loaded 2 errors 2 "+first, "b.ndjson loaded 1 errors 0", "c.ndjson loaded 1 errors 1 first 1: "+bad("true"))
	f(OnError{Mode: SkipFile}, "", "3",
		"a.ndjson loaded 0 errors 2 "+first+" skipped", "b.ndjson loaded 1 errors 0", "c.ndjson loaded 0 errors 1 first 1: "+bad("true")+" skipped")
}

// TestLateFields: what is unknown is listed in full, with its first place, and only where it has a value in a row that is loaded.
func TestLateFields(t *testing.T) {
	fsys := vfs.NewMem()
	a := put(t, fsys, "a.ndjson", []byte(`{"n":1,"nothing":null,"x":null}
{"n":"bad","onlybad":1}
{"n":2,"y":[1],"X":{"a":1}}
`))
	b := put(t, fsys, "b.ndjson", []byte(`{"n":1,"z":1,"y":2}
{"n":2,"w":false,"z":3}
`))
	spec := lines(intColumn)
	spec.OnError, spec.Unknown = OnError{Mode: Continue}, UnknownCollect
	r := NewReport([]File{a, b}, spec.OnError)
	// The order of reading does not matter.
	if _, err := load(t, fsys, spec, r, b, a); err != nil {
		t.Fatal(err)
	}
	equal(t, "late fields", r.Late(), []LateField{{"y", "a.ndjson", 3}, {"X", "a.ndjson", 3}, {"z", "b.ndjson", 1}, {"w", "b.ndjson", 2}})

	spec.Unknown = UnknownIgnore
	r = NewReport([]File{a, b}, spec.OnError)
	if _, err := load(t, fsys, spec, r, a, b); err != nil {
		t.Fatal(err)
	}
	equal(t, "late fields", r.Late(), []LateField{})
}

func TestLateCase(t *testing.T) {
	f := shared(t, "cases", "15-late-key", "orders.ndjson")
	spec := lines(column("id", types.Of(types.Int)), Target{Name: "total", Type: types.Of(types.BigInt), Added: true})
	spec.Unknown = UnknownCollect
	r := NewReport([]File{f}, spec.OnError)
	rows, err := load(t, vfs.OS, spec, r, f)
	if err != nil || len(rows) != 40 {
		t.Fatal(len(rows), err)
	}
	equal(t, "late fields", r.Late(), []LateField{{"coupon", "orders.ndjson", 31}, {"ship", "orders.ndjson", 31}})
}

func TestLineEnds(t *testing.T) {
	rows, _, err := loadText(t, "\xef\xbb\xbf{\"n\":1}\r\n\r\n  \n{\"n\":2}\r\n{\"n\":3}", lines(intColumn))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{"1", "2", "3"})
	_, r, err := loadText(t, "{\"n\":1}\r\n\r\n{\"n\":x}\r\n", lines(intColumn))
	equal(t, "error", message(err), "conversion error: file f.ndjson, line 3: the line is no JSON object: expected a value, found 'x' at byte 5 (1 bad row; ON_ERROR = CONTINUE loads the other rows)")
	equal(t, "offset", r.RowErrors()[0].Offset, 11)
	_, _, err = loadText(t, "\xff\xfe{\x00}\x00", lines(intColumn))
	equal(t, "error", message(err), "corrupt data: file f.ndjson, line 1: the file is encoded in UTF-16 (little endian), only UTF-8 is supported")
}

func gz(parts ...string) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		w := gzip.NewWriter(&b)
		w.Write([]byte(p))
		w.Close()
	}
	return b.Bytes()
}

func zst(parts ...string) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		w, _ := zstd.NewWriter(&b)
		w.Write([]byte(p))
		w.Close()
	}
	return b.Bytes()
}

// bz2 is {"n":1} and {"n":2} in two streams.
var bz2 = []byte("\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x55\x61\x03\x3c\x00\x00\x04\xd9\x80\x00\x10\x10\x00\x20\x10\x00\x01\x00\x0a\x20\x00\x31\x0c\x00\xd0\x3c\xa2\x32\xd2\x41\xf1\x77\x24\x53\x85\x09\x05" +
	"\x56\x10\x33\xc0\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x06\x93\x4c\x13\x00\x00\x01\x48\x80\x00\x10\x10\x10\x00\x02\x20\x00\x21\x9a\x68\x33\x4d\x17\x3c\x5d\xc9\x14\xe1\x42\x40\x1a\x4d\x30\x4c")

func TestCompression(t *testing.T) {
	one, two := "{\"n\":1}\n{\"n\"", ":2}\n"
	f := func(c Compression, data []byte, want string) {
		t.Helper()
		fsys := vfs.NewMem()
		file := put(t, fsys, "f", data)
		spec := lines(intColumn)
		spec.Format.Compression = c
		rows, err := load(t, fsys, spec, NewReport([]File{file}, spec.OnError), file)
		got := strings.Join(rows, " ")
		if err != nil {
			got = "!" + message(err)
		}
		equal(t, c.String(), got, want)
	}
	f(Auto, gz(one, two), "1 2")
	f(Gzip, gz(one, two), "1 2")
	f(Auto, zst(one, two), "1 2")
	f(Zstd, zst(one, two), "1 2")
	f(Auto, bz2, "1 2")
	f(Bzip2, bz2, "1 2")
	f(Auto, bz2[:len(bz2)-9], "!corrupt data: file f is cut off: its BZ2 data ends before its end mark")
	f(Auto, []byte(one+two), "1 2")
	f(None, []byte(one+two), "1 2")
	cut := gz(one + two)
	f(Auto, cut[:len(cut)-3], "!corrupt data: file f is cut off: its GZIP data ends before its end mark")
	f(Auto, append(gz(one), cut[:12]...), "!corrupt data: file f is cut off: its GZIP data ends before its end mark")
	cut = zst(strings.Repeat(one+two, 100))
	f(Auto, cut[:len(cut)-5], "!corrupt data: file f is cut off: its ZSTD data ends before its end mark")
	f(Gzip, []byte(one+two), "!corrupt data: file f has damaged GZIP data: gzip: invalid header")
	f(None, gz(one), "!conversion error: file f, line 1: the line is no JSON object: expected a value, found '\\x1f' at byte 0 (1 bad row; ON_ERROR = CONTINUE loads the other rows)")
	damaged := gz(strings.Repeat(one+two, 1000))
	damaged[len(damaged)-6] ^= 1
	f(Auto, damaged, "!corrupt data: file f has damaged GZIP data: gzip: invalid checksum")
}

func TestFileChanged(t *testing.T) {
	fsys := vfs.NewMem()
	f := put(t, fsys, "f", []byte("{\"n\":1}\n"))
	put(t, fsys, "f", []byte("{\"n\":1}\n{\"n\":2}\n"))
	_, err := load(t, fsys, lines(intColumn), NewReport([]File{f}, OnError{}), f)
	equal(t, "error", message(err), "i/o error: file f changed from 8 to 16 bytes since it was listed; load it when it is complete")
	if err := fsys.Remove(f.Path); err != nil {
		t.Fatal(err)
	}
	_, err = load(t, fsys, lines(intColumn), NewReport([]File{f}, OnError{}), f)
	equal(t, "error", message(err), "not found: file f does not exist any more")
}

// TestSplit: parts give the rows, lines and late fields of the whole file.
func TestSplit(t *testing.T) {
	var text strings.Builder
	for i := range 60_000 {
		switch i {
		case 7, 45_000:
			fmt.Fprintf(&text, "{\"n\":\"bad%d\"}\n\n", i)
		case 51_000:
			fmt.Fprintf(&text, "{\"n\":%d,\"late\":1}\n", i)
		default:
			fmt.Fprintf(&text, "{\"n\":%d,\"filler\":\"%s\"}\n", i, strings.Repeat("x", i%50))
		}
	}
	fsys := vfs.NewMem()
	f := put(t, fsys, "dir/f.ndjson", []byte(text.String()))
	spec := lines(intColumn, column("filler", types.Of(types.Varchar)))
	spec.Format.Missing = MissingNull
	spec.OnError, spec.Unknown = OnError{Mode: Continue}, UnknownCollect
	read := func(parts []File) ([]string, *Report) {
		r := NewReport([]File{f}, spec.OnError)
		rows, err := load(t, fsys, spec, r, parts...)
		if err != nil {
			t.Fatal(err)
		}
		return rows, r
	}
	wantRows, want := read([]File{f})
	parts, err := Split(fsys, []File{f}, &spec, 1<<20)
	if err != nil || len(parts) != 3 {
		t.Fatal(len(parts), err)
	}
	rows, got := read([]File{parts[2], parts[0], parts[1]})
	equal(t, "number of rows", len(rows), len(wantRows))
	equal(t, "report", summary(got), summary(want))
	equal(t, "errors", got.RowErrors(), want.RowErrors())
	equal(t, "late", got.Late(), want.Late())
	equal(t, "late", want.Late(), []LateField{{"late", "dir/f.ndjson", 51_003}})
	equal(t, "bad line", want.RowErrors()[1].Line, 45_002)

	spec.OnError.Mode = SkipFile
	whole, err := Split(fsys, []File{f}, &spec, 1<<20)
	equal(t, "parts under SKIP_FILE", fmt.Sprint(len(whole), err), "1 <nil>")
}

// TestManyRows crosses batches: values, NULLs and bad rows must stay where they are.
func TestManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	var want []string
	for i := range 30_000 {
		long := strings.Repeat("é", rng.IntN(20))
		switch rng.IntN(4) {
		case 0:
			fmt.Fprintf(&text, "{\"n\":%d,\"s\":\"%s\",\"v\":{\"i\":%d},\"l\":[%d,null]}\n", i, long, i, i)
			want = append(want, fmt.Sprintf("%d|%s|{\"i\":%d}|[%d,null]", i, long, i, i))
		case 1:
			fmt.Fprintf(&text, "{\"v\":{\"i\":[1,%d]},\"s\":\"%s\",\"l\":[1,2,3],\"n\":\"bad\"}\n", i, long)
		case 2:
			text.WriteString("{\"v\":{\"i\":1,\n")
		default:
			text.WriteString("{\"l\":[]}\n")
			want = append(want, "NULL|NULL|NULL|[]")
		}
	}
	spec := lines(intColumn, column("s", types.Of(types.Varchar)), column("v", types.Of(types.Variant)), column("l", types.ArrayOf(types.Of(types.BigInt))))
	spec.OnError, spec.Format.Missing = OnError{Mode: Continue}, MissingNull
	rows, r, err := loadText(t, text.String(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows instead of %d", len(rows), len(want))
	}
	for i := range rows {
		if rows[i] != want[i] {
			t.Fatalf("row %d is %s instead of %s", i, rows[i], want[i])
		}
	}
	equal(t, "errors", r.Files()[0].Errors, 30_000-len(want))
	equal(t, "errors kept", len(r.RowErrors()), maxRowErrors)
}

// TestBadRowsDoNotPileUp: text of refused rows is dropped, even if no row has been accepted yet.
func TestBadRowsDoNotPileUp(t *testing.T) {
	bad := `{"s":"` + strings.Repeat("x", 1<<20) + `","n":"bad"}` + "\n"
	spec := lines(column("s", types.Of(types.Varchar)), intColumn)
	spec.OnError = OnError{Mode: Continue}
	rows, r, err := loadText(t, strings.Repeat(bad, 20)+"{\"s\":\"a\",\"n\":1}\n"+strings.Repeat(bad, 20)+"{\"s\":\"b\",\"n\":2}\n", spec)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{"a|1", "b|2"})
	equal(t, "errors", r.Files()[0].Errors, 40)
	equal(t, "text kept", len(r.RowErrors()[0].Text), maxRowText)
}

func TestHostileLines(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		spec := lines(column("v", types.Of(types.Variant)), column("s", types.Of(types.Varchar)))
		spec.Format.Missing = MissingNull
		_, r, err := loadText(t, line+"\n", spec)
		if err == nil || !strings.Contains(r.RowErrors()[0].Reason, want) {
			t.Errorf("%.40q: %v, want %s", line, err, want)
		}
	}
	f(`{"v":`+strings.Repeat("[", 100_000), "nested deeper than 512 levels")
	f(`{"`+strings.Repeat("k", 300)+`":1}`, "key of 300 bytes exceeds the limit of 255")
	f("{\"s\":\"\xff\"}", "UTF-8")
	f("{\"s\":\"\x01\"}", "the line is no JSON object")
	f(`{"s":"\ud800"}`, "the line is no JSON object")
	f("{\"s\":\x00}", "the line is no JSON object")
	f(`{"s":NaN}`, "JSON knows no NaN")

	wide := types.Type{Kind: types.Struct}
	for i := range 100 {
		wide.Fields = append(wide.Fields, types.Field{Name: fmt.Sprint("m", i), Type: types.Of(types.Boolean)})
	}
	bomb := lines(column("l", types.ArrayOf(wide)))
	_, r, err := loadText(t, `{"l":[{}`+strings.Repeat(",{}", 200_000)+"]}\n", bomb)
	if err == nil || !strings.Contains(r.RowErrors()[0].Reason, "takes more than 16777216 values in one row") {
		t.Error(err)
	}

	var b strings.Builder
	for i := range maxLateFields + 10 {
		fmt.Fprintf(&b, "{\"k%d\":1}\n", i)
	}
	spec := lines(column("v", types.Of(types.Variant)))
	spec.Format.Missing, spec.Unknown = MissingNull, UnknownCollect
	_, _, err = loadText(t, b.String(), spec)
	equal(t, "error", message(err), "resource limit: file f.ndjson, line 20001: the files have more than 20000 different fields that are no columns; load them into a VARIANT column")
}

func TestUnsupportedTargets(t *testing.T) {
	m := types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: types.Of(types.Int)}, {Name: "value", Type: types.Of(types.Int)}}}
	_, _, err := loadText(t, "{}\n", lines(column("m", m)))
	equal(t, "error", message(err), "unsupported: column m: a MAP with keys of type INT cannot be read from JSON, whose keys are text")
	spec := lines(intColumn)
	spec.Format.Type = CSV
	_, _, err = loadText(t, "{}\n", spec)
	equal(t, "error", message(err), "unsupported: file f.ndjson: CSV files are not supported")
}

// FuzzScan: whatever the bytes, every line that is not blank is either a row or an error, and reading it into typed columns accepts no
// more than reading it as one VARIANT.
func FuzzScan(f *testing.F) {
	f.Add([]byte("{\"i\":1,\"s\":\"x\",\"v\":{\"a\":[1,2]},\"l\":[1],\"p\":{\"q\":1},\"d\":\"2020-01-01\"}\n[]\n{\"i\":\n"))
	f.Add([]byte("{\"l\":[1,\"x\"],\"l\":[],\"v\":1,\"v\":{\"z\":null},\"d\":1e400}\r\n\r\n{}"))
	f.Add([]byte("\xef\xbb\xbf{\"p\":{\"q\":1.5}}\n{\"d\":99999999999}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		member := types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "q", Type: types.Of(types.Int)}, {Name: "r", Type: types.ArrayOf(types.Of(types.Variant))}}}
		spec := lines(column("i", types.Of(types.SmallInt)), column("s", types.Of(types.Varchar)), column("v", types.Of(types.Variant)),
			column("l", types.ArrayOf(types.Of(types.Int))), column("p", member), column("d", types.Of(types.DateTime)), column("n", types.DecimalOf(20, 3)))
		spec.Format.Missing, spec.Format.Compression = MissingNull, None
		spec.OnError = OnError{Mode: Continue}
		rows, r, err := loadText(t, string(data), spec)
		whole := ReadSpec{Format: spec.Format, OnError: spec.OnError, WholeRow: true}
		documents, wr, werr := loadText(t, string(data), whole)
		if (err == nil) != (werr == nil) {
			t.Fatalf("typed: %v, whole: %v", err, werr)
		}
		if err != nil {
			return
		}
		all := int64(len(rows)) + r.Files()[0].Errors
		if all != int64(len(documents))+wr.Files()[0].Errors || len(rows) > len(documents) {
			t.Fatalf("typed: %d rows, %d errors; whole: %d rows, %d errors", len(rows), r.Files()[0].Errors, len(documents), wr.Files()[0].Errors)
		}
	})
}
