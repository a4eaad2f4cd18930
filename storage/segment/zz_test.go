package segment

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
	"runtime/pprof"
)

func TestZZWide(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 50000
	spec := &types.VariantSpec{Props: types.VariantProps{MaxSubcolumns: 0, Given: []types.Property{{Name: "variant_max_subcolumns_count", Value: "0"}}}}
	cols := []Column{{ID: 1, Name: "v", Type: types.Type{Kind: types.Variant, Variant: spec}}}
	os.MkdirAll("/tmp/seg", 0o755)
	w, _ := NewWriter(vfs.OS, "/tmp/seg/wide.parquet", 7, cols, WriterOptions{})
	s := w.VariantShredder(0)
	p := jsonparse.New(jsonparse.Options{})
	var docs [][]byte
	for range n {
		b := []byte("{")
		first := r.IntN(10000)
		for k := range 199 {
			if k > 0 {
				b = append(b, ',')
			}
			key := (first + k*37) % 10000
			b = fmt.Appendf(b, `"key%05d":`, key)
			switch key % 3 {
			case 0:
				b = fmt.Appendf(b, "%d", r.IntN(100000))
			case 1:
				b = fmt.Appendf(b, `"val %d"`, r.IntN(1000))
			default:
				b = fmt.Appendf(b, "%g", float64(r.IntN(100000))/100)
			}
		}
		docs = append(docs, append(b, '}'))
	}
	t0 := time.Now()
	for _, d := range docs {
		s.BeginRow()
		if err := p.Parse(d, s); err != nil {
			t.Fatal(err)
		}
		s.EndRow()
	}
	t1 := time.Now()
	w.Append(&vec.Batch{Len: n, Cols: []*vec.Vector{nil}})
	f, _ := os.Create("/tmp/wide.prof")
	pprof.StartCPUProfile(f)
	m, err := w.Finish()
	pprof.StopCPUProfile()
	if err != nil {
		t.Fatal(err)
	}
	t2 := time.Now()
	fmt.Println("shred", t1.Sub(t0), "finish", t2.Sub(t1), "bytes", m.Bytes)
	rd, err := Open(vfs.OS, "/tmp/seg/wide.parquet", m, Caches{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("open", time.Since(t2))
	for _, k := range []string{"key00300", "key00301", "key09999"} {
		t3 := time.Now()
		cnt := 0
		for pg := range rd.Pages() {
			v, err := rd.Read(Want{Column: 1, Path: []string{k}}, pg)
			if err != nil {
				t.Fatal(err)
			}
			for i := range v.Len {
				if !v.IsNull(i) {
					cnt++
				}
			}
		}
		fmt.Println("path", k, time.Since(t3), cnt)
	}
	f2, _ := os.Create("/tmp/wide2.prof")
	pprof.StartCPUProfile(f2)
	t4 := time.Now()
	for pg := range rd.Pages() {
		v, err := rd.Read(Want{Column: 1}, pg)
		if err != nil {
			t.Fatal(err)
		}
		if pg == 0 {
			mm, x := v.VariantAt(5)
			got := variant.AppendJSON(nil, mm, x)
			if len(got) != len(docs[5]) {
				t.Errorf("%d %d", len(got), len(docs[5]))
			}
		}
	}
	pprof.StopCPUProfile()
	fmt.Println("documents", time.Since(t4))
	t5 := time.Now()
	fmt.Println(rd.Verify(), time.Since(t5))
}
