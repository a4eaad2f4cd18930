package vexec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/storage/vfs/errorfs"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

// wide makes n rows of k BIGINT (values below keys, a tenth NULL, a fifth 7), s VARCHAR and n BIGINT, which numbers the rows.
func wide(seed uint64, n, keys int) plan.Node {
	rnd := rand.New(rand.NewPCG(seed, 1))
	out := &plan.Batches{Out: types.Schema{optest.Col("k", types.BigInt), optest.Col("s", types.Varchar), optest.Col("n", types.BigInt)}}
	for from := 0; from < n; from += 1000 {
		rows := min(1000, n-from)
		k, s, id := vec.NewBuilder(tBig, rows), vec.NewBuilder(types.Of(types.Varchar), rows), vec.NewBuilder(tBig, rows)
		for i := range rows {
			switch x := rnd.IntN(10); {
			case x == 0:
				k.AppendNull()
			case x < 3:
				vec.Append(k, int64(7))
			default:
				vec.Append(k, rnd.Int64N(int64(keys)))
			}
			s.AppendString(strings.Repeat("abcdefghij", rnd.IntN(10)) + fmt.Sprint(rnd.IntN(keys)))
			vec.Append(id, int64(from+i))
		}
		out.Data = append(out.Data, vec.NewBatch(rows, k.Finish(), s.Finish(), id.Finish()))
	}
	return out
}

// limited makes an environment with a budget, and what tells its peak.
func limited(limit int64, workers int) (*vexec.Env, *cache.Budget) {
	b := cache.NewBudget("the query", limit)
	return &vexec.Env{Fn: optest.Fn(), Workers: workers, Budget: b, Spill: vexec.NewSpillSpace(vfs.NewMem(), ".", 1<<40)}, b
}

