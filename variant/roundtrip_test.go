package variant

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
)

// randomDoc makes a JSON document that is likely to collide with others in paths and kinds.
func randomDoc(r *rand.Rand, depth int) string {
	switch n := r.IntN(14); {
	case n < 6 && depth > 0:
		var members []string
		used := map[string]bool{}
		for range r.IntN(6) {
			k := randomKey(r)
			if !used[k] {
				used[k] = true
				members = append(members, fmt.Sprintf("%q:%s", k, randomDoc(r, depth-1)))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	case n == 6 && depth > 0:
		return randomArray(r, depth)
	case n == 7:
		return "null"
	case n == 8:
		return []string{"true", "false"}[r.IntN(2)]
	case n == 9:
		return []string{"1.5", "-0.0", "1e300", "123.456", "1e-7", "2.0"}[r.IntN(6)]
	case n == 10:
		return []string{"9223372036854775808", "-99999999999999999999", "1.1234567890123456789", "0.10000000000000000000000000001",
			"123456789012345678901234567890123456789012345", "1e400", "12345678901234567890.5", "1.12345678901234567890123456789012345678901"}[r.IntN(8)]
	case n == 11:
		return fmt.Sprint(r.Int64() >> r.IntN(64))
	}
	return fmt.Sprintf("%q", strings.Repeat(randomKey(r), r.IntN(5)))
}

// randomArray makes an array of values of one kind, of objects with optional and repeated members, of arrays, or of anything.
func randomArray(r *rand.Rand, depth int) string {
	var elems []string
	kind := r.IntN(6)
	for range r.IntN(5) {
		switch {
		case kind == 0 && r.IntN(8) > 0:
			elems = append(elems, fmt.Sprint(r.IntN(9)))
		case kind == 1 && r.IntN(8) > 0:
			elems = append(elems, fmt.Sprintf("%q", randomKey(r)))
		case kind == 2 && r.IntN(8) > 0:
			var m []string
			for range r.IntN(5) {
				m = append(m, fmt.Sprintf("%q:%s", []string{"a", "b", "B", "c"}[r.IntN(4)], randomDoc(r, depth-2)))
			}
			elems = append(elems, "{"+strings.Join(m, ",")+"}")
		case kind == 3 && depth > 0:
			elems = append(elems, randomArray(r, depth-1))
		case kind == 4:
			elems = append(elems, "null")
		default:
			elems = append(elems, randomDoc(r, depth-1))
		}
	}
	return "[" + strings.Join(elems, ",") + "]"
}

func randomKey(r *rand.Rand) string {
	keys := []string{"a", "b", "A", "a.b", "", "value", "ß", "long key to leave the view", "c", "d", "k1", "k2", "k3", "k4"}
	if r.IntN(10) == 0 {
		return fmt.Sprintf("x%d", r.IntN(300))
	}
	return keys[r.IntN(len(keys))]
}

func randomDocs(r *rand.Rand, n int) []string {
	docs := make([]string, n)
	for i := range docs {
		switch r.IntN(20) {
		case 0:
			docs[i] = "NULL"
		case 1:
			docs[i] = randomDoc(r, 0)
		case 2, 3:
			docs[i] = randomArray(r, 5)
		default:
			docs[i] = randomDoc(r, 4)
		}
	}
	return docs
}

func shred(docs []string, o Options) *Tree {
	s := NewShredder(nil)
	for _, d := range docs {
		if d == "NULL" {
			s.AppendNull()
			continue
		}
		s.BeginRow()
		feed(s, d)
		s.EndRow()
	}
	return s.Finish(o)
}

func expectRows(t *testing.T, what string, got []string, want func(i int) string) {
	t.Helper()
	for i := range got {
		if w := want(i); got[i] != w {
			t.Fatalf("%s, row %d:\n got %s\nwant %s", what, i, got[i], w)
		}
	}
}

func TestBatchBuilderPrintsCanonicalJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		docs := randomDocs(r, 50)
		v := build(docs...)
		expectRows(t, "build", dump(v), func(i int) string { return canonical(docs[i]) })
		for i := range v.Len {
			if !v.IsNull(i) {
				m, val := v.VariantAt(i)
				if err := Validate(m, val, true); err != nil {
					t.Fatalf("%s: %v", docs[i], err)
				}
			}
		}
	}
}

