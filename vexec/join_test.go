package vexec_test

import (
	"fmt"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vexec/optest"
)

// pair makes a table of a key k and a value v.
func pair(name string, rows ...[]any) optest.Table {
	return optest.NewTable([]types.Field{optest.Col(name+"k", types.BigInt), optest.Col(name+"v", types.BigInt)}, rows...)
}

func leftPairs() optest.Table {
	return pair("l", optest.Row(1, 10), optest.Row(2, 20), optest.Row(2, 21), optest.Row(nil, 30), optest.Row(4, 40), optest.Row(5, 50))
}

func rightPairs() optest.Table {
	return pair("r", optest.Row(2, 200), optest.Row(1, 100), optest.Row(2, 201), optest.Row(nil, 300), optest.Row(9, 900))
}

// joinCase joins the two inputs on their first columns; cond, if not nil, makes a condition over both.
func joinCase(kind plan.JoinKind, l, r optest.Table, cond func(l, r plan.Node) expr.Expr, want ...string) optest.Case {
	return optest.Case{
		Inputs: []optest.Table{l, r},
		Plan: func(in []plan.Node) plan.Node {
			var c expr.Expr
			if cond != nil {
				c = cond(in[0], in[1])
			}
			return plan.NewJoin(kind, in[0], in[1], []expr.Expr{col(in[0], 0)}, []expr.Expr{col(in[1], 0)}, c)
		},
		Want: want,
	}
}

func TestJoinKinds(t *testing.T) {
	f := func(kind plan.JoinKind, want ...string) {
		t.Helper()
		optest.Run(t, joinCase(kind, leftPairs(), rightPairs(), nil, want...))
	}
	inner := []string{"1 | 10 | 1 | 100", "2 | 20 | 2 | 200", "2 | 20 | 2 | 201", "2 | 21 | 2 | 200", "2 | 21 | 2 | 201"}
	left := []string{"NULL | 30 | NULL | NULL", "4 | 40 | NULL | NULL", "5 | 50 | NULL | NULL"}
	right := []string{"NULL | NULL | NULL | 300", "NULL | NULL | 9 | 900"}
	f(plan.Inner, inner...)
	f(plan.Left, append(left, inner...)...)
	f(plan.Right, append(right, inner...)...)
	f(plan.Full, append(append(right, left...), inner...)...)
	f(plan.Semi, "1 | 10", "2 | 20", "2 | 21")
	f(plan.Anti, "NULL | 30", "4 | 40", "5 | 50")
	f(plan.NullAwareAnti)
	f(plan.Mark, "1 | 10 | true", "2 | 20 | true", "2 | 21 | true", "NULL | 30 | NULL", "4 | 40 | NULL", "5 | 50 | NULL")
}

// TestJoinCond keeps the pairs with lv + 181 < rv: (20, 201) is no longer one, and 1 has none.
func TestJoinCond(t *testing.T) {
	cond := func(l, r plan.Node) expr.Expr { return less(plus(col(l, 1), 179), rightCol(l, r, 1)) }
	f := func(kind plan.JoinKind, want ...string) {
		t.Helper()
		optest.Run(t, joinCase(kind, leftPairs(), rightPairs(), cond, want...))
	}
	inner := []string{"2 | 20 | 2 | 200", "2 | 20 | 2 | 201", "2 | 21 | 2 | 201"}
	left := []string{"1 | 10 | NULL | NULL", "NULL | 30 | NULL | NULL", "4 | 40 | NULL | NULL", "5 | 50 | NULL | NULL"}
	right := []string{"NULL | NULL | 1 | 100", "NULL | NULL | NULL | 300", "NULL | NULL | 9 | 900"}
	f(plan.Inner, inner...)
	f(plan.Left, append(left, inner...)...)
	f(plan.Right, append(right, inner...)...)
	f(plan.Full, append(append(right, left...), inner...)...)
	f(plan.Semi, "2 | 20", "2 | 21")
	f(plan.Anti, "1 | 10", "NULL | 30", "4 | 40", "5 | 50")
	// 300 (with a NULL key) satisfies Cond for all; so no row is certainly out of the list.
	f(plan.NullAwareAnti)
	f(plan.Mark, "1 | 10 | NULL", "2 | 20 | true", "2 | 21 | true", "NULL | 30 | NULL", "4 | 40 | NULL", "5 | 50 | NULL")
}

