package variant

import (
	"slices"
)

// maxShapes bounds the learned object shapes of an encoder; documents that all differ fall back to sorting.
const maxShapes = 8192

// encoder turns JSON events into value bytes at the end of buf. It is the heart of BatchBuilder and writes the residual of a Shredder.
type encoder struct {
	dict    dict
	buf     []byte
	frames  []frame
	fields  []field
	inArray bool // the innermost open container is an array
	private bool // a private type id was written since the flag was last cleared
	dups    int  // members dropped because a later one has the same name
	root    shape
	shapes  int
	ids     []byte   // scratch: field ids of the object being closed
	keys    []uint64 // scratch: fields being sorted
}

// frame is an open object or array.
type frame struct {
	start  int    // where its first value begins in buf
	fields int    // where its fields begin in encoder.fields
	shape  *shape // the names so far; nil for arrays and once the object is out of the ordinary
	array  bool
}

// field is a member or element of an open container: its name and the place of its value behind frame.start.
type field struct{ id, off uint32 }

// shape is a node in the tree of name sequences seen in objects. It knows the finished header of an object that ends here.
type shape struct {
	key    string
	id     uint32
	n      int
	parent *shape
	next   *shape            // the name that came next last time
	more   map[string]*shape // all names that came next, once there are two

	ids    []byte   // field ids in order of names, encoded; nil until the first object ends here
	idSize int      // bytes of one id
	order  []uint32 // fields in order of names
}

// value notes the start of a value.
func (e *encoder) value() {
	if e.inArray {
		f := &e.frames[len(e.frames)-1]
		e.fields = append(e.fields, field{off: uint32(len(e.buf) - f.start)})
	}
}

// BeginObject opens an object.
func (e *encoder) BeginObject() {
	e.value()
	e.frames = append(e.frames, frame{start: len(e.buf), fields: len(e.fields), shape: &e.root})
	e.inArray = false
}

// Key names the next member.
func (e *encoder) Key(k []byte) {
	f := &e.frames[len(e.frames)-1]
	off := uint32(len(e.buf) - f.start)
	if s := f.shape; s != nil {
		next := s.next
		if next == nil || next.key != string(k) {
			next = e.transition(s, k)
		}
		f.shape = next
		if next != nil {
			e.fields = append(e.fields, field{next.id, off})
			return
		}
	}
	e.fields = append(e.fields, field{e.dict.id(k), off})
}

// transition returns the shape behind s for k, or nil if the object has k already or too many shapes are known.
func (e *encoder) transition(s *shape, k []byte) *shape {
	if t, ok := s.more[string(k)]; ok {
		s.next = t
		return t
	}
	if e.shapes >= maxShapes {
		return nil
	}
	id := e.dict.id(k)
	for p := s; p.parent != nil; p = p.parent {
		if p.id == id {
			return nil
		}
	}
	e.shapes++
	t := &shape{key: e.dict.names[id], id: id, n: s.n + 1, parent: s}
	if s.next != nil {
		if s.more == nil {
			s.more = map[string]*shape{s.next.key: s.next}
		}
		s.more[t.key] = t
	}
	s.next = t
	return t
}

// EndObject closes the object: its header goes before the values written since BeginObject.
func (e *encoder) EndObject() {
	f := e.pop()
	fields := e.fields[f.fields:]
	if s := f.shape; s != nil {
		if s.order == nil {
			e.finishShape(s)
		}
		e.closeObject(f.start, fields, s.order, s.ids, s.idSize)
	} else {
		e.closeUnusual(f.start, fields)
	}
	e.fields = e.fields[:f.fields]
}

// pop leaves the innermost container.
func (e *encoder) pop() frame {
	top := len(e.frames) - 1
	f := e.frames[top]
	e.frames = e.frames[:top]
	e.inArray = top > 0 && e.frames[top-1].array
	return f
}

// finishShape sorts the names of a shape.
func (e *encoder) finishShape(s *shape) {
	ids := make([]uint32, s.n)
	most := uint32(0)
	for p := s; p.parent != nil; p = p.parent {
		ids[p.n-1] = p.id
		most = max(most, p.id)
	}
	s.order = make([]uint32, s.n)
	for i := range s.order {
		s.order[i] = uint32(i)
	}
	slices.SortFunc(s.order, func(a, b uint32) int { return compareNames(&e.dict, ids[a], ids[b]) })
	s.idSize = byteWidth(int(most))
	s.ids = make([]byte, 0, s.n*s.idSize)
	for _, i := range s.order {
		s.ids = appendUint(s.ids, int(ids[i]), s.idSize)
	}
}

func compareNames(d *dict, a, b uint32) int {
	switch {
	case a == b:
		return 0
	case d.names[a] < d.names[b]:
		return -1
	}
	return 1
}

// closeObject writes the header of an object whose fields, taken in order, are sorted by name. order nil means as they stand.
func (e *encoder) closeObject(start int, fields []field, order []uint32, ids []byte, idSize int) {
	n, total := len(fields), len(e.buf)-start
	offSize := byteWidth(total)
	head := byte(basicObject) | byte(offSize-1)<<2 | byte(idSize-1)<<4
	if n > 255 {
		head |= 1 << 6
	}
	h := e.openHeader(start, head, n, len(ids)+(n+1)*offSize)
	h = h[copy(h, ids):]
	if order == nil {
		for i := range fields {
			putUint(h[i*offSize:], fields[i].off, offSize)
		}
	} else {
		for i, j := range order {
			putUint(h[i*offSize:], fields[j].off, offSize)
		}
	}
	putUint(h[n*offSize:], uint32(total), offSize)
}

