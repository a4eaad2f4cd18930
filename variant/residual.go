package variant

import (
	"slices"
	"sort"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// build makes the node of a marked path, or of the root, with all below it.
func (f *finisher) build(n *pathNode) *Node {
	p := &n.plan
	node := &Node{Key: n.key, Kinds: p.counts, Declared: n.conv != nil, Arrays: n.reportedArrays()}
	if n.space == n {
		node.Key = ""
	}
	switch {
	case p.list():
		a := n.arrays
		node.Kind, node.ListRows, node.Offsets = NodeList, f.rowsOrAll(n, a.column.rows), a.offsets()
		node.Elem = f.build(a.elem)
	case p.shred:
		node.Kind, node.Type = NodeScalar, p.t
		f.buildTyped(n, node)
		f.buildSecond(n, node)
	}
	if p.inner {
		node.Kind, node.ObjectRows = NodeObject, f.rowsOrAll(n, n.objects)
		for _, c := range n.children {
			if c.plan.marked() {
				node.Children = append(node.Children, f.build(c))
			}
		}
		sort.Slice(node.Children, func(i, j int) bool { return node.Children[i].Key < node.Children[j].Key })
	}
	f.buildValue(n, node, f.source(n))
	return node
}

// rowsOrAll returns nil for a list of all rows of a node, and never nil for any other.
func (f *finisher) rowsOrAll(n *pathNode, rows []uint32) []uint32 {
	switch {
	case len(rows) == f.s.rowsOf(n):
		return nil
	case rows == nil:
		return []uint32{}
	}
	return rows
}

// buildTyped moves the values of the node's group to its typed column; what stays in the columns of n is residual.
func (f *finisher) buildTyped(n *pathNode, node *Node) {
	p := &n.plan
	var rows []uint32
	switch p.group {
	case groupBool:
		rows, node.Typed = n.bools.rows, vec.NewFlat(p.t, n.bools.vals, nil)
		n.bools = nil
	case groupInt:
		rows, node.Typed = n.ints.rows, intVector(p.t, n.ints.vals)
		n.ints = nil
	case groupText:
		rows, node.Typed = n.strs.rows, &vec.Vector{Type: p.t, Len: len(n.strs.vals), Data: n.strs.vals, Bufs: n.strs.bufs}
		n.strs = nil
	case groupDouble:
		c := n.doubles
		if p.withInts {
			c = mergeColumns(n.doubles, n.ints, func(i int64) float64 { return float64(i) })
			n.ints = nil
		}
		rows, n.doubles = c.rows, nil
		node.Typed = vec.NewFlat(p.t, c.vals, nil)
		if p.t.Kind == types.Float {
			node.Typed = vec.NewFlat(p.t, mapSlice(c.vals, func(x float64) float32 { return float32(x) }), nil)
		}
	case groupLarge:
		large := &column[types.Int128]{}
		n.other = n.other.split(func(row uint32, _ []byte, s *scalar) bool {
			narrow, _ := s.w.Int128()
			if s.kind != LargeInt || !fits38(narrow) {
				return false
			}
			large.append(row, narrow)
			return true
		})
		c := mergeColumns(large, n.ints, types.Int128From)
		rows, n.ints = c.rows, nil
		node.Typed = vec.NewFlat(p.t, c.vals, nil)
	case groupOther:
		taken := &texts{}
		n.other = n.other.split(func(row uint32, v []byte, s *scalar) bool {
			if s.kind != p.kind || s.nanos != 0 || s.kind == Decimal && s.scale != p.scale {
				return false
			}
			taken.append(row, v)
			return true
		})
		v := &vec.Vector{Type: types.Of(types.Variant), Len: len(taken.vals), Data: taken.vals, Bufs: taken.bufs, Meta: metaVector(emptyMetadata, len(taken.vals))}
		if taken.vals == nil {
			v.Data = []vec.View{}
		}
		rows, node.Typed = taken.rows, castTo(v, p.t)
	}
	node.TypedRows = f.rowsOrAll(n, rows)
}

// secondShare: a second kind that more than one row of the table in so many has gets a column of its own beside the residual.
const secondShare = 20

// buildSecond copies the most frequent of the columns that the typed column left, if it is large enough. A declared path has one kind, and
// elements are read with their arrays only.
func (f *finisher) buildSecond(n *pathNode, node *Node) {
	if n.conv != nil || n.space != nil {
		return
	}
	least := int(f.s.row) / secondShare
	if n.strs.len() > least {
		least = n.strs.len()
		node.SecondRows = n.strs.rows
		node.Second = &vec.Vector{Type: types.Of(types.Varchar), Len: least, Data: n.strs.vals, Bufs: n.strs.bufs}
	}
	if n.ints.len() > least {
		least = n.ints.len()
		node.SecondRows, node.Second = n.ints.rows, vec.NewFlat(types.Of(types.BigInt), n.ints.vals, nil)
	}
	if n.doubles.len() > least {
		least = n.doubles.len()
		node.SecondRows, node.Second = n.doubles.rows, vec.NewFlat(types.Of(types.Double), n.doubles.vals, nil)
	}
	if n.bools.len() > least {
		node.SecondRows, node.Second = n.bools.rows, vec.NewFlat(types.Of(types.Boolean), n.bools.vals, nil)
	}
}

// split offers the scalars of a column to take and returns the column of those values that it does not take, nil if there are none.
func (c *values) split(take func(row uint32, v []byte, s *scalar) bool) *values {
	if c == nil {
		return nil
	}
	rest := &values{}
	for i, row := range c.rows {
		var s scalar
		v := c.at(i)
		if !isContainer(v) && s.decode(v) && take(row, v, &s) {
			continue
		}
		rest.append(row, v)
		rest.private = rest.private || c.private
	}
	if rest.len() == 0 {
		return nil
	}
	return rest
}

func mapSlice[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return out
}

// mergeColumns merges two columns without common rows; either may be nil.
func mergeColumns[A, B any](a *column[A], b *column[B], f func(B) A) *column[A] {
	if b.len() == 0 && a != nil {
		return a
	}
	out := &column[A]{rows: make([]uint32, 0, a.len()+b.len()), vals: make([]A, 0, a.len()+b.len())}
	i, j := 0, 0
	for i < a.len() || j < b.len() {
		if j == b.len() || i < a.len() && a.rows[i] < b.rows[j] {
			out.append(a.rows[i], a.vals[i])
			i++
		} else {
			out.append(b.rows[j], f(b.vals[j]))
			j++
		}
	}
	return out
}

// intVector makes a vector of a type whose values are kept in column ints.
func intVector(t types.Type, vals []int64) *vec.Vector {
	switch t.Phys() {
	case types.PhysInt8:
		return vec.NewFlat(t, narrowInts[int8](vals), nil)
	case types.PhysInt16:
		return vec.NewFlat(t, narrowInts[int16](vals), nil)
	case types.PhysInt32:
		return vec.NewFlat(t, narrowInts[int32](vals), nil)
	case types.PhysUint32:
		return vec.NewFlat(t, narrowInts[uint32](vals), nil)
	}
	return vec.NewFlat(t, vals, nil)
}

func narrowInts[T int8 | int16 | int32 | uint32](vals []int64) []T {
	return mapSlice(vals, func(x int64) T { return T(x) })
}

// source makes the source of what a path keeps in the residual: the columns that are left, and objects of the members without node.
func (f *finisher) source(n *pathNode) *source {
	src := &source{id: n.id}
	if n.ints.len() > 0 && n.conv != nil && n.conv.t.Kind == types.IPv4 {
		src.addRaw(f.public(n, n.addresses()))
	} else if n.ints.len() > 0 {
		r := run{rowList: rowList{rows: n.ints.rows}, ints: n.ints.vals}
		r.proto = scalar{kind: BigInt}
		if n.conv != nil {
			r.proto = protoOf(n.conv.t)
		}
		src.runs = append(src.runs, r)
	}
	if n.doubles.len() > 0 {
		r := run{rowList: rowList{rows: n.doubles.rows}, doubles: n.doubles.vals, proto: scalar{kind: Double}}
		if n.conv != nil {
			r.proto = protoOf(n.conv.t)
		}
		src.runs = append(src.runs, r)
	}
	if n.bools.len() > 0 {
		src.runs = append(src.runs, run{rowList: rowList{rows: n.bools.rows}, bools: n.bools.vals, proto: scalar{kind: Boolean}})
	}
	if n.strs.len() > 0 {
		src.runs = append(src.runs, run{rowList: rowList{rows: n.strs.rows}, texts: n.strs.vals, bufs: n.strs.bufs})
	}
	if len(n.nulls) > 0 {
		src.runs = append(src.runs, run{rowList: rowList{rows: n.nulls}, null: true})
	}
	if n.other != nil {
		src.addRaw(f.public(n, n.other))
	}
	if n.arrays.len() > 0 && !n.plan.list() {
		src.list = &listSource{rowList: rowList{rows: n.arrays.rows}, offsets: n.arrays.offsets(), elem: f.source(n.arrays.elem)}
	}
	if len(n.objects) == 0 {
		return src
	}
	src.object, src.sparse = true, n.plan.inner
	src.objects = rowList{rows: n.objects}
	for _, c := range n.children {
		if !c.plan.marked() {
			src.children = append(src.children, f.source(c))
		}
	}
	slices.SortFunc(src.children, func(a, b *source) int { return int(f.rank[a.id]) - int(f.rank[b.id]) })
	if n.extra != nil && n.extra.len() > 0 {
		src.addRaw(f.extraObjects(n))
	}
	return src
}

func (s *source) addRaw(t *texts) {
	if t.len() > 0 {
		s.runs = append(s.runs, run{rowList: rowList{rows: t.rows}, raw: t.vals, bufs: t.bufs})
	}
}

// addresses returns the IPv4 addresses of a declared node as encoded values.
func (n *pathNode) addresses() *values {
	out := &values{private: true}
	for i, row := range n.ints.rows {
		out.append(row, appendScalar(nil, &scalar{kind: IPv4, i: n.ints.vals[i]}))
	}
	return out
}

// protoOf returns the scalar that a declared type's ints or doubles complete.
func protoOf(t types.Type) scalar {
	s := scalar{kind: declaredKind(t), scale: t.Scale, width: widthOf(t.Precision)}
	switch s.kind {
	case TinyInt, SmallInt, Int:
		s.kind = BigInt
	}
	return s
}

// public returns the values of a column with substitutes for those that Parquet cannot hold, which go to Tree.Exact.
func (f *finisher) public(n *pathNode, c *values) *texts {
	if !c.private {
		return &c.texts
	}
	out := &texts{}
	for i, row := range c.rows {
		out.append(row, f.publicValue(n, row, nil, c.at(i)))
	}
	return out
}

// publicValue returns a value with substitutes, which lies below at the value of n in row; the result lives until the next call.
func (f *finisher) publicValue(n *pathNode, row uint32, below []Step, v []byte) []byte {
	if !hasPrivate(v, MaxDepth) {
		return v
	}
	e := &f.s.enc
	e.abandon(0)
	row, path := n.place(row)
	path = append(path, below...)
	substitute(e, v, path, func(path []Step, s *scalar) {
		f.t.Exact = append(f.t.Exact, ExactValue{Row: row, Path: slices.Clone(path), Kind: s.kind, Text: s.appendText(nil)})
	})
	return e.buf
}

// extraObjects makes an object of the members without node in each row that has any.
func (f *finisher) extraObjects(n *pathNode) *texts {
	out, x := &texts{}, n.extra
	var e encoder
	e.dict = f.s.enc.dict
	for i := 0; i < x.len(); {
		row := x.rows[i]
		e.abandon(0)
		e.BeginObject()
		for ; i < x.len() && x.rows[i] == row; i++ {
			v := x.at(i)
			name := e.dict.names[x.ids[i]]
			if x.private && !x.hidden(i) {
				v = f.publicValue(n, row, []Step{{Key: name}}, v)
			}
			e.Key([]byte(name))
			e.buf = append(e.buf, v...)
		}
		e.EndObject()
		out.append(row, e.buf)
	}
	f.s.dups += e.dups
	return out
}

// hidden tells whether a later member of the same row has the same name.
func (x *extras) hidden(i int) bool {
	for j := i + 1; j < x.len() && x.rows[j] == x.rows[i]; j++ {
		if x.ids[j] == x.ids[i] {
			return true
		}
	}
	return false
}

// buildValue assembles the residual values of a node.
func (f *finisher) buildValue(n *pathNode, node *Node, src *source) {
	if len(src.runs) == 0 && len(src.children) == 0 && (!src.object || src.sparse) && src.list == nil {
		return
	}
	out := &texts{}
	if r := src.runs; len(r) == 1 && r[0].raw != nil && !src.object && src.list == nil {
		out.rows, out.vals, out.bufs = r[0].rows, r[0].raw, r[0].bufs
	} else {
		a := assembler{rank: f.rank}
		a.all(src, f.s.rowsOf(n), out.append)
	}
	if len(out.rows) == 0 {
		return
	}
	node.ValueRows = f.rowsOrAll(n, out.rows)
	node.Value = &vec.Vector{Type: types.Of(types.Binary), Len: len(out.vals), Data: out.vals, Bufs: out.bufs}
}
