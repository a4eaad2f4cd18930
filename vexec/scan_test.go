package vexec_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

// compare makes "column op constant" with functions of the catalogue; the constant is an int, string or nil.
func compare(t *testing.T, n plan.Node, c int, op string, v any) expr.Expr {
	t.Helper()
	field := optest.Col("c", types.BigInt)
	if _, ok := v.(string); ok {
		field = optest.Col("c", types.Varchar)
	}
	value := optest.NewTable([]types.Field{field}, optest.Row(v)).Node(1).(*plan.Batches).Data[0].Cols[0]
	s := comparison(t, op, function.Arg{Type: n.Schema()[c].Type}, function.Arg{Type: field.Type, Const: value})
	args := []expr.Expr{col(n, c), &expr.Const{Value: value}}
	for i, a := range args {
		if !a.Type().Equal(s.Args[i]) {
			args[i] = &expr.Cast{Arg: a, To: s.Args[i]}
		}
	}
	return &expr.Call{Fn: s, Args: args}
}

// span makes rows from to to-1 of (n, n mod 7 or NULL, text of n).
func span(from, to int) optest.Table {
	t := optest.NewTable([]types.Field{optest.Col("n", types.BigInt), optest.Col("m", types.BigInt), optest.Col("s", types.Varchar)})
	for n := from; n < to; n++ {
		var m any = n % 7
		if n%7 == 6 {
			m = nil
		}
		t.Rows = append(t.Rows, optest.Row(n, m, fmt.Sprintf("the text of %d", n)))
	}
	return t
}

// spanDatabase has rows 0 to 39,999 in a segment, then 1,000 in another, then 50 in small writes.
func spanDatabase(t *testing.T) *database {
	d := newDatabase(t, column("n", tBig), column("m", tBig), column("s", types.Of(types.Varchar)))
	d.insert(span(0, 40000), false)
	d.insert(span(40000, 41000), false)
	for i := range 5 {
		d.insert(span(41000+10*i, 41010+10*i), true)
	}
	return d
}

func spanRow(n int) string {
	if n%7 == 6 {
		return fmt.Sprintf("%d | NULL | the text of %d", n, n)
	}
	return fmt.Sprintf("%d | %d | the text of %d", n, n%7, n)
}

func TestScan(t *testing.T) {
	d := spanDatabase(t)
	f := func(keep func(n int) bool, conds ...func(n plan.Node) expr.Expr) {
		t.Helper()
		s := plan.NewScan(d.table(), false)
		for _, c := range conds {
			s.Filter = append(s.Filter, c(s))
		}
		var want []string
		for n := range 41050 {
			if keep(n) {
				want = append(want, spanRow(n))
			}
		}
		if got := d.rows(s); !slices.Equal(got, want) {
			t.Errorf("%d rows, want %d", len(got), len(want))
		}
	}
	is := func(c int, op string, v any) func(plan.Node) expr.Expr {
		return func(n plan.Node) expr.Expr { return compare(t, n, c, op, v) }
	}
	f(func(int) bool { return true })
	f(func(n int) bool { return n == 20000 }, is(0, "=", 20000))
	f(func(n int) bool { return n == 41025 }, is(0, "=", 41025))
	f(func(n int) bool { return false }, is(0, ">", 1000000))
	f(func(n int) bool { return n >= 100 && n < 41020 && n%7 == 3 }, is(0, ">=", 100), is(0, "<", 41020), is(1, "=", 3))
	f(func(n int) bool { return n == 40999 }, is(2, "=", "the text of 40999"))
	f(func(n int) bool { return n > 16380 && n < 16390 && n%7 != 6 }, is(0, ">", 16380), is(0, "<", 16390), is(1, "<>", 100))
	f(func(n int) bool { return n < 100 && n%7 == 6 }, is(0, "<", 100),
		func(n plan.Node) expr.Expr { return &expr.IsNull{Arg: col(n, 1)} })
	list := numbers(5, 7, 39999, 41049).Node(10).(*plan.Batches).Data[0].Cols[0]
	f(func(n int) bool { return n == 5 || n == 7 || n == 39999 || n == 41049 },
		func(n plan.Node) expr.Expr { return &expr.In{Arg: col(n, 0), List: list} })
}

