package function

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Result types of DECIMAL arithmetic: + - keep the larger scale and one more digit; * adds precisions and scales; / has four more places
// than the dividend, six at least; % keeps the larger scale. Precision is capped at 38 (76 if an operand has more, or the scales add up to
// more); a result beyond the cap is OutOfRange, never rounded away.
const (
	commonPrecision   = 38
	minDivisionScale  = 6
	moreDivisionScale = 4
)

// decimalArg is the DECIMAL as which an operand takes part; an integer constant counts only its own digits.
func decimalArg(a Arg, t types.Type) types.Type {
	if a.Const != nil && t.IsInteger() && a.Type.IsInteger() && !a.Const.IsNull(0) {
		s := string(appendValue(nil, nil, a.Const, 0))
		if s[0] == '-' {
			s = s[1:]
		}
		return types.DecimalOf(len(s), 0)
	}
	return asDecimal(t)
}

func decimalArith(name string, a, b types.Type) (*Scalar, error) {
	most := commonPrecision
	if int(max(a.Precision, b.Precision)) > most {
		most = types.MaxDecimalPrecision
	}
	p1, s1, p2, s2 := int(a.Precision), int(a.Scale), int(b.Precision), int(b.Scale)
	scale := max(s1, s2)
	whole := max(p1-s1, p2-s2)
	switch name {
	case "+", "-":
		t := capped(whole+1+scale, scale, most)
		s := newScalar(name, two(t), t, false, decimalSum(name, t))
		s.traits.infallible = whole+1+scale <= most
		return s, nil
	case "*":
		return decimalProduct(a, b, most)
	case "/":
		scale = min(max(s1+moreDivisionScale, minDivisionScale), most)
		t := capped(p1-s1+s2+scale, scale, most)
		args := []types.Type{widened(a, most), widened(b, most)}
		return newScalar(name, args, t, false, decimalQuotient(t, scale+s2-s1)), nil
	case "%":
		t := capped(whole+scale, scale, most)
		return newScalar(name, two(t), t, false, decimalRemainder(t)), nil
	}
	t := widened(capped(whole+scale, scale, most), most)
	return newScalar("DIV", two(t), types.Of(types.BigInt), false, decimalDiv), nil
}

// capped is DECIMAL(p, s) with no more than most digits; where the scale alone needs more than 38, 76 are allowed.
func capped(p, s, most int) types.Type {
	if s > most {
		most = types.MaxDecimalPrecision
	}
	return types.DecimalOf(max(min(p, most), s, 1), s)
}

// widened is t with the largest precision of its class, so that kernels meet two physical forms only.
func widened(t types.Type, most int) types.Type {
	if int(t.Scale) > most {
		most = types.MaxDecimalPrecision
	}
	return types.DecimalOf(most, int(t.Scale))
}

// within checks a result against its precision.
func within128(r types.Int128, ok bool, p int) (types.Int128, bool) {
	if !ok || p > commonPrecision {
		return r, ok
	}
	limit := types.Pow10(p)
	return r, r.Cmp(limit) < 0 && r.Cmp(limit.Neg()) > 0
}

func decimalSum(name string, t types.Type) Kernel {
	p := int(t.Precision)
	plus := name == "+"
	switch t.Phys() {
	case types.PhysInt64:
		// The result has a digit more than the operands unless it was capped, which happens beyond 18 digits only.
		if plus {
			return checkedInts(name, t, addInts[int64])
		}
		return checkedInts(name, t, subInts[int64])
	case types.PhysInt128:
		return wideKernel(name, t, func(a, b types.Int128) (types.Int128, bool) {
			if !plus {
				b = b.Neg()
			}
			r, ok := a.Add(b)
			return within128(r, ok, p)
		})
	}
	return wideKernel(name, t, func(a, b types.Int256) (types.Int256, bool) {
		if !plus {
			b = b.Neg()
		}
		r, ok := a.Add(b)
		return r, ok && fits256(r, p)
	})
}

