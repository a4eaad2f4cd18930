package parquetio

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Codec is a Parquet compression codec, with the numbers of the format.
type Codec uint8

// The codecs. LZO exists in the format but in no library of ours.
const (
	Uncompressed Codec = 0
	Snappy       Codec = 1
	Gzip         Codec = 2
	Brotli       Codec = 4
	LZ4Hadoop    Codec = 5
	Zstd         Codec = 6
	LZ4Raw       Codec = 7
)

// maxPageBytes bounds the decompressed size of a page: no writer in use comes near it, and a crafted header cannot take more.
const maxPageBytes = 1 << 30

// Memory for a page is taken at once, so its claimed size must be likely: small, or not too many times the compressed size.
const (
	likelyPageBytes = 64 << 20
	maxExpansion    = 1 << 16
)

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic("BUG: zstd decoder options: " + err.Error())
	}
	return d
})

var zstdEncoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithZeroFrames(true),
		zstd.WithEncoderCRC(false))
	if err != nil {
		panic("BUG: zstd encoder options: " + err.Error())
	}
	return e
}}

// compress appends the compressed form of src to dst. Only codecs that we write are known.
func compress(dst, src []byte, c Codec) []byte {
	switch c {
	case Uncompressed:
		return append(dst, src...)
	case Zstd:
		e := zstdEncoders.Get().(*zstd.Encoder)
		dst = e.EncodeAll(src, dst)
		zstdEncoders.Put(e)
		return dst
	case Snappy:
		return append(dst, snappy.Encode(nil, src)...)
	}
	panic(fmt.Sprintf("BUG: writing codec %d", c))
}

// decompress returns a fresh slice of exactly size bytes, or src itself for Uncompressed.
func decompress(src []byte, c Codec, size int) ([]byte, error) {
	if size > maxPageBytes {
		return nil, sqlerr.New(sqlerr.Resource, "page of %d bytes is larger than the limit of %d", size, maxPageBytes)
	}
	if size > likelyPageBytes && size/maxExpansion > len(src) {
		return nil, fmt.Errorf("page of %d bytes claims to hold %d", len(src), size)
	}
	var out []byte
	var err error
	switch c {
	case Uncompressed:
		out = src
	case Snappy:
		if n, e := snappy.DecodedLen(src); e != nil || n != size {
			return nil, fmt.Errorf("snappy page of %d bytes where the header says %d", n, size)
		}
		out, err = snappy.Decode(make([]byte, size), src)
	case Zstd:
		out, err = zstdDecoder().DecodeAll(src, make([]byte, 0, size))
	case Gzip:
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(src)); err == nil {
			out, err = readSized(r, size)
		}
	case Brotli:
		out, err = readSized(brotli.NewReader(bytes.NewReader(src)), size)
	case LZ4Raw:
		out, err = lz4Block(src, size)
	case LZ4Hadoop:
		if out, err = lz4Hadoop(src, size); err != nil {
			// Some writers put a bare block, others a whole frame under this code.
			if out, err = lz4Block(src, size); err != nil {
				out, err = readSized(lz4.NewReader(bytes.NewReader(src)), size)
			}
		}
	default:
		return nil, unsupported("compression codec %d", c)
	}
	if err != nil {
		return nil, err
	}
	if len(out) != size {
		return nil, fmt.Errorf("page has %d bytes where the header says %d", len(out), size)
	}
	return out, nil
}

// readSized reads at most size+1 bytes, so that the caller's length check sees an overrun.
func readSized(r io.Reader, size int) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := buf.ReadFrom(io.LimitReader(r, int64(size)+1))
	return buf.Bytes(), err
}

func lz4Block(src []byte, size int) ([]byte, error) {
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(src, out)
	return out[:max(n, 0)], err
}

// lz4Hadoop reads the framing of Hadoop's codec: blocks of (decompressed size, compressed size, bytes), both big-endian.
func lz4Hadoop(src []byte, size int) ([]byte, error) {
	out := make([]byte, 0, size)
	for len(src) >= 8 && len(out) < size {
		want, have := be32(src), be32(src[4:])
		src = src[8:]
		if want > size-len(out) || have > len(src) {
			return nil, fmt.Errorf("lz4 frame sizes do not fit the page")
		}
		block := make([]byte, want)
		n, err := lz4.UncompressBlock(src[:have], block)
		if err != nil || n != want {
			return nil, fmt.Errorf("lz4 block has %d bytes where its frame says %d", n, want)
		}
		out = append(out, block...)
		src = src[have:]
	}
	return out, nil
}

func be32(b []byte) int {
	return int(uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]))
}
