package stage

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/vfs"
)

const (
	// rawBufferBytes is read at one time from a compressed file.
	rawBufferBytes = 256 << 10
	// maxZstdWindow admits what zstd --long makes and bounds what a hostile header can claim.
	maxZstdWindow = 128 << 20
)

// input is the plain content of a file.
type input struct {
	name  string
	file  vfs.File
	plain io.Reader
	codec Compression
	raw   *rawReader    // nil unless compressed
	zstd  *zstd.Decoder // nil unless codec is Zstd
}

// rawReader remembers an error of the file, which a decoder would blame on the data.
type rawReader struct {
	r   io.Reader
	err error
}

// Read reads on.
func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// openInput opens a file or a part of one. Parts are never compressed.
func openInput(fsys vfs.FS, f *File, c Compression) (*input, error) {
	file, err := open(fsys, f)
	if err != nil {
		return nil, err
	}
	in := &input{name: f.Name, file: file, codec: None}
	if f.part() {
		in.plain = io.NewSectionReader(file, f.From, f.To-f.From)
		return in, nil
	}
	if in.codec = c; c == Auto {
		if in.codec, err = sniff(file); err != nil {
			_ = file.Close() // nothing was written
			return nil, sqlerr.Wrap(sqlerr.IO, err, "read file %s", f.Name)
		}
	}
	if err := in.decode(io.NewSectionReader(file, 0, f.Size)); err != nil {
		_ = file.Close() // nothing was written
		return nil, in.failure(err)
	}
	return in, nil
}

// magics are the first bytes of compressed files. The last one is the range of zstd's skippable frames.
var magics = []struct {
	prefix string
	codec  Compression
}{{"\x1f\x8b", Gzip}, {"\x28\xb5\x2f\xfd", Zstd}, {"BZh", Bzip2}}

// sniff tells the compression of a file by its first bytes. No JSON begins like that.
func sniff(r io.ReaderAt) (Compression, error) {
	var head [4]byte
	n, err := r.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return None, err
	}
	for _, m := range magics {
		if bytes.HasPrefix(head[:n], []byte(m.prefix)) {
			return m.codec, nil
		}
	}
	if n == 4 && head[0]&0xf0 == 0x50 && string(head[1:]) == "\x2a\x4d\x18" {
		return Zstd, nil
	}
	return None, nil
}

// decode puts the decoder in front of the raw bytes. All decoders read concatenated streams to the end.
func (in *input) decode(raw io.Reader) (err error) {
	if in.codec == None {
		in.plain = raw
		return nil
	}
	in.raw = &rawReader{r: raw}
	buffered := bufio.NewReaderSize(in.raw, rawBufferBytes)
	switch in.codec {
	case Gzip:
		in.plain, err = gzip.NewReader(buffered)
	case Zstd:
		in.zstd, err = zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		in.plain = in.zstd
	case Bzip2:
		in.plain = bzip2.NewReader(buffered)
	default:
		return sqlerr.New(sqlerr.Unsupported, "NDJSON files have no %s compression", in.codec)
	}
	return err
}

// Read reads plain bytes. Its errors name the file.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.plain.Read(p)
	if err != nil && err != io.EOF {
		err = in.failure(err)
	}
	return n, err
}

// failure tells errors of the file from those of its content.
func (in *input) failure(err error) error {
	if _, ok := errors.AsType[*sqlerr.Error](err); ok {
		return err
	}
	switch {
	case in.raw == nil:
		return sqlerr.Wrap(sqlerr.IO, err, "read file %s", in.name)
	case in.raw.err != nil:
		return sqlerr.Wrap(sqlerr.IO, in.raw.err, "read file %s", in.name)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return sqlerr.New(sqlerr.Corrupt, "file %s is cut off: its %s data ends before its end mark", in.name, in.codec)
	}
	return sqlerr.Wrap(sqlerr.Corrupt, err, "file %s has damaged %s data", in.name, in.codec)
}

func (in *input) close() error {
	if in.zstd != nil {
		in.zstd.Close()
	}
	if err := in.file.Close(); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "close file %s", in.name)
	}
	return nil
}

// String is the name of the compression as FILE_FORMAT spells it.
func (c Compression) String() string {
	return [...]string{Auto: "AUTO", None: "NONE", Gzip: "GZIP", Zstd: "ZSTD", Bzip2: "BZ2", Snappy: "SNAPPY"}[c]
}
