package vexec_test

import (
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vexec/optest"
)

func TestFilterProject(t *testing.T) {
	optest.Run(t, optest.Case{
		Inputs: []optest.Table{numbers(1, 2, nil, 4, 5, 6, 8)},
		Plan: func(in []plan.Node) plan.Node {
			f := &plan.Filter{Input: in[0], Cond: &expr.And{Args: []expr.Expr{even(col(in[0], 0)), less(col(in[0], 0), plus(col(in[0], 0), 1))}}}
			return plan.NewProject(f, []expr.Expr{plus(col(f, 0), 10), col(f, 0)}, []string{"a", "b"})
		},
		Want:    []string{"12 | 2", "14 | 4", "16 | 6", "18 | 8"},
		Ordered: true,
	})
}

func TestValues(t *testing.T) {
	one := func(v any) expr.Expr {
		return &expr.Const{Value: numbers(v).Node(1).(*plan.Batches).Data[0].Cols[0]}
	}
	optest.Run(t, optest.Case{
		Plan: func([]plan.Node) plan.Node {
			return &plan.Values{Rows: [][]expr.Expr{{one(1)}, {one(nil)}, {one(3)}, {one(4)}}, Out: types.Schema{optest.Col("x", types.BigInt)}}
		},
		Want: []string{"1", "NULL", "3", "4"}, Ordered: true,
	})
}

func TestLimit(t *testing.T) {
	f := func(count, offset int64, want ...string) {
		t.Helper()
		optest.Run(t, optest.Case{
			Inputs:  []optest.Table{numbers(1, 2, 3, 4, 5, 6, 7)},
			Plan:    func(in []plan.Node) plan.Node { return &plan.Limit{Input: in[0], Count: count, Offset: offset} },
			Want:    want,
			Ordered: true,
		})
	}
	f(0, 0)
	f(3, 0, "1", "2", "3")
	f(3, 2, "3", "4", "5")
	f(9, 5, "6", "7")
	f(9, 7)
	f(-1, 4, "5", "6", "7")
}

func TestUnion(t *testing.T) {
	optest.Run(t, optest.Case{
		Inputs: []optest.Table{numbers(1, 2, 3), numbers(), numbers(4, 5)},
		Plan: func(in []plan.Node) plan.Node {
			u := &plan.Union{Inputs: in, Out: in[0].Schema()}
			return &plan.Limit{Input: plan.NewProject(u, []expr.Expr{plus(col(u, 0), 1)}, []string{"n"}), Count: 4}
		},
		Want: []string{"2", "3", "4", "5"}, Ordered: true,
	})
}

func TestExplode(t *testing.T) {
	list := types.Field{Name: "l", Type: types.ArrayOf(tBig)}
	in := optest.NewTable([]types.Field{optest.Col("id", types.BigInt), list},
		optest.Row(1, []any{10, 20, nil, 30}), optest.Row(2, nil), optest.Row(3, []any{}), optest.Row(4, []any{40}))
	f := func(outer bool, want ...string) {
		t.Helper()
		optest.Run(t, optest.Case{
			Inputs: []optest.Table{in},
			Plan: func(in []plan.Node) plan.Node {
				out := append(in[0].Schema()[:2:2], optest.Col("e", types.BigInt))
				e := &plan.Explode{Input: in[0], Arg: col(in[0], 1), Outer: outer, Out: out}
				return plan.NewProject(e, []expr.Expr{col(e, 0), col(e, 2)}, []string{"id", "e"})
			},
			Want: want, Ordered: true,
		})
	}
	f(false, "1 | 10", "1 | 20", "1 | NULL", "1 | 30", "4 | 40")
	f(true, "1 | 10", "1 | 20", "1 | NULL", "1 | 30", "2 | NULL", "3 | NULL", "4 | 40")
}
