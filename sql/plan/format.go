package plan

import (
	"fmt"
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/types"
)

// maxShown is how many list elements and constant rows EXPLAIN prints before it cuts them off with a count.
const maxShown = 40

// Format returns the plan as text, one node a line, inputs indented below: what EXPLAIN prints. What several nodes read is shown below the
// first of them.
func Format(n Node) string {
	var b strings.Builder
	format(&b, n, 0, map[*Definition]bool{})
	return b.String()
}

func format(b *strings.Builder, n Node, depth int, shown map[*Definition]bool) {
	b.WriteString(strings.Repeat("  ", depth))
	b.WriteString(Describe(n))
	b.WriteByte('\n')
	for _, c := range n.Children() {
		format(b, c, depth+1, shown)
	}
	if s, ok := n.(*Shared); ok && !shown[s.Def] {
		shown[s.Def] = true
		format(b, s.Def.Plan, depth+1, shown)
	}
}

// Describe returns the line of one node without its inputs.
func Describe(n Node) string {
	switch n := n.(type) {
	case *Scan:
		return describeScan(n)
	case *StageScan:
		return fmt.Sprintf("StageScan files=%d [%s]", len(n.Files), fieldNames(n.Out))
	case *Values:
		return describeValues(n)
	case *Batches:
		rows := 0
		for _, d := range n.Data {
			rows += d.Len
		}
		return fmt.Sprintf("Batches rows=%d [%s]", rows, fieldNames(n.Out))
	case *Stream:
		return "Stream [" + fieldNames(n.Out) + "]"
	case *Filter:
		return "Filter " + n.Cond.String()
	case *Project:
		return "Project [" + namedExprs(n.Exprs, n.Out) + "]"
	case *Aggregate:
		return describeAggregate(n)
	case *Join:
		return describeJoin(n)
	case *Sort:
		return describeSort(n)
	case *Limit:
		return "Limit" + limits(n.Count, n.Offset)
	case *Union:
		return "Union [" + fieldNames(n.Out) + "]"
	case *Distinct:
		return "Distinct"
	case *Explode:
		s := "Explode " + n.Arg.String() + " AS " + n.Out[len(n.Out)-1].Name
		if n.Outer {
			s = "Outer" + s
		}
		return s
	case *Window:
		return describeWindow(n)
	case *Expand:
		return describeExpand(n)
	case *Recursive:
		return describeRecursive(n)
	case *Working:
		return "Working " + types.QuoteName(n.Self.Name) + " [" + fieldNames(n.Out) + "]"
	case *Shared:
		return "Shared " + types.QuoteName(n.Def.Name) + " [" + fieldNames(n.Out) + "]"
	case *Write:
		return "Write " + tableName(n.Table.Database, n.Table.Name)
	case *Delete:
		if n.Merge {
			return "Merge " + tableName(n.Table.Database, n.Table.Name)
		}
		if n.Update {
			return "Update " + tableName(n.Table.Database, n.Table.Name)
		}
		return "Delete " + tableName(n.Table.Database, n.Table.Name)
	}
	return fmt.Sprintf("%T", n)
}

func tableName(db, name string) string { return types.QuoteName(db) + "." + types.QuoteName(name) }

func describeScan(n *Scan) string {
	cols := make([]string, len(n.Columns))
	for i, c := range n.Columns {
		cols[i] = c.Label()
	}
	if n.RowIDs {
		cols = append(cols, "row ids")
	}
	s := fmt.Sprintf("Scan %s [%s]", tableName(n.Table.Database, n.Table.Name), joinShown(cols))
	if len(n.Filter) > 0 {
		s += " filter=[" + exprList(n.Filter) + "]"
	}
	return s
}

func describeValues(n *Values) string {
	rows := make([]string, 0, min(len(n.Rows), 4))
	for i, r := range n.Rows {
		if i == cap(rows) {
			break
		}
		rows = append(rows, "("+exprList(r)+")")
	}
	s := "Values " + strings.Join(rows, ", ")
	if len(n.Rows) > len(rows) {
		s += fmt.Sprintf(", ... %d rows", len(n.Rows))
	}
	if len(n.Rows) == 0 {
		s += "no rows"
	}
	return s
}

func describeAggregate(n *Aggregate) string {
	s := "Aggregate"
	if len(n.Keys) > 0 {
		s += " keys=[" + namedExprs(n.Keys, n.Out) + "]"
	}
	if len(n.Aggs) > 0 {
		parts := make([]string, len(n.Aggs))
		for i, a := range n.Aggs {
			parts[i] = a.String()
		}
		s += " aggregates=[" + joinShown(parts) + "]"
	}
	return s
}

// String returns the call as SQL.
func (a AggCall) String() string {
	args, distinct := exprList(a.Args), a.Distinct
	if o := a.Fn.Ordering; o != nil {
		keys := make([]SortKey, len(o.Orders))
		for i, k := range o.Orders {
			keys[i] = SortKey{Expr: a.Args[o.Args+i], Desc: k.Desc, NullsFirst: k.NullsFirst}
		}
		args, distinct = exprList(a.Args[:o.Args])+" ORDER BY "+sortKeys(keys), o.Distinct
	}
	if len(a.Args) == 0 {
		args = "*"
	}
	if distinct {
		args = "DISTINCT " + args
	}
	s := a.Fn.Name + "(" + args + ")"
	if a.Filter != nil {
		s += " FILTER (WHERE " + a.Filter.String() + ")"
	}
	return s
}

func describeJoin(n *Join) string {
	s := "Join " + n.Kind.String()
	if keys := min(len(n.LeftKeys), len(n.RightKeys)); keys > 0 {
		parts := make([]string, keys)
		for i := range parts {
			parts[i] = n.LeftKeys[i].String() + " = " + n.RightKeys[i].String()
		}
		s += " on=[" + strings.Join(parts, ", ") + "]"
	}
	if n.Cond != nil {
		s += " cond=" + n.Cond.String()
	}
	if n.LeftFirst {
		s += " left first"
	}
	return s
}

func describeSort(n *Sort) string {
	name := "Sort"
	if n.Limit >= 0 {
		name = "TopN"
	}
	return name + " [" + sortKeys(n.Keys) + "]" + limits(n.Limit, n.Offset)
}

func sortKeys(keys []SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = k.Expr.String()
		if k.Desc {
			parts[i] += " DESC"
		}
		if k.NullsFirst {
			parts[i] += " NULLS FIRST"
		}
	}
	return strings.Join(parts, ", ")
}

func limits(count, offset int64) string {
	s := ""
	if count >= 0 {
		s = fmt.Sprintf(" limit=%d", count)
	}
	if offset > 0 {
		s += fmt.Sprintf(" offset=%d", offset)
	}
	return s
}

func fieldNames(s types.Schema) string {
	parts := make([]string, len(s))
	for i, f := range s {
		parts[i] = f.Name
	}
	return joinShown(parts)
}

func exprList(list []expr.Expr) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = e.String()
	}
	return joinShown(parts)
}

// namedExprs prints expressions with their names where the expression's text says something else.
func namedExprs(list []expr.Expr, out types.Schema) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = e.String()
		if parts[i] != out[i].Name && parts[i] != types.QuoteName(out[i].Name) {
			parts[i] += " AS " + types.QuoteName(out[i].Name)
		}
	}
	return joinShown(parts)
}

func joinShown(parts []string) string {
	if len(parts) <= maxShown {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts[:maxShown], ", ") + fmt.Sprintf(", ... %d more", len(parts)-maxShown)
}
