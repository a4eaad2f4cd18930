package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/variant/varianttest"
	"github.com/ebira-db/ebira/vec"
)

// documents parses JSON texts; "" is SQL NULL.
var documents = varianttest.Documents

// dump prints the live rows of a table, sorted: key, document, list.
func dump(t testing.TB, s *Store, id catalog.TableID) string {
	t.Helper()
	p := s.Pin()
	defer p.Release()
	tb := p.Snapshot().TableByID(id)
	var sources []*source
	for _, m := range tb.Segments {
		sources = append(sources, s.segmentSource(tb, m))
	}
	for _, b := range tb.Batches {
		sources = append(sources, batchSource(tb, b))
	}
	var out []string
	for _, src := range sources {
		in, err := src.open()
		if err != nil {
			t.Fatal(err)
		}
		for from := 0; from < src.rows; from += segment.PageRows {
			b, err := in.Page(from / segment.PageRows)
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Len {
				if src.deleted.Contains(uint32(from + i)) {
					continue
				}
				line := ""
				for _, v := range b.Cols {
					line += " " + cell(v, i)
				}
				out = append(out, line)
			}
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func cell(v *vec.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	h, j := v.At(i)
	switch {
	case v.Type.IsVariant():
		meta, value := v.VariantAt(i)
		return string(variant.AppendJSON(nil, meta, value))
	case v.Type.Kind == types.Array:
		child, from, to := v.ListAt(i)
		var parts []string
		for k := from; k < to; k++ {
			parts = append(parts, cell(child, k))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case v.Type.Kind == types.Varchar:
		return string(v.Bytes(i))
	}
	return fmt.Sprint(vec.Slice[int64](h)[j])
}

// TestRealSegments sends documents and lists through flush, compaction, reopening and a crash with the segments of package segment.
func TestRealSegments(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, sorted := range []bool{false, true} {
		m := vfs.NewMem()
		s := mustOpen(t, m)
		tb := &catalog.Table{ID: catalog.TableID(s.NewID()), Database: "default", Name: "t", NextColumn: 4, Columns: []catalog.Column{
			{ID: 1, Name: "k", Type: types.Of(types.BigInt), NotNull: true}, {ID: 2, Name: "v", Type: types.Of(types.Variant)},
			{ID: 3, Name: "tags", Type: types.ArrayOf(types.Of(types.Varchar))},
		}}
		if sorted {
			tb.SortKey = []catalog.ColumnID{1}
		}
		mustCommit(t, s, &catalog.CreateTable{Table: tb})
		next := int64(0)
		insert := func(n int) {
			var keys []int64
			var texts []string
			tags := vec.NewBuilder(tb.Columns[2].Type, n)
			for range n {
				next++
				keys = append(keys, next*7919%10007)
				texts = append(texts, []string{"", fmt.Sprintf(`{"a":%d,"b":{"c":"text number %d"},"d":[1,{"e":null}]}`, next, next), `"plain"`, "null",
					fmt.Sprintf(`{"a":"%d","x%d":1.5}`, next, next%50)}[rng.IntN(5)])
				for range rng.IntN(3) {
					tags.Child(0).AppendString(fmt.Sprint("tag ", rng.IntN(5)))
				}
				tags.CloseList()
			}
			mustCommit(t, s, &catalog.AddBatch{Table: tb.ID, Batch: &catalog.Batch{ID: segment.ID(s.NewID()), Columns: []catalog.ColumnID{1, 2, 3},
				Data: vec.NewBatch(n, vec.NewFlat(types.Of(types.BigInt), keys, nil), documents(t, texts...), tags.Finish())}})
		}
		same := func(what string, f func() error) {
			t.Helper()
			want := dump(t, s, tb.ID)
			if err := f(); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if got := dump(t, s, tb.ID); got != want {
				t.Fatalf("%s changes the rows", what)
			}
		}
		for round := range 4 {
			for range 5 {
				insert(1 + rng.IntN(300))
			}
			now := s.Snapshot().TableByID(tb.ID)
			mustCommit(t, s, &catalog.DeleteRows{Table: tb.ID, Target: now.Batches[1].ID, Rows: catalog.NewDeletionVector(0)})
			if round > 0 {
				mustCommit(t, s, &catalog.DeleteRows{Table: tb.ID, Target: now.Segments[0].ID, Rows: catalog.NewDeletionVector(uint32(round), uint32(10+round), uint32(20+round))})
			}
			same("flush", func() error { return s.Flush(bg) })
			if round%2 == 1 {
				same("compaction", func() error { return s.Compact(bg, tb.ID) })
			}
			same("reopening", func() error {
				mustClose(t, s)
				s = mustOpen(t, m)
				return nil
			})
			same("a crash", func() error {
				c := m.CrashClone(rng)
				mustClose(t, s)
				m = c
				s = mustOpen(t, m)
				return nil
			})
		}
		now := s.Snapshot().TableByID(tb.ID)
		if len(now.Segments) != 1 || now.Deleted(now.Segments[0].ID) != nil {
			t.Errorf("%d segments", len(now.Segments))
		}
		z := now.Segments[0].Zones[0]
		if z.Rows != now.Rows() || vec.Slice[int64](z.Max)[0] <= vec.Slice[int64](z.Min)[0] {
			t.Errorf("zone map %+v", z)
		}
		mustClose(t, s)
	}
}
