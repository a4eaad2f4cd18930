package function

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func TestNumberCasts(t *testing.T) {
	f := checker(t)
	f("1::bigint", "1 -> BIGINT")
	f("300::tinyint", "error: value 300 (INT) is out of range for TINYINT")
	f("300::?tinyint", "NULL")
	f("-128::tinyint", "-128")
	f("2.5::int", "3")
	f("-2.5::int", "-3")
	f("2.4999::int", "2")
	f("2.5e0::int", "3")
	f("-2.5e0::bigint", "-3")
	f("1e30::bigint", "error: value 1e+30 (DOUBLE) is out of range for BIGINT")
	f("1e30::largeint", "1000000000000000019884624838656")
	f("9223372036854775807::double", "9223372036854776000 -> DOUBLE")
	f("170141183460469231731687303715884105727::bigint", "error: out of range")
	f("170141183460469231731687303715884105727::double", "1.7014118346046923e+38")
	f("5::boolean", "true")
	f("0.0::boolean", "false")
	f("true::int", "1")
	f("true::double", "1")
	f("12.345::decimal(9,2)", "12.35 -> DECIMAL(9, 2)")
	f("-12.345::decimal(9,2)", "-12.35")
	f("12.345::decimal(30,5)", "12.34500")
	f("12.345::decimal(60,5)", "12.34500")
	f("12.345::decimal(60,5)::decimal(5,2)", "12.35")
	f("12.345::decimal(60,5)::decimal(25,2)", "12.35")
	f("12.345::decimal(60,5)::int", "12")
	f("12.345::decimal(60,5)::double", "12.345")
	f("99999::decimal(4,0)", "error: out of range for DECIMAL(4, 0)")
	f("99999::?decimal(4,0)", "NULL")
	f("0.1e0::decimal(20,18)", "0.100000000000000000")
	f("0.1e0::float::decimal(20,18)", "0.100000000000000000")
	f("0.1e0::decimal(38,20)", "0.10000000000000000000")
	f("0.1e0::decimal(50,20)", "0.10000000000000000000")
	f("1.7014118346046923e+38::decimal(38,0)", "error: out of range")
	f("123456789.987654321::double", "123456789.98765433")
	f("3.4e39::float", "error: out of range for FLOAT")
	f("7::float", "7 -> FLOAT")
	f("1e300::decimal(76,0)", "error: DECIMAL(76, 0)")
	f("2::decimal(38,10)::tinyint", "2")
	f("200::decimal(38,10)::tinyint", "error: out of range")
	f("32767::int::smallint", "32767 -> SMALLINT")
	f("5::tinyint::smallint", "5 -> SMALLINT")
	f("5::smallint::int", "5 -> INT")
}

