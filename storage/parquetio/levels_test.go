package parquetio

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebira-db/ebira/vec"
)

func TestLevelsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 400 {
		maxLevel := 1 + round%9
		var levels []uint8
		var runs []Run
		for range r.IntN(60) {
			n := 1 + r.IntN([]int{2, 9, 40, 3000}[r.IntN(4)])
			l := uint8(r.IntN(maxLevel + 1))
			runs = append(runs, Run{l, int32(n)})
			levels = append(levels, slices.Repeat([]uint8{l}, n)...)
		}
		n := len(levels)
		for _, enc := range [][]byte{appendRuns(nil, runs, maxLevel), appendLevels(nil, levels, maxLevel)} {
			got, err := levelBytes(enc, n, maxLevel)
			if err != nil || !slices.Equal(got, levels) {
				t.Fatalf("round %d: %d levels up to %d do not come back: %v", round, n, maxLevel, err)
			}
			want := 1 + r.IntN(maxLevel)
			bits, set, err := levelBitmap(enc, n, maxLevel, uint8(want))
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			for i, l := range levels {
				if there := int(l) >= want; there != bits.Get(i) {
					t.Fatalf("round %d: level %d of entry %d reaches %d: %v", round, l, i, want, !there)
				} else if there {
					count++
				}
			}
			if count != set {
				t.Fatalf("round %d: %d levels counted, want %d", round, set, count)
			}
			if size, err := hybridLen(enc, levelWidth(maxLevel), n); err != nil || size != len(enc) {
				t.Fatalf("round %d: length %d of %d: %v", round, size, len(enc), err)
			}
			if n > 0 {
				// The padding of a last group may be missing, but never all that follows the first header.
				if _, err := levelBytes(enc[:1], n, maxLevel); err == nil {
					t.Fatalf("round %d: levels are read from a header alone", round)
				}
			}
		}
	}
}

func TestValidityAsLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 63, 64, 65, 1000, 5000} {
		for _, share := range []int{0, 3, 50, 97, 100} {
			valid := vec.NewBitmap(n)
			for i := range n {
				if r.IntN(100) < share {
					valid.Set(i)
				}
			}
			bits, set, err := levelBitmap(appendValidity(nil, valid, n, 1, 1), n, 1, 1)
			if err != nil || set != valid.Count(n) {
				t.Fatalf("%d of %d: %d set, %v", valid.Count(n), n, set, err)
			}
			for i := range n {
				if bits.Get(i) != valid.Get(i) {
					t.Fatalf("entry %d of %d is wrong", i, n)
				}
			}
		}
	}
}
