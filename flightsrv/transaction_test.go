package flightsrv

import (
	"context"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
)

// txnRows executes a query in a transaction.
func (r *rig) txnRows(c *flightsql.Client, x *flightsql.Txn, sql string) string {
	r.t.Helper()
	i, err := x.Execute(r.ctx(), sql)
	if err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	out, err := fetch(r.ctx(), c, i)
	if err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func TestFlightTransactions(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id INT)")
	begin := func() *flightsql.Txn {
		t.Helper()
		x, err := c.BeginTransaction(r.ctx())
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	change := func(x *flightsql.Txn, sql string, want int64) {
		t.Helper()
		if n, err := x.ExecuteUpdate(r.ctx(), sql); err != nil || n != want {
			t.Errorf("%s: %d, %v", sql, n, err)
		}
	}
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	x, y := begin(), begin()
	change(x, "INSERT INTO t VALUES (1)", 1)
	change(y, "INSERT INTO t VALUES (2), (3)", 2)
	want(r.txnRows(c, x, "SELECT id FROM t ORDER BY id"), "1")
	want(r.txnRows(c, y, "SELECT id FROM t ORDER BY id"), "2;3")
	// Without a transaction id a query sees what is committed.
	want(r.run(c, "SELECT count(*) FROM t"), "0")
	if err := x.Commit(r.ctx()); err != nil {
		t.Error(err)
	}
	if err := y.Rollback(r.ctx()); err != nil {
		t.Error(err)
	}
	want(r.run(c, "SELECT id FROM t"), "1")

	// A prepared statement goes on in the transaction that follows its own.
	x = begin()
	p, err := x.Prepare(r.ctx(), "INSERT INTO t SELECT max(id) + 1 FROM t")
	if err != nil {
		t.Fatal(err)
	}
	run := func() {
		t.Helper()
		if n, err := p.ExecuteUpdate(r.ctx()); err != nil || n != 1 {
			t.Errorf("%d, %v", n, err)
		}
	}
	run()
	if err := x.Commit(r.ctx()); err != nil {
		t.Error(err)
	}
	x = begin()
	run()
	if err := x.Rollback(r.ctx()); err != nil {
		t.Error(err)
	}
	run()
	want(r.run(c, "SELECT id FROM t ORDER BY id"), "1;2;3")
	x, y = begin(), begin()
	_, err = p.ExecuteUpdate(r.ctx())
	wantCode(t, err, codes.NotFound, "2 others are open")
	if err := p.Close(r.ctx()); err != nil {
		t.Error(err)
	}

	// A conflict is Aborted.
	change(x, "DELETE FROM t WHERE id = 2", 1)
	change(y, "DELETE FROM t WHERE id >= 2", 2)
	if err := x.Commit(r.ctx()); err != nil {
		t.Error(err)
	}
	wantCode(t, y.Commit(r.ctx()), codes.Aborted, "run it again")
	want(r.run(c, "SELECT id FROM t ORDER BY id"), "1;3")

	// SQL and driver do not mix.
	x = begin()
	for _, sql := range []string{"BEGIN", "COMMIT", "ROLLBACK"} {
		_, err = x.ExecuteUpdate(r.ctx(), sql)
		wantCode(t, err, codes.Aborted, "driver")
	}
	r.run(c, "BEGIN")
	r.run(c, "INSERT INTO t VALUES (9)")
	want(r.run(c, "SELECT count(*) FROM t"), "3")
	want(r.run(r.client(), "SELECT count(*) FROM t"), "2")
	r.run(c, "COMMIT")
	want(r.run(r.client(), "SELECT count(*) FROM t"), "3")
}

func TestEndTransaction(t *testing.T) {
	r := newRig(t, Options{})
	c := r.raw()
	act := func(name string, body []byte) error {
		stream, err := c.DoAction(r.ctx(), &pb.Action{Type: name, Body: body})
		if err == nil {
			_, err = stream.Recv()
		}
		if err != nil && err.Error() == "EOF" {
			return nil
		}
		return err
	}
	stream, err := c.DoAction(r.ctx(), &pb.Action{Type: "BeginTransaction", Body: pack(&pb.ActionBeginTransactionRequest{})})
	if err != nil {
		t.Fatal(err)
	}
	res, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := unpack(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	id := m.(*pb.ActionBeginTransactionResult).TransactionId
	end := func(a pb.ActionEndTransactionRequest_EndTransaction) []byte {
		return pack(&pb.ActionEndTransactionRequest{TransactionId: id, Action: a})
	}
	wantCode(t, act("EndTransaction", end(pb.ActionEndTransactionRequest_END_TRANSACTION_UNSPECIFIED)), codes.InvalidArgument, "neither")
	if err := act("EndTransaction", end(pb.ActionEndTransactionRequest_END_TRANSACTION_COMMIT)); err != nil {
		t.Error(err)
	}
	wantCode(t, act("EndTransaction", end(pb.ActionEndTransactionRequest_END_TRANSACTION_COMMIT)), codes.NotFound, "the transaction does not exist")
	_, err = c.GetFlightInfo(r.ctx(), cmd(pack(&pb.CommandStatementQuery{Query: "SELECT 1", TransactionId: []byte("guess")})))
	wantCode(t, err, codes.NotFound, "the transaction does not exist")
}

// TestIngestInTransaction: a bulk ingest that names no transaction belongs to the only one of its session, as drivers mean it (FS-101).
func TestIngestInTransaction(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id INT)")
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int32}}, nil)
	ingest := func() {
		t.Helper()
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		b.Field(0).(*array.Int32Builder).AppendValues([]int32{1, 2, 3}, nil)
		rec := b.NewRecordBatch()
		rd, err := array.NewRecordReader(schema, []arrow.RecordBatch{rec})
		if err != nil {
			t.Fatal(err)
		}
		n, err := c.ExecuteIngest(r.ctx(), rd, &flightsql.ExecuteIngestOpts{Table: "t", TableDefinitionOptions: &flightsql.TableDefinitionOptions{
			IfNotExist: flightsql.TableDefinitionOptionsTableNotExistOptionFail, IfExists: flightsql.TableDefinitionOptionsTableExistsOptionAppend}})
		if err != nil || n != 3 {
			t.Fatalf("%d rows, %v", n, err)
		}
	}
	x, err := c.BeginTransaction(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	ingest()
	if got := r.txnRows(c, x, "SELECT count(*) FROM t"); got != "3" {
		t.Errorf("the transaction sees %s rows", got)
	}
	if got := r.run(c, "SELECT count(*) FROM t"); got != "0" {
		t.Errorf("others see %s rows", got)
	}
	if err := x.Rollback(r.ctx()); err != nil {
		t.Fatal(err)
	}
	ingest()
	if got := r.run(c, "SELECT count(*) FROM t"); got != "3" {
		t.Errorf("%s rows", got)
	}
}

// TestTransactionEndsWithConnection: a client that goes away leaves no transaction behind.
func TestTransactionEndsWithConnection(t *testing.T) {
	r := newRig(t, Options{})
	keep := r.client()
	r.run(keep, "CREATE TABLE t (id INT)")
	c := r.client()
	x, err := c.BeginTransaction(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.ExecuteUpdate(r.ctx(), "INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	metric := func() string {
		return r.run(keep, "SELECT value FROM system.metrics WHERE name = 'ebira_transactions'")
	}
	if got := metric(); got != "1" {
		t.Errorf("%s transactions", got)
	}
	c.Close()
	ctx, cancel := context.WithTimeout(r.ctx(), 10*time.Second)
	defer cancel()
	for metric() != "0" {
		if ctx.Err() != nil {
			t.Fatal("the transaction is still open")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if got := r.run(keep, "SELECT count(*) FROM t"); got != "0" {
		t.Errorf("%s rows", got)
	}
}
