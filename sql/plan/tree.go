package plan

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/expr"
)

// Children returns nothing: a Scan is a leaf.
func (n *Scan) Children() []Node { return nil }

// Children returns nothing: a StageScan is a leaf.
func (n *StageScan) Children() []Node { return nil }

// Children returns nothing: Values is a leaf.
func (n *Values) Children() []Node { return nil }

// Children returns nothing: Batches is a leaf.
func (n *Batches) Children() []Node { return nil }

// Children returns the input.
func (n *Filter) Children() []Node { return []Node{n.Input} }

// Children returns the input.
func (n *Project) Children() []Node { return []Node{n.Input} }

// Children returns the input.
func (n *Aggregate) Children() []Node { return []Node{n.Input} }

// Children returns left, then right.
func (n *Join) Children() []Node { return []Node{n.Left, n.Right} }

// Children returns the input.
func (n *Sort) Children() []Node { return []Node{n.Input} }

// Children returns the input.
func (n *Limit) Children() []Node { return []Node{n.Input} }

// Children returns the inputs in order.
func (n *Union) Children() []Node { return n.Inputs }

// Children returns the input.
func (n *Distinct) Children() []Node { return []Node{n.Input} }

// Children returns the input.
func (n *Explode) Children() []Node { return []Node{n.Input} }

// Children returns the input.
func (n *Write) Children() []Node { return []Node{n.Input} }

// Children returns the input.
func (n *Delete) Children() []Node { return []Node{n.Input} }

// WithChildren returns n over other inputs, which must have the schemas of the old ones; n itself if nothing changed.
func WithChildren(n Node, children []Node) Node {
	old := n.Children()
	if len(old) != len(children) {
		panic(fmt.Sprintf("BUG: %T with %d children", n, len(children)))
	}
	same := true
	for i := range old {
		same = same && old[i] == children[i]
	}
	if same {
		return n
	}
	switch n := n.(type) {
	case *Filter:
		return &Filter{Input: children[0], Cond: n.Cond}
	case *Project:
		return &Project{Input: children[0], Exprs: n.Exprs, Out: n.Out}
	case *Aggregate:
		return &Aggregate{Input: children[0], Keys: n.Keys, Aggs: n.Aggs, Out: n.Out}
	case *Join:
		c := *n
		c.Left, c.Right = children[0], children[1]
		return &c
	case *Sort:
		c := *n
		c.Input = children[0]
		return &c
	case *Limit:
		return &Limit{Input: children[0], Count: n.Count, Offset: n.Offset}
	case *Union:
		return &Union{Inputs: children, Out: n.Out}
	case *Distinct:
		return &Distinct{Input: children[0]}
	case *Explode:
		return &Explode{Input: children[0], Arg: n.Arg, Outer: n.Outer, Out: n.Out}
	case *Window:
		c := *n
		c.Input = children[0]
		return &c
	case *Recursive:
		c := *n
		c.Base, c.Step = children[0], children[1]
		return &c
	case *Expand:
		return &Expand{Input: children[0], Keys: n.Keys, Sets: n.Sets, Out: n.Out}
	case *Write:
		return &Write{Input: children[0], Table: n.Table}
	case *Delete:
		return &Delete{Input: children[0], Table: n.Table, Update: n.Update, Once: n.Once, Merge: n.Merge}
	}
	panic(fmt.Sprintf("BUG: children for %T", n))
}

// MapChildren applies f to each input of n.
func MapChildren(n Node, f func(Node) Node) Node {
	old := n.Children()
	if len(old) == 0 {
		return n
	}
	out := make([]Node, len(old))
	for i, c := range old {
		out[i] = f(c)
	}
	return WithChildren(n, out)
}

