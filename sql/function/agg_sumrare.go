package function

import (
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// sum256 is a sum of DECIMALs of more than 38 digits; bad tells that it left 256 bits.
type sum256 struct {
	sum types.Int256
	n   int64
	bad bool
}

func (s *sum256) add(x types.Int256) {
	sum, ok := s.sum.Add(x)
	s.sum = sum
	s.n++
	s.bad = s.bad || !ok
}

// sumWidest sums DECIMALs of more than 38 digits.
type sumWidest struct {
	sumBase
	sums []sum256
}

func (s *sumWidest) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.sums = grown(s.sums, count)
	data, g := dense[types.Int256](groups, args[0], n)
	fold(s.sums, g, data, func(s *sum256, x types.Int256) { s.add(x) })
	return nil
}

func (s *sumWidest) Merge(other Accumulator, mapping []uint32, count int) error {
	s.sums = grown(s.sums, count)
	for g, x := range other.(*sumWidest).sums {
		t := &s.sums[mapping[g]]
		n := t.n + x.n
		t.add(x.sum)
		t.n, t.bad = n, t.bad || x.bad
	}
	return nil
}

func (s *sumWidest) Finish(from, to int) (*vec.Vector, error) {
	b := vec.NewBuilder(s.ret, to-from)
	for g := from; g < to; g++ {
		var x sum256
		if g < len(s.sums) {
			x = s.sums[g]
		}
		if x.bad {
			return nil, sqlerr.New(sqlerr.OutOfRange, "a sum is out of range for %s", s.ret)
		}
		if err := s.append(b, x.sum, x.n); err != nil {
			return nil, err
		}
	}
	return b.Finish(), nil
}

func (s *sumWidest) SizeBytes() int64 { return int64(cap(s.sums)) * 48 }

// intervalSums is a sum of intervals; bad tells that a part overflowed.
type intervalSums struct {
	sum types.IntervalValue
	n   int64
	bad bool
}

func (s *intervalSums) add(x types.IntervalValue) {
	sum, ok := AddIntervals(s.sum, x)
	s.sum, s.bad = sum, s.bad || !ok
	s.n++
}

// intervalState sums intervals part by part.
type intervalState struct{ sums []intervalSums }

func (s *intervalState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.sums = grown(s.sums, count)
	data, g := dense[types.IntervalValue](groups, args[0], n)
	fold(s.sums, g, data, func(s *intervalSums, x types.IntervalValue) { s.add(x) })
	return nil
}

func (s *intervalState) Merge(other Accumulator, mapping []uint32, count int) error {
	s.sums = grown(s.sums, count)
	for g, x := range other.(*intervalState).sums {
		t := &s.sums[mapping[g]]
		n := t.n + x.n
		t.add(x.sum)
		t.n, t.bad = n, t.bad || x.bad
	}
	return nil
}

func (s *intervalState) Finish(from, to int) (*vec.Vector, error) {
	b := vec.NewBuilder(types.Of(types.Interval), to-from)
	for g := from; g < to; g++ {
		switch {
		case g >= len(s.sums) || s.sums[g].n == 0:
			b.AppendNull()
		case s.sums[g].bad:
			return nil, sqlerr.New(sqlerr.OutOfRange, "a sum is out of range for INTERVAL")
		default:
			vec.Append(b, s.sums[g].sum)
		}
	}
	return b.Finish(), nil
}

func (s *intervalState) SizeBytes() int64 { return int64(cap(s.sums)) * 32 }
