package flightsrv

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// messages encodes a batch with columns of many types, dictionary and metadata included.
func messages(t testing.TB) messageSink {
	t.Helper()
	dict := array.NewDictionaryBuilder(memory.DefaultAllocator, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	if err := dict.AppendString("x"); err != nil {
		t.Fatal(err)
	}
	nested := array.NewListBuilder(memory.DefaultAllocator, arrow.StructOf(arrow.Field{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}}))
	nested.AppendNull()
	view := array.NewStringViewBuilder(memory.DefaultAllocator)
	view.AppendString("a text beyond twelve bytes")
	meta := arrow.NewMetadata([]string{"k"}, []string{"v"})
	fields := []arrow.Field{{Name: "d", Type: dict.Type(), Metadata: meta}, {Name: "l", Type: nested.Type(), Nullable: true}, {Name: "v", Type: view.Type()}, {Name: "i", Type: arrow.PrimitiveTypes.Int64}}
	schema := arrow.NewSchema(fields, &meta)
	rec := array.NewRecordBatch(schema, []arrow.Array{dict.NewArray(), nested.NewArray(), view.NewArray(), ints(1)}, 1)
	var sink messageSink
	w := flight.NewRecordWriter(&sink, ipc.WithSchema(schema))
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	return sink
}

func TestCheckHeader(t *testing.T) {
	all := messages(t)
	if len(all) != 3 {
		t.Fatalf("%d messages", len(all))
	}
	var guard headerGuard
	for i, m := range all {
		h := m.DataHeader
		if err := guard.check(h); err != nil {
			t.Errorf("message %d: %v", i, err)
		}
		for cut := range h {
			readAll(h[:cut], m.DataBody, all)
		}
		// A wrong number anywhere must never be believed: it may be padding or a scalar, but no length that is then allocated, and no list
		// that is then read behind its end.
		for _, wrong := range []uint32{0, math.MaxInt32} {
			for at := 0; at+4 <= len(h); at += 4 {
				bad := append([]byte(nil), h...)
				binary.LittleEndian.PutUint32(bad[at:], wrong)
				readAll(bad, m.DataBody, all)
			}
		}
	}
	if guard.check(nil) == nil || guard.check(make([]byte, 64)) == nil {
		t.Error("nothing passes as a header")
	}
}

// TestShortLists calls for more arrays and counts than a batch lists.
func TestShortLists(t *testing.T) {
	all := messages(t)
	f := func(more demand, want error) {
		t.Helper()
		var guard headerGuard
		if err := guard.check(all[0].DataHeader); err != nil {
			t.Fatal(err)
		}
		if guard.rows != (demand{nodes: 6, views: 1}) || len(guard.dictionaries) != 1 || guard.dictionaries[0] != (demand{nodes: 1}) {
			t.Fatalf("the schema needs %+v, its dictionaries %+v", guard.rows, guard.dictionaries)
		}
		guard.rows.add(more)
		guard.dictionaries[0] = more
		for _, m := range all[1:] {
			if err := guard.check(m.DataHeader); err != want {
				t.Errorf("%+v more: %v, want %v", more, err, want)
			}
		}
	}
	f(demand{}, nil)
	f(demand{nodes: 2}, errHeader)
	f(demand{views: 1}, errHeader)
}

// readAll reads a message behind the good schema, or as the schema; the process must survive it.
func readAll(header, body []byte, all messageSink) {
	bad := &flight.FlightData{DataHeader: header, DataBody: body}
	list := messageSink{all[0], all[1], bad}
	switch {
	case bytes.Equal(body, all[1].DataBody):
		list = messageSink{all[0], bad, all[2]}
	case len(body) == 0:
		list = messageSink{bad, all[1], all[2]}
	}
	in := newInput(list[0], &replay{list: list[1:]})
	defer in.close()
	if s, err := in.open(); err != nil || s == nil {
		return
	}
	for {
		if b, err := in.batch(); b == nil || err != nil {
			return
		}
	}
}

// replay is an upload that has been recorded.
type replay struct {
	pb.FlightService_DoPutServer
	list messageSink
}

func (r *replay) Recv() (*pb.FlightData, error) {
	if len(r.list) == 0 {
		return nil, io.EOF
	}
	d := r.list[0]
	r.list = r.list[1:]
	return d, nil
}

func TestCheckArray(t *testing.T) {
	f := func(want error, typ arrow.DataType, n int, buffers []*memory.Buffer, children ...arrow.ArrayData) {
		t.Helper()
		var a arrow.Array
		func() {
			defer func() { _ = recover() }()
			a = array.MakeFromData(array.NewData(typ, n, buffers, children, 0, 0))
		}()
		if a == nil {
			return
		}
		if err := checkArray(a); err != want {
			t.Errorf("%s of %d: %v, want %v", typ, n, err, want)
		}
	}
	buf := func(n int) *memory.Buffer { return memory.NewBufferBytes(make([]byte, n)) }
	f(nil, arrow.PrimitiveTypes.Int64, 2, []*memory.Buffer{nil, buf(16)})
	f(errShort, arrow.PrimitiveTypes.Int64, 1<<40, []*memory.Buffer{nil, buf(16)})
	f(nil, arrow.FixedWidthTypes.Boolean, 16, []*memory.Buffer{nil, buf(2)})
	f(errShort, arrow.FixedWidthTypes.Boolean, 1<<40, []*memory.Buffer{nil, buf(2)})
	f(errShort, arrow.FixedWidthTypes.Boolean, 16, []*memory.Buffer{buf(1), buf(2)})
	f(nil, arrow.Null, 1000, []*memory.Buffer{nil})
	f(errExpanded, arrow.Null, 1<<40, []*memory.Buffer{nil})
	f(errExpanded, arrow.StructOf(), 1<<40, []*memory.Buffer{nil})
	list := func(offsets ...int32) []*memory.Buffer {
		return []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}
	}
	f(nil, arrow.ListOf(arrow.PrimitiveTypes.Int64), 2, list(0, 1, 3), ints(1, 2, 3).Data())
	f(errShort, arrow.ListOf(arrow.PrimitiveTypes.Int64), 2, list(0, 1, 4), ints(1, 2, 3).Data())
	f(errShort, arrow.ListOf(arrow.PrimitiveTypes.Int64), 2, list(0, 3, 1), ints(1, 2, 3).Data())
	long := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 3, 0, 3, 0, 3}))
	f(errShort, arrow.ListOf(arrow.PrimitiveTypes.Int64), 5, []*memory.Buffer{nil, long}, ints(1, 2, 3).Data())
}

// FuzzUpload feeds a damaged message to the reader of uploads.
func FuzzUpload(f *testing.F) {
	all := messages(f)
	for _, m := range all {
		f.Add(m.DataHeader, m.DataBody)
	}
	f.Fuzz(func(_ *testing.T, header, body []byte) { readAll(header, body, all) })
}

// TestDictionaryBomb sends a large text once and means it a million times.
func TestDictionaryBomb(t *testing.T) {
	text := array.NewStringBuilder(memory.DefaultAllocator)
	text.Append(string(make([]byte, 1<<20)))
	idx := array.NewInt8Builder(memory.DefaultAllocator)
	idx.AppendValues(make([]int8, 1<<20), nil)
	a := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, idx.NewArray(), text.NewArray())
	if err := checkArray(a); err != errExpanded {
		t.Errorf("got %v", err)
	}
}
