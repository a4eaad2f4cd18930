package opt

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
)

// maxJoinLeaves bounds the inputs of one tree of inner joins that are reordered; sets of inputs are bits of a word.
const maxJoinLeaves = 64

// orderJoins rebuilds trees of inner joins. Inputs that keys connect are joined in the best order, if they are few; otherwise, and for parts
// without a key between them, the two parts whose join is smallest are joined first.
func orderJoins(c *context, n plan.Node) plan.Node {
	j, ok := n.(*plan.Join)
	if !ok || j.Kind != plan.Inner && j.Kind != plan.Cross {
		return plan.MapChildren(n, func(in plan.Node) plan.Node { return orderJoins(c, in) })
	}
	g := &joinGraph{c: c}
	g.flatten(n, 0)
	if len(g.leaves) < 3 || len(g.leaves) > maxJoinLeaves || g.stuck {
		return plan.MapChildren(n, func(in plan.Node) plan.Node { return orderJoins(c, in) })
	}
	for i := range g.edges {
		e := &g.edges[i]
		e.l, e.r = e.l|g.leavesOf(e.left), e.r|g.leavesOf(e.right)
		e.reads |= g.leavesOf(e.cond) | e.l | e.r
	}
	g.classify()
	return g.build(j)
}

// joinGraph is a tree of inner joins taken apart. Columns of expressions are numbered over all leaves in their first order.
type joinGraph struct {
	c      *context
	leaves []plan.Node
	starts []int // first column of each leaf, and the end
	edges  []edge
	// classes replace the edges between plain columns.
	classes []class
	// stuck tells that a key cannot be written as a condition, so that nothing may be moved.
	stuck bool
}

// edge is a condition of the joins.
type edge struct {
	cond expr.Expr
	// left and right are the sides of a key, cond being left = right; nil for other conditions.
	left, right expr.Expr
	// reads, l and r are the leaves that must be joined before cond, left and right are evaluated: those that they read, and where they
	// can fail also those that dropped rows before them.
	reads, l, r uint64
	used        bool
}

// part is a set of leaves that are joined already.
type part struct {
	set  uint64
	node plan.Node
	cols []int // for each column of node its number over all leaves
}

// flatten collects leaves and conditions below n, whose first column has number base.
func (g *joinGraph) flatten(n plan.Node, base int) (end int) {
	j, ok := n.(*plan.Join)
	if !ok || j.Kind != plan.Inner && j.Kind != plan.Cross {
		g.leaves = append(g.leaves, orderJoins(g.c, n))
		g.starts = append(g.starts, base)
		return base + len(n.Schema())
	}
	first := len(g.leaves)
	mid := g.flatten(j.Left, base)
	second := len(g.leaves)
	end = g.flatten(j.Right, mid)
	left, right := leafSet(first, second), leafSet(second, len(g.leaves))
	for i := range j.LeftKeys {
		e := edge{left: expr.Shift(j.LeftKeys[i], base), right: expr.Shift(j.RightKeys[i], mid)}
		l, r := e.left.Type(), e.right.Type()
		fn, err := function.Resolve("=", []function.Arg{{Type: l}, {Type: r}})
		if err != nil || !fn.Args[0].Equal(l) || !fn.Args[1].Equal(r) {
			g.stuck = true
			return end
		}
		e.cond = &expr.Call{Fn: fn, Args: []expr.Expr{e.left, e.right}}
		if !expr.Infallible(e.left) {
			e.l = left
		}
		if !expr.Infallible(e.right) {
			e.r = right
		}
		g.edges = append(g.edges, e)
	}
	for _, cond := range expr.Conjuncts(j.Cond) {
		e := edge{cond: expr.Shift(cond, base)}
		if !expr.Infallible(cond) {
			e.reads = left | right
		}
		g.edges = append(g.edges, e)
	}
	return end
}

// leafSet is the set of leaves [from, to).
func leafSet(from, to int) uint64 {
	var set uint64
	for i := from; i < to && i < maxJoinLeaves; i++ {
		set |= 1 << i
	}
	return set
}

// leavesOf returns the set of leaves whose columns e reads.
func (g *joinGraph) leavesOf(e expr.Expr) uint64 {
	var set uint64
	plan.EachColumn(e, func(c *expr.Column) {
		at := 0
		for at+1 < len(g.starts) && g.starts[at+1] <= c.Index {
			at++
		}
		set |= 1 << at
	})
	return set
}

