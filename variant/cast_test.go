package variant

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// forms returns the rows of a flat variant vector in several forms that must behave alike, among them Shredded with each kind typed.
func forms(docs ...string) []*vec.Vector {
	out := []*vec.Vector{build(docs...)}
	for _, first := range docs {
		// The kind of one document, repeated until it is the most frequent, becomes the typed column.
		if first == "NULL" {
			continue
		}
		many := append([]string(nil), docs...)
		for range len(docs) + 1 {
			many = append(many, first)
		}
		v := Lookup(shred(many, Options{MinRows: 1}), nil)
		out = append(out, v.Slice(0, len(docs)))
	}
	// A dictionary for the typed texts.
	for _, v := range out {
		if v.Form == vec.Shredded && v.Typed.Type.Kind == types.Varchar {
			d := *v
			dict := &vec.Vector{Type: v.Typed.Type, Form: vec.Dictionary, Len: v.Len, Codes: make([]uint32, v.Len), Valid: v.Typed.Valid}
			b := vec.NewBuilder(v.Typed.Type, v.Len)
			b.AppendString("unused")
			for i := range v.Len {
				if !v.Typed.IsNull(i) {
					dict.Codes[i] = uint32(b.Len())
					b.AppendBytes(v.Typed.Bytes(i))
				}
			}
			dict.Dict = b.Finish()
			d.Typed = dict
			return append(out, &d)
		}
	}
	return out
}

