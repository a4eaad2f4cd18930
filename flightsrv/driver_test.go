package flightsrv

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	_ "github.com/apache/arrow-go/v18/arrow/flight/flightsql/driver"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
)

// TestDatabaseSQL goes through Go's database/sql: Basic authentication on every call, and no login.
func TestDatabaseSQL(t *testing.T) {
	r := newRig(t, Options{})
	if err := r.engine.PutUser(r.ctx(), "ann", "secret:pass"); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("flightsql", "flightsql://ann:secret%3Apass@"+r.addr+"?timeout=20s")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	exec := func(want int64, query string, args ...any) {
		t.Helper()
		res, err := db.Exec(query, args...)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if n, _ := res.RowsAffected(); n != want {
			t.Errorf("%s: %d rows affected, want %d", query, n, want)
		}
	}
	rows := func(query string, args ...any) string {
		t.Helper()
		rs, err := db.Query(query, args...)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer rs.Close()
		var out []string
		cols, err := rs.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rs.Next() {
			cells := make([]any, len(cols))
			for i := range cells {
				cells[i] = new(any)
			}
			if err := rs.Scan(cells...); err != nil {
				t.Fatal(err)
			}
			var line []string
			for _, c := range cells {
				line = append(line, fmt.Sprint(*c.(*any)))
			}
			out = append(out, strings.Join(line, ","))
		}
		if rs.Err() != nil {
			t.Fatal(rs.Err())
		}
		return strings.Join(out, ";")
	}
	exec(0, "CREATE TABLE t (id BIGINT, name STRING, price DOUBLE, at DATETIME)")
	exec(2, "INSERT INTO t (id, name, price) VALUES (1, 'a', 1.5), (2, 'b', 2.5)")
	exec(1, "INSERT INTO t (id, name, price) VALUES (?, ?, ?)", int64(3), "c", 3.5)
	exec(1, "INSERT INTO t (id, at) VALUES (?, ?)", int64(4), time.Date(2024, 5, 6, 7, 8, 9, 123456789, time.UTC))
	exec(1, "UPDATE t SET name = ? WHERE id = ?", "z", int64(2))
	if got := rows("SELECT id, name, price FROM t WHERE id < ? ORDER BY id", int64(4)); got != "1,a,1.5;2,z,2.5;3,c,3.5" {
		t.Errorf("got %s", got)
	}
	if got := rows("SELECT id FROM t WHERE at = CAST('2024-05-06 07:08:09.123456' AS DATETIME)"); got != "4" {
		t.Errorf("time parameter: got %q", got)
	}
	if got := rows("SELECT current_user()"); got != "ann" {
		t.Errorf("user %s", got)
	}
	if _, err := db.Exec("INSERT INTO nowhere VALUES (1)"); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v", err)
	}
}

// record makes a batch of one column per array.
func record(names []string, cols ...arrow.Array) arrow.RecordBatch {
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: names[i], Type: c.DataType(), Nullable: true}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, int64(cols[0].Len()))
}

func ints(vals ...int64) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues(vals, nil)
	return b.NewArray()
}

func strs(vals ...string) arrow.Array {
	b := array.NewLargeStringBuilder(memory.DefaultAllocator)
	for _, v := range vals {
		if v == "NULL" {
			b.AppendNull()
		} else {
			b.Append(v)
		}
	}
	return b.NewArray()
}

