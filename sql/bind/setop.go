package bind

import (
	"fmt"
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// setOp binds UNION, INTERSECT and EXCEPT.
func (b *binder) setOp(q *parse.SetOp) (*relation, error) {
	// A long chain of unions leans to the left; it is walked in a loop and becomes one node.
	var operands []parse.QueryBody
	left := parse.QueryBody(q)
	for {
		op, ok := left.(*parse.SetOp)
		if !ok || op.Kind != q.Kind || op.All != q.All || op.ByName != q.ByName || len(operands) > 0 && q.Kind != parse.Union {
			break
		}
		operands = append(operands, op.R)
		left = op.L
	}
	operands = append(operands, left)
	rels := make([]*relation, len(operands))
	for i := range operands {
		rel, err := b.body(operands[len(operands)-1-i])
		if err != nil {
			return nil, err
		}
		rels[i] = rel
	}
	if err := b.grow(len(rels), q.Pos()); err != nil {
		return nil, err
	}
	if q.ByName {
		if err := b.byName(rels, q); err != nil {
			return nil, err
		}
	}
	out, err := b.align(rels, q)
	if err != nil {
		return nil, err
	}
	if q.Kind == parse.Union && q.All {
		return out, nil
	}
	s := &scope{b: b, cols: out.cols}
	for i := range out.cols {
		if err := s.groupable(plan.ColumnOf(out.node.Schema(), i), q.Pos(), setOpNames[q.Kind]); err != nil {
			return nil, err
		}
	}
	if q.Kind == parse.Union {
		return &relation{node: &plan.Distinct{Input: out.node}, cols: out.cols}, nil
	}
	node, err := b.intersectOrExcept(out.node.(*plan.Union), q)
	return &relation{node: node, cols: out.cols}, err
}

var setOpNames = [...]string{parse.Union: "UNION", parse.Intersect: "INTERSECT", parse.Except: "EXCEPT"}

// align casts the operands of a set operation to common types and puts them under one Union. Names come from the first.
func (b *binder) align(rels []*relation, q *parse.SetOp) (*relation, error) {
	width := len(rels[0].cols)
	for _, r := range rels[1:] {
		if len(r.cols) != width {
			return nil, sqlerr.At(sqlerr.Bind, q.Pos(), "%s of queries with %d and %d columns", setOpNames[q.Kind], width, len(r.cols))
		}
	}
	target := make([]types.Type, width)
	for i := range target {
		for _, r := range rels {
			t, ok := commonType(target[i], r.cols[i].t)
			if !ok {
				return nil, sqlerr.At(sqlerr.Type, q.Pos(), "column %d of %s mixes %s and %s; cast one of them", i+1, setOpNames[q.Kind], target[i], r.cols[i].t)
			}
			target[i] = t
		}
	}
	u := &plan.Union{}
	out := &relation{node: u, cols: make([]column, width)}
	for i, c := range rels[0].cols {
		f := types.Field{Name: c.name, Type: target[i], NotNull: true}
		whole := true
		for _, r := range rels {
			f.NotNull = f.NotNull && r.cols[i].notNull && r.cols[i].t.Kind != types.Null
			whole = whole && r.cols[i].origin.whole && len(r.cols[i].origin.path) == 0
		}
		u.Out = append(u.Out, f)
		out.cols[i] = fieldColumn(f, i)
		if whole {
			out.cols[i].origin = origin{whole: true}
		}
	}
	for _, r := range rels {
		u.Inputs = append(u.Inputs, b.project(r, target))
	}
	return out, nil
}

// byName gives all operands of a UNION BY NAME the columns of all of them, in order of first appearance; what an operand lacks is NULL.
func (b *binder) byName(rels []*relation, q *parse.SetOp) error {
	var names []string
	at := map[string]int{}
	for _, r := range rels {
		seen := map[string]bool{}
		for _, c := range r.cols {
			key := strings.ToLower(c.name)
			if seen[key] {
				return sqlerr.At(sqlerr.Bind, q.Pos(), "UNION BY NAME of a query with two columns named %s", c.name)
			}
			seen[key] = true
			if _, ok := at[key]; !ok {
				at[key] = len(names)
				names = append(names, c.name)
			}
		}
	}
	for i, r := range rels {
		out := &relation{node: r.node, cols: make([]column, len(names))}
		exprs, labels := plan.Identity(r.node.Schema())
		for k, name := range names {
			out.cols[k] = fieldColumn(types.Field{Name: name}, len(exprs))
		}
		for _, c := range r.cols {
			out.cols[at[strings.ToLower(c.name)]] = c
		}
		if len(r.cols) < len(names) {
			out.node = plan.NewProject(r.node, append(exprs, nullConst()), append(labels, "NULL"))
		}
		rels[i] = out
	}
	return nil
}

// columnName is the name of column i of VALUES and of unnamed outputs.
func columnName(i int) string { return fmt.Sprintf("col%d", i) }

// numberedRows appends to each operand of INTERSECT ALL and EXCEPT ALL how many rows equal to it have come before, so that no two rows of
// one are equal any more.
func numberedRows(u *plan.Union) (*plan.Union, error) {
	call, err := rowNumber()
	if err != nil {
		return nil, err
	}
	out := &plan.Union{Out: append(append(types.Schema(nil), u.Out...), types.Field{Name: rowColumn, Type: call.Ret()})}
	for _, in := range u.Inputs {
		partition, _ := plan.Identity(in.Schema())
		out.Inputs = append(out.Inputs, plan.NewWindow(in, partition, nil, []plan.WindowCall{call}))
	}
	return out, nil
}

// intersectOrExcept counts, for each distinct row of the union, in how many rows of either side it occurs, and keeps the rows of both
// sides or of the first only. Grouping treats NULLs as equal, as these operations must. With ALL equal rows are numbered first.
func (b *binder) intersectOrExcept(u *plan.Union, q *parse.SetOp) (plan.Node, error) {
	visible := len(u.Out)
	if q.All {
		var err error
		if u, err = numberedRows(u); err != nil {
			return nil, err
		}
	}
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
	exprs, outNames := plan.Identity(agg.Out[:visible])
	return plan.NewProject(&plan.Filter{Input: agg, Cond: cond}, exprs, outNames), nil
}