func TestCast(t *testing.T) {
	f := func(to types.Type, pairs ...string) {
		t.Helper()
		var docs, want []string
		for i := 0; i < len(pairs); i += 2 {
			docs, want = append(docs, pairs[i]), append(want, pairs[i+1])
		}
		for _, v := range forms(docs...) {
			c, err := Cast(v, to)
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range dump(c) {
				if got != want[i] {
					t.Errorf("form %d, cast %s to %s: got %s, want %s", v.Form, docs[i], to, got, want[i])
				}
			}
			one, _ := Cast(vec.NewConstant(Flatten(v).Slice(0, 1), 3), to)
			if got := dump(one); len(got) != 3 || got[2] != want[0] {
				t.Errorf("constant %s to %s: got %s", docs[0], to, got)
			}
		}
	}
	of := types.Of
	f(of(types.Int), "1", "1", "2.5", "3", "-2.5", "-3", `"7"`, "7", `"7.5"`, "8", `" 12 "`, "12", `"aaa"`, "NULL", "3333333333", "NULL", "true", "1",
		`{"a":1}`, "NULL", "[1]", "NULL", "null", "NULL", "NULL", "NULL", "1e400", "NULL", "2.0", "2", "12345678901234567890.4", "NULL")
	f(of(types.BigInt), "9007199254740993", "9007199254740993", "1e300", "NULL", "1.1234567890123456789", "1", `"9223372036854775807"`, "9223372036854775807",
		`"9223372036854775808"`, "NULL", "-9.3e18", "NULL", "-9223372036854775808", "-9223372036854775808")
	f(of(types.TinyInt), "127", "127", "128", "NULL", "-128.4", "-128", "false", "0")
	f(of(types.LargeInt), "99999999999999999999", "99999999999999999999", `"170141183460469231731687303715884105727"`, "170141183460469231731687303715884105727",
		"1e30", "1000000000000000019884624838656", `"1e2"`, "100", "123456789012345678901234567890123456789012345", "NULL")
	f(of(types.Double), "1", "1", "1e400", "NULL", `"1.5"`, "1.5", "true", "1", "12345678901234567890.5", "12345678901234567000", "9007199254740993", "9007199254740992", `"x"`, "NULL")
	f(of(types.Float), "0.1", "0.1", "1e300", "NULL", "16777217", "16777216")
	f(types.DecimalOf(9, 3), "12.345", "12.345", "1.2345", "1.235", "-1.2345", "-1.235", "1000000", "NULL", "999999.9995", "NULL", `"1.1"`, "1.100", "true", "1.000")
	f(types.DecimalOf(38, 9), "1.11111111", "1.111111110", "188118222.011121933", "188118222.011121933", "12345678901234567890.5", "12345678901234567890.500000000")
	f(types.DecimalOf(76, 10), "123456789012345678901234567890123456789012345.5", "123456789012345678901234567890123456789012345.5000000000", "5", "5.0000000000")
	f(of(types.Boolean), "1", "true", "0", "false", "0.0", "false", "2.5", "true", `"true"`, "true", `"x"`, "NULL", "true", "true", "[]", "NULL")
	f(of(types.Varchar), "1", `"1"`, "1.50", `"1.5"`, "true", `"true"`, `"x y"`, `"x y"`, `{"b":1,"a":"q"}`, `"{\"a\":\"q\",\"b\":1}"`, "[1,null]", `"[1,null]"`, "null", "NULL",
		`"a text that does not fit into a view"`, `"a text that does not fit into a view"`, "1e400", `"1e400"`, "NULL", "NULL")
	f(types.Type{Kind: types.Varchar, Length: 3}, "12345", `"123"`, `"äöüß"`, `"äöü"`, `"a text that does not fit into a view"`, `"a t"`)
	f(of(types.Date), `"2021-01-02"`, `"2021-01-02"`, "20210102", "NULL", `"2021-13-01"`, "NULL")
	f(of(types.DateTime), `"2021-01-02 03:04:05.5"`, `"2021-01-02 03:04:05.5"`, `"2021-01-02"`, `"2021-01-02 00:00:00"`, "1", "NULL")
	f(types.Type{Kind: types.DateTime, Precision: 0}, `"2025-05-16 11:11:11.9"`, `"2025-05-16 11:11:11"`, `"1969-12-31 23:59:59.9"`, `"1969-12-31 23:59:59"`)
	f(of(types.TimestampTZ), `"2025-05-16 11:11:11+08:00"`, `"2025-05-16 03:11:11+00:00"`)
	f(of(types.Time), `"12:34:56"`, `"12:34:56"`)
	f(of(types.IPv4), `"127.0.0.1"`, `"127.0.0.1"`, `"127.x"`, "NULL", "1", "NULL")
	f(of(types.IPv6), `"::1"`, `"::1"`, `"1.2.3.4"`, `"::ffff:1.2.3.4"`)
	f(of(types.UUID), `"F24F9B64-81fa-49d1-b74e-8c09a6e31c56"`, `"f24f9b64-81fa-49d1-b74e-8c09a6e31c56"`)
	f(of(types.Binary), `"hello"`, `"aGVsbG8="`, "1", "NULL")
	f(types.ArrayOf(of(types.Int)), `["1",2,1.1]`, "[1,2,1]", "[[[1]]]", "[null]", "[]", "[]", `{"a":1}`, "NULL", `"[1, \"2\", null]"`, "[1,2,null]", `"[]"`, "[]", `"[1,]"`, "NULL", "5", "NULL", "NULL", "NULL")
	f(types.ArrayOf(of(types.Varchar)), "[123.1]", `["123.1"]`, `["a text that does not fit into a view",{"k":[1]},true]`, `["a text that does not fit into a view","{\"k\":[1]}","true"]`, `"[]"`, "[]")
	f(types.ArrayOf(types.ArrayOf(of(types.BigInt))), "[[1],[2,3],4]", "[[1],[2,3],null]")
	f(of(types.JSON), `{"a":1}`, `{"a":1}`, "5", "5")
	f(types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "a", Type: of(types.Int)}, {Name: "b", Type: of(types.Varchar)}}},
		`{"a":"1","b":2,"c":3}`, `{"a":1,"b":"2"}`, "5", "NULL", "{}", `{"a":null,"b":null}`)
	for _, bad := range []types.Type{{Kind: types.Map, Fields: []types.Field{{Type: of(types.Int)}, {Type: of(types.Int)}}}, of(types.Interval)} {
		if _, err := Cast(build("1"), bad); sqlerr.KindOf(err) != sqlerr.Type {
			t.Errorf("cast to %s: %v", bad, err)
		}
	}
}

// TestCastCase is what users report as a neighbour's value showing up in another row.
func TestCastCase(t *testing.T) {
	docs := []string{"[4,5]", `{"qty":1}`, `{"qty":"few"}`, `{"qty":null}`, `{"qty":"7"}`, `{"qty":2.0}`, `{"qty":true}`, `{"qty":{"k":1}}`, "{}"}
	want := []string{"NULL", "1", "NULL", "NULL", "7", "2", "1", "NULL", "NULL"}
	path := []Step{{Key: "qty"}}
	for _, v := range []*vec.Vector{PathVector(build(docs...), path), Lookup(shred(docs, Options{MinRows: 1}), path)} {
		c, err := Cast(v, types.Of(types.Int))
		if err != nil {
			t.Fatal(err)
		}
		expectRows(t, "qty", dump(c), func(i int) string { return want[i] })
		null := make([]string, v.Len)
		for i := range null {
			null[i] = fmt.Sprint(!NotNull(v).Get(i))
		}
		if got := strings.Join(null, " "); got != "true false false true false false false false true" {
			t.Errorf("null: %s", got)
		}
	}
	exists := Exists(build(docs...), path)
	if got := fmt.Sprint(vec.Slice[bool](exists)); got != "[false true true true true true true true false]" {
		t.Errorf("exists: %s", got)
	}
}

