package jsonparse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// benchBytes is the size of each benchmark text: beyond the second-level cache, like a chunk that arrives from a file.
const benchBytes = 8 << 20

// repeated makes a text of about benchBytes out of the lines.
func repeated(lines [][]byte) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < benchBytes; i++ {
		b.Write(bytes.TrimSpace(lines[i%len(lines)]))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// benchText gives one of the benchmark texts.
func benchText(b *testing.B, name string) []byte {
	read := func(elem ...string) []byte {
		text, err := os.ReadFile(shared(b, append([]string{"data"}, elem...)...))
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	elements := func(text []byte) (lines [][]byte) {
		var docs []json.RawMessage
		if err := json.Unmarshal(text, &docs); err != nil {
			b.Fatal(err)
		}
		for _, d := range docs {
			line, err := Compact(nil, d)
			if err != nil {
				b.Fatal(err)
			}
			lines = append(lines, line)
		}
		return lines
	}
	switch name {
	case "github":
		return repeated(elements(read("simdjson-data", "jsonexamples", "github_events.json")))
	case "twitter":
		var doc struct{ Statuses json.RawMessage }
		if err := json.Unmarshal(read("simdjson-data", "jsonexamples", "twitter.json"), &doc); err != nil {
			b.Fatal(err)
		}
		return repeated(elements(doc.Statuses))
	case "parking":
		return repeated(bytes.Split(bytes.TrimSpace(read("simdjson-go", "examples", "parking-citations.json")), []byte("\n")))
	case "ontime":
		return repeated(bytes.Split(bytes.TrimSpace(read("databend", "tests", "data", "ontime_200.ndjson")), []byte("\n")))
	}
	return syntheticLog()
}

// syntheticLog makes flat log records of about 240 bytes with one double each.
func syntheticLog() []byte {
	rng := rand.New(rand.NewPCG(9, 10))
	var b bytes.Buffer
	for b.Len() < benchBytes {
		fmt.Fprintf(&b, `{"ts":"2026-11-30T%02d:%02d:%02d.%03dZ","level":"%s","service":"svc-%d","host":"node-%02d.example.org","pid":%d,"status":%d,`+
			`"bytes":%d,"duration":%.3f,"method":"GET","path":"/api/v1/items/%d","user":"user%d","ok":%v,"trace":{"id":"%016x","span":%d}}`+"\n",
			rng.IntN(24), rng.IntN(60), rng.IntN(60), rng.IntN(1000), []string{"INFO", "WARN", "ERROR"}[rng.IntN(3)], rng.IntN(20), rng.IntN(64),
			rng.IntN(65536), 200+rng.IntN(300), rng.IntN(1_000_000), rng.Float64()*1000, rng.IntN(100_000), rng.IntN(10_000), rng.IntN(5) > 0,
			rng.Uint64(), rng.IntN(1000))
	}
	return b.Bytes()
}

// counter is the cheapest visitor that cannot be optimized away.
type counter struct{ containers, keys, values, bytes int }

func (c *counter) BeginObject()    { c.containers++ }
func (c *counter) Key(k []byte)    { c.keys++; c.bytes += len(k) }
func (c *counter) EndObject()      {}
func (c *counter) BeginArray()     { c.containers++ }
func (c *counter) EndArray()       {}
func (c *counter) Null()           { c.values++ }
func (c *counter) Bool(bool)       { c.values++ }
func (c *counter) Int(int64)       { c.values++ }
func (c *counter) Double(float64)  { c.values++ }
func (c *counter) Number([]byte)   { c.values++ }
func (c *counter) String(s []byte) { c.values++; c.bytes += len(s) }

// pathNode is one path of the trie; values of each kind are appended to its own vector with the row they came from.
type pathNode struct {
	name     string
	children []*pathNode
	index    map[string]*pathNode
	next     int // where the next key is expected
	after    int // the position behind this one among its siblings
	rows     []int32
	ints     []int64
	doubles  []float64
	ends     []int32
	text     []byte
	others   int
}

// pathTrie is a consumer of the kind that loads need: it finds the path of every value by the order of keys seen before and appends the
// value to the path's vectors. Arrays share the path of their elements.
type pathTrie struct {
	at    *pathNode // the path of the next value
	stack []*pathNode
	row   int32
}

func (p *pathTrie) BeginObject() { p.at.next = 0; p.stack = append(p.stack, p.at) }
func (p *pathTrie) EndObject() {
	p.at = p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
}
func (p *pathTrie) BeginArray() {}
func (p *pathTrie) EndArray()   {}
func (p *pathTrie) Null()       { p.at.others++ }
func (p *pathTrie) Bool(v bool) { p.at.rows = append(p.at.rows, p.row); p.at.others++ }
func (p *pathTrie) Int(v int64) {
	n := p.at
	n.rows, n.ints = append(n.rows, p.row), append(n.ints, v)
}
func (p *pathTrie) Double(v float64) {
	n := p.at
	n.rows, n.doubles = append(n.rows, p.row), append(n.doubles, v)
}
func (p *pathTrie) Number(text []byte) { p.at.others++ }
func (p *pathTrie) String(s []byte) {
	n := p.at
	n.text = append(n.text, s...)
	n.rows, n.ends = append(n.rows, p.row), append(n.ends, int32(len(n.text)))
}

func (p *pathTrie) Key(k []byte) {
	parent := p.stack[len(p.stack)-1]
	if i := parent.next; i < len(parent.children) {
		if c := parent.children[i]; c.name == string(k) {
			parent.next++
			p.at = c
			return
		}
	}
	p.at = parent.find(k)
}

func (n *pathNode) find(k []byte) *pathNode {
	c := n.index[string(k)]
	if c == nil {
		c = &pathNode{name: string(k)}
		if n.index == nil {
			n.index = map[string]*pathNode{}
		}
		n.index[c.name] = c
		c.after = len(n.children) + 1
		n.children = append(n.children, c)
	}
	n.next = c.after
	return c
}

// reset empties the vectors but keeps paths and memory, as between two segments.
func (n *pathNode) reset() {
	n.rows, n.ints, n.doubles, n.ends, n.text = n.rows[:0], n.ints[:0], n.doubles[:0], n.ends[:0], n.text[:0]
	for _, c := range n.children {
		c.reset()
	}
}

// runLines parses every line of a text.
func runLines(b *testing.B, p *Parser, text []byte, v Visitor, row *int32) {
	chunk := Chunk{Data: text, FirstLine: 1}
	for l := chunk.Lines(); l.Next(); {
		if err := p.Parse(l.Line, v); err != nil {
			b.Fatal(err)
		}
		*row++
	}
}

func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"github", "twitter", "parking", "ontime", "log"} {
		b.Run(name, func(b *testing.B) {
			text := benchText(b, name)
			bench := func(consumer, engine string, simd bool, p *Parser, v Visitor, row *int32, reset func()) {
				b.Run(consumer+"/"+engine, func(b *testing.B) {
					defer SetSIMD(SetSIMD(simd))
					b.SetBytes(int64(len(text)))
					b.ReportAllocs()
					for range b.N {
						reset()
						runLines(b, p, text, v, row)
					}
				})
			}
			trie, count := &pathTrie{at: &pathNode{}}, &counter{}
			root, row := trie.at, int32(0)
			for _, e := range []struct {
				name string
				simd bool
				p    *Parser
			}{{"own", true, New(Options{Engine: Own})}, {"portable", false, New(Options{})}, {"simdjson", true, New(Options{Engine: Simdjson})}} {
				bench("count", e.name, e.simd, e.p, count, &row, func() {})
				bench("trie", e.name, e.simd, e.p, trie, &trie.row, func() { root.reset(); trie.at, trie.row = root, 0 })
			}
		})
	}
}

