package expr

import (
	"time"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

var boolean = types.Of(types.Boolean)

// utc is the context in which constants are printed.
var utc = &function.Ctx{Zone: time.UTC}

// Type returns the column's type.
func (e *Column) Type() types.Type { return e.T }

// Eval returns the column itself.
func (e *Column) Eval(_ *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	return b.Cols[e.Index], nil
}

// Type returns the literal's type.
func (e *Const) Type() types.Type { return e.Value.Type }

// Eval spreads the value over the batch.
func (e *Const) Eval(_ *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v := e.Value
	if v.Form != vec.Flat {
		v = flatten(v.Slice(0, 1))
	}
	return vec.NewConstant(v, b.Len), nil
}

// Type returns the function's result type.
func (e *Call) Type() types.Type { return e.Fn.Ret }

// Eval evaluates the arguments, then the function over them.
func (e *Call) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	args := make([]*vec.Vector, len(e.Args))
	for i, a := range e.Args {
		v, err := a.Eval(c, b)
		if err != nil {
			return nil, e.At.mark(err)
		}
		args[i] = v
	}
	if r, ok := e.byEntries(c, args); ok {
		return r, nil
	}
	r, err := e.Fn.Kernel(c, args, b.Len)
	return r, e.At.mark(err)
}

// byEntries evaluates a strict function of one column over the entries of its dictionary, all other arguments being literals.
func (e *Call) byEntries(c *function.Ctx, args []*vec.Vector) (*vec.Vector, bool) {
	at := -1
	for i, v := range args {
		if _, literal := e.Args[i].(*Const); literal {
			continue
		}
		if at >= 0 || v.Form != vec.Dictionary {
			return nil, false
		}
		at = i
	}
	if at < 0 || e.Fn.Volatile || !e.Fn.Strict() {
		return nil, false
	}
	return e.memo.apply(c, args[at], func(entries *vec.Vector) (*vec.Vector, error) {
		whole := make([]*vec.Vector, len(args))
		for i, v := range args {
			whole[i] = entries
			if i != at {
				one := *v
				one.Len = entries.Len
				whole[i] = &one
			}
		}
		return e.Fn.Kernel(c, whole, entries.Len)
	})
}

// Type returns the target type.
func (e *Cast) Type() types.Type { return e.To }

// Eval converts the argument.
func (e *Cast) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := e.Arg.Eval(c, b)
	if err != nil {
		return nil, err
	}
	cast := func(v *vec.Vector) (*vec.Vector, error) { return function.Cast(c, v, e.To, e.Try) }
	if r, ok := e.memo.apply(c, v, cast); ok {
		return r, nil
	}
	r, err := cast(v)
	return r, e.At.mark(err)
}

// Type returns BOOLEAN.
func (e *Not) Type() types.Type { return boolean }

// Eval negates; NULL stays NULL.
func (e *Not) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := e.Arg.Eval(c, b)
	if err != nil {
		return nil, err
	}
	return negate(v), nil
}

// negate negates a BOOLEAN vector of any form.
func negate(v *vec.Vector) *vec.Vector {
	if v.Type.Kind == types.Null {
		return vec.NewNull(boolean, v.Len)
	}
	if v.Form == vec.Dictionary {
		v = vec.Flatten(v)
	}
	in := vec.Slice[bool](v)
	if v.Form == vec.Constant {
		in = in[:1]
	}
	data := make([]bool, len(in))
	vec.Map1(data, in, func(x bool) bool { return !x })
	out := *v
	out.Data = data
	return &out
}

// Type returns BOOLEAN.
func (e *IsNull) Type() types.Type { return boolean }

// Eval reads validity; JSON null counts as NULL.
func (e *IsNull) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := e.Arg.Eval(c, b)
	if err != nil {
		return nil, err
	}
	var valid vec.Bitmap
	switch {
	case v.Type.IsVariant():
		valid = variant.NotNull(v)
	case v.Form == vec.Constant && v.Len > 0:
		return constBool(v.IsNull(0) != e.Negate, b.Len), nil
	case v.Type.Kind != types.Null:
		valid = v.Valid
	}
	if valid == nil {
		return constBool(e.Negate, b.Len), nil
	}
	out := make([]bool, b.Len)
	for i := range out {
		out[i] = valid.Get(i) == e.Negate
	}
	return vec.NewFlat(boolean, out, nil), nil
}

func constBool(x bool, n int) *vec.Vector {
	return vec.NewConstant(vec.NewFlat(boolean, []bool{x}, nil), n)
}

// Type returns BOOLEAN.
func (e *In) Type() types.Type { return boolean }

// Eval looks every row up in the list.
func (e *In) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := e.Arg.Eval(c, b)
	if err != nil {
		return nil, err
	}
	m := e.member.Load()
	if m == nil {
		m = function.Member(e.List, e.HasNull, e.Negate)
		e.member.Store(m)
	}
	test := func(v *vec.Vector) (*vec.Vector, error) { return m.Kernel(c, []*vec.Vector{v}, v.Len) }
	if r, ok := e.memo.apply(c, v, test); ok {
		return r, nil
	}
	return test(v)
}

// Type returns VARIANT.
func (e *Path) Type() types.Type { return types.Of(types.Variant) }

// Eval reads the path of each row.
func (e *Path) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := e.Arg.Eval(c, b)
	if err != nil {
		return nil, err
	}
	return variant.PathVector(v, e.Steps), nil
}

// Type returns the type that the binder inferred.
func (e *Param) Type() types.Type { return e.T }

// Eval fails: parameters are bound before a plan runs.
func (e *Param) Eval(*function.Ctx, *vec.Batch) (*vec.Vector, error) {
	return nil, sqlerr.New(sqlerr.Bind, "parameter %d has no value", e.Slot+1)
}

// flatten returns v in Flat form whatever its form is.
func flatten(v *vec.Vector) *vec.Vector {
	if v.Form == vec.Shredded {
		return variant.Flatten(v)
	}
	return vec.Flatten(v)
}
