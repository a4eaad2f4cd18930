package jsonparse

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

const (
	// exactMantissa bounds decimal mantissas of at most 15 digits. Every decimal of so few digits in the normal range of doubles comes
	// back as the shortest text of its nearest double, because no two of them share a double.
	exactMantissa = 1_000_000_000_000_000
	// doubleMantissa bounds the mantissas of as many digits as the shortest text of a double may have.
	doubleMantissa = 100 * exactMantissa
	// exactPower is the largest power of ten that a double holds exactly.
	exactPower = 22
	// doubleDigits is the largest number of digits in the shortest text of a double.
	doubleDigits = 17
)

// powers are the powers of ten that doubles hold exactly.
var powers = [exactPower + 1]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// integerPowers are the powers of ten up to 10^8, the multipliers that append a group of up to eight digits.
var integerPowers = [9]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000}

// digits8 counts the decimal digits at the start of the eight bytes x and gives their value.
func digits8(x uint64) (n int, value uint64) {
	x ^= '0' * ones
	n = bits.TrailingZeros64(((x+0x76*ones)|x)&highs) / 8
	// Shifting the digits to the end puts zeros before them; then pairs, fours and eights are joined by multiplication.
	x <<= uint(64 - 8*n)
	x = x*10 + x>>8
	return n, ((x&0x000000ff000000ff)*0x000f424000000064 + (x>>16&0x000000ff000000ff)*0x0000271000000001) >> 32
}

// load8 gives the eight bytes from d[i] on as a little-endian number, with zero bytes for those behind the end of d. d must hold at least
// eight bytes.
func load8(d []byte, i int) uint64 {
	if last := len(d) - 8; i > last {
		return binary.LittleEndian.Uint64(d[last:]) >> (8 * uint(i-last))
	}
	return binary.LittleEndian.Uint64(d[i:])
}

// number reads the number at d[i], reports it to v and gives the position behind it. Integers of at most 18 digits, and numbers with a
// point that have at most 17 significant digits, mostly take the short way; everything else goes through slowNumber.
func number(d []byte, start int, v Visitor) (int, error) {
	if len(d) < 8 {
		return slowNumber(d, start, v)
	}
	i := start
	negative := d[i] == '-'
	if negative {
		i++
	}
	n, whole := digits8(load8(d, i))
	if n == 0 || n > 1 && d[i] == '0' {
		return slowNumber(d, start, v)
	}
	i += n
	if n == 8 {
		m, more := digits8(load8(d, i))
		whole = whole*integerPowers[m] + more
		i += m
		if m == 8 {
			if n, more = digits8(load8(d, i)); n > 2 {
				return slowNumber(d, start, v) // perhaps beyond int64
			}
			whole = whole*integerPowers[n] + more
			i += n
		}
	}
	if i < len(d) {
		if d[i] == '.' {
			return fraction(d, start, i+1, whole, v)
		}
		if d[i]|0x20 == 'e' {
			return slowNumber(d, start, v)
		}
	}
	value := int64(whole)
	if negative {
		value = -value
	}
	v.Int(value)
	return i, nil
}

// fraction continues number behind the decimal point at d[i-1]; whole is the value of the at most 18 digits before it.
func fraction(d []byte, start, i int, whole uint64, v Visitor) (int, error) {
	point := i
	for {
		n, more := digits8(load8(d, i))
		over, scaled := bits.Mul64(whole, integerPowers[n])
		if over != 0 || scaled >= doubleMantissa {
			return slowNumber(d, start, v)
		}
		whole = scaled + more // still below doubleMantissa, a multiple of 10^n
		i += n
		if n < 8 {
			break
		}
	}
	places := i - point
	if places == 0 || places > exactPower || i < len(d) && d[i]|0x20 == 'e' {
		return slowNumber(d, start, v)
	}
	value := float64(whole) / powers[places]
	if whole >= exactMantissa {
		var shortest, sure bool
		if whole%10 != 0 {
			value, shortest, sure = nearestDouble(whole, int64(-places))
		}
		if !sure {
			return slowNumber(d, start, v)
		}
		if !shortest {
			v.Number(d[start:i])
			return i, nil
		}
	}
	if d[start] == '-' {
		value = -value
	}
	v.Double(value)
	return i, nil
}

// slowNumber reads any number at d[start].
func slowNumber(d []byte, start int, v Visitor) (int, error) {
	t, end, err := scanNumber(d, start)
	if err != nil {
		return start, err
	}
	text := d[start:end]
	if t.integer() {
		if value, ok := t.int64(text); ok {
			v.Int(value)
			return end, nil
		}
	} else if value, exact := t.exactDouble(text); exact {
		v.Double(value)
		return end, nil
	}
	v.Number(text)
	return end, nil
}

// numberText describes the spelling of a number: which bytes of its text are digits, and what its exponent says. Positions count from
// the start of the text.
type numberText struct {
	digits   int   // first digit
	point    int   // the decimal point, or where the digits end if there is none
	end      int   // behind the last digit before the exponent
	exponent int64 // as written, held within ±maxExponent
	marked   bool  // there is a fraction or an exponent
	negative bool
}

