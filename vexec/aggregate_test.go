package vexec_test

import (
	"fmt"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vexec/optest"
)

// groupBy makes a plan that groups in by the columns keys and counts, and sums column sum.
func groupBy(in plan.Node, sum int, keys ...int) plan.Node {
	var exprs []expr.Expr
	var names []string
	for _, k := range keys {
		exprs, names = append(exprs, col(in, k)), append(names, in.Schema()[k].Name)
	}
	return plan.NewAggregate(in, exprs, names, []plan.AggCall{countOf(), sumOf(col(in, sum))})
}

func TestGroupBy(t *testing.T) {
	f := func(keys []int, want ...string) {
		t.Helper()
		optest.Run(t, optest.Case{
			Inputs: []optest.Table{people()},
			Plan:   func(in []plan.Node) plan.Node { return groupBy(in[0], 0, keys...) },
			Want:   want,
		})
	}
	f(nil, "7 | 28")
	f([]int{2}, "NULL | 2 | 7", "1 | 2 | 5", "2 | 3 | 16")
	f([]int{1}, "ada | 3 | 12", "a name longer than twelve bytes | 1 | 2", "a name longer than twelve bytez | 1 | 6", "NULL | 1 | 3", " | 1 | 5")
	f([]int{1, 2},
		"ada | NULL | 1 | 1", "a name longer than twelve bytes | 1 | 1 | 2", "NULL | 1 | 1 | 3", "ada | 2 | 2 | 11",
		" | 2 | 1 | 5", "a name longer than twelve bytez | NULL | 1 | 6")
	f([]int{2, 0}, "NULL | 1 | 1 | 1", "1 | 2 | 1 | 2", "1 | 3 | 1 | 3", "2 | 4 | 1 | 4", "2 | 5 | 1 | 5", "NULL | 6 | 1 | 6", "2 | 7 | 1 | 7")
}

func TestAggregateOfNothing(t *testing.T) {
	f := func(keys []int, want ...string) {
		t.Helper()
		optest.Run(t, optest.Case{
			Inputs: []optest.Table{numbers()},
			Plan:   func(in []plan.Node) plan.Node { return groupBy(in[0], 0, keys...) },
			Want:   want,
		})
	}
	f(nil, "0 | NULL")
	f([]int{0})
}

func TestAggregateFilter(t *testing.T) {
	optest.Run(t, optest.Case{
		Inputs: []optest.Table{people()},
		Plan: func(in []plan.Node) plan.Node {
			sum := sumOf(col(in[0], 0))
			sum.Filter = even(col(in[0], 0))
			return plan.NewAggregate(in[0], []expr.Expr{col(in[0], 2)}, []string{"boss"}, []plan.AggCall{sum, countOf(col(in[0], 1))})
		},
		Want: []string{"NULL | 6 | 2", "1 | 2 | 1", "2 | 4 | 3"},
	})
}

func TestKeyTypes(t *testing.T) {
	big, _ := types.ParseInt128([]byte("170141183460469231731687303715884105727"))
	f := func(k types.Type, a, b any, wantA, wantB string) {
		t.Helper()
		in := optest.NewTable([]types.Field{{Name: "k", Type: k}, optest.Col("n", types.BigInt), optest.Col("s", types.Varchar)})
		for i, v := range []any{a, b, nil, a, nil, a} {
			in.Rows = append(in.Rows, optest.Row(v, i, "text"))
		}
		for _, keys := range [][]int{{0}, {0, 2}} {
			suffix := ""
			if len(keys) > 1 {
				suffix = " | text"
			}
			optest.Run(t, optest.Case{
				Inputs: []optest.Table{in},
				Plan:   func(in []plan.Node) plan.Node { return groupBy(in[0], 1, keys...) },
				Want:   []string{wantA + suffix + " | 3 | 8", wantB + suffix + " | 1 | 1", "NULL" + suffix + " | 2 | 6"},
			})
		}
	}
	f(types.Of(types.Boolean), true, false, "true", "false")
	f(types.Of(types.TinyInt), -1, 1, "-1", "1")
	f(types.Of(types.SmallInt), -300, 0, "-300", "0")
	f(types.Of(types.Int), -70000, 0, "-70000", "0")
	f(types.Of(types.BigInt), 0, -1, "0", "-1")
	f(types.Of(types.LargeInt), big, types.Int128From(-1), big.String(), "-1")
	f(types.Of(types.Double), 1.5, 0.0, "1.5", "0")
	f(types.Of(types.Varchar), "", "a text longer than twelve bytes", "", "a text longer than twelve bytes")
	f(types.ArrayOf(types.Of(types.BigInt)), []any{1, nil}, []any{}, "[1, NULL]", "[]")
	f(types.Of(types.Interval), types.IntervalValue{Months: 1}, types.IntervalValue{Micros: 5}, "{1 0 0}", "{0 0 5}")
}

func TestDoubleKeysAreEqualAsNumbers(t *testing.T) {
	in := optest.NewTable([]types.Field{optest.Col("k", types.Double), optest.Col("n", types.BigInt)})
	zero := 0.0
	nan := zero / zero
	for _, v := range []any{0.0, -zero, nan, -nan} {
		in.Rows = append(in.Rows, optest.Row(v, 1))
	}
	optest.Run(t, optest.Case{
		Inputs: []optest.Table{in},
		Plan:   func(in []plan.Node) plan.Node { return groupBy(in[0], 1, 0) },
		Want:   []string{"0 | 2 | 2", "NaN | 2 | 2"},
	})
}

func TestDistinct(t *testing.T) {
	optest.Run(t, optest.Case{
		Inputs: []optest.Table{people()},
		Plan: func(in []plan.Node) plan.Node {
			p := plan.NewProject(in[0], []expr.Expr{col(in[0], 2), col(in[0], 2)}, []string{"a", "b"})
			return &plan.Distinct{Input: p}
		},
		Want: []string{"NULL | NULL", "1 | 1", "2 | 2"},
	})
}

// manyGroups is large enough to be partitioned, merged and grown.
func TestManyGroups(t *testing.T) {
	in := optest.NewTable([]types.Field{optest.Col("k", types.BigInt), optest.Col("s", types.Varchar), optest.Col("n", types.BigInt)})
	const rows, keys = 20000, 5000
	want := make([]string, keys)
	text := make([]string, keys)
	for i := range rows {
		k := i * 7 % keys
		s := fmt.Sprintf("key number %d", k%1000)
		in.Rows = append(in.Rows, optest.Row(k, s, 1))
		want[k] = fmt.Sprintf("%d | %s | 4 | 4", k, s)
		text[k%1000] = fmt.Sprintf("%s | 20 | 20", s)
	}
	check := func(want []string, keys ...int) {
		t.Helper()
		optest.RunOnce(t, optest.Case{
			Inputs: []optest.Table{in},
			Plan:   func(in []plan.Node) plan.Node { return groupBy(in[0], 2, keys...) },
			Want:   want,
		})
	}
	check(want, 0, 1)
	check(text[:1000], 1)
}
