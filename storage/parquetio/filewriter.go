package parquetio

import (
	"hash/crc32"
	"io"
	"sort"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// createdBy names the writer in footers. Readers of other systems key workarounds on it, so its form is fixed by the format.
const createdBy = "ebira version 1.0.0"

// magic frames every Parquet file.
const magic = "PAR1"

// footerTail is the length of the footer size and the magic at the end.
const footerTail = 8

// FileWriter writes a Parquet file from filled ColumnWriters. After an error it is of no more use.
type FileWriter struct {
	w      io.Writer
	pos    int64
	sum    uint32
	root   *Node
	leaves []*Node
	meta   format.FileMetaData
	index  []pendingIndex
}

// pendingIndex is a page index that waits for the end of the file.
type pendingIndex struct {
	group, column int
	chunk         Chunk
	pages         []WrittenPage
	order         Order
	base          int64
}

// NewFileWriter starts a file. root's levels and leaf numbers are filled here; number them by Leaves.
func NewFileWriter(w io.Writer, root *Node) (*FileWriter, error) {
	f := &FileWriter{w: w, root: root, leaves: Number(root)}
	return f, f.write([]byte(magic))
}

// Leaves returns the columns in the order in which WriteRowGroup wants their writers.
func (f *FileWriter) Leaves() []*Node { return f.leaves }

// Pos is the number of bytes written, and Sum their CRC-32C.
func (f *FileWriter) Pos() int64 { return f.pos }

// Sum: see Pos.
func (f *FileWriter) Sum() uint32 { return f.sum }

func (f *FileWriter) write(b []byte) error {
	n, err := f.w.Write(b)
	f.pos += int64(n)
	f.sum = crc32.Update(f.sum, castagnoli, b[:n])
	return err
}

// ChunkPages tells where a column chunk lies.
type ChunkPages struct {
	Chunk Chunk
	// Data is the offset of the first data page; WrittenPage offsets count from it.
	Data int64
}

// WriteRowGroup writes the chunks of a row group of rows rows and empties the writers' page buffers.
func (f *FileWriter) WriteRowGroup(cols []*ColumnWriter, rows int64) ([]ChunkPages, error) {
	g := format.RowGroup{NumRows: rows, Ordinal: int16(len(f.meta.RowGroups)), FileOffset: f.pos}
	out := make([]ChunkPages, len(cols))
	for i, c := range cols {
		start := f.pos
		dict := c.finish()
		cp := ChunkPages{Chunk: Chunk{Leaf: c.leaf}, Data: start + int64(len(dict))}
		if len(dict) > 0 {
			cp.Chunk.DictLoc = PageLoc{Offset: start, Bytes: len(dict)}
		}
		if c.usedCodec {
			cp.Chunk.Codec = c.codec
		}
		if err := f.write(dict); err != nil {
			return nil, err
		}
		if err := f.write(c.body); err != nil {
			return nil, err
		}
		m := format.ColumnMetaData{
			Type: format.Type(c.leaf.Kind), PathInSchema: f.leaves[i].Path, Codec: format.CompressionCodec(cp.Chunk.Codec),
			NumValues: c.entries, TotalUncompressedSize: c.plain, TotalCompressedSize: f.pos - start, DataPageOffset: cp.Data,
			Statistics: statistics(&c.total), Encoding: c.encodingList(len(dict) > 0), EncodingStats: c.encodingStats(len(dict) > 0),
		}
		if len(dict) > 0 {
			m.DictionaryPageOffset = start
		}
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: m})
		g.TotalByteSize += c.plain
		g.TotalCompressedSize += f.pos - start
		f.index = append(f.index, pendingIndex{len(f.meta.RowGroups), i, cp.Chunk, c.pages, c.order, cp.Data})
		out[i] = cp
		c.body = nil
	}
	f.meta.NumRows += rows
	f.meta.RowGroups = append(f.meta.RowGroups, g)
	return out, nil
}

// statistics leaves out bounds that were cut: other readers take chunk bounds for values that exist.
func statistics(s *Stats) format.Statistics {
	st := format.Statistics{NullCount: s.Nulls}
	if s.Min != nil && len(s.Min) < maxBoundBytes && len(s.Max) < maxBoundBytes {
		st.MinValue, st.MaxValue = s.Min, s.Max
	}
	return st
}

