package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// lateralScope is where the right side of a lateral join looks up the columns of the left side.
func (b *binder) lateralScope(left *relation) *scope {
	return &scope{b: b, cols: left.cols, outer: b.outer, level: b.level(), clause: "FROM"}
}

// lateral joins left with a sub-query that may use the columns of left.
func (b *binder) lateral(left *relation, t *parse.DerivedTable, kind plan.JoinKind, on parse.Expr) (*relation, error) {
	s := b.lateralScope(left)
	right, err := b.within(s, func() (*relation, error) { return b.query(t.Query) })
	if err != nil {
		return nil, err
	}
	if right, err = rename(right, t.Alias.Name.Name, t.Alias.Columns); err != nil {
		return nil, err
	}
	if err := distinctNames(left, right, t.Pos()); err != nil {
		return nil, err
	}
	return b.dependentJoin(s, left, right, kind, on, t.Pos())
}

// dependentJoin joins left with right, whose plan may use the columns of left as those of the enclosing query of s.
func (b *binder) dependentJoin(s *scope, left, right *relation, kind plan.JoinKind, on parse.Expr, pos int) (*relation, error) {
	x, err := s.lift(right)
	if err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	var cond expr.Expr
	if on != nil {
		if cond, err = b.lateralCondition(left, right, x, on); err != nil {
			return nil, err
		}
	}
	if kind == plan.Left {
		x.nullable()
	}
	p := x.pending(kind)
	p.cond = expr.Join(append(expr.Conjuncts(p.cond), expr.Conjuncts(cond)...))
	if kind == plan.Cross && (len(p.leftKeys) > 0 || p.cond != nil || p.domain != nil) {
		p.kind = plan.Inner
	}
	if kind.YieldsRight() {
		p.values = x.outs
	}
	j, err := p.join(left.node, asIs)
	if err != nil {
		return nil, err
	}
	if !kind.YieldsRight() {
		return &relation{node: j.node, cols: left.cols}, nil
	}
	return lateralRows(j, left, right), nil
}

// lateralRows puts the columns of the right side behind those of the left.
func lateralRows(j *joinedPending, left, right *relation) *relation {
	width := len(left.node.Schema())
	exprs, names := plan.Identity(j.node.Out[:width])
	out := &relation{cols: append([]column(nil), left.cols...)}
	for i, c := range right.cols {
		exprs, names = append(exprs, j.values[i]), append(names, c.name)
	}
	node := plan.NewProject(j.node, exprs, names)
	for i, c := range right.cols {
		c.index = width + i
		c.notNull = node.Out[c.index].NotNull
		out.cols = append(out.cols, c)
	}
	for i := range left.cols {
		out.cols[i].notNull = node.Out[out.cols[i].index].NotNull
	}
	out.node = node
	return out
}

// lateralCondition binds the ON of a lateral join, numbered as in pending.
func (b *binder) lateralCondition(left, right *relation, x *lifted, on parse.Expr) (expr.Expr, error) {
	width := len(left.node.Schema())
	s := &scope{b: b, cols: append([]column(nil), left.cols...), outer: b.outer, level: b.level(), clause: "ON"}
	for i, c := range right.cols {
		c.index = width + i
		s.cols = append(s.cols, c)
	}
	cond, err := s.condition(on)
	if err != nil {
		return nil, err
	}
	return plan.MapColumns(b.settle(cond), func(c *expr.Column) expr.Expr {
		if c.Index >= width && c.Index < ownEnd {
			return x.outs[c.Index-width]
		}
		return c
	}), nil
}

// lateralKinds are the joins whose right side may use the left one.
var lateralKinds = map[parse.JoinKind]plan.JoinKind{
	parse.JoinCross: plan.Cross, parse.JoinInner: plan.Inner, parse.JoinLeft: plan.Left, parse.JoinLeftSemi: plan.Semi, parse.JoinLeftAnti: plan.Anti,
}

// joinLateral binds L JOIN LATERAL (query) ON condition.
func (b *binder) joinLateral(j *parse.Join, t *parse.DerivedTable, left *relation) (*relation, error) {
	kind, ok := lateralKinds[j.Kind]
	if !ok || j.Natural || len(j.Using) > 0 {
		return nil, sqlerr.At(sqlerr.Unsupported, j.Pos(), "LATERAL can be joined by CROSS JOIN, or by INNER, LEFT, SEMI or ANTI JOIN ... ON")
	}
	return b.lateral(left, t, kind, j.On)
}

