package function

import (
	"math"
	"strconv"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// defineSpecial adds functions of numbers that are needed now and then.
func defineSpecial() {
	defineReal("acosh", "The inverse hyperbolic cosine.", math.Acosh)
	defineReal("asinh", "The inverse hyperbolic sine.", math.Asinh)
	defineReal("atanh", "The inverse hyperbolic tangent.", math.Atanh)
	defineReal("gamma", "The gamma function.", math.Gamma)
	defineReal("lgamma", "The logarithm of the gamma function.", func(x float64) float64 { y, _ := math.Lgamma(x); return y })
	defineReal("even", "The next even integer away from zero.", func(x float64) float64 { return math.Copysign(2*math.Ceil(math.Abs(x)/2), x) })
	define("isfinite", "number", "Whether a number is neither an infinity nor NaN.", sig("(double) -> boolean", rows(func(r *row) bool {
		return !math.IsInf(r.float(0), 0) && !math.IsNaN(r.float(0))
	}), traits{infallible: true}))
	define("signbit", "number", "Whether the sign of a number is minus, also for -0.", sig("(double) -> boolean", rows(func(r *row) bool {
		return math.Signbit(r.float(0))
	}), traits{infallible: true}))
	define("round_even bround roundbankers", "number", "Rounded to d decimal places, halves to the even neighbour.", sig("(double, bigint?) -> double", rows(func(r *row) float64 {
		if !r.has(1) {
			return math.RoundToEven(r.float(0))
		}
		return roundEven(r.float(0), r.int(1))
	}), traits{infallible: true}))
	define("width_bucket", "number", "The number of the bucket, of n equal ones between two bounds, in which a number lies: 0 below, n + 1 above.",
		sig("(double, double, double, bigint) -> bigint", rows(widthBucket)))
	define("pmod", "number", "The remainder with the sign of the divisor; zero as the divisor is an error.",
		sig("(bigint, bigint) -> bigint", rows(func(r *row) int64 {
			if r.int(1) == 0 {
				r.fail(sqlerr.OutOfRange, "division by zero: pmod(%d, 0)", r.int(0))
				return 0
			}
			if r.int(1) == -1 {
				return 0
			}
			m := r.int(0) % r.int(1)
			if m != 0 && (m < 0) != (r.int(1) < 0) {
				m += r.int(1)
			}
			return m
		})))
	define("to_base", "number", "The digits of an integer in a base from 2 to 36, filled with zeros to a length.", sig("(bigint, bigint, bigint?) -> text", textRows(toBase)))
	define("unbin from_binary", "text", "The bytes of binary digits; an error for other text.", sig("(text) -> binary", textRows(unbinRow)))
}

// defineReal adds a function of real numbers; NaN where it is not defined becomes NULL.
func defineReal(names, about string, f func(float64) float64) {
	define(names, "number", about, sig("(double) -> double", rows(func(r *row) float64 {
		x := r.float(0)
		y := f(x)
		r.null = math.IsNaN(y) && !math.IsNaN(x)
		return y
	}), traits{maybeNull: true, infallible: true}))
}

func roundEven(x float64, digits int64) float64 {
	if digits >= 0 && !math.IsNaN(x) && !math.IsInf(x, 0) {
		// Printing rounds the exact value of the double, and halves to even.
		y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', int(min(digits, 400)), 64), 64)
		if err == nil {
			return y
		}
	}
	scale := math.Pow(10, float64(max(-400, min(400, digits))))
	y := math.RoundToEven(x*scale) / scale
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return x
	}
	return y
}

func widthBucket(r *row) int64 {
	x, lo, hi, n := r.float(0), r.float(1), r.float(2), r.int(3)
	if n <= 0 || n == math.MaxInt64 || !(lo < hi) {
		r.fail(sqlerr.OutOfRange, "width_bucket needs a number of buckets above 0 and bounds that ascend, not %d and %v to %v", n, lo, hi)
		return 0
	}
	switch {
	case x < lo:
		return 0
	case !(x < hi):
		return n + 1
	}
	return min(int64((x-lo)/(hi-lo)*float64(n))+1, n)
}

func toBase(r *row, dst []byte) []byte {
	base, length := r.int(1), int64(0)
	if r.has(2) {
		length = r.int(2)
	}
	if base < 2 || base > 36 || length < 0 || length > 64 || r.int(0) < 0 {
		r.fail(sqlerr.OutOfRange, "to_base takes a number from 0, a base of 2 to 36 and a length of 0 to 64, not %d, %d, %d", r.int(0), base, length)
		return dst
	}
	s := strconv.FormatInt(r.int(0), int(base))
	for range length - int64(len(s)) {
		dst = append(dst, '0')
	}
	for _, c := range []byte(s) {
		if c >= 'a' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func unbinRow(r *row, dst []byte) []byte {
	s := r.text(0)
	value := byte(0)
	for i, c := range s {
		if c != '0' && c != '1' {
			r.fail(sqlerr.Conversion, "'%s' is no binary number", s)
			return dst
		}
		if value = value<<1 | (c - '0'); (len(s)-i-1)%8 == 0 {
			dst = append(dst, value)
			value = 0
		}
	}
	return dst
}
