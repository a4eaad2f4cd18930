package segment

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// randomList makes an array of one kind: numbers, texts, objects with optional members, arrays, nulls or anything.
func randomList(r *rand.Rand, depth int) string {
	var elems []string
	kind := r.IntN(6)
	for range r.IntN(5) {
		switch {
		case kind == 0 && r.IntN(9) > 0:
			elems = append(elems, fmt.Sprint(r.IntN(1000)))
		case kind == 1 && r.IntN(9) > 0:
			elems = append(elems, fmt.Sprintf("%q", fmt.Sprint("text ", r.IntN(50))))
		case kind == 2 && depth > 0:
			m := []string{fmt.Sprintf(`"id":%d`, r.IntN(9))}
			if r.IntN(2) == 0 {
				m = append(m, `"in":`+randomList(r, depth-1))
			}
			if r.IntN(3) == 0 {
				m = append(m, `"a":`+randomDocument(r, depth-1))
			}
			elems = append(elems, "{"+strings.Join(m, ",")+"}")
		case kind == 3 && depth > 0:
			elems = append(elems, randomList(r, depth-1))
		case kind == 4:
			elems = append(elems, "null")
		default:
			elems = append(elems, kinds[r.IntN(len(kinds))])
		}
	}
	return "[" + strings.Join(elems, ",") + "]"
}

