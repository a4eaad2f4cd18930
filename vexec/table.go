package vexec

import (
	"math/bits"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// table numbers distinct keys 0, 1, 2, … in the order in which it first meets them. It is an open addressing hash table with linear
// probing; a slot is (upper half of the hash, number + 1), so most probes that fail need no look at the key.
type table struct {
	layout *keyLayout
	slots  []uint64
	mask   uint64

	// By number: the hash, and the key in one of two forms.
	count  int
	hashes []uint64
	words  []uint64
	views  []vec.View
	text   arena
	// null is the number of the NULL kept beside the keys, -1 if there is none yet.
	null int
	// kept holds the values of the columns that cannot be made from keys.
	kept map[int]*vec.Builder
	// interners are those of the worker that fills the table, for layouts with texts.
	interners []*interner
	// snapshot has what keptColumn returned last.
	snapshot map[int]*vec.Vector

	// spare is memory for slots, of a table that is not needed any more.
	spare []uint64

	// Scratch: the rows 0, 1, 2, …, and what firstSlots returns.
	all   []int32
	first []uint64
}

// adopt makes the texts of a the beginning of the table's, if it has none yet: nobody adds to a any more, and keys whose texts lie there
// need no copy.
func (t *table) adopt(a *arena) bool {
	if len(t.text.bufs) > 0 {
		return false
	}
	t.text = arena{bufs: a.bufs[:len(a.bufs):len(a.bufs)], bytes: a.bytes, shared: len(a.bufs)}
	return true
}

// maxGroups bounds the numbers of a table: slots have 32 bits for them.
const maxGroups = 1<<31 - 1

// minSlots is the size of an empty table; with a batch of the usual size it need not grow.
const minSlots = 1 << 12

// assignStep is how many rows are put into a table between two looks at its load.
const assignStep = 2048

func newTable(l *keyLayout) *table {
	t := &table{layout: l, null: -1, kept: map[int]*vec.Builder{}, snapshot: map[int]*vec.Vector{}}
	if l.form == keyRow {
		for c, typ := range l.types {
			if fixedBits(typ) == 0 && typ.Phys() != types.PhysString {
				t.kept[c] = vec.NewBuilder(typ, 0)
			}
		}
	}
	return t
}

// SizeBytes estimates the memory held.
func (t *table) SizeBytes() int64 {
	n := int64(cap(t.slots)+cap(t.hashes)+cap(t.words))*8 + int64(cap(t.views))*16 + t.text.bytes
	if len(t.kept) > 0 {
		n += int64(t.count) * 64 * int64(len(t.kept))
	}
	return n
}

// reserve makes room for n more keys.
func (t *table) reserve(n int) error {
	if t.count+n > maxGroups {
		return sqlerr.New(sqlerr.Resource, "a hash table cannot hold more than %d keys", maxGroups)
	}
	need := (t.count + n) * 3 / 2
	if need <= len(t.slots) {
		return nil
	}
	size := max(minSlots, 1<<bits.Len(uint(need-1)))
	if cap(t.spare) >= size {
		t.slots = t.spare[:size]
		clear(t.slots)
	} else {
		t.slots = make([]uint64, size)
	}
	t.spare = nil
	t.mask = uint64(size - 1)
	room := size*2/3 + 1
	t.hashes = grownTo(t.hashes, room)
	if t.layout.form == keyWords {
		t.words = grownTo(t.words, room*t.layout.words)
	} else {
		t.views = grownTo(t.views, room)
	}
	for i, h := range t.hashes {
		if i == t.null {
			continue
		}
		s := h & t.mask
		for t.slots[s] != 0 {
			s = (s + 1) & t.mask
		}
		t.slots[s] = h>>32<<32 | uint64(i+1)
	}
	return nil
}

// grownTo returns s with room for n entries in all.
func grownTo[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s
	}
	return append(make([]T, 0, n), s...)
}

// assign sets ids[i] to the number of row i for the rows of kb given, all if nil; unknown keys get new numbers. Rows without a key
// get the number of NULL.
func (t *table) assign(kb *keyBatch, rows []int32, ids []uint32) error {
	if rows == nil {
		rows = t.allRows(kb.n)
	}
	for from := 0; from < len(rows); from += assignStep {
		part := rows[from:min(from+assignStep, len(rows))]
		if err := t.reserve(len(part)); err != nil {
			return err
		}
		if kb.valid != nil {
			part = t.assignNulls(kb, part, ids)
		}
		switch {
		case t.layout.form != keyWords:
			t.assignViews(kb, part, ids)
		case t.layout.words == 1:
			t.assignWord(kb, part, ids)
		default:
			t.assignWords(kb, part, ids)
		}
	}
	return nil
}

// allRows returns the rows 0 to n-1.
func (t *table) allRows(n int) []int32 {
	for i := len(t.all); i < n; i++ {
		t.all = append(t.all, int32(i))
	}
	return t.all[:n]
}

