package jsonparse

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestClassifyNumber(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := classText(t, in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	f("0", "int 0")
	f("-0", "int 0")
	f("9223372036854775807", "int 9223372036854775807")
	f("-9223372036854775808", "int -9223372036854775808")
	f("9223372036854775808", "big 9223372036854775808")
	f("-9223372036854775809", "big -9223372036854775809")
	f("18446744073709551616", "big 18446744073709551616")
	f("10000000000000000000000000000000000000", "big 10000000000000000000000000000000000000")
	f("99999999999999999999999999999999999999", "big 99999999999999999999999999999999999999")
	f("100000000000000000000000000000000000000", "other")
	f("-100000000000000000000000000000000000001", "other")
	f("5.0", "double 5")
	f("-0.0", "double -0")
	f("0e999999999999999999999", "double 0")
	f("1e30", "double 1e+30")
	f("100000000000000000000.0", "double 100000000000000000000")
	f("5e-324", "double 5e-324")
	f("4.94e-324", "other")
	f("1.7976931348623157e308", "double 1.7976931348623157e+308")
	f("1.7976931348623158e308", "other")
	f("9.9e308", "other")
	f("1e400", "other")
	f("1e-400", "other")
	f("1e99999999999999999999", "other")
	f("0.30000000000000004", "double 0.30000000000000004")
	f("0.300000000000000040", "double 0.30000000000000004")
	f("0.300000000000000041", "decimal 300000000000000041 18")
	f("12345678901234567.5", "decimal 123456789012345675 1")
	f("1.12345678901234567890", "decimal 11234567890123456789 19")
	f("-0.00000000000000000000123456789012345678", "decimal -123456789012345678 38")
	f("0.000000000000000000000123456789012345678", "other")
	f("1234567890123456789e5", "decimal 123456789012345678900000 0")
	f("1234567890123456789e19", "decimal 12345678901234567890000000000000000000 0")
	f("1234567890123456789e20", "other")
	f("0.12345678901234567890123456789012345678", "decimal 12345678901234567890123456789012345678 38")
	f("1.12345678901234567890123456789012345678", "other")
	for _, bad := range []string{"", "-", "01", "1.", "1e", "+1", " 1", "1 ", "1x", "NaN", "0x1"} {
		if n, err := ClassifyNumber([]byte(bad)); err == nil {
			t.Errorf("%q accepted: %+v", bad, n)
		}
	}
	if n, err := ClassifyNumber([]byte("-1e400")); err != nil || !math.IsInf(n.Double, -1) || !n.IsInfinite() {
		t.Errorf("-1e400: %+v, %v", n, err)
	}
	if n, err := ClassifyNumber([]byte("123456789012345678901.5")); err != nil || n.Double != 123456789012345678901.5 {
		t.Errorf("nearest double: %+v, %v", n, err)
	}
}

// classText shows a classified number and checks its invariants.
func classText(t *testing.T, text string) string {
	t.Helper()
	n, err := ClassifyNumber([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	unscaled := new(big.Int).SetUint64(n.Hi)
	unscaled.Lsh(unscaled, 64).Or(unscaled, new(big.Int).SetUint64(n.Lo))
	if n.Negative {
		unscaled.Neg(unscaled)
	}
	switch n.Class {
	case ClassInt64:
		return fmt.Sprintf("int %d", n.Int)
	case ClassBigInt:
		return "big " + unscaled.String()
	case ClassDouble:
		return "double " + string(AppendDouble(nil, n.Double))
	case ClassDecimal:
		return fmt.Sprintf("decimal %v %d", unscaled, n.Scale)
	}
	return "other"
}

// randomNumber spells a number in one of the ways that decide between the paths of the parser.
func randomNumber(rng *rand.Rand) string {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(byte('0' + rng.IntN(10)))
		}
		return b.String()
	}
	sign := []string{"", "-"}[rng.IntN(2)]
	whole := "0"
	if rng.IntN(4) > 0 {
		whole = string(byte('1'+rng.IntN(9))) + digits(rng.IntN(20))
	}
	switch rng.IntN(6) {
	case 0:
		return sign + whole
	case 1:
		return sign + whole + "." + digits(1+rng.IntN(24))
	case 2:
		return sign + whole + "." + strings.Repeat("0", rng.IntN(12)) + digits(1+rng.IntN(18)) + strings.Repeat("0", rng.IntN(4))
	case 3:
		return fmt.Sprintf("%s%s.%se%d", sign, whole, digits(1+rng.IntN(17)), rng.IntN(700)-350)
	case 4: // the shortest text of a random double, or something next to it
		text := strconv.FormatFloat(math.Float64frombits(rng.Uint64()&^(1<<62)), 'e', rng.IntN(18)-1, 64)
		if strings.Contains(text, "N") || strings.Contains(text, "I") {
			return "0.5"
		}
		return text
	}
	return strconv.FormatFloat((rng.Float64()-0.5)*math.Pow(10, float64(rng.IntN(18))), 'f', rng.IntN(20)-1, 64)
}

// TestNumbersAgainstBig compares every path of the number reader with arbitrary-precision arithmetic. White space behind the number
// decides whether the fast path may run.
func TestNumbersAgainstBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := New(Options{})
	rounds := 60_000
	if testing.Short() {
		rounds /= 10
	}
	for range rounds {
		text := randomNumber(rng)
		want := referenceNumber(text)
		for _, pad := range []string{"", "                                "} {
			if got, err := events(p, []byte(text+pad)); err != nil || got != want {
				t.Fatalf("%s (padding %d): got %s, %v, want %s", text, len(pad), got, err, want)
			}
		}
		checkClass(t, text, want)
	}
}

