package vexec

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
)

// builder collects the pipelines of a plan in an order in which they can run.
type builder struct {
	env       *Env
	pipelines []*pipeline
	// filters are those offered to sources, by their nodes.
	filters map[plan.Node][]filterSite
	// defs are the definitions that have pipelines already.
	defs map[*plan.Definition]*shared
	// several has the nodes that stand at more than one place of the plan: a filter for one place would be wrong at the others.
	several map[plan.Node]bool
	// loop is set for the pipelines of a recursion's step.
	loop *loop
}

// heads are pipelines without a sink yet, which together yield the rows of a node, in this order.
type heads []*pipeline

// start makes a head that begins at src.
func (b *builder) start(src source) heads { return heads{{src: src, gate: -1}} }

// then appends op to all heads; they share its state.
func (h heads) then(op operator) heads {
	for _, p := range h {
		p.ops = append(p.ops, op)
	}
	return h
}

// inOrder makes everything appended from now on see the rows in order.
func (h heads) inOrder() heads {
	for _, p := range h {
		if !p.serial && p.gate < 0 {
			p.gate = len(p.ops)
		}
	}
	return h
}

// end gives all heads their sink, which ordered sinks see the rows of in order.
func (b *builder) end(h heads, s sink, ordered bool) {
	if ordered {
		h.inOrder()
	}
	for _, p := range h {
		p.sink = s
	}
	b.pipelines = append(b.pipelines, h...)
}

// build makes the pipelines that yield the rows of n.
func (b *builder) build(n plan.Node) (heads, error) {
	h, err := b.buildNode(n)
	b.settled(n, h)
	return h, err
}

func (b *builder) buildNode(n plan.Node) (heads, error) {
	switch n := n.(type) {
	case *plan.Scan:
		return b.scan(n, nil)
	case *plan.StageScan:
		return b.start(&stageSource{label: label{"stage scan", n}, n: n}), nil
	case *plan.Values:
		return b.start(&valuesSource{label{"values", n}, n}), nil
	case *plan.Stream:
		return b.start(&streamSource{label{"stream", n}, n}), nil
	case *plan.Batches:
		return b.start(&batchesSource{label{"batches", n}, n.Data}), nil
	case *plan.Filter:
		return b.through(n.Input, &filter{label{"filter", n}, expr.Conjuncts(n.Cond)})
	case *plan.Project:
		return b.throughFor(n.Input, n.Exprs, &project{label{"project", n}, n.Exprs})
	case *plan.Explode:
		return b.through(n.Input, newExplode(n))
	case *plan.Expand:
		return b.through(n.Input, &expand{label{"expand", n}, n})
	case *plan.Limit:
		return b.limit(n)
	case *plan.Union:
		return b.union(n)
	case *plan.Distinct:
		return b.distinct(n)
	case *plan.Aggregate:
		return b.aggregate(n)
	case *plan.Join:
		return b.join(n)
	case *plan.Sort:
		return b.sort(n)
	case *plan.Window:
		return b.window(n)
	case *plan.Shared:
		return b.shared(n)
	case *plan.Recursive:
		return b.recursive(n)
	case *plan.Working:
		return b.start(&workingSource{label{"working rows", n}, b.loop.of(n.Self)}), nil
	case *plan.Write:
		return b.write(n)
	case *plan.Delete:
		return b.delete(n)
	}
	return nil, sqlerr.New(sqlerr.Unsupported, "%T cannot be run", n)
}

// through builds input and appends op.
func (b *builder) through(input plan.Node, op operator) (heads, error) {
	h, err := b.build(input)
	if err != nil {
		return nil, err
	}
	return h.then(op), nil
}

// throughFor is through for an operator that reads only the columns of exprs.
func (b *builder) throughFor(input plan.Node, exprs []expr.Expr, op operator) (heads, error) {
	h, err := b.buildFor(input, exprs)
	if err != nil {
		return nil, err
	}
	return h.then(op), nil
}

// buildFor is build for a consumer that reads only the columns of exprs; the other columns may be nil.
func (b *builder) buildFor(n plan.Node, exprs []expr.Expr) (heads, error) {
	if s, ok := n.(*plan.Scan); ok {
		if exprs == nil {
			exprs = []expr.Expr{}
		}
		h, err := b.scan(s, exprs)
		b.settled(s, h)
		return h, err
	}
	return b.build(n)
}

// union runs the inputs one after the other into what follows.
func (b *builder) union(n *plan.Union) (heads, error) {
	var all heads
	for _, in := range n.Inputs {
		h, err := b.build(in)
		if err != nil {
			return nil, err
		}
		all = append(all, h...)
	}
	return all, nil
}

// severalTimes returns the nodes that stand at more than one place of a plan.
func severalTimes(n plan.Node) map[plan.Node]bool {
	seen, several := map[plan.Node]bool{}, map[plan.Node]bool{}
	visit := func(n plan.Node) bool {
		if seen[n] {
			several[n] = true
			return true
		}
		seen[n] = true
		return true
	}
	plan.Walk(n, visit)
	for _, d := range plan.Definitions(n) {
		plan.Walk(d.Plan, visit)
	}
	return several
}
