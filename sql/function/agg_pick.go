package function

import (
	"cmp"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

func init() {
	defineAggregate("min", "The least value.", "(T) -> T", func(args []Arg, o Option) (*Aggregate, error) { return resolveExtreme(args, o, -1) })
	defineAggregate("max", "The greatest value.", "(T) -> T", func(args []Arg, o Option) (*Aggregate, error) { return resolveExtreme(args, o, 1) })
	defineAggregate("any_value any first arbitrary", "The first value that is not NULL in the order of arrival.", "(any) -> first", func(args []Arg, _ Option) (*Aggregate, error) {
		return resolvePick(args, keepFirst)
	})
	defineAggregate("last", "The last value that is not NULL in the order of arrival.", "(any) -> first", func(args []Arg, _ Option) (*Aggregate, error) {
		return resolvePick(args, keepLast)
	})
	defineAggregate("min_by arg_min argmin", "The first argument in the row where the second is least.", "(any, T) -> first", func(args []Arg, o Option) (*Aggregate, error) {
		return resolveExtremeBy(args, o, -1)
	})
	defineAggregate("max_by arg_max argmax", "The first argument in the row where the second is greatest.", "(any, T) -> first", func(args []Arg, o Option) (*Aggregate, error) {
		return resolveExtremeBy(args, o, 1)
	})
}

// orderable tells whether values of t have an order; variants do by option only.
func orderable(t types.Type, o Option) bool {
	if t.IsVariant() {
		return o&TotalOrder != 0
	}
	return t.Kind != types.Map
}

func resolveExtreme(args []Arg, o Option, sign int) (*Aggregate, error) {
	if len(args) != 1 || !orderable(args[0].Type, o) {
		return nil, nil
	}
	t := args[0].Type
	var fresh func(*Ctx) Accumulator
	switch t.Phys() {
	case types.PhysInt8:
		fresh = func(*Ctx) Accumulator { return &extremeState[int8]{t: t, sign: sign} }
	case types.PhysInt16:
		fresh = func(*Ctx) Accumulator { return &extremeState[int16]{t: t, sign: sign} }
	case types.PhysInt32:
		fresh = func(*Ctx) Accumulator { return &extremeState[int32]{t: t, sign: sign} }
	case types.PhysInt64:
		fresh = func(*Ctx) Accumulator { return &extremeState[int64]{t: t, sign: sign} }
	case types.PhysFloat64:
		fresh = func(*Ctx) Accumulator { return &extremeState[float64]{t: t, sign: sign, nanAware: true} }
	default:
		fresh = func(*Ctx) Accumulator { return &pickState{t: t, rule: keepExtreme, sign: sign} }
	}
	return oneArg(t, t, fresh), nil
}

func resolvePick(args []Arg, rule pickRule) (*Aggregate, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t := args[0].Type
	return oneArg(t, t, func(*Ctx) Accumulator { return &pickState{t: t, rule: rule} }), nil
}

func resolveExtremeBy(args []Arg, o Option, sign int) (*Aggregate, error) {
	if len(args) != 2 || !orderable(args[1].Type, o) {
		return nil, nil
	}
	t := args[0].Type
	return &Aggregate{Args: []types.Type{t, args[1].Type}, Ret: t,
		New: func(*Ctx) Accumulator {
			return &pickState{t: t, rule: keepExtreme, sign: sign, by: args[1].Type, two: true}
		}}, nil
}

// extremeState is min or max of a type that fits a register.
type extremeState[T cmp.Ordered] struct {
	t    types.Type
	sign int
	best []T
	seen []bool
	// nanAware is set for doubles, in whose order NaN is the greatest.
	nanAware bool
}

func (s *extremeState[T]) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.grow(count)
	data, g := dense[T](groups, args[0], n)
	s.add(data, g)
	return nil
}

func (s *extremeState[T]) grow(count int) {
	s.best, s.seen = grown(s.best, count), grown(s.seen, count)
}

func (s *extremeState[T]) add(data []T, g []uint32) {
	switch {
	case len(data) == 0:
	case g == nil && !s.nanAware:
		s.offer(0, extremeOf(data, s.sign))
	case g == nil:
		for _, x := range data {
			s.offer(0, x)
		}
	case s.sign > 0 && !s.nanAware:
		for i, x := range data {
			if k := g[i]; !s.seen[k] || x > s.best[k] {
				s.best[k], s.seen[k] = x, true
			}
		}
	case !s.nanAware:
		for i, x := range data {
			if k := g[i]; !s.seen[k] || x < s.best[k] {
				s.best[k], s.seen[k] = x, true
			}
		}
	default:
		for i, x := range data {
			s.offer(int(g[i]), x)
		}
	}
}