func TestBinding(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	ctx := r.ctx()
	r.run(c, "CREATE TABLE t (id BIGINT, s STRING, d DECIMAL(10,2), at DATETIME, v VARIANT)")

	insert, err := c.Prepare(ctx, "INSERT INTO t (id, s) VALUES (?, ?)")
	if err != nil {
		t.Fatal(err)
	}
	update := func(p *flightsql.PreparedStatement, want int64, rec arrow.RecordBatch) {
		t.Helper()
		p.SetParameters(rec)
		if n, err := p.ExecuteUpdate(ctx); err != nil || n != want {
			t.Fatalf("%d rows, %v; want %d", n, err, want)
		}
	}
	update(insert, 3, record([]string{"0", "1"}, ints(1, 2, 3), strs("a", "NULL", "c")))
	// By name only if the names are exactly the markers'.
	update(insert, 1, record([]string{"$2", "$1"}, strs("swapped"), ints(4)))
	if got := r.run(c, "SELECT id, s FROM t ORDER BY id"); got != "1,a;2,(null);3,c;4,swapped" {
		t.Errorf("table: %s", got)
	}

	// All rows of an INSERT or none.
	insert.SetParameters(record([]string{"0", "1"}, strs("7", "seven"), strs("x", "y")))
	_, err = insert.ExecuteUpdate(ctx)
	wantCode(t, err, codes.InvalidArgument, "seven")
	if got := r.run(c, "SELECT count(*) FROM t"); got != "4" {
		t.Errorf("a failed batch left %s rows", got)
	}

	find, err := c.Prepare(ctx, "SELECT s FROM t WHERE id = ?")
	if err != nil {
		t.Fatal(err)
	}
	_, err = find.Execute(ctx)
	wantCode(t, err, codes.InvalidArgument, "no values are bound")
	ask := func(want string, records int64, rec arrow.RecordBatch) {
		t.Helper()
		if rec != nil {
			find.SetParameters(rec)
		}
		i, err := find.Execute(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fetch(ctx, c, i)
		if err != nil || got != want || i.TotalRecords != records {
			t.Errorf("got %q, %d records, %v; want %q, %d", got, i.TotalRecords, err, want, records)
		}
	}
	ask("a", 1, record([]string{"0"}, ints(1)))
	ask("swapped;c;a", -1, record([]string{"0"}, ints(4, 3, 99, 1)))
	small := array.NewInt8Builder(memory.DefaultAllocator)
	small.Append(3)
	ask("c", 1, record([]string{"0"}, small.NewArray()))

	find.SetParameters(record([]string{"0", "1"}, ints(1), ints(2)))
	_, err = find.Execute(ctx)
	wantCode(t, err, codes.InvalidArgument, "1 parameters, 2 values")

	if err := insert.Close(ctx); err != nil {
		t.Error(err)
	}
	_, err = c.ExecuteUpdate(ctx, "DROP TABLE t")
	if err != nil {
		t.Fatal(err)
	}
	find.SetParameters(record([]string{"0"}, ints(1)))
	_, err = find.Execute(ctx)
	wantCode(t, err, codes.NotFound, "t")
}

func TestBoundTypes(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	ctx := r.ctx()
	r.run(c, "CREATE TABLE t (id BIGINT, d DECIMAL(10,2), at DATETIME, day DATE, v VARIANT)")
	r.run(c, `INSERT INTO t VALUES (1, 2.50, '2024-01-02 03:04:05', '2024-01-02', '{"k":7}')`)
	f := func(sql string, v arrow.Array, want string) {
		t.Helper()
		p, err := c.Prepare(ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		p.SetParameters(record([]string{"0"}, v))
		i, err := p.Execute(ctx)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			return
		}
		if got, err := fetch(ctx, c, i); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", sql, got, err, want)
		}
	}
	dec := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 5, Scale: 2})
	dec.Append(decimal128.FromI64(250))
	f("SELECT id FROM t WHERE d = ?", dec.NewArray(), "1")
	dbl := array.NewFloat64Builder(memory.DefaultAllocator)
	dbl.Append(2.5)
	f("SELECT id FROM t WHERE d = ?", dbl.NewArray(), "1")
	ts := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Millisecond})
	ts.Append(1704164645000)
	f("SELECT id FROM t WHERE at = ?", ts.NewArray(), "1")
	d32 := array.NewDate32Builder(memory.DefaultAllocator)
	d32.Append(19724)
	f("SELECT id FROM t WHERE day = ?", d32.NewArray(), "1")
	f("SELECT id FROM t WHERE day = ?", strs("2024-01-02"), "1")
	f("SELECT id FROM t WHERE at = ?", strs("2024-01-02 03:04:05"), "1")
	f("SELECT id FROM t WHERE id = ?", strs("1"), "1")
	f("SELECT id FROM t WHERE v['k'] = ?", ints(7), "1")
	f("SELECT ? AS x", array.NewNull(1), "(null)")
	f("SELECT ? AS x", ints(5), "5")
}