func TestTextCasts(t *testing.T) {
	f := checker(t)
	f("' 42 '::int", "42")
	f("'42.5'::int", "43")
	f("'abc'::int", "error: cannot convert 'abc' (VARCHAR) to INT")
	f("'abc'::?int", "NULL")
	f("'99999999999'::int", "error: value '99999999999' (VARCHAR) is out of range for INT")
	f("'1e2'::bigint", "100")
	f("''::int", "error: cannot convert '' (VARCHAR) to INT")
	f("'170141183460469231731687303715884105728'::largeint", "error: out of range")
	f("'12.345'::decimal(5,2)", "12.35")
	f("'x'::decimal(5,2)", "error: cannot convert 'x'")
	f("'12345'::decimal(4,2)", "error: out of range")
	f("' 1.5 '::double", "1.5")
	f("'1e999'::double", "error: out of range for DOUBLE")
	f("'NaN'::double", "NaN")
	f("'TRUE'::boolean", "true")
	f("'maybe'::boolean", "error: cannot convert 'maybe'")
	f("'2024-02-29'::date", "2024-02-29")
	f("'2023-02-29'::date", "error: cannot convert '2023-02-29' (VARCHAR) to DATE")
	f("'2024-02-29 10:20:30.5'::datetime", "2024-02-29 10:20:30.5")
	f("'2024-02-29 10:20:30.987'::datetime(0)", "2024-02-29 10:20:30 -> DATETIME(0)")
	f("'2024-02-29T10:20:30Z'::datetime", "2024-02-29 19:20:30")
	f("'2024-02-29 10:20:30'::timestamptz", "2024-02-29 10:20:30+09:00")
	f("'2024-02-29 10:20:30+00:00'::timestamptz", "2024-02-29 19:20:30+09:00")
	f("'2024-02-29 10:20:30'::date", "2024-02-29")
	f("'10:20:30'::time", "10:20:30")
	f("'1 day 2 hours'::interval", "1 day 02:00:00")
	f("'x days'::interval", "error: cannot convert")
	f("'127.0.0.1'::ipv4", "127.0.0.1")
	f("'::1'::ipv6", "::1")
	f("'F47AC10B-58CC-4372-A567-0E02B2C3D479'::uuid", "f47ac10b-58cc-4372-a567-0e02b2c3d479")
	f("'zz'::uuid", "error: cannot convert")
	f("'abc'::varchar(3)", "abc -> VARCHAR(3)")
	f("'äöü'::varchar(3)", "äöü")
	f("'abcd'::varchar(3)", "error: longer than 3 characters")
	f("12345::varchar(3)", "error: longer than 3 characters")
	f("'abcd'::?varchar(3)", "NULL")
	f("'[1, \"2\", null]'::array<int>", "[1,2,null]")
	f("'{}'::array<int>", "error: no array")
	f("'[1'::array<int>", "error: cannot convert")
}

func TestCastsToText(t *testing.T) {
	f := checker(t)
	f("5::varchar", "5 -> VARCHAR")
	f("-1.50::varchar", "-1.50")
	f("1e30::varchar", "1e+30")
	f("0.1e0::float::varchar", "0.1")
	f("true::varchar", "true")
	f("'2024-02-29'::date::varchar", "2024-02-29")
	f("'2024-02-29 01:02:03'::datetime::varchar", "2024-02-29 01:02:03")
	f("'2024-02-29 01:02:03+09:00'::timestamptz::varchar", "2024-02-29 01:02:03+09:00")
	f("[1, 2, NULL]::varchar", "[1,2,null]")
	f("['a', 'b\"c']::varchar", `["a","b\"c"]`)
	f("'ab'::binary::varchar", "ab")
	f("unhex('ff')::varchar", "error: cannot convert")
	f("'-14 months 3 days -1:30:00'::interval::varchar", "-1 year -2 months 3 days -01:30:00")
	f("'-14 months 3 days -01:30:00.25'::interval::varchar", "-1 year -2 months 3 days -01:30:00.25")
	f("'200 hours'::interval::varchar", "200:00:00")
}

func TestTimeCasts(t *testing.T) {
	f := checker(t)
	f("'2024-02-29'::date::datetime", "2024-02-29 00:00:00")
	f("'2024-02-29'::date::timestamptz", "2024-02-29 00:00:00+09:00")
	f("'2024-02-29 23:59:59'::datetime::date", "2024-02-29")
	f("'1969-12-31 23:59:59'::datetime::date", "1969-12-31")
	f("'2024-02-29 15:30:00+00:00'::timestamptz::date", "2024-03-01")
	f("'2024-02-29 15:30:00+00:00'::timestamptz::datetime", "2024-03-01 00:30:00")
	f("'2024-02-29 15:30:00+00:00'::timestamptz::time", "00:30:00")
	f("'2024-02-29 15:30:00.75'::datetime::time", "15:30:00.75")
	f("'2024-02-29 15:30:00.789'::datetime::datetime(1)", "2024-02-29 15:30:00.7")
	f("'1969-12-31 23:59:59.95'::datetime::datetime(1)", "1969-12-31 23:59:59.9")
	f("5::date", "error: there is no cast from INT to DATE")
}

