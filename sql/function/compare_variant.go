package function

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// variantNumber compares a VARIANT with a number by exact value, row by row in the row's own kind.
func variantNumber(o comparison, v, number types.Type) *Scalar {
	t := traits{maybeNull: true, shreddedIn: true, infallible: true}
	core := func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]bool, n)
		if args[1].Form == vec.Constant {
			order, valid := variant.CompareConst(args[0], args[1])
			for i, x := range order {
				out[i] = o.holds(int(x))
			}
			return booleans(out, valid), nil
		}
		if s := args[0]; s.Form == vec.Shredded && s.Rest == nil && s.Typed.Type.IsNumeric() {
			return compareTyped(c, o, s.Typed, args[1], n)
		}
		flat := variant.Flatten(args[0])
		valid := vec.NewBitmap(n)
		for i := range out {
			if flat.IsNull(i) || args[1].IsNull(i) {
				continue
			}
			order, ok := variant.CompareConst(flat.Slice(i, i+1), args[1].Slice(i, i+1))
			if ok.Get(0) {
				valid.Set(i)
				out[i] = o.holds(int(order[0]))
			}
		}
		return booleans(out, valid), nil
	}
	return &Scalar{Name: comparisonNames[o], Args: []types.Type{v, number}, Ret: types.Of(types.Boolean), traits: t,
		Kernel: adapt(core, types.Of(types.Boolean), t)}
}

// compareTyped compares the typed part of a shredded variant with a number.
func compareTyped(c *Ctx, o comparison, typed, number *vec.Vector, n int) (*vec.Vector, error) {
	s, err := resolveComparison(o, []Arg{{Type: typed.Type}, {Type: number.Type}}, 0)
	if err != nil {
		return nil, err
	}
	a, err := Cast(c, typed, s.Args[0], false)
	if err != nil {
		return nil, err
	}
	b, err := Cast(c, number, s.Args[1], false)
	if err != nil {
		return nil, err
	}
	return s.Kernel(c, []*vec.Vector{a, b}, n)
}

// variantOrder compares two variants in their total order; JSON null is NULL here as everywhere in SQL.
func variantOrder(o comparison) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]bool, n)
		valid := vec.And(variant.NotNull(args[0]), variant.NotNull(args[1]), n)
		for i := range out {
			if valid.Get(i) {
				am, av := args[0].VariantAt(i)
				bm, bv := args[1].VariantAt(i)
				out[i] = o.holds(variant.Compare(am, av, bm, bv))
			}
		}
		return booleans(out, valid), nil
	}
}
