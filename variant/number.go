package variant

import (
	"bytes"
	"math"
	"strconv"

	"github.com/ebira-db/ebira/sql/types"
)

// maxDigits is the number of decimal digits that DECIMAL holds in files.
const maxDigits = 38

// maxExponent stands for all exponents beyond it, so that hostile texts cost nothing.
const maxExponent = 1 << 40

// decnum is an exact number: (-1)^neg × 0.digits × 10^exp. digits has neither leading nor trailing zeros; zero has none at all.
type decnum struct {
	neg    bool
	digits []byte
	exp    int64
	plain  bool // written without fraction and exponent
}

// parseNumber takes a JSON number apart. digits alias text where they can.
func parseNumber(text []byte) (n decnum, ok bool) {
	s := text
	if len(s) > 0 && s[0] == '-' {
		n.neg, s = true, s[1:]
	}
	mantissa, exponent := s, []byte(nil)
	if i := bytes.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
		if n.exp, ok = parseExponent(exponent); !ok {
			return n, false
		}
	}
	whole, fraction, point := bytes.Cut(mantissa, []byte{'.'})
	n.plain = exponent == nil && !point
	if !allDigits(whole) || point && !allDigits(fraction) || len(whole) > 1 && whole[0] == '0' {
		return n, false
	}
	n.exp += int64(len(whole))
	n.digits = whole
	if len(fraction) > 0 {
		n.digits = append(append(make([]byte, 0, len(mantissa)), whole...), fraction...)
	}
	n.trim()
	return n, true
}

// trim removes zeros at both ends of digits.
func (n *decnum) trim() {
	lead := 0
	for lead < len(n.digits) && n.digits[lead] == '0' {
		lead++
	}
	n.digits = n.digits[lead:]
	n.exp -= int64(lead)
	for len(n.digits) > 0 && n.digits[len(n.digits)-1] == '0' {
		n.digits = n.digits[:len(n.digits)-1]
	}
	if len(n.digits) == 0 {
		n.exp = 0
	}
}

func parseExponent(s []byte) (int64, bool) {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg, s = s[0] == '-', s[1:]
	}
	if !allDigits(s) {
		return 0, false
	}
	e := int64(0)
	for _, c := range s {
		e = min(e*10+int64(c-'0'), maxExponent)
	}
	if neg {
		e = -e
	}
	return e, true
}

func allDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

// cmp orders two exact numbers.
func (n *decnum) cmp(o *decnum) int {
	a, b := n.sign(), o.sign()
	switch {
	case a != b:
		return cmpInt(int64(a), int64(b))
	case a == 0:
		return 0
	case n.exp != o.exp:
		return a * cmpInt(n.exp, o.exp)
	}
	return a * bytes.Compare(n.digits, o.digits)
}

func (n *decnum) sign() int {
	switch {
	case len(n.digits) == 0:
		return 0
	case n.neg:
		return -1
	}
	return 1
}