// TestShredAssemble is the promise of D1: the documents come back whatever becomes a column.
func TestShredAssemble(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		docs := randomDocs(r, 1+r.IntN(1200))
		o := Options{MaxSubcolumns: []int{0, -1, 1, 3, 10, 1000}[r.IntN(6)], MinRows: r.IntN(3), CountDeclared: r.IntN(2) == 0, Plain: r.IntN(8) == 0, MaxNames: []int{0, 0, 1, 12}[r.IntN(4)]}
		var tree *Tree
		if r.IntN(2) == 0 {
			tree = shred(docs, o)
		} else {
			s := NewShredder(nil)
			s.AppendVector(build(docs...))
			tree = s.Finish(o)
		}
		checkTree(t, tree)
		what := fmt.Sprintf("%+v", o)
		expectRows(t, what, dump(AssembleTree(tree)), func(i int) string { return canonical(docs[i]) })
		from := r.IntN(len(docs))
		to := from + r.IntN(len(docs)-from+1)
		page := tree.Page(from, to)
		expectRows(t, what+" page", dump(AssembleTree(page)), func(i int) string { return canonical(docs[from+i]) })

		whole := build(docs...)
		for range 10 {
			var steps []Step
			for range 1 + r.IntN(3) {
				if r.IntN(5) == 0 {
					steps = append(steps, Step{Index: r.IntN(3), IsIndex: true})
				} else {
					steps = append(steps, Step{Key: randomKey(r)})
				}
			}
			want := dump(PathVector(whole, steps))
			expectRows(t, fmt.Sprint(what, steps), dump(Lookup(tree, steps)), func(i int) string { return want[i] })
		}
	}
}

// checkTree tests what the shape of trees promises.
func checkTree(t *testing.T, tree *Tree) { checkNodes(t, tree, tree.Root, tree.Rows) }

func checkNodes(t *testing.T, tree *Tree, root *Node, rows int) {
	t.Helper()
	root.Walk(func(path []string, n *Node) {
		fail := func(format string, args ...any) { t.Helper(); t.Fatalf("%q: %s", path, fmt.Sprintf(format, args...)) }
		ascending := func(list []uint32, n int) {
			if list == nil && n != rows || list != nil && len(list) != n {
				fail("%d rows for %d values of %d", len(list), n, rows)
			}
			for i := range list {
				if i > 0 && list[i-1] >= list[i] || int(list[i]) >= rows {
					fail("rows do not ascend")
				}
			}
		}
		if n.Kind == NodeList {
			ascending(n.ListRows, len(n.Offsets)-1)
			for i := range n.Offsets {
				if i == 0 && n.Offsets[0] != 0 || i > 0 && n.Offsets[i-1] > n.Offsets[i] {
					fail("offsets do not ascend")
				}
			}
			checkNodes(t, tree, n.Elem, n.Elements())
		}
		if n.Typed != nil {
			ascending(n.TypedRows, n.Typed.Len)
			if n.Typed.Valid != nil {
				fail("typed NULL")
			}
		}
		if n.Value != nil {
			ascending(n.ValueRows, n.Value.Len)
			for i := range n.Value.Len {
				if err := Validate(tree.Meta, n.Value.Bytes(i), false); err != nil && tree.RowNames == nil {
					fail("%v", err)
				}
			}
		}
		for i, c := range n.Children {
			if i > 0 && n.Children[i-1].Key >= c.Key {
				fail("children out of order")
			}
			for _, d := range n.Children[:i] {
				if strings.EqualFold(c.Key, d.Key) {
					fail("children %q and %q differ only in case", c.Key, d.Key)
				}
			}
		}
	})
}

