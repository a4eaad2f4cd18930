package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/vec"
)

// merger binds a MERGE: target and source are joined, a column tells for each row the number of the clause that decides, and the new rows
// are computed from it.
type merger struct {
	b  *binder
	st *parse.Merge
	t  *catalog.Table
	// cols are the columns of the join: the target's first, then the source's.
	cols   []column
	target []column
	source []column
	// hasTarget and hasSource tell of a row of the join whether the side has a row.
	hasTarget, hasSource expr.Expr
	// which is the column with the number of the clause.
	which expr.Expr
	ids   []expr.Expr
}

// Merge binds MERGE INTO.
func Merge(env *Env, st *parse.Merge) (*Change, error) {
	m := &merger{b: newBinder(env), st: st}
	joined, err := m.join()
	if err != nil {
		return nil, err
	}
	decided, err := m.decide(joined)
	if err != nil {
		return nil, err
	}
	node, err := m.rows(decided)
	if err != nil {
		return nil, err
	}
	return &Change{Plan: &plan.Delete{Input: node, Table: m.t, Update: true, Once: true, Merge: true}, Table: m.t, Params: m.b.paramTypes()}, nil
}

// join binds both sides and their condition. It keeps the rows without a partner that some clause is about.
func (m *merger) join() (plan.Node, error) {
	l, t, err := m.b.targetRelation(m.st.Table, m.st.Alias)
	if err != nil {
		return nil, err
	}
	m.t = t
	r, err := m.b.from(m.st.Using)
	if err != nil {
		return nil, err
	}
	if err := distinctNames(l, r, m.st.Using.Pos()); err != nil {
		return nil, err
	}
	width := len(l.node.Schema())
	exprs, names := plan.Identity(r.node.Schema())
	present := &expr.Const{Value: vec.NewFlat(types.Of(types.Boolean), []bool{true}, nil)}
	r.node = plan.NewProject(r.node, append(exprs, present), append(names, "present"))
	m.cols = sideBySide(l, r)
	s := &scope{b: m.b, cols: m.cols, clause: "ON"}
	on, err := s.condition(m.st.On)
	if err != nil {
		return nil, err
	}
	leftKeys, rightKeys, cond := splitKeys(on, width)
	node := plan.NewJoin(m.kind(), l.node, r.node, leftKeys, rightKeys, cond)
	for i := range m.cols {
		m.cols[i].notNull = node.Out[m.cols[i].index].NotNull
	}
	m.target, m.source = m.cols[:len(l.cols)], m.cols[len(l.cols):]
	m.ids = []expr.Expr{plan.ColumnOf(node.Out, width-2), plan.ColumnOf(node.Out, width-1)}
	m.hasTarget = &expr.IsNull{Arg: m.ids[0], Negate: true}
	m.hasSource = &expr.IsNull{Arg: plan.ColumnOf(node.Out, len(node.Out)-1), Negate: true}
	return node, nil
}

func (m *merger) kind() plan.JoinKind {
	var left, right bool
	for _, w := range m.st.When {
		left = left || w.Match == parse.MergeNotMatchedBySource
		right = right || w.Match == parse.MergeNotMatched
	}
	switch {
	case left && right:
		return plan.Full
	case left:
		return plan.Left
	case right:
		return plan.Right
	}
	return plan.Inner
}

// scope is what a clause may read: of a row without a partner only the side that is there.
func (m *merger) scope(w *parse.MergeWhen) *scope {
	s := &scope{b: m.b, cols: m.cols, clause: "WHEN"}
	switch w.Match {
	case parse.MergeNotMatched:
		s.cols, s.clause = m.source, "WHEN NOT MATCHED, which has no target row"
	case parse.MergeNotMatchedBySource:
		s.cols, s.clause = m.target, "WHEN NOT MATCHED BY SOURCE, which has no source row"
	}
	return s
}

// decide appends the number of the first clause that applies and drops the rows for which there is none.
func (m *merger) decide(node plan.Node) (plan.Node, error) {
	number := &expr.Case{T: types.Of(types.Int)}
	for i := range m.st.When {
		w := &m.st.When[i]
		cond, err := m.applies(w)
		if err != nil {
			return nil, err
		}
		n := &expr.Const{Value: vec.NewFlat(types.Of(types.Int), []int32{int32(i)}, nil)}
		if w.Action == parse.MergeNothing {
			n = &expr.Const{Value: vec.NewNull(types.Of(types.Int), 1)}
		}
		number.Whens = append(number.Whens, expr.When{Cond: cond, Then: n})
	}
	schema := node.Schema()
	exprs, names := plan.Identity(schema)
	p := plan.NewProject(node, append(exprs, number), append(names, "clause"))
	m.which = plan.ColumnOf(p.Out, len(schema))
	return &plan.Filter{Input: p, Cond: &expr.IsNull{Arg: m.which, Negate: true}}, nil
}

func (m *merger) applies(w *parse.MergeWhen) (expr.Expr, error) {
	switch {
	case w.Match == parse.MergeNotMatched && (w.Action == parse.MergeUpdate || w.Action == parse.MergeDelete):
		return nil, sqlerr.At(sqlerr.Bind, w.Pos(), "WHEN NOT MATCHED has no target row to change; it can INSERT")
	case w.Match != parse.MergeNotMatched && w.Action == parse.MergeInsert:
		return nil, sqlerr.At(sqlerr.Bind, w.Pos(), "only WHEN NOT MATCHED can INSERT")
	}
	conds := []expr.Expr{m.hasTarget, m.hasSource}
	switch w.Match {
	case parse.MergeNotMatched:
		conds[0] = &expr.Not{Arg: m.hasTarget}
	case parse.MergeNotMatchedBySource:
		conds[1] = &expr.Not{Arg: m.hasSource}
	}
	if w.And != nil {
		c, err := m.scope(w).condition(w.And)
		if err != nil {
			return nil, err
		}
		conds = append(conds, c)
	}
	return expr.Join(conds), nil
}

