package flightsrv

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec/arrowvec"
)

// putIngest is CommandStatementIngest: the batches go into the table while they arrive, and become visible together (FS-102, FS-107).
func (s *Server) putIngest(ctx context.Context, m *pb.CommandStatementIngest, in *input, stream pb.FlightService_DoPutServer) error {
	defer in.close()
	o, err := ingestOptions(m)
	if err != nil {
		return err
	}
	cl, err := s.client(ctx)
	if err != nil {
		return err
	}
	schema, err := in.open()
	if err != nil {
		return err
	}
	if schema == nil {
		return status.Error(codes.InvalidArgument, "the upload has no schema")
	}
	fields, err := ingestSchema(schema, &o)
	if err != nil {
		return err
	}
	sess, err := cl.forIngest(m.TransactionId)
	if err != nil {
		return err
	}
	n, err := sess.Ingest(ctx, o, fields, in.batch)
	if err != nil {
		return err
	}
	return putCount(stream, n)
}

// ingestOptions reads where and how to write.
func ingestOptions(m *pb.CommandStatementIngest) (session.IngestOptions, error) {
	o := session.IngestOptions{Database: m.GetSchema(), Table: m.Table}
	if err := checkCatalog(m.GetCatalog()); err != nil {
		return o, err
	}
	if m.Temporary {
		return o, status.Error(codes.Unimplemented, "temporary tables are not supported")
	}
	if m.Table == "" {
		return o, status.Error(codes.InvalidArgument, "the ingest names no table")
	}
	d := m.TableDefinitionOptions
	switch d.GetIfNotExist() {
	case pb.CommandStatementIngest_TableDefinitionOptions_TABLE_NOT_EXIST_OPTION_CREATE:
		o.Create = true
	case pb.CommandStatementIngest_TableDefinitionOptions_TABLE_NOT_EXIST_OPTION_FAIL:
	default:
		return o, status.Error(codes.InvalidArgument, "the ingest does not say what to do if the table does not exist")
	}
	switch d.GetIfExists() {
	case pb.CommandStatementIngest_TableDefinitionOptions_TABLE_EXISTS_OPTION_FAIL:
		o.IfExists = session.ExistsFail
	case pb.CommandStatementIngest_TableDefinitionOptions_TABLE_EXISTS_OPTION_APPEND:
		o.IfExists = session.ExistsAppend
	case pb.CommandStatementIngest_TableDefinitionOptions_TABLE_EXISTS_OPTION_REPLACE:
		o.IfExists = session.ExistsReplace
	default:
		return o, status.Error(codes.InvalidArgument, "the ingest does not say what to do if the table exists")
	}
	return o, nil
}

// ingestSchema gives the SQL types of the columns, and to o those of a table made for them; NOT NULL is kept (FS-103).
func ingestSchema(s *arrow.Schema, o *session.IngestOptions) (types.Schema, error) {
	out := make(types.Schema, s.NumFields())
	o.Declared = make([]types.Type, s.NumFields())
	for i, f := range s.Fields() {
		t, ok := arrowvec.SQLType(f)
		if !ok {
			return nil, status.Errorf(codes.Unimplemented, "column %s: Arrow type %s is not supported", clip(f.Name), f.Type)
		}
		out[i] = types.Field{Name: f.Name, Type: t, NotNull: !f.Nullable}
		o.Declared[i], _ = arrowvec.DeclaredType(f)
	}
	return out, nil
}
