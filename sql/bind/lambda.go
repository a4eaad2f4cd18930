package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// lambdaFrame holds the parameters of a lambda while its body is bound; outer is the lambda around it.
type lambdaFrame struct {
	names  []parse.Ident
	params []*expr.Column
	outer  *lambdaFrame
}

// param finds a parameter by name, innermost first; nil if there is none.
func (f *lambdaFrame) param(name parse.Ident) *expr.Column {
	for ; f != nil; f = f.outer {
		for i, n := range f.names {
			if matches(n.Name, name, name.Quoted) {
				return f.params[i]
			}
		}
	}
	return nil
}

// local tells which parameter of the frame a column is.
func (f *lambdaFrame) local(c *expr.Column) (i int, ok bool) {
	i = c.Index - f.params[0].Index
	return i, i >= 0 && i < len(f.params)
}

func hasLambda(args []parse.Expr) bool {
	for _, a := range args {
		if _, ok := a.(*parse.Lambda); ok {
			return true
		}
	}
	return false
}

// lambdaCall binds a function that takes a lambda, which may stand before or behind the other arguments.
func (s *scope) lambdaCall(c *parse.Call, name string) (expr.Expr, error) {
	fn, ok := function.ResolveHigher(name)
	if !ok {
		return nil, sqlerr.At(sqlerr.Bind, c.Pos(), "%s takes no lambda", name)
	}
	x := &expr.Apply{Fn: fn, At: s.b.place(c.Pos())}
	var lambda *parse.Lambda
	for _, a := range c.Args {
		if l, ok := a.(*parse.Lambda); ok {
			if lambda != nil {
				return nil, sqlerr.At(sqlerr.Unsupported, l.Pos(), "%s takes one lambda", name)
			}
			lambda = l
			continue
		}
		arg, err := s.bind(a)
		if err != nil {
			return nil, err
		}
		x.Args = append(x.Args, s.b.settle(arg))
	}
	x.Inputs = len(x.Args)
	params, err := s.lambdaParams(x, lambda)
	if err != nil {
		return nil, err
	}
	if fn.Kind == function.HigherReduce {
		return x, s.reduction(x, lambda, params)
	}
	body, frame, err := s.lambdaBody(lambda, params)
	if err != nil {
		return nil, err
	}
	if body, err = s.lambdaResult(x, body, len(params) == 2, lambda.Body.Pos()); err != nil {
		return nil, err
	}
	s.capture(x, frame, body)
	return x, nil
}

// lambdaParams checks the arguments of a call against its kind and returns the types of the lambda's parameters.
func (s *scope) lambdaParams(x *expr.Apply, l *parse.Lambda) ([]types.Type, error) {
	lists := x.Args
	if x.Fn.Kind == function.HigherReduce && len(lists) == 2 {
		lists = lists[:1]
	}
	if want := 1; x.Fn.Kind == function.HigherZip && len(lists) != 2 || x.Fn.Kind != function.HigherZip && x.Fn.Kind != function.HigherTransform && len(lists) != want || len(lists) == 0 {
		return nil, sqlerr.At(sqlerr.Bind, l.Pos(), "%s does not take %d arguments besides the lambda", x.Fn.Name, len(x.Args))
	}
	if x.Fn.OverMap() {
		t := lists[0].Type()
		if t.Kind != types.Map {
			return nil, sqlerr.At(sqlerr.Type, l.Pos(), "%s needs a MAP, not %s", x.Fn.Name, t)
		}
		return s.countParams(x, l, []types.Type{t.Fields[0].Type, t.Fields[1].Type}, 2)
	}
	var out []types.Type
	for i, list := range lists {
		switch t := list.Type(); {
		case t.Kind == types.Null:
			lists[i] = s.coerce(list, types.ArrayOf(types.Of(types.Varchar)))
		case t.IsVariant():
			lists[i] = &expr.Cast{Arg: list, To: types.ArrayOf(types.Of(types.Variant)), At: x.At}
		case t.Kind != types.Array:
			return nil, sqlerr.At(sqlerr.Type, l.Pos(), "%s needs an ARRAY or a VARIANT, not %s", x.Fn.Name, t)
		}
		out = append(out, *lists[i].Type().Elem)
	}
	least := len(out)
	position := types.Of(types.BigInt)
	switch x.Fn.Kind {
	case function.HigherZip:
		return s.countParams(x, l, out, 2)
	case function.HigherSortBy:
		return s.countParams(x, l, append(out, out[0]), 1)
	case function.HigherReduce:
		total := out[0]
		if len(x.Args) == 2 {
			total = x.Args[1].Type()
		}
		return s.countParams(x, l, []types.Type{total, out[0], position}, 2)
	}
	return s.countParams(x, l, append(out, position), least)
}

// countParams returns the types of the parameters that a lambda has; it must have at least least of them.
func (s *scope) countParams(x *expr.Apply, l *parse.Lambda, list []types.Type, least int) ([]types.Type, error) {
	if n := len(l.Params); n < least || n > len(list) {
		return nil, sqlerr.At(sqlerr.Bind, l.Pos(), "the lambda of %s takes %d parameters, not %d", x.Fn.Name, least, n)
	}
	for i := range l.Params {
		for j := range i {
			if matches(l.Params[i].Name, l.Params[j], false) {
				return nil, sqlerr.At(sqlerr.Bind, l.Params[i].Pos(), "two parameters are named %s", l.Params[i].Name)
			}
		}
	}
	return list[:len(l.Params)], nil
}

