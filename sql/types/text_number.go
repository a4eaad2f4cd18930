package types

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
)

// maxExponent bounds exponents of decimal texts, so that hostile ones cost nothing.
const maxExponent = 10_000

// decimalParts is a decimal text taken apart: (-1)^neg * digits * 10^exp.
type decimalParts struct {
	neg    bool
	digits []byte // without leading zeros
	exp    int
}

// splitDecimal reads [+-]digits[.digits][e[+-]digits].
func splitDecimal(s []byte) (p decimalParts, ok bool) {
	s = trimSpace(s)
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		p.neg = s[0] == '-'
		s = s[1:]
	}
	if i := bytes.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(string(s[i+1:]))
		if err != nil || e > maxExponent || e < -maxExponent {
			return p, false
		}
		p.exp, s = e, s[:i]
	}
	seen := false
	for i, c := range s {
		switch {
		case c >= '0' && c <= '9':
			seen = true
		case c == '.' && bytes.IndexByte(s[i+1:], '.') < 0:
			p.exp -= len(s) - i - 1
		default:
			return p, false
		}
	}
	p.digits = bytes.TrimLeft(bytes.ReplaceAll(s, []byte("."), nil), "0")
	return p, seen
}

// ParseDecimal reads a decimal number (also with exponent) into the unscaled value at scale, rounding half away from zero where the
// text has more digits; inexact tells that it did. ok is false for other text or more than 76 digits.
func ParseDecimal(s []byte, scale int) (v Int256, inexact, ok bool) {
	if v, ok := parseSmallDecimal(s, scale); ok {
		return v, false, true
	}
	p, ok := splitDecimal(s)
	if !ok {
		return v, false, false
	}
	shift := p.exp + scale
	digits, up := p.digits, false
	if shift < 0 {
		cut := max(len(digits)+shift, 0)
		dropped := digits[cut:]
		inexact = len(bytes.Trim(dropped, "0")) > 0
		up = len(digits)+shift >= 0 && len(dropped) > 0 && dropped[0] >= '5'
		digits = digits[:cut]
	} else if len(digits) > 0 {
		if len(digits)+shift > MaxDecimalPrecision {
			return v, false, false
		}
		digits = append(bytes.Clone(digits), bytes.Repeat([]byte{'0'}, shift)...)
	}
	if len(digits) > MaxDecimalPrecision {
		return v, false, false
	}
	b := new(big.Int)
	if len(digits) > 0 {
		b.SetString(string(digits), 10)
	}
	if up {
		b.Add(b, big.NewInt(1))
	}
	if p.neg {
		b.Neg(b)
	}
	v, ok = Int256FromBig(b)
	return v, inexact, ok
}

// parseSmallDecimal is the fast path: plain digits with at most one point, at most 18 digits at the scale, nothing to round.
func parseSmallDecimal(s []byte, scale int) (Int256, bool) {
	neg := false
	if len(s) > 0 && s[0] == '-' {
		neg, s = true, s[1:]
	}
	if len(s) == 0 || len(s) > 18 || scale > 18 {
		return Int256{}, false
	}
	var v int64
	point, n := -1, 0
	for i, c := range s {
		switch {
		case c >= '0' && c <= '9':
			v = v*10 + int64(c-'0')
			n++
		case c == '.' && point < 0:
			point = i
		default:
			return Int256{}, false
		}
	}
	frac := 0
	if point >= 0 {
		frac = len(s) - point - 1
	}
	if n == 0 || frac > scale || n+scale-frac > 18 {
		return Int256{}, false
	}
	for ; frac < scale; frac++ {
		v *= 10
	}
	if neg {
		v = -v
	}
	return Int256From(Int128From(v)), true
}

// AppendDecimal appends the number unscaled / 10^scale, given the decimal digits of unscaled, with all digits of the scale.
func AppendDecimal(dst []byte, unscaled string, scale int) []byte {
	if unscaled[0] == '-' {
		dst = append(dst, '-')
		unscaled = unscaled[1:]
	}
	if scale == 0 {
		return append(dst, unscaled...)
	}
	whole := len(unscaled) - scale
	if whole <= 0 {
		dst = append(dst, '0', '.')
		for ; whole < 0; whole++ {
			dst = append(dst, '0')
		}
		return append(dst, unscaled...)
	}
	dst = append(dst, unscaled[:whole]...)
	return append(append(dst, '.'), unscaled[whole:]...)
}

// AppendDecimal64 appends a DECIMAL of at most 18 digits.
func AppendDecimal64(dst []byte, v int64, scale int) []byte {
	var buf [24]byte
	return AppendDecimal(dst, string(strconv.AppendInt(buf[:0], v, 10)), scale)
}

// AppendDecimal128 appends a DECIMAL of at most 38 digits.
func AppendDecimal128(dst []byte, v Int128, scale int) []byte {
	return AppendDecimal(dst, v.String(), scale)
}

// AppendDecimal256 appends a DECIMAL of at most 76 digits.
func AppendDecimal256(dst []byte, v Int256, scale int) []byte {
	return AppendDecimal(dst, v.String(), scale)
}

// AppendDouble appends the shortest text that reads back as f, in the form of ECMAScript's Number::toString (ECMA-262 6.1.6.1.20):
// plain digits from 1e-6 to below 1e21, else an exponent with sign. -0 prints "-0"; NaN and infinities "NaN", "Infinity", "-Infinity".
func AppendDouble(dst []byte, f float64) []byte { return appendFloat(dst, f, 64) }

// AppendFloat is AppendDouble for FLOAT: the shortest text that reads back as the same float32.
func AppendFloat(dst []byte, f float32) []byte { return appendFloat(dst, float64(f), 32) }

func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	abs := math.Abs(f)
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
		// Go pads exponents to two digits, ECMAScript does not.
		if n := len(dst); n-start >= 4 && dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'f', -1, bits)
}

// ParseDouble reads a number, or NaN/Infinity in any case, with spaces around it; false for other text and for hexadecimal or
// underscored forms. Numbers beyond the range give false.
func ParseDouble(s []byte) (float64, bool) {
	s = trimSpace(s)
	for _, c := range s {
		if c == 'x' || c == 'X' || c == '_' || c == 'p' || c == 'P' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(string(s), 64)
	return f, err == nil
}

// ParseInt reads an optional sign and decimal digits with spaces around them.
func ParseInt(s []byte) (int64, bool) {
	s = trimSpace(s)
	if len(s) > 0 && s[0] == '+' {
		s = s[1:]
		if len(s) > 0 && s[0] == '-' {
			return 0, false
		}
	}
	if len(s) == 0 || len(s) > 20 {
		return 0, false
	}
	v, err := strconv.ParseInt(string(s), 10, 64)
	return v, err == nil
}

// ParseBool reads true/false, t/f, yes/no, on/off, 1/0 in any case.
func ParseBool(s []byte) (v, ok bool) {
	switch string(bytes.ToLower(trimSpace(s))) {
	case "true", "t", "1", "yes", "y", "on":
		return true, true
	case "false", "f", "0", "no", "n", "off":
		return false, true
	}
	return false, false
}
