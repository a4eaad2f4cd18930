package vexec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant/varianttest"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

var tVariant = types.Of(types.Variant)

// documents parses JSON texts to a variant vector; "" is SQL NULL.
var documents = varianttest.Documents

// batchesOf makes a node of documents in batches of n.
func batchesOf(t *testing.T, n int, texts ...string) *plan.Batches {
	t.Helper()
	out := &plan.Batches{Out: types.Schema{{Name: "v", Type: tVariant}}}
	for part := range slices.Chunk(texts, n) {
		out.Data = append(out.Data, vec.NewBatch(len(part), documents(t, part...)))
	}
	return out
}

func TestExplodeVariant(t *testing.T) {
	for _, n := range []int{1, 2, 10} {
		in := batchesOf(t, n, `[1,"a",null]`, `{"a":1}`, ``, `[]`, `[{"k":[2]}]`, `null`)
		f := func(outer bool, want ...string) {
			t.Helper()
			e := &plan.Explode{Input: in, Arg: col(in, 0), Outer: outer, Out: append(in.Out[:1:1], types.Field{Name: "e", Type: tVariant})}
			p := plan.NewProject(e, exprsOf(e, 1), []string{"e"})
			got, err := optest.Collect(p, &vexec.Env{Fn: optest.Fn(), Workers: 2, BatchRows: n})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("got %q, %v", got, err)
			}
		}
		f(false, "1", `"a"`, "null", `{"k":[2]}`)
		f(true, "1", `"a"`, "null", "NULL", "NULL", "NULL", `{"k":[2]}`, "NULL")
	}
}

