package variant

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Options says which paths become columns. Whatever it says, the tree holds the same documents.
type Options struct {
	// MaxSubcolumns is the most undeclared paths that become typed columns, the most frequent first: 0 stands for
	// types.DefaultMaxSubcolumns, a negative number for none.
	MaxSubcolumns int
	// MinRows is the fewest values that an undeclared path must have; 0 stands for a thousandth of the rows.
	MinRows int
	// CountDeclared makes declared paths count like the others (variant_enable_typed_paths_to_sparse); else all of them become columns.
	CountDeclared bool
	// Plain makes everything residual, as columns of type JSON are.
	Plain bool
	// PageRows, if not 0, is the number of rows after which pages are cut: a path whose arrays have more than maxPageElements elements in
	// one of them stays residual.
	PageRows int
	// MaxNames and MaxNameBytes, if not 0, are the most names, and their length together, that rows share as one dictionary. Beyond, each
	// row has metadata of its own.
	MaxNames, MaxNameBytes int
}

// maxPageElements bounds the elements of a list in a page, because a page has all elements of its rows.
const maxPageElements = 8 << 20

// maxElementLeaves bounds the typed columns within lists, of all lists of a tree together: a list counts as one subcolumn.
const maxElementLeaves = types.DefaultMaxSubcolumns

// group is the set of values of a node that share its typed column.
type group uint8

const (
	groupNone group = iota
	groupBool
	groupInt    // column ints
	groupDouble // doubles, and ints too if all of them are doubles without loss
	groupText
	groupLarge // ints and the LARGEINTs of other
	groupOther // values of one kind in other
	groupList  // arrays with an element node
)

// nodePlan is what Finish decides for a node.
type nodePlan struct {
	counts   KindCounts
	group    group
	withInts bool // groupDouble includes ints
	kind     Kind // groupOther
	other    otherStats
	scale    uint8
	t        types.Type
	n        int  // values in the group
	crowded  bool // some page would have too many elements of arrays

	declaredBelow bool // some descendant is declared and has values
	object        bool // objects win over scalars, so children may be columns
	shred         bool // the group becomes a typed column
	inner         bool // some child is marked
}

func (p *nodePlan) marked() bool { return p.shred || p.inner }

// list tells whether the arrays become a list.
func (p *nodePlan) list() bool { return p.shred && p.group == groupList }

// finisher turns the columns of a shredder into a tree.
type finisher struct {
	s    *Shredder
	o    Options
	rank []uint32
	t    *Tree
}

// Finish returns the tree of all rows. The shredder must not be used afterwards.
func (s *Shredder) Finish(o Options) *Tree {
	f := finisher{s: s, o: o, t: &Tree{Rows: int(s.row)}}
	f.measure(s.root, f.cuts())
	f.choose()
	f.markInner(s.root)
	f.describe()
	names := s.enc.dict.bytesList()
	f.rank = NameRanks(names)
	f.t.Root = f.build(s.root)
	f.t.Names, f.t.Meta, f.t.Ranks, f.t.IDs = names, s.enc.dict.encoded(), f.rank, s.enc.dict.index
	f.t.Removed, f.t.Duplicates = s.removed, s.dups+s.enc.dups
	if f.tooManyNames(names) {
		f.giveRowNames()
	}
	if len(s.nulls) > 0 {
		f.t.Null = vec.NewBitmap(int(s.row))
		for _, r := range s.nulls {
			f.t.Null.Set(int(r))
		}
	}
	sort.SliceStable(f.t.Exact, func(i, j int) bool { return f.t.Exact[i].Row < f.t.Exact[j].Row })
	return f.t
}

// cuts returns the rows at which pages begin and the end of the last; none if there are no pages.
func (f *finisher) cuts() []uint32 {
	var out []uint32
	if f.o.PageRows > 0 {
		for row := 0; row < int(f.s.row); row += f.o.PageRows {
			out = append(out, uint32(row))
		}
		out = append(out, f.s.row)
	}
	return out
}