// assignNulls gives the rows without a key their number and returns the others.
func (t *table) assignNulls(kb *keyBatch, rows []int32, ids []uint32) []int32 {
	keyed := make([]int32, 0, len(rows))
	for _, r := range rows {
		if kb.valid.Get(int(r)) {
			keyed = append(keyed, r)
			continue
		}
		if t.null < 0 {
			t.null = t.count
			h := uint64(nullHash)
			if t.layout.constantHash {
				h = 0
			}
			t.add(h)
			if t.layout.form == keyWords {
				t.words = append(t.words, make([]uint64, t.layout.words)...)
			} else {
				t.views = append(t.views, vec.View{})
			}
		}
		ids[r] = uint32(t.null)
	}
	return keyed
}

// add numbers a new key; the caller stores the key itself.
func (t *table) add(h uint64) uint64 {
	t.hashes = append(t.hashes, h)
	t.count++
	return h>>32<<32 | uint64(t.count)
}

// The assign functions begin with slots read in advance. One that was empty then may have been filled by a row before, so it is read
// again; the others do not change.

// assignWord is assign for keys of one word.
func (t *table) assignWord(kb *keyBatch, rows []int32, ids []uint32) {
	slots, mask := t.slots, t.mask
	first := t.firstSlots(&t.first, kb.hash, rows)
	for i, r := range rows {
		key, h := kb.words[r], kb.hash[r]
		s, e := h&mask, first[i]
		if e == 0 {
			e = slots[s]
		}
		for ; ; e = slots[s] {
			if e == 0 {
				slots[s] = t.add(h)
				t.words = append(t.words, key)
				ids[r] = uint32(t.count - 1)
				break
			}
			if g := uint32(e) - 1; e>>32 == h>>32 && t.words[g] == key {
				ids[r] = g
				break
			}
			s = (s + 1) & mask
		}
	}
}

// assignWords is assign for keys of several words.
func (t *table) assignWords(kb *keyBatch, rows []int32, ids []uint32) {
	slots, mask, k := t.slots, t.mask, t.layout.words
	first := t.firstSlots(&t.first, kb.hash, rows)
	for i, r := range rows {
		key, h := kb.words[int(r)*k:int(r)*k+k], kb.hash[r]
		s, e := h&mask, first[i]
		if e == 0 {
			e = slots[s]
		}
		for ; ; e = slots[s] {
			if e == 0 {
				slots[s] = t.add(h)
				t.words = append(t.words, key...)
				ids[r] = uint32(t.count - 1)
				break
			}
			if g := uint32(e) - 1; e>>32 == h>>32 && sameWords(t.words[int(g)*k:], key) {
				ids[r] = g
				break
			}
			s = (s + 1) & mask
		}
	}
}

func sameWords(a, b []uint64) bool {
	for i, x := range b {
		if a[i] != x {
			return false
		}
	}
	return true
}

// assignViews is assign for byte strings.
func (t *table) assignViews(kb *keyBatch, rows []int32, ids []uint32) {
	slots, mask := t.slots, t.mask
	first := t.firstSlots(&t.first, kb.hash, rows)
	for i, r := range rows {
		key, h := &kb.views[r], kb.hash[r]
		s, e := h&mask, first[i]
		if e == 0 {
			e = slots[s]
		}
		for ; ; e = slots[s] {
			if e == 0 {
				slots[s] = t.add(h)
				if kb.stored {
					t.views = append(t.views, *key)
				} else {
					t.views = append(t.views, t.text.store(key, kb.bufs))
				}
				for c, b := range t.kept {
					b.AppendFrom(kb.cols[c], int(r))
				}
				ids[r] = uint32(t.count - 1)
				break
			}
			if g := uint32(e) - 1; e>>32 == h>>32 && vec.EqualViews(&t.views[g], t.text.bufs, key, kb.bufs) {
				ids[r] = g
				break
			}
			s = (s + 1) & mask
		}
	}
}

// arenaBlock is the size of an arena's later buffers; longer texts get one of their own.
const arenaBlock = 256 << 10

// minArenaBlock is the size of the first buffer; the next ones double.
const minArenaBlock = 4 << 10

// arena stores texts for good.
type arena struct {
	bufs  [][]byte
	bytes int64
	// shared is the number of buffers at the beginning that belong to others as well and must not grow.
	shared int
}

// store copies the text of v and returns its view in the arena.
func (a *arena) store(v *vec.View, bufs [][]byte) vec.View {
	if v.Inline() {
		return *v
	}
	s := v.Bytes(bufs)
	last := len(a.bufs) - 1
	if last < a.shared || len(a.bufs[last])+len(s) > cap(a.bufs[last]) {
		size := max(min(arenaBlock, minArenaBlock<<min(len(a.bufs), 16)), len(s))
		a.bufs = append(a.bufs, make([]byte, 0, size))
		a.bytes += int64(size)
		last++
	}
	off := len(a.bufs[last])
	a.bufs[last] = append(a.bufs[last], s...)
	return vec.MakeView(s, last, off)
}
