package vexec

import "github.com/ebira-db/ebira/vec"

// lookup sets ids[r] to the number of row r for the rows given, all of which have a key, or to -1 if the key is unknown.
func (t *table) lookup(kb *keyBatch, rows []int32, ids []int32) {
	if t.count == 0 {
		for _, r := range rows {
			ids[r] = -1
		}
		return
	}
	switch {
	case t.layout.form != keyWords:
		t.lookupViews(kb, rows, ids)
	case t.layout.words == 1:
		t.lookupWord(kb, rows, ids)
	default:
		t.lookupWords(kb, rows, ids)
	}
}

// firstSlots returns the slots in which the probes of the rows begin. Reading them before looking at any lets the processor wait for
// many at once. buf is scratch memory: of the table where it is filled, of the keys where many workers read it.
func (t *table) firstSlots(buf *[]uint64, hash []uint64, rows []int32) []uint64 {
	*buf = sized(*buf, len(rows))
	out, slots, mask := *buf, t.slots, t.mask
	for i, r := range rows {
		out[i] = slots[hash[r]&mask]
	}
	return out
}

func (t *table) lookupWord(kb *keyBatch, rows []int32, ids []int32) {
	slots, mask, words := t.slots, t.mask, t.words
	first := t.firstSlots(&kb.first, kb.hash, rows)
	for i, r := range rows {
		key, h := kb.words[r], kb.hash[r]
		s, e := h&mask, first[i]
		for ; ; e = slots[s] {
			g := int32(uint32(e)) - 1
			if e == 0 || e>>32 == h>>32 && words[g] == key {
				ids[r] = g
				break
			}
			s = (s + 1) & mask
		}
	}
}

func (t *table) lookupWords(kb *keyBatch, rows []int32, ids []int32) {
	slots, mask, k := t.slots, t.mask, t.layout.words
	first := t.firstSlots(&kb.first, kb.hash, rows)
	for i, r := range rows {
		key, h := kb.words[int(r)*k:int(r)*k+k], kb.hash[r]
		s, e := h&mask, first[i]
		for ; ; e = slots[s] {
			g := int32(uint32(e)) - 1
			if e == 0 || e>>32 == h>>32 && sameWords(t.words[int(g)*k:], key) {
				ids[r] = g
				break
			}
			s = (s + 1) & mask
		}
	}
}

func (t *table) lookupViews(kb *keyBatch, rows []int32, ids []int32) {
	slots, mask := t.slots, t.mask
	first := t.firstSlots(&kb.first, kb.hash, rows)
	for i, r := range rows {
		key, h := &kb.views[r], kb.hash[r]
		s, e := h&mask, first[i]
		for ; ; e = slots[s] {
			g := int32(uint32(e)) - 1
			if e == 0 || e>>32 == h>>32 && vec.EqualViews(&t.views[g], t.text.bufs, key, kb.bufs) {
				ids[r] = g
				break
			}
			s = (s + 1) & mask
		}
	}
}
