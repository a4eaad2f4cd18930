package function

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// randomText makes texts of few different characters, so that patterns often match.
func randomText(r *rand.Rand, alphabet string, most int) string {
	var b strings.Builder
	runes := []rune(alphabet)
	for range r.IntN(most + 1) {
		b.WriteRune(runes[r.IntN(len(runes))])
	}
	return b.String()
}

// TestLikeAgainstRegexp compares LIKE with a regular expression of the same meaning.
func TestLikeAgainstRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		s, pattern := randomText(r, "abé%_", 10), randomText(r, "abé%_%%\\", 7)
		var re strings.Builder
		bad := false
		runes := []rune(pattern)
		for i := 0; i < len(runes); i++ {
			switch c := runes[i]; c {
			case '%':
				re.WriteString("(?s:.*)")
			case '_':
				re.WriteString("(?s:.)")
			case '\\':
				if i++; i == len(runes) {
					bad = true
					break
				}
				re.WriteString(regexp.QuoteMeta(string(runes[i])))
			default:
				re.WriteString(regexp.QuoteMeta(string(c)))
			}
		}
		p, ok := compileLike([]byte(pattern), '\\')
		if ok == bad {
			t.Fatalf("pattern %q: compiled %v", pattern, ok)
		}
		if bad {
			continue
		}
		want := regexp.MustCompile("^" + re.String() + "$").MatchString(s)
		if got := p.match([]byte(s)); got != want {
			t.Fatalf("%q LIKE %q: got %v", s, pattern, got)
		}
	}
}

// TestQuickRegexpAgainstRegexp compares matches and groups with package regexp.
func TestQuickRegexpAgainstRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	atoms := []string{"a", "b", "ab", "[ab]", "[^a]", ".", "a*", "b+", "[^/]+", ".*", "(a)", "(b*)", "(?:ab)?", "(a+)?", "/", "é", "[^é]", "\\.", "x{2}"}
	quick := 0
	for range 10_000 {
		var b strings.Builder
		if r.IntN(2) == 0 {
			b.WriteString("^")
		}
		for range 1 + r.IntN(5) {
			b.WriteString(atoms[r.IntN(len(atoms))])
		}
		if r.IntN(3) == 0 {
			b.WriteString("$")
		}
		p, err := compilePattern([]byte(b.String()), nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.quick != nil {
			quick++
		}
		p = p.own()
		for range 4 {
			s := randomText(r, "aab/é.x\n", 12)
			want := p.FindStringSubmatchIndex(s)
			got := p.find([]byte(s))
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%q on %q: got %v, want %v", b.String(), s, got, want)
			}
			if p.match([]byte(s)) != (want != nil) {
				t.Fatalf("%q on %q: match differs", b.String(), s)
			}
			var all [][]int
			p.each([]byte(s), func(m []int) {
				if m == nil {
					all = nil
					return
				}
				all = append(all, append([]int(nil), m...))
			})
			if want := p.FindAllStringSubmatchIndex(s, -1); fmt.Sprint(all) != fmt.Sprint(want) {
				t.Fatalf("%q on %q: all matches %v, want %v", b.String(), s, all, want)
			}
			replaced := string(p.replace(nil, []byte(s), p.template([]byte("<\\0>")), true))
			if w := p.ReplaceAllString(s, "<${0}>"); replaced != w {
				t.Fatalf("%q on %q: replaced %q, want %q", b.String(), s, replaced, w)
			}
		}
	}
	if quick < 6_000 {
		t.Errorf("only %d expressions were quick", quick)
	}
}

