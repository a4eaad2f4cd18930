package function

import (
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// checkedSum is a sum of n values; bad tells that it left the range of its type.
type checkedSum[T any] struct {
	sum T
	n   int64
	bad bool
}

// checkedSums are sums by group whose addition add reports false for a result out of range.
type checkedSums[T any] struct {
	add  func(a, b T) (T, bool)
	sums []checkedSum[T]
}

// plus adds n values that sum up to x.
func (s *checkedSums[T]) plus(t *checkedSum[T], x T, n int64) {
	sum, ok := s.add(t.sum, x)
	t.sum, t.n, t.bad = sum, t.n+n, t.bad || !ok
}

func (s *checkedSums[T]) update(groups []uint32, count int, v *vec.Vector, n int) {
	s.sums = grown(s.sums, count)
	data, g := dense[T](groups, v, n)
	fold(s.sums, g, data, func(t *checkedSum[T], x T) { s.plus(t, x, 1) })
}

func (s *checkedSums[T]) merge(other []checkedSum[T], from, to []uint32, count int) {
	s.sums = grown(s.sums, count)
	for i, g := range from {
		if int(g) >= len(other) {
			continue
		}
		t, x := &s.sums[to[i]], other[g]
		s.plus(t, x.sum, x.n)
		t.bad = t.bad || x.bad
	}
}

// finish calls f with the sum of each group in [from, to), none for groups never seen. The error names the result type.
func (s *checkedSums[T]) finish(from, to int, ret types.Type, f func(sum T, n int64) error) error {
	for g := from; g < to; g++ {
		var x checkedSum[T]
		if g < len(s.sums) {
			x = s.sums[g]
		}
		if x.bad {
			return sqlerr.New(sqlerr.OutOfRange, "a sum is out of range for %s", ret)
		}
		if err := f(x.sum, x.n); err != nil {
			return err
		}
	}
	return nil
}

// sumWidest sums DECIMALs of more than 38 digits.
type sumWidest struct {
	sumBase
	checkedSums[types.Int256]
}

func newSumWidest(b sumBase) *sumWidest {
	return &sumWidest{b, checkedSums[types.Int256]{add: types.Int256.Add}}
}

func (s *sumWidest) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.update(groups, count, args[0], n)
	return nil
}

func (s *sumWidest) Merge(other Accumulator, from, to []uint32, count int) error {
	s.merge(other.(*sumWidest).sums, from, to, count)
	return nil
}

func (s *sumWidest) Finish(from, to int) (*vec.Vector, error) {
	b := vec.NewBuilder(s.ret, to-from)
	err := s.finish(from, to, s.ret, func(sum types.Int256, n int64) error { return s.append(b, sum, n) })
	if err != nil {
		return nil, err
	}
	return b.Finish(), nil
}

func (s *sumWidest) SizeBytes() int64 { return int64(cap(s.sums)) * 48 }

// intervalState sums intervals part by part.
type intervalState struct {
	checkedSums[types.IntervalValue]
}

func newIntervalState() *intervalState {
	return &intervalState{checkedSums[types.IntervalValue]{add: AddIntervals}}
}

func (s *intervalState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.update(groups, count, args[0], n)
	return nil
}

func (s *intervalState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.merge(other.(*intervalState).sums, from, to, count)
	return nil
}

func (s *intervalState) Finish(from, to int) (*vec.Vector, error) {
	t := types.Of(types.Interval)
	b := vec.NewBuilder(t, to-from)
	err := s.finish(from, to, t, func(sum types.IntervalValue, n int64) error {
		if n == 0 {
			b.AppendNull()
		} else {
			vec.Append(b, sum)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b.Finish(), nil
}

func (s *intervalState) SizeBytes() int64 { return int64(cap(s.sums)) * 32 }
