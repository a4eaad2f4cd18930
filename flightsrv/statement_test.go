package flightsrv

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func TestStatements(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	f := func(sql, want string) {
		t.Helper()
		if got := r.run(c, sql); got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
	f("SELECT 1 AS a, 'x' AS b, CAST(NULL AS INT) AS n", "1,x,(null)")
	f("CREATE TABLE t (id BIGINT NOT NULL, v VARIANT, d DECIMAL(10,2), at DATETIME)", "")
	f(`INSERT INTO t VALUES (1, '{"a":[1,2]}', 2.5, '2024-01-02 03:04:05'), (2, NULL, NULL, NULL)`, "")
	f("SELECT id, v, d FROM t ORDER BY id", `1,{"a":[1,2]},2.5;2,(null),(null)`)
	f("SELECT id FROM t WHERE id > 5", "")
	f("SELECT count(*) AS n FROM t;;", "2")
	f("EXPLAIN SELECT 1 WHERE false AND true", r.run(c, "EXPLAIN SELECT 1 WHERE false AND true"))
	f("SET time_zone = 'Asia/Tokyo'", "")
	f("SELECT @@time_zone AS z", "Asia/Tokyo")
}

func TestFlightInfo(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT NOT NULL, name STRING)")
	f := func(sql string, records int64, ordered bool, fields ...string) *flight.FlightInfo {
		t.Helper()
		i, err := c.Execute(r.ctx(), sql)
		if err != nil {
			t.Fatal(err)
		}
		if len(i.Endpoint) != 1 || len(i.Endpoint[0].Location) != 0 || i.Endpoint[0].ExpirationTime == nil {
			t.Errorf("%s: endpoints %v", sql, i.Endpoint)
		}
		if i.TotalRecords != records || i.Ordered != ordered {
			t.Errorf("%s: %d records, ordered %v", sql, i.TotalRecords, i.Ordered)
		}
		s, err := flight.DeserializeSchema(i.Schema, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range s.Fields() {
			null := ""
			if !f.Nullable {
				null = " not null"
			}
			got = append(got, f.Name+" "+f.Type.String()+null)
		}
		if strings.Join(got, ", ") != strings.Join(fields, ", ") {
			t.Errorf("%s: schema %v, want %v", sql, got, fields)
		}
		rd, err := c.DoGet(r.ctx(), i.Endpoint[0].Ticket)
		if err != nil {
			t.Fatal(err)
		}
		defer rd.Release()
		if !rd.Schema().Equal(s) {
			t.Errorf("%s: stream has %s, info %s", sql, rd.Schema(), s)
		}
		return i
	}
	f("INSERT INTO t VALUES (1, 'a'), (2, 'b')", 2, false)
	f("CREATE TABLE u (x INT)", 0, false)
	f("SELECT * FROM t", 2, false, "id int64 not null", "name utf8")
	f("SELECT * FROM t ORDER BY id DESC", 2, true, "id int64 not null", "name utf8")
	f("DELETE FROM t WHERE id = 1", 1, false)
	f("SELECT id AS x, id AS x FROM t WHERE id > 9", 0, false, "x int64 not null", "x int64 not null")
}

func TestTicketsRunOnce(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT)")
	i, err := c.Execute(r.ctx(), "INSERT INTO t VALUES (1)")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := fetch(r.ctx(), c, i); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.run(c, "SELECT count(*) FROM t"); got != "1" {
		t.Errorf("fetched three times, inserted %s times", got)
	}
	q, err := c.Execute(r.ctx(), "SELECT count(*) FROM t")
	if err != nil {
		t.Fatal(err)
	}
	// The result belongs to the moment of Execute, however often it is fetched and whatever happens to the rows meanwhile.
	r.run(c, "INSERT INTO t VALUES (2)")
	if err := r.engine.Compact(r.ctx()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got, err := fetch(r.ctx(), c, q); err != nil || got != "1" {
			t.Errorf("got %q, %v; want 1", got, err)
		}
	}
	other := r.client()
	if got, err := fetch(r.ctx(), other, q); err != nil || got != "1" {
		t.Errorf("another connection of the same user: %q, %v", got, err)
	}
	res, err := c.CancelFlightInfo(r.ctx(), &flight.CancelFlightInfoRequest{Info: q})
	if err != nil || res.Status != flight.CancelStatusCancelled {
		t.Errorf("cancel: %v, %v", res, err)
	}
	_, err = fetch(r.ctx(), c, q)
	wantCode(t, err, codes.NotFound, "does not exist any more")
	_, err = c.CancelFlightInfo(r.ctx(), &flight.CancelFlightInfoRequest{Info: q})
	wantCode(t, err, codes.NotFound, "")
}

