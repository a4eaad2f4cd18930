package function

import (
	"math/bits"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func init() {
	defineAggregate("sum", "The exact sum; OUT OF RANGE if it does not fit the result type, NULL for no values.",
		"(integer) -> bigint; (largeint) -> largeint; (decimal(p, s)) -> decimal(38, s); (double) -> double; (interval) -> interval",
		func(args []Arg, _ Option) (*Aggregate, error) { return resolveSum(args, false) })
	defineAggregate("avg mean", "The arithmetic mean; NULL for no values.", "(number) -> double",
		func(args []Arg, _ Option) (*Aggregate, error) { return resolveSum(args, true) })
}

// resolveSum resolves sum, or avg.
func resolveSum(args []Arg, avg bool) (*Aggregate, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t := args[0].Type
	switch t.Kind {
	case types.Null:
		t = types.Of(types.BigInt)
	case types.Boolean:
		t = types.Of(types.TinyInt)
	case types.Float:
		t = types.Of(types.Double)
	case types.Interval:
		if !avg {
			return oneArg(t, t, func(*Ctx) Accumulator { return newIntervalState() }), nil
		}
	}
	if !t.IsNumeric() {
		return nil, nil
	}
	ret := sumType(t)
	scale := int(t.Scale)
	if avg {
		ret = types.Of(types.Double)
	}
	var fresh func(*Ctx) Accumulator
	switch t.Phys() {
	case types.PhysInt8:
		fresh = func(*Ctx) Accumulator { return &sumSmall[int8]{sumBase: sumBase{ret: ret, scale: scale}} }
	case types.PhysInt16:
		fresh = func(*Ctx) Accumulator { return &sumSmall[int16]{sumBase: sumBase{ret: ret, scale: scale}} }
	case types.PhysInt32:
		fresh = func(*Ctx) Accumulator { return &sumInt[int32]{sumBase: sumBase{ret: ret, scale: scale}} }
	case types.PhysInt64:
		fresh = func(*Ctx) Accumulator { return &sumInt[int64]{sumBase: sumBase{ret: ret, scale: scale}} }
	case types.PhysInt128:
		fresh = func(*Ctx) Accumulator { return &sumWide{sumBase: sumBase{ret: ret, scale: scale}} }
	case types.PhysInt256:
		fresh = func(*Ctx) Accumulator { return newSumWidest(sumBase{ret: ret, scale: scale}) }
	default:
		fresh = func(*Ctx) Accumulator { return &sumDouble{avg: avg} }
	}
	return oneArg(t, ret, fresh), nil
}

// sumType is the type of a sum (decision D7).
func sumType(t types.Type) types.Type {
	switch {
	case t.Kind == types.LargeInt || t.Kind == types.Double:
		return t
	case t.Kind == types.Decimal && t.Precision > commonPrecision:
		return types.DecimalOf(types.MaxDecimalPrecision, int(t.Scale))
	case t.Kind == types.Decimal:
		return types.DecimalOf(commonPrecision, int(t.Scale))
	}
	return types.Of(types.BigInt)
}

// sumBase is what exact sums have in common: the result type, which is DOUBLE for averages, and the scale of the argument.
type sumBase struct {
	ret   types.Type
	scale int
}

// append appends a sum of n values to b.
func (s *sumBase) append(b *vec.Builder, sum types.Int256, n int64) error {
	if n == 0 {
		b.AppendNull()
		return nil
	}
	switch s.ret.Kind {
	case types.Double:
		vec.Append(b, decimal256ToDoubleFast(sum, s.scale)/float64(n))
		return nil
	case types.BigInt, types.LargeInt:
		narrow, ok := sum.Int128()
		if s.ret.Kind == types.LargeInt && ok {
			vec.Append(b, narrow)
			return nil
		}
		if x, small := narrow.Int64(); ok && small {
			vec.Append(b, x)
			return nil
		}
		return sqlerr.New(sqlerr.OutOfRange, "sum %s is out of range for %s; cast the argument to DECIMAL(38, 0) or DOUBLE", sum, s.ret)
	}
	if !fits256(sum, int(s.ret.Precision)) {
		return sqlerr.New(sqlerr.OutOfRange, "sum %s is out of range for %s", types.AppendDecimal256(nil, sum, s.scale), s.ret)
	}
	if s.ret.Phys() == types.PhysInt256 {
		vec.Append(b, sum)
	} else {
		vec.Append(b, types.Int128{Lo: sum[0], Hi: int64(sum[1])})
	}
	return nil
}

func decimal256ToDoubleFast(x types.Int256, scale int) float64 {
	if y, ok := x.Int128(); ok {
		return decimal128ToDouble(y, scale)
	}
	return decimal256ToDouble(x, scale)
}

// sum128 is an exact sum of 64-bit integers and their number; 2^63 of them cannot overflow it.
type sum128 struct {
	lo uint64
	hi int64
	n  int64
}

func (s *sum128) add(x int64) {
	lo, carry := bits.Add64(s.lo, uint64(x), 0)
	s.lo = lo
	s.hi += x>>63 + int64(carry)
	s.n++
}

// sum64 is a sum of integers of at most 16 bits and their number; 2^47 of them cannot overflow it.
type sum64 struct{ sum, n int64 }

// sumSmall sums integers of at most 16 bits.
type sumSmall[T signed] struct {
	sumBase
	sums []sum64
}

func (s *sumSmall[T]) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.sums = grown(s.sums, count)
	data, g := dense[T](groups, args[0], n)
	if g != nil {
		foldGroups(s.sums, g, data, func(s *sum64, x T) { s.sum += int64(x); s.n++ })
		return nil
	}
	var t int64
	for _, x := range data {
		t += int64(x)
	}
	if len(data) > 0 {
		s.sums[0].sum += t
		s.sums[0].n += int64(len(data))
	}
	return nil
}

