package opt

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// pullScan keeps the wanted columns and those of the scan's own filter; a path becomes a column of its own.
func (p *pruner) pullScan(s *plan.Scan, w *wants) (plan.Node, places) {
	all := p.copy(w)
	for _, e := range s.Filter {
		p.need(all, e)
	}
	list := slices.Clone(all.list)
	slices.SortStableFunc(list, func(a, b ref) int { return a.col - b.col })
	out := &plan.Scan{Table: s.Table}
	at := places{}
	for _, r := range list {
		if r.col >= len(s.Columns) {
			out.RowIDs = true
			continue
		}
		c := s.Columns[r.col]
		if r.path != "" {
			c.Path = append(slices.Clone(c.Path), decodePath(r.path)...)
			c.Type = types.Of(types.Variant)
		}
		at[r] = len(out.Columns)
		out.Columns = append(out.Columns, c)
	}
	if out.RowIDs {
		for i := range 2 {
			at[ref{col: len(s.Columns) + i}] = len(out.Columns) + i
		}
	}
	out.Out = plan.ScanSchema(s.Table, out.Columns, out.RowIDs)
	out.Filter = p.rewriteAll(s.Filter, at)
	return out, at
}

// pullProject keeps the wanted expressions; a path of one is computed from what that expression reads.
func (p *pruner) pullProject(x *plan.Project, w *wants) (plan.Node, places) {
	list := slices.Clone(w.list)
	slices.SortStableFunc(list, func(a, b ref) int { return a.col - b.col })
	exprs, names := make([]expr.Expr, len(list)), make([]string, len(list))
	at := places{}
	var in wants
	for i, r := range list {
		e := x.Exprs[r.col]
		names[i] = x.Out[r.col].Name
		if r.path != "" {
			e = appendSteps(e, steps(decodePath(r.path)))
			names[i] = pathName(names[i], r.path)
		}
		exprs[i], at[r] = e, i
		p.need(&in, e)
	}
	input, below := p.pull(x.Input, &in)
	out := plan.NewProject(input, p.rewriteAll(exprs, below), names)
	for i, r := range list {
		if r.path == "" {
			out.Out[i] = x.Out[r.col]
		}
	}
	return out, at
}

// appendSteps reads a path below e.
func appendSteps(e expr.Expr, more []expr.Step) expr.Expr {
	if p, ok := e.(*expr.Path); ok {
		return &expr.Path{Arg: p.Arg, Steps: append(slices.Clone(p.Steps), more...)}
	}
	return &expr.Path{Arg: e, Steps: more}
}

// pullAggregate keeps all keys, since they decide how many rows there are, and the wanted aggregates.
func (p *pruner) pullAggregate(x *plan.Aggregate, w *wants) (plan.Node, places) {
	used := make([]bool, len(x.Aggs))
	for _, r := range w.list {
		if r.col >= len(x.Keys) {
			used[r.col-len(x.Keys)] = true
		}
	}
	var in wants
	for _, k := range x.Keys {
		p.need(&in, k)
	}
	for i, a := range x.Aggs {
		if used[i] {
			for _, e := range append(slices.Clone(a.Args), a.Filter) {
				p.need(&in, e)
			}
		}
	}
	input, below := p.pull(x.Input, &in)
	out := &plan.Aggregate{Input: input, Keys: p.rewriteAll(x.Keys, below)}
	at := places{}
	for i := range x.Keys {
		at[ref{col: i}] = i
		out.Out = append(out.Out, x.Out[i])
	}
	for i, a := range x.Aggs {
		if !used[i] {
			continue
		}
		a.Args, a.Filter = p.rewriteAll(a.Args, below), p.rewrite(a.Filter, below)
		at[ref{col: len(x.Keys) + i}] = len(out.Out)
		out.Aggs = append(out.Aggs, a)
		out.Out = append(out.Out, x.Out[len(x.Keys)+i])
	}
	return p.addPaths(out, w, at)
}

