package variant

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

const (
	// maxNodes bounds the paths that a shredder keeps apart; members beyond it stay in their parent's residual.
	maxNodes = 1 << 17
	// maxShredDepth bounds the nesting of columns; deeper values stay residual.
	maxShredDepth = 48
	// maxTouched bounds the room that is kept for the values of the next row.
	maxTouched = 1 << 20
)

// Shredder collects the documents of one segment as one set of columns for each path, at a cost proportional to the values. Each row is
// BeginRow, the events of one JSON value (it is a visitor of JSON parsers, like BatchBuilder), EndRow; or AppendNull; AppendVector adds
// many. A template converts values as they come.
type Shredder struct {
	template *Template
	enc      encoder // writes residual values; its dictionary has the names of all paths too
	root     *pathNode
	nodes    int
	row      uint32 // rows finished
	at       uint32 // row of the node in the slot: row, or within a list the ordinal of the element
	nulls    []uint32

	removed, dups int
	before        struct{ removed, dups, raw int } // at the start of the last row
	touched       []*pathNode                      // nodes that got a value in the last row
	open          bool                             // a row has begun

	// Where the next event goes. slot is the node of the next value; nil stands for a member extraID of the innermost object that has no
	// node. prev is the member before, predict the one that came next last time.
	slot    *pathNode
	extraID uint32
	stack   []openNode
	prev    *pathNode
	predict *pathNode

	// mode is modeNodes, or where the events of a whole value go: to enc, or nowhere.
	mode  uint8
	depth int        // open containers of that value
	elem  *converter // of the declared array being written, for values at depth 1

	last translation
	x    scalar // the scalar on its way
}

const (
	modeNodes = iota
	modeRaw
	modeSkip
)

// openNode is an object that has begun, or an array of a list, whose elements have begun.
type openNode struct {
	n  *pathNode
	at uint32 // the row of n
}

// pathNode is a path of the documents with its values by kind. Values of kinds that have no column of their own are in other, encoded.
// A declared node keeps what fits in ints (integers, dates, times, IPv4, short decimals) or doubles (FLOAT) in the physical form.
//
// The elements of all arrays of a path are the values of a node of their own, whose rows count elements; so do the rows of all nodes
// below it.
type pathNode struct {
	key      string
	id       uint32 // in the dictionary
	depth    int
	parent   *pathNode
	children []*pathNode
	index    map[string]*pathNode // of children, once there are many
	first    *pathNode            // predicted first member
	after    *pathNode            // predicted next sibling
	// seen is the last row with a value, plus one; once values were dropped, no later row has any. Of an element node it is the number of
	// elements.
	seen  uint32
	space *pathNode // the element node whose elements are the rows; nil where they are rows of the table
	lists int       // the lists around it
	// surprises rises with members that were not predicted and falls with the others.
	surprises int
	conv      *converter // of the declared type

	ints    *column[int64]
	doubles *column[float64]
	bools   *column[bool]
	strs    *texts
	other   *values
	nulls   []uint32
	objects []uint32
	extra   *extras
	arrays  *arrays

	plan nodePlan
}

// NewShredder makes a shredder for documents under a template, which may be nil.
func NewShredder(t *Template) *Shredder {
	return &Shredder{template: t, root: &pathNode{}, nodes: 1}
}

// Len returns the number of finished rows.
func (s *Shredder) Len() int { return int(s.row) }

// Removed returns how many values the template could not convert so far; Duplicates how many members a later one of the same name hid.
func (s *Shredder) Removed() int { return s.removed }

// Duplicates: see Removed. Members without a column of their own are counted by Finish (Tree.Duplicates).
func (s *Shredder) Duplicates() int { return s.dups + s.enc.dups }

// SizeBytes estimates the memory of the rows so far. It visits all paths, so it is for once a batch.
func (s *Shredder) SizeBytes() int64 {
	return s.root.sizeBytes() + int64(len(s.nulls))*4 + int64(cap(s.touched))*8
}

