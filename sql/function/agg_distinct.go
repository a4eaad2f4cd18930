package function

import (
	"bytes"
	"sync"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

func init() {
	defineAggregate("approx_count_distinct ndv", "The number of different values: exact up to a thousand or so, beyond that with a standard error of 1.6 %.", "(any) -> bigint", func(args []Arg, _ Option) (*Aggregate, error) {
		if len(args) != 1 || args[0].Type.IsVariant() {
			return nil, nil
		}
		return oneArg(args[0].Type, types.Of(types.BigInt), func(*Ctx) Accumulator { return &sketchState{} }), nil
	})
}

// NewDistinct returns the aggregate over the different values of each group: AGG(DISTINCT x). Rows with a NULL argument do not count,
// except that array_agg keeps one.
func NewDistinct(a *Aggregate) *Aggregate {
	out := *a
	switch {
	case a.Name == "min" || a.Name == "max" || a.Name == "bool_and" || a.Name == "bool_or" || a.Name == "any_value":
		return a // the same over distinct values
	case a.Name == "count" && len(a.Args) == 1 && isSmallInt(a.Args[0].Phys()):
		out.New = func(*Ctx) Accumulator { return &distinctInts{} }
	default:
		keepNulls := a.Name == "array_agg"
		out.New = func(c *Ctx) Accumulator { return &distinctState{inner: a.New(c), types: a.Args, keepNulls: keepNulls} }
	}
	return &out
}

func isSmallInt(p types.Phys) bool { return p >= types.PhysInt8 && p <= types.PhysInt64 }

// intSet is an open-addressing set of (group, number).
type intSet struct {
	slots []intSlot
	n     int
}

// intSlot is one entry; group is one above the group's id, 0 for an empty slot.
type intSlot struct {
	value int64
	group uint32
}

// maxLoad is the share of slots in use, in eighths, beyond which a table doubles.
const maxLoad = 5

// add reports whether the pair is new.
func (s *intSet) add(group uint32, x int64) bool {
	if s.n*8 >= len(s.slots)*maxLoad {
		s.double()
	}
	mask := uint64(len(s.slots) - 1)
	g := group + 1
	for i := hashPair(g, x) & mask; ; i = (i + 1) & mask {
		slot := &s.slots[i]
		if slot.group == 0 {
			*slot = intSlot{x, g}
			s.n++
			return true
		}
		if slot.value == x && slot.group == g {
			return false
		}
	}
}

// hashPair hashes a number within its group.
func hashPair(g uint32, x int64) uint64 { return vec.HashInt64(x ^ int64(g)<<40) }

func (s *intSet) double() {
	old := s.slots
	s.slots = make([]intSlot, max(64, 2*len(old)))
	mask := uint64(len(s.slots) - 1)
	for _, e := range old {
		if e.group == 0 {
			continue
		}
		i := hashPair(e.group, e.value) & mask
		for s.slots[i].group != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = e
	}
}

// distinctInts is count(distinct x) for integers of up to 64 bits and what is stored like them.
type distinctInts struct {
	set intSet
	n   []int64
	// sorted is made for Merge; no value comes after that.
	sorted groupRows
}

// groupRows lists, once for all goroutines, what belongs to each group.
type groupRows struct {
	once sync.Once
	rows [][]int32
}

// byGroup returns the slots of each group.
func (s *distinctInts) byGroup() [][]int32 {
	s.sorted.once.Do(func() {
		sizes := make([]int32, len(s.n))
		for _, e := range s.set.slots {
			if e.group != 0 {
				sizes[e.group-1]++
			}
		}
		rows := listsOf(sizes)
		for k, e := range s.set.slots {
			if e.group != 0 {
				rows[e.group-1] = append(rows[e.group-1], int32(k))
			}
		}
		s.sorted.rows = rows
	})
	return s.sorted.rows
}

func (s *distinctInts) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.n = grown(s.n, count)
	v := args[0]
	if v.Form == vec.Dictionary && v.Dict.Len < n && groups == nil {
		v = usedEntries(v)
		n = v.Len
	}
	v = flatten(v)
	switch d := v.Data.(type) {
	case []int8:
		addInts2(s, groups, d[:n], v.Valid)
	case []int16:
		addInts2(s, groups, d[:n], v.Valid)
	case []int32:
		addInts2(s, groups, d[:n], v.Valid)
	case []int64:
		addInts2(s, groups, d[:n], v.Valid)
	}
	return nil
}