func (s *sumSmall[T]) Merge(other Accumulator, from, to []uint32, count int) error {
	s.sums = grown(s.sums, count)
	o := other.(*sumSmall[T]).sums
	for i, g := range from {
		if int(g) < len(o) {
			s.sums[to[i]].sum += o[g].sum
			s.sums[to[i]].n += o[g].n
		}
	}
	return nil
}

func (s *sumSmall[T]) Finish(from, to int) (*vec.Vector, error) {
	return s.finish128(from, to, func(g int) sum128 {
		if g >= len(s.sums) {
			return sum128{}
		}
		x := s.sums[g]
		return sum128{lo: uint64(x.sum), hi: x.sum >> 63, n: x.n}
	})
}

func (s *sumSmall[T]) SizeBytes() int64 { return int64(cap(s.sums)) * 16 }

// sumInt sums integers and DECIMALs that sit in 64 bits or less.
type sumInt[T signed] struct {
	sumBase
	sums []sum128
}

func (s *sumInt[T]) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.sums = grown(s.sums, count)
	data, g := dense[T](groups, args[0], n)
	if g == nil {
		if len(data) > 0 {
			sumAll(&s.sums[0], data)
		}
		return nil
	}
	foldGroups(s.sums, g, data, func(s *sum128, x T) { s.add(int64(x)) })
	return nil
}

// sumAll adds a whole batch; up to 65,536 integers of 32 bits cannot overflow 64 bits.
func sumAll[T signed](s *sum128, data []T) {
	var probe T
	probe--
	if wide := int64(probe) << 32; int64(T(wide)) == wide {
		sumWords(s, data)
		return
	}
	var t int64
	for _, x := range data {
		t += int64(x)
	}
	s.add(t)
	s.n += int64(len(data)) - 1
}

// sumWords adds the lower and upper halves of 64-bit integers apart, which needs no carry for a batch of up to 65,536.
func sumWords[T signed](s *sum128, data []T) {
	var low uint64
	var high int64
	for _, x := range data {
		low += uint64(uint32(x))
		high += int64(x) >> 32
	}
	// The sum is high * 2^32 + low.
	lo, carry := bits.Add64(s.lo, uint64(high)<<32, 0)
	s.hi += high>>32 + int64(carry)
	s.lo, carry = bits.Add64(lo, low, 0)
	s.hi += int64(carry)
	s.n += int64(len(data))
}

func (s *sumInt[T]) Merge(other Accumulator, from, to []uint32, count int) error {
	s.sums = grown(s.sums, count)
	o := other.(*sumInt[T]).sums
	for i, g := range from {
		if int(g) >= len(o) {
			continue
		}
		t, x := &s.sums[to[i]], o[g]
		var carry uint64
		t.lo, carry = bits.Add64(t.lo, x.lo, 0)
		t.hi += x.hi + int64(carry)
		t.n += x.n
	}
	return nil
}

func (s *sumInt[T]) Finish(from, to int) (*vec.Vector, error) {
	return s.finish128(from, to, func(g int) sum128 {
		if g < len(s.sums) {
			return s.sums[g]
		}
		return sum128{}
	})
}

// finish128 makes the results of the groups [from, to).
func (s *sumBase) finish128(from, to int, sum func(g int) sum128) (*vec.Vector, error) {
	valid := vec.NewBitmapSet(to - from)
	nulls := false
	var out *vec.Vector
	switch {
	case s.ret.Kind == types.BigInt:
		data := make([]int64, to-from)
		for i := range data {
			x := sum(from + i)
			if data[i] = int64(x.lo); x.hi != data[i]>>63 {
				return nil, s.outOfRange(x)
			}
			if x.n == 0 {
				valid.Clear(i)
				nulls = true
			}
		}
		out = vec.NewFlat(s.ret, data, nil)
	case s.ret.Kind == types.Double:
		data := make([]float64, to-from)
		for i := range data {
			x := sum(from + i)
			if x.n == 0 {
				valid.Clear(i)
				nulls = true
				continue
			}
			data[i] = decimal128ToDouble(types.Int128{Lo: x.lo, Hi: x.hi}, s.scale) / float64(x.n)
		}
		out = vec.NewFlat(s.ret, data, nil)
	default:
		b := vec.NewBuilder(s.ret, to-from)
		for g := from; g < to; g++ {
			x := sum(g)
			if err := s.append(b, types.Int256From(types.Int128{Lo: x.lo, Hi: x.hi}), x.n); err != nil {
				return nil, err
			}
		}
		return b.Finish(), nil
	}
	if nulls {
		out.Valid = valid
	}
	return out, nil
}

