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

// manyNames makes documents over so many names: a few frequent ones, and rare ones at all places, in objects and arrays.
func manyNames(names, rows int) []string {
	r := rand.New(rand.NewPCG(31, 3))
	texts := make([]string, rows)
	next := 4 // id, o, l and n0
	name := func() string {
		if next < names {
			next++
			return fmt.Sprintf("n%d", next-4)
		}
		return fmt.Sprintf("n%d", r.IntN(names-3))
	}
	for i := range texts {
		if i%50 == 7 {
			continue
		}
		if i%50 == 8 || rows > PageRows && i%8 > 0 {
			texts[i] = fmt.Sprint(i)
			continue
		}
		var m []string
		for range 12 {
			m = append(m, fmt.Sprintf(`%q:%s`, name(), []string{"1", `"x"`, `[1,"y"]`, "{}", "1e400"}[r.IntN(5)]))
		}
		texts[i] = fmt.Sprintf(`{"id":%d,%s,"n0":5,"o":{%q:true,"id":"s"},"l":[{"id":1,%q:2},{%q:[{"id":3}]}]}`, i, strings.Join(m, ","), name(), name(), name())
	}
	return texts
}

// TestManyNames writes columns at the limit of the shared dictionary and above it.
func TestManyNames(t *testing.T) {
	for _, c := range []struct {
		names, rows int
		own         bool
	}{{maxNames, 1300, false}, {maxNames + 1, 1300, true}, {20_000, PageRows + 500, true}} {
		texts := manyNames(c.names, c.rows)
		v := documents(t, texts...)
		variants := types.Of(types.Variant)
		cols := []Column{{ID: 1, Name: "v", Type: variants}, {ID: 2, Name: "j", Type: types.Of(types.JSON)}}
		r, m, fsys := build(t, cols, WriterOptions{}, vec.NewBatch(v.Len, v, v.Retype(types.Of(types.JSON))))
		checkForeign(t, fsys, m, r, v)
		for _, col := range cols {
			root, err := r.file.find(entryKey(col.ID, nil))
			if err != nil || root.ownMeta != c.own {
				t.Errorf("%d names: metadata of the rows' own: %v, %v", c.names, root.ownMeta, err)
			}
			got := readAll(t, r, Want{Column: col.ID})
			for i := range texts {
				if a, b := text(got, i), text(v, i); a != b {
					t.Fatalf("%d names, column %s row %d: %s, want %s", c.names, col.Name, i, a, b)
				}
			}
		}
		for _, path := range [][]string{{"id"}, {"o"}, {"o", "id"}, {"l"}, {"n0"}, {"n1"}, {"n77"}, {"o", "n13"}, {"none"}, {"id", "x"}} {
			got := readAll(t, r, Want{Column: 1, Path: path})
			var steps []variant.Step
			for _, k := range path {
				steps = append(steps, variant.Step{Key: k})
			}
			want := variant.PathVector(v, steps)
			for i := range texts {
				if a, b := text(got, i), text(want, i); a != b {
					t.Fatalf("%d names, path %v row %d: %s, want %s", c.names, path, i, a, b)
				}
			}
		}
		if err := r.Verify(); err != nil {
			t.Error(err)
		}
	}
}

// TestManyNameBytes is the limit of their length.
func TestManyNameBytes(t *testing.T) {
	for _, extra := range []int{0, 1} {
		var texts []string
		size := 0
		for i := 0; size < maxNameBytes+extra; i++ {
			n := fmt.Sprintf("%0200d", i)
			n = n[len(n)-min(len(n), maxNameBytes+extra-size):]
			texts = append(texts, fmt.Sprintf(`{%q:%d}`, n, i))
			size += len(n)
		}
		v := documents(t, texts...)
		r, _, _ := build(t, []Column{{ID: 1, Name: "v", Type: types.Of(types.Variant)}}, WriterOptions{}, vec.NewBatch(v.Len, v))
		root, err := r.file.find(entryKey(1, nil))
		if err != nil || root.ownMeta != (extra > 0) {
			t.Errorf("%d bytes of names: metadata of the rows' own: %v, %v", size, root.ownMeta, err)
		}
		got := readAll(t, r, Want{Column: 1})
		for i := range texts {
			if s := text(got, i); s != texts[i] {
				t.Fatalf("row %d: %s, want %s", i, s, texts[i])
			}
		}
	}
}
