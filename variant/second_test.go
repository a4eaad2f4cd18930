package variant

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func TestSecondKind(t *testing.T) {
	f := func(want string, counts map[string]int) {
		t.Helper()
		var docs []string
		for doc, n := range counts {
			for range n {
				docs = append(docs, `{"a":`+doc+`}`)
			}
		}
		tree := shred(docs, Options{})
		n := tree.Root.Child("a")
		got := "none"
		if n != nil && n.Second != nil {
			got = fmt.Sprint(n.Second.Type, " ", n.Second.Len)
			if len(n.SecondRows) != n.Second.Len {
				t.Errorf("%d rows of %d values", len(n.SecondRows), n.Second.Len)
			}
			v := dump(FromVector(n.Second))
			for i, r := range n.SecondRows {
				if w := dump(Lookup(tree, []Step{{Key: "a"}}))[r]; v[i] != w {
					t.Errorf("row %d is %s, want %s", r, v[i], w)
				}
			}
		}
		if got != want {
			t.Errorf("%v: %s, want %s", counts, got, want)
		}
		expectRows(t, "docs", dump(AssembleTree(tree)), func(i int) string { return docs[i] })
	}
	f("VARCHAR 6", map[string]int{"1": 94, `"x"`: 6})
	f("none", map[string]int{"1": 95, `"x"`: 5})
	f("BIGINT 30", map[string]int{"1": 30, `"x"`: 40, "true": 20})
	f("BOOLEAN 20", map[string]int{"1.5": 30, "1": 10, "true": 20})
	f("none", map[string]int{"1.5": 30, "1": 30, "null": 40})
	f("DOUBLE 30", map[string]int{"1.5": 30, "9007199254740993": 31})
	f("none", map[string]int{"[1]": 30, "1": 30, "{}": 31})
}

// splitKinds gives a vector of the values of v with typed parts for the integers, the doubles and, if texts, the texts.
func splitKinds(v *vec.Vector, texts bool) *vec.Vector {
	ints, doubles, strs := vec.NewBuilder(types.Of(types.BigInt), 0), vec.NewBuilder(types.Of(types.Double), 0), vec.NewBuilder(types.Of(types.Varchar), 0)
	rest := *v
	valid := vec.NewBitmap(v.Len)
	for i := range v.Len {
		var s scalar
		if !v.IsNull(i) && !IsNull(v.Bytes(i)) && !isContainer(v.Bytes(i)) {
			s.decode(v.Bytes(i))
		}
		add := func(b *vec.Builder, has bool, f func()) {
			if has {
				f()
			} else {
				b.AppendNull()
			}
		}
		add(ints, s.kind == BigInt, func() { vec.Append(ints, s.i) })
		add(doubles, s.kind == Double, func() { vec.Append(doubles, s.f) })
		add(strs, texts && s.kind == String, func() { strs.AppendBytes(s.b) })
		if !v.IsNull(i) && !IsNull(v.Bytes(i)) && s.kind != BigInt && s.kind != Double && (!texts || s.kind != String) {
			valid.Set(i)
		}
	}
	rest.Valid = valid
	out := &rest
	if valid.Count(v.Len) == 0 {
		out = nil
	}
	for _, b := range []*vec.Builder{strs, doubles, ints} {
		if b != strs || texts {
			out = &vec.Vector{Type: v.Type, Form: vec.Shredded, Len: v.Len, Typed: b.Finish(), Rest: out}
		}
	}
	return out
}

// TestSeveralTypedParts runs everything that takes Shredded vectors on some with two and three typed parts.
func TestSeveralTypedParts(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 4))
	for round := range 60 {
		docs := make([]string, 1+r.IntN(150))
		for i := range docs {
			switch k := r.IntN(10); {
			case k < 3:
				docs[i] = fmt.Sprint(r.Int64() >> r.IntN(64))
			case k < 5:
				docs[i] = fmt.Sprint(float64(r.IntN(1000)) / 8)
			case k < 8:
				docs[i] = fmt.Sprintf("%q", []string{"x", "12", "2.5", "true", "2024-01-02", fmt.Sprint("a text that is out of line ", r.IntN(9))}[r.IntN(6)])
			case round%3 > 0:
				docs[i] = randomDoc(r, 2)
			default:
				docs[i] = "NULL"
			}
		}
		v := build(docs...)
		s := splitKinds(v, round%2 == 0)
		what := fmt.Sprint("round ", round)
		noNulls := func(v *vec.Vector) []string {
			f := *Flatten(v)
			f.Valid = NotNull(&f)
			return dump(&f)
		}
		same := func(name string, got, want []string) {
			t.Helper()
			expectRows(t, what+" "+name, got, func(i int) string { return want[i] })
		}
		same("flatten", dump(Flatten(s)), noNulls(v))
		for _, typ := range []types.Type{types.Of(types.Varchar), types.Of(types.BigInt), types.Of(types.Int), types.Of(types.Double), types.DecimalOf(20, 3),
			types.Of(types.Boolean), types.Of(types.Date), types.ArrayOf(types.Of(types.BigInt)), types.Of(types.Binary), {Kind: types.Varchar, Length: 3}} {
			got, err := Cast(s, typ)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := Cast(v, typ)
			same(typ.String(), dump(got), dump(want))
		}
		for _, c := range []*vec.Vector{vec.NewFlat(types.Of(types.BigInt), []int64{12}, nil), vec.NewFlat(types.Of(types.Double), []float64{2.5}, nil), textOf("x"), textOf("12")} {
			a, validA := CompareConst(s, c)
			b, validB := CompareConst(v, c)
			for i := range a {
				if validA.Get(i) != validB.Get(i) || validA.Get(i) && a[i] != b[i] {
					t.Fatalf("%s compare with %s: row %d gives %d %v, want %d %v", what, c.Type, i, a[i], validA.Get(i), b[i], validB.Get(i))
				}
			}
		}
		steps := []Step{{Key: "a"}}
		same("path", dump(PathVector(s, steps)), dump(PathVector(v, steps)))
		flat := *v
		flat.Valid = NotNull(v)
		for _, steps := range [][]Step{nil, steps} {
			same("exists", dump(Exists(s, steps)), dump(Exists(&flat, steps)))
		}
		sh := NewShredder(nil)
		sh.AppendVector(s)
		same("shredder", dump(AssembleTree(sh.Finish(Options{MinRows: 1}))), noNulls(v))
		rows := []int32{int32(r.IntN(len(docs))), -1, 0}
		same("gather", dump(vec.GatherRows(s, rows)), dump(vec.GatherRows(&flat, rows)))
		if k := len(docs) / 2; k > 0 {
			same("slice", dump(s.Slice(k, len(docs))), noNulls(v)[k:])
		}
	}
}

func textOf(s string) *vec.Vector {
	b := vec.NewBuilder(types.Of(types.Varchar), 1)
	b.AppendString(s)
	return b.Finish()
}