// joinWithSubqueries joins on a condition with the sub-queries of subs: an inner join filters their joined rows, the other joins find, for each row of
// the left side, the rows of the right one for which the condition is true.
func (b *binder) joinWithSubqueries(j *parse.Join, kind plan.JoinKind, left, right *relation, subs *subList, cond expr.Expr) (*relation, error) {
	width := len(left.node.Schema())
	switch kind {
	case plan.Inner:
		node, err := subs.attach(plan.NewJoin(plan.Cross, left.node, right.node, nil, nil, nil), asIs)
		if err != nil {
			return nil, err
		}
		return &relation{node: &plan.Filter{Input: node, Cond: subs.replace(cond)}, cols: sideBySide(left, right)}, nil
	case plan.Left, plan.Semi, plan.Anti:
	default:
		return nil, sqlerr.At(sqlerr.Unsupported, j.Pos(), "a sub-query in ON is not supported for this join; compute it in a sub-query of FROM")
	}
	// Seen from the right side, the columns of the left are those of an enclosing query.
	outer := b.lateralScope(left)
	fromRight := func(e expr.Expr) (expr.Expr, error) {
		return plan.MapColumns(e, func(c *expr.Column) expr.Expr {
			switch {
			case c.Index < width:
				return plan.Moved(c, outerBase+outer.level*levelStep+c.Index)
			case c.Index < ownEnd:
				return plan.Moved(c, c.Index-width)
			}
			return c
		}), nil
	}
	node, err := subs.attach(right.node, fromRight)
	if err != nil {
		return nil, err
	}
	cond, err = fromRight(cond)
	if err != nil {
		return nil, err
	}
	filtered := &relation{node: &plan.Filter{Input: node, Cond: subs.replace(cond)}, cols: right.cols}
	return b.dependentJoin(outer, left, filtered, kind, nil, j.Pos())
}

// usesLeft tells whether the arguments of a series need rows: those of left or of an enclosing query.
func (b *binder) usesLeft(f *parse.TableFunc, left *relation) bool {
	switch strings.ToLower(f.Call.Name.Last().Name) {
	case "generate_series", "range":
	default:
		return false
	}
	args, err := b.lateralScope(left).bindAll(f.Call.Args)
	if err != nil {
		return false // the error comes again where the function is bound
	}
	for _, a := range args {
		if hasPlaceholder(a, 0, 1<<62) {
			return true
		}
	}
	return false
}

// lateralSeries binds a series whose bounds depend on the left side: FROM t, generate_series(1, t.n).
func (b *binder) lateralSeries(f *parse.TableFunc, left *relation, outer bool) (*relation, error) {
	name := strings.ToLower(f.Call.Name.Last().Name)
	s := b.lateralScope(left)
	args, err := s.bindAll(f.Call.Args)
	if err != nil {
		return nil, err
	}
	big := types.Of(types.BigInt)
	for i := range args {
		args[i] = s.coerce(args[i], big)
	}
	if name == "generate_series" && len(args) < 2 || len(args) < 1 || len(args) > 3 {
		return nil, sqlerr.At(sqlerr.Bind, f.Pos(), "%s does not take %d arguments", name, len(args))
	}
	if name == "generate_series" {
		// The end belongs to the series: range goes one further, on the side of the step.
		one := expr.Expr(constOf(big, int64(1)))
		if len(args) == 3 {
			if one, err = s.resolve(f.Pos(), "sign", args[2]); err != nil {
				return nil, err
			}
		}
		if args[1], err = s.resolve(f.Pos(), "+", args[1], s.coerce(one, big)); err != nil {
			return nil, err
		}
	}
	list, err := s.resolve(f.Pos(), "range", args...)
	if err != nil {
		return nil, err
	}
	columns, table := f.Alias.Columns, f.Alias.Name.Name
	if table == "" {
		table = name
	}
	if len(columns) == 0 {
		columns = []parse.Ident{{Name: name, Quoted: true}}
	}
	return b.exploded(f.Call, left, list, outer, table, columns)
}