// checkClass checks ClassifyNumber against exact rational arithmetic.
func checkClass(t *testing.T, text, event string) {
	t.Helper()
	n, err := ClassifyNumber([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if (n.Class == ClassInt64) != (event[0] == 'i') || (n.Class == ClassDouble) != (event[0] == 'd') {
		t.Fatalf("%s: class %d for event %s", text, n.Class, event)
	}
	if n.Class != ClassBigInt && n.Class != ClassDecimal {
		return
	}
	want, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%s is no rational", text)
	}
	unscaled := new(big.Int).SetUint64(n.Hi)
	unscaled.Lsh(unscaled, 64).Or(unscaled, new(big.Int).SetUint64(n.Lo))
	if n.Negative {
		unscaled.Neg(unscaled)
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.Scale)), nil)
	if got := new(big.Rat).SetFrac(unscaled, scale); got.Cmp(want) != 0 {
		t.Fatalf("%s: %v scale %d", text, unscaled, n.Scale)
	}
	if d, _ := want.Float64(); d != n.Double {
		t.Fatalf("%s: nearest double %v, want %v", text, n.Double, d)
	}
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0.0", "1.5", "123456789.123456789", "1e22", "9007199254740993.0", "0.1e-5", "00", "1.e1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := agreed(t, []byte(text))
		n, numErr := ClassifyNumber([]byte(text))
		if numErr != nil {
			return
		}
		if err != nil {
			t.Fatalf("%s: classified as %+v, but %v", text, n, err)
		}
		want := referenceNumber(text)
		if got != want {
			t.Fatalf("%s: got %s, want %s", text, got, want)
		}
		if len(text) < 400 && !strings.ContainsAny(text, "eE") {
			checkClass(t, text, want)
		}
	})
}

// TestNearestDouble compares the fast decision with strconv on decimals of 16 and 17 digits: random ones, shortest texts of random
// doubles and their neighbours, and decimals around powers of two and ten.
func TestNearestDouble(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	var decided, yes int
	check := func(m uint64, e int64) {
		if m < 1e15 || m >= 1e17 || m%10 == 0 {
			return
		}
		value, shortest, sure := nearestDouble(m, e)
		if !sure {
			return
		}
		decided++
		text := fmt.Sprintf("%de%d", m, e)
		want, err := strconv.ParseFloat(text, 64)
		if err != nil || value != want {
			t.Fatalf("%s: %v, want %v", text, value, want)
		}
		if same := sameValue(text, want); shortest != same {
			t.Fatalf("%s: shortest %v, but the text is %v", text, shortest, want)
		}
		if shortest {
			yes++
		}
	}
	rounds := 100_000
	if testing.Short() {
		rounds /= 10
	}
	for range rounds {
		e := int64(rng.IntN(maxTen-minTen+1) + minTen)
		check(1e15+rng.Uint64N(99e15), e)
		f := math.Ldexp(1+rng.Float64(), rng.IntN(360)-180)
		if rng.IntN(10) == 0 {
			f = math.Nextafter(math.Ldexp(1, rng.IntN(360)-180), float64(rng.IntN(3)-1)*math.MaxFloat64)
		}
		digits, power := normalDigits(strconv.FormatFloat(f, 'e', -1, 64))
		m, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for d := range uint64(5) {
			check(m+d-2, power.Int64())
			check(m*10+d, power.Int64()-1)
		}
		check(1e16+rng.Uint64N(100)-50, e)
	}
	if decided < 5*rounds || yes < rounds/2 || yes > decided*9/10 {
		t.Errorf("decided %d, yes %d of %d rounds", decided, yes, rounds)
	}
}
