package parquetio

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// nanosFile has timestamps of nanoseconds: utc (NULL and a value), local (a value each) and list (an empty one and one of two).
func nanosFile(t *testing.T) []byte {
	t.Helper()
	stamp := func(name string, r Repetition, utc bool) *Node {
		return &Node{Name: name, Repetition: r, Leaf: LeafInfo{Kind: KindInt64}, Annotation: Annotation{Logical: LogicalTimestamp, Unit: Nanos, UTC: utc}}
	}
	list := &Node{Name: "list", Repetition: Optional, Annotation: Annotation{Logical: LogicalList},
		Children: []*Node{{Name: "list", Repetition: Repeated, Children: []*Node{stamp("element", Optional, false)}}}}
	var data bytes.Buffer
	w, err := NewFileWriter(&data, &Node{Name: "schema", Children: []*Node{stamp("utc", Optional, true), stamp("local", Required, false), list}})
	if err != nil {
		t.Fatal(err)
	}
	valid := vec.NewBitmap(2)
	valid.Set(1)
	pages := []*PageInput{
		{Rows: 2, Entries: 2, Valid: valid, Values: &Values{Kind: KindInt64, N: 1, I64: []int64{1700000000123456789}}},
		{Rows: 2, Entries: 2, Values: &Values{Kind: KindInt64, N: 2, I64: []int64{-1, 5000}}},
		{Rows: 2, Entries: 3, Def: []uint8{1, 3, 3}, Rep: []uint8{0, 0, 1}, Values: &Values{Kind: KindInt64, N: 2, I64: []int64{1, 2000}}},
	}
	var cols []*ColumnWriter
	for i, leaf := range w.Leaves() {
		c := NewColumnWriter(leaf.Leaf, OrderNone, Uncompressed)
		c.WritePage(pages[i])
		cols = append(cols, c)
	}
	if _, err := w.WriteRowGroup(cols, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// TestNanoseconds reads timestamps that no SQL type holds: as they are where they become VARIANT values, elsewhere only without loss.
func TestNanoseconds(t *testing.T) {
	data := nanosFile(t)
	read := func(toVariant func(string) bool, col int) ([]string, error) {
		ff, err := OpenForeign(bytes.NewReader(data), int64(len(data)), ForeignOptions{ToVariant: toVariant})
		if err != nil {
			t.Fatal(err)
		}
		var batches []*vec.Batch
		for r := ff.Scan([]int{col}, 0, 1); ; {
			b, err := r.Next()
			if errors.Is(err, io.EOF) {
				return jsonOf(batches, 0), nil
			}
			if err != nil {
				return nil, err
			}
			batches = append(batches, b)
		}
	}
	want := [][]string{
		{"NULL", `"2023-11-14 22:13:20.123456789+00:00"`},
		{`"1969-12-31 23:59:59.999999999"`, `"1970-01-01 00:00:00.000005"`},
		{"[]", `["1970-01-01 00:00:00.000000001","1970-01-01 00:00:00.000002"]`},
	}
	for col, name := range []string{"utc", "local", "list"} {
		got, err := read(func(column string) bool { return column == name }, col)
		if err != nil || !slices.Equal(got, want[col]) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		for _, other := range []func(string) bool{nil, func(column string) bool { return column != name }} {
			if _, err := read(other, col); sqlerr.KindOf(err) != sqlerr.Conversion {
				t.Errorf("%s as its SQL type: %v", name, err)
			}
		}
	}
}
