package variant

import (
	"math"
	"slices"
	"sort"

	"github.com/ebira-db/ebira/vec"
)

// blockRows is the number of rows assembled at a time: few enough that their documents stay in the processor's cache.
const blockRows = 512

// source is a path as the assembler reads it: runs of finished values, and objects to be put together from children and from leftover
// members. A row occurs in at most one run; a value of a run that is an object, in a row that is in objects, is leftover members.
type source struct {
	id       uint32 // field id of the name
	runs     []run
	object   bool // objects and children count
	sparse   bool // objects without members are left out
	objects  rowList
	children []*source // in order of names
	list     *listSource
}

// listSource is the arrays of a path, whose elements are the rows of elem. offsets has where the elements of each array begin, and the end.
type listSource struct {
	rowList
	offsets []uint32
	elem    *source
}

// rowList is an ascending list of rows; all stands for every row.
type rowList struct {
	all  bool
	rows []uint32
	at   int // rows before it lie in earlier blocks
}

// block returns the entries of the list within [from, to), as a range of positions, and moves on. For a list of all rows the positions
// are the rows.
func (l *rowList) block(from, to uint32) (lo, hi int) {
	if l.all {
		return int(from), int(to)
	}
	lo = l.at
	for l.at < len(l.rows) && l.rows[l.at] < to {
		l.at++
	}
	return lo, l.at
}

// row returns the row of an entry.
func (l *rowList) row(i int) uint32 {
	if l.all {
		return uint32(i)
	}
	return l.rows[i]
}

// run is a column of scalars or of finished values. One of the payloads is set.
type run struct {
	rowList
	ints    []int64
	proto   scalar // what ints are: BIGINT, or a declared type
	doubles []float64
	// integral says that doubles stand for integers too, which come back as such.
	integral bool
	bools    []bool
	texts    []vec.View
	raw      []vec.View
	bufs     [][]byte // of texts and raw
	null     bool     // JSON null in every row of the list
	typed    *vec.Vector
}

// item is an encoded value in the assembler's buffer.
type item struct {
	row, id uint32
	off, n  uint32
}

// assembler puts values together block by block. buf and items are stacks: the values of a path replace those of its children.
type assembler struct {
	rank   []uint32 // order of field ids by name
	buf    []byte
	items  []item
	levels []*level
}

// level is the scratch memory for the objects of one nesting depth.
type level struct {
	object   [blockRows]bool
	leftover [blockRows]item // n is 0 where there is none
	starts   [blockRows + 1]uint32
	order    []uint32
	fields   []item
	merged   []item
}

// NameRanks returns for each name its place in bytewise order.
func NameRanks(names [][]byte) []uint32 {
	ids := make([]uint32, len(names))
	for i := range ids {
		ids[i] = uint32(i)
	}
	sort.Slice(ids, func(i, j int) bool { return string(names[ids[i]]) < string(names[ids[j]]) })
	ranks := make([]uint32, len(names))
	for r, id := range ids {
		ranks[id] = uint32(r)
	}
	return ranks
}

// encode appends the values of n in rows [from, to) to buf and items.
func (a *assembler) encode(n *source, from, to uint32, depth int) {
	firstItem, firstByte := len(a.items), len(a.buf)
	for i := range n.runs {
		n.runs[i].encode(a, from, to)
	}
	if n.list != nil {
		a.encodeArrays(n.list, from, to, depth)
	}
	if !n.object {
		return
	}
	l := a.level(depth)
	l.object = [blockRows]bool{}
	lo, hi := n.objects.block(from, to)
	for i := lo; i < hi; i++ {
		l.object[n.objects.row(i)-from] = true
	}
	a.takeLeftovers(l, from, firstItem)
	firstChild := len(a.items)
	for _, c := range n.children {
		start := len(a.items)
		a.encode(c, from, to, depth+1)
		for i := start; i < len(a.items); i++ {
			a.items[i].id = c.id
		}
	}
	l.sortByRow(a.items[firstChild:], from)
	members := a.items[firstChild:]
	objects := len(a.buf)
	for row := range to - from {
		if !l.object[row] {
			continue
		}
		l.fields = l.fields[:0]
		for _, i := range l.order[l.starts[row]:l.starts[row+1]] {
			l.fields = append(l.fields, members[i])
		}
		fields := l.fields
		if l.leftover[row].n > 0 {
			fields = a.mergeLeftover(l, l.leftover[row])
		}
		if n.sparse && len(fields) == 0 {
			continue
		}
		off := len(a.buf)
		a.writeObject(fields)
		a.items = append(a.items, item{row: from + row, off: uint32(off), n: uint32(len(a.buf) - off)})
		members = a.items[firstChild : firstChild+len(members)]
	}
	a.compact(firstItem, firstChild, firstChild+len(members), firstByte, objects)
}

// level returns the scratch memory of a depth.
func (a *assembler) level(depth int) *level {
	for depth >= len(a.levels) {
		a.levels = append(a.levels, &level{})
	}
	return a.levels[depth]
}

