package segment

import (
	"sort"
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// space is what the rows of a node are: the rows of the table, or the elements of a list. A page of a leaf has entries, of which those
// whose definition level reaches base are rows, in order; the others stand for lists that are empty or not there.
type space struct {
	base uint8
	// cuts are the numbers of the first row of each page, and of the end.
	cuts    []uint32
	entries []int
	// Within lists, rep is the repetition level of an element that is not the first of its list, reps are the levels of all entries, and
	// levels the same as pages have them.
	rep    int
	reps   [][]parquetio.Run
	levels [][]byte
}

// presence tells for each page, in runs of entries, the definition level that a group reaches: its own where it is there, less elsewhere.
type presence struct {
	*space
	top   uint8
	pages [][]parquetio.Run
}

// page returns the input for page p of a leaf at or right below the group.
func (at *presence) page(p, rows int, runs []parquetio.Run, vals *parquetio.Values) *parquetio.PageInput {
	in := &parquetio.PageInput{Rows: rows, Entries: at.entries[p], Runs: runs, Values: vals}
	if at.rep > 0 {
		in.RepLevels = at.levels[p]
	}
	return in
}

// treeWriter turns a tree into leaves. Levels are written in runs, so that a sparse path costs what its values cost.
type treeWriter struct {
	plan  *columnPlan
	codec parquetio.Codec
	tree  *variant.Tree
	rows  int
	pages int
	dict  *parquetio.Values // the metadata as a dictionary of one entry
	col   Column
	// seconds are the nodes with a second kind and their entries, in order.
	seconds []secondKind
}

type secondKind struct {
	n *variant.Node
	e *entry
}

// shredded fills the plan of a VARIANT or JSON column.
func (p *columnPlan) shredded(s *columnState, rows int) {
	if s.shredder.Len() != rows {
		panic("BUG: the shredder of column " + s.col.Name + " has another number of rows than its segment")
	}
	seen := s.shredder.Duplicates()
	w := &treeWriter{plan: p, codec: s.codec, tree: s.shredder.Finish(shredOptions(s.col.Type)), rows: rows, col: s.col}
	p.losses = Losses{Removed: int64(w.tree.Removed), Duplicates: int64(w.tree.Duplicates - seen)}
	w.pages = (rows + PageRows - 1) / PageRows
	root := &parquetio.Node{Name: s.col.Name, Repetition: parquetio.Optional, FieldID: int32(s.col.ID)}
	root.Annotation.Logical = parquetio.LogicalVariant
	if s.col.NotNull {
		root.Repetition = parquetio.Required
	}
	at := w.rowPresence(s.col.NotNull)
	e := &entry{column: s.col.ID, key: entryKey(s.col.ID, nil), meta: w.metadata(at), ownMeta: w.tree.RowNames != nil}
	p.entries = append(p.entries, e)
	root.Children = append(root.Children, parquetio.BytesNode(parquetio.MetadataName, parquetio.Required))
	w.node(root, w.tree.Root, e, at)
	p.nodes = []*parquetio.Node{root}
	if len(w.tree.Exact) > 0 {
		e.exact = w.exact()
		p.nodes = append(p.nodes, &parquetio.Node{Name: s.col.Name + exactSuffix, Repetition: parquetio.Optional,
			Annotation: parquetio.Annotation{Logical: parquetio.LogicalString}, Leaf: parquetio.LeafInfo{Kind: parquetio.KindBytes}})
	}
	if len(w.seconds) > 0 {
		p.nodes = append(p.nodes, w.secondKinds())
	}
}

// secondKinds writes the copies of second kinds, which lie outside of the VARIANT, so that it is complete without them. The directory has
// the paths of the members, which are numbered: paths of several steps have no name that is good everywhere.
func (w *treeWriter) secondKinds() *parquetio.Node {
	group := &parquetio.Node{Name: w.col.Name + secondSuffix, Repetition: parquetio.Required, Children: []*parquetio.Node{}}
	for i, x := range w.seconds {
		t := x.n.Second.Type
		store, _ := parquetio.StoreOf(t)
		group.Children = append(group.Children, &parquetio.Node{Name: strconv.Itoa(i), Repetition: parquetio.Optional, Leaf: store.Leaf, Annotation: store.Annotation})
		x.e.secondType = t
		x.e.second, _ = w.leaf(t, x.n.SecondRows, x.n.Second, w.allRows())
	}
	return group
}

// rowPresence is the presence of the column's group: all rows that are not SQL NULL.
func (w *treeWriter) rowPresence(notNull bool) presence {
	at := w.allRows()
	if !notNull {
		at.top = 1
	}
	null := w.tree.Null
	for p := range at.pages {
		from, to := w.span(p)
		var runs []parquetio.Run
		if null == nil {
			at.pages[p] = []parquetio.Run{{Level: at.top, N: int32(to - from)}}
			continue
		}
		for r := from; r < to; r++ {
			level := at.top
			if null.Get(r) {
				level = 0
				w.plan.nulls++
			}
			runs = addRun(runs, level, 1)
		}
		at.pages[p] = runs
	}
	return at
}

// allRows is the presence of the file's root.
func (w *treeWriter) allRows() presence {
	at := presence{space: &space{cuts: make([]uint32, w.pages+1), entries: make([]int, w.pages)}, pages: make([][]parquetio.Run, w.pages)}
	for p := range at.pages {
		from, to := w.span(p)
		at.cuts[p+1], at.entries[p] = uint32(to), to-from
		at.pages[p] = []parquetio.Run{{N: int32(to - from)}}
	}
	return at
}

// span returns the rows of page p.
func (w *treeWriter) span(p int) (from, to int) { return p * PageRows, min((p+1)*PageRows, w.rows) }

// addRun appends n levels to runs.
func addRun(runs []parquetio.Run, level uint8, n int32) []parquetio.Run {
	if n == 0 {
		return runs
	}
	if k := len(runs) - 1; k >= 0 && runs[k].Level == level {
		runs[k].N += n
		return runs
	}
	return append(runs, parquetio.Run{Level: level, N: n})
}

// metadata writes the leaf of the metadata: the same dictionary in every row that is not NULL, or that of each row.
func (w *treeWriter) metadata(at presence) *leafEntry {
	if w.tree.RowNames != nil {
		return w.rowMetadata(at)
	}
	meta := w.tree.Meta
	w.dict = &parquetio.Values{Kind: parquetio.KindBytes, N: 1, Views: []vec.View{vec.MakeView(meta, 0, 0)}, Bufs: [][]byte{meta}}
	c := parquetio.NewColumnWriter(parquetio.LeafInfo{Kind: parquetio.KindBytes, MaxDef: int(at.top)}, parquetio.OrderNone, w.codec)
	codes := make([]uint32, PageRows)
	for p, runs := range at.pages {
		n := 0
		for _, r := range runs {
			if r.Level == at.top {
				n += int(r.N)
			}
		}
		from, to := w.span(p)
		vals := &parquetio.Values{Kind: parquetio.KindBytes, N: n, Codes: codes[:n], Dict: w.dict}
		c.WritePage(at.page(p, to-from, runs, vals))
	}
	w.plan.cols = append(w.plan.cols, c)
	return newLeafEntry(c)
}

// rowMetadata writes metadata of the rows' own.
func (w *treeWriter) rowMetadata(at presence) *leafEntry {
	binary := types.Of(types.Binary)
	c := parquetio.NewColumnWriter(parquetio.LeafInfo{Kind: parquetio.KindBytes, MaxDef: int(at.top)}, parquetio.OrderNone, w.codec)
	for p, runs := range at.pages {
		from, to := w.span(p)
		vals, _, _ := parquetio.Pack(binary, []*vec.Vector{w.tree.RowNames.Metadata(from, to, w.tree.Null)})
		c.WritePage(at.page(p, to-from, runs, vals))
	}
	w.plan.cols = append(w.plan.cols, c)
	return newLeafEntry(c)
}

// exact writes the column of exact numbers: JSON text in the rows that have some.
func (w *treeWriter) exact() *leafEntry {
	var rows []uint32
	b := vec.NewBuilder(types.Of(types.Varchar), 0)
	all := w.tree.Exact
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j].Row == all[i].Row {
			j++
		}
		rows = append(rows, all[i].Row)
		b.AppendBytes(variant.AppendExact(nil, all[i:j]))
		i = j
	}
	l, _ := w.leaf(types.Of(types.Varchar), rows, b.Finish(), w.allRows())
	return l
}

