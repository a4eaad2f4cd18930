package function

import (
	"sync"

	"math"
	"slices"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func init() {
	defineAggregate("array_agg collect_list group_array list", "All values of the group as an array, NULL included, in the order of arrival.", "(any) -> array<any>", func(args []Arg, _ Option) (*Aggregate, error) {
		if len(args) != 1 {
			return nil, nil
		}
		t := args[0].Type
		return oneArg(t, types.ArrayOf(t), func(*Ctx) Accumulator { return &collectState{finish: finishArrays, t: t, keepNulls: true} }), nil
	})
	defineAggregate("group_concat string_agg listagg", "The texts of the group joined by a constant separator (default: a comma), NULL left out.", "(text[, text]) -> text", func(args []Arg, _ Option) (*Aggregate, error) {
		return resolveGroupConcat(args)
	})
	defineAggregate("median", "The median, between the two middle values if their number is even.", "(double) -> double", func(args []Arg, _ Option) (*Aggregate, error) {
		if len(args) != 1 || !doubleArg(args[0]) {
			return nil, nil
		}
		return oneArg(types.Of(types.Double), types.Of(types.Double), func(*Ctx) Accumulator { return &collectState{finish: finishQuantile(0.5), t: types.Of(types.Double)} }), nil
	})
	defineAggregate("quantile_cont percentile_cont percentile quantile percentile_approx approx_quantile approx_percentile", "The value below which the given share of the values lies, between two values where it falls there; exact.", "(double, double) -> double", func(args []Arg, _ Option) (*Aggregate, error) {
		return resolveQuantile(args, false)
	})
	defineAggregate("quantile_disc percentile_disc", "The least value with at least the given share of the values up to it.", "(T, double) -> T", func(args []Arg, _ Option) (*Aggregate, error) {
		return resolveQuantile(args, true)
	})
}

func resolveGroupConcat(args []Arg) (*Aggregate, error) {
	if len(args) == 0 || len(args) > 2 || !isScalar(args[0].Type) && !args[0].Type.IsVariant() {
		return nil, nil
	}
	text := types.Of(types.Varchar)
	separator := ","
	a := oneArg(text, text, nil)
	if len(args) == 2 {
		if args[1].Const == nil || args[1].Type.Kind != types.Varchar || args[1].Const.IsNull(0) {
			return nil, sqlerr.New(sqlerr.Bind, "the separator of group_concat must be a constant text")
		}
		separator = string(args[1].Const.Bytes(0))
		a.Args = append(a.Args, text)
	}
	a.New = func(*Ctx) Accumulator { return &collectState{finish: finishConcat(separator), t: text} }
	return a, nil
}

// resolveQuantile takes the share from the second argument, a constant between 0 and 1; further arguments (accuracy) are accepted and not
// needed, since the result is exact.
func resolveQuantile(args []Arg, discrete bool) (*Aggregate, error) {
	if len(args) < 2 || len(args) > 3 || !discrete && !doubleArg(args[0]) || discrete && !orderable(args[0].Type, 0) {
		return nil, nil
	}
	if args[1].Const == nil || !args[1].Type.IsNumeric() || args[1].Const.IsNull(0) {
		return nil, sqlerr.New(sqlerr.Bind, "the share of a quantile must be a constant number between 0 and 1")
	}
	v, err := Cast(&Ctx{}, args[1].Const, types.Of(types.Double), false)
	if err != nil {
		return nil, err
	}
	share := vec.Slice[float64](vec.Flatten(v))[0]
	if !(share >= 0 && share <= 1) {
		return nil, sqlerr.New(sqlerr.Bind, "the share of a quantile must be between 0 and 1, not %s", types.AppendDouble(nil, share))
	}
	t := types.Of(types.Double)
	finish := finishQuantile(share)
	if discrete {
		t, finish = args[0].Type, finishDiscrete(share)
	}
	a := oneArg(t, t, func(*Ctx) Accumulator { return &collectState{finish: finish, t: t} })
	for _, x := range args[1:] {
		a.Args = append(a.Args, x.Type)
	}
	return a, nil
}

// collectState keeps all values of all groups in the order of arrival.
type collectState struct {
	t         types.Type
	keepNulls bool
	parts     []*vec.Vector
	groups    []uint32
	count     int
	bytes     int64
	finish    func(s *collectState, values *vec.Vector, rows [][]int32, from int) (*vec.Vector, error)
	// sorted holds until more values come.
	sorted collected
}

// collected is the values of a collectState in one vector, and the rows of each group.
type collected struct {
	once sync.Once
	all  *vec.Vector
	rows [][]int32
}

// byGroup returns all values and the rows of each group.
func (s *collectState) byGroup() (*vec.Vector, [][]int32) {
	c := &s.sorted
	c.once.Do(func() {
		c.rows = byGroup(s.groups, s.count)
		if len(s.parts) == 0 {
			s.parts = []*vec.Vector{vec.NewBuilder(s.t, 0).Finish()}
		}
		c.all = vec.Concat(s.t, s.parts...)
	})
	return c.all, c.rows
}

func (s *collectState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.count, s.sorted = max(s.count, count), collected{}
	v := flatten(args[0])
	rows := vec.SelectAll(n)
	if !s.keepNulls && (v.HasNulls() || v.Type.IsVariant()) {
		rows = vec.SelectValid(nulls(v), n)
	}
	for _, r := range rows {
		s.groups = append(s.groups, uint32(groupOf(groups, int(r))))
	}
	if len(rows) > 0 {
		// A copy, so that a few values do not keep the buffers of a batch.
		b := vec.NewBuilder(s.t, len(rows))
		for _, r := range rows {
			b.AppendFrom(v, int(r))
		}
		s.add(b.Finish())
	}
	return nil
}

func (s *collectState) add(part *vec.Vector) {
	s.parts = append(s.parts, part)
	s.bytes += part.SizeBytes()
}

func (s *collectState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.count, s.sorted = max(s.count, count), collected{}
	o := other.(*collectState)
	if o.count <= 1 && len(from) == 1 {
		// All values are of one group: the parts are shared.
		for range o.groups {
			s.groups = append(s.groups, to[0])
		}
		for _, p := range o.parts {
			s.add(p)
		}
		return nil
	}
	all, rows := o.byGroup()
	var picked []int32
	for i, g := range from {
		if int(g) >= len(rows) {
			continue
		}
		picked = append(picked, rows[g]...)
		for range rows[g] {
			s.groups = append(s.groups, to[i])
		}
	}
	if len(picked) > 0 {
		s.add(vec.GatherRows(all, picked))
	}
	return nil
}

func (s *collectState) Finish(from, to int) (*vec.Vector, error) {
	if to > s.count {
		s.count, s.sorted = to, collected{}
	}
	all, rows := s.byGroup()
	return s.finish(s, all, rows[from:to], from)
}

func (s *collectState) SizeBytes() int64 { return s.bytes + int64(cap(s.groups))*4 }

// byGroup lists the rows of each group in order.
func byGroup(groups []uint32, count int) [][]int32 {
	sizes := make([]int32, count)
	for _, g := range groups {
		sizes[g]++
	}
	out := listsOf(sizes)
	for i, g := range groups {
		out[g] = append(out[g], int32(i))
	}
	return out
}

// listsOf makes empty lists with room for the given numbers of entries in one array.
func listsOf(sizes []int32) [][]int32 {
	total := 0
	for _, n := range sizes {
		total += int(n)
	}
	all := make([]int32, total)
	out := make([][]int32, len(sizes))
	at := 0
	for g, n := range sizes {
		out[g] = all[at : at : at+int(n)]
		at += int(n)
	}
	return out
}

func finishArrays(s *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
	b := vec.NewBuilder(types.ArrayOf(s.t), len(rows))
	for _, list := range rows {
		if len(list) == 0 {
			b.AppendNull()
			continue
		}
		for _, r := range list {
			b.Child(0).AppendFrom(values, int(r))
		}
		b.CloseList()
	}
	return b.Finish(), nil
}

func finishConcat(separator string) func(*collectState, *vec.Vector, [][]int32, int) (*vec.Vector, error) {
	return func(s *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
		out := newTextOut(len(rows))
		valid := vec.NewBitmap(len(rows))
		for i, list := range rows {
			if len(list) == 0 {
				continue
			}
			valid.Set(i)
			buf := out.buf
			for k, r := range list {
				if k > 0 {
					buf = append(buf, separator...)
				}
				buf = append(buf, values.Bytes(int(r))...)
				if len(buf)-len(out.buf) > maxTextBytes {
					return nil, sqlerr.New(sqlerr.Resource, "group_concat makes a text longer than the limit of %d bytes", maxTextBytes)
				}
			}
			out.put(i, buf)
		}
		return out.vector(s.t, denseBits(valid, len(rows))), nil
	}
}

// finishQuantile interpolates between the two values next to the share.
func finishQuantile(share float64) func(*collectState, *vec.Vector, [][]int32, int) (*vec.Vector, error) {
	return func(_ *collectState, values *vec.Vector, rows [][]int32, from int) (*vec.Vector, error) {
		data := vec.Slice[float64](values)
		return finishDoubles(from, from+len(rows), func(g int) (float64, bool) {
			list := rows[g-from]
			if len(list) == 0 {
				return 0, false
			}
			own := make([]float64, len(list))
			for i, r := range list {
				own[i] = data[r]
			}
			slices.SortFunc(own, vec.CompareFloats)
			at := share * float64(len(own)-1)
			low := int(math.Floor(at))
			if low+1 == len(own) || own[low] == own[low+1] {
				return own[low], true
			}
			return own[low] + (own[low+1]-own[low])*(at-float64(low)), true
		}), nil
	}
}

func finishDiscrete(share float64) func(*collectState, *vec.Vector, [][]int32, int) (*vec.Vector, error) {
	return func(s *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
		b := vec.NewBuilder(s.t, len(rows))
		for _, list := range rows {
			if len(list) == 0 {
				b.AppendNull()
				continue
			}
			own := slices.Clone(list)
			slices.SortFunc(own, func(x, y int32) int { return compareAny(values, int(x), values, int(y)) })
			at := max(int(math.Ceil(share*float64(len(own))))-1, 0)
			b.AppendFrom(values, int(own[at]))
		}
		return b.Finish(), nil
	}
}
