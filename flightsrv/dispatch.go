package flightsrv

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/ebira-db/ebira/session"
)

// maxCommandBytes bounds a command, and so the text of a statement.
const maxCommandBytes = 64 << 20

// command reads what a descriptor asks for. Bytes that are no Any but UTF-8 text are SQL (FS-3).
func command(d *pb.FlightDescriptor) (proto.Message, error) {
	if d == nil {
		return nil, status.Error(codes.InvalidArgument, "the call has no flight descriptor")
	}
	if d.Type != pb.FlightDescriptor_CMD {
		return nil, status.Error(codes.Unimplemented, "only command descriptors are supported, not paths")
	}
	m, isAny, err := unpack(d.Cmd)
	if isAny {
		return m, err
	}
	if len(d.Cmd) == 0 || !utf8.Valid(d.Cmd) {
		return nil, status.Error(codes.InvalidArgument, "the command is neither a Flight SQL message nor SQL text")
	}
	return &pb.CommandStatementQuery{Query: string(d.Cmd)}, nil
}

// unpack reads a message out of an Any; isAny is false for bytes that are none.
func unpack(b []byte) (m proto.Message, isAny bool, err error) {
	if len(b) > maxCommandBytes {
		return nil, true, status.Errorf(codes.ResourceExhausted, "a command has at most %d bytes", maxCommandBytes)
	}
	var a anypb.Any
	if proto.Unmarshal(b, &a) != nil || !strings.Contains(a.TypeUrl, "/") {
		return nil, false, nil
	}
	if !strings.Contains(a.TypeUrl, "/arrow.flight.protocol.sql.") {
		return nil, true, status.Errorf(codes.Unimplemented, "commands of type %q are not supported", clip(a.TypeUrl))
	}
	m, err = anypb.UnmarshalNew(&a, proto.UnmarshalOptions{})
	if err != nil {
		if m == nil && !knownType(a.TypeUrl) {
			return nil, true, status.Errorf(codes.Unimplemented, "commands of type %q are not supported", clip(a.TypeUrl))
		}
		return nil, true, status.Errorf(codes.InvalidArgument, "the command %q cannot be read", clip(a.TypeUrl))
	}
	return m, true, nil
}

func knownType(url string) bool {
	name := url[strings.LastIndexByte(url, '/')+1:]
	for i := range pb.File_FlightSql_proto.Messages().Len() {
		if string(pb.File_FlightSql_proto.Messages().Get(i).FullName()) == name {
			return true
		}
	}
	return false
}

func unsupported(m proto.Message) error {
	return status.Errorf(codes.Unimplemented, "%s is not supported here", m.ProtoReflect().Descriptor().Name())
}

// GetFlightInfo executes a statement, once, or announces the result of a metadata command.
func (s service) GetFlightInfo(ctx context.Context, d *pb.FlightDescriptor) (*pb.FlightInfo, error) {
	m, err := command(d)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *pb.CommandStatementQuery:
		return s.statementInfo(ctx, d, m)
	case *pb.CommandPreparedStatementQuery:
		return s.preparedInfo(ctx, d, m.PreparedStatementHandle)
	}
	schema, ok := metadataSchema(m)
	if !ok {
		return nil, unsupported(m)
	}
	return info(d, schema, pack(m), nil), nil
}

// PollFlightInfo answers in one step: a statement that is slow is waited for (FS-110).
func (s service) PollFlightInfo(ctx context.Context, d *pb.FlightDescriptor) (*pb.PollInfo, error) {
	i, err := s.GetFlightInfo(ctx, d)
	if err != nil {
		return nil, err
	}
	return &pb.PollInfo{Info: i, Progress: proto.Float64(1)}, nil
}

// GetSchema tells the schema of a result without executing anything.
func (s service) GetSchema(ctx context.Context, d *pb.FlightDescriptor) (*pb.SchemaResult, error) {
	m, err := command(d)
	if err != nil {
		return nil, err
	}
	var schema *arrow.Schema
	switch m := m.(type) {
	case *pb.CommandStatementQuery:
		cl, err := s.client(ctx)
		if err != nil {
			return nil, err
		}
		sess, err := cl.in(m.TransactionId)
		if err != nil {
			return nil, err
		}
		if schema, err = cl.schemaOf(ctx, sess, m.Query); err != nil {
			return nil, err
		}
	case *pb.CommandPreparedStatementQuery:
		cl, p, err := s.statement(ctx, m.PreparedStatementHandle)
		if err != nil {
			return nil, err
		}
		stmt, err := cl.statementNow(p)
		if err != nil {
			return nil, err
		}
		// The tables may have changed since it was prepared (FS-55).
		if schema, err = cl.schemaOf(ctx, stmt.Session(), stmt.Text()); err != nil {
			return nil, err
		}
	default:
		var ok bool
		if schema, ok = metadataSchema(m); !ok {
			return nil, unsupported(m)
		}
	}
	return &pb.SchemaResult{Schema: serialize(schema)}, nil
}

// schemaOf is the schema that the result of a statement would have now.
func (c *client) schemaOf(ctx context.Context, sess *session.Session, sql string) (*arrow.Schema, error) {
	p, err := sess.Prepare(ctx, sql)
	if err != nil {
		return nil, located(err, sql)
	}
	wire, err := c.wire(ctx)
	if err != nil {
		return nil, err
	}
	return wire.schema(p.Schema), nil
}

// DoGet streams a result.
func (s service) DoGet(t *pb.Ticket, stream pb.FlightService_DoGetServer) error {
	m, isAny, err := unpack(t.GetTicket())
	if err != nil {
		return err
	}
	if !isAny {
		return status.Error(codes.InvalidArgument, "the ticket is not a Flight SQL message")
	}
	ctx := stream.Context()
	switch m := m.(type) {
	case *pb.TicketStatementQuery:
		k, err := s.tickets.find(m.StatementHandle, callerOf(ctx).user)
		if err != nil {
			return err
		}
		return s.streamTicket(ctx, k, stream)
	case *pb.CommandPreparedStatementQuery:
		k, err := s.runPrepared(ctx, m.PreparedStatementHandle)
		if err != nil {
			return err
		}
		return s.streamTicket(ctx, k, stream)
	}
	return s.streamMetadata(ctx, m, stream)
}

// DoExchange is not part of Flight SQL.
func (service) DoExchange(pb.FlightService_DoExchangeServer) error {
	return status.Error(codes.Unimplemented, "DoExchange is not supported")
}

// ListFlights lists nothing: results belong to those who made them.
func (service) ListFlights(*pb.Criteria, pb.FlightService_ListFlightsServer) error { return nil }

// info describes a result as one endpoint without locations (FS-20).
func info(d *pb.FlightDescriptor, schema *arrow.Schema, ticket []byte, expires *time.Time) *pb.FlightInfo {
	e := &pb.FlightEndpoint{Ticket: &pb.Ticket{Ticket: ticket}}
	if expires != nil {
		e.ExpirationTime = timestamppb.New(*expires)
	}
	return &pb.FlightInfo{Schema: serialize(schema), FlightDescriptor: d, Endpoint: []*pb.FlightEndpoint{e}, TotalRecords: -1, TotalBytes: -1}
}

// serialize encodes a schema as the encapsulated message that all clients expect (FS-15).
func serialize(s *arrow.Schema) []byte { return flight.SerializeSchema(s, memory.DefaultAllocator) }
