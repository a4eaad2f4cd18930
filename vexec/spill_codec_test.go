package vexec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/storage/vfs/errorfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

func spillRun(space *SpillSpace) *run {
	return newRun(context.Background(), &Query{env: &Env{Fn: &function.Ctx{}, Spill: space}}, nil)
}

// randomVector makes a flat vector of n values, about one in five NULL.
func randomVector(rnd *rand.Rand, t types.Type, n int) *vec.Vector {
	b := vec.NewBuilder(t, n)
	if t.IsVariant() {
		of := types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "a", Type: types.Of(types.Varchar)}, {Name: "b", Type: types.Of(types.BigInt)}}}
		v := variant.FromVector(randomVector(rnd, of, n))
		return v.Retype(t)
	}
	for range n {
		appendRandom(rnd, b)
	}
	return b.Finish()
}

func appendRandom(rnd *rand.Rand, b *vec.Builder) {
	if rnd.IntN(5) == 0 {
		b.AppendNull()
		return
	}
	x := rnd.Int64()
	switch b.Type().Phys() {
	case types.PhysBool:
		vec.Append(b, x%2 == 0)
	case types.PhysInt8:
		vec.Append(b, int8(x))
	case types.PhysInt16:
		vec.Append(b, int16(x))
	case types.PhysInt32:
		vec.Append(b, int32(x))
	case types.PhysInt64:
		vec.Append(b, x)
	case types.PhysInt128:
		vec.Append(b, types.Int128{Lo: uint64(x), Hi: x >> 3})
	case types.PhysInt256:
		vec.Append(b, types.Int256{uint64(x), 2, 3, uint64(x) >> 5})
	case types.PhysUint32:
		vec.Append(b, uint32(x))
	case types.PhysUint128:
		vec.Append(b, types.Uint128{Lo: uint64(x), Hi: 7})
	case types.PhysFloat32:
		vec.Append(b, float32(x))
	case types.PhysFloat64:
		vec.Append(b, float64(x))
	case types.PhysInterval:
		vec.Append(b, types.IntervalValue{Months: int32(x), Days: 3, Micros: x})
	case types.PhysString:
		b.AppendString(strings.Repeat("äbc", rnd.IntN(9)))
	case types.PhysList:
		for range rnd.IntN(4) {
			appendRandom(rnd, b.Child(0))
		}
		b.CloseList()
	case types.PhysStruct:
		for i := range b.Type().Fields {
			appendRandom(rnd, b.Child(i))
		}
		b.CloseStruct()
	}
}

// image prints row i so that different values have different texts.
func image(v *vec.Vector, i int) string {
	switch {
	case v.IsNull(i):
		return "NULL"
	case v.Type.IsVariant():
		meta, value := v.VariantAt(i)
		return fmt.Sprintf("%x %x", meta, value)
	}
	return fmt.Sprintf("%x", vec.AppendSortKey(nil, v, i, vec.Order{}))
}

func spillTypes() []types.Type {
	list := func(t types.Type) types.Type { return types.Type{Kind: types.Array, Elem: &t} }
	fields := []types.Field{{Name: "k", Type: types.Of(types.Varchar)}, {Name: "v", Type: list(types.Of(types.Int))}}
	var out []types.Type
	for _, k := range []types.Kind{types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.LargeInt, types.Float, types.Double,
		types.Varchar, types.Binary, types.Date, types.DateTime, types.Interval, types.IPv4, types.IPv6, types.UUID, types.Variant, types.JSON} {
		out = append(out, types.Of(k))
	}
	return append(out, types.Type{Kind: types.Decimal, Precision: 9, Scale: 2}, types.Type{Kind: types.Decimal, Precision: 60, Scale: 2},
		list(types.Of(types.Varchar)), list(list(types.Of(types.BigInt))),
		types.Type{Kind: types.Struct, Fields: fields}, types.Type{Kind: types.Map, Fields: fields})
}

