package vexec

import (
	"testing"

	"github.com/ebira-db/ebira/sql/types"
)

// Numbers of texts are translated wherever they lie in a word, other columns stay, and the bits under a NULL are left alone.
func TestTranslate(t *testing.T) {
	ts := []types.Type{types.Of(types.Int), types.Of(types.Varchar), types.Of(types.Varchar)}
	l, err := newKeyLayout(ts, []bool{true, true, true}, &Env{})
	if err != nil {
		t.Fatal(err)
	}
	l = l.coded
	pack := func(n, a, b uint64, null int) []uint64 {
		words := make([]uint64, l.words)
		for c, v := range []uint64{n, a, b} {
			if c == null {
				words[l.slots[c].nullWord] |= 1 << l.slots[c].nullShift
				continue
			}
			words[l.slots[c].word] |= v << l.slots[c].shift
		}
		return words
	}
	mapping := [][]uint32{nil, {7, 5, 6}, {1, 0, 1<<32 - 1}}
	f := func(in, want []uint64) {
		t.Helper()
		got := l.translate(in, mapping)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("word %d of %x is %x, want %x", i, in, got[i], want[i])
			}
		}
	}
	f(pack(1<<32-1, 1, 2, -1), pack(1<<32-1, 5, 1<<32-1, -1))
	f(pack(3, 2, 0, -1), pack(3, 6, 1, -1))
	f(pack(3, 0, 1, -1), pack(3, 7, 0, -1))
	f(pack(0, 0, 2, 1), pack(0, 0, 1<<32-1, 1))
	f(pack(9, 2, 0, 2), pack(9, 6, 0, 2))
	f(pack(0, 1, 1, 0), pack(0, 5, 0, 0))
}
