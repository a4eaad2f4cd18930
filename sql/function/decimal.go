package function

import (
	"math/big"
	"strconv"

	"github.com/ebira-db/ebira/sql/types"
)

func checkDecimal(y types.Int256, inexact, ok bool, precision int) (types.Int256, status) {
	switch {
	case !ok:
		return y, badValue
	case !fits256(y, precision):
		return y, tooBig
	case inexact:
		return y, lossy
	}
	return y, fits
}

// pow10 are the powers of ten that fit int64.
var pow10 = func() (t [19]int64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * 10
	}
	return t
}()

// rescale64 turns x / 10^from into y / 10^to, rounded half away from zero, with at most p digits.
func rescale64(x int64, from, to, p int) (int64, status) {
	st := fits
	switch {
	case to > from:
		y, s := rescale128(types.Int128From(x), from, to, p)
		return int64(y.Lo), s
	case to < from:
		if from-to > 18 {
			if x != 0 {
				st = lossy
			}
			return 0, st
		}
		f := pow10[from-to]
		q, r := x/f, x%f
		if r != 0 {
			st = lossy
			if r >= f-r || -r >= f+r {
				if x < 0 {
					q--
				} else {
					q++
				}
			}
		}
		x = q
	}
	if p <= 18 && (x >= pow10[p] || x <= -pow10[p]) {
		return 0, tooBig
	}
	return x, st
}

// rescale128 is rescale64 for 128-bit numbers; p may be 39 for "whatever fits 128 bits".
func rescale128(x types.Int128, from, to, p int) (types.Int128, status) {
	st := fits
	switch {
	case to > from:
		if to-from > 38 {
			if x.Sign() != 0 {
				return x, tooBig
			}
			return x, fits
		}
		y, ok := x.Mul(types.Pow10(to - from))
		if !ok {
			return x, tooBig
		}
		x = y
	case to < from:
		if from-to > 38 {
			if x.Sign() != 0 {
				st = lossy
			}
			return types.Int128{}, st
		}
		x, st = divideRounded(x, types.Pow10(from-to))
	}
	if p <= 38 {
		limit := types.Pow10(p)
		if x.Cmp(limit) >= 0 || x.Cmp(limit.Neg()) <= 0 {
			return x, tooBig
		}
	}
	return x, st
}

// divideRounded returns x / d rounded half away from zero, and lossy if there was something to round. d is positive.
func divideRounded(x, d types.Int128) (types.Int128, status) {
	q, r := x.QuoRem(d)
	if r.Sign() == 0 {
		return q, fits
	}
	if r.Hi < 0 {
		r = r.Neg()
	}
	if rest, _ := d.Sub(r); r.Cmp(rest) >= 0 {
		one := types.Int128From(1)
		if x.Hi < 0 {
			one = types.Int128From(-1)
		}
		q, _ = q.Add(one)
	}
	return q, lossy
}

// rescale256 is rescale64 for 256-bit numbers.
func rescale256(x types.Int256, from, to, p int) (types.Int256, status) {
	if from == to {
		if !fits256(x, p) {
			return x, tooBig
		}
		return x, fits
	}
	b := x.Big()
	st := fits
	if to > from {
		b.Mul(b, bigPow10(to-from))
	} else {
		st = bigDivideRounded(b, bigPow10(from-to))
	}
	y, ok := types.Int256FromBig(b)
	if !ok || !fits256(y, p) {
		return y, tooBig
	}
	return y, st
}

// bigDivideRounded sets b to b / d rounded half away from zero.
func bigDivideRounded(b, d *big.Int) status {
	neg := (b.Sign() < 0) != (d.Sign() < 0)
	r := new(big.Int)
	b.QuoRem(b, d, r)
	if r.Sign() == 0 {
		return fits
	}
	if r.Abs(r).Lsh(r, 1).CmpAbs(d) >= 0 {
		if neg {
			b.Sub(b, big.NewInt(1))
		} else {
			b.Add(b, big.NewInt(1))
		}
	}
	return lossy
}

func bigPow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// limits256 are the powers of ten that bound decimals of a precision.
var limits256 = func() (t [types.MaxDecimalPrecision + 1]types.Int256) {
	for i := range t {
		t[i], _ = types.Int256FromBig(bigPow10(i))
	}
	return t
}()

// fits256 tells whether x has at most p digits.
func fits256(x types.Int256, p int) bool {
	if p > types.MaxDecimalPrecision {
		return true
	}
	return x.Cmp(limits256[p]) < 0 && x.Cmp(limits256[p].Neg()) > 0
}

// exactPowers are the powers of ten that doubles hold exactly.
const exactPowers = 22

var floatPow10 = func() (t [exactPowers + 1]float64) {
	for i := range t {
		t[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i), 64)
	}
	return t
}()

// decimal64ToDouble returns the double nearest to x / 10^scale: one division of two exact doubles rounds correctly.
func decimal64ToDouble(x int64, scale int) float64 {
	if scale == 0 {
		return float64(x)
	}
	if x > -1<<53 && x < 1<<53 && scale <= exactPowers {
		return float64(x) / floatPow10[scale]
	}
	return textToDouble(types.AppendDecimal64(nil, x, scale))
}

func decimal128ToDouble(x types.Int128, scale int) float64 {
	if y, ok := x.Int64(); ok {
		return decimal64ToDouble(y, scale)
	}
	if scale == 0 {
		return x.Float64()
	}
	return textToDouble(types.AppendDecimal128(nil, x, scale))
}

func decimal256ToDouble(x types.Int256, scale int) float64 {
	return textToDouble(types.AppendDecimal256(nil, x, scale))
}

func textToDouble(s []byte) float64 {
	f, _ := strconv.ParseFloat(string(s), 64)
	return f
}