// spills runs a plan without limit and with one, and compares. It returns the bytes spilled.
func spills(t *testing.T, n plan.Node, limit int64, ordered bool) int64 {
	t.Helper()
	want, err := optest.Collect(n, &vexec.Env{Fn: optest.Fn(), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !ordered {
		slices.Sort(want)
	}
	spilled := int64(0)
	for _, workers := range []int{1, 4} {
		env, budget := limited(limit, workers)
		q, err := vexec.Build(n, env)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = q.Run(context.Background(), func(b *vec.Batch) error {
			for i := range b.Len {
				got = append(got, optest.FormatRow(b, i))
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%d workers: %v", workers, err)
		}
		if !ordered {
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d workers: %d rows, want %d", workers, len(got), len(want))
		}
		if budget.Used() != 0 || budget.Peak() > limit || env.Spill.Used() != 0 {
			t.Errorf("%d workers: %d bytes are left, the peak was %d, %d bytes of files are left", workers, budget.Used(), budget.Peak(), env.Spill.Used())
		}
		spilled = 0
		for _, s := range q.Stats() {
			spilled += s.Spilled
		}
	}
	return spilled
}

// spillLimit is a tenth of what spillRows rows take.
const (
	spillRows  = 40_000
	spillLimit = 400 << 10
)

func TestSortBeyondMemory(t *testing.T) {
	in := wide(1, spillRows, 1000)
	for _, keys := range [][]plan.SortKey{
		{{Expr: col(in, 0)}},
		{{Expr: col(in, 1), Desc: true}, {Expr: col(in, 0), NullsFirst: true}},
		{{Expr: col(in, 0), Desc: true, NullsFirst: true}, {Expr: col(in, 1)}},
		nil,
	} {
		if n := spills(t, &plan.Sort{Input: in, Keys: keys, Limit: -1}, spillLimit, true); n < 5*spillLimit {
			t.Errorf("%d bytes were spilled", n)
		}
		spills(t, &plan.Sort{Input: in, Keys: keys, Limit: 70_000, Offset: 12_345}, spillLimit, true)
	}
}

func joinKinds() []plan.JoinKind {
	return []plan.JoinKind{plan.Inner, plan.Left, plan.Right, plan.Full, plan.Semi, plan.Anti, plan.NullAwareAnti, plan.Mark, plan.Exists}
}

func TestJoinBeyondMemory(t *testing.T) {
	// Key 7 has a fifth of all rows: its partition cannot be cut. Few of the left rows meet it.
	small := wide(2, 40, 50_000)
	large := wide(3, spillRows, 50_000)
	other := wide(4, spillRows/2, 50_000)
	narrow := plan.NewProject(other, []expr.Expr{plus(col(other, 2), 1), col(other, 1)}, []string{"k", "s"})
	for _, kind := range joinKinds() {
		on := func(l, r plan.Node) plan.Node {
			return plan.NewJoin(kind, l, r, []expr.Expr{col(l, 0)}, []expr.Expr{col(r, 0)}, nil)
		}
		if n := spills(t, on(small, large), spillLimit, false); n < spillLimit {
			t.Errorf("%v: %d bytes were spilled", kind, n)
		}
		if n := spills(t, on(large, narrow), spillLimit, false); n < 2*spillLimit {
			t.Errorf("%v of two large sides: %d bytes were spilled", kind, n)
		}
		cond := less(col(small, 2), rightCol(small, large, 2))
		spills(t, plan.NewJoin(kind, small, large, []expr.Expr{col(small, 0)}, []expr.Expr{col(large, 0)}, cond), spillLimit, false)
	}
	// The left side has a unique key.
	unique := plan.NewProject(other, exprsOf(other, 2, 1), []string{"k", "s"})
	spills(t, plan.NewJoin(plan.Single, unique, narrow, []expr.Expr{col(unique, 0)}, []expr.Expr{col(narrow, 0)}, nil), spillLimit, false)
}

func TestNestedLoopBeyondMemory(t *testing.T) {
	small, large := wide(5, 20, 10), wide(6, spillRows/4, 10)
	for _, kind := range joinKinds()[:6] {
		cond := call("close", tBool, func(x ...int64) (bool, error) { return x[0]*1000 == x[1], nil }, col(small, 2), rightCol(small, large, 2))
		if n := spills(t, plan.NewJoin(kind, small, large, nil, nil, cond), spillLimit/2, false); n < spillLimit {
			t.Errorf("%v: %d bytes were spilled", kind, n)
		}
	}
}

func TestManyOperatorsShareABudget(t *testing.T) {
	a, b, c := wide(7, spillRows/2, 50_000), wide(8, spillRows/2, 50_000), wide(9, spillRows/2, 50_000)
	ids := func(n plan.Node) plan.Node { return plan.NewProject(n, exprsOf(n, 2, 1), []string{"id", "s"}) }
	l, m, r := ids(a), ids(b), ids(c)
	j := plan.NewJoin(plan.Inner, l, m, []expr.Expr{col(l, 0)}, []expr.Expr{col(m, 0)}, nil)
	k := plan.NewJoin(plan.Full, j, r, []expr.Expr{col(j, 0)}, []expr.Expr{col(r, 0)}, nil)
	n := &plan.Sort{Input: k, Keys: []plan.SortKey{{Expr: col(k, 1)}, {Expr: col(k, 0)}}, Limit: -1}
	spills(t, n, 2*spillLimit, true)
}

// TestSpillFails makes the disk fail: one clear error, nothing left behind.
func TestSpillFails(t *testing.T) {
	in := wide(10, spillRows/2, 50_000)
	keys := []expr.Expr{col(in, 0)}
	for _, n := range []plan.Node{
		&plan.Sort{Input: in, Keys: []plan.SortKey{{Expr: col(in, 0)}}, Limit: -1},
		plan.NewJoin(plan.Full, wide(11, 30, 10), in, keys, keys, nil),
	} {
		for _, kind := range []errorfs.Kind{errorfs.Create, errorfs.Write, errorfs.Read} {
			for at := range 4 {
				env, budget := limited(spillLimit, 2)
				fs := vfs.NewMem()
				nth := errorfs.FailNth(5 * at).Matching(func(op errorfs.Op) bool { return op.Kind == kind })
				env.Spill = vexec.NewSpillSpace(errorfs.Wrap(fs, nth.Inject), ".", 0)
				_, err := optest.Collect(n, env)
				if nth.Fired() != (err != nil) || err != nil && (sqlerr.KindOf(err) != sqlerr.IO || !strings.Contains(err.Error(), "spill file")) {
					t.Errorf("%s %d: %v", kind, 5*at, err)
				}
				if left, _ := fs.List("."); len(left) > 0 || budget.Used() != 0 || env.Spill.Used() != 0 {
					t.Errorf("%s %d: %d files, %d bytes of memory and %d of disk are left", kind, 5*at, len(left), budget.Used(), env.Spill.Used())
				}
			}
		}
	}
	env, _ := limited(spillLimit, 2)
	env.Spill = nil
	_, err := optest.Collect(&plan.Sort{Input: in, Limit: -1}, env)
	if sqlerr.KindOf(err) != sqlerr.Resource {
		t.Errorf("without a folder: %v", err)
	}
}

func TestCancelWhileSpilling(t *testing.T) {
	in := wide(12, spillRows, 50_000)
	keys := []expr.Expr{col(in, 0)}
	for _, n := range []plan.Node{
		&plan.Sort{Input: in, Keys: []plan.SortKey{{Expr: col(in, 1)}}, Limit: -1},
		plan.NewJoin(plan.Inner, in, in, keys, keys, nil),
	} {
		env, budget := limited(spillLimit, 2)
		ctx, cancel := context.WithCancel(context.Background())
		var at time.Time
		slow := errorfs.Wrap(vfs.NewMem(), func(op errorfs.Op) errorfs.Fault {
			if op.Kind == errorfs.Read && at.IsZero() {
				at = time.Now()
				cancel()
			}
			return errorfs.Fault{}
		})
		env.Workers, env.Spill = 1, vexec.NewSpillSpace(slow, ".", 0)
		q, err := vexec.Build(n, env)
		if err != nil {
			t.Fatal(err)
		}
		err = q.Run(ctx, func(*vec.Batch) error { return nil })
		if d := time.Since(at); sqlerr.KindOf(err) != sqlerr.Canceled || d > time.Second {
			t.Errorf("%v after %s", err, d)
		}
		if budget.Used() != 0 || env.Spill.Used() != 0 {
			t.Errorf("%d bytes of memory and %d of disk are left", budget.Used(), env.Spill.Used())
		}
	}
}

func TestAggregateBeyondMemory(t *testing.T) {
	in := wide(13, spillRows, 1<<40)
	for _, keys := range [][]int{{2}, {0}, {1}, {0, 1}, {1, 2, 0}} {
		n := plan.NewAggregate(in, exprsOf(in, keys...), make([]string, len(keys)), []plan.AggCall{resolve(t, "sum", col(in, 2)), resolve(t, "max", col(in, 2)), resolve(t, "count", col(in, 0))})
		if n := spills(t, n, 10*spillLimit, false); n < spillLimit/4 {
			t.Errorf("keys %v: %d bytes were spilled", keys, n)
		}
		spills(t, &plan.Distinct{Input: plan.NewProject(in, exprsOf(in, keys...), make([]string, len(keys)))}, 10*spillLimit, false)
	}
	distinct := resolve(t, "count", col(in, 1))
	distinct.Distinct = true
	few := call("few", tBig, func(x ...int64) (int64, error) { return x[0] % 500, nil }, col(in, 2))
	n := plan.NewAggregate(in, []expr.Expr{few}, []string{"few"}, []plan.AggCall{distinct, resolve(t, "sum", col(in, 2))})
	spills(t, n, 10*spillLimit, false)
}
