package function

import (
	"cmp"
	"math"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// comparison is one of the six operators.
type comparison uint8

const (
	cmpEq comparison = iota
	cmpNe
	cmpLt
	cmpLe
	cmpGt
	cmpGe
)

var comparisonNames = [...]string{cmpEq: "=", cmpNe: "<>", cmpLt: "<", cmpLe: "<=", cmpGt: ">", cmpGe: ">="}

// holds tells whether the operator is true for operands that compare as c (-1, 0 or 1).
func (o comparison) holds(c int) bool {
	switch o {
	case cmpEq:
		return c == 0
	case cmpNe:
		return c != 0
	case cmpLt:
		return c < 0
	case cmpLe:
		return c <= 0
	case cmpGt:
		return c > 0
	}
	return c >= 0
}

// flipped is the operator for exchanged operands.
func (o comparison) flipped() comparison {
	return [...]comparison{cmpEq: cmpEq, cmpNe: cmpNe, cmpLt: cmpGt, cmpLe: cmpGe, cmpGt: cmpLt, cmpGe: cmpLe}[o]
}

// Comparisons (decisions D2, D7): numbers of any types compare by exact value, NaN equals itself and is greater than every number, text
// compares bytewise, a text constant is read as the type of the other side. A VARIANT compares as the type of the other side, and
// exactly with numbers; two VARIANTs do not compare unless variant_total_order is set.
func init() {
	docs := []string{"(T, T) -> boolean", "(variant, T) -> boolean"}
	def := func(names, about string, o comparison) {
		defineBy(names, "operator", about, docs, func(_ string, args []Arg, opt Option) (*Scalar, error) {
			return resolveComparison(o, args, opt)
		})
	}
	def("= ==", "Equal.", cmpEq)
	def("<> !=", "Not equal.", cmpNe)
	def("<", "Less.", cmpLt)
	def("<=", "Less or equal.", cmpLe)
	def(">", "Greater.", cmpGt)
	def(">=", "Greater or equal.", cmpGe)
	defineBy("<=> IS_NOT_DISTINCT_FROM", "operator", "Equal, where NULL equals NULL; never NULL.", docs,
		func(_ string, args []Arg, opt Option) (*Scalar, error) {
			return resolveDistinct("<=>", args, opt, true)
		})
	defineBy("IS_DISTINCT_FROM", "operator", "Not equal, where NULL equals NULL; never NULL.", docs,
		func(_ string, args []Arg, opt Option) (*Scalar, error) {
			return resolveDistinct("IS DISTINCT FROM", args, opt, false)
		})
	scalars["is not distinct from"] = scalars["<=>"]
	scalars["is distinct from"] = scalars["is_distinct_from"]
}

// infallible marks a comparison, which never fails.
func infallible(s *Scalar) *Scalar {
	s.traits.infallible, s.traits.cost = true, costCompare
	if s.Args[0].Phys() == types.PhysString {
		s.traits.cost = costTextual
	}
	return s
}

func resolveComparison(o comparison, args []Arg, opt Option) (*Scalar, error) {
	if len(args) != 2 {
		return nil, nil
	}
	name := comparisonNames[o]
	a, b := args[0].Type, args[1].Type
	boolean := types.Of(types.Boolean)
	switch {
	case a.IsVariant() && b.IsVariant():
		if opt&TotalOrder == 0 {
			return nil, sqlerr.New(sqlerr.Type, "a VARIANT cannot be compared with a VARIANT; cast one side, as in CAST(... AS STRING) or CAST(... AS DOUBLE), or SET variant_total_order = true")
		}
		return infallible(newScalar(name, []types.Type{a, b}, boolean, false, variantOrder(o))), nil
	case a.IsVariant() && b.IsNumeric():
		return variantNumber(o, a, b), nil
	case b.IsVariant() && a.IsNumeric():
		s := swapped(variantNumber(o.flipped(), b, a))
		s.Name = name
		return s, nil
	}
	x, y, err := comparedAs(args)
	if err != nil {
		return nil, err
	}
	if s := intWithDouble(o, x, y); s != nil {
		return s, nil
	}
	core := compareKernel(o, x)
	if core == nil {
		return nil, sqlerr.New(sqlerr.Type, "values of type %s cannot be compared", x)
	}
	return infallible(newScalar(name, []types.Type{x, y}, boolean, false, core)), nil
}

// compareKernel returns the kernel for two operands of the physical type of t, nil if there is none.
func compareKernel(o comparison, t types.Type) Kernel {
	switch t.Phys() {
	case types.PhysNone:
		return func(_ *Ctx, _ []*vec.Vector, n int) (*vec.Vector, error) {
			return vec.NewNull(types.Of(types.Boolean), n), nil
		}
	case types.PhysBool:
		return compared(func(a, b bool) bool { return o.holds(boolInt(a) - boolInt(b)) })
	case types.PhysInt8:
		return comparedOrdered[int8](o)
	case types.PhysInt16:
		return comparedOrdered[int16](o)
	case types.PhysInt32:
		return comparedOrdered[int32](o)
	case types.PhysInt64:
		return comparedOrdered[int64](o)
	case types.PhysUint32:
		return comparedOrdered[uint32](o)
	case types.PhysInt128:
		return compared(func(a, b types.Int128) bool { return o.holds(a.Cmp(b)) })
	case types.PhysInt256:
		return compared(func(a, b types.Int256) bool { return o.holds(a.Cmp(b)) })
	case types.PhysUint128:
		return compared(func(a, b types.Uint128) bool { return o.holds(a.Cmp(b)) })
	case types.PhysFloat32:
		return compared(func(a, b float32) bool { return o.holds(vec.CompareFloats(float64(a), float64(b))) })
	case types.PhysFloat64:
		return comparedFloats(o)
	case types.PhysInterval:
		return compared(func(a, b types.IntervalValue) bool { return o.holds(vec.CompareIntervals(a, b)) })
	case types.PhysString:
		return comparedText(o)
	case types.PhysVariant:
		return nil
	}
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]bool, n)
		valid := validity(args, n)
		for i := range out {
			if valid.Get(i) {
				out[i] = o.holds(vec.Compare(args[0], i, args[1], i))
			}
		}
		return booleans(out, valid), nil
	}
}

