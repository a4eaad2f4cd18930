// Package sqlerr is the error type that users see.
// It knows nothing of gRPC, HTTP or storage: the services map kinds to their own codes in one switch each.
// All values are immutable after construction and safe for concurrent use.
package sqlerr

import (
	"errors"
	"fmt"
)

// Kind tells at birth what sort of failure an error is. Services map it to status codes.
type Kind uint8

// The kinds. Internal means a bug of ours; everything else is the user's or the world's doing.
const (
	Internal    Kind = iota // a bug: the query ends, the process goes on
	Syntax                  // the text is not SQL
	Bind                    // the SQL has no meaning: wrong argument count, ambiguous name, misplaced clause
	Type                    // operand types do not fit
	NotFound                // a named object does not exist
	Exists                  // a named object exists already
	Conversion              // a value cannot be converted
	OutOfRange              // a value does not fit its type
	Constraint              // NOT NULL and its like
	Conflict                // two transactions changed the same rows
	Unsupported             // legal elsewhere, not built here
	Permission              // not allowed: file outside allowed folders, missing right
	Resource                // memory, size or count limit
	Canceled                // the client went away or asked to stop
	IO                      // the operating system failed us
	Corrupt                 // bytes on disk or in a file are not what they should be
)

var kindNames = [...]string{
	Internal: "internal error", Syntax: "syntax error", Bind: "bind error", Type: "type error", NotFound: "not found",
	Exists: "already exists", Conversion: "conversion error", OutOfRange: "out of range", Constraint: "constraint violation",
	Conflict: "conflict", Unsupported: "unsupported", Permission: "permission denied", Resource: "resource limit",
	Canceled: "canceled", IO: "i/o error", Corrupt: "corrupt data",
}

// String returns the lower-case name shown before messages.
func (k Kind) String() string { return kindNames[k] }

// Error is an error with a kind and, for errors in SQL text, the place.
type Error struct {
	Kind Kind
	// Msg is lower case, without a final stop.
	Msg string
	// Pos is the byte offset in the SQL text plus one; 0 means no position.
	Pos int
	// Err is the cause, if any.
	Err error
}

// New makes an error of a kind from a format.
func New(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...)}
}

// At makes an error of a kind that points at byte offset off (from 0) of the SQL text.
func At(k Kind, off int, format string, args ...any) *Error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...), Pos: off + 1}
}

// Wrap gives a cause a kind and a context. The cause stays reachable by errors.Is and errors.As.
func Wrap(k Kind, err error, format string, args ...any) *Error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...), Err: err}
}

// Error returns "kind: message: cause". A cause of the same kind does not say so again.
func (e *Error) Error() string { return e.Kind.String() + ": " + e.text() }

func (e *Error) text() string {
	if e.Err == nil {
		return e.Msg
	}
	cause := e.Err.Error()
	if c, ok := e.Err.(*Error); ok && c.Kind == e.Kind {
		cause = c.text()
	}
	return e.Msg + ": " + cause
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first *Error in err's chain, or Internal.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Place returns the position (byte offset from 0) of the first *Error in the chain that has one.
func Place(err error) (off int, ok bool) {
	if e, found := errors.AsType[*Error](err); found && e.Pos > 0 {
		return e.Pos - 1, true
	}
	return 0, false
}

// WithPlace gives err the position off unless it has one already.
func WithPlace(err error, off int) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Pos > 0 {
		return err
	}
	c := *e
	c.Pos = off + 1
	return &c
}
