package adbc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-adbc/go/adbc/driver/flightsql"
	"github.com/apache/arrow-adbc/go/adbc/validation"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	sqlmeta "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/suite"
)

// serverURI is where the server of this test run listens.
var serverURI string

func TestMain(m *testing.M) {
	os.Exit(withServer(m.Run))
}

// withServer runs f with the built binary serving a temporary directory.
func withServer(f func() int) int {
	dir, err := os.MkdirTemp("", "ebira-adbc")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary, err := filepath.Abs("../../bin/ebira")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server := exec.Command(binary, "serve", "--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0")
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the server first (make build):", err)
		return 1
	}
	ready, _ := bufio.NewReader(out).ReadString('\n')
	found := regexp.MustCompile(`connect\("([^"]+)"\)`).FindStringSubmatch(ready)
	if found == nil {
		fmt.Fprintf(os.Stderr, "no ready line: %q\n", ready)
		return 1
	}
	serverURI = found[1]
	code := f()
	server.Process.Signal(syscall.SIGTERM)
	if err := server.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, "the server ended with", err)
		return 1
	}
	return code
}

// quirks tells the suite what the server does. Memory is not checked for leaks: it is the driver's, which keeps what it has ingested.
type quirks struct{}

func (q *quirks) SetupDriver(*testing.T) adbc.Driver     { return flightsql.NewDriver(q.Alloc()) }
func (q *quirks) TearDownDriver(*testing.T, adbc.Driver) {}

func (q *quirks) DatabaseOptions() map[string]string {
	return map[string]string{adbc.OptionKeyURI: serverURI}
}

func (q *quirks) Alloc() memory.Allocator                     { return memory.DefaultAllocator }
func (q *quirks) BindParameter(int) string                    { return "?" }
func (q *quirks) Catalog() string                             { return "ebira" }
func (q *quirks) DBSchema() string                            { return "default" }
func (q *quirks) SupportsBulkIngest(string) bool              { return true }
func (q *quirks) SupportsConcurrentStatements() bool          { return true }
func (q *quirks) SupportsCurrentCatalogSchema() bool          { return true }
func (q *quirks) SupportsGetSetOptions() bool                 { return true }
func (q *quirks) SupportsExecuteSchema() bool                 { return true }
func (q *quirks) SupportsPartitionedData() bool               { return true }
func (q *quirks) SupportsGetParameterSchema() bool            { return true }
func (q *quirks) SupportsDynamicParameterBinding() bool       { return true }
func (q *quirks) SupportsErrorIngestIncompatibleSchema() bool { return true }

func (q *quirks) SupportsTransactions() bool { return true }

// SupportsStatistics: Flight SQL has no command for them.
func (q *quirks) SupportsStatistics() bool { return false }

func (q *quirks) GetMetadata(code adbc.InfoCode) any {
	switch code {
	case adbc.InfoDriverName:
		return "ADBC Flight SQL Driver - Go"
	case adbc.InfoDriverVersion, adbc.InfoDriverArrowVersion:
		return "(unknown or development build)"
	case adbc.InfoDriverADBCVersion:
		return adbc.AdbcVersion1_1_0
	case adbc.InfoVendorName:
		return "Ebira"
	case adbc.InfoVendorVersion:
		return serverVersion()
	case adbc.InfoVendorArrowVersion:
		return arrow.PkgVersion
	}
	return nil
}

// serverVersion asks the binary.
func serverVersion() string {
	out, err := exec.Command("../../bin/ebira", "--version").Output()
	if err != nil {
		return err.Error()
	}
	return strings.Fields(string(out))[1]
}

func (q *quirks) CreateSampleTable(name string, r arrow.RecordBatch) (err error) {
	ctx := context.Background()
	db, err := flightsql.NewDriver(memory.DefaultAllocator).NewDatabase(q.DatabaseOptions())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := q.DropTable(conn, name); err != nil {
		return err
	}
	st, err := conn.NewStatement()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.SetOption(adbc.OptionKeyIngestTargetTable, name); err != nil {
		return err
	}
	if err := st.Bind(ctx, r); err != nil {
		return err
	}
	n, err := st.ExecuteUpdate(ctx)
	if err == nil && n != r.NumRows() {
		err = fmt.Errorf("%d of %d rows ingested", n, r.NumRows())
	}
	return err
}

