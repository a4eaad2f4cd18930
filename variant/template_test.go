package variant

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func TestGlob(t *testing.T) {
	f := func(pattern, text string, want bool) {
		t.Helper()
		g := compileGlob(pattern)
		if got := g.match(text); got != want {
			t.Errorf("%q on %q: %v", pattern, text, got)
		}
	}
	f("cfg*", "cfg.deep.n", true)
	f("cfg*", "cfg", true)
	f("cfg*", "xcfg", false)
	f("*", "", true)
	f("**", "a/b.c", true)
	f("a?c", "abc", true)
	f("a?c", "aßc", true)
	f("a?c", "ac", false)
	f("a[bc]d", "acd", true)
	f("a[a-c]d", "add", false)
	f("a[!b]", "ac", true)
	f("a[^b]", "ab", false)
	f("a[]", "a", false)
	f("a[]b]", "a]", false)
	f("a[bc", "ab", false)
	f("a[", "a[", false)
	f(`a\*`, "a*", true)
	f(`a\*`, "ab", false)
	f(`a\`, `a\`, true)
	f(`[\]]`, "]", true)
	f("[a-]", "-", true)
	f("{a,b}", "a", false)
	f("{a,b}", "{a,b}", true)
	f("*a*b*c", "xxaxxbxxc", true)
	f("*a*b*c", "xxaxxcxxb", false)
	f("Qty", "qty", false)
	f(strings.Repeat("*a", 30)+"b", strings.Repeat("a", 3000), false)
}

func spec(entries ...any) *types.VariantSpec {
	s := &types.VariantSpec{}
	for i := 0; i < len(entries); i += 2 {
		p := entries[i].(string)
		e := types.TemplateEntry{Pattern: strings.TrimPrefix(p, "="), Exact: strings.HasPrefix(p, "="), Type: entries[i+1].(types.Type)}
		s.Template = append(s.Template, e)
	}
	return s
}

func TestTemplate(t *testing.T) {
	of := types.Of
	f := func(s *types.VariantSpec, doc, want string, removed int) {
		t.Helper()
		tmpl := NewTemplate(s)
		v, n := tmpl.Apply(build(doc))
		if got := dump(v)[0]; got != want || n != removed {
			t.Errorf("%s: apply gives %s (%d removed), want %s", doc, got, n, want)
		}
		for _, o := range []Options{{MinRows: 1}, {Plain: true}, {MaxSubcolumns: -1, CountDeclared: true}} {
			sh := NewShredder(tmpl)
			sh.BeginRow()
			feed(sh, doc)
			sh.EndRow()
			tree := sh.Finish(o)
			checkTree(t, tree)
			if got := dump(AssembleTree(tree))[0]; got != want || tree.Removed != removed {
				t.Errorf("%s: shredder gives %s (%d removed), want %s", doc, got, tree.Removed, want)
			}
		}
	}
	seed := spec("large_int_val", of(types.LargeInt), "string_val", of(types.Varchar), "decimal_val", types.DecimalOf(38, 9),
		"datetime_val", of(types.DateTime), "tz_val", of(types.TimestampTZ), "ip_val", of(types.IPv4))
	f(seed, `{"large_int_val":"123222222222222222222222","string_val":"Hello World","decimal_val":1.11111111,"datetime_val":"2025-05-16 11:11:11","tz_val":"2025-05-16 11:11:11+08:00","ip_val":"127.0.0.1"}`,
		`{"datetime_val":"2025-05-16 11:11:11","decimal_val":1.111111110,"ip_val":"127.0.0.1","large_int_val":123222222222222222222222,"string_val":"Hello World","tz_val":"2025-05-16 03:11:11+00:00"}`, 0)
	f(seed, `{"decimal_val":"1.11111111","ip_val":"127.xxxxxx.xxxx","large_int_val":"aaabbccc"}`, `{"decimal_val":1.111111110}`, 2)
	f(spec("Qty", of(types.Int)), `{"qty":"20","Qty":"50"}`, `{"Qty":50,"qty":"20"}`, 0)
	f(spec("a", of(types.Varchar)), `{"a":true}`, `{"a":"true"}`, 0)
	f(spec("a", of(types.Varchar)), `{"a":12111222113.0}`, `{"a":"12111222113"}`, 0)
	f(spec("a", of(types.Varchar)), `{"a":[1,{"z":1,"b":null}]}`, `{"a":"[1,{\"b\":null,\"z\":1}]"}`, 0)
	f(spec("a", of(types.Varchar)), `{"a":null}`, `{"a":null}`, 0)
	f(spec("a", of(types.Int)), `{"a":{"b":"1"}}`, `{"a":{"b":"1"}}`, 0)
	f(spec("a*", of(types.Int)), `{"a":{"b":"1","c":"x"},"b":"1"}`, `{"a":{"b":1},"b":"1"}`, 1)
	f(spec("a", of(types.Int)), `{"a":[1]}`, `{}`, 1)
	f(spec("a", of(types.Int)), `{"a":[{"x":[1,{}]},[2]],"b":[3]}`, `{"b":[3]}`, 1)
	f(spec("a", of(types.Int)), `{"a":1,"a":"x"}`, `{}`, 1)
	f(spec("a", types.ArrayOf(of(types.Int))), `{"a":["1",2.0,"x",null,[3],{"a":[1]}]}`, `{"a":[1,2,null,null,null,null]}`, 3)
	f(spec("a", types.ArrayOf(of(types.Int))), `{"a":5,"b":6}`, `{"b":6}`, 1)
	f(spec("a", types.ArrayOf(of(types.IPv6))), `{"a":["::1","x"]}`, `{"a":["::1",null]}`, 1)
	f(spec("a", of(types.Boolean)), `{"a":"1","b":1}`, `{"a":true,"b":1}`, 0)
	f(spec("a", of(types.Boolean)), `{"a":2}`, `{}`, 1)
	f(spec("a", of(types.TinyInt)), `{"a":300}`, `{}`, 1)
	f(spec("a", of(types.Float)), `{"a":"0.1"}`, `{"a":0.1}`, 0)
	f(spec("a", of(types.Date)), `{"a":20200101}`, `{}`, 1)
	f(spec("a", of(types.Date)), `{"a":"2020-01-01"}`, `{"a":"2020-01-01"}`, 0)
	f(spec("a", types.Type{Kind: types.DateTime}), `{"a":"2025-05-16 11:11:11.1"}`, `{"a":"2025-05-16 11:11:11"}`, 0)
	f(spec("a", types.DecimalOf(50, 2)), `{"a":"123456789012345678901234567890123456789012345.678"}`, `{"a":123456789012345678901234567890123456789012345.68}`, 0)
	f(spec("a", of(types.LargeInt)), `{"a":"170141183460469231731687303715884105727"}`, `{"a":170141183460469231731687303715884105727}`, 0)
	f(spec("a.b", of(types.Int)), `{"a":{"b":"1"},"a.b":"2"}`, `{"a":{"b":1},"a.b":2}`, 0)
	f(spec("a", of(types.Int)), `{"x":[{"a":"1"}]}`, `{"x":[{"a":"1"}]}`, 0)
	f(spec("*", of(types.Int)), `"1"`, `"1"`, 0)
	f(spec("s*", of(types.Varchar), "*", of(types.Int)), `{"s1":1,"t":"2"}`, `{"s1":"1","t":2}`, 0)
	f(spec("=s*", of(types.Varchar)), `{"s1":1,"s*":2}`, `{"s*":"2","s1":1}`, 0)
}

// TestTemplateColumns tests that declared paths are typed as declared and come back through pages and path reads.
func TestTemplateColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	all := []types.Type{types.Of(types.TinyInt), types.Of(types.SmallInt), types.Of(types.Int), types.Of(types.BigInt), types.Of(types.LargeInt), types.Of(types.Float),
		types.Of(types.Double), types.DecimalOf(9, 2), types.DecimalOf(18, 4), types.DecimalOf(38, 9), types.DecimalOf(60, 9), types.Of(types.Varchar), types.Of(types.Boolean),
		types.Of(types.Date), types.Of(types.DateTime), types.Of(types.TimestampTZ), types.Of(types.Time), types.Of(types.IPv4), types.Of(types.IPv6), types.Of(types.UUID), types.ArrayOf(types.Of(types.Int)), types.ArrayOf(types.Of(types.IPv4)), types.ArrayOf(types.DecimalOf(50, 1)), types.ArrayOf(types.Of(types.Varchar))}
	values := []string{"1", "-1.5", `"12"`, `"x"`, "null", "true", `{"a":1}`, "[1,\"2\"]", `["1.2.3.4",null,{},[1],"x",1e400,"17014118346046923173168730371588410572"]`, "[]", `"2020-02-03"`, `"2020-02-03 04:05:06.789"`, `"10:11:12"`, `"1.2.3.4"`, `"::2"`,
		`"f24f9b64-81fa-49d1-b74e-8c09a6e31c56"`, `"99999999999999999999"`, `"170141183460469231731687303715884105727"`, "1e400"}
	for _, typ := range all {
		tmpl := NewTemplate(spec("p", typ))
		docs := make([]string, 200)
		for i := range docs {
			docs[i] = `{"p":` + values[r.IntN(len(values))] + `,"q":` + values[r.IntN(len(values))] + `}`
		}
		s := NewShredder(tmpl)
		s.AppendVector(build(docs...))
		tree := s.Finish(Options{})
		checkTree(t, tree)
		applied, removed := tmpl.Apply(build(docs...))
		want := dump(applied)
		if tree.Removed != removed {
			t.Errorf("%s: %d removed, want %d", typ, tree.Removed, removed)
		}
		expectRows(t, typ.String(), dump(AssembleTree(tree)), func(i int) string { return want[i] })
		n := tree.Root.Child("p")
		if typ.Kind != types.Array && (n == nil || n.Kind == NodeScalar && !n.Type.Equal(typ)) {
			t.Errorf("%s: no typed column: %+v", typ, n)
		}
		path := []Step{{Key: "p"}}
		at := dump(PathVector(applied, path))
		expectRows(t, typ.String(), dump(Lookup(tree.Page(50, 150), path)), func(i int) string { return at[50+i] })
		cast := func(v *vec.Vector) []string {
			c, err := Cast(v, typ)
			if err != nil {
				t.Fatal(err)
			}
			return dump(c)
		}
		wantCast := cast(PathVector(applied, path))
		expectRows(t, typ.String(), cast(Lookup(tree, path)), func(i int) string { return wantCast[i] })
	}
}

func TestExactText(t *testing.T) {
	docs := []string{`{"a":[1e400,{"b":1.12345678901234567890123456789012345678901}],"c":1e999}`, `{"c":2}`, `1e400`}
	tree := shred(docs, Options{MinRows: 1})
	if len(tree.Exact) != 4 {
		t.Fatalf("%d exact values", len(tree.Exact))
	}
	text := AppendExact(nil, tree.Exact[:3])
	const want = `[["number","1e400","a",0],["number","1.12345678901234567890123456789012345678901","a",1,"b"],["number","1e999","c"]]`
	if string(text) != want {
		t.Errorf("got %s", text)
	}
	again, ok := ParseExact(text, 0)
	if !ok {
		t.Fatal("does not parse")
	}
	tree.Exact = append(again, tree.Exact[3])
	expectRows(t, "docs", dump(AssembleTree(tree)), func(i int) string { return docs[i] })
	for _, bad := range []string{"", "{}", `[["number"]]`, `[["number","x"]]`, `[["string","x"]]`, `[["number","1",true]]`, `[[1,"1"]]`} {
		if _, ok := ParseExact([]byte(bad), 0); ok {
			t.Errorf("%s parses", bad)
		}
	}
}

func TestMerge(t *testing.T) {
	of := types.Of
	f := func(a, b types.Type, want string) {
		t.Helper()
		if x, y := DescName(Merge(a, b)), DescName(Merge(b, a)); x != want || y != want {
			t.Errorf("%s + %s = %s, %s; want %s", a, b, x, y, want)
		}
	}
	f(of(types.Boolean), of(types.BigInt), "bigint")
	f(of(types.Boolean), of(types.TinyInt), "smallint")
	f(of(types.Boolean), of(types.Double), "double")
	f(of(types.Boolean), of(types.LargeInt), "largeint")
	f(of(types.Boolean), of(types.Varchar), "jsonb")
	f(of(types.TinyInt), of(types.BigInt), "bigint")
	f(of(types.TinyInt), of(types.Double), "double")
	f(of(types.Int), of(types.Double), "double")
	f(of(types.Int), of(types.Float), "jsonb")
	f(of(types.BigInt), of(types.Double), "jsonb")
	f(of(types.BigInt), of(types.LargeInt), "largeint")
	f(of(types.LargeInt), of(types.Double), "jsonb")
	f(of(types.Double), of(types.Varchar), "jsonb")
	f(types.ArrayOf(of(types.Double)), types.ArrayOf(of(types.Varchar)), "array<jsonb>")
	f(types.ArrayOf(of(types.BigInt)), of(types.BigInt), "jsonb")
	f(of(types.Null), of(types.Date), "datev2")
	f(of(types.Date), of(types.DateTime), "jsonb")
	f(types.DecimalOf(9, 2), types.DecimalOf(18, 2), "decimal64")
	f(types.DecimalOf(9, 2), types.DecimalOf(9, 3), "jsonb")
}

func TestAppendTypes(t *testing.T) {
	f := func(doc, want string) {
		t.Helper()
		meta, value := build(doc).VariantAt(0)
		if got := string(AppendTypes(nil, meta, value, nil)); got != want {
			t.Errorf("%s: got %s, want %s", doc, got, want)
		}
	}
	f(`{"b":{"c":1,"d":null},"a":"x","e":[1,2],"f":[],"g":{}}`, `{"a":"string","b.c":"bigint","e":"bigint"}`)
	f(`"12345"`, `{"":"string"}`)
	f("[1,true]", `{"":"bigint"}`)
	f("[1,1.1]", `{"":"jsonb"}`)
	f("[[1]]", `{"":"jsonb"}`)
	f(`{"a":[{"b":1}],"l":99999999999999999999,"d":1.1234567890123456789,"x":1e400}`, `{"a":"jsonb","d":"decimal128i","l":"largeint","x":"double"}`)
	f("null", "{}")
	v, _ := NewTemplate(spec("a", types.DecimalOf(38, 9), "b", types.ArrayOf(types.Of(types.IPv4)))).Apply(build(`{"a":1,"b":["1.1.1.1"]}`))
	meta, value := v.VariantAt(0)
	if got := string(AppendTypes(nil, meta, value, nil)); got != `{"a":"decimal128i","b":"ipv4"}` {
		t.Errorf("template: %s", got)
	}
	all := func(path []string) (types.Type, bool) { return types.Of(types.JSON), JoinPath(path) == "a" }
	if got := string(AppendTypes(nil, meta, value, all)); got != `{"a":"jsonb","b":"ipv4"}` {
		t.Errorf("reported: %s", got)
	}
}
