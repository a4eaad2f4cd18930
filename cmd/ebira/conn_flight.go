package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vec/arrowvec"
)

// maxMessageBytes is the largest Flight message that the client takes.
const maxMessageBytes = 64 << 20

// flightConn is a server over Flight SQL.
type flightConn struct {
	client *flightsql.Client
	token  string
}

// openFlight connects to grpc://host:port or grpc+tls://host:port and logs in where a user is given. caFile names a PEM file with the
// certificates that a TLS server's is checked against; empty means those of the machine.
func openFlight(ctx context.Context, url, user, password, caFile string) (*flightConn, error) {
	scheme, addr, ok := strings.Cut(url, "://")
	if !ok {
		scheme, addr = "grpc", url
	}
	creds := insecure.NewCredentials()
	switch scheme {
	case "grpc", "grpc+tcp":
	case "grpc+tls", "grpcs":
		config, err := clientTLS(caFile)
		if err != nil {
			return nil, err
		}
		creds = credentials.NewTLS(config)
	default:
		return nil, fmt.Errorf("--url %s: the scheme is grpc or grpc+tls", url)
	}
	c, err := flightsql.NewClientCtx(ctx, strings.TrimSuffix(addr, "/"), nil, nil, grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes), grpc.MaxCallSendMsgSize(maxMessageBytes)))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", url, err)
	}
	f := &flightConn{client: c}
	// A login also where none is needed: it gives the client a session of its own.
	logged, err := c.Client.AuthenticateBasicToken(ctx, user, password)
	if err != nil {
		c.Close()
		if status.Code(err) == codes.Unavailable {
			return nil, fmt.Errorf("connect to %s: %s; start a server with 'ebira serve', name one with --url, or open a data directory with --data", url, message(err))
		}
		return nil, fmt.Errorf("connect to %s: %s", url, message(err))
	}
	if md, ok := metadata.FromOutgoingContext(logged); ok && len(md.Get("authorization")) > 0 {
		f.token = md.Get("authorization")[0]
	}
	return f, nil
}

// clientTLS trusts the certificates of a PEM file, or those of the machine.
func clientTLS(caFile string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("--tls-ca: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("--tls-ca: no certificate in PEM form in %s", caFile)
	}
	return config, nil
}

func (f *flightConn) auth(ctx context.Context) context.Context {
	if f.token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", f.token)
}

// message is the text of a server's error without gRPC's wrapping.
func message(err error) string {
	if s, ok := status.FromError(err); ok {
		if s.Code() == codes.Canceled && s.Message() == context.Canceled.Error() {
			return "canceled"
		}
		return s.Message()
	}
	return err.Error()
}

func (f *flightConn) run(ctx context.Context, sql string) (*rows, error) {
	ctx, cancel := context.WithCancel(f.auth(ctx))
	info, err := f.client.Execute(ctx, sql)
	if err != nil {
		cancel()
		return nil, errors.New(message(err))
	}
	if len(info.Endpoint) == 0 {
		cancel()
		return nil, errors.New("the server's answer has no endpoint")
	}
	rd, err := f.client.DoGet(ctx, info.Endpoint[0].Ticket)
	if err != nil {
		cancel()
		return nil, errors.New(message(err))
	}
	r := &rows{close: func() { rd.Release(); cancel() }, affected: max(info.TotalRecords, 0)}
	if rd.Schema().NumFields() == 0 {
		r.next = func(context.Context) (*vec.Batch, error) { return nil, nil }
		return r, nil
	}
	r.schema = sqlSchema(rd.Schema())
	r.next = func(context.Context) (*vec.Batch, error) { return nextBatch(rd) }
	return r, nil
}

func nextBatch(rd *flight.Reader) (*vec.Batch, error) {
	if !rd.Next() {
		if err := rd.Err(); err != nil {
			return nil, errors.New(message(err))
		}
		return nil, nil
	}
	return arrowvec.Batch(rd.RecordBatch())
}

// sqlSchema reads the SQL types of the columns: the wire type, or VARIANT and JSON where the server says so.
func sqlSchema(s *arrow.Schema) types.Schema {
	out := make(types.Schema, 0, s.NumFields())
	for _, f := range s.Fields() {
		t, ok := arrowvec.SQLType(f)
		if !ok {
			t = types.Of(types.Varchar)
		}
		if name, ok := f.Metadata.GetValue(flightsql.TypeNameKey); ok && t.Kind == types.Varchar {
			switch name {
			case "VARIANT":
				t = types.Of(types.Variant)
			case "JSON":
				t = types.Of(types.JSON)
			}
		}
		out = append(out, types.Field{Name: f.Name, Type: t})
	}
	return out
}

func (f *flightConn) close() error { return f.client.Close() }
