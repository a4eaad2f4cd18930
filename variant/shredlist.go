package variant

import "sort"

// maxListDepth is the number of lists that an element can lie in; arrays nested deeper stay residual.
const maxListDepth = 4

// elementKey stands for a name where the path of an element node is told.
const elementKey = "[]"

// arrays are the arrays of a path: rows, and for each the number of elements before its first.
type arrays struct {
	column[uint32]
	elem *pathNode
	// before is the number of elements before the table's row of number beforeRow-1.
	before, beforeRow uint32
}

// keepsList tells whether the elements of the arrays of n become values of an element node. An array that is an element of a declared array
// is no value of the element type, and one at a path declared otherwise becomes text or is removed.
func (s *Shredder) keepsList(n *pathNode) bool {
	return n.lists < maxListDepth && n.depth < maxShredDepth && (n.arrays != nil || s.nodes < maxNodes) &&
		(n.conv == nil || n.space != n && n.conv.t.Elem != nil)
}

// beginList opens an array whose elements go to the element node of n.
func (s *Shredder) beginList(n *pathNode) {
	s.touch(n)
	a := n.arrays
	if a == nil {
		a = s.newArrays(n)
	}
	if a.beforeRow != s.row+1 {
		a.before, a.beforeRow = a.elem.seen, s.row+1
	}
	a.append(s.at, a.elem.seen)
	s.stack = append(s.stack, openNode{n, s.at})
	s.slot, s.at = a.elem, a.elem.seen
}

// endList closes it.
func (s *Shredder) endList() {
	top := len(s.stack) - 1
	o := s.stack[top]
	s.stack = s.stack[:top]
	s.at = o.at
	s.afterContainer(o.n)
}

func (s *Shredder) newArrays(n *pathNode) *arrays {
	e := &pathNode{key: elementKey, parent: n, depth: n.depth + 1, lists: n.lists + 1}
	e.space = e
	if n.conv != nil {
		e.conv = &converter{t: *n.conv.t.Elem}
	}
	s.nodes++
	n.arrays = &arrays{elem: e}
	return n.arrays
}

// first returns the first row of a node in the table's row begun or, after Undo went back to it, the last one.
func (s *Shredder) first(n *pathNode) uint32 {
	if n.space == nil {
		return s.row
	}
	return n.space.parent.arrays.before
}

// pop drops the arrays from row on, but not their elements.
func (a *arrays) pop(row uint32) {
	if a != nil {
		a.column.pop(row)
	}
}

// drop drops the elements of the arrays from row on, with all below them.
func (a *arrays) drop(row uint32) {
	if k := a.search(row); k < len(a.rows) && a.elem.seen > a.vals[k] {
		a.elem.drop(a.vals[k])
	}
}

// search returns the number of arrays before row. It is quick for one of the last rows.
func (a *arrays) search(row uint32) int {
	if n := len(a.rows); n == 0 || a.rows[n-1] < row {
		return n
	}
	return sort.Search(len(a.rows), func(i int) bool { return a.rows[i] >= row })
}

func (a *arrays) len() int {
	if a == nil {
		return 0
	}
	return len(a.rows)
}

// elementsBefore returns the number of elements in arrays before row.
func (a *arrays) elementsBefore(row uint32) uint32 {
	if k := a.search(row); k < len(a.rows) {
		return a.vals[k]
	}
	return a.elem.seen
}

// offsets returns for each array where its elements begin, and the end of the last.
func (a *arrays) offsets() []uint32 { return append(a.vals[:len(a.vals):len(a.vals)], a.elem.seen) }

// rowsOf returns the number of rows that a node could have values in.
func (s *Shredder) rowsOf(n *pathNode) int {
	if n.space == nil {
		return int(s.row)
	}
	return int(n.space.seen)
}

// place returns where the value lies that n has in row: the row of the table and the steps.
func (n *pathNode) place(row uint32) (uint32, []Step) {
	switch {
	case n.parent == nil:
		return row, nil
	case n.space != n:
		at, steps := n.parent.place(row)
		return at, append(steps, Step{Key: n.key})
	}
	a := n.parent.arrays
	k := sort.Search(len(a.vals), func(i int) bool { return a.vals[i] > row }) - 1
	at, steps := n.parent.place(a.rows[k])
	return at, append(steps, Step{Index: int(row - a.vals[k]), IsIndex: true})
}