// usedEntries returns the entries of a dictionary that rows refer to.
func usedEntries(v *vec.Vector) *vec.Vector {
	used := make([]bool, v.Dict.Len)
	for i, c := range v.Codes {
		if v.Valid.Get(i) {
			used[c] = true
		}
	}
	var rows []int32
	for e, u := range used {
		if u {
			rows = append(rows, int32(e))
		}
	}
	return vec.GatherRows(v.Dict, rows)
}

func addInts2[T signed](s *distinctInts, groups []uint32, data []T, valid vec.Bitmap) {
	if groups == nil {
		before := s.set.n
		for i, x := range data {
			if valid.Get(i) {
				s.set.add(0, int64(x))
			}
		}
		if added := s.set.n - before; added > 0 {
			s.n[0] += int64(added)
		}
		return
	}
	for i, x := range data {
		if valid.Get(i) && s.set.add(groups[i], int64(x)) {
			s.n[groups[i]]++
		}
	}
}

func (s *distinctInts) Merge(other Accumulator, from, to []uint32, count int) error {
	s.n = grown(s.n, count)
	o := other.(*distinctInts)
	if len(from) == 1 && len(o.n) == 1 {
		for _, e := range o.set.slots {
			if e.group != 0 && s.set.add(to[0], e.value) {
				s.n[to[0]]++
			}
		}
		return nil
	}
	slots := o.byGroup()
	for i, g := range from {
		if int(g) >= len(slots) {
			continue
		}
		for _, k := range slots[g] {
			if s.set.add(to[i], o.set.slots[k].value) {
				s.n[to[i]]++
			}
		}
	}
	return nil
}

func (s *distinctInts) Finish(from, to int) (*vec.Vector, error) {
	c := countState{n: s.n}
	return c.Finish(from, to)
}

func (s *distinctInts) SizeBytes() int64 { return int64(len(s.set.slots))*16 + int64(cap(s.n))*8 }

// distinctState passes each new (group, values) on to an accumulator. Keys are kept as sort keys in an arena, so that a table entry is
// a position; the values themselves are kept to be passed on by Merge.
type distinctState struct {
	inner     Accumulator
	types     []types.Type
	keepNulls bool

	slots []uint32 // one above an index of keys, 0 for empty
	keys  []distinctKey
	arena []byte
	parts [][]*vec.Vector // batches of new rows, a vector for each argument
	bytes int64
	// sorted and all are made for Merge; no value comes after that.
	sorted groupRows
	all    []*vec.Vector
}

// distinctKey is one entry: its hash, group and key bytes.
type distinctKey struct {
	hash     uint64
	from, to uint64
	group    uint32
}

func (s *distinctState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	flat := make([]*vec.Vector, len(args))
	var valid vec.Bitmap
	for k, a := range args {
		if flat[k] = flatten(a); !s.keepNulls && (flat[k].HasNulls() || flat[k].Type.IsVariant()) {
			valid = vec.And(valid, nulls(flat[k]), n)
		}
	}
	if len(flat) == 1 && flat[0].Type.Phys() == types.PhysString && !s.keepNulls {
		return s.updateText(groups, count, flat, valid, n)
	}
	var fresh []int32
	var freshGroups []uint32
	var buf []byte
	for i := range n {
		if !valid.Get(i) {
			continue
		}
		g := uint32(groupOf(groups, i))
		buf = buf[:0]
		for _, v := range flat {
			buf = appendDistinctKey(buf, v, i)
		}
		if s.add(g, vec.HashBytes(buf), buf) {
			fresh, freshGroups = append(fresh, int32(i)), append(freshGroups, g)
		}
	}
	return s.pass(flat, fresh, freshGroups, count)
}

// updateText is Update for one text argument, which is its own key and is hashed in one go.
func (s *distinctState) updateText(groups []uint32, count int, flat []*vec.Vector, valid vec.Bitmap, n int) error {
	hashes := make([]uint64, n)
	vec.HashColumns(flat, n, hashes)
	views := vec.Slice[vec.View](flat[0])
	var fresh []int32
	var freshGroups []uint32
	for i, h := range hashes {
		if !valid.Get(i) {
			continue
		}
		g := uint32(groupOf(groups, i))
		if s.add(g, h, views[i].Bytes(flat[0].Bufs)) {
			fresh, freshGroups = append(fresh, int32(i)), append(freshGroups, g)
		}
	}
	return s.pass(flat, fresh, freshGroups, count)
}

