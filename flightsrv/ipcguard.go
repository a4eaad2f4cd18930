package flightsrv

import (
	"encoding/binary"
	"errors"
)

// The Arrow library trusts the flatbuffers that describe messages: a length in them that is not true makes it allocate without bound,
// deep nesting overflows the stack, and counts that the schema calls for are read behind the end of a list that is too short; a process
// survives none of it. headerGuard therefore walks a header before the library does and checks every length, offset, depth and count.

// Limits of a message header.
const (
	maxHeaderDepth = 64
	maxHeader      = 64 << 20
)

var errHeader = errors.New("a message header is damaged")

// Kinds of message (union MessageHeader of Message.fbs).
const (
	headerSchema          = 1
	headerDictionaryBatch = 2
	headerRecordBatch     = 3
)

// demand is what the batches of a schema or of a dictionary must list.
type demand struct {
	nodes int // one for each array, nested ones too
	views int // arrays of views, each with a count of its buffers
}

// headerGuard checks the headers of one stream.
type headerGuard struct {
	rows         demand
	dictionaries map[int64]demand
}

// check checks the flatbuffer of the next message.
func (g *headerGuard) check(b []byte) error {
	if len(b) > maxHeader || len(b) < 8 {
		return errHeader
	}
	w := walker{b: b, budget: len(b)}
	root := w.follow(0)
	kind := w.scalar(root, 1)
	w.each(root, 4, w.pair)
	switch header := w.table(root, 2); kind {
	case headerSchema:
		g.rows, g.dictionaries = demand{}, map[int64]demand{}
		w.schema(header, g)
	case headerDictionaryBatch:
		w.batch(w.table(header, 1), g.dictionaries[w.long(header, 0)])
	case headerRecordBatch:
		w.batch(header, g.rows)
	default:
		w.bad = true
	}
	if w.bad {
		return errHeader
	}
	return nil
}

// walker reads a flatbuffer with all bounds checked. After something wrong bad stays set and all answers are zero, which is no table.
type walker struct {
	b []byte
	// budget bounds the tables visited: offsets may share a table, and shared tables multiply.
	budget int
	bad    bool
}

func (w *walker) fail() int {
	w.bad = true
	return 0
}

func (w *walker) u32(at int) int {
	if w.bad || at < 0 || at+4 > len(w.b) {
		return w.fail()
	}
	return int(binary.LittleEndian.Uint32(w.b[at:]))
}

// follow returns the position that the offset at a position points to, which is behind it.
func (w *walker) follow(at int) int {
	d := w.u32(at)
	if w.bad || d < 4 || at+d+4 > len(w.b) {
		return w.fail()
	}
	return at + d
}

// slot returns the position of field i of a table, 0 if the table does not have it.
func (w *walker) slot(table, i int) int {
	if w.bad || table == 0 {
		return 0
	}
	vt := table - int(int32(w.u32(table)))
	if w.bad || vt < 0 || vt+4 > len(w.b) {
		return w.fail()
	}
	size := int(binary.LittleEndian.Uint16(w.b[vt:]))
	if size < 4 || vt+size > len(w.b) {
		return w.fail()
	}
	if 4+2*i+2 > size {
		return 0
	}
	off := int(binary.LittleEndian.Uint16(w.b[vt+4+2*i:]))
	if off == 0 {
		return 0
	}
	// Eight bytes are the widest scalar; flatbuffers are padded to them.
	if table+off+4 > len(w.b) {
		return w.fail()
	}
	return table + off
}

// scalar returns the byte of field i, 0 if absent.
func (w *walker) scalar(table, i int) int {
	at := w.slot(table, i)
	if w.bad || at == 0 {
		return 0
	}
	return int(w.b[at])
}

// long returns the 64-bit number of field i, 0 if absent.
func (w *walker) long(table, i int) int64 {
	at := w.slot(table, i)
	if w.bad || at == 0 {
		return 0
	}
	if at+8 > len(w.b) {
		return int64(w.fail())
	}
	return int64(binary.LittleEndian.Uint64(w.b[at:]))
}

// table returns the table of field i, 0 if absent.
func (w *walker) table(table, i int) int {
	at := w.slot(table, i)
	if w.bad || at == 0 {
		return 0
	}
	if w.budget--; w.budget < 0 {
		return w.fail()
	}
	return w.follow(at)
}

// vector checks that the vector of field i, with elements of a width, lies within the buffer, and returns its first element and length.
func (w *walker) vector(table, i, width int) (first, n int) {
	at := w.slot(table, i)
	if w.bad || at == 0 {
		return 0, 0
	}
	v := w.follow(at)
	n = w.u32(v)
	if w.bad || n > (len(w.b)-v-4)/width {
		return w.fail(), 0
	}
	return v + 4, n
}

// each calls f for each table of the vector of field i.
func (w *walker) each(table, i int, f func(table int)) {
	first, n := w.vector(table, i, 4)
	for j := 0; j < n && !w.bad; j++ {
		if w.budget--; w.budget < 0 {
			w.bad = true
			return
		}
		f(w.follow(first + 4*j))
	}
}

// pair is a KeyValue.
func (w *walker) pair(t int) {
	w.vector(t, 0, 1)
	w.vector(t, 1, 1)
}

func (w *walker) schema(t int, g *headerGuard) {
	if t == 0 {
		w.bad = true
	}
	w.each(t, 1, func(f int) { g.rows.add(w.field(f, maxHeaderDepth, g)) })
	w.each(t, 2, w.pair)
	w.vector(t, 3, 8)
}

// Types whose tables hold a text or a vector, and those of views (union Type of Schema.fbs).
const (
	typeTimestamp  = 10
	typeUnion      = 14
	typeBinaryView = 23
	typeTextView   = 24
)

func (d *demand) add(o demand) {
	d.nodes += o.nodes
	d.views += o.views
}

// field checks a field and returns what its arrays need. The values of a dictionary come in batches of their own.
func (w *walker) field(t, depth int, g *headerGuard) demand {
	if depth == 0 {
		w.bad = true
		return demand{}
	}
	need := demand{nodes: 1}
	w.vector(t, 0, 1)
	switch typ := w.table(t, 3); w.scalar(t, 2) {
	case typeTimestamp:
		w.vector(typ, 1, 1)
	case typeUnion:
		w.vector(typ, 1, 4)
	case typeBinaryView, typeTextView:
		need.views = 1
	}
	w.each(t, 5, func(c int) { need.add(w.field(c, depth-1, g)) })
	w.each(t, 6, w.pair)
	if d := w.table(t, 4); d != 0 {
		w.table(d, 1)
		id := w.long(d, 0)
		values := g.dictionaries[id]
		g.dictionaries[id] = demand{max(values.nodes, need.nodes), max(values.views, need.views)}
		return demand{nodes: 1}
	}
	return need
}

func (w *walker) batch(t int, need demand) {
	if t == 0 {
		w.bad = true
	}
	if _, n := w.vector(t, 1, 16); n < need.nodes {
		w.bad = true
	}
	_, buffers := w.vector(t, 2, 16)
	w.table(t, 3)
	first, n := w.vector(t, 4, 8)
	if n < need.views {
		w.bad = true
	}
	for i := range n {
		// How many of the buffers a column of views has.
		if count := binary.LittleEndian.Uint64(w.b[first+8*i:]); count > uint64(buffers) {
			w.bad = true
		}
	}
}