func decimalProduct(a, b types.Type, most int) (*Scalar, error) {
	scale := int(a.Scale) + int(b.Scale)
	if scale > types.MaxDecimalPrecision {
		return nil, sqlerr.New(sqlerr.Type, "%s * %s has more than %d decimal places; cast an operand to fewer", a, b, types.MaxDecimalPrecision)
	}
	t := capped(int(a.Precision)+int(b.Precision), scale, most)
	args := []types.Type{a, b}
	small := a.Phys() == types.PhysInt64 && b.Phys() == types.PhysInt64
	switch {
	case small && t.Phys() == types.PhysInt64:
		s := newScalar("*", args, t, false, checkedInts("*", t, mulInt64[int64]))
		s.traits.infallible = int(a.Precision)+int(b.Precision) <= 18
		return s, nil
	case small && t.Phys() == types.PhysInt128:
		s := newScalar("*", args, t, false, product64(t))
		s.traits.infallible = true
		return s, nil
	case t.Phys() == types.PhysInt128 && (a.Phys() == types.PhysInt64 || b.Phys() == types.PhysInt64):
		return productMixed(a, b, t), nil
	case t.Phys() == types.PhysInt128:
		p := int(t.Precision)
		core := wideKernel("*", t, func(x, y types.Int128) (types.Int128, bool) {
			r, ok := x.Mul(y)
			return within128(r, ok, p)
		})
		return newScalar("*", []types.Type{widened(a, most), widened(b, most)}, t, false, core), nil
	}
	p := int(t.Precision)
	core := wideKernel("*", t, func(x, y types.Int256) (types.Int256, bool) {
		r, ok := types.Int256FromBig(new(big.Int).Mul(x.Big(), y.Big()))
		return r, ok && fits256(r, p)
	})
	return newScalar("*", []types.Type{widened(a, types.MaxDecimalPrecision), widened(b, types.MaxDecimalPrecision)}, t, false, core), nil
}

// product64 multiplies two DECIMALs of at most 18 digits each, which 36 digits always hold.
func product64(t types.Type) Kernel {
	return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]types.Int128, n)
		a, b := vec.Slice[int64](args[0]), vec.Slice[int64](args[1])
		am, bm := args[0].Mask(), args[1].Mask()
		for i := range out {
			out[i] = mul64(a[i&am], b[i&bm])
		}
		return vec.NewFlat(t, out, validity(args, n)), nil
	}
}

// productMixed multiplies a DECIMAL of at most 18 digits and one of more.
func productMixed(a, b, t types.Type) *Scalar {
	wide, small := 0, 1
	if a.Phys() == types.PhysInt64 {
		wide, small = 1, 0
	}
	limit := types.Pow10(int(t.Precision))
	core := func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]types.Int128, n)
		x, y := vec.Slice[types.Int128](args[wide]), vec.Slice[int64](args[small])
		xm, ym := args[wide].Mask(), args[small].Mask()
		valid := validity(args, n)
		for i := range out {
			r, ok := mul128by64(x[i&xm], y[i&ym])
			if (!ok || r.Cmp(limit) >= 0 || r.Cmp(limit.Neg()) <= 0) && valid.Get(i) {
				return nil, overflow(c, "*", t, args, i)
			}
			out[i] = r
		}
		return vec.NewFlat(t, out, valid), nil
	}
	return newScalar("*", []types.Type{a, b}, t, false, core)
}

// mul128by64 returns x * y and false on overflow.
func mul128by64(x types.Int128, y int64) (types.Int128, bool) {
	negative := (x.Hi < 0) != (y < 0)
	if x.Hi < 0 {
		x = x.Neg()
	}
	factor := uint64(y)
	if y < 0 {
		factor = -factor
	}
	hi, lo := bits.Mul64(x.Lo, factor)
	over, upper := bits.Mul64(uint64(x.Hi), factor)
	hi, carry := bits.Add64(hi, upper, 0)
	r := types.Int128{Lo: lo, Hi: int64(hi)}
	ok := over == 0 && carry == 0 && r.Hi >= 0
	if negative {
		r = r.Neg()
	}
	return r, ok
}

// bigAt reads entry i of a DECIMAL vector of 128 or 256 bits.
func bigAt(v *vec.Vector, i int) *big.Int {
	i &= v.Mask()
	switch d := v.Data.(type) {
	case []int64:
		return big.NewInt(d[i])
	case []types.Int128:
		return d[i].Big()
	}
	return vec.Slice[types.Int256](v)[i].Big()
}

// decimalQuotient divides after moving the dividend by shift places; the division is exact in big integers where 128 bits do not suffice.
func decimalQuotient(t types.Type, shift int) Kernel {
	p := int(t.Precision)
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		valid := validity(args, n)
		if err := checkDecimalDivisor(c, "/", args, valid, n); err != nil {
			return nil, err
		}
		b := vec.NewBuilder(t, n)
		for i := range n {
			if !valid.Get(i) {
				b.AppendNull()
				continue
			}
			if q, ok := quickQuotient(args, i, shift, p); ok && t.Phys() == types.PhysInt128 {
				vec.Append(b, q)
				continue
			}
			x, y := bigAt(args[0], i), bigAt(args[1], i)
			if shift >= 0 {
				x.Mul(x, bigPow10(shift))
			} else {
				y.Mul(y, bigPow10(-shift))
			}
			bigDivideRounded(x, y)
			if !appendBig(b, t, x) {
				return nil, overflow(c, "/", t, args, i)
			}
		}
		return b.Finish(), nil
	}
}