// appendDistinctKey appends bytes that equal values, and only they, have in common.
func appendDistinctKey(buf []byte, v *vec.Vector, i int) []byte {
	if v.Type.IsVariant() && !v.IsNull(i) {
		// Equal numbers of different kinds print the same text.
		return append(variant.AppendJSON(append(buf, 1), v.Meta.Bytes(i), v.Bytes(i)), 0)
	}
	return vec.AppendSortKey(buf, v, i, vec.Order{})
}

// pass hands rows on to the accumulator and keeps them.
func (s *distinctState) pass(args []*vec.Vector, rows []int32, groups []uint32, count int) error {
	kept := make([]*vec.Vector, len(args))
	for k, v := range args {
		b := vec.NewBuilder(s.types[k], len(rows))
		for _, r := range rows {
			b.AppendFrom(v, int(r))
		}
		kept[k] = b.Finish()
		s.bytes += kept[k].SizeBytes()
	}
	if len(rows) > 0 {
		s.parts = append(s.parts, kept)
	}
	return s.inner.Update(groups[:len(rows):len(rows)], count, kept, len(rows))
}

// add reports whether a key, whose hash is given, is new in its group.
func (s *distinctState) add(g uint32, hash uint64, key []byte) bool {
	if len(s.keys)*8 >= len(s.slots)*maxLoad {
		s.double()
	}
	h := hashPair(g+1, int64(hash))
	mask := uint64(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		at := s.slots[i]
		if at == 0 {
			from := uint64(len(s.arena))
			s.arena = append(s.arena, key...)
			s.keys = append(s.keys, distinctKey{h, from, uint64(len(s.arena)), g})
			s.slots[i] = uint32(len(s.keys))
			return true
		}
		if k := &s.keys[at-1]; k.hash == h && k.group == g && bytes.Equal(s.arena[k.from:k.to], key) {
			return false
		}
	}
}

func (s *distinctState) double() {
	s.slots = make([]uint32, max(64, 2*len(s.slots)))
	mask := uint64(len(s.slots) - 1)
	for k := range s.keys {
		i := s.keys[k].hash & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(k + 1)
	}
}

func (s *distinctState) Merge(other Accumulator, from, to []uint32, count int) error {
	o := other.(*distinctState)
	all, keys := o.byGroup()
	var fresh []int32
	var groups []uint32
	for i, g := range from {
		if int(g) >= len(keys) {
			continue
		}
		for _, k := range keys[g] {
			key := &o.keys[k]
			if b := o.arena[key.from:key.to]; s.add(to[i], vec.HashBytes(b), b) {
				fresh, groups = append(fresh, k), append(groups, to[i])
			}
		}
	}
	for len(fresh) > 0 {
		n := min(len(fresh), vec.Size)
		if err := s.pass(all, fresh[:n], groups[:n], count); err != nil {
			return err
		}
		fresh, groups = fresh[n:], groups[n:]
	}
	// Groups without rows must exist all the same.
	return s.pass(emptyRows(s.types), nil, []uint32{}, count)
}

// byGroup returns the rows kept, a vector for each argument, and the keys of each group, which are numbered like the rows.
func (s *distinctState) byGroup() ([]*vec.Vector, [][]int32) {
	s.sorted.once.Do(func() {
		groups := make([]uint32, len(s.keys))
		most := uint32(0)
		for i := range s.keys {
			groups[i] = s.keys[i].group
			most = max(most, groups[i]+1)
		}
		s.sorted.rows = byGroup(groups, int(most))
		for k, t := range s.types {
			parts := make([]*vec.Vector, len(s.parts))
			for i, p := range s.parts {
				parts[i] = p[k]
			}
			s.all = append(s.all, vec.Concat(t, parts...))
		}
	})
	return s.all, s.sorted.rows
}

func emptyRows(ts []types.Type) []*vec.Vector {
	out := make([]*vec.Vector, len(ts))
	for k, t := range ts {
		out[k] = vec.NewBuilder(t, 0).Finish()
	}
	return out
}

func (s *distinctState) Finish(from, to int) (*vec.Vector, error) { return s.inner.Finish(from, to) }

func (s *distinctState) SizeBytes() int64 {
	return s.inner.SizeBytes() + int64(cap(s.slots))*4 + int64(cap(s.keys))*32 + int64(cap(s.arena)) + s.bytes
}