func TestIngest(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	rec := record([]string{"id", "s"}, ints(1, 2), strs("a", "NULL"))
	ingest := func(table string, absent flightsql.TableDefinitionOptionsTableNotExistOption, exists flightsql.TableDefinitionOptionsTableExistsOption, recs ...arrow.RecordBatch) (int64, error) {
		rd, err := array.NewRecordReader(recs[0].Schema(), recs)
		if err != nil {
			t.Fatal(err)
		}
		return c.ExecuteIngest(r.ctx(), rd, &flightsql.ExecuteIngestOpts{Table: table,
			TableDefinitionOptions: &flightsql.TableDefinitionOptions{IfNotExist: absent, IfExists: exists}})
	}
	const create, fail = flightsql.TableDefinitionOptionsTableNotExistOptionCreate, flightsql.TableDefinitionOptionsTableNotExistOptionFail
	const refuse, add, replace = flightsql.TableDefinitionOptionsTableExistsOptionFail, flightsql.TableDefinitionOptionsTableExistsOptionAppend, flightsql.TableDefinitionOptionsTableExistsOptionReplace
	ok := func(want string, n int64, err error) {
		t.Helper()
		if got := r.run(c, "SELECT count(*), sum(id) FROM t"); err != nil || got != want {
			t.Errorf("%d rows, %v; table %s, want %s", n, err, got, want)
		}
	}
	_, err := ingest("t", fail, add, rec)
	wantCode(t, err, codes.NotFound, "t")
	n, err := ingest("t", create, refuse, rec, rec)
	ok("4,6", n, err)
	if n != 4 {
		t.Errorf("%d rows", n)
	}
	_, err = ingest("t", create, refuse, rec)
	wantCode(t, err, codes.AlreadyExists, "t")
	n, err = ingest("t", fail, add, record([]string{"s", "id"}, strs("x"), ints(10)))
	ok("5,16", n, err)
	n, err = ingest("t", create, add, record([]string{"id"}, ints(100)))
	ok("6,116", n, err)
	_, err = ingest("t", fail, add, record([]string{"nope"}, ints(1)))
	wantCode(t, err, codes.InvalidArgument, "nope")
	n, err = ingest("t", fail, replace, rec)
	ok("2,3", n, err)
	_, err = ingest("t", flightsql.TableDefinitionOptionsTableNotExistOptionUnspecified, add, rec)
	wantCode(t, err, codes.InvalidArgument, "does not exist")
	_, err = ingest("t", create, flightsql.TableDefinitionOptionsTableExistsOptionUnspecified, rec)
	wantCode(t, err, codes.InvalidArgument, "exists")
	_, err = ingest("t", fail, add, rec, record([]string{"id", "s"}, ints(1), strs("\xff")))
	wantCode(t, err, codes.InvalidArgument, "UTF-8")
	ok("2,3", 0, nil)
}

// TestCloseEndsStreams makes sure that a session's end does not leave its queries running.
func TestCloseEndsStreams(t *testing.T) {
	r := newRig(t, Options{})
	c := r.client()
	r.run(c, "CREATE TABLE t (id BIGINT)")
	r.run(c, "INSERT INTO t VALUES "+numbers(2000))
	i, err := c.Execute(r.ctx(), "SELECT a.id, b.id FROM t a CROSS JOIN t b CROSS JOIN t c")
	if err != nil {
		t.Fatal(err)
	}
	if i.TotalRecords != -1 {
		t.Errorf("%d records are announced for a query that runs", i.TotalRecords)
	}
	if len(r.engine.Running()) != 1 {
		t.Fatalf("%d statements run", len(r.engine.Running()))
	}
	if _, err := c.CloseSession(context.WithoutCancel(r.ctx()), &flight.CloseSessionRequest{}); err != nil {
		t.Fatal(err)
	}
	wait(t, "the query to stop", func() bool { return len(r.engine.Running()) == 0 })
	_, err = fetch(r.ctx(), c, i)
	wantCode(t, err, codes.NotFound, "")
}