// openHeader makes room before the values that begin at start, writes the first byte and the number of members, and returns the size
// bytes behind them.
func (e *encoder) openHeader(start int, head byte, n, size int) []byte {
	count := 1
	if n > 255 {
		count = 4
	}
	end, room := len(e.buf), 1+count+size
	e.buf = slices.Grow(e.buf, room)[:end+room]
	copy(e.buf[start+room:], e.buf[start:end])
	e.buf[start] = head
	putUint(e.buf[start+1:], uint32(n), count)
	return e.buf[start+1+count : start+room]
}

func putUint(b []byte, v uint32, size int) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		_ = b[1]
		b[0], b[1] = byte(v), byte(v>>8)
	case 3:
		_ = b[2]
		b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16)
	default:
		_ = b[3]
		b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
}

// closeUnusual ends an object without a known shape: it sorts the fields and drops all but the last of each name.
func (e *encoder) closeUnusual(start int, fields []field) {
	if !e.sortRanked(fields) {
		slices.SortFunc(fields, func(a, b field) int {
			if a.id == b.id {
				return int(a.off) - int(b.off)
			}
			return compareNames(&e.dict, a.id, b.id)
		})
	}
	most, repeated := uint32(0), false
	for i := range fields {
		most = max(most, fields[i].id)
		repeated = repeated || i > 0 && fields[i-1].id == fields[i].id
	}
	if repeated {
		fields = e.dropRepeated(start, fields)
	}
	idSize := byteWidth(int(most))
	e.ids = e.ids[:0]
	for i := range fields {
		e.ids = appendUint(e.ids, int(fields[i].id), idSize)
	}
	e.closeObject(start, fields, nil, e.ids, idSize)
}

// sortRanked sorts fields by name and place by the ranks of their names; false if some name has none.
func (e *encoder) sortRanked(fields []field) bool {
	rank, byRank := e.dict.ranks(len(fields))
	e.keys = e.keys[:0]
	for _, f := range fields {
		if int(f.id) >= len(rank) {
			return false
		}
		e.keys = append(e.keys, uint64(rank[f.id])<<32|uint64(f.off))
	}
	slices.Sort(e.keys)
	for i, k := range e.keys {
		fields[i] = field{byRank[k>>32], uint32(k)}
	}
	return true
}

// dropRepeated keeps the last field of each name and moves the values that stay together.
func (e *encoder) dropRepeated(start int, fields []field) []field {
	old := slices.Clone(e.buf[start:])
	starts := make([]uint32, 0, len(fields)+1)
	for _, f := range fields {
		starts = append(starts, f.off)
	}
	slices.Sort(starts)
	starts = append(starts, uint32(len(old)))
	kept := fields[:0]
	e.buf = e.buf[:start]
	for i, f := range fields {
		if i+1 < len(fields) && fields[i+1].id == f.id {
			e.dups++
			continue
		}
		at, _ := slices.BinarySearch(starts, f.off)
		value := old[f.off:starts[at+1]]
		f.off = uint32(len(e.buf) - start)
		e.buf = append(e.buf, value...)
		kept = append(kept, f)
	}
	return kept
}

// BeginArray opens an array.
func (e *encoder) BeginArray() {
	e.value()
	e.frames = append(e.frames, frame{start: len(e.buf), fields: len(e.fields), array: true})
	e.inArray = true
}

// EndArray closes the array.
func (e *encoder) EndArray() {
	f := e.pop()
	e.closeArray(f.start, e.fields[f.fields:])
	e.fields = e.fields[:f.fields]
}

// closeArray writes the header of an array.
func (e *encoder) closeArray(start int, fields []field) {
	n, total := len(fields), len(e.buf)-start
	offSize := byteWidth(total)
	head := byte(basicArray) | byte(offSize-1)<<2
	if n > 255 {
		head |= 1 << 4
	}
	h := e.openHeader(start, head, n, (n+1)*offSize)
	for i := range fields {
		putUint(h[i*offSize:], fields[i].off, offSize)
	}
	putUint(h[n*offSize:], uint32(total), offSize)
}

// Null writes JSON null.
func (e *encoder) Null() {
	e.value()
	e.buf = append(e.buf, primNull<<2)
}

// Bool writes a boolean.
func (e *encoder) Bool(v bool) {
	e.value()
	e.buf = appendBool(e.buf, v)
}

// Int writes an integer.
func (e *encoder) Int(v int64) {
	e.value()
	e.buf = appendInt(e.buf, v)
}

// Double writes a double.
func (e *encoder) Double(v float64) {
	e.value()
	e.buf = appendDouble(e.buf, v)
}

// Number writes a JSON number given as text, in the class that D1 of the decisions gives it: LARGEINT, DECIMAL or exact text (BIGINT and
// DOUBLE too, though parsers deliver these as Int and Double).
func (e *encoder) Number(text []byte) {
	var s scalar
	s.setNumber(text)
	e.scalar(&s)
}

// String writes a text.
func (e *encoder) String(s []byte) {
	e.value()
	e.buf = appendString(e.buf, s)
}

// scalar writes any scalar.
func (e *encoder) scalar(s *scalar) {
	e.value()
	from := len(e.buf)
	e.buf = appendScalar(e.buf, s)
	e.private = e.private || e.buf[from]&3 == basicPrimitive && e.buf[from]>>2 >= privNumber
}

// abandon forgets open containers and everything in buf from at on.
func (e *encoder) abandon(at int) {
	e.buf, e.frames, e.fields, e.inArray = e.buf[:at], e.frames[:0], e.fields[:0], false
}
