package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// LeafInfo is what decoding needs to know of a leaf column.
type LeafInfo struct {
	Kind Kind
	// Width is the size of a value of KindFixed.
	Width          int
	MaxDef, MaxRep int
}

// PageLoc says where a page lies in the file, header included.
type PageLoc struct {
	Offset int64
	Bytes  int
}

// page is a page that was read and decompressed but not decoded.
type page struct {
	h        pageHeader
	rep, def []byte
	body     []byte
	raw      *[]byte // the buffer of the page as read, if it can be used again
}

// rawPages are buffers of pages that were read and decoded. Only pages that no value points into come back.
var rawPages = sync.Pool{New: func() any { return new([]byte) }}

// maxPooledPage is the largest buffer that is kept for the next page.
const maxPooledPage = 1 << 20

// free gives the buffer of the page back.
func (p *page) free() {
	if p.raw != nil && cap(*p.raw) <= maxPooledPage {
		rawPages.Put(p.raw)
	}
	*p = page{}
}

// parsePage splits the bytes behind a page header. raw is the compressed page; checkCRC is off for foreign files that would be refused
// for a checksum written wrongly.
func parsePage(h pageHeader, raw []byte, leaf LeafInfo, codec Codec, checkCRC bool) (p page, err error) {
	if checkCRC && h.hasCRC && crc32.ChecksumIEEE(raw) != h.crc {
		return p, fmt.Errorf("page checksum does not match")
	}
	p.h = h
	switch h.kind {
	case pageDict:
		p.body, err = decompress(raw, codec, h.uncompressed)
	case pageDataV2:
		err = p.splitV2(raw, codec)
	case pageDataV1:
		if p.body, err = decompress(raw, codec, h.uncompressed); err != nil {
			return p, err
		}
		if p.rep, err = p.cutLevels(h.repEncoding, leaf.MaxRep); err != nil {
			return p, err
		}
		p.def, err = p.cutLevels(h.defEncoding, leaf.MaxDef)
	default:
		err = fmt.Errorf("page of kind %d", h.kind)
	}
	return p, err
}

func (p *page) splitV2(raw []byte, codec Codec) (err error) {
	h := &p.h
	levels := h.repBytes + h.defBytes
	if levels > len(raw) || levels > h.uncompressed || h.numNulls > h.numValues {
		return fmt.Errorf("levels of %d bytes in a page of %d", levels, len(raw))
	}
	p.rep, p.def = raw[:h.repBytes], raw[h.repBytes:levels]
	size := h.uncompressed - levels
	switch {
	case size == 0:
	case h.plainBytes || codec == Uncompressed:
		if p.body = raw[levels:]; len(p.body) < size {
			return fmt.Errorf("page has %d bytes where the header says %d", len(p.body), size)
		}
	default:
		p.body, err = decompress(raw[levels:], codec, size)
	}
	return err
}

// cutLevels takes the levels of a v1 page off the start of the body. Bit-packed levels are the format's oldest form; they become
// run-length levels here, so that nothing behind has to know.
func (p *page) cutLevels(enc, maxLevel int) ([]byte, error) {
	if maxLevel == 0 {
		return nil, nil
	}
	if enc == encBitPacked {
		size := (p.h.numValues*int(levelWidth(maxLevel)) + 7) / 8
		if size > len(p.body) {
			return nil, fmt.Errorf("levels pass the end of the page")
		}
		levels := unpackMSB(p.body[:size], p.h.numValues, levelWidth(maxLevel))
		p.body = p.body[size:]
		return appendLevels(nil, levels, maxLevel), nil
	}
	if enc != encRLE {
		return nil, unsupported("levels in encoding %d", enc)
	}
	if len(p.body) < 4 || uint64(binary.LittleEndian.Uint32(p.body)) > uint64(len(p.body)-4) {
		return nil, fmt.Errorf("levels pass the end of the page")
	}
	end := 4 + int(binary.LittleEndian.Uint32(p.body))
	levels := p.body[4:end]
	p.body = p.body[end:]
	return levels, nil
}

