//go:build amd64 && !purego

package jsonparse

import (
	"unicode/utf8"

	"github.com/klauspost/cpuid/v2"
)

// simdAvailable tells whether the vector kernels may run here.
var simdAvailable = cpuid.CPU.Supports(cpuid.AVX2)

// markVector is markPortable with AVX2. The caller has checked simdAvailable.
func markVector(dst []uint64, src []byte) bool {
	n := len(src)
	if n < blockBytes {
		var short [blockBytes]byte
		copy(short[:], src)
		var words [2]uint64
		high := markAVX2(&words[0], &short[0], blockBytes)
		dst[0] = words[0] // the zero bytes behind the text are control characters, hence marked
		return high != 0
	}
	_ = dst[n/blockBytes]
	return markAVX2(&dst[0], &src[0], n) != 0
}

// validVector is utf8.Valid with AVX2. The caller has checked simdAvailable.
func validVector(s []byte) bool {
	const vectorBytes = 32
	blocks := len(s) / vectorBytes
	if blocks == 0 {
		return utf8.Valid(s)
	}
	if utf8AVX2(&s[0], blocks) != 0 {
		return false
	}
	// The kernel has judged all characters that end within its blocks. The rest begins at the last lead byte before the end of the
	// blocks, if that may begin a character that goes beyond.
	rest := blocks * vectorBytes
	for i := rest - 1; i >= rest-3; i-- {
		if utf8.RuneStart(s[i]) {
			if s[i] >= utf8.RuneSelf {
				rest = i
			}
			break
		}
	}
	return utf8.Valid(s[rest:])
}

// markAVX2 writes the marks of n bytes, at least 64, into n/64+1 words and returns the union of the top bits of all bytes, folded.
//
//go:noescape
func markAVX2(dst *uint64, src *byte, n int) (high uint64)

// utf8AVX2 returns a value other than 0 if one of the characters that end within the blocks of 32 bytes, of which there is at least one,
// is not valid UTF-8.
//
//go:noescape
func utf8AVX2(src *byte, blocks int) (bad uint64)