// maxExponent stands for every larger exponent: far beyond what digits in a text can compensate.
const maxExponent = 1 << 40

// integer tells whether the number is written without fraction and exponent.
func (t *numberText) integer() bool { return !t.marked }

// scanNumber checks the number at d[start] against the grammar and gives its spelling and the position behind it in d.
func scanNumber(d []byte, start int) (t numberText, end int, err error) {
	i := start
	if i < len(d) && d[i] == '-' {
		t.negative = true
		i++
	}
	t.digits = i - start
	first := i
	if i = skipDigits(d, i); i == first {
		return t, i, unexpected(d, i, "a digit")
	}
	if d[first] == '0' && i > first+1 {
		return t, i, &SyntaxError{Offset: first + 1, Msg: "a number must not begin with 0 followed by digits"}
	}
	t.point, t.end = i-start, i-start
	if i < len(d) && d[i] == '.' {
		t.marked = true
		first = i + 1
		if i = skipDigits(d, first); i == first {
			return t, i, unexpected(d, i, "a digit after the decimal point")
		}
		t.end = i - start
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		t.marked = true
		i++
		minus := i < len(d) && d[i] == '-'
		if minus || i < len(d) && d[i] == '+' {
			i++
		}
		first = i
		for ; i < len(d) && d[i]-'0' <= 9; i++ {
			t.exponent = min(t.exponent*10+int64(d[i]-'0'), maxExponent)
		}
		if i == first {
			return t, i, unexpected(d, i, "a digit in the exponent")
		}
		if minus {
			t.exponent = -t.exponent
		}
	}
	return t, i, nil
}

// skipDigits gives the position of the first byte at or after i that is not a decimal digit.
func skipDigits(d []byte, i int) int {
	for i < len(d) && d[i]-'0' <= 9 {
		i++
	}
	return i
}

// int64 gives the value of an integer text, and false if it does not fit.
func (t *numberText) int64(text []byte) (int64, bool) {
	const maxDigits = 19
	if t.end-t.digits > maxDigits {
		return 0, false
	}
	var u uint64
	for _, c := range text[t.digits:t.end] {
		u = u*10 + uint64(c-'0')
	}
	if t.negative {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

// significant gives the range of text that holds the digits from the first to the last one that is not zero (with the point in it, if
// it lies between them), their number, and the power of ten of the last of them. A zero gives an empty range.
func (t *numberText) significant(text []byte) (from, to, count int, power int64) {
	from, to = t.digits, t.end
	for from < to && (text[from] == '0' || text[from] == '.') {
		from++
	}
	for to > from && (text[to-1] == '0' || text[to-1] == '.') {
		to--
	}
	if from == to {
		return from, to, 0, 0
	}
	count = to - from
	power = t.exponent
	switch {
	case to <= t.point: // all before the point
		power += int64(t.point - to)
	default:
		power -= int64(to - 1 - t.point)
		if from < t.point {
			count--
		}
	}
	return from, to, count, power
}

// exactDouble gives the double nearest to the number, and whether the double's shortest text denotes exactly this number. The double is
// meaningful only if it does.
func (t *numberText) exactDouble(text []byte) (float64, bool) {
	from, to, count, power := t.significant(text)
	if count == 0 {
		return t.signed(0), true
	}
	if leading := power + int64(count) - 1; count > doubleDigits || leading > 308 || leading < -324 {
		return 0, false // more digits than a double shows, or beyond the range of doubles
	}
	var m uint64
	for _, c := range text[from:to] {
		if c != '.' {
			m = m*10 + uint64(c-'0')
		}
	}
	switch {
	case m >= exactMantissa:
		if value, shortest, sure := nearestDouble(m, power); sure {
			return t.signed(value), shortest
		}
	case 0 <= power && power <= exactPower:
		return t.signed(float64(m) * powers[power]), true
	case -exactPower <= power && power < 0:
		return t.signed(float64(m) / powers[-power]), true
	}
	value, err := parseDouble(text)
	if err != nil || value == 0 {
		return 0, false
	}
	var room [32]byte
	shortest := strconv.AppendFloat(room[:0], math.Abs(value), 'e', -1, 64)
	return value, sameDigits(text[from:to], count, power, shortest)
}

// signed gives the magnitude the number's sign.
func (t *numberText) signed(magnitude float64) float64 {
	if t.negative {
		return -magnitude
	}
	return magnitude
}

// sameDigits tells whether digits (count of them, the last worth 10^power, perhaps with a point among them) denote the number that
// strconv wrote as d.ddde±dd, which has no superfluous zero.
func sameDigits(digits []byte, count int, power int64, written []byte) bool {
	k := 0
	for _, c := range digits {
		if c == '.' {
			continue
		}
		if written[k] == '.' {
			k++
		}
		if written[k] != c {
			return false
		}
		k++
	}
	if written[k] != 'e' {
		return false
	}
	exponent, err := strconv.Atoi(string(written[k+1:]))
	return err == nil && int64(exponent) == power+int64(count)-1
}

// parseDouble is strconv.ParseFloat without a copy of the text.
func parseDouble(text []byte) (float64, error) {
	return strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
}
