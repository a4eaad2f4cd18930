package variant

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// tape records the events of documents, so that benchmarks do not measure a parser.
type tape struct{ events []func(visitor) }

func (t *tape) add(f func(visitor)) { t.events = append(t.events, f) }

func (t *tape) BeginObject() { t.add(func(v visitor) { v.BeginObject() }) }
func (t *tape) Key(k []byte) {
	k = append([]byte(nil), k...)
	t.add(func(v visitor) { v.Key(k) })
}
func (t *tape) EndObject()       { t.add(func(v visitor) { v.EndObject() }) }
func (t *tape) BeginArray()      { t.add(func(v visitor) { v.BeginArray() }) }
func (t *tape) EndArray()        { t.add(func(v visitor) { v.EndArray() }) }
func (t *tape) Null()            { t.add(func(v visitor) { v.Null() }) }
func (t *tape) Bool(x bool)      { t.add(func(v visitor) { v.Bool(x) }) }
func (t *tape) Int(x int64)      { t.add(func(v visitor) { v.Int(x) }) }
func (t *tape) Double(x float64) { t.add(func(v visitor) { v.Double(x) }) }
func (t *tape) Number(s []byte) {
	s = append([]byte(nil), s...)
	t.add(func(v visitor) { v.Number(s) })
}
func (t *tape) String(s []byte) {
	s = append([]byte(nil), s...)
	t.add(func(v visitor) { v.String(s) })
}

// benchDocs makes documents that all have the same 30 members, or 199 of 10,000.
func benchDocs(sparse bool) (docs []string, bytes int64) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var m []string
		seen := map[int]bool{}
		for i := range 30 {
			m = append(m, fmt.Sprintf(`"member_%d":%s`, i, []string{"12345", `"some text of a log line"`, "true", "12.5", `{"a":1,"b":"x"}`}[i%5]))
		}
		if sparse {
			m = nil
			for range 199 {
				if k := r.IntN(10000); !seen[k] {
					seen[k] = true
					m = append(m, fmt.Sprintf(`"key%d":%d`, k, r.IntN(1000)))
				}
			}
		}
		docs = append(docs, "{"+strings.Join(m, ",")+"}")
		bytes += int64(len(docs[len(docs)-1]))
	}
	return docs, bytes
}

func Benchmark(b *testing.B) {
	for _, sparse := range []bool{false, true} {
		docs, size := benchDocs(sparse)
		tapes := make([]tape, len(docs))
		for i, d := range docs {
			feed(&tapes[i], d)
		}
		replay := func(v visitor, i int) {
			for _, e := range tapes[i].events {
				e(v)
			}
		}
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/sparse=%v", name, sparse), func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				for range b.N {
					f()
				}
			})
		}
		builder := NewBatchBuilder(len(docs))
		var flat *vec.Vector
		run("build", func() {
			for i := range tapes {
				builder.BeginRow()
				replay(builder, i)
				builder.EndRow()
			}
			flat = builder.Finish()
		})
		var tree *Tree
		run("shred", func() {
			s := NewShredder(nil)
			for i := range tapes {
				s.BeginRow()
				replay(s, i)
				s.EndRow()
			}
			tree = s.Finish(Options{})
		})
		if tree == nil || flat == nil {
			continue
		}
		run("assemble", func() { AssembleTree(tree) })
		run("print", func() { castTo(flat, types.Of(types.Varchar)) })
		run("path", func() { PathVector(flat, []Step{{Key: "member_20"}}) })
	}
}
