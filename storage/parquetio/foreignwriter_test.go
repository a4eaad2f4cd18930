package parquetio

import (
	"bytes"
	"testing"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// sampleForeign writes a file of n rows with columns of many types.
func sampleForeign(t testing.TB, n int) []byte {
	t.Helper()
	p := jsonparse.New(jsonparse.Options{})
	v := variant.NewBatchBuilder(n)
	list := vec.NewBuilder(types.ArrayOf(types.Of(types.Int)), n)
	ints := make([]int64, n)
	for i := range n {
		ints[i] = int64(i * i)
		v.BeginRow()
		if err := p.Parse([]byte(`{"a":[1,"x",null],"n":1e400,"b":{"c":99999999999999999999}}`), v); err != nil {
			t.Fatal(err)
		}
		v.EndRow()
		if i%3 == 0 {
			list.AppendNull()
			continue
		}
		for k := range i % 4 {
			vec.Append(list.Child(0), int32(k))
		}
		list.CloseList()
	}
	ip := vec.NewBuilder(types.Of(types.IPv4), n)
	for range n {
		vec.Append(ip, uint32(0x7F000001))
	}
	schema := types.Schema{{Name: "i", Type: types.Of(types.BigInt), NotNull: true}, {Name: "v", Type: types.Of(types.Variant)}, {Name: "l", Type: types.ArrayOf(types.Of(types.Int))},
		{Name: "ip", Type: types.Of(types.IPv4)}, {Name: "z", Type: types.Of(types.Null)}}
	var buf bytes.Buffer
	w, err := NewForeignWriter(&buf, schema, Zstd)
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(n, vec.NewFlat(types.Of(types.BigInt), ints, nil), v.Finish(), list.Finish(), ip.Finish(), vec.NewNull(types.Of(types.Null), n))
	for at := 0; at < n; at += 7000 {
		if err := w.Write(b.Slice(at, min(at+7000, n))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestForeignWriter(t *testing.T) {
	for _, n := range []int{0, 1, 5, 40_000, 150_000} {
		ff, batches, rows, err := scanAll(sampleForeign(t, n))
		if err != nil {
			t.Fatal(err)
		}
		if rows != n || n > foreignGroupRows && ff.RowGroups() != 2 {
			t.Fatalf("%d rows in %d groups, want %d", rows, ff.RowGroups(), n)
		}
		if n == 0 {
			continue
		}
		last := n - 1
		f := func(col int, typ string, want string) {
			t.Helper()
			if s := ff.Schema()[col].Type.String(); s != typ {
				t.Errorf("column %d has type %s, want %s", col, s, typ)
			}
			if got := jsonOf(batches, col); got[last] != want {
				t.Errorf("column %d of the last row: %s, want %s", col, got[last], want)
			}
		}
		f(0, "BIGINT", string(types.Int128From(int64(last)*int64(last)).Append(nil)))
		f(1, "VARIANT", `{"a":[1,"x",null],"b":{"c":99999999999999999999},"n":"1e400"}`)
		list := []string{"[]", "[0]", "[0,1]", "[0,1,2]"}[last%4]
		if last%3 == 0 {
			list = "NULL"
		}
		f(2, "ARRAY<INT>", list)
		f(3, "IPV4", `"127.0.0.1"`)
	}
}

func TestForeignWriterRefusesEqualNames(t *testing.T) {
	_, err := NewForeignWriter(&bytes.Buffer{}, types.Schema{{Name: "a", Type: types.Of(types.Int)}, {Name: "a", Type: types.Of(types.Int)}}, Zstd)
	if sqlerr.KindOf(err) != sqlerr.Bind {
		t.Errorf("got %v", err)
	}
}

func TestForeignWriterRefusesNumbersOf39Digits(t *testing.T) {
	large := types.Of(types.LargeInt)
	w, err := NewForeignWriter(&bytes.Buffer{}, types.Schema{{Name: "n", Type: large}}, Snappy)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(vec.NewBatch(1, vec.NewFlat(large, []types.Int128{types.Int128From(-7)}, nil))); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(vec.NewBatch(1, vec.NewFlat(large, []types.Int128{types.MinInt128}, nil))); sqlerr.KindOf(err) != sqlerr.OutOfRange {
		t.Errorf("got %v", err)
	}
}
