package adbc

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-adbc/go/adbc/driver/flightsql"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// connect opens a connection for one test.
func connect(t *testing.T) adbc.Connection {
	t.Helper()
	db, err := flightsql.NewDriver(memory.DefaultAllocator).NewDatabase(map[string]string{adbc.OptionKeyURI: serverURI})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// query executes a statement and hands its batches to f.
func query(t *testing.T, conn adbc.Connection, sql string, f func(arrow.RecordBatch)) {
	t.Helper()
	st, err := conn.NewStatement()
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.SetSqlQuery(sql); err != nil {
		t.Fatal(err)
	}
	rd, _, err := st.ExecuteQuery(context.Background())
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rd.Release()
	for rd.Next() {
		if f != nil {
			f(rd.RecordBatch())
		}
	}
	if rd.Err() != nil {
		t.Fatal(rd.Err())
	}
}

// documents are the values that go round, with what Arrow's own reader of Parquet Variants makes of them: it gives an empty
// array as a nil slice.
var documents = []struct{ json, read string }{
	{`{"b":[1,"x",{"c":null}],"a":true}`, `{"a":true,"b":[1,"x",{"c":null}]}`},
	{`{"a":{"a":{"a":[[],{}]}}}`, `{"a":{"a":{"a":[null,{}]}}}`},
	{`[127,128,32768,2147483648,-9223372036854775808,1.5,0.1]`, `[127,128,32768,2147483648,-9223372036854775808,1.5,0.1]`},
	{`12345678901234567890123456789012345678`, `12345678901234567890123456789012345678`},
	{`"a text longer than sixty-three bytes, so that it has no short form in the encoding"`, `"a text longer than sixty-three bytes, so that it has no short form in the encoding"`},
	{`null`, `null`},
	{`"größe"`, `"größe"`},
}

// TestParquetVariants: an independent implementation reads the variants that the server writes, and writes those that it reads.
func TestParquetVariants(t *testing.T) {
	conn := connect(t)
	query(t, conn, "CREATE TABLE docs (k INT, v VARIANT)", nil)
	for i, d := range documents {
		query(t, conn, fmt.Sprintf("INSERT INTO docs VALUES (%d, '%s')", i, d.json), nil)
	}
	query(t, conn, fmt.Sprintf("INSERT INTO docs VALUES (%d, NULL)", len(documents)), nil)
	query(t, conn, "SET variant_encoding = 'parquet_variant'", nil)
	check := func(table string) arrow.RecordBatch {
		var out arrow.RecordBatch
		query(t, conn, "SELECT k, v FROM "+table+" ORDER BY k", func(rec arrow.RecordBatch) {
			rec.Retain()
			out = rec
			got := rec.Column(1).(*extensions.VariantArray)
			for i, d := range documents {
				v, err := got.Value(i)
				if err != nil {
					t.Errorf("%s: %v", d.json, err)
					continue
				}
				b, err := json.Marshal(v.Value())
				if err != nil {
					t.Errorf("%s: %v", d.json, err)
				} else if text := string(b); text != d.read {
					t.Errorf("%s: read as %s, want %s", d.json, text, d.read)
				}
			}
			if !got.IsNull(len(documents)) {
				t.Error("the NULL is no NULL")
			}
		})
		return out
	}
	rec := check("docs")
	st, err := conn.NewStatement()
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.SetOption(adbc.OptionKeyIngestTargetTable, "docs_back"); err != nil {
		t.Fatal(err)
	}
	if err := st.Bind(context.Background(), rec); err != nil {
		t.Fatal(err)
	}
	if n, err := st.ExecuteUpdate(context.Background()); err != nil || n != int64(len(documents)+1) {
		t.Fatal(n, err)
	}
	check("docs_back")
	query(t, conn, "SELECT count(*) FROM docs a JOIN docs_back b ON a.k = b.k WHERE CAST(a.v AS STRING) = CAST(b.v AS STRING)", func(rec arrow.RecordBatch) {
		if got := rec.Column(0).(*array.Int64).Value(0); got != int64(len(documents)-1) {
			t.Errorf("%d documents came back as they were", got)
		}
	})
}

// TestCanonicalExtensions: the types of Arrow's own registry.
func TestCanonicalExtensions(t *testing.T) {
	conn := connect(t)
	query(t, conn, "SET variant_encoding = 'arrow_json'", nil)
	query(t, conn, "SET uuid_encoding = 'arrow_uuid'", nil)
	query(t, conn, `SELECT CAST('{"a":1}' AS VARIANT) AS v, CAST('123e4567-e89b-12d3-a456-426614174000' AS UUID) AS u`, func(rec arrow.RecordBatch) {
		if got := rec.Column(0).(*extensions.JSONArray).ValueStr(0); got != `{"a":1}` {
			t.Errorf("JSON %s", got)
		}
		if got := rec.Column(1).(*extensions.UUIDArray).Value(0).String(); got != "123e4567-e89b-12d3-a456-426614174000" {
			t.Errorf("UUID %s", got)
		}
	})
}
