package vec

import "math/bits"

// Bitmap is a little-endian bit set, bit i in word i/64; as the validity of a vector a set bit means "not NULL" and nil "all set".
type Bitmap []uint64

// NewBitmap returns a bitmap of n clear bits.
func NewBitmap(n int) Bitmap { return make(Bitmap, (n+63)/64) }

// NewBitmapSet returns a bitmap whose first n bits are set.
func NewBitmapSet(n int) Bitmap {
	b := NewBitmap(n)
	for i := range b {
		b[i] = ^uint64(0)
	}
	if r := n % 64; r != 0 {
		b[len(b)-1] = 1<<r - 1
	}
	return b
}

// Get reports bit i. A nil bitmap has all bits set.
func (b Bitmap) Get(i int) bool { return b == nil || b[i>>6]>>(uint(i)&63)&1 != 0 }

// Set sets bit i.
func (b Bitmap) Set(i int) { b[i>>6] |= 1 << (uint(i) & 63) }

// Clear clears bit i.
func (b Bitmap) Clear(i int) { b[i>>6] &^= 1 << (uint(i) & 63) }

// Count returns the number of set bits among the first n; bits behind n must be clear.
func (b Bitmap) Count(n int) int {
	if b == nil {
		return n
	}
	c := 0
	for _, w := range b {
		c += bits.OnesCount64(w)
	}
	return c
}

// And returns the bits set in both of the first n; nil stands for all set and may be the result.
func And(a, b Bitmap, n int) Bitmap {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	r := NewBitmap(n)
	for i := range r {
		r[i] = a[i] & b[i]
	}
	return r
}

// Range copies bits [from, from+n) to a new bitmap, or returns nil where all of them are set.
func (b Bitmap) Range(from, n int) Bitmap {
	if b == nil {
		return nil
	}
	r := NewBitmap(n)
	w, s := from>>6, uint(from)&63
	for i := range r {
		r[i] = b[w+i] >> s
		if s != 0 && w+i+1 < len(b) {
			r[i] |= b[w+i+1] << (64 - s)
		}
	}
	if t := n % 64; t != 0 {
		r[len(r)-1] &= 1<<t - 1
	}
	if r.Count(n) == n {
		return nil
	}
	return r
}
