package segment

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// sameRows compares two vectors of one type row by row.
func sameRows(t *testing.T, what string, got, want *vec.Vector) {
	t.Helper()
	if got.Len != want.Len {
		t.Fatalf("%s: %d rows, want %d", what, got.Len, want.Len)
	}
	for i := range want.Len {
		if got.IsNull(i) != want.IsNull(i) || !want.IsNull(i) && vec.Compare(got, i, want, i) != 0 {
			t.Fatalf("%s: row %d differs", what, i)
		}
	}
}

func TestRoundTripOfAllTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range sampleTypes() {
		cases := []struct{ rows, spread, nulls int }{
			{1, 1, 0}, {3, 5, 100}, {PageRows, 1, 0}, {PageRows + 1, 100, 30}, {2*PageRows + 7, 1 << 30, 0}, {PageRows + 900, 12_000, 2}, {PageRows + 10, 3, 98},
		}
		if typ.Phys() == types.PhysList || typ.Phys() == types.PhysStruct {
			cases = cases[:4]
		}
		for _, c := range cases {
			what := fmt.Sprint(typ, c)
			v := randomVector(r, typ, c.rows, c.spread, c.nulls)
			var batches []*vec.Batch
			for at := 0; at < v.Len; {
				n := min(v.Len-at, 1+r.IntN(5000))
				batches = append(batches, vec.NewBatch(n, v.Slice(at, at+n)))
				at += n
			}
			rd, m, _ := build(t, []Column{{ID: 3, Name: "c", Type: typ}}, WriterOptions{}, batches...)
			if m.Rows != int64(c.rows) || rd.Rows() != m.Rows {
				t.Fatalf("%s: meta says %d rows", what, m.Rows)
			}
			got := readAll(t, rd, Want{Column: 3})
			sameRows(t, what, got, v)
			nulls := int64(v.Len - v.Valid.Count(v.Len))
			if m.Zones[0].Nulls != nulls {
				t.Errorf("%s: zone map counts %d NULLs, want %d", what, m.Zones[0].Nulls, nulls)
			}
		}
	}
}

