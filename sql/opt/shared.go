package opt

import (
	"slices"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// inlineShared puts definitions in the place of their readers where that costs nothing: there is one reader, or the rows cost little and are
// the same each time.
func inlineShared(_ *context, n plan.Node) plan.Node {
	defs := plan.Definitions(n)
	if len(defs) == 0 {
		return n
	}
	readers := map[*plan.Definition]int{}
	count := func(n plan.Node) bool {
		if s, ok := n.(*plan.Shared); ok {
			readers[s.Def]++
		}
		return true
	}
	plan.Walk(n, count)
	for _, d := range defs {
		plan.Walk(d.Plan, count)
	}
	now := map[*plan.Definition]*plan.Definition{}
	var replace func(n plan.Node) plan.Node
	replace = func(n plan.Node) plan.Node {
		s, ok := n.(*plan.Shared)
		if !ok {
			return plan.MapChildren(n, replace)
		}
		d := now[s.Def]
		if !d.Keep && (d.Inline || readers[s.Def] == 1 || repeatable(d.Plan)) {
			if s.Columns != nil {
				return pickColumns(d.Plan, s)
			}
			return d.Plan
		}
		if d == s.Def {
			return s
		}
		return &plan.Shared{Def: d, Columns: s.Columns, Out: s.Out}
	}
	for _, d := range defs {
		now[d] = d
		if p := replace(d.Plan); p != d.Plan {
			now[d] = &plan.Definition{Name: d.Name, Plan: p, Keep: d.Keep, Inline: d.Inline}
		}
	}
	return replace(n)
}

func pickColumns(n plan.Node, s *plan.Shared) plan.Node {
	p := &plan.Project{Input: n, Out: s.Out}
	for i := range s.Out {
		p.Exprs = append(p.Exprs, plan.ColumnOf(n.Schema(), s.Column(i)))
	}
	return p
}

// repeatable tells whether a plan yields the same rows each time and costs little.
func repeatable(n plan.Node) bool {
	same := true
	plan.Walk(n, func(n plan.Node) bool {
		switch n.(type) {
		case *plan.Scan, *plan.Values, *plan.Batches, *plan.Filter, *plan.Project:
			for _, e := range plan.Exprs(n) {
				same = same && !plan.Volatile(e)
			}
		default:
			same = false
		}
		return same
	})
	return same
}

// optimizeShared optimizes the definitions that n reads, each by itself and reduced to the columns that are read of it, those of definitions
// by others included.
func optimizeShared(n plan.Node, o Options) plan.Node {
	defs := plan.Definitions(n)
	if len(defs) == 0 {
		return n
	}
	plans := map[*plan.Definition]plan.Node{}
	columns := map[*plan.Definition][]int{}
	roots := []plan.Node{n}
	// Whoever reads a definition comes before it in this order, so that all its readers have been optimized.
	for _, d := range slices.Backward(defs) {
		columns[d] = readColumns(d, roots)
		if columns[d] == nil {
			continue // optimized away
		}
		schema := d.Plan.Schema()
		p := &plan.Project{Input: d.Plan}
		for _, c := range columns[d] {
			p.Exprs, p.Out = append(p.Exprs, plan.ColumnOf(schema, c)), append(p.Out, schema[c])
		}
		plans[d] = applyRules(p, o, nil)
		roots = append(roots, plans[d])
	}
	now := map[*plan.Definition]*plan.Definition{}
	var replace func(n plan.Node) plan.Node
	replace = func(n plan.Node) plan.Node {
		s, ok := n.(*plan.Shared)
		if !ok {
			return plan.MapChildren(n, replace)
		}
		out := &plan.Shared{Def: now[s.Def], Out: s.Out, Columns: make([]int, len(s.Out))}
		for i := range s.Out {
			out.Columns[i] = slices.Index(columns[s.Def], s.Column(i))
		}
		return out
	}
	for _, d := range defs {
		if plans[d] != nil {
			now[d] = &plan.Definition{Name: d.Name, Plan: replace(plans[d]), Keep: d.Keep}
		}
	}
	return replace(n)
}

// readColumns returns the columns of a definition that plans read directly, ascending; nil if none reads it.
func readColumns(d *plan.Definition, plans []plan.Node) []int {
	var out []int
	for _, p := range plans {
		plan.Walk(p, func(n plan.Node) bool {
			if s, ok := n.(*plan.Shared); ok && s.Def == d {
				if out == nil {
					out = []int{}
				}
				for i := range s.Out {
					out = append(out, s.Column(i))
				}
			}
			return true
		})
	}
	if out == nil {
		return nil
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// pullShared reads the wanted columns of a definition; paths are computed above.
func (p *pruner) pullShared(x *plan.Shared, w *wants) (plan.Node, places) {
	out := &plan.Shared{Def: x.Def, Columns: []int{}, Out: types.Schema{}}
	at := places{}
	list := make([]int, 0, len(w.list))
	for _, r := range w.list {
		list = append(list, r.col)
	}
	slices.Sort(list)
	for _, c := range slices.Compact(list) {
		at[ref{col: c}] = len(out.Out)
		out.Columns, out.Out = append(out.Columns, x.Column(c)), append(out.Out, x.Out[c])
	}
	return p.addPaths(out, w, at)
}
