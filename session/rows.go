package session

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// rowsBuilder makes the small tables of SHOW, DESC, system tables and COPY.
type rowsBuilder struct {
	schema types.Schema
	cols   []*vec.Builder
	n      int
}

// newRows makes a builder for columns given as name, kind pairs.
func newRows(fields ...types.Field) *rowsBuilder {
	b := &rowsBuilder{schema: fields}
	for _, f := range fields {
		b.cols = append(b.cols, vec.NewBuilder(f.Type, 16))
	}
	return b
}

// text and others name result columns.
func text(name string) types.Field    { return types.Field{Name: name, Type: types.Of(types.Varchar)} }
func bigint(name string) types.Field  { return types.Field{Name: name, Type: types.Of(types.BigInt)} }
func boolean(name string) types.Field { return types.Field{Name: name, Type: types.Of(types.Boolean)} }
func instant(name string) types.Field {
	return types.Field{Name: name, Type: types.Of(types.TimestampTZ)}
}

func texts(names ...string) []types.Field {
	out := make([]types.Field, len(names))
	for i, n := range names {
		out[i] = text(n)
	}
	return out
}

// add appends a row; nil is NULL, times are microseconds since the epoch.
func (b *rowsBuilder) add(values ...any) {
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			b.cols[i].AppendNull()
		case string:
			b.cols[i].AppendString(v)
		case int64:
			vec.Append(b.cols[i], v)
		case int:
			vec.Append(b.cols[i], int64(v))
		case bool:
			vec.Append(b.cols[i], v)
		case float64:
			vec.Append(b.cols[i], v)
		default:
			panic("BUG: value of an unknown Go type in a result row")
		}
	}
	b.n++
}

// batch returns the rows as one batch.
func (b *rowsBuilder) batch() *vec.Batch {
	cols := make([]*vec.Vector, len(b.cols))
	for i, c := range b.cols {
		cols[i] = c.Finish()
	}
	return vec.NewBatch(b.n, cols...)
}

// result returns the rows as an ended result.
func (b *rowsBuilder) result() *Result {
	return &Result{Schema: b.schema, Ordered: true, stream: readyStream(b.batch())}
}

// readyStream is the stream of a result that is complete.
func readyStream(batches ...*vec.Batch) *stream {
	s := &stream{cancel: func() {}, slot: &slot{}, changed: make(chan struct{}), done: true}
	for _, b := range batches {
		if b.Len > 0 {
			s.queue = append(s.queue, b)
			s.bytes += b.SizeBytes()
			s.rows += int64(b.Len)
		}
	}
	return s
}

// orNull returns nil for an empty text.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
