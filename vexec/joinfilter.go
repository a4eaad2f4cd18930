package vexec

import (
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// joinFilter leaves out rows of one side of a join whose key the other side, which is read before, does not have. It knows one key pair,
// of an integer form.
type joinFilter struct {
	of  keyedSink
	key int
}

// keyedSink is a sink that has read one side of a join.
type keyedSink interface {
	// keySets returns the sets of its keys once it has read all rows, nil before; those that nobody asks for are nil.
	keySets(r *run) []*keySet
}

// keySet is what a join knows of the values of one key once its right side is read: bounds, and a set that contains them all and few
// others. The zero value knows nothing.
type keySet struct {
	known    bool
	min, max int64
	typ      types.Type
	// exact has a bit for each value from min on, if they lie close together; else bloom has bits by hash.
	exact vec.Bitmap
	bloom []uint64
	// seen and passed count what the set was asked for: where it rules out little it is not asked any more.
	seen, passed atomic.Int64
}

const (
	// trialRows is how many rows a set must have been asked for before it is judged.
	trialRows = 64 << 10
	// exactBytes and exactShare bound the size of an exact set, in bytes and in bytes a value.
	exactBytes = 256 << 10
	exactShare = 4
	// maxBloomKeys is where a set outgrows the caches, so that asking it takes as long as the join itself.
	maxBloomKeys = 4 << 20
)

// filterable tells whether keys of a type can have a set.
func filterable(t types.Type) bool {
	switch t.Phys() {
	case types.PhysInt8, types.PhysInt16, types.PhysInt32, types.PhysInt64:
		return true
	}
	return false
}

// newKeySets makes the sets of the keys that are wanted; key returns key k of batch b of n.
func newKeySets(wanted []bool, n int, key func(b, k int) *vec.Vector) []*keySet {
	sets := make([]*keySet, len(wanted))
	for k, w := range wanted {
		if !w {
			continue
		}
		var parts []*vec.Vector
		rows := 0
		for b := range n {
			v := flat(key(b, k))
			parts = append(parts, v)
			rows += v.Len
		}
		sets[k] = newKeySet(parts, rows)
	}
	return sets
}

func newKeySet(parts []*vec.Vector, rows int) *keySet {
	s := &keySet{known: true}
	found := false
	for _, v := range parts {
		eachInt(v, func(x int64) {
			if !found {
				s.min, s.max, found = x, x, true
			}
			s.min, s.max = min(s.min, x), max(s.max, x)
		})
		s.typ = v.Type
	}
	if !found {
		s.min, s.max = 1, 0
		return s
	}
	span := uint64(s.max) - uint64(s.min)
	switch {
	case span/8 < exactBytes || span/8 < uint64(rows)*exactShare:
		s.exact = vec.NewBitmap(int(span) + 1)
		for _, v := range parts {
			eachInt(v, func(x int64) { s.exact.Set(int(x - s.min)) })
		}
	case rows <= maxBloomKeys:
		words := 64
		for words < rows/4 {
			words *= 2
		}
		s.bloom = make([]uint64, words)
		for _, v := range parts {
			eachInt(v, func(x int64) {
				h := vec.HashInt64(x)
				s.bloom[h>>32&uint64(words-1)] |= bloomBits(h)
			})
		}
	}
	return s
}

// bloomBits are the four bits of a hash in its word.
func bloomBits(h uint64) uint64 { return 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) | 1<<(h>>18&63) }

// eachInt calls f with the values of an integer form that are not NULL.
func eachInt(v *vec.Vector, f func(int64)) {
	switch d := v.Data.(type) {
	case []int8:
		eachOf(d, v.Valid, f)
	case []int16:
		eachOf(d, v.Valid, f)
	case []int32:
		eachOf(d, v.Valid, f)
	case []int64:
		eachOf(d, v.Valid, f)
	}
}

type integer interface{ int8 | int16 | int32 | int64 }

func eachOf[T integer](data []T, valid vec.Bitmap, f func(int64)) {
	for i, x := range data {
		if valid.Get(i) {
			f(int64(x))
		}
	}
}

// set returns the set, nil if it is not known or does not pay.
func (f *joinFilter) set(r *run) *keySet {
	sets := f.of.keySets(r)
	if sets == nil || sets[f.key] == nil {
		return nil
	}
	s := sets[f.key]
	if n := s.seen.Load(); n > trialRows && s.passed.Load() > n*3/4 {
		return nil
	}
	return s
}

func (f *joinFilter) known(r *run) bool {
	s := f.set(r)
	return s != nil && (s.exact != nil || s.bloom != nil || s.min > s.max)
}

func (f *joinFilter) late() bool { return true }

func (f *joinFilter) beforeGroups() bool { return true }

func (f *joinFilter) bounds(r *run) []segment.Predicate {
	s := f.set(r)
	if s == nil || s.min > s.max {
		return nil
	}
	return []segment.Predicate{{Op: segment.Ge, Values: s.value(s.min)}, {Op: segment.Le, Values: s.value(s.max)}}
}

// value makes a vector of one value of the key's type.
func (s *keySet) value(x int64) *vec.Vector {
	b := vec.NewBuilder(s.typ, 1)
	switch s.typ.Phys() {
	case types.PhysInt8:
		vec.Append(b, int8(x))
	case types.PhysInt16:
		vec.Append(b, int16(x))
	case types.PhysInt32:
		vec.Append(b, int32(x))
	default:
		vec.Append(b, x)
	}
	return b.Finish()
}

func (f *joinFilter) keep(r *run, v *vec.Vector, n int) (sel vec.Sel, all bool) {
	s := f.set(r)
	if s == nil {
		return nil, true
	}
	v = flat(v)
	if s.min > s.max || v.Form != vec.Flat {
		return vec.Sel{}, n == 0 // the right side is empty, or all keys are NULL
	}
	switch d := v.Data.(type) {
	case []int8:
		sel = membersOf(s, d[:n], v.Valid)
	case []int16:
		sel = membersOf(s, d[:n], v.Valid)
	case []int32:
		sel = membersOf(s, d[:n], v.Valid)
	case []int64:
		sel = membersOf(s, d[:n], v.Valid)
	default:
		return nil, true
	}
	s.seen.Add(int64(n))
	s.passed.Add(int64(len(sel)))
	return sel, len(sel) == n
}

// membersOf returns the rows whose value may be in the set.
func membersOf[T integer](s *keySet, data []T, valid vec.Bitmap) vec.Sel {
	sel := make(vec.Sel, len(data))
	k := 0
	if s.exact != nil {
		span := uint64(s.max - s.min)
		for i, x := range data {
			sel[k] = uint16(i)
			if at := uint64(int64(x) - s.min); at <= span && s.exact.Get(int(at)) {
				k++
			}
		}
	} else {
		mask := uint64(len(s.bloom) - 1)
		for i, x := range data {
			sel[k] = uint16(i)
			h := vec.HashInt64(int64(x))
			if bits := bloomBits(h); s.bloom[h>>32&mask]&bits == bits {
				k++
			}
		}
	}
	sel = sel[:k]
	if valid == nil {
		return sel
	}
	k = 0
	for _, i := range sel {
		if valid.Get(int(i)) {
			sel[k] = i
			k++
		}
	}
	return sel[:k]
}
