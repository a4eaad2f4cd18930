package vec

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

func TestRuneCountAgainstUTF8(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	runes := []rune("abcé漢𝄞 z")
	for range 20_000 {
		var s []byte
		for range r.IntN(40) {
			s = utf8.AppendRune(s, runes[r.IntN(len(runes))])
		}
		if got, want := RuneCount(s), utf8.RuneCount(s); got != want {
			t.Fatalf("%q: %d characters, want %d", s, got, want)
		}
		n := ASCIIPrefix(s)
		for i, c := range s[:n] {
			if c >= utf8.RuneSelf {
				t.Fatalf("%q: byte %d of the prefix is no ASCII", s, i)
			}
		}
		if n < len(s) && n+8 <= len(s) && ASCIIPrefix(s[n:n+8]) == 8 {
			t.Fatalf("%q: prefix ends early at %d", s, n)
		}
	}
}

func TestEqualConst(t *testing.T) {
	v := texts("", "a", "ab", "twelve bytes", "thirteen byte", "thirteen bytE", "thirXXXn byte")
	for i := range v.Len {
		c := Slice[View](v)[i]
		out := make([]bool, v.Len)
		EqualConst(out, Slice[View](v), v.Bufs, c, v.Bytes(i))
		for j := range out {
			if want := bytes.Equal(v.Bytes(i), v.Bytes(j)); out[j] != want {
				t.Errorf("%q = %q: %v", v.Bytes(j), v.Bytes(i), out[j])
			}
		}
	}
}
