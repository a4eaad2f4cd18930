package variant

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
)

// nodeShape prints a node and what is below it: its kind, and the rows of its typed values, objects, arrays and residual values.
func nodeShape(n *Node) string {
	s := n.Key
	switch n.Kind {
	case NodeScalar:
		s += fmt.Sprintf(" %s%v", n.Type, n.TypedRows)
	case NodeList:
		s += fmt.Sprintf(" list%v%v(%s)", n.ListRows, n.Offsets, nodeShape(n.Elem))
	case NodeObject:
		var kids []string
		for _, c := range n.Children {
			kids = append(kids, nodeShape(c))
		}
		s += fmt.Sprintf(" object%v(%s)", n.ObjectRows, strings.Join(kids, ","))
	}
	if n.Value != nil {
		s += fmt.Sprintf(" value%v", n.ValueRows)
	}
	return s
}

func TestListShapes(t *testing.T) {
	f := func(want string, docs ...string) {
		t.Helper()
		tree := shred(docs, Options{MinRows: 1})
		checkTree(t, tree)
		expectRows(t, "docs", dump(AssembleTree(tree)), func(i int) string { return canonical(docs[i]) })
		if got := strings.TrimSpace(nodeShape(tree.Root)); got != want {
			t.Errorf("%s: got %s, want %s", docs, got, want)
		}
	}
	f("list[][0 2 3]( BIGINT[])", "[1,2]", "[3]")
	f("list[0 2][0 2 2]( BIGINT[0] value[1]) value[1]", "[1,null]", "5", "[]")
	f("list[][0 0]()", "[]")
	f("list[][0 1]( value[])", "[null]")
	f("list[][0 3 4]( VARCHAR[0 1 3] value[2])", `["a","b",1]`, `["c"]`)
	f("BIGINT[0 1] value[2]", "1", "2", "[1,2,3,4,5,6]")
	f("list[][0 2]( list[][0 2 3]( DOUBLE[]))", "[[1.5,2],[3]]")
	f("list[][0 3]( object[0 1](a BIGINT[0],b list[1][0 1]( BOOLEAN[]) value[0]) value[2])", `[{"a":1,"b":null},{"b":[true]},"x"]`)
	f("list[][0 1]( list[][0 1]( list[][0 1]( list[][0 1]( value[]))))", "[[[[[1]]]]]")
	f("list[][0 2]( object[](K BIGINT[1]) value[0])", `[{"k":1},{"K":2}]`)
	f("object[](a list[][0 2]( object[](x BIGINT[])),b list[][0 0]())", `{"a":[{"x":1},{"x":2}],"b":[]}`)
}

