package flightsrv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
)

// TestTextsAsClientsSendThem: tools leave semicolons, comments and byte order marks in statements (FS-35).
func TestTextsAsClientsSendThem(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	for _, sql := range []string{"SELECT 42", "\ufeffSELECT 42", "SELECT 42;", " ;; SELECT 42 ;;; ", "SELECT 42 -- Metabase:: userID: 1", "/* head */ SELECT 42 /* tail */;\n-- end",
		"\r\n\tselect 42\r\n"} {
		if got := r.run(c, sql); got != "42" {
			t.Errorf("%q: %s", sql, got)
		}
	}
	_, err := query(r.ctx(), c, "SELECT 1; SELECT 2")
	wantCode(t, err, codes.Unimplemented, "send one statement at a time")
	_, err = query(r.ctx(), c, " -- nothing")
	wantCode(t, err, codes.InvalidArgument, "there is no statement")
}

// TestPrepareTellsTheKind: drivers prepare everything, and tell queries from updates by the answer (FS-40, FS-42).
func TestPrepareTellsTheKind(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT NOT NULL)")
	f := func(sql string, isUpdate bool) {
		t.Helper()
		res, err := prepare(r, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			return
		}
		if res.GetIsUpdate() != isUpdate || (len(res.DatasetSchema) == 0) != isUpdate || len(res.PreparedStatementHandle) < 16 {
			t.Errorf("%s: is_update %v, a schema of %d bytes, a handle of %d", sql, res.GetIsUpdate(), len(res.DatasetSchema), len(res.PreparedStatementHandle))
		}
	}
	for _, sql := range []string{"SELECT * FROM t", "WITH a AS (SELECT 1 AS x) SELECT * FROM a", "VALUES (1, 'a')", "SHOW TABLES", "SHOW CREATE TABLE t", "DESC t", "DESCRIBE t",
		"EXPLAIN SELECT * FROM t", "EXPLAIN INSERT INTO t VALUES (1)", "(SELECT 1) UNION ALL (SELECT 2)", "SHOW VARIABLES", "COPY INTO t FROM '/nowhere/' FILE_FORMAT = (TYPE = NDJSON)"} {
		f(sql, false)
	}
	for _, sql := range []string{"BEGIN", "COMMIT", "ROLLBACK", "SET time_zone = 'UTC'", "USE default", "CREATE TABLE u (x INT)", "DROP TABLE t", "INSERT INTO t VALUES (1)",
		"DELETE FROM t", "UPDATE t SET id = 1", "TRUNCATE TABLE t", "CREATE DATABASE d"} {
		f(sql, true)
	}
	if got := r.run(c, "SELECT count(*) FROM t"); got != "0" {
		t.Errorf("preparing has executed: %s rows", got)
	}
	_, err := prepare(r, "SELECT :x AS a")
	wantCode(t, err, codes.InvalidArgument, "named parameter :x is not supported")
	_, err = prepare(r, "INSERT INTO nowhere VALUES (1)")
	wantCode(t, err, codes.NotFound, "nowhere")
}

