package parquetio

import (
	"encoding/binary"
	"errors"
	"io"
	"sort"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// maxFooterBytes bounds the footer that is read into memory. Files of ten thousand columns and ten row groups have about 12 MB.
const maxFooterBytes = 512 << 20

// file is the footer of a Parquet file.
type file struct {
	r      io.ReaderAt
	size   int64
	meta   *fileMeta
	root   *Node
	leaves []*Node
}

// openFile reads and checks the footer. Errors are of kind Corrupt, Unsupported or IO.
func openFile(r io.ReaderAt, size int64) (f *file, err error) {
	defer guard(&err, "footer")
	raw, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	f = &file{r: r, size: size}
	if f.meta, err = parseFooter(raw); err != nil {
		return nil, asCorrupt(err, "footer")
	}
	if f.meta.encrypted {
		return nil, unsupported("file is encrypted")
	}
	if f.root, f.leaves, err = buildSchema(f.meta.elems); err != nil {
		return nil, asCorrupt(err, "schema")
	}
	return f, f.check()
}

func readFooter(r io.ReaderAt, size int64) ([]byte, error) {
	var tail [footerTail]byte
	if size < int64(len(magic)+footerTail) {
		return nil, corrupt("file of %d bytes is no Parquet file", size)
	}
	if err := ReadFull(r, tail[:], size-footerTail); err != nil {
		return nil, err
	}
	switch string(tail[4:]) {
	case magic:
	case "PARE":
		return nil, unsupported("file is encrypted")
	default:
		return nil, corrupt("file does not end like a Parquet file")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > maxFooterBytes || n > size-int64(len(magic))-footerTail {
		return nil, corrupt("footer of %d bytes does not fit the file", n)
	}
	raw := make([]byte, n)
	return raw, ReadFull(r, raw, size-footerTail-n)
}

// check makes sure that every row group has one chunk for each leaf, of its type and inside the file.
func (f *file) check() error {
	total := int64(0)
	for g := range f.meta.groups {
		rg := &f.meta.groups[g]
		if rg.rows < 0 || len(rg.columns) != len(f.leaves) {
			return corrupt("row group %d has %d columns instead of %d", g, len(rg.columns), len(f.leaves))
		}
		total += rg.rows
		for i := range rg.columns {
			c := &rg.columns[i]
			if c.elsewhere {
				return unsupported("columns in other files")
			}
			if c.encrypted {
				return unsupported("column %s is encrypted", f.leaves[i].Name)
			}
			if c.typ != int(f.leaves[i].Leaf.Kind) || c.values < 0 || c.compressed < 0 {
				return corrupt("column %s of row group %d is not what the schema says", f.leaves[i].Name, g)
			}
			start := c.start()
			if rg.rows > 0 && (start < int64(len(magic)) || start > f.size || c.compressed > f.size-start) {
				return corrupt("column %s of row group %d lies outside the file", f.leaves[i].Name, g)
			}
		}
	}
	if f.meta.rows < 0 || total < 0 {
		return corrupt("file claims %d rows", f.meta.rows)
	}
	return nil
}

// start is where the first page lies. Some writers set the dictionary offset to 0 or behind the data.
func (c *columnChunk) start() int64 {
	if c.dict > 0 && c.dict < c.data {
		return c.dict
	}
	return c.data
}

// pageWindow is how much is read to find a page header; headers with long statistics make it grow up to maxHeaderBytes.
const (
	pageWindow     = 4 << 10
	maxHeaderBytes = 16 << 20
)

// pageReader walks the pages of a chunk of a foreign file.
type pageReader struct {
	r        io.ReaderAt
	leaf     LeafInfo
	codec    Codec
	pos, end int64
	window   []byte
	left     int64 // entries that the chunk still has
	dict     *Values
}

// dictHeaderSlack is how far a chunk may pass its stated size: old writers did not count the header of the dictionary page.
const dictHeaderSlack = 100

func newPageReader(f *file, c *columnChunk, leaf LeafInfo) *pageReader {
	start := c.start()
	end := min(f.size, start+c.compressed+dictHeaderSlack)
	return &pageReader{r: f.r, leaf: leaf, codec: Codec(c.codec), pos: start, end: end, left: c.values}
}

// next returns the next data page, decoded; io.EOF at the end of the chunk.
func (p *pageReader) next(asLevels bool) (Data, error) {
	for p.left > 0 {
		h, n, err := p.header()
		if err != nil {
			return Data{}, err
		}
		if int64(h.compressed) > p.end-p.pos-int64(n) {
			return Data{}, corrupt("page of %d bytes passes the end of its column", h.compressed)
		}
		raw := make([]byte, h.compressed)
		if err := ReadFull(p.r, raw, p.pos+int64(n)); err != nil {
			return Data{}, err
		}
		p.pos += int64(n + h.compressed)
		if h.kind == pageIndex {
			continue
		}
		pg, err := parsePage(h, raw, p.leaf, p.codec, true)
		if err != nil {
			return Data{}, asCorrupt(err, "page at offset %d", p.pos-int64(h.compressed))
		}
		if h.kind == pageDict {
			if p.dict, err = decodeDict(&pg, p.leaf); err != nil {
				return Data{}, asCorrupt(err, "dictionary")
			}
			continue
		}
		d, err := pg.decode(p.leaf, p.dict, asLevels)
		if err != nil {
			return Data{}, asCorrupt(err, "page at offset %d", p.pos-int64(h.compressed))
		}
		if d.Entries == 0 {
			continue
		}
		if int64(d.Entries) > p.left {
			return Data{}, corrupt("column has more values than its footer says")
		}
		p.left -= int64(d.Entries)
		return d, nil
	}
	return Data{}, io.EOF
}

// header reads the header of the page at pos.
func (p *pageReader) header() (pageHeader, int, error) {
	for size := int64(pageWindow); ; size *= 16 {
		size = min(size, p.end-p.pos)
		if size <= 0 {
			return pageHeader{}, 0, corrupt("column ends %d values early", p.left)
		}
		if int64(cap(p.window)) < size {
			p.window = make([]byte, size)
		}
		w := p.window[:size]
		if err := ReadFull(p.r, w, p.pos); err != nil {
			return pageHeader{}, 0, err
		}
		h, n, err := parsePageHeader(w)
		if err == nil {
			return h, n, nil
		}
		if !errors.Is(err, errThrift) || size >= p.end-p.pos || size >= maxHeaderBytes {
			return h, 0, asCorrupt(err, "page header at offset %d", p.pos)
		}
	}
}

// FileInfo is what the footer of one of our files says, for readers that have no directory entry for it.
type FileInfo struct {
	Rows      int64
	KeyValues []KeyValue
	// Footer and Checksum are as in Written.
	Footer   int64
	Checksum uint32
}

// ReadInfo reads the footer of a file.
func ReadInfo(r io.ReaderAt, size int64) (info FileInfo, err error) {
	f, err := openFile(r, size)
	if err != nil {
		return info, err
	}
	info.Rows, info.KeyValues = f.meta.rows, f.meta.keyValues
	sort.Slice(info.KeyValues, func(i, j int) bool { return info.KeyValues[i].Key < info.KeyValues[j].Key })
	raw, err := readFooter(r, size)
	if err != nil {
		return info, err
	}
	info.Footer = size - footerTail - int64(len(raw))
	tail := make([]byte, size-info.Footer)
	if err := ReadFull(r, tail, info.Footer); err != nil {
		return info, err
	}
	info.Checksum = checksum(tail)
	return info, nil
}

// lookup returns the value of a key in the file's metadata.
func (f *file) lookup(key string) (string, bool) {
	for _, kv := range f.meta.keyValues {
		if kv.Key == key {
			return kv.Value, true
		}
	}
	return "", false
}

// ioOrCorrupt gives an error that has no kind the kind Corrupt.
func ioOrCorrupt(err error, what string) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	if _, ok := errors.AsType[*sqlerr.Error](err); ok {
		return err
	}
	return asCorrupt(err, "%s", what)
}