func TestRenewAndExpire(t *testing.T) {
	r := newRig(t, Options{TicketTTL: time.Hour})
	c := r.client()
	i, err := c.Execute(r.ctx(), "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.RenewFlightEndpoint(r.ctx(), &flight.RenewFlightEndpointRequest{Endpoint: i.Endpoint[0]})
	if err != nil || e.ExpirationTime.AsTime().Before(i.Endpoint[0].ExpirationTime.AsTime()) {
		t.Errorf("renewed to %v: %v", e.GetExpirationTime(), err)
	}
	r.server.tickets.expire(time.Now().Add(30 * time.Minute))
	if got, err := fetch(r.ctx(), c, i); err != nil || got != "1" {
		t.Errorf("before the end: %q, %v", got, err)
	}
	r.server.tickets.expire(time.Now().Add(2 * time.Hour))
	_, err = fetch(r.ctx(), c, i)
	wantCode(t, err, codes.NotFound, "")
}

func TestErrors(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT NOT NULL)")
	f := func(sql string, code codes.Code, part string) {
		t.Helper()
		_, err := query(r.ctx(), c, sql)
		wantCode(t, err, code, part)
	}
	f("SELEC 1", codes.InvalidArgument, "^")
	f("SELECT *\n FROM nowhere", codes.NotFound, "(line 2, column 7)")
	f("CREATE TABLE t (x INT)", codes.AlreadyExists, "t")
	f("SELECT 1; SELECT 2", codes.Unimplemented, "one statement at a time")
	f("", codes.InvalidArgument, "")
	f("COMMIT", codes.Aborted, "there is no transaction to commit")
	f("SELECT CAST('x' AS INT)", codes.InvalidArgument, "x")
	f("SELECT ?", codes.InvalidArgument, "1 parameters")
	f("SELECT '"+strings.Repeat("\u00e9%", 50_000)+"' FROM", codes.InvalidArgument, "line 1")
	f(strings.Repeat("(", 100_000), codes.ResourceExhausted, "nested")
	r.alive()
}

func TestErrorTrailers(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT NOT NULL)")
	f := func(sql string, code codes.Code, state string) {
		t.Helper()
		var trailer metadata.MD
		_, err := c.Execute(r.ctx(), sql, grpc.Trailer(&trailer))
		if st := status.Code(err); st != code || strings.Join(trailer.Get("x-sqlstate"), " ") != state {
			t.Errorf("%s: %v with SQLSTATE %v, want %v with %s", sql, err, trailer.Get("x-sqlstate"), code, state)
		}
	}
	f("SELEC 1", codes.InvalidArgument, "42601")
	f("SELECT x FROM t", codes.NotFound, "42S02")
	f("CREATE TABLE t (x INT)", codes.AlreadyExists, "42S01")
	f("SELECT CAST('x' AS INT)", codes.InvalidArgument, "22018")
	f("SELECT CAST(300 AS TINYINT)", codes.InvalidArgument, "22003")
	f("INSERT INTO t VALUES (NULL)", codes.InvalidArgument, "23000")
	f("SAVEPOINT x", codes.Unimplemented, "0A000")
	f("COMMIT", codes.Aborted, "40001")
	f("SELECT 1", codes.OK, "")
	r.run(c, "INSERT INTO t VALUES "+numbers(2000))
	r.run(c, "SET query_timeout = 1")
	f("SELECT count(*) FROM t a CROSS JOIN t b CROSS JOIN t c CROSS JOIN t d", codes.DeadlineExceeded, "57014")
}

