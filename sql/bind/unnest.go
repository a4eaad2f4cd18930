package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// unnester frees the plan of a sub-query from columns of the enclosing query of a level, after Neumann and Kemper, "Unnesting Arbitrary
// Queries": every node yields its rows for each row of the domain at once, with the domain's columns behind its own. It goes down as far as
// the enclosing query is used; what lies below is joined with the domain.
type unnester struct {
	b     *binder
	level int
	d     *domain
	// defs are the definitions that have been unnested.
	defs map[*plan.Definition]*plan.Definition
}

func (u *unnester) depends(n plan.Node) bool { return planReads(n, u.uses) }

func (u *unnester) uses(e expr.Expr) bool { return readsOuter(e, u.level) }

// rows reads the domain.
func (u *unnester) rows() plan.Node {
	u.d.uses++
	return &domainRows{u.d}
}

// in makes an expression over the rows of a plan whose domain columns begin at base.
func (u *unnester) in(e expr.Expr, base int) expr.Expr { return u.d.in(e, u.level, base) }

func (u *unnester) inAll(list []expr.Expr, base int) []expr.Expr {
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		out[i] = u.in(e, base)
	}
	return out
}

// unnest returns n with the domain's columns appended.
func (u *unnester) unnest(n plan.Node) (plan.Node, error) {
	if err := u.b.grow(1, 0); err != nil {
		return nil, err
	}
	if !u.depends(n) {
		return plan.NewJoin(plan.Cross, n, u.rows(), nil, nil, nil), nil
	}
	switch x := n.(type) {
	case *plan.Filter:
		return u.filter(x)
	case *plan.Project:
		return u.project(x)
	case *plan.Aggregate:
		return u.aggregate(x)
	case *plan.Join:
		return u.join(x)
	case *plan.Sort:
		return u.unnest(x.Input) // the order of a sub-query without LIMIT means nothing
	case *plan.Limit:
		return u.limit(x)
	case *plan.Union:
		return u.union(x)
	case *plan.Distinct:
		return u.distinct(x)
	case *plan.Explode:
		return u.explode(x)
	case *plan.Window:
		return u.window(x)
	case *plan.Expand:
		return u.expand(x)
	case *plan.Values:
		return u.values(x)
	case *plan.Shared:
		return u.shared(x)
	}
	return nil, sqlerr.New(sqlerr.Unsupported, "a column of an enclosing query cannot be used in this part of a sub-query (%s)", plan.Describe(n))
}

// pick returns a projection of n to the given columns.
func pick(n plan.Node, columns []int) plan.Node {
	schema := n.Schema()
	exprs, names := make([]expr.Expr, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		exprs[i], names[i] = plan.ColumnOf(schema, c), schema[c].Name
	}
	return plan.NewProject(n, exprs, names)
}