func cmpInt[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// unscaled returns the number times 10^scale, rounded toward minus infinity, and whether something was cut; false if it needs more
// than 76 digits.
func (n *decnum) unscaled(scale int) (v types.Int256, cut, ok bool) {
	if len(n.digits) == 0 {
		return v, false, true
	}
	whole := n.exp + int64(scale) // digits before the point after scaling
	if whole > types.MaxDecimalPrecision {
		return v, false, false
	}
	digits := n.digits
	if whole < int64(len(digits)) {
		cut = true
		digits = digits[:max(whole, 0)]
	}
	var buf [types.MaxDecimalPrecision + 1]byte
	text := append(buf[:0], digits...)
	for int64(len(text)) < whole {
		text = append(text, '0')
	}
	if len(text) > 0 {
		v, _, ok = types.ParseDecimal(text, 0)
		if !ok {
			return v, false, false
		}
	}
	if n.neg {
		v = v.Neg()
		if cut {
			v, _ = v.Sub(types.Int256{1})
		}
	}
	return v, cut, true
}

// decnum returns the exact value of a number, which for a double is what its shortest decimal text says: the JSON number 10.4 is kept as a
// double and equals the decimal 10.4. NaN and infinities have none.
func (s *scalar) decnum() (n decnum, ok bool) {
	switch s.kind {
	case BigInt:
		return parseNumber(strconv.AppendInt(nil, s.i, 10))
	case LargeInt:
		return parseNumber([]byte(s.w.String()))
	case Number:
		return parseNumber(s.b)
	case Decimal:
		n, ok = parseNumber([]byte(s.wide().String()))
		if len(n.digits) > 0 {
			n.exp -= int64(s.scale)
		}
		return n, ok
	case Double, Float:
		if math.IsNaN(s.f) || math.IsInf(s.f, 0) {
			return n, false
		}
		return parseNumber(strconv.AppendFloat(nil, s.f, 'e', -1, 64))
	}
	return n, false
}

// isNumber tells whether s is a number.
func (s *scalar) isNumber() bool { return s.kind >= TinyInt && s.kind <= Number }

// nearest returns the double nearest to a number, an infinity beyond the range.
func (s *scalar) nearest() float64 {
	switch s.kind {
	case BigInt:
		return float64(s.i)
	case Double, Float:
		return s.f
	case LargeInt:
		return types.Int128{Lo: s.w[0], Hi: int64(s.w[1])}.Float64()
	case Number:
		f, _ := strconv.ParseFloat(string(s.b), 64)
		return f
	case Decimal:
		const exactInt, exactPower = 1 << 53, 22
		if s.width <= 18 && s.i < exactInt && s.i > -exactInt && s.scale <= exactPower {
			return float64(s.i) / math.Pow10(int(s.scale)) // both are exact, so the quotient is the nearest double
		}
		var buf [96]byte
		f, _ := strconv.ParseFloat(string(s.appendDecimal(buf[:0])), 64)
		return f
	}
	return math.NaN()
}

// appendDecimal appends the digits of a Decimal.
func (s *scalar) appendDecimal(dst []byte) []byte {
	if s.width <= 18 {
		return types.AppendDecimal64(dst, s.i, int(s.scale))
	}
	return types.AppendDecimal256(dst, s.w, int(s.scale))
}

// compareNumbers orders two numbers by their exact values (see decnum); NaN is equal to itself and above all others.
func compareNumbers(a, b *scalar) int {
	if a.kind == BigInt && b.kind == BigInt {
		return cmpInt(a.i, b.i)
	}
	// Rounding is monotonic, and the shortest text of a double rounds to it: different nearest doubles decide.
	x, y := a.nearest(), b.nearest()
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x != y:
		return boolInt(math.IsNaN(x)) - boolInt(math.IsNaN(y))
	case (a.kind == Double || a.kind == Float) && (b.kind == Double || b.kind == Float):
		return 0
	}
	m, ok := a.decnum()
	n, ok2 := b.decnum()
	if !ok || !ok2 { // an infinity against a number beyond the range of doubles
		sign := 1
		if x < 0 {
			sign = -1
		}
		return sign * (boolInt(!ok) - boolInt(!ok2))
	}
	return m.cmp(&n)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// setNumber classifies a JSON number text by D1: BIGINT, LARGEINT, DOUBLE, DECIMAL, else the text itself.
func (s *scalar) setNumber(text []byte) {
	s.kind, s.b = Number, text
	n, ok := parseNumber(text)
	if !ok {
		return
	}
	if n.plain {
		if n.exp <= maxDigits {
			wide, _ := types.ParseInt128(text)
			s.setLargeInt(wide)
		}
		return
	}
	if f, err := strconv.ParseFloat(string(text), 64); err == nil {
		var buf [32]byte
		short, _ := parseNumber(strconv.AppendFloat(buf[:0], f, 'e', -1, 64))
		if short.cmp(&n) == 0 {
			s.kind, s.f = Double, f
			return
		}
	}
	scale := max(int64(len(n.digits))-n.exp, 0)
	if scale > maxDigits || max(n.exp, int64(len(n.digits))) > maxDigits {
		return
	}
	w, _, ok := n.unscaled(int(scale))
	if !ok {
		return
	}
	if scale == 0 {
		narrow, _ := w.Int128()
		s.setLargeInt(narrow)
		return
	}
	s.setDecimal(w, uint8(max(int64(len(n.digits)), scale)), uint8(scale))
}

// setLargeInt makes s an integer of the narrowest kind.
func (s *scalar) setLargeInt(v types.Int128) {
	if i, ok := v.Int64(); ok {
		s.kind, s.i = BigInt, i
		return
	}
	s.kind, s.w = LargeInt, types.Int256From(v)
}

// setDecimal makes s a DECIMAL(precision, scale).
func (s *scalar) setDecimal(v types.Int256, precision, scale uint8) {
	s.kind, s.scale, s.width = Decimal, scale, widthOf(precision)
	if s.width <= 18 {
		s.i = int64(v[0])
	} else {
		s.w = v
	}
}

// widthOf returns the class of a decimal precision: 9, 18, 38 or 76 digits.
func widthOf(precision uint8) uint8 {
	switch {
	case precision <= 9:
		return 9
	case precision <= 18:
		return 18
	case precision <= maxDigits:
		return maxDigits
	}
	return types.MaxDecimalPrecision
}
