package variant

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
	"unsafe"
)

// metadata is a dictionary of names taken apart; its slices lie within the bytes given.
type metadata struct {
	n, offSize  int
	sorted      bool
	offs, names []byte
}

// emptyMetadata is a dictionary without names.
var emptyMetadata = []byte{1, 0, 0}

// openMetadata reads the header of metadata bytes. Damaged bytes give a dictionary without names, and false.
func openMetadata(b []byte) (metadata, bool) {
	if len(b) < 1 || b[0]&15 != 1 {
		return metadata{}, false
	}
	m := metadata{sorted: b[0]>>4&1 != 0, offSize: int(b[0]>>6) + 1}
	rest := b[1:]
	if len(rest) < m.offSize {
		return metadata{}, false
	}
	m.n, rest = uintAt(rest, 0, m.offSize), rest[m.offSize:]
	offs := (m.n + 1) * m.offSize
	if m.n > len(b) || offs > len(rest) {
		return metadata{}, false
	}
	m.offs, m.names = rest[:offs], rest[offs:]
	return m, true
}

// name returns the name with that id.
func (m *metadata) name(id int) ([]byte, bool) {
	if id >= m.n {
		return nil, false
	}
	from, to := uintAt(m.offs, id, m.offSize), uintAt(m.offs, id+1, m.offSize)
	if from > to || to > len(m.names) {
		return nil, false
	}
	return m.names[from:to], true
}

// find returns the id of a name, -1 if there is none, and whether the name occurs only once.
func (m *metadata) find(key string) (id int, unique bool) {
	id, unique = -1, true
	if m.n == 0 {
		return id, unique
	}
	if m.sorted && m.n > 8 {
		id = sort.Search(m.n, func(i int) bool { name, _ := m.name(i); return string(name) >= key })
		if name, ok := m.name(id); ok && string(name) == key {
			next, ok := m.name(id + 1)
			return id, !ok || string(next) != key
		}
		return -1, true
	}
	prev := uintAt(m.offs, 0, m.offSize)
	for i := range m.n {
		to := uintAt(m.offs, i+1, m.offSize)
		if to-prev == len(key) && prev <= to && to <= len(m.names) && string(m.names[prev:to]) == key {
			if id >= 0 {
				return id, false
			}
			id = i
		}
		prev = to
	}
	return id, unique
}

// EncodeMetadata returns the metadata bytes of a dictionary.
func EncodeMetadata(names [][]byte) []byte {
	total, sorted := 0, true
	for i, n := range names {
		total += len(n)
		sorted = sorted && (i == 0 || bytes.Compare(names[i-1], n) < 0)
	}
	size := byteWidth(max(total, len(names)))
	out := make([]byte, 0, 1+size*(len(names)+2)+total)
	head := byte(1) | byte(size-1)<<6
	if sorted {
		head |= 1 << 4
	}
	out = appendUint(append(out, head), len(names), size)
	off := 0
	out = appendUint(out, off, size)
	for _, n := range names {
		off += len(n)
		out = appendUint(out, off, size)
	}
	for _, n := range names {
		out = append(out, n...)
	}
	return out
}

// DecodeMetadata returns the names of a dictionary, aliasing b; false if the bytes are damaged.
func DecodeMetadata(b []byte) ([][]byte, bool) {
	m, ok := openMetadata(b)
	if !ok {
		return nil, false
	}
	names := make([][]byte, m.n)
	for i := range names {
		if names[i], ok = m.name(i); !ok {
			return nil, false
		}
	}
	return names, true
}

// byteWidth returns how many bytes hold v, 1 to 4.
func byteWidth(v int) int {
	switch {
	case v < 1<<8:
		return 1
	case v < 1<<16:
		return 2
	case v < 1<<24:
		return 3
	}
	return 4
}

func appendUint(dst []byte, v, size int) []byte {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(v))
	return append(dst, b[:size]...)
}

// dict collects the names of a batch; ids count up in order of first appearance.
type dict struct {
	names []string
	index map[string]uint32
	// after[id] is the id that followed last time, which predicts the next one.
	after []uint32
	last  uint32
	// rank orders the first len(rank) ids bytewise by name; byRank lists them in that order.
	rank, byRank []uint32
	unranked     int // fields sorted since the ranks were made while there were more names than ranks

	meta  []byte // encoded names, for metaNames of them
	metaN int
}

// id returns the id of a name, new or old.
func (d *dict) id(k []byte) uint32 {
	if len(d.names) > 0 {
		if id := d.after[d.last]; d.names[id] == string(k) {
			d.last = id
			return id
		}
	}
	id, ok := d.index[string(k)]
	if !ok {
		id = d.add(string(k))
	}
	d.after[d.last] = id
	d.last = id
	return id
}

func (d *dict) add(k string) uint32 {
	if d.index == nil {
		d.index = map[string]uint32{}
	}
	id := uint32(len(d.names))
	d.names = append(d.names, k)
	d.after = append(d.after, 0)
	d.index[k] = id
	return id
}

// ranks returns the ranks of the first names and the ids in order of rank. Names come in at any time, so the ranks are made anew only once
// the fields sorted without them would have paid for it.
func (d *dict) ranks(fields int) (rank, byRank []uint32) {
	n := len(d.names)
	if n == len(d.rank) {
		return d.rank, d.byRank
	}
	if d.unranked += fields; d.unranked > n {
		d.unranked = 0
		d.byRank = make([]uint32, n)
		for i := range d.byRank {
			d.byRank[i] = uint32(i)
		}
		slices.SortFunc(d.byRank, func(a, b uint32) int { return strings.Compare(d.names[a], d.names[b]) })
		d.rank = make([]uint32, n)
		for r, id := range d.byRank {
			d.rank[id] = uint32(r)
		}
	}
	return d.rank, d.byRank
}

// bytesList returns the names as byte slices that must not be changed.
func (d *dict) bytesList() [][]byte {
	out := make([][]byte, len(d.names))
	for i, n := range d.names {
		out[i] = unsafe.Slice(unsafe.StringData(n), len(n))
	}
	return out
}

// encoded returns the metadata bytes of all names so far.
func (d *dict) encoded() []byte {
	if d.meta == nil || d.metaN != len(d.names) {
		d.meta, d.metaN = EncodeMetadata(d.bytesList()), len(d.names)
	}
	return d.meta
}
