package stage

import (
	"encoding/base64"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// lineWriter writes rows as JSON objects, one a line, with a member for every column.
type lineWriter struct {
	out  io.WriteCloser
	keys [][]byte // comma (first: opening brace), quoted name and colon
	buf  []byte
}

func newLineWriter(w io.Writer, c Compression, schema types.Schema) (*lineWriter, error) {
	out, err := compressor(w, c)
	if err != nil {
		return nil, err
	}
	l := &lineWriter{out: out}
	for i, f := range schema {
		key := append(jsonparse.AppendQuoted([]byte{','}, []byte(f.Name)), ':')
		if i == 0 {
			key[0] = '{'
		}
		l.keys = append(l.keys, key)
	}
	if len(l.keys) == 0 {
		return nil, sqlerr.New(sqlerr.Bind, "there are no columns to write")
	}
	return l, nil
}

func (l *lineWriter) append(b *vec.Batch) error {
	cells := make([]appendCell, len(b.Cols))
	for i, c := range b.Cols {
		cells[i] = cellsOf(c)
	}
	for r := range b.Len {
		for i, key := range l.keys {
			l.buf = cells[i](append(l.buf, key...), r)
		}
		l.buf = append(l.buf, '}', '\n')
		if len(l.buf) >= writeBufferBytes {
			if err := l.flush(); err != nil {
				return err
			}
		}
	}
	return l.flush()
}

func (l *lineWriter) flush() error {
	_, err := l.out.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

func (l *lineWriter) finish() error { return l.out.Close() }

// appendCell appends a row of a column as JSON.
type appendCell func(dst []byte, row int) []byte

// cellsOf returns how the rows of a vector are written: NULL as null, numbers with all their digits, VARIANT as the document that it is,
// BINARY in base64, arrays and structs as JSON, everything else as text. NaN and the infinities, which JSON lacks, become null.
func cellsOf(v *vec.Vector) appendCell {
	if v.Form == vec.Shredded {
		v = variant.Flatten(v)
	}
	if p := v.Type.Phys(); p == types.PhysList || p == types.PhysStruct {
		v = variant.FromVector(v)
	}
	return func(dst []byte, row int) []byte {
		if v.IsNull(row) {
			return append(dst, "null"...)
		}
		h, i := v.At(row)
		return appendScalar(dst, h, i)
	}
}

// utc is the context in which instants print.
var utc = &function.Ctx{Zone: time.UTC}

// appendScalar appends entry i of a flat vector, which is not NULL.
func appendScalar(dst []byte, v *vec.Vector, i int) []byte {
	switch d := v.Data.(type) {
	case []float64:
		if math.IsNaN(d[i]) || math.IsInf(d[i], 0) {
			return append(dst, "null"...)
		}
	case []float32:
		if f := float64(d[i]); math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
	case []int64:
		if v.Type.Kind == types.BigInt {
			return strconv.AppendInt(dst, d[i], 10)
		}
	case []vec.View:
		switch {
		case v.Type.IsVariant():
			meta, value := v.VariantAt(i)
			return variant.AppendJSON(dst, meta, value)
		case v.Type.Kind == types.Binary:
			dst = base64.StdEncoding.AppendEncode(append(dst, '"'), v.Bytes(i))
			return append(dst, '"')
		}
		return jsonparse.AppendQuoted(dst, v.Bytes(i))
	}
	if v.Type.IsNumeric() || v.Type.Kind == types.Boolean {
		return function.AppendText(dst, utc, v, i)
	}
	return append(function.AppendText(append(dst, '"'), utc, v, i), '"')
}
