package parquetio

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"

	"github.com/ebira-db/ebira/vec"
)

// Encodings, with the numbers of the format.
const (
	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encBitPacked       = 4
	encDelta           = 5
	encDeltaLength     = 6
	encDeltaBytes      = 7
	encRLEDictionary   = 8
	encByteStreamSplit = 9
)

// maxPageValues bounds the values of one page: run-length data can claim any number of them in a few bytes.
const maxPageValues = 1 << 26

// decodeValues decodes n values. Text views point into src, which must not be changed afterwards. dict is needed for dictionary
// encodings only.
func decodeValues(kind Kind, width, enc int, src []byte, n int, dict *Values) (v Values, err error) {
	v = Values{Kind: kind, Width: width, N: n}
	if n > maxPageValues {
		return v, fmt.Errorf("page claims %d values, more than the limit of %d", n, maxPageValues)
	}
	switch enc {
	case encPlain:
		err = v.decodePlain(src)
	case encPlainDictionary, encRLEDictionary:
		err = v.decodeCodes(src, dict)
	case encRLE:
		err = v.decodeRLE(src)
	case encDelta:
		err = v.decodeDelta(src)
	case encDeltaLength:
		err = v.decodeDeltaLength(src)
	case encDeltaBytes:
		err = v.decodeDeltaBytes(src)
	case encByteStreamSplit:
		err = v.decodeSplit(src)
	default:
		err = unsupported("encoding %d", enc)
	}
	return v, err
}

// wrongEncoding is the error for an encoding that does not exist for the type.
func (v *Values) wrongEncoding(name string) error {
	return fmt.Errorf("%s in encoding %s", v.Kind, name)
}

// need checks that src holds n values of width bytes.
func need(src []byte, n, width int) error {
	if len(src)/width < n {
		return fmt.Errorf("%d values of %d bytes in a page of %d bytes", n, width, len(src))
	}
	return nil
}

func (v *Values) decodePlain(src []byte) error {
	switch v.Kind {
	case KindBool:
		if err := need(src, (v.N+7)/8, 1); err != nil {
			return err
		}
		v.Bool = make([]bool, v.N)
		unpackBools(v.Bool, src)
	case KindInt32:
		if err := need(src, v.N, 4); err != nil {
			return err
		}
		v.I32 = make([]int32, v.N)
		copy(rawBytes(v.I32), src)
	case KindInt64:
		if err := need(src, v.N, 8); err != nil {
			return err
		}
		v.I64 = make([]int64, v.N)
		copy(rawBytes(v.I64), src)
	case KindFloat:
		if err := need(src, v.N, 4); err != nil {
			return err
		}
		v.F32 = make([]float32, v.N)
		copy(rawBytes(v.F32), src)
	case KindDouble:
		if err := need(src, v.N, 8); err != nil {
			return err
		}
		v.F64 = make([]float64, v.N)
		copy(rawBytes(v.F64), src)
	case KindInt96, KindFixed:
		if err := need(src, v.N, v.Width); err != nil {
			return err
		}
		v.Fixed = src[:v.N*v.Width]
	case KindBytes:
		return v.decodePlainBytes(src)
	}
	return nil
}

// decodePlainBytes makes views of values that each follow their 4-byte length.
func (v *Values) decodePlainBytes(src []byte) error {
	if err := need(src, v.N, 4); err != nil {
		return err
	}
	v.Views = make([]vec.View, v.N)
	v.Bufs = [][]byte{src}
	pos := 0
	for i := range v.Views {
		if pos+4 > len(src) {
			return fmt.Errorf("page ends at value %d of %d", i, v.N)
		}
		size := int(binary.LittleEndian.Uint32(src[pos:]))
		pos += 4
		if size > len(src)-pos {
			return fmt.Errorf("value %d of %d bytes passes the end of the page", i, size)
		}
		v.Views[i] = vec.MakeView(src[pos:pos+size], 0, pos)
		pos += size
	}
	return nil
}

// boolBytes are the eight bools of each byte as they lie in memory.
var boolBytes = func() (t [256][8]bool) {
	for i := range t {
		for j := range t[i] {
			t[i][j] = i>>j&1 != 0
		}
	}
	return t
}()

func unpackBools(dst []bool, src []byte) {
	for len(dst) >= 8 {
		copy(dst, boolBytes[src[0]][:])
		dst, src = dst[8:], src[1:]
	}
	if len(dst) > 0 {
		copy(dst, boolBytes[src[0]][:])
	}
}

var rleDictionary rle.DictionaryEncoding