// span is the list of numbers from from to to, to excluded.
func span(from, to int) []int {
	out := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

func (u *unnester) filter(x *plan.Filter) (plan.Node, error) {
	if n := u.bound(x); n != nil {
		return n, nil
	}
	in, err := u.unnest(x.Input)
	if err != nil {
		return nil, err
	}
	return &plan.Filter{Input: in, Cond: u.in(x.Cond, len(x.Schema()))}, nil
}

// bound does without reading the domain where the filter says what each of its columns equals: rows for values that the domain does not
// have find no partner later. It returns nil where that is not so.
func (u *unnester) bound(x *plan.Filter) plan.Node {
	if u.d.byRow || u.depends(x.Input) {
		return nil
	}
	by := make([]expr.Expr, len(u.d.outer))
	own := func(e expr.Expr) bool { return reads(e, 0, ownEnd) }
	conds := expr.Conjuncts(x.Cond)
	for _, c := range conds {
		if l, r, ok := equality(c, u.uses, own); ok && isUnit(l, u.level) && by[u.d.find(l)] == nil && !plan.Volatile(r) {
			by[u.d.find(l)] = r
		}
	}
	for _, e := range by {
		if e == nil {
			return nil
		}
	}
	var replace func(e expr.Expr) expr.Expr
	replace = func(e expr.Expr) expr.Expr {
		if isUnit(e, u.level) {
			return by[u.d.find(e)]
		}
		return plan.MapArgs(e, replace)
	}
	var kept []expr.Expr
	for _, c := range conds {
		if l, r, ok := equality(c, u.uses, own); ok && isUnit(l, u.level) && expr.Equal(by[u.d.find(l)], r) {
			c = &expr.IsNull{Arg: r, Negate: true}
		}
		kept = append(kept, replace(c))
	}
	exprs, names := plan.Identity(x.Input.Schema())
	for i, e := range by {
		exprs, names = append(exprs, e), append(names, u.d.schema[i].Name)
	}
	return plan.NewProject(&plan.Filter{Input: x.Input, Cond: expr.Join(kept)}, exprs, names)
}

func (u *unnester) project(x *plan.Project) (plan.Node, error) {
	in, err := u.unnest(x.Input)
	if err != nil {
		return nil, err
	}
	base := len(x.Input.Schema())
	exprs, names := u.inAll(x.Exprs, base), make([]string, len(x.Exprs))
	for i := range names {
		names[i] = x.Out[i].Name
	}
	more, moreNames := u.d.columns(base)
	out := plan.NewProject(in, append(exprs, more...), append(names, moreNames...))
	copy(out.Out, x.Out)
	return out, nil
}

// keyColumns are the columns that tell rows of the domain apart, numbered as the domain's columns from base.
func (u *unnester) keyColumns(base int) ([]expr.Expr, []string) {
	exprs, names := u.d.columns(base)
	if u.d.byRow {
		return exprs[len(exprs)-1:], names[len(names)-1:]
	}
	return exprs, names
}

// restore puts all columns of the domain in the place of its key columns, which stand behind the first width columns of n.
func (u *unnester) restore(n plan.Node, width int) plan.Node {
	if !u.d.byRow {
		return n
	}
	d := len(u.d.schema)
	key := plan.ColumnOf(n.Schema(), width)
	join := plan.NewJoin(plan.Inner, n, u.rows(), []expr.Expr{key}, []expr.Expr{u.d.column(d-1, 0)}, nil)
	return pick(join, append(span(0, width), span(width+1, width+1+d)...))
}

func (u *unnester) distinct(x *plan.Distinct) (plan.Node, error) {
	in, err := u.unnest(x.Input)
	if err != nil {
		return nil, err
	}
	width := len(x.Schema())
	if u.d.byRow {
		in = pick(in, append(span(0, width), width+len(u.d.schema)-1))
	}
	return u.restore(&plan.Distinct{Input: in}, width), nil
}

// aggregate groups by the domain as well. Without keys there is a row for each row of the domain, also where nothing is to be aggregated.
func (u *unnester) aggregate(x *plan.Aggregate) (plan.Node, error) {
	in, err := u.unnest(x.Input)
	if err != nil {
		return nil, err
	}
	base := len(x.Input.Schema())
	keys, names := u.inAll(x.Keys, base), make([]string, len(x.Keys))
	for i := range names {
		names[i] = x.Out[i].Name
	}
	more, moreNames := u.keyColumns(base)
	aggs := plan.MapExprs(&plan.Aggregate{Aggs: x.Aggs}, func(e expr.Expr) expr.Expr { return u.in(e, base) }).(*plan.Aggregate).Aggs
	out := plan.NewAggregate(in, append(keys, more...), append(names, moreNames...), aggs)
	k, m := len(x.Keys), len(more)
	if k > 0 {
		return u.restore(pick(out, append(append(span(0, k), span(k+m, len(out.Out))...), span(k, k+m)...)), len(x.Out)), nil
	}
	l, r := u.d.keys(0, 0)
	if u.d.byRow {
		r = []expr.Expr{plan.ColumnOf(out.Out, 0)}
	}
	d := len(u.d.schema)
	all := plan.NewJoin(plan.Left, u.rows(), out, l, r, nil)
	exprs, outNames := make([]expr.Expr, 0, len(x.Out)+d), make([]string, 0, len(x.Out)+d)
	for i := range x.Aggs {
		e, err := u.b.orEmpty(plan.ColumnOf(all.Out, d+m+i), &x.Aggs[i])
		if err != nil {
			return nil, err
		}
		exprs, outNames = append(exprs, e), append(outNames, x.Out[i].Name)
	}
	more, moreNames = u.d.columns(0)
	return plan.NewProject(all, append(exprs, more...), append(outNames, moreNames...)), nil
}

// orEmpty is an aggregate's value over a left join: where it is NULL for want of rows, what the aggregate gives for no rows.
func (b *binder) orEmpty(e expr.Expr, call *plan.AggCall) (expr.Expr, error) {
	acc := call.Fn.New(b.env.Ctx)
	none := make([]*vec.Vector, len(call.Args))
	for i := range none {
		none[i] = vec.NewBuilder(call.Fn.Args[i], 0).Finish()
	}
	if err := acc.Update(nil, 1, none, 0); err != nil {
		return nil, err
	}
	v, err := acc.Finish(0, 1)
	if err != nil {
		return nil, err
	}
	if v.IsNull(0) {
		return e, nil
	}
	return &expr.Case{Whens: []expr.When{{Cond: &expr.IsNull{Arg: e}, Then: &expr.Const{Value: vec.Flatten(v)}}}, Else: e, T: e.Type()}, nil
}

// limit numbers the rows of each row of the domain and keeps those within the limit.
func (u *unnester) limit(x *plan.Limit) (plan.Node, error) {
	if p, ok := x.Input.(*plan.Project); ok {
		return u.unnest(plan.WithChildren(p, []plan.Node{&plan.Limit{Input: p.Input, Count: x.Count, Offset: x.Offset}}))
	}
	input := x.Input
	var order []plan.SortKey
	if s, ok := input.(*plan.Sort); ok && s.Limit < 0 && s.Offset == 0 {
		input, order = s.Input, s.Keys
	}
	in, err := u.unnest(input)
	if err != nil {
		return nil, err
	}
	base := len(x.Schema())
	keys := make([]plan.SortKey, len(order))
	for i, k := range order {
		k.Expr = u.in(k.Expr, base)
		keys[i] = k
	}
	partition, _ := u.keyColumns(base)
	call, err := rowNumber()
	if err != nil {
		return nil, err
	}
	w := plan.NewWindow(in, partition, keys, []plan.WindowCall{call})
	s := &scope{b: u.b}
	number := plan.ColumnOf(w.Out, len(w.Out)-1)
	var conds []expr.Expr
	add := func(op parse.Op, n int64) {
		var e expr.Expr
		if e, err = s.operator(0, op, number, constOf(types.Of(types.BigInt), n)); err == nil {
			conds = append(conds, e)
		}
	}
	if x.Offset > 0 {
		add(parse.OpGt, x.Offset)
	}
	if last := x.Offset + x.Count; err == nil && x.Count >= 0 && last >= 0 {
		add(parse.OpLe, last)
	}
	if err != nil {
		return nil, err
	}
	if len(conds) == 0 {
		return in, nil
	}
	return pick(&plan.Filter{Input: w, Cond: expr.Join(conds)}, span(0, len(w.Out)-1)), nil
}

func (u *unnester) union(x *plan.Union) (plan.Node, error) {
	out := &plan.Union{Out: append(append(types.Schema(nil), x.Out...), u.d.schema...)}
	for _, n := range x.Inputs {
		in, err := u.unnest(n)
		if err != nil {
			return nil, err
		}
		out.Inputs = append(out.Inputs, in)
	}
	return out, nil
}

func (u *unnester) explode(x *plan.Explode) (plan.Node, error) {
	in, err := u.unnest(x.Input)
	if err != nil {
		return nil, err
	}
	base := len(x.Input.Schema())
	schema := in.Schema()
	out := &plan.Explode{Input: in, Arg: u.in(x.Arg, base), Outer: x.Outer, Out: append(append(types.Schema(nil), schema...), x.Out[base:]...)}
	return pick(out, append(append(span(0, base), span(len(schema), len(out.Out))...), span(base, len(schema))...)), nil
}

func (u *unnester) window(x *plan.Window) (plan.Node, error) {
	in, err := u.unnest(x.Input)
	if err != nil {
		return nil, err
	}
	base := len(x.Input.Schema())
	moved := plan.MapExprs(&plan.Window{Partition: x.Partition, Order: x.Order, Calls: x.Calls},
		func(e expr.Expr) expr.Expr { return u.in(e, base) }).(*plan.Window)
	more, _ := u.keyColumns(base)
	out := plan.NewWindow(in, append(moved.Partition, more...), moved.Order, moved.Calls)
	width := len(in.Schema())
	return pick(out, append(append(span(0, base), span(width, len(out.Out))...), span(base, width)...)), nil
}

func (u *unnester) expand(x *plan.Expand) (plan.Node, error) {
	in, err := u.unnest(x.Input)
	if err != nil {
		return nil, err
	}
	base, width := len(x.Input.Schema()), len(in.Schema())
	names := make([]string, len(x.Keys))
	for i := range names {
		names[i] = x.Out[base+i].Name
	}
	out := plan.NewExpand(in, u.inAll(x.Keys, base), names, x.Sets)
	return pick(out, append(append(span(0, base), span(width, len(out.Out))...), span(base, width)...)), nil
}

// values makes a projection of the domain for each row of constants.
func (u *unnester) values(x *plan.Values) (plan.Node, error) {
	out := &plan.Union{Out: append(append(types.Schema(nil), x.Out...), u.d.schema...)}
	more, moreNames := u.d.columns(0)
	var names []string
	for _, f := range x.Out {
		names = append(names, f.Name)
	}
	if err := u.b.grow(len(x.Rows), 0); err != nil {
		return nil, err
	}
	for _, row := range x.Rows {
		p := plan.NewProject(u.rows(), append(u.inAll(row, 0), more...), append(names[:len(names):len(names)], moreNames...))
		out.Inputs = append(out.Inputs, p)
	}
	if len(out.Inputs) == 1 {
		return out.Inputs[0], nil
	}
	return out, nil
}

func (u *unnester) shared(x *plan.Shared) (plan.Node, error) {
	d := u.defs[x.Def]
	if d == nil {
		p, err := u.unnest(x.Def.Plan)
		if err != nil {
			return nil, err
		}
		d = &plan.Definition{Name: x.Def.Name, Plan: p}
		if u.defs == nil {
			u.defs = map[*plan.Definition]*plan.Definition{}
		}
		u.defs[x.Def] = d
	}
	return plan.NewShared(d), nil
}

// join gives the domain to the sides that use the enclosing query; where both do, rows meet for the same row of the domain only. The left
// side of a join that is decided row by row of the left always gets it.
func (u *unnester) join(x *plan.Join) (plan.Node, error) {
	if x.Kind == plan.Right {
		return u.unnest(plan.Swap(x, plan.Left))
	}
	usesKey := func(keys []expr.Expr) bool {
		for _, k := range keys {
			if u.uses(k) {
				return true
			}
		}
		return false
	}
	symmetric := x.Kind == plan.Inner || x.Kind == plan.Cross
	right := u.depends(x.Right) || usesKey(x.RightKeys) || x.Kind == plan.Full
	left := u.depends(x.Left) || usesKey(x.LeftKeys) || !symmetric || !right
	lw, rw := len(x.Left.Schema()), len(x.Right.Schema())
	l, r := x.Left, x.Right
	var err error
	if left {
		if l, err = u.unnest(l); err != nil {
			return nil, err
		}
	}
	if right {
		if r, err = u.unnest(r); err != nil {
			return nil, err
		}
	}
	newLeft := len(l.Schema())
	leftKeys, rightKeys := u.inAll(x.LeftKeys, lw), u.inAll(x.RightKeys, rw)
	base := lw // of the domain over both sides
	if !left {
		base = newLeft + rw
	}
	var cond expr.Expr
	if x.Cond != nil {
		cond = plan.MapColumns(x.Cond, func(c *expr.Column) expr.Expr {
			if c.Index >= lw && c.Index < ownEnd {
				return plan.Moved(c, c.Index-lw+newLeft)
			}
			return c
		})
		cond = u.in(cond, base)
	}
	if left && right {
		lk, rk := u.d.keys(lw, rw)
		if x.Kind == plan.Mark || x.Kind == plan.NullAwareAnti {
			// Keys of these joins are compared as IN compares; the domain says which rows are in the list.
			conds := expr.Conjuncts(cond)
			for i := range lk {
				eq, err := (&scope{b: u.b}).operator(0, parse.OpEq, lk[i], shiftOwn(rk[i], newLeft))
				if err != nil {
					return nil, err
				}
				conds = append(conds, eq)
			}
			cond = expr.Join(conds)
		} else {
			leftKeys, rightKeys = append(leftKeys, lk...), append(rightKeys, rk...)
		}
	}
	kind := x.Kind
	if kind == plan.Cross && (len(leftKeys) > 0 || cond != nil) {
		kind = plan.Inner
	}
	out := plan.NewJoin(kind, l, r, leftKeys, rightKeys, cond)
	return u.arrangeJoin(x, out, left, lw, rw)
}

// arrangeJoin puts the columns of a join in order: left, right, domain.
func (u *unnester) arrangeJoin(x, out *plan.Join, left bool, lw, rw int) (plan.Node, error) {
	d := len(u.d.schema)
	own := len(x.Out) - lw // columns from the right side, or the mark
	if !left {
		return out, nil
	}
	columns := append(append(span(0, lw), span(lw+d, lw+d+own)...), span(lw, lw+d)...)
	if x.Kind != plan.Full {
		return pick(out, columns), nil
	}
	p := pick(out, columns).(*plan.Project)
	s := &scope{b: u.b}
	for i := range d {
		e, err := s.resolve(0, "coalesce", plan.ColumnOf(out.Out, lw+i), plan.ColumnOf(out.Out, lw+d+rw+i))
		if err != nil {
			return nil, err
		}
		p.Exprs[lw+own+i] = e
	}
	return p, nil
}
