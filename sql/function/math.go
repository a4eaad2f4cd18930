package function

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Functions of numbers. Where a function of real numbers is not defined (the root of -1, the logarithm of 0) the result is NULL.
func init() {
	defineBy("abs", "number", "The absolute value.", []string{"(number) -> first"}, resolveAbs)
	defineBy("sign", "number", "-1, 0 or 1.", []string{"(number) -> tinyint"}, resolveSign)
	defineBy("ceil ceiling", "number", "The least integer that is not less.", []string{"(number[, int]) -> first"}, rounding(roundUp))
	defineBy("floor", "number", "The greatest integer that is not greater.", []string{"(number[, int]) -> first"}, rounding(roundDown))
	defineBy("round", "number", "Rounded half away from zero, to d decimal places (which may be negative).", []string{"(number[, int]) -> first"}, rounding(roundHalf))
	defineBy("truncate trunc", "number", "Cut toward zero, to d decimal places.", []string{"(number[, int]) -> first"}, rounding(roundToZero))
	real := defineReal
	real("sqrt dsqrt", "The square root.", math.Sqrt)
	real("cbrt", "The cube root.", math.Cbrt)
	real("exp dexp", "e to the power of the argument.", math.Exp)
	real("ln", "The natural logarithm.", positive(math.Log))
	real("log2", "The logarithm to base 2.", positive(math.Log2))
	real("log10 dlog10", "The logarithm to base 10.", positive(math.Log10))
	real("sin", "The sine.", math.Sin)
	real("cos", "The cosine.", math.Cos)
	real("tan", "The tangent.", math.Tan)
	real("cot", "The cotangent.", func(x float64) float64 { return 1 / math.Tan(x) })
	real("asin", "The arc sine.", math.Asin)
	real("acos", "The arc cosine.", math.Acos)
	real("atan", "The arc tangent.", math.Atan)
	real("sinh", "The hyperbolic sine.", math.Sinh)
	real("cosh", "The hyperbolic cosine.", math.Cosh)
	real("tanh", "The hyperbolic tangent.", math.Tanh)
	real("degrees", "Radians as degrees.", func(x float64) float64 { return x / math.Pi * 180 })
	real("radians", "Degrees as radians.", func(x float64) float64 { return x / 180 * math.Pi })
	real("square", "The argument times itself.", func(x float64) float64 { return x * x })
	real2 := func(names, about string, f func(a, b float64) float64) {
		define(names, "number", about, sig("(double, double) -> double", rows(func(r *row) float64 {
			a, b := r.float(0), r.float(1)
			y := f(a, b)
			r.null = math.IsNaN(y) && !math.IsNaN(a) && !math.IsNaN(b)
			return y
		}), traits{maybeNull: true}))
	}
	real2("pow power dpow fpow", "The first argument to the power of the second.", math.Pow)
	real2("atan2", "The angle of the point (second, first argument).", math.Atan2)
	define("log", "number", "The natural logarithm, or the logarithm of the second argument to the base of the first.",
		sig("(double) -> double", rows(func(r *row) float64 {
			y := positive(math.Log)(r.float(0))
			r.null = math.IsNaN(y)
			return y
		}), traits{maybeNull: true}),
		sig("(double, double) -> double", rows(func(r *row) float64 {
			y := positive(math.Log)(r.float(1)) / positive(math.Log)(r.float(0))
			r.null = math.IsNaN(y) || math.IsInf(y, 0)
			return y
		}), traits{maybeNull: true}))
	define("pi", "number", "The number pi.", sig("() -> double", constantDouble(math.Pi)))
	define("e", "number", "Euler's number.", sig("() -> double", constantDouble(math.E)))
	define("isnan", "number", "Whether a number is NaN.", sig("(double) -> boolean", rows(func(r *row) bool { return math.IsNaN(r.float(0)) })))
	define("isinf", "number", "Whether a number is an infinity.", sig("(double) -> boolean", rows(func(r *row) bool { return math.IsInf(r.float(0), 0) })))
	defineIntegers()
	defineSpecial()
}

// positive makes f undefined for numbers that are not positive.
func positive(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if x <= 0 {
			return math.NaN()
		}
		return f(x)
	}
}

func constantDouble(x float64) maker {
	return rows(func(*row) float64 { return x })
}