func TestSpillCodec(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	r := spillRun(NewSpillSpace(vfs.NewMem(), ".", 1<<30))
	defer r.close()
	f, err := r.newSpillFile("test")
	if err != nil {
		t.Fatal(err)
	}
	rows := &spillRows{file: f}
	var enc spillEncoder
	var written []*vec.Batch
	for _, n := range []int{1, 3, 64, 65, 700} {
		b := vec.NewBatch(n)
		for _, typ := range spillTypes() {
			v := randomVector(rnd, typ, 2*n)
			b.Cols = append(b.Cols, v.Slice(n/2, n/2+n), vec.NewConstant(v.Slice(n, n+1), n), vec.NewNull(typ, n), nil)
			if typ.Phys() != types.PhysVariant {
				dict := &vec.Vector{Type: typ, Form: vec.Dictionary, Len: n, Dict: vec.GatherRows(v, []int32{0, 1})}
				dict.Dict.Valid = nil
				for i := range n {
					dict.Codes = append(dict.Codes, uint32(i%2))
				}
				dict.Valid = v.Slice(n, 2*n).Valid
				b.Cols = append(b.Cols, dict)
			}
		}
		b.Cols = append(b.Cols, vec.NewNull(types.Of(types.Null), n), &vec.Vector{Type: types.Of(types.Variant), Form: vec.Shredded, Len: n,
			Typed: randomVector(rnd, types.Of(types.BigInt), n)})
		if err := rows.add(&enc, b); err != nil {
			t.Fatal(err)
		}
		written = append(written, b)
	}
	for i, want := range written {
		got, err := f.read(&rows.blocks[i])
		if err != nil {
			t.Fatal(err)
		}
		for c, w := range want.Cols {
			g := got.Cols[c]
			if w == nil || g == nil {
				if w != g {
					t.Fatalf("column %d: %v, want %v", c, g, w)
				}
				continue
			}
			if w.Form == vec.Shredded {
				w, g = variant.Flatten(w), variant.Flatten(g)
			}
			if !g.Type.Equal(w.Type) || g.Len != w.Len {
				t.Fatalf("column %d: %s with %d rows, want %s with %d", c, g.Type, g.Len, w.Type, w.Len)
			}
			for i := range w.Len {
				if g, w := image(g, i), image(w, i); g != w {
					t.Fatalf("column %d, row %d: %s, want %s", c, i, g, w)
				}
			}
		}
	}
}

// TestSpillFileFailures makes every operation fail once: one clear error, and no file is left.
func TestSpillFileFailures(t *testing.T) {
	use := func(space *SpillSpace) error {
		r := spillRun(space)
		defer r.close()
		f, err := r.newSpillFile("test")
		if err != nil {
			return err
		}
		rows := &spillRows{file: f}
		var enc spillEncoder
		for range 3 {
			if err := rows.add(&enc, vec.NewBatch(2, vec.NewFlat(types.Of(types.BigInt), []int64{1, 2}, nil))); err != nil {
				return err
			}
		}
		for i := range rows.blocks {
			if _, err := f.read(&rows.blocks[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for n := 0; ; n++ {
		fs := vfs.NewMem()
		nth := errorfs.FailNth(n).Matching(func(op errorfs.Op) bool { return op.Kind != errorfs.Close && op.Kind != errorfs.Remove })
		space := NewSpillSpace(errorfs.Wrap(fs, nth.Inject), ".", 1<<20)
		err := use(space)
		if !nth.Fired() {
			break
		}
		if sqlerr.KindOf(err) != sqlerr.IO || !strings.Contains(err.Error(), "spill file in .") {
			t.Errorf("operation %d: %v", n, err)
		}
		if left, _ := fs.List("."); len(left) > 0 || space.Used() != 0 {
			t.Errorf("operation %d: %d files, %d bytes are left", n, len(left), space.Used())
		}
	}
	full := errorfs.FailIf(func(op errorfs.Op) bool { return op.Kind == errorfs.Write }, syscall.ENOSPC)
	err := use(NewSpillSpace(errorfs.Wrap(vfs.NewMem(), full), ".", 1<<20))
	if sqlerr.KindOf(err) != sqlerr.IO || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the disk of . is full") {
		t.Errorf("full disk: %v", err)
	}
	space := NewSpillSpace(vfs.NewMem(), ".", 80)
	if err := use(space); sqlerr.KindOf(err) != sqlerr.Resource || !strings.Contains(err.Error(), "max_spill_bytes") || space.Used() != 0 {
		t.Errorf("limit: %v, %d bytes in use", err, space.Used())
	}
}

func TestSpillChecksum(t *testing.T) {
	fs := vfs.NewMem()
	r := spillRun(NewSpillSpace(fs, ".", 0))
	defer r.close()
	f, err := r.newSpillFile("test")
	if err != nil {
		t.Fatal(err)
	}
	rows := &spillRows{file: f}
	if err := rows.add(&spillEncoder{}, vec.NewBatch(1, vec.NewFlat(types.Of(types.BigInt), []int64{1}, nil))); err != nil {
		t.Fatal(err)
	}
	rows.blocks[0].sum++
	if _, err := f.read(&rows.blocks[0]); sqlerr.KindOf(err) != sqlerr.IO || !strings.Contains(err.Error(), "not what came back") {
		t.Errorf("a changed block: %v", err)
	}
}