// rows computes the new rows, whether there is one, and the ids of the old ones.
func (m *merger) rows(node plan.Node) (plan.Node, error) {
	n := len(m.t.Columns)
	values := make([]*expr.Case, n)
	schema := tableSchema(m.t)
	names := make([]string, n, n+3)
	for i := range values {
		values[i] = &expr.Case{T: schema[i].Type}
		names[i] = schema[i].Name
	}
	written := &expr.Case{T: types.Of(types.Boolean), Else: &expr.Const{Value: vec.NewFlat(types.Of(types.Boolean), []bool{false}, nil)}}
	for i := range m.st.When {
		w := &m.st.When[i]
		row, err := m.row(w)
		if err != nil {
			return nil, err
		}
		if row == nil {
			continue
		}
		s := &scope{b: m.b, cols: m.cols, clause: "WHEN"}
		is, err := s.resolve(w.Pos(), "=", m.which, &expr.Const{Value: vec.NewFlat(types.Of(types.Int), []int32{int32(i)}, nil)})
		if err != nil {
			return nil, err
		}
		for k, x := range row {
			values[k].Whens = append(values[k].Whens, expr.When{Cond: is, Then: x})
		}
		written.Whens = append(written.Whens, expr.When{Cond: is, Then: &expr.Const{Value: vec.NewFlat(types.Of(types.Boolean), []bool{true}, nil)}})
	}
	exprs := make([]expr.Expr, n, n+3)
	for i := range values {
		exprs[i] = values[i]
		if len(values[i].Whens) == 0 {
			exprs[i] = &expr.Const{Value: vec.NewNull(schema[i].Type, 1)}
		}
	}
	exprs = append(exprs, written)
	if len(written.Whens) == 0 {
		exprs[n] = written.Else
	}
	return plan.NewProject(node, append(exprs, m.ids...), append(names, "written", plan.SegmentColumn, plan.OrdinalColumn)), nil
}

// row is the new row of a clause, nil for DELETE and DO NOTHING.
func (m *merger) row(w *parse.MergeWhen) ([]expr.Expr, error) {
	s := m.scope(w)
	switch w.Action {
	case parse.MergeUpdate:
		if w.Star {
			return m.sameNames(s, w, func(i int) (expr.Expr, error) { return s.column(&m.target[i], w.Pos()), nil })
		}
		row, _, err := m.b.updated(s, m.target, m.t, w.Set, w.Pos())
		for i := range row {
			if row[i] != nil && !row[i].Type().Equal(writeType(&m.t.Columns[i])) {
				row[i] = m.b.coerce(row[i], writeType(&m.t.Columns[i]))
			}
		}
		return row, err
	case parse.MergeInsert:
		if w.Star {
			return m.sameNames(s, w, func(i int) (expr.Expr, error) {
				if err := required(m.t, i, w.Pos()); err != nil {
					return nil, err
				}
				return m.b.defaultOf(&m.t.Columns[i], w.Pos())
			})
		}
		return m.insert(s, w)
	}
	return nil, nil
}

// sameNames takes for each column of the table the source's column of its name, or what other gives where there is none.
func (m *merger) sameNames(s *scope, w *parse.MergeWhen, other func(i int) (expr.Expr, error)) ([]expr.Expr, error) {
	row := make([]expr.Expr, len(m.t.Columns))
	hits := 0
	for i := range row {
		c := &m.t.Columns[i]
		var err error
		if from := m.named(c.Name); from != nil {
			hits++
			row[i], err = m.b.assign(s.column(from, w.Pos()), c, w.Pos())
		} else {
			row[i], err = other(i)
		}
		if err != nil {
			return nil, err
		}
		if t := writeType(c); !row[i].Type().Equal(t) {
			row[i] = m.b.coerce(row[i], t)
		}
	}
	if hits == 0 {
		return nil, sqlerr.At(sqlerr.Bind, w.Pos(), "source and table %s have no column name in common", m.t.Name)
	}
	return row, nil
}

// named finds a column of the source: by its exact name, else without regard to case.
func (m *merger) named(name string) *column {
	var loose *column
	for i := range m.source {
		c := &m.source[i]
		switch {
		case c.hidden:
		case c.name == name:
			return c
		case loose == nil && strings.EqualFold(c.name, name):
			loose = c
		}
	}
	return loose
}

func (m *merger) insert(s *scope, w *parse.MergeWhen) ([]expr.Expr, error) {
	positions, err := columnPositions(m.t, w.Columns)
	if err != nil {
		return nil, err
	}
	if len(w.Values) != len(positions) {
		return nil, sqlerr.At(sqlerr.Bind, w.Values[0].Pos(), "%d values for %d columns of table %s", len(w.Values), len(positions), m.t.Name)
	}
	row := make([]expr.Expr, len(m.t.Columns))
	for k, p := range positions {
		c := &m.t.Columns[p]
		if _, isDefault := w.Values[k].(*parse.DefaultValue); isDefault {
			continue
		}
		x, err := s.bind(w.Values[k])
		if err != nil {
			return nil, err
		}
		if row[p], err = m.b.assign(x, c, w.Values[k].Pos()); err != nil {
			return nil, err
		}
	}
	for i := range row {
		if row[i] != nil {
			continue
		}
		if err := required(m.t, i, w.Pos()); err != nil {
			return nil, err
		}
		if row[i], err = m.b.defaultOf(&m.t.Columns[i], w.Pos()); err != nil {
			return nil, err
		}
	}
	return row, nil
}
