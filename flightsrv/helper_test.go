package flightsrv

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/storage/vfs"
)

// rig is a server over an engine in memory.
type rig struct {
	t      *testing.T
	engine *session.Engine
	server *Server
	addr   string
}

func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	e, err := session.Open(session.Config{FS: vfs.NewMem(), Dir: "/db", NoBackground: true, MemoryLimit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	o.Version = "test"
	s, err := New(e, o)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		s.Stop(ctx)
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if err := e.Close(); err != nil {
			t.Errorf("close engine: %v", err)
		}
	})
	return &rig{t, e, s, ln.Addr().String()}
}

// dial opens a connection of its own.
func (r *rig) dial(opts ...grpc.DialOption) *grpc.ClientConn {
	r.t.Helper()
	conn, err := grpc.NewClient(r.addr, append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	return conn
}

func (r *rig) raw() pb.FlightServiceClient { return pb.NewFlightServiceClient(r.dial()) }

func (r *rig) client() *flightsql.Client {
	r.t.Helper()
	c, err := flightsql.NewClient(r.addr, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return c
}

func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	r.t.Cleanup(cancel)
	return ctx
}

// run executes a statement, failing the test on an error, and returns its rows as text.
func (r *rig) run(c *flightsql.Client, sql string) string {
	r.t.Helper()
	out, err := query(r.ctx(), c, sql)
	if err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func query(ctx context.Context, c *flightsql.Client, sql string) (string, error) {
	i, err := c.Execute(ctx, sql)
	if err != nil {
		return "", err
	}
	return fetch(ctx, c, i)
}

// fetch reads a result: columns separated by commas, rows by semicolons.
func fetch(ctx context.Context, c *flightsql.Client, i *flight.FlightInfo) (string, error) {
	rd, err := c.DoGet(ctx, i.Endpoint[0].Ticket)
	if err != nil {
		return "", err
	}
	defer rd.Release()
	var rows []string
	for rd.Next() {
		rows = append(rows, texts(rd.RecordBatch())...)
	}
	return strings.Join(rows, ";"), rd.Err()
}

func texts(rec arrow.RecordBatch) []string {
	var rows []string
	for i := range int(rec.NumRows()) {
		cells := make([]string, rec.NumCols())
		for j := range cells {
			cells[j] = rec.Column(j).ValueStr(i)
		}
		rows = append(rows, strings.Join(cells, ","))
	}
	return rows
}

// wantCode asserts the status of an error and a part of its message.
func wantCode(t *testing.T, err error, code codes.Code, part string) {
	t.Helper()
	if st, _ := status.FromError(err); st.Code() != code || !strings.Contains(st.Message(), part) {
		t.Errorf("got %v, want %v with %q", err, code, part)
	}
}

// alive asserts that the server still answers.
func (r *rig) alive() {
	r.t.Helper()
	if got := r.run(r.client(), "SELECT 1"); got != "1" {
		r.t.Fatalf("SELECT 1 gave %q", got)
	}
}
