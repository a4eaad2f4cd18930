package arrowvec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func column(t types.Type, add ...func(*vec.Builder)) *vec.Vector {
	b := vec.NewBuilder(t, len(add))
	for _, f := range add {
		f(b)
	}
	return b.Finish()
}

func value[T any](x T) func(*vec.Builder) { return func(b *vec.Builder) { vec.Append(b, x) } }
func str(s string) func(*vec.Builder)     { return func(b *vec.Builder) { b.AppendString(s) } }
func null(b *vec.Builder)                 { b.AppendNull() }
func list(xs ...int64) func(*vec.Builder) {
	return func(b *vec.Builder) {
		for _, x := range xs {
			vec.Append(b.Child(0), x)
		}
		b.CloseList()
	}
}

func TestOut(t *testing.T) {
	f := func(v *vec.Vector, wantType, want string) {
		t.Helper()
		s := new(Options).Schema(types.Schema{{Name: "c", Type: v.Type}})
		rec, err := Record(s, vec.NewBatch(v.Len, v))
		if err != nil {
			t.Fatal(err)
		}
		var vals []string
		for i := range v.Len {
			vals = append(vals, rec.Column(0).ValueStr(i))
		}
		if got := strings.Join(vals, " "); got != want || s.Field(0).Type.String() != wantType {
			t.Errorf("%s: got %s %s, want %s %s", v.Type, s.Field(0).Type, got, wantType, want)
		}
		rec.Release()
	}
	f(column(types.Of(types.Boolean), value(true), null, value(false)), "bool", "true (null) false")
	f(column(types.Of(types.Int), value(int32(7)), null), "int32", "7 (null)")
	f(column(types.DecimalOf(10, 2), value(int64(-1250)), null), "decimal(10, 2)", "-12.5 (null)")
	f(column(types.DecimalOf(30, 0), value(types.Int128From(5))), "decimal(30, 0)", "5")
	f(column(types.Of(types.LargeInt), value(types.MinInt128)), "utf8", "-170141183460469231731687303715884105728")
	f(column(types.Of(types.Varchar), str("a"), null, str("a text beyond twelve bytes")), "utf8", "a (null) a text beyond twelve bytes")
	f(column(types.Of(types.IPv4), value(uint32(0x7f000001))), "utf8", "127.0.0.1")
	f(column(types.Of(types.Date), value(int32(19000))), "date32", "2022-01-08")
	f(column(types.ArrayOf(types.Of(types.BigInt)), list(1, 2), null, list()), "list<item: int64, nullable>", "[1,2] (null) []")
	f(column(types.ArrayOf(types.Of(types.BigInt)), list(1, 2), list(3)).Slice(1, 2), "list<item: int64, nullable>", "[3]")
	f(vec.NewNull(types.Of(types.Null), 2), "utf8", "(null) (null)")
	f(vec.NewConstant(column(types.Of(types.Varchar), str("k")), 2), "utf8", "k k")
}

func TestIn(t *testing.T) {
	f := func(build func(memory.Allocator) arrow.Array, wantType string, want ...any) {
		t.Helper()
		a := build(memory.DefaultAllocator)
		v, err := Vector(arrow.Field{Type: a.DataType()}, a)
		if err != nil {
			t.Fatal(err)
		}
		if v.Type.String() != wantType {
			t.Errorf("%s became %s, want %s", a.DataType(), v.Type, wantType)
		}
		for i, w := range want {
			got := "NULL"
			if !v.IsNull(i) {
				switch d := v.Data.(type) {
				case []vec.View:
					got = string(v.Bytes(i))
				case []int64:
					got = fmt.Sprint(d[i])
				case []types.Int128:
					got = d[i].String()
				case []int32:
					got = fmt.Sprint(d[i])
				}
			}
			if got != fmt.Sprint(w) {
				t.Errorf("%s value %d: got %s, want %v", a.DataType(), i, got, w)
			}
		}
	}
	f(func(m memory.Allocator) arrow.Array {
		b := array.NewUint64Builder(m)
		b.AppendValues([]uint64{1<<64 - 1}, nil)
		b.AppendNull()
		return b.NewArray()
	}, "LARGEINT", "18446744073709551615", "NULL")
	f(func(m memory.Allocator) arrow.Array {
		b := array.NewDictionaryBuilder(m, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
		b.AppendString("x")
		b.AppendNull()
		b.AppendString("x")
		return b.NewArray()
	}, "VARCHAR", "x", "NULL", "x")
	f(func(m memory.Allocator) arrow.Array {
		b := array.NewTimestampBuilder(m, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Z"})
		b.Append(5000)
		return b.NewArray()
	}, "TIMESTAMPTZ", 5)
	f(func(m memory.Allocator) arrow.Array {
		b := array.NewDecimal128Builder(m, &arrow.Decimal128Type{Precision: 5, Scale: -2})
		b.Append(decimal128.FromI64(123))
		return b.NewArray()
	}, "DECIMAL(7, 0)", 12300)
	f(func(m memory.Allocator) arrow.Array {
		b := array.NewStringViewBuilder(m)
		b.AppendString("a text beyond twelve bytes")
		return b.NewArray()
	}, "VARCHAR", "a text beyond twelve bytes")
	b := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Nanosecond})
	b.Append(5001)
	if _, err := Vector(arrow.Field{Type: b.Type()}, b.NewArray()); err == nil {
		t.Error("nanoseconds were cut without an error")
	}
}
