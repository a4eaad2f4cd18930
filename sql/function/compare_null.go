package function

import (
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// resolveDistinct makes the null-safe comparisons out of =.
func resolveDistinct(name string, args []Arg, opt Option, same bool) (*Scalar, error) {
	eq, err := resolveComparison(cmpEq, args, opt)
	if err != nil || eq == nil {
		return eq, err
	}
	core := func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		r, err := eq.Kernel(c, args, n)
		if err != nil {
			return nil, err
		}
		an, bn := nulls(args[0]), nulls(args[1])
		out := make([]bool, n)
		for i := range out {
			x, y := !an.Get(i), !bn.Get(i)
			equal := x && y || !x && !y && !r.IsNull(i) && vec.Slice[bool](r)[i&r.Mask()]
			out[i] = equal == same
		}
		return booleans(out, nil), nil
	}
	t := traits{nullsIn: true, shreddedIn: true, infallible: true}
	return &Scalar{Name: name, Args: eq.Args, Ret: eq.Ret, traits: t, Kernel: adapt(core, eq.Ret, t)}, nil
}

// nulls returns the rows that are not NULL for SQL.
func nulls(v *vec.Vector) vec.Bitmap {
	if v.Type.IsVariant() {
		return variant.NotNull(v)
	}
	b := vec.NewBitmap(v.Len)
	for i := range v.Len {
		if !v.IsNull(i) {
			b.Set(i)
		}
	}
	return b
}