// TestQuickRegexpBudget feeds expressions that backtracking takes for ever on.
func TestQuickRegexpBudget(t *testing.T) {
	for _, re := range []string{"^a*a*a*a*a*a*c", "^(?:a?)(?:a?)(?:a?)(?:a?)(?:a?)(?:a?)(?:a?)(?:a?)(?:a?)(?:a?)(?:a?)(?:a?)aaaaaaaaaaaab", ".*.*.*x"} {
		p, err := compilePattern([]byte(re), nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.own().match([]byte(strings.Repeat("a", 20_000))) {
			t.Errorf("%s matches", re)
		}
	}
}

// TestIntegersAgainstBig compares integer arithmetic of all widths with exact arithmetic.
func TestIntegersAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	kinds := []types.Kind{types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.LargeInt}
	for range 15_000 {
		k := kinds[r.IntN(len(kinds))]
		typ := types.Of(k)
		bits := uint(8) << (k - types.TinyInt)
		random := func() *big.Int {
			x := new(big.Int).SetUint64(r.Uint64())
			x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(r.Uint64()))
			x.Rsh(x, uint(128-1-r.IntN(int(bits))))
			if r.IntN(2) == 0 {
				x.Neg(x)
			}
			return x
		}
		make1 := func(x *big.Int) *vec.Vector {
			b := vec.NewBuilder(typ, 1)
			if !appendWhole(b, x) {
				t.Fatalf("%s does not fit %s", x, typ)
			}
			return b.Finish()
		}
		limit := new(big.Int).Lsh(big.NewInt(1), bits-1)
		inRange := func(x *big.Int) bool {
			return x.Cmp(limit) < 0 && x.Cmp(new(big.Int).Neg(limit)) >= 0
		}
		a, b := random(), random()
		if !inRange(a) || !inRange(b) {
			continue
		}
		op := []string{"+", "-", "*", "DIV", "%"}[r.IntN(5)]
		s, err := Resolve(op, []Arg{{Type: typ}, {Type: typ}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Kernel(testCtx, []*vec.Vector{make1(a), make1(b)}, 1)
		want := new(big.Int)
		switch op {
		case "+":
			want.Add(a, b)
		case "-":
			want.Sub(a, b)
		case "*":
			want.Mul(a, b)
		default:
			if b.Sign() == 0 {
				if sqlerr.KindOf(err) != sqlerr.OutOfRange {
					t.Fatalf("%s %s 0: %v", a, op, err)
				}
				continue
			}
			if want.Quo(a, b); op == "%" {
				want.Rem(a, b)
			}
		}
		if (err == nil) != inRange(want) || err == nil && wholeOf(got).Cmp(want) != 0 {
			t.Fatalf("%s: %s %s %s = %v, %v; want %s", typ, a, op, b, got, err, want)
		}
		less, err := Resolve("<", []Arg{{Type: typ}, {Type: typ}})
		if err != nil {
			t.Fatal(err)
		}
		l, _ := less.Kernel(testCtx, []*vec.Vector{make1(a), make1(b)}, 1)
		if vec.Slice[bool](l)[0] != (a.Cmp(b) < 0) {
			t.Fatalf("%s: %s < %s is %v", typ, a, b, l.Data)
		}
	}
}

// wholeOf reads row 0 of an integer vector of any width.
func wholeOf(v *vec.Vector) *big.Int { return wholeAt(v, 0) }

// TestCompareIntDouble compares with exact arithmetic around the places where doubles have gaps.
func TestCompareIntDouble(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 100_000 {
		a := int64(r.Uint64()) >> r.IntN(64)
		b := float64(a)
		switch r.IntN(4) {
		case 0:
			b = math.Nextafter(b, math.Inf(1))
		case 1:
			b = math.Nextafter(b, math.Inf(-1))
		case 2:
			b += r.Float64()*4 - 2
		}
		want := new(big.Rat).SetInt64(a).Cmp(new(big.Rat).SetFloat64(b))
		if got := compareIntDouble(a, b); got != want {
			t.Fatalf("%d and %g: got %d, want %d", a, b, got, want)
		}
	}
}

// TestTimeFieldsAgainstTime compares fields, weeks and truncation with package time.
func TestTimeFieldsAgainstTime(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip("no time zone database: ", err)
	}
	for range 20_000 {
		us := r.Int64N(2*4_000_000_000_000_000) - 4_000_000_000_000_000
		at := time.UnixMicro(us).UTC()
		days, _ := types.SplitMicros(us)
		y, w := at.ISOWeek()
		gotY, gotW := isoWeek(days)
		if gotY != y || gotW != int64(w) || fieldDayOfYear.of(days) != int64(at.YearDay()) || fieldDayOfWeek.of(days) != int64(at.Weekday())+1 {
			t.Fatalf("%v: week %d-%d, day %d", at, gotY, gotW, fieldDayOfYear.of(days))
		}
		if year, week := weekOf(days, 3); year != y || week != int64(w) {
			t.Fatalf("%v: week of mode 3 is %d-%d", at, year, week)
		}
		if got, want := truncMicros(us, truncUnits["month"]), time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC).UnixMicro(); got != want {
			t.Fatalf("%v: month begins %d, want %d", at, got, want)
		}
		local := time.UnixMicro(us).In(zone)
		wall := momentToWall(zone, us)
		naive := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), time.UTC).UnixMicro()
		if wall != naive {
			t.Fatalf("%v: wall clock %d, want %d", local, wall, naive)
		}
		// Back from the wall clock is the same moment, or another at which the clock shows the same.
		if back := wallToMoment(zone, wall); momentToWall(zone, back) != wall {
			t.Fatalf("%v: wall clock %d comes back as %d", local, wall, back)
		}
	}
}

// TestFormatAgainstParse checks that what a format writes it also reads.
func TestFormatAgainstParse(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 3_000 {
		us := r.Int64N(4_000_000_000_000_000)
		for format, style := range map[string]formatStyle{"%Y-%m-%d %H:%i:%s.%f": mysqlFormat, "%d.%m.%Y %I:%M:%S.%f %p": cFormat, "%j of %Y, %T.%f": mysqlFormat} {
			text := appendFormatted(nil, us, []byte(format), style)
			if back, ok := parseFormatted(text, []byte(format), style); !ok || back != us {
				t.Fatalf("%s: %q reads back as %d, %v; want %d", format, text, back, ok, us)
			}
		}
	}
}

// TestRoundDouble compares rounding with exact decimal arithmetic.
func TestRoundDouble(t *testing.T) {
	f := func(x float64, places int, mode roundMode, want float64) {
		t.Helper()
		if got := roundDouble(x, places, mode); got != want {
			t.Errorf("round %g to %d (%d): got %g, want %g", x, places, mode, got, want)
		}
	}
	f(2.675, 2, roundHalf, 2.68)
	f(-2.675, 2, roundHalf, -2.68)
	f(2.671, 2, roundUp, 2.68)
	f(2.679, 2, roundDown, 2.67)
	f(-2.671, 2, roundDown, -2.68)
	f(-2.679, 2, roundToZero, -2.67)
	f(1e300, 2, roundHalf, 1e300)
	f(150, -2, roundHalf, 200)
	f(1e-300, 5, roundHalf, 0)
	f(0.5, 0, roundHalf, 1)
}

// TestCaseOfASCII compares the case functions with package bytes.
func TestCaseOfASCII(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 5_000 {
		s := make([]byte, r.IntN(40))
		for i := range s {
			s[i] = byte(r.IntN(128))
		}
		if got := appendLower(nil, s); !bytes.Equal(got, bytes.ToLower(s)) {
			t.Fatalf("lower %q: %q", s, got)
		}
		if got := appendUpper(nil, s); !bytes.Equal(got, bytes.ToUpper(s)) {
			t.Fatalf("upper %q: %q", s, got)
		}
	}
}
