package parquetio

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// sharedDir finds the shared test data, or skips the test.
func sharedDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("EBIRA_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	shared := filepath.Join(filepath.Dir(dir), "shared")
	if _, e := os.Stat(shared); e != nil {
		t.Skip("the shared data is not there")
	}
	return shared
}

// scanAll reads all columns of a file; rows counts what was read before the error, if any.
func scanAll(data []byte) (ff *ForeignFile, batches []*vec.Batch, rows int, err error) {
	ff, err = OpenForeign(bytes.NewReader(data), int64(len(data)), ForeignOptions{})
	if err != nil {
		return nil, nil, 0, err
	}
	cols := make([]int, len(ff.Schema()))
	for i := range cols {
		cols[i] = i
	}
	r := ff.Scan(cols, 0, ff.RowGroups())
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return ff, batches, rows, nil
		}
		if err != nil {
			return ff, batches, rows, err
		}
		rows += b.Len
		batches = append(batches, b)
	}
}

// jsonOf prints a column of all batches, one text a row; NULL for SQL NULL.
func jsonOf(batches []*vec.Batch, col int) []string {
	var out []string
	for _, b := range batches {
		v := variant.Flatten(variant.FromVector(b.Cols[col]))
		for i := range v.Len {
			if v.IsNull(i) {
				out = append(out, "NULL")
				continue
			}
			m, x := v.VariantAt(i)
			out = append(out, string(variant.AppendJSON(nil, m, x)))
		}
	}
	return out
}

// unreadable gives the kinds of error of files outside the folders of broken ones that cannot be read.
var unreadable = map[string]sqlerr.Kind{
	"bigdecimal.parquet": sqlerr.Unsupported, "broken-arrow.parquet": sqlerr.Corrupt, "internal_6129.parquet": sqlerr.Corrupt,
	"page_size_corruption.parquet": sqlerr.Corrupt, "parquet_column_num_values_mismatch.parquet": sqlerr.Corrupt, "rle_malicious_bitwidth.parquet": sqlerr.Corrupt,
	"variant_malicious.parquet": sqlerr.Corrupt, "datapage_v1-corrupt-checksum.parquet": sqlerr.Corrupt, "int96_from_spark.parquet": sqlerr.OutOfRange,
	"large_string_map.brotli.parquet": sqlerr.Resource, "rle-dict-uncompressed-corrupt-checksum.parquet": sqlerr.Corrupt,
	"case-040.parquet": sqlerr.Corrupt, "case-042.parquet": sqlerr.Corrupt, "case-087.parquet": sqlerr.Corrupt, "case-128.parquet": sqlerr.Corrupt,
	"plaintext_footer_crypto_metadata.parquet": sqlerr.Unsupported,
	"invalid.parquet":                          sqlerr.Conversion, "invalid_utf8_dba.parquet": sqlerr.Conversion, "invalid_utf8_dictionary.parquet": sqlerr.Conversion,
	"invalid_utf8_dlba.parquet": sqlerr.Conversion,
}

