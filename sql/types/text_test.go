package types

import (
	"math"
	"testing"
	"time"
)

func TestCivilAgainstTime(t *testing.T) {
	for d := int32(-800_000); d < 800_000; d += 97 {
		want := time.Unix(int64(d)*86400, 0).UTC()
		y, m, day := CivilFromDays(d)
		if y != want.Year() || m != int(want.Month()) || day != want.Day() || DaysFromCivil(y, m, day) != d {
			t.Fatalf("day %d: %d-%d-%d, want %v", d, y, m, day, want)
		}
	}
}

func TestDateTimeText(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		us, zoned, ok := ParseDateTime([]byte(in))
		got := "bad"
		if ok && zoned {
			got = string(AppendTimestampTZ(nil, us))
		} else if ok {
			got = string(AppendDateTime(nil, us))
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	f("2025-05-16 11:11:11", "2025-05-16 11:11:11")
	f("2025-05-16T11:11:11.25", "2025-05-16 11:11:11.25")
	f("2025-05-16 11:11:11+08:00", "2025-05-16 03:11:11+00:00")
	f("2025-05-16T11:11:11Z", "2025-05-16 11:11:11+00:00")
	f("2025-05-16 11:11", "2025-05-16 11:11:00")
	f("2025-05-16", "2025-05-16 00:00:00")
	f("1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999")
	f("0001-01-01 00:00:00", "0001-01-01 00:00:00")
	f("2025-02-29", "bad")
	f("2025-13-01", "bad")
	f("9:30", "bad")
	f("12", "bad")
	f("2025-05-16 24:00:00", "bad")
	f("2025-05-16 11:11:11 x", "bad")
	f("", "bad")
}

func TestDecimalText(t *testing.T) {
	f := func(in string, scale int, want string) {
		t.Helper()
		v, inexact, ok := ParseDecimal([]byte(in), scale)
		got := "bad"
		if ok {
			got = string(AppendDecimal256(nil, v, scale))
			if inexact {
				got = "~" + got
			}
		}
		if got != want {
			t.Errorf("%q at %d: got %s, want %s", in, scale, got, want)
		}
	}
	f("1.11111111", 9, "1.111111110")
	f("12.345", 3, "12.345")
	f("12.345", 2, "~12.35")
	f("-12.345", 2, "~-12.35")
	f("0.004", 2, "~0.00")
	f("0.0005", 3, "~0.001")
	f("1e3", 1, "1000.0")
	f("1.5e-3", 4, "0.0015")
	f("123456789012345678901234567890.12", 2, "123456789012345678901234567890.12")
	f(" 7 ", 0, "7")
	f("1e77", 0, "bad")
	f("1e999999999", 0, "bad")
	f("", 0, "bad")
	f(".", 0, "bad")
	f("1.2.3", 0, "bad")
	f("abc", 0, "bad")
	f("-0.5", 0, "~-1")
}

func TestDoubleText(t *testing.T) {
	f := func(in float64, want string) {
		t.Helper()
		if got := string(AppendDouble(nil, in)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f(5, "5")
	f(100.5, "100.5")
	f(1e30, "1e+30")
	f(1e-7, "1e-7")
	f(0.000001, "0.000001")
	f(1e20, "100000000000000000000")
	f(1e21, "1e+21")
	f(1.25e-10, "1.25e-10")
	f(math.Copysign(0, -1), "-0")
	f(math.Inf(-1), "-Infinity")
	if got := string(AppendFloat(nil, 0.1)); got != "0.1" {
		t.Errorf("float32 0.1 prints %s", got)
	}
}

func TestNetText(t *testing.T) {
	f := func(got []byte, ok bool, want string) {
		t.Helper()
		if !ok {
			got = []byte("bad")
		}
		if string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	v4, ok := ParseIPv4([]byte("127.0.0.1"))
	f(AppendIPv4(nil, v4), ok, "127.0.0.1")
	_, ok = ParseIPv4([]byte("127.xxxxxx.xxxx"))
	f(nil, ok, "bad")
	v6, ok := ParseIPv6([]byte("2001:DB8:0:0:0:0:0:1"))
	f(AppendIPv6(nil, v6), ok, "2001:db8::1")
	u, ok := ParseUUID([]byte("F47AC10B-58CC-4372-A567-0E02B2C3D479"))
	f(AppendUUID(nil, u), ok, "f47ac10b-58cc-4372-a567-0e02b2c3d479")
	_, ok = ParseUUID([]byte("F47AC10B-58CC-4372-A567-0E02B2C3D47"))
	f(nil, ok, "bad")
}