// encodeArrays appends the arrays of a list in rows [from, to): first all their elements, a block at a time, then the arrays, which take
// the place of the elements.
func (a *assembler) encodeArrays(n *listSource, from, to uint32, depth int) {
	lo, hi := n.block(from, to)
	if lo == hi {
		return
	}
	firstItem, firstByte := len(a.items), len(a.buf)
	for e := n.offsets[lo]; e < n.offsets[hi]; {
		next := min(e+blockRows, n.offsets[hi])
		start := len(a.items)
		a.encode(n.elem, e, next, depth+1)
		a.level(depth+1).putInOrder(a.items[start:], e)
		e = next
	}
	firstArray, arrays := len(a.items), len(a.buf)
	elems := a.items[firstItem:firstArray]
	for i := lo; i < hi; i++ {
		k := 0
		for k < len(elems) && elems[k].row < n.offsets[i+1] {
			k++
		}
		off := len(a.buf)
		a.writeArray(elems[:k], n.offsets[i], n.offsets[i+1])
		a.end(n.row(i), off)
		elems = elems[k:]
	}
	a.compact(firstItem, firstItem, firstArray, firstByte, arrays)
}

// putInOrder sorts items of a block by row; there is at most one for each.
func (l *level) putInOrder(items []item, from uint32) {
	if slices.IsSortedFunc(items, func(x, y item) int { return int(x.row) - int(y.row) }) {
		return
	}
	l.sortByRow(items, from)
	l.merged = l.merged[:0]
	for _, i := range l.order {
		l.merged = append(l.merged, items[i])
	}
	copy(items, l.merged)
}

// writeArray appends an array of elements [from, to), of which those without an item are JSON null.
func (a *assembler) writeArray(elems []item, from, to uint32) {
	n, total := int(to-from), int(to-from)-len(elems)
	for i := range elems {
		total += int(elems[i].n)
	}
	offSize := byteWidth(total)
	head, count := byte(basicArray)|byte(offSize-1)<<2, 1
	if n > 255 {
		head, count = head|1<<4, 4
	}
	start, room := len(a.buf), 1+count+(n+1)*offSize
	a.buf = slices.Grow(a.buf, room+total)[:start+room]
	a.buf[start] = head
	putUint(a.buf[start+1:], uint32(n), count)
	offs := a.buf[start+1+count : start+room]
	off := uint32(0)
	for i := range n {
		putUint(offs[i*offSize:], off, offSize)
		if len(elems) == 0 || elems[0].row != from+uint32(i) {
			a.buf = append(a.buf, primNull<<2)
			off++
			continue
		}
		a.buf = append(a.buf, a.buf[elems[0].off:elems[0].off+elems[0].n]...)
		off += elems[0].n
		elems = elems[1:]
	}
	putUint(offs[n*offSize:], off, offSize)
}

// takeLeftovers moves the values of runs that are leftover members of an object out of the items.
func (a *assembler) takeLeftovers(l *level, from uint32, firstItem int) {
	l.leftover = [blockRows]item{}
	kept := firstItem
	for _, it := range a.items[firstItem:] {
		if l.object[it.row-from] && a.buf[it.off]&3 == basicObject {
			l.leftover[it.row-from] = it
			continue
		}
		a.items[kept] = it
		kept++
	}
	a.items = a.items[:kept]
}

// sortByRow sorts items stably by row: order lists them, those of row r from starts[r] to starts[r+1].
func (l *level) sortByRow(items []item, from uint32) {
	l.starts = [blockRows + 1]uint32{}
	for i := range items {
		l.starts[items[i].row-from+1]++
	}
	for r := range blockRows {
		l.starts[r+1] += l.starts[r]
	}
	l.order = slices.Grow(l.order[:0], len(items))[:len(items)]
	for i := range items {
		r := items[i].row - from
		l.order[l.starts[r]] = uint32(i)
		l.starts[r]++
	}
	copy(l.starts[1:], l.starts[:blockRows])
	l.starts[0] = 0
}

// mergeLeftover returns the fields, which are in order of names, with the members of a leftover object. A name that both have keeps the
// field.
func (a *assembler) mergeLeftover(l *level, it item) []item {
	c, ok := openContainer(a.buf[it.off : it.off+it.n])
	if !ok {
		return l.fields
	}
	base := it.off + it.n - uint32(len(c.values))
	fields, merged := l.fields, l.merged[:0]
	for i := range c.n {
		id := uint32(c.id(i))
		v, ok := c.value(i)
		if !ok || int(id) >= len(a.rank) {
			continue
		}
		for len(fields) > 0 && a.rank[fields[0].id] < a.rank[id] {
			merged, fields = append(merged, fields[0]), fields[1:]
		}
		if len(fields) > 0 && fields[0].id == id {
			continue
		}
		merged = append(merged, item{id: id, off: base + uint32(c.offset(i)), n: uint32(len(v))})
	}
	l.merged = append(merged, fields...)
	return l.merged
}