func (n *pathNode) sizeBytes() int64 {
	size := int64(256 + (cap(n.nulls)+cap(n.objects))*4)
	if n.ints != nil {
		size += int64(cap(n.ints.rows)*4 + cap(n.ints.vals)*8)
	}
	if n.doubles != nil {
		size += int64(cap(n.doubles.rows)*4 + cap(n.doubles.vals)*8)
	}
	if n.bools != nil {
		size += int64(cap(n.bools.rows)*4 + cap(n.bools.vals))
	}
	size += n.strs.sizeBytes()
	if n.other != nil {
		size += n.other.sizeBytes()
	}
	if n.extra != nil {
		size += n.extra.sizeBytes() + int64(cap(n.extra.ids)*4)
	}
	if n.arrays != nil {
		size += int64(cap(n.arrays.rows)*4+cap(n.arrays.vals)*4) + n.arrays.elem.sizeBytes()
	}
	for _, c := range n.children {
		size += c.sizeBytes()
	}
	return size
}

// BeginRow begins a row.
func (s *Shredder) BeginRow() {
	s.open = true
	if s.touched = s.touched[:0]; cap(s.touched) > maxTouched {
		s.touched = nil
	}
	s.stack = s.stack[:0]
	s.slot, s.prev, s.predict, s.at = s.root, nil, nil, s.row
	s.before.removed, s.before.dups, s.before.raw = s.removed, s.dups, s.enc.dups
}

// EndRow ends the row begun, which must hold exactly one value.
func (s *Shredder) EndRow() {
	s.row++
	s.open = false
}

// AppendNull appends a SQL NULL row.
func (s *Shredder) AppendNull() {
	s.BeginRow()
	s.nulls = push(s.nulls, s.row)
	s.EndRow()
}

// Undo drops the row begun, whatever part of it has arrived, or else the last row. It must not be called twice in a row.
func (s *Shredder) Undo() {
	if !s.open {
		s.row--
		s.nulls = popRow(s.nulls, s.row)
	}
	s.open = false
	for _, n := range s.touched {
		n.pop(s.first(n))
	}
	s.touched = s.touched[:0]
	s.removed, s.dups, s.enc.dups = s.before.removed, s.before.dups, s.before.raw
	s.mode, s.depth, s.elem = modeNodes, 0, nil
	s.enc.abandon(0)
}

// pop drops what the node has from row on, but not the elements of its arrays.
func (n *pathNode) pop(row uint32) {
	n.ints.pop(row)
	n.doubles.pop(row)
	n.bools.pop(row)
	n.strs.pop(row)
	if n.other != nil {
		n.other.pop(row)
	}
	n.extra.popAll(row)
	n.arrays.pop(row)
	n.nulls, n.objects = popRow(n.nulls, row), popRow(n.objects, row)
	n.seen = row
}

// drop removes what the node and all below it have from row on.
func (n *pathNode) drop(row uint32) {
	if n.arrays != nil {
		n.arrays.drop(row)
	}
	n.pop(row)
	for _, c := range n.children {
		if c.seen > row {
			c.drop(row)
		}
	}
}

// touch notes that n gets a value in this row.
func (s *Shredder) touch(n *pathNode) {
	if n.seen == s.at+1 && s.again(n) {
		return
	}
	n.seen = s.at + 1
	s.touched = append(s.touched, n)
}

// again is touch for a node that has a value in this row: an element node goes on to the next element, and all is done; else the value that
// an earlier member of the same name left makes room.
func (s *Shredder) again(n *pathNode) bool {
	if n.space == n {
		s.at++
		n.seen = s.at + 1
		return true
	}
	n.drop(s.at)
	s.dups++
	return false
}

// child returns the node of a member of the innermost object and learns that it follows the one before; nil if it can have none.
func (s *Shredder) child(k []byte) *pathNode {
	p := s.stack[len(s.stack)-1].n
	c := p.find(k)
	if c == nil {
		if s.nodes >= maxNodes {
			return nil
		}
		c = s.newNode(p, k)
	}
	if s.prev != nil {
		s.prev.after = c
	} else {
		p.first = c
	}
	p.surprises = min(p.surprises+2, maxSurprises)
	return c
}

// maxSurprises is where a node whose members come in no order that repeats stops to predict them: a wrong guess costs a look at a node
// that is not wanted.
const maxSurprises = 200

