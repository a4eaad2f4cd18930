package parquetio

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/ebira-db/ebira/vec"
)

// Run is a run of equal definition levels. Runs are how sparse columns carry levels: their cost is the number of changes, not of rows.
type Run struct {
	Level uint8
	N     int32
}

// levelWidth is the bit width of levels up to maxLevel.
func levelWidth(maxLevel int) uint { return uint(bits.Len(uint(maxLevel))) }

// hybridRun is one run of the RLE/bit-packing hybrid: packed bytes, or a repeated value.
type hybridRun struct {
	n      int
	value  uint32
	packed []byte // nil for a repeated value
}

// hybrid walks the runs of the RLE/bit-packing hybrid up to left values.
type hybrid struct {
	src   []byte
	width uint
	left  int
	short int // bytes that the last run lacks
}

// next returns the next run, cut to the values that are left.
func (h *hybrid) next() (hybridRun, error) {
	header, n := binary.Uvarint(h.src)
	if n <= 0 {
		return hybridRun{}, fmt.Errorf("run-length data ends %d values early", h.left)
	}
	h.src = h.src[n:]
	count := header >> 1
	if header&1 == 0 {
		size := int(h.width+7) / 8
		if count == 0 || size > len(h.src) {
			return hybridRun{}, fmt.Errorf("malformed run of %d values", count)
		}
		var v uint32
		for i := size - 1; i >= 0; i-- {
			v = v<<8 | uint32(h.src[i])
		}
		h.src = h.src[size:]
		r := hybridRun{n: int(min(count, uint64(h.left))), value: v}
		h.left -= r.n
		return r, nil
	}
	if count == 0 || count > uint64(len(h.src))+1 && h.width > 0 || count > 1<<28 {
		return hybridRun{}, fmt.Errorf("malformed bit-packed run of %d groups", count)
	}
	// The last group may be cut short by writers that drop its unused bytes.
	size := min(int(count)*int(h.width), len(h.src))
	h.short = int(count)*int(h.width) - size
	r := hybridRun{n: min(int(count)*8, h.left), packed: h.src[:size]}
	if (r.n*int(h.width)+7)/8 > size {
		return hybridRun{}, fmt.Errorf("bit-packed run needs %d values, has %d bytes", r.n, size)
	}
	h.src = h.src[size:]
	h.left -= r.n
	return r, nil
}

// hybridLen returns the length of the data of n values, so that decoders are never given a run that claims more. It passes the end of
// src by the unused bytes that a writer dropped.
func hybridLen(src []byte, width uint, n int) (int, error) {
	h := hybrid{src: src, width: width, left: n}
	for h.left > 0 {
		if _, err := h.next(); err != nil {
			return 0, err
		}
	}
	return len(src) - len(h.src) + h.short, nil
}

// levelBitmap decodes n levels and returns a bitmap of those that reach want, nil if all do, with their number.
func levelBitmap(src []byte, n, maxLevel int, want uint8) (vec.Bitmap, int, error) {
	h := hybrid{src: src, width: levelWidth(maxLevel), left: n}
	out := vec.NewBitmap(n)
	for pos := 0; h.left > 0; {
		r, err := h.next()
		if err != nil {
			return nil, 0, err
		}
		switch {
		case r.packed == nil:
			if r.value >= uint32(want) {
				setRange(out, pos, r.n)
			}
		case h.width == 1 && want == 1:
			orBits(out, pos, r.packed, r.n)
		default:
			matchPacked(out, pos, r, h.width, uint64(want))
		}
		pos += r.n
	}
	set := out.Count(n)
	if set == n {
		return nil, n, nil
	}
	return out, set, nil
}

// levelBytes decodes n levels to one byte each.
func levelBytes(src []byte, n, maxLevel int) ([]uint8, error) {
	h := hybrid{src: src, width: levelWidth(maxLevel), left: n}
	out := make([]uint8, n)
	for pos := 0; h.left > 0; {
		r, err := h.next()
		if err != nil {
			return nil, err
		}
		d := out[pos : pos+r.n]
		if r.packed == nil {
			if r.value > uint32(maxLevel) {
				return nil, fmt.Errorf("level %d above %d", r.value, maxLevel)
			}
			for i := range d {
				d[i] = uint8(r.value)
			}
		} else if err := unpackLevels(d, r.packed, h.width, maxLevel); err != nil {
			return nil, err
		}
		pos += r.n
	}
	return out, nil
}

func unpackLevels(d []uint8, packed []byte, width uint, maxLevel int) error {
	mask, acc, have := uint32(1)<<width-1, uint32(0), uint(0)
	p := 0
	for i := range d {
		if have < width {
			acc |= uint32(packed[p]) << have
			have += 8
			p++
		}
		v := acc & mask
		if v > uint32(maxLevel) {
			return fmt.Errorf("level %d above %d", v, maxLevel)
		}
		d[i] = uint8(v)
		acc >>= width
		have -= width
	}
	return nil
}

// matchPacked sets the bits of out where the packed levels reach want.
func matchPacked(out vec.Bitmap, pos int, r hybridRun, width uint, want uint64) {
	mask, acc, have := uint64(1)<<width-1, uint64(0), uint(0)
	p := 0
	for i := pos; i < pos+r.n; i++ {
		if have < width {
			acc |= uint64(r.packed[p]) << have
			have += 8
			p++
		}
		if acc&mask >= want {
			out.Set(i)
		}
		acc >>= width
		have -= width
	}
}

