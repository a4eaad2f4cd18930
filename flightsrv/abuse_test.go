package flightsrv

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding/gzip"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

func cmd(b []byte) *pb.FlightDescriptor {
	return &pb.FlightDescriptor{Type: pb.FlightDescriptor_CMD, Cmd: b}
}

// put sends messages to DoPut and returns how it ends.
func put(ctx context.Context, c pb.FlightServiceClient, messages ...*pb.FlightData) error {
	stream, err := c.DoPut(ctx)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if err := stream.Send(m); err != nil {
			break
		}
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	for {
		if _, err := stream.Recv(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

var ingestCommand = pack(&pb.CommandStatementIngest{Table: "in", TableDefinitionOptions: &pb.CommandStatementIngest_TableDefinitionOptions{
	IfNotExist: pb.CommandStatementIngest_TableDefinitionOptions_TABLE_NOT_EXIST_OPTION_CREATE,
	IfExists:   pb.CommandStatementIngest_TableDefinitionOptions_TABLE_EXISTS_OPTION_REPLACE,
}})

func TestHostileCalls(t *testing.T) {
	r := newRig(t, Options{})
	c := r.raw()
	info := func(code codes.Code, part string, d *pb.FlightDescriptor) {
		t.Helper()
		_, err := c.GetFlightInfo(r.ctx(), d)
		wantCode(t, err, code, part)
		_, err = c.GetSchema(r.ctx(), d)
		wantCode(t, err, code, part)
	}
	info(codes.Unimplemented, "not paths", &pb.FlightDescriptor{})
	info(codes.Unimplemented, "not paths", &pb.FlightDescriptor{Type: pb.FlightDescriptor_PATH, Path: []string{"a"}})
	info(codes.InvalidArgument, "neither", cmd(nil))
	info(codes.InvalidArgument, "neither", cmd([]byte("\xff\xfe")))
	foreign, err := anypb.New(&pb.BasicAuth{Username: "x"})
	if err != nil {
		t.Fatal(err)
	}
	foreignBytes, err := proto.Marshal(foreign)
	if err != nil {
		t.Fatal(err)
	}
	info(codes.Unimplemented, "BasicAuth", cmd(foreignBytes))
	unknown, err := proto.Marshal(&anypb.Any{TypeUrl: "type.googleapis.com/arrow.flight.protocol.sql.CommandFromTheFuture"})
	if err != nil {
		t.Fatal(err)
	}
	info(codes.Unimplemented, "CommandFromTheFuture", cmd(unknown))
	broken, err := proto.Marshal(&anypb.Any{TypeUrl: "type.googleapis.com/arrow.flight.protocol.sql.CommandStatementQuery", Value: []byte{0x0a, 0x7f, 1}})
	if err != nil {
		t.Fatal(err)
	}
	info(codes.InvalidArgument, "cannot be read", cmd(broken))
	info(codes.Unimplemented, "CommandStatementSubstraitPlan", cmd(pack(&pb.CommandStatementSubstraitPlan{})))
	info(codes.NotFound, "prepared statement", cmd(pack(&pb.CommandPreparedStatementQuery{PreparedStatementHandle: []byte("x")})))

	get := func(code codes.Code, part string, ticket []byte) {
		t.Helper()
		stream, err := c.DoGet(r.ctx(), &pb.Ticket{Ticket: ticket})
		if err == nil {
			_, err = stream.Recv()
		}
		wantCode(t, err, code, part)
	}
	get(codes.InvalidArgument, "ticket", nil)
	get(codes.InvalidArgument, "ticket", []byte("SELECT 1"))
	get(codes.NotFound, "", pack(&pb.TicketStatementQuery{StatementHandle: []byte("guess")}))
	get(codes.Unimplemented, "", unknown)

	act := func(code codes.Code, part, name string, body []byte) {
		t.Helper()
		stream, err := c.DoAction(r.ctx(), &pb.Action{Type: name, Body: body})
		if err == nil {
			_, err = stream.Recv()
		}
		wantCode(t, err, code, part)
	}
	act(codes.Unimplemented, "Fly", "Fly", nil)
	act(codes.InvalidArgument, "", "CreatePreparedStatement", nil)
	act(codes.InvalidArgument, "", "CreatePreparedStatement", []byte("\xff"))
	act(codes.InvalidArgument, "ActionClosePreparedStatementRequest", "CreatePreparedStatement", pack(&pb.ActionClosePreparedStatementRequest{}))
	act(codes.InvalidArgument, "", "CancelFlightInfo", nil)
	act(codes.InvalidArgument, "", "CancelFlightInfo", []byte("\xff\xff"))
	act(codes.InvalidArgument, "", "RenewFlightEndpoint", nil)
	act(codes.InvalidArgument, "", "EndTransaction", nil)
	act(codes.NotFound, "transaction", "EndTransaction", pack(&pb.ActionEndTransactionRequest{TransactionId: []byte("guess"), Action: pb.ActionEndTransactionRequest_END_TRANSACTION_COMMIT}))
	act(codes.Unimplemented, "", "EndSavepoint", pack(&pb.ActionEndSavepointRequest{}))

	x, err := c.DoExchange(r.ctx())
	if err == nil {
		_, err = x.Recv()
	}
	wantCode(t, err, codes.Unimplemented, "DoExchange")
	r.alive()
}

func TestHostileUploads(t *testing.T) {
	r := newRig(t, Options{})
	c := r.raw()
	f := func(code codes.Code, messages ...*pb.FlightData) {
		t.Helper()
		wantCode(t, put(r.ctx(), c, messages...), code, "")
	}
	schema, batch := encoded(t)
	f(codes.InvalidArgument)                   // no message (FS-14)
	f(codes.InvalidArgument, &pb.FlightData{}) // no descriptor (FS-1)
	f(codes.InvalidArgument, &pb.FlightData{DataBody: []byte("x")})
	f(codes.InvalidArgument, &pb.FlightData{FlightDescriptor: cmd(ingestCommand)}) // no schema
	f(codes.InvalidArgument, &pb.FlightData{FlightDescriptor: cmd(ingestCommand), DataHeader: []byte("garbage")})
	f(codes.InvalidArgument, &pb.FlightData{FlightDescriptor: cmd(ingestCommand), DataHeader: batch.DataHeader, DataBody: batch.DataBody})
	f(codes.InvalidArgument, &pb.FlightData{FlightDescriptor: cmd(ingestCommand), DataHeader: schema.DataHeader}, &pb.FlightData{DataHeader: []byte{1, 2, 3, 4}})
	f(codes.InvalidArgument, &pb.FlightData{FlightDescriptor: cmd(ingestCommand), DataHeader: schema.DataHeader}, &pb.FlightData{DataHeader: batch.DataHeader})
	f(codes.NotFound, &pb.FlightData{FlightDescriptor: cmd(pack(&pb.CommandPreparedStatementUpdate{}))})
	f(codes.Unimplemented, &pb.FlightData{FlightDescriptor: cmd(pack(&pb.CommandGetTables{}))})
	// Offsets that point outside of the text.
	body := append([]byte(nil), batch.DataBody...)
	for i := range body {
		body[i] = 0x7f
	}
	f(codes.InvalidArgument, &pb.FlightData{FlightDescriptor: cmd(ingestCommand), DataHeader: schema.DataHeader}, &pb.FlightData{DataHeader: batch.DataHeader, DataBody: body})
	if _, err := r.engine.Snapshot().Table("default", "in", true); err == nil {
		t.Error("a failed ingest has made its table")
	}
	f(codes.OK, &pb.FlightData{FlightDescriptor: cmd(ingestCommand), DataHeader: schema.DataHeader}, batch)
	if got := r.run(r.client(), `SELECT * FROM "in"`); got != "1,a;2,bc" {
		t.Errorf("ingested %q", got)
	}
	r.alive()
}

// encoded returns the messages of a small upload.
func encoded(t testing.TB) (schema, batch *pb.FlightData) {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2}, nil)
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"a", "bc"}, nil)
	var sink messageSink
	w := flight.NewRecordWriter(&sink, ipc.WithSchema(s))
	if err := w.Write(b.NewRecordBatch()); err != nil {
		t.Fatal(err)
	}
	return sink[0], sink[1]
}