func TestVariantCasts(t *testing.T) {
	f := checker(t)
	f(`'{"a":[1,2.50]}'::variant`, `{"a":[1,2.5]} -> VARIANT`)
	f(`'{"a":'::variant`, "error: cannot convert '{\"a\":' (VARCHAR) to VARIANT: invalid JSON: expected a value")
	f(`'{"a":'::?variant`, "NULL")
	f(`'"x"'::variant::varchar`, "x")
	f(`'12.345'::variant::decimal(9,3)`, "12.345")
	f(`'12.5'::variant::int`, "13")
	f(`'"aaa"'::variant::int`, "NULL")
	f(`'{"a":1}'::variant::int`, "NULL")
	f(`'["1",2,1.1]'::variant::array<int>`, "[1,2,1]")
	f(`5::variant`, "5")
	f(`'2024-02-29'::date::variant`, "2024-02-29")
	f(`'null'::variant::int`, "NULL")
	f(`'{"a":1}'::json`, `{"a":1} -> JSON`)
	f(`'{"a":1}'::json::variant`, `{"a":1} -> VARIANT`)
	f(`[1, 2]::array<varchar>`, `["1","2"]`)
	f(`[1, 300]::array<tinyint>`, "error: out of range for TINYINT")
	f(`[1, 300]::?array<tinyint>`, "[1,null]")
}

func TestAddressCasts(t *testing.T) {
	f := checker(t)
	f("'1.2.3.4'::ipv4::ipv6", "::ffff:1.2.3.4")
	f("'1.2.3.4'::ipv4::ipv6::ipv4", "1.2.3.4")
	f("'1.2.3.4'::ipv4::bigint", "16909060")
	f("16909060::bigint::ipv4", "1.2.3.4")
	f("'::1'::ipv6::ipv4", "error: cannot convert")
}

func TestAssign(t *testing.T) {
	f := func(v string, to string, rounding bool, want string) {
		t.Helper()
		n := (&reader{t: t, s: v}).node()
		in, err := n.eval(t, asFlat)
		if err != nil {
			t.Fatal(err)
		}
		c := *testCtx
		c.Rounding = rounding
		out, err := Assign(&c, in, testType(t, to), false)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = show(out, 0)
		}
		if got != want {
			t.Errorf("%s to %s: got %s, want %s", v, to, got, want)
		}
	}
	f("1.5", "int", false, "conversion error: value 1.5 (DECIMAL(2, 1)) would lose digits as INT")
	f("1.5", "int", true, "2")
	f("2.0", "int", false, "2")
	f("2.5e0", "bigint", false, "conversion error: value 2.5 (DOUBLE) would lose digits as BIGINT")
	f("'1.5'", "int", false, "conversion error: value '1.5' (VARCHAR) would lose digits as INT")
	f("1.25", "decimal(9,1)", false, "conversion error: value 1.25 (DECIMAL(3, 2)) would lose digits as DECIMAL(9, 1)")
	f("5", "varchar", false, "5")
	f("'2024-01-01 10:00:00'::datetime", "date", false, "conversion error: value '2024-01-01 10:00:00' (DATETIME) would lose digits as DATE")
}