func TestUndo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		b, s := NewBatchBuilder(0), NewShredder(nil)
		var kept []string
		for _, d := range randomDocs(r, 60) {
			undo := r.IntN(3)
			if d == "NULL" {
				b.AppendNull()
				s.AppendNull()
			} else {
				b.BeginRow()
				s.BeginRow()
				if undo == 2 { // the parser gives up within the document
					n := r.IntN(20)
					partly(&limited{b, n}, d)
					partly(&limited{s, n}, d)
					b.Undo()
					s.Undo()
					continue
				}
				feed(b, d)
				feed(s, d)
				b.EndRow()
				s.EndRow()
			}
			if undo == 1 {
				b.Undo()
				s.Undo()
				continue
			}
			kept = append(kept, d)
		}
		want := func(i int) string { return canonical(kept[i]) }
		got := dump(b.Finish())
		if len(got) != len(kept) {
			t.Fatalf("%d rows, want %d", len(got), len(kept))
		}
		expectRows(t, "builder", got, want)
		got = dump(AssembleTree(s.Finish(Options{MinRows: 1})))
		if len(got) != len(kept) {
			t.Fatalf("%d rows, want %d", len(got), len(kept))
		}
		expectRows(t, "shredder", got, want)
	}
}

// limited stops a feed after so many events.
type limited struct {
	v visitor
	n int
}

type stopped struct{}

func partly(l *limited, doc string) {
	defer func() {
		if r := recover(); r != nil && r != (stopped{}) {
			panic(r)
		}
	}()
	feed(l, doc)
}

func (l *limited) event() {
	if l.n--; l.n < 0 {
		panic(stopped{})
	}
}

func (l *limited) BeginObject()     { l.event(); l.v.BeginObject() }
func (l *limited) Key(k []byte)     { l.event(); l.v.Key(k) }
func (l *limited) EndObject()       { l.event(); l.v.EndObject() }
func (l *limited) BeginArray()      { l.event(); l.v.BeginArray() }
func (l *limited) EndArray()        { l.event(); l.v.EndArray() }
func (l *limited) Null()            { l.event(); l.v.Null() }
func (l *limited) Bool(x bool)      { l.event(); l.v.Bool(x) }
func (l *limited) Int(x int64)      { l.event(); l.v.Int(x) }
func (l *limited) Double(x float64) { l.event(); l.v.Double(x) }
func (l *limited) Number(s []byte)  { l.event(); l.v.Number(s) }
func (l *limited) String(s []byte)  { l.event(); l.v.String(s) }

func TestDuplicateKeys(t *testing.T) {
	f := func(doc, want string, dups int) {
		t.Helper()
		b := NewBatchBuilder(1)
		b.BeginRow()
		feed(b, doc)
		b.EndRow()
		if n := b.Duplicates(); n != dups {
			t.Errorf("%s: builder counts %d duplicates", doc, n)
		}
		if got := dump(b.Finish())[0]; got != want {
			t.Errorf("%s: builder gives %s, want %s", doc, got, want)
		}
		tree := shred([]string{doc, doc}, Options{MinRows: 1})
		if got := dump(AssembleTree(tree)); got[0] != want || got[1] != want {
			t.Errorf("%s: shredder gives %s, want %s", doc, got, want)
		}
		if tree.Duplicates != 2*dups {
			t.Errorf("%s: shredder counts %d duplicates", doc, tree.Duplicates)
		}
	}
	f(`{"a":1,"a":2}`, `{"a":2}`, 1)
	f(`{"a":{"b":1},"a":{"c":2}}`, `{"a":{"c":2}}`, 1)
	f(`{"a":{"b":1},"c":0,"a":"x","b":5}`, `{"a":"x","b":5,"c":0}`, 1)
	f(`{"a":[1,2,{"q":1,"q":[2]}],"b":1}`, `{"a":[1,2,{"q":[2]}],"b":1}`, 1)
	f(`{"a":1,"a":2,"a":3}`, `{"a":3}`, 2)
	f(`{"a":1,"a":null}`, `{"a":null}`, 1)
	f(`{"a":[1,2],"b":[3],"a":[4]}`, `{"a":[4],"b":[3]}`, 1)
	f(`{"a":[[1],[2,3]],"a":[[],[4]],"a":5}`, `{"a":5}`, 2)
	f(`{"a":[{"b":[1],"b":[{"c":2}],"b":[{"c":3,"c":4}]},{"b":[5]}]}`, `{"a":[{"b":[{"c":4}]},{"b":[5]}]}`, 3)
	f(`{"o":{"a":[1,2]},"o":{"a":[3]}}`, `{"o":{"a":[3]}}`, 1)
	f(`{"a":[{"x":1},{"x":2}],"c":1,"a":[{"y":3}],"c":[1]}`, `{"a":[{"y":3}],"c":[1]}`, 2)
	f(`[[{"a":[1],"a":2}]]`, `[[{"a":2}]]`, 1)
}

