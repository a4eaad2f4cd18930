package parquetio

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/ebira-db/ebira/vec"
)

// PageInput is what a ColumnWriter makes a page of.
type PageInput struct {
	// Rows is the number of rows; Entries differs from it only with repetition.
	Rows, Entries int
	// One of the three says which entries have a value, where the leaf can be NULL: Valid for leaves of MaxDef 1 (nil: all), Runs, or
	// Def with one level an entry. Rep is set with repetition.
	Valid    vec.Bitmap
	Runs     []Run
	Def, Rep []uint8
	// RepLevels are the repetition levels as EncodeLevels returns them, in place of Rep: leaves of one list share them.
	RepLevels []byte
	Values    *Values
}

// EncodeLevels returns levels in the form of a page.
func EncodeLevels(runs []Run, maxLevel int) []byte { return appendRuns(nil, runs, maxLevel) }

// WrittenPage tells where a page lies behind the start of the chunk's data pages, and what it holds.
type WrittenPage struct {
	Offset  int64
	Bytes   int
	Rows    int
	Entries int
	Stats   Stats
}

// minSaving is the share that compression must save to be worth its cost when reading: below it a page stays plain.
const minSaving = 0.12

// Sampling of encodings: the first page with this many values decides, and every resampleEvery-th page tries compression anew.
const (
	sampleValues  = 1024
	resampleEvery = 16
)

// ColumnWriter encodes the pages of one leaf of one row group and keeps them in memory, so that all columns of a file can be filled
// side by side and written one after the other.
type ColumnWriter struct {
	leaf  LeafInfo
	order Order
	codec Codec // codec of pages that are worth it

	enc        int // the encoding for pages to come; encRLEDictionary while the dictionary has room
	fallback   int
	sampled    int // values of the page that decided enc
	compressed bool
	tryIn      int
	usedCodec  bool

	dict      dictBuilder
	dictPages bool
	body      []byte
	pages     []WrittenPage
	total     Stats
	entries   int64
	plain     int64 // uncompressed size of all pages with headers
	oldPages  int
	encodings map[int]int
	// distinct has the values of pages without dictionary; nil if they are not counted.
	distinct *vec.Sketch

	codes         []uint32
	raw, cooked   []byte
	scratch, pack []byte
	old           []byte
}

// surelyRepeating is the size up to which a dictionary is kept whatever the share of repeated values.
const surelyRepeating = 8192

// NewColumnWriter makes a writer for a leaf whose bounds compare by order. Pages are compressed with codec where it pays.
func NewColumnWriter(leaf LeafInfo, order Order, codec Codec) *ColumnWriter {
	return &ColumnWriter{leaf: leaf, order: order, codec: codec, encodings: map[int]int{}}
}

// CountDistinct makes the writer count different values, before the first page.
func (w *ColumnWriter) CountDistinct() { w.distinct = new(vec.Sketch) }

// Distinct returns the sketch of the different values so far, nil if they are not counted.
func (w *ColumnWriter) Distinct() *vec.Sketch {
	if w.distinct == nil {
		return nil
	}
	s := *w.distinct
	if w.dictPages {
		count(&s, w.dict.values())
	}
	return &s
}

// count adds values to a sketch. Booleans need none.
func count(s *vec.Sketch, v *Values) {
	switch v.Kind {
	case KindBool:
	case KindInt32:
		for _, x := range v.I32 {
			s.Add(vec.HashInt64(int64(x)))
		}
	case KindInt64:
		for _, x := range v.I64 {
			s.Add(vec.HashInt64(x))
		}
	case KindFloat:
		for _, x := range v.F32 {
			s.Add(vec.HashFloat64(float64(x)))
		}
	case KindDouble:
		for _, x := range v.F64 {
			s.Add(vec.HashFloat64(x))
		}
	case KindBytes:
		for i := range v.Views {
			s.Add(vec.HashBytes(v.bytes(i)))
		}
	default:
		for i := range v.N {
			s.Add(vec.HashBytes(v.fixed(i)))
		}
	}
}

// SizeBytes is the memory that the writer holds now.
func (w *ColumnWriter) SizeBytes() int64 {
	return int64(cap(w.body) + w.dict.bytes + 4*len(w.dict.table) + cap(w.raw) + cap(w.cooked) + cap(w.scratch) + 4*cap(w.codes))
}

// Pages returns the pages so far. Offsets count from the first data page.
func (w *ColumnWriter) Pages() []WrittenPage { return w.pages }

// Total returns the bounds of the whole chunk.
func (w *ColumnWriter) Total() Stats { return w.total }

