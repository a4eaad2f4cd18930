package vec

import (
	"bytes"
	"encoding/binary"
	"unsafe"
)

// View is one string in Arrow's Utf8View layout: up to 12 bytes sit inside, longer ones are (length, first 4 bytes, buffer, offset).
// It holds no pointer, so a column of views costs the garbage collector nothing.
type View struct {
	n uint32
	a uint32 // bytes 0..3 of the text
	b uint32 // bytes 4..7, or the buffer index
	c uint32 // bytes 8..11, or the offset in the buffer
}

// inlineBytes is the longest text kept inside a View.
const inlineBytes = 12

// MaxBufferBytes bounds one text buffer, so that offsets fit 32 bits with room.
const MaxBufferBytes = 1 << 30

// Len returns the length in bytes.
func (v View) Len() int { return int(v.n) }

// Inline tells whether the text sits inside the view.
func (v View) Inline() bool { return v.n <= inlineBytes }

// Prefix returns the first four bytes (zero padded) as a big-endian number, which orders like the text.
func (v View) Prefix() uint32 {
	var p [4]byte
	binary.LittleEndian.PutUint32(p[:], v.a)
	return binary.BigEndian.Uint32(p[:])
}

// Buffer returns the buffer index of a view that is not inline.
func (v View) Buffer() int { return int(v.b) }

// Offset returns the offset in its buffer of a view that is not inline.
func (v View) Offset() int { return int(v.c) }

// Rebase returns v with delta added to the buffer index, for vectors whose buffer lists are joined.
func (v View) Rebase(delta int) View {
	if !v.Inline() {
		v.b += uint32(delta)
	}
	return v
}

// MakeView returns the view of s, which lies at off in buffer buf unless it is short enough to sit inside.
func MakeView(s []byte, buf, off int) View {
	v := View{n: uint32(len(s))}
	if len(s) <= inlineBytes {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&v.a)), inlineBytes), s)
		return v
	}
	v.a = binary.LittleEndian.Uint32(s)
	v.b, v.c = uint32(buf), uint32(off)
	return v
}

// Bytes returns the text of *v; bufs is the vector's buffer list. The slice aliases the view or a buffer: it must not be changed,
// and for inline text it lives only as long as the view it was taken from stays in place.
func (v *View) Bytes(bufs [][]byte) []byte {
	if v.n <= inlineBytes {
		return unsafe.Slice((*byte)(unsafe.Pointer(&v.a)), v.n)
	}
	return bufs[v.b][v.c : v.c+v.n : v.c+v.n]
}

// EqualViews compares two texts; length and prefix settle most pairs without touching the buffers.
func EqualViews(a *View, abufs [][]byte, b *View, bbufs [][]byte) bool {
	if a.n != b.n || a.a != b.a {
		return false
	}
	if a.n <= inlineBytes {
		return a.b == b.b && a.c == b.c
	}
	return bytes.Equal(a.Bytes(abufs), b.Bytes(bbufs))
}

// CompareViews orders two texts bytewise: -1, 0 or 1.
func CompareViews(a *View, abufs [][]byte, b *View, bbufs [][]byte) int {
	if p, q := a.Prefix(), b.Prefix(); p != q {
		if p < q {
			return -1
		}
		return 1
	}
	return bytes.Compare(a.Bytes(abufs), b.Bytes(bbufs))
}