func booleans(out []bool, valid vec.Bitmap) *vec.Vector {
	return vec.NewFlat(types.Of(types.Boolean), out, valid)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compared[T any](f func(a, b T) bool) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]bool, n)
		vec.MapN(out, vec.Slice[T](args[0]), args[0].Mask(), vec.Slice[T](args[1]), args[1].Mask(), f)
		return booleans(out, validity(args, n)), nil
	}
}

// comparedOrdered has a loop of its own for each operator against a constant and against a column.
func comparedOrdered[T cmp.Ordered](o comparison) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]bool, n)
		a, b, o := args[0], args[1], o
		if a.Form == vec.Constant {
			a, b, o = b, a, o.flipped()
		}
		x, y := vec.Slice[T](a), vec.Slice[T](b)
		if b.Form == vec.Constant {
			compareConst(out, x, y[0], o)
		} else {
			compareSlices(out, x, y, o)
		}
		return booleans(out, validity(args, n)), nil
	}
}

func compareConst[T cmp.Ordered](out []bool, x []T, y T, o comparison) {
	switch o {
	case cmpEq:
		vec.Map1(out, x, func(a T) bool { return a == y })
	case cmpNe:
		vec.Map1(out, x, func(a T) bool { return a != y })
	case cmpLt:
		vec.Map1(out, x, func(a T) bool { return a < y })
	case cmpLe:
		vec.Map1(out, x, func(a T) bool { return a <= y })
	case cmpGt:
		vec.Map1(out, x, func(a T) bool { return a > y })
	case cmpGe:
		vec.Map1(out, x, func(a T) bool { return a >= y })
	}
}

