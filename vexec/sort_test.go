package vexec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

func TestSort(t *testing.T) {
	asc := func(i int) plan.SortKey { return plan.SortKey{Expr: col(people().Node(1), i)} }
	desc := func(i int) plan.SortKey {
		k := asc(i)
		k.Desc = true
		return k
	}
	first := func(k plan.SortKey) plan.SortKey {
		k.NullsFirst = true
		return k
	}
	f := func(limit, offset int64, keys []plan.SortKey, want ...string) {
		t.Helper()
		optest.Run(t, optest.Case{
			Inputs: []optest.Table{people()},
			Plan: func(in []plan.Node) plan.Node {
				s := &plan.Sort{Input: in[0], Keys: keys, Limit: limit, Offset: offset}
				exprs, names := plan.Identity(s.Schema())
				return plan.NewProject(s, exprs[:1], names[:1])
			},
			Want: want, Ordered: true,
		})
	}
	f(-1, 0, []plan.SortKey{desc(0)}, "7", "6", "5", "4", "3", "2", "1")
	// Rows with equal keys keep their order.
	f(-1, 0, []plan.SortKey{asc(1)}, "5", "2", "6", "1", "4", "7", "3")
	f(-1, 0, []plan.SortKey{desc(1)}, "1", "4", "7", "6", "2", "5", "3")
	f(-1, 0, []plan.SortKey{first(asc(1)), desc(0)}, "3", "5", "2", "6", "7", "4", "1")
	f(-1, 0, []plan.SortKey{asc(2), desc(1)}, "2", "3", "4", "7", "5", "1", "6")
	f(-1, 0, []plan.SortKey{first(desc(2))}, "1", "6", "4", "5", "7", "2", "3")
	f(2, 0, []plan.SortKey{desc(0)}, "7", "6")
	f(3, 2, []plan.SortKey{desc(0)}, "5", "4", "3")
	f(9, 5, []plan.SortKey{asc(0)}, "6", "7")
	f(9, 9, []plan.SortKey{asc(0)})
	f(0, 0, []plan.SortKey{asc(0)})
	f(-1, 4, []plan.SortKey{asc(0)}, "5", "6", "7")
}

// TestLargeSort compares with a stable sort, also where top-n forgets rows.
func TestLargeSort(t *testing.T) {
	in := optest.NewTable([]types.Field{optest.Col("a", types.BigInt), optest.Col("s", types.Varchar), optest.Col("n", types.BigInt)})
	rng := rand.New(rand.NewPCG(1, 2))
	const rows = 12000
	for i := range rows {
		var a any = rng.IntN(500) - 250
		if i%97 == 0 {
			a = nil
		}
		in.Rows = append(in.Rows, optest.Row(a, fmt.Sprintf("common prefix %d", rng.IntN(100)), i))
	}
	check := func(limit, offset int64, keys ...plan.SortKey) {
		t.Helper()
		order := make([]int, rows)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int {
			for _, k := range keys {
				c := compareValues(in.Rows[x][k.Expr.(interface{ String() string }).String()[0]-'a'], in.Rows[y][k.Expr.String()[0]-'a'], k)
				if c != 0 {
					return c
				}
			}
			return 0
		})
		if offset > 0 {
			order = order[offset:]
		}
		if limit >= 0 {
			order = order[:limit]
		}
		var want []string
		for _, i := range order {
			want = append(want, fmt.Sprint(i))
		}
		optest.RunOnce(t, optest.Case{
			Inputs: []optest.Table{in},
			Plan: func(in []plan.Node) plan.Node {
				s := &plan.Sort{Input: in[0], Keys: keys, Limit: limit, Offset: offset}
				return plan.NewProject(s, exprsOf(s, 2), []string{"n"})
			},
			Want: want, Ordered: true,
		})
	}
	n := in.Node(1)
	a, s := plan.SortKey{Expr: named(n, 0, "a")}, plan.SortKey{Expr: named(n, 1, "b"), Desc: true}
	check(-1, 0, a)
	check(-1, 0, s, a)
	check(10, 0, a)
	check(10, 5, s, a)
	a.Desc, a.NullsFirst = true, true
	check(-1, 0, a, s)
	check(1000, 0, a)
}