func TestAllSharedFilesReadOrFailByKind(t *testing.T) {
	dir := sharedDir(t)
	read, refused := 0, 0
	err := filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err != nil || filepath.Ext(p) != ".parquet" || info.Size() > 8<<20 {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		folder := filepath.Base(filepath.Dir(p))
		mayFail := folder == "broken" || folder == "afl" || folder == "bad_data" || folder == "encryption"
		_, _, _, err = scanAll(data)
		want, known := unreadable[filepath.Base(p)]
		switch k := sqlerr.KindOf(err); {
		case err == nil && known:
			t.Errorf("%s is read, but should give %s", p, want)
		case err == nil:
			read++
		case known && k != want || k == sqlerr.Internal:
			t.Errorf("%s: %v, want kind %s", p, err, want)
		case !known && !mayFail:
			t.Errorf("%s: %v", p, err)
		default:
			refused++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 300 || refused < 30 {
		t.Errorf("%d files read, %d refused", read, refused)
	}
}

func TestNullsAndEmptyLists(t *testing.T) {
	dir := filepath.Join(sharedDir(t), "cases", "34-null-vs-empty")
	f := func(name string, col int, want ...string) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Skip("the case is not there")
		}
		_, batches, _, err := scanAll(data)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonOf(batches, col); !slices.Equal(got, want) {
			t.Errorf("%s column %d: got %q, want %q", name, col, got, want)
		}
	}
	f("nested.parquet", 1, "NULL", "[]", "[null]", "[1,null,2]")
	f("nested.parquet", 2, "NULL", `{"a":null,"b":null}`, `{"a":1,"b":null}`, `{"a":null,"b":"x"}`)
	f("nested.parquet", 3, "NULL", "{}", `{"k":null}`, `{"j":2,"k":1}`)
	f("nested.parquet", 4, "NULL", "[]", "[null]", `[[],[null],["x"]]`)
	f("two_level_list.parquet", 1, "[7,8,9]", "[]", "NULL")
}

func TestForeignTypesAndValues(t *testing.T) {
	dir := sharedDir(t)
	f := func(file string, col int, typ string, want ...string) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, "data", file))
		if err != nil {
			t.Skip("the data is not there")
		}
		ff, batches, _, err := scanAll(data)
		if err != nil {
			t.Fatal(err)
		}
		got := jsonOf(batches, col)
		if s := ff.Schema()[col].Type.String(); s != typ {
			t.Errorf("%s column %d: type %s, want %s", file, col, s, typ)
		}
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%s column %d: got %.300q, want %q", file, col, got, want)
		}
	}
	pt := "parquet-testing/data/"
	f(pt+"alltypes_plain.parquet", 10, "DATETIME", `"2009-03-01 00:00:00"`, `"2009-03-01 00:01:00"`)
	f(pt+"alltypes_plain.parquet", 1, "BOOLEAN", "true", "false")
	f(pt+"int32_decimal.parquet", 0, "DECIMAL(4, 2)", "1.00", "2.00")
	f(pt+"int64_decimal.parquet", 0, "DECIMAL(10, 2)", "1.00")
	f(pt+"fixed_length_decimal.parquet", 0, "DECIMAL(25, 2)", "1.00")
	f(pt+"byte_array_decimal.parquet", 0, "DECIMAL(4, 2)", "1.00")
	f(pt+"float16_nonzeros_and_nans.parquet", 0, "FLOAT", "NULL", "1", "-2", `"NaN"`, "0", "-1", "-0", "2")
	f(pt+"old_list_structure.parquet", 0, "ARRAY<ARRAY<INT>>", "[[1,2],[3,4]]")
	f(pt+"repeated_no_annotation.parquet", 1, "STRUCT<phone:ARRAY<STRUCT<number:BIGINT,kind:VARCHAR>>>", "NULL", "NULL", `{"phone":[]}`, `{"phone":[{"kind":null,"number":5555555555}]}`)
	f(pt+"map_no_value.parquet", 1, "ARRAY<INT>", "[1,2,3]", "[4,5,6]", "[7,8,9]")
	f(pt+"nested_lists.snappy.parquet", 0, "ARRAY<ARRAY<ARRAY<VARCHAR>>>", `[[["a","b"],["c"]],[null,["d"]]]`)
	f(pt+"null_list.parquet", 0, "ARRAY<NULL>", "[]")
	f("duckdb/data/parquet-testing/parquet_with_json.parquet", 0, "JSON", `"value1"`)
	f("duckdb/data/parquet-testing/negative-timetz.parquet", 32, "TIME", `"20:08:21"`, `"09:01:00"`, `"13:04:04"`)
}