// node writes a node and all below it. parent is the schema group that gets value and typed_value; at is its presence.
func (w *treeWriter) node(group *parquetio.Node, n *variant.Node, e *entry, at presence) {
	e.node, e.declared, e.kinds, e.arrays = n.Kind, n.Declared, n.Kinds, n.Arrays
	unshredded := n == w.tree.Root && n.Kind == variant.NodeNone
	if n.Value != nil || n.Kind == variant.NodeNone {
		w.value(group, n, e, at, unshredded)
	} else {
		w.emptyValue(group, e, at)
	}
	switch n.Kind {
	case variant.NodeScalar:
		w.typed(group, n, e, at)
	case variant.NodeObject:
		w.object(group, n, e, at)
	case variant.NodeList:
		w.list(group, n, e, at)
	}
}

// value writes the residual. In an unshredded column it is a required member, as the format wants it.
func (w *treeWriter) value(group *parquetio.Node, n *variant.Node, e *entry, at presence, required bool) {
	v, rows := n.Value, n.ValueRows
	if v == nil {
		v, rows = vec.NewBuilder(types.Of(types.Binary), 0).Finish(), []uint32{}
	}
	r := parquetio.Optional
	if required {
		r = parquetio.Required
	}
	group.Children = append(group.Children, parquetio.BytesNode(parquetio.ValueName, r))
	var stats []residualStats
	if required {
		e.value, stats = w.leafAt(types.Of(types.Binary), rows, v, at, at.top, true)
	} else {
		e.value, stats = w.leafAt(types.Of(types.Binary), rows, v, at, at.top+1, true)
	}
	e.residual = stats
}