func (v *Values) decodeCodes(src []byte, dict *Values) error {
	if dict == nil {
		return fmt.Errorf("dictionary-encoded page without a dictionary")
	}
	v.Dict = dict
	if v.N == 0 {
		v.Codes = []uint32{}
		return nil
	}
	if len(src) == 0 {
		return fmt.Errorf("dictionary-encoded page without codes")
	}
	width := uint(src[0])
	if width > 32 {
		return fmt.Errorf("dictionary codes of %d bits", width)
	}
	size, err := hybridLen(src[1:], width, v.N)
	if err != nil {
		return err
	}
	if 1+size > len(src) {
		src = append(src[:len(src):len(src)], make([]byte, 1+size-len(src))...)
	}
	codes := make([]int32, 0, v.N+8)
	if codes, err = rleDictionary.DecodeInt32(codes, src[:1+size]); err != nil {
		return err
	}
	if len(codes) < v.N {
		return fmt.Errorf("%d dictionary codes where the page has %d", len(codes), v.N)
	}
	v.Codes = asUint32(codes[:v.N])
	return checkCodes(v.Codes, dict.N)
}

func checkCodes(codes []uint32, n int) error {
	top := uint32(0)
	for _, c := range codes {
		top = max(top, c)
	}
	if int64(top) >= int64(n) && len(codes) > 0 {
		return fmt.Errorf("dictionary code %d of %d entries", top, n)
	}
	return nil
}

// decodeRLE decodes booleans, the only values that have this encoding: a 4-byte length, then the hybrid with 1 bit.
func (v *Values) decodeRLE(src []byte) error {
	if v.Kind != KindBool {
		return v.wrongEncoding("RLE")
	}
	v.Bool = make([]bool, v.N)
	if v.N == 0 {
		return nil
	}
	if len(src) < 4 || uint64(binary.LittleEndian.Uint32(src)) > uint64(len(src)-4) {
		return fmt.Errorf("run-length page is cut short")
	}
	h := hybrid{src: src[4 : 4+binary.LittleEndian.Uint32(src)], width: 1, left: v.N}
	for pos := 0; h.left > 0; {
		r, err := h.next()
		if err != nil {
			return err
		}
		d := v.Bool[pos : pos+r.n]
		if r.packed != nil {
			unpackBools(d, r.packed)
		} else if r.value != 0 {
			for i := range d {
				d[i] = true
			}
		}
		pos += r.n
	}
	return nil
}

var deltaInts delta.BinaryPackedEncoding

// deltaLen checks the structure of a delta-packed run of n integers of at most maxWidth bits and returns its length, so that the
// library's decoder never meets a count or width that it would trust.
func deltaLen(src []byte, n int, maxWidth byte) (int, error) {
	pos := 0
	bad := false
	next := func() uint64 {
		u, k := binary.Uvarint(src[pos:])
		if k <= 0 {
			bad = true
			return 0
		}
		pos += k
		return u
	}
	block, minis, total := next(), next(), next()
	next() // the first value
	switch {
	case bad:
		return 0, fmt.Errorf("delta header is cut short")
	case total != uint64(n):
		return 0, fmt.Errorf("delta data holds %d values where the page has %d", total, n)
	case block == 0 || block%128 != 0 || block > 65536 || minis == 0 || minis > block/32 || block/minis%32 != 0 || block%minis != 0:
		return 0, fmt.Errorf("delta blocks of %d values in %d parts", block, minis)
	}
	per := int(block / minis)
	for left := n - 1; left > 0; {
		next() // the least delta
		if bad || len(src)-pos < int(minis) {
			return 0, fmt.Errorf("delta data ends %d values early", left)
		}
		widths := src[pos : pos+int(minis)]
		pos += int(minis)
		for _, w := range widths {
			if left <= 0 {
				break
			}
			if w > maxWidth {
				return 0, fmt.Errorf("deltas of %d bits", w)
			}
			pos += per * int(w) / 8
			left -= per
		}
		if pos > len(src) {
			return 0, fmt.Errorf("delta data is cut short")
		}
	}
	return pos, nil
}

// decodeDeltas decodes n delta-packed integers of one width at the start of src and returns the rest.
func decodeDeltas32(src []byte, n int) ([]int32, []byte, error) {
	size, err := deltaLen(src, n, 32)
	if err != nil {
		return nil, nil, err
	}
	out, err := deltaInts.DecodeInt32(make([]int32, 0, n), src[:size])
	if err == nil && len(out) != n {
		err = fmt.Errorf("%d deltas where the page has %d", len(out), n)
	}
	return out, src[size:], err
}

