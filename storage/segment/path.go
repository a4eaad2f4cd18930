package segment

import (
	"math/bits"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// path reads a page of a path of a VARIANT column.
func (r *Reader) path(root *entry, path []string, p int) (*vec.Vector, error) {
	e, rest, err := r.descend(root, path)
	if err != nil {
		return nil, err
	}
	exact, err := r.exact(root, p)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 && !hasValues(e.value, p) {
		// Only the residual could hold the member.
		return vec.NewNull(types.Of(types.Variant), r.PageRows(p)), nil
	}
	if len(rest) == 0 && e.node != variant.NodeObject && e.node != variant.NodeList && len(exact) == 0 {
		return r.scalarPath(root, e, p)
	}
	t, err := r.tree(root, p)
	if err != nil {
		return nil, err
	}
	t.Exact = exact
	// Above the node nothing needs to be read: Lookup follows the keys and looks only into the last node.
	at := &t.Root
	for i := range e.path {
		*at = &variant.Node{Kind: variant.NodeObject}
		if i > 0 {
			(*at).Key = e.path[i-1].Key
		}
		(*at).Children = make([]*variant.Node, 1)
		at = &(*at).Children[0]
	}
	if *at, err = r.node(e, p, len(rest) == 0); err != nil {
		return nil, err
	}
	steps := make([]variant.Step, len(path))
	for i, k := range path {
		steps[i].Key = k
	}
	return variant.Lookup(t, steps), nil
}

// descend follows a path to the last node that exists, and returns the names that are left.
func (r *Reader) descend(root *entry, path []string) (*entry, []string, error) {
	e := root
	for i := range path {
		if e.node != variant.NodeObject {
			return e, path[i:], nil
		}
		c, err := r.file.find(entryKey(root.column, path[:i+1]))
		if err != nil {
			return nil, nil, err
		}
		if c == nil {
			return e, path[i:], nil
		}
		if !c.isVariant() {
			return nil, nil, corrupt("segment directory has a column where a path should be")
		}
		e = c
	}
	return e, nil, nil
}

// hasValues tells whether page p of a leaf, which may be nil, has any value.
func hasValues(l *leafEntry, p int) bool {
	return l != nil && p < len(l.pages) && l.pages[p].values > 0
}

// scalarPath reads a path that is no object: its typed leaf, and the residual where there is one.
func (r *Reader) scalarPath(root, e *entry, p int) (*vec.Vector, error) {
	n, odd := r.PageRows(p), e.odd(p)
	var rest, second *vec.Vector
	var err error
	if hasValues(e.second, p) {
		if second, err = r.page(e.second, e.secondType, e.secondType, p); err != nil {
			return nil, err
		}
		odd -= e.second.pages[p].values
	}
	if odd > 0 {
		if rest, err = r.odd(root, e, second, p); err != nil {
			return nil, err
		}
	}
	if second != nil {
		rest = &vec.Vector{Type: types.Of(types.Variant), Form: vec.Shredded, Len: n, Typed: second, Rest: rest}
	}
	if e.typed == nil {
		if rest == nil {
			rest = vec.NewNull(types.Of(types.Variant), n)
		}
		return rest, nil
	}
	typed, err := r.typed(e, p)
	if err != nil {
		return nil, err
	}
	return &vec.Vector{Type: types.Of(types.Variant), Form: vec.Shredded, Len: n, Typed: typed, Rest: rest}, nil
}

// odd returns the number of residual values of page p that are not JSON null.
func (e *entry) odd(p int) int {
	if !hasValues(e.value, p) || p >= len(e.residual) {
		return 0
	}
	return e.value.pages[p].values - e.residual[p].nulls
}

// odd reads the residual values that are neither JSON null nor in second, which may be nil.
func (r *Reader) odd(root, e *entry, second *vec.Vector, p int) (*vec.Vector, error) {
	raw, err := r.page(e.value, types.Of(types.Binary), types.Of(types.Binary), p)
	if err != nil {
		return nil, err
	}
	rest, err := r.asVariant(root, raw, p)
	if err != nil {
		return nil, err
	}
	if e.residual[p].nulls > 0 {
		rest.Valid = variant.NotNull(rest)
	}
	if second != nil {
		valid := vec.NewBitmap(rest.Len)
		for i := range rest.Len {
			if !rest.IsNull(i) && second.IsNull(i) {
				valid.Set(i)
			}
		}
		rest.Valid = valid
	}
	return rest, nil
}

// asVariant makes a variant vector of the residual values of page p.
func (r *Reader) asVariant(root *entry, raw *vec.Vector, p int) (*vec.Vector, error) {
	v := *vec.Flatten(raw)
	v.Type = types.Of(types.Variant)
	if root.ownMeta {
		var err error
		v.Meta, err = r.rowMetas(root, p)
		return &v, err
	}
	d, err := r.dictionary(root)
	if err != nil {
		return nil, err
	}
	v.Meta = &vec.Vector{Type: types.Of(types.Binary), Form: vec.Constant, Len: v.Len, Data: []vec.View{vec.MakeView(d.meta, 0, 0)}, Bufs: [][]byte{d.meta}}
	return &v, nil
}

// rowMetas returns the metadata of the rows of page p, where they have their own.
func (r *Reader) rowMetas(root *entry, p int) (*vec.Vector, error) {
	if root.meta == nil {
		return nil, corrupt("segment directory lacks the metadata of a variant")
	}
	v, err := r.page(root.meta, types.Of(types.Binary), types.Of(types.Binary), p)
	if err != nil {
		return nil, err
	}
	return vec.Flatten(v), nil
}

// typed reads a page of the typed leaf of a path, one row a row.
func (r *Reader) typed(e *entry, p int) (*vec.Vector, error) {
	if !hasValues(e.typed, p) {
		return vec.NewNull(e.t, r.PageRows(p)), nil
	}
	return r.page(e.typed, storedType(e.t), e.t, p)
}

// asDeclared converts values of the stored type of a path to the path's type.
func asDeclared(v *vec.Vector, stored, t types.Type) (*vec.Vector, error) {
	switch {
	case t.Equal(stored):
		return v, nil
	case stored.Kind == types.Decimal:
		return v.Retype(t), nil
	}
	return fromStored(v, t)
}

// fromStored converts the text that stands for a type that Parquet Variant lacks.
func fromStored(v *vec.Vector, t types.Type) (*vec.Vector, error) {
	if v.Form == vec.Dictionary {
		d, err := fromStored(v.Dict, t)
		if err != nil {
			return nil, err
		}
		return &vec.Vector{Type: t, Form: vec.Dictionary, Len: v.Len, Valid: v.Valid, Codes: v.Codes, Dict: d}, nil
	}
	b := vec.NewBuilder(t, v.Len)
	for i := range v.Len {
		if v.IsNull(i) {
			b.AppendNull()
			continue
		}
		s := v.Bytes(i)
		ok := false
		switch t.Kind {
		case types.IPv4:
			var x uint32
			x, ok = types.ParseIPv4(s)
			vec.Append(b, x)
		case types.IPv6:
			var x types.Uint128
			x, ok = types.ParseIPv6(s)
			vec.Append(b, x)
		default:
			var x types.Int256
			x, _, ok = types.ParseDecimal(s, int(t.Scale))
			vec.Append(b, x)
		}
		if !ok && len(s) > 0 {
			return nil, corrupt("%.40q is no value of type %s", s, t)
		}
	}
	return b.Finish(), nil
}

// tree makes an empty tree for page p.
func (r *Reader) tree(root *entry, p int) (*variant.Tree, error) {
	t := &variant.Tree{Rows: r.PageRows(p)}
	if root.ownMeta {
		var err error
		t.Metas, err = r.rowMetas(root, p)
		return t, err
	}
	d, err := r.dictionary(root)
	if err != nil {
		return nil, err
	}
	t.Names, t.Meta, t.Ranks, t.IDs = d.names, d.meta, d.ranks, d.ids
	return t, nil
}

// documents puts the whole documents of page p together.
func (r *Reader) documents(col *Column, root *entry, p int) (*vec.Vector, error) {
	t, err := r.tree(root, p)
	if err != nil {
		return nil, err
	}
	if t.Exact, err = r.exact(root, p); err != nil {
		return nil, err
	}
	if t.Root, err = r.node(root, p, true); err != nil {
		return nil, err
	}
	there, err := r.presence(root.meta, p, root.meta.chunk.Leaf.MaxDef)
	if err != nil {
		return nil, err
	}
	if there != nil {
		t.Null = complement(there, t.Rows)
	}
	return variant.AssembleTree(t).Retype(col.Type), nil
}

// complement returns the bits of the first n that are not set.
func complement(b vec.Bitmap, n int) vec.Bitmap {
	out := vec.NewBitmapSet(n)
	for i := range out {
		out[i] &^= b[i]
	}
	return out
}

// presence tells in which rows of page p a group above a leaf is there; nil for all.
func (r *Reader) presence(l *leafEntry, p int, level int) (vec.Bitmap, error) {
	if p >= len(l.pages) {
		return nil, corrupt("leaf %d has %d pages", l.num, len(l.pages))
	}
	if level == 0 {
		return nil, nil
	}
	c, err := r.cached(PageKey{Leaf: int32(l.num), Page: int32(p), Level: uint8(level)}, func() (CachedPage, int64, error) {
		valid, n, err := l.chunk.ReadPresence(r.file.f, l.pages[p].loc, level)
		if err == nil && n != r.PageRows(p) {
			err = corrupt("page has %d rows instead of %d", n, r.PageRows(p))
		}
		return CachedPage{valid: valid}, int64(len(valid) * 8), err
	})
	return c.valid, err
}

// exact returns the exact numbers of page p.
func (r *Reader) exact(root *entry, p int) ([]variant.ExactValue, error) {
	if !hasValues(root.exact, p) {
		return nil, nil
	}
	v, err := r.page(root.exact, types.Of(types.Varchar), types.Of(types.Varchar), p)
	if err != nil {
		return nil, err
	}
	var out []variant.ExactValue
	for i := range v.Len {
		if v.IsNull(i) {
			continue
		}
		x, ok := variant.ParseExact(v.Bytes(i), uint32(i))
		if !ok {
			return nil, corrupt("exact numbers of row %d are malformed", i)
		}
		out = append(out, x...)
	}
	return out, nil
}

// node reads page p of a node, with all nodes below it if deep.
func (r *Reader) node(e *entry, p int, deep bool) (*variant.Node, error) {
	if !deep {
		n := &variant.Node{Kind: variant.NodeNone, Key: e.name()}
		return n, r.nodeValue(n, e, p, r.PageRows(p))
	}
	all, err := r.file.below(e.key)
	if err != nil {
		return nil, err
	}
	n, rest, err := r.subtree(all, p, r.PageRows(p))
	if err == nil && len(rest) > 0 {
		err = corrupt("segment directory has paths without their parents")
	}
	return n, err
}

// setRows lists the set bits.
func setRows(b vec.Bitmap) []uint32 {
	out := []uint32{}
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			out = append(out, uint32(w*64+bits.TrailingZeros64(word)))
		}
	}
	return out
}
