package jsonparse

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"unicode/utf8"
)

func TestAppendDouble(t *testing.T) {
	f := func(in float64, want string) {
		t.Helper()
		if got := string(AppendDouble([]byte("x"), in)); got != "x"+want {
			t.Errorf("%v: got %s, want %s", in, got, want)
		}
	}
	f(0, "0")
	f(math.Copysign(0, -1), "-0")
	f(5, "5")
	f(-100.5, "-100.5")
	f(1e20, "100000000000000000000")
	f(123456789012345680000, "123456789012345680000")
	f(1e21, "1e+21")
	f(1e30, "1e+30")
	f(-1.5e300, "-1.5e+300")
	f(0.000001, "0.000001")
	f(0.0000015, "0.0000015")
	f(0.0000001, "1e-7")
	f(1.5e-10, "1.5e-10")
	f(5e-324, "5e-324")
	f(math.MaxFloat64, "1.7976931348623157e+308")
	f(9007199254740992, "9007199254740992")
	f(9007199254740994, "9007199254740994")
	f(0.1, "0.1")
	f(math.NaN(), "null")
	f(math.Inf(-1), "null")
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		v := math.Float64frombits(rng.Uint64())
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		text := AppendDouble(nil, v)
		if back, err := strconv.ParseFloat(string(text), 64); err != nil || back != v {
			t.Fatalf("%v printed as %s", v, text)
		}
		if want, _ := json.Marshal(v); string(want) != string(text) {
			t.Fatalf("got %s, encoding/json %s", text, want)
		}
	}
}

func TestAppendQuoted(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := string(AppendQuoted([]byte("x"), []byte(in))); got != "x"+want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	f("", `""`)
	f("abc", `"abc"`)
	f("a\"b\\c/d", `"a\"b\\c/d"`)
	f("\b\f\n\r\t", `"\b\f\n\r\t"`)
	f("\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\"")
	f("é😀<>&\u2028", "\"é😀<>&\u2028\"")
	f("0123456789\n0123456789", `"0123456789\n0123456789"`)
}

func TestCompact(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got, err := Compact([]byte("x"), []byte(in)); err != nil || string(got) != "x"+want {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
	f(` { "a b" : [ 1.50 , "x\" y" , null ] }`+"\r\n", `{"a b":[1.50,"x\" y",null]}`)
	f(`1`, `1`)
	f("\t\"a\\\\\" ", `"a\\"`)
	if got, err := Compact([]byte("x"), []byte(`{"a":}`)); err == nil || string(got) != "x" {
		t.Errorf("got %s, %v", got, err)
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte(`{"a" : [1, "x\n"]}`))
	f.Add([]byte("a\x00\"\\é"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if utf8.Valid(text) {
			quoted := AppendQuoted(nil, text)
			var back string
			if err := json.Unmarshal(quoted, &back); err != nil || back != string(text) {
				t.Fatalf("%q quoted as %s: %q, %v", text, quoted, back, err)
			}
			if err := Valid(quoted); err != nil {
				t.Fatalf("%s: %v", quoted, err)
			}
		}
		if got, err := Compact(nil, text); err == nil {
			var want bytes.Buffer
			if err := json.Compact(&want, text); err != nil || want.String() != string(got) {
				t.Fatalf("%q: got %s, encoding/json %s, %v", text, got, want.String(), err)
			}
		}
	})
}