// quickQuotient divides within 128 bits where that is possible.
func quickQuotient(args []*vec.Vector, i, shift, p int) (types.Int128, bool) {
	a, ok := args[0].Data.([]types.Int128)
	if !ok || shift < 0 || shift > commonPrecision {
		return types.Int128{}, false
	}
	b, ok := args[1].Data.([]types.Int128)
	if !ok {
		return types.Int128{}, false
	}
	x, y := a[i&args[0].Mask()], b[i&args[1].Mask()]
	x, ok = x.Mul(types.Pow10(shift))
	if !ok {
		return x, false
	}
	if y.Hi < 0 {
		x, y = x.Neg(), y.Neg()
	}
	q, _ := divideRounded(x, y)
	return within128(q, true, p)
}

func checkDecimalDivisor(c *Ctx, op string, args []*vec.Vector, valid vec.Bitmap, n int) error {
	switch d := args[1].Data.(type) {
	case []int64:
		return checkDivisor(c, op, d, args, valid, n)
	case []types.Int128:
		return checkDivisor(c, op, d, args, valid, n)
	}
	return checkDivisor(c, op, vec.Slice[types.Int256](args[1]), args, valid, n)
}

// appendBig appends an unscaled number; false if it does not fit the type.
func appendBig(b *vec.Builder, t types.Type, x *big.Int) bool {
	w, ok := types.Int256FromBig(x)
	if !ok || !fits256(w, int(t.Precision)) {
		return false
	}
	switch t.Phys() {
	case types.PhysInt64:
		vec.Append(b, int64(w[0]))
	case types.PhysInt128:
		vec.Append(b, types.Int128{Lo: w[0], Hi: int64(w[1])})
	default:
		vec.Append(b, w)
	}
	return true
}

func decimalRemainder(t types.Type) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		valid := validity(args, n)
		if err := checkDecimalDivisor(c, "%", args, valid, n); err != nil {
			return nil, err
		}
		b := vec.NewBuilder(t, n)
		for i := range n {
			if !valid.Get(i) {
				b.AppendNull()
				continue
			}
			x, y := bigAt(args[0], i), bigAt(args[1], i)
			appendBig(b, t, x.Rem(x, y)) // smaller than the divisor, so it fits
		}
		return b.Finish(), nil
	}
}

func decimalDiv(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
	valid := validity(args, n)
	if err := checkDecimalDivisor(c, "DIV", args, valid, n); err != nil {
		return nil, err
	}
	out := make([]int64, n)
	for i := range out {
		if !valid.Get(i) {
			continue
		}
		x, y := bigAt(args[0], i), bigAt(args[1], i)
		if x.Quo(x, y); !x.IsInt64() {
			return nil, overflow(c, "DIV", types.Of(types.BigInt), args, i)
		}
		out[i] = x.Int64()
	}
	return vec.NewFlat(types.Of(types.BigInt), out, valid), nil
}

// decimalLiteral returns the DECIMAL type that holds the digits of a literal such as 12.50.
func decimalLiteral(text string) types.Type {
	p, s, point := 0, 0, false
	for _, c := range text {
		switch {
		case c == '.':
			point = true
		case c >= '0' && c <= '9':
			if p > 0 || c != '0' || point {
				p++
			}
			if point {
				s++
			}
		}
	}
	return types.DecimalOf(min(max(p, s, 1), math.MaxUint8), min(s, math.MaxUint8))
}

// LiteralNumber returns the constant of a numeric literal without sign (decision D7): an integer is INT, else BIGINT, LARGEINT or DECIMAL by
// size; a number with a point is DECIMAL; one with an exponent is DOUBLE.
func LiteralNumber(text string) (*vec.Vector, error) {
	var t types.Type
	isDouble, isDecimal := false, false
	for _, c := range text {
		isDouble = isDouble || c == 'e' || c == 'E'
		isDecimal = isDecimal || c == '.'
	}
	switch {
	case isDouble:
		t = types.Of(types.Double)
	case isDecimal:
		t = decimalLiteral(text)
	default:
		t = integerLiteral(text)
	}
	if t.Kind == types.Decimal && int(t.Precision) > types.MaxDecimalPrecision {
		return nil, sqlerr.New(sqlerr.OutOfRange, "number %s has more than %d digits", text, types.MaxDecimalPrecision)
	}
	b := vec.NewBuilder(types.Of(types.Varchar), 1)
	b.AppendString(text)
	v, err := Cast(&Ctx{}, b.Finish(), t, false)
	if err != nil {
		return nil, sqlerr.New(sqlerr.OutOfRange, "number %s is out of range for %s", text, t)
	}
	return v, nil
}

func integerLiteral(text string) types.Type {
	if x, err := strconv.ParseInt(text, 10, 64); err == nil {
		if int64(int32(x)) == x {
			return types.Of(types.Int)
		}
		return types.Of(types.BigInt)
	}
	if _, ok := types.ParseInt128([]byte(text)); ok {
		return types.Of(types.LargeInt)
	}
	return decimalLiteral(text)
}
