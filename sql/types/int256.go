package types

import (
	"math/big"
	"math/bits"
)

// Int256 is a signed 256-bit integer in two's complement, least significant word first: Arrow's Decimal256 value.
// Only DECIMAL of more than 38 digits uses it, so the rarer operations go through math/big.
type Int256 [4]uint64

// Int256From widens v.
func Int256From(v Int128) Int256 {
	s := uint64(v.Hi >> 63)
	return Int256{v.Lo, uint64(v.Hi), s, s}
}

// Sign returns -1, 0 or 1.
func (a Int256) Sign() int {
	switch {
	case int64(a[3]) < 0:
		return -1
	case a == Int256{}:
		return 0
	}
	return 1
}

// Cmp returns -1, 0 or 1.
func (a Int256) Cmp(b Int256) int {
	if a[3] != b[3] {
		if int64(a[3]) < int64(b[3]) {
			return -1
		}
		return 1
	}
	for i := 2; i >= 0; i-- {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// Add returns a + b and false on overflow.
func (a Int256) Add(b Int256) (r Int256, ok bool) {
	var c uint64
	for i := range r {
		r[i], c = bits.Add64(a[i], b[i], c)
	}
	an, bn, rn := int64(a[3]) < 0, int64(b[3]) < 0, int64(r[3]) < 0
	return r, an != bn || rn == an
}

// Neg returns -a.
func (a Int256) Neg() (r Int256) {
	c := uint64(0)
	for i := range r {
		r[i], c = bits.Sub64(0, a[i], c)
	}
	return r
}

// Sub returns a - b and false on overflow.
func (a Int256) Sub(b Int256) (r Int256, ok bool) {
	var c uint64
	for i := range r {
		r[i], c = bits.Sub64(a[i], b[i], c)
	}
	an, bn, rn := int64(a[3]) < 0, int64(b[3]) < 0, int64(r[3]) < 0
	return r, an == bn || rn == an
}

// Int128 returns a as Int128 and whether it fits.
func (a Int256) Int128() (Int128, bool) {
	v := Int128{a[0], int64(a[1])}
	return v, a == Int256From(v)
}

// Big returns a as a big.Int.
func (a Int256) Big() *big.Int {
	m := a
	neg := int64(a[3]) < 0
	if neg {
		m = a.Neg()
	}
	b := new(big.Int)
	for i := 3; i >= 0; i-- {
		b.Lsh(b, 64)
		b.Add(b, new(big.Int).SetUint64(m[i]))
	}
	if neg {
		b.Neg(b)
	}
	return b
}

// Int256FromBig narrows b; false if it does not fit.
func Int256FromBig(b *big.Int) (Int256, bool) {
	if b.BitLen() > 255 {
		return Int256{}, false
	}
	var r Int256
	m := new(big.Int).Abs(b)
	for i := range r {
		r[i] = new(big.Int).And(m, maxUint64).Uint64()
		m.Rsh(m, 64)
	}
	if b.Sign() < 0 {
		r = r.Neg()
	}
	return r, true
}

// String returns the decimal digits.
func (a Int256) String() string { return a.Big().String() }