func TestRequiredColumnsAndForms(t *testing.T) {
	long := "a text that is longer than twelve bytes"
	b := vec.NewBuilder(types.Of(types.Varchar), 2)
	b.AppendString("short")
	b.AppendString(long)
	dict := b.Finish()
	n := 2 * PageRows
	codes := make([]uint32, n)
	for i := range codes {
		codes[i] = uint32(i % 2)
	}
	cols := []Column{{ID: 1, Name: "d", Type: dict.Type, NotNull: true}, {ID: 2, Name: "k", Type: types.Of(types.BigInt), NotNull: true}, {ID: 9, Name: "z", Type: types.Of(types.Date)}}
	r, _, _ := build(t, cols, WriterOptions{}, vec.NewBatch(n, &vec.Vector{Type: dict.Type, Form: vec.Dictionary, Len: n, Codes: codes, Dict: dict},
		vec.NewConstant(vec.NewFlat(types.Of(types.BigInt), []int64{42}, nil), n), vec.NewNull(types.Of(types.Null), n)))
	v, err := r.Read(Want{Column: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v.Form != vec.Dictionary || v.Dict.Len != 2 || string(v.Bytes(0)) != "short" || string(v.Bytes(1)) != long {
		t.Errorf("text column read as form %d: %q %q", v.Form, v.Bytes(0), v.Bytes(1))
	}
	other, err := r.Read(Want{Column: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = other
	k := readAll(t, r, Want{Column: 2})
	if s := vec.Slice[int64](k); s[0] != 42 || s[n-1] != 42 || k.Valid != nil {
		t.Error("constant column read wrong")
	}
	if z := readAll(t, r, Want{Column: 9}); !z.IsNull(0) || !z.IsNull(n-1) {
		t.Error("column of NULLs read wrong")
	}
}

func TestSortBy(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 18_000
	a := randomVector(r, types.Of(types.Int), n, 50, 10)
	b := randomVector(r, types.Of(types.Varchar), n, 1000, 10)
	seq := make([]int64, n)
	texts := make([]string, n)
	for i := range seq {
		seq[i] = int64(i)
		texts[i] = fmt.Sprintf(`{"n":%d}`, i)
	}
	cols := []Column{{ID: 1, Name: "a", Type: a.Type}, {ID: 2, Name: "b", Type: b.Type}, {ID: 3, Name: "seq", Type: types.Of(types.BigInt)}, {ID: 4, Name: "v", Type: types.Of(types.Variant)}}
	batch := vec.NewBatch(n, a, b, vec.NewFlat(types.Of(types.BigInt), seq, nil), documents(t, texts...))
	rd, _, _ := build(t, cols, WriterOptions{SortBy: []ColumnID{1, 2}}, batch.Slice(0, 7_000), batch.Slice(7_000, n))
	ga, gb, gs := readAll(t, rd, Want{Column: 1}), readAll(t, rd, Want{Column: 2}), readAll(t, rd, Want{Column: 3})
	gv := readAll(t, rd, Want{Column: 4})
	s := vec.Slice[int64](gs)
	for i := range n {
		from := int(s[i])
		if vec.CompareNullsLast(ga, i, a, from) != 0 || vec.CompareNullsLast(gb, i, b, from) != 0 || text(gv, i) != texts[from] {
			t.Fatalf("row %d is torn apart", i)
		}
		if i == 0 {
			continue
		}
		c := vec.CompareNullsLast(ga, i-1, ga, i)
		if c == 0 {
			c = vec.CompareNullsLast(gb, i-1, gb, i)
		}
		if c > 0 || c == 0 && s[i-1] > s[i] {
			t.Fatalf("row %d is out of order", i)
		}
	}
}

// kinds are documents of every kind of value, with their canonical text.
var kinds = []string{
	`null`, `true`, `false`, `0`, `-1`, `127`, `128`, `-32768`, `32768`, `2147483648`, `9223372036854775807`, `-9223372036854775808`,
	`9223372036854775808`, `99999999999999999999999999999999999999`, `-99999999999999999999999999999999999999`, `1.5`, `-0`, `1e+30`, `1e-7`,
	`0.1000000000000000055511151231257827`, `12345678901234567890.123456789`, `100000000000000000000000000000000000000000`, `1e400`,
	`""`, `"x"`, `"a text of more than sixty-three bytes, so that it does not fit the short form of strings"`, `"2024-01-02"`, `"12"`, `{}`, `[]`, `[null]`,
	`[1,"a",[2,{"b":null}],{}]`, `{"a":1}`, `{"a":null}`, `{"a":{}}`, `{"a":{"b":[1,2]}}`, `{"a":{"b":{"c":"deep"}},"z":1}`,
	`{"":1,"a.b":2,"value":3,"typed_value":4,"list":5,"metadata":6}`, `{"A":1,"a":2}`, `{"a\u0000b":1}`, `{"n":12345678901234567890123456789012345678901234567890}`,
	`{"a":{"n":1e400}}`, `{"a":[1e400,2]}`, `"é\u2028"`,
}

func TestDocumentsOfAllKinds(t *testing.T) {
	var texts []string
	for range 3 {
		texts = append(texts, "")
		texts = append(texts, kinds...)
	}
	v := documents(t, texts...)
	for _, typ := range []types.Type{types.Of(types.Variant), types.Of(types.JSON)} {
		r, m, _ := build(t, []Column{{ID: 1, Name: "v", Type: typ}}, WriterOptions{}, vec.NewBatch(v.Len, v))
		got := readAll(t, r, Want{Column: 1})
		for i := range texts {
			if a, b := text(got, i), text(v, i); a != b {
				t.Errorf("%s row %d: %s, want %s", typ, i, a, b)
			}
		}
		if m.Zones[0].Nulls != 3 || !got.Type.Equal(typ) {
			t.Errorf("%s: %d NULLs, type %s", typ, m.Zones[0].Nulls, got.Type)
		}
	}
}

// wantPath is what a path must give: the value found in the whole document, or NULL.
func wantPath(v *vec.Vector, i int, path []string) string {
	steps := make([]variant.Step, len(path))
	for k := range path {
		steps[k].Key = path[k]
	}
	if v.IsNull(i) {
		return "NULL"
	}
	meta, value := v.VariantAt(i)
	x := variant.Get(meta, value, steps)
	if x == nil || variant.IsNull(x) {
		return "NULL"
	}
	return string(variant.AppendJSON(nil, meta, x))
}

// randomDocument makes a document over few keys, so that paths are shredded, mixed and rare.
func randomDocument(r *rand.Rand, depth int) string {
	switch k := r.IntN(20); {
	case k < 8 && depth > 0:
		s := "{"
		for i, key := range []string{"a", "b", "c", "A", "rare" + fmt.Sprint(r.IntN(500))} {
			if r.IntN(3) == 0 || i == 4 && r.IntN(10) > 0 {
				continue
			}
			if len(s) > 1 {
				s += ","
			}
			s += fmt.Sprintf("%q:%s", key, randomDocument(r, depth-1))
		}
		return s + "}"
	case k < 9 && depth > 0:
		return "[" + randomDocument(r, depth-1) + "," + randomDocument(r, depth-1) + "]"
	case k < 13:
		return fmt.Sprint(r.IntN(1000))
	case k < 14:
		return fmt.Sprint(r.Float64())
	case k < 17:
		return fmt.Sprintf("%q", fmt.Sprint("text ", r.IntN(50)))
	}
	return kinds[r.IntN(len(kinds))]
}

func TestPathsOfRandomDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 6 {
		n := []int{1, 700, 3000, PageRows + 300, PageRows, 2000}[round]
		texts := make([]string, n)
		for i := range texts {
			if r.IntN(20) == 0 {
				continue
			}
			texts[i] = randomDocument(r, 3)
		}
		v := documents(t, texts...)
		typ := types.Of(types.Variant)
		if round%2 == 1 {
			typ.Variant = &types.VariantSpec{Props: types.VariantProps{MaxSubcolumns: 3, Given: []types.Property{{Name: "variant_max_subcolumns_count", Value: "3"}}}}
		}
		rd, _, _ := build(t, []Column{{ID: 1, Name: "v", Type: typ}}, WriterOptions{}, vec.NewBatch(n, v))
		got := readAll(t, rd, Want{Column: 1})
		for i := range n {
			if a, b := text(got, i), text(v, i); a != b {
				t.Fatalf("round %d row %d: %s, want %s", round, i, a, b)
			}
		}
		for _, path := range [][]string{{"a"}, {"b"}, {"A"}, {"a", "a"}, {"a", "b", "c"}, {"c", "a"}, {"rare1"}, {"a", "rare2"}, {"none"}, {"a", "none", "x"}, {"n"}, {"a", "n"}} {
			got := readAll(t, rd, Want{Column: 1, Path: path})
			for i := range n {
				if a, b := text(got, i), wantPath(v, i, path); a != b {
					t.Fatalf("round %d path %v row %d: %s, want %s in %s", round, path, i, a, b, texts[i])
				}
			}
		}
	}
}

func TestVariantShredderDrivenFromOutside(t *testing.T) {
	cols := []Column{{ID: 1, Name: "id", Type: types.Of(types.BigInt)}, {ID: 2, Name: "v", Type: types.Of(types.Variant)}}
	v := documents(t, `{"a":1}`, `{"a":"x"}`, "")
	ids := vec.NewFlat(types.Of(types.BigInt), []int64{3, 1, 2}, nil)
	for _, sorted := range []bool{false, true} {
		opt, want := WriterOptions{}, []string{"1", `"x"`, "NULL"}
		if sorted {
			opt.SortBy, want = []ColumnID{1}, []string{`"x"`, "NULL", "1"}
		}
		fsys := vfs.NewMem()
		w, err := NewWriter(fsys, "x", 1, cols, opt)
		if err != nil {
			t.Fatal(err)
		}
		w.VariantShredder(1).AppendVector(v)
		if err := w.Append(vec.NewBatch(3, ids, nil)); err != nil {
			t.Fatal(err)
		}
		if w.Rows() != 3 || w.SizeBytes() == 0 {
			t.Errorf("writer has %d rows and %d bytes", w.Rows(), w.SizeBytes())
		}
		m, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		got := readAll(t, open(t, fsys, m), Want{Column: 2, Path: []string{"a"}})
		for i := range want {
			if text(got, i) != want[i] {
				t.Errorf("sorted %v row %d: %s, want %s", sorted, i, text(got, i), want[i])
			}
		}
	}
}

func TestPathsAreDescribed(t *testing.T) {
	typ := types.Of(types.Variant)
	typ.Variant = &types.VariantSpec{Template: []types.TemplateEntry{{Pattern: "ip", Type: types.Of(types.IPv4)}, {Pattern: "big", Type: types.DecimalOf(50, 2)}, {Pattern: "n", Type: types.Of(types.LargeInt)}, {Pattern: "ip6", Type: types.Of(types.IPv6)}}}
	v := documents(t, `{"a":{"b":1,"c":"x"},"ip":"10.0.0.1","big":1.5,"n":7,"ip6":"::1"}`, `{"a":{"b":2.5,"c":"y"},"ip":"10.0.0.2","big":2,"n":-3,"ip6":"fe80::2"}`, `{"a":{"b":null},"ip":null}`)
	r, _, _ := build(t, []Column{{ID: 1, Name: "v", Type: typ}}, WriterOptions{}, vec.NewBatch(v.Len, v))
	paths, err := r.Paths(1)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range paths {
		got += fmt.Sprintf("%v %s declared=%v object=%v nulls=%d bytes=%v\n", p.Path, p.Type, p.Declared, p.Object, p.Kinds[variant.Null], p.Bytes > 0)
	}
	want := `[] NULL declared=false object=true nulls=0 bytes=true
[a] NULL declared=false object=true nulls=0 bytes=false
[a b] DOUBLE declared=false object=false nulls=1 bytes=true
[a c] VARCHAR declared=false object=false nulls=0 bytes=true
[big] DECIMAL(50, 2) declared=true object=false nulls=0 bytes=true
[ip] IPV4 declared=true object=false nulls=1 bytes=true
[ip6] IPV6 declared=true object=false nulls=0 bytes=true
[n] LARGEINT declared=true object=false nulls=0 bytes=true
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	docs := readAll(t, r, Want{Column: 1})
	if s := text(docs, 1); s != `{"a":{"b":2.5,"c":"y"},"big":2.00,"ip":"10.0.0.2","ip6":"fe80::2","n":-3}` {
		t.Errorf("document reads %s", s)
	}
	for path, want := range map[string]string{"ip": `"10.0.0.1"`, "big": "1.50", "n": "7", "ip6": `"::1"`} {
		if s := text(readAll(t, r, Want{Column: 1, Path: []string{path}}), 0); s != want {
			t.Errorf("path %s reads %s, want %s", path, s, want)
		}
	}
}

func TestCachesAndConcurrentReaders(t *testing.T) {
	m, fsys := mixedSegment(t, 2000)
	caches := Caches{
		Meta:  cache.New[ID, *File](cache.Config[ID]{Name: "meta", MaxBytes: 1 << 20}),
		Pages: cache.New[PageKey, CachedPage](cache.Config[PageKey]{Name: "pages", MaxBytes: 64 << 20}),
	}
	defer caches.Meta.Close()
	defer caches.Pages.Close()
	plain := open(t, fsys, m)
	var wait sync.WaitGroup
	errs := make(chan error, 4)
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			r, err := Open(fsys, m.File, m, caches)
			if err != nil {
				errs <- err
				return
			}
			for _, c := range m.Columns {
				for range 2 {
					v, err := r.Read(Want{Column: c.ID}, 0)
					if err != nil {
						errs <- err
						return
					}
					w, err := plain.Read(Want{Column: c.ID}, 0)
					if err != nil {
						errs <- err
						return
					}
					for i := range v.Len {
						if v.IsNull(i) != w.IsNull(i) || !v.IsNull(i) && vec.Compare(v, i, w, i) != 0 {
							errs <- fmt.Errorf("column %s row %d differs with caches", c.Name, i)
							return
						}
					}
				}
			}
		}()
	}
	wait.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	r, err := Open(fsys, m.File, m, caches)
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.Read(Want{Column: m.Columns[4].ID}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := r.Read(Want{Column: m.Columns[4].ID}, 0); err != nil || a != b {
		t.Error("the second read did not come from the cache")
	}
}