func TestDeletedRowsAndRowIDs(t *testing.T) {
	d := spanDatabase(t)
	s := plan.NewScan(d.table(), true)
	s.Filter = []expr.Expr{compare(t, s, 1, "=", 3)}
	e := d.change(&plan.Delete{Input: s, Table: d.table()}, vexec.Options{})
	want := 0
	for n := range 41050 {
		if n%7 == 3 {
			want++
		}
	}
	if e.DeletedRows != int64(want) || len(e.Deleted) != 7 {
		t.Errorf("%d rows of %d segments deleted, want %d of 7", e.DeletedRows, len(e.Deleted), want)
	}
	left := d.rows(plan.NewScan(d.table(), false))
	if len(left) != 41050-want || left[3] != spanRow(4) || slices.Contains(left, spanRow(41002)) {
		t.Errorf("%d rows left, fourth %q", len(left), left[3])
	}
	// Deleting again finds nothing.
	s = plan.NewScan(d.table(), true)
	s.Filter = []expr.Expr{compare(t, s, 1, "=", 3)}
	if e := d.change(&plan.Delete{Input: s, Table: d.table()}, vexec.Options{}); e.DeletedRows != 0 {
		t.Errorf("%d rows deleted twice", e.DeletedRows)
	}
	f := plan.NewScan(d.table(), true)
	f.Filter = []expr.Expr{compare(t, f, 0, ">=", 41008), compare(t, f, 0, "<", 41012)}
	ids := plan.NewProject(f, []expr.Expr{col(f, 0), col(f, 4)}, []string{"n", "ordinal"})
	if got := d.rows(ids); !slices.Equal(got, []string{"41008 | 8", "41010 | 0", "41011 | 1"}) {
		t.Errorf("row ids %q", got)
	}
}

func TestUpdate(t *testing.T) {
	d := spanDatabase(t)
	s := plan.NewScan(d.table(), true)
	s.Filter = []expr.Expr{compare(t, s, 0, "<", 3)}
	// Each row comes twice, but is updated once.
	twice := &plan.Union{Inputs: []plan.Node{s, s}, Out: s.Out}
	set := plan.NewProject(twice, []expr.Expr{plus(col(s, 0), 90000), col(s, 1), col(s, 2), col(s, 3), col(s, 4)}, []string{"n", "m", "s", "$segment", "$ordinal"})
	e := d.change(&plan.Delete{Input: set, Table: d.table(), Update: true}, vexec.Options{})
	if e.DeletedRows != 3 || e.WrittenRows != 3 || len(e.Batches) != 1 {
		t.Errorf("effects %+v", e)
	}
	got := d.rows(plan.NewScan(d.table(), false))
	if len(got) != 41050 || got[0] != spanRow(3) || got[41049] != "90002 | 2 | the text of 2" {
		t.Errorf("%d rows, first %q, last %q", len(got), got[0], got[len(got)-1])
	}
}

func TestPruningOpensNoSegment(t *testing.T) {
	d := spanDatabase(t)
	s := plan.NewScan(d.table(), false)
	s.Filter = []expr.Expr{compare(t, s, 0, ">", 40500)}
	d.opened = nil
	got, err := optest.Collect(s, d.env(1, 0, vexec.Options{}))
	if err != nil || len(got) != 549 || len(d.opened) != 1 {
		t.Errorf("%d rows, segments %v, %v", len(got), d.opened, err)
	}
}

func TestColumnsAddedLater(t *testing.T) {
	d := newDatabase(t, column("n", tBig))
	d.insert(numbers(1, 2), false)
	d.insert(numbers(3), true)
	with := *d.table()
	with.Columns = append(slices.Clone(with.Columns), catalog.Column{ID: 2, Name: "a", Type: tBig},
		catalog.Column{ID: 3, Name: "b", Type: tBig, DefaultValue: vec.NewFlat(tBig, []int64{42}, nil)})
	with.NextColumn, with.SchemaVersion = 4, 1
	d.apply(&catalog.AlterTable{Table: &with})
	three := optest.NewTable([]types.Field{optest.Col("n", types.BigInt), optest.Col("a", types.BigInt), optest.Col("b", types.BigInt)}, optest.Row(4, 5, 6))
	d.insert(three, true)
	want := []string{"1 | NULL | 42", "2 | NULL | 42", "3 | NULL | 42", "4 | 5 | 6"}
	if got := d.rows(plan.NewScan(d.table(), false)); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	s := plan.NewScan(d.table(), false)
	s.Filter = []expr.Expr{compare(t, s, 2, "=", 42), compare(t, s, 0, ">", 1)}
	if got := d.rows(s); !slices.Equal(got, want[1:3]) {
		t.Errorf("filtered %q", got)
	}
}