// build joins the leaves and puts the columns back into their first order.
func (g *joinGraph) build(top *plan.Join) plan.Node {
	parts := make([]*part, len(g.leaves))
	for i, l := range g.leaves {
		p := &part{set: 1 << i, node: l}
		for k := range l.Schema() {
			p.cols = append(p.cols, g.starts[i]+k)
		}
		parts[i] = p
	}
	parts = g.orderBest(parts)
	for len(parts) > 1 {
		a, b := g.cheapest(parts)
		joined := g.join(parts[a], parts[b])
		parts[a] = joined
		parts = append(parts[:b], parts[b+1:]...)
	}
	at := make([]int, len(parts[0].cols))
	for i, c := range parts[0].cols {
		at[c] = i
	}
	exprs, names := make([]expr.Expr, len(at)), make([]string, len(at))
	schema := parts[0].node.Schema()
	for c, i := range at {
		exprs[c], names[c] = plan.ColumnOf(schema, i), top.Out[c].Name
	}
	p := plan.NewProject(parts[0].node, exprs, names)
	p.Out = renamed(p.Out, top.Out)
	return p
}

// cheapest chooses the pair to be joined next; b > a.
func (g *joinGraph) cheapest(parts []*part) (a, b int) {
	best := -1.0
	connected := false
	for i := range parts {
		for k := i + 1; k < len(parts); k++ {
			linked := g.linked(parts[i].set, parts[k].set)
			if connected && !linked {
				continue
			}
			rows := g.c.estimate(g.try(parts[i], parts[k]))
			if linked && !connected || best < 0 || rows < best {
				best, connected, a, b = rows, linked, i, k
			}
		}
	}
	return a, b
}

// linked tells whether a key leads from one set of leaves to the other.
func (g *joinGraph) linked(x, y uint64) bool {
	for i := range g.classes {
		if c := &g.classes[i]; c.leaves&x != 0 && c.leaves&y != 0 {
			return true
		}
	}
	for i := range g.edges {
		e := &g.edges[i]
		if !e.used && e.left != nil && (e.l&^x == 0 && e.r&^y == 0 || e.l&^y == 0 && e.r&^x == 0) {
			return true
		}
	}
	return false
}

// try makes the join of two parts without using up conditions, to be estimated.
func (g *joinGraph) try(a, b *part) plan.Node {
	node, _ := g.joinNode(a, b)
	return node
}

func (g *joinGraph) join(a, b *part) *part {
	node, used := g.joinNode(a, b)
	for _, i := range used {
		g.edges[i].used = true
	}
	return &part{set: a.set | b.set, node: node, cols: append(append([]int(nil), a.cols...), b.cols...)}
}

// joinNode joins two parts on every condition that becomes decidable; used are the numbers of these.
func (g *joinGraph) joinNode(a, b *part) (plan.Node, []int) {
	left, right := numbers(a.cols), numbers(b.cols)
	both := numbers(append(append([]int(nil), a.cols...), b.cols...))
	var leftKeys, rightKeys, conds []expr.Expr
	var used []int
	for i := range g.classes {
		if l, r, ok := g.classes[i].between(a.set, b.set); ok {
			leftKeys, rightKeys = append(leftKeys, expr.Remap(l.col, left)), append(rightKeys, expr.Remap(r.col, right))
		}
	}
	for i := range g.edges {
		e := &g.edges[i]
		if e.used {
			continue
		}
		switch {
		case e.reads&^(a.set|b.set) != 0:
			continue
		case e.left != nil && e.l&^a.set == 0 && e.r&^b.set == 0:
			leftKeys, rightKeys = append(leftKeys, expr.Remap(e.left, left)), append(rightKeys, expr.Remap(e.right, right))
		case e.left != nil && e.l&^b.set == 0 && e.r&^a.set == 0:
			leftKeys, rightKeys = append(leftKeys, expr.Remap(e.right, left)), append(rightKeys, expr.Remap(e.left, right))
		default:
			conds = append(conds, expr.Remap(e.cond, both))
		}
		used = append(used, i)
	}
	kind := plan.Inner
	if len(leftKeys) == 0 && len(conds) == 0 {
		kind = plan.Cross
	}
	return plan.NewJoin(kind, a.node, b.node, leftKeys, rightKeys, expr.Join(conds)), used
}

// numbers maps global column numbers to positions.
func numbers(cols []int) map[int]int {
	m := make(map[int]int, len(cols))
	for i, c := range cols {
		m[c] = i
	}
	return m
}
