package flightsrv

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"
)

// metadataSchema returns the schema of the result of a metadata command; false if m is none. The schemas are those of the Flight SQL
// specification to the byte, because drivers compare them (FS-62).
func metadataSchema(m proto.Message) (*arrow.Schema, bool) {
	switch m := m.(type) {
	case *pb.CommandGetCatalogs:
		return schema_ref.Catalogs, true
	case *pb.CommandGetDbSchemas:
		return schema_ref.DBSchemas, true
	case *pb.CommandGetTables:
		if m.IncludeSchema {
			return schema_ref.TablesWithIncludedSchema, true
		}
		return schema_ref.Tables, true
	case *pb.CommandGetTableTypes:
		return schema_ref.TableTypes, true
	case *pb.CommandGetPrimaryKeys:
		return schema_ref.PrimaryKeys, true
	case *pb.CommandGetImportedKeys:
		return schema_ref.ImportedKeys, true
	case *pb.CommandGetExportedKeys:
		return schema_ref.ExportedKeys, true
	case *pb.CommandGetCrossReference:
		return schema_ref.CrossReference, true
	case *pb.CommandGetXdbcTypeInfo:
		return schema_ref.XdbcTypeInfo, true
	case *pb.CommandGetSqlInfo:
		return schema_ref.SqlInfo, true
	}
	return nil, false
}

// streamMetadata computes and sends the result of a metadata command.
func (s *Server) streamMetadata(ctx context.Context, m proto.Message, stream pb.FlightService_DoGetServer) error {
	schema, ok := metadataSchema(m)
	if !ok {
		return unsupported(m)
	}
	out := newOutput(stream, schema, plainWire)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	switch m := m.(type) {
	case *pb.CommandGetCatalogs:
		s.fillCatalogs(b)
	case *pb.CommandGetDbSchemas:
		s.fillSchemas(b, m)
	case *pb.CommandGetTables:
		if err := s.fillTables(ctx, b, m); err != nil {
			return err
		}
	case *pb.CommandGetTableTypes:
		for _, t := range tableTypes {
			appendText(b, 0, t)
		}
	case *pb.CommandGetXdbcTypeInfo:
		fillTypeInfo(b, m)
	case *pb.CommandGetSqlInfo:
		s.fillSQLInfo(b, m.Info)
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	if rec.NumRows() > 0 {
		if err := out.record(rec); err != nil {
			return err
		}
	}
	return out.close()
}

func appendText(b *array.RecordBuilder, col int, v string) {
	b.Field(col).(*array.StringBuilder).Append(v)
}
