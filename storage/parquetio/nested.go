package parquetio

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Names of the groups and members that the format prescribes.
const (
	MetadataName = "metadata"
	ValueName    = "value"
	TypedName    = "typed_value"

	listName     = "list"
	elementName  = "element"
	keyValueName = "key_value"
	keyName      = "key"
)

// NodeOf returns the schema node of a column of any type. VARIANT and JSON become unshredded variant groups.
func NodeOf(name string, t types.Type, notNull bool) *Node {
	n := &Node{Name: name, Repetition: Optional}
	if notNull {
		n.Repetition = Required
	}
	if s, ok := StoreOf(t); ok {
		n.Leaf, n.Annotation = s.Leaf, s.Annotation
		return n
	}
	switch t.Kind {
	case types.Variant, types.JSON:
		n.Annotation.Logical = LogicalVariant
		n.Children = []*Node{BytesNode(MetadataName, Required), BytesNode(ValueName, Required)}
	case types.Array:
		*n = *ListNode(name, n.Repetition, NodeOf("", *t.Elem, false))
	case types.Map:
		n.Annotation.Logical = LogicalMap
		kv := &Node{Name: keyValueName, Repetition: Repeated}
		kv.Children = []*Node{NodeOf(keyName, t.Fields[0].Type, true), NodeOf(ValueName, t.Fields[1].Type, false)}
		n.Children = []*Node{kv}
	case types.Struct:
		n.Children = []*Node{}
		for _, f := range t.Fields {
			n.Children = append(n.Children, NodeOf(f.Name, f.Type, f.NotNull))
		}
	default:
		panic(fmt.Sprintf("BUG: no Parquet form of %s", t))
	}
	return n
}

// ListNode returns a three-level LIST of an element, whose name it sets.
func ListNode(name string, r Repetition, element *Node) *Node {
	element.Name = elementName
	list := &Node{Name: listName, Repetition: Repeated, Children: []*Node{element}}
	return &Node{Name: name, Repetition: r, Annotation: Annotation{Logical: LogicalList}, Children: []*Node{list}}
}

// BytesNode returns a leaf of plain bytes.
func BytesNode(name string, r Repetition) *Node {
	return &Node{Name: name, Repetition: r, Leaf: LeafInfo{Kind: KindBytes}}
}

// slots are the entries at a node while a vector is taken apart: levels, and the index of the value in the vector, or -1 where a node
// above has none.
type slots struct {
	rep, def []uint8
	idx      []int32
}

// Shred takes a vector of any type apart into one input for each leaf under n, in the order of the leaves.
func Shred(n *Node, t types.Type, v *vec.Vector) []*PageInput {
	s := slots{rep: make([]uint8, v.Len), def: make([]uint8, v.Len), idx: make([]int32, v.Len)}
	for i := range s.idx {
		s.idx[i] = int32(i)
	}
	var out []*PageInput
	shred(n, t, v, s, v.Len, &out)
	return out
}

func shred(n *Node, t types.Type, v *vec.Vector, s slots, rows int, out *[]*PageInput) {
	if t.IsVariant() {
		v = variant.Flatten(v)
	}
	v = vec.Flatten(v)
	s = s.enter(n, v)
	if _, ok := StoreOf(t); ok {
		*out = append(*out, s.leaf(n, t, v, rows))
		return
	}
	switch t.Kind {
	case types.Variant, types.JSON:
		bin := types.Of(types.Binary)
		value := &vec.Vector{Type: bin, Len: v.Len, Data: v.Data, Bufs: v.Bufs}
		*out = append(*out, s.leaf(n.Children[0], bin, v.Meta, rows), s.leaf(n.Children[1], bin, value, rows))
	case types.Struct:
		for i, c := range n.Children {
			shred(c, t.Fields[i].Type, v.Children[i], s, rows, out)
		}
	case types.Array:
		inner := s.repeat(n.Children[0], v)
		shred(n.Children[0].Children[0], *t.Elem, v.Children[0], inner, rows, out)
	case types.Map:
		inner := s.repeat(n.Children[0], v)
		for i, c := range n.Children[0].Children {
			shred(c, t.Fields[i].Type, v.Children[0].Children[i], inner, rows, out)
		}
	}
}

// enter marks the slots that have a value at an optional node; at a required one all do whose parent has one.
func (s slots) enter(n *Node, v *vec.Vector) slots {
	if n.Repetition != Optional {
		return s
	}
	out := slots{rep: s.rep, def: append([]uint8{}, s.def...), idx: append([]int32{}, s.idx...)}
	for i, x := range out.idx {
		if x < 0 {
			continue
		}
		if v.IsNull(int(x)) {
			out.idx[i] = -1
		} else {
			out.def[i] = uint8(n.MaxDef)
		}
	}
	return out
}

// repeat makes a slot of each list element. A list without elements, and a slot without a list, keep one slot.
func (s slots) repeat(n *Node, v *vec.Vector) slots {
	var out slots
	for i, x := range s.idx {
		if x < 0 || v.Offsets[x] == v.Offsets[x+1] {
			out.rep, out.def, out.idx = append(out.rep, s.rep[i]), append(out.def, s.def[i]), append(out.idx, -1)
			continue
		}
		rep := s.rep[i]
		for e := v.Offsets[x]; e < v.Offsets[x+1]; e++ {
			out.rep, out.def, out.idx = append(out.rep, rep), append(out.def, uint8(n.MaxDef)), append(out.idx, e)
			rep = uint8(n.MaxRep)
		}
	}
	return out
}

// leaf gathers the values of a leaf.
func (s slots) leaf(n *Node, t types.Type, v *vec.Vector, rows int) *PageInput {
	in := &PageInput{Rows: rows, Entries: len(s.idx), Def: s.def}
	if n.MaxRep > 0 {
		in.Rep = s.rep
	}
	rowsOf := make([]int32, 0, len(s.idx))
	for _, x := range s.idx {
		if x >= 0 {
			rowsOf = append(rowsOf, x)
		}
	}
	if len(rowsOf) == v.Len && !v.HasNulls() {
		in.Values, _, _ = Pack(t, []*vec.Vector{v})
		return in
	}
	g := vec.GatherRows(v, rowsOf)
	if t.Kind != types.Null {
		g.Valid = nil
	}
	in.Values, _, _ = Pack(t, []*vec.Vector{g})
	return in
}
