package parquetio

import (
	"encoding/binary"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// variantShape is a VARIANT group: metadata, and the value with its typed parts.
type variantShape struct {
	metadata *shape
	root     *variantNode
}

// variantNode is the group of a value, a member of a shredded object or an element of a shredded array: value, typed_value or both.
type variantNode struct {
	value  *shape // nil if the group has none
	scalar *shape
	// typed is the node of typed_value; fields or elem are set if it is an object or an array.
	typed  *Node
	fields []variantField
	elem   *variantNode
	first  *Node // a leaf whose levels stand for the node
}

type variantField struct {
	name string
	node *variantNode
}

// binaryLeaf is the shape of a leaf of plain bytes.
func binaryLeaf(n *Node) *shape {
	return &shape{t: types.Of(types.Binary), node: n, first: n, conv: plainConvert}
}

// unshredded returns the shape of a group of metadata and value, as NodeOf writes it.
func unshredded(n *Node) *variantShape {
	value := n.Child(ValueName)
	return &variantShape{metadata: binaryLeaf(n.Child(MetadataName)), root: &variantNode{value: binaryLeaf(value), first: value}}
}

// variantGroup reads the schema of a VARIANT group.
func (s *shaper) variantGroup(n *Node) (*shape, error) {
	meta := n.Child(MetadataName)
	if meta == nil || !meta.IsLeaf() || meta.Leaf.Kind != KindBytes || meta.Repetition == Repeated {
		return nil, corrupt("VARIANT group %s has no metadata", n.Name)
	}
	root, err := s.variantNode(n)
	if err != nil {
		return nil, err
	}
	return &shape{t: types.Of(types.Variant), node: n, first: meta, variant: &variantShape{metadata: binaryLeaf(meta), root: root}}, nil
}

func (s *shaper) variantNode(n *Node) (*variantNode, error) {
	out := &variantNode{}
	if v := n.Child(ValueName); v != nil {
		if !v.IsLeaf() || v.Leaf.Kind != KindBytes || v.Repetition == Repeated {
			return nil, corrupt("value of a VARIANT is no binary column")
		}
		out.value, out.first = binaryLeaf(v), v
	}
	t := n.Child(TypedName)
	if t == nil {
		if out.value == nil {
			return nil, corrupt("VARIANT group %s has neither value nor typed_value", n.Name)
		}
		return out, nil
	}
	out.typed = t
	if out.first == nil {
		if out.first = firstLeaf(t); out.first == nil {
			return nil, corrupt("typed_value of a VARIANT has no columns")
		}
	}
	switch r := onlyRepeated(t); {
	case t.Repetition == Repeated:
		return nil, corrupt("typed_value of a VARIANT is repeated")
	case t.IsLeaf():
		var err error
		out.scalar, err = s.variantScalar(t)
		return out, err
	case t.Annotation.Logical == LogicalList:
		if r == nil || len(r.Children) != 1 {
			return nil, corrupt("typed_value of a VARIANT is a malformed list")
		}
		var err error
		out.elem, err = s.variantNode(r.Children[0])
		return out, err
	}
	for _, c := range t.Children {
		if c.IsLeaf() || c.Repetition == Repeated {
			return nil, corrupt("member %s of a shredded object is no group", c.Name)
		}
		f, err := s.variantNode(c)
		if err != nil {
			return nil, err
		}
		out.fields = append(out.fields, variantField{c.Name, f})
	}
	if len(out.fields) == 0 {
		return nil, corrupt("typed_value of a VARIANT has no columns")
	}
	return out, nil
}

// variantScalar maps a typed leaf. Timestamps of nanoseconds, which no SQL type holds, become values at once.
func (s *shaper) variantScalar(n *Node) (*shape, error) {
	a := n.Annotation
	if a.Logical == LogicalTimestamp && a.Unit == Nanos && n.Leaf.Kind == KindInt64 {
		return &shape{t: types.Of(types.Binary), node: n, first: n, conv: func(v *Values, t types.Type) (*vec.Vector, error) {
			b := vec.NewBuilder(t, v.N)
			for _, x := range v.I64 {
				b.AppendBytes(nanosValue(x, a.UTC))
			}
			return b.Finish(), nil
		}}, nil
	}
	plain := shaper{}
	return plain.leaf(n)
}

// nanosValue encodes a timestamp of nanoseconds as a Variant value (VariantEncoding.md, primitive types 18 and 19).
func nanosValue(x int64, utc bool) []byte {
	const primTimestampTZNanos, primTimestampNanos = 18, 19
	prim := byte(primTimestampNanos)
	if utc {
		prim = primTimestampTZNanos
	}
	return binary.LittleEndian.AppendUint64([]byte{prim << 2}, uint64(x))
}

// nanosConverter reads timestamps of nanoseconds as variants.
func nanosConverter(utc bool) converter {
	return func(v *Values, t types.Type) (*vec.Vector, error) {
		b := variant.NewBatchBuilder(v.N)
		for _, x := range v.I64 {
			b.AppendValue(nil, nanosValue(x, utc))
		}
		return b.Finish().Retype(t), nil
	}
}

func (v *variantShape) eachLeaf(f func(*shape)) {
	f(v.metadata)
	v.root.eachLeaf(f)
}

func (n *variantNode) eachLeaf(f func(*shape)) {
	if n.value != nil {
		f(n.value)
	}
	switch {
	case n.scalar != nil:
		f(n.scalar)
	case n.elem != nil:
		n.elem.eachLeaf(f)
	}
	for _, c := range n.fields {
		c.node.eachLeaf(f)
	}
}

// documentWriter builds documents from values that are checked.
type documentWriter struct {
	*variant.BatchBuilder
	check variant.Validator
}

// variantPart is a node with the vectors of some rows.
type variantPart struct {
	value, scalar *vec.Vector
	raw           bool // scalar holds finished values
	// there tells where the object or array of typed_value is; nil for everywhere.
	shredded bool
	there    vec.Bitmap
	fields   []variantPart
	offsets  []int32
	elem     *variantPart
	node     *variantNode
}

// assemble makes a flat variant vector.
func (v *variantShape) assemble(s *shape, cols columns, parentDef int) (*vec.Vector, error) {
	meta, err := v.metadata.assemble(cols, parentDef)
	if err != nil {
		return nil, err
	}
	root, err := v.root.assemble(cols, parentDef)
	if err != nil {
		return nil, err
	}
	valid, n := validity(cols[s.first.Index], parentDef, s.node.MaxDef, s.node.MaxRep)
	b := &documentWriter{BatchBuilder: variant.NewBatchBuilder(n)}
	for i := range n {
		if !valid.Get(i) {
			b.AppendNull()
			continue
		}
		if meta.IsNull(i) {
			return nil, badValue(i, sqlerr.Corrupt, "VARIANT without metadata")
		}
		b.BeginRow()
		there, err := root.write(b, meta.Bytes(i), i)
		if err != nil {
			return nil, badValue(i, sqlerr.Corrupt, "%v", err)
		}
		if !there {
			b.Null()
		}
		b.EndRow()
	}
	return b.Finish().Retype(s.t), nil
}

// assemble makes the vectors of a node.
func (n *variantNode) assemble(cols columns, parentDef int) (p variantPart, err error) {
	p.node = n
	if n.value != nil {
		if p.value, err = n.value.assemble(cols, parentDef); err != nil {
			return p, err
		}
	}
	switch {
	case n.typed == nil:
		return p, nil
	case n.scalar != nil:
		v, err := n.scalar.assemble(cols, parentDef)
		if err != nil {
			return p, err
		}
		if p.raw = n.scalar.t.Kind == types.Binary && n.typed.Leaf.Kind == KindInt64; p.raw {
			p.scalar = v
		} else {
			p.scalar = vec.Flatten(variant.FromVector(v))
		}
		return p, nil
	}
	c := cols[firstLeaf(n.typed).Index]
	p.shredded = true
	p.there, _ = validity(c, parentDef, n.typed.MaxDef, n.typed.MaxRep)
	if n.elem != nil {
		list := &shape{t: types.ArrayOf(types.Of(types.Variant)), node: n.typed, repeated: n.typed.Children[0]}
		var elems int
		if p.offsets, elems, err = list.offsets(c, parentDef); err != nil {
			return p, err
		}
		e, err := n.elem.assemble(cols, n.typed.Children[0].MaxDef)
		if err != nil {
			return p, err
		}
		if e.value != nil && e.value.Len != elems || e.scalar != nil && e.scalar.Len != elems {
			return p, corrupt("elements of a shredded array disagree in their levels")
		}
		p.elem = &e
		return p, nil
	}
	for _, f := range n.fields {
		part, err := f.node.assemble(cols, parentDef)
		if err != nil {
			return p, err
		}
		p.fields = append(p.fields, part)
	}
	return p, nil
}

// write writes the value of slot i; false if there is none.
func (p *variantPart) write(b *documentWriter, meta []byte, i int) (bool, error) {
	var value []byte
	if p.value != nil && !p.value.IsNull(i) {
		value = p.value.Bytes(i)
		if err := b.check.Validate(meta, value, false); err != nil {
			return false, err
		}
	}
	switch {
	case p.scalar != nil && !p.scalar.IsNull(i):
		if value != nil {
			return false, corrupt("VARIANT has a value and a typed value")
		}
		if p.raw {
			b.Value(meta, p.scalar.Bytes(i))
		} else {
			m, x := p.scalar.VariantAt(i)
			b.Value(m, x)
		}
		return true, nil
	case p.shredded && p.there.Get(i):
		if p.elem == nil {
			return true, p.writeObject(b, meta, value, i)
		}
		if value != nil {
			return false, corrupt("VARIANT has a value and a typed array")
		}
		b.BeginArray()
		for e := p.offsets[i]; e < p.offsets[i+1]; e++ {
			there, err := p.elem.write(b, meta, int(e))
			if err != nil {
				return false, err
			}
			if !there {
				b.Null()
			}
		}
		b.EndArray()
		return true, nil
	case value != nil:
		b.Value(meta, value)
		return true, nil
	}
	return false, nil
}

// writeObject writes a shredded object with the members left over in value.
func (p *variantPart) writeObject(b *documentWriter, meta, value []byte, i int) error {
	b.BeginObject()
	if value != nil {
		if variant.KindOf(value) != variant.Object {
			return corrupt("VARIANT has a typed object and another value")
		}
		variant.Members(meta, value, func(name, member []byte) bool {
			// A member that has a group of its own is there or nowhere.
			if !p.node.shreds(name) {
				b.Key(name)
				b.Value(meta, member)
			}
			return true
		})
	}
	for k := range p.fields {
		if !p.fields[k].has(i) {
			continue
		}
		b.Key([]byte(p.node.fields[k].name))
		if _, err := p.fields[k].write(b, meta, i); err != nil {
			return err
		}
	}
	b.EndObject()
	return nil
}

// shreds tells whether a member has a group of its own.
func (n *variantNode) shreds(name []byte) bool {
	for i := range n.fields {
		if n.fields[i].name == string(name) {
			return true
		}
	}
	return false
}

// has tells whether slot i has a value.
func (p *variantPart) has(i int) bool {
	return p.value != nil && !p.value.IsNull(i) || p.scalar != nil && !p.scalar.IsNull(i) || p.shredded && p.there.Get(i)
}
