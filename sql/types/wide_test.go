package types

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func randomInt128(r *rand.Rand) Int128 {
	v := Int128{r.Uint64(), int64(r.Uint64())}
	switch r.IntN(4) {
	case 0:
		return Int128From(int64(r.Uint64()) >> r.IntN(64))
	case 1:
		return Int128{v.Lo, v.Hi >> r.IntN(64)}
	}
	return v
}

func TestInt128AgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fits := func(b *big.Int) bool { _, ok := Int128FromBig(b); return ok }
	for range 200_000 {
		a, b := randomInt128(r), randomInt128(r)
		check := func(op string, got Int128, ok bool, want *big.Int) {
			if ok != fits(want) || ok && got.Big().Cmp(want) != 0 {
				t.Fatalf("%v %s %v = %v (%v), want %v", a, op, b, got, ok, want)
			}
		}
		s, ok := a.Add(b)
		check("+", s, ok, new(big.Int).Add(a.Big(), b.Big()))
		s, ok = a.Sub(b)
		check("-", s, ok, new(big.Int).Sub(a.Big(), b.Big()))
		s, ok = a.Mul(b)
		check("*", s, ok, new(big.Int).Mul(a.Big(), b.Big()))
		if b.Sign() != 0 && !(a == MinInt128 && b == Int128From(-1)) {
			q, m := a.QuoRem(b)
			wq, wm := new(big.Int).QuoRem(a.Big(), b.Big(), new(big.Int))
			check("/", q, true, wq)
			check("%", m, true, wm)
		}
		if a.String() != a.Big().String() {
			t.Fatalf("%v prints %s", a.Big(), a.String())
		}
		if p, ok := ParseInt128([]byte(a.String())); !ok || p != a {
			t.Fatalf("%v reads back as %v", a, p)
		}
		if f, _ := new(big.Float).SetInt(a.Big()).Float64(); f != a.Float64() {
			t.Fatalf("%v as float %v, want %v", a, a.Float64(), f)
		}
		if a.Cmp(b) != a.Big().Cmp(b.Big()) {
			t.Fatalf("cmp %v %v", a, b)
		}
	}
}

func TestInt128FromFloat(t *testing.T) {
	f := func(in float64, want string, ok bool) {
		t.Helper()
		got, fits := Int128FromFloat(in)
		if fits != ok || ok && got.String() != want {
			t.Errorf("%g: got %s, %v; want %s, %v", in, got, fits, want, ok)
		}
	}
	f(0, "0", true)
	f(-1.9, "-1", true)
	f(1e30, "1000000000000000019884624838656", true)
	f(math.NaN(), "", false)
	f(math.Inf(1), "", false)
	f(0x1p127, "", false)
	f(-0x1p127, "-170141183460469231731687303715884105728", true)
}

func TestInt256AgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		a := Int256{r.Uint64(), r.Uint64(), r.Uint64(), uint64(int64(r.Uint64()) >> r.IntN(64))}
		b := Int256From(randomInt128(r))
		s, ok := a.Add(b)
		want := new(big.Int).Add(a.Big(), b.Big())
		if w, fits := Int256FromBig(want); fits != ok || ok && w != s {
			t.Fatalf("%v + %v", a, b)
		}
		d, ok := a.Sub(b)
		want.Sub(a.Big(), b.Big())
		if w, fits := Int256FromBig(want); fits != ok || ok && w != d {
			t.Fatalf("%v - %v", a, b)
		}
		if a.Cmp(b) != a.Big().Cmp(b.Big()) {
			t.Fatalf("cmp %v %v", a, b)
		}
	}
}

func TestTypeStrings(t *testing.T) {
	f := func(in Type, want string) {
		t.Helper()
		if got := in.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(DecimalOf(10, 2), "DECIMAL(10, 2)")
	f(ArrayOf(Of(Int)), "ARRAY<INT>")
	f(Of(DateTime), "DATETIME")
	f(Type{Kind: DateTime, Precision: 3}, "DATETIME(3)")
	f(Type{Kind: Varchar, Length: 20}, "VARCHAR(20)")
	f(Type{Kind: Variant, Variant: &VariantSpec{Template: []TemplateEntry{{Pattern: "a*", Type: Of(BigInt)}}}}, "VARIANT<'a*' : BIGINT>")
}