func BenchmarkMark(b *testing.B) {
	for _, simd := range []bool{true, false} {
		for _, text := range []string{strings.Repeat("x", 240), strings.Repeat("x", 4000), strings.Repeat("箙", 1300)} {
			b.Run(fmt.Sprintf("simd=%v/%.3s/%d", simd, text, len(text)), func(b *testing.B) {
				defer SetSIMD(SetSIMD(simd))
				p, line := New(Options{}), []byte(text)
				b.SetBytes(int64(len(line)))
				for range b.N {
					p.mark(line)
				}
			})
		}
	}
}

func BenchmarkSplitter(b *testing.B) {
	text := syntheticLog()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for range b.N {
		s := NewSplitter(bytes.NewReader(text), SplitOptions{})
		for {
			c, err := s.Next()
			if err != nil {
				break
			}
			for l := c.Lines(); l.Next(); {
			}
			c.Release()
		}
	}
}

func BenchmarkNumber(b *testing.B) {
	for _, text := range []string{"7", "1234567", "12345678901", "12.5", "1234.56789", "1.5e10", "0.30000000000000004", "-65.613616999999977", "12345678901234567890"} {
		b.Run(text, func(b *testing.B) {
			line := []byte(text + "          ")
			v := Visitor(&counter{})
			b.SetBytes(int64(len(text)))
			for range b.N {
				if _, err := number(line, 0, v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
