package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// windowList collects the calls with OVER of one SELECT.
type windowList struct {
	calls []overCall
	// named are the definitions of the WINDOW clause.
	named []parse.NamedWindow
}

// overCall is a window function with its window.
type overCall struct {
	partition []expr.Expr
	order     []plan.SortKey
	call      plan.WindowCall
}

// eachExpr applies f to all expressions of the call.
func (o *overCall) eachExpr(f func(e *expr.Expr) error) error {
	var all []*expr.Expr
	for i := range o.partition {
		all = append(all, &o.partition[i])
	}
	for i := range o.order {
		all = append(all, &o.order[i].Expr)
	}
	for i := range o.call.Args {
		all = append(all, &o.call.Args[i])
	}
	all = append(all, &o.call.Filter, &o.call.Frame.Start.Offset, &o.call.Frame.End.Offset)
	for _, e := range all {
		if *e == nil {
			continue
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

// hasWindow tells whether e contains a placeholder of a window function.
func hasWindow(e expr.Expr) bool { return hasPlaceholder(e, winBase, subBase) }

// window binds a call with OVER to a placeholder column.
func (s *scope) window(c *parse.Call, name string) (expr.Expr, error) {
	switch {
	case s.wins == nil:
		return nil, sqlerr.At(sqlerr.Bind, c.Over.Pos(), "a window function is not allowed in %s; compute it in a sub-query, or filter with QUALIFY", s.clause)
	case (c.Distinct || len(c.OrderBy) > 0 || len(c.Within) > 0) && !function.IsAggregate(name):
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "DISTINCT and ORDER BY belong into aggregates; %s is none", name)
	case c.Star && name != "count":
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "%s(*) is not possible; only count(*) is", name)
	}
	inner := *s
	inner.wins, inner.lambda, inner.clause = nil, nil, "a window function"
	spec, err := s.wins.resolve(c.Over, 0)
	if err != nil {
		return nil, err
	}
	out := overCall{}
	if out.call, err = inner.windowCall(c, name); err != nil {
		return nil, err
	}
	if err := inner.windowKeys(spec, &out); err != nil {
		return nil, err
	}
	if err := inner.frame(spec, &out); err != nil {
		return nil, err
	}
	if err := out.eachExpr(func(e *expr.Expr) error {
		if hasWindow(*e) {
			return sqlerr.At(sqlerr.Bind, c.Pos(), "a window function is not allowed inside another one; compute it in a sub-query")
		}
		return nil
	}); err != nil {
		return nil, err
	}
	out.call.Name = out.call.String()
	s.wins.calls = append(s.wins.calls, out)
	x := &expr.Column{Index: winBase + len(s.wins.calls) - 1, Name: out.call.Name, T: out.call.Ret()}
	s.b.places[x] = c.Pos()
	return x, nil
}

// windowCall binds function and arguments.
func (s *scope) windowCall(c *parse.Call, name string) (plan.WindowCall, error) {
	out := plan.WindowCall{IgnoreNulls: c.Nulls == parse.NullsIgnored}
	if function.IsAggregate(name) {
		if c.Nulls != parse.NullsUnspecified {
			return out, sqlerr.At(sqlerr.Bind, c.Pos(), "%s takes no IGNORE NULLS or RESPECT NULLS", name)
		}
		call, err := s.aggregateCall(c, name)
		if err != nil {
			return out, err
		}
		guardArgs(call.Filter, call.Args)
		out.Agg, out.Args, out.Filter, out.Distinct = call.Fn, call.Args, call.Filter, call.Distinct
		if call.Distinct {
			out.Agg = function.NewDistinct(call.Fn)
		}
		return out, nil
	}
	args, err := s.bindAll(c.Args)
	if err != nil {
		return out, err
	}
	if !function.IsWindow(name) && function.IsScalar(name) {
		return out, sqlerr.At(sqlerr.Bind, c.Over.Pos(), "%s is neither an aggregate nor a window function: OVER does not belong to it", name)
	}
	for i := range args {
		args[i] = s.b.settle(s.b.knownTemplate(s, args[i]))
	}
	fn, err := function.ResolveWindow(name, describe(args))
	if err != nil {
		return out, s.explain(err, c.Pos(), args)
	}
	switch {
	case c.Filter != nil:
		return out, sqlerr.At(sqlerr.Bind, c.Filter.Pos(), "FILTER belongs to aggregates; %s is none", name)
	case c.Nulls != parse.NullsUnspecified && !fn.TakesNulls():
		return out, sqlerr.At(sqlerr.Bind, c.Pos(), "%s takes no IGNORE NULLS or RESPECT NULLS", name)
	}
	out.Fn = fn
	for i, a := range args {
		out.Args = append(out.Args, s.coerce(a, fn.Args[i]))
	}
	return out, nil
}

// maxWindowNames bounds windows that extend one another.
const maxWindowNames = 100

// resolve replaces the name in a window by the definition that it stands for.
func (l *windowList) resolve(w *parse.WindowSpec, depth int) (*parse.WindowSpec, error) {
	if w.Name.Name == "" {
		return w, nil
	}
	for i := range l.named {
		if !matches(l.named[i].Name.Name, w.Name, w.Name.Quoted) {
			continue
		}
		if depth > maxWindowNames {
			return nil, sqlerr.At(sqlerr.Bind, w.Name.Pos(), "window %s is defined by itself", w.Name.Name)
		}
		base, err := l.resolve(l.named[i].Spec, depth+1)
		if err != nil || w.Ref {
			return base, err
		}
		switch {
		case len(w.PartitionBy) > 0:
			return nil, sqlerr.At(sqlerr.Bind, w.PartitionBy[0].Pos(), "a window that extends %s cannot have a PARTITION BY of its own", w.Name.Name)
		case len(w.OrderBy) > 0 && len(base.OrderBy) > 0:
			return nil, sqlerr.At(sqlerr.Bind, w.OrderBy[0].Expr.Pos(), "window %s has an ORDER BY already", w.Name.Name)
		case base.Frame != nil:
			return nil, sqlerr.At(sqlerr.Bind, w.Name.Pos(), "window %s has a frame and cannot be extended; use it as OVER %s", w.Name.Name, w.Name.Name)
		}
		merged := *w
		merged.PartitionBy = base.PartitionBy
		if len(w.OrderBy) == 0 {
			merged.OrderBy = base.OrderBy
		}
		return &merged, nil
	}
	return nil, sqlerr.At(sqlerr.NotFound, w.Name.Pos(), "no window is named %s; define it with WINDOW %s AS (...)", w.Name.Name, w.Name.Name)
}

// windowKeys binds PARTITION BY and ORDER BY of a window.
func (s *scope) windowKeys(w *parse.WindowSpec, out *overCall) error {
	bind := func(e parse.Expr, clause string) (expr.Expr, error) {
		x, err := s.bind(e)
		if err != nil {
			return nil, err
		}
		x = s.b.knownTemplate(s, s.b.settle(x))
		return x, s.groupable(x, e.Pos(), clause)
	}
	for _, e := range w.PartitionBy {
		x, err := bind(e, "PARTITION BY")
		if err != nil {
			return err
		}
		out.partition = append(out.partition, x)
	}
	for i := range w.OrderBy {
		o := &w.OrderBy[i]
		x, err := bind(o.Expr, "ORDER BY")
		if err != nil {
			return err
		}
		out.order = append(out.order, plan.SortKey{Expr: x, Desc: o.Desc, NullsFirst: o.Nulls == parse.NullsFirst})
	}
	return nil
}

// frame binds the frame of a window. The default reaches from the first row of the partition to the last peer of the current row.
func (s *scope) frame(w *parse.WindowSpec, out *overCall) error {
	f := w.Frame
	if f == nil {
		out.call.Frame = plan.Frame{Unit: plan.FrameRange, End: plan.Bound{Kind: plan.CurrentRow}}
		return nil
	}
	out.call.Frame = plan.Frame{Unit: plan.FrameUnit(f.Unit), Exclude: plan.FrameExclude(f.Exclude)}
	switch {
	case f.Start.Kind == parse.UnboundedFollowing:
		return sqlerr.At(sqlerr.Bind, f.Start.Pos(), "a frame cannot start at UNBOUNDED FOLLOWING")
	case f.End.Kind == parse.UnboundedPreceding:
		return sqlerr.At(sqlerr.Bind, f.End.Pos(), "a frame cannot end at UNBOUNDED PRECEDING")
	case f.Start.Kind > f.End.Kind:
		return sqlerr.At(sqlerr.Bind, f.Pos(), "the frame ends before it starts")
	case f.Unit == parse.FrameGroups && len(out.order) == 0:
		return sqlerr.At(sqlerr.Bind, f.Pos(), "a frame of GROUPS needs ORDER BY in its window")
	}
	kinds := map[parse.BoundKind]plan.BoundKind{parse.UnboundedPreceding: plan.Unbounded, parse.UnboundedFollowing: plan.Unbounded,
		parse.Preceding: plan.Preceding, parse.CurrentRow: plan.CurrentRow, parse.Following: plan.Following}
	to := &out.call.Frame
	to.Start.Kind, to.End.Kind = kinds[f.Start.Kind], kinds[f.End.Kind]
	for _, b := range []struct {
		from *parse.Bound
		to   *plan.Bound
	}{{&f.Start, &to.Start}, {&f.End, &to.End}} {
		if b.from.X == nil {
			continue
		}
		if err := s.offset(f, b.from, b.to, out); err != nil {
			return err
		}
	}
	return s.rangeKey(f, out)
}

// offset binds the distance of one end of a frame.
func (s *scope) offset(f *parse.Frame, from *parse.Bound, to *plan.Bound, out *overCall) error {
	x, err := s.bind(from.X)
	if err != nil {
		return err
	}
	if hasPlaceholder(x, 0, 1<<62) {
		return sqlerr.At(sqlerr.Unsupported, from.X.Pos(), "the distance of a frame must be a constant")
	}
	if f.Unit != parse.FrameRange {
		if x = s.b.infer(x, types.Of(types.BigInt)); !x.Type().IsInteger() {
			return sqlerr.At(sqlerr.Type, from.X.Pos(), "a frame of rows or groups needs a whole number, not %s", x.Type())
		}
		to.Offset = s.coerce(x, types.Of(types.BigInt))
		return s.notNegative(to.Offset, from)
	}
	if len(out.order) != 1 {
		return sqlerr.At(sqlerr.Bind, f.Pos(), "a RANGE frame with a distance needs exactly one ORDER BY expression in its window")
	}
	if err := s.notNegative(x, from); err != nil {
		return err
	}
	op := parse.OpAdd
	if (from.Kind == parse.Preceding) != out.order[0].Desc {
		op = parse.OpSub
	}
	to.Offset, err = s.operator(from.X.Pos(), op, out.order[0].Expr, x)
	return err
}

// notNegative refuses a constant distance that is NULL or below zero.
func (s *scope) notNegative(x expr.Expr, from *parse.Bound) error {
	v, err := evaluate(s.b.env.Ctx, x, from.X.Pos())
	if err != nil {
		return err
	}
	bad := v.IsNull(0)
	if !bad && x.Type().IsNumeric() {
		d, err := function.Cast(s.b.env.Ctx, v, types.Of(types.Double), false)
		if err != nil {
			return sqlerr.WithPlace(err, from.X.Pos())
		}
		bad = !(vec.Slice[float64](vec.Flatten(d))[0] >= 0)
	}
	if bad {
		return sqlerr.At(sqlerr.OutOfRange, from.X.Pos(), "the distance of a frame must not be NULL or negative")
	}
	return nil
}

// rangeKey gives the order key of a RANGE frame with distances and its ends a common type.
func (s *scope) rangeKey(f *parse.Frame, out *overCall) error {
	if f.Unit != parse.FrameRange {
		return nil
	}
	ends := []*plan.Bound{&out.call.Frame.Start, &out.call.Frame.End}
	list := []expr.Expr{}
	for _, b := range ends {
		if b.Offset != nil {
			list = append(list, b.Offset)
		}
	}
	if len(list) == 0 {
		return nil
	}
	list, _, err := s.unify(f.Pos(), "a RANGE frame", append(list, out.order[0].Expr))
	if err != nil {
		return err
	}
	out.order[0].Expr = list[len(list)-1]
	for _, b := range ends {
		if b.Offset != nil {
			b.Offset, list = list[0], list[1:]
		}
	}
	return nil
}

// windows puts Window nodes over node, one for all calls with the same partitions and order, and returns the function that replaces the
// placeholders.
func (x *selectBinder) windows(node plan.Node) (plan.Node, func(expr.Expr) expr.Expr) {
	calls := x.wins.calls
	if len(calls) == 0 {
		return node, func(e expr.Expr) expr.Expr { return e }
	}
	at := make([]*expr.Column, len(calls))
	for i := range calls {
		if at[i] != nil {
			continue
		}
		var same []plan.WindowCall
		width := len(node.Schema())
		for k := i; k < len(calls); k++ {
			if calls[i].sameWindow(&calls[k]) {
				c := &calls[k].call
				at[k] = &expr.Column{Index: width + len(same), Name: c.Name, T: c.Ret()}
				same = append(same, *c)
			}
		}
		node = plan.NewWindow(node, calls[i].partition, calls[i].order, same)
	}
	return node, func(e expr.Expr) expr.Expr {
		return plan.MapColumns(e, func(c *expr.Column) expr.Expr {
			if c.Index >= winBase && c.Index < subBase {
				return at[c.Index-winBase]
			}
			return c
		})
	}
}

func (o *overCall) sameWindow(p *overCall) bool {
	if len(o.partition) != len(p.partition) || len(o.order) != len(p.order) {
		return false
	}
	for i := range o.partition {
		if !expr.Equal(o.partition[i], p.partition[i]) {
			return false
		}
	}
	for i := range o.order {
		a, b := o.order[i], p.order[i]
		if a.Desc != b.Desc || a.NullsFirst != b.NullsFirst || !expr.Equal(a.Expr, b.Expr) {
			return false
		}
	}
	return true
}

// qualify binds QUALIFY; nil for none.
func (x *selectBinder) qualify() (*expr.Expr, error) {
	if x.s.Qualify == nil {
		return nil, nil
	}
	s := x.scope("QUALIFY")
	s.aggs, s.subs, s.wins, s.items = &x.aggs, &x.subs, &x.wins, x.items
	q, err := s.condition(x.s.Qualify)
	if err != nil {
		return nil, err
	}
	if len(x.wins.calls) == 0 {
		return nil, sqlerr.At(sqlerr.Bind, x.s.Qualify.Pos(), "QUALIFY needs a window function; use WHERE or HAVING")
	}
	return &q, nil
}
