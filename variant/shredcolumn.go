package variant

import (
	"slices"

	"github.com/ebira-db/ebira/vec"
)

// push is append with doubling, which copies less than append's growth does for long columns.
func push[T any](s []T, x T) []T {
	if len(s) == cap(s) {
		s = slices.Grow(s, max(4, len(s)))
	}
	return append(s, x)
}

// column holds the values of one kind of a path with their rows, ascending.
type column[T any] struct {
	rows []uint32
	vals []T
}

func (c *column[T]) append(row uint32, x T) {
	c.rows, c.vals = push(c.rows, row), push(c.vals, x)
}

// pop drops the values from row on.
func (c *column[T]) pop(row uint32) {
	if c == nil {
		return
	}
	n := len(popRow(c.rows, row))
	c.rows, c.vals = c.rows[:n], c.vals[:n]
}

func (c *column[T]) len() int {
	if c == nil {
		return 0
	}
	return len(c.rows)
}

// popRow drops the rows from row on from a row list.
func popRow(rows []uint32, row uint32) []uint32 {
	n := len(rows)
	for n > 0 && rows[n-1] >= row {
		n--
	}
	return rows[:n]
}

// texts is a column of byte strings in buffers of their own, so that a column can be read without touching the others.
type texts struct {
	column[vec.View]
	bufs [][]byte
}

// The sizes of a texts buffer double from the least to the most.
const (
	leastTextBuffer = 512
	mostTextBuffer  = 512 << 10
)

func (t *texts) append(row uint32, s []byte) {
	t.column.append(row, t.store(s))
}

func (t *texts) store(s []byte) vec.View {
	if v := vec.MakeView(s, 0, 0); v.Inline() {
		return v
	}
	last := len(t.bufs) - 1
	if last < 0 || len(t.bufs[last])+len(s) > cap(t.bufs[last]) {
		size := leastTextBuffer
		if last >= 0 {
			size = min(2*cap(t.bufs[last]), mostTextBuffer)
		}
		t.bufs = append(t.bufs, make([]byte, 0, max(size, len(s))))
		last++
	}
	off := len(t.bufs[last])
	t.bufs[last] = append(t.bufs[last], s...)
	return vec.MakeView(s, last, off)
}

func (t *texts) pop(row uint32) {
	if t == nil {
		return
	}
	n := len(t.rows)
	for ; n > 0 && t.rows[n-1] >= row; n-- {
		if v := t.vals[n-1]; !v.Inline() && v.Buffer() == len(t.bufs)-1 {
			t.bufs[v.Buffer()] = t.bufs[v.Buffer()][:v.Offset()]
		}
	}
	t.rows, t.vals = t.rows[:n], t.vals[:n]
}

func (t *texts) len() int {
	if t == nil {
		return 0
	}
	return len(t.rows)
}

func (t *texts) at(i int) []byte { return t.vals[i].Bytes(t.bufs) }

func (t *texts) sizeBytes() int64 {
	if t == nil {
		return 0
	}
	n := int64(cap(t.rows)*4 + cap(t.vals)*16)
	for _, b := range t.bufs {
		n += int64(cap(b))
	}
	return n
}

// values is a column of encoded values. private tells that some may hold private type ids.
type values struct {
	texts
	private bool
}

// extras is a column of members that got no node of their own: several may have the same row, of equal names the last counts.
type extras struct {
	values
	ids []uint32
}

func (x *extras) add(row, id uint32, v []byte) {
	x.append(row, v)
	x.ids = push(x.ids, id)
}

// popAll drops all members from row on.
func (x *extras) popAll(row uint32) {
	if x == nil {
		return
	}
	x.texts.pop(row)
	x.ids = x.ids[:len(x.rows)]
}
