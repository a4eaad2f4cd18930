package vec

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
)

// sample returns vectors of many types whose rows are in ascending order; the last row is NULL.
func sample() []*Vector {
	nan := math.NaN()
	long := strings.Repeat("m", 20)
	var all []*Vector
	add := func(t types.Type, fill func(b *Builder)) {
		b := NewBuilder(t, 0)
		fill(b)
		b.AppendNull()
		all = append(all, b.Finish())
	}
	add(types.Of(types.Boolean), func(b *Builder) { Append(b, false); Append(b, true) })
	add(types.Of(types.TinyInt), func(b *Builder) { Append(b, int8(-128)); Append(b, int8(-1)); Append(b, int8(0)); Append(b, int8(127)) })
	add(types.Of(types.SmallInt), func(b *Builder) { Append(b, int16(-300)); Append(b, int16(5)); Append(b, int16(300)) })
	add(types.Of(types.Int), func(b *Builder) { Append(b, int32(-70000)); Append(b, int32(0)); Append(b, int32(70000)) })
	add(types.Of(types.BigInt), func(b *Builder) {
		Append(b, int64(math.MinInt64))
		Append(b, int64(-1))
		Append(b, int64(math.MaxInt64))
	})
	add(types.Of(types.LargeInt), func(b *Builder) {
		Append(b, types.MinInt128)
		Append(b, types.Int128From(-1))
		Append(b, types.Int128From(7))
		Append(b, types.MaxInt128)
	})
	add(types.DecimalOf(60, 2), func(b *Builder) {
		Append(b, types.Int256From(types.MinInt128))
		Append(b, types.Int256From(types.Int128From(-5)))
		Append(b, types.Int256From(types.MaxInt128))
	})
	add(types.Of(types.Float), func(b *Builder) { Append(b, float32(-2.5)); Append(b, float32(0)); Append(b, float32(nan)) })
	add(types.Of(types.Double), func(b *Builder) {
		Append(b, math.Inf(-1))
		Append(b, -2.5)
		Append(b, 0.0)
		Append(b, 1e300)
		Append(b, math.Inf(1))
		Append(b, nan)
	})
	add(types.Of(types.Varchar), func(b *Builder) {
		for _, s := range []string{"", "a", "a\x00", "a\x00b", "ab", "abcd", "abcdefghi", "abcdefghij", long, long + "x", "é"} {
			b.AppendString(s)
		}
	})
	add(types.Of(types.IPv4), func(b *Builder) { Append(b, uint32(1)); Append(b, uint32(1<<31)) })
	add(types.Of(types.UUID), func(b *Builder) { Append(b, types.Uint128{Lo: 1}); Append(b, types.Uint128{Hi: 1 << 63}) })
	add(types.Of(types.Interval), func(b *Builder) {
		Append(b, types.IntervalValue{Days: -3})
		Append(b, types.IntervalValue{Months: 1})
		Append(b, types.IntervalValue{Days: 31})
	})
	add(types.ArrayOf(types.Of(types.BigInt)), func(b *Builder) {
		b.CloseList()
		Append(b.Child(0), int64(1))
		b.CloseList()
		Append(b.Child(0), int64(1))
		Append(b.Child(0), int64(2))
		b.CloseList()
		Append(b.Child(0), int64(2))
		b.CloseList()
	})
	add(types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "x", Type: types.Of(types.Int)}}}, func(b *Builder) {
		Append(b.Child(0), int32(1))
		b.CloseStruct()
		b.Child(0).AppendNull()
		b.CloseStruct()
	})
	return all
}

// forms returns v itself and the same rows as a dictionary with the entries in reverse.
func forms(v *Vector) []*Vector {
	n := v.Len - 1
	rev := make([]int32, n)
	d := &Vector{Type: v.Type, Form: Dictionary, Len: v.Len, Codes: make([]uint32, v.Len), Valid: v.Valid}
	for i := range rev {
		rev[i] = int32(n - 1 - i)
		d.Codes[i] = uint32(n - 1 - i)
	}
	d.Dict = GatherRows(v, rev)
	d.Dict.Valid = nil
	return []*Vector{v, d}
}

func TestOrderAgrees(t *testing.T) {
	for _, v := range sample() {
		for _, f := range forms(v) {
			for _, o := range []Order{{}, {Desc: true}, {NullsFirst: true}, {true, true}} {
				prefix := make([]uint64, f.Len)
				exact := SortPrefix(f, o, prefix)
				for i := range f.Len {
					for j := range f.Len {
						want := cmp.Compare(i, j)
						if last := f.Len - 1; i == last || j == last {
							if o.NullsFirst {
								want = -want
							}
						} else if o.Desc {
							want = -want
						}
						name := fmt.Sprintf("%s form %d rows %d, %d %+v", v.Type, f.Form, i, j, o)
						if got := CompareRows([]*Vector{v}, i, []*Vector{f}, j, []Order{o}); got != want {
							t.Errorf("CompareRows %s: got %d, want %d", name, got, want)
						}
						if got := bytes.Compare(AppendSortKey(nil, v, i, o), AppendSortKey(nil, f, j, o)); got != want {
							t.Errorf("AppendSortKey %s: got %d, want %d", name, got, want)
						}
						got := cmp.Compare(prefix[i], prefix[j])
						if got != want && (exact || got != 0) {
							t.Errorf("SortPrefix %s: got %d, want %d (exact %v)", name, got, want, exact)
						}
					}
				}
			}
		}
	}
}

