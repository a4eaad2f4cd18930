package flightsrv

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"strings"

	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Headers of authentication.
const (
	authHeader = "authorization"
	// tokenBinHeader carries the token of clients that logged in with a BasicAuth payload (FS-82).
	tokenBinHeader = "auth-token-bin"
)

// caller is who makes a call, and by what its session is found.
type caller struct {
	// user is empty where no login is needed.
	user  string
	token *token
	conn  *connection
	// cookies are the session cookies that the call presents.
	cookies []string
	md      metadata.MD
}

// agent is the client product as it calls itself.
func (c *caller) agent() string { return strings.Join(c.md.Get("user-agent"), " ") }

// scheme is the form of a credential.
type scheme uint8

const (
	noCredential scheme = iota
	basic
	bearer
)

// credential is what a call presents; user and secret are a name and password, or secret alone is a token.
type credential struct {
	scheme       scheme
	user, secret string
}

// credentialOf reads the credential of a call's headers. Schemes are spelled in any case, base64 is taken with or without padding and
// in both alphabets (FS-83). Headers that are no credential are an error only if there is no other.
func credentialOf(md metadata.MD) (credential, error) {
	var failed error
	for _, h := range md.Get(authHeader) {
		name, rest, _ := strings.Cut(strings.TrimSpace(h), " ")
		rest = strings.TrimSpace(rest)
		switch strings.ToLower(name) {
		case "bearer":
			return credential{scheme: bearer, secret: rest}, nil
		case "basic":
			text, ok := decodeBase64(rest)
			user, password, colon := strings.Cut(text, ":")
			if ok && colon {
				return credential{basic, user, password}, nil
			}
			failed = status.Error(codes.Unauthenticated, "the Basic credential cannot be read")
		default:
			failed = status.Errorf(codes.Unauthenticated, "use Basic or Bearer authentication, not %q", clip(name))
		}
	}
	for _, h := range md.Get(tokenBinHeader) {
		return credential{scheme: bearer, secret: h}, nil
	}
	return credential{}, failed
}

func decodeBase64(s string) (string, bool) {
	s = strings.TrimRight(s, "=")
	s = strings.NewReplacer("-", "+", "_", "/").Replace(s)
	b, err := base64.RawStdEncoding.DecodeString(s)
	return string(b), err == nil
}

// authenticate finds out who calls. Where users exist every call needs a credential; where none do, all are welcome (FS-81).
func (s *Server) authenticate(ctx context.Context) (*caller, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	c := &caller{conn: connectionOf(ctx), cookies: sessionCookies(md), md: md}
	cred, err := credentialOf(md)
	needed := s.engine.HasUsers()
	if needed && err != nil {
		return nil, err
	}
	switch cred.scheme {
	case bearer:
		c.token = s.registry.token(cred.secret)
		if c.token != nil {
			c.user = c.token.user
		} else if needed {
			return nil, status.Error(codes.Unauthenticated, "the token is unknown or has expired: log in again")
		}
	case basic:
		if needed {
			if err := s.checkPassword(ctx, cred); err != nil {
				return nil, err
			}
			c.user = cred.user
		}
	default:
		if needed {
			return nil, status.Error(codes.Unauthenticated, "this server needs a user name and a password")
		}
	}
	return c, nil
}

func (s *Server) checkPassword(ctx context.Context, cred credential) error {
	err := s.engine.Authenticate(ctx, cred.user, cred.secret)
	if err != nil && sqlerr.KindOf(err) == sqlerr.Permission {
		return status.Error(codes.Unauthenticated, "wrong user name or password")
	}
	return err
}

// Handshake logs in by Basic or Bearer in the headers, or by a BasicAuth payload. The token goes out in the response headers, once, and
// with a payload login in the answer too (FS-80, FS-82).
func (s service) Handshake(stream pb.FlightService_HandshakeServer) error {
	ctx := stream.Context()
	md, _ := metadata.FromIncomingContext(ctx)
	cred, err := credentialOf(md)
	if err != nil && s.engine.HasUsers() {
		return err
	}
	var payload bool
	if cred.scheme == noCredential {
		if cred, err = payloadCredential(stream); err != nil {
			return err
		}
		payload = cred.scheme != noCredential
	}
	secret, err := s.login(ctx, cred)
	if err != nil {
		return err
	}
	if err := stream.SendHeader(metadata.Pairs(authHeader, "Bearer "+secret)); err != nil {
		return err
	}
	if payload {
		return stream.Send(&pb.HandshakeResponse{Payload: []byte(secret)})
	}
	return nil
}

// payloadCredential reads a login from the first message; a client that sends nothing, or something else, has none.
func payloadCredential(stream pb.FlightService_HandshakeServer) (credential, error) {
	req, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return credential{}, nil
	}
	if err != nil {
		return credential{}, err
	}
	var auth pb.BasicAuth
	if len(req.Payload) == 0 || proto.Unmarshal(req.Payload, &auth) != nil || auth.Username == "" {
		return credential{}, nil
	}
	return credential{basic, auth.Username, auth.Password}, nil
}

// login checks a credential and returns the token to use from now on.
func (s *Server) login(ctx context.Context, cred credential) (string, error) {
	needed := s.engine.HasUsers()
	switch {
	case cred.scheme == bearer && (needed || s.registry.token(cred.secret) != nil):
		if s.registry.token(cred.secret) == nil {
			return "", status.Error(codes.Unauthenticated, "the token is unknown or has expired: log in again")
		}
		return cred.secret, nil
	case !needed:
		return s.registry.newToken("")
	case cred.scheme == basic:
		if err := s.checkPassword(ctx, cred); err != nil {
			return "", err
		}
		return s.registry.newToken(cred.user)
	}
	return "", status.Error(codes.Unauthenticated, "this server needs a user name and a password")
}

// newSecret returns an unguessable name for a token, a session, a result or a prepared statement.
func newSecret() string {
	var b [24]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}
