package flightsrv

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/sqlerr"
)

// maxMessageBytes bounds the percent-encoded message of an error: it travels in a trailer, and clients limit trailers (FS-97).
const maxMessageBytes = 4 << 10

// Trailers of errors: the name of an internal error in the log, and the SQLSTATE, for which gRPC has no place (FS-96).
const (
	errorIDHeader  = "x-error-id"
	sqlStateHeader = "x-sqlstate"
)

// sqlStates are the states of SQL that kinds come nearest to.
var sqlStates = map[sqlerr.Kind]string{
	sqlerr.Syntax: "42601", sqlerr.Bind: "42000", sqlerr.Type: "42804", sqlerr.Conversion: "22018", sqlerr.OutOfRange: "22003",
	sqlerr.Constraint: "23000", sqlerr.NotFound: "42S02", sqlerr.Exists: "42S01", sqlerr.Conflict: "40001", sqlerr.Unsupported: "0A000",
	sqlerr.Permission: "42501", sqlerr.Resource: "53000", sqlerr.Canceled: "57014", sqlerr.Corrupt: "XX001", sqlerr.IO: "58030",
	sqlerr.Internal: "XX000",
}

// statusError is a status that knows the kind of error it was made of.
type statusError struct {
	*status.Status
	kind sqlerr.Kind
}

// Error returns the text of the status.
func (e *statusError) Error() string { return e.Err().Error() }

// GRPCStatus makes it the status that gRPC sends.
func (e *statusError) GRPCStatus() *status.Status { return e.Status }

// codeFor is codeOf for an error, which may be the end of a statement's time.
func codeFor(err error) codes.Code {
	if errors.Is(err, session.ErrTimeout) {
		return codes.DeadlineExceeded
	}
	return codeOf(sqlerr.KindOf(err))
}

// codeOf maps kinds to gRPC codes; clients map those to their exceptions (FS-95).
func codeOf(k sqlerr.Kind) codes.Code {
	switch k {
	case sqlerr.Syntax, sqlerr.Bind, sqlerr.Type, sqlerr.Conversion, sqlerr.OutOfRange, sqlerr.Constraint:
		return codes.InvalidArgument
	case sqlerr.NotFound:
		return codes.NotFound
	case sqlerr.Exists:
		return codes.AlreadyExists
	case sqlerr.Conflict:
		return codes.Aborted
	case sqlerr.Unsupported:
		return codes.Unimplemented
	case sqlerr.Permission:
		return codes.PermissionDenied
	case sqlerr.Resource:
		return codes.ResourceExhausted
	case sqlerr.Canceled:
		return codes.Canceled
	case sqlerr.Corrupt:
		return codes.DataLoss
	case sqlerr.IO:
		return codes.Unavailable
	}
	return codes.Internal
}

// located gives errors that point into a statement their caret line.
func located(err error, sql string) error {
	if err == nil {
		return nil
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	kind := sqlerr.KindOf(err)
	if kind == sqlerr.Internal {
		return err
	}
	return &statusError{status.New(codeFor(err), clip(sqlerr.Render(err, sql))), kind}
}

// outgoing turns any error into a status with a message that survives the way to the client. Internal errors get an id and go to the
// log in full; clients see the id and the first line.
func (s *Server) outgoing(ctx context.Context, method string, err error) error {
	if err == nil {
		return nil
	}
	if st, ok := status.FromError(err); ok {
		var known *statusError
		if errors.As(err, &known) {
			s.trailer(ctx, sqlStateHeader, sqlStates[known.kind])
		}
		return status.Error(st.Code(), clip(st.Message()))
	}
	switch {
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, "the call was canceled")
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, "the call took longer than its client allowed")
	}
	kind := sqlerr.KindOf(err)
	s.trailer(ctx, sqlStateHeader, sqlStates[kind])
	if kind != sqlerr.Internal {
		return status.Error(codeFor(err), clip(err.Error()))
	}
	id := newErrorID()
	s.log.Error("internal error", "id", id, "method", method, "error", err.Error())
	s.trailer(ctx, errorIDHeader, id)
	first, _, _ := strings.Cut(err.Error(), "\n")
	return status.Error(codes.Internal, clip(fmt.Sprintf("%s (error id %s)", first, id)))
}

// trailer adds to the trailers of a call.
func (s *Server) trailer(ctx context.Context, key, value string) {
	if err := grpc.SetTrailer(ctx, metadata.Pairs(key, value)); err != nil {
		s.log.Debug("trailer not sent", "key", key, "error", err)
	}
}

// recovered turns a panic of a call into its error. The server goes on: state shared between calls is only changed under locks that are
// released by defer.
func recovered(bug any, err *error) {
	if bug == nil {
		return
	}
	if e, ok := bug.(*sqlerr.Error); ok {
		*err = e
		return
	}
	*err = sqlerr.New(sqlerr.Internal, "%v\n%s", bug, debug.Stack())
}

func newErrorID() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// clip makes a message valid UTF-8 and cuts it so that its percent-encoded form stays within maxMessageBytes.
func clip(msg string) string {
	msg = strings.ToValidUTF8(msg, "\uFFFD")
	size := 0
	for i, r := range msg {
		n := 1
		if r < ' ' || r > '~' || r == '%' {
			n = 3 * len(string(r))
		}
		if size+n > maxMessageBytes-len("...") {
			return msg[:i] + "..."
		}
		size += n
	}
	return msg
}
