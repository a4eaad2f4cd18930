package segment

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
)

// benchRows is a segment of many pages.
const benchRows = 16 * PageRows

// scan reads all pages of w without a page cache, and reports the time a value.
func scan(b *testing.B, col Column, v *vec.Vector, w Want) {
	r, m, _ := build(b, []Column{col}, WriterOptions{}, vec.NewBatch(v.Len, v))
	b.ReportMetric(float64(m.Bytes)/float64(m.Rows), "bytes/row")
	b.ResetTimer()
	for range b.N {
		for p := range r.Pages() {
			if _, err := r.Read(w, p); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*v.Len), "ns/value")
}

func BenchmarkScan(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	col := func(t types.Type) Column { return Column{ID: 1, Name: "c", Type: t} }
	bigint, text := types.Of(types.BigInt), types.Of(types.Varchar)
	seq := make([]int64, benchRows)
	for i := range seq {
		seq[i] = int64(i)*1000 + r.Int64N(900)
	}
	docs := make([]string, benchRows)
	for i := range docs {
		docs[i] = fmt.Sprintf(`{"a":%d,"o":{"s":"text %d","d":%g},"mixed":%s}`, r.IntN(1<<30), i%50, r.Float64(), []string{"1", `"x"`}[i%20/19])
	}
	v := documents(b, docs...)
	for _, c := range []struct {
		name string
		col  Column
		v    *vec.Vector
		path []string
	}{
		{"int64/random", col(bigint), randomVector(r, bigint, benchRows, 1<<40, 0), nil},
		{"int64/nullable", col(bigint), randomVector(r, bigint, benchRows, 1<<40, 10), nil},
		{"int64/ascending", col(bigint), vec.NewFlat(bigint, seq, nil), nil},
		{"int64/few", col(bigint), randomVector(r, bigint, benchRows, 100, 0), nil},
		{"double", col(types.Of(types.Double)), randomVector(r, types.Of(types.Double), benchRows, 1<<40, 0), nil},
		{"text/dictionary", col(text), randomVector(r, text, benchRows, 500, 5), nil},
		{"text/unique", col(text), randomVector(r, text, benchRows, 1<<40, 0), nil},
		{"variant/bigint", col(types.Of(types.Variant)), v, []string{"a"}},
		{"variant/nested text", col(types.Of(types.Variant)), v, []string{"o", "s"}},
		{"variant/mixed", col(types.Of(types.Variant)), v, []string{"mixed"}},
		{"variant/missing", col(types.Of(types.Variant)), v, []string{"none"}},
		{"variant/object", col(types.Of(types.Variant)), v, []string{"o"}},
		{"variant/document", col(types.Of(types.Variant)), v, nil},
	} {
		b.Run(c.name, func(b *testing.B) { scan(b, c.col, c.v, Want{Column: 1, Path: c.path}) })
	}
}

func BenchmarkWrite(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	n := 8 * PageRows
	docs, arrays := make([]string, n), make([]string, n)
	for i := range docs {
		docs[i] = fmt.Sprintf(`{"a":%d,"o":{"s":"text %d","d":%g},"mixed":%s}`, r.IntN(1<<30), i%50, r.Float64(), []string{"1", `"x"`}[i%20/19])
		arrays[i] = fmt.Sprintf(`{"a":%d,"tags":["t%d","u"],"commits":[{"sha":"%016x","author":{"name":"n%d"}},{"sha":"%016x"}],"point":[%g,%g]}`,
			i, i%50, r.Uint64(), i%90, r.Uint64(), r.Float64(), r.Float64())
	}
	for _, c := range []struct {
		name string
		v    *vec.Vector
	}{
		{"int64 random", randomVector(r, types.Of(types.BigInt), n, 1<<40, 0)},
		{"int64 few", randomVector(r, types.Of(types.BigInt), n, 100, 5)},
		{"double", randomVector(r, types.Of(types.Double), n, 1<<40, 0)},
		{"text few", randomVector(r, types.Of(types.Varchar), n, 500, 5)},
		{"text unique", randomVector(r, types.Of(types.Varchar), n, 1<<40, 0)},
		{"variant", documents(b, docs...)},
		{"variant with arrays", documents(b, arrays...)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				w, err := NewWriter(vfs.NewMem(), "s", 1, []Column{{ID: 1, Name: "c", Type: c.v.Type}}, WriterOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if err := w.Append(vec.NewBatch(n, c.v)); err != nil {
					b.Fatal(err)
				}
				if _, err := w.Finish(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
		})
	}
}