// emptyValue writes the residual leaf of a path that has no residual values. Our own reader never looks at it, but others expect every
// group to have one, so it is a single page of NULLs, or within lists, where that page could have any size, as many as other leaves have.
func (w *treeWriter) emptyValue(group *parquetio.Node, e *entry, at presence) {
	group.Children = append(group.Children, parquetio.BytesNode(parquetio.ValueName, parquetio.Optional))
	c := parquetio.NewColumnWriter(parquetio.LeafInfo{Kind: parquetio.KindBytes, MaxDef: int(at.top) + 1, MaxRep: at.rep}, parquetio.OrderNone, w.codec)
	none := &parquetio.Values{Kind: parquetio.KindBytes}
	switch {
	case at.rep > 0:
		for p, runs := range at.pages {
			from, to := w.span(p)
			c.WritePage(at.page(p, to-from, runs, none))
		}
	case w.rows > 0:
		var runs []parquetio.Run
		for _, page := range at.pages {
			for _, r := range page {
				runs = addRun(runs, r.Level, r.N)
			}
		}
		c.WritePage(&parquetio.PageInput{Rows: w.rows, Entries: w.rows, Runs: runs, Values: none})
	}
	w.plan.cols = append(w.plan.cols, c)
	e.hasEmpty = true
}

// typed writes a scalar's leaf.
func (w *treeWriter) typed(group *parquetio.Node, n *variant.Node, e *entry, at presence) {
	t, v := n.Type, n.Typed
	e.t = t
	stored := storedType(t)
	if stored.Kind != t.Kind || stored.Precision != t.Precision {
		w.plan.ownKinds = append(w.plan.ownKinds, w.col.Name+dotted(e.path)+"="+t.String())
		v = toStored(v, stored)
	}
	store, _ := parquetio.StoreOf(stored)
	group.Children = append(group.Children, &parquetio.Node{Name: parquetio.TypedName, Repetition: parquetio.Optional, Leaf: store.Leaf, Annotation: store.Annotation})
	e.typed, _ = w.leaf(stored, n.TypedRows, v, at)
	if n.Second != nil {
		w.seconds = append(w.seconds, secondKind{n, e})
	}
}

// dotted prints a path behind the name of its column.
func dotted(path []variant.Step) string {
	var b strings.Builder
	for _, s := range path {
		if s.IsIndex {
			b.WriteString("[]")
		} else {
			b.WriteString("." + s.Key)
		}
	}
	return b.String()
}

// object writes the members of an object.
func (w *treeWriter) object(group *parquetio.Node, n *variant.Node, e *entry, at presence) {
	typed := &parquetio.Node{Name: parquetio.TypedName, Repetition: parquetio.Optional, Children: []*parquetio.Node{}}
	group.Children = append(group.Children, typed)
	inner := presence{space: at.space, top: at.top + 1, pages: make([][]parquetio.Run, w.pages)}
	rest := n.ObjectRows
	for p := range inner.pages {
		rows := rest
		if rest != nil {
			k := sort.Search(len(rest), func(i int) bool { return rest[i] >= at.cuts[p+1] })
			rows, rest = rest[:k:k], rest[k:]
		}
		inner.pages[p] = at.overlay(p, rows, inner.top)
	}
	for _, c := range n.Children {
		ce := e.member(c.Key)
		w.plan.entries = append(w.plan.entries, ce)
		g := &parquetio.Node{Name: c.Key, Repetition: parquetio.Required}
		typed.Children = append(typed.Children, g)
		w.node(g, c, ce, inner)
	}
}