func compareSlices[T cmp.Ordered](out []bool, x, y []T, o comparison) {
	switch o {
	case cmpEq:
		vec.Map2(out, x, y, func(a, b T) bool { return a == b })
	case cmpNe:
		vec.Map2(out, x, y, func(a, b T) bool { return a != b })
	case cmpLt:
		vec.Map2(out, x, y, func(a, b T) bool { return a < b })
	case cmpLe:
		vec.Map2(out, x, y, func(a, b T) bool { return a <= b })
	case cmpGt:
		vec.Map2(out, x, y, func(a, b T) bool { return a > b })
	case cmpGe:
		vec.Map2(out, x, y, func(a, b T) bool { return a >= b })
	}
}

// comparedFloats compares with NaN above all numbers; against a number that is not NaN the plain operators do for = <> < <=.
func comparedFloats(o comparison) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]bool, n)
		a, b, o := args[0], args[1], o
		if a.Form == vec.Constant {
			a, b, o = b, a, o.flipped()
		}
		x, y := vec.Slice[float64](a), vec.Slice[float64](b)
		switch {
		case b.Form != vec.Constant || math.IsNaN(y[0]):
			vec.MapN(out, x, a.Mask(), y, b.Mask(), func(a, b float64) bool { return o.holds(vec.CompareFloats(a, b)) })
		case o == cmpGt:
			limit := y[0]
			vec.Map1(out, x, func(a float64) bool { return !(a <= limit) })
		case o == cmpGe:
			limit := y[0]
			vec.Map1(out, x, func(a float64) bool { return !(a < limit) })
		default:
			compareConst(out, x, y[0], o)
		}
		return booleans(out, validity(args, n)), nil
	}
}

// comparedText settles equality by length and prefix in most rows.
func comparedText(o comparison) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]bool, n)
		a, b := args[0], args[1]
		x, y := vec.Slice[vec.View](a), vec.Slice[vec.View](b)
		am, bm := a.Mask(), b.Mask()
		if (o == cmpEq || o == cmpNe) && (am == 0) != (bm == 0) {
			if am == 0 {
				a, b, x, y = b, a, y, x
			}
			vec.EqualConst(out, x, a.Bufs, y[0], y[0].Bytes(b.Bufs))
			if o == cmpNe {
				vec.Map1(out, out, func(eq bool) bool { return !eq })
			}
		} else if o == cmpEq || o == cmpNe {
			ne := o == cmpNe
			for i := range out {
				out[i] = vec.EqualViews(&x[i&am], a.Bufs, &y[i&bm], b.Bufs) != ne
			}
		} else {
			for i := range out {
				out[i] = o.holds(vec.CompareViews(&x[i&am], a.Bufs, &y[i&bm], b.Bufs))
			}
		}
		return booleans(out, validity(args, n)), nil
	}
}

// intWithDouble compares BIGINT with DOUBLE exactly, which a cast to DOUBLE would not beyond 2^53; nil for other types.
func intWithDouble(o comparison, x, y types.Type) *Scalar {
	var core Kernel
	switch {
	case x.Kind == types.BigInt && y.Kind == types.Double:
		core = mixed(func(a int64, b float64) bool { return o.holds(compareIntDouble(a, b)) })
	case x.Kind == types.Double && y.Kind == types.BigInt:
		core = mixed(func(a float64, b int64) bool { return o.holds(-compareIntDouble(b, a)) })
	default:
		return nil
	}
	return infallible(newScalar(comparisonNames[o], []types.Type{x, y}, types.Of(types.Boolean), false, core))
}

func mixed[A, B any](f func(a A, b B) bool) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]bool, n)
		vec.MapN(out, vec.Slice[A](args[0]), args[0].Mask(), vec.Slice[B](args[1]), args[1].Mask(), f)
		return booleans(out, validity(args, n)), nil
	}
}

// compareIntDouble compares by exact value.
func compareIntDouble(a int64, b float64) int {
	switch {
	case b != b || b >= 0x1p63:
		return -1
	case b < -0x1p63:
		return 1
	}
	whole := math.Trunc(b)
	if c := cmp.Compare(a, int64(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, b)
}
