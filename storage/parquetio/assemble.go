package parquetio

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// shape says how a column of a foreign file, or a member of one, becomes a vector: which node gives the validity, and where the
// repetition comes from, after the rules for old list forms were applied.
type shape struct {
	t types.Type
	// node has the levels of the value itself.
	node *Node
	// repeated is, for ARRAY and MAP, the node whose entries are the elements.
	repeated *Node
	// parts are the members of STRUCT, key and value of MAP, or the element of ARRAY.
	parts []*shape
	// conv converts a leaf.
	conv converter
	// variant is set for VARIANT groups.
	variant *variantShape
	// err says why a column cannot be read.
	err error
	// first is a leaf under node, whose levels stand for it.
	first *Node
}

// column holds the entries of one leaf for some rows.
type column struct {
	rep, def []uint8
	dense    *vec.Vector // the values without NULLs, in the leaf's SQL type
}

// columns are the entries of all wanted leaves by leaf number.
type columns map[int]*column

// assemble makes the vector of s of the entries whose parent is there: those with a definition level of at least parentDef and a
// repetition level of at most the node's.
func (s *shape) assemble(cols columns, parentDef int) (*vec.Vector, error) {
	c := cols[s.first.Index]
	if s.variant != nil {
		return s.variant.assemble(s, cols, parentDef)
	}
	switch {
	case s.repeated != nil:
		return s.assembleList(cols, c, parentDef)
	case s.t.Kind == types.Struct:
		valid, n := validity(c, parentDef, s.node.MaxDef, s.node.MaxRep)
		out := &vec.Vector{Type: s.t, Len: n, Valid: valid}
		for _, p := range s.parts {
			kid, err := p.assemble(cols, parentDef)
			if err != nil {
				return nil, err
			}
			if kid.Len != n {
				return nil, corrupt("members of a group disagree in their levels")
			}
			out.Children = append(out.Children, kid)
		}
		return out, nil
	}
	valid, n := validity(c, parentDef, s.node.MaxDef, s.node.MaxRep)
	if s.t.Kind == types.Null {
		return vec.NewNull(s.t, n), nil
	}
	if valid.Count(n) != c.dense.Len {
		return nil, corrupt("column %s has %d values where its levels say %d", s.node.Name, c.dense.Len, valid.Count(n))
	}
	return spread(c.dense, valid, n), nil
}

// validity returns which of the slots at a node have a value, and their number.
func validity(c *column, parentDef, maxDef, maxRep int) (vec.Bitmap, int) {
	n := 0
	out := vec.NewBitmap(len(c.def))
	set := 0
	for i, d := range c.def {
		if int(d) < parentDef || int(c.rep[i]) > maxRep {
			continue
		}
		if int(d) >= maxDef {
			out.Set(n)
			set++
		}
		n++
	}
	if set == n {
		return nil, n
	}
	return out[:(n+63)/64], n
}

func (s *shape) assembleList(cols columns, c *column, parentDef int) (*vec.Vector, error) {
	maxDef, maxRep := s.node.MaxDef, s.node.MaxRep
	if s.node == s.repeated {
		// A bare repeated field is a list that is there wherever the group above is.
		maxDef, maxRep = parentDef, maxRep-1
	}
	valid, n := validity(c, parentDef, maxDef, maxRep)
	out := &vec.Vector{Type: s.t, Len: n, Valid: valid}
	var elems int
	var err error
	if out.Offsets, elems, err = s.offsets(c, parentDef); err != nil {
		return nil, err
	}
	if len(out.Offsets) != n+1 {
		return nil, corrupt("list %s has impossible levels", s.node.Name)
	}
	if s.t.Kind == types.Array {
		kid, err := s.parts[0].assemble(cols, s.repeated.MaxDef)
		if err != nil {
			return nil, err
		}
		out.Children = []*vec.Vector{kid}
	} else {
		entry := &vec.Vector{Type: types.Type{Kind: types.Struct, Fields: s.t.Fields}, Len: elems}
		for _, p := range s.parts {
			kid, err := p.assemble(cols, s.repeated.MaxDef)
			if err != nil {
				return nil, err
			}
			if kid.Len != entry.Len {
				return nil, corrupt("keys and values of %s disagree in their levels", s.node.Name)
			}
			entry.Children = append(entry.Children, kid)
		}
		out.Children = []*vec.Vector{entry}
	}
	if out.Children[0].Len != elems {
		return nil, corrupt("list %s has elements that its levels do not tell", s.node.Name)
	}
	return out, nil
}

// offsets returns where the elements of each list begin, and their number.
func (s *shape) offsets(c *column, parentDef int) ([]int32, int, error) {
	var out []int32
	elems := int32(0)
	for i, d := range c.def {
		if int(d) < parentDef || int(c.rep[i]) > s.repeated.MaxRep {
			continue
		}
		if int(c.rep[i]) < s.repeated.MaxRep {
			out = append(out, elems)
		}
		if int(d) >= s.repeated.MaxDef {
			elems++
		}
	}
	if len(out) == 0 && elems > 0 {
		return nil, 0, corrupt("list %s starts inside a row", s.node.Name)
	}
	return append(out, elems), int(elems), nil
}

// Assembler puts the leaves of a nested column of our own files together.
type Assembler struct {
	root   *shape
	leaves []*Node
}

// NewAssembler makes an assembler for a column that was written under NodeOf(name, t, notNull).
func NewAssembler(t types.Type, notNull bool) *Assembler {
	n := NodeOf("", t, notNull)
	leaves := Number(&Node{Children: []*Node{n}})
	return &Assembler{root: ownShape(n, t), leaves: leaves}
}

// Leaves returns the number of leaves.
func (a *Assembler) Leaves() int { return len(a.leaves) }

// Assemble makes a vector of the same page of all leaves, read with levels.
func (a *Assembler) Assemble(pages []Data) (v *vec.Vector, err error) {
	defer guard(&err, "nested page")
	cols := columns{}
	i := 0
	a.root.eachLeaf(func(l *shape) {
		if err != nil {
			return
		}
		c := &column{rep: pages[i].Rep, def: pages[i].Def}
		if l.t.Kind != types.Null {
			var dense *vec.Vector
			if dense, err = spreadValues(&pages[i].Values, l.t, nil, pages[i].Values.N, l.conv); err == nil {
				c.dense = vec.Flatten(dense)
			}
		}
		cols[l.node.Index] = c
		i++
	})
	if err != nil {
		return nil, err
	}
	return a.root.assemble(cols, 0)
}

// ownShape returns the shape of a column as NodeOf writes it.
func ownShape(n *Node, t types.Type) *shape {
	s := &shape{t: t, node: n, first: firstLeaf(n)}
	if _, ok := StoreOf(t); ok {
		s.conv = plainConvert
		return s
	}
	switch t.Kind {
	case types.Variant, types.JSON:
		s.variant = unshredded(n)
	case types.Struct:
		for i, c := range n.Children {
			s.parts = append(s.parts, ownShape(c, t.Fields[i].Type))
		}
	case types.Array:
		s.repeated = n.Children[0]
		s.parts = []*shape{ownShape(n.Children[0].Children[0], *t.Elem)}
	case types.Map:
		s.repeated = n.Children[0]
		for i, c := range n.Children[0].Children {
			s.parts = append(s.parts, ownShape(c, t.Fields[i].Type))
		}
	}
	return s
}