type messageSink []*pb.FlightData

func (m *messageSink) Send(d *flight.FlightData) error {
	*m = append(*m, &pb.FlightData{DataHeader: append([]byte(nil), d.DataHeader...), DataBody: append([]byte(nil), d.DataBody...)})
	return nil
}

// TestRandomUploads flips bytes of a good upload: whatever comes out of it, the server lives and answers with a proper status.
func TestRandomUploads(t *testing.T) {
	r := newRig(t, Options{})
	c := r.raw()
	schema, batch := encoded(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	flip := func(b []byte) []byte {
		b = append([]byte(nil), b...)
		for range 1 + rnd.IntN(4) {
			if len(b) > 0 {
				b[rnd.IntN(len(b))] = byte(rnd.UintN(256))
			}
		}
		if rnd.IntN(8) == 0 {
			b = b[:rnd.IntN(len(b)+1)]
		}
		return b
	}
	for range 400 {
		first := &pb.FlightData{FlightDescriptor: cmd(ingestCommand), DataHeader: schema.DataHeader}
		second := &pb.FlightData{DataHeader: flip(batch.DataHeader), DataBody: flip(batch.DataBody)}
		switch rnd.IntN(3) {
		case 0:
			first.DataHeader = flip(first.DataHeader)
		case 1:
			first.FlightDescriptor = cmd(flip(ingestCommand))
		}
		if code := status.Code(put(r.ctx(), c, first, second)); code == codes.Unknown || code == codes.Internal || code == codes.Unavailable {
			t.Fatalf("status %v", code)
		}
	}
	r.alive()
}

func FuzzCommand(f *testing.F) {
	f.Add([]byte("SELECT 1"))
	f.Add(ingestCommand)
	f.Add(pack(&pb.CommandGetTables{}))
	f.Add([]byte{0x0a, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := command(cmd(b)); (m == nil) == (err == nil) {
			t.Fatalf("message %v, error %v", m, err)
		}
	})
}

func TestTransport(t *testing.T) {
	r := newRig(t, Options{})
	// Headers of single sign-on tokens are long.
	ctx := metadata.AppendToOutgoingContext(r.ctx(), "x-tenant", strings.Repeat("x", 60_000))
	d := cmd([]byte("SELECT 1"))
	if _, err := r.raw().GetFlightInfo(ctx, d); err != nil {
		t.Errorf("long header: %v", err)
	}
	if _, err := r.raw().GetFlightInfo(r.ctx(), d, grpc.UseCompressor(gzip.Name)); err != nil {
		t.Errorf("gzip: %v", err)
	}
	h, err := healthpb.NewHealthClient(r.dial()).Check(r.ctx(), &healthpb.HealthCheckRequest{Service: "arrow.flight.protocol.FlightService"})
	if err != nil || h.Status != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("health: %v, %v", h, err)
	}
	stream, err := r.raw().ListActions(r.ctx(), &pb.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for {
		a, err := stream.Recv()
		if err != nil {
			break
		}
		names = append(names, a.Type)
	}
	want := "CreatePreparedStatement ClosePreparedStatement BeginTransaction EndTransaction CancelFlightInfo CancelQuery RenewFlightEndpoint SetSessionOptions GetSessionOptions CloseSession"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("actions: %s", got)
	}
}

func TestTLS(t *testing.T) {
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS()
	defer web.Close()
	r := newRig(t, Options{TLS: &tls.Config{Certificates: web.TLS.Certificates, NextProtos: []string{"h2"}}})
	pool := x509.NewCertPool()
	pool.AddCert(web.Certificate())
	conn, err := grpc.NewClient(r.addr, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: pool, ServerName: "example.com"})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var header metadata.MD
	if _, err := pb.NewFlightServiceClient(conn).GetFlightInfo(r.ctx(), cmd([]byte("SELECT 1")), grpc.Header(&header)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(header.Get("set-cookie"), ""); !strings.Contains(got, "Secure") {
		t.Errorf("cookie %q", got)
	}
	_, err = r.raw().GetFlightInfo(r.ctx(), cmd([]byte("SELECT 1")))
	wantCode(t, err, codes.Unavailable, "")
}