func (w *ColumnWriter) encodingList(dict bool) []format.Encoding {
	out := []format.Encoding{}
	for e := range w.encodings {
		out = append(out, format.Encoding(e))
	}
	if w.encodings[encRLE] == 0 {
		out = append(out, format.RLE)
	}
	if dict && w.encodings[encPlain] == 0 {
		out = append(out, format.Plain)
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

func (w *ColumnWriter) encodingStats(dict bool) []format.PageEncodingStats {
	var out []format.PageEncodingStats
	if dict {
		out = append(out, format.PageEncodingStats{PageType: format.DictionaryPage, Encoding: format.Plain, Count: 1})
	}
	if w.oldPages > 0 {
		// The statistics count by kind of page, which is not kept apart by encoding; they are optional.
		return nil
	}
	for e, n := range w.encodings {
		out = append(out, format.PageEncodingStats{PageType: format.DataPageV2, Encoding: format.Encoding(e), Count: int32(n)})
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].PageType < out[j].PageType || out[i].PageType == out[j].PageType && out[i].Encoding < out[j].Encoding
	})
	return out
}

// WriteBlob writes bytes that are no part of the Parquet structure and returns their offset.
func (f *FileWriter) WriteBlob(b []byte) (int64, error) {
	at := f.pos
	return at, f.write(b)
}

// KeyValue is an entry of the footer's key-value metadata.
type KeyValue struct{ Key, Value string }

// Written describes a finished file.
type Written struct {
	// Bytes is the length of the file; Footer is the offset of its footer, and Checksum the CRC-32C of all bytes from there on.
	Bytes    int64
	Footer   int64
	Checksum uint32
}

// castagnoli is the polynomial of Written.Checksum.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// WriteIndexes writes the page indexes of the row groups so far. Close does it where it was not done.
func (f *FileWriter) WriteIndexes() error {
	var protocol thrift.CompactProtocol
	for i := range f.index {
		if err := f.writeIndex(&protocol, &f.index[i]); err != nil {
			return err
		}
	}
	f.index = nil
	return nil
}

// Close writes page indexes and footer. It does not sync or close what it writes to.
func (f *FileWriter) Close(kv []KeyValue) (Written, error) {
	if err := f.WriteIndexes(); err != nil {
		return Written{}, err
	}
	var protocol thrift.CompactProtocol
	f.meta.Version = 2
	f.meta.Schema = elements(f.root)
	f.meta.CreatedBy = createdBy
	for range f.leaves {
		f.meta.ColumnOrders = append(f.meta.ColumnOrders, format.ColumnOrder{Value: &format.TypeDefinedOrder{}})
	}
	for _, e := range kv {
		f.meta.KeyValueMetadata = append(f.meta.KeyValueMetadata, format.KeyValue{Key: e.Key, Value: e.Value})
	}
	footer, err := thrift.Marshal(&protocol, &f.meta)
	if err != nil {
		return Written{}, err
	}
	n := uint32(len(footer))
	footer = append(footer, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	footer = append(footer, magic...)
	out := Written{Footer: f.pos, Checksum: checksum(footer)}
	err = f.write(footer)
	out.Bytes = f.pos
	return out, err
}

// writeIndex writes the column and offset index of a chunk. A column index needs bounds for every page that has values.
func (f *FileWriter) writeIndex(protocol *thrift.CompactProtocol, x *pendingIndex) error {
	chunk := &f.meta.RowGroups[x.group].Columns[x.column]
	var oi format.OffsetIndex
	var ci format.ColumnIndex
	row := int64(0)
	bounded := x.order != OrderNone
	for i := range x.pages {
		p := &x.pages[i]
		oi.PageLocations = append(oi.PageLocations, format.PageLocation{Offset: x.base + p.Offset, CompressedPageSize: int32(p.Bytes), FirstRowIndex: row})
		row += int64(p.Rows)
		if p.Stats.NoBounds {
			bounded = false
		}
		ci.NullPages = append(ci.NullPages, p.Stats.Values == 0)
		ci.MinValues = append(ci.MinValues, p.Stats.Min)
		ci.MaxValues = append(ci.MaxValues, p.Stats.Max)
		ci.NullCounts = append(ci.NullCounts, p.Stats.Nulls)
	}
	if len(x.pages) == 0 {
		return nil
	}
	if bounded {
		b, err := thrift.Marshal(protocol, &ci)
		if err != nil {
			return err
		}
		chunk.ColumnIndexOffset, chunk.ColumnIndexLength = f.pos, int32(len(b))
		if err := f.write(b); err != nil {
			return err
		}
	}
	b, err := thrift.Marshal(protocol, &oi)
	if err != nil {
		return err
	}
	chunk.OffsetIndexOffset, chunk.OffsetIndexLength = f.pos, int32(len(b))
	return f.write(b)
}