func TestClip(t *testing.T) {
	f := func(in string, want int) {
		t.Helper()
		if got := clip(in); len(got) != want {
			t.Errorf("%d bytes became %d, want %d", len(in), len(got), want)
		}
	}
	f("short", 5)
	f(strings.Repeat("x", 10_000), maxMessageBytes)
	f(strings.Repeat("%", 10_000), (maxMessageBytes-3)/3+3)
	f("a\xffb", 5)
}

func TestMessagesStaySmall(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (s STRING)")
	// Rows of 100 kB, and one that is larger than a message should be.
	r.run(c, "INSERT INTO t SELECT repeat('x', 100000) FROM (VALUES "+numbers(64)+") n")
	r.run(c, "INSERT INTO t VALUES (repeat('y', 3000000))")
	i, err := c.Execute(r.ctx(), "SELECT s FROM t")
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.Client.DoGet(r.ctx(), i.Endpoint[0].Ticket)
	if err != nil {
		t.Fatal(err)
	}
	var messages, large int
	for {
		d, err := stream.Recv()
		if err != nil {
			break
		}
		messages++
		if len(d.DataBody)+len(d.DataHeader) > maxMessage {
			large++
		}
	}
	if large != 1 || messages < 6 {
		t.Errorf("%d messages, %d large ones", messages, large)
	}
}

func TestCancelByDroppingTheCall(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT)")
	r.run(c, "INSERT INTO t VALUES "+numbers(2000))
	ctx, cancel := context.WithCancel(r.ctx())
	done := make(chan error, 1)
	go func() {
		_, err := query(ctx, c, "SELECT count(*) FROM t a CROSS JOIN t b CROSS JOIN t c CROSS JOIN t d")
		done <- err
	}()
	wait(t, "the query to start", func() bool { return len(r.engine.Running()) == 1 })
	cancel()
	wantCode(t, <-done, codes.Canceled, "")
	wait(t, "the query to stop", func() bool { return len(r.engine.Running()) == 0 })
}

// numbers is the list (0), (1), ... of n rows.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", (%d)", i)
	}
	return b.String()[2:]
}

