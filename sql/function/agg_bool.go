package function

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func init() {
	logic := func(names, about string, and bool) {
		defineAggregate(names, about, "(boolean) -> boolean", func(args []Arg, _ Option) (*Aggregate, error) {
			if len(args) != 1 || args[0].Type.Kind != types.Boolean && args[0].Type.Kind != types.Null {
				return nil, nil
			}
			t := types.Of(types.Boolean)
			return oneArg(t, t, func(*Ctx) Accumulator { return &logicState{and: and} }), nil
		})
	}
	logic("bool_and every", "Whether all values are true.", true)
	logic("bool_or some_true", "Whether one value is true.", false)
	bitwise := func(names, about string, f func(s *bitState, x int64)) {
		defineAggregate(names, about, "(bigint) -> bigint", func(args []Arg, _ Option) (*Aggregate, error) {
			if len(args) != 1 || !args[0].Type.IsInteger() && args[0].Type.Kind != types.Null {
				return nil, nil
			}
			t := types.Of(types.BigInt)
			return oneArg(t, t, func(*Ctx) Accumulator { return &bitStates{add: f} }), nil
		})
	}
	bitwise("bit_and group_bit_and", "The bits set in all values.", func(s *bitState, x int64) {
		if !s.seen {
			s.bits = -1
		}
		s.bits, s.seen = s.bits&x, true
	})
	bitwise("bit_or group_bit_or", "The bits set in some value.", func(s *bitState, x int64) { s.bits, s.seen = s.bits|x, true })
	bitwise("bit_xor group_bit_xor", "The bits set in an odd number of values.", func(s *bitState, x int64) { s.bits, s.seen = s.bits^x, true })
}

// logicState tells for each group whether a decisive value was seen: false for AND, true for OR.
type logicState struct {
	and           bool
	seen, decided []bool
}

func (s *logicState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.seen, s.decided = grown(s.seen, count), grown(s.decided, count)
	data, g := dense[bool](groups, args[0], n)
	for i, x := range data {
		k := groupOf(g, i)
		s.seen[k] = true
		s.decided[k] = s.decided[k] || x != s.and
	}
	return nil
}

func (s *logicState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.seen, s.decided = grown(s.seen, count), grown(s.decided, count)
	o := other.(*logicState)
	for i, g := range from {
		if int(g) >= len(o.seen) {
			continue
		}
		k := to[i]
		s.seen[k] = s.seen[k] || o.seen[g]
		s.decided[k] = s.decided[k] || o.decided[g]
	}
	return nil
}

func (s *logicState) Finish(from, to int) (*vec.Vector, error) {
	b := vec.NewBuilder(types.Of(types.Boolean), to-from)
	for g := from; g < to; g++ {
		if g >= len(s.seen) || !s.seen[g] {
			b.AppendNull()
			continue
		}
		vec.Append(b, s.decided[g] != s.and)
	}
	return b.Finish(), nil
}

func (s *logicState) SizeBytes() int64 { return int64(cap(s.seen) + cap(s.decided)) }

type bitState struct {
	bits int64
	seen bool
}

// bitStates folds integers bit by bit.
type bitStates struct {
	states []bitState
	add    func(s *bitState, x int64)
}

func (s *bitStates) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.states = grown(s.states, count)
	data, g := dense[int64](groups, args[0], n)
	fold(s.states, g, data, s.add)
	return nil
}

func (s *bitStates) Merge(other Accumulator, from, to []uint32, count int) error {
	s.states = grown(s.states, count)
	o := other.(*bitStates).states
	for i, g := range from {
		if int(g) < len(o) && o[g].seen {
			s.add(&s.states[to[i]], o[g].bits)
		}
	}
	return nil
}

func (s *bitStates) Finish(from, to int) (*vec.Vector, error) {
	b := vec.NewBuilder(types.Of(types.BigInt), to-from)
	for g := from; g < to; g++ {
		if g >= len(s.states) || !s.states[g].seen {
			b.AppendNull()
			continue
		}
		vec.Append(b, s.states[g].bits)
	}
	return b.Finish(), nil
}

func (s *bitStates) SizeBytes() int64 { return int64(cap(s.states)) * 16 }
