package parquetio

import (
	"hash/maphash"
	"unsafe"

	"github.com/ebira-db/ebira/vec"
)

// Limits of a dictionary: beyond them a reader would pay more for loading it than it gains, so later pages go without.
const (
	maxDictEntries = 1 << 16
	maxDictBytes   = 4 << 20
)

var dictSeed = maphash.MakeSeed()

// dictBuilder collects the distinct values of a chunk and gives them codes in order of appearance.
type dictBuilder struct {
	vals  Values
	table []uint32 // code + 1, 0 for free; length is a power of two
	shift uint
	bytes int
	remap []uint32 // code + 1 of each entry of the dictionary that pages came with
}

// encode appends the codes of the values of v to dst; false if the dictionary is full, and then v must be written in another way.
func (d *dictBuilder) encode(v *Values, dst []uint32) ([]uint32, bool) {
	if d.table == nil {
		d.vals = Values{Kind: v.Kind, Width: v.Width}
		d.grow(1 << 8)
	}
	switch {
	case v.Dict != nil:
		return d.encodeCodes(v, dst), !d.full()
	case v.Kind == KindInt32:
		return addNumbers(d, &d.vals.I32, v.I32, dst)
	case v.Kind == KindFloat:
		return addNumbers(d, &d.vals.I32, reinterpret[int32](v.F32), dst)
	case v.Kind == KindInt64:
		return addNumbers(d, &d.vals.I64, v.I64, dst)
	case v.Kind == KindDouble:
		return addNumbers(d, &d.vals.I64, reinterpret[int64](v.F64), dst)
	case v.Kind == KindBytes:
		for i := range v.Views {
			dst = append(dst, d.addBytes(v.bytes(i)))
		}
	default:
		for i := range v.N {
			dst = append(dst, d.addBytes(v.fixed(i)))
		}
	}
	return dst, !d.full()
}

// encodeCodes maps codes of another text dictionary: its entries are looked up once each, when they first appear.
func (d *dictBuilder) encodeCodes(v *Values, dst []uint32) []uint32 {
	if cap(d.remap) < v.Dict.N {
		d.remap = make([]uint32, v.Dict.N)
	}
	d.remap = d.remap[:v.Dict.N]
	clear(d.remap)
	for _, c := range v.Codes {
		if d.remap[c] == 0 {
			d.remap[c] = d.addBytes(v.Dict.bytes(int(c))) + 1
		}
		dst = append(dst, d.remap[c]-1)
	}
	return dst
}

// full tells whether the limits are passed. A few values of any size are always worth a dictionary.
func (d *dictBuilder) full() bool {
	const few = 8
	return d.vals.N > maxDictEntries || d.bytes > maxDictBytes && d.vals.N > few
}

// reinterpret views floats as integers of the same bits, so that a dictionary keeps -0 and every NaN apart.
func reinterpret[I int32 | int64, F float32 | float64](s []F) []I {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*I)(unsafe.Pointer(&s[0])), len(s))
}

// spreadHash multiplies by the golden ratio; the top bits index the table.
const spreadHash = 0x9E3779B97F4A7C15

func addNumbers[T int32 | int64](d *dictBuilder, keys *[]T, src []T, dst []uint32) ([]uint32, bool) {
	ks := *keys
	for i, x := range src {
		if i > 0 && x == src[i-1] {
			dst = append(dst, dst[len(dst)-1])
			continue
		}
		slot := uint64(x) * spreadHash >> d.shift
		for {
			c := d.table[slot]
			if c == 0 {
				ks = append(ks, x)
				d.vals.N++
				d.bytes += int(unsafe.Sizeof(x))
				d.table[slot] = uint32(d.vals.N)
				dst = append(dst, uint32(d.vals.N-1))
				if d.vals.N*2 > len(d.table) {
					*keys = ks
					d.grow(len(d.table) * 4)
				}
				break
			}
			if ks[c-1] == x {
				dst = append(dst, c-1)
				break
			}
			slot = (slot + 1) & uint64(len(d.table)-1)
		}
	}
	*keys = ks
	return dst, !d.full()
}

// addBytes returns the code of a text or fixed-width value, which is copied if it is new.
func (d *dictBuilder) addBytes(b []byte) uint32 {
	slot := maphash.Bytes(dictSeed, b) * spreadHash >> d.shift
	for {
		c := d.table[slot]
		if c == 0 {
			break
		}
		if string(d.at(int(c-1))) == string(b) {
			return c - 1
		}
		slot = (slot + 1) & uint64(len(d.table)-1)
	}
	if d.vals.Kind == KindBytes {
		if d.vals.Bufs == nil {
			d.vals.Bufs = [][]byte{nil}
		}
		buf := d.vals.Bufs[0]
		off := len(buf)
		if len(b) > 12 {
			buf = append(buf, b...)
		}
		d.vals.Bufs[0] = buf
		d.vals.Views = append(d.vals.Views, vec.MakeView(b, 0, off))
	} else {
		d.vals.Fixed = append(d.vals.Fixed, b...)
	}
	d.vals.N++
	d.bytes += len(b) + 4
	d.table[slot] = uint32(d.vals.N)
	code := uint32(d.vals.N - 1)
	if d.vals.N*2 > len(d.table) {
		d.grow(len(d.table) * 4)
	}
	return code
}

// at returns entry i of a dictionary of text or fixed-width values.
func (d *dictBuilder) at(i int) []byte {
	if d.vals.Kind == KindBytes {
		return d.vals.bytes(i)
	}
	return d.vals.fixed(i)
}

// grow makes a table of size slots and puts all entries in.
func (d *dictBuilder) grow(size int) {
	d.table = make([]uint32, size)
	d.shift = 64
	for s := size; s > 1; s /= 2 {
		d.shift--
	}
	for i := range d.vals.N {
		var h uint64
		switch {
		case d.vals.I32 != nil:
			h = uint64(d.vals.I32[i]) * spreadHash
		case d.vals.I64 != nil:
			h = uint64(d.vals.I64[i]) * spreadHash
		default:
			h = maphash.Bytes(dictSeed, d.at(i)) * spreadHash
		}
		slot := h >> d.shift
		for d.table[slot] != 0 {
			slot = (slot + 1) & uint64(size-1)
		}
		d.table[slot] = uint32(i + 1)
	}
}

// values returns the dictionary in the form of its kind.
func (d *dictBuilder) values() *Values {
	v := d.vals
	switch v.Kind {
	case KindFloat:
		v.F32, v.I32 = floats[float32](v.I32), nil
	case KindDouble:
		v.F64, v.I64 = floats[float64](v.I64), nil
	}
	return &v
}

// floats is the inverse of reinterpret.
func floats[F float32 | float64, I int32 | int64](s []I) []F {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*F)(unsafe.Pointer(&s[0])), len(s))
}
