package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// cte is a common table expression that has been bound once and may be used several times.
type cte struct {
	name parse.Ident
	rel  *relation
	// size is the number of plan nodes that one use adds.
	size int
	// binding is set while the expression itself is being bound under WITH RECURSIVE.
	binding bool
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
		rel, err := b.query(c.Query)
		if err != nil {
			return err
		}
		if !w.Recursive {
			b.ctes = append(b.ctes, entry)
		}
		b.nodes = before
		entry.binding = false
		entry.size = plan.Size(rel.node, maxPlanNodes+1)
		if entry.rel, err = rename(rel, c.Name.Name, c.Columns); err != nil {
			return err
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

// setOp binds UNION, INTERSECT and EXCEPT.
func (b *binder) setOp(q *parse.SetOp) (*relation, error) {
	// A long chain of unions leans to the left; it is walked in a loop and becomes one node.
	var operands []parse.QueryBody
	left := parse.QueryBody(q)
	for {
		op, ok := left.(*parse.SetOp)
		if !ok || op.Kind != q.Kind || op.All != q.All || len(operands) > 0 && q.Kind != parse.Union {
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
	out, err := b.align(rels, q)
	if err != nil {
		return nil, err
	}
	switch {
	case q.Kind == parse.Union && q.All:
		return out, nil
	case q.All:
		return nil, sqlerr.At(sqlerr.Unsupported, q.Pos(), "%s ALL is not supported", setOpNames[q.Kind])
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

// limit adds LIMIT and OFFSET.
func (b *binder) limit(rel *relation, q *parse.Query) (*relation, error) {
	if q.Limit == nil && q.Offset == nil {
		return rel, nil
	}
	n := &plan.Limit{Input: rel.node, Count: -1}
	var err error
	if q.Limit != nil {
		if n.Count, err = b.rowCount(q.Limit, "LIMIT", -1); err != nil {
			return nil, err
		}
	}
	if q.Offset != nil {
		if n.Offset, err = b.rowCount(q.Offset, "OFFSET", 0); err != nil {
			return nil, err
		}
	}
	return &relation{node: n, cols: rel.cols}, nil
}

// rowCount evaluates the constant of LIMIT or OFFSET. NULL and parameters without a value yet give none.
func (b *binder) rowCount(e parse.Expr, what string, none int64) (int64, error) {
	if c, ok := e.(*parse.ColumnRef); ok && len(c.Parts) == 1 && !c.Parts[0].Quoted && matches("ALL", c.Parts[0], false) {
		return none, nil
	}
	s := &scope{b: b, clause: what}
	x, err := s.bind(e)
	if err != nil {
		return 0, err
	}
	if !unknown(x) && !x.Type().IsInteger() && x.Type().Kind != types.Null {
		return 0, sqlerr.At(sqlerr.Type, e.Pos(), "%s needs a whole number, not %s", what, x.Type())
	}
	x = b.coerce(x, types.Of(types.BigInt))
	if findParam(x) != nil {
		return none, nil
	}
	v, err := evaluate(b.env.Ctx, x, e.Pos())
	if err != nil {
		return 0, err
	}
	if v.IsNull(0) {
		return none, nil
	}
	n := vec.Slice[int64](v)[0]
	if n < 0 {
		return 0, sqlerr.At(sqlerr.OutOfRange, e.Pos(), "%s must not be negative", what)
	}
	return n, nil
}
