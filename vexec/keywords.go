package vexec

import (
	"math"
	"math/bits"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// fillWords packs the columns of kb.
func (l *keyLayout) fillWords(kb *keyBatch, n int) error {
	k := l.words
	kb.words = sized(kb.words, n*k)
	if l.looseNull && k == 1 {
		columnWords(kb.cols[0], 0, kb.words)
		return nil
	}
	clear(kb.words)
	kb.column = sized(kb.column, n)
	for c, s := range l.slots {
		v := kb.cols[c]
		valid := validity(v, n)
		if l.texts != nil && l.texts[c] {
			if valid != nil && !s.hasNull {
				return errUnexpectedNull
			}
			orNulls(kb.words, k, s, valid)
			continue
		}
		for part := range max(s.width/64, 1) {
			columnWords(v, part, kb.column)
			mask := ^uint64(0)
			if s.width < 64 {
				mask = 1<<s.width - 1
			}
			orWords(kb.words[s.word+part:], k, kb.column, mask, s.shift, valid)
		}
		if valid == nil {
			continue
		}
		if s.hasNull {
			orNulls(kb.words, k, s, valid)
		} else if !l.looseNull && kb.valid == nil {
			return errUnexpectedNull
		}
	}
	return nil
}

var errUnexpectedNull = sqlerr.New(sqlerr.Internal, "BUG: NULL in a key column that has none")

// orNulls sets the NULL bits of a column.
func orNulls(words []uint64, k int, s keySlot, valid vec.Bitmap) {
	if valid == nil {
		return
	}
	words = words[s.nullWord:]
	for i := 0; i*k < len(words); i++ {
		if !valid.Get(i) {
			words[i*k] |= 1 << s.nullShift
		}
	}
}

// orWords adds column values to every k-th word of dst; rows that are not valid add nothing.
func orWords(dst []uint64, k int, column []uint64, mask uint64, shift uint, valid vec.Bitmap) {
	if valid == nil {
		for i, x := range column {
			dst[i*k] |= (x & mask) << shift
		}
		return
	}
	for i, x := range column {
		if valid.Get(i) {
			dst[i*k] |= (x & mask) << shift
		}
	}
}

// columnWords writes the normalized bits of each row of v to out; of values wider than 64 bits those of the given word, lowest first.
func columnWords(v *vec.Vector, word uint, out []uint64) {
	switch v.Form {
	case vec.Dictionary:
		entries := make([]uint64, v.Dict.Len)
		flatWords(v.Dict, word, entries)
		for i, c := range v.Codes[:len(out)] {
			out[i] = entries[c]
		}
	case vec.Constant:
		var one [1]uint64
		if !v.IsNull(0) {
			flatWords(v, word, one[:])
		}
		for i := range out {
			out[i] = one[0]
		}
	default:
		flatWords(v, word, out)
	}
}

// flatWords is columnWords for the entries of v.Data.
func flatWords(v *vec.Vector, word uint, out []uint64) {
	switch d := v.Data.(type) {
	case []bool:
		vec.Map1(out, d, func(x bool) uint64 {
			if x {
				return 1
			}
			return 0
		})
	case []int8:
		vec.Map1(out, d, func(x int8) uint64 { return uint64(x) })
	case []int16:
		vec.Map1(out, d, func(x int16) uint64 { return uint64(x) })
	case []int32:
		vec.Map1(out, d, func(x int32) uint64 { return uint64(x) })
	case []int64:
		vec.Map1(out, d, func(x int64) uint64 { return uint64(x) })
	case []uint32:
		vec.Map1(out, d, func(x uint32) uint64 { return uint64(x) })
	case []float32:
		vec.Map1(out, d, func(x float32) uint64 { return uint64(math.Float32bits(float32(oneFloat(float64(x))))) })
	case []float64:
		vec.Map1(out, d, func(x float64) uint64 { return math.Float64bits(oneFloat(x)) })
	case []types.Int128:
		if word == 0 {
			vec.Map1(out, d, func(x types.Int128) uint64 { return x.Lo })
		} else {
			vec.Map1(out, d, func(x types.Int128) uint64 { return uint64(x.Hi) })
		}
	case []types.Uint128:
		if word == 0 {
			vec.Map1(out, d, func(x types.Uint128) uint64 { return x.Lo })
		} else {
			vec.Map1(out, d, func(x types.Uint128) uint64 { return x.Hi })
		}
	case []types.Int256:
		vec.Map1(out, d, func(x types.Int256) uint64 { return x[word] })
	default:
		panic("BUG: key words of " + v.Type.String())
	}
}

// oneFloat gives equal doubles one representation: -0 is 0, and all NaN are one value.
func oneFloat(x float64) float64 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return math.NaN()
	}
	return x
}

// Odd constants with evenly spread bits, for mixing key words.
const (
	mixA = 0xa0761d6478bd642f
	mixB = 0xe7037ed1a0b428db
)

// hashWords hashes keys of k words each.
func hashWords(words []uint64, k int, out []uint64) {
	if k == 1 {
		for i, w := range words[:len(out)] {
			hi, lo := bits.Mul64(w^mixA, mixB)
			out[i] = hi ^ lo
		}
		return
	}
	for i := range out {
		h := uint64(mixA)
		for _, w := range words[i*k : i*k+k] {
			hi, lo := bits.Mul64(w^h, mixB)
			h = hi ^ lo ^ bits.RotateLeft64(h, 23)
		}
		out[i] = h
	}
}