// TestCorrelatedIn has a Cond that keeps the NULL out of the list of some rows.
func TestCorrelatedIn(t *testing.T) {
	r := pair("r", optest.Row(1, 100), optest.Row(nil, 25), optest.Row(7, 5))
	cond := func(l, r plan.Node) expr.Expr { return less(col(l, 1), rightCol(l, r, 1)) }
	// 10: list 1, NULL. 20, 21: list 1, NULL. 30, 40, 50: list 1.
	optest.Run(t, joinCase(plan.Mark, leftPairs(), r, cond,
		"1 | 10 | true", "2 | 20 | NULL", "2 | 21 | NULL", "NULL | 30 | NULL", "4 | 40 | false", "5 | 50 | false"))
	optest.Run(t, joinCase(plan.NullAwareAnti, leftPairs(), r, cond, "4 | 40", "5 | 50"))
}

// TestRowIn compares rows of two columns: (2, NULL) may be (2, 20) but not (3, 20).
func TestRowIn(t *testing.T) {
	f := func(kind plan.JoinKind, want ...string) {
		t.Helper()
		optest.Run(t, optest.Case{
			Inputs: []optest.Table{
				pair("l", optest.Row(2, 20), optest.Row(3, 20), optest.Row(nil, 20), optest.Row(nil, 21), optest.Row(4, 40)),
				pair("r", optest.Row(2, nil), optest.Row(4, 40)),
			},
			Plan: func(in []plan.Node) plan.Node {
				both := func(n plan.Node) []expr.Expr { return []expr.Expr{col(n, 0), col(n, 1)} }
				return plan.NewJoin(kind, in[0], in[1], both(in[0]), both(in[1]), nil)
			},
			Want: want,
		})
	}
	f(plan.Mark, "2 | 20 | NULL", "3 | 20 | false", "NULL | 20 | NULL", "NULL | 21 | NULL", "4 | 40 | true")
	f(plan.NullAwareAnti, "3 | 20")
	f(plan.Semi, "4 | 40")
}

func TestJoinWithNothing(t *testing.T) {
	f := func(kind plan.JoinKind, want ...string) {
		t.Helper()
		optest.Run(t, joinCase(kind, numbers(1, nil), numbers(), nil, want...))
	}
	f(plan.Inner)
	f(plan.Left, "1 | NULL", "NULL | NULL")
	f(plan.Right)
	f(plan.Full, "1 | NULL", "NULL | NULL")
	f(plan.Semi)
	f(plan.Anti, "1", "NULL")
	f(plan.NullAwareAnti, "1", "NULL")
	f(plan.Mark, "1 | false", "NULL | false")
	f(plan.Single, "1 | NULL", "NULL | NULL")
	optest.Run(t, joinCase(plan.Full, numbers(), numbers(1), nil, "NULL | 1"))
	optest.Run(t, joinCase(plan.Right, numbers(), numbers(1), nil, "NULL | 1"))
	optest.Run(t, joinCase(plan.Inner, numbers(), numbers(1), nil))
}

func TestSingleJoin(t *testing.T) {
	unique := pair("r", optest.Row(2, 200), optest.Row(1, 100), optest.Row(nil, 300))
	optest.Run(t, joinCase(plan.Single, leftPairs(), unique, nil,
		"1 | 10 | 1 | 100", "2 | 20 | 2 | 200", "2 | 21 | 2 | 200", "NULL | 30 | NULL | NULL", "4 | 40 | NULL | NULL", "5 | 50 | NULL | NULL"))
	c := joinCase(plan.Single, leftPairs(), rightPairs(), nil)
	c.Err = "more than one row"
	optest.Run(t, c)
}