func constant(t types.Type, text string) *vec.Vector {
	doc := text
	if t.Kind != types.Boolean && !t.IsNumeric() || strings.Contains(text, "N") {
		doc = fmt.Sprintf("%q", text)
	}
	c, err := Cast(build(doc), t)
	if err != nil || c.IsNull(0) {
		panic(fmt.Sprintf("no constant %s of type %s", text, t))
	}
	return c
}

func TestCompareConst(t *testing.T) {
	f := func(to types.Type, c string, pairs ...string) {
		t.Helper()
		var docs, want []string
		for i := 0; i < len(pairs); i += 2 {
			docs, want = append(docs, pairs[i]), append(want, pairs[i+1])
		}
		for _, v := range forms(docs...) {
			got, valid := CompareConst(v, constant(to, c))
			for i := range docs {
				s := "NULL"
				if valid.Get(i) {
					s = string("<=>"[got[i]+1])
				}
				if s != want[i] {
					t.Errorf("form %d: %s %s %s, want %s", v.Form, docs[i], s, c, want[i])
				}
			}
		}
	}
	of := types.Of
	f(of(types.Int), "10", "10.4", ">", "10", "=", "10.0", "=", `"10"`, "=", `"10.00"`, "=", `" +9"`, "<", `"x"`, "NULL", "true", "NULL", "[]", "NULL", "null", "NULL", "1e400", ">", "-1e400", "<", "NULL", "NULL", `"nan"`, "NULL")
	f(of(types.BigInt), "9007199254740992", "9007199254740993", ">", "9007199254740992.0", "=", `"9007199254740993"`, ">", "9007199254740991", "<")
	f(of(types.BigInt), "9007199254740993", "9007199254740993", "=", "9007199254740992.0", "<", "9007199254740994.0", ">", `"9007199254740993.0"`, "=")
	f(types.DecimalOf(3, 1), "10.4", "10.4", "=", "10", "<", "11", ">", "10.40000000000000000000001", ">", `"10.4"`, "=")
	f(types.DecimalOf(20, 19), "0.1000000000000000000", "0.1", "=", `"0.1"`, "=", "0.1000000000000000055511151231257827", ">", "0", "<", "-5", "<")
	f(of(types.Double), "0.1", "0.1", "=", "0.3", ">", "0", "<", "1", ">", "99999999999999999999", ">", "1.1234567890123456789", ">")
	f(of(types.LargeInt), "99999999999999999999", "99999999999999999999", "=", "1", "<", "1e20", ">", "1e400", ">", "99999999999999999998", "<", "99999999999999999999.5", ">")
	f(of(types.Varchar), "5", "5", "=", `"5"`, "=", "50", ">", "true", ">", `"10"`, "<", `{"a":1}`, ">", "null", "NULL")
	f(of(types.Boolean), "true", "true", "=", "false", "<", "1", "=", "0", "<", `"true"`, "=", `"x"`, "NULL", "[1]", "NULL")
	f(of(types.Date), "2021-01-02", `"2021-01-02"`, "=", `"2021-01-02 00:00:01"`, ">", `"2021-01-01"`, "<", "5", "NULL", `"x"`, "NULL")
	f(of(types.DateTime), "2021-01-02 12:00:00", `"2021-01-02"`, "<", `"2021-01-02 12:00:00"`, "=")
	f(of(types.IPv4), "10.0.0.1", `"10.0.0.1"`, "=", `"10.0.0.2"`, ">", `"x"`, "NULL")
}

