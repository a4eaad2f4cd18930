package flightsrv

import (
	"context"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// prepared is a prepared statement of a client. The values bound to it stay until others are bound (FS-46).
type prepared struct {
	stmt *session.Prepared
	// txn is the id of the transaction in which it was prepared, "" outside of one.
	txn string

	mu    sync.Mutex
	bound bool
	rows  [][]*vec.Vector
}

func (p *prepared) bind(rows [][]*vec.Vector) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bound, p.rows = true, rows
}

// values returns the sets of values to execute with.
func (p *prepared) values() ([][]*vec.Vector, error) {
	if len(p.stmt.Params) == 0 {
		return [][]*vec.Vector{nil}, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.bound {
		return nil, status.Errorf(codes.InvalidArgument, "the statement has %d parameters and no values are bound", len(p.stmt.Params))
	}
	return p.rows, nil
}

// createPrepared is the action CreatePreparedStatement. It executes nothing (FS-41).
func (s *Server) createPrepared(ctx context.Context, m *pb.ActionCreatePreparedStatementRequest) (*pb.ActionCreatePreparedStatementResult, error) {
	cl, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	sess, err := cl.in(m.TransactionId)
	if err != nil {
		return nil, err
	}
	stmt, err := sess.Prepare(ctx, m.Query)
	if err != nil {
		err = located(err, m.Query)
		if !s.opts.NoQuirks {
			err = prepareError(err, m.Query)
		}
		return nil, err
	}
	wire, err := cl.wire(ctx)
	if err != nil {
		return nil, err
	}
	handle := newSecret()
	cl.mu.Lock()
	full := len(cl.prepared) >= maxPrepared
	if !full {
		cl.prepared[handle] = &prepared{stmt: stmt, txn: string(m.TransactionId)}
	}
	cl.mu.Unlock()
	if full {
		return nil, status.Errorf(codes.ResourceExhausted, "the session has %d prepared statements open: close some", maxPrepared)
	}
	// Old JDBC drivers tell updates by the empty dataset_schema, new ones by is_update (FS-42).
	isUpdate := stmt.Schema == nil
	out := &pb.ActionCreatePreparedStatementResult{PreparedStatementHandle: []byte(handle), IsUpdate: &isUpdate}
	if !isUpdate {
		out.DatasetSchema = serialize(wire.schema(stmt.Schema))
	}
	params := parameterSchema(stmt)
	if s.opts.NoQuirks || !hidesParameters(callerOf(ctx).agent(), params) {
		out.ParameterSchema = serialize(params)
	}
	return out, nil
}

// closePrepared is the action ClosePreparedStatement; closing twice is fine.
func (s *Server) closePrepared(ctx context.Context, handle []byte) error {
	cl, err := s.client(ctx)
	if err != nil {
		return err
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	delete(cl.prepared, string(handle))
	return nil
}

// statement finds a prepared statement of the caller's session.
func (s *Server) statement(ctx context.Context, handle []byte) (*client, *prepared, error) {
	cl, err := s.oldClient(ctx)
	if err != nil {
		return nil, nil, err
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	p := cl.prepared[string(handle)]
	if p == nil {
		return nil, nil, status.Error(codes.NotFound, "the prepared statement does not exist: it was closed, or its session has ended")
	}
	return cl, p, nil
}

// preparedInfo executes a prepared statement and parks its result.
func (s *Server) preparedInfo(ctx context.Context, d *pb.FlightDescriptor, handle []byte) (*pb.FlightInfo, error) {
	t, i, err := s.execute(ctx, d, handle)
	if err != nil {
		return nil, err
	}
	s.tickets.add(t)
	return finish(i, t), nil
}

// runPrepared executes a prepared statement for a client that fetches without asking for a FlightInfo.
func (s *Server) runPrepared(ctx context.Context, handle []byte) (*ticket, error) {
	t, _, err := s.execute(ctx, nil, handle)
	if err == nil {
		s.tickets.add(t)
	}
	return t, err
}

func (s *Server) execute(ctx context.Context, d *pb.FlightDescriptor, handle []byte) (*ticket, *pb.FlightInfo, error) {
	cl, p, err := s.statement(ctx, handle)
	if err != nil {
		return nil, nil, err
	}
	rows, err := p.values()
	if err != nil {
		return nil, nil, err
	}
	stmt, err := cl.statementNow(p)
	if err != nil {
		return nil, nil, err
	}
	t, i, err := s.park(ctx, cl, d, stmt, rows)
	return t, i, located(err, stmt.Text())
}

// putParameters binds values to a prepared query and returns its handle unchanged (FS-45).
func (s *Server) putParameters(ctx context.Context, handle []byte, in *input, stream pb.FlightService_DoPutServer) error {
	defer in.close()
	_, p, err := s.statement(ctx, handle)
	if err != nil {
		return err
	}
	rows, given, err := readParameters(p.stmt, in)
	if err != nil {
		return err
	}
	if given {
		p.bind(rows)
	}
	return putResult(stream, &pb.DoPutPreparedStatementResult{PreparedStatementHandle: handle})
}

// putPrepared executes a prepared statement once per row of values and answers with the sum of the rows changed.
func (s *Server) putPrepared(ctx context.Context, handle []byte, in *input, stream pb.FlightService_DoPutServer) error {
	defer in.close()
	cl, p, err := s.statement(ctx, handle)
	if err != nil {
		return err
	}
	rows, given, err := readParameters(p.stmt, in)
	if err != nil {
		return err
	}
	if !given {
		if rows, err = p.values(); err != nil {
			return err
		}
	}
	stmt, err := cl.statementNow(p)
	if err != nil {
		return err
	}
	n, err := updateAll(ctx, stmt, rows)
	if err != nil {
		return err
	}
	return putCount(stream, n)
}

// updateAll executes a statement once per set of values. The rows of an INSERT are committed together; other statements run one by one:
// if one fails, what those before it did stays, and the error says so.
func updateAll(ctx context.Context, p *session.Prepared, sets [][]*vec.Vector) (int64, error) {
	if len(sets) > 1 && p.Atomic() {
		r, err := p.ExecuteMany(ctx, sets)
		if err != nil {
			return 0, located(err, p.Text())
		}
		return r.Affected, nil
	}
	var total int64
	for i, values := range sets {
		n, err := update(ctx, p, values)
		if failed := err; err != nil {
			err = located(err, p.Text())
			if st, ok := status.FromError(err); ok && i > 0 {
				text := fmt.Sprintf("set %d of %d: %s\n(the sets before it have been executed)", i+1, len(sets), st.Message())
				err = &statusError{status.New(st.Code(), text), sqlerr.KindOf(failed)}
			}
			return 0, err
		}
		total += n
	}
	return total, nil
}

// parameterSchema declares the parameters: all nullable, named as the markers are (FS-47).
func parameterSchema(p *session.Prepared) *arrow.Schema {
	fields := make([]arrow.Field, len(p.Params))
	for i, t := range p.Params {
		fields[i] = arrow.Field{Name: "$" + p.ParamNames[i], Type: parameterType(t), Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}
