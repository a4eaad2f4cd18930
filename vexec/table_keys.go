package vexec

import "github.com/ebira-db/ebira/vec"

// keys returns all keys of t as a batch to be put into another table of the same layout; it is valid while t does not change.
func (t *table) keys() *keyBatch {
	kb := &keyBatch{n: t.count, words: t.words, views: t.views, bufs: t.text.bufs, hash: t.hashes}
	if t.null >= 0 {
		kb.valid = vec.NewBitmapSet(t.count)
		kb.valid.Clear(t.null)
	}
	if len(t.kept) > 0 {
		kb.cols = make([]*vec.Vector, len(t.layout.types))
		for c := range t.kept {
			kb.cols[c] = t.keptColumn(c)
		}
	}
	return kb
}

// keptColumn returns the values collected of column c.
func (t *table) keptColumn(c int) *vec.Vector {
	if v := t.snapshot[c]; v != nil && v.Len == t.count {
		return v
	}
	v := t.kept[c].Finish()
	b := vec.NewBuilder(v.Type, v.Len)
	b.AppendVector(v)
	t.kept[c], t.snapshot[c] = b, v
	return v
}

// columns returns the key columns of the numbers [from, to).
func (t *table) columns(from, to int) []*vec.Vector {
	out := t.storedColumns(from, to)
	for c, v := range t.layout.variants {
		if v != nil {
			out[c] = v.column(out[c], t.layout.declared[c])
		}
	}
	return out
}

func (t *table) storedColumns(from, to int) []*vec.Vector {
	l := t.layout
	var valid vec.Bitmap
	if t.null >= from && t.null < to {
		valid = vec.NewBitmapSet(to - from)
		valid.Clear(t.null - from)
	}
	switch l.form {
	case keyText:
		return []*vec.Vector{vec.NewText(l.types[0], t.views[from:to:to], t.text.bufs, valid)}
	case keyRow:
		return t.rowColumns(from, to)
	}
	words := t.words[from*l.words : to*l.words]
	out := make([]*vec.Vector, len(l.types))
	for c, s := range l.slots {
		values, valid := l.unpack(s, words, valid)
		if l.texts != nil && l.texts[c] {
			out[c] = t.interners[c].column(l.types[c], values, valid)
			continue
		}
		out[c] = fromWords(l.types[c], values, int(max(s.width/64, 1)), valid)
	}
	return out
}

func (t *table) rowColumns(from, to int) []*vec.Vector {
	out := make([]*vec.Vector, len(t.layout.types))
	d := newRowDecoder(t.layout, t.views[from:to], t.text.bufs)
	for c, typ := range t.layout.types {
		if out[c] = d.column(c, typ); out[c] == nil {
			out[c] = t.keptColumn(c).Slice(from, to)
		}
	}
	return out
}

// unpack takes one column out of packed keys: its words, and which rows are not NULL.
func (l *keyLayout) unpack(s keySlot, words []uint64, valid vec.Bitmap) ([]uint64, vec.Bitmap) {
	k := l.words
	n := len(words) / k
	parts := int(max(s.width/64, 1))
	values := make([]uint64, n*parts)
	mask := ^uint64(0)
	if s.width < 64 {
		mask = 1<<s.width - 1
	}
	for i := range n {
		for p := range parts {
			values[i*parts+p] = words[i*k+int(s.word)+p] >> s.shift & mask
		}
	}
	if s.hasNull {
		for i := range n {
			if words[i*k+int(s.nullWord)]>>s.nullShift&1 == 0 {
				continue
			}
			if valid == nil {
				valid = vec.NewBitmapSet(n)
			}
			valid.Clear(i)
		}
	}
	return values, valid
}