func TestTotalOrder(t *testing.T) {
	sorted := []string{"null", "false", "true", "-1e400", "-9223372036854775808", "-1.5", "0", "1e-400", "0.1", "0.10000000000000000000000000001", "1", "9007199254740992",
		"9007199254740993", "99999999999999999999", "1e300", "1e400", `""`, `"10"`, `"9"`, `"a"`, "[]", "[1]", "[1,2]", "[2]", `["a"]`, "{}", `{"a":1}`, `{"a":1,"b":2}`, `{"a":2}`, `{"b":0}`}
	v := build(sorted...)
	for i := range sorted {
		for j := range sorted {
			am, a := v.VariantAt(i)
			bm, b := v.VariantAt(j)
			if got := Compare(am, a, bm, b); got != cmpInt(int64(i), int64(j)) {
				t.Errorf("compare %s with %s: %d", sorted[i], sorted[j], got)
			}
		}
	}
	equal := build("5", "5.0", "5.00000000000000000000", "0.5e1", "0", "-0.0", `{"a":1,"b":[2]}`, `{"b":[2.0],"a":1.0}`)
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {0, 3}, {4, 5}, {6, 7}} {
		am, a := equal.VariantAt(pair[0])
		bm, b := equal.VariantAt(pair[1])
		if !Equal(am, a, bm, b) || Hash(am, a) != Hash(bm, b) {
			t.Errorf("rows %v differ", pair)
		}
	}
	decimal := FromVector(constant(types.DecimalOf(10, 4), "0.1"))
	dm, d := decimal.VariantAt(0)
	om, o := build("0.1").VariantAt(0)
	if !Equal(dm, d, om, o) || Hash(dm, d) != Hash(om, o) {
		t.Error("the decimal 0.1 differs from the JSON number 0.1")
	}
	nan := FromVector(vec.NewFlat(types.Of(types.Double), []float64{math.NaN(), math.Inf(1)}, nil))
	nm, n := nan.VariantAt(0)
	im, inf := nan.VariantAt(1)
	if Compare(nm, n, im, inf) != 1 || Compare(nm, n, nm, n) != 0 || dump(nan)[0] != `"NaN"` || dump(nan)[1] != `"Infinity"` {
		t.Error("NaN")
	}
}

func TestFromVector(t *testing.T) {
	of := types.Of
	nested := types.Type{Kind: types.Struct, Fields: []types.Field{
		{Name: "z", Type: types.ArrayOf(of(types.Int))},
		{Name: "m", Type: types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: of(types.Int)}, {Name: "value", Type: of(types.Varchar)}}}},
		{Name: "v", Type: of(types.Variant)},
	}}
	b := vec.NewBuilder(nested, 2)
	vec.Append(b.Child(0).Child(0), int32(1))
	b.Child(0).Child(0).AppendNull()
	b.Child(0).CloseList()
	entry := b.Child(1).Child(0)
	vec.Append(entry.Child(0), int32(7))
	entry.Child(1).AppendString("seven")
	entry.CloseStruct()
	b.Child(1).CloseList()
	b.Child(2).AppendFrom(build(`{"q":[1.5]}`), 0)
	b.CloseStruct()
	b.AppendNull()
	v := b.Finish()
	want := []string{`{"m":{"7":"seven"},"v":{"q":[1.5]},"z":[1,null]}`, "NULL"}
	expectRows(t, "nested", dump(FromVector(v)), func(i int) string { return want[i] })
	expectRows(t, "constant", dump(FromVector(vec.NewConstant(v.Slice(0, 1), 2))), func(int) string { return want[0] })
	interval := vec.NewFlat(of(types.Interval), []types.IntervalValue{{Months: 1, Days: -2, Micros: 1_500_000}, {}}, nil)
	want = []string{`"P1M-2DT1.5S"`, `"PT0S"`}
	expectRows(t, "interval", dump(FromVector(interval)), func(i int) string { return want[i] })
}

// TestCastLongTextsOfTwoKinds casts a path whose typed values have texts too long for views, beside others in the residual.
func TestCastLongTextsOfTwoKinds(t *testing.T) {
	docs := []string{"12345678901234567", `"a text that is out of line"`, "12345678901234568", "[1234567890123,4]", "12345678901234569"}
	tree := shred(docs, Options{MinRows: 1})
	c, err := Cast(Lookup(tree, nil), types.Of(types.Varchar))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"12345678901234567", "a text that is out of line", "12345678901234568", "[1234567890123,4]", "12345678901234569"}
	for i := range want {
		if got := string(c.Bytes(i)); got != want[i] {
			t.Errorf("row %d: %q, want %q", i, got, want[i])
		}
	}
}
