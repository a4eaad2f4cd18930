package variant

import (
	"maps"
	"slices"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// AssembleTree rebuilds whole documents: a flat variant vector of t.Rows rows with constant metadata, t.Meta if there is one. Rows for
// which the tree has no value at all are JSON null, as the shredding specification has it.
func AssembleTree(t *Tree) *vec.Vector {
	t, root := t.unified(t.Root)
	t = t.withRoot(root).complete()
	v := assemble(t, t.source(t.Root))
	views := vec.Slice[vec.View](v)
	for i := range views {
		if t.Null == nil || !t.Null.Get(i) {
			if views[i].Len() == 0 {
				views[i] = vec.MakeView(nullValue, 0, 0)
			}
		}
	}
	v.Valid = nil
	if t.Null != nil {
		v.Valid = vec.NewBitmap(t.Rows)
		for i := range t.Rows {
			if !t.Null.Get(i) {
				v.Valid.Set(i)
			}
		}
		v.Valid = denseValid(v.Valid, t.Rows)
	}
	patchExact(v, t, nil)
	return v
}

// assemble returns the values of a source of a complete tree as a flat variant vector, NULL where it has none.
func assemble(t *Tree, src *source) *vec.Vector {
	a := assembler{rank: t.Ranks}
	views, valid := make([]vec.View, t.Rows), vec.NewBitmap(t.Rows)
	var w viewWriter
	a.all(src, t.Rows, func(row uint32, value []byte) {
		w.buf = append(w.buf, value...)
		views[row] = w.view()
		valid.Set(int(row))
	})
	return &vec.Vector{Type: types.Of(types.Variant), Len: t.Rows, Data: views, Bufs: w.finish(), Meta: metaVector(t.Meta, t.Rows), Valid: denseValid(valid, t.Rows)}
}

// withRoot returns t with another root.
func (t *Tree) withRoot(n *Node) *Tree {
	c := *t
	c.Root = n
	return &c
}

// complete returns t with Ranks and IDs, and with a dictionary that has all names of nodes, which damaged files may lack.
func (t *Tree) complete() *Tree {
	c := *t
	if c.IDs == nil {
		c.IDs = make(map[string]uint32, len(c.Names))
		for i, n := range c.Names {
			c.IDs[string(n)] = uint32(i)
		}
	}
	missing := false
	c.Root.eachMember(func(n *Node) {
		if _, ok := c.IDs[n.Key]; ok {
			return
		}
		if !missing {
			missing = true
			c.IDs, c.Names, c.Ranks = maps.Clone(c.IDs), slices.Clone(c.Names), nil
		}
		c.IDs[n.Key] = uint32(len(c.Names))
		c.Names = append(c.Names, []byte(n.Key))
	})
	if missing {
		c.Meta = EncodeMetadata(c.Names)
	}
	if c.Ranks == nil {
		c.Ranks = NameRanks(c.Names)
	}
	return &c
}

// eachMember calls f for all nodes below n that are members of objects, also of those within lists.
func (n *Node) eachMember(f func(*Node)) {
	if n.Elem != nil {
		n.Elem.eachMember(f)
	}
	for _, c := range n.Children {
		f(c)
		c.eachMember(f)
	}
}

// source makes the source of a node of a complete tree.
func (t *Tree) source(n *Node) *source {
	src := &source{}
	if n.Typed != nil {
		typed := typedRun(vec.Flatten(n.Typed), listOf(n.TypedRows))
		// Where the path had integers among its doubles, they are integers again: their kinds survive a rewrite of the documents.
		typed.integral = typed.doubles != nil && !n.Declared && n.Kinds[BigInt] > 0
		src.runs = append(src.runs, typed)
	}
	if n.Value != nil {
		v := vec.Flatten(n.Value)
		src.runs = append(src.runs, run{rowList: listOf(n.ValueRows), raw: vec.Slice[vec.View](v), bufs: v.Bufs})
	}
	if n.Kind == NodeList {
		src.list = &listSource{rowList: listOf(n.ListRows), offsets: n.Offsets, elem: t.source(n.Elem)}
	}
	if n.Kind == NodeObject {
		src.object, src.objects = true, listOf(n.ObjectRows)
		for _, c := range n.Children {
			child := t.source(c)
			child.id = t.IDs[c.Key]
			src.children = append(src.children, child)
		}
	}
	return src
}

func listOf(rows []uint32) rowList { return rowList{all: rows == nil, rows: rows} }

// typedRun makes a run of a flat vector without NULLs.
func typedRun(v *vec.Vector, rows rowList) run {
	r := run{rowList: rows}
	switch {
	case v.Type.Kind == types.BigInt:
		r.ints, r.proto.kind = vec.Slice[int64](v), BigInt
	case v.Type.Kind == types.Double:
		r.doubles, r.proto.kind = vec.Slice[float64](v), Double
	case v.Type.Kind == types.Varchar:
		r.texts, r.bufs = vec.Slice[vec.View](v), v.Bufs
	default:
		r.typed = v
	}
	return r
}

// Lookup reads a path of a tree: a variant vector of t.Rows rows, Shredded where the path is a typed node, NULL in rows in which the path
// finds nothing or JSON null. It reads only the nodes along the path and, if the path is an object, below it.
func Lookup(t *Tree, steps []Step) *vec.Vector {
	n, rest := t.Root, steps
	for len(rest) > 0 && n.Kind == NodeObject && !rest[0].IsIndex {
		c := n.Child(rest[0].Key)
		if c == nil {
			break
		}
		n, rest = c, rest[1:]
	}
	if len(t.Exact) > 0 {
		// Exact values are put into values that share one dictionary.
		t, n = t.unified(n)
	}
	if len(rest) > 0 && n.Kind == NodeList && rest[0].IsIndex {
		found := len(steps) - len(rest)
		return PathVector(t.whole(n, steps[:found]), rest)
	}
	if len(rest) > 0 {
		// A member without a node can only be in the residual.
		if n.Value == nil {
			return vec.NewNull(types.Of(types.Variant), t.Rows)
		}
		v := residual(t, n)
		patchExact(v, t, steps[:len(steps)-len(rest)])
		return PathVector(v, rest)
	}
	if n.Kind != NodeObject && n.Kind != NodeList {
		return t.scalarVector(n, steps)
	}
	return t.whole(n, steps)
}

// whole returns the values of a node at a path, put together with all below it.
func (t *Tree) whole(n *Node, steps []Step) *vec.Vector {
	t, n = t.unified(n)
	c := t.withRoot(n).complete()
	v := assemble(c, c.source(n))
	patchExact(v, c, steps)
	hideNulls(v)
	return v
}

// scalarVector returns the values of a node without children.
func (t *Tree) scalarVector(n *Node, steps []Step) *vec.Vector {
	variant := types.Of(types.Variant)
	var rest *vec.Vector
	if n.Value != nil {
		rest = residual(t, n)
		patchExact(rest, t, steps)
		hideNulls(rest)
		if rest.Valid != nil && rest.Valid.Count(t.Rows) == 0 {
			rest = nil
		}
	}
	switch {
	case n.Typed != nil:
		return &vec.Vector{Type: variant, Form: vec.Shredded, Len: t.Rows, Typed: spread(n.Typed, n.TypedRows, t.Rows), Rest: rest}
	case rest == nil:
		return vec.NewNull(variant, t.Rows)
	}
	return rest
}

// residual returns the residual values of a node as a flat variant vector.
func residual(t *Tree, n *Node) *vec.Vector {
	v := *vec.Flatten(spread(n.Value, n.ValueRows, t.Rows))
	v.Type, v.Meta = types.Of(types.Variant), t.rowMetas()
	return &v
}

// spread puts the entries of v at their rows of n; the others are NULL.
func spread(v *vec.Vector, rows []uint32, n int) *vec.Vector {
	if rows == nil {
		return v
	}
	at := make([]int32, n)
	for i := range at {
		at[i] = -1
	}
	for i, r := range rows {
		at[r] = int32(i)
	}
	return vec.GatherRows(v, at)
}

// hideNulls makes JSON nulls of a flat variant vector NULL.
func hideNulls(v *vec.Vector) { v.Valid = NotNull(v) }