// lambdaBody binds the body with parameters of the given types.
func (s *scope) lambdaBody(l *parse.Lambda, params []types.Type) (expr.Expr, *lambdaFrame, error) {
	frame := &lambdaFrame{names: l.Params, outer: s.lambda}
	for i, t := range params {
		frame.params = append(frame.params, &expr.Column{Index: lambdaBase + s.b.lambdaParams + i, Name: l.Params[i].Name, T: t})
	}
	s.b.lambdaParams += len(params)
	inner := *s
	inner.lambda, inner.subs, inner.wins = frame, nil, nil
	inner.clause = "a lambda"
	body, err := inner.bind(l.Body)
	if err != nil {
		return nil, nil, err
	}
	body = s.b.settle(body)
	if body.Type().Kind == types.Null {
		body = s.coerce(body, types.Of(types.Varchar))
	}
	return body, frame, nil
}

// lambdaResult casts the body to what the function needs and sets the type of the result; compares tells that a lambda for sorting takes two
// elements.
func (s *scope) lambdaResult(x *expr.Apply, body expr.Expr, compares bool, pos int) (expr.Expr, error) {
	first := x.Args[0].Type()
	switch kind := x.Fn.Kind; kind {
	case function.HigherTransform, function.HigherZip:
		x.T = types.ArrayOf(body.Type())
	case function.HigherSortBy:
		x.T = first
		if compares {
			return s.coerce(body, types.Of(types.BigInt)), nil
		}
		return body, s.groupable(body, pos, "sorting")
	case function.HigherMapKeys, function.HigherMapValues:
		x.T = first
		x.T.Fields = append([]types.Field(nil), first.Fields...)
		x.T.Fields[kind-function.HigherMapKeys].Type = body.Type()
		if t := body.Type(); kind == function.HigherMapKeys && (t.Kind >= types.JSON || t.IsVariant()) {
			return nil, sqlerr.At(sqlerr.Type, pos, "%s cannot be the key of a MAP", t)
		}
	default:
		switch kind {
		case function.HigherFilter, function.HigherMapFilter:
			x.T = first
		case function.HigherFirst, function.HigherLast:
			x.T = *first.Elem
		case function.HigherAny, function.HigherAll, function.HigherNone:
			x.T = types.Of(types.Boolean)
		default:
			x.T = types.Of(types.BigInt)
		}
		return s.asBoolean(body, pos)
	}
	return body, nil
}

// reduction binds a reduction: the type of the total is the common type of the initial value and what the lambda gives.
func (s *scope) reduction(x *expr.Apply, l *parse.Lambda, params []types.Type) error {
	total := params[0]
	for range 3 {
		params[0] = total
		body, frame, err := s.lambdaBody(l, params)
		if err != nil {
			return err
		}
		t, ok := commonType(total, body.Type())
		if !ok {
			return sqlerr.At(sqlerr.Type, l.Body.Pos(), "the lambda of %s takes a total of type %s and gives %s; cast one of them", x.Fn.Name, total, body.Type())
		}
		// A total of DECIMAL has all digits, like a sum; more of them would be needed at each step otherwise.
		if t.Kind == types.Decimal {
			t = types.DecimalOf(max(int(t.Precision), 38), int(t.Scale))
		}
		if t.Equal(total) {
			x.T = total
			if len(x.Args) == 2 {
				x.Args[1] = s.coerce(x.Args[1], total)
			}
			s.capture(x, frame, s.coerce(body, total))
			return nil
		}
		total = t
	}
	return sqlerr.At(sqlerr.Type, l.Body.Pos(), "the lambda of %s gives another type at each step; cast its result to that of the total", x.Fn.Name)
}

// capture makes the body one over columns of its own: parameters, then what it takes from outside, which become arguments of x. What does not
// depend on the parameters is computed once for a row, unless it can fail and might not be needed.
func (s *scope) capture(x *expr.Apply, frame *lambdaFrame, body expr.Expr) {
	for i, p := range frame.params {
		x.Params = append(x.Params, plan.Moved(p, i))
	}
	var walk func(e expr.Expr) expr.Expr
	walk = func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Column); ok {
			if i, local := frame.local(c); local {
				return x.Params[i]
			}
			return s.captured(x, frame, e)
		}
		switch e.(type) {
		case *expr.Const:
			return e
		case *expr.Param:
			return s.captured(x, frame, e)
		}
		if !frame.uses(e) && expr.Infallible(e) && !expr.Volatile(e) {
			return s.captured(x, frame, e)
		}
		return plan.MapArgs(e, walk)
	}
	x.Body = expr.Fold(s.b.env.Ctx, walk(body))
}

// uses tells whether e reads a parameter of the frame.
func (f *lambdaFrame) uses(e expr.Expr) bool {
	found := false
	plan.EachColumn(e, func(c *expr.Column) {
		_, local := f.local(c)
		found = found || local
	})
	return found
}

// captured returns the column of the body that has the value of e, an expression outside of the lambda.
func (s *scope) captured(x *expr.Apply, frame *lambdaFrame, e expr.Expr) expr.Expr {
	at := x.Inputs
	for at < len(x.Args) && !expr.Equal(x.Args[at], e) {
		at++
	}
	if at == len(x.Args) {
		x.Args = append(x.Args, e)
	}
	name := e.String()
	c, isColumn := e.(*expr.Column)
	if isColumn {
		name = c.Name
	}
	return &expr.Column{Index: len(frame.params) + at - x.Inputs, Name: name, T: e.Type(), NotNull: isColumn && c.NotNull}
}
