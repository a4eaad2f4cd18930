package variant

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
)

// The total order over all variant values (variant_total_order): JSON null, booleans (false first), numbers by exact value whatever their
// kind (-0 equals 0, NaN equals itself and follows all others), texts bytewise, dates and timestamps by instant (DATE at midnight, DATETIME
// taken as UTC; equal instants of different kinds: DATE, DATETIME, TIMESTAMPTZ), times, IPv4, IPv6, UUIDs, binaries, arrays element by element
// (a prefix first), objects as sorted lists of (name, value) pairs. Values that cannot be read come before all.
var orderClass = [NumKinds]uint8{
	Missing: 0, Null: 1, Boolean: 2, BigInt: 3, LargeInt: 3, Float: 3, Double: 3, Decimal: 3, Number: 3, String: 4, Date: 5, DateTime: 5,
	TimestampTZ: 5, Time: 6, IPv4: 7, IPv6: 8, UUID: 9, Binary: 10, Array: 11, Object: 12,
}

// compareScalars orders two scalars.
func compareScalars(a, b *scalar) int {
	if x, y := orderClass[a.kind], orderClass[b.kind]; x != y {
		return cmpInt(int64(x), int64(y))
	}
	switch a.kind {
	case Missing, Null:
		return 0
	case String, Binary:
		return bytes.Compare(a.b, b.b)
	case IPv6, UUID:
		return a.u.Cmp(b.u)
	case Boolean, Time, IPv4:
		return cmpInt(a.i, b.i)
	case Date, DateTime, TimestampTZ:
		return compareInstants(a, b)
	}
	return compareNumbers(a, b)
}

func compareInstants(a, b *scalar) int {
	if a.kind == b.kind && a.kind == Date {
		return cmpInt(a.i, b.i)
	}
	// Days may be beyond the range of microseconds, so the comparison is by day first.
	d, r := a.instant()
	e, s := b.instant()
	switch {
	case d != e:
		return cmpInt(d, e)
	case r != s:
		return cmpInt(r, s)
	}
	return cmpInt(int64(a.kind), int64(b.kind))
}

// instant returns the day and the nanosecond of the day.
func (s *scalar) instant() (day, nanos int64) {
	if s.kind == Date {
		return s.i, 0
	}
	day, rest := s.i/microsPerDay, s.i%microsPerDay
	if rest < 0 {
		day, rest = day-1, rest+microsPerDay
	}
	return day, rest*1000 + int64(s.nanos)
}

// Compare orders two values by the total order: -1, 0 or 1.
func Compare(aMeta, a, bMeta, b []byte) int {
	var m, n metadata
	if isContainer(a) && isContainer(b) {
		m, _ = openMetadata(aMeta)
		n, _ = openMetadata(bMeta)
	}
	budget := len(a) + len(b)
	return compareValues(&m, a, &n, b, MaxDepth, &budget)
}

// read is decode that makes s Missing where the bytes are no scalar.
func (s *scalar) read(v []byte) {
	if !s.decode(v) {
		s.kind = Missing
	}
}

func compareValues(m *metadata, a []byte, n *metadata, b []byte, depth int, budget *int) int {
	c, nested, ok := enter(a, depth, budget)
	d, nested2, ok2 := enter(b, depth, budget)
	if !ok || !ok2 {
		return cmpInt(int64(boolInt(ok)), int64(boolInt(ok2)))
	}
	if !nested && !nested2 {
		var x, y scalar
		x.read(a)
		y.read(b)
		return compareScalars(&x, &y)
	}
	if !nested || !nested2 || c.object != d.object {
		return cmpInt(int64(orderClass[KindOf(a)]), int64(orderClass[KindOf(b)]))
	}
	for i := range min(c.n, d.n) {
		if c.object {
			x, _ := m.name(c.id(i))
			y, _ := n.name(d.id(i))
			if r := bytes.Compare(x, y); r != 0 {
				return r
			}
		}
		v, _ := c.value(i)
		w, _ := d.value(i)
		if r := compareValues(m, v, n, w, depth-1, budget); r != 0 {
			return r
		}
	}
	return cmpInt(int64(c.n), int64(d.n))
}

// Equal tells whether two values are equal in the total order.
func Equal(aMeta, a, bMeta, b []byte) bool { return Compare(aMeta, a, bMeta, b) == 0 }

// hashSeed makes hashes of one process comparable with each other.
var hashSeed = maphash.MakeSeed()

// Hash returns a hash under which equal values of the total order agree. It holds for the running process only.
func Hash(meta, value []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	var m metadata
	if isContainer(value) {
		m, _ = openMetadata(meta)
	}
	budget := len(value)
	hashValue(&h, &m, value, MaxDepth, &budget)
	return h.Sum64()
}

func hashValue(h *maphash.Hash, m *metadata, value []byte, depth int, budget *int) {
	c, nested, ok := enter(value, depth, budget)
	if !ok {
		return
	}
	if !nested {
		var s scalar
		s.read(value)
		s.hash(h)
		return
	}
	var head [9]byte
	head[0] = orderClass[Array]
	if c.object {
		head[0] = orderClass[Object]
	}
	binary.LittleEndian.PutUint64(head[1:], uint64(c.n))
	h.Write(head[:])
	for i := range c.n {
		if c.object {
			name, _ := m.name(c.id(i))
			h.Write(name)
			h.WriteByte(0)
		}
		v, _ := c.value(i)
		hashValue(h, m, v, depth-1, budget)
	}
}

// hash writes what equal scalars have in common; numbers have the nearest double in common.
func (s *scalar) hash(h *maphash.Hash) {
	var b [17]byte
	b[0] = orderClass[s.kind]
	switch s.kind {
	case Missing, Null:
	case String, Binary:
		h.WriteByte(b[0])
		h.Write(s.b)
		return
	case IPv6, UUID:
		binary.LittleEndian.PutUint64(b[1:], s.u.Hi)
		binary.LittleEndian.PutUint64(b[9:], s.u.Lo)
	case Boolean, Time, IPv4:
		binary.LittleEndian.PutUint64(b[1:], uint64(s.i))
	case Date, DateTime, TimestampTZ:
		day, nanos := s.instant()
		binary.LittleEndian.PutUint64(b[1:], uint64(day))
		binary.LittleEndian.PutUint64(b[9:], uint64(nanos))
	default:
		f := s.nearest()
		switch {
		case f == 0:
			f = 0
		case math.IsNaN(f):
			f = math.NaN()
		}
		binary.LittleEndian.PutUint64(b[1:], math.Float64bits(f))
	}
	h.Write(b[:])
}