// setRange sets n bits from pos on.
func setRange(b vec.Bitmap, pos, n int) {
	for n > 0 {
		w, s := pos>>6, uint(pos)&63
		k := min(64-int(s), n)
		b[w] |= (^uint64(0) >> (64 - uint(k))) << s
		pos += k
		n -= k
	}
}

// orBits sets the bits of the first n packed bits from pos on; the target bits must be clear.
func orBits(b vec.Bitmap, pos int, packed []byte, n int) {
	for n > 0 {
		var word uint64
		k := min(n, 56)
		if len(packed) >= 8 {
			word = binary.LittleEndian.Uint64(packed)
		} else {
			for i, x := range packed {
				word |= uint64(x) << (8 * i)
			}
		}
		word &= 1<<uint(k) - 1
		w, s := pos>>6, uint(pos)&63
		b[w] |= word << s
		if s > 0 && int(s)+k > 64 {
			b[w+1] |= word >> (64 - s)
		}
		pos += k
		n -= k
		packed = packed[min(7, len(packed)):]
	}
}

// minRLE is the run length from which a repeated value is shorter than bit-packing it.
const minRLE = 16

// levelEncoder writes levels in the RLE/bit-packing hybrid from runs.
type levelEncoder struct {
	dst   []byte
	width uint
	// pending are levels that wait to be bit-packed.
	pending []uint8
}

// run appends n levels.
func (e *levelEncoder) run(level uint8, n int) {
	fill := -len(e.pending) & 7
	switch {
	case n < minRLE+fill:
		for range n {
			e.pending = append(e.pending, level)
		}
		return
	case e.lone():
		// A short run alone between long ones is shorter as a run of its own.
		e.repeat(e.pending[0], len(e.pending))
		e.pending = e.pending[:0]
	default:
		for range fill {
			e.pending = append(e.pending, level)
		}
		n -= fill
		e.flush()
	}
	e.repeat(level, n)
}

// lone tells whether the pending levels are a single short run.
func (e *levelEncoder) lone() bool {
	if len(e.pending) == 0 || len(e.pending) >= 8 {
		return false
	}
	for _, l := range e.pending {
		if l != e.pending[0] {
			return false
		}
	}
	return true
}

// repeat writes a run.
func (e *levelEncoder) repeat(level uint8, n int) {
	e.dst = binary.AppendUvarint(e.dst, uint64(n)<<1)
	if e.width > 0 {
		e.dst = append(e.dst, level)
	}
}

// flush bit-packs the pending levels, padded with zeros to a whole group.
func (e *levelEncoder) flush() {
	if len(e.pending) == 0 {
		return
	}
	for len(e.pending)%8 != 0 {
		e.pending = append(e.pending, 0)
	}
	e.dst = binary.AppendUvarint(e.dst, uint64(len(e.pending)/8)<<1|1)
	for g := 0; g < len(e.pending); g += 8 {
		var word uint64
		for i, l := range e.pending[g : g+8] {
			word |= uint64(l) << (uint(i) * e.width)
		}
		for range e.width {
			e.dst = append(e.dst, byte(word))
			word >>= 8
		}
	}
	e.pending = e.pending[:0]
}

// appendRuns appends the levels of runs.
func appendRuns(dst []byte, runs []Run, maxLevel int) []byte {
	e := levelEncoder{dst: dst, width: levelWidth(maxLevel)}
	for i := 0; i < len(runs); {
		level, n := runs[i].Level, int(runs[i].N)
		for i++; i < len(runs) && runs[i].Level == level; i++ {
			n += int(runs[i].N)
		}
		e.run(level, n)
	}
	e.flush()
	return e.dst
}

// appendLevels appends one level a byte.
func appendLevels(dst []byte, levels []uint8, maxLevel int) []byte {
	e := levelEncoder{dst: dst, width: levelWidth(maxLevel)}
	for i := 0; i < len(levels); {
		j := i + 1
		for j < len(levels) && levels[j] == levels[i] {
			j++
		}
		e.run(levels[i], j-i)
		i = j
	}
	e.flush()
	return e.dst
}

// appendValidity appends n levels: top where valid is set, top-1 elsewhere.
func appendValidity(dst []byte, valid vec.Bitmap, n int, top uint8, maxLevel int) []byte {
	e := levelEncoder{dst: dst, width: levelWidth(maxLevel)}
	if valid == nil {
		e.run(top, n)
		e.flush()
		return e.dst
	}
	for i := 0; i < n; {
		set := valid.Get(i)
		j := i + runLength(valid, i, n, set)
		if set {
			e.run(top, j-i)
		} else {
			e.run(top-1, j-i)
		}
		i = j
	}
	e.flush()
	return e.dst
}

// runLength returns how many bits from i on, below n, equal set.
func runLength(b vec.Bitmap, i, n int, set bool) int {
	start := i
	for i < n {
		w := b[i>>6] >> (uint(i) & 63)
		if set {
			w = ^w
		}
		k := min(bits.TrailingZeros64(w), 64-i&63)
		if k < 64-i&63 {
			return min(i+k, n) - start
		}
		i += 64 - i&63
	}
	return n - start
}
