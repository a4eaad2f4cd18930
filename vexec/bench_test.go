package vexec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

const benchRows = 1 << 20

// benchTable has batches of the columns k BIGINT (distinct values), s VARCHAR (of k), v BIGINT.
func benchTable(distinct int) plan.Node {
	rng := rand.New(rand.NewPCG(1, 2))
	n := &plan.Batches{Out: types.Schema{optest.Col("k", types.BigInt), optest.Col("s", types.Varchar), optest.Col("v", types.BigInt)}}
	n.Out[0].NotNull = true
	const page = 16384
	for from := 0; from < benchRows; from += page {
		k, v := make([]int64, page), make([]int64, page)
		s := vec.NewBuilder(types.Of(types.Varchar), page)
		for i := range page {
			k[i] = int64(rng.IntN(distinct)) * 7919
			v[i] = int64(rng.Uint32())
			s.AppendString(fmt.Sprintf("text number %d", k[i]))
		}
		n.Data = append(n.Data, vec.NewBatch(page, vec.NewFlat(tBig, k, nil), s.Finish(), vec.NewFlat(tBig, v, nil)))
	}
	return n
}

// cpuTime returns the processor time of this process in nanoseconds; on a shared machine it is steadier than the clock.
func cpuTime() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// measure runs a plan b.N times and reports the time per input row.
func measure(b *testing.B, p plan.Node) {
	b.Helper()
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			start := cpuTime()
			for range b.N {
				q, err := vexec.Build(p, &vexec.Env{Fn: optest.Fn(), Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
				if err := q.Run(context.Background(), func(*vec.Batch) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
			b.ReportMetric(float64(cpuTime()-start)/float64(b.N)/benchRows, "cpu-ns/row")
		})
	}
}

func BenchmarkGroupBy(b *testing.B) {
	for _, distinct := range []int{10, 1000, 100_000, 1_000_000} {
		in := benchTable(distinct)
		for i, name := range []string{"int", "text"} {
			b.Run(fmt.Sprintf("%s/%d", name, distinct), func(b *testing.B) {
				aggs := []plan.AggCall{resolve(b, "count"), resolve(b, "sum", col(in, 2))}
				measure(b, plan.NewAggregate(in, exprsOf(in, i), []string{"k"}, aggs))
			})
		}
		b.Run(fmt.Sprintf("int+text/%d", distinct), func(b *testing.B) {
			measure(b, plan.NewAggregate(in, exprsOf(in, 0, 1), []string{"k", "s"}, []plan.AggCall{resolve(b, "count")}))
		})
	}
}

func BenchmarkJoin(b *testing.B) {
	for _, distinct := range []int{1000, 100_000, 1_000_000} {
		left := benchTable(distinct)
		right := &plan.Batches{Out: types.Schema{optest.Col("k", types.BigInt), optest.Col("w", types.BigInt)}}
		for from := 0; from < distinct; from += 1000 {
			k, w := make([]int64, 1000), make([]int64, 1000)
			for i := range k {
				k[i], w[i] = int64(from+i)*7919, int64(i)
			}
			right.Data = append(right.Data, vec.NewBatch(1000, vec.NewFlat(tBig, k, nil), vec.NewFlat(tBig, w, nil)))
		}
		b.Run(fmt.Sprintf("%d", distinct), func(b *testing.B) {
			j := plan.NewJoin(plan.Inner, left, right, exprsOf(left, 0), exprsOf(right, 0), nil)
			measure(b, plan.NewAggregate(j, nil, nil, []plan.AggCall{resolve(b, "sum", col(j, 4))}))
		})
	}
}

func BenchmarkSort(b *testing.B) {
	in := benchTable(1_000_000)
	f := func(name string, limit int64, keys ...int) {
		b.Run(name, func(b *testing.B) {
			s := &plan.Sort{Input: in, Limit: limit}
			for _, k := range keys {
				s.Keys = append(s.Keys, plan.SortKey{Expr: col(in, k)})
			}
			measure(b, s)
		})
	}
	f("int", -1, 2)
	f("text", -1, 1)
	f("text+int", -1, 1, 2)
	f("top10/int", 10, 2)
	f("top10/text", 10, 1)
}
