package function

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// narrowSum resolves + and - of a column of a narrow integer type and a constant of a wider one: the column is widened within the loop
// instead of by a cast. It returns nil for other operands.
func narrowSum(name string, args []Arg, a, b types.Type) *Scalar {
	if name != "+" && name != "-" || (args[0].Const == nil) == (args[1].Const == nil) {
		return nil
	}
	narrow, wide := a, b
	flip := args[0].Const != nil
	if flip {
		narrow, wide = b, a
	}
	if narrow.Kind >= wide.Kind || wide.Kind > types.BigInt || !narrow.Equal(args[boolInt(flip)].Type) || !wide.Equal(args[boolInt(!flip)].Type) {
		return nil
	}
	var core Kernel
	switch wide.Kind {
	case types.SmallInt:
		core = narrowKernel[int8, int16](name, wide, flip)
	case types.Int:
		if narrow.Kind == types.TinyInt {
			core = narrowKernel[int8, int32](name, wide, flip)
		} else {
			core = narrowKernel[int16, int32](name, wide, flip)
		}
	default:
		switch narrow.Kind {
		case types.TinyInt:
			core = narrowKernel[int8, int64](name, wide, flip)
		case types.SmallInt:
			core = narrowKernel[int16, int64](name, wide, flip)
		default:
			core = narrowKernel[int32, int64](name, wide, flip)
		}
	}
	return newScalar(name, []types.Type{a, b}, wide, false, core)
}

// narrowKernel computes x + c or x - c, with flip c + x or c - x, for x of type N and a constant c of type W.
func narrowKernel[N, W signed](name string, t types.Type, flip bool) Kernel {
	column, constant := 0, 1
	if flip {
		column, constant = 1, 0
	}
	plus := name == "+"
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]W, n)
		x, y := vec.Slice[N](args[column]), vec.Slice[W](args[constant])
		xm, ym := args[column].Mask(), args[constant].Mask()
		valid := validity(args, n)
		var bad W
		switch {
		case plus && xm != 0 && ym == 0:
			bad = narrowAdd(out, x, y[0])
		case plus:
			for i := range out {
				bad |= narrowAdd(out[i:i+1], x[i&xm:], y[i&ym])
			}
		default:
			for i := range out {
				p, q := W(x[i&xm]), y[i&ym]
				if flip {
					p, q = q, p
				}
				r := p - q
				bad |= (p ^ q) & (p ^ r)
				out[i] = r
			}
		}
		if bad >= 0 {
			return vec.NewFlat(t, out, valid), nil
		}
		return narrowOverflow(c, name, t, args, n)
	}
}

// narrowAdd adds a constant to a column; a negative result tells that a row overflowed.
func narrowAdd[N, W signed](out []W, x []N, y W) (bad W) {
	x = x[:len(out)]
	for i := range out {
		p := W(x[i])
		r := p + y
		bad |= (p ^ r) & (y ^ r)
		out[i] = r
	}
	return bad
}

// narrowOverflow computes again with the column widened, which finds the row that overflowed if it is not NULL.
func narrowOverflow(c *Ctx, name string, t types.Type, args []*vec.Vector, n int) (*vec.Vector, error) {
	wide := make([]*vec.Vector, len(args))
	for k, a := range args {
		var err error
		if wide[k], err = Cast(c, a, t, false); err != nil {
			return nil, err
		}
	}
	s, err := intArith(name, t)
	if err != nil {
		return nil, err
	}
	return s.Kernel(c, wide, n)
}
