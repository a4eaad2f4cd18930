//go:build unix

package function

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// benchRows is the usual batch.
const benchRows = vec.Size

func benchInts[T signed](kind types.Kind, most int64) *vec.Vector {
	r := rand.New(rand.NewPCG(1, 2))
	d := make([]T, benchRows)
	for i := range d {
		d[i] = T(r.Int64N(most))
	}
	return vec.NewFlat(types.Of(kind), d, nil)
}

func benchTexts() *vec.Vector {
	r := rand.New(rand.NewPCG(3, 4))
	b := vec.NewBuilder(types.Of(types.Varchar), benchRows)
	for range benchRows {
		b.AppendString(fmt.Sprintf("https://www.example%d.com/some/path/page-%d.html?query=%d&lang=en", r.IntN(50), r.IntN(1000), r.IntN(1e6)))
	}
	return b.Finish()
}

// cpuTime is the processor time of the process: unlike the clock it does not count other processes.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// report gives the processor time per row.
func report(b *testing.B, start time.Duration) {
	b.ReportMetric(float64((cpuTime()-start).Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

// BenchmarkScalars reports nanoseconds per row of functions that the benchmarks' queries use.
func BenchmarkScalars(b *testing.B) {
	texts := benchTexts()
	small, big := benchInts[int16](types.SmallInt, 4), benchInts[int64](types.BigInt, 1<<40)
	times := benchInts[int64](types.BigInt, 1<<50).Retype(types.Of(types.DateTime))
	price := benchInts[int64](types.BigInt, 1e7).Retype(types.DecimalOf(15, 2))
	run := func(name, fn string, args ...*vec.Vector) {
		b.Run(name, func(b *testing.B) {
			given := make([]Arg, len(args))
			for i, a := range args {
				given[i].Type = a.Type
				if a.Len == 1 {
					given[i].Const = a
				}
			}
			s, err := Resolve(fn, given)
			if err != nil {
				b.Fatal(err)
			}
			in := make([]*vec.Vector, len(args))
			for i, a := range args {
				if a.Len == 1 {
					a = vec.NewConstant(a, benchRows)
				}
				if in[i], err = Cast(testCtx, a, s.Args[i], false); err != nil {
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			start := cpuTime()
			for b.Loop() {
				if _, err := s.Kernel(testCtx, in, benchRows); err != nil {
					b.Fatal(err)
				}
			}
			report(b, start)
		})
	}
	one := func(x int32) *vec.Vector { return vec.NewFlat(types.Of(types.Int), []int32{x}, nil) }
	run("smallint<>const", "<>", small, one(0))
	run("bigint=bigint", "=", big, big)
	run("bigint+const", "+", big, one(1))
	run("bigint*bigint", "*", small, big)
	run("text=const", "=", texts, testText("https://www.example1.com/"))
	run("text<>empty", "<>", texts, testText(""))
	run("like contains", "like", texts, testText("%google%"))
	run("like two", "like", texts, testText("%page%lang%"))
	run("like general", "like", texts, testText("%p_ge%"))
	run("regexp_replace", "regexp_replace", texts, testText(`^https?://(?:www\.)?([^/]+)/.*$`), testText(`\1`))
	run("regexp", "regexp", texts, testText(`page-[0-9]+5\.html`))
	run("length", "length", texts)
	run("octet_length", "octet_length", texts)
	run("substr", "substr", texts, one(9), one(11))
	run("lower", "lower", texts)
	run("concat", "concat", texts, testText("x"))
	run("minute", "minute", times)
	run("year", "year", times)
	run("date_trunc minute", "date_trunc", testText("minute"), times)
	run("date_trunc month", "date_trunc", testText("month"), times)
	run("decimal*decimal", "*", price, price)
	run("decimal-const", "-", one(1), price)
	run("cast smallint to bigint", "coalesce", small, big)
}

// BenchmarkAggregates reports nanoseconds per row.
func BenchmarkAggregates(b *testing.B) {
	small, big, texts := benchInts[int16](types.SmallInt, 3000), benchInts[int64](types.BigInt, 1<<40), benchTexts()
	doubles, _ := Cast(testCtx, big, types.Of(types.Double), false)
	price := big.Retype(types.DecimalOf(15, 2))
	wide, _ := Cast(testCtx, price, types.DecimalOf(30, 4), false)
	groups := make([]uint32, benchRows)
	for i := range groups {
		groups[i] = uint32(i*7) % 1000
	}
	run := func(name string, v *vec.Vector, distinct bool) {
		for _, g := range [][]uint32{nil, groups} {
			label := name
			if distinct {
				label += " distinct"
			}
			if g != nil {
				label += " grouped"
			}
			b.Run(label+" "+v.Type.Kind.String(), func(b *testing.B) {
				a, err := ResolveAggregate(name, []Arg{{Type: v.Type}})
				if err != nil {
					b.Fatal(err)
				}
				if distinct {
					a = NewDistinct(a)
				}
				acc := a.New(testCtx)
				b.ResetTimer()
				start := cpuTime()
				for b.Loop() {
					if err := acc.Update(g, 1000, []*vec.Vector{v}, benchRows); err != nil {
						b.Fatal(err)
					}
				}
				report(b, start)
			})
		}
	}
	run("sum", small, false)
	run("sum", big, false)
	run("sum", price, false)
	run("sum", wide, false)
	run("sum", doubles, false)
	run("avg", big, false)
	run("max", big, false)
	run("max", texts, false)
	run("count", big, true)
	run("count", texts, true)
	run("approx_count_distinct", big, false)
}
