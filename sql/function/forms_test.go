package function

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// awkward are texts from which values of all types are read: limits, units, formats, patterns, paths, documents.
var awkward = []string{
	"", " ", "a", "abc", "Ünïcödé 字", "a,b,c", "%d", "%Y-%m-%d", "yyyy", "day", "month", "HOUR", "Asia/Tokyo", "UTC", "$.a[0]", "$.a", "[a-c]+", "(b)", "i", "g",
	"0", "1", "-1", "2", "3", "7", "127", "-128", "32767", "2147483647", "-2147483648", "9223372036854775807", "-9223372036854775808", "1.5", "-2.5", "0.001",
	"1e10", "1e300", "-1e300", "NaN", "Infinity", "true", "false", "2024-02-29", "1969-12-31 23:59:59.999999", "9999-12-31 23:59:59", "0001-01-01", "2024-03-31 02:30:00",
	"12:34:56.789", "1 month", "-1 day 02:00:00", "127.0.0.1", "::1", "https://user@www.example.com:80/p/a?x=1&y=2#f", "550e8400-e29b-41d4-a716-446655440000",
	`{"a":[1,2,{"b":null}],"c":"x"}`, `[1,"x",null]`, `"text"`, "null", "deadbeef", "YWJj", "\xff\xfe",
}

// randomColumn makes n values of a type, about one in five NULL.
func randomColumn(r *rand.Rand, t types.Type, n int) *vec.Vector {
	if t.Kind == types.Null {
		return vec.NewNull(t, n)
	}
	b := vec.NewBuilder(t, n)
	for range n {
		if r.IntN(5) == 0 {
			b.AppendNull()
			continue
		}
		switch t.Kind {
		case types.Array:
			size := r.IntN(5)
			elems := randomColumn(r, *t.Elem, size)
			for e := range size {
				b.Child(0).AppendFrom(elems, e)
			}
			b.CloseList()
		case types.Map:
			for e := range r.IntN(3) {
				b.Child(0).Child(0).AppendString(string(rune('a' + e)))
				b.Child(0).Child(1).AppendFrom(randomColumn(r, t.Fields[1].Type, 1), 0)
				b.Child(0).CloseStruct()
			}
			b.CloseList()
		case types.Struct:
			for k, f := range t.Fields {
				b.Child(k).AppendFrom(randomColumn(r, f.Type, 1), 0)
			}
			b.CloseStruct()
		default:
			b.AppendFrom(randomValue(r, t), 0)
		}
	}
	return b.Finish()
}

// randomValue reads awkward texts until one is a value of the type.
func randomValue(r *rand.Rand, t types.Type) *vec.Vector {
	for range 500 {
		text := vec.NewBuilder(types.Of(types.Varchar), 1)
		text.AppendString(awkward[r.IntN(len(awkward))])
		if t.Kind == types.Binary {
			return text.Finish().Retype(t)
		}
		v, err := Cast(testCtx, text.Finish(), t, true)
		if err == nil && !v.IsNull(0) {
			return flatten(v)
		}
	}
	return flatten(vec.NewNull(t, 1))
}

// signatureTypes turns the words of a documented signature into types; the word T gets one type for all places.
func signatureTypes(r *rand.Rand, text string) []types.Type {
	scalar := []types.Type{
		types.Of(types.Boolean), types.Of(types.TinyInt), types.Of(types.Int), types.Of(types.BigInt), types.Of(types.LargeInt), types.DecimalOf(9, 2), types.DecimalOf(30, 4),
		types.Of(types.Float), types.Of(types.Double), types.Of(types.Varchar), types.Of(types.Date), types.Of(types.DateTime), types.Of(types.TimestampTZ), types.Of(types.Interval),
	}
	numbers := scalar[1:9]
	pick := func(list []types.Type) types.Type { return list[r.IntN(len(list))] }
	common := pick(scalar)
	in := text[1:strings.Index(text, ") ->")]
	in = strings.NewReplacer("[", ", ", "]", "", "...", "", "decimal(p, s)", "decimal").Replace(in)
	var out []types.Type
	for _, w := range strings.Split(in, ",") {
		w = strings.TrimSpace(w)
		t, known := wordTypes[typeWord(w)]
		switch {
		case w == "":
			continue
		case known:
		case w == "any":
			t = pick(append(scalar, types.ArrayOf(types.Of(types.Int)), types.Of(types.Variant)))
		case w == "T":
			t = common
		case w == "array<T>", w == "array<any>":
			t = types.ArrayOf(common)
		case w == "number", w == "array<number>":
			if t = pick(numbers); w != "number" {
				t = types.ArrayOf(t)
			}
		case w == "integer":
			t = pick(numbers[:4])
		case w == "decimal":
			t = pick(numbers[4:6])
		case w == "map":
			t = types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: types.Of(types.Varchar), NotNull: true}, {Name: "value", Type: common}}}
		case w == "struct":
			t = types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "a", Type: common}, {Name: "b", Type: types.Of(types.Varchar)}}}
		default:
			return nil
		}
		out = append(out, t)
	}
	return out
}

