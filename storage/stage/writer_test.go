package stage

import (
	"errors"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/storage/vfs/errorfs"
	"github.com/ebira-db/ebira/vec"
)

// everything has a column of each type that NDJSON can hold, with a row of values and one of NULLs.
var everything = []Target{
	column("b", types.Of(types.Boolean)), column("i8", types.Of(types.TinyInt)), column("i16", types.Of(types.SmallInt)), column("i32", types.Of(types.Int)),
	column("i64", types.Of(types.BigInt)), column("i128", types.Of(types.LargeInt)), column("f", types.Of(types.Float)), column("d", types.Of(types.Double)),
	column("dec", types.DecimalOf(38, 4)), column("s", types.Of(types.Varchar)), column("bin", types.Of(types.Binary)), column("day", types.Of(types.Date)),
	column("clock", types.Of(types.Time)), column("at", types.Of(types.DateTime)), column("z", types.Of(types.TimestampTZ)), column("ip", types.Of(types.IPv4)),
	column("ip6", types.Of(types.IPv6)), column("u", types.Of(types.UUID)), column("v", types.Of(types.Variant)), column("l", types.ArrayOf(types.Of(types.Int))),
	column("st", types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "x", Type: types.Of(types.Int)}, {Name: "y", Type: types.Of(types.Varchar)}}}),
}

const everythingText = `{"b":true,"i8":-8,"i16":16,"i32":32,"i64":9223372036854775807,"i128":-170141183460469231731687303715884105728,"f":1.1,"d":0.1,"dec":1234567890123456789012345678901234.5678,"s":"a \"quoted\" text\né","bin":"AQID","day":"2024-02-29","clock":"12:34:56.789","at":"2024-01-02 03:04:05.000006","z":"2024-01-02 03:04:05+00:00","ip":"127.0.0.1","ip6":"2001:db8::1","u":"00112233-4455-6677-8899-aabbccddeeff","v":{"a":[1,2.5,12345678901234567890123]},"l":[1,null,3],"st":{"x":1,"y":"z"}}
{"b":null,"i8":null,"i16":null,"i32":null,"i64":null,"i128":null,"f":null,"d":null,"dec":null,"s":null,"bin":null,"day":null,"clock":null,"at":null,"z":null,"ip":null,"ip6":null,"u":null,"v":null,"l":null,"st":null}
`

func schemaOf(targets []Target) (s types.Schema) {
	for _, t := range targets {
		s = append(s, types.Field{Name: t.Name, Type: t.Type})
	}
	return s
}

func write(t *testing.T, fsys vfs.FS, f Format, b *vec.Batch, targets []Target) (rows, bytes int64) {
	t.Helper()
	if err := fsys.MkdirAll("/stage"); err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(fsys, "/stage/out", f, schemaOf(targets))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(b); err != nil {
		t.Fatal(err)
	}
	rows, bytes, err = w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return rows, bytes
}

// TestWriteNDJSON: what is written is what was read, to the byte.
func TestWriteNDJSON(t *testing.T) {
	fsys := vfs.NewMem()
	rows, bytes := write(t, fsys, Format{Type: NDJSON}, build(t, everythingText, everything...), everything)
	data, err := vfs.ReadFile(fsys, "/stage/out", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "text", string(data), everythingText)
	if rows != 2 || bytes != int64(len(data)) {
		t.Errorf("%d rows, %d bytes of %d", rows, bytes, len(data))
	}
	_, bytes = write(t, fsys, Format{Type: NDJSON}, build(t, `{"a":1}`, column("a", types.Of(types.Int))), []Target{column("a", types.Of(types.Int))})
	equal(t, "bytes", bytes, 8)
}

