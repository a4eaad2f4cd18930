package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// param binds ?, $n and $name. A staged file's columns are named $1 and the like, so columns in sight come first.
func (s *scope) param(p *parse.Param) (expr.Expr, error) {
	if len(p.Text) > 1 && p.Text[0] == '$' {
		for i := range s.cols {
			if s.cols[i].name == p.Text {
				return s.column(&s.cols[i], p.Pos()), nil
			}
		}
	}
	if p.Ordinal == 0 {
		return nil, sqlerr.At(sqlerr.Unsupported, p.Pos(), "named parameter %s is not supported; use ? or $1", p.Text)
	}
	if p.Ordinal > maxParams {
		return nil, sqlerr.At(sqlerr.Resource, p.Pos(), "more than %d parameters", maxParams)
	}
	b, slot := s.b, p.Ordinal-1
	for len(b.params) <= slot {
		b.params = append(b.params, types.Type{})
	}
	if slot < len(b.env.Params) && b.env.Params[slot] != nil {
		v := b.env.Params[slot]
		b.params[slot] = v.Type
		return &expr.Const{Value: v}, nil
	}
	return &expr.Param{Slot: slot, T: b.params[slot]}, nil
}

// unknown tells whether e is a parameter whose type is not known yet.
func unknown(e expr.Expr) bool {
	p, ok := e.(*expr.Param)
	return ok && p.T.Kind == types.Null
}

// infer gives an unknown parameter the type its context wants.
func (b *binder) infer(e expr.Expr, t types.Type) expr.Expr {
	p, ok := e.(*expr.Param)
	if !ok || p.T.Kind != types.Null {
		return e
	}
	if b.params[p.Slot].Kind == types.Null {
		if t.Kind == types.Null || t.IsVariant() {
			t = types.Of(types.Varchar)
		}
		b.params[p.Slot] = t
	}
	return &expr.Param{Slot: p.Slot, T: b.params[p.Slot]}
}

// settle makes every parameter of e that is still unknown a VARCHAR.
func (b *binder) settle(e expr.Expr) expr.Expr {
	if unknown(e) {
		return b.infer(e, types.Of(types.Varchar))
	}
	return plan.MapArgs(e, b.settle)
}

// paramTypes returns the types of all parameters.
func (b *binder) paramTypes() []types.Type {
	out := make([]types.Type, len(b.params))
	for i, t := range b.params {
		if t.Kind == types.Null {
			t = types.Of(types.Varchar)
		}
		out[i] = t
	}
	return out
}