// expect predicts the member of the innermost object after the one before.
func (s *Shredder) expect(p, next *pathNode) {
	switch {
	case p.surprises == 0:
	case p.surprises >= maxSurprises:
		next = nil
		// Now and then it tries again.
		if s.row&255 == 0 {
			p.surprises = maxSurprises / 2
		}
	default:
		p.surprises--
	}
	s.predict = next
}

// indexFrom is the number of children from which a node has an index.
const indexFrom = 8

func (n *pathNode) find(k []byte) *pathNode {
	if n.index != nil {
		return n.index[string(k)]
	}
	for _, c := range n.children {
		if c.key == string(k) {
			return c
		}
	}
	return nil
}

func (s *Shredder) newNode(p *pathNode, k []byte) *pathNode {
	id := s.enc.dict.id(k)
	c := &pathNode{key: s.enc.dict.names[id], id: id, parent: p, depth: p.depth + 1, space: p.space, lists: p.lists}
	p.children = append(p.children, c)
	switch {
	case p.index != nil:
		p.index[c.key] = c
	case len(p.children) > indexFrom:
		p.index = map[string]*pathNode{}
		for _, x := range p.children {
			p.index[x.key] = x
		}
	}
	s.nodes++
	if s.template != nil && c.space == nil {
		if t, ok := s.template.Match(c.path()); ok {
			c.conv = &converter{t: t}
		}
	}
	return c
}

// path returns the names from the root to n.
func (n *pathNode) path() []string {
	if n.parent == nil {
		return nil
	}
	return append(n.parent.path(), n.key)
}

// AppendVector appends the rows of a variant vector of any form.
func (s *Shredder) AppendVector(v *vec.Vector) {
	if v.Form == vec.Shredded && (v.Typed.Form == vec.Dictionary || v.Rest != nil && v.Rest.Form == vec.Shredded) || v.Form == vec.Constant {
		v = Flatten(v)
	}
	rest := v
	if v.Form == vec.Shredded {
		rest = v.Rest
	}
	var metas metaReader
	if rest != nil {
		rest = vec.Flatten(rest)
		metas = newMetaReader(rest.Meta)
	}
	var x scalar
	for i := range v.Len {
		switch {
		case rest != nil && !rest.IsNull(i):
			s.AppendValue(metas.at(i), rest.Bytes(i))
		case v.Form == vec.Shredded && !v.Typed.IsNull(i):
			s.BeginRow()
			x.load(v.Typed, i)
			s.scalar(&x)
			s.EndRow()
		default:
			s.AppendNull()
		}
	}
}

// appendValue sends a value as events.
func (s *Shredder) appendValue(meta, value []byte) {
	if isContainer(value) {
		s.last.open(meta)
	}
	budget := len(value)
	s.walkValue(value, MaxDepth, &budget)
}

func (s *Shredder) walkValue(value []byte, depth int, budget *int) {
	c, nested, ok := enter(value, depth, budget)
	switch {
	case !ok:
		s.Null()
	case !nested:
		s.leaf(value)
	case !c.object:
		s.BeginArray()
		for i := range c.n {
			e, _ := c.value(i)
			s.walkValue(e, depth-1, budget)
		}
		s.EndArray()
	default:
		s.BeginObject()
		for i := range c.n {
			name, named := s.last.m.name(c.id(i))
			if v, ok := c.value(i); ok && named {
				s.Key(name)
				s.walkValue(v, depth-1, budget)
			}
		}
		s.EndObject()
	}
}

// leaf sends a value that is neither object nor array.
func (s *Shredder) leaf(v []byte) {
	if len(v) > 0 {
		if text, ok := plainText(v); ok {
			s.String(text)
			return
		}
		if i, ok := plainInt(v); ok {
			s.Int(i)
			return
		}
	}
	if s.x.read(v); s.x.kind == Missing {
		s.x.kind = Null
	}
	s.scalar(&s.x)
}

// keepsInts tells whether a declared node keeps values of that type in ints.
func keepsInts(t types.Type) bool {
	switch t.Kind {
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Date, types.Time, types.DateTime, types.TimestampTZ, types.IPv4:
		return true
	case types.Decimal:
		return t.Precision <= 18
	}
	return false
}