// WritePage encodes one page. The input may be reused afterwards.
func (w *ColumnWriter) WritePage(in *PageInput) {
	v := in.Values
	if v.N > 0 && w.sampled < sampleValues && (w.sampled == 0 || v.N >= 4*w.sampled) {
		w.sample(v)
	}
	h := pageHeader{kind: pageDataV2, numValues: in.Entries, numRows: in.Rows, numNulls: in.Entries - v.N}
	w.raw = w.raw[:0]
	if w.leaf.MaxRep > 0 {
		if w.raw = append(w.raw, in.RepLevels...); in.RepLevels == nil {
			w.raw = appendLevels(w.raw, in.Rep, w.leaf.MaxRep)
		}
		h.repBytes = len(w.raw)
	}
	if w.leaf.MaxDef > 0 {
		switch {
		case in.Runs != nil:
			w.raw = appendRuns(w.raw, in.Runs, w.leaf.MaxDef)
		case in.Def != nil:
			w.raw = appendLevels(w.raw, in.Def, w.leaf.MaxDef)
		default:
			w.raw = appendValidity(w.raw, in.Valid, in.Entries, uint8(w.leaf.MaxDef), w.leaf.MaxDef)
		}
		h.defBytes = len(w.raw) - h.repBytes
	}
	levels := len(w.raw)
	h.encoding = w.encodeBody(v)
	h.uncompressed = len(w.raw)
	h.plainBytes = true
	data := w.raw
	if w.worthIt(levels) {
		w.cooked = append(w.cooked[:0], w.raw[:levels]...)
		w.cooked = compress(w.cooked, w.raw[levels:], w.codec)
		if float64(len(w.cooked)) <= (1-minSaving)*float64(len(w.raw)) {
			data, h.plainBytes, w.usedCodec = w.cooked, false, true
		}
		w.compressed = !h.plainBytes
	}
	start := len(w.body)
	if old := w.oldPage(&h, levels, len(data)); old != nil {
		w.append(&h, old, appendOldHeader)
		w.oldPages++
	} else {
		w.append(&h, data, appendDataHeader)
	}
	w.encodings[h.encoding]++
	w.entries += int64(in.Entries)

	p := WrittenPage{Offset: int64(start), Bytes: len(w.body) - start, Rows: in.Rows, Entries: in.Entries, Stats: statsOf(v, w.order)}
	p.Stats.Nulls = int64(h.numNulls)
	w.pages = append(w.pages, p)
	w.total.merge(&p.Stats, w.leaf.Kind, w.order)
}

// append adds a page to the chunk.
func (w *ColumnWriter) append(h *pageHeader, data []byte, header func([]byte, *pageHeader) []byte) {
	h.compressed, h.crc = len(data), crc32.ChecksumIEEE(data)
	start := len(w.body)
	w.body = header(w.body, h)
	w.plain += int64(len(w.body) - start + h.uncompressed)
	w.body = append(w.body, data...)
}

// manyLevels is the size from which the levels of a sparse page are worth compressing.
const manyLevels = 256

// oldPage returns the page in w.raw in the old form, where levels are compressed too, if that saves enough: sparse paths are levels for
// the most part. It is nil otherwise.
func (w *ColumnWriter) oldPage(h *pageHeader, levels, size int) []byte {
	if w.codec == Uncompressed || levels < manyLevels || levels*4 < len(w.raw) || w.leaf.MaxRep > 0 {
		return nil
	}
	w.pack = binary.LittleEndian.AppendUint32(w.pack[:0], uint32(levels))
	w.pack = append(w.pack, w.raw...)
	// w.cooked may hold the page in the new form.
	w.old = compress(w.old[:0], w.pack, w.codec)
	if float64(len(w.old)) > (1-minSaving)*float64(size) {
		return nil
	}
	h.uncompressed, w.usedCodec = len(w.pack), true
	return w.old
}

// worthIt says whether to try compression on the page in w.raw.
func (w *ColumnWriter) worthIt(levels int) bool {
	const least = 64 // smaller bodies cannot win back the codec's frame
	if w.codec == Uncompressed || len(w.raw)-levels < least {
		return false
	}
	w.tryIn--
	if w.tryIn < 0 {
		w.tryIn = resampleEvery
		return true
	}
	return w.compressed
}

// encodeBody appends the values to w.raw and returns their encoding.
func (w *ColumnWriter) encodeBody(v *Values) int {
	if v.N == 0 {
		return encPlain
	}
	if w.enc == encRLEDictionary {
		var ok bool
		if w.codes, ok = w.dict.encode(v, w.codes[:0]); ok {
			w.dictPages = true
			w.raw = appendCodes(w.raw, w.codes, &w.scratch)
			if w.dict.vals.N > surelyRepeating && int64(w.dict.vals.N)*2 > w.total.Values+int64(v.N) {
				w.enc = w.fallback
			}
			return encRLEDictionary
		}
		w.enc = w.fallback
	}
	flat := v
	if v.Dict != nil {
		flat = flatten(v)
	}
	if w.distinct != nil {
		count(w.distinct, flat)
	}
	enc := w.enc
	if w.leaf.Kind == KindBool {
		at := len(w.raw)
		w.raw = encodeValues(w.raw, flat, encRLE, &w.scratch)
		if len(w.raw)-at <= (v.N+7)/8 {
			return encRLE
		}
		w.raw = w.raw[:at]
		enc = encPlain
	}
	w.raw = encodeValues(w.raw, flat, enc, &w.scratch)
	return enc
}

