package function

import (
	"math"
	"math/bits"
	"strings"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// signed are the integers that fit a register.
type signed interface {
	~int8 | ~int16 | ~int32 | ~int64
}

// intArith computes in an integer type, which is also the result's.
func intArith(name string, t types.Type) (*Scalar, error) {
	var core Kernel
	switch t.Phys() {
	case types.PhysInt8:
		core = intKernel[int8](name, t)
	case types.PhysInt16:
		core = intKernel[int16](name, t)
	case types.PhysInt32:
		core = intKernel[int32](name, t)
	case types.PhysInt64:
		core = intKernel[int64](name, t)
	default:
		core = largeKernel(name, t)
	}
	shown := name
	if name == "div" {
		shown = "DIV"
	}
	return newScalar(shown, two(t), t, false, core), nil
}

func intKernel[T signed](name string, t types.Type) Kernel {
	switch name {
	case "+":
		return checkedInts(name, t, addInts[T])
	case "-":
		return checkedInts(name, t, subInts[T])
	case "*":
		if t.Phys() == types.PhysInt64 {
			return checkedInts(name, t, mulInt64[T])
		}
		return checkedInts(name, t, mulInts[T])
	case "div":
		return dividedInts("DIV", t, func(a, b T) T { return a / b })
	}
	return dividedInts("%", t, func(a, b T) T {
		if b == -1 {
			return 0
		}
		return a % b
	})
}

// checkedInts runs a loop that reports by a negative number that some row overflowed, and then looks for the row; rows that are NULL may
// overflow, since what lies under a NULL is not defined.
func checkedInts[T signed](op string, t types.Type, loop func(out, a, b []T, am, bm int) T) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]T, n)
		a, b := vec.Slice[T](args[0]), vec.Slice[T](args[1])
		am, bm := args[0].Mask(), args[1].Mask()
		valid := validity(args, n)
		if loop(out, a, b, am, bm) < 0 {
			for i := range n {
				one := make([]T, 1)
				if valid.Get(i) && loop(one, a[i&am:], b[i&bm:], 0, 0) < 0 {
					return nil, overflow(c, op, t, args, i)
				}
			}
		}
		return vec.NewFlat(t, out, valid), nil
	}
}

func addInts[T signed](out, a, b []T, am, bm int) (bad T) {
	if am != 0 && bm == 0 {
		y := b[0]
		a = a[:len(out)]
		for i := range out {
			x := a[i]
			r := x + y
			bad |= (x ^ r) & (y ^ r)
			out[i] = r
		}
		return bad
	}
	for i := range out {
		x, y := a[i&am], b[i&bm]
		r := x + y
		bad |= (x ^ r) & (y ^ r)
		out[i] = r
	}
	return bad
}

func subInts[T signed](out, a, b []T, am, bm int) (bad T) {
	for i := range out {
		x, y := a[i&am], b[i&bm]
		r := x - y
		bad |= (x ^ y) & (x ^ r)
		out[i] = r
	}
	return bad
}

// mulInts multiplies integers below 64 bits in 64 bits.
func mulInts[T signed](out, a, b []T, am, bm int) (bad T) {
	for i := range out {
		w := int64(a[i&am]) * int64(b[i&bm])
		r := T(w)
		if int64(r) != w {
			bad = -1
		}
		out[i] = r
	}
	return bad
}

func mulInt64[T signed](out, a, b []T, am, bm int) (bad T) {
	for i := range out {
		x, y := int64(a[i&am]), int64(b[i&bm])
		hi, lo := bits.Mul64(uint64(x), uint64(y))
		// The product of the two's complements, taken as signed: correct the upper half for negative factors.
		h := int64(hi) - x>>63&y - y>>63&x
		if h != int64(lo)>>63 {
			bad = -1
		}
		out[i] = T(lo)
	}
	return bad
}

// dividedInts divides; a zero divisor and the one quotient that overflows are errors.
func dividedInts[T signed](op string, t types.Type, f func(a, b T) T) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]T, n)
		a, b := vec.Slice[T](args[0]), vec.Slice[T](args[1])
		am, bm := args[0].Mask(), args[1].Mask()
		valid := validity(args, n)
		if err := checkDivisor(c, op, b, args, valid, n); err != nil {
			return nil, err
		}
		for i := range out {
			x, y := a[i&am], b[i&bm]
			if y == 0 { // below a NULL
				continue
			}
			r := f(x, y)
			// Only the least number divided by -1 is its own negation without being zero.
			if y == -1 && r == x && x < 0 && valid.Get(i) {
				return nil, overflow(c, "DIV", t, args, i)
			}
			out[i] = r
		}
		return vec.NewFlat(t, out, valid), nil
	}
}

// largeKernel computes in LARGEINT.
func largeKernel(name string, t types.Type) Kernel {
	switch name {
	case "+":
		return wideKernel(name, t, types.Int128.Add)
	case "-":
		return wideKernel(name, t, types.Int128.Sub)
	case "*":
		return wideKernel(name, t, types.Int128.Mul)
	}
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]types.Int128, n)
		a, b := vec.Slice[types.Int128](args[0]), vec.Slice[types.Int128](args[1])
		am, bm := args[0].Mask(), args[1].Mask()
		valid := validity(args, n)
		if err := checkDivisor(c, strings.ToUpper(name), b, args, valid, n); err != nil {
			return nil, err
		}
		for i := range out {
			x, y := a[i&am], b[i&bm]
			if y.Sign() == 0 { // below a NULL
				continue
			}
			q, r := x.QuoRem(y)
			if name == "%" {
				out[i] = r
				continue
			}
			if x == types.MinInt128 && y == types.Int128From(-1) && valid.Get(i) {
				return nil, overflow(c, "DIV", t, args, i)
			}
			out[i] = q
		}
		return vec.NewFlat(t, out, valid), nil
	}
}

// wideKernel applies an operation of 128- or 256-bit numbers that tells whether its result fits.
func wideKernel[A, B, R any](op string, t types.Type, f func(a A, b B) (R, bool)) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]R, n)
		a, b := vec.Slice[A](args[0]), vec.Slice[B](args[1])
		am, bm := args[0].Mask(), args[1].Mask()
		valid := validity(args, n)
		for i := range out {
			r, ok := f(a[i&am], b[i&bm])
			if !ok && valid.Get(i) {
				return nil, overflow(c, op, t, args, i)
			}
			out[i] = r
		}
		return vec.NewFlat(t, out, valid), nil
	}
}

// mul64 returns the 128-bit product of two 64-bit integers.
func mul64(x, y int64) types.Int128 {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	return types.Int128{Lo: lo, Hi: int64(hi) - x>>63&y - y>>63&x}
}

// maxExact bounds the doubles that hold every integer below them.
const maxExact = 1 << 53

// floorToInt returns f as int64 where it is an integer in range.
func floorToInt(f float64) (int64, bool) {
	if !(f >= math.MinInt64 && f < 0x1p63) {
		return 0, false
	}
	return int64(f), true
}
