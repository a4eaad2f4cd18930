package stage

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
)

// benchLines are events with eight fields.
func benchLines(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"id":%d,"ts":"2024-05-%02dT%02d:%02d:11.123456Z","user":"user%d@example.com","level":"%s","latency":%d.%d,"ok":%v,"status":%d,"message":"request number %d was handled by worker %d"}`+"\n",
			i, i%28+1, i%24, i%60, i%1000, []string{"info", "warn", "error"}[i%3], i%900, i%10, i%7 != 0, 200+i%4, i, i%16)
	}
	return b.Bytes()
}

var benchTargets = []Target{
	{Name: "id", Type: types.Of(types.BigInt)}, {Name: "ts", Type: types.Of(types.DateTime)}, {Name: "user", Type: types.Of(types.Varchar)},
	{Name: "level", Type: types.Of(types.Varchar)}, {Name: "latency", Type: types.Of(types.Double)}, {Name: "ok", Type: types.Of(types.Boolean)},
	{Name: "status", Type: types.Of(types.Int)}, {Name: "message", Type: types.Of(types.Varchar)},
}

func benchScan(b *testing.B, data []byte, spec ReadSpec) {
	fsys := vfs.NewMem()
	f := put(b, fsys, "bench.ndjson", data)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := Open(fsys, f, spec, NewReport([]File{f}, spec.OnError))
		if err != nil {
			b.Fatal(err)
		}
		for {
			batch, err := s.Next()
			if err != nil {
				b.Fatal(err)
			}
			if batch == nil {
				break
			}
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTypedColumns(b *testing.B) {
	benchScan(b, benchLines(100_000), ReadSpec{Format: Format{Type: NDJSON}, Targets: benchTargets})
}

func BenchmarkWholeRow(b *testing.B) {
	benchScan(b, benchLines(100_000), ReadSpec{Format: Format{Type: NDJSON}, WholeRow: true})
}

func BenchmarkVariantColumn(b *testing.B) {
	lines := bytes.Split(bytes.TrimSpace(benchLines(50_000)), []byte("\n"))
	data := `{"v":` + string(bytes.Join(lines, []byte("}\n{\"v\":"))) + "}\n"
	benchScan(b, []byte(strings.TrimSpace(data)), ReadSpec{Format: Format{Type: NDJSON}, Targets: []Target{{Name: "v", Type: types.Of(types.Variant)}}})
}