// TestListsOfRandomDocuments writes documents with arrays in all places and reads them whole and by path, with pages of any mix of kinds.
func TestListsOfRandomDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 4))
	for round := range 6 {
		n := []int{1, 700, PageRows, 3000, 2*PageRows + 20, 5}[round]
		texts := make([]string, n)
		for i := range texts {
			switch k := r.IntN(12); {
			case k == 0:
			case k == 1:
				texts[i] = randomList(r, 4)
			case k == 2 || n >= PageRows && r.IntN(20) > 0 && i%PageRows > 300:
				texts[i] = fmt.Sprintf(`{"a":%d,"o":null}`, i)
			default:
				texts[i] = fmt.Sprintf(`{"a":%s,"o":{"list":%s,"p":%d},"rare":%s}`, randomList(r, 3), randomList(r, 2), i, randomDocument(r, 3))
			}
		}
		v := documents(t, texts...)
		typ := types.Of(types.Variant)
		if round%3 == 2 {
			typ.Variant = &types.VariantSpec{Props: types.VariantProps{MaxSubcolumns: 2, Given: []types.Property{{Name: "variant_max_subcolumns_count", Value: "2"}}}}
		}
		rd, m, fsys := build(t, []Column{{ID: 1, Name: "v", Type: typ}}, WriterOptions{}, vec.NewBatch(n, v))
		checkForeign(t, fsys, m, rd, v)
		got := readAll(t, rd, Want{Column: 1})
		for i := range n {
			if a, b := text(got, i), text(v, i); a != b {
				t.Fatalf("round %d row %d: %s, want %s", round, i, a, b)
			}
		}
		for _, path := range [][]string{{"a"}, {"o"}, {"o", "list"}, {"o", "p"}, {"a", "id"}, {"rare"}, {"rare", "a"}, {"none"}} {
			got := readAll(t, rd, Want{Column: 1, Path: path})
			for i := range n {
				if a, b := text(got, i), wantPath(v, i, path); a != b {
					t.Fatalf("round %d path %v row %d: %s, want %s in %s", round, path, i, a, b, texts[i])
				}
			}
		}
		if err := rd.Verify(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestListLayout looks at the directory of a segment with lists: the leaves that there are, and their pages.
func TestListLayout(t *testing.T) {
	n := PageRows + 100
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(`{"n":%d,"tags":["a","b"],"calls":[{"id":%d,"args":[1,2,3]},{"id":2}]}`, i, i)
	}
	v := documents(t, texts...)
	r, _, _ := build(t, []Column{{ID: 1, Name: "v", Type: types.Of(types.Variant)}}, WriterOptions{}, vec.NewBatch(n, v))
	all, err := r.file.below(entryKey(1, nil))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range all {
		got += dotted(e.path)
		if e.typed != nil {
			l := e.typed.chunk.Leaf
			got += fmt.Sprintf(" %s rep=%d def=%d", e.t, l.MaxRep, l.MaxDef)
			for _, p := range e.typed.pages {
				got += fmt.Sprint(" ", p.values, "/", p.entries)
			}
		}
		got += fmt.Sprintf(" value=%v\n", e.value != nil)
	}
	const want = ` value=false
.calls value=false
.calls[] value=false
.calls[].args value=false
.calls[].args[] BIGINT rep=2 def=8 49152/65536 300/400 value=false
.calls[].id BIGINT rep=1 def=6 32768/32768 200/200 value=false
.n BIGINT rep=0 def=3 16384/16384 100/100 value=false
.tags value=false
.tags[] VARCHAR rep=1 def=5 32768/32768 200/200 value=false
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	paths, err := r.Paths(1)
	if err != nil {
		t.Fatal(err)
	}
	got = ""
	for _, p := range paths {
		got += fmt.Sprintf("%v list=%v arrays=%s %d %v\n", p.Path, p.List, variant.DescName(p.Arrays), p.Kinds[variant.Array], p.Bytes > 0)
	}
	const listed = `[] list=false arrays=null 0 true
[calls] list=true arrays=jsonb 16484 true
[n] list=false arrays=null 0 true
[tags] list=true arrays=array<string> 16484 true
`
	if got != listed {
		t.Errorf("got\n%swant\n%s", got, listed)
	}
}

// TestScalarPathReadsNoList counts the pages in the page cache.
func TestScalarPathReadsNoList(t *testing.T) {
	texts := []string{`{"n":1,"a":[{"n":2}],"b":[3,4]}`, `{"n":"x","a":[],"b":5}`, `{"n":2}`}
	r, m, fsys := build(t, []Column{{ID: 1, Name: "v", Type: types.Of(types.Variant)}}, WriterOptions{}, vec.NewBatch(3, documents(t, texts...)))
	all, err := r.file.below(entryKey(1, nil))
	if err != nil {
		t.Fatal(err)
	}
	// The pages of all lists are made unreadable.
	f, err := fsys.Open(m.File)
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, m.Bytes)
	if _, err := f.ReadAt(raw, 0); err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if lists, _ := e.lists(); lists > 0 && e.typed != nil {
			for _, p := range e.typed.pages {
				clear(raw[p.loc.Offset : p.loc.Offset+int64(p.loc.Bytes)])
			}
		}
	}
	w, err := fsys.Create("damaged")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	d, err := Open(fsys, "damaged", m, Caches{})
	if err != nil {
		t.Fatal(err)
	}
	got := readAll(t, d, Want{Column: 1, Path: []string{"n"}})
	for i, want := range []string{"1", `"x"`, "2"} {
		if s := text(got, i); s != want {
			t.Errorf("row %d: %s, want %s", i, s, want)
		}
	}
	if _, err := d.Read(Want{Column: 1, Path: []string{"a"}}, 0); err == nil {
		t.Error("a damaged list reads")
	}
}

func TestDeclaredArrays(t *testing.T) {
	typ := types.Of(types.Variant)
	typ.Variant = &types.VariantSpec{Template: []types.TemplateEntry{{Pattern: "ip", Type: types.ArrayOf(types.Of(types.IPv4))},
		{Pattern: "d", Type: types.ArrayOf(types.DecimalOf(50, 2))}, {Pattern: "i", Type: types.ArrayOf(types.Of(types.Int))}}}
	texts := []string{`{"ip":["10.0.0.1",null,"x",{},["10.0.0.2"]],"d":[1,"2.345"],"i":["7",8.4,[]]}`, `{"ip":[],"d":[],"i":5}`, `{"ip":null,"d":{"x":[1]}}`}
	v := documents(t, texts...)
	r, _, _ := build(t, []Column{{ID: 1, Name: "v", Type: typ}}, WriterOptions{}, vec.NewBatch(v.Len, v))
	got := readAll(t, r, Want{Column: 1})
	for i, want := range []string{`{"d":[1.00,2.35],"i":[7,8,null],"ip":["10.0.0.1",null,null,null,null]}`, `{"d":[],"ip":[]}`, `{"d":{"x":[1]},"ip":null}`} {
		if s := text(got, i); s != want {
			t.Errorf("row %d: %s, want %s", i, s, want)
		}
	}
	for path, want := range map[string]string{"ip": "IPV4", "i": "INT"} {
		e, err := r.file.find(string([]byte(entryKey(1, []string{path}) + "\x00\x02")))
		if err != nil || e == nil || e.typed == nil || e.t.String() != want {
			t.Errorf("elements of %s are no %s leaf: %+v, %v", path, want, e, err)
		}
	}
}
