package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// Change is a bound INSERT, DELETE, UPDATE or MERGE. Its plan yields one row with the number of rows.
type Change struct {
	Plan plan.Node
	// Table is the version of the table that was bound.
	Table  *catalog.Table
	Params []types.Type
}

// Insert binds INSERT INTO. OVERWRITE is the caller's business: the plan only writes.
func Insert(env *Env, st *parse.Insert) (*Change, error) {
	b := newBinder(env)
	t, err := b.target(st.Table)
	if err != nil {
		return nil, err
	}
	positions, err := columnPositions(t, st.Columns)
	if err != nil {
		return nil, err
	}
	var node plan.Node
	switch {
	case st.Query == nil:
		node, err = b.insertRows(t, nil, &parse.Values{Place: st.Place, Rows: [][]parse.Expr{{}}})
	default:
		v, plain := st.Query.Body.(*parse.Values)
		q := st.Query
		if plain && q.With == nil && len(q.OrderBy) == 0 && q.Limit == nil && q.Offset == nil {
			node, err = b.insertRows(t, positions, v)
			break
		}
		var rel *relation
		if rel, err = b.query(q); err == nil {
			node, err = b.rowsFor(t, positions, rel, st.Query.Pos())
		}
	}
	if err != nil {
		return nil, err
	}
	return &Change{Plan: &plan.Write{Input: node, Table: t}, Table: t, Params: b.paramTypes()}, nil
}

// Rows adapts the rows of input to a table and writes them: column i of input goes to the table column named columns[i] (all columns in
// order if columns is nil), cast to its type; other columns get their defaults. CTAS, COPY and bulk ingestion use it.
func Rows(env *Env, input plan.Node, t *catalog.Table, columns []parse.Ident) (plan.Node, error) {
	b := newBinder(env)
	positions, err := columnPositions(t, columns)
	if err != nil {
		return nil, err
	}
	node, err := b.rowsFor(t, positions, nodeRelation(input), 0)
	if err != nil {
		return nil, err
	}
	return &plan.Write{Input: node, Table: t}, nil
}

// target finds the table of a change.
func (b *binder) target(name parse.ObjectName) (*catalog.Table, error) {
	db, last, err := b.qualify(name)
	if err != nil {
		return nil, err
	}
	r, err := b.env.Tables.Relation(db, last)
	if err != nil {
		return nil, sqlerr.WithPlace(err, name.Pos())
	}
	if r.Table == nil {
		return nil, sqlerr.At(sqlerr.Unsupported, name.Pos(), "%s is not a table: its rows cannot be changed", name)
	}
	return r.Table, nil
}

// columnPositions finds the written columns of INSERT; without a list it is all columns in order.
func columnPositions(t *catalog.Table, names []parse.Ident) ([]int, error) {
	var out []int
	if len(names) == 0 {
		for i := range t.Columns {
			out = append(out, i)
		}
		return out, nil
	}
	s := &scope{}
	for i := range t.Columns {
		s.cols = append(s.cols, column{index: i, name: t.Columns[i].Name, table: t.Name})
	}
	seen := map[int]bool{}
	for _, n := range names {
		c, err := s.lookup(nil, n, n.Pos())
		if err != nil {
			return nil, err
		}
		if c == nil {
			hint := ""
			if near := s.closest(n.Name, func(c *column) string { return c.name }); near != "" {
				hint = "; did you mean " + near + "?"
			}
			return nil, sqlerr.At(sqlerr.NotFound, n.Pos(), "table %s has no column %s%s", t.Name, n.Name, hint)
		}
		if seen[c.index] {
			return nil, sqlerr.At(sqlerr.Bind, n.Pos(), "column %s is named twice", n.Name)
		}
		seen[c.index] = true
		out = append(out, c.index)
	}
	return out, nil
}

// writeType is the type that values of a column have on their way to the table: the Schema Template of a VARIANT is applied by whoever
// shreds the values.
func writeType(c *catalog.Column) types.Type {
	if c.Type.Kind == types.Variant {
		return types.Of(types.Variant)
	}
	return c.Type
}

// assign casts a value for a column.
func (b *binder) assign(x expr.Expr, c *catalog.Column, pos int) (expr.Expr, error) {
	t := writeType(c)
	if err := castable(x.Type(), t, pos); err != nil {
		return nil, sqlerr.At(sqlerr.Type, pos, "column %s is %s: %s", c.Name, c.Type, message(err))
	}
	return b.coerce(x, t), nil
}

