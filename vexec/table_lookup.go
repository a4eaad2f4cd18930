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

func (t *table) lookupWord(kb *keyBatch, rows []int32, ids []int32) {
	slots, mask, words := t.slots, t.mask, t.words
	for _, r := range rows {
		key, h := kb.words[r], kb.hash[r]
		s := h & mask
		for {
			e := slots[s]
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
	for _, r := range rows {
		key, h := kb.words[int(r)*k:int(r)*k+k], kb.hash[r]
		s := h & mask
		for {
			e := slots[s]
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
	for _, r := range rows {
		key, h := &kb.views[r], kb.hash[r]
		s := h & mask
		for {
			e := slots[s]
			g := int32(uint32(e)) - 1
			if e == 0 || e>>32 == h>>32 && vec.EqualViews(&t.views[g], t.text.bufs, key, kb.bufs) {
				ids[r] = g
				break
			}
			s = (s + 1) & mask
		}
	}
}
