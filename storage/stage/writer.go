package stage

import (
	"bufio"
	"io"
	"path"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
)

// writeBufferBytes is handed to the file at one time.
const writeBufferBytes = 256 << 10

// rowWriter encodes rows.
type rowWriter interface {
	append(b *vec.Batch) error
	// finish writes what is left. It does not close what it writes to.
	finish() error
}

// Writer writes one file: under a temporary name, which listings leave out, until Finish. It belongs to one goroutine, and exactly one of
// Finish and Abort ends it.
type Writer struct {
	fsys       vfs.FS
	name, temp string
	file       vfs.File
	out        *countingWriter
	rows       rowWriter
	count      int64
}

// countingWriter buffers and counts what goes to the file.
type countingWriter struct {
	*bufio.Writer
	n int64
}

// Write counts and buffers.
func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.n += int64(n)
	return n, err
}

// NewWriter starts a file at a path whose folder exists. The columns of the schema become keys (NDJSON) or columns (Parquet) of the same
// names. A file of that name is replaced by Finish.
func NewWriter(fsys vfs.FS, name string, f Format, schema types.Schema) (*Writer, error) {
	w := &Writer{fsys: fsys, name: name, temp: vfs.TempName(name)}
	file, err := fsys.Create(w.temp)
	if err != nil {
		return nil, w.failure(err)
	}
	w.file = file
	w.out = &countingWriter{Writer: bufio.NewWriterSize(file, writeBufferBytes)}
	switch f.Type {
	case NDJSON:
		w.rows, err = asWriter(newLineWriter(w.out, f.Compression, schema))
	case Parquet:
		w.rows, err = asWriter(newParquetWriter(w.out, f.Compression, schema))
	default:
		err = sqlerr.New(sqlerr.Unsupported, "%s files are not supported", f.Type)
	}
	if err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// asWriter keeps a nil of a concrete type from becoming a writer.
func asWriter[T rowWriter](w T, err error) (rowWriter, error) {
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Append adds the rows of a batch, whose columns are those of the schema.
func (w *Writer) Append(b *vec.Batch) error {
	w.count += int64(b.Len)
	if err := w.rows.append(b); err != nil {
		return w.failure(err)
	}
	return nil
}

// Finish completes the file, makes it durable and gives it its name. It returns the rows and the bytes written. After an error the file is
// not there, or it is complete and only its name may not survive a crash.
func (w *Writer) Finish() (rows, bytes int64, err error) {
	err = w.rows.finish()
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.Abort()
		return 0, 0, w.failure(err)
	}
	if err = w.file.Close(); err == nil {
		err = w.fsys.Rename(w.temp, w.name)
	}
	if err != nil {
		w.remove()
		return 0, 0, w.failure(err)
	}
	if err := w.fsys.SyncDir(path.Dir(w.name)); err != nil {
		return 0, 0, w.failure(err)
	}
	return w.count, w.out.n, nil
}

// Abort drops the file.
func (w *Writer) Abort() {
	_ = w.file.Close() // nobody will read it
	w.remove()
}

// remove deletes the temporary file. One that stays is left out of listings.
func (w *Writer) remove() { _ = w.fsys.Remove(w.temp) }

// failure names the file in an error, which is one of the file system unless it has a kind.
func (w *Writer) failure(err error) error { return inFile(path.Base(w.name), err) }

// compressor returns what compresses a stream on its way to w.
func compressor(w io.Writer, c Compression) (io.WriteCloser, error) {
	switch c {
	case Auto, None:
		return nopCloser{w}, nil
	case Gzip:
		return gzip.NewWriter(w), nil
	case Zstd:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return nil, sqlerr.New(sqlerr.Unsupported, "NDJSON files are not written with compression %s; known are NONE, GZIP and ZSTD", c)
}

type nopCloser struct{ io.Writer }

// Close does nothing.
func (nopCloser) Close() error { return nil }
