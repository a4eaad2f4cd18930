package catalog

import (
	"github.com/RoaringBitmap/roaring/v2"
)

// DeletionVector is the set of deleted ordinals of one segment or batch. It is immutable; deleting more rows makes a new one.
// The nil vector is empty.
type DeletionVector struct{ rows *roaring.Bitmap }

// NewDeletionVector makes a vector of the given ordinals.
func NewDeletionVector(ordinals ...uint32) *DeletionVector {
	return &DeletionVector{roaring.BitmapOf(ordinals...)}
}

// Count returns the number of deleted rows.
func (d *DeletionVector) Count() int64 {
	if d == nil {
		return 0
	}
	return int64(d.rows.GetCardinality())
}

// Contains reports whether a row is deleted.
func (d *DeletionVector) Contains(ordinal uint32) bool { return d != nil && d.rows.Contains(ordinal) }

// Ordinals returns the deleted rows in [from, to), ascending.
func (d *DeletionVector) Ordinals(from, to uint32) []uint32 {
	if d == nil {
		return nil
	}
	var out []uint32
	it := d.rows.Iterator()
	for it.AdvanceIfNeeded(from); it.HasNext(); {
		o := it.Next()
		if o >= to {
			break
		}
		out = append(out, o)
	}
	return out
}

// Union returns the rows deleted in either.
func (d *DeletionVector) Union(o *DeletionVector) *DeletionVector {
	switch {
	case d == nil:
		return o
	case o == nil:
		return d
	}
	return &DeletionVector{roaring.Or(d.rows, o.rows)}
}

// Minus returns the rows deleted in d but not in o.
func (d *DeletionVector) Minus(o *DeletionVector) *DeletionVector {
	if d == nil || o == nil {
		return d
	}
	return &DeletionVector{roaring.AndNot(d.rows, o.rows)}
}

// Intersects reports whether some row is deleted in both.
func (d *DeletionVector) Intersects(o *DeletionVector) bool {
	return d != nil && o != nil && d.rows.Intersects(o.rows)
}

// idHasher hashes segment and table ids for persistent maps.
type idHasher[K ~uint64] struct{}

func (idHasher[K]) Hash(k K) uint32   { return uint32(uint64(k) * 0x9E3779B97F4A7C15 >> 32) }
func (idHasher[K]) Equal(a, b K) bool { return a == b }