// defaultOf is the value of a column that a row does not give.
func (b *binder) defaultOf(c *catalog.Column, pos int) (expr.Expr, error) {
	if c.Default == "" {
		return b.coerce(nullConst(), writeType(c)), nil
	}
	e, err := parse.ParseExpr(c.Default)
	if err != nil {
		return nil, sqlerr.At(sqlerr.Corrupt, pos, "default of column %s cannot be read: %s", c.Name, err)
	}
	s := &scope{b: b, clause: "DEFAULT"}
	leave := b.enter(pos)
	x, err := s.bind(e)
	leave()
	if err != nil {
		return nil, sqlerr.At(sqlerr.KindOf(err), pos, "default of column %s: %s", c.Name, message(err))
	}
	return b.assign(x, c, pos)
}

// required refuses to leave out a NOT NULL column without default.
func required(t *catalog.Table, i, pos int) error {
	if c := &t.Columns[i]; c.NotNull && c.Default == "" {
		return sqlerr.At(sqlerr.Constraint, pos, "column %s of table %s is NOT NULL and has no default", c.Name, t.Name)
	}
	return nil
}

// insertRows binds VALUES for a table: each cell is cast to its column, DEFAULT is the column's default.
func (b *binder) insertRows(t *catalog.Table, positions []int, v *parse.Values) (plan.Node, error) {
	s := &scope{b: b, clause: "VALUES"}
	out := &plan.Values{Out: tableSchema(t)}
	defaults := make([]expr.Expr, len(t.Columns))
	given := make([]bool, len(t.Columns))
	for _, p := range positions {
		given[p] = true
	}
	for i := range t.Columns {
		var err error
		if defaults[i], err = b.defaultOf(&t.Columns[i], v.Pos()); err != nil {
			return nil, err
		}
		if !given[i] {
			if err := required(t, i, v.Pos()); err != nil {
				return nil, err
			}
		}
	}
	for _, cells := range v.Rows {
		if len(cells) != len(positions) {
			return nil, sqlerr.At(sqlerr.Bind, rowPos(cells, v), "%d values for %d columns of table %s", len(cells), len(positions), t.Name)
		}
		row := append([]expr.Expr(nil), defaults...)
		for k, e := range cells {
			if _, ok := e.(*parse.DefaultValue); ok {
				continue
			}
			x, err := s.bind(e)
			if err != nil {
				return nil, err
			}
			c := &t.Columns[positions[k]]
			if x, err = b.assign(x, c, e.Pos()); err != nil {
				return nil, err
			}
			row[positions[k]] = x
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// tableSchema is the schema of rows to be written.
func tableSchema(t *catalog.Table) types.Schema {
	out := make(types.Schema, len(t.Columns))
	for i := range t.Columns {
		out[i] = types.Field{Name: t.Columns[i].Name, Type: writeType(&t.Columns[i])}
	}
	return out
}

// rowsFor projects the rows of a query to the columns of a table.
func (b *binder) rowsFor(t *catalog.Table, positions []int, rel *relation, pos int) (plan.Node, error) {
	if len(rel.cols) != len(positions) {
		return nil, sqlerr.At(sqlerr.Bind, pos, "query has %d columns for %d columns of table %s", len(rel.cols), len(positions), t.Name)
	}
	exprs := make([]expr.Expr, len(t.Columns))
	for k, p := range positions {
		c := rel.cols[k]
		x, err := b.assign(&expr.Column{Index: c.index, Name: c.name, T: c.t, NotNull: c.notNull}, &t.Columns[p], pos)
		if err != nil {
			return nil, err
		}
		exprs[p] = x
	}
	schema := tableSchema(t)
	names := make([]string, len(exprs))
	for i := range exprs {
		names[i] = schema[i].Name
		if exprs[i] != nil {
			continue
		}
		if err := required(t, i, pos); err != nil {
			return nil, err
		}
		x, err := b.defaultOf(&t.Columns[i], pos)
		if err != nil {
			return nil, err
		}
		exprs[i] = x
	}
	return plan.NewProject(rel.node, exprs, names), nil
}

// Delete binds DELETE FROM: a scan with row ids, filtered, reduced to the ids.
func Delete(env *Env, st *parse.Delete) (*Change, error) {
	b := newBinder(env)
	x, t, err := b.changing(st.Table, st.Alias, st.Using, st.Where)
	if err != nil {
		return nil, err
	}
	ids, names := rowIDs(t)
	node := &plan.Delete{Input: plan.NewProject(x.from.node, ids, names), Table: t}
	return &Change{Plan: node, Table: t, Params: b.paramTypes()}, nil
}

// rowIDs reads the two row id columns of a Scan of all columns.
func rowIDs(t *catalog.Table) ([]expr.Expr, []string) {
	n, big := len(t.Columns), types.Of(types.BigInt)
	return []expr.Expr{
		&expr.Column{Index: n, Name: plan.SegmentColumn, T: big, NotNull: true},
		&expr.Column{Index: n + 1, Name: plan.OrdinalColumn, T: big, NotNull: true},
	}, []string{plan.SegmentColumn, plan.OrdinalColumn}
}

// changing binds the table, the other tables and the condition of DELETE and UPDATE. The columns of the table come first, with the row
// ids behind them.
func (b *binder) changing(name parse.ObjectName, alias parse.Ident, others []parse.TableExpr, where parse.Expr) (*selectBinder, *catalog.Table, error) {
	rel, t, err := b.targetRelation(name, alias)
	if err != nil {
		return nil, nil, err
	}
	if len(others) > 0 {
		right, err := b.fromList(others)
		if err != nil {
			return nil, nil, err
		}
		if rel, err = b.cross(rel, right, others[0].Pos()); err != nil {
			return nil, nil, err
		}
	}
	x := &selectBinder{b: b, s: &parse.Select{Place: parse.Place(name.Pos())}, from: rel}
	if where != nil {
		if err := x.where(where); err != nil {
			return nil, nil, err
		}
	}
	return x, t, nil
}

// targetRelation is the table of a change with its row ids, which have no name.
func (b *binder) targetRelation(name parse.ObjectName, alias parse.Ident) (*relation, *catalog.Table, error) {
	t, err := b.target(name)
	if err != nil {
		return nil, nil, err
	}
	label, database := t.Name, t.Database
	if alias.Name != "" {
		label, database = alias.Name, ""
	}
	rel, err := rename(tableRelation(plan.NewScan(t, true)), label, nil)
	if err != nil {
		return nil, nil, err
	}
	for i := range rel.cols {
		rel.cols[i].database = database
	}
	return rel, t, nil
}

// Update binds UPDATE ... SET: the new rows in table order, then the ids of the old ones. With FROM a row must not match several rows.
func Update(env *Env, st *parse.Update) (*Change, error) {
	b := newBinder(env)
	x, t, err := b.changing(st.Table, st.Alias, st.From, st.Where)
	if err != nil {
		return nil, err
	}
	s := x.scope("SET")
	s.subs = &subList{}
	exprs, names, err := b.updated(s, x.from.cols[:len(t.Columns)], t, st.Set, st.Pos())
	if err != nil {
		return nil, err
	}
	node, err := s.subs.attach(x.from.node, asIs)
	if err != nil {
		return nil, err
	}
	for i := range exprs {
		exprs[i] = s.subs.replace(exprs[i])
	}
	ids, idNames := rowIDs(t)
	node = plan.NewProject(node, append(exprs, ids...), append(names, idNames...))
	return &Change{Plan: &plan.Delete{Input: node, Table: t, Update: true, Once: len(st.From) > 0}, Table: t, Params: b.paramTypes()}, nil
}

// updated returns the new values of a table's columns, target, and their names.
func (b *binder) updated(s *scope, target []column, t *catalog.Table, set []parse.Assignment, pos int) ([]expr.Expr, []string, error) {
	exprs, names := make([]expr.Expr, len(t.Columns)), make([]string, len(t.Columns))
	changed := make([]bool, len(t.Columns))
	for i := range target {
		exprs[i], names[i] = s.column(&target[i], pos), target[i].name
	}
	left := *s
	left.cols = target
	for i := range set {
		p, v, err := b.assignment(&left, s, t, &set[i])
		if err != nil {
			return nil, nil, err
		}
		if changed[p] {
			return nil, nil, sqlerr.At(sqlerr.Bind, set[i].Column.Pos(), "column %s is set twice", t.Columns[p].Name)
		}
		exprs[p], changed[p] = v, true
	}
	return exprs, names, nil
}

// assignment binds column = value: the column as left sees it, the value as s does.
func (b *binder) assignment(left, s *scope, t *catalog.Table, a *parse.Assignment) (position int, value expr.Expr, err error) {
	ref, ok := a.Column.(*parse.ColumnRef)
	if !ok {
		return 0, nil, sqlerr.At(sqlerr.Unsupported, a.Column.Pos(), "only whole columns can be set")
	}
	target, err := left.columnRef(ref)
	if err != nil {
		return 0, nil, err
	}
	c, ok := target.(*expr.Column)
	if !ok || c.Index >= len(t.Columns) {
		return 0, nil, sqlerr.At(sqlerr.Unsupported, a.Column.Pos(), "only whole columns can be set")
	}
	col := &t.Columns[c.Index]
	if _, ok := a.Value.(*parse.DefaultValue); ok {
		if err := required(t, c.Index, a.Value.Pos()); err != nil {
			return 0, nil, err
		}
		value, err = b.defaultOf(col, a.Value.Pos())
		return c.Index, value, err
	}
	x, err := s.bind(a.Value)
	if err != nil {
		return 0, nil, err
	}
	value, err = b.assign(x, col, a.Value.Pos())
	return c.Index, value, err
}
