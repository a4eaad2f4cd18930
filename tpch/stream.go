package tpch

// The generator of all streams but those of scale factors from 30,000 on: Lehmer's, in the "minimal standard" form.
const (
	modulus    = 1<<31 - 1
	multiplier = 16807
)

// reduce returns x mod modulus for x < 2⁶².
func reduce(x uint64) uint64 {
	x = x&modulus + x>>31
	x = x&modulus + x>>31
	if x >= modulus {
		x -= modulus
	}
	return x
}

// power returns multiplierⁿ mod modulus.
func power(n uint64) uint64 {
	result, base := uint64(1), uint64(multiplier)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			result = reduce(result * base)
		}
		base = reduce(base * base)
	}
	return result
}

// stream is the random numbers of one column. Each row has a fixed number of draws, used or not, so that the first draw of any row is
// known without making the rows before it.
type stream struct {
	seed   uint64 // the latest number
	row    uint64 // the number before the first draw of the row
	stride uint64 // what takes row to the next row
}

// newStream starts the stream of a column, that has perRow draws a row, at a row counted from 0.
func newStream(seed, perRow, row int64) stream {
	at := reduce(uint64(seed) * power(uint64(perRow*row)))
	return stream{seed: at, row: at, stride: power(uint64(perRow))}
}

// next draws a number from 1 to modulus-1.
func (s *stream) next() uint64 {
	s.seed = reduce(s.seed * multiplier)
	return s.seed
}

// pick draws a number from 0 to n-1. It divides before it multiplies, in float64, because the data depend on the rounding.
func (s *stream) pick(n int64) int64 { return int64(float64(s.next()) / modulus * float64(n)) }

// between draws a number from lo to hi, both included.
func (s *stream) between(lo, hi int64) int64 { return lo + s.pick(hi-lo+1) }

// endRow skips the draws that the row has left.
func (s *stream) endRow() {
	s.row = reduce(s.row * s.stride)
	s.seed = s.row
}