// TestNestedLoop joins without key pairs.
func TestNestedLoop(t *testing.T) {
	f := func(kind plan.JoinKind, l, r optest.Table, cond bool, want ...string) {
		t.Helper()
		optest.Run(t, optest.Case{
			Inputs: []optest.Table{l, r},
			Plan: func(in []plan.Node) plan.Node {
				var c expr.Expr
				if cond {
					c = less(col(in[0], 0), rightCol(in[0], in[1], 0))
				}
				return plan.NewJoin(kind, in[0], in[1], nil, nil, c)
			},
			Want: want,
		})
	}
	l, r := numbers(1, 2, nil, 3), numbers(3, nil, 2)
	f(plan.Cross, numbers(1, 2), r, false, "1 | 3", "1 | NULL", "1 | 2", "2 | 3", "2 | NULL", "2 | 2")
	f(plan.Inner, l, r, true, "1 | 3", "1 | 2", "2 | 3")
	f(plan.Left, l, r, true, "1 | 3", "1 | 2", "2 | 3", "NULL | NULL", "3 | NULL")
	f(plan.Right, l, r, true, "1 | 3", "1 | 2", "2 | 3", "NULL | NULL")
	f(plan.Full, l, r, true, "1 | 3", "1 | 2", "2 | 3", "NULL | NULL", "NULL | NULL", "3 | NULL")
	f(plan.Semi, l, r, true, "1", "2")
	f(plan.Anti, l, r, true, "NULL", "3")
	f(plan.Mark, l, r, true, "1 | true", "2 | true", "NULL | false", "3 | false")
	f(plan.Semi, l, r, false, "1", "2", "NULL", "3")
	f(plan.Mark, l, numbers(), false, "1 | false", "2 | false", "NULL | false", "3 | false")
	f(plan.Single, l, numbers(7), false, "1 | 7", "2 | 7", "NULL | 7", "3 | 7")
}

func TestTextJoin(t *testing.T) {
	long := "a text longer than twelve bytes"
	in := func(rows ...[]any) optest.Table {
		return optest.NewTable([]types.Field{optest.Col("s", types.Varchar), optest.Col("n", types.BigInt)}, rows...)
	}
	l := in(optest.Row("a", 1), optest.Row(long, 2), optest.Row(nil, 3), optest.Row("", 4), optest.Row("a", 5), optest.Row("a", 6))
	r := in(optest.Row(long, 10), optest.Row("a", 20), optest.Row(nil, 30), optest.Row("", 40), optest.Row("x", 50))
	optest.Run(t, joinCase(plan.Inner, l, r, nil,
		"a | 1 | a | 20", long+" | 2 | "+long+" | 10", " | 4 |  | 40", "a | 5 | a | 20", "a | 6 | a | 20"))
	optest.Run(t, joinCase(plan.Anti, l, r, nil, "NULL | 3"))
	optest.Run(t, joinCase(plan.Full, l, r, nil,
		"a | 1 | a | 20", long+" | 2 | "+long+" | 10", " | 4 |  | 40", "a | 5 | a | 20", "a | 6 | a | 20",
		"NULL | 3 | NULL | NULL", "NULL | NULL | NULL | 30", "NULL | NULL | x | 50"))
}

// TestLargeJoin has a right side that is built in partitions.
func TestLargeJoin(t *testing.T) {
	const rows = 70000
	r := pair("r")
	l := pair("l")
	var want []string
	for i := range rows {
		r.Rows = append(r.Rows, optest.Row(i/2, i))
	}
	for i := range 100 {
		k := i * 997
		l.Rows = append(l.Rows, optest.Row(k, i))
		if k < rows/2 {
			want = append(want, fmt.Sprintf("%d | %d | %d | %d", k, i, k, 2*k), fmt.Sprintf("%d | %d | %d | %d", k, i, k, 2*k+1))
		}
	}
	optest.RunOnce(t, joinCase(plan.Inner, l, r, nil, want...))
}

// TestChain joins what joins and groups yield, so that pipelines depend on each other.
func TestChain(t *testing.T) {
	optest.Run(t, optest.Case{
		Inputs: []optest.Table{people(), people(), leftPairs()},
		Plan: func(in []plan.Node) plan.Node {
			g := groupBy(in[0], 0, 2) // boss, count, sum
			j := plan.NewJoin(plan.Full, g, in[1], []expr.Expr{col(g, 0)}, []expr.Expr{col(in[1], 0)}, nil)
			k := plan.NewJoin(plan.Left, j, in[2], []expr.Expr{col(j, 3)}, []expr.Expr{col(in[2], 0)}, nil)
			u := &plan.Union{Inputs: []plan.Node{k, k}, Out: k.Schema()}
			return groupBy(u, 3, 0, 7)
		},
		Want: []string{"1 | 10 | 2 | 2", "2 | 20 | 2 | 4", "2 | 21 | 2 | 4", "NULL | NULL | 8 | 32", "NULL | 40 | 2 | 8", "NULL | 50 | 2 | 10"},
	})
}
