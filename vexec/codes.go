package vexec

import "github.com/ebira-db/ebira/vec"

// codeCache remembers what a table answered for the entries of a dictionary, so that a text key costs one array access a row. It
// holds the dictionary met last: all batches of a page share one.
type codeCache struct {
	dict    *vec.Vector
	answers []int32
	keys    keyBatch // scratch: the entries to be asked for
	entries []int32
}

// States of an answer that is no number.
const (
	codeUnknown = -2 // not asked for yet
	codeAsked   = -3 // to be asked for now
)

// collect finds the entries that the rows refer to and that have no answer yet, and returns them as keys.
func (c *codeCache) collect(v *vec.Vector, n int, valid vec.Bitmap) *keyBatch {
	if c.dict != v.Dict {
		c.dict = v.Dict
		c.answers = sized(c.answers, v.Dict.Len)
		for i := range c.answers {
			c.answers[i] = codeUnknown
		}
	}
	c.entries = c.entries[:0]
	for i, code := range v.Codes[:n] {
		if c.answers[code] == codeUnknown && valid.Get(i) {
			c.answers[code] = codeAsked
			c.entries = append(c.entries, int32(code))
		}
	}
	kb := &c.keys
	kb.n = len(c.entries)
	kb.views, kb.hash = sized(kb.views, kb.n), sized(kb.hash, kb.n)
	kb.bufs = v.Dict.Bufs
	all := vec.Slice[vec.View](v.Dict)
	for i, e := range c.entries {
		kb.views[i] = all[e]
		kb.hash[i] = vec.HashBytes(all[e].Bytes(kb.bufs))
	}
	return kb
}

// assign is table.assign for lazy keys.
func (c *codeCache) assign(t *table, kb *keyBatch, ids []uint32) error {
	v := kb.cols[0]
	ask := c.collect(v, kb.n, kb.valid)
	if ask.n > 0 {
		numbers := make([]uint32, ask.n)
		if err := t.assign(ask, nil, numbers); err != nil {
			return err
		}
		for i, e := range c.entries {
			c.answers[e] = int32(numbers[i])
		}
	}
	for i, code := range v.Codes[:kb.n] {
		ids[i] = uint32(c.answers[code])
	}
	if kb.valid == nil {
		return nil
	}
	if err := t.reserve(1); err != nil {
		return err
	}
	t.assignNulls(kb, t.allRows(kb.n), ids)
	return nil
}