// unpackMSB reads levels that are packed from the most significant bit on.
func unpackMSB(src []byte, n int, width uint) []uint8 {
	out := make([]uint8, n)
	acc, have, pos := uint32(0), uint(0), 0
	for i := range out {
		if have < width {
			acc = acc<<8 | uint32(src[pos])
			have += 8
			pos++
		}
		have -= width
		out[i] = uint8(acc >> have & (1<<width - 1))
	}
	return out
}

// Data is a decoded data page. Without repetition, row i has a value where Valid has bit i; with repetition, or where levels were
// asked for, Rep and Def hold one level for each entry.
type Data struct {
	// Entries is the number of rows, or with repetition of list entries.
	Entries  int
	Valid    vec.Bitmap
	Rep, Def []uint8
	Values   Values
}

// decode decodes levels and values. Levels are kept as bytes if asLevels, or with repetition.
func (p *page) decode(leaf LeafInfo, dict *Values, asLevels bool) (d Data, err error) {
	n := p.h.numValues
	if n > maxPageValues {
		return d, fmt.Errorf("page claims %d values, more than the limit of %d", n, maxPageValues)
	}
	d.Entries = n
	present := n
	if asLevels || leaf.MaxRep > 0 {
		if d.Def, err = levelsOrZero(p.def, n, leaf.MaxDef); err != nil {
			return d, err
		}
		if d.Rep, err = levelsOrZero(p.rep, n, leaf.MaxRep); err != nil {
			return d, err
		}
		present = 0
		for _, l := range d.Def {
			if int(l) == leaf.MaxDef {
				present++
			}
		}
	} else if leaf.MaxDef > 0 {
		if d.Valid, present, err = levelBitmap(p.def, n, leaf.MaxDef, uint8(leaf.MaxDef)); err != nil {
			return d, err
		}
	}
	d.Values, err = decodeValues(leaf.Kind, leaf.Width, p.h.encoding, p.body, present, dict)
	return d, err
}

func levelsOrZero(src []byte, n, maxLevel int) ([]uint8, error) {
	if maxLevel == 0 {
		return make([]uint8, n), nil
	}
	return levelBytes(src, n, maxLevel)
}

// Chunk is a column chunk of our own files, whose pages are found by a directory and not by walking the chunk.
type Chunk struct {
	Leaf  LeafInfo
	Codec Codec
	// DictLoc is the dictionary page, zero if there is none.
	DictLoc PageLoc
}

// ReadDict reads the dictionary of the chunk. Errors are of kind Corrupt or IO; the caller adds the file.
func (c *Chunk) ReadDict(r io.ReaderAt) (dict *Values, err error) {
	defer guard(&err, "dictionary page")
	p, err := c.read(r, c.DictLoc)
	if err != nil {
		return nil, err
	}
	if p.h.kind != pageDict {
		return nil, corrupt("no dictionary page where the directory has one")
	}
	v, err := decodeDict(&p, c.Leaf)
	return v, asCorrupt(err, "dictionary page")
}

func decodeDict(p *page, leaf LeafInfo) (*Values, error) {
	if p.h.encoding != encPlain && p.h.encoding != encPlainDictionary {
		return nil, fmt.Errorf("dictionary in encoding %d", p.h.encoding)
	}
	v, err := decodeValues(leaf.Kind, leaf.Width, encPlain, p.body, p.h.numValues, nil)
	v.shared = new(sharedDict)
	return &v, err
}