func (s *sumBase) outOfRange(x sum128) error {
	return sqlerr.New(sqlerr.OutOfRange, "sum %s is out of range for %s; cast the argument to DECIMAL(38, 0) or DOUBLE", types.Int256From(types.Int128{Lo: x.lo, Hi: x.hi}), s.ret)
}

func (s *sumInt[T]) SizeBytes() int64 { return int64(cap(s.sums)) * 24 }

// sum192 is an exact sum of 128-bit integers and their number; 2^63 of them cannot overflow it.
type sum192 struct {
	lo, mid uint64
	hi      int64
	n       int64
}

func (s *sum192) add(x types.Int128) {
	lo, carry := bits.Add64(s.lo, x.Lo, 0)
	mid, carry := bits.Add64(s.mid, uint64(x.Hi), carry)
	s.lo, s.mid = lo, mid
	s.hi += x.Hi>>63 + int64(carry)
	s.n++
}

// sumWide sums LARGEINT and DECIMALs of 19 to 38 digits.
type sumWide struct {
	sumBase
	sums []sum192
}

func (s *sumWide) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.sums = grown(s.sums, count)
	data, g := dense[types.Int128](groups, args[0], n)
	if g != nil {
		foldGroups(s.sums, g, data, func(s *sum192, x types.Int128) { s.add(x) })
	} else if len(data) > 0 {
		foldAll(&s.sums[0], data, func(s *sum192, x types.Int128) { s.add(x) })
	}
	return nil
}

func (s *sumWide) Merge(other Accumulator, from, to []uint32, count int) error {
	s.sums = grown(s.sums, count)
	o := other.(*sumWide).sums
	for i, g := range from {
		if int(g) >= len(o) {
			continue
		}
		t, x := &s.sums[to[i]], o[g]
		var carry uint64
		t.lo, carry = bits.Add64(t.lo, x.lo, 0)
		t.mid, carry = bits.Add64(t.mid, x.mid, carry)
		t.hi += x.hi + int64(carry)
		t.n += x.n
	}
	return nil
}

func (s *sumWide) Finish(from, to int) (*vec.Vector, error) {
	b := vec.NewBuilder(s.ret, to-from)
	for g := from; g < to; g++ {
		var x sum192
		if g < len(s.sums) {
			x = s.sums[g]
		}
		if err := s.append(b, types.Int256{x.lo, x.mid, uint64(x.hi), uint64(x.hi >> 63)}, x.n); err != nil {
			return nil, err
		}
	}
	return b.Finish(), nil
}

func (s *sumWide) SizeBytes() int64 { return int64(cap(s.sums)) * 32 }

// doubleSum is a sum of doubles and their number.
type doubleSum struct {
	sum float64
	n   int64
}

// sumDouble sums, or averages, doubles.
type sumDouble struct {
	sums []doubleSum
	avg  bool
}

func (s *sumDouble) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.sums = grown(s.sums, count)
	data, g := dense[float64](groups, args[0], n)
	if g != nil {
		foldGroups(s.sums, g, data, func(s *doubleSum, x float64) { s.sum += x; s.n++ })
		return nil
	}
	if len(data) > 0 {
		s.sums[0].sum += sumFloats(data)
		s.sums[0].n += int64(len(data))
	}
	return nil
}

// sumFloats adds in four lanes, so that the additions do not wait for each other.
func sumFloats(data []float64) float64 {
	var a, b, c, d float64
	for len(data) >= 4 {
		a += data[0]
		b += data[1]
		c += data[2]
		d += data[3]
		data = data[4:]
	}
	for _, x := range data {
		a += x
	}
	return (a + b) + (c + d)
}

func (s *sumDouble) Merge(other Accumulator, from, to []uint32, count int) error {
	s.sums = grown(s.sums, count)
	o := other.(*sumDouble).sums
	for i, g := range from {
		if int(g) < len(o) {
			s.sums[to[i]].sum += o[g].sum
			s.sums[to[i]].n += o[g].n
		}
	}
	return nil
}

func (s *sumDouble) Finish(from, to int) (*vec.Vector, error) {
	b := vec.NewBuilder(types.Of(types.Double), to-from)
	for g := from; g < to; g++ {
		switch {
		case g >= len(s.sums) || s.sums[g].n == 0:
			b.AppendNull()
		case s.avg:
			vec.Append(b, s.sums[g].sum/float64(s.sums[g].n))
		default:
			vec.Append(b, s.sums[g].sum)
		}
	}
	return b.Finish(), nil
}

func (s *sumDouble) SizeBytes() int64 { return int64(cap(s.sums)) * 16 }