// TestVariantKeys groups, joins and sorts variants under variant_total_order: 5 and 5.0 are one value, JSON null is NULL.
func TestVariantKeys(t *testing.T) {
	texts := []string{`5`, `"a"`, `5.0`, `null`, `{"x":1}`, ``, `{"x":1.0}`, `"a"`, `true`, `-1`}
	fn := *optest.Fn()
	fn.VariantTotalOrder = true
	for _, n := range []int{1, 3, 100} {
		in := batchesOf(t, n, texts...)
		f := func(p plan.Node, ordered bool, want ...string) {
			t.Helper()
			for _, workers := range []int{1, 4} {
				got, err := optest.Collect(p, &vexec.Env{Fn: &fn, Workers: workers, Options: vexec.Options{PartitionGroups: 2}})
				if !ordered {
					slices.Sort(got)
					slices.Sort(want)
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
			}
		}
		f(plan.NewAggregate(in, exprsOf(in, 0), []string{"v"}, []plan.AggCall{countOf()}), false,
			"5 | 2", `"a" | 2`, "NULL | 2", `{"x":1} | 2`, "true | 1", "-1 | 1")
		f(plan.NewJoin(plan.Semi, in, batchesOf(t, 1, `5`, `null`, `"b"`, `{"x":1}`), exprsOf(in, 0), exprsOf(in, 0), nil), false,
			"5", "5", `{"x":1}`, `{"x":1}`)
		f(&plan.Sort{Input: in, Keys: []plan.SortKey{{Expr: col(in, 0)}}, Limit: -1}, true,
			"true", "-1", "5", "5", `"a"`, `"a"`, `{"x":1}`, `{"x":1}`, "null", "NULL")
		f(&plan.Sort{Input: in, Keys: []plan.SortKey{{Expr: col(in, 0), Desc: true, NullsFirst: true}}, Limit: 4}, true,
			"null", "NULL", `{"x":1}`, `{"x":1}`)
	}
	in := batchesOf(t, 3, texts...)
	for _, p := range []plan.Node{&plan.Distinct{Input: in}, &plan.Sort{Input: in, Keys: []plan.SortKey{{Expr: col(in, 0)}}, Limit: -1}} {
		if _, err := optest.Collect(p, &vexec.Env{Fn: optest.Fn()}); err == nil || !strings.Contains(err.Error(), "VARIANT") {
			t.Errorf("%T without variant_total_order: %v", p, err)
		}
	}
}

// TestScanPaths reads paths of documents from a segment and from small writes, with conditions on them.
func TestScanPaths(t *testing.T) {
	d := newDatabase(t, column("id", tBig), column("v", tVariant))
	doc := func(i int) string {
		switch i % 5 {
		case 3:
			return fmt.Sprintf(`{"a":{"n":"text %d"},"s":"%d"}`, i, i)
		case 4:
			return `{"b":1}`
		}
		return fmt.Sprintf(`{"a":{"n":%d},"s":"s%d"}`, i, i%3)
	}
	insert := func(from, to int, small bool) {
		var ids []int64
		var texts []string
		for i := from; i < to; i++ {
			ids, texts = append(ids, int64(i)), append(texts, doc(i))
		}
		in := &plan.Batches{Out: types.Schema{{Name: "id", Type: tBig}, {Name: "v", Type: tVariant}}}
		in.Data = []*vec.Batch{vec.NewBatch(len(ids), vec.NewFlat(tBig, ids, nil), documents(t, texts...))}
		o := vexec.Options{DeltaRows: -1}
		if small {
			o.DeltaRows = 1000
		}
		d.change(&plan.Write{Input: in, Table: d.table()}, o)
	}
	insert(0, 20000, false)
	insert(20000, 20010, true)
	insert(20010, 20020, true)
	scan := &plan.Scan{Table: d.table(), Columns: []plan.ScanColumn{
		{ID: 1, Name: "id", Type: tBig},
		{ID: 2, Name: "v", Path: []string{"a", "n"}, Type: tVariant},
		{ID: 2, Name: "v", Path: []string{"s"}, Type: tVariant},
	}}
	scan.Out = plan.ScanSchema(d.table(), scan.Columns, false)
	f := func(keep func(i int) bool, conds ...expr.Expr) {
		t.Helper()
		s := *scan
		s.Filter = conds
		var want []string
		for i := range 20020 {
			if !keep(i) {
				continue
			}
			switch i % 5 {
			case 3:
				want = append(want, fmt.Sprintf(`%d | "text %d" | "%d"`, i, i, i))
			case 4:
				want = append(want, fmt.Sprintf(`%d | NULL | NULL`, i))
			default:
				want = append(want, fmt.Sprintf(`%d | %d | "s%d"`, i, i, i%3))
			}
		}
		if got := d.rows(&s); !slices.Equal(got, want) {
			t.Errorf("%d rows, want %d: %.100q", len(got), len(want), got)
		}
	}
	number := func(c int, op string, v any) expr.Expr {
		value := numbers(v).Node(1).(*plan.Batches).Data[0].Cols[0]
		s := comparison(t, op, function.Arg{Type: tVariant}, function.Arg{Type: tBig, Const: value})
		return &expr.Call{Fn: s, Args: []expr.Expr{col(scan, c), &expr.Const{Value: value}}}
	}
	plainNumber := func(i int) bool { return i%5 < 3 }
	f(func(int) bool { return true })
	f(func(i int) bool { return i == 15 }, number(1, "=", 15))
	f(func(i int) bool { return plainNumber(i) && i >= 19990 }, number(1, ">=", 19990))
	f(func(i int) bool { return false }, number(1, ">", 1000000))
	f(func(i int) bool { return i == 13 }, compare(t, scan, 1, "=", "text 13"))
	f(func(i int) bool { return i%5 == 4 && i > 20000 }, &expr.IsNull{Arg: col(scan, 1)}, compare(t, scan, 0, ">", 20000))
	f(func(i int) bool { return plainNumber(i) && i%3 == 1 && i < 30 }, compare(t, scan, 2, "=", "s1"), compare(t, scan, 0, "<", 30))
	f(func(i int) bool { return i == 18 }, number(2, "=", 18))
}
