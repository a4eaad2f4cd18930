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

// benchDocs makes documents that all have the same 30 members, or 199 of 10,000, or arrays of scalars, objects and arrays.
func benchDocs(form string) (docs []string, bytes int64) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 2000 {
		var m []string
		seen := map[int]bool{}
		switch form {
		case "dense":
			for i := range 30 {
				m = append(m, fmt.Sprintf(`"member_%d":%s`, i, []string{"12345", `"some text of a log line"`, "true", "12.5", `{"a":1,"b":"x"}`}[i%5]))
			}
		case "sparse":
			for range 199 {
				if k := r.IntN(10000); !seen[k] {
					seen[k] = true
					m = append(m, fmt.Sprintf(`"key%d":%d`, k, r.IntN(1000)))
				}
			}
		case "arrays":
			m = append(m, fmt.Sprintf(`"id":%d`, i), `"tags":[`+joinSome(r, func() string { return fmt.Sprintf(`"tag %d"`, r.IntN(50)) })+`]`,
				`"commits":[`+joinSome(r, func() string {
					return fmt.Sprintf(`{"sha":"%016x","author":{"name":"n%d"},"distinct":true}`, r.Uint64(), r.IntN(90))
				})+`]`, `"points":[`+joinSome(r, func() string { return fmt.Sprintf("[%g,%g]", r.Float64(), r.Float64()) })+`]`)
		}
		docs = append(docs, "{"+strings.Join(m, ",")+"}")
		bytes += int64(len(docs[len(docs)-1]))
	}
	return docs, bytes
}

// joinSome joins up to ten elements.
func joinSome(r *rand.Rand, elem func() string) string {
	var out []string
	for range r.IntN(10) {
		out = append(out, elem())
	}
	return strings.Join(out, ",")
}

func Benchmark(b *testing.B) {
	for _, form := range []string{"dense", "sparse", "arrays"} {
		docs, size := benchDocs(form)
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
			b.Run(name+"/"+form, func(b *testing.B) {
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
