package vexec_test

import (
	"fmt"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec/optest"
)

var (
	tBig  = types.Of(types.BigInt)
	tBool = types.Of(types.Boolean)
)

// col reads column i of n.
func col(n plan.Node, i int) expr.Expr { return plan.ColumnOf(n.Schema(), i) }

// rightCol reads column i of the right input of a join.
func rightCol(left, right plan.Node, i int) expr.Expr {
	c := *plan.ColumnOf(right.Schema(), i)
	c.Index += len(left.Schema())
	return &c
}

// call makes a BIGINT or BOOLEAN function of BIGINT arguments, computed row by row; NULL arguments give NULL.
func call[R any](name string, ret types.Type, f func(args ...int64) (R, error), args ...expr.Expr) expr.Expr {
	s := &function.Scalar{Name: name, Ret: ret}
	s.Kernel = func(_ *function.Ctx, in []*vec.Vector, n int) (*vec.Vector, error) {
		b := vec.NewBuilder(ret, n)
		for i := range n {
			row := make([]int64, 0, len(in))
			for _, v := range in {
				if v.IsNull(i) {
					continue
				}
				h, j := v.At(i)
				row = append(row, vec.Slice[int64](h)[j])
			}
			if len(row) < len(in) {
				b.AppendNull()
				continue
			}
			x, err := f(row...)
			if err != nil {
				return nil, err
			}
			vec.Append(b, x)
		}
		return b.Finish(), nil
	}
	return &expr.Call{Fn: s, Args: args}
}

func less(a, b expr.Expr) expr.Expr {
	return call("<", tBool, func(x ...int64) (bool, error) { return x[0] < x[1], nil }, a, b)
}

func even(a expr.Expr) expr.Expr {
	return call("even", tBool, func(x ...int64) (bool, error) { return x[0]%2 == 0, nil }, a)
}

func plus(a expr.Expr, k int64) expr.Expr {
	return call("+", tBig, func(x ...int64) (int64, error) { return x[0] + k, nil }, a)
}

// sumOf is a sum over BIGINT that is NULL for no values; countOf counts rows, or values if it has an argument.
func sumOf(arg expr.Expr) plan.AggCall {
	fn := &function.Aggregate{Name: "sum", Ret: tBig, New: func(*function.Ctx) function.Accumulator { return &testSum{} }}
	return plan.AggCall{Fn: fn, Args: []expr.Expr{arg}, Name: "sum"}
}

func countOf(args ...expr.Expr) plan.AggCall {
	fn := &function.Aggregate{Name: "count", Ret: tBig, New: func(*function.Ctx) function.Accumulator { return &testSum{count: true} }}
	return plan.AggCall{Fn: fn, Args: args, Name: "count"}
}

// testSum is the accumulator of sumOf and countOf.
type testSum struct {
	count  bool
	sums   []int64
	filled []bool
	size   int64 // added to SizeBytes
}

func (a *testSum) grow(n int) {
	for len(a.sums) < n {
		a.sums, a.filled = append(a.sums, 0), append(a.filled, false)
	}
}

func (a *testSum) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	a.grow(count)
	for i := range n {
		g := uint32(0)
		if groups != nil {
			g = groups[i]
		}
		if int(g) >= count {
			return fmt.Errorf("group %d of %d", g, count)
		}
		if len(args) > 0 && (args[0].Len != n || args[0].IsNull(i)) {
			if args[0].Len != n {
				return fmt.Errorf("argument of %d rows for %d", args[0].Len, n)
			}
			continue
		}
		a.filled[g] = true
		if a.count {
			a.sums[g]++
			continue
		}
		h, j := args[0].At(i)
		a.sums[g] += vec.Slice[int64](h)[j]
	}
	return nil
}

func (a *testSum) Merge(other function.Accumulator, from, to []uint32, count int) error {
	o := other.(*testSum)
	a.grow(count)
	for i, g := range from {
		if int(g) < len(o.sums) {
			a.sums[to[i]] += o.sums[g]
			a.filled[to[i]] = a.filled[to[i]] || o.filled[g]
		}
	}
	return nil
}

func (a *testSum) Finish(from, to int) (*vec.Vector, error) {
	a.grow(to)
	b := vec.NewBuilder(tBig, to-from)
	for g := from; g < to; g++ {
		if !a.filled[g] && !a.count {
			b.AppendNull()
			continue
		}
		vec.Append(b, a.sums[g])
	}
	return b.Finish(), nil
}

func (a *testSum) SizeBytes() int64 { return int64(len(a.sums))*9 + a.size }

// resolve makes a call of an aggregate of the catalogue.
func resolve(t testing.TB, name string, args ...expr.Expr) plan.AggCall {
	t.Helper()
	var given []function.Arg
	for _, a := range args {
		given = append(given, function.Arg{Type: a.Type()})
	}
	fn, err := function.ResolveAggregate(name, given)
	if err != nil {
		t.Fatal(err)
	}
	return plan.AggCall{Fn: fn, Args: args, Name: name}
}

// numbers is a table of one BIGINT column n with the values given.
func numbers(values ...any) optest.Table {
	t := optest.NewTable([]types.Field{optest.Col("n", types.BigInt)})
	for _, v := range values {
		t.Rows = append(t.Rows, optest.Row(v))
	}
	return t
}

// people is a table with text, numbers and NULLs: id BIGINT, name VARCHAR, boss BIGINT.
func people() optest.Table {
	return optest.NewTable(
		[]types.Field{optest.Col("id", types.BigInt), optest.Col("name", types.Varchar), optest.Col("boss", types.BigInt)},
		optest.Row(1, "ada", nil),
		optest.Row(2, "a name longer than twelve bytes", 1),
		optest.Row(3, nil, 1),
		optest.Row(4, "ada", 2),
		optest.Row(5, "", 2),
		optest.Row(6, "a name longer than twelve bytez", nil),
		optest.Row(7, "ada", 2),
	)
}

// named reads column i of n under another name.
func named(n plan.Node, i int, name string) expr.Expr {
	c := *plan.ColumnOf(n.Schema(), i)
	c.Name = name
	return &c
}

// exprsOf reads columns of n.
func exprsOf(n plan.Node, cols ...int) []expr.Expr {
	var out []expr.Expr
	for _, c := range cols {
		out = append(out, col(n, c))
	}
	return out
}