func TestTreeShape(t *testing.T) {
	tree := shred([]string{`{"n":1,"o":{"x":true},"s":"a","t":[1]}`, `{"n":2.5,"o":5,"s":null}`, `{"n":"x","o":{}}`, `{"n":9007199254740993}`}, Options{MinRows: 1})
	var got []string
	tree.Root.Walk(func(path []string, n *Node) {
		got = append(got, fmt.Sprintf("%s kind=%d type=%s typed=%v objects=%v value=%v", strings.Join(path, "/"), n.Kind, n.Type, n.TypedRows, n.ObjectRows, n.ValueRows))
	})
	want := []string{
		" kind=2 type=NULL typed=[] objects=[] value=[]",
		"n kind=1 type=BIGINT typed=[0 3] objects=[] value=[1 2]",
		"o kind=2 type=NULL typed=[] objects=[0 2] value=[1]",
		"o/x kind=1 type=BOOLEAN typed=[0] objects=[] value=[]",
		"s kind=1 type=VARCHAR typed=[0] objects=[] value=[1]",
		"t kind=3 type=NULL typed=[] objects=[] value=[]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestTreeTypes(t *testing.T) {
	f := func(want string, docs ...string) {
		t.Helper()
		tree := shred(docs, Options{MinRows: 1})
		n := tree.Root
		if got := fmt.Sprint(n.Type, " ", n.TypedRows); got != want {
			t.Errorf("%v: got %s, want %s", docs, got, want)
		}
	}
	f("BIGINT []", "1", "2")
	f("DOUBLE []", "1", "2.5")
	f("DOUBLE [0 1]", "1.5", "2.5", "9007199254740993")
	f("LARGEINT []", "1", "99999999999999999999")
	f("BIGINT [0 2 3]", "1", "1.5e300", "9007199254740993", "2")
	f("DECIMAL(38, 19) [0 2]", "1.1234567890123456789", "true", "2.1234567890123456789")
	f("BOOLEAN [1]", "1.1234567890123456789", "true", "2.12345678901234567891")
	f("VARCHAR [1 2]", "1", `"a"`, `"b"`, "null")
	f("NULL []", "null", "NULL", "[]")
}

func TestCaseFolding(t *testing.T) {
	docs := []string{`{"sku":7}`, `{"SKU":8}`, `{"sku":9,"SKU":10}`, `{"sKu":"k"}`}
	tree := shred(docs, Options{MinRows: 1})
	checkTree(t, tree)
	if len(tree.Root.Children) != 1 {
		t.Errorf("%d columns", len(tree.Root.Children))
	}
	expectRows(t, "docs", dump(AssembleTree(tree)), func(i int) string { return canonical(docs[i]) })
	want := []string{"NULL", "8", "10", "NULL"}
	expectRows(t, "SKU", dump(Lookup(tree, []Step{{Key: "SKU"}})), func(i int) string { return want[i] })
}

func TestManyPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	docs := make([]string, 300)
	for i := range docs {
		var m []string
		seen := map[int]bool{}
		for range 199 {
			if k := r.IntN(10000); !seen[k] {
				seen[k] = true
				m = append(m, fmt.Sprintf(`"key%d":%d`, k, r.IntN(1000)))
			}
		}
		docs[i] = "{" + strings.Join(m, ",") + "}"
	}
	tree := shred(docs, Options{MaxSubcolumns: 50, MinRows: 1})
	checkTree(t, tree)
	if len(tree.Root.Children) != 50 {
		t.Errorf("%d columns", len(tree.Root.Children))
	}
	expectRows(t, "docs", dump(AssembleTree(tree)), func(i int) string { return canonical(docs[i]) })
}