// pullJoin asks each side for its part.
func (p *pruner) pullJoin(x *plan.Join, w *wants) (plan.Node, places) {
	width := len(x.Left.Schema())
	var left, right wants
	both := &wants{}
	mark := len(x.Out) - 1
	for _, r := range w.list {
		if x.Kind.YieldsMark() && r.col == mark {
			continue
		}
		both.add(r)
	}
	p.need(both, x.Cond)
	for _, r := range both.list {
		if r.col < width {
			left.add(r)
		} else {
			right.add(ref{col: r.col - width, path: r.path})
		}
	}
	for i := range x.LeftKeys {
		p.need(&left, x.LeftKeys[i])
		p.need(&right, x.RightKeys[i])
	}
	l, latt := p.pull(x.Left, &left)
	r, ratt := p.pull(x.Right, &right)
	newWidth := len(l.Schema())
	at := places{}
	for k, i := range latt {
		at[k] = i
	}
	for k, i := range ratt {
		at[ref{col: k.col + width, path: k.path}] = i + newWidth
	}
	out := plan.NewJoin(x.Kind, l, r, p.rewriteAll(x.LeftKeys, latt), p.rewriteAll(x.RightKeys, ratt), p.rewrite(x.Cond, at))
	out.LeftFirst = x.LeftFirst
	if x.Kind.YieldsMark() {
		for k := range at {
			if k.col >= width {
				delete(at, k)
			}
		}
		at[ref{col: mark}] = newWidth
	}
	return out, at
}

// pullUnion asks all inputs for the same columns in the same order.
func (p *pruner) pullUnion(x *plan.Union, w *wants) (plan.Node, places) {
	list := slices.Clone(w.list)
	slices.SortStableFunc(list, func(a, b ref) int { return a.col - b.col })
	out := &plan.Union{}
	at := places{}
	for i, r := range list {
		f := x.Out[r.col]
		if r.path != "" {
			f = types.Field{Name: pathName(f.Name, r.path), Type: types.Of(types.Variant)}
		}
		out.Out = append(out.Out, f)
		at[r] = i
	}
	for _, in := range x.Inputs {
		input, below := p.pull(in, w)
		out.Inputs = append(out.Inputs, arrange(input, list, below, out.Out))
	}
	return out, at
}

// pullExplode passes the input's columns; the element comes last, and paths below it are computed above.
func (p *pruner) pullExplode(x *plan.Explode, w *wants) (plan.Node, places) {
	element := len(x.Out) - 1
	var in wants
	for _, r := range w.list {
		if r.col != element {
			in.add(r)
		}
	}
	p.need(&in, x.Arg)
	input, at := p.pull(x.Input, &in)
	schema := input.Schema()
	out := &plan.Explode{Input: input, Arg: p.rewrite(x.Arg, at), Outer: x.Outer, Out: append(slices.Clone(schema), x.Out[element])}
	above := places{ref{col: element}: len(schema)}
	for k, i := range at {
		above[k] = i
	}
	return p.addPaths(out, w, above)
}

// pullWindow keeps the wanted calls; without any the node goes.
func (p *pruner) pullWindow(x *plan.Window, w *wants) (plan.Node, places) {
	width := len(x.Input.Schema())
	used := make([]bool, len(x.Calls))
	var in wants
	for _, r := range w.list {
		if r.col < width {
			in.add(r)
		} else {
			used[r.col-width] = true
		}
	}
	if !slices.Contains(used, true) {
		return p.pull(x.Input, &in)
	}
	one := *x
	one.Calls = nil
	var kept []int
	for i, c := range x.Calls {
		if used[i] {
			one.Calls, kept = append(one.Calls, c), append(kept, i)
		}
	}
	for _, e := range plan.Exprs(&one) {
		p.need(&in, e)
	}
	input, at := p.pull(x.Input, &in)
	one = *plan.MapExprs(&one, func(e expr.Expr) expr.Expr { return p.rewrite(e, at) }).(*plan.Window)
	out := plan.NewWindow(input, one.Partition, one.Order, one.Calls)
	for k, i := range kept {
		at[ref{col: width + i}] = len(input.Schema()) + k
	}
	return p.addPaths(out, w, at)
}

// pullExpand keeps all keys; paths below a key are computed above.
func (p *pruner) pullExpand(x *plan.Expand, w *wants) (plan.Node, places) {
	width := len(x.Input.Schema())
	var in wants
	for _, r := range w.list {
		if r.col < width {
			in.add(r)
		}
	}
	names := make([]string, len(x.Keys))
	for i, k := range x.Keys {
		p.need(&in, k)
		names[i] = x.Out[width+i].Name
	}
	input, at := p.pull(x.Input, &in)
	out := plan.NewExpand(input, p.rewriteAll(x.Keys, at), names, x.Sets)
	above := places{}
	for k, i := range at {
		above[k] = i
	}
	for i := range len(x.Keys) + 1 {
		above[ref{col: width + i}] = len(input.Schema()) + i
	}
	return p.addPaths(out, w, above)
}