// MapExprs returns n with f applied to each expression it holds; f must keep the type. Inputs are left alone.
func MapExprs(n Node, f func(expr.Expr) expr.Expr) Node {
	switch n := n.(type) {
	case *Scan:
		if len(n.Filter) == 0 {
			return n
		}
		c := *n
		c.Filter = mapAll(n.Filter, f)
		return &c
	case *Values:
		rows := make([][]expr.Expr, len(n.Rows))
		for i, r := range n.Rows {
			rows[i] = mapAll(r, f)
		}
		return &Values{Rows: rows, Out: n.Out}
	case *Filter:
		return &Filter{Input: n.Input, Cond: f(n.Cond)}
	case *Project:
		return &Project{Input: n.Input, Exprs: mapAll(n.Exprs, f), Out: n.Out}
	case *Aggregate:
		aggs := make([]AggCall, len(n.Aggs))
		for i, a := range n.Aggs {
			a.Args = mapAll(a.Args, f)
			if a.Filter != nil {
				a.Filter = f(a.Filter)
			}
			aggs[i] = a
		}
		return &Aggregate{Input: n.Input, Keys: mapAll(n.Keys, f), Aggs: aggs, Out: n.Out}
	case *Join:
		c := *n
		c.LeftKeys, c.RightKeys = mapAll(n.LeftKeys, f), mapAll(n.RightKeys, f)
		if n.Cond != nil {
			c.Cond = f(n.Cond)
		}
		return &c
	case *Sort:
		c := *n
		c.Keys = make([]SortKey, len(n.Keys))
		for i, k := range n.Keys {
			k.Expr = f(k.Expr)
			c.Keys[i] = k
		}
		return &c
	case *Explode:
		c := *n
		c.Arg = f(n.Arg)
		return &c
	case *Window:
		return n.mapExprs(f)
	case *Expand:
		return &Expand{Input: n.Input, Keys: mapAll(n.Keys, f), Sets: n.Sets, Out: n.Out}
	}
	return n
}

func mapAll(list []expr.Expr, f func(expr.Expr) expr.Expr) []expr.Expr {
	if list == nil {
		return nil
	}
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}

// Exprs returns the expressions that n itself holds.
func Exprs(n Node) []expr.Expr {
	var out []expr.Expr
	MapExprs(n, func(e expr.Expr) expr.Expr {
		out = append(out, e)
		return e
	})
	return out
}

// Walk calls f for n and everything below it, parents first; f returning false skips the inputs.
func Walk(n Node, f func(Node) bool) {
	if !f(n) {
		return
	}
	for _, c := range n.Children() {
		Walk(c, f)
	}
}

// Size counts the nodes of a plan as a tree, up to limit: inputs that are computed at each place by themselves count once per use.
func Size(n Node, limit int) int {
	total := 1
	if s, ok := n.(*Shared); ok && s.Def.Inline {
		return Size(s.Def.Plan, limit)
	}
	for _, c := range n.Children() {
		if total >= limit {
			return limit
		}
		total += Size(c, limit-total)
	}
	return min(total, limit)
}

// Swap exchanges the inputs of a join, which becomes one of the given kind, and restores the column order.
func Swap(j *Join, kind JoinKind) *Project {
	lw, rw := len(j.Left.Schema()), len(j.Right.Schema())
	cond := j.Cond
	if cond != nil {
		cond = MapColumns(cond, func(c *expr.Column) expr.Expr {
			if c.Index < lw {
				return Moved(c, c.Index+rw)
			}
			return Moved(c, c.Index-lw)
		})
	}
	s := NewJoin(kind, j.Right, j.Left, j.RightKeys, j.LeftKeys, cond)
	exprs, names := make([]expr.Expr, lw+rw), make([]string, lw+rw)
	for i := range exprs {
		from := i + rw
		if i >= lw {
			from = i - lw
		}
		exprs[i], names[i] = ColumnOf(s.Out, from), j.Out[i].Name
	}
	p := NewProject(s, exprs, names)
	for i := range p.Out {
		notNull := p.Out[i].NotNull
		p.Out[i] = j.Out[i]
		p.Out[i].NotNull = notNull
	}
	return p
}
