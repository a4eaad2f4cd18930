package function

import (
	"math"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func init() {
	spread := func(names, about string, f func(m moments) (float64, bool)) {
		defineAggregate(names, about, "(double) -> double", func(args []Arg, _ Option) (*Aggregate, error) {
			if len(args) != 1 || !doubleArg(args[0]) {
				return nil, nil
			}
			return oneArg(types.Of(types.Double), types.Of(types.Double), func(*Ctx) Accumulator { return &momentState{result: f} }), nil
		})
	}
	spread("stddev_samp stddev", "The standard deviation of a sample; NULL for fewer than two values.", func(m moments) (float64, bool) {
		return math.Sqrt(m.m2 / (m.n - 1)), m.n > 1
	})
	spread("stddev_pop std", "The standard deviation of all values.", func(m moments) (float64, bool) { return math.Sqrt(m.m2 / m.n), m.n > 0 })
	spread("var_samp variance variance_samp", "The variance of a sample; NULL for fewer than two values.", func(m moments) (float64, bool) { return m.m2 / (m.n - 1), m.n > 1 })
	spread("var_pop variance_pop", "The variance of all values.", func(m moments) (float64, bool) { return m.m2 / m.n, m.n > 0 })
	pair := func(names, about string, f func(m pairMoments) (float64, bool)) {
		defineAggregate(names, about, "(double, double) -> double", func(args []Arg, _ Option) (*Aggregate, error) {
			if len(args) != 2 || !doubleArg(args[0]) || !doubleArg(args[1]) {
				return nil, nil
			}
			return &Aggregate{Args: two(types.Of(types.Double)), Ret: types.Of(types.Double), New: func(*Ctx) Accumulator { return &pairState{result: f} }}, nil
		})
	}
	pair("covar_samp", "The covariance of a sample.", func(m pairMoments) (float64, bool) { return m.cxy / (m.n - 1), m.n > 1 })
	pair("covar_pop covar", "The covariance of all pairs.", func(m pairMoments) (float64, bool) { return m.cxy / m.n, m.n > 0 })
	pair("corr", "The correlation coefficient.", func(m pairMoments) (float64, bool) {
		return m.cxy / math.Sqrt(m.x2*m.y2), m.n > 1 && m.x2 > 0 && m.y2 > 0
	})
}

// doubleArg tells whether an aggregate over DOUBLE takes the argument.
func doubleArg(a Arg) bool {
	return a.Type.IsNumeric() || a.Type.Kind == types.Boolean || a.Type.Kind == types.Null
}

// moments are number, mean and sum of squared deviations, kept by Welford's method, which does not cancel.
type moments struct{ n, mean, m2 float64 }

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / m.n
	m.m2 += d * (x - m.mean)
}

// merge adds the values of another set (Chan et al.).
func (m *moments) merge(o moments) {
	if o.n == 0 {
		return
	}
	n := m.n + o.n
	d := o.mean - m.mean
	m.m2 += o.m2 + d*d*m.n*o.n/n
	m.mean += d * o.n / n
	m.n = n
}

// momentState is a function of the moments of each group.
type momentState struct {
	states []moments
	result func(m moments) (float64, bool)
}

func (s *momentState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.states = grown(s.states, count)
	data, g := dense[float64](groups, args[0], n)
	fold(s.states, g, data, func(m *moments, x float64) { m.add(x) })
	return nil
}

func (s *momentState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.states = grown(s.states, count)
	o := other.(*momentState).states
	for i, g := range from {
		if int(g) < len(o) {
			s.states[to[i]].merge(o[g])
		}
	}
	return nil
}

func (s *momentState) Finish(from, to int) (*vec.Vector, error) {
	return finishDoubles(from, to, func(g int) (float64, bool) {
		if g >= len(s.states) {
			return 0, false
		}
		return s.result(s.states[g])
	}), nil
}

// finishDoubles builds the results of groups; f tells whether there is one.
func finishDoubles(from, to int, f func(g int) (float64, bool)) *vec.Vector {
	b := vec.NewBuilder(types.Of(types.Double), to-from)
	for g := from; g < to; g++ {
		if x, ok := f(g); ok {
			vec.Append(b, x)
		} else {
			b.AppendNull()
		}
	}
	return b.Finish()
}

func (s *momentState) SizeBytes() int64 { return int64(cap(s.states)) * 24 }

// pairMoments are the moments of pairs.
type pairMoments struct{ n, x, y, x2, y2, cxy float64 }

func (m *pairMoments) add(x, y float64) {
	m.n++
	dx, dy := x-m.x, y-m.y
	m.x += dx / m.n
	m.y += dy / m.n
	m.x2 += dx * (x - m.x)
	m.y2 += dy * (y - m.y)
	m.cxy += dx * (y - m.y)
}

func (m *pairMoments) merge(o pairMoments) {
	if o.n == 0 {
		return
	}
	n := m.n + o.n
	dx, dy := o.x-m.x, o.y-m.y
	f := m.n * o.n / n
	m.x2 += o.x2 + dx*dx*f
	m.y2 += o.y2 + dy*dy*f
	m.cxy += o.cxy + dx*dy*f
	m.x += dx * o.n / n
	m.y += dy * o.n / n
	m.n = n
}

// pairState is a function of the moments of the pairs of each group; pairs with a NULL do not count.
type pairState struct {
	states []pairMoments
	result func(m pairMoments) (float64, bool)
}

func (s *pairState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.states = grown(s.states, count)
	x, y := flatten(args[0]), flatten(args[1])
	valid := validity([]*vec.Vector{x, y}, n)
	xs, ys := vec.Slice[float64](x), vec.Slice[float64](y)
	for i := range n {
		if valid.Get(i) {
			s.states[groupOf(groups, i)].add(xs[i], ys[i])
		}
	}
	return nil
}

func (s *pairState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.states = grown(s.states, count)
	o := other.(*pairState).states
	for i, g := range from {
		if int(g) < len(o) {
			s.states[to[i]].merge(o[g])
		}
	}
	return nil
}

func (s *pairState) Finish(from, to int) (*vec.Vector, error) {
	return finishDoubles(from, to, func(g int) (float64, bool) {
		if g >= len(s.states) {
			return 0, false
		}
		return s.result(s.states[g])
	}), nil
}

func (s *pairState) SizeBytes() int64 { return int64(cap(s.states)) * 48 }