// measure counts the values of a node and of those below and picks the groups. cuts are where pages begin in the rows of the node.
func (f *finisher) measure(n *pathNode, cuts []uint32) {
	p := &n.plan
	if n.arrays != nil {
		elems := mapSlice(cuts, n.arrays.elementsBefore)
		for i := range elems {
			p.crowded = p.crowded || i > 0 && elems[i]-elems[i-1] > maxPageElements
		}
		f.measure(n.arrays.elem, elems)
	}
	p.counts[Array] = uint32(n.arrays.len())
	p.counts[Null], p.counts[Object] = uint32(len(n.nulls)), uint32(len(n.objects))
	ofInts, ofDoubles := BigInt, Double
	if n.conv != nil {
		ofInts = declaredKind(n.conv.t)
		if n.conv.t.Kind == types.Float {
			ofDoubles = Float
		}
	}
	p.counts[ofInts] += uint32(n.ints.len())
	p.counts[ofDoubles] += uint32(n.doubles.len())
	p.counts[Boolean] += uint32(n.bools.len())
	p.counts[String] += uint32(n.strs.len())
	if n.other != nil {
		p.other.scan(&n.other.texts, &p.counts)
	}
	if n.conv != nil {
		p.planDeclared(n)
	} else {
		p.planFree(n)
	}
	for _, c := range n.children {
		f.measure(c, cuts)
		p.declaredBelow = p.declaredBelow || c.plan.declaredBelow || c.conv != nil && c.plan.n > 0
	}
	p.object = len(n.objects) > 0 && (p.declaredBelow || len(n.objects) >= p.n)
}

// declaredKind returns the kind that a type stands for.
func declaredKind(t types.Type) Kind {
	for k, r := range reportedKinds {
		if r == t.Kind && Kind(k) != Number {
			return Kind(k)
		}
	}
	if t.Kind == types.Decimal {
		return Decimal
	}
	return BigInt
}

// otherStats describes the values of a column other.
type otherStats struct {
	large   int // LARGEINTs of at most 38 digits
	scale   uint8
	width   uint8 // of the widest decimal
	mixed   bool  // decimals of several scales
	decimal bool
	elem    types.Type // least common type of the elements of arrays
	nested  bool       // some array holds arrays or objects
}

func (o *otherStats) scan(t *texts, counts *KindCounts) {
	var s scalar
	for i := range t.vals {
		v := t.at(i)
		if isContainer(v) {
			counts[KindOf(v)]++
			if elem, flat := elementType(v); flat {
				o.elem = Merge(o.elem, elem)
			} else {
				o.nested = true
			}
			continue
		}
		s.read(v)
		counts[s.kind]++
		switch s.kind {
		case LargeInt:
			narrow, _ := s.w.Int128()
			o.large += boolInt(fits38(narrow))
		case Decimal:
			o.mixed = o.mixed || o.decimal && o.scale != s.scale
			o.decimal, o.scale, o.width = true, s.scale, max(o.width, s.width)
		}
	}
}

// planDeclared makes the group the values of the declared type.
func (p *nodePlan) planDeclared(n *pathNode) {
	p.t = n.conv.t
	switch k := p.t.Kind; {
	case k == types.Array:
		p.group, p.n = groupList, n.arrays.len()
		if p.crowded {
			p.n = 0
		}
	case k == types.Boolean:
		p.group, p.n = groupBool, n.bools.len()
	case k == types.Varchar:
		p.group, p.n = groupText, n.strs.len()
	case k == types.Float || k == types.Double:
		p.group, p.n = groupDouble, n.doubles.len()
	case k == types.LargeInt:
		p.group, p.n = groupLarge, n.ints.len()+int(p.counts[LargeInt])
	case keepsInts(p.t):
		p.group, p.n = groupInt, n.ints.len()
	default:
		p.kind, p.scale = declaredKind(p.t), p.t.Scale
		p.group, p.n = groupOther, int(p.counts[p.kind])
	}
	if p.n == 0 {
		p.group = groupNone
	}
}

// rareShare: where one number in so many has the wider kind, the narrower one keeps the column and the odd values stay residual.
const rareShare = 200

// planFree picks the most frequent kind, or pair of numeric kinds that fit one type without loss.
func (p *nodePlan) planFree(n *pathNode) {
	offer := func(g group, count int, t types.Type) {
		if count > p.n {
			*p = nodePlan{counts: p.counts, other: p.other, crowded: p.crowded, group: g, n: count, t: t}
		}
	}
	o := &p.other
	ints, doubles := n.ints.len(), n.doubles.len()
	fractions := p.counts[Double] + p.counts[Float] + p.counts[Decimal] + p.counts[Number]
	offer(groupText, n.strs.len(), types.Of(types.Varchar))
	offer(groupInt, ints, types.Of(types.BigInt))
	offer(groupBool, n.bools.len(), types.Of(types.Boolean))
	offer(groupDouble, doubles, types.Of(types.Double))
	if o.large > 0 && o.large*rareShare > ints && fractions == 0 {
		offer(groupLarge, ints+o.large, types.Of(types.LargeInt))
	}
	if ints > 0 && doubles*rareShare > ints && ints+doubles > p.n && exactDoubles(n.ints.vals) {
		offer(groupDouble, ints+doubles, types.Of(types.Double))
		p.withInts = p.group == groupDouble
	}
	if o.decimal && !o.mixed && o.width <= maxDigits {
		offer(groupOther, int(p.counts[Decimal]), types.DecimalOf(int(o.width), int(o.scale)))
		if p.group == groupOther {
			p.kind, p.scale = Decimal, o.scale
		}
	}
	for _, k := range [...]Kind{Float, Date, DateTime, TimestampTZ, Time, IPv4, IPv6, UUID, Binary} {
		if int(p.counts[k]) > p.n {
			offer(groupOther, int(p.counts[k]), types.Of(reportedKinds[k]))
			p.kind = k
		}
	}
	if !p.crowded {
		offer(groupList, n.arrays.len(), types.Of(types.Null))
	}
}

