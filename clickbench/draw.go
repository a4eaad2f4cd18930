package clickbench

import "math"

// random is a stream of numbers (splitmix64), the same on every machine.
type random uint64

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// stream returns the stream that belongs to a pair of numbers.
func stream(a, b uint64) random { return random(mix(a+0x9e3779b97f4a7c15) ^ mix(b+0x632be59bd9b4e019)) }

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// below returns a number in [0, n).
func (r *random) below(n int) int { return int(r.next() >> 32 * uint64(n) >> 32) }

// between returns a number in [from, to].
func (r *random) between(from, to int) int { return from + r.below(to-from+1) }

// unit returns a number in [0, 1).
func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

// chance is true with probability p.
func (r *random) chance(p float64) bool { return r.unit() < p }

// length returns a length between least and four times the mean whose average is about the mean: most are shorter, few much longer.
func (r *random) length(least, mean int) int {
	u := r.unit()
	x := float64(float64(u*u)*u) * 4 // averages 1
	return least + int(x*float64(max(mean-least, 0)))
}

// choice is a value with its share, in any unit.
type choice[T any] struct {
	value T
	share float64
}

// choices draws values by their shares.
type choices[T any] struct {
	values []T
	upTo   []float64 // cumulative, the last is 1
}

// choose makes choices; the frequent ones should come first.
func choose[T any](list ...choice[T]) choices[T] {
	total := 0.0
	for _, c := range list {
		total += c.share
	}
	var out choices[T]
	sum := 0.0
	for _, c := range list {
		sum += c.share
		out.values = append(out.values, c.value)
		out.upTo = append(out.upTo, sum/total)
	}
	return out
}

func (c *choices[T]) draw(r *random) T {
	u := r.unit()
	for i, to := range c.upTo {
		if u < to {
			return c.values[i]
		}
	}
	return c.values[len(c.values)-1]
}

// skew draws numbers in [0, n) of which the small ones are frequent: the share of x falls as 1/sqrt(x), and no share is above a bound.
type skew struct {
	n    int
	head float64
}

// newSkew makes a skew over n numbers; the share of the most frequent is at most top.
func newSkew(n float64, top float64) skew {
	n = max(math.Floor(n), 1)
	return skew{int(n), 1 / float64(2*float64(n*top))}
}

func (s skew) draw(r *random) int {
	if s.head >= 1 {
		return r.below(s.n)
	}
	// Where u is uniform in [0, 1), u*u has the density 1/(2*sqrt(x)). Leaving out [0, head) cuts the peak.
	u := s.head + float64((1-s.head)*r.unit())
	least := float64(s.head * s.head)
	x := (float64(u*u) - least) / (1 - least)
	return min(int(x*float64(s.n)), s.n-1)
}

// poolOf returns how many different numbers a skew needs so that the draws yield the wanted share of distinct ones. The three shares used
// here were solved from distinct/draws = c * integral over x in [0, 1] of 1 - exp(-1/(2c*sqrt(x))), where c is pool/draws.
const (
	poolUsers   = 1.2   // distinct users are 0.6 of the visits
	poolPhrases = 2.9   // distinct phrases are 0.76 of the searches
	poolURLs    = 0.244 // distinct URLs are 0.23 of the pages viewed
)
