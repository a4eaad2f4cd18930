package vec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/ebira-db/ebira/sql/types"
)

// Odd constants with evenly spread bits (from wyhash); the product of two of them mixes 64 bits into 128.
const (
	hashK0   = 0xa0761d6478bd642f
	hashK1   = 0xe7037ed1a0b428db
	hashK2   = 0x8ebc6af09c88c6e3
	hashNull = 0x589965cc75374cc3
)

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// spread mixes twice: one multiplication leaves the upper bits of neighbouring numbers alike, and hash tables, radix partitions and
// sketches use all bits.
func spread(a, b uint64) uint64 { return mix(mix(a, b), hashK2) }

// HashInt64 is the hash of an integer of any width (widened to 64 bits) that HashColumns uses for a single column.
func HashInt64(x int64) uint64 { return spread(uint64(x)^hashK0, hashK1) }

// HashFloat64 hashes a double so that -0 equals 0 and every NaN equals every other.
func HashFloat64(f float64) uint64 {
	if f == 0 {
		f = 0
	} else if f != f {
		f = math.NaN()
	}
	return spread(math.Float64bits(f)^hashK0, hashK1)
}

func hash128(hi, lo uint64) uint64 { return spread(lo^hashK0, hi^hashK1) }

// HashBytes hashes a byte string; equal strings hash equal whether they sit inside a View or in a buffer.
func HashBytes(s []byte) uint64 {
	n := uint64(len(s))
	if len(s) <= inlineBytes {
		var b [16]byte
		copy(b[:], s)
		return spread(binary.LittleEndian.Uint64(b[:])^hashK0^n, binary.LittleEndian.Uint64(b[8:])^hashK1)
	}
	h := n ^ hashK2
	rest := s
	for len(rest) > 16 {
		h = mix(binary.LittleEndian.Uint64(rest)^hashK0, binary.LittleEndian.Uint64(rest[8:])^h)
		rest = rest[16:]
	}
	// The last 16 bytes (or 13 to 16 in all) are read with overlap, which needs no copy.
	if len(s) >= 16 {
		tail := s[len(s)-16:]
		return spread(binary.LittleEndian.Uint64(tail)^hashK1, binary.LittleEndian.Uint64(tail[8:])^h)
	}
	return spread(binary.LittleEndian.Uint64(s)^hashK1, binary.LittleEndian.Uint64(s[len(s)-8:])^h)
}

func hashView(v *View, bufs [][]byte) uint64 {
	if v.n <= inlineBytes {
		return spread((uint64(v.b)<<32|uint64(v.a))^hashK0^uint64(v.n), uint64(v.c)^hashK1)
	}
	return HashBytes(v.Bytes(bufs))
}

// HashColumns hashes the first n rows of the columns into out. NULLs hash equal; equal values of any form hash equal; a dictionary entry
// is hashed once. Variants hash by their bytes, so they must be canonical. Shredded vectors must be flattened before.
func HashColumns(cols []*Vector, n int, out []uint64) {
	out = out[:n]
	if len(cols) == 0 {
		clear(out)
		return
	}
	hashColumn(cols[0], n, out)
	if len(cols) == 1 {
		return
	}
	next := make([]uint64, n)
	for _, c := range cols[1:] {
		hashColumn(c, n, next)
		for i, h := range next {
			out[i] = mix(bits.RotateLeft64(out[i], 29)^h, hashK2)
		}
	}
}

// hashColumn sets out to the hashes of the n rows of v.
func hashColumn(v *Vector, n int, out []uint64) {
	switch {
	case v.Type.Kind == types.Null:
		fill(out, hashNull)
		return
	case v.Form == Constant:
		h := uint64(hashNull)
		if n > 0 && !v.IsNull(0) {
			var one [1]uint64
			flat := *v
			flat.Form, flat.Len = Flat, 1
			hashFlat(&flat, one[:])
			h = one[0]
		}
		fill(out, h)
		return
	case v.Form == Dictionary:
		entries := make([]uint64, v.Dict.Len)
		hashFlat(v.Dict, entries)
		for i, c := range v.Codes[:n] {
			out[i] = entries[c]
		}
	default:
		hashFlat(v, out)
	}
	if v.Valid != nil {
		for i := range out {
			if !v.Valid.Get(i) {
				out[i] = hashNull
			}
		}
	}
}

func fill(out []uint64, h uint64) {
	for i := range out {
		out[i] = h
	}
}

// hashFlat hashes the entries of a Flat vector without regard to NULL.
func hashFlat(v *Vector, out []uint64) {
	switch d := v.Data.(type) {
	case []bool:
		Map1(out, d, func(x bool) uint64 { return HashInt64(int64(boolByte(x))) })
	case []int8:
		Map1(out, d, func(x int8) uint64 { return HashInt64(int64(x)) })
	case []int16:
		Map1(out, d, func(x int16) uint64 { return HashInt64(int64(x)) })
	case []int32:
		Map1(out, d, func(x int32) uint64 { return HashInt64(int64(x)) })
	case []int64:
		Map1(out, d, HashInt64)
	case []uint32:
		Map1(out, d, func(x uint32) uint64 { return HashInt64(int64(x)) })
	case []types.Int128:
		Map1(out, d, func(x types.Int128) uint64 { return hash128(uint64(x.Hi), x.Lo) })
	case []types.Uint128:
		Map1(out, d, func(x types.Uint128) uint64 { return hash128(x.Hi, x.Lo) })
	case []types.Int256:
		Map1(out, d, func(x types.Int256) uint64 { return mix(hash128(x[3], x[2]), hash128(x[1], x[0])^hashK2) })
	case []float32:
		Map1(out, d, func(x float32) uint64 { return HashFloat64(float64(x)) })
	case []float64:
		Map1(out, d, HashFloat64)
	case []types.IntervalValue:
		Map1(out, d, func(x types.IntervalValue) uint64 {
			months, micros := normalInterval(x)
			return hash128(uint64(months), uint64(micros))
		})
	case []View:
		for i := range out {
			out[i] = hashView(&d[i], v.Bufs)
		}
	case nil:
		hashNested(v, out)
	default:
		panic(fmt.Sprintf("BUG: hash of %T", d))
	}
}

// hashNested folds the hashes of elements or members in order.
func hashNested(v *Vector, out []uint64) {
	if v.Type.Phys() == types.PhysStruct {
		HashColumns(v.Children, len(out), out)
		for i, h := range out {
			out[i] = mix(h^hashK1, hashK0) // so that a struct of NULLs is not NULL
		}
		return
	}
	child := v.Children[0]
	elems := make([]uint64, child.Len)
	hashColumn(child, child.Len, elems)
	for i := range out {
		h := uint64(hashK2)
		for _, e := range elems[v.Offsets[i]:v.Offsets[i+1]] {
			h = mix(h^e, hashK1)
		}
		out[i] = h
	}
}
