package function

import (
	"math"
	"math/bits"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// sketchBits is the logarithm of the number of registers: 4096, a standard error of 1.04 / sqrt(4096) = 1.6 %.
const sketchBits = 12

// exactHashes is how many different hashes a sketch keeps before it turns to registers.
const exactHashes = 1024

// sketch estimates the number of different hashes: exactly while there are few, then by HyperLogLog.
type sketch struct {
	exact     map[uint64]struct{}
	registers []uint8
}

func (s *sketch) add(h uint64) {
	if s.registers == nil {
		if s.exact == nil {
			s.exact = map[uint64]struct{}{}
		}
		s.exact[h] = struct{}{}
		if len(s.exact) <= exactHashes {
			return
		}
		s.registers = make([]uint8, 1<<sketchBits)
		for x := range s.exact {
			s.register(x)
		}
		s.exact = nil
		return
	}
	s.register(h)
}

func (s *sketch) register(h uint64) {
	k := h >> (64 - sketchBits)
	rank := uint8(bits.LeadingZeros64(h<<sketchBits|1<<(sketchBits-1)) + 1)
	s.registers[k] = max(s.registers[k], rank)
}

func (s *sketch) merge(o *sketch) {
	if o.registers == nil {
		for h := range o.exact {
			s.add(h)
		}
		return
	}
	if s.registers == nil {
		exact := s.exact
		s.registers, s.exact = make([]uint8, 1<<sketchBits), nil
		for h := range exact {
			s.register(h)
		}
	}
	for k, r := range o.registers {
		s.registers[k] = max(s.registers[k], r)
	}
}

func (s *sketch) estimate() int64 {
	if s.registers == nil {
		return int64(len(s.exact))
	}
	const m = 1 << sketchBits
	sum, zeros := 0.0, 0
	for _, r := range s.registers {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			zeros++
		}
	}
	e := 0.7213 / (1 + 1.079/m) * m * m / sum
	if e <= 2.5*m && zeros > 0 {
		e = m * math.Log(float64(m)/float64(zeros)) // linear counting
	}
	return int64(math.Round(e))
}

// sketchState has a sketch for each group.
type sketchState struct{ sketches []sketch }

func (s *sketchState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.sketches = grown(s.sketches, count)
	v := args[0]
	if v.Form == vec.Shredded {
		v = flatten(v)
	}
	hashes := make([]uint64, n)
	vec.HashColumns([]*vec.Vector{v}, n, hashes)
	for i, h := range hashes {
		if !v.IsNull(i) {
			s.sketches[groupOf(groups, i)].add(h)
		}
	}
	return nil
}

func (s *sketchState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.sketches = grown(s.sketches, count)
	o := other.(*sketchState)
	for i, g := range from {
		if int(g) < len(o.sketches) {
			s.sketches[to[i]].merge(&o.sketches[g])
		}
	}
	return nil
}

func (s *sketchState) Finish(from, to int) (*vec.Vector, error) {
	out := make([]int64, to-from)
	for i := range out {
		if g := from + i; g < len(s.sketches) {
			out[i] = s.sketches[g].estimate()
		}
	}
	return vec.NewFlat(types.Of(types.BigInt), out, nil), nil
}

func (s *sketchState) SizeBytes() int64 {
	n := int64(cap(s.sketches)) * 32
	for i := range s.sketches {
		n += int64(len(s.sketches[i].registers)) + int64(len(s.sketches[i].exact))*16
	}
	return n
}