// overlay returns the levels of page p with those of the given rows, where the group is there, raised to top. A nil list means all rows
// where it is there.
func (at *presence) overlay(p int, rows []uint32, top uint8) []parquetio.Run {
	var out []parquetio.Run
	under := at.top
	if rows == nil {
		for _, r := range at.pages[p] {
			if r.Level == under {
				r.Level = top
			}
			out = addRun(out, r.Level, r.N)
		}
		return out
	}
	pos, k := int(at.cuts[p]), 0
	for _, r := range at.pages[p] {
		if r.Level < at.base {
			out = addRun(out, r.Level, r.N)
			continue
		}
		end := pos + int(r.N)
		if r.Level != under {
			out = addRun(out, r.Level, r.N)
			pos = end
			continue
		}
		for pos < end {
			if k == len(rows) || int(rows[k]) >= end {
				out = addRun(out, under, int32(end-pos))
				break
			}
			out = addRun(out, under, int32(int(rows[k])-pos))
			first := k
			for k++; k < len(rows) && rows[k] == rows[k-1]+1 && int(rows[k]) < end; k++ {
			}
			out = addRun(out, top, int32(k-first))
			pos = int(rows[k-1]) + 1
		}
		pos = end
	}
	return out
}

// leaf writes the values of an optional leaf.
func (w *treeWriter) leaf(t types.Type, rows []uint32, v *vec.Vector, at presence) (*leafEntry, []residualStats) {
	return w.leafAt(t, rows, v, at, at.top+1, false)
}

// leafAt writes the values of a leaf that reaches level top, with the statistics of residual values if asked for.
func (w *treeWriter) leafAt(t types.Type, rows []uint32, v *vec.Vector, at presence, top uint8, residual bool) (*leafEntry, []residualStats) {
	store, _ := parquetio.StoreOf(t)
	leaf, order := store.Leaf, store.Order
	leaf.MaxDef, leaf.MaxRep = int(top), at.rep
	if residual {
		order = parquetio.OrderNone
	}
	c := parquetio.NewColumnWriter(leaf, order, w.codec)
	var stats []residualStats
	done := 0
	for p, base := range at.pages {
		from, to := w.span(p)
		n := 0
		var here []uint32
		if rows == nil {
			n = int(at.cuts[p+1] - at.cuts[p])
		} else {
			n = sort.Search(len(rows)-done, func(i int) bool { return rows[done+i] >= at.cuts[p+1] })
			here = rows[done : done+n : done+n]
		}
		part := v.Slice(done, done+n)
		done += n
		runs := base
		if top > at.top {
			runs = at.overlay(p, here, top)
		}
		vals, _, _ := parquetio.Pack(t, []*vec.Vector{part})
		c.WritePage(at.page(p, to-from, runs, vals))
		if residual {
			stats = append(stats, residualOf(part))
		}
	}
	w.plan.cols = append(w.plan.cols, c)
	return newLeafEntry(c), stats
}

// storedType is the type under which a typed path lies in the file: itself, or text for types that Parquet Variant lacks.
func storedType(t types.Type) types.Type {
	switch {
	case t.Kind == types.LargeInt:
		return types.DecimalOf(38, 0)
	case t.Kind == types.IPv4 || t.Kind == types.IPv6 || t.Kind == types.Decimal && t.Precision > 38:
		return types.Of(types.Varchar)
	}
	return types.Type{Kind: t.Kind, Precision: t.Precision, Scale: t.Scale}
}

// toStored converts the values of a path to its stored type.
func toStored(v *vec.Vector, stored types.Type) *vec.Vector {
	if stored.Kind == types.Decimal {
		return v.Retype(stored)
	}
	b := vec.NewBuilder(stored, v.Len)
	var buf []byte
	for i := range v.Len {
		switch d := v.Data.(type) {
		case []uint32:
			buf = types.AppendIPv4(buf[:0], d[i])
		case []types.Uint128:
			buf = types.AppendIPv6(buf[:0], d[i])
		case []types.Int256:
			buf = types.AppendDecimal256(buf[:0], d[i], int(v.Type.Scale))
		}
		b.AppendBytes(buf)
	}
	return b.Finish()
}
