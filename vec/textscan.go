package vec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// EqualConst sets out[i] to whether text i equals c, whose bytes are text. Short texts are equal exactly if their views are.
func EqualConst(out []bool, views []View, bufs [][]byte, c View, text []byte) {
	views = views[:len(out)]
	if c.Inline() {
		for i := range out {
			out[i] = views[i] == c
		}
		return
	}
	for i := range out {
		v := &views[i]
		out[i] = v.n == c.n && v.a == c.a && bytes.Equal(v.Bytes(bufs), text)
	}
}

// RuneCount returns the number of characters of valid UTF-8 text: the bytes that do not continue a character, eight at a time.
func RuneCount(s []byte) int {
	const low, high = 0x0101010101010101, 0x8080808080808080
	n := len(s)
	continued := 0
	for len(s) >= 8 {
		x := binary.LittleEndian.Uint64(s)
		if x&high != 0 {
			// A continuation byte is 10xxxxxx: bit 7 set and bit 6 clear.
			continued += bits.OnesCount64(x >> 7 & (^x >> 6) & low)
		}
		s = s[8:]
	}
	for _, c := range s {
		if c&0xc0 == 0x80 {
			continued++
		}
	}
	return n - continued
}

// ASCIIPrefix returns the length of the longest prefix of s, rounded down to a multiple of eight where s is longer, that has no byte
// beyond ASCII.
func ASCIIPrefix(s []byte) int {
	const high = 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if binary.LittleEndian.Uint64(s[i:])&high != 0 {
			return i
		}
	}
	for ; i < len(s) && s[i] < 0x80; i++ {
	}
	return i
}
