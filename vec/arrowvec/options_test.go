package arrowvec

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func TestOptionsInsideNestedTypes(t *testing.T) {
	o := &Options{Text: TextView, LargeIntDecimal: true, NativeIP: true, NativeUUID: true, Unit: arrow.Nanosecond, NativeInterval: true, Dictionary: true}
	st := types.Type{Kind: types.Struct, Fields: []types.Field{
		{Name: "s", Type: types.Of(types.Varchar)}, {Name: "h", Type: types.Of(types.LargeInt), NotNull: true}, {Name: "u", Type: types.Of(types.UUID)},
		{Name: "t", Type: types.Of(types.TimestampTZ)}, {Name: "i", Type: types.Of(types.Interval)},
		{Name: "m", Type: types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: types.Of(types.IPv4), NotNull: true}, {Name: "value", Type: types.Of(types.IPv6)}}}},
	}}
	want := "list<item: struct<s: string_view nullable, h: decimal256(39, 0), u: arrow.uuid<fixed_size_binary[16]> nullable, t: timestamp[ns, tz=UTC] nullable, " +
		"i: month_day_nano_interval nullable, m: map<uint32, fixed_size_binary[16], items_nullable> nullable>, nullable>"
	if got := o.Type(types.ArrayOf(st)).String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (&Options{NestedText: true}).Type(types.ArrayOf(st)).String(); got != "utf8" {
		t.Errorf("nested as text: %s", got)
	}
}

func TestDictionaryFromEveryForm(t *testing.T) {
	flat := column(types.Of(types.Varchar), str("b"), null, str("a"), str("b"))
	entries := column(types.Of(types.Varchar), str("unused"), str("a"), str("b"))
	dict := &vec.Vector{Type: flat.Type, Form: vec.Dictionary, Len: 4, Codes: []uint32{2, 0, 1, 2}, Dict: entries, Valid: flat.Valid}
	for name, v := range map[string]*vec.Vector{
		"flat": flat, "dictionary": dict, "constant": vec.NewConstant(column(types.Of(types.Varchar), str("b")), 4), "null": vec.NewNull(types.Of(types.Varchar), 4),
	} {
		for form, typ := range map[TextForm]string{TextUtf8: "utf8", TextLargeUtf8: "large_utf8", TextView: "utf8"} {
			s := (&Options{Dictionary: true, Text: form}).Schema(types.Schema{{Name: "c", Type: v.Type}})
			rec, err := Record(s, vec.NewBatch(4, v))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"constant": `["b" "b" "b" "b"]`, "null": `[(null) (null) (null) (null)]`}[name]
			if want == "" {
				want = `["b" (null) "a" "b"]`
			}
			got := ""
			for i := range 4 {
				if i > 0 {
					got += " "
				}
				if rec.Column(0).IsNull(i) {
					got += "(null)"
				} else {
					got += `"` + rec.Column(0).ValueStr(i) + `"`
				}
			}
			if got = "[" + got + "]"; got != want || s.Field(0).Type.String() != "dictionary<values="+typ+", indices=int32, ordered=false>" {
				t.Errorf("%s as %s: got %s %s, want %s", name, typ, s.Field(0).Type, got, want)
			}
		}
	}
}

func TestConstantsAndNulls(t *testing.T) {
	o := &Options{Text: TextView, NativeIP: true, NativeUUID: true, LargeIntDecimal: true, NativeInterval: true, Variant: VariantBinary, Unit: arrow.Millisecond}
	for _, k := range []types.Kind{types.Varchar, types.LargeInt, types.IPv4, types.IPv6, types.UUID, types.Interval, types.Variant, types.DateTime, types.Null} {
		s := o.Schema(types.Schema{{Name: "c", Type: types.Of(k)}})
		rec, err := Record(s, vec.NewBatch(70, vec.NewNull(types.Of(k), 70)))
		if err != nil {
			t.Fatalf("%s: %v", k, err)
		}
		if n := rec.Column(0).NullN(); n != 70 {
			t.Errorf("%s: %d of 70 NULLs arrive", k, n)
		}
	}
	before := column(types.Of(types.DateTime), value(int64(-1)), value(int64(-1000)), value(int64(-1001)), value(int64(1999)))
	rec, err := Record(o.Schema(types.Schema{{Name: "c", Type: before.Type}}), vec.NewBatch(4, before))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1969-12-31T23:59:59.999", "1969-12-31T23:59:59.999", "1969-12-31T23:59:59.998", "1970-01-01T00:00:00.001"} {
		if got := rec.Column(0).ValueStr(i); got != want {
			t.Errorf("milliseconds: got %s, want %s", got, want)
		}
	}
}
