package session

import (
	"context"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Prepared is a checked statement of a session. It may be executed many times, and after schema changes: it is bound anew then.
type Prepared struct {
	sess *Session
	text string
	stmt parse.Statement

	// Schema describes the result rows; nil if the statement yields none (DDL, DML, SET, ...).
	Schema types.Schema
	// Params are the types of the parameters in order of their markers; Names the markers as written without their sign
	// ("1" for the first ? or $1).
	Params     []types.Type
	ParamNames []string
	// ReadOnly says that executing again changes nothing: SELECT, SHOW, EXPLAIN without ANALYZE of a write.
	ReadOnly bool
}

// Result is a running or ended statement. Batches must be read by one goroutine; Close must be called and stops a running query.
type Result struct {
	// Schema is nil if the statement yields no rows.
	Schema types.Schema
	// Affected is the number of rows written or deleted, 0 for statements that write none; valid when Execute returns.
	Affected int64
	// Ordered says that the order of rows means something.
	Ordered bool
	// Notices are remarks for the user: accepted legacy names, skipped files.
	Notices []string

	stream *stream
}

// Next returns the next batch, or nil at the end. The columns have the types of Schema, except those that the Form of the execution
// turns into text: they are VARCHAR vectors.
func (r *Result) Next(ctx context.Context) (*vec.Batch, error) {
	if r.stream == nil {
		return nil, nil
	}
	return r.stream.next(ctx)
}

// Wait blocks until the result is complete or at least bytes of it are buffered, so that early errors are seen here.
func (r *Result) Wait(ctx context.Context, bytes int64) error {
	if r.stream == nil {
		return nil
	}
	return r.stream.wait(ctx, bytes)
}

// Rows returns the exact number of rows of the whole result if it has ended already, else -1.
func (r *Result) Rows() int64 {
	if r.stream == nil {
		return r.Affected
	}
	return r.stream.total()
}

// Close stops the query if it still runs and frees what it holds. It may be called several times.
func (r *Result) Close() {
	if r.stream != nil {
		r.stream.close()
	}
}

// All reads the rest of the result and closes it.
func (r *Result) All(ctx context.Context) ([]*vec.Batch, error) {
	defer r.Close()
	var out []*vec.Batch
	for {
		b, err := r.Next(ctx)
		if err != nil || b == nil {
			return out, err
		}
		out = append(out, b)
	}
}
