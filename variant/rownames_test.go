package variant

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// namesOf returns the names of all objects of a document, sorted.
func namesOf(doc string) []string {
	names := map[string]bool{}
	var visit func(x any)
	visit = func(x any) {
		switch x := x.(type) {
		case []any:
			for _, e := range x {
				visit(e)
			}
		case map[string]any:
			for k, e := range x {
				names[k] = true
				visit(e)
			}
		}
	}
	var x any
	if doc != "NULL" {
		if err := json.Unmarshal([]byte(canonicalWithoutNumbers(doc)), &x); err != nil {
			panic(err)
		}
	}
	visit(x)
	var out []string
	for k := range names {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// canonicalWithoutNumbers returns the document, or one with the same names that json.Unmarshal takes where its numbers are too large.
func canonicalWithoutNumbers(doc string) string {
	var x any
	if json.Unmarshal([]byte(doc), &x) == nil {
		return doc
	}
	v := build(doc)
	m, val := v.VariantAt(0)
	b := NewBatchBuilder(1)
	b.BeginRow()
	textNumbers(b, m, val)
	b.EndRow()
	m, val = b.Finish().VariantAt(0)
	return string(AppendJSON(nil, m, val))
}

func textNumbers(b *BatchBuilder, meta, v []byte) {
	switch KindOf(v) {
	case Object:
		b.BeginObject()
		Members(meta, v, func(name, m []byte) bool {
			b.Key(name)
			textNumbers(b, meta, m)
			return true
		})
		b.EndObject()
	case Array:
		b.BeginArray()
		Elements(v, func(_ int, e []byte) bool { textNumbers(b, meta, e); return true })
		b.EndArray()
	default:
		b.String([]byte("x"))
	}
}

// TestRowNames gives rows metadata of their own: exactly the names of the row, to which the residual values refer.
func TestRowNames(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 2))
	for range 30 {
		docs := randomDocs(r, 1+r.IntN(300))
		o := Options{MaxNames: 1, MinRows: 1 + r.IntN(4), MaxSubcolumns: []int{0, -1, 3}[r.IntN(3)]}
		tree := shred(docs, o)
		if tree.RowNames == nil {
			continue
		}
		checkTree(t, tree)
		metas := tree.RowNames.Metadata(0, tree.Rows, nil)
		for i, doc := range docs {
			names, ok := DecodeMetadata(metas.Bytes(i))
			if !ok {
				t.Fatalf("metadata of row %d is damaged", i)
			}
			var got []string
			for _, n := range names {
				got = append(got, string(n))
			}
			if want := namesOf(doc); !slices.Equal(got, want) {
				t.Fatalf("row %d has names %q, want %q: %s", i, got, want, doc)
			}
		}
		checkOwnValues(t, tree, tree.Root, nil, func(row uint32) []byte { return metas.Bytes(int(row)) })
		if tree.Null != nil {
			n := tree.Null.Count(tree.Rows)
			if m := tree.RowNames.Metadata(0, tree.Rows, tree.Null); m.Len != tree.Rows-n {
				t.Fatalf("%d rows of metadata, want %d", m.Len, tree.Rows-n)
			}
		}
	}
}

// checkOwnValues validates the residual values of a node and those below against the metadata of their rows.
func checkOwnValues(t *testing.T, tree *Tree, n *Node, owner []uint32, meta func(row uint32) []byte) {
	t.Helper()
	if n.Value != nil {
		eachRow(n.ValueRows, owner, n.Value.Len, func(i int, row uint32) {
			if err := Validate(meta(row), n.Value.Bytes(i), false); err != nil {
				t.Fatalf("%s, row %d: %v", n.Key, row, err)
			}
		})
	}
	if n.Kind == NodeList {
		checkOwnValues(t, tree, n.Elem, n.owners(owner), meta)
	}
	for _, c := range n.Children {
		checkOwnValues(t, tree, c, owner, meta)
	}
}

func TestNameLimits(t *testing.T) {
	f := func(own bool, o Options, names int) {
		t.Helper()
		var docs []string
		for i := range names {
			docs = append(docs, fmt.Sprintf(`{"name %03d":{"x":[%d]}}`, i, i))
		}
		tree := shred(docs, o)
		if (tree.RowNames != nil) != own {
			t.Errorf("%+v, %d names: rows with metadata of their own: %v", o, names+1, !own)
		}
		expectRows(t, "docs", dump(AssembleTree(tree)), func(i int) string { return docs[i] })
	}
	f(false, Options{}, 500)
	f(false, Options{MaxNames: 11}, 10)
	f(true, Options{MaxNames: 11}, 11)
	f(false, Options{MaxNameBytes: 81}, 10)
	f(true, Options{MaxNameBytes: 80}, 10)
	f(true, Options{MaxNames: 5, MaxSubcolumns: 1}, 30)
	f(true, Options{MaxNames: 5, Plain: true}, 30)
}
