package jsonparse

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
	"unicode/utf8"
)

// blockBytes is the number of bytes covered by one word of marks.
const blockBytes = 64

// simdOn is read once per line; SetSIMD changes it.
var simdOn atomic.Bool

func init() { simdOn.Store(simdAvailable) }

// SetSIMD chooses between the vector kernels and the portable ones for all parsers and returns the former choice. Asking for vector
// kernels on a processor (or in a build) without them has no effect. Results never depend on it.
func SetSIMD(on bool) (was bool) {
	return simdOn.Swap(on && simdAvailable)
}

// SIMD reports whether the vector kernels are in use.
func SIMD() bool { return simdOn.Load() }

// mark fills p.marks for a line: one bit per byte that ends or interrupts the plain part of a string. Bits at and after the end of the
// line are set, and one more word follows, so that nextMark always finds one. In a line that is not valid UTF-8 the bytes from 0x80 up
// are marked too, which sends every string that holds one through slowString, where the first bad byte is found.
func (p *Parser) mark(line []byte) {
	full := len(line) / blockBytes
	if cap(p.marks) < full+2 {
		p.marks = make([]uint64, full+2+full/4)
	}
	marks := p.marks[:full+2]
	p.marks = marks
	marks[full+1] = ^uint64(0)

	var high, valid bool
	if simdOn.Load() {
		if high = markVector(marks[:full+1], line); high {
			valid = validVector(line)
		}
	} else {
		if high = markPortable(marks[:full+1], line); high {
			valid = utf8.Valid(line)
		}
	}
	if high && !valid {
		for i, c := range line {
			if c >= utf8.RuneSelf {
				marks[i/blockBytes] |= 1 << (i % blockBytes)
			}
		}
	}
}

// nextMark gives the first marked position at or after i, which must not exceed the length of the line.
func nextMark(marks []uint64, i int) int {
	// The window of 64 bits from i on covers nearly every string without a loop.
	k, s := uint(i)/blockBytes, uint(i)%blockBytes
	w := marks[k]>>s | marks[k+1]<<1<<(63-s)
	if w != 0 {
		return i + bits.TrailingZeros64(w)
	}
	return farMark(marks, k+1)
}

// farMark continues nextMark for long strings from word k on. The bits of word k that nextMark has seen are known to be zero.
func farMark(marks []uint64, k uint) int {
	for marks[k] == 0 {
		k++
	}
	return int(k)*blockBytes + bits.TrailingZeros64(marks[k])
}

const (
	lows  = 0x7f7f7f7f7f7f7f7f
	highs = 0x8080808080808080
	ones  = 0x0101010101010101
	// gather moves the lowest bit of each byte of a word into the top byte when multiplied with it.
	gather = 0x0102040810204080
)

// markPortable computes the marks of src, eight bytes at a time, into len(src)/blockBytes+1 words and tells whether src holds a byte from
// 0x80 up.
func markPortable(dst []uint64, src []byte) bool {
	var seen uint64
	full := len(src) / blockBytes
	for k := range dst[:full] {
		seen |= markBlock(&dst[k], src[k*blockBytes:][:blockBytes])
	}
	var last [blockBytes]byte // zero bytes are control characters, hence marked
	copy(last[:], src[full*blockBytes:])
	seen |= markBlock(&dst[full], last[:])
	return seen&highs != 0
}

// markBlock computes the marks of one block and gives the union of its bytes, eight by eight.
func markBlock(dst *uint64, block []byte) (seen uint64) {
	var w uint64
	for j := 0; j < blockBytes; j += 8 {
		x := binary.LittleEndian.Uint64(block[j:])
		seen |= x
		// The top bit of each byte of t is clear exactly where the byte is a quote, a backslash or below 0x20.
		low := x & lows
		t := ((low^'"'*ones)+lows)&((low^'\\'*ones)+lows)&(low+0x60*ones) | x
		w |= (^t & highs >> 7) * gather >> 56 << j
	}
	*dst = w
	return seen
}