func TestDeepAndLarge(t *testing.T) {
	deep := strings.Repeat(`{"d":`, 200) + "1" + strings.Repeat("}", 200)
	wide := `{"w":[` + strings.Repeat("1,", 100_000) + `2],"s":"` + strings.Repeat("x", 1<<20) + `"}`
	var many []string
	for i := range 400 {
		many = append(many, fmt.Sprintf(`"m%d":"%s"`, i, strings.Repeat("y", 300)))
	}
	docs := []string{deep, wide, "{" + strings.Join(many, ",") + "}", deep}
	expectRows(t, "build", dump(build(docs...)), func(i int) string { return canonical(docs[i]) })
	for _, o := range []Options{{MinRows: 1}, {Plain: true}, {MaxSubcolumns: 7, MinRows: 1}} {
		expectRows(t, "tree", dump(AssembleTree(shred(docs, o))), func(i int) string { return canonical(docs[i]) })
	}
}

func TestPaths(t *testing.T) {
	tree := shred([]string{`{"a":1,"b":[1,null],"c":{"d":"x"},"m":1,"n":[[1]]}`, `{"a":true,"b":[true],"c":5,"m":1.5,"o":null}`, `{"a":2,"x":99999999999999999999}`}, Options{MinRows: 1})
	var got []string
	for _, p := range tree.Paths {
		got = append(got, fmt.Sprint(strings.Join(p.Path, "."), " ", DescName(p.Reported), " ", p.Column, " ", p.Kinds.Total()))
	}
	const want = "a bigint true 3, b array<bigint> true 2, c bigint false 2, c.d string true 1, m jsonb true 2, n jsonb true 1, x largeint true 1"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %s", s)
	}
}

func TestLeaves(t *testing.T) {
	meta, value := build(`{"a":{"b":1,"c":null,"d":{}},"e":[{"f":1}],"":"x"}`).VariantAt(0)
	var got []string
	Leaves(meta, value, func(path []string, leaf []byte) {
		got = append(got, fmt.Sprintf("%q=%s", path, AppendJSON(nil, meta, leaf)))
	})
	if s := strings.Join(got, " "); s != `[""]="x" ["a" "b"]=1 ["e"]=[{"f":1}]` {
		t.Errorf("got %s", s)
	}
}

// TestIntegersAmongDoubles keeps the kinds of numbers that share a column of doubles over several rewrites.
func TestIntegersAmongDoubles(t *testing.T) {
	v := build(`{"a":1}`, `{"a":1.5}`, `{"a":-3}`, `{"a":-0.0}`, `{"a":1e30}`, `{"b":2.0}`, `{"b":2.5}`)
	for range 3 {
		s := NewShredder(nil)
		s.AppendVector(v)
		tree := s.Finish(Options{})
		if a := tree.Root.Child("a"); a.Type.Kind != types.Double || a.Kinds[BigInt] != 2 || a.Kinds[Double] != 3 || a.Value != nil {
			t.Fatalf("a: %s, kinds %v", a.Type, a.Kinds)
		}
		v = AssembleTree(tree)
		var kinds []string
		for i := range v.Len {
			meta, value := v.VariantAt(i)
			Leaves(meta, value, func(_ []string, leaf []byte) { kinds = append(kinds, KindOf(leaf).String()) })
		}
		if got := strings.Join(kinds, " "); got != "bigint double bigint double double double double" {
			t.Fatal(got)
		}
	}
}
