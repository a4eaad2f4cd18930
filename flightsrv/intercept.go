package flightsrv

import (
	"context"
	"strings"

	"google.golang.org/grpc"
)

// unary runs a call with one answer: it finds out who calls, catches panics and shapes errors.
func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (resp any, err error) {
	defer func() { err = s.outgoing(ctx, info.FullMethod, err) }()
	defer func() { recovered(recover(), &err) }()
	if !open(info.FullMethod) {
		c, err := s.authenticate(ctx)
		if err != nil {
			return nil, err
		}
		ctx = context.WithValue(ctx, callerKey{}, c)
	}
	return handler(ctx, req)
}

// stream does for streams what unary does for single answers.
func (s *Server) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	ctx := ss.Context()
	defer func() { err = s.outgoing(ctx, info.FullMethod, err) }()
	defer func() { recovered(recover(), &err) }()
	if !open(info.FullMethod) {
		c, err := s.authenticate(ctx)
		if err != nil {
			return err
		}
		ss = &callerStream{ss, context.WithValue(ctx, callerKey{}, c)}
	}
	return handler(srv, ss)
}

// open tells which methods need no login: the login itself and health checks.
func open(method string) bool {
	return strings.HasSuffix(method, "/Handshake") || strings.HasPrefix(method, "/grpc.health.v1.")
}

type callerKey struct{}

// callerStream is a stream whose context knows the caller.
type callerStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (c *callerStream) Context() context.Context { return c.ctx }

// callerOf returns who makes the call.
func callerOf(ctx context.Context) *caller {
	c, ok := ctx.Value(callerKey{}).(*caller)
	if !ok {
		panic("BUG: a call without a caller")
	}
	return c
}
