package bind

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// columnName is the name of column i of VALUES and of unnamed outputs.
func columnName(i int) string { return fmt.Sprintf("col%d", i) }

// intersectOrExcept counts, for each distinct row of the union, in how many rows of either side it occurs, and keeps the rows of both
// sides or of the first only. Grouping treats NULLs as equal, as these operations must.
func (b *binder) intersectOrExcept(u *plan.Union, q *parse.SetOp) (plan.Node, error) {
	tagged := &plan.Union{Out: append(append(types.Schema(nil), u.Out...), types.Field{Name: "side", Type: types.Of(types.Int), NotNull: true})}
	for i, in := range u.Inputs {
		exprs, names := plan.Identity(in.Schema())
		exprs = append(exprs, constOf(types.Of(types.Int), int32(i)))
		tagged.Inputs = append(tagged.Inputs, plan.NewProject(in, exprs, append(names, "side")))
	}
	keys, names := plan.Identity(u.Out)
	side := plan.ColumnOf(tagged.Out, len(u.Out))
	var aggs []plan.AggCall
	for _, name := range [...]string{"min", "max"} {
		fn, err := function.ResolveAggregate(name, describe([]expr.Expr{side}))
		if err != nil {
			return nil, err
		}
		aggs = append(aggs, plan.AggCall{Fn: fn, Args: []expr.Expr{b.coerce(side, fn.Args[0])}, Name: name + "(side)"})
	}
	agg := plan.NewAggregate(tagged, keys, names, aggs)
	s := &scope{b: b}
	width := len(u.Out)
	lo, hi := plan.ColumnOf(agg.Out, width), plan.ColumnOf(agg.Out, width+1)
	var cond expr.Expr
	var err error
	if q.Kind == parse.Intersect {
		cond, err = s.operator(q.Pos(), parse.OpLt, lo, hi)
	} else {
		cond, err = s.operator(q.Pos(), parse.OpEq, hi, constOf(types.Of(types.Int), int32(0)))
	}
	if err != nil {
		return nil, err
	}
	exprs, outNames := plan.Identity(agg.Out[:width])
	return plan.NewProject(&plan.Filter{Input: agg, Cond: cond}, exprs, outNames), nil
}