func (v *Values) decodeDelta(src []byte) error {
	switch v.Kind {
	case KindInt32:
		out, _, err := decodeDeltas32(src, v.N)
		v.I32 = out
		return err
	case KindInt64:
		size, err := deltaLen(src, v.N, 64)
		if err != nil {
			return err
		}
		v.I64, err = deltaInts.DecodeInt64(make([]int64, 0, v.N), src[:size])
		if err == nil && len(v.I64) != v.N {
			err = fmt.Errorf("%d deltas where the page has %d", len(v.I64), v.N)
		}
		return err
	}
	return v.wrongEncoding("DELTA_BINARY_PACKED")
}

func (v *Values) decodeDeltaLength(src []byte) error {
	if v.Kind != KindBytes {
		return v.wrongEncoding("DELTA_LENGTH_BYTE_ARRAY")
	}
	lengths, rest, err := decodeDeltas32(src, v.N)
	if err != nil {
		return err
	}
	v.Views = make([]vec.View, v.N)
	v.Bufs = [][]byte{rest}
	pos := 0
	for i, size := range lengths {
		if size < 0 || int(size) > len(rest)-pos {
			return fmt.Errorf("value %d of %d bytes passes the end of the page", i, size)
		}
		v.Views[i] = vec.MakeView(rest[pos:pos+int(size)], 0, pos)
		pos += int(size)
	}
	return nil
}

// decodeDeltaBytes decodes values that share a prefix with the value before them.
func (v *Values) decodeDeltaBytes(src []byte) error {
	if v.Kind != KindBytes && v.Kind != KindFixed {
		return v.wrongEncoding("DELTA_BYTE_ARRAY")
	}
	prefixes, rest, err := decodeDeltas32(src, v.N)
	if err != nil {
		return err
	}
	suffixes, rest, err := decodeDeltas32(rest, v.N)
	if err != nil {
		return err
	}
	total := 0
	for i, p := range prefixes {
		if p < 0 || suffixes[i] < 0 || i == 0 && p > 0 {
			return fmt.Errorf("value %d has a prefix of %d and a suffix of %d bytes", i, p, suffixes[i])
		}
		if total += int(p) + int(suffixes[i]); total > maxPageBytes {
			return fmt.Errorf("values of a page take more than %d bytes", maxPageBytes)
		}
	}
	buf := make([]byte, 0, total)
	views := make([]vec.View, v.N)
	last, used := 0, 0
	for i, p := range prefixes {
		size := int(suffixes[i])
		if size > len(rest)-used || int(p) > len(buf)-last {
			return fmt.Errorf("value %d passes the end of the page", i)
		}
		start := len(buf)
		buf = append(buf, buf[last:last+int(p)]...)
		buf = append(buf, rest[used:used+size]...)
		used += size
		if v.Kind == KindFixed && len(buf)-start != v.Width {
			return fmt.Errorf("value %d has %d bytes instead of %d", i, len(buf)-start, v.Width)
		}
		views[i] = vec.MakeView(buf[start:], 0, start)
		last = start
	}
	if v.Kind == KindFixed {
		v.Fixed = buf
		return nil
	}
	v.Views, v.Bufs = views, [][]byte{buf}
	return nil
}

var byteStreamSplit bytestreamsplit.Encoding

func (v *Values) decodeSplit(src []byte) error {
	width := map[Kind]int{KindInt32: 4, KindFloat: 4, KindInt64: 8, KindDouble: 8, KindFixed: v.Width}[v.Kind]
	if width == 0 {
		return v.wrongEncoding("BYTE_STREAM_SPLIT")
	}
	if err := need(src, v.N, width); err != nil {
		return err
	}
	src = src[:v.N*width]
	var err error
	switch v.Kind {
	case KindInt32:
		v.I32, err = byteStreamSplit.DecodeInt32(nil, src)
	case KindInt64:
		v.I64, err = byteStreamSplit.DecodeInt64(nil, src)
	case KindFloat:
		v.F32, err = byteStreamSplit.DecodeFloat(nil, src)
	case KindDouble:
		v.F64, err = byteStreamSplit.DecodeDouble(nil, src)
	case KindFixed:
		if v.Width > math.MaxInt16 {
			return fmt.Errorf("split values of %d bytes", v.Width)
		}
		v.Fixed, err = byteStreamSplit.DecodeFixedLenByteArray(nil, src, v.Width)
	}
	return err
}