// TestDecimalCastsAgainstBig compares casts between random DECIMALs with exact arithmetic.
func TestDecimalCastsAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 8_000 {
		fromP, toP := 1+r.IntN(76), 1+r.IntN(76)
		fromS, toS := r.IntN(fromP+1), r.IntN(toP+1)
		digits := new(big.Int)
		for range 1 + r.IntN(fromP) {
			digits.Mul(digits, big.NewInt(10))
			digits.Add(digits, big.NewInt(int64(r.IntN(10))))
		}
		if r.IntN(2) == 0 {
			digits.Neg(digits)
		}
		from, to := types.DecimalOf(fromP, fromS), types.DecimalOf(toP, toS)
		b := vec.NewBuilder(from, 1)
		if !appendBig(b, from, digits) {
			t.Fatalf("%s does not fit %s", digits, from)
		}
		got, err := Cast(testCtx, b.Finish(), to, false)
		x := new(big.Rat).SetFrac(digits, bigPow10(fromS))
		want := roundRat(x.Mul(x, new(big.Rat).SetInt(bigPow10(toS))), roundHalf)
		fitsType := want.CmpAbs(bigPow10(toP)) < 0
		switch {
		case (err == nil) != fitsType:
			t.Fatalf("%s %s to %s: error %v", digits, from, to, err)
		case err == nil && wholeAt(got, 0).Cmp(want) != 0:
			t.Fatalf("%s %s to %s: got %s, want %s", digits, from, to, wholeAt(got, 0), want)
		}
		double, _ := Cast(testCtx, vecOf(t, from, digits), types.Of(types.Double), false)
		exact := new(big.Rat).SetFrac(digits, bigPow10(fromS))
		nearest, _ := exact.Float64()
		if d := vec.Slice[float64](double)[0]; d != nearest {
			t.Fatalf("%s %s to DOUBLE: got %g, want %g", digits, from, d, nearest)
		}
	}
}

func vecOf(t *testing.T, dt types.Type, x *big.Int) *vec.Vector {
	b := vec.NewBuilder(dt, 1)
	if !appendBig(b, dt, x) {
		t.Fatalf("%s does not fit %s", x, dt)
	}
	return b.Finish()
}

// TestDecimalArithmeticAgainstBig compares + - * / % of random DECIMALs with exact arithmetic.
func TestDecimalArithmeticAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	random := func() (types.Type, *big.Int) {
		p := 1 + r.IntN([]int{18, 38, 60}[r.IntN(3)])
		s := r.IntN(min(p, 20) + 1)
		x := new(big.Int)
		for range 1 + r.IntN(p) {
			x.Mul(x, big.NewInt(10))
			x.Add(x, big.NewInt(int64(r.IntN(10))))
		}
		if r.IntN(2) == 0 {
			x.Neg(x)
		}
		return types.DecimalOf(p, s), x
	}
	for range 8_000 {
		at, a := random()
		bt, b := random()
		op := []string{"+", "-", "*", "/", "%"}[r.IntN(5)]
		s, err := Resolve(op, []Arg{{Type: at}, {Type: bt}})
		if err != nil {
			t.Fatal(err)
		}
		x, errX := Cast(testCtx, vecOf(t, at, a), s.Args[0], false)
		y, errY := Cast(testCtx, vecOf(t, bt, b), s.Args[1], false)
		if errX != nil || errY != nil {
			continue // beyond the cap of 38 digits, which is reported
		}
		got, err := s.Kernel(testCtx, []*vec.Vector{x, y}, 1)
		ra, rb := new(big.Rat).SetFrac(a, bigPow10(int(at.Scale))), new(big.Rat).SetFrac(b, bigPow10(int(bt.Scale)))
		want := new(big.Rat)
		switch op {
		case "+":
			want.Add(ra, rb)
		case "-":
			want.Sub(ra, rb)
		case "*":
			want.Mul(ra, rb)
		default:
			if b.Sign() == 0 {
				if sqlerr.KindOf(err) != sqlerr.OutOfRange {
					t.Fatalf("%s %s 0: %v", ra, op, err)
				}
				continue
			}
			if want.Quo(ra, rb); op == "%" {
				q := new(big.Int).Quo(want.Num(), want.Denom())
				want.Sub(ra, new(big.Rat).Mul(rb, new(big.Rat).SetInt(q)))
			}
		}
		w := roundRat(want.Mul(want, new(big.Rat).SetInt(bigPow10(int(s.Ret.Scale)))), roundHalf)
		fitsType := w.CmpAbs(bigPow10(int(s.Ret.Precision))) < 0
		switch {
		case err != nil && fitsType, err == nil && !fitsType:
			t.Fatalf("%s %s %s as %s: error %v, want %s", ra, op, rb, s.Ret, err, w)
		case err == nil && wholeAt(got, 0).Cmp(w) != 0:
			t.Fatalf("%s %s %s as %s: got %s, want %s", ra, op, rb, s.Ret, wholeAt(got, 0), w)
		}
	}
}

