package vexec

import (
	"encoding/binary"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// textKey is a text or binary sort key. Its prefixes begin behind the bytes that all values share, which many columns have (URLs,
// paths, names with a number).
type textKey struct {
	v     *vec.Vector
	views []vec.View
	order vec.Order
	// skip is the number of bytes that all values share.
	skip int
}

// prefixBytes is the number of whole bytes that a first prefix surely compares; one bit of the eighth gives way to NULL.
const prefixBytes = 7

// newTextKey returns nil if v is not a Flat text vector.
func newTextKey(v *vec.Vector, o vec.Order) *textKey {
	if v.Type.Phys() != types.PhysString || v.Form != vec.Flat || v.Len == 0 {
		return nil
	}
	k := &textKey{v: v, views: vec.Slice[vec.View](v), order: o}
	k.skip = k.shared()
	return k
}

func (k *textKey) null(row int32) bool { return !k.v.Valid.Get(int(row)) }

// shared returns how many bytes all values that are not NULL begin with.
func (k *textKey) shared() int {
	var first []byte
	n := -1
	for i := range k.views {
		if k.null(int32(i)) {
			continue
		}
		b := k.views[i].Bytes(k.v.Bufs)
		if n < 0 {
			first, n = b, len(b)
			continue
		}
		if len(b) < n {
			n = len(b)
		}
		if string(b[:n]) == string(first[:n]) {
			continue
		}
		for j := range n {
			if b[j] != first[j] {
				n = j
				break
			}
		}
		if n == 0 {
			return 0
		}
	}
	return max(n, 0)
}

// at returns the eight bytes from an offset on, zero padded, as a number that orders like them.
func (k *textKey) at(row int32, from int) uint64 {
	b := k.views[row].Bytes(k.v.Bufs)
	var p uint64
	switch {
	case len(b) >= from+8:
		p = binary.BigEndian.Uint64(b[from:])
	case len(b) > from:
		var pad [8]byte
		copy(pad[:], b[from:])
		p = binary.BigEndian.Uint64(pad[:])
	}
	if k.order.Desc {
		return ^p
	}
	return p
}

// prefixes sets out to the prefixes of all rows; the highest bit parts NULL from values.
func (k *textKey) prefixes(out []uint64) {
	const top = 1 << 63
	for i := range out {
		switch {
		case k.null(int32(i)):
			out[i] = top
			if k.order.NullsFirst {
				out[i] = 0
			}
		case k.order.NullsFirst:
			out[i] = k.at(int32(i), k.skip)>>1 | top
		default:
			out[i] = k.at(int32(i), k.skip) >> 1
		}
	}
}
