package expr

import (
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Fold computes what does not depend on rows: calls and casts over constants, branches of CASE and arguments of AND and OR that are
// settled. A part that fails is left as it is, because it may never be evaluated. The result holds for the statement of c only: now() and
// its like become constants.
func Fold(c *function.Ctx, e Expr) Expr {
	return Rewrite(e, func(x Expr) Expr {
		switch x := x.(type) {
		case *And:
			return foldLogic(x.Args, false)
		case *Or:
			return foldLogic(x.Args, true)
		case *Case:
			return foldCase(c, x)
		case *Call:
			if x.Fn.Volatile {
				return x
			}
		case *Apply:
			if Volatile(x.Body) {
				return x
			}
		case *IsNull:
			if col, ok := x.Arg.(*Column); ok && col.NotNull && !col.T.IsVariant() {
				return boolConst(x.Negate)
			}
		case *Column, *Const, *Param:
			return x
		}
		for _, p := range Children(x) {
			if _, ok := p.(*Const); !ok {
				return x
			}
		}
		return compute(c, x)
	})
}

// compute evaluates an expression without columns.
func compute(c *function.Ctx, e Expr) Expr {
	v, err := e.Eval(c, &vec.Batch{Len: 1})
	if err != nil {
		return e
	}
	return &Const{Value: flatten(typed(v, e.Type()))}
}

func boolConst(x bool) *Const { return &Const{Value: vec.NewFlat(boolean, []bool{x}, nil)} }

// truth tells what a constant condition is: known false for anything that is no constant or NULL.
func truth(e Expr) (value, known bool) {
	k, ok := e.(*Const)
	if !ok || k.Value.Type.Kind != types.Boolean || k.Value.IsNull(0) {
		return false, false
	}
	return boolAt(k.Value, 0), true
}

// foldLogic drops the arguments that change nothing, joins nested chains of the same kind, and stops at a decisive one. Arguments before
// a decisive one stay, since they may fail... unless they cannot.
func foldLogic(args []Expr, decisive bool) Expr {
	var out []Expr
	for _, a := range args {
		value, known := truth(a)
		switch {
		case known && value == decisive:
			safe := true
			for _, b := range out {
				safe = safe && Infallible(b)
			}
			if safe {
				return a
			}
			out = append(out, a)
		case known:
			continue
		case decisive:
			if nested, ok := a.(*Or); ok {
				out = append(out, nested.Args...)
				continue
			}
			out = append(out, a)
		default:
			if nested, ok := a.(*And); ok {
				out = append(out, nested.Args...)
				continue
			}
			out = append(out, a)
		}
	}
	switch {
	case len(out) == 0:
		return boolConst(!decisive)
	case len(out) == 1:
		return out[0]
	case decisive:
		return &Or{Args: out}
	}
	return &And{Args: out}
}

// foldCase drops branches that never apply and what follows one that always does.
func foldCase(c *function.Ctx, x *Case) Expr {
	out := &Case{T: x.T, Else: x.Else}
	for _, w := range x.Whens {
		value, known := truth(w.Cond)
		if k, ok := w.Cond.(*Const); ok && (known && !value || k.Value.IsNull(0)) {
			continue
		}
		if known {
			out.Else = w.Then
			break
		}
		out.Whens = append(out.Whens, w)
	}
	if len(out.Whens) == 0 {
		if out.Else == nil {
			return &Const{Value: flatten(vec.NewNull(x.T, 1))}
		}
		if out.Else.Type().Kind == types.Null && x.T.Kind != types.Null {
			return compute(c, &Cast{Arg: out.Else, To: x.T})
		}
		return out.Else
	}
	return out
}
