package segment

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"sort"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/variant"
)

// The directory tells where every leaf of every column and path lies and what its pages hold, so that a reader touches nothing of the
// Parquet footer. It lies right before the footer; docs/format/segment.md has its layout.
const (
	// formatVersion is the version of the directory and of the file around it. A reader refuses other versions.
	formatVersion = 2
	// dirMagic ends the directory.
	dirMagic = "EBIRADIR"
	// dirTrailerBytes is the length of the trailer: index length, index checksum, version, magic.
	dirTrailerBytes = 4 + 4 + 4 + len(dirMagic)
	// dirBlockBytes is the size from which a block of entries is closed.
	dirBlockBytes = 8 << 10
	// maxDirBlockBytes and maxDirIndexBytes bound what a damaged directory can make a reader load.
	maxDirBlockBytes = 1 << 28
	maxDirIndexBytes = 1 << 26
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// leafEntry locates the pages of a leaf.
type leafEntry struct {
	// num is the number of the leaf in the file.
	num   int
	chunk parquetio.Chunk
	pages []pageEntry
}

// pageEntry is a page of a leaf. Bounds are in the physical PLAIN form, nil where there are none.
type pageEntry struct {
	loc      parquetio.PageLoc
	entries  int
	values   int
	min, max []byte
	noBounds bool
}

// residualStats describes the residual values of one page of a path.
type residualStats struct {
	// kinds has bit k for each kind present; nulls counts the JSON nulls.
	kinds uint32
	nulls int
	// lo and hi bound the numbers as doubles, rounded outward; textMin and textMax the strings, cut like page bounds.
	lo, hi           float64
	textMin, textMax []byte
	// noNumbers and noTexts say that the bounds do not hold: a NaN, or a text whose upper bound could not be cut.
	noNumbers, noTexts bool
}

// entry describes a column, or a path of a VARIANT column.
type entry struct {
	column ColumnID
	// path are the names from the root; a step that IsIndex stands for the elements of an array.
	path []variant.Step
	key  string

	// leaves are the leaves of a column of a static type, in file order: one, or several for nested types.
	leaves []*leafEntry

	// The rest is for nodes of VARIANT columns. meta and exact exist at the root only.
	node     variant.NodeKind
	t        types.Type
	arrays   types.Type // what the arrays of the path report: ARRAY of a scalar type, JSON or NULL
	declared bool
	kinds    variant.KindCounts
	meta     *leafEntry
	// ownMeta says, at the root, that rows have metadata of their own.
	ownMeta  bool
	exact    *leafEntry
	typed    *leafEntry
	value    *leafEntry
	residual []residualStats // a page each, where value exists
	// second is a copy, outside of the VARIANT, of the residual values that have the second most frequent kind, of type secondType.
	second     *leafEntry
	secondType types.Type
	// hasEmpty says, while a file is written, that a leaf of the file stands before typed that no reader needs.
	hasEmpty bool
}

// variantLeaves are the leaves of a node of a VARIANT column, some of them nil.
func (e *entry) variantLeaves() []*leafEntry {
	return []*leafEntry{e.meta, e.exact, e.typed, e.value, e.second}
}

// isVariant tells whether e is a node of a VARIANT column.
func (e *entry) isVariant() bool { return e.leaves == nil }

// Ends of the steps of a key. A zero byte in a name is escaped, because it also ends names.
const (
	endName    = 1
	endElement = 2
	escapeZero = 0xFF
)

// entryKey orders entries: by column, then by path so that a path stands before all paths below it.
func entryKey(c ColumnID, path []string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(c))
	for _, name := range path {
		b = appendName(b, name)
	}
	return string(b)
}

func appendName(b []byte, name string) []byte {
	for i := 0; i < len(name); i++ {
		b = append(b, name[i])
		if name[i] == 0 {
			b = append(b, escapeZero)
		}
	}
	return append(b, 0, endName)
}

// member returns the entry of a member of an object.
func (e *entry) member(name string) *entry {
	path := append(e.path[:len(e.path):len(e.path)], variant.Step{Key: name})
	return &entry{column: e.column, path: path, key: string(appendName([]byte(e.key), name))}
}

// element returns the entry of the elements of a list.
func (e *entry) element() *entry {
	path := append(e.path[:len(e.path):len(e.path)], variant.Step{IsIndex: true})
	return &entry{column: e.column, path: path, key: e.key + string([]byte{0, endElement})}
}

