package segment

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// bytesOf reads a file.
func bytesOf(t testing.TB, fsys vfs.FS, name string) []byte {
	t.Helper()
	b, err := vfs.ReadFile(fsys, name, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mixedSegment has a column of each storage form and a shredded variant.
func mixedSegment(t testing.TB, n int) (*Meta, vfs.FS) {
	r := rand.New(rand.NewPCG(1, 1))
	var cols []Column
	b := &vec.Batch{Len: n}
	for i, typ := range sampleTypes() {
		cols = append(cols, Column{ID: ColumnID(i + 1), Name: fmt.Sprint("c", i), Type: typ})
		b.Cols = append(b.Cols, randomVector(r, typ, n, 50, 10))
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(`{"a":%d,"o":{"s":"text %d","m":%s},"l":[{"x":%d,"y":[%d,null]},[]],"k":%s}`, i, i%9, kinds[i%len(kinds)], i, i,
			[]string{"1", `"x"`}[i%2])
	}
	cols = append(cols, Column{ID: 100, Name: "v", Type: types.Of(types.Variant)}, Column{ID: 101, Name: "j", Type: types.Of(types.JSON)})
	v := documents(t, texts...)
	b.Cols = append(b.Cols, v, v)
	_, m, fsys := build(t, cols, WriterOptions{}, b)
	return m, fsys
}

// touch reads everything that the segment has and returns the first error.
func touch(fsys vfs.FS, m *Meta) error {
	r, err := Open(fsys, m.File, m, Caches{})
	if err != nil {
		return err
	}
	defer r.Close()
	var first error
	for p := range r.Pages() {
		for _, c := range m.Columns {
			wants := []Want{{Column: c.ID}}
			if c.Type.IsVariant() {
				wants = append(wants, Want{Column: c.ID, Path: []string{"a"}}, Want{Column: c.ID, Path: []string{"o"}}, Want{Column: c.ID, Path: []string{"o", "m", "a"}},
					Want{Column: c.ID, Path: []string{"l"}}, Want{Column: c.ID, Path: []string{"k"}})
			}
			for _, w := range wants {
				v, err := r.Read(w, p)
				if err != nil {
					if first == nil {
						first = err
					}
					continue
				}
				if v.Type.IsVariant() {
					v = variant.Flatten(v)
				}
				for i := range v.Len {
					if !v.IsNull(i) {
						_ = vec.Compare(v, i, v, i)
					}
				}
			}
		}
	}
	if err := r.Verify(); first == nil {
		first = err
	}
	return first
}

func TestVerify(t *testing.T) {
	m, fsys := mixedSegment(t, 500)
	if err := touch(fsys, m); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedBytesAreFoundAndNeverPanic(t *testing.T) {
	m, fsys := mixedSegment(t, 300)
	whole := bytesOf(t, fsys, m.File)
	r := rand.New(rand.NewPCG(2, 2))
	f := func(damaged []byte, what string) {
		t.Helper()
		other := vfs.NewMem()
		if err := vfs.WriteFileAtomic(other, m.File, damaged); err != nil {
			t.Fatal(err)
		}
		err := touch(other, m)
		if err == nil {
			t.Fatalf("%s: not found", what)
		}
		if k := sqlerr.KindOf(err); k != sqlerr.Corrupt && k != sqlerr.Unsupported && k != sqlerr.Resource {
			t.Fatalf("%s: %v", what, err)
		}
		if !bytes.Contains([]byte(err.Error()), []byte(m.File)) {
			t.Fatalf("%s: the message does not name the file: %v", what, err)
		}
	}
	for range 400 {
		at, bit := r.IntN(len(whole)), r.IntN(8)
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1 << bit
		f(damaged, fmt.Sprintf("bit %d of byte %d of %d", bit, at, len(whole)))
	}
	for range 20 {
		f(whole[:r.IntN(len(whole))], "cut file")
	}
	zeros := bytes.Clone(whole)
	clear(zeros[len(zeros)/2:])
	f(zeros, "zeros")
}

func TestUnknownVersionIsRefused(t *testing.T) {
	m, fsys := mixedSegment(t, 3)
	whole := bytesOf(t, fsys, m.File)
	at := bytes.LastIndex(whole, []byte(dirMagic)) - 4
	whole[at]++
	other := vfs.NewMem()
	if err := vfs.WriteFileAtomic(other, m.File, whole); err != nil {
		t.Fatal(err)
	}
	_, err := Open(other, m.File, m, Caches{})
	if sqlerr.KindOf(err) != sqlerr.Unsupported {
		t.Errorf("got %v", err)
	}
}

func TestAbortAndFailedWrites(t *testing.T) {
	fsys := vfs.NewMem()
	w, err := NewWriter(fsys, "x", 1, []Column{{ID: 1, Name: "a", Type: types.Of(types.Int)}}, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(vec.NewBatch(1, vec.NewFlat(types.Of(types.Int), []int32{1}, nil))); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	w.Abort()
	if ok, _ := vfs.Exists(fsys, "x"); ok {
		t.Error("the file is there after Abort")
	}
}

// FuzzOpen feeds damaged bytes to the directory decoder, whose checksums the fuzzer would not get past otherwise.
func FuzzOpen(f *testing.F) {
	m, fsys := mixedSegment(f, 50)
	r := open(f, fsys, m)
	all, err := r.file.below("")
	if err != nil {
		f.Fatal(err)
	}
	for _, x := range all {
		var e encoder
		x.encode(&e)
		f.Add(x.key, e.b)
	}
	f.Fuzz(func(t *testing.T, key string, b []byte) {
		x, ok := decodeEntry(key, b)
		if !ok {
			return
		}
		for _, l := range append(x.leaves, x.typed, x.value) {
			if l == nil {
				continue
			}
			for p := range l.pages {
				if l.pages[p].loc.Bytes < 1<<20 {
					_, _ = r.decode(l, p, true)
				}
			}
		}
	})
}
