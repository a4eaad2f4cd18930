package opt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// ref is something that a node is asked to yield: a column, or a path of keys below a VARIANT column.
type ref struct {
	col int
	// path holds the keys, each ended by a zero byte and preceded by its length, so that refs can be compared; "" is the whole column.
	path string
}

// wants is a set of refs in a fixed order.
type wants struct {
	list []ref
	seen map[ref]bool
}

func (w *wants) add(r ref) {
	if w.seen == nil {
		w.seen = map[ref]bool{}
	}
	if !w.seen[r] {
		w.seen[r] = true
		w.list = append(w.list, r)
	}
}

// places tells at which column of a node's output each ref is found.
type places map[ref]int

// pruner pulls refs down to the scans. With paths it turns paths of VARIANT columns into columns of their own.
type pruner struct{ paths bool }

func pushPaths(_ *context, n plan.Node) plan.Node    { return (&pruner{paths: true}).root(n) }
func pruneColumns(_ *context, n plan.Node) plan.Node { return (&pruner{}).root(n) }

// root asks for all columns of the plan, in order.
func (p *pruner) root(n plan.Node) plan.Node {
	switch n.(type) {
	case *plan.Write, *plan.Delete:
		return plan.MapChildren(n, p.root)
	}
	schema := n.Schema()
	var w wants
	for i := range schema {
		w.add(ref{col: i})
	}
	out, at := p.pull(n, &w)
	return arrange(out, w.list, at, schema)
}

// arrange puts the refs of list first to last; it returns n itself if they stand so already.
func arrange(n plan.Node, list []ref, at places, names types.Schema) plan.Node {
	schema := n.Schema()
	same := len(list) == len(schema)
	exprs, labels := make([]expr.Expr, len(list)), make([]string, len(list))
	for i, r := range list {
		same = same && at[r] == i && schema[i].Name == names[i].Name
		exprs[i], labels[i] = plan.ColumnOf(schema, at[r]), names[i].Name
	}
	if same {
		return n
	}
	return plan.NewProject(n, exprs, labels)
}

// need collects what an expression reads.
func (p *pruner) need(w *wants, e expr.Expr) {
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Column:
			w.add(ref{col: x.Index})
		case *expr.Path:
			if r, _, ok := p.pathRef(x); ok {
				w.add(r)
				return false
			}
		}
		return true
	})
}

// pathRef splits a path over a column into the part that a scan may read, the leading keys, and the remaining steps.
func (p *pruner) pathRef(x *expr.Path) (r ref, rest []expr.Step, ok bool) {
	c, isColumn := x.Arg.(*expr.Column)
	if !p.paths || !isColumn || c.T.Kind != types.Variant {
		return r, nil, false
	}
	r.col, rest = c.Index, x.Steps
	for len(rest) > 0 && !rest[0].IsIndex {
		r.path += encodeKey(rest[0].Key)
		rest = rest[1:]
	}
	return r, rest, r.path != ""
}

func encodeKey(k string) string { return fmt.Sprintf("%d:%s\x00", len(k), k) }

// decodePath returns the keys of a ref's path.
func decodePath(s string) []string {
	var keys []string
	for s != "" {
		var n int
		head, tail, _ := strings.Cut(s, ":")
		fmt.Sscan(head, &n)
		keys = append(keys, tail[:n])
		s = tail[n+1:]
	}
	return keys
}

func steps(keys []string) []expr.Step {
	out := make([]expr.Step, len(keys))
	for i, k := range keys {
		out[i] = expr.Step{Key: k}
	}
	return out
}

// rewrite renumbers an expression for an input whose refs are at the given places.
func (p *pruner) rewrite(e expr.Expr, at places) expr.Expr {
	switch x := e.(type) {
	case nil:
		return nil
	case *expr.Column:
		return plan.Moved(x, p.place(at, ref{col: x.Index}))
	case *expr.Path:
		r, rest, ok := p.pathRef(x)
		if !ok {
			break
		}
		c := &expr.Column{Index: p.place(at, r), Name: pathName(x.Arg.(*expr.Column).Name, r.path), T: types.Of(types.Variant)}
		if len(rest) == 0 {
			return c
		}
		return &expr.Path{Arg: c, Steps: rest}
	}
	return plan.MapArgs(e, func(a expr.Expr) expr.Expr { return p.rewrite(a, at) })
}

func pathName(name, path string) string {
	for _, k := range decodePath(path) {
		name += "['" + k + "']"
	}
	return name
}

func (p *pruner) place(at places, r ref) int {
	i, ok := at[r]
	if !ok {
		panic(fmt.Sprintf("BUG: column %d %q was not asked for", r.col, r.path))
	}
	return i
}

func (p *pruner) rewriteAll(list []expr.Expr, at places) []expr.Expr {
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		out[i] = p.rewrite(e, at)
	}
	return out
}

// pull returns a plan that yields at least the wanted refs of n, and where they are in its output.
func (p *pruner) pull(n plan.Node, w *wants) (plan.Node, places) {
	switch x := n.(type) {
	case *plan.Scan:
		return p.pullScan(x, w)
	case *plan.Filter:
		in := p.copy(w)
		p.need(in, x.Cond)
		input, at := p.pull(x.Input, in)
		return &plan.Filter{Input: input, Cond: p.rewrite(x.Cond, at)}, at
	case *plan.Project:
		return p.pullProject(x, w)
	case *plan.Aggregate:
		return p.pullAggregate(x, w)
	case *plan.Join:
		return p.pullJoin(x, w)
	case *plan.Sort:
		in := p.copy(w)
		for _, k := range x.Keys {
			p.need(in, k.Expr)
		}
		input, at := p.pull(x.Input, in)
		s := *x
		s.Input, s.Keys = input, slices.Clone(x.Keys)
		for i := range s.Keys {
			s.Keys[i].Expr = p.rewrite(s.Keys[i].Expr, at)
		}
		return &s, at
	case *plan.Limit:
		input, at := p.pull(x.Input, w)
		return &plan.Limit{Input: input, Count: x.Count, Offset: x.Offset}, at
	case *plan.Union:
		return p.pullUnion(x, w)
	case *plan.Explode:
		return p.pullExplode(x, w)
	case *plan.Window:
		return p.pullWindow(x, w)
	case *plan.Shared:
		return p.pullShared(x, w)
	case *plan.Expand:
		return p.pullExpand(x, w)
	}
	return p.keepAll(plan.MapChildren(n, p.root), w)
}

func (p *pruner) copy(w *wants) *wants {
	c := &wants{}
	for _, r := range w.list {
		c.add(r)
	}
	return c
}

// keepAll answers for a node that yields all its columns: paths are computed above it.
func (p *pruner) keepAll(n plan.Node, w *wants) (plan.Node, places) {
	at := places{}
	for i := range n.Schema() {
		at[ref{col: i}] = i
	}
	return p.addPaths(n, w, at)
}

// addPaths computes the wanted paths that a node does not yield from its whole columns.
func (p *pruner) addPaths(n plan.Node, w *wants, at places) (plan.Node, places) {
	schema := n.Schema()
	exprs, names := plan.Identity(schema)
	for _, r := range w.list {
		if _, ok := at[r]; ok {
			continue
		}
		whole := p.place(at, ref{col: r.col})
		at[r] = len(exprs)
		exprs = append(exprs, &expr.Path{Arg: plan.ColumnOf(schema, whole), Steps: steps(decodePath(r.path))})
		names = append(names, pathName(schema[whole].Name, r.path))
	}
	if len(exprs) == len(schema) {
		return n, at
	}
	return plan.NewProject(n, exprs, names), at
}