// lists returns the number of lists around e, and how many steps lead to e from the elements of the innermost or from the root.
func (e *entry) lists() (lists, steps int) {
	for _, s := range e.path {
		if steps++; s.IsIndex {
			lists, steps = lists+1, 0
		}
	}
	return lists, steps
}

// name returns the last name of the path.
func (e *entry) name() string {
	if len(e.path) == 0 {
		return ""
	}
	return e.path[len(e.path)-1].Key
}

// encoder appends directory fields.
type encoder struct{ b []byte }

func (e *encoder) uint(v uint64)  { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int)      { e.uint(uint64(v)) }
func (e *encoder) bytes(s []byte) { e.int(len(s)); e.b = append(e.b, s...) }
func (e *encoder) float(f float64) {
	e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(f))
}

// optional appends a slice that may be nil.
func (e *encoder) optional(s []byte) {
	if s == nil {
		e.int(0)
		return
	}
	e.int(len(s) + 1)
	e.b = append(e.b, s...)
}

func (e *encoder) flag(v bool) {
	if v {
		e.b = append(e.b, 1)
	} else {
		e.b = append(e.b, 0)
	}
}

// decoder reads directory fields. After the first error it reads zeros.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int {
	v := d.uint()
	if v > math.MaxInt32 {
		d.bad, d.b = true, nil
		return 0
	}
	return int(v)
}

// count reads the length of a list whose elements take at least a byte each.
func (d *decoder) count() int {
	n := d.int()
	if n > len(d.b) {
		d.bad, d.b = true, nil
		return 0
	}
	return n
}

func (d *decoder) take(n int) []byte {
	if n > len(d.b) || n < 0 {
		d.bad, d.b = true, nil
		return nil
	}
	s := d.b[:n:n]
	d.b = d.b[n:]
	return s
}

func (d *decoder) bytes() []byte { return d.take(d.int()) }

func (d *decoder) optional() []byte {
	n := d.int()
	if n == 0 {
		return nil
	}
	if s := d.take(n - 1); s != nil {
		return s
	}
	return []byte{}
}

func (d *decoder) byte() byte {
	if s := d.take(1); len(s) == 1 {
		return s[0]
	}
	return 0
}

func (d *decoder) flag() bool { return d.byte() != 0 }

func (d *decoder) float() float64 {
	if s := d.take(8); len(s) == 8 {
		return math.Float64frombits(binary.LittleEndian.Uint64(s))
	}
	return 0
}

func (e *encoder) leaf(l *leafEntry) {
	c := &l.chunk
	e.int(l.num)
	e.int(int(c.Leaf.Kind))
	e.int(c.Leaf.Width)
	e.int(c.Leaf.MaxDef)
	e.int(c.Leaf.MaxRep)
	e.int(int(c.Codec))
	e.int(c.DictLoc.Bytes)
	start := c.DictLoc.Offset
	if c.DictLoc.Bytes == 0 && len(l.pages) > 0 {
		start = l.pages[0].loc.Offset
	}
	e.uint(uint64(start))
	e.int(len(l.pages))
	for i := range l.pages {
		p := &l.pages[i]
		e.int(p.loc.Bytes)
		e.int(p.entries)
		e.int(p.values)
		e.flag(p.noBounds)
		e.optional(p.min)
		e.optional(p.max)
	}
}

func (d *decoder) leaf() *leafEntry {
	l := &leafEntry{num: d.int()}
	c := &l.chunk
	c.Leaf.Kind = parquetio.Kind(d.int())
	c.Leaf.Width, c.Leaf.MaxDef, c.Leaf.MaxRep = d.int(), d.int(), d.int()
	c.Codec = parquetio.Codec(d.int())
	dict := d.int()
	pos := int64(d.uint())
	if dict > 0 {
		c.DictLoc = parquetio.PageLoc{Offset: pos, Bytes: dict}
		pos += int64(dict)
	}
	if c.Leaf.MaxDef > 255 || c.Leaf.MaxRep > 255 || pos < 0 {
		d.bad = true
	}
	n := d.count()
	l.pages = make([]pageEntry, n)
	for i := range l.pages {
		p := &l.pages[i]
		p.loc = parquetio.PageLoc{Offset: pos, Bytes: d.int()}
		pos += int64(p.loc.Bytes)
		p.entries, p.values, p.noBounds = d.int(), d.int(), d.flag()
		p.min, p.max = d.optional(), d.optional()
	}
	return l
}

func (e *encoder) maybeLeaf(l *leafEntry) {
	e.flag(l != nil)
	if l != nil {
		e.leaf(l)
	}
}