func TestShreddedVariantsOfOthers(t *testing.T) {
	dir := filepath.Join(sharedDir(t), "data", "parquet-testing", "shredded_variant")
	text, err := os.ReadFile(filepath.Join(dir, "cases.json"))
	if err != nil {
		t.Skip("the cases are not there")
	}
	var cases []struct {
		File  string   `json:"parquet_file"`
		One   string   `json:"variant_file"`
		Many  []string `json:"variant_files"`
		Error string   `json:"error_message"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, c := range cases {
		data, err := os.ReadFile(filepath.Join(dir, c.File))
		if err != nil || c.Error != "" {
			continue
		}
		_, batches, _, err := scanAll(data)
		if err != nil {
			t.Errorf("%s: %v", c.File, err)
			continue
		}
		got := jsonOf(batches, 1)
		files := c.Many
		if c.One != "" {
			files = []string{c.One}
		}
		for row, name := range files {
			want := "NULL"
			if name != "" {
				bin, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				n := metadataSize(bin)
				want = string(variant.AppendJSON(nil, bin[:n], bin[n:]))
			}
			if got[row] != want {
				t.Errorf("%s row %d: got %s, want %s", c.File, row, got[row], want)
			}
			compared++
		}
	}
	if compared < 120 {
		t.Errorf("only %d values compared", compared)
	}
}

// metadataSize returns the length of the metadata at the start of b.
func metadataSize(b []byte) int {
	w := int(b[0]>>6) + 1
	at := func(i int) int {
		n := 0
		for k := w - 1; k >= 0; k-- {
			n = n<<8 | int(b[1+i*w+k])
		}
		return n
	}
	n := at(0)
	return 1 + (n+2)*w + at(n+1)
}

func TestBadValuesAreKeptAsNull(t *testing.T) {
	dir := filepath.Join(sharedDir(t), "data")
	f := func(file string, rows []int64, reason string) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Skip("the data is not there")
		}
		ff, err := OpenForeign(bytes.NewReader(data), int64(len(data)), ForeignOptions{KeepBad: true})
		if err != nil {
			t.Fatal(err)
		}
		r := ff.Scan([]int{0}, 0, ff.RowGroups())
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, bad := range r.Bad() {
			got = append(got, bad.Row)
			if !b.Cols[0].IsNull(int(bad.Row)) || bad.Column != ff.Schema()[0].Name || !strings.Contains(bad.Err.Error(), reason) {
				t.Errorf("%s row %d: %v", file, bad.Row, &bad)
			}
		}
		if !slices.Equal(got, rows) || int64(b.Len) != ff.Rows() {
			t.Errorf("%s: bad rows %v of %d, want %v", file, got, b.Len, rows)
		}
	}
	f("parquet-testing/data/int96_from_spark.parquet", []int64{5}, "out of range")
	f("duckdb/data/parquet-testing/invalid.parquet", []int64{0}, "not valid UTF-8")
	f("duckdb/data/parquet-testing/invalid_utf8_dictionary.parquet", []int64{0}, "not valid UTF-8")
	f("parquet-testing/data/int32_decimal.parquet", nil, "")
}

func TestDamagedForeignFilesNeverPanic(t *testing.T) {
	dir := sharedDir(t)
	r := rand.New(rand.NewPCG(4, 4))
	err := filepath.Walk(filepath.Join(dir, "data"), func(p string, info os.FileInfo, err error) error {
		if err != nil || filepath.Ext(p) != ".parquet" || info.Size() > 20<<10 {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for range 12 {
			bad := bytes.Clone(data)
			for range 1 + r.IntN(4) {
				bad[r.IntN(len(bad))] = byte(r.Uint32())
			}
			if r.IntN(8) == 0 {
				bad = bad[:r.IntN(len(bad))]
			}
			if _, _, _, err := scanAll(bad); sqlerr.KindOf(err) == sqlerr.Internal && err != nil {
				t.Errorf("%s: error without a kind: %v", p, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzForeign(f *testing.F) {
	for _, n := range []int{0, 1, 100} {
		f.Add(sampleForeign(f, n))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _, _ = scanAll(data)
	})
}