func (q *quirks) DropTable(conn adbc.Connection, name string) (err error) {
	st, err := conn.NewStatement()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.SetSqlQuery("DROP TABLE IF EXISTS " + name); err != nil {
		return err
	}
	_, err = st.ExecuteUpdate(context.Background())
	return err
}

func (q *quirks) SampleTableSchemaMetadata(table string, t arrow.DataType) arrow.Metadata {
	m := map[string]string{
		sqlmeta.CatalogNameKey: "ebira", sqlmeta.SchemaNameKey: "default", "ARROW:FLIGHT:SQL:DB_SCHEMA_NAME": "default", sqlmeta.TableNameKey: table,
		sqlmeta.IsAutoIncrementKey: "0", sqlmeta.IsReadOnlyKey: "0", sqlmeta.IsSearchableKey: "1",
	}
	switch t.ID() {
	case arrow.INT64:
		m[sqlmeta.TypeNameKey], m[sqlmeta.PrecisionKey], m[sqlmeta.ScaleKey], m[sqlmeta.IsCaseSensitiveKey] = "BIGINT", "19", "0", "0"
	case arrow.STRING:
		m[sqlmeta.TypeNameKey], m[sqlmeta.IsCaseSensitiveKey] = "VARCHAR", "1"
	}
	return arrow.MetadataFrom(m)
}

// statements are the tests of the suite about statements. TestSqlIngestErrors is our own: the suite's asks for SQLSTATE 42S02, which
// Flight does not carry, and for the status Internal where a table exists already, which is AlreadyExists here.
type statements struct{ validation.StatementTests }

func (s *statements) TestSqlIngestErrors() {
	ctx := context.Background()
	s.Require().NoError(s.Quirks.DropTable(s.Cnxn, "bulk_ingest"))
	st, err := s.Cnxn.NewStatement()
	s.Require().NoError(err)
	defer validation.CheckedClose(s.T(), st)
	s.Require().NoError(st.SetOption(adbc.OptionKeyIngestTargetTable, "bulk_ingest"))
	ingest := func(mode, columns string) adbc.Status {
		var fields []arrow.Field
		for name := range strings.FieldsSeq(columns) {
			fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64, Nullable: true})
		}
		b := array.NewRecordBuilder(s.Quirks.Alloc(), arrow.NewSchema(fields, nil))
		defer b.Release()
		for i := range fields {
			b.Field(i).(*array.Int64Builder).Append(42)
		}
		rec := b.NewRecordBatch()
		defer rec.Release()
		s.Require().NoError(st.SetOption(adbc.OptionKeyIngestMode, mode))
		s.Require().NoError(st.Bind(ctx, rec))
		_, err := st.ExecuteUpdate(ctx)
		var e adbc.Error
		if err != nil {
			s.Require().ErrorAs(err, &e)
		}
		return e.Code
	}
	_, _, err = st.ExecuteQuery(ctx)
	var e adbc.Error
	s.ErrorAs(err, &e)
	s.Equal(adbc.StatusInvalidState, e.Code, "ingest without data")
	s.Equal(adbc.StatusNotFound, ingest(adbc.OptionValueIngestModeAppend, "a"), "append to a missing table")
	s.Equal(adbc.StatusOK, ingest(adbc.OptionValueIngestModeCreate, "a"))
	s.Equal(adbc.StatusAlreadyExists, ingest(adbc.OptionValueIngestModeCreate, "a"), "create once more")
	s.Equal(adbc.StatusInvalidArgument, ingest(adbc.OptionValueIngestModeAppend, "a b"), "append a column that the table lacks")
	s.Equal(adbc.StatusOK, ingest(adbc.OptionValueIngestModeReplace, "a b"))
}

func TestValidation(t *testing.T) {
	q := &quirks{}
	suite.Run(t, &validation.DatabaseTests{Quirks: q})
	suite.Run(t, &validation.ConnectionTests{Quirks: q})
	suite.Run(t, &statements{validation.StatementTests{Quirks: q}})
}
