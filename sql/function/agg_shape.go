package function

import (
	"math"
	"slices"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Aggregates of the shape of a distribution. Those of one number hold its moments, the others all values of the group.
func init() {
	double := types.Of(types.Double)
	shape := func(names, about string, f func(m highMoments) (float64, bool)) {
		defineAggregate(names, about, "(double) -> double", func(args []Arg, _ Option) (*Aggregate, error) {
			if len(args) != 1 || !doubleArg(args[0]) {
				return nil, nil
			}
			return oneArg(double, double, func(*Ctx) Accumulator { return &highMomentState{result: f} }), nil
		})
	}
	shape("skewness skew", "The skewness of a sample; NULL for fewer than three values or equal ones.", func(m highMoments) (float64, bool) {
		return math.Sqrt(m.n*(m.n-1)) / (m.n - 2) * math.Sqrt(m.n) * m.m3 / math.Pow(m.m2, 1.5), m.n > 2 && m.m2 > 0
	})
	shape("kurtosis kurt", "The excess kurtosis of a sample, corrected for its size; NULL for fewer than four values or equal ones.", func(m highMoments) (float64, bool) {
		g := m.n*m.m4/(m.m2*m.m2) - 3
		return (m.n - 1) / ((m.n - 2) * (m.n - 3)) * ((m.n+1)*g + 6), m.n > 3 && m.m2 > 0
	})
	shape("kurtosis_pop", "The excess kurtosis of all values.", func(m highMoments) (float64, bool) { return m.n*m.m4/(m.m2*m.m2) - 3, m.n > 1 && m.m2 > 0 })
	shape("sem", "The standard error of the mean, of all values.", func(m highMoments) (float64, bool) { return math.Sqrt(m.m2/m.n) / math.Sqrt(m.n), m.n > 0 })
	overAll := func(names, about, sigs string, t types.Type, f func(values []float64) float64) {
		defineAggregate(names, about, sigs, func(args []Arg, _ Option) (*Aggregate, error) {
			if len(args) != 1 || !doubleArg(args[0]) {
				return nil, nil
			}
			return oneArg(t, t, func(*Ctx) Accumulator { return &collectState{finish: finishFloats(f), t: t} }), nil
		})
	}
	overAll("product", "The product of the values.", "(double) -> double", double, func(values []float64) float64 {
		p := 1.0
		for _, x := range values {
			p *= x
		}
		return p
	})
	overAll("geomean geometric_mean", "The geometric mean of positive values.", "(double) -> double", double, func(values []float64) float64 {
		sum := 0.0
		for _, x := range values {
			sum += math.Log(x)
		}
		return math.Exp(sum / float64(len(values)))
	})
	overAll("mad", "The median of the distances from the median.", "(double) -> double", double, func(values []float64) float64 {
		middle := medianOf(values)
		for i, x := range values {
			values[i] = math.Abs(x - middle)
		}
		return medianOf(values)
	})
	defineRegression()
	defineFrequencies()
}

// highMoments are number, mean and sums of the second to fourth powers of deviations, added up without cancellation (Pébay).
type highMoments struct{ n, mean, m2, m3, m4 float64 }

func (m *highMoments) add(x float64) { m.merge(highMoments{n: 1, mean: x}) }

func (m *highMoments) merge(o highMoments) {
	if o.n == 0 {
		return
	}
	n := m.n + o.n
	d := o.mean - m.mean
	d2 := d * d
	ab := m.n * o.n
	m.m4 += o.m4 + d2*d2*ab*(m.n*m.n-ab+o.n*o.n)/(n*n*n) + 6*d2*(m.n*m.n*o.m2+o.n*o.n*m.m2)/(n*n) + 4*d*(m.n*o.m3-o.n*m.m3)/n
	m.m3 += o.m3 + d*d2*ab*(m.n-o.n)/(n*n) + 3*d*(m.n*o.m2-o.n*m.m2)/n
	m.m2 += o.m2 + d2*ab/n
	m.mean += d * o.n / n
	m.n = n
}

// highMomentState is a function of the moments of each group.
type highMomentState struct {
	states []highMoments
	result func(m highMoments) (float64, bool)
}

func (s *highMomentState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.states = grown(s.states, count)
	data, g := dense[float64](groups, args[0], n)
	fold(s.states, g, data, func(m *highMoments, x float64) { m.add(x) })
	return nil
}

func (s *highMomentState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.states = grown(s.states, count)
	o := other.(*highMomentState).states
	for i, g := range from {
		if int(g) < len(o) {
			s.states[to[i]].merge(o[g])
		}
	}
	return nil
}

func (s *highMomentState) Finish(from, to int) (*vec.Vector, error) {
	return finishDoubles(from, to, func(g int) (float64, bool) {
		if g >= len(s.states) {
			return 0, false
		}
		return s.result(s.states[g])
	}), nil
}

func (s *highMomentState) SizeBytes() int64 { return int64(cap(s.states)) * 40 }

// finishFloats makes the result of each group by a function of its values, which it may change; no values give NULL.
func finishFloats(f func(values []float64) float64) func(*collectState, *vec.Vector, [][]int32, int) (*vec.Vector, error) {
	return func(_ *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
		data := vec.Slice[float64](values)
		return finishDoubles(0, len(rows), func(g int) (float64, bool) {
			list := make([]float64, len(rows[g]))
			for k, r := range rows[g] {
				list[k] = data[r]
			}
			if len(list) == 0 {
				return 0, false
			}
			return f(list), true
		}), nil
	}
}

// medianOf sorts values and returns their median.
func medianOf(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return values[n/2-1] + (values[n/2]-values[n/2-1])/2
}

// defineRegression adds the aggregates of a line y = slope * x + intercept through pairs (y, x).
func defineRegression() {
	pair := func(name, about string, f func(m pairMoments) (float64, bool)) {
		defineAggregate(name, about, "(double, double) -> double", func(args []Arg, _ Option) (*Aggregate, error) {
			if len(args) != 2 || !doubleArg(args[0]) || !doubleArg(args[1]) {
				return nil, nil
			}
			return &Aggregate{Args: two(types.Of(types.Double)), Ret: types.Of(types.Double), New: func(*Ctx) Accumulator { return &pairState{result: f} }}, nil
		})
	}
	// In pairMoments x is the first argument, which is the dependent variable y here.
	pair("regr_slope", "The slope of the line through pairs (y, x).", func(m pairMoments) (float64, bool) { return m.cxy / m.y2, m.y2 > 0 })
	pair("regr_intercept", "Where the line through pairs (y, x) crosses the axis.", func(m pairMoments) (float64, bool) { return m.x - m.cxy/m.y2*m.y, m.y2 > 0 })
	pair("regr_r2", "The square of the correlation of pairs (y, x); 1 where y does not vary.", func(m pairMoments) (float64, bool) {
		if m.x2 == 0 {
			return 1, m.y2 > 0
		}
		return m.cxy * m.cxy / (m.x2 * m.y2), m.y2 > 0
	})
	pair("regr_avgx", "The mean of x of pairs (y, x).", func(m pairMoments) (float64, bool) { return m.y, m.n > 0 })
	pair("regr_avgy", "The mean of y of pairs (y, x).", func(m pairMoments) (float64, bool) { return m.x, m.n > 0 })
	pair("regr_sxx", "The sum of the squared deviations of x of pairs (y, x).", func(m pairMoments) (float64, bool) { return m.y2, m.n > 0 })
	pair("regr_syy", "The sum of the squared deviations of y of pairs (y, x).", func(m pairMoments) (float64, bool) { return m.x2, m.n > 0 })
	pair("regr_sxy", "The sum of the products of the deviations of pairs (y, x).", func(m pairMoments) (float64, bool) { return m.cxy, m.n > 0 })
	defineAggregate("regr_count", "The number of pairs without NULL.", "(any, any) -> bigint", func(args []Arg, o Option) (*Aggregate, error) {
		if len(args) != 2 {
			return nil, nil
		}
		return ResolveAggregate("count", args)
	})
}
