package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// in binds x IN (list). A list of constants that meet x in one type becomes one expr.In, anything else a chain of comparisons.
func (s *scope) in(e *parse.In) (expr.Expr, error) {
	if e.Query != nil {
		return s.inSubquery(e)
	}
	if row, ok := e.X.(*parse.Row); ok {
		return s.inRows(row, e)
	}
	x, err := s.bind(e.X)
	if err != nil {
		return nil, err
	}
	list, err := s.bindAll(e.List)
	if err != nil {
		return nil, err
	}
	for i, a := range list {
		x, list[i] = s.b.inferPair(x, a)
	}
	x = s.b.knownTemplate(s, x)
	if out := s.inConstants(x, list); out != nil {
		out.Negate = e.Not
		return out, nil
	}
	or := &expr.Or{}
	for i, a := range list {
		eq, err := s.operator(e.List[i].Pos(), parse.OpEq, x, a)
		if err != nil {
			return nil, err
		}
		or.Args = append(or.Args, eq)
	}
	var out expr.Expr = or
	if len(or.Args) == 1 {
		out = or.Args[0]
	}
	if e.Not {
		out = negate(out)
	}
	return out, nil
}

// inConstants builds an expr.In, or nil if the list has something that is not constant or that x is compared with row by row.
func (s *scope) inConstants(x expr.Expr, list []expr.Expr) *expr.In {
	target := x.Type()
	texts := true
	for _, a := range list {
		c, ok := a.(*expr.Const)
		if !ok || c.Value.Type.IsVariant() {
			return nil
		}
		texts = texts && (c.Value.Type.Kind == types.Varchar || c.Value.IsNull(0))
		if !c.Value.IsNull(0) {
			if target, ok = listType(target, c.Value); !ok {
				return nil
			}
		}
	}
	if x.Type().IsVariant() {
		if !texts {
			return nil
		}
		target = types.Of(types.Varchar)
	}
	if target.Kind == types.Null || target.Kind >= types.JSON {
		return nil
	}
	out := &expr.In{Arg: s.coerce(x, target)}
	b := vec.NewBuilder(target, len(list))
	for _, a := range list {
		v, err := function.Cast(s.b.env.Ctx, a.(*expr.Const).Value, target, false)
		if err != nil {
			return nil
		}
		if v.IsNull(0) {
			out.HasNull = true
			continue
		}
		b.AppendFrom(v, 0)
	}
	out.List = b.Finish()
	return out
}

// listType is the type in which values of type t and a constant are compared: t itself where the constant has the same value in it,
// so that the column needs no cast; text constants take the type of the other side.
func listType(t types.Type, c *vec.Vector) (types.Type, bool) {
	switch {
	case t.Kind == types.Null || t.Equal(c.Type):
		return c.Type, true
	case t.IsVariant():
		return t, true
	case c.Type.Kind == types.Varchar && t.Kind != types.Varchar:
		return t, true
	case exactIn(c, t):
		return t, true
	case t.Kind == types.Varchar:
		// A number in a list of texts is compared as Resolve decides, not as text.
		return t, c.Type.Kind == types.Varchar
	}
	return function.CommonType(t, c.Type)
}

// exactIn tells whether an integer or DECIMAL constant is a value of the integer or DECIMAL type t.
func exactIn(c *vec.Vector, t types.Type) bool {
	exact := func(t types.Type) bool { return t.IsInteger() || t.Kind == types.Decimal }
	if !exact(t) || !exact(c.Type) {
		return false
	}
	there, err := function.Cast(&function.Ctx{}, c, t, false)
	if err != nil {
		return false
	}
	back, err := function.Cast(&function.Ctx{}, there, c.Type, false)
	return err == nil && vec.Compare(vec.Flatten(back), 0, vec.Flatten(c), 0) == 0
}

// inRows binds (a, b) IN ((1, 2), ...).
func (s *scope) inRows(l *parse.Row, e *parse.In) (expr.Expr, error) {
	or := &expr.Or{}
	for _, r := range e.List {
		row, ok := r.(*parse.Row)
		if !ok {
			return nil, sqlerr.At(sqlerr.Type, r.Pos(), "a row of %d values is expected here", len(l.Elems))
		}
		eq, err := s.equalRows(r.Pos(), l.Elems, row.Elems)
		if err != nil {
			return nil, err
		}
		or.Args = append(or.Args, eq)
	}
	var out expr.Expr = or
	if len(or.Args) == 1 {
		out = or.Args[0]
	}
	if e.Not {
		out = negate(out)
	}
	return out, nil
}