// TestTablesChangeBehindPrepared: a prepared statement has the columns that its tables have when it is executed (FS-55).
func TestTablesChangeBehindPrepared(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT)")
	p, err := c.Prepare(r.ctx(), "SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(r.ctx())
	r.run(c, "ALTER TABLE t ADD COLUMN name STRING")
	r.run(c, "INSERT INTO t VALUES (1, 'a')")
	told, err := p.GetSchema(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	i, err := p.Execute(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	want := decodeSchema(t, i.Schema)
	if got := decodeSchema(t, told.Schema); want.NumFields() != 2 || !got.Equal(want) {
		t.Errorf("GetSchema says %s, FlightInfo %s", got, want)
	}
	if got, err := fetch(r.ctx(), c, i); err != nil || got != "1,a" {
		t.Errorf("got %s, %v", got, err)
	}
	r.run(c, "DROP TABLE t")
	_, err = p.Execute(r.ctx())
	wantCode(t, err, codes.NotFound, "t")
}

// TestEmptyBatchExecutesOnce: JDBC sends a batch without rows and columns where there are no parameters (FS-43, FS-45).
func TestEmptyBatchExecutesOnce(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT)")
	p, err := c.Prepare(r.ctx(), "INSERT INTO t VALUES (1)")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(r.ctx())
	p.SetParameters(array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 0))
	if n, err := p.ExecuteUpdate(r.ctx()); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	q, err := c.Prepare(r.ctx(), "SELECT id FROM t WHERE id = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close(r.ctx())
	q.SetParameters(record([]string{"0"}, ints(1, 5)))
	before := string(q.Handle())
	i, err := q.Execute(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fetch(r.ctx(), c, i); err != nil || got != "1" || string(q.Handle()) != before || i.TotalRecords != -1 {
		t.Errorf("got %s %v, %d records, the handle became %q", got, err, i.TotalRecords, q.Handle())
	}
}

// TestColumnNames: names are the aliases as written, expressions have their text, and duplicates stay (FS-28, FS-24).
func TestColumnNames(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (Id BIGINT NOT NULL, v VARIANT)")
	f := func(sql, want string) {
		t.Helper()
		i, err := c.Execute(r.ctx(), sql)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range decodeSchema(t, i.Schema).Fields() {
			name := f.Name
			if !f.Nullable {
				name += "!"
			}
			got = append(got, name)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %s, want %s", sql, strings.Join(got, "|"), want)
		}
	}
	f("SELECT id AS MyName, ID, t.id FROM t", "MyName!|Id!|Id!")
	f(`SELECT v AS "Mixed Case", v FROM t`, "Mixed Case|v")
	f("SELECT a.id, b.id FROM t a LEFT JOIN t b ON a.id = b.id", "Id!|Id")
	f("SELECT a.id FROM t a FULL JOIN t b ON a.id = b.id", "Id")
	f("SELECT id FROM t UNION ALL SELECT NULL", "Id")
}

// TestIngestWithoutRows: a table is made also if no row comes (FS-102), and an upload without any message is refused (FS-14).
func TestIngestWithoutRows(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	null := arrow.Field{Name: "n", Type: arrow.Null, Nullable: true}
	ree := arrow.Field{Name: "r", Type: arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), Nullable: true}
	b := array.NewRunEndEncodedBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)
	b.Append(2)
	b.ValueBuilder().(*array.StringBuilder).Append("x")
	b.Append(1)
	b.ValueBuilder().(*array.StringBuilder).AppendNull()
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{null, ree}, nil), []arrow.Array{array.NewNull(3), b.NewArray()}, 3)
	ingest := func(table string, recs ...arrow.RecordBatch) (int64, error) {
		rd, err := array.NewRecordReader(rec.Schema(), recs)
		if err != nil {
			t.Fatal(err)
		}
		return c.ExecuteIngest(r.ctx(), rd, &flightsql.ExecuteIngestOpts{Table: table, TableDefinitionOptions: &flightsql.TableDefinitionOptions{
			IfNotExist: flightsql.TableDefinitionOptionsTableNotExistOptionCreate, IfExists: flightsql.TableDefinitionOptionsTableExistsOptionAppend}})
	}
	if n, err := ingest("some", rec.NewSlice(0, 0)); err != nil || n != 0 {
		t.Errorf("no rows: %d, %v", n, err)
	}
	if got := r.run(c, "DESC some"); got != "n,VARCHAR,YES,NULL,;r,VARCHAR,YES,NULL," {
		t.Errorf("the table made: %s", got)
	}
	if n, err := ingest("some", rec); err != nil || n != 3 {
		t.Errorf("%d, %v", n, err)
	}
	if got := r.run(c, "SELECT n, r FROM some"); got != "(null),x;(null),x;(null),(null)" {
		t.Errorf("rows: %s", got)
	}
	stream, err := r.raw().DoPut(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	_, err = stream.Recv()
	wantCode(t, err, codes.InvalidArgument, "the upload has no message")
}

