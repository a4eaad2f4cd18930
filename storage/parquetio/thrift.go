package parquetio

import (
	"encoding/binary"
	"errors"
)

// Thrift compact protocol type codes.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxThriftDepth bounds nesting, so that a crafted footer cannot exhaust the stack. The format itself nests less than ten deep.
const maxThriftDepth = 32

var errThrift = errors.New("malformed thrift structure")

// thriftReader walks a structure in thrift's compact protocol. After the first error it reads zeros and stops.
type thriftReader struct {
	b   []byte
	pos int
	bad bool
}

func (r *thriftReader) fail() { r.bad, r.pos = true, len(r.b) }

func (r *thriftReader) byte() byte {
	if r.pos >= len(r.b) {
		r.fail()
		return 0
	}
	r.pos++
	return r.b[r.pos-1]
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b[r.pos:])
	if n <= 0 {
		r.fail()
		return 0
	}
	r.pos += n
	return v
}

func (r *thriftReader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (r *thriftReader) skip(n uint64) {
	if n > uint64(len(r.b)-r.pos) {
		r.fail()
		return
	}
	r.pos += int(n)
}

// field reads the next field header; typ is thriftStop at the end of the structure.
func (r *thriftReader) field(last int16) (id int16, typ byte) {
	h := r.byte()
	typ = h & 0xF
	if h == thriftStop || r.bad {
		return 0, thriftStop
	}
	if d := h >> 4; d != 0 {
		return last + int16(d), typ
	}
	return int16(r.varint()), typ
}

// skipValue passes over a value and everything in it. A list may not claim more elements than there are bytes left: that is what
// makes a footer safe for decoders that allocate by the claimed size.
func (r *thriftReader) skipValue(typ byte, depth int) {
	if depth > maxThriftDepth {
		r.fail()
		return
	}
	switch typ {
	case thriftTrue, thriftFalse:
	case thriftByte:
		r.skip(1)
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.skip(8)
	case thriftBinary:
		r.skip(r.uvarint())
	case thriftList, thriftSet:
		h := r.byte()
		n := uint64(h >> 4)
		if n == 15 {
			n = r.uvarint()
		}
		if n > uint64(len(r.b)-r.pos) {
			r.fail()
			return
		}
		elem := h & 0xF
		for ; n > 0 && !r.bad; n-- {
			if elem == thriftTrue || elem == thriftFalse {
				r.skip(1)
				continue
			}
			r.skipValue(elem, depth+1)
		}
	case thriftMap:
		n := r.uvarint()
		if n == 0 {
			return
		}
		if n > uint64(len(r.b)-r.pos) {
			r.fail()
			return
		}
		kv := r.byte()
		for ; n > 0 && !r.bad; n-- {
			r.skipValue(kv>>4, depth+1)
			r.skipValue(kv&0xF, depth+1)
		}
	case thriftStruct:
		r.skipStruct(depth + 1)
	default:
		r.fail()
	}
}

func (r *thriftReader) skipStruct(depth int) {
	var id int16
	for !r.bad {
		var typ byte
		id, typ = r.field(id)
		if typ == thriftStop {
			return
		}
		r.skipValue(typ, depth)
	}
}

// pageHeader is the part of a Parquet page header that reading needs.
type pageHeader struct {
	kind         byte // 0 data v1, 1 index, 2 dictionary, 3 data v2
	uncompressed int
	compressed   int
	crc          uint32
	hasCRC       bool
	numValues    int
	encoding     int
	defEncoding  int // v1
	repEncoding  int // v1
	numNulls     int // v2
	numRows      int // v2
	defBytes     int // v2
	repBytes     int // v2
	plainBytes   bool
	hasBody      bool // the structure that belongs to kind was there
}

// Page kinds of pageHeader.
const (
	pageDataV1 = 0
	pageIndex  = 1
	pageDict   = 2
	pageDataV2 = 3
)

// parsePageHeader reads a page header from the start of b and returns its length.
func parsePageHeader(b []byte) (h pageHeader, n int, err error) {
	r := thriftReader{b: b}
	h.kind = 255
	var id int16
	for !r.bad {
		var typ byte
		id, typ = r.field(id)
		if typ == thriftStop {
			break
		}
		switch {
		case id == 1 && typ == thriftI32:
			h.kind = byte(r.varint())
		case id == 2 && typ == thriftI32:
			h.uncompressed = int(r.varint())
		case id == 3 && typ == thriftI32:
			h.compressed = int(r.varint())
		case id == 4 && typ == thriftI32:
			h.crc, h.hasCRC = uint32(r.varint()), true
		case id == 5 && typ == thriftStruct && h.kind == pageDataV1:
			h.readBody(&r, [...]*int{1: &h.numValues, 2: &h.encoding, 3: &h.defEncoding, 4: &h.repEncoding, 7: nil})
		case id == 7 && typ == thriftStruct && h.kind == pageDict:
			h.readBody(&r, [...]*int{1: &h.numValues, 2: &h.encoding, 7: nil})
		case id == 8 && typ == thriftStruct && h.kind == pageDataV2:
			h.readBody(&r, [...]*int{1: &h.numValues, 2: &h.numNulls, 3: &h.numRows, 4: &h.encoding, 5: &h.defBytes, 6: &h.repBytes, 7: nil})
		default:
			r.skipValue(typ, 0)
		}
	}
	if r.bad {
		return h, 0, errThrift
	}
	if h.kind != pageIndex && !h.hasBody || h.compressed < 0 || h.uncompressed < 0 || h.numValues < 0 || h.numNulls < 0 || h.numRows < 0 ||
		h.defBytes < 0 || h.repBytes < 0 || h.kind > pageDataV2 {
		return h, 0, errors.New("page header with impossible values")
	}
	return h, r.pos, nil
}

// readBody reads the structure of one page kind: the 32-bit fields in dst, and the flag is_compressed in field 7 of v2.
func (h *pageHeader) readBody(r *thriftReader, dst [8]*int) {
	h.hasBody = true
	var id int16
	for !r.bad {
		var typ byte
		id, typ = r.field(id)
		switch {
		case typ == thriftStop:
			return
		case typ == thriftI32 && id > 0 && int(id) < len(dst) && dst[id] != nil:
			*dst[id] = int(r.varint())
		case id == 7 && typ == thriftFalse:
			h.plainBytes = h.kind == pageDataV2
		default:
			r.skipValue(typ, 0)
		}
	}
}

func appendVarint(b []byte, v int64) []byte {
	return binary.AppendUvarint(b, uint64(v<<1)^uint64(v>>63))
}

// appendI32 appends a 32-bit field whose id is one above the last.
func appendI32(b []byte, v int64) []byte { return appendVarint(append(b, 1<<4|thriftI32), v) }

// appendDataHeader appends the header of a v2 data page.
func appendDataHeader(b []byte, h *pageHeader) []byte {
	b = appendI32(b, pageDataV2)
	b = appendI32(b, int64(h.uncompressed))
	b = appendI32(b, int64(h.compressed))
	b = appendI32(b, int64(int32(h.crc)))
	b = append(b, 4<<4|thriftStruct)
	b = appendI32(b, int64(h.numValues))
	b = appendI32(b, int64(h.numNulls))
	b = appendI32(b, int64(h.numRows))
	b = appendI32(b, int64(h.encoding))
	b = appendI32(b, int64(h.defBytes))
	b = appendI32(b, int64(h.repBytes))
	flag := byte(1<<4 | thriftTrue)
	if h.plainBytes {
		flag = 1<<4 | thriftFalse
	}
	return append(b, flag, thriftStop, thriftStop)
}

// appendOldHeader appends the header of a v1 data page, whose levels are compressed with the values.
func appendOldHeader(b []byte, h *pageHeader) []byte {
	b = appendI32(b, pageDataV1)
	b = appendI32(b, int64(h.uncompressed))
	b = appendI32(b, int64(h.compressed))
	b = appendI32(b, int64(int32(h.crc)))
	b = append(b, 1<<4|thriftStruct)
	b = appendI32(b, int64(h.numValues))
	b = appendI32(b, int64(h.encoding))
	b = appendI32(b, encRLE)
	b = appendI32(b, encRLE)
	return append(b, thriftStop, thriftStop)
}

// appendDictHeader appends the header of a dictionary page in PLAIN encoding.
func appendDictHeader(b []byte, h *pageHeader) []byte {
	b = appendI32(b, pageDict)
	b = appendI32(b, int64(h.uncompressed))
	b = appendI32(b, int64(h.compressed))
	b = appendI32(b, int64(int32(h.crc)))
	b = append(b, 3<<4|thriftStruct)
	b = appendI32(b, int64(h.numValues))
	b = appendI32(b, int64(encPlain))
	return append(b, thriftStop, thriftStop)
}