// ReadPage reads and decodes a data page; dict is what ReadDict returned. Levels are kept as bytes if asLevels, or with repetition.
func (c *Chunk) ReadPage(r io.ReaderAt, loc PageLoc, dict *Values, asLevels bool) (d Data, err error) {
	defer guard(&err, "data page")
	p, err := c.readData(r, loc)
	if err != nil {
		return d, err
	}
	d, err = p.decode(c.Leaf, dict, asLevels)
	// Values of a page that was not compressed may point into it.
	if plain := p.h.plainBytes || c.Codec == Uncompressed; !plain || len(d.Values.Fixed) == 0 && len(d.Values.Bufs) == 0 {
		p.free()
	}
	return d, asCorrupt(err, "data page")
}

// ReadPresence tells which entries of a page reach a definition level, nil if all do: where a group above the leaf is there.
func (c *Chunk) ReadPresence(r io.ReaderAt, loc PageLoc, level int) (valid vec.Bitmap, entries int, err error) {
	defer guard(&err, "data page")
	p, err := c.readData(r, loc)
	if err != nil {
		return nil, 0, err
	}
	if level == 0 || c.Leaf.MaxDef == 0 {
		return nil, p.h.numValues, nil
	}
	if p.h.numValues > maxPageValues {
		return nil, 0, corrupt("page claims %d values", p.h.numValues)
	}
	entries = p.h.numValues
	valid, _, err = levelBitmap(p.def, entries, c.Leaf.MaxDef, uint8(level))
	p.free()
	return valid, entries, asCorrupt(err, "data page")
}

// ReadLevels returns the repetition and definition levels of a page, one of each an entry.
func (c *Chunk) ReadLevels(r io.ReaderAt, loc PageLoc) (rep, def []uint8, err error) {
	defer guard(&err, "data page")
	p, err := c.readData(r, loc)
	if err != nil {
		return nil, nil, err
	}
	n := p.h.numValues
	if n > maxPageValues {
		return nil, nil, corrupt("page claims %d values", n)
	}
	if rep, err = levelsOrZero(p.rep, n, c.Leaf.MaxRep); err == nil {
		def, err = levelsOrZero(p.def, n, c.Leaf.MaxDef)
	}
	p.free()
	return rep, def, asCorrupt(err, "data page")
}

func (c *Chunk) readData(r io.ReaderAt, loc PageLoc) (page, error) {
	p, err := c.read(r, loc)
	if err == nil && p.h.kind != pageDataV2 && p.h.kind != pageDataV1 {
		err = corrupt("no data page where the directory has one")
	}
	return p, err
}

// Verify reads a page and checks its checksum without decoding its values.
func (c *Chunk) Verify(r io.ReaderAt, loc PageLoc) (err error) {
	defer guard(&err, "page")
	p, err := c.read(r, loc)
	p.free()
	return err
}

func (c *Chunk) read(r io.ReaderAt, loc PageLoc) (page, error) {
	pooled := rawPages.Get().(*[]byte)
	if cap(*pooled) < loc.Bytes {
		*pooled = make([]byte, loc.Bytes)
	}
	raw := (*pooled)[:loc.Bytes]
	if err := ReadFull(r, raw, loc.Offset); err != nil {
		return page{}, err
	}
	h, n, err := parsePageHeader(raw)
	if err == nil && h.compressed != len(raw)-n {
		err = fmt.Errorf("page of %d bytes where the directory has %d", h.compressed, len(raw)-n)
	}
	if err == nil && !h.hasCRC {
		err = fmt.Errorf("page without a checksum")
	}
	if err != nil {
		return page{}, asCorrupt(err, "page at offset %d", loc.Offset)
	}
	p, err := parsePage(h, raw[n:], c.Leaf, c.Codec, true)
	p.raw = pooled
	return p, asCorrupt(err, "page at offset %d", loc.Offset)
}

// ReadFull fills b from offset off. Bytes beyond the end of the file are corruption, other errors are I/O errors.
func ReadFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return corrupt("file ends at offset %d inside a structure of %d bytes", off+int64(n), len(b))
	}
	return sqlerr.Wrap(sqlerr.IO, err, "read %d bytes at offset %d", len(b), off)
}
