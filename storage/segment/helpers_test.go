package segment

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/variant/varianttest"
	"github.com/ebira-db/ebira/vec"
)

// build writes batches to a segment in memory and opens it.
func build(t testing.TB, cols []Column, opt WriterOptions, batches ...*vec.Batch) (*Reader, *Meta, vfs.FS) {
	t.Helper()
	fsys := vfs.NewMem()
	w, err := NewWriter(fsys, "s.parquet", 7, cols, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	m, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, fsys, m), m, fsys
}

func open(t testing.TB, fsys vfs.FS, m *Meta) *Reader {
	t.Helper()
	r, err := Open(fsys, m.File, m, Caches{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readAll reads all pages of what is wanted as one vector, flattened.
func readAll(t testing.TB, r *Reader, w Want) *vec.Vector {
	t.Helper()
	var parts []*vec.Vector
	var typ types.Type
	for p := range r.Pages() {
		v, err := r.Read(w, p)
		if err != nil {
			t.Fatal(err)
		}
		if v.Len != r.PageRows(p) {
			t.Fatalf("page %d has %d rows, want %d", p, v.Len, r.PageRows(p))
		}
		if v.Type.IsVariant() {
			v = variant.Flatten(v)
		}
		typ = v.Type
		parts = append(parts, vec.Flatten(v))
	}
	return vec.Concat(typ, parts...)
}

// documents parses JSON texts; "" is SQL NULL.
var documents = varianttest.Documents

// text prints row i of a variant vector, "NULL" for NULL.
func text(v *vec.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	meta, value := v.VariantAt(i)
	return string(variant.AppendJSON(nil, meta, value))
}

// sampleTypes are all types that a column can have but VARIANT and JSON.
func sampleTypes() []types.Type {
	st := types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "a", Type: types.Of(types.Int)}, {Name: "b", Type: types.ArrayOf(types.Of(types.Varchar))}}}
	return []types.Type{
		types.Of(types.Boolean), types.Of(types.TinyInt), types.Of(types.SmallInt), types.Of(types.Int), types.Of(types.BigInt),
		types.Of(types.LargeInt), types.Of(types.Float), types.Of(types.Double), types.DecimalOf(7, 2), types.DecimalOf(18, 4),
		types.DecimalOf(38, 10), types.DecimalOf(60, 5), types.Of(types.Varchar), types.Of(types.Binary), types.Of(types.Date),
		types.Of(types.Time), types.Of(types.DateTime), types.Of(types.TimestampTZ), types.Of(types.Interval), types.Of(types.IPv4),
		types.Of(types.IPv6), types.Of(types.UUID), types.ArrayOf(types.Of(types.BigInt)), types.ArrayOf(types.ArrayOf(types.Of(types.Int))),
		st, types.ArrayOf(st),
		{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: types.Of(types.Varchar)}, {Name: "value", Type: types.Of(types.Double)}}},
	}
}

// randomVector makes n random values; spread is the number of distinct scalars, nulls the share of NULLs in percent.
func randomVector(r *rand.Rand, t types.Type, n, spread, nulls int) *vec.Vector {
	b := vec.NewBuilder(t, n)
	for range n {
		appendRandom(r, b, t, spread, nulls)
	}
	return b.Finish()
}

func appendRandom(r *rand.Rand, b *vec.Builder, t types.Type, spread, nulls int) {
	if r.IntN(100) < nulls {
		b.AppendNull()
		return
	}
	x := r.IntN(spread)
	big := uint64(x) * 0x9E3779B97F4A7C15
	switch t.Phys() {
	case types.PhysBool:
		vec.Append(b, x%2 == 0)
	case types.PhysInt8:
		vec.Append(b, int8(big))
	case types.PhysInt16:
		vec.Append(b, int16(big))
	case types.PhysInt32:
		vec.Append(b, int32(big>>7))
	case types.PhysInt64:
		switch {
		case t.Kind == types.Time:
			vec.Append(b, int64(big%86_400_000_000))
		case t.Kind == types.Decimal && t.Precision < 10:
			vec.Append(b, int64(big%9_999_999)-1_000_000)
		default:
			vec.Append(b, int64(big)>>3)
		}
	case types.PhysInt128:
		vec.Append(b, types.Int128{Lo: big, Hi: int64(big) >> (x % 60)})
	case types.PhysInt256:
		vec.Append(b, types.Int256From(types.Int128{Lo: big, Hi: int64(big) >> 2}))
	case types.PhysUint32:
		vec.Append(b, uint32(big))
	case types.PhysUint128:
		vec.Append(b, types.Uint128{Hi: big, Lo: big >> 3})
	case types.PhysFloat32:
		vec.Append(b, float32(x)/3-100)
	case types.PhysFloat64:
		vec.Append(b, float64(x)/3-100)
	case types.PhysInterval:
		vec.Append(b, types.IntervalValue{Months: int32(x), Days: int32(big), Micros: int64(big)})
	case types.PhysString:
		b.AppendString(fmt.Sprintf("%d-%.*s", x, x%40, "a longer text to leave the inline form of views"))
	case types.PhysList:
		for range r.IntN(4) {
			if t.Kind == types.Map {
				e := b.Child(0)
				e.Child(0).AppendString(fmt.Sprint("k", r.IntN(spread)))
				appendRandom(r, e.Child(1), t.Fields[1].Type, spread, nulls)
				e.CloseStruct()
				continue
			}
			appendRandom(r, b.Child(0), *t.Elem, spread, nulls)
		}
		b.CloseList()
	case types.PhysStruct:
		for i, f := range t.Fields {
			appendRandom(r, b.Child(i), f.Type, spread, nulls)
		}
		b.CloseStruct()
	}
}

// checkForeign reads column v of a segment, the first, as any Parquet file of another system, and compares the documents, but for rows with
// numbers that only the column of exact numbers has.
func checkForeign(t *testing.T, fsys vfs.FS, m *Meta, r *Reader, want *vec.Vector) {
	t.Helper()
	f, err := fsys.Open(m.File)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ff, err := parquetio.OpenForeign(f, m.Bytes, parquetio.ForeignOptions{})
	if err != nil {
		t.Fatal(err)
	}
	root, err := r.file.find(entryKey(m.Columns[0].ID, nil))
	if err != nil {
		t.Fatal(err)
	}
	exact := map[int]bool{}
	for p := range r.Pages() {
		x, err := r.exact(root, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range x {
			exact[p*PageRows+int(e.Row)] = true
		}
	}
	scan, row := ff.Scan([]int{0}, 0, 1), 0
	for {
		b, err := scan.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		v := variant.Flatten(b.Cols[0])
		for i := range v.Len {
			if a, b := text(v, i), text(want, row); a != b && !exact[row] {
				t.Fatalf("other readers see row %d as %s, want %s", row, a, b)
			}
			row++
		}
	}
	if row != want.Len {
		t.Fatalf("other readers see %d rows, want %d", row, want.Len)
	}
}
