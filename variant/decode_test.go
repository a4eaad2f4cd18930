package variant

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestParquetTesting reads the cases that the Parquet project publishes for the Variant encoding. Their dictionary of expected values
// goes through doubles for decimals and has local forms for times, so the expectations stand here.
func TestParquetTesting(t *testing.T) {
	dir := shared(t, "data", "parquet-testing", "variant")
	want := map[string]string{
		"array_empty":                  `[]`,
		"array_nested":                 `[{"id":1,"thing":{"names":["Contrarian","Spider"]}},null,{"id":2,"names":["Apple","Ray",null],"type":"if"}]`,
		"array_primitive":              `[2,1,5,9]`,
		"long_string":                  ``,
		"object_empty":                 `{}`,
		"object_nested":                `{"id":1,"observation":{"location":"In the Volcano","time":"12:34:56","value":{"humidity":456,"temperature":123}},"species":{"name":"lava monster","population":6789}}`,
		"object_primitive":             `{"boolean_false_field":false,"boolean_true_field":true,"double_field":1.23456789,"int_field":1,"null_field":null,"string_field":"Apache Parquet","timestamp_field":"2025-04-16T12:34:56.78"}`,
		"primitive_binary":             `"AxM33q2+78r+"`,
		"primitive_boolean_false":      `false`,
		"primitive_boolean_true":       `true`,
		"primitive_date":               `"2025-04-16"`,
		"primitive_decimal16":          `12345678912345678.90`,
		"primitive_decimal4":           `12.34`,
		"primitive_decimal8":           `12345678.90`,
		"primitive_double":             `1234567890.1234`,
		"primitive_float":              `1234568000`,
		"primitive_int16":              `1234`,
		"primitive_int32":              `123456`,
		"primitive_int64":              `1234567890123456789`,
		"primitive_int8":               `42`,
		"primitive_null":               `null`,
		"primitive_string":             `"This string is longer than 64 bytes and therefore does not fit in a short_string and it also includes several non ascii characters such as 🐢, 💖, ♥️, 🎣 and 🤦!!"`,
		"primitive_time":               `"12:33:54.123456"`,
		"primitive_timestamp":          `"2025-04-16 16:34:56.78+00:00"`,
		"primitive_timestampntz":       `"2025-04-16 12:34:56.78"`,
		"primitive_uuid":               `"f24f9b64-81fa-49d1-b74e-8c09a6e31c56"`,
		"short_string":                 `"Less than 64 bytes (❤️ with utf8)"`,
		"primitive_timestamp_nanos":    `"2024-11-07 12:33:54.123456789+00:00"`,
		"primitive_timestampntz_nanos": `"2024-11-07 12:33:54.123456789"`,
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.metadata"))
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".metadata")
		meta, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		value, err := os.ReadFile(strings.TrimSuffix(f, ".metadata") + ".value")
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(meta, value, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := string(AppendJSON(nil, meta, value))
		if w, ok := want[name]; !ok || got != w && name != "long_string" {
			t.Errorf("%s: got %s, want %s", name, got, w)
		}
		b := NewBatchBuilder(1)
		b.AppendValue(meta, value)
		if again := dump(b.Finish())[0]; again != got {
			t.Errorf("%s: rewritten as %s", name, again)
		}
	}
	if len(files) < 26 {
		t.Errorf("only %d cases", len(files))
	}
}

// exercise calls every reader of a value; none may panic whatever the bytes are.
func exercise(meta, value []byte) {
	Validate(meta, value, true)
	AppendJSON(nil, meta, value)
	AppendText(nil, meta, value)
	AppendTypes(nil, meta, value, nil)
	Get(meta, value, []Step{{Key: "a"}, {Index: 1, IsIndex: true}})
	Hash(meta, value)
	Compare(meta, value, meta, value)
	KindOf(value)
	DecodeMetadata(meta)
	Members(meta, value, func(_, _ []byte) bool { return true })
	Elements(value, func(int, []byte) bool { return true })
	b := NewBatchBuilder(1)
	b.AppendValue(meta, value)
	v := b.Finish()
	s := NewShredder(nil)
	s.AppendVector(v)
	dump(AssembleTree(s.Finish(Options{MinRows: 1})))
}

func TestHostileBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	docs := randomDocs(r, 300)
	v := build(docs...)
	for i := range v.Len {
		if v.IsNull(i) {
			continue
		}
		meta, value := v.VariantAt(i)
		for range 30 {
			m, b := append([]byte(nil), meta...), append([]byte(nil), value...)
			for range 1 + r.IntN(4) {
				if r.IntN(3) == 0 {
					m[r.IntN(len(m))] = byte(r.Uint32())
				} else {
					b[r.IntN(len(b))] = byte(r.Uint32())
				}
			}
			if r.IntN(3) == 0 {
				b = b[:r.IntN(len(b)+1)]
			}
			exercise(m, b)
		}
	}
}

// TestSharedMembers reads a value whose size doubles with each level because both members of each array are the same bytes.
func TestSharedMembers(t *testing.T) {
	value := []byte{primInt8 << 2, 1}
	for range 60 {
		off := byteWidth(len(value))
		next := []byte{basicArray | byte(off-1)<<2, 2}
		for _, o := range []int{0, 0, len(value)} {
			next = appendUint(next, o, off)
		}
		value = append(next, value...)
	}
	if Validate(emptyMetadata, value, true) == nil {
		t.Error("valid")
	}
	exercise(emptyMetadata, value)
}

func FuzzValue(f *testing.F) {
	v := build(`{"a":[1,"x",{"b":1.5}],"c":null}`, `12345678901234567890.5`, `[1e400]`)
	for i := range v.Len {
		meta, value := v.VariantAt(i)
		f.Add(meta, value)
	}
	f.Fuzz(func(t *testing.T, meta, value []byte) {
		exercise(meta, value)
		if Validate(meta, value, true) != nil {
			return
		}
		want := string(AppendJSON(nil, meta, value))
		b := NewBatchBuilder(1)
		b.AppendValue(meta, value)
		one := b.Finish()
		if got := dump(one)[0]; got != want {
			t.Errorf("rewritten %s as %s", want, got)
		}
		s := NewShredder(nil)
		s.AppendVector(one)
		if got := dump(AssembleTree(s.Finish(Options{MinRows: 1})))[0]; got != want {
			t.Errorf("reassembled %s as %s", want, got)
		}
	})
}