func TestColumnTypeChanged(t *testing.T) {
	d := newDatabase(t, column("n", tBig))
	d.insert(numbers(1, nil, 3), false)
	d.insert(numbers(4), true)
	wide := *d.table()
	wide.Columns = []catalog.Column{{ID: 1, Name: "n", Type: types.Of(types.Varchar)}}
	wide.SchemaVersion = 1
	d.apply(&catalog.AlterTable{Table: &wide})
	d.insert(optest.NewTable([]types.Field{optest.Col("n", types.Varchar)}, optest.Row("five")), true)
	if got := d.rows(plan.NewScan(d.table(), false)); !slices.Equal(got, []string{"1", "NULL", "3", "4", "five"}) {
		t.Errorf("got %q", got)
	}
	s := plan.NewScan(d.table(), false)
	s.Filter = []expr.Expr{compare(t, s, 0, ">", "2")}
	if got := d.rows(s); !slices.Equal(got, []string{"3", "4", "five"}) {
		t.Errorf("filtered %q", got)
	}
}

// TestFilterOrder has a condition that fails on rows which an earlier one keeps from it.
func TestFilterOrder(t *testing.T) {
	d := spanDatabase(t)
	s := plan.NewScan(d.table(), false)
	picky := call("picky", tBool, func(x ...int64) (bool, error) {
		if x[0] >= 100 {
			return false, fmt.Errorf("%d reaches the second condition", x[0])
		}
		return true, nil
	}, col(s, 0))
	s.Filter = []expr.Expr{compare(t, s, 0, "<", 100), picky, compare(t, s, 1, "=", 3)}
	if got := d.rows(s); len(got) != 14 {
		t.Errorf("%d rows, want 14", len(got))
	}
}

func TestCountNeedsNoColumn(t *testing.T) {
	d := spanDatabase(t)
	s := plan.NewScan(d.table(), false)
	if got := d.rows(plan.NewAggregate(s, nil, nil, []plan.AggCall{countOf()})); !slices.Equal(got, []string{"41050"}) {
		t.Errorf("count %q", got)
	}
	s.Columns, s.Out = nil, nil
	if got := d.rows(plan.NewAggregate(s, nil, nil, []plan.AggCall{countOf()})); !slices.Equal(got, []string{"41050"}) {
		t.Errorf("count without columns %q", got)
	}
	f := plan.NewScan(d.table(), false)
	f.Filter = []expr.Expr{compare(t, f, 1, "=", 3)}
	if got := d.rows(plan.NewAggregate(f, nil, nil, []plan.AggCall{sumOf(col(f, 0))})); len(got) != 1 || got[0] != sumOfSpan(3) {
		t.Errorf("sum %q, want %s", got, sumOfSpan(3))
	}
}

// TestFetch orders by one column and fetches the others for the few rows of the result.
func TestFetch(t *testing.T) {
	d := spanDatabase(t)
	f := func(limit, offset int64, want ...int) {
		t.Helper()
		s := plan.NewScan(d.table(), false)
		s.Filter = []expr.Expr{compare(t, s, 1, "=", 3), compare(t, s, 0, "<", 41030)}
		var rows []string
		for _, n := range want {
			rows = append(rows, spanRow(n))
		}
		sort := &plan.Sort{Input: s, Keys: []plan.SortKey{{Expr: col(s, 0), Desc: true}}, Limit: limit, Offset: offset}
		if got := d.rows(sort); !slices.Equal(got, rows) {
			t.Errorf("got %q, want %q", got, rows)
		}
		names, err := operators(sort, d.env(1, 0, vexec.Options{}))
		if err != nil || !slices.Contains(names, "fetch") {
			t.Errorf("operators %q, %v", names, err)
		}
	}
	f(4, 0, 41023, 41016, 41009, 41002)
	f(3, 3, 41002, 40995, 40988)
	f(0, 0)
	// A row that is deleted is not found.
	gone := plan.NewScan(d.table(), true)
	gone.Filter = []expr.Expr{compare(t, gone, 0, "=", 41016)}
	d.change(&plan.Delete{Input: gone, Table: d.table()}, vexec.Options{})
	f(3, 0, 41023, 41009, 41002)
}

// operators returns the names of the operators that run a plan.
func operators(n plan.Node, env *vexec.Env) ([]string, error) {
	q, err := vexec.Build(n, env)
	if err != nil {
		return nil, err
	}
	err = q.Run(context.Background(), func(*vec.Batch) error { return nil })
	var names []string
	for _, s := range q.Stats() {
		names = append(names, s.Name)
	}
	return names, err
}

func sumOfSpan(m int) string {
	sum := 0
	for n := range 41050 {
		if n%7 == m {
			sum += n
		}
	}
	return fmt.Sprint(sum)
}
