package sqltest

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/flightsrv"
	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vec/arrowvec"
)

// overFlight runs statements through a real server and client on loopback.
type overFlight struct {
	config session.Config
	engine *session.Engine
	server *flightsrv.Server
	client *flightsql.Client
	token  string
}

func openFlight(config session.Config) (*overFlight, error) {
	e := &overFlight{config: config}
	return e, e.open()
}

func (e *overFlight) open() (err error) {
	if e.engine, err = session.Open(e.config); err != nil {
		return err
	}
	if e.server, err = flightsrv.New(e.engine, flightsrv.Options{Log: slog.New(slog.DiscardHandler)}); err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	// Serve returns when Stop is called; what went wrong before that shows in the client's calls.
	go func() { _ = e.server.Serve(ln) }()
	if e.client, err = flightsql.NewClient(ln.Addr().String(), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials())); err != nil {
		return err
	}
	ctx, err := e.client.Client.AuthenticateBasicToken(context.Background(), "", "")
	if err != nil {
		return err
	}
	if md, ok := metadata.FromOutgoingContext(ctx); ok && len(md.Get("authorization")) > 0 {
		e.token = md.Get("authorization")[0]
	}
	return nil
}

// Run executes one statement and prints its rows.
func (e *overFlight) Run(sql string) (Table, error) {
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", e.token)
	info, err := e.client.Execute(ctx, sql)
	if err != nil {
		return Table{}, plainError(err)
	}
	rd, err := e.client.DoGet(ctx, info.Endpoint[0].Ticket)
	if err != nil {
		return Table{}, plainError(err)
	}
	defer rd.Release()
	var batches []*vec.Batch
	for rd.Next() {
		b, err := arrowvec.Batch(rd.RecordBatch())
		if err != nil {
			return Table{}, err
		}
		batches = append(batches, b)
	}
	if err := rd.Err(); err != nil {
		return Table{}, plainError(err)
	}
	affected := info.TotalRecords
	if rd.Schema().NumFields() > 0 {
		affected = 0
	}
	return printTable(wireSchema(rd.Schema()), batches, affected)
}

func plainError(err error) error {
	if s, ok := status.FromError(err); ok {
		return errors.New(s.Message())
	}
	return err
}

func wireSchema(s *arrow.Schema) (out types.Schema) {
	for _, f := range s.Fields() {
		t, ok := arrowvec.SQLType(f)
		if !ok {
			t = types.Of(types.Varchar)
		}
		out = append(out, types.Field{Name: f.Name, Type: t})
	}
	return out
}

// Restart closes server and engine and opens them on the same data.
func (e *overFlight) Restart() error {
	if err := e.Close(); err != nil {
		return err
	}
	return e.open()
}

// Flush turns all small writes into segments.
func (e *overFlight) Flush() error { return e.engine.Flush(context.Background()) }

// Compact merges segments.
func (e *overFlight) Compact() error { return e.engine.Compact(context.Background()) }

// Close ends client, server and engine.
func (e *overFlight) Close() error {
	err := e.client.Close()
	e.server.Stop(context.Background())
	return errors.Join(err, e.engine.Close())
}
