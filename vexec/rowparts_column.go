package vexec

import (
	"unsafe"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// newColumnParts makes an empty column for values of type t.
func newColumnParts(t types.Type) columnParts {
	switch t.Phys() {
	case types.PhysBool:
		return newFixedParts[bool](t, 1)
	case types.PhysInt8:
		return newFixedParts[int8](t, 1)
	case types.PhysInt16:
		return newFixedParts[int16](t, 1)
	case types.PhysInt32:
		return newFixedParts[int32](t, 1)
	case types.PhysInt64:
		return newFixedParts[int64](t, 1)
	case types.PhysInt128:
		return newFixedParts[types.Int128](t, 1)
	case types.PhysInt256:
		return newFixedParts[types.Int256](t, 1)
	case types.PhysUint32:
		return newFixedParts[uint32](t, 1)
	case types.PhysUint128:
		return newFixedParts[types.Uint128](t, 1)
	case types.PhysFloat32:
		return newFixedParts[float32](t, 1)
	case types.PhysFloat64:
		return newFixedParts[float64](t, 1)
	case types.PhysInterval:
		return newFixedParts[types.IntervalValue](t, 1)
	case types.PhysString:
		return newTextParts(t)
	}
	return &builderParts{t: t}
}

// fixedParts is a column of fixed-width values, per of them a row.
type fixedParts[T any] struct {
	t   types.Type
	per int
	// chunks are the values of each chunk of each partition, last those of the last one.
	chunks [rowPartCount][][]T
	last   [rowPartCount][]T
	// nulls has the rows that are NULL, by chunk; nil where none is.
	nulls [rowPartCount][][]bool
}

func newFixedParts[T any](t types.Type, per int) *fixedParts[T] {
	return &fixedParts[T]{t: t, per: per}
}

func (c *fixedParts[T]) open(p, n int) int64 {
	c.last[p] = make([]T, n*c.per)
	c.chunks[p] = append(c.chunks[p], c.last[p])
	c.nulls[p] = append(c.nulls[p], nil)
	var one T
	return int64(n*c.per) * int64(unsafe.Sizeof(one))
}

func (c *fixedParts[T]) put(v *vec.Vector, part []uint8, at []int32) int64 {
	v = flat(v)
	if v.Form != vec.Flat {
		return c.putNulls(vec.NewBitmap(len(part)), part, at) // of the NULL type
	}
	c.putSlice(vec.Slice[T](v), part, at)
	if v.Valid == nil {
		return 0
	}
	return c.putNulls(v.Valid, part, at)
}

// putSlice is put for values that are not NULL.
func (c *fixedParts[T]) putSlice(data []T, part []uint8, at []int32) {
	at = at[:len(part)]
	if c.per == 1 {
		data = data[:len(part)]
		for i, p := range part {
			c.last[p][at[i]] = data[i]
		}
		return
	}
	for i, p := range part {
		copy(c.last[p][int(at[i])*c.per:], data[i*c.per:(i+1)*c.per])
	}
}

// putNulls notes the rows that are not valid.
func (c *fixedParts[T]) putNulls(valid vec.Bitmap, part []uint8, at []int32) (bytes int64) {
	for i, p := range part {
		if valid.Get(i) {
			continue
		}
		k := len(c.nulls[p]) - 1
		if c.nulls[p][k] == nil {
			c.nulls[p][k] = make([]bool, len(c.last[p])/c.per)
			bytes += int64(len(c.nulls[p][k]))
		}
		c.nulls[p][k][at[i]] = true
	}
	return bytes
}

// valid returns which of the first n rows of a chunk are not NULL, nil if all are.
func (c *fixedParts[T]) valid(p, k, n int) vec.Bitmap {
	nulls := c.nulls[p][k]
	if nulls == nil {
		return nil
	}
	out := vec.NewBitmapSet(n)
	for i, null := range nulls[:n] {
		if null {
			out.Clear(i)
		}
	}
	return out
}

func (c *fixedParts[T]) vector(p, k, n int) *vec.Vector {
	return vec.NewFlat(c.t, c.chunks[p][k][:n], c.valid(p, k, n))
}

func (c *fixedParts[T]) free(p int) { c.chunks[p], c.last[p], c.nulls[p] = nil, nil, nil }

// textParts is a column of texts, which lie in an arena for each partition.
type textParts struct {
	fixedParts[vec.View]
	arenas [rowPartCount]arena
}

func newTextParts(t types.Type) *textParts {
	return &textParts{fixedParts: fixedParts[vec.View]{t: t, per: 1}}
}

func (c *textParts) put(v *vec.Vector, part []uint8, at []int32) int64 {
	v = flat(v)
	if v.Form != vec.Flat {
		return c.putNulls(vec.NewBitmap(len(part)), part, at)
	}
	bytes := int64(0)
	if v.Valid != nil {
		bytes = c.putNulls(v.Valid, part, at)
	}
	return bytes + c.putViews(vec.Slice[vec.View](v), v.Bufs, part, at)
}

// putViews is put for texts that are not NULL.
func (c *textParts) putViews(views []vec.View, bufs [][]byte, part []uint8, at []int32) (bytes int64) {
	at, views = at[:len(part)], views[:len(part)]
	for i, p := range part {
		if v := &views[i]; v.Inline() {
			c.last[p][at[i]] = *v
			continue
		}
		a := &c.arenas[p]
		before := a.bytes
		c.last[p][at[i]] = a.store(&views[i], bufs)
		bytes += a.bytes - before
	}
	return bytes
}

func (c *textParts) vector(p, k, n int) *vec.Vector {
	return vec.NewText(c.t, c.chunks[p][k][:n:n], c.arenas[p].bufs, c.valid(p, k, n))
}

func (c *textParts) free(p int) {
	c.fixedParts.free(p)
	c.arenas[p] = arena{}
}

// builderParts is a column of values of any other type.
type builderParts struct {
	t      types.Type
	chunks [rowPartCount][]*vec.Builder
}

// builtRowBytes is a guess at the size of a value that a builder keeps.
const builtRowBytes = 64

func (c *builderParts) open(p, n int) int64 {
	c.chunks[p] = append(c.chunks[p], vec.NewBuilder(c.t, n))
	return 0
}

func (c *builderParts) put(v *vec.Vector, part []uint8, _ []int32) int64 {
	v = plain(v)
	for i, p := range part {
		c.chunks[p][len(c.chunks[p])-1].AppendFrom(v, i)
	}
	return int64(len(part)) * builtRowBytes
}

func (c *builderParts) vector(p, k, _ int) *vec.Vector { return c.chunks[p][k].Finish() }

func (c *builderParts) free(p int) { c.chunks[p] = nil }