func TestListsCountAsOneSubcolumn(t *testing.T) {
	docs := []string{`{"a":[{"x":1,"y":2,"z":[3]}],"b":1}`, `{"a":[{"x":1,"y":2}],"b":2}`, `{"a":[],"c":1}`}
	for limit, want := range map[int]string{1: "a", 2: "a b", 3: "a b c", -1: ""} {
		tree := shred(docs, Options{MinRows: 1, MaxSubcolumns: limit})
		var got []string
		for _, c := range tree.Root.Children {
			got = append(got, c.Key)
			if c.Key == "a" && len(c.Elem.Children) != 3 {
				t.Errorf("limit %d: %d columns of elements, want 3", limit, len(c.Elem.Children))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("limit %d: columns %q, want %q", limit, s, want)
		}
		expectRows(t, "docs", dump(AssembleTree(tree)), func(i int) string { return canonical(docs[i]) })
	}
}

// TestManyElementMembers has more members within lists than there may be columns for them.
func TestManyElementMembers(t *testing.T) {
	var docs []string
	for i := range 3 {
		var m []string
		for k := range maxElementLeaves/2 + 100 {
			m = append(m, fmt.Sprintf(`"m%d":%d`, k, i))
		}
		docs = append(docs, `{"a":[{`+strings.Join(m, ",")+`}],"b":[[{`+strings.Join(m, ",")+`}]]}`)
	}
	tree := shred(docs, Options{MinRows: 1})
	checkTree(t, tree)
	n := len(tree.Root.Child("a").Elem.Children) + len(tree.Root.Child("b").Elem.Elem.Children)
	if n != maxElementLeaves {
		t.Errorf("%d columns within lists, want %d", n, maxElementLeaves)
	}
	expectRows(t, "docs", dump(AssembleTree(tree)), func(i int) string { return canonical(docs[i]) })
}

// TestCrowdedPages keeps arrays residual where a page would have too many elements.
func TestCrowdedPages(t *testing.T) {
	s := NewShredder(nil)
	for i := range 4 {
		s.BeginRow()
		s.BeginObject()
		for _, k := range []string{"few", "many"} {
			s.Key([]byte(k))
			s.BeginArray()
			for range []int{3, maxPageElements/2 + 1}[len(k)/4] * (i % 2) {
				s.Bool(true)
			}
			s.EndArray()
		}
		s.EndObject()
		s.EndRow()
	}
	for _, c := range []struct {
		rows, want int
	}{{0, 2}, {2, 2}, {4, 1}} {
		s := *s
		root := *s.root
		s.root = &root
		f := finisher{s: &s, o: Options{PageRows: c.rows}, t: &Tree{Rows: int(s.row)}}
		for _, n := range root.children {
			n.plan = nodePlan{}
		}
		f.measure(&root, f.cuts())
		f.choose()
		n := 0
		for _, c := range root.children {
			n += boolInt(c.plan.list())
		}
		if n != c.want {
			t.Errorf("pages of %d rows: %d lists, want %d", c.rows, n, c.want)
		}
	}
}

func TestReportedArrays(t *testing.T) {
	f := func(want string, docs ...string) {
		t.Helper()
		for _, o := range []Options{{MinRows: 1}, {MaxSubcolumns: -1}} {
			tree := shred(docs, o)
			if got := DescName(tree.Root.Arrays); got != want {
				t.Errorf("%s %+v: got %s, want %s", docs, o, got, want)
			}
			all := types.Of(types.Null)
			v := build(docs...)
			for i := range docs {
				if _, value := v.VariantAt(i); KindOf(value) == Array {
					all = Merge(all, ReportedType(value))
				}
			}
			if got := DescName(all); got != want {
				t.Errorf("%s: the values report %s, want %s", docs, got, want)
			}
		}
	}
	f("array<bigint>", "[1,2]", "[null]", "[]", "null", "5")
	f("array<jsonb>", "[1,2]", `["x"]`)
	f("array<double>", "[1.5]", "[true]")
	f("array<jsonb>", "[1.5,2]")
	f("array<null>", "[]", "[null]")
	f("jsonb", "[[1]]", "[1]")
	f("jsonb", "[{}]")
	f("array<largeint>", "[1,99999999999999999999]")
	f("array<jsonb>", "[0.1234567890123456789]", "[0.12345678901234567891]")
	f("null", "1", "2")
}

// TestListUndoCost undoes rows of a list with many members: the cost is that of the row, not of the members.
func TestListUndoCost(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	s := NewShredder(nil)
	row := func(doc string) {
		s.BeginRow()
		feed(s, doc)
		s.EndRow()
	}
	var kept []string
	for i := range 2000 {
		doc := fmt.Sprintf(`[{"m%d":[%d,{"k%d":[1]}]},{"m":[]}]`, r.IntN(1500), i, r.IntN(50))
		row(doc)
		if i%3 == 0 {
			s.Undo()
			continue
		}
		kept = append(kept, doc)
	}
	row("[{}]")
	if n := len(s.touched); n != 2 {
		t.Errorf("%d nodes touched, want 2", n)
	}
	s.Undo()
	expectRows(t, "kept", dump(AssembleTree(s.Finish(Options{}))), func(i int) string { return canonical(kept[i]) })
}
