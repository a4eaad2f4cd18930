package vexec_test

import (
	"slices"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

// TestJoinFilters joins a table whose scan leaves out rows by the keys of the right side with that switched on and off. The right sides have
// no key, few keys side by side, keys far apart, and keys outside of the table.
func TestJoinFilters(t *testing.T) {
	d := spanDatabase(t)
	scan := plan.NewScan(d.table(), false)
	var wide []any
	for i := range 50 {
		wide = append(wide, i*i*i*900_000_007, i*800)
	}
	rights := map[string]optest.Table{
		"none": numbers(), "null": numbers(nil), "one": numbers(17000), "dense": numbers(5, 6, 39999, 40001, nil, 5), "wide": numbers(wide...),
		"outside": numbers(-5, 50000),
	}
	shapes := map[string]func(right plan.Node) plan.Node{
		"inner": func(r plan.Node) plan.Node { return keyed(plan.Inner, scan, r, 0, 0) },
		"semi":  func(r plan.Node) plan.Node { return keyed(plan.Semi, scan, r, 0, 0) },
		"right": func(r plan.Node) plan.Node { return keyed(plan.Right, scan, r, 0, 0) },
		"left":  func(r plan.Node) plan.Node { return keyed(plan.Left, scan, r, 0, 0) },
		"anti":  func(r plan.Node) plan.Node { return keyed(plan.Anti, scan, r, 0, 0) },
		"over groups": func(r plan.Node) plan.Node {
			a := plan.NewAggregate(scan, []expr.Expr{col(scan, 1)}, []string{"m"}, []plan.AggCall{countOf(), sumOf(col(scan, 0))})
			return keyed(plan.Inner, a, r, 0, 0)
		},
		"over sums": func(r plan.Node) plan.Node {
			a := plan.NewAggregate(scan, []expr.Expr{col(scan, 1)}, []string{"m"}, []plan.AggCall{countOf()})
			return keyed(plan.Inner, a, r, 1, 0)
		},
		"over a left join": func(r plan.Node) plan.Node {
			l := keyed(plan.Left, scan, plan.NewScan(d.table(), false), 1, 0)
			p := plan.NewProject(l, []expr.Expr{col(l, 0), col(l, 5)}, []string{"n", "s"})
			return keyed(plan.Semi, p, r, 0, 0)
		},
		"of a union": func(r plan.Node) plan.Node {
			u := &plan.Union{Inputs: []plan.Node{scan, plan.NewScan(d.table(), false)}, Out: scan.Schema()}
			return keyed(plan.Semi, u, r, 0, 0)
		},
	}
	for name, shape := range shapes {
		for side, right := range rights {
			p := shape(right.Node(1000))
			var want []string
			for _, o := range []vexec.Options{{NoRowFilters: true}, {}, {NoPruning: true}} {
				for _, workers := range []int{1, 3} {
					got, err := optest.Collect(p, d.env(workers, 0, o))
					if err != nil {
						t.Fatal(err)
					}
					slices.Sort(got)
					if want == nil {
						want = got
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s with %s, %d workers, %+v: %d rows, want %d", name, side, workers, o, len(got), len(want))
					}
				}
			}
		}
	}
}

// keyed joins two inputs on one column each.
func keyed(kind plan.JoinKind, l, r plan.Node, lk, rk int) plan.Node {
	return plan.NewJoin(kind, l, r, []expr.Expr{col(l, lk)}, []expr.Expr{col(r, rk)}, nil)
}

// TestLeftFirst joins a small left side that is read before the right one.
func TestLeftFirst(t *testing.T) {
	d := spanDatabase(t)
	scan := plan.NewScan(d.table(), false)
	sums := plan.NewAggregate(scan, []expr.Expr{col(scan, 0)}, []string{"n"}, []plan.AggCall{sumOf(col(scan, 1))})
	lefts := map[string]optest.Table{
		"none": numbers(), "few": numbers(5, nil, 6, 40005, 6, 99999, 17000), "far apart": numbers(1<<40, 3, -1<<40),
	}
	for name, left := range lefts {
		for _, kind := range []plan.JoinKind{plan.Semi, plan.Anti, plan.Single} {
			for _, right := range []plan.Node{scan, sums} {
				for _, withCond := range []bool{false, true} {
					n := left.Node(2)
					var cond expr.Expr
					if withCond {
						cond = less(col(n, 0), rightCol(n, right, 1))
					}
					j := plan.NewJoin(kind, n, right, []expr.Expr{col(n, 0)}, []expr.Expr{col(right, 0)}, cond)
					first := *j
					first.LeftFirst = true
					want, err := optest.Collect(j, d.env(1, 0, vexec.Options{NoRowFilters: true}))
					if err != nil {
						t.Fatal(err)
					}
					for _, workers := range []int{1, 3} {
						got, err := optest.Collect(&first, d.env(workers, 0, vexec.Options{}))
						if err != nil {
							t.Fatal(err)
						}
						slices.Sort(got)
						slices.Sort(want)
						if !slices.Equal(got, want) {
							t.Errorf("%s, %s join, %d workers: got %q, want %q", name, kind, workers, got, want)
						}
					}
				}
			}
		}
	}
}
