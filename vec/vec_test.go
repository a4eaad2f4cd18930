package vec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
)

// dump prints the values of a text vector, NULL for NULL.
func dump(v *Vector) string {
	var out []string
	for i := range v.Len {
		if v.IsNull(i) {
			out = append(out, "NULL")
		} else {
			out = append(out, string(v.Bytes(i)))
		}
	}
	return strings.Join(out, " ")
}

func texts(vals ...string) *Vector {
	b := NewBuilder(types.Of(types.Varchar), len(vals))
	for _, s := range vals {
		if s == "NULL" {
			b.AppendNull()
		} else {
			b.AppendString(s)
		}
	}
	return b.Finish()
}

func TestForms(t *testing.T) {
	long := strings.Repeat("x", 13)
	v := texts("a", "NULL", long, "twelve bytes", "")
	f := func(got *Vector, want string) {
		t.Helper()
		if d := dump(got); d != want {
			t.Errorf("got %q, want %q", d, want)
		}
	}
	f(v, "a NULL "+long+" twelve bytes ")
	f(GatherSel(v, Sel{1, 2, 2}), "NULL "+long+" "+long)
	f(GatherRows(v, []int32{-1, 0, 1, 2}), "NULL a NULL "+long)
	f(v.Slice(1, 3), "NULL "+long)
	f(NewConstant(texts("k"), 3), "k k k")
	f(Flatten(NewConstant(texts("k"), 3)), "k k k")
	f(NewNull(types.Of(types.Varchar), 2), "NULL NULL")
	f(Flatten(NewNull(types.Of(types.Varchar), 2)), "NULL NULL")
	d := &Vector{Type: v.Type, Form: Dictionary, Len: 4, Dict: texts("p", long), Codes: []uint32{1, 0, 0, 1}, Valid: Bitmap{0b1011}}
	f(d, long+" p NULL "+long)
	f(d.Slice(1, 4), "p NULL "+long)
	f(Flatten(d), long+" p NULL "+long)
	f(GatherRows(d, []int32{3, -1, 2}), long+" NULL NULL")
	b := NewBuilder(v.Type, 0)
	b.AppendVector(d)
	b.AppendVector(v)
	f(b.Finish(), long+" p NULL "+long+" a NULL "+long+" twelve bytes ")
}

func TestLists(t *testing.T) {
	b := NewBuilder(types.ArrayOf(types.Of(types.BigInt)), 0)
	for _, l := range [][]int64{{1, 2}, nil, {}, {3}} {
		if l == nil {
			b.AppendNull()
			continue
		}
		for _, x := range l {
			Append(b.Child(0), x)
		}
		b.CloseList()
	}
	v := b.Finish()
	list := func(v *Vector) string {
		var s []string
		for i := range v.Len {
			if v.IsNull(i) {
				s = append(s, "NULL")
				continue
			}
			c, from, to := v.ListAt(i)
			s = append(s, fmt.Sprint(Slice[int64](c)[from:to]))
		}
		return strings.Join(s, " ")
	}
	f := func(got *Vector, want string) {
		t.Helper()
		if s := list(got); s != want {
			t.Errorf("got %s, want %s", s, want)
		}
	}
	f(v, "[1 2] NULL [] [3]")
	f(v.Slice(1, 4), "NULL [] [3]")
	f(GatherSel(v.Slice(1, 4), Sel{2, 0}), "[3] NULL")
	f(NewConstant(v.Slice(3, 4), 2), "[3] [3]")
}

func TestBitmapRange(t *testing.T) {
	b := NewBitmap(200)
	for i := 0; i < 200; i += 3 {
		b.Set(i)
	}
	for from := 0; from < 200; from += 7 {
		for n := 0; from+n <= 200; n += 11 {
			r := b.Range(from, n)
			for i := range n {
				if r.Get(i) != b.Get(from+i) {
					t.Fatalf("range(%d,%d) bit %d", from, n, i)
				}
			}
		}
	}
}
