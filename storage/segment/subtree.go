package segment

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
)

// subtree reads the first of entries and those below it, for rows rows, and returns the entries that follow.
func (r *Reader) subtree(entries []*entry, p, rows int) (*variant.Node, []*entry, error) {
	e, rest := entries[0], entries[1:]
	if !e.isVariant() {
		return nil, nil, corrupt("segment directory has a column where a path should be")
	}
	n := &variant.Node{Kind: e.node, Type: e.t, Declared: e.declared, Kinds: e.kinds, Key: e.name()}
	if err := r.nodeValue(n, e, p, rows); err != nil {
		return nil, nil, err
	}
	if hasValues(e.typed, p) {
		c, err := r.densePage(e.typed, storedType(e.t), e.t, p, e.base(e.typed))
		if err == nil && c.count != rows {
			err = corrupt("page has %d rows instead of %d", c.count, rows)
		}
		if err != nil {
			return nil, nil, err
		}
		n.TypedRows, n.Typed = c.rows, c.vec
	}
	switch e.node {
	case variant.NodeObject:
		return r.members(n, e, rest, p, rows)
	case variant.NodeList:
		return r.elements(n, e, rest, p, rows)
	}
	return n, rest, nil
}

// members reads the members of an object.
func (r *Reader) members(n *variant.Node, e *entry, rest []*entry, p, rows int) (*variant.Node, []*entry, error) {
	first := e.leafBelow(rest)
	for len(rest) > 0 && len(rest[0].path) == len(e.path)+1 {
		c, after, err := r.subtree(rest, p, rows)
		if err != nil {
			return nil, nil, err
		}
		n.Children = append(n.Children, c)
		rest = after
	}
	if len(n.Children) == 0 || first == nil {
		return nil, nil, corrupt("segment directory has an object without members")
	}
	// The object is there where its members' leaves reach the level of its group.
	l, top := first.anyLeaf(), e.top(first)
	if l.chunk.Leaf.MaxRep == 0 {
		there, err := r.presence(l, p, top+1)
		if there != nil {
			n.ObjectRows = setRows(there)
		}
		return n, rest, err
	}
	c, err := r.group(l, p, top+1, func(rep, def []uint8) (c CachedPage) {
		lists, steps := e.lists()
		c.rows, c.count = groupRows(rep, def, lists, groupBase(top, lists, steps), top+1)
		return c
	})
	if err == nil && c.count != rows {
		err = corrupt("page has %d rows instead of %d", c.count, rows)
	}
	n.ObjectRows = c.rows
	return n, rest, err
}

// elements reads the arrays of a list.
func (r *Reader) elements(n *variant.Node, e *entry, rest []*entry, p, rows int) (*variant.Node, []*entry, error) {
	first := e.leafBelow(rest)
	if first == nil || len(rest[0].path) != len(e.path)+1 || !rest[0].path[len(e.path)].IsIndex {
		return nil, nil, corrupt("segment directory has a list without elements")
	}
	l, top := first.anyLeaf(), e.top(first)
	c, err := r.group(l, p, top+1, func(rep, def []uint8) (c CachedPage) {
		lists, steps := e.lists()
		c.rows, c.offsets, c.count = listRows(rep, def, lists+1, groupBase(top, lists, steps), top+1)
		return c
	})
	if err == nil && (c.count != rows || c.offsets == nil) {
		err = corrupt("page of a list has %d rows instead of %d", c.count, rows)
	}
	if err != nil {
		return nil, nil, err
	}
	n.ListRows, n.Offsets = c.rows, c.offsets
	n.Elem, rest, err = r.subtree(rest, p, n.Elements())
	return n, rest, err
}

// group reads from a leaf within a list where a group around it is.
func (r *Reader) group(l *leafEntry, p, level int, from func(rep, def []uint8) CachedPage) (CachedPage, error) {
	if p >= len(l.pages) {
		return CachedPage{}, corrupt("leaf %d has %d pages", l.num, len(l.pages))
	}
	return r.cached(PageKey{Leaf: int32(l.num), Page: int32(p), Level: uint8(level)}, func() (CachedPage, int64, error) {
		rep, def, err := l.chunk.ReadLevels(r.file.f, l.pages[p].loc)
		c := from(rep, def)
		return c, int64(4 * (len(c.rows) + len(c.offsets))), err
	})
}

