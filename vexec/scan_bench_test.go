package vexec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

// benchSegment is a table of one full segment of (n BIGINT ascending, r INT random, c VARCHAR of 100 values, u VARCHAR unique, d DOUBLE)
// with its pages in a cache.
func benchSegment(b *testing.B) (*catalog.Table, *vexec.Env) {
	b.Helper()
	cols := []segment.Column{
		{ID: 1, Name: "n", Type: tBig, NotNull: true}, {ID: 2, Name: "r", Type: types.Of(types.Int)}, {ID: 3, Name: "c", Type: types.Of(types.Varchar)},
		{ID: 4, Name: "u", Type: types.Of(types.Varchar)}, {ID: 5, Name: "d", Type: types.Of(types.Double)},
	}
	fsys := vfs.NewMem()
	w, err := segment.NewWriter(fsys, "s.parquet", 7, cols, segment.WriterOptions{})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const page = 16384
	for from := 0; from < benchRows; from += page {
		n, r, d := make([]int64, page), make([]int32, page), make([]float64, page)
		c, u := vec.NewBuilder(cols[2].Type, page), vec.NewBuilder(cols[3].Type, page)
		for i := range page {
			n[i], r[i], d[i] = int64(from+i), int32(rng.IntN(1000)), rng.Float64()
			c.AppendString(fmt.Sprintf("category %d", rng.IntN(100)))
			u.AppendString(fmt.Sprintf("https://example.com/%d", rng.Uint32()))
		}
		batch := vec.NewBatch(page, vec.NewFlat(tBig, n, nil), vec.NewFlat(cols[1].Type, r, nil), c.Finish(), u.Finish(), vec.NewFlat(cols[4].Type, d, nil))
		if err := w.Append(batch); err != nil {
			b.Fatal(err)
		}
	}
	meta, err := w.Finish()
	if err != nil {
		b.Fatal(err)
	}
	table := &catalog.Table{ID: 1, Name: "t", Segments: []*segment.Meta{meta}}
	for _, c := range cols {
		table.Columns = append(table.Columns, catalog.Column{ID: c.ID, Name: c.Name, Type: c.Type, NotNull: c.NotNull})
	}
	caches := segment.Caches{
		Meta:  cache.New[segment.ID, *segment.File](cache.Config[segment.ID]{Name: "meta", MaxBytes: 64 << 20, EntryBytes: 64 << 10}),
		Pages: cache.New[segment.PageKey, segment.CachedPage](cache.Config[segment.PageKey]{Name: "pages", MaxBytes: 1 << 30, EntryBytes: 64 << 10}),
	}
	return table, &vexec.Env{Fn: optest.Fn(), Workers: 1, OpenSegment: func(_ *catalog.Table, m *segment.Meta) (*segment.Reader, error) {
		return segment.Open(fsys, m.File, m, caches)
	}}
}

// scalar makes a call of a function of the catalogue with a column and a constant.
func scalar(b *testing.B, name string, arg expr.Expr, v any) expr.Expr {
	b.Helper()
	field := types.Field{Name: "c", Type: arg.Type()}
	value := optest.NewTable([]types.Field{field}, optest.Row(v)).Node(1).(*plan.Batches).Data[0].Cols[0]
	s, err := function.Resolve(name, []function.Arg{{Type: arg.Type()}, {Type: field.Type, Const: value}})
	if err != nil {
		b.Fatal(err)
	}
	return &expr.Call{Fn: s, Args: []expr.Expr{arg, &expr.Const{Value: value}}}
}

func BenchmarkScan(b *testing.B) {
	table, env := benchSegment(b)
	f := func(name string, build func(s *plan.Scan) plan.Node) {
		b.Run(name, func(b *testing.B) {
			p := build(plan.NewScan(table, false))
			start := cpuTime()
			for range b.N {
				q, err := vexec.Build(p, env)
				if err != nil {
					b.Fatal(err)
				}
				if err := q.Run(context.Background(), func(*vec.Batch) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime()-start)/float64(b.N)/benchRows, "cpu-ns/row")
		})
	}
	f("count", func(s *plan.Scan) plan.Node {
		return plan.NewAggregate(s, nil, nil, []plan.AggCall{resolve(b, "count")})
	})
	f("sum", func(s *plan.Scan) plan.Node {
		return plan.NewAggregate(s, nil, nil, []plan.AggCall{resolve(b, "sum", col(s, 0)), resolve(b, "avg", col(s, 4))})
	})
	f("filter10%", func(s *plan.Scan) plan.Node {
		s.Filter = []expr.Expr{scalar(b, "<", col(s, 1), 100)}
		return plan.NewAggregate(s, nil, nil, []plan.AggCall{resolve(b, "sum", col(s, 0))})
	})
	f("filter0.1%", func(s *plan.Scan) plan.Node {
		s.Filter = []expr.Expr{scalar(b, "=", col(s, 1), 77)}
		return plan.NewProject(s, exprsOf(s, 0, 2, 3, 4), []string{"a", "b", "c", "d"})
	})
	f("filter text", func(s *plan.Scan) plan.Node {
		s.Filter = []expr.Expr{scalar(b, "=", col(s, 2), "category 7")}
		return plan.NewAggregate(s, nil, nil, []plan.AggCall{resolve(b, "count")})
	})
	f("like", func(s *plan.Scan) plan.Node {
		s.Filter = []expr.Expr{scalar(b, "like", col(s, 3), "%777%")}
		return plan.NewAggregate(s, nil, nil, []plan.AggCall{resolve(b, "count")})
	})
	f("group by text", func(s *plan.Scan) plan.Node {
		return plan.NewAggregate(s, exprsOf(s, 2), []string{"c"}, []plan.AggCall{resolve(b, "count"), resolve(b, "sum", col(s, 0))})
	})
	f("group by int", func(s *plan.Scan) plan.Node {
		return plan.NewAggregate(s, exprsOf(s, 1), []string{"r"}, []plan.AggCall{resolve(b, "count")})
	})
	f("group by int, text", func(s *plan.Scan) plan.Node {
		return plan.NewAggregate(s, exprsOf(s, 1, 2), []string{"r", "c"}, []plan.AggCall{resolve(b, "count")})
	})
	f("group by unique text", func(s *plan.Scan) plan.Node {
		g := plan.NewAggregate(s, exprsOf(s, 3), []string{"u"}, []plan.AggCall{resolve(b, "count")})
		return &plan.Sort{Input: g, Keys: []plan.SortKey{{Expr: col(g, 1), Desc: true}}, Limit: 10}
	})
	f("top 10", func(s *plan.Scan) plan.Node {
		return &plan.Sort{Input: s, Keys: []plan.SortKey{{Expr: col(s, 4)}}, Limit: 10}
	})
}
