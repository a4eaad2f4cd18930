package jsonparse

import (
	"math"
	"math/bits"
)

// Class says in which type a JSON number is kept without loss.
type Class uint8

// The classes, from the narrowest to the widest. A number has exactly one.
const (
	// ClassInt64 is an integer, written without fraction and exponent, that fits int64.
	ClassInt64 Class = iota
	// ClassBigInt is another such integer below 10^38 in magnitude.
	ClassBigInt
	// ClassDouble is a number with fraction or exponent that the shortest text of its nearest double denotes exactly.
	ClassDouble
	// ClassDecimal is another such number that has at most 38 digits and a scale of 0 to 38.
	ClassDecimal
	// ClassOther is any other number, whose text must be kept.
	ClassOther
)

// decimalDigits is the precision of the widest decimal, whose unscaled value fits 128 bits.
const decimalDigits = 38

// Number is a classified JSON number.
type Number struct {
	Class Class
	// Int is the value of ClassInt64.
	Int int64
	// Double is the nearest double in every class; an infinity if the number is beyond the range of doubles.
	Double float64
	// Negative, Hi and Lo are sign and magnitude (Hi × 2^64 + Lo) of the unscaled value in ClassBigInt and ClassDecimal.
	Negative bool
	Hi, Lo   uint64
	// Scale is the number of decimal places in ClassDecimal, the smallest that holds the value: superfluous zeros of the text are gone.
	Scale int
}

// ClassifyNumber tells the class and value of a JSON number. Its error is a *SyntaxError if text is anything but a JSON number.
func ClassifyNumber(text []byte) (Number, error) {
	t, end, err := scanNumber(text, 0)
	if err != nil {
		return Number{}, err
	}
	if end != len(text) {
		return Number{}, unexpected(text, end, "only a number")
	}
	if t.integer() {
		if value, ok := t.int64(text); ok {
			return Number{Class: ClassInt64, Int: value, Double: float64(value)}, nil
		}
	} else if value, exact := t.exactDouble(text); exact {
		return Number{Class: ClassDouble, Double: value}, nil
	}
	n := Number{Class: ClassOther, Negative: t.negative}
	// Beyond the range of doubles the error of parseDouble comes with the infinity that is wanted here.
	n.Double, _ = parseDouble(text)
	from, to, count, power := t.significant(text)
	scale := max(-power, 0)
	if scale > decimalDigits || int64(count)+max(power, 0) > decimalDigits {
		return n, nil
	}
	n.Hi, n.Lo = unscaled(text[from:to], int(max(power, 0)))
	n.Class, n.Scale = ClassDecimal, int(scale)
	if t.integer() {
		n.Class = ClassBigInt
	}
	return n, nil
}

// unscaled gives the 128-bit value of at most 38 digits (with a point among them, which is skipped) followed by so many zeros.
func unscaled(digits []byte, zeros int) (hi, lo uint64) {
	for _, c := range digits {
		if c != '.' {
			hi, lo = shiftDigit(hi, lo, uint64(c-'0'))
		}
	}
	for range zeros {
		hi, lo = shiftDigit(hi, lo, 0)
	}
	return hi, lo
}

// shiftDigit gives 10 × (hi, lo) + digit.
func shiftDigit(hi, lo, digit uint64) (uint64, uint64) {
	over, low := bits.Mul64(lo, 10)
	low, carry := bits.Add64(low, digit, 0)
	return hi*10 + over + carry, low
}

// IsInfinite tells whether the number is beyond the range of doubles.
func (n *Number) IsInfinite() bool { return math.IsInf(n.Double, 0) }
