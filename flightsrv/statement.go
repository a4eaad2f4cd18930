package flightsrv

import (
	"context"
	"errors"
	"io"

	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// waitBytes is how much of a result must be ready before a statement is answered, so that early errors come out of GetFlightInfo and
// not in the middle of a stream, where some clients lose them (FS-30).
const waitBytes = 4 << 20

// statementInfo executes a statement and parks its result.
func (s *Server) statementInfo(ctx context.Context, d *pb.FlightDescriptor, m *pb.CommandStatementQuery) (*pb.FlightInfo, error) {
	sql := m.Query
	cl, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	sess, err := cl.in(m.TransactionId)
	if err != nil {
		return nil, err
	}
	p, err := sess.Prepare(ctx, sql)
	if err != nil {
		return nil, located(err, sql)
	}
	if n := len(p.Params); n > 0 {
		return nil, status.Errorf(codes.InvalidArgument, "the statement has %d parameters: prepare it and bind their values", n)
	}
	t, i, err := s.park(ctx, cl, d, p, [][]*vec.Vector{nil})
	if err != nil {
		return nil, located(err, sql)
	}
	s.tickets.add(t)
	return finish(i, t), nil
}

// finish completes the description of a parked result by its ticket, which add has named.
func finish(i *pb.FlightInfo, t *ticket) *pb.FlightInfo {
	full := info(i.FlightDescriptor, t.schema, t.bytes(), &t.expires)
	full.TotalRecords, full.Ordered = i.TotalRecords, i.Ordered
	return full
}

// park executes a statement once per set of parameter values. Queries are left running with their first part ready; everything else
// has happened when park returns, whether or not somebody fetches the result.
func (s *Server) park(ctx context.Context, cl *client, d *pb.FlightDescriptor, p *session.Prepared, rows [][]*vec.Vector) (*ticket, *pb.FlightInfo, error) {
	wire, err := cl.wire(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := &ticket{owner: cl, user: cl.user, stmt: p, rows: rows, wire: wire, schema: wire.schema(p.Schema)}
	i := &pb.FlightInfo{FlightDescriptor: d, TotalRecords: -1}
	if p.ReadOnly && len(rows) > 0 {
		view, err := p.Hold()
		if err != nil {
			return nil, nil, err
		}
		r, err := p.ExecuteAt(ctx, view, wire.form, rows[0])
		if err == nil {
			if err = r.Wait(ctx, waitBytes); err != nil {
				r.Close()
			}
		}
		if err != nil {
			view.Release()
			return nil, nil, err
		}
		t.view = view
		t.schema, t.live = wire.schema(r.Schema), r
		i.Ordered = r.Ordered
		if len(rows) == 1 {
			i.TotalRecords = r.Rows()
		}
		return t, i, nil
	}
	if len(rows) > 1 && p.Schema == nil {
		n, err := updateAll(ctx, p, rows)
		t.affected, t.rows, i.TotalRecords = n, nil, n
		return t, i, err
	}
	var total int64
	for _, values := range rows {
		schema, affected, batches, err := runAll(ctx, p, values)
		if err != nil {
			return nil, nil, err
		}
		t.schema = wire.schema(schema)
		t.affected += affected
		t.batches = append(t.batches, batches...)
		for _, b := range batches {
			total += int64(b.Len)
		}
	}
	t.rows = nil
	i.TotalRecords = total
	if t.schema.NumFields() == 0 {
		i.TotalRecords = t.affected
	}
	return t, i, nil
}

// runAll executes a statement to its end.
func runAll(ctx context.Context, p *session.Prepared, values []*vec.Vector) (types.Schema, int64, []*vec.Batch, error) {
	r, err := p.Execute(ctx, values)
	if err != nil {
		return nil, 0, nil, err
	}
	batches, err := r.All(ctx)
	return r.Schema, r.Affected, batches, err
}

// streamTicket sends the result of a ticket. A query whose result has been fetched before runs again; statements that change something
// do not, their result is kept.
func (s *Server) streamTicket(ctx context.Context, t *ticket, stream pb.FlightService_DoGetServer) error {
	ctx, stop, err := t.fetching(ctx)
	if err != nil {
		return err
	}
	defer stop()
	t.owner.busy.Add(1)
	defer func() {
		t.owner.busy.Add(-1)
		t.owner.touch()
	}()
	wire, err := t.wire.transport(callerOf(stream.Context()).md)
	if err != nil {
		return err
	}
	out := newOutput(stream, t.schema, wire)
	for _, b := range t.batches {
		if err := out.batch(b); err != nil {
			return err
		}
	}
	for i, values := range t.rows {
		if err := s.streamRun(ctx, t, i, values, out); err != nil {
			return located(err, t.stmt.Text())
		}
	}
	return out.close()
}

// streamRun sends the rows of one execution.
func (s *Server) streamRun(ctx context.Context, t *ticket, i int, values []*vec.Vector, out *output) error {
	var r *session.Result
	if i == 0 {
		r = t.take()
	}
	if r == nil {
		var err error
		if r, err = t.execute(ctx, values); err != nil {
			return err
		}
	}
	defer r.Close()
	if !t.wire.schema(r.Schema).Equal(t.schema) {
		return status.Error(codes.FailedPrecondition, "the columns of the result have changed since it was announced: execute the statement again")
	}
	for {
		b, err := r.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		if err := out.batch(b); err != nil {
			return err
		}
	}
}

// update executes a statement whose rows, if it has any, nobody wants. It returns how many rows were changed, -1 for a query.
func update(ctx context.Context, p *session.Prepared, values []*vec.Vector) (int64, error) {
	r, err := p.Execute(ctx, values)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for {
		b, err := r.Next(ctx)
		if err != nil {
			return 0, err
		}
		if b == nil {
			break
		}
	}
	if p.ReadOnly {
		return -1, nil
	}
	return r.Affected, nil
}

// putUpdate is CommandStatementUpdate.
func (s *Server) putUpdate(ctx context.Context, m *pb.CommandStatementUpdate, stream pb.FlightService_DoPutServer) error {
	cl, err := s.client(ctx)
	if err != nil {
		return err
	}
	sess, err := cl.in(m.TransactionId)
	if err != nil {
		return err
	}
	p, err := sess.Prepare(ctx, m.Query)
	if err != nil {
		return located(err, m.Query)
	}
	n, err := update(ctx, p, nil)
	if err != nil {
		return located(err, m.Query)
	}
	return putCount(stream, n)
}

// putCount answers an update with its one result (FS-44).
func putCount(stream pb.FlightService_DoPutServer, n int64) error {
	return putResult(stream, &pb.DoPutUpdateResult{RecordCount: n})
}

func putResult(stream pb.FlightService_DoPutServer, m proto.Message) error {
	b, err := proto.Marshal(m)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return stream.Send(&pb.PutResult{AppMetadata: b})
}

// DoPut takes updates, parameter values and data. Its first message must have a descriptor; the message may carry data too (FS-1).
func (s service) DoPut(stream pb.FlightService_DoPutServer) error {
	first, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return status.Error(codes.InvalidArgument, "the upload has no message")
	}
	if err != nil {
		return err
	}
	m, err := command(first.FlightDescriptor)
	if err != nil {
		return err
	}
	ctx := stream.Context()
	switch m := m.(type) {
	case *pb.CommandStatementUpdate:
		return s.putUpdate(ctx, m, stream)
	case *pb.CommandStatementQuery:
		return s.putUpdate(ctx, &pb.CommandStatementUpdate{Query: m.Query, TransactionId: m.TransactionId}, stream)
	case *pb.CommandPreparedStatementQuery:
		return s.putParameters(ctx, m.PreparedStatementHandle, newInput(first, stream), stream)
	case *pb.CommandPreparedStatementUpdate:
		return s.putPrepared(ctx, m.PreparedStatementHandle, newInput(first, stream), stream)
	case *pb.CommandStatementIngest:
		return s.putIngest(ctx, m, newInput(first, stream), stream)
	}
	return unsupported(m)
}
