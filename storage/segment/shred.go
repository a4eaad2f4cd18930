package segment

import (
	"sort"
	"strings"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// presence tells for each page, in runs of rows, the definition level that a group reaches: its own where it is there, less elsewhere.
type presence struct {
	top   uint8
	pages [][]parquetio.Run
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
	e := &entry{column: s.col.ID, key: entryKey(s.col.ID, nil), meta: w.metadata(at)}
	p.entries = append(p.entries, e)
	root.Children = append(root.Children, parquetio.BytesNode(parquetio.MetadataName, parquetio.Required))
	w.node(root, w.tree.Root, e, at)
	p.nodes = []*parquetio.Node{root}
	if len(w.tree.Exact) > 0 {
		e.exact = w.exact()
		p.nodes = append(p.nodes, &parquetio.Node{Name: s.col.Name + exactSuffix, Repetition: parquetio.Optional,
			Annotation: parquetio.Annotation{Logical: parquetio.LogicalString}, Leaf: parquetio.LeafInfo{Kind: parquetio.KindBytes}})
	}
}

// rowPresence is the presence of the column's group: all rows that are not SQL NULL.
func (w *treeWriter) rowPresence(notNull bool) presence {
	at := presence{pages: make([][]parquetio.Run, w.pages)}
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

// metadata writes the leaf of the metadata: the same dictionary in every row that is not NULL.
func (w *treeWriter) metadata(at presence) *leafEntry {
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
		c.WritePage(&parquetio.PageInput{Rows: to - from, Entries: to - from, Runs: runs, Values: vals})
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
	at := presence{pages: make([][]parquetio.Run, w.pages)}
	for p := range at.pages {
		from, to := w.span(p)
		at.pages[p] = []parquetio.Run{{N: int32(to - from)}}
	}
	l, _ := w.leaf(types.Of(types.Varchar), rows, b.Finish(), at)
	return l
}

// node writes a node and all below it. parent is the schema group that gets value and typed_value; at is its presence.
func (w *treeWriter) node(group *parquetio.Node, n *variant.Node, e *entry, at presence) {
	e.node, e.declared, e.kinds = n.Kind, n.Declared, n.Kinds
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
// group to have one, so it is a single page of NULLs.
func (w *treeWriter) emptyValue(group *parquetio.Node, e *entry, at presence) {
	group.Children = append(group.Children, parquetio.BytesNode(parquetio.ValueName, parquetio.Optional))
	c := parquetio.NewColumnWriter(parquetio.LeafInfo{Kind: parquetio.KindBytes, MaxDef: int(at.top) + 1}, parquetio.OrderNone, w.codec)
	if w.rows > 0 {
		var runs []parquetio.Run
		for _, page := range at.pages {
			for _, r := range page {
				runs = addRun(runs, r.Level, r.N)
			}
		}
		c.WritePage(&parquetio.PageInput{Rows: w.rows, Entries: w.rows, Runs: runs, Values: &parquetio.Values{Kind: parquetio.KindBytes}})
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
		w.plan.ownKinds = append(w.plan.ownKinds, strings.Join(append([]string{w.col.Name}, e.path...), ".")+"="+t.String())
		v = toStored(v, stored)
	}
	store, _ := parquetio.StoreOf(stored)
	group.Children = append(group.Children, &parquetio.Node{Name: parquetio.TypedName, Repetition: parquetio.Optional, Leaf: store.Leaf, Annotation: store.Annotation})
	e.typed, _ = w.leaf(stored, n.TypedRows, v, at)
}

// object writes the members of an object.
func (w *treeWriter) object(group *parquetio.Node, n *variant.Node, e *entry, at presence) {
	typed := &parquetio.Node{Name: parquetio.TypedName, Repetition: parquetio.Optional, Children: []*parquetio.Node{}}
	group.Children = append(group.Children, typed)
	inner := presence{top: at.top + 1, pages: make([][]parquetio.Run, w.pages)}
	rest := n.ObjectRows
	for p := range inner.pages {
		rows := rest
		if rest != nil {
			_, to := w.span(p)
			k := sort.Search(len(rest), func(i int) bool { return int(rest[i]) >= to })
			rows, rest = rest[:k:k], rest[k:]
		}
		inner.pages[p] = w.overlay(at.pages[p], at.top, rows, p, inner.top)
	}
	for _, c := range n.Children {
		path := append(e.path[:len(e.path):len(e.path)], c.Key)
		ce := &entry{column: e.column, path: path, key: entryKey(e.column, path)}
		w.plan.entries = append(w.plan.entries, ce)
		g := &parquetio.Node{Name: c.Key, Repetition: parquetio.Required}
		typed.Children = append(typed.Children, g)
		w.node(g, c, ce, inner)
	}
}

// overlay raises the level of the given rows of page p from under to top. A nil list means all rows where the group above is there.
func (w *treeWriter) overlay(base []parquetio.Run, under uint8, rows []uint32, p int, top uint8) []parquetio.Run {
	var out []parquetio.Run
	if rows == nil {
		for _, r := range base {
			if r.Level == under {
				r.Level = top
			}
			out = addRun(out, r.Level, r.N)
		}
		return out
	}
	pos, _ := w.span(p)
	k := 0
	for _, r := range base {
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
	leaf.MaxDef = int(top)
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
			n = to - from
		} else {
			n = sort.Search(len(rows)-done, func(i int) bool { return int(rows[done+i]) >= to })
			here = rows[done : done+n : done+n]
		}
		part := v.Slice(done, done+n)
		done += n
		runs := base
		if top > at.top {
			runs = w.overlay(base, at.top, here, p, top)
		}
		vals, _, _ := parquetio.Pack(t, []*vec.Vector{part})
		c.WritePage(&parquetio.PageInput{Rows: to - from, Entries: to - from, Runs: runs, Values: vals})
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
