package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// maxPathSteps bounds one VARIANT path.
const maxPathSteps = 256

// access binds x[i] and (x).name.
func (s *scope) access(e parse.Expr) (expr.Expr, error) {
	switch x := e.(type) {
	case *parse.DotAccess:
		arg, err := s.bind(x.X)
		if err != nil {
			return nil, err
		}
		return s.member(arg, x.Name)
	case *parse.Subscript:
		arg, err := s.bind(x.X)
		if err != nil {
			return nil, err
		}
		return s.subscript(arg, x)
	}
	panic("BUG: not an access")
}

// members follows the rest of a dotted name.
func (s *scope) members(x expr.Expr, names []parse.Ident) (expr.Expr, error) {
	for _, n := range names {
		var err error
		if x, err = s.member(x, n); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// member binds x.name: a key of a VARIANT (as written, keys have case) or a field of a STRUCT.
func (s *scope) member(x expr.Expr, name parse.Ident) (expr.Expr, error) {
	t := x.Type()
	switch {
	case t.IsVariant():
		return step(x, expr.Step{Key: name.Name}, name.Pos())
	case t.Kind == types.Struct:
		for _, f := range t.Fields {
			if strings.EqualFold(f.Name, name.Name) {
				return s.resolve(name.Pos(), "struct_element", x, textConst(f.Name))
			}
		}
		return nil, sqlerr.At(sqlerr.NotFound, name.Pos(), "%s has no member %s", t, name.Name)
	}
	return nil, sqlerr.At(sqlerr.Type, name.Pos(), "%s has no member %s; only VARIANT, JSON and STRUCT have members", t, name.Name)
}

// subscript binds x[i]: a key or index (from 0) of a VARIANT, an element (from 1) of an ARRAY, a value of a MAP, a
// member of a STRUCT by its constant name or position (from 1).
func (s *scope) subscript(x expr.Expr, e *parse.Subscript) (expr.Expr, error) {
	index, err := s.bind(e.Index)
	if err != nil {
		return nil, err
	}
	t := x.Type()
	if !t.IsVariant() {
		if t.Kind != types.Array && t.Kind != types.Map && t.Kind != types.Struct {
			return nil, sqlerr.At(sqlerr.Type, e.Pos(), "%s cannot be subscripted; only VARIANT, JSON, ARRAY, MAP and STRUCT can", t)
		}
		if t.Kind == types.Struct {
			return s.resolve(e.Pos(), "struct_element", x, index)
		}
		return s.resolve(e.Pos(), "element_at", x, s.b.infer(index, types.Of(types.Int)))
	}
	c, ok := index.(*expr.Const)
	if !ok || c.Value.IsNull(0) {
		return s.resolve(e.Pos(), "element_at", x, s.b.infer(index, types.Of(types.Varchar)))
	}
	switch {
	case c.Value.Type.Kind == types.Varchar:
		return step(x, expr.Step{Key: string(c.Value.Bytes(0))}, e.Pos())
	case c.Value.Type.Kind == types.Int:
		i := vec.Slice[int32](vec.Flatten(c.Value))[0]
		if i < 0 {
			return nil, sqlerr.At(sqlerr.OutOfRange, e.Index.Pos(), "an array index in a VARIANT path counts from 0")
		}
		return step(x, expr.Step{Index: int(i), IsIndex: true}, e.Pos())
	}
	return nil, sqlerr.At(sqlerr.Type, e.Index.Pos(), "a VARIANT is subscripted by a key such as ['a'] or an index such as [0], not by %s", c.Value.Type)
}

// arrow binds x -> 'a' and x ->> 'a' of a VARIANT and a constant as the path that it is.
func (s *scope) arrow(pos int, op parse.Op, x expr.Expr, which *expr.Const) (expr.Expr, error) {
	steps, err := function.ArrowSteps(which.Value)
	if err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	for _, st := range steps {
		if x, err = step(x, st, pos); err != nil {
			return nil, err
		}
	}
	if op == parse.OpLongArrow {
		x = &expr.Cast{Arg: x, To: types.Of(types.Varchar), At: s.b.place(pos)}
	}
	return x, nil
}

// step appends one step to a path.
func step(x expr.Expr, st expr.Step, pos int) (expr.Expr, error) {
	p, ok := x.(*expr.Path)
	if !ok {
		return &expr.Path{Arg: x, Steps: []expr.Step{st}}, nil
	}
	if len(p.Steps) >= maxPathSteps {
		return nil, sqlerr.At(sqlerr.Resource, pos, "path with more than %d steps", maxPathSteps)
	}
	steps := append(append(make([]expr.Step, 0, len(p.Steps)+1), p.Steps...), st)
	return &expr.Path{Arg: p.Arg, Steps: steps}, nil
}
