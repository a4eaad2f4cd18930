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

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// maxMessageBytes bounds the percent-encoded message of an error: it travels in a trailer, and clients limit trailers (FS-97).
const maxMessageBytes = 4 << 10

// errorIDHeader is the trailer that names an internal error in the log.
const errorIDHeader = "x-error-id"

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
	return status.Error(codeOf(kind), clip(sqlerr.Render(err, sql)))
}

// outgoing turns any error into a status with a message that survives the way to the client. Internal errors get an id and go to the
// log in full; clients see the id and the first line.
func (s *Server) outgoing(ctx context.Context, method string, err error) error {
	if err == nil {
		return nil
	}
	if st, ok := status.FromError(err); ok {
		return status.Error(st.Code(), clip(st.Message()))
	}
	switch {
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, "the call was canceled")
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, "the call took longer than its client allowed")
	}
	kind := sqlerr.KindOf(err)
	if kind != sqlerr.Internal {
		return status.Error(codeOf(kind), clip(err.Error()))
	}
	id := newErrorID()
	s.log.Error("internal error", "id", id, "method", method, "error", err.Error())
	grpc.SetTrailer(ctx, metadata.Pairs(errorIDHeader, id))
	first, _, _ := strings.Cut(err.Error(), "\n")
	return status.Error(codes.Internal, clip(fmt.Sprintf("%s (error id %s)", first, id)))
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
