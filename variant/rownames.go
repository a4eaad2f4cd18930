package variant

import (
	"slices"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// RowNames are the names that occur in each row of a tree whose rows have metadata of their own: where there are too many names, one
// dictionary in every row would be larger than the values.
type RowNames struct {
	names [][]byte // all names, in bytewise order
	ranks []uint32 // for each row the positions of its names, ascending
	offs  []int    // where those of each row begin, and the end
}

// Metadata returns the metadata of rows [from, to) but those that are NULL, as a flat BINARY vector.
func (r *RowNames) Metadata(from, to int, null vec.Bitmap) *vec.Vector {
	var w viewWriter
	views := make([]vec.View, 0, to-from)
	var names [][]byte
	for row := from; row < to; row++ {
		if null != nil && null.Get(row) {
			continue
		}
		names = names[:0]
		for _, k := range r.of(row) {
			names = append(names, r.names[k])
		}
		w.buf = append(w.buf, EncodeMetadata(names)...)
		views = append(views, w.view())
	}
	return &vec.Vector{Type: types.Of(types.Binary), Len: len(views), Data: views, Bufs: w.finish()}
}

// of returns the names of a row.
func (r *RowNames) of(row int) []uint32 { return r.ranks[r.offs[row]:r.offs[row+1]] }

// tooManyNames tells whether rows should have metadata of their own.
func (f *finisher) tooManyNames(names [][]byte) bool {
	if f.o.MaxNames > 0 && len(names) > f.o.MaxNames {
		return true
	}
	size := 0
	for _, n := range names {
		size += len(n)
	}
	return f.o.MaxNameBytes > 0 && size > f.o.MaxNameBytes
}

// giveRowNames gives each row metadata of its own and makes the residual values refer to it.
func (f *finisher) giveRowNames() {
	names := f.t.Names
	c := nameCollector{rank: f.rank, ids: f.t.IDs, offs: make([]int, f.t.Rows+1)}
	// The first pass counts, the second fills: offs are then the ends, which are the next one's starts.
	c.node(f.t.Root, nil)
	total := 0
	for i, n := range c.offs {
		c.offs[i] = total
		total += n
	}
	c.ranks = make([]uint32, total)
	c.node(f.t.Root, nil)
	r := &RowNames{names: make([][]byte, len(names)), offs: make([]int, f.t.Rows+1), ranks: c.ranks[:0]}
	for id, n := range names {
		r.names[f.rank[id]] = n
	}
	start := 0
	for row := range f.t.Rows {
		mine := c.ranks[start:c.offs[row]]
		start = c.offs[row]
		slices.Sort(mine)
		r.ranks = append(r.ranks, slices.Compact(mine)...)
		r.offs[row+1] = len(r.ranks)
	}
	var mine []uint32
	n := renumbering{
		open: func(row uint32) { mine = r.of(int(row)) },
		id: func(id int) (uint32, bool) {
			k, ok := slices.BinarySearch(mine, f.rank[id])
			return uint32(k), ok
		},
	}
	f.t.Root = n.node(f.t.Root, nil)
	f.t.RowNames, f.t.Names, f.t.Meta, f.t.Ranks, f.t.IDs = r, nil, nil, nil, nil
}

// nameCollector visits all names of a tree with their rows. Until ranks is made it counts them by row.
type nameCollector struct {
	rank  []uint32
	ids   map[string]uint32
	offs  []int
	ranks []uint32
}

func (c *nameCollector) add(row, id uint32) {
	if c.ranks != nil {
		c.ranks[c.offs[row]] = c.rank[id]
	}
	c.offs[row]++
}

// node visits a node. owner gives the rows of the tree of the node's rows within lists, nil stands for themselves.
func (c *nameCollector) node(n *Node, owner []uint32) {
	if n.Value != nil {
		eachRow(n.ValueRows, owner, n.Value.Len, func(i int, row uint32) { c.value(n.Value.Bytes(i), row) })
	}
	if n.Kind == NodeList {
		c.node(n.Elem, n.owners(owner))
	}
	for _, m := range n.Children {
		c.member(m, owner)
		c.node(m, owner)
	}
}

// member adds the name of a member of objects to the rows in which it has a value.
func (c *nameCollector) member(m *Node, owner []uint32) {
	id, last := c.ids[m.Key], uint32(0)
	rows := func(list []uint32, n int) {
		eachRow(list, owner, n, func(i int, row uint32) {
			if i == 0 || row != last {
				c.add(row, id)
			}
			last = row
		})
	}
	if m.Typed != nil {
		rows(m.TypedRows, m.Typed.Len)
	}
	if m.Value != nil {
		rows(m.ValueRows, m.Value.Len)
	}
	switch {
	case m.Kind == NodeList:
		rows(m.ListRows, len(m.Offsets)-1)
	case m.Kind == NodeObject && m.ObjectRows != nil:
		rows(m.ObjectRows, len(m.ObjectRows))
	case m.Kind == NodeObject && owner != nil:
		rows(nil, len(owner))
	case m.Kind == NodeObject:
		rows(nil, len(c.offs)-1)
	}
}

func (c *nameCollector) value(v []byte, row uint32) {
	x, ok := openContainer(v)
	if !ok {
		return
	}
	for i := range x.n {
		if x.object {
			c.add(row, uint32(x.id(i)))
		}
		if e, ok := x.value(i); ok {
			c.value(e, row)
		}
	}
}

// eachRow calls f for n entries of a row list with their rows of the tree.
func eachRow(list, owner []uint32, n int, f func(i int, row uint32)) {
	for i := range n {
		row := uint32(i)
		if list != nil {
			row = list[i]
		}
		if owner != nil {
			row = owner[row]
		}
		f(i, row)
	}
}

// owners returns for each element of a list the row of the tree that it lies in.
func (n *Node) owners(owner []uint32) []uint32 {
	out := make([]uint32, n.Elements())
	eachRow(n.ListRows, owner, len(n.Offsets)-1, func(i int, row uint32) {
		for e := n.Offsets[i]; e < n.Offsets[i+1]; e++ {
			out[e] = row
		}
	})
	return out
}

// renumbering makes residual values refer to other dictionaries. open is called before the values of a row, then id gives for each field id
// the new one, or says that the dictionary lacks the name, as happens in damaged files.
type renumbering struct {
	e    encoder
	open func(row uint32)
	id   func(id int) (uint32, bool)
}

// node returns a node with new values, and so all below it; owner is as in nameCollector.
func (r *renumbering) node(n *Node, owner []uint32) *Node {
	c := *n
	if n.Value != nil {
		c.Value = r.values(vec.Flatten(n.Value), n.ValueRows, owner)
	}
	if n.Kind == NodeList {
		c.Elem = r.node(n.Elem, n.owners(owner))
	}
	c.Children = make([]*Node, len(n.Children))
	for i, m := range n.Children {
		c.Children[i] = r.node(m, owner)
	}
	return &c
}

func (r *renumbering) values(v *vec.Vector, rows, owner []uint32) *vec.Vector {
	var w viewWriter
	views := make([]vec.View, v.Len)
	eachRow(rows, owner, v.Len, func(i int, row uint32) {
		b := v.Bytes(i)
		if isContainer(b) {
			r.open(row)
			r.e.abandon(0)
			budget := len(b)
			r.value(b, MaxDepth, &budget)
			b = r.e.buf
		}
		w.buf = append(w.buf, b...)
		views[i] = w.view()
	})
	return &vec.Vector{Type: v.Type, Len: v.Len, Data: views, Bufs: w.finish()}
}

// value appends a value with new ids. The order of members is that of names, so it stays.
func (r *renumbering) value(v []byte, depth int, budget *int) {
	e := &r.e
	c, nested, ok := enter(v, depth, budget)
	switch {
	case !ok:
		e.buf = append(e.buf, nullValue...)
		return
	case !nested:
		e.buf = append(e.buf, v...)
		return
	}
	start, first, most := len(e.buf), len(e.fields), uint32(0)
	for i := range c.n {
		f := field{off: uint32(len(e.buf) - start)}
		m, ok := c.value(i)
		if !ok {
			m = nullValue
		}
		if c.object {
			if f.id, ok = r.id(c.id(i)); !ok {
				continue
			}
			most = max(most, f.id)
		}
		e.fields = append(e.fields, f)
		r.value(m, depth-1, budget)
	}
	fields := e.fields[first:]
	if c.object {
		size := byteWidth(int(most))
		e.ids = e.ids[:0]
		for _, f := range fields {
			e.ids = appendUint(e.ids, int(f.id), size)
		}
		e.closeObject(start, fields, nil, e.ids, size)
	} else {
		e.closeArray(start, fields)
	}
	e.fields = e.fields[:first]
}

// unified returns t with one dictionary for n and all below it, and n so.
func (t *Tree) unified(n *Node) (*Tree, *Node) {
	if t.RowNames == nil && t.Metas == nil {
		return t, n
	}
	metas := t.rowMetas()
	var d dict
	n.eachMember(func(m *Node) { d.id([]byte(m.Key)) })
	var m metadata
	r := renumbering{
		open: func(row uint32) { m, _ = openMetadata(metas.Bytes(int(row))) },
		id: func(id int) (uint32, bool) {
			name, ok := m.name(id)
			if !ok {
				return 0, false
			}
			return d.id(name), true
		},
	}
	n = r.node(n, nil)
	c := *t
	c.RowNames, c.Metas = nil, nil
	c.Names, c.Meta, c.IDs, c.Ranks = d.bytesList(), d.encoded(), d.index, nil
	return &c, n
}

// rowMetas returns the metadata of each row.
func (t *Tree) rowMetas() *vec.Vector {
	switch {
	case t.Metas != nil:
		return t.Metas
	case t.RowNames != nil:
		return t.RowNames.Metadata(0, t.Rows, nil)
	}
	return metaVector(t.Meta, t.Rows)
}
