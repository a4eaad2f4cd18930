package vexec

import (
	"github.com/ebira-db/ebira/vec"
)

// unknown returns the left rows without a match for which x IN (…) is neither true nor false: a comparison with some candidate is
// NULL. All key pairs take part in the comparison (a row IN rows); Cond says which right rows are in the list at all.
func (p *probe) unknown(b *vec.Batch) (vec.Bitmap, error) {
	out, err := p.unknownHere(b)
	if p.carry != nil && err == nil {
		p.carry.join(out, b.Len)
	}
	return out, err
}

// unknownHere is unknown for the right rows in memory.
func (p *probe) unknownHere(b *vec.Batch) (vec.Bitmap, error) {
	out := vec.NewBitmap(b.Len)
	if !p.j.threeValued || p.t.allRows == 0 {
		return out, nil
	}
	if !p.j.keepKeys {
		// One column and no Cond: a NULL on either side is enough.
		for i := range b.Len {
			if p.t.anyNulls.Load() || !p.keys.valid.Get(i) {
				out.Set(i)
			}
		}
		return out, nil
	}
	all := identity(p.t.rows)
	for i := range b.Len {
		if p.matched[i] {
			continue
		}
		candidates := p.t.nullRows
		if !p.keys.valid.Get(i) {
			candidates = all
		}
		maybe, err := p.anyUnknown(b, i, candidates)
		if err != nil {
			return nil, err
		}
		if maybe {
			out.Set(i)
		}
	}
	return out, nil
}

// anyUnknown tells whether the comparison of left row i with one of the candidates is NULL.
func (p *probe) anyUnknown(b *vec.Batch, i int, candidates []int32) (bool, error) {
	for len(candidates) > 0 {
		if err := p.w.check(); err != nil {
			return false, err
		}
		n := min(len(candidates), p.limit)
		p.left, p.right = p.left[:0], p.right[:0]
		for _, r := range candidates[:n] {
			if p.mayBeEqual(i, int(r)) {
				p.left, p.right = append(p.left, int32(i)), append(p.right, r)
			}
		}
		candidates = candidates[n:]
		if p.j.n.Cond != nil {
			if err := p.filterPairs(b); err != nil {
				return false, err
			}
		}
		if len(p.left) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// mayBeEqual tells whether no key column of left row i and right row r differs.
func (p *probe) mayBeEqual(i, r int) bool {
	for c, l := range p.keys.cols {
		k := p.t.keyCols[c]
		if !l.IsNull(i) && !k.IsNull(r) && vec.Compare(l, i, k, r) != 0 {
			return false
		}
	}
	return true
}