func TestHashAndEqualAgree(t *testing.T) {
	for _, v := range sample() {
		var hashes []uint64
		for _, f := range forms(v) {
			h := make([]uint64, f.Len)
			HashColumns([]*Vector{f}, f.Len, h)
			if hashes == nil {
				hashes = h
			}
			seen := map[uint64]bool{}
			for i := range h {
				if h[i] != hashes[i] {
					t.Errorf("%s row %d: form %d hashes differently", v.Type, i, f.Form)
				}
				seen[h[i]] = true
				one := make([]uint64, 1)
				HashColumns([]*Vector{NewConstant(GatherRows(v, []int32{int32(i)}), 1)}, 1, one)
				if c := Flatten(f).Slice(i, i+1); one[0] != h[i] {
					t.Errorf("%s row %d: constant hashes differently (%v)", v.Type, i, c.Data)
				}
			}
			if len(seen) != f.Len {
				t.Errorf("%s: only %d hashes of %d values", v.Type, len(seen), f.Len)
			}
			for _, nullEqual := range []bool{true, false} {
				var ia, ib []int32
				var match []bool
				for i := range f.Len {
					for j := range f.Len {
						ia, ib, match = append(ia, int32(i)), append(ib, int32(j)), append(match, true)
					}
				}
				EqualRows(v, ia, f, ib, nullEqual, match)
				for k := range match {
					want := ia[k] == ib[k] && (nullEqual || int(ia[k]) != f.Len-1)
					if match[k] != want {
						t.Errorf("EqualRows %s %d, %d: got %v", v.Type, ia[k], ib[k], match[k])
					}
				}
			}
		}
	}
}

func TestHashSpecialDoubles(t *testing.T) {
	f := func(a, b float64, same bool) {
		t.Helper()
		if got := HashFloat64(a) == HashFloat64(b); got != same {
			t.Errorf("hash of %g and %g equal: %v", a, b, got)
		}
	}
	f(0, math.Copysign(0, -1), true)
	f(math.NaN(), math.Float64frombits(0xfff8000000000001), true)
	f(1, -1, false)
	if orderFloat(0) != orderFloat(math.Copysign(0, -1)) {
		t.Error("-0 and 0 have different sort prefixes")
	}
}

func TestHashBytesLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 70 {
		s := make([]byte, n)
		for i := range s {
			s[i] = byte(r.Uint32())
		}
		h := make([]uint64, 1)
		b := NewBuilder(types.Of(types.Binary), 1)
		b.AppendBytes(s)
		HashColumns([]*Vector{b.Finish()}, 1, h)
		if h[0] != HashBytes(s) {
			t.Errorf("length %d: view and bytes hash differently", n)
		}
		for i := range s {
			c := bytes.Clone(s)
			c[i] ^= 1
			if HashBytes(c) == h[0] {
				t.Errorf("length %d: byte %d does not count", n, i)
			}
		}
	}
}

func TestSelectTrue(t *testing.T) {
	b := NewBuilder(types.Of(types.Boolean), 0)
	var want Sel
	for i := range 300 {
		switch i % 3 {
		case 0:
			Append(b, true)
			want = append(want, uint16(i))
		case 1:
			Append(b, false)
		default:
			b.AppendNull()
		}
	}
	v := b.Finish()
	if got := SelectTrue(v); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v", got)
	}
	if got := SelectTrue(NewConstant(v.Slice(0, 1), 3)); fmt.Sprint(got) != "[0 1 2]" {
		t.Errorf("constant true: %v", got)
	}
	if got := SelectTrue(NewNull(v.Type, 3)); len(got) != 0 {
		t.Errorf("constant NULL: %v", got)
	}
	if got := want.Complement(300); len(got) != 200 || got[0] != 1 {
		t.Errorf("complement: %v", got)
	}
}

func TestConcat(t *testing.T) {
	for _, v := range sample() {
		f := forms(v)
		all := Concat(v.Type, f[0], f[1], NewConstant(v.Slice(0, 1), 2), NewNull(v.Type, 1), f[0].Slice(1, v.Len))
		want := NewBuilder(v.Type, 0)
		want.AppendVector(v)
		want.AppendVector(v)
		want.AppendFrom(v, 0)
		want.AppendFrom(v, 0)
		want.AppendNull()
		want.AppendVector(v.Slice(1, v.Len))
		w := want.Finish()
		if all.Len != w.Len {
			t.Fatalf("%s: %d rows", v.Type, all.Len)
		}
		for i := range w.Len {
			if CompareNullsLast(all, i, w, i) != 0 {
				t.Errorf("%s row %d differs", v.Type, i)
			}
		}
	}
}
