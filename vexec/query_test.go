package vexec_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

// manyNumbers is a table of 0 to n-1.
func manyNumbers(n int) optest.Table {
	t := numbers()
	for i := range n {
		t.Rows = append(t.Rows, optest.Row(i))
	}
	return t
}

// failing projects n through f.
func failing(n plan.Node, f func(x int64) (int64, error)) plan.Node {
	e := call("f", tBig, func(x ...int64) (int64, error) { return f(x[0]) }, col(n, 0))
	return plan.NewProject(n, []expr.Expr{e}, []string{"n"})
}

// runs executes a plan with 4 workers over every kind of operator that may sit above it.
func runs(t *testing.T, n plan.Node, check func(err error)) {
	t.Helper()
	key := []expr.Expr{col(n, 0)}
	small := numbers(1, 2).Node(1)
	for _, p := range []plan.Node{
		n,
		groupBy(n, 0, 0),
		&plan.Sort{Input: n, Keys: []plan.SortKey{{Expr: key[0]}}, Limit: -1},
		plan.NewJoin(plan.Inner, n, small, key, []expr.Expr{col(small, 0)}, nil),
		plan.NewJoin(plan.Inner, small, n, []expr.Expr{col(small, 0)}, key, nil),
		&plan.Limit{Input: n, Count: 1 << 40},
	} {
		before := runtime.NumGoroutine()
		_, err := optest.Collect(p, &vexec.Env{Fn: optest.Fn(), Workers: 4})
		check(err)
		optest.CheckGoroutines(t, before)
	}
}

func TestErrorStopsAll(t *testing.T) {
	var calls atomic.Int64
	in := manyNumbers(5000).Node(10)
	runs(t, failing(in, func(x int64) (int64, error) {
		calls.Add(1)
		if x == 42 {
			return 0, sqlerr.New(sqlerr.OutOfRange, "number 42")
		}
		return x, nil
	}), func(err error) {
		if sqlerr.KindOf(err) != sqlerr.OutOfRange || !strings.Contains(err.Error(), "number 42") {
			t.Errorf("error %v", err)
		}
	})
}

func TestPanicIsAnInternalError(t *testing.T) {
	in := manyNumbers(5000).Node(10)
	runs(t, failing(in, func(x int64) (int64, error) {
		if x == 42 {
			panic("BUG: number 42")
		}
		return x, nil
	}), func(err error) {
		bug, ok := errors.AsType[*vexec.Bug](err)
		if sqlerr.KindOf(err) != sqlerr.Internal || !ok || bug.Text != "BUG: number 42" || !strings.Contains(bug.Stack, "query_test.go") {
			t.Errorf("error %v", err)
		}
	})
}

func TestPanicInSource(t *testing.T) {
	bad := vec.NewFlat(tBig, []int64{1}, nil)
	bad.Data = []string{"not a bigint"}
	in := &plan.Batches{Data: []*vec.Batch{vec.NewBatch(1, bad)}, Out: numbers().Schema}
	_, err := optest.Collect(groupBy(in, 0, 0), &vexec.Env{Fn: optest.Fn(), Workers: 2})
	if sqlerr.KindOf(err) != sqlerr.Internal || !strings.Contains(err.Error(), "BUG: ") {
		t.Errorf("error %v", err)
	}
}

func TestCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	in := manyNumbers(100).Node(10)
	// 10^8 pairs take long enough to be canceled.
	j := plan.NewJoin(plan.Cross, in, manyNumbers(1000).Node(100), nil, nil, nil)
	k := plan.NewJoin(plan.Cross, j, manyNumbers(1000).Node(100), nil, nil, nil)
	q, err := vexec.Build(k, &vexec.Env{Fn: optest.Fn(), Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	err = q.Run(ctx, func(b *vec.Batch) error {
		rows += b.Len
		cancel()
		return nil
	})
	if sqlerr.KindOf(err) != sqlerr.Canceled || !errors.Is(err, context.Canceled) || rows > 1e7 {
		t.Errorf("error %v after %d rows", err, rows)
	}
	optest.CheckGoroutines(t, before)
}

// TestBlockedEmit cancels while the consumer blocks: Run must come back as soon as the consumer does.
func TestBlockedEmit(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	q, err := vexec.Build(manyNumbers(5000).Node(10), &vexec.Env{Fn: optest.Fn(), Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	var inside atomic.Int32
	err = q.Run(ctx, func(*vec.Batch) error {
		if inside.Add(1) > 1 {
			t.Error("two emits at once")
		}
		defer inside.Add(-1)
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if sqlerr.KindOf(err) != sqlerr.Canceled {
		t.Errorf("error %v", err)
	}
	optest.CheckGoroutines(t, before)
}

func TestEmitErrorEndsQuery(t *testing.T) {
	q, err := vexec.Build(manyNumbers(500).Node(10), &vexec.Env{Fn: optest.Fn(), Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("consumer is full")
	if err := q.Run(context.Background(), func(*vec.Batch) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

func TestBudget(t *testing.T) {
	in := manyNumbers(200000).Node(2000)
	key := []expr.Expr{col(in, 0)}
	small := numbers(1, 2).Node(1)
	for _, p := range []plan.Node{
		groupBy(in, 0, 0),
		&plan.Distinct{Input: in},
		&plan.Sort{Input: in, Keys: []plan.SortKey{{Expr: key[0]}}, Limit: -1},
		plan.NewJoin(plan.Inner, small, in, []expr.Expr{col(small, 0)}, key, nil),
	} {
		f := func(limit int64, fails bool) {
			t.Helper()
			b := cache.NewBudget("query", limit)
			_, err := optest.Collect(p, &vexec.Env{Fn: optest.Fn(), Workers: 4, Budget: b})
			if fails && sqlerr.KindOf(err) != sqlerr.Resource || !fails && err != nil {
				t.Errorf("%T with %d bytes: %v", p, limit, err)
			}
			if b.Used() != 0 {
				t.Errorf("%T leaves %d bytes charged", p, b.Used())
			}
			if !fails && b.Peak() == 0 {
				t.Errorf("%T charges nothing", p)
			}
		}
		f(1<<20, true)
		f(1<<30, false)
	}
}

func TestRunAgain(t *testing.T) {
	in := manyNumbers(100).Node(7)
	q, err := vexec.Build(&plan.Limit{Input: groupBy(in, 0, 0), Count: 60, Offset: 10}, &vexec.Env{Fn: optest.Fn(), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		rows := 0
		if err := q.Run(context.Background(), func(b *vec.Batch) error { rows += b.Len; return nil }); err != nil || rows != 60 {
			t.Fatalf("%d rows, %v", rows, err)
		}
	}
}

func TestStats(t *testing.T) {
	in := manyNumbers(100).Node(7)
	f := &plan.Filter{Input: in, Cond: even(col(in, 0))}
	g := groupBy(f, 0)
	q, err := vexec.Build(g, &vexec.Env{Fn: optest.Fn(), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Run(context.Background(), func(*vec.Batch) error { return nil }); err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	for _, s := range q.Stats() {
		rows[s.Name] = s.Rows
		if s.Time < 0 {
			t.Errorf("%s took %v", s.Name, s.Time)
		}
	}
	for name, want := range map[string]int64{"batches": 100, "filter": 50, "aggregate": 50, "groups": 1, "output": 1} {
		if rows[name] != want {
			t.Errorf("%s: %d rows, want %d", name, rows[name], want)
		}
	}
}

// TestDistinctAggregates counts different values with functions of the catalogue, also where they lie in several partitions.
func TestDistinctAggregates(t *testing.T) {
	in := optest.NewTable([]types.Field{optest.Col("k", types.BigInt), optest.Col("v", types.BigInt), optest.Col("s", types.Varchar)})
	for i := range 4000 {
		in.Rows = append(in.Rows, optest.Row(i%500, i%1500, fmt.Sprintf("value %d", i%3)))
	}
	var want []string
	for k := range 500 {
		// v is k, k + 500 or k + 1000; s has all three values.
		want = append(want, fmt.Sprintf("%d | 3 | %d | 3 | 8", k, 3*k+1500))
	}
	distinct := func(name string, arg expr.Expr) plan.AggCall {
		c := resolve(t, name, arg)
		c.Distinct = true
		return c
	}
	optest.RunOnce(t, optest.Case{
		Inputs: []optest.Table{in},
		Plan: func(in []plan.Node) plan.Node {
			n := in[0]
			return plan.NewAggregate(n, exprsOf(n, 0), []string{"k"}, []plan.AggCall{
				distinct("count", col(n, 1)), distinct("sum", col(n, 1)), distinct("count", col(n, 2)), resolve(t, "count"),
			})
		},
		Want: want,
	})
	optest.RunOnce(t, optest.Case{
		Inputs: []optest.Table{in},
		Plan: func(in []plan.Node) plan.Node {
			return plan.NewAggregate(in[0], nil, nil, []plan.AggCall{distinct("count", col(in[0], 1)), distinct("count", col(in[0], 2))})
		},
		Want: []string{"1500 | 3"},
	})
}

// TestOrder has workers overtake each other: the output still comes in the order of the input.
func TestOrder(t *testing.T) {
	const n = 20000
	in := manyNumbers(n).Node(10)
	slow := failing(in, func(x int64) (int64, error) {
		if x%1000 == 0 {
			runtime.Gosched()
		}
		return x, nil
	})
	for range 5 {
		q, err := vexec.Build(slow, &vexec.Env{Fn: optest.Fn(), Workers: 4})
		if err != nil {
			t.Fatal(err)
		}
		next := int64(0)
		err = q.Run(context.Background(), func(b *vec.Batch) error {
			for _, x := range vec.Slice[int64](b.Cols[0]) {
				if x != next {
					t.Fatalf("%d after %d", x, next-1)
				}
				next++
			}
			return nil
		})
		if err != nil || next != n {
			t.Fatalf("%d rows, %v", next, err)
		}
	}
}
