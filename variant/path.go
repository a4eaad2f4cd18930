package variant

import (
	"bytes"
	"strings"
	"unsafe"
)

// JoinPath returns names joined with dots, the form in which templates and reports write paths. Names that hold dots make it ambiguous,
// so nothing is ever looked up by it.
func JoinPath(path []string) string { return strings.Join(path, ".") }

// sameBytes tells whether two slices have the same content; it is cheap if they share memory.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (unsafe.SliceData(a) == unsafe.SliceData(b) || bytes.Equal(a, b))
}

// finder looks up one path in many values. It remembers the field ids of its keys in the last metadata.
type finder struct {
	steps []Step
	meta  []byte // nil before the first look-up
	m     metadata
	keys  []keyID
}

// keyID is a key's field id in the finder's metadata, and the member position where it was last found.
type keyID struct {
	id     int
	unique bool
	hint   int
}

func newFinder(steps []Step) *finder { return &finder{steps: steps, keys: make([]keyID, len(steps))} }

func (f *finder) open(meta []byte) {
	if f.meta != nil && sameBytes(f.meta, meta) {
		return
	}
	f.meta = meta
	f.m, _ = openMetadata(meta)
	for i := range f.steps {
		if !f.steps[i].IsIndex {
			f.keys[i].id, f.keys[i].unique = f.m.find(f.steps[i].Key)
		}
	}
}

// find returns the value at the path, a part of value, and where it begins; nil if there is none.
func (f *finder) find(meta, value []byte) (v []byte, from int) {
	if len(f.steps) == 0 {
		return value, 0
	}
	if !isContainer(value) {
		return nil, 0
	}
	f.open(meta)
	v = value
	for i := range f.steps {
		c, ok := openContainer(v)
		if !ok || c.object == f.steps[i].IsIndex {
			return nil, 0
		}
		at := f.steps[i].Index
		if c.object {
			at = f.member(&c, i)
		}
		if at < 0 || at >= c.n {
			return nil, 0
		}
		from += len(v) - len(c.values) + c.offset(at)
		if v, ok = c.value(at); !ok {
			return nil, 0
		}
	}
	return v, from
}

// member returns the position of the key of step i in an object, -1 if it has no such member.
func (f *finder) member(c *container, i int) int {
	k := &f.keys[i]
	switch {
	case k.id < 0:
		return -1
	case !k.unique:
		for at := range c.n {
			if name, ok := f.m.name(c.id(at)); ok && string(name) == f.steps[i].Key {
				return at
			}
		}
		return -1
	case k.hint < c.n && c.id(k.hint) == k.id:
		return k.hint
	}
	at := -1
	if c.idSize == 1 {
		if k.id < 256 {
			at = bytes.IndexByte(c.ids, byte(k.id))
		}
	} else {
		at = f.search(c, i)
	}
	if at >= 0 {
		k.hint = at
	}
	return at
}

// search finds a key in a larger object by the order of names.
func (f *finder) search(c *container, i int) int {
	key := f.steps[i].Key
	lo, hi := 0, c.n
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if name, _ := f.m.name(c.id(mid)); string(name) < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < c.n && c.id(lo) == f.keys[i].id {
		return lo
	}
	return -1
}

// Get returns the value at a path, aliasing value; nil if the path finds nothing. JSON null is found as it is.
func Get(meta, value []byte, steps []Step) []byte {
	v, _ := newFinder(steps).find(meta, value)
	return v
}

// Members calls f for the members of an object in order of names until f returns false; other values have none.
func Members(meta, value []byte, f func(name, value []byte) bool) {
	c, ok := openContainer(value)
	if !ok || !c.object {
		return
	}
	m, _ := openMetadata(meta)
	for i := range c.n {
		name, named := m.name(c.id(i))
		v, ok := c.value(i)
		if named && ok && !f(name, v) {
			return
		}
	}
}

// Elements calls f for the elements of an array until f returns false; other values have none.
func Elements(value []byte, f func(i int, value []byte) bool) {
	c, ok := openContainer(value)
	if !ok || c.object {
		return
	}
	for i := range c.n {
		if v, ok := c.value(i); ok && !f(i, v) {
			return
		}
	}
}

// Size returns the number of members of an object or elements of an array, -1 for other values.
func Size(value []byte) int {
	c, ok := openContainer(value)
	if !ok {
		return -1
	}
	return c.n
}