func (d *decoder) maybeLeaf() *leafEntry {
	if d.flag() {
		return d.leaf()
	}
	return nil
}

func (e *encoder) residual(r *residualStats) {
	e.uint(uint64(r.kinds))
	e.int(r.nulls)
	e.flag(r.noNumbers)
	e.flag(r.noTexts)
	if r.kinds&numberKinds != 0 {
		e.float(r.lo)
		e.float(r.hi)
	}
	e.optional(r.textMin)
	e.optional(r.textMax)
}

func (d *decoder) residual() (r residualStats) {
	r.kinds, r.nulls = uint32(d.uint()), d.int()
	r.noNumbers, r.noTexts = d.flag(), d.flag()
	if r.kinds&numberKinds != 0 {
		r.lo, r.hi = d.float(), d.float()
	}
	r.textMin, r.textMax = d.optional(), d.optional()
	return r
}

// encode appends the entry without its key.
func (x *entry) encode(e *encoder) {
	e.flag(x.isVariant())
	if !x.isVariant() {
		e.int(len(x.leaves))
		for _, l := range x.leaves {
			e.leaf(l)
		}
		return
	}
	e.int(int(x.node))
	e.int(int(x.t.Kind))
	e.int(int(x.t.Precision))
	e.int(int(x.t.Scale))
	e.flag(x.declared)
	e.flag(x.ownMeta)
	e.int(int(x.arrays.Kind))
	if x.arrays.Elem != nil {
		e.int(int(x.arrays.Elem.Kind))
		e.int(int(x.arrays.Elem.Precision))
		e.int(int(x.arrays.Elem.Scale))
	}
	e.int(len(x.kinds))
	for _, n := range x.kinds {
		e.uint(uint64(n))
	}
	for _, l := range []*leafEntry{x.meta, x.exact, x.typed, x.value} {
		e.maybeLeaf(l)
	}
	e.int(len(x.residual))
	for i := range x.residual {
		e.residual(&x.residual[i])
	}
	e.int(int(x.secondType.Kind))
	e.maybeLeaf(x.second)
}

// decodeEntry reads what encode wrote.
func decodeEntry(key string, b []byte) (*entry, bool) {
	d := &decoder{b: b}
	x := &entry{key: key}
	if !x.splitKey() {
		return nil, false
	}
	if !d.flag() {
		n := d.count()
		x.leaves = make([]*leafEntry, 0, n)
		for range n {
			x.leaves = append(x.leaves, d.leaf())
		}
		return x, !d.bad && n > 0
	}
	x.node = variant.NodeKind(d.int())
	x.t = d.scalarType()
	x.declared = d.flag()
	x.ownMeta = d.flag()
	if x.arrays.Kind = types.Kind(d.int()); x.arrays.Kind == types.Array {
		x.arrays = types.ArrayOf(d.scalarType())
	}
	for i := range d.count() {
		if n := uint32(d.uint()); i < len(x.kinds) {
			x.kinds[i] = n
		}
	}
	x.meta, x.exact, x.typed, x.value = d.maybeLeaf(), d.maybeLeaf(), d.maybeLeaf(), d.maybeLeaf()
	x.residual = make([]residualStats, d.count())
	for i := range x.residual {
		x.residual[i] = d.residual()
	}
	x.secondType = types.Of(types.Kind(d.int()))
	x.second = d.maybeLeaf()
	ok := !d.bad && x.t.Kind <= types.Map && x.arrays.Kind <= types.Map && x.secondType.Kind <= types.Map && (x.value == nil || len(x.residual) == len(x.value.pages))
	return x, ok
}

// scalarType reads a type without parts.
func (d *decoder) scalarType() types.Type {
	t := types.Type{Kind: types.Kind(d.int()), Precision: uint8(d.int()), Scale: uint8(d.int())}
	if t.Kind > types.Map {
		d.bad = true
	}
	return t
}

// splitKey takes the key apart.
func (x *entry) splitKey() bool {
	if len(x.key) < 4 {
		return false
	}
	x.column = ColumnID(binary.BigEndian.Uint32([]byte(x.key)))
	var name []byte
	for i := 4; i < len(x.key); i++ {
		c := x.key[i]
		if c != 0 {
			name = append(name, c)
			continue
		}
		if i++; i == len(x.key) {
			return false
		}
		switch x.key[i] {
		case escapeZero:
			name = append(name, 0)
			continue
		case endElement:
			x.path = append(x.path, variant.Step{IsIndex: true})
		default:
			x.path = append(x.path, variant.Step{Key: string(name)})
		}
		name = nil
	}
	return name == nil
}

