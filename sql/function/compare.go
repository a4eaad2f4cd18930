package function

import (
	"cmp"
	"math"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
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

// infallible marks a function that never fails.
func infallible(s *Scalar) *Scalar {
	s.traits.infallible = true
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

// comparedAs finds the types that two operands are cast to for a comparison: equal physical types, or an integer and a double.
func comparedAs(args []Arg) (x, y types.Type, err error) {
	a, b := args[0], args[1]
	if a.Const == nil && b.Const != nil || a.Type.IsVariant() || b.Const != nil && b.Type.Kind == types.Varchar && a.Type.Kind != types.Varchar {
		y, x, err = comparedWith(b, a)
		return x, y, err
	}
	return comparedWith(a, b)
}

// comparedWith is comparedAs where, if one operand is constant, it is a.
func comparedWith(a, b Arg) (x, y types.Type, err error) {
	s, t := a.Type, b.Type
	switch {
	case t.IsVariant():
		if s.Kind != types.Null && (CanCast(t, s) != Implicit || s.Kind >= types.JSON) {
			return s, t, sqlerr.New(sqlerr.Type, "VARIANT cannot be compared with %s; write CAST(... AS %s)", s, s)
		}
		return s, s, nil
	case s.Kind == types.Null:
		return t, t, nil
	case t.Kind == types.Null:
		return s, s, nil
	case s.Kind == t.Kind && s.Phys() == t.Phys() && s.Kind < types.JSON && (s.Kind != types.Decimal || s.Scale == t.Scale):
		return s, t, nil
	case s.Kind == types.Varchar && a.Const != nil && t.Kind != types.Binary:
		return textConstant(a, b)
	}
	common, ok := CommonType(s, t)
	if !ok || common.Kind == types.Varchar {
		return s, t, sqlerr.New(sqlerr.Type, "%s cannot be compared with %s; cast one of them", s, t)
	}
	if a.Const != nil && b.Const == nil && sameIn(a.Const, t, common) {
		return t, t, nil
	}
	if isFloat(common) && (s.Kind == types.BigInt && isFloat(t) || t.Kind == types.BigInt && isFloat(s)) {
		return keepBigInt(s), keepBigInt(t), nil
	}
	return common, common, nil
}

func keepBigInt(t types.Type) types.Type {
	if t.Kind == types.BigInt {
		return t
	}
	return types.Of(types.Double)
}

// textConstant compares a text constant with a value of another type: the text is read as that type. A text with a fraction beside an
// integer, or with a time beside a date, widens both sides instead of losing it.
func textConstant(a, b Arg) (x, y types.Type, err error) {
	t := b.Type
	if a.Const.IsNull(0) {
		return t, t, nil
	}
	switch {
	case t.IsNumeric():
		text := a.Const.Bytes(0)
		if _, st := readInt128(text); st == fits && t.IsInteger() {
			if _, err := castWith(&Ctx{}, a.Const, t, castMode{exact: true}); err == nil {
				return t, t, nil
			}
			return types.Of(types.LargeInt), types.Of(types.LargeInt), nil
		}
		if isFloat(t) {
			return types.Of(types.Double), types.Of(types.Double), nil
		}
		literal := decimalLiteral(string(text))
		if _, _, ok := types.ParseDecimal(text, int(literal.Scale)); !ok || int(literal.Precision) > types.MaxDecimalPrecision {
			return t, t, nil // the cast of the constant reports it
		}
		if t, ok := commonNumber(literal, t); ok && t.Kind == types.Decimal {
			return t, t, nil
		}
		return types.Of(types.Double), types.Of(types.Double), nil
	case t.Kind == types.Date:
		if _, ok := types.ParseDate(a.Const.Bytes(0)); !ok {
			return types.Of(types.DateTime), types.Of(types.DateTime), nil
		}
	case t.Kind == types.DateTime || t.Kind == types.TimestampTZ:
		return types.Of(t.Kind), t, nil
	}
	if CanCast(a.Type, t) == No {
		return a.Type, t, sqlerr.New(sqlerr.Type, "%s cannot be compared with %s; cast one of them", a.Type, t)
	}
	return t, t, nil
}

// sameIn tells whether a constant keeps its value when it is cast to t: then a column of type t is compared without being cast itself.
func sameIn(c *vec.Vector, t, common types.Type) bool {
	if c.IsNull(0) {
		return false
	}
	ctx := &Ctx{Zone: nil}
	if c.Type.Kind == types.TimestampTZ || t.Kind == types.TimestampTZ {
		return false // depends on the session's zone
	}
	v, err := castWith(ctx, c, t, castMode{exact: true})
	if err != nil {
		return false
	}
	back, err := castWith(ctx, v, common, castMode{exact: true})
	if err != nil {
		return false
	}
	direct, err := castWith(ctx, c, common, castMode{exact: true})
	return err == nil && !back.IsNull(0) && vec.Compare(back, 0, direct, 0) == 0
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
		if o == cmpEq || o == cmpNe {
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
