package function

import (
	"cmp"
	"slices"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Ordering says that an aggregate takes the rows of a group in an order of their own: AGG(x ORDER BY y). Behind its arguments it takes the
// order keys as further ones.
type Ordering struct {
	// Args counts the arguments without the keys.
	Args   int
	Orders []vec.Order
	// Distinct says that of rows with equal arguments only the first counts.
	Distinct bool
}

// Equal tells whether two orderings, which may be nil, are the same.
func (o *Ordering) Equal(p *Ordering) bool {
	if o == nil || p == nil {
		return o == p
	}
	return o.Args == p.Args && o.Distinct == p.Distinct && slices.Equal(o.Orders, p.Orders)
}

// unordered are the aggregates whose result does not depend on the order of the rows.
var unordered = map[string]bool{
	"count": true, "count_if": true, "min": true, "max": true, "sum": true, "avg": true, "bool_and": true, "bool_or": true, "median": true,
	"quantile_cont": true, "quantile_disc": true, "approx_count_distinct": true,
}

// NewOrdered returns the aggregate over rows in the order of keys of the given types; a itself if the order means nothing to it.
func NewOrdered(a *Aggregate, distinct bool, keys []types.Type, orders []vec.Order) *Aggregate {
	if unordered[a.Name] {
		return a
	}
	inner := a
	if distinct {
		inner = NewDistinct(a)
	}
	out := *a
	out.Ordering = &Ordering{Args: len(a.Args), Orders: orders, Distinct: distinct}
	out.Args = append(slices.Clone(a.Args), keys...)
	ts := out.Args
	out.New = func(c *Ctx) Accumulator {
		return &orderedState{fresh: func() Accumulator { return inner.New(c) }, order: out.Ordering, types: ts}
	}
	return &out
}

// orderedState keeps all rows and sorts them when a result is asked for.
type orderedState struct {
	fresh func() Accumulator
	order *Ordering
	types []types.Type
	count int

	groups []uint32
	parts  [][]*vec.Vector // arguments and keys of the rows, in batches
	bytes  int64

	// cols and rows are the rows in order, nil when more have come since.
	cols []*vec.Vector
	rows []int32
}

func (s *orderedState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.count = max(s.count, count)
	if n == 0 {
		return nil
	}
	for i := range n {
		s.groups = append(s.groups, uint32(groupOf(groups, i)))
	}
	part := make([]*vec.Vector, len(args))
	for k, a := range args {
		part[k] = flatten(a)
	}
	s.keep(part)
	return nil
}

func (s *orderedState) keep(part []*vec.Vector) {
	for _, v := range part {
		s.bytes += v.SizeBytes()
	}
	s.parts = append(s.parts, part)
	s.cols, s.rows = nil, nil
}

func (s *orderedState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.count = max(s.count, count)
	o := other.(*orderedState)
	target := make([]int64, o.count)
	for i := range target {
		target[i] = -1
	}
	for i, g := range from {
		if int(g) < len(target) {
			target[g] = int64(to[i])
		}
	}
	at := 0
	for _, part := range o.parts {
		n := part[0].Len
		var rows []int32
		for i, g := range o.groups[at : at+n] {
			if t := target[g]; t >= 0 {
				rows = append(rows, int32(i))
				s.groups = append(s.groups, uint32(t))
			}
		}
		at += n
		if len(rows) == 0 {
			continue
		}
		kept := make([]*vec.Vector, len(part))
		for k, v := range part {
			if kept[k] = v; len(rows) < n {
				kept[k] = vec.GatherRows(v, rows)
			}
		}
		s.keep(kept)
	}
	return nil
}

// sort puts the rows in order: by group, by the keys, as they came.
func (s *orderedState) sort() {
	if s.rows != nil {
		return
	}
	s.cols = make([]*vec.Vector, len(s.types))
	for k, t := range s.types {
		column := make([]*vec.Vector, len(s.parts))
		for i, p := range s.parts {
			column[i] = p[k]
		}
		s.cols[k] = vec.Flatten(vec.Concat(t, column...))
	}
	if len(s.parts) > 1 {
		s.parts = [][]*vec.Vector{s.cols}
	}
	s.rows = make([]int32, len(s.groups))
	for i := range s.rows {
		s.rows[i] = int32(i)
	}
	keys := s.cols[s.order.Args:]
	slices.SortStableFunc(s.rows, func(a, b int32) int {
		if c := cmp.Compare(s.groups[a], s.groups[b]); c != 0 {
			return c
		}
		return vec.CompareRows(keys, int(a), keys, int(b), s.order.Orders)
	})
}

func (s *orderedState) Finish(from, to int) (*vec.Vector, error) {
	inner := s.fresh()
	if len(s.groups) > 0 {
		s.sort()
		place := func(g int) int {
			at, _ := slices.BinarySearchFunc(s.rows, g, func(r int32, g int) int { return cmp.Compare(int(s.groups[r]), g) })
			return at
		}
		for rows := s.rows[place(from):place(to)]; len(rows) > 0; {
			part := rows[:min(len(rows), vec.Size)]
			rows = rows[len(part):]
			groups := make([]uint32, len(part))
			for i, r := range part {
				groups[i] = s.groups[r] - uint32(from)
			}
			args := make([]*vec.Vector, s.order.Args)
			for k := range args {
				args[k] = vec.GatherRows(s.cols[k], part)
			}
			if err := inner.Update(groups, to-from, args, len(part)); err != nil {
				return nil, err
			}
		}
	}
	// Groups without rows must exist all the same.
	if err := inner.Update([]uint32{}, to-from, emptyRows(s.types[:s.order.Args]), 0); err != nil {
		return nil, err
	}
	return inner.Finish(0, to-from)
}

func (s *orderedState) SizeBytes() int64 { return s.bytes + int64(cap(s.groups))*4 }