// compareValues orders values under a key, as the documentation of ORDER BY says.
func compareValues(x, y any, k plan.SortKey) int {
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil || y == nil:
		if (x == nil) == k.NullsFirst {
			return -1
		}
		return 1
	}
	c := 0
	switch x := x.(type) {
	case int:
		c = x - y.(int)
	case string:
		switch {
		case x < y.(string):
			c = -1
		case x > y.(string):
			c = 1
		}
	}
	if k.Desc {
		return -c
	}
	return c
}

// TestParallelSort has enough rows for several pieces, an odd number of them, that are sorted apart and merged.
func TestParallelSort(t *testing.T) {
	const rows, batch = 5*(1<<17) - 1000, 50000
	in := &plan.Batches{Out: types.Schema{optest.Col("k", types.BigInt), optest.Col("n", types.BigInt)}}
	rng := rand.New(rand.NewPCG(3, 4))
	for from := 0; from < rows; from += batch {
		k, n := make([]int64, min(batch, rows-from)), make([]int64, min(batch, rows-from))
		valid := vec.NewBitmapSet(len(k))
		for i := range k {
			k[i], n[i] = int64(rng.IntN(1000)), int64(from+i)
			if k[i] == 500 {
				valid.Clear(i)
			}
		}
		in.Data = append(in.Data, vec.NewBatch(len(k), vec.NewFlat(tBig, k, valid), vec.NewFlat(tBig, n, nil)))
	}
	s := &plan.Sort{Input: in, Keys: []plan.SortKey{{Expr: col(in, 0), Desc: true}}, Limit: -1}
	for _, workers := range []int{1, 3} {
		q, err := vexec.Build(s, &vexec.Env{Fn: optest.Fn(), Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		lastKey, lastRow, seen := int64(1000), int64(-1), 0
		err = q.Run(t.Context(), func(b *vec.Batch) error {
			rows := vec.Slice[int64](b.Cols[1])
			for i := range b.Len {
				key := int64(-1) // NULLs last
				if !b.Cols[0].IsNull(i) {
					key = vec.Slice[int64](b.Cols[0])[i]
				}
				if key > lastKey || key == lastKey && rows[i] <= lastRow {
					t.Fatalf("(%d, %d) follows (%d, %d)", key, rows[i], lastKey, lastRow)
				}
				lastKey, lastRow = key, rows[i]
				seen++
			}
			return nil
		})
		if err != nil || seen != rows {
			t.Fatalf("%d rows, %v", seen, err)
		}
	}
}

// TestTopOverGroups takes the first of many groups, whose results are made only where they may be among them.
func TestTopOverGroups(t *testing.T) {
	in := optest.NewTable([]types.Field{optest.Col("k", types.BigInt), optest.Col("s", types.Varchar), optest.Col("n", types.BigInt)})
	const keys = 3000
	for i := range 3 * keys {
		k := i * 7 % keys
		var n any = k
		if k%100 == 0 {
			n = nil
		}
		in.Rows = append(in.Rows, optest.Row(k, fmt.Sprintf("the name of key %d", k), n))
	}
	check := func(desc, nullsFirst bool, offset int64, want ...string) {
		t.Helper()
		optest.RunOnce(t, optest.Case{
			Inputs: []optest.Table{in},
			Plan: func(in []plan.Node) plan.Node {
				a := plan.NewAggregate(in[0], []expr.Expr{col(in[0], 0), col(in[0], 1)}, []string{"k", "s"}, []plan.AggCall{countOf(), sumOf(col(in[0], 2))})
				p := plan.NewProject(a, []expr.Expr{col(a, 3), col(a, 1), col(a, 2)}, []string{"sum", "s", "c"})
				return &plan.Sort{Input: p, Keys: []plan.SortKey{{Expr: col(p, 0), Desc: desc, NullsFirst: nullsFirst}, {Expr: col(p, 1)}}, Limit: 3, Offset: offset}
			},
			Ordered: true,
			Want:    want,
		})
	}
	check(true, false, 0, "8997 | the name of key 2999 | 3", "8994 | the name of key 2998 | 3", "8991 | the name of key 2997 | 3")
	check(false, false, 1, "6 | the name of key 2 | 3", "9 | the name of key 3 | 3", "12 | the name of key 4 | 3")
	check(true, true, 0, "NULL | the name of key 0 | 3", "NULL | the name of key 100 | 3", "NULL | the name of key 1000 | 3")
	check(false, true, 28, "NULL | the name of key 800 | 3", "NULL | the name of key 900 | 3", "3 | the name of key 1 | 3")
}