func TestCanCast(t *testing.T) {
	f := func(from, to string, want Castability) {
		t.Helper()
		if got := CanCast(testType(t, from), testType(t, to)); got != want {
			t.Errorf("%s to %s: got %d, want %d", from, to, got, want)
		}
	}
	f("int", "bigint", Implicit)
	f("bigint", "int", Explicit)
	f("variant", "bigint", Implicit)
	f("variant", "varchar", Implicit)
	f("variant", "ipv6", Implicit)
	f("variant", "array<int>", Explicit)
	f("variant", "interval", No)
	f("varchar", "variant", Implicit)
	f("int", "variant", Explicit)
	f("date", "datetime", Implicit)
	f("datetime", "date", Explicit)
	f("int", "date", No)
	f("varchar", "int", Explicit)
	f("array<int>", "array<bigint>", Implicit)
	f("array<int>", "int", No)
	m := types.Type{Kind: types.Map, Fields: []types.Field{{Type: types.Of(types.Varchar)}, {Type: types.Of(types.Int)}}}
	if CanCast(types.Of(types.Variant), m) != No {
		t.Error("VARIANT casts to MAP")
	}
}

func TestCommonType(t *testing.T) {
	f := func(a, b, want string) {
		t.Helper()
		for _, pair := range [][2]string{{a, b}, {b, a}} {
			got, ok := CommonType(testType(t, pair[0]), testType(t, pair[1]))
			text := got.String()
			if !ok {
				text = "none"
			}
			if text != want {
				t.Errorf("%s with %s: got %s, want %s", pair[0], pair[1], text, want)
			}
		}
	}
	f("tinyint", "bigint", "BIGINT")
	f("int", "double", "DOUBLE")
	f("int", "float", "DOUBLE")
	f("int", "decimal(5,2)", "DECIMAL(12, 2)")
	f("decimal(5,2)", "decimal(10,5)", "DECIMAL(10, 5)")
	f("largeint", "decimal(38,38)", "DOUBLE")
	f("boolean", "int", "INT")
	f("varchar(5)", "varchar(9)", "VARCHAR(9)")
	f("varchar", "int", "VARCHAR")
	f("date", "datetime", "DATETIME")
	f("date", "int", "none")
	f("variant", "int", "VARIANT")
	f("array<int>", "array<double>", "ARRAY<DOUBLE>")
	f("array<int>", "int", "none")
	f("ipv4", "ipv6", "IPV6")
}

func TestIntervalText(t *testing.T) {
	f := func(in types.IntervalValue, want string) {
		t.Helper()
		if got := string(AppendInterval(nil, in)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if back, ok := ParseInterval([]byte(want)); !ok || vec.CompareIntervals(back, in) != 0 {
			t.Errorf("%q reads back as %+v", want, back)
		}
	}
	f(types.IntervalValue{}, "00:00:00")
	f(types.IntervalValue{Months: 14, Days: -2}, "1 year 2 months -2 days")
	f(types.IntervalValue{Micros: 1_500_000}, "00:00:01.5")
	f(types.IntervalValue{Days: 1, Micros: -3_600_000_000}, "1 day -01:00:00")
	if got := string(AppendInterval(nil, types.IntervalValue{Micros: math.MinInt64})); got != "-2562047788:00:54.775808" {
		t.Errorf("least interval prints %s", got)
	}
}
