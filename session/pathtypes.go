package session

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// origin is a VARIANT column of a table, or a path below it.
type origin struct {
	table  *catalog.Table
	column catalog.ColumnID
	path   []string
}

// pathTyper makes variant_type report what the paths of a table's column hold in all rows.
type pathTyper struct {
	c *call
	// done are the nodes rewritten so far: parts of a plan may be shared.
	done map[plan.Node]plan.Node
	// known are the columns met so far.
	known map[columnKey]*columnTypes
}

type columnKey struct {
	table  catalog.TableID
	column catalog.ColumnID
}

// withPathTypes makes variant_type over a column of a table, or a path of one, report for each path that a row has the least common type
// of the path in all segments and batches of the table, as extended DESC shows it; deleted rows count until a compaction drops them. The
// types are looked up when the first row needs them. Columns of sub-queries count where they are such columns and paths again; everything
// else, such as the result of a function, reports what each value is.
func (c *call) withPathTypes(n plan.Node) plan.Node {
	t := &pathTyper{c: c, done: map[plan.Node]plan.Node{}, known: map[columnKey]*columnTypes{}}
	return t.node(plan.MapDefinitions(n, t.node))
}

func (t *pathTyper) node(n plan.Node) plan.Node {
	if out, ok := t.done[n]; ok {
		return out
	}
	out := plan.MapChildren(n, t.node)
	if in := n.Children(); len(in) > 0 && reportsTypes(n) {
		out = t.expressions(out, in)
	}
	t.done[n] = out
	return out
}

// reportsTypes tells whether an expression of n calls variant_type.
func reportsTypes(n plan.Node) (found bool) {
	for _, e := range plan.Exprs(n) {
		expr.Walk(e, func(e expr.Expr) bool {
			call, ok := e.(*expr.Call)
			found = found || ok && call.Fn.Name == function.VariantTypeName
			return !found
		})
	}
	return found
}

// expressions rewrites the expressions of n, whose columns come from the inputs in.
func (t *pathTyper) expressions(n plan.Node, in []plan.Node) plan.Node {
	over := func(trace func(col int) *origin) func(expr.Expr) expr.Expr {
		return func(e expr.Expr) expr.Expr { return t.rewrite(e, trace) }
	}
	j, ok := n.(*plan.Join)
	if !ok {
		return plan.MapExprs(n, over(func(col int) *origin { return trace(in[0], col) }))
	}
	out := *j
	left := over(func(col int) *origin { return trace(in[0], col) })
	right := over(func(col int) *origin { return trace(in[1], col) })
	out.LeftKeys, out.RightKeys = make([]expr.Expr, len(j.LeftKeys)), make([]expr.Expr, len(j.RightKeys))
	for i := range j.LeftKeys {
		out.LeftKeys[i], out.RightKeys[i] = left(j.LeftKeys[i]), right(j.RightKeys[i])
	}
	if j.Cond != nil {
		out.Cond = over(func(col int) *origin { return traceSides(in[0], in[1], col) })(j.Cond)
	}
	return &out
}

// rewrite gives each variant_type in e the types of its argument's origin.
func (t *pathTyper) rewrite(e expr.Expr, trace func(col int) *origin) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		call, ok := e.(*expr.Call)
		if !ok || call.Fn.Name != function.VariantTypeName {
			return e
		}
		from := originOf(call.Args[0], trace)
		if from == nil {
			return e
		}
		return &expr.Call{Fn: call.Fn.WithPathTypes(t.lookup(from)), Args: call.Args, At: call.At}
	})
}

// originOf returns the column or path of a table that e is, nil if it is something else.
func originOf(e expr.Expr, trace func(col int) *origin) *origin {
	switch e := e.(type) {
	case *expr.Column:
		return trace(e.Index)
	case *expr.Cast:
		// What takes a VARIANT takes one with a template too, by a cast that changes no value.
		if e.To.Kind == types.Variant && e.To.Variant == nil && e.Arg.Type().Kind == types.Variant {
			return originOf(e.Arg, trace)
		}
	case *expr.Path:
		from := originOf(e.Arg, trace)
		if from == nil {
			return nil
		}
		below := &origin{table: from.table, column: from.column, path: append([]string(nil), from.path...)}
		for _, s := range e.Steps {
			if s.IsIndex {
				return nil
			}
			below.path = append(below.path, s.Key)
		}
		return below
	}
	return nil
}

// trace follows a column of n down to the table that it comes from.
func trace(n plan.Node, col int) *origin {
	switch n := n.(type) {
	case *plan.Scan:
		if col < len(n.Columns) && n.Columns[col].Type.Kind == types.Variant {
			return &origin{table: n.Table, column: n.Columns[col].ID, path: n.Columns[col].Path}
		}
	case *plan.Project:
		return originOf(n.Exprs[col], func(c int) *origin { return trace(n.Input, c) })
	case *plan.Shared:
		return trace(n.Def.Plan, n.Column(col))
	case *plan.Filter:
		return trace(n.Input, col)
	case *plan.Limit:
		return trace(n.Input, col)
	case *plan.Sort:
		return trace(n.Input, col)
	case *plan.Distinct:
		return trace(n.Input, col)
	case *plan.Explode:
		if col < len(n.Input.Schema()) {
			return trace(n.Input, col)
		}
	case *plan.Aggregate:
		if col < len(n.Keys) {
			return originOf(n.Keys[col], func(c int) *origin { return trace(n.Input, c) })
		}
	case *plan.Join:
		return traceSides(n.Left, n.Right, col)
	}
	return nil
}

// traceSides follows a column of a join.
func traceSides(left, right plan.Node, col int) *origin {
	if width := len(left.Schema()); col < width {
		return trace(left, col)
	} else if col -= width; col < len(right.Schema()) {
		return trace(right, col)
	}
	return nil
}

// lookup returns what tells the types of paths below an origin.
func (t *pathTyper) lookup(o *origin) function.PathTypes {
	key := columnKey{o.table.ID, o.column}
	col := t.known[key]
	if col == nil {
		col = &columnTypes{c: t.c, table: o.table, column: o.column}
		t.known[key] = col
	}
	if len(o.path) == 0 {
		return col.lookup
	}
	return func(path []string) (types.Type, bool, error) { return col.lookup(slices.Concat(o.path, path)) }
}

// pathKey is a text that stands for the path of all names, whatever characters they have.
func pathKey(parts ...[]string) string {
	var b strings.Builder
	for _, names := range parts {
		for _, name := range names {
			b.WriteString(strconv.Itoa(len(name)))
			b.WriteByte(':')
			b.WriteString(name)
		}
	}
	return b.String()
}