func defineIntegers() {
	bitwise := func(names, about string, f func(a, b int64) int64) {
		define(names, "operator", about, sig("(bigint, bigint) -> bigint", rows(func(r *row) int64 { return f(r.int(0), r.int(1)) }), traits{infallible: true}))
	}
	bitwise("& bitand", "Bits set in both.", func(a, b int64) int64 { return a & b })
	bitwise("| bitor", "Bits set in either.", func(a, b int64) int64 { return a | b })
	bitwise("^ bitxor xor", "Bits set in one of both.", func(a, b int64) int64 { return a ^ b })
	bitwise("<< bit_shift_left", "Bits moved up; 0 for 64 places and more.", func(a, b int64) int64 {
		if b < 0 || b > 63 {
			return 0
		}
		return a << b
	})
	bitwise(">> bit_shift_right", "Bits moved down, zeros coming in; 0 for 64 places and more.", func(a, b int64) int64 {
		if b < 0 || b > 63 {
			return 0
		}
		return int64(uint64(a) >> b)
	})
	define("~ bitnot", "operator", "All bits inverted.", sig("(bigint) -> bigint", rows(func(r *row) int64 { return ^r.int(0) })))
	define("bit_count", "number", "The number of bits set.", sig("(bigint) -> bigint", rows(func(r *row) int64 { return int64(bits.OnesCount64(uint64(r.int(0)))) })))
	define("gcd greatest_common_divisor", "number", "The greatest common divisor.", sig("(bigint, bigint) -> bigint", rows(func(r *row) int64 { return gcd(r, r.int(0), r.int(1)) })))
	define("lcm least_common_multiple", "number", "The least common multiple.", sig("(bigint, bigint) -> bigint", rows(func(r *row) int64 {
		a, b := r.int(0), r.int(1)
		if a == 0 || b == 0 {
			return 0
		}
		m := mul64(a/gcd(r, a, b), b)
		if m.Sign() < 0 {
			m = m.Neg()
		}
		x, ok := m.Int64()
		if !ok && r.err == nil {
			r.fail(sqlerr.OutOfRange, "lcm(%d, %d) is out of range for BIGINT", a, b)
		}
		return x
	})))
	define("factorial", "number", "The product of 1 to n; NULL for negative n.", sig("(bigint) -> bigint", rows(func(r *row) int64 {
		n := r.int(0)
		if r.null = n < 0; r.null {
			return 0
		}
		if n > 20 {
			r.fail(sqlerr.OutOfRange, "factorial(%d) is out of range for BIGINT", n)
			return 0
		}
		f := int64(1)
		for k := int64(2); k <= n; k++ {
			f *= k
		}
		return f
	}), traits{maybeNull: true}))
	define("random rand", "number", "A random number in [0, 1), or an integer between two bounds, both included; another for each row.",
		sig("() -> double", rows(func(*row) float64 { return rand.Float64() }), traits{volatile: true}),
		sig("(bigint, bigint) -> bigint", rows(func(r *row) int64 {
			lo, hi := r.int(0), r.int(1)
			if lo > hi {
				r.fail(sqlerr.OutOfRange, "random(%d, %d) has no numbers to choose from", lo, hi)
				return 0
			}
			if span := uint64(hi - lo); span < math.MaxUint64 {
				return lo + int64(rand.Uint64N(span+1))
			}
			return int64(rand.Uint64())
		}), traits{volatile: true}),
		sig("(bigint) -> double", seededRandom, traits{volatile: true}))
}

func gcd(r *row, a, b int64) int64 {
	for b != 0 {
		if b == -1 {
			return 1
		}
		a, b = b, a%b
	}
	if a == math.MinInt64 {
		r.fail(sqlerr.OutOfRange, "the greatest common divisor is out of range for BIGINT")
		return 1
	}
	return max(a, -a)
}

// seededRandom gives the same numbers for the same seed in every batch.
func seededRandom(s *Scalar, _ []Arg) (Kernel, error) {
	return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]float64, n)
		seeds := vec.Slice[int64](args[0])
		source := rand.New(rand.NewPCG(uint64(seeds[0]), 0))
		for i := range out {
			out[i] = source.Float64()
		}
		return vec.NewFlat(s.Ret, out, validity(args, n)), nil
	}, nil
}

func resolveAbs(name string, args []Arg, _ Option) (*Scalar, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t := numericArg(args[0])
	var core Kernel
	switch t.Phys() {
	case types.PhysInt8:
		core = unaryKernel(t, absInt[int8], "abs")
	case types.PhysInt16:
		core = unaryKernel(t, absInt[int16], "abs")
	case types.PhysInt32:
		core = unaryKernel(t, absInt[int32], "abs")
	case types.PhysInt64:
		core = unaryKernel(t, absInt[int64], "abs")
	case types.PhysInt128:
		core = unaryKernel(t, func(x types.Int128) (types.Int128, bool) {
			if x.Hi < 0 {
				return x.Neg(), x != types.MinInt128
			}
			return x, true
		}, "abs")
	case types.PhysInt256:
		core = unaryKernel(t, func(x types.Int256) (types.Int256, bool) {
			if x.Sign() < 0 {
				return x.Neg(), true
			}
			return x, true
		}, "abs")
	case types.PhysFloat32:
		core = unaryKernel(t, func(x float32) (float32, bool) { return float32(math.Abs(float64(x))), true }, "abs")
	case types.PhysFloat64:
		core = unaryKernel(t, func(x float64) (float64, bool) { return math.Abs(x), true }, "abs")
	}
	if !t.IsNumeric() {
		return nil, nil
	}
	return newScalar(name, []types.Type{t}, t, false, core), nil
}

func absInt[T signed](x T) (T, bool) {
	if x < 0 {
		x = -x
	}
	return x, x >= 0
}

func resolveSign(name string, args []Arg, _ Option) (*Scalar, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t := numericArg(args[0])
	if !t.IsNumeric() {
		return nil, nil
	}
	switch {
	case t.IsInteger():
		t = types.Of(types.LargeInt)
	case t.Kind == types.Float:
		t = types.Of(types.Double)
	case t.Kind == types.Decimal:
		t = types.DecimalOf(types.MaxDecimalPrecision, int(t.Scale))
	}
	ret := types.Of(types.TinyInt)
	var core Kernel
	switch t.Phys() {
	case types.PhysInt128:
		core = unaryKernel(ret, func(x types.Int128) (int8, bool) { return int8(x.Sign()), true }, "sign")
	case types.PhysInt256:
		core = unaryKernel(ret, func(x types.Int256) (int8, bool) { return int8(x.Sign()), true }, "sign")
	default:
		core = unaryKernel(ret, func(x float64) (int8, bool) { return int8(boolInt(x > 0) - boolInt(x < 0)), true }, "sign")
	}
	return newScalar(name, []types.Type{t}, ret, false, core), nil
}
