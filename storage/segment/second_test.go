package segment

import (
	"fmt"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// TestSecondKindLeaf reads a path of two frequent kinds and some odd values, in pages with and without the odd ones.
func TestSecondKindLeaf(t *testing.T) {
	n := 2*PageRows + 10
	texts := make([]string, n)
	for i := range texts {
		switch {
		case i%3 == 0:
			texts[i] = fmt.Sprintf(`{"a":"text %d","o":{"b":%d.5}}`, i%40, i)
		case i%3 == 1:
			texts[i] = fmt.Sprintf(`{"a":%d,"o":{"b":true}}`, i)
		case i%7 == 0 && i < PageRows:
			texts[i] = `{"a":[1],"o":{}}`
		case i%7 == 1:
			texts[i] = `{"a":null}`
		default:
			texts[i] = fmt.Sprintf(`{"a":%d,"o":{"b":%d.25}}`, -i, i)
		}
	}
	v := documents(t, texts...)
	r, m, fsys := build(t, []Column{{ID: 1, Name: "v", Type: types.Of(types.Variant)}}, WriterOptions{}, vec.NewBatch(n, v))
	paths, err := r.Paths(1)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range paths {
		got += fmt.Sprintf("%v %s %s\n", p.Path, p.Type, p.Second)
	}
	if want := "[] NULL NULL\n[a] BIGINT VARCHAR\n[o] NULL NULL\n[o b] DOUBLE BOOLEAN\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	check := func(r *Reader) {
		t.Helper()
		for _, path := range [][]string{nil, {"a"}, {"o", "b"}, {"a", "x"}, {"o"}} {
			got := readAll(t, r, Want{Column: 1, Path: path})
			for i := range n {
				want := wantPath(v, i, path)
				if a := text(got, i); a != want {
					t.Fatalf("path %v row %d: %s, want %s", path, i, a, want)
				}
			}
		}
	}
	check(r)
	checkForeign(t, fsys, m, r, v)
	if err := r.Verify(); err != nil {
		t.Error(err)
	}

	// A page whose residual has no other kind is read without the residual.
	e, err := r.file.find(entryKey(1, []string{"a"}))
	if err != nil {
		t.Fatal(err)
	}
	e.value.pages[1].loc.Offset++
	p, err := r.Read(Want{Column: 1, Path: []string{"a"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if p.Form != vec.Shredded || p.Rest == nil || p.Rest.Form != vec.Shredded || p.Rest.Rest != nil || p.Rest.Typed.Type.Kind != types.Varchar {
		t.Error("the page has no second typed part alone")
	}
	e.value.pages[0].loc.Offset++
	if _, err := r.Read(Want{Column: 1, Path: []string{"a"}}, 0); err == nil {
		t.Error("a page with other kinds is read without the residual")
	}
	check(open(t, fsys, m))
}

// TestSecondKindsAreFew writes no second leaf for a rare second kind.
func TestSecondKindsAreFew(t *testing.T) {
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = fmt.Sprintf(`{"a":%d}`, i)
		if i%20 == 0 {
			texts[i] = `{"a":"x"}`
		}
	}
	r, _, _ := build(t, []Column{{ID: 1, Name: "v", Type: types.Of(types.Variant)}}, WriterOptions{}, vec.NewBatch(len(texts), documents(t, texts...)))
	e, err := r.file.find(entryKey(1, []string{"a"}))
	if err != nil || e.second != nil {
		t.Errorf("a kind of 5 %% of the rows has a leaf: %v", err)
	}
	if v := readAll(t, r, Want{Column: 1, Path: []string{"a"}}); text(v, 0) != `"x"` || text(v, 1) != "1" {
		t.Error("values are wrong")
	}
}
