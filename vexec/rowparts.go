package vexec

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// rowParts keeps rows, as the keys of a hash table and some input columns, by the upper bits of their hash. Writing them one after the
// other costs little however many there are; later each partition is aggregated by itself, in a table that fits a cache.
type rowParts struct {
	layout *keyLayout
	rows   int
	bytes  int64

	// chunks are the rows in each chunk of each partition; the columns have chunks of the same numbers.
	chunks [rowPartCount][]int32
	// room is the capacity of the last chunk of each partition.
	room [rowPartCount]int32

	hash  *fixedParts[uint64] // NULL for keys that are NULL
	words *fixedParts[uint64] // layout.words a row
	views *textParts
	// kept are the key columns that cannot be made from keys, inputs the other columns.
	kept   map[int]columnParts
	inputs []columnParts

	// Where each row of the present batch goes: partition and place in its last chunk.
	part []uint8
	at   []int32
}

const (
	// rowPartBits is the logarithm of the number of partitions: enough for tables of some ten million groups to fit a cache each, and
	// few enough for a processor to write to all at once.
	rowPartBits  = 8
	rowPartCount = 1 << rowPartBits

	// The first chunk of a partition is small, since there may be few rows.
	minChunkRows = 256
	maxChunkRows = 4096
)

// columnParts is one column of rowParts.
type columnParts interface {
	// open starts a chunk of partition p with room for n rows, and returns the bytes taken.
	open(p, n int) int64
	// put appends the rows of v to partition and place.
	put(v *vec.Vector, part []uint8, at []int32) int64
	// vector returns the first n rows of chunk k of partition p.
	vector(p, k, n int) *vec.Vector
	// free forgets partition p.
	free(p int)
}

func newRowParts(l *keyLayout, inputs []types.Type) *rowParts {
	s := &rowParts{layout: l, hash: newFixedParts[uint64](types.Of(types.BigInt), 1), kept: map[int]columnParts{}}
	if l.form == keyWords {
		s.words = newFixedParts[uint64](types.Of(types.BigInt), l.words)
	} else {
		s.views = newTextParts(types.Of(types.Binary))
	}
	if l.form == keyRow {
		for c, t := range l.types {
			if fixedBits(t) == 0 && t.Phys() != types.PhysString {
				s.kept[c] = newColumnParts(t)
			}
		}
	}
	for _, t := range inputs {
		s.inputs = append(s.inputs, newColumnParts(t))
	}
	return s
}

// add appends the rows of kb, whose keys are settled, with their inputs.
func (s *rowParts) add(kb *keyBatch, inputs []*vec.Vector) {
	n := kb.n
	s.place(kb.hash[:n])
	s.hash.putSlice(kb.hash[:n], s.part, s.at)
	if kb.valid != nil {
		s.bytes += s.hash.putNulls(kb.valid, s.part, s.at)
	}
	if s.words != nil {
		s.words.putSlice(kb.words[:n*s.layout.words], s.part, s.at)
	} else {
		s.bytes += s.views.putViews(kb.views[:n], kb.bufs, s.part, s.at)
	}
	for c, col := range s.kept {
		s.bytes += col.put(kb.cols[c], s.part, s.at)
	}
	for i, v := range inputs {
		s.bytes += s.inputs[i].put(v, s.part, s.at)
	}
	s.rows += n
}

// place decides where the rows of a batch go.
func (s *rowParts) place(hash []uint64) {
	s.part, s.at = sized(s.part, len(hash)), sized(s.at, len(hash))
	var count [rowPartCount]int32
	for i, h := range hash {
		p := uint8(h >> (64 - rowPartBits))
		s.part[i] = p
		count[p]++
	}
	var fill [rowPartCount]int32
	for p, n := range count {
		if n == 0 {
			continue
		}
		last := len(s.chunks[p]) - 1
		if last < 0 || s.chunks[p][last]+n > s.room[p] {
			s.open(p, n)
			last++
		}
		fill[p] = s.chunks[p][last]
		s.chunks[p][last] += n
	}
	for i, p := range s.part {
		s.at[i] = fill[p]
		fill[p]++
	}
}

// open starts a chunk with room for at least n rows.
func (s *rowParts) open(p int, n int32) {
	room := max(n, min(max(2*s.room[p], minChunkRows), maxChunkRows))
	s.room[p] = room
	s.chunks[p] = append(s.chunks[p], 0)
	s.bytes += s.hash.open(p, int(room))
	if s.words != nil {
		s.bytes += s.words.open(p, int(room))
	} else {
		s.bytes += s.views.open(p, int(room))
	}
	for _, col := range s.kept {
		s.bytes += col.open(p, int(room))
	}
	for _, col := range s.inputs {
		s.bytes += col.open(p, int(room))
	}
}

// read returns chunk k of partition p: its keys in kb, and its inputs.
func (s *rowParts) read(p, k int, kb *keyBatch) []*vec.Vector {
	n := int(s.chunks[p][k])
	*kb = keyBatch{n: n, hash: s.hash.chunks[p][k][:n], valid: s.hash.valid(p, k, n)}
	if s.words != nil {
		kb.words = s.words.chunks[p][k][:n*s.layout.words]
	} else {
		kb.views, kb.bufs = s.views.chunks[p][k][:n], s.views.arenas[p].bufs
	}
	if len(s.kept) > 0 {
		kb.cols = make([]*vec.Vector, len(s.layout.types))
		for c, col := range s.kept {
			kb.cols[c] = col.vector(p, k, n)
		}
	}
	inputs := make([]*vec.Vector, len(s.inputs))
	for i, col := range s.inputs {
		inputs[i] = col.vector(p, k, n)
	}
	return inputs
}

// free forgets the rows of partition p.
func (s *rowParts) free(p int) {
	s.chunks[p], s.room[p] = nil, 0
	s.hash.free(p)
	if s.words != nil {
		s.words.free(p)
	} else {
		s.views.free(p)
	}
	for _, col := range s.kept {
		col.free(p)
	}
	for _, col := range s.inputs {
		col.free(p)
	}
}