// groupBase returns the definition level of the elements of the innermost of lists, for a group steps below them whose own level is top. It
// is 0 outside of lists, where all entries are rows.
func groupBase(top, lists, steps int) int {
	if lists == 0 {
		return 0
	}
	return top - steps
}

// groupRows returns the rows in which the definition level reaches level, nil for all, and the number of all rows: entries that start a row
// within so many lists are those with a repetition level of at most that, and have at least the definition level base.
func groupRows(rep, def []uint8, lists, base, level int) (rows []uint32, n int) {
	rows = make([]uint32, 0, len(def))
	for i, d := range def {
		if int(d) < base || int(rep[i]) > lists {
			continue
		}
		if int(d) >= level {
			rows = append(rows, uint32(n))
		}
		n++
	}
	switch {
	case len(rows) == n:
		return nil, n
	case 2*len(rows) < cap(rows):
		rows = append([]uint32{}, rows...)
	}
	return rows, n
}

// listRows returns the rows that have a list whose group has definition level level, nil for all, where the elements of each begin, and the
// number of all rows. Elements repeat at repetition level elem; base is as in groupRows for the rows. offsets is nil if the levels make no
// list.
func listRows(rep, def []uint8, elem, base, level int) (rows, offsets []uint32, n int) {
	rows, offsets = []uint32{}, []uint32{}
	elems := uint32(0)
	for i, d := range def {
		switch k := int(rep[i]); {
		case k > elem:
			continue
		case k == elem:
			if len(offsets) == 0 || int(d) <= level {
				return nil, nil, n
			}
			elems++
			continue
		case int(d) < base:
			continue
		}
		if int(d) >= level {
			rows, offsets = append(rows, uint32(n)), append(offsets, elems)
		}
		if int(d) > level {
			elems++
		}
		n++
	}
	if len(rows) == n {
		rows = nil
	}
	return rows, append(offsets, elems), n
}

// anyLeaf returns a leaf of the entry, nil if it has none that readers know.
func (e *entry) anyLeaf() *leafEntry {
	if e.value != nil {
		return e.value
	}
	return e.typed
}

// leafBelow returns an entry below e that has a leaf: the groups above the leaf are there where it reaches their levels. It prefers one in
// few lists, whose levels are the fewest.
func (e *entry) leafBelow(entries []*entry) *entry {
	var best *entry
	least := 0
	for _, x := range entries {
		if len(x.path) <= len(e.path) {
			break
		}
		if x.anyLeaf() == nil {
			continue
		}
		if lists, _ := x.lists(); best == nil || lists < least {
			best, least = x, lists
		}
		if own, _ := e.lists(); least == own {
			break
		}
	}
	return best
}

// top returns the definition level of e's group, of which below is an entry at or below it that has a leaf. A member is a group further
// down, an element two.
func (e *entry) top(below *entry) int {
	top := below.anyLeaf().chunk.Leaf.MaxDef - 1
	for _, s := range below.path[len(e.path):] {
		if top--; s.IsIndex {
			top--
		}
	}
	return top
}

// base returns the definition level of the elements of the innermost list around a leaf of the entry.
func (e *entry) base(l *leafEntry) int {
	lists, steps := e.lists()
	return groupBase(l.chunk.Leaf.MaxDef-1, lists, steps)
}

// nodeValue reads the residual of a node.
func (r *Reader) nodeValue(n *variant.Node, e *entry, p, rows int) error {
	if !hasValues(e.value, p) {
		return nil
	}
	c, err := r.densePage(e.value, types.Of(types.Binary), types.Of(types.Binary), p, e.base(e.value))
	if err == nil && c.count != rows {
		err = corrupt("page has %d rows instead of %d", c.count, rows)
	}
	n.ValueRows, n.Value = c.rows, c.vec
	return err
}
