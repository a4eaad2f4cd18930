package jsonparse

import (
	"math"
	"math/big"
	"math/bits"
)

// A decimal of 16 or 17 digits may or may not be the shortest text of its nearest double. Asking strconv means to parse and to print,
// a quarter of a microsecond; nearestDouble answers nearly always from one multiplication with a 128-bit power of ten.

// minTen and maxTen bound the exponents for which it is worth a table; numbers of 17 digits beyond them are rare.
const (
	minTen = -64
	maxTen = 64
)

// ten is a power of ten: 10^e = (hi × 2^64 + lo + less than one) × 2^shift, with the top bit of hi set.
type ten struct {
	hi, lo uint64
	shift  int
}

// tens holds 10^minTen to 10^maxTen.
var tens = buildTens()

func buildTens() (t [maxTen - minTen + 1]ten) {
	for e := minTen; e <= maxTen; e++ {
		v := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
		shift := v.BitLen() - 128
		switch {
		case e < 0:
			shift = -127 - v.BitLen()
			v.Quo(new(big.Int).Lsh(big.NewInt(1), uint(-shift)), v)
		case shift < 0:
			v.Lsh(v, uint(-shift))
		default:
			v.Rsh(v, uint(shift))
		}
		t[e-minTen] = ten{new(big.Int).Rsh(v, 64).Uint64(), v.Uint64(), shift}
	}
	return t
}

// nearestDouble gives the double nearest to m × 10^e and whether that decimal is the double's shortest text. m has 16 or 17 digits and
// does not end in 0. sure is false where the arithmetic cannot decide, about never for numbers that are not constructed for it.
//
// The product is scaled to T = c × 2^51 + r with the 53 bits of c and the 51 bits of r, so that neighbouring doubles are 2^51 apart and
// all decimals within 2^50 of a double belong to it. In the same scale the decimals of as many digits as m are g apart. The text is the
// shortest if neither neighbour with a digit less, which are m%10 × g below and (10 - m%10) × g above, belongs to the same double, and if
// no other decimal of as many digits is nearer to the double, that is if the distance is at most g/2.
func nearestDouble(m uint64, e int64) (value float64, shortest, sure bool) {
	if e < minTen || e > maxTen {
		return 0, false, false
	}
	const (
		ulp    = 1 << 51
		half   = ulp / 2
		margin = 32 // above ten times the error of g plus that of r, which are below 2 each
	)
	p := tens[e-minTen]
	zeros := bits.LeadingZeros64(m)
	w := m << zeros
	hi, mid := bits.Mul64(w, p.hi)
	low, _ := bits.Mul64(w, p.lo)
	mid, carry := bits.Add64(mid, low, 0)
	hi += carry
	up := bits.LeadingZeros64(hi) // 0 or 1
	hi = hi<<up | mid>>63&uint64(up)
	mid <<= up

	c := hi >> 11
	r := int64(hi&(1<<11-1)<<40 | mid>>24)
	if r > half-margin && r < half+margin {
		return 0, false, false
	}
	if r > half {
		c++
		r -= ulp
	}
	if c == 1<<52 || c == 1<<53 {
		return 0, false, false // the doubles below a power of two are nearer than those above
	}
	exponent := 75 + 64 + p.shift - zeros - up // of c, behind the bits that T and the product have lost
	value = math.Float64frombits(uint64(exponent+52+1023)<<52 | c&(1<<52-1))

	g := int64(p.hi >> (24 - zeros - up))
	below := r - int64(m%10)*g + half
	above := r + int64(10-m%10)*g - half
	nearer := 2*max(r, -r) - g
	if near(below, margin) || near(above, margin) || near(nearer, margin) {
		return 0, false, false
	}
	return value, below < 0 && above > 0 && nearer < 0, true
}

// near tells whether d is too small to trust its sign.
func near(d, margin int64) bool { return -margin < d && d < margin }