// dirBlock is a block in the index: the first key, and where the block lies behind the start of the directory.
type dirBlock struct {
	first  string
	offset int
	size   int
}

// dirIndex is the part of the directory that opening a segment reads.
type dirIndex struct {
	rows   int64
	blocks []dirBlock
	// start is the offset of the directory in the file, and before the CRC-32C of all bytes before it.
	start  int64
	before uint32
}

// encodeDirectory returns the directory of entries, which it sorts. before is the checksum of the bytes that the file has so far.
func encodeDirectory(rows int64, before uint32, entries []*entry) []byte {
	sort.Slice(entries, func(i, j int) bool { return entries[i].key < entries[j].key })
	var out encoder
	var blocks []dirBlock
	start := 0
	var first string
	closeBlock := func() {
		if len(out.b) == start {
			return
		}
		out.b = binary.LittleEndian.AppendUint32(out.b, crc32.Checksum(out.b[start:], castagnoli))
		blocks = append(blocks, dirBlock{first, start, len(out.b) - start})
		start = len(out.b)
	}
	for _, x := range entries {
		if len(out.b) == start {
			first = x.key
		}
		var e encoder
		x.encode(&e)
		out.bytes([]byte(x.key))
		out.bytes(e.b)
		if len(out.b)-start >= dirBlockBytes {
			closeBlock()
		}
	}
	closeBlock()
	var index encoder
	index.uint(uint64(rows))
	index.uint(uint64(before))
	index.int(start)
	index.int(len(blocks))
	for _, b := range blocks {
		index.bytes([]byte(b.first))
		index.int(b.offset)
		index.int(b.size)
	}
	out.b = append(out.b, index.b...)
	le := binary.LittleEndian
	out.b = le.AppendUint32(out.b, uint32(len(index.b)))
	out.b = le.AppendUint32(out.b, crc32.Checksum(index.b, castagnoli))
	out.b = le.AppendUint32(out.b, formatVersion)
	return append(out.b, dirMagic...)
}

// corrupt makes an error of kind Corrupt.
func corrupt(format string, args ...any) error { return sqlerr.New(sqlerr.Corrupt, format, args...) }

// parseTrailer reads the trailer of a directory and returns length and checksum of the index.
func parseTrailer(b []byte) (size int, sum uint32, err error) {
	le := binary.LittleEndian
	if string(b[12:]) != dirMagic {
		return 0, 0, corrupt("no segment directory before the footer")
	}
	if v := le.Uint32(b[8:]); v != formatVersion {
		return 0, 0, sqlerr.New(sqlerr.Unsupported, "segment format version %d is not known; this version reads %d", v, formatVersion)
	}
	n := le.Uint32(b)
	if n > maxDirIndexBytes {
		return 0, 0, corrupt("segment directory index claims %d bytes", n)
	}
	return int(n), le.Uint32(b[4:]), nil
}

// parseIndex reads the index, which ends at offset end of the file.
func parseIndex(b []byte, sum uint32, end int64) (*dirIndex, error) {
	if crc32.Checksum(b, castagnoli) != sum {
		return nil, corrupt("checksum of the segment directory does not match")
	}
	d := &decoder{b: b}
	x := &dirIndex{rows: int64(d.uint()), before: uint32(d.uint())}
	size := d.int()
	x.start = end - int64(len(b)) - int64(size)
	n := d.count()
	x.blocks = make([]dirBlock, n)
	for i := range x.blocks {
		x.blocks[i] = dirBlock{first: string(d.bytes()), offset: d.int(), size: d.int()}
		if k := &x.blocks[i]; k.size < 4 || k.size > maxDirBlockBytes || k.offset+k.size > size {
			d.bad = true
		}
	}
	if d.bad || x.start < 0 || x.rows < 0 || x.rows > math.MaxInt32 {
		return nil, corrupt("segment directory is malformed")
	}
	return x, nil
}

// parseBlock reads the entries of a block.
func parseBlock(b []byte) ([]*entry, error) {
	body := b[:len(b)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(body):]) {
		return nil, corrupt("checksum of the segment directory does not match")
	}
	d := &decoder{b: body}
	var out []*entry
	for len(d.b) > 0 && !d.bad {
		key := string(d.bytes())
		x, ok := decodeEntry(key, d.bytes())
		if !ok || d.bad {
			return nil, corrupt("segment directory entry %q is malformed", fmt.Sprintf("%.40s", key))
		}
		out = append(out, x)
	}
	return out, nil
}
