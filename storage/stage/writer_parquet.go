package stage

import (
	"io"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/vec"
)

// parquetWriter writes rows as a Parquet file that other systems read.
type parquetWriter struct{ w *parquetio.ForeignWriter }

func newParquetWriter(w io.Writer, c Compression, schema types.Schema) (parquetWriter, error) {
	codec := parquetio.Zstd
	switch c {
	case Auto, Zstd:
	case None:
		codec = parquetio.Uncompressed
	case Snappy:
		codec = parquetio.Snappy
	default:
		return parquetWriter{}, sqlerr.New(sqlerr.Unsupported, "Parquet files are not written with compression %s; known are ZSTD, SNAPPY and NONE", c)
	}
	out, err := parquetio.NewForeignWriter(w, schema, codec)
	return parquetWriter{out}, err
}

func (p parquetWriter) append(b *vec.Batch) error { return p.w.Write(b) }

func (p parquetWriter) finish() error { return p.w.Close() }