// exactDoubles tells whether all integers are below 2^53 in magnitude.
func exactDoubles(vals []int64) bool {
	for _, v := range vals {
		if v >= 1<<53 || v <= -1<<53 {
			return false
		}
	}
	return true
}

// choose marks the paths that become typed columns.
func (f *finisher) choose() {
	if f.o.Plain {
		return
	}
	limit, least := f.o.MaxSubcolumns, f.o.MinRows
	if limit == 0 {
		limit = types.DefaultMaxSubcolumns
	}
	if least == 0 {
		least = max(int(f.s.row)/1000, 1)
	}
	var free, lists []*pathNode
	var visit func(n *pathNode)
	visit = func(n *pathNode) {
		switch {
		case n.plan.object:
			for _, c := range n.children {
				visit(c)
			}
		case n.plan.group == groupNone:
		case n.conv != nil && !f.o.CountDeclared:
			n.plan.shred = true
			lists = append(lists, n)
		case n.plan.n >= least:
			free = append(free, n)
		}
	}
	visit(f.s.root)
	free = mostFrequent(free, limit)
	f.chooseElements(append(lists, free...))
}

// mostFrequent makes the most frequent of some paths typed columns, at most limit, and returns these.
func mostFrequent(free []*pathNode, limit int) []*pathNode {
	if len(free) > max(limit, 0) {
		sort.Slice(free, func(i, j int) bool {
			if a, b := free[i].plan.n, free[j].plan.n; a != b {
				return a > b
			}
			return slices.Compare(free[i].path(), free[j].path()) < 0
		})
		free = free[:max(limit, 0)]
	}
	for _, n := range free {
		n.plan.shred = true
	}
	return free
}

// chooseElements marks the columns within the lists among chosen, level by level. Elements that are no objects have theirs; of the members
// of objects the most frequent get one.
func (f *finisher) chooseElements(chosen []*pathNode) {
	for budget := maxElementLeaves; len(chosen) > 0; {
		var free, next []*pathNode
		var visit func(n *pathNode)
		visit = func(n *pathNode) {
			least := f.o.MinRows
			if least == 0 {
				least = max(int(n.space.seen)/1000, 1)
			}
			switch {
			case n.plan.object:
				for _, c := range n.children {
					visit(c)
				}
			case n.plan.group == groupNone:
			case n.space == n:
				n.plan.shred = true
				next = append(next, n)
			case n.plan.n >= least:
				free = append(free, n)
			}
		}
		for _, n := range chosen {
			if n.plan.group == groupList {
				visit(n.arrays.elem)
			}
		}
		free = mostFrequent(free, budget)
		budget -= len(free)
		chosen = append(next, free...)
	}
}

// markInner marks the objects above marked paths. Of siblings whose names differ only in case it keeps one, because other readers of the
// files would take them for the same column.
func (f *finisher) markInner(n *pathNode) {
	if n.plan.list() {
		f.markInner(n.arrays.elem)
	}
	if !n.plan.object {
		return
	}
	best := map[string]*pathNode{}
	for _, c := range n.children {
		f.markInner(c)
		if !c.plan.marked() {
			continue
		}
		n.plan.inner = true
		key := foldKey(c.key)
		other := best[key]
		switch {
		case other == nil:
			best[key] = c
		case c.better(other):
			other.unmark()
			best[key] = c
		default:
			c.unmark()
		}
	}
}

// better tells which of two siblings should be the column.
func (n *pathNode) better(o *pathNode) bool {
	a, b := n.conv != nil || n.plan.declaredBelow, o.conv != nil || o.plan.declaredBelow
	if a != b {
		return a
	}
	x, y := n.plan.counts.Total(), o.plan.counts.Total()
	return x > y || x == y && n.key < o.key
}

func (n *pathNode) unmark() {
	if n.plan.list() {
		n.arrays.elem.unmark()
	}
	n.plan.shred, n.plan.inner = false, false
	for _, c := range n.children {
		c.unmark()
	}
}

// foldKey maps names that differ only in case to the same text.
func foldKey(s string) string {
	return strings.Map(func(r rune) rune {
		least := unicode.ToLower(r)
		for o := unicode.SimpleFold(least); o != unicode.ToLower(r); o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		return least
	}, s)
}