// randomCall resolves a signature for random types and makes its columns; s is nil if that is not possible.
func randomCall(t *testing.T, r *rand.Rand, name, text string, n int) (s *Scalar, cols []*vec.Vector) {
	var args []Arg
	for _, typ := range signatureTypes(r, text) {
		a := Arg{Type: typ}
		v := randomColumn(r, typ, n)
		if r.IntN(2) == 0 {
			one := flatten(v.Slice(0, 1))
			a.Const, v = one, vec.NewConstant(one, n)
		}
		args, cols = append(args, a), append(cols, v)
	}
	s, err := Resolve(name, args, TotalOrder)
	if err != nil || s.Volatile {
		return nil, nil
	}
	for i, v := range cols {
		cast, err := Cast(testCtx, v, s.Args[i], true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cols[i] = cast
	}
	return s, cols
}

// TestForms calls every function over random columns and compares the result with that of each row by itself, with the rows as entries of
// a dictionary, and with what the function promises about errors and NULLs.
func TestForms(t *testing.T) {

	const n = 12
	r := rand.New(rand.NewPCG(7, 7))
	called := 0
	for _, d := range scalarOrder {
		for _, sig := range d.sigs {
			for range 4 {
				s, cols := randomCall(t, r, d.names[0], sig.text, n)
				if s == nil {
					continue
				}
				called++
				compareForms(t, s, cols, n)
			}
		}
	}
	if called < 1000 {
		t.Errorf("only %d calls", called)
	}
	for name := range neverFail {
		if scalars[name] == nil || scalars[name].names[0] != name {
			t.Errorf("%s is no main name of a function", name)
		}
	}
}

func compareForms(t *testing.T, s *Scalar, cols []*vec.Vector, n int) {
	t.Helper()
	describe := func(i int) string {
		parts := make([]string, len(cols))
		for k, c := range cols {
			parts[k] = fmt.Sprintf("%q::%s", show(c, i), c.Type)
		}
		return s.Name + "(" + strings.Join(parts, ", ") + ")"
	}
	single := make([]string, n)
	failed := false
	for i := range n {
		args := make([]*vec.Vector, len(cols))
		for k, c := range cols {
			args[k] = vec.NewConstant(flatten(c.Slice(i, i+1)), 1)
		}
		v, err := s.Kernel(testCtx, args, 1)
		if err != nil {
			if s.Infallible() || sqlerr.KindOf(err) == sqlerr.Internal {
				t.Errorf("%s: %v", describe(i), err)
			}
			failed = true
			continue
		}
		if !v.Type.Equal(s.Ret) {
			t.Fatalf("%s has type %s, not %s", describe(i), v.Type, s.Ret)
		}
		checkNulls(t, s, args, v)
		single[i] = show(v, 0)
	}
	forms := [][]*vec.Vector{cols, nil}
	for _, c := range cols {
		if c.Form == vec.Flat && isScalar(c.Type) && c.Type.Kind != types.Null {
			entries := *c
			entries.Valid = nil
			codes := make([]uint32, n)
			for i := range codes {
				codes[i] = uint32(i)
			}
			c = &vec.Vector{Type: c.Type, Form: vec.Dictionary, Len: n, Codes: codes, Dict: &entries, Valid: c.Valid}
		}
		forms[1] = append(forms[1], c)
	}
	for _, args := range forms {
		v, err := s.Kernel(testCtx, args, n)
		if (err != nil) != failed {
			t.Errorf("%s: whole column %v, rows by themselves fail: %v", describe(0), err, failed)
			continue
		}
		for i := 0; err == nil && i < n; i++ {
			if got := show(v, i); got != single[i] {
				t.Errorf("%s = %s, by itself %s", describe(i), got, single[i])
			}
		}
	}
}