// flatten returns the text values of a dictionary-coded page.
func flatten(v *Values) *Values {
	out := Values{Kind: v.Kind, N: v.N, Views: make([]vec.View, v.N), Bufs: v.Dict.Bufs}
	for i, c := range v.Codes {
		out.Views[i] = v.Dict.Views[c]
	}
	return &out
}

// candidates are the encodings worth trying for a kind, best for decoding first.
func candidates(k Kind) []int {
	switch k {
	case KindInt32, KindInt64:
		return []int{encDelta, encPlain}
	case KindFloat, KindDouble:
		return []int{encPlain, encByteStreamSplit}
	case KindBytes:
		return []int{encDeltaLength}
	}
	return []int{encPlain}
}

// Costs that weigh the size of an encoding by what decoding takes: a compressed page costs more than one that is small by itself, and
// a dictionary, whose codes the engine works on, less.
const (
	compressedCost = 1.25
	dictCost       = 0.85
	// dictShare is the share of a dictionary that its first page is charged with: the pages to come use it too.
	dictShare = 0.5
)

// sample chooses the encoding by trying all of them on a page.
func (w *ColumnWriter) sample(v *Values) {
	w.sampled = v.N
	w.tryIn = 0
	if w.leaf.Kind == KindBool {
		w.enc = encPlain
		return
	}
	flat := v
	if v.Dict != nil {
		if w.repeats(v) {
			w.enc, w.fallback = encRLEDictionary, encDeltaLength
			return
		}
		flat = flatten(v)
	}
	best := math.Inf(1)
	for _, enc := range candidates(w.leaf.Kind) {
		w.pack = encodeValues(w.pack[:0], flat, enc, &w.scratch)
		if c := w.cost(w.pack); c < best {
			best, w.fallback = c, enc
		}
	}
	w.enc = w.fallback
	if w.dict.vals.N > 0 {
		// The dictionary was chosen on a smaller sample and pages use it.
		w.enc = encRLEDictionary
		return
	}
	var ok bool
	if w.codes, ok = w.dict.encode(v, w.codes[:0]); ok && w.dict.vals.N <= v.N/2+1 {
		w.pack = appendCodes(w.pack[:0], w.codes, &w.scratch)
		if dictCost*w.cost(w.pack)+dictShare*float64(w.dict.bytes) < best {
			w.enc = encRLEDictionary
			return
		}
	}
	w.dict = dictBuilder{}
}

// surelySmaller is how many times larger than its dictionary a page must be for that to settle the matter.
const surelySmaller = 4

// repeats tells whether a page that comes with a dictionary is so much larger without it that the other encodings need not be tried:
// the metadata of wide variants repeats a hundred kilobytes in every row.
func (w *ColumnWriter) repeats(v *Values) bool {
	size, dict := 0, 0
	for _, c := range v.Codes {
		size += v.Dict.Views[c].Len()
	}
	for i := range v.Dict.Views {
		dict += v.Dict.Views[i].Len()
	}
	return dict*surelySmaller < size && v.Dict.N < maxDictEntries/surelySmaller
}

// cost is the weighted size of encoded values, compressed if that pays.
func (w *ColumnWriter) cost(b []byte) float64 {
	n := float64(len(b))
	if w.codec == Uncompressed {
		return n
	}
	w.cooked = compress(w.cooked[:0], b, w.codec)
	if z := float64(len(w.cooked)); z <= (1-minSaving)*n {
		return min(n, compressedCost*z)
	}
	return n
}

// finish returns the dictionary page, empty if there is none.
func (w *ColumnWriter) finish() []byte {
	if !w.dictPages {
		return nil
	}
	v := w.dict.values()
	plain := appendPlain(nil, v)
	data := plain
	if w.codec != Uncompressed {
		packed := compress(nil, plain, w.codec)
		if w.usedCodec || float64(len(packed)) <= (1-minSaving)*float64(len(plain)) {
			data, w.usedCodec = packed, true
		}
	}
	h := pageHeader{uncompressed: len(plain), compressed: len(data), crc: crc32.ChecksumIEEE(data), numValues: v.N}
	out := appendDictHeader(nil, &h)
	w.plain += int64(len(out) + len(plain))
	return append(out, data...)
}
