package vexec

import (
	"math/bits"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// interner numbers the texts of one key column of one worker, so that keys of several columns with text become a few words. Where the
// text comes in dictionary form, which is when it is used, that costs an array access a row.
type interner struct {
	layout *keyLayout
	table  *table
	codes  codeCache
	keys   keyBatch
	ids    []uint32
}

func newInterner(t types.Type, constantHash bool) *interner {
	l := &keyLayout{types: []types.Type{t}, declared: []types.Type{t}, variants: []*variantKeys{nil}, form: keyText, looseNull: true,
		constantHash: constantHash}
	return &interner{layout: l, table: newTable(l)}
}

// numbers returns the numbers of the n rows of v; those of NULL rows mean nothing. The result is valid until the next call.
func (in *interner) numbers(v *vec.Vector, n int) ([]uint32, error) {
	in.ids = sized(in.ids, n)
	if err := in.layout.fill(&in.keys, []*vec.Vector{v}, n, false); err != nil {
		return nil, err
	}
	if in.keys.lazy {
		return in.ids, in.codes.assign(in.table, &in.keys, in.ids)
	}
	return in.ids, in.table.assign(&in.keys, nil, in.ids)
}

// absorb adds the texts of another interner and returns their numbers here.
func (in *interner) absorb(other *interner) ([]uint32, error) {
	mapping := make([]uint32, other.table.count)
	return mapping, in.table.assign(other.table.keys(), nil, mapping)
}

// column returns the texts of numbers.
func (in *interner) column(t types.Type, numbers []uint64, valid vec.Bitmap) *vec.Vector {
	codes := make([]uint32, len(numbers))
	vec.Map1(codes, numbers, func(w uint64) uint32 { return uint32(w) })
	if in.table.count == 0 {
		return vec.NewNull(t, len(numbers))
	}
	out := *vec.GatherCodes(vec.NewText(t, in.table.views, in.table.text.bufs, nil), codes)
	out.Valid = valid
	return &out
}

// internedBits is the width of the number of a text in a key.
const internedBits = 32

// interned returns the layout l with numbers in the place of texts, nil if that is no layout of words.
func (l *keyLayout) interned(nullable []bool) *keyLayout {
	c := *l
	c.texts = make([]bool, len(l.types))
	for i, t := range l.types {
		c.texts[i] = t.Phys() == types.PhysString
	}
	if !c.packWords(nullable) {
		return nil
	}
	c.form = keyWords
	return &c
}

// addTexts completes the keys of kb, of which the hashes and the other columns are set.
func (l *keyLayout) addTexts(kb *keyBatch) error {
	k := l.words
	for c, is := range l.texts {
		if !is {
			continue
		}
		in := kb.interner(l, c)
		ids, err := in.numbers(kb.cols[c], kb.n)
		if err != nil {
			return err
		}
		s := l.slots[c]
		valid := validity(kb.cols[c], kb.n)
		words, hashes := kb.words[s.word:], in.table.hashes
		for i, id := range ids {
			if valid.Get(i) {
				words[i*k] |= uint64(id) << s.shift
				hi, lo := bits.Mul64(kb.hash[i]^hashes[id], mixB)
				kb.hash[i] = hi ^ lo
			}
		}
	}
	return nil
}

// interner returns the interner of column c, making it at the first call.
func (kb *keyBatch) interner(l *keyLayout, c int) *interner {
	if kb.interners == nil {
		kb.interners = make([]*interner, len(l.types))
	}
	if kb.interners[c] == nil {
		kb.interners[c] = newInterner(l.types[c], l.constantHash)
	}
	return kb.interners[c]
}

// translate returns the keys of n words with the text numbers of one worker replaced by those of another.
func (l *keyLayout) translate(words []uint64, mapping [][]uint32) []uint64 {
	out := append([]uint64(nil), words...)
	k := l.words
	const number = 1<<internedBits - 1
	for c, is := range l.texts {
		if !is {
			continue
		}
		s, m := l.slots[c], mapping[c]
		for i := int(s.word); i < len(out); i += k {
			if s.hasNull && out[i-int(s.word)+int(s.nullWord)]>>s.nullShift&1 != 0 {
				continue
			}
			id := uint32(out[i] >> s.shift)
			out[i] = out[i]&^(number<<s.shift) | uint64(m[id])<<s.shift
		}
	}
	return out
}