// TestRoundTrip: rows come back from every format and compression as they were.
func TestRoundTrip(t *testing.T) {
	want := rowsOf(build(t, everythingText, everything...))
	for _, f := range []Format{{Type: NDJSON}, {Type: NDJSON, Compression: Gzip}, {Type: NDJSON, Compression: Zstd}, {Type: Parquet}, {Type: Parquet, Compression: Snappy},
		{Type: Parquet, Compression: None}} {
		fsys := vfs.NewMem()
		targets, text := everything, everythingText
		if f.Type == Parquet {
			// A LARGEINT of 39 digits is more than Parquet holds.
			text = strings.Replace(text, "-170141183460469231731687303715884105728", "-17014118346046923173168730371588410572", 1)
			want = rowsOf(build(t, text, targets...))
		}
		write(t, fsys, f, build(t, text, targets...), targets)
		file, err := Stat(fsys, "/stage/out")
		if err != nil {
			t.Fatal(err)
		}
		spec := lines(targets...)
		spec.Format.Type = f.Type
		rows, err := load(t, fsys, spec, NewReport([]File{file}, spec.OnError), file)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, sprint(f), rows, want)
	}
}

func TestWriteSpecialNumbers(t *testing.T) {
	fsys := vfs.NewMem()
	zero := 0.0
	v := vec.NewFlat(types.Of(types.Double), []float64{1 / zero, -1 / zero, zero / zero, 1e30, 5}, nil)
	write(t, fsys, Format{Type: NDJSON}, vec.NewBatch(5, v), []Target{column("d", types.Of(types.Double))})
	data, _ := vfs.ReadFile(fsys, "/stage/out", 1<<20)
	equal(t, "text", string(data), "{\"d\":null}\n{\"d\":null}\n{\"d\":null}\n{\"d\":1e+30}\n{\"d\":5}\n")
}

func TestWriteErrors(t *testing.T) {
	fsys := vfs.NewMem()
	if err := fsys.MkdirAll("/stage"); err != nil {
		t.Fatal(err)
	}
	f := func(format Format, want string) {
		t.Helper()
		_, err := NewWriter(fsys, "/stage/x", format, schemaOf([]Target{intColumn}))
		equal(t, "error", message(err), want)
		infos, err := fsys.List("/stage")
		if err != nil || len(infos) != 0 {
			t.Errorf("left behind: %v %v", infos, err)
		}
	}
	f(Format{Type: NDJSON, Compression: Bzip2}, "unsupported: NDJSON files are not written with compression BZ2; known are NONE, GZIP and ZSTD")
	f(Format{Type: CSV}, "unsupported: CSV files are not supported")
	f(Format{Compression: Gzip}, "unsupported: Parquet files are not written with compression GZIP; known are ZSTD, SNAPPY and NONE")

	w, err := NewWriter(fsys, "/stage/x", Format{Type: NDJSON}, schemaOf([]Target{intColumn}))
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	infos, _ := fsys.List("/stage")
	equal(t, "left behind", len(infos), 0)
}

// TestWriteFaults fails every operation of a write in turn: the error shows, and no file appears unless only its name is not durable.
func TestWriteFaults(t *testing.T) {
	batch := build(t, `{"n":1}`, intColumn)
	for _, format := range []Format{{Type: NDJSON}, {Type: NDJSON, Compression: Zstd}, {Type: Parquet}} {
		for n := 0; ; n++ {
			mem := vfs.NewMem()
			if err := mem.MkdirAll("/stage"); err != nil {
				t.Fatal(err)
			}
			var last errorfs.Op
			nth := errorfs.FailNth(n).Mutating().Matching(func(op errorfs.Op) bool { last = op; return true })
			fsys := errorfs.Wrap(mem, nth.Inject)
			w, err := NewWriter(fsys, "/stage/x", format, schemaOf([]Target{intColumn}))
			if err == nil {
				if err = w.Append(batch); err != nil {
					w.Abort()
				} else {
					_, _, err = w.Finish()
				}
			}
			if !nth.Fired() {
				if err != nil || n < 5 {
					t.Errorf("%v: %d operations, %v", format, n, err)
				}
				break
			}
			if !errors.Is(err, errorfs.ErrInjected) || !strings.HasPrefix(message(err), "i/o error: file x") {
				t.Errorf("%v: operation %d (%v): %v", format, n, last, err)
			}
			if exists, _ := vfs.Exists(mem, "/stage/x"); exists != (last.Kind == errorfs.SyncDir) {
				t.Errorf("%v: operation %d (%v) leaves a file: %v", format, n, last, exists)
			}
		}
	}
}
