package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// cte is a common table expression that has been bound once and may be used several times.
type cte struct {
	name parse.Ident
	rel  *relation
	// size is the number of plan nodes that one use adds.
	size int
	// binding is set while the expression itself is being bound under WITH RECURSIVE; working are then the rows of the last step, nil until
	// the base is bound, and used tells that they have been read.
	binding bool
	working *relation
	used    bool
}

// query binds a whole query: WITH, body, ORDER BY, LIMIT.
func (b *binder) query(q *parse.Query) (*relation, error) {
	defer b.scopeCTEs()()
	if err := b.with(q.With); err != nil {
		return nil, err
	}
	switch body := q.Body.(type) {
	case *parse.Select:
		sel := &selectBinder{b: b, s: body, order: q.OrderBy}
		rel, err := sel.bind()
		if err != nil {
			return nil, err
		}
		return b.limit(rel, q)
	}
	rel, err := b.body(q.Body)
	if err != nil {
		return nil, err
	}
	if rel, err = b.orderOutput(rel, q.OrderBy); err != nil {
		return nil, err
	}
	return b.limit(rel, q)
}

// scopeCTEs returns a function that forgets the common table expressions added since.
func (b *binder) scopeCTEs() func() {
	n := len(b.ctes)
	return func() { b.ctes = b.ctes[:n] }
}

// body binds an operand of a set operation.
func (b *binder) body(q parse.QueryBody) (*relation, error) {
	switch q := q.(type) {
	case *parse.Query:
		return b.query(q)
	case *parse.Select:
		sel := &selectBinder{b: b, s: q}
		return sel.bind()
	case *parse.SetOp:
		return b.setOp(q)
	case *parse.Values:
		return b.values(q)
	}
	return nil, sqlerr.At(sqlerr.Unsupported, q.Pos(), "this form of query is not supported")
}

// with binds common table expressions in order; each sees the ones before it.
func (b *binder) with(w *parse.With) error {
	if w == nil {
		return nil
	}
	first := len(b.ctes)
	for i := range w.CTEs {
		c := &w.CTEs[i]
		for _, other := range b.ctes[first:] {
			if matches(other.name.Name, c.Name, c.Name.Quoted) {
				return sqlerr.At(sqlerr.Bind, c.Name.Pos(), "WITH defines %s twice", c.Name.Name)
			}
		}
		entry := &cte{name: c.Name, binding: true}
		if w.Recursive {
			b.ctes = append(b.ctes, entry)
		}
		before := b.nodes
		rel, err := b.cte(entry, c, w.Recursive)
		if err != nil {
			return err
		}
		if !w.Recursive {
			b.ctes = append(b.ctes, entry)
		}
		b.nodes = before
		entry.binding, entry.working = false, nil
		entry.size = plan.Size(rel.node, maxPlanNodes+1)
		if entry.rel, err = rename(rel, c.Name.Name, c.Columns); err != nil {
			return err
		}
		if !correlated(rel.node) {
			d := &plan.Definition{Name: c.Name.Name, Plan: rel.node, Keep: c.Materialized == parse.Materialized, Inline: c.Materialized == parse.NotMaterialized}
			entry.rel.node = plan.NewShared(d)
		}
	}
	return nil
}

// findCTE returns a common table expression by name, innermost first; nil for none.
func (b *binder) findCTE(name parse.Ident) *cte {
	for i := len(b.ctes) - 1; i >= 0; i-- {
		if c := b.ctes[i]; matches(c.name.Name, name, name.Quoted && c.name.Quoted) {
			return c
		}
	}
	return nil
}

// rename returns a relation whose columns belong to table and, where columns are given, have other names.
func rename(rel *relation, table string, columns []parse.Ident) (*relation, error) {
	if len(columns) > len(rel.cols) {
		return nil, sqlerr.At(sqlerr.Bind, columns[0].Pos(), "%s has %d columns but %d names are given", nameOr(table), len(rel.cols), len(columns))
	}
	out := &relation{node: rel.node, cols: append([]column(nil), rel.cols...)}
	for i := range out.cols {
		out.cols[i].table, out.cols[i].database = table, ""
		if i < len(columns) {
			out.cols[i].name = columns[i].Name
		}
	}
	return out, nil
}

// project puts the columns of a relation in the order of its names and casts them to the target types.
func (b *binder) project(r *relation, target []types.Type) plan.Node {
	exprs, names := make([]expr.Expr, len(r.cols)), make([]string, len(r.cols))
	same := len(r.cols) == len(r.node.Schema())
	for i, c := range r.cols {
		x := &expr.Column{Index: c.index, Name: c.name, T: c.t, NotNull: c.notNull}
		exprs[i], names[i] = b.coerce(x, target[i]), c.name
		same = same && c.index == i && exprs[i] == expr.Expr(x)
	}
	if same {
		return r.node
	}
	return plan.NewProject(r.node, exprs, names)
}

// values binds VALUES as a query: each column has the common type of its cells.
func (b *binder) values(v *parse.Values) (*relation, error) {
	s := &scope{b: b, outer: b.outer, level: b.level(), clause: "VALUES"}
	width := len(v.Rows[0])
	cells := make([][]expr.Expr, len(v.Rows))
	for i, row := range v.Rows {
		if len(row) != width {
			return nil, sqlerr.At(sqlerr.Bind, rowPos(row, v), "VALUES rows have %d and %d values", width, len(row))
		}
		list, err := s.bindAll(row)
		if err != nil {
			return nil, err
		}
		cells[i] = list
	}
	out := &plan.Values{Rows: cells}
	rel := &relation{node: out}
	for c := range width {
		columnCells := make([]expr.Expr, len(cells))
		for r := range cells {
			columnCells[r] = cells[r][c]
		}
		list, t, err := s.unify(v.Rows[0][c].Pos(), "VALUES", columnCells)
		if err != nil {
			return nil, err
		}
		f := types.Field{Name: columnName(c), Type: t, NotNull: true}
		for r := range cells {
			cells[r][c] = list[r]
			k, ok := list[r].(*expr.Const)
			f.NotNull = f.NotNull && ok && !k.Value.IsNull(0)
		}
		out.Out = append(out.Out, f)
		rel.cols = append(rel.cols, fieldColumn(f, c))
	}
	return rel, nil
}

func rowPos(row []parse.Expr, v *parse.Values) int {
	if len(row) > 0 {
		return row[0].Pos()
	}
	return v.Pos()
}