// wait polls for a condition.
func wait(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for range 2000 {
		if cond() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

func TestUpdatesAndRawSQL(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	f := func(sql string, want int64) {
		t.Helper()
		n, err := c.ExecuteUpdate(r.ctx(), sql)
		if err != nil || n != want {
			t.Errorf("%s: %d, %v; want %d", sql, n, err, want)
		}
	}
	f("CREATE TABLE t (id BIGINT)", 0)
	f("INSERT INTO t VALUES (1), (2), (3)", 3)
	f("UPDATE t SET id = id + 1 WHERE id > 1", 2)
	f("DELETE FROM t", 3)
	f("SELECT * FROM t", -1)

	raw := r.raw()
	i, err := raw.GetFlightInfo(r.ctx(), &pb.FlightDescriptor{Type: pb.FlightDescriptor_CMD, Cmd: []byte("SELECT 40 + 2 AS n")})
	if err != nil || i.TotalRecords != 1 {
		t.Errorf("raw SQL: %v, %v", i, err)
	}
	s, err := raw.GetSchema(r.ctx(), &pb.FlightDescriptor{Type: pb.FlightDescriptor_CMD, Cmd: pack(&pb.CommandStatementQuery{Query: "SELECT 1 AS n"})})
	if err != nil {
		t.Fatal(err)
	}
	schema, err := flight.DeserializeSchema(s.Schema, memory.DefaultAllocator)
	if err != nil || schema.Field(0).Name != "n" {
		t.Errorf("GetSchema: %v, %v", schema, err)
	}
	p, err := raw.PollFlightInfo(r.ctx(), &pb.FlightDescriptor{Type: pb.FlightDescriptor_CMD, Cmd: pack(&pb.CommandStatementQuery{Query: "SELECT 1"})})
	if err != nil || p.Info == nil || p.FlightDescriptor != nil || p.GetProgress() != 1 {
		t.Errorf("poll: %v, %v", p, err)
	}
}

func TestFieldMetadata(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT COMMENT 'the key', v VARIANT, d DECIMAL(10,2), s VARCHAR(7), j JSON, big LARGEINT, l ARRAY<INT>)")
	i, err := c.Execute(r.ctx(), "SELECT *, id + 1 AS e FROM t")
	if err != nil {
		t.Fatal(err)
	}
	s, err := flight.DeserializeSchema(i.Schema, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	f := func(col string, wants ...string) {
		t.Helper()
		field, _ := s.FieldsByName(col)
		for _, w := range wants {
			k, v, _ := strings.Cut(w, "=")
			if got, _ := field[0].Metadata.GetValue("ARROW:FLIGHT:SQL:" + k); got != v {
				t.Errorf("%s: %s is %q, want %q", col, k, got, v)
			}
		}
	}
	f("id", "TYPE_NAME=BIGINT", "PRECISION=19", "TABLE_NAME=t", "SCHEMA_NAME=default", "DB_SCHEMA_NAME=default", "CATALOG_NAME=ebira", "REMARKS=the key", "IS_AUTO_INCREMENT=0", "IS_READ_ONLY=0")
	f("v", "TYPE_NAME=VARIANT", "PRECISION=")
	f("d", "TYPE_NAME=DECIMAL", "PRECISION=10", "SCALE=2")
	f("s", "TYPE_NAME=VARCHAR", "PRECISION=7", "IS_CASE_SENSITIVE=1")
	f("j", "TYPE_NAME=JSON")
	f("big", "TYPE_NAME=LARGEINT", "PRECISION=39")
	f("l", "TYPE_NAME=ARRAY")
	f("e", "TABLE_NAME=", "IS_READ_ONLY=1")
}

func TestPrepared(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT, s STRING, d DECIMAL(10,2), at DATETIME, day DATE, v VARIANT)")
	f := func(sql, dataset, params string, isUpdate bool) {
		t.Helper()
		res, err := prepare(r, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if got := strings.Replace(describe(t, res.DatasetSchema), "(hidden)", "", 1); got != dataset {
			t.Errorf("%s: dataset %s, want %s", sql, got, dataset)
		}
		if got := describe(t, res.ParameterSchema); got != params {
			t.Errorf("%s: parameters %s, want %s", sql, got, params)
		}
		if res.IsUpdate == nil || *res.IsUpdate != isUpdate {
			t.Errorf("%s: is_update %v", sql, res.IsUpdate)
		}
	}
	f("SELECT id FROM t WHERE id = ?", "id int64", "$1 int64", false)
	f("SELECT ? AS x", "x utf8", "$1 utf8", false)
	f("INSERT INTO t (id, s, v) VALUES ($1, $2, $3)", "", "$1 int64, $2 utf8, $3 utf8", true)
	f("SELECT id FROM t WHERE d = ? AND at < ? AND day = ?", "id int64", "(hidden)", false)
	f("CREATE TABLE u (x INT)", "", "", true)
	f("SET time_zone = 'UTC'", "", "", true)
	f("SHOW TABLES", "Tables utf8", "", false)
	_, err := prepare(r, "SELECT * FROM nowhere")
	wantCode(t, err, codes.NotFound, "nowhere")
	// A user of ADBC sees the types that others cannot take.
	r.server.opts.NoQuirks = true
	f("SELECT id FROM t WHERE d = ? AND at < ? AND day = ?", "id int64", "$1 decimal(10, 2), $2 timestamp[ms], $3 date32", false)
}

// prepare prepares on a connection of its own.
func prepare(r *rig, sql string) (*pb.ActionCreatePreparedStatementResult, error) {
	stream, err := r.raw().DoAction(r.ctx(), &pb.Action{Type: flightsql.CreatePreparedStatementActionType, Body: pack(&pb.ActionCreatePreparedStatementRequest{Query: sql})})
	if err != nil {
		return nil, err
	}
	res, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	m, _, err := unpack(res.Body)
	if err != nil {
		return nil, err
	}
	return proto.Clone(m).(*pb.ActionCreatePreparedStatementResult), nil
}

func describe(t *testing.T, schema []byte) string {
	t.Helper()
	if len(schema) == 0 {
		return "(hidden)"
	}
	s, err := flight.DeserializeSchema(schema, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, f := range s.Fields() {
		parts = append(parts, f.Name+" "+f.Type.String())
	}
	return strings.Join(parts, ", ")
}