// extremeOf is the greatest (sign 1) or least of some values.
func extremeOf[T cmp.Ordered](data []T, sign int) T {
	best := data[0]
	if sign > 0 {
		for _, x := range data {
			best = max(best, x)
		}
		return best
	}
	for _, x := range data {
		best = min(best, x)
	}
	return best
}

// offer takes x if it is better; a NaN, which is no number (x != x), is greater than all numbers.
func (s *extremeState[T]) offer(k int, x T) {
	best := s.best[k]
	better := s.sign > 0 && (x > best || x != x && best == best) || s.sign < 0 && (x < best || best != best && x == x)
	if !s.seen[k] || better {
		s.best[k], s.seen[k] = x, true
	}
}

func (s *extremeState[T]) Merge(other Accumulator, from, to []uint32, count int) error {
	s.grow(count)
	o := other.(*extremeState[T])
	for i, g := range from {
		if int(g) < len(o.seen) && o.seen[g] {
			s.offer(int(to[i]), o.best[g])
		}
	}
	return nil
}

func (s *extremeState[T]) Finish(from, to int) (*vec.Vector, error) {
	out := make([]T, to-from)
	valid := vec.NewBitmap(to - from)
	for i := range out {
		if g := from + i; g < len(s.seen) && s.seen[g] {
			out[i] = s.best[g]
			valid.Set(i)
		}
	}
	return vec.NewFlat(s.t, out, denseBits(valid, to-from)), nil
}

// denseBits returns nil for a bitmap with all bits set.
func denseBits(b vec.Bitmap, n int) vec.Bitmap {
	if b.Count(n) == n {
		return nil
	}
	return b
}

func (s *extremeState[T]) SizeBytes() int64 { return int64(cap(s.best))*8 + int64(cap(s.seen)) }

// cells holds a value of any type for each group by reference to the batches that the values came in. When the batches outgrow what is
// still used of them, the values are copied together.
type cells struct {
	t     types.Type
	parts []*vec.Vector
	// part and row say where the value of a group is; part is one above the index, 0 for none.
	part []uint32
	row  []uint32
	held int // rows of all parts
}

// slackRows is how many unused rows cells keep before they tidy up.
const slackRows = 1 << 16

func (c *cells) grow(count int) { c.part, c.row = grown(c.part, count), grown(c.row, count) }

func (c *cells) has(g int) bool { return c.part[g] != 0 }

// at returns the value of a group that has one.
func (c *cells) at(g int) (*vec.Vector, int) { return c.parts[c.part[g]-1], int(c.row[g]) }

// begin adds a batch and returns its number for set.
func (c *cells) begin(v *vec.Vector) uint32 {
	c.parts = append(c.parts, v)
	c.held += v.Len
	return uint32(len(c.parts))
}

func (c *cells) set(g int, part uint32, row int) { c.part[g], c.row[g] = part, uint32(row) }

// tidy copies the values that are used, if most are not.
func (c *cells) tidy() {
	if c.held < 2*len(c.part)+slackRows {
		return
	}
	b := vec.NewBuilder(c.t, len(c.part))
	for g := range c.part {
		if c.part[g] == 0 {
			continue
		}
		v, i := c.at(g)
		c.set(g, 1, b.Len())
		b.AppendFrom(v, i)
	}
	c.parts, c.held = []*vec.Vector{b.Finish()}, b.Len()
}

func (c *cells) vector(from, to int) *vec.Vector {
	b := vec.NewBuilder(c.t, to-from)
	for g := from; g < to; g++ {
		if g >= len(c.part) || c.part[g] == 0 {
			b.AppendNull()
			continue
		}
		v, i := c.at(g)
		b.AppendFrom(v, i)
	}
	return b.Finish()
}

// vectorOf returns the values of the groups given, NULL for those without one.
func (c *cells) vectorOf(groups []uint32) *vec.Vector {
	b := vec.NewBuilder(c.t, len(groups))
	for _, g := range groups {
		if int(g) >= len(c.part) || c.part[g] == 0 {
			b.AppendNull()
			continue
		}
		v, i := c.at(int(g))
		b.AppendFrom(v, i)
	}
	return b.Finish()
}

