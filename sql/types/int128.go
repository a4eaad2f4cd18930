package types

import (
	"math"
	"math/big"
	"math/bits"
)

// Int128 is a signed 128-bit integer in two's complement; in memory it is Arrow's little-endian Decimal128 value.
type Int128 struct {
	Lo uint64
	Hi int64
}

// Bounds of LARGEINT.
var (
	MaxInt128 = Int128{math.MaxUint64, math.MaxInt64}
	MinInt128 = Int128{0, math.MinInt64}
)

// Int128From widens v.
func Int128From(v int64) Int128 { return Int128{uint64(v), v >> 63} }

// Neg returns -a; MinInt128 stays itself.
func (a Int128) Neg() Int128 {
	lo, borrow := bits.Sub64(0, a.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(a.Hi), borrow)
	return Int128{lo, int64(hi)}
}

// Sign returns -1, 0 or 1.
func (a Int128) Sign() int {
	switch {
	case a.Hi < 0:
		return -1
	case a.Hi == 0 && a.Lo == 0:
		return 0
	}
	return 1
}

// Cmp returns -1, 0 or 1.
func (a Int128) Cmp(b Int128) int {
	switch {
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// Add returns a + b and false on overflow.
func (a Int128) Add(b Int128) (Int128, bool) {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(uint64(a.Hi), uint64(b.Hi), c)
	r := Int128{lo, int64(hi)}
	return r, (a.Hi < 0) != (b.Hi < 0) || (r.Hi < 0) == (a.Hi < 0)
}

// Sub returns a - b and false on overflow.
func (a Int128) Sub(b Int128) (Int128, bool) {
	lo, c := bits.Sub64(a.Lo, b.Lo, 0)
	hi, _ := bits.Sub64(uint64(a.Hi), uint64(b.Hi), c)
	r := Int128{lo, int64(hi)}
	return r, (a.Hi < 0) == (b.Hi < 0) || (r.Hi < 0) == (a.Hi < 0)
}

// abs returns the magnitude as an unsigned pair.
func (a Int128) abs() (hi, lo uint64) {
	if a.Hi < 0 {
		n := a.Neg()
		return uint64(n.Hi), n.Lo
	}
	return uint64(a.Hi), a.Lo
}

// Mul returns a * b and false on overflow.
func (a Int128) Mul(b Int128) (Int128, bool) {
	ah, al := a.abs()
	bh, bl := b.abs()
	if ah != 0 && bh != 0 {
		return Int128{}, false
	}
	hi, lo := bits.Mul64(al, bl)
	for _, cross := range [2][2]uint64{{ah, bl}, {al, bh}} {
		ch, cl := bits.Mul64(cross[0], cross[1])
		var carry uint64
		hi, carry = bits.Add64(hi, cl, 0)
		if ch != 0 || carry != 0 {
			return Int128{}, false
		}
	}
	return fromMagnitude(hi, lo, (a.Hi < 0) != (b.Hi < 0))
}

func fromMagnitude(hi, lo uint64, neg bool) (Int128, bool) {
	r := Int128{lo, int64(hi)}
	if neg {
		r = r.Neg()
		return r, r.Hi < 0 || r == Int128{}
	}
	return r, r.Hi >= 0
}

// QuoRem returns the quotient truncated toward zero and the remainder with a's sign. b must not be zero.
func (a Int128) QuoRem(b Int128) (q, r Int128) {
	ah, al := a.abs()
	bh, bl := b.abs()
	var qh, ql, rh, rl uint64
	switch {
	case bh == 0:
		qh = ah / bl
		ql, rl = bits.Div64(ah%bl, al, bl)
	default:
		qh, ql, rh, rl = divLong(ah, al, bh, bl)
	}
	q, _ = fromMagnitude(qh, ql, (a.Hi < 0) != (b.Hi < 0))
	r, _ = fromMagnitude(rh, rl, a.Hi < 0)
	return q, r
}

// divLong divides where the divisor needs more than 64 bits, so that the quotient fits 64 (Knuth D for two digits).
func divLong(ah, al, bh, bl uint64) (qh, ql, rh, rl uint64) {
	s := uint(bits.LeadingZeros64(bh))
	nh, nl := bh<<s|bl>>1>>(63-s), bl<<s
	u2 := ah >> 1 >> (63 - s)
	u1 := ah<<s | al>>1>>(63-s)
	u0 := al << s
	q, rem := bits.Div64(u2, u1, nh)
	for {
		ph, pl := bits.Mul64(q, nl)
		if ph < rem || ph == rem && pl <= u0 {
			break
		}
		q--
		var c uint64
		rem, c = bits.Add64(rem, nh, 0)
		if c != 0 {
			break
		}
	}
	ph, pl := bits.Mul64(q, bl)
	ph += q * bh
	rl, c := bits.Sub64(al, pl, 0)
	rh, _ = bits.Sub64(ah, ph, c)
	return 0, q, rh, rl
}

// Int64 returns a as int64 and whether it fits.
func (a Int128) Int64() (int64, bool) { return int64(a.Lo), a.Hi == int64(a.Lo)>>63 }

// Float64 returns the nearest double (round half to even).
func (a Int128) Float64() float64 {
	hi, lo := a.abs()
	var f float64
	if hi == 0 {
		f = float64(lo)
	} else {
		s := uint(bits.LeadingZeros64(hi))
		top := hi<<s | lo>>1>>(63-s)
		if lo<<s != 0 {
			top |= 1
		}
		f = math.Ldexp(float64(top), 64-int(s))
	}
	if a.Hi < 0 {
		return -f
	}
	return f
}

// Int128FromFloat truncates f toward zero; false for NaN, infinities and numbers out of range.
func Int128FromFloat(f float64) (Int128, bool) {
	if !(math.Abs(f) < 0x1p127) {
		return MinInt128, f == -0x1p127
	}
	t := math.Trunc(math.Abs(f))
	hi := uint64(t / 0x1p64)
	lo := uint64(t - float64(hi)*0x1p64)
	return fromMagnitude(hi, lo, f < 0)
}

// Big returns a as a big.Int.
func (a Int128) Big() *big.Int {
	b := new(big.Int).SetInt64(a.Hi)
	b.Lsh(b, 64)
	return b.Add(b, new(big.Int).SetUint64(a.Lo))
}

// Int128FromBig narrows b; false if it does not fit.
func Int128FromBig(b *big.Int) (Int128, bool) {
	if b.BitLen() > 127 && !(b.Sign() < 0 && b.BitLen() == 128 && b.TrailingZeroBits() == 127) {
		return Int128{}, false
	}
	var lo, hi big.Int
	lo.And(b, maxUint64)
	hi.Rsh(b, 64)
	return Int128{lo.Uint64(), hi.Int64()}, true
}

var maxUint64 = new(big.Int).SetUint64(math.MaxUint64)

// Pow10 returns 10^n for 0 <= n <= 38.
func Pow10(n int) Int128 { return pow10[n] }

var pow10 = func() (t [39]Int128) {
	t[0] = Int128From(1)
	for i := 1; i < len(t); i++ {
		t[i], _ = t[i-1].Mul(Int128From(10))
	}
	return t
}()

// Append appends the decimal digits of a.
func (a Int128) Append(dst []byte) []byte {
	hi, lo := a.abs()
	if a.Hi < 0 {
		dst = append(dst, '-')
	}
	const chunk = 1e19
	var parts [3]uint64
	n := 0
	for {
		qh := hi / chunk
		ql, r := bits.Div64(hi%chunk, lo, chunk)
		parts[n] = r
		n++
		hi, lo = qh, ql
		if hi == 0 && lo == 0 {
			break
		}
	}
	dst = appendUint(dst, parts[n-1], 0)
	for i := n - 2; i >= 0; i-- {
		dst = appendUint(dst, parts[i], 19)
	}
	return dst
}

// appendUint appends v with at least width digits.
func appendUint(dst []byte, v uint64, width int) []byte {
	var buf [20]byte
	i := len(buf)
	for v > 0 || len(buf)-i < width || i == len(buf) {
		i--
		buf[i] = byte('0' + v%10)
		v /= 10
	}
	return append(dst, buf[i:]...)
}

// String returns the decimal digits.
func (a Int128) String() string { return string(a.Append(nil)) }

// ParseInt128 reads an optional sign and decimal digits, nothing else; false for other text or overflow.
func ParseInt128(s []byte) (Int128, bool) {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if len(s) == 0 {
		return Int128{}, false
	}
	var hi, lo uint64
	for _, c := range s {
		if c < '0' || c > '9' {
			return Int128{}, false
		}
		ph, pl := bits.Mul64(lo, 10)
		qh, ql := bits.Mul64(hi, 10)
		var carry uint64
		lo, carry = bits.Add64(pl, uint64(c-'0'), 0)
		hi, carry = bits.Add64(ql, ph, carry)
		if qh != 0 || carry != 0 {
			return Int128{}, false
		}
	}
	return fromMagnitude(hi, lo, neg)
}

// Uint128 is an unsigned 128-bit number in big-endian order: IPv6 addresses and UUIDs.
type Uint128 struct{ Hi, Lo uint64 }

// Cmp returns -1, 0 or 1.
func (a Uint128) Cmp(b Uint128) int {
	switch {
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// IntervalValue is a SQL interval; its three parts do not carry into one another.
type IntervalValue struct {
	Months, Days int32
	Micros       int64
}