// TestLateErrorsEndTheStream: an error behind the first part of a result must not look like its end (FS-30).
func TestLateErrorsEndTheStream(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	i, err := c.Execute(r.ctx(), "SELECT repeat('x', 1000) AS s, CAST(CASE WHEN r.range = 99999 THEN 'bad' ELSE '1' END AS INT) AS n FROM range(100000) r")
	if err == nil {
		_, err = fetch(r.ctx(), c, i)
	}
	wantCode(t, err, codes.InvalidArgument, "bad")
	// A small result fails before it is announced (FS-98).
	_, err = c.Execute(r.ctx(), "SELECT CAST(CASE WHEN r.range = 999 THEN 'bad' ELSE '1' END AS INT) AS n FROM range(1000) r")
	wantCode(t, err, codes.InvalidArgument, "bad")
}

// TestManyTables: drivers list all tables with their schemas in one call (FS-66), and the messages stay small.
func TestManyTables(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	const n = 600
	for k := range n {
		r.run(c, fmt.Sprintf("CREATE TABLE t%04d (id BIGINT, a STRING, b DECIMAL(10,2), v VARIANT, at DATETIME)", k))
	}
	i, err := c.GetTables(r.ctx(), &flightsql.GetTablesOpts{DbSchemaFilterPattern: ptr("default"), IncludeSchema: true})
	recs := r.announced(c, i, err, schema_ref.TablesWithIncludedSchema)
	rows := int64(0)
	for _, rec := range recs {
		rows += rec.NumRows()
	}
	if rows != n {
		t.Errorf("%d tables", rows)
	}
	stream, err := r.raw().DoGet(r.ctx(), i.Endpoint[0].Ticket)
	if err != nil {
		t.Fatal(err)
	}
	for {
		d, err := stream.Recv()
		if err != nil {
			break
		}
		if size := len(d.DataHeader) + len(d.DataBody); size > maxMessage {
			t.Errorf("a message of %d bytes", size)
		}
	}
}

// TestHandlesOfOthers: handles and tickets that are unknown are NotFound, whatever asks for them (FS-33, FS-54).
func TestHandlesOfOthers(t *testing.T) {
	r := newRig(t, Options{})
	raw := r.raw()
	descriptor := func(b []byte) *pb.FlightDescriptor {
		return &pb.FlightDescriptor{Type: pb.FlightDescriptor_CMD, Cmd: b}
	}
	unknown := pack(&pb.CommandPreparedStatementQuery{PreparedStatementHandle: []byte("nope")})
	_, err := raw.GetFlightInfo(r.ctx(), descriptor(unknown))
	wantCode(t, err, codes.NotFound, "the prepared statement does not exist")
	_, err = raw.GetSchema(r.ctx(), descriptor(unknown))
	wantCode(t, err, codes.NotFound, "the prepared statement does not exist")
	for _, ticket := range [][]byte{unknown, pack(&pb.TicketStatementQuery{StatementHandle: []byte("nope")})} {
		stream, err := raw.DoGet(r.ctx(), &pb.Ticket{Ticket: ticket})
		if err == nil {
			_, err = stream.Recv()
		}
		wantCode(t, err, codes.NotFound, "does not exist")
	}
	act := func(kind string, body []byte) error {
		stream, err := raw.DoAction(r.ctx(), &pb.Action{Type: kind, Body: body})
		if err == nil {
			_, err = stream.Recv()
		}
		return err
	}
	if err := act("ClosePreparedStatement", pack(&pb.ActionClosePreparedStatementRequest{PreparedStatementHandle: []byte("nope")})); err.Error() != "EOF" {
		t.Errorf("closing an unknown statement: %v", err)
	}
	wantCode(t, act("EndTransaction", pack(&pb.ActionEndTransactionRequest{TransactionId: []byte("x")})), codes.NotFound, "the transaction does not exist")
	wantCode(t, act("NoSuchAction", nil), codes.Unimplemented, "NoSuchAction")
}