func (c *cells) sizeBytes() int64 {
	n := int64(cap(c.part)) * 8
	for _, p := range c.parts {
		n += p.SizeBytes()
	}
	return n
}

// pickRule says which value of a group stays.
type pickRule uint8

const (
	keepFirst pickRule = iota
	keepLast
	keepExtreme
)

// pickState keeps one value per group: the first, the last, the extreme, or the one beside the extreme of a second argument.
type pickState struct {
	t      types.Type
	rule   pickRule
	sign   int
	by     types.Type
	two    bool
	values cells
	keys   cells
}

func (s *pickState) grow(count int) {
	s.values.t, s.keys.t = s.t, s.by
	s.values.grow(count)
	if s.two {
		s.keys.grow(count)
	}
}

func (s *pickState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.grow(count)
	values := flatten(args[0])
	key := values
	if s.two {
		key = flatten(args[1])
	}
	if key.Type.Kind == types.Null {
		return nil
	}
	if s.rule == keepExtreme && !s.two && key.Type.Phys() == types.PhysString {
		s.updateText(groups, values, n)
		s.values.tidy()
		return nil
	}
	known := nulls(key)
	var part, keyPart uint32
	for i := range n {
		g := groupOf(groups, i)
		if !known.Get(i) || !s.better(g, key, i) {
			continue
		}
		if part == 0 {
			part = s.values.begin(values)
			if s.two {
				keyPart = s.keys.begin(key)
			}
		}
		s.values.set(g, part, i)
		if s.two {
			s.keys.set(g, keyPart, i)
		}
	}
	s.values.tidy()
	if s.two {
		s.keys.tidy()
	}
	return nil
}

// updateText is Update for min and max of texts, whose comparisons mostly end at the prefix.
func (s *pickState) updateText(groups []uint32, v *vec.Vector, n int) {
	views := vec.Slice[vec.View](v)
	part := uint32(0)
	for i := range views[:n] {
		if !v.Valid.Get(i) {
			continue
		}
		g := groupOf(groups, i)
		if s.values.has(g) {
			best, j := s.values.at(g)
			if vec.CompareViews(&views[i], v.Bufs, &best.Data.([]vec.View)[j], best.Bufs)*s.sign <= 0 {
				continue
			}
		}
		if part == 0 {
			part = s.values.begin(v)
		}
		s.values.set(g, part, i)
	}
}

// better tells whether row i of key should replace what group g has.
func (s *pickState) better(g int, key *vec.Vector, i int) bool {
	if !s.values.has(g) {
		return true
	}
	switch s.rule {
	case keepFirst:
		return false
	case keepLast:
		return true
	}
	best := &s.values
	if s.two {
		best = &s.keys
	}
	v, j := best.at(g)
	return compareAny(key, i, v, j)*s.sign > 0
}

// compareAny is vec.Compare that also orders variants.
func compareAny(a *vec.Vector, i int, b *vec.Vector, j int) int {
	if a.Type.IsVariant() {
		am, av := a.VariantAt(i)
		bm, bv := b.VariantAt(j)
		return variant.Compare(am, av, bm, bv)
	}
	return vec.Compare(a, i, b, j)
}

func (s *pickState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.grow(count)
	o := other.(*pickState)
	if len(o.values.part) == 0 {
		return nil
	}
	values, keys := o.values.vectorOf(from), (*vec.Vector)(nil)
	key := values
	if s.two {
		keys = o.keys.vectorOf(from)
		key = keys
	}
	part := s.values.begin(values)
	keyPart := uint32(0)
	if s.two {
		keyPart = s.keys.begin(keys)
	}
	for i, g := range from {
		if t := int(to[i]); int(g) < len(o.values.part) && o.values.has(int(g)) && s.better(t, key, i) {
			s.values.set(t, part, i)
			if s.two {
				s.keys.set(t, keyPart, i)
			}
		}
	}
	return nil
}

func (s *pickState) Finish(from, to int) (*vec.Vector, error) {
	s.values.t = s.t
	return s.values.vector(from, to), nil
}

func (s *pickState) SizeBytes() int64 { return s.values.sizeBytes() + s.keys.sizeBytes() }