// writeObject appends an object with these members.
func (a *assembler) writeObject(fields []item) {
	total, most := 0, uint32(0)
	for i := range fields {
		total += int(fields[i].n)
		most = max(most, fields[i].id)
	}
	n, idSize, offSize := len(fields), byteWidth(int(most)), byteWidth(total)
	head, count := byte(basicObject)|byte(offSize-1)<<2|byte(idSize-1)<<4, 1
	if n > 255 {
		head, count = head|1<<6, 4
	}
	room := 1 + count + n*idSize + (n+1)*offSize
	start := len(a.buf)
	a.buf = slices.Grow(a.buf, room+total)[:start+room]
	a.buf[start] = head
	putUint(a.buf[start+1:], uint32(n), count)
	ids := a.buf[start+1+count:]
	offs := ids[n*idSize:]
	off := uint32(0)
	for i := range fields {
		putUint(ids[i*idSize:], fields[i].id, idSize)
		putUint(offs[i*offSize:], off, offSize)
		off += fields[i].n
	}
	putUint(offs[n*offSize:], off, offSize)
	for i := range fields {
		a.buf = append(a.buf, a.buf[fields[i].off:fields[i].off+fields[i].n]...)
	}
}

// compact keeps the items before firstChild (from firstItem) and from firstObject on, and moves their bytes down to firstByte. Items lie
// in buf in their order.
func (a *assembler) compact(firstItem, firstChild, firstObject, firstByte, objects int) {
	at := firstByte
	for i := firstItem; i < firstChild; i++ {
		it := &a.items[i]
		n := copy(a.buf[at:], a.buf[it.off:it.off+it.n])
		it.off = uint32(at)
		at += n
	}
	moved := uint32(objects - at)
	at += copy(a.buf[at:], a.buf[objects:])
	a.buf = a.buf[:at]
	made := a.items[firstObject:]
	for i := range made {
		made[i].off -= moved
	}
	a.items = a.items[:firstChild+copy(a.items[firstChild:], made)]
}

// encode appends the values of a run in rows [from, to).
func (r *run) encode(a *assembler, from, to uint32) {
	lo, hi := r.block(from, to)
	if lo == hi {
		return
	}
	switch {
	case r.ints != nil && r.proto.kind == BigInt:
		for i := lo; i < hi; i++ {
			off := len(a.buf)
			a.buf = appendInt(a.buf, r.ints[i])
			a.end(r.row(i), off)
		}
	case r.integral:
		for i := lo; i < hi; i++ {
			off := len(a.buf)
			if x := r.doubles[i]; isInteger(x) {
				a.buf = appendInt(a.buf, int64(x))
			} else {
				a.buf = appendDouble(a.buf, x)
			}
			a.end(r.row(i), off)
		}
	case r.doubles != nil && r.proto.kind != Float:
		for i := lo; i < hi; i++ {
			off := len(a.buf)
			a.buf = appendDouble(a.buf, r.doubles[i])
			a.end(r.row(i), off)
		}
	case r.texts != nil:
		for i := lo; i < hi; i++ {
			off := len(a.buf)
			a.buf = appendString(a.buf, r.texts[i].Bytes(r.bufs))
			a.end(r.row(i), off)
		}
	case r.raw != nil:
		for i := lo; i < hi; i++ {
			off := len(a.buf)
			a.buf = append(a.buf, r.raw[i].Bytes(r.bufs)...)
			a.end(r.row(i), off)
		}
	case r.null:
		for i := lo; i < hi; i++ {
			off := len(a.buf)
			a.buf = append(a.buf, primNull<<2)
			a.end(r.row(i), off)
		}
	default:
		r.encodeOthers(a, lo, hi)
	}
}

// isInteger tells whether x is what an integer below 2^53 in magnitude becomes in a column of doubles; -0 is none.
func isInteger(x float64) bool {
	return math.Abs(x) < 1<<53 && x == math.Trunc(x) && (x != 0 || !math.Signbit(x))
}

// encodeOthers is encode for the rarer kinds.
func (r *run) encodeOthers(a *assembler, lo, hi int) {
	for i := lo; i < hi; i++ {
		s := r.proto
		switch {
		case r.ints != nil:
			s.i = r.ints[i]
		case r.doubles != nil:
			s.f = r.doubles[i]
		case r.bools != nil:
			s.i = int64(boolInt(r.bools[i]))
		default:
			s.load(r.typed, i)
		}
		off := len(a.buf)
		a.buf = appendScalar(a.buf, &s)
		a.end(r.row(i), off)
	}
}

// end makes the bytes from off on an item.
func (a *assembler) end(row uint32, off int) {
	a.items = append(a.items, item{row: row, off: uint32(off), n: uint32(len(a.buf) - off)})
}

// all assembles n for rows [0, rows) and calls each for every value, rows in order within a block, with the value's bytes, which live
// until the next call.
func (a *assembler) all(n *source, rows int, each func(row uint32, value []byte)) {
	var byRow level
	for from := uint32(0); int(from) < rows; from += blockRows {
		to := min(from+blockRows, uint32(rows))
		a.buf, a.items = a.buf[:0], a.items[:0]
		a.encode(n, from, to, 0)
		byRow.sortByRow(a.items, from)
		for _, i := range byRow.order {
			it := a.items[i]
			each(it.row, a.buf[it.off:it.off+it.n])
		}
	}
}
