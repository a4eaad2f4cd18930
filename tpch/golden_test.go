package tpch

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"sync"
	"testing"
)

// golden are rows and SHA-256 of the .tbl files that tpchgen-cli 4.0.0 writes.
type golden struct {
	rows int
	hash string
}

var golden001 = [...]golden{
	Region:   {5, "6022658d673924389b54dcb70fa8c3d6da1b0d7afa3c1c017bab62a019df404f"},
	Nation:   {25, "66f96949939fa8fdf1c4ffed1e5f6c2842fe11a14b51fdc6ed1e17460031e8c5"},
	Supplier: {100, "9dc1002ee774699a092ed83ba278caf466d62a15d7e35bb6ed9293475528734b"},
	Customer: {1500, "6b690cce995cb715861ebf2c77aa02c61406e3a0ddcd3326d1ecfa969b9163f8"},
	Part:     {2000, "896e14465325110dd9cf05a16972028a58be0010959262176ecd97f4db1702f8"},
	PartSupp: {8000, "5947b5ebab042b49148f82c1324ad122f7e0d98cfadcbef12da0a5e239e09e79"},
	Orders:   {15000, "07cc8b362fda6d0b503c4d6c5d228817548e0688a3b21b590c52bb47b7b79c0f"},
	LineItem: {60175, "ee411d23efcd2943ef70489799e37dfc24543dbd03b461a88e16fd82a95765e4"},
}

var golden1 = [...]golden{
	Region:   {5, "6022658d673924389b54dcb70fa8c3d6da1b0d7afa3c1c017bab62a019df404f"},
	Nation:   {25, "66f96949939fa8fdf1c4ffed1e5f6c2842fe11a14b51fdc6ed1e17460031e8c5"},
	Supplier: {10000, "9b99cf155974e6db8773970b40746bfccfa64fa078169574165f3e19e2158391"},
	Customer: {150000, "4483680548a965833877c911ed43e795f4d3543c7a3f7d1dba9ccb24ea5989d6"},
	Part:     {200000, "f0e4ccdfb5f6d19428ce54f9c84b17037d20f00ac8d2b2272c8d43b18a0b4880"},
	PartSupp: {800000, "43c37f99918f06d4de6b99b05c0a28d5c46f71d66424cffcc595cb059a499254"},
	Orders:   {1500000, "8709061d7bbc81932356fdfc664f8d582252747c2d7e204ae6d3cde624586357"},
	LineItem: {6001215, "96d555e07a1ae8cf5196387d9edd9427f9af70c56fa5f4b18affee5555ddb184"},
}

// hashLines returns rows and hash of the lines of a table, made in ranges of the given number of units.
func hashLines(t *testing.T, g *Generator, table Table, units int64) golden {
	h, rows := sha256.New(), 0
	var buf []byte
	for at, n := int64(0), g.Units(table); at < n; at += units {
		r := g.Rows(table, at, min(units, n-at))
		for b := r.Next(); b != nil; b = r.Next() {
			rows += b.Len
			buf = AppendLines(buf[:0], table, b)
			h.Write(buf)
		}
	}
	return golden{rows, hex.EncodeToString(h.Sum(nil))}
}

func newGenerator(t *testing.T, scale float64) *Generator {
	t.Helper()
	g, err := New(scale)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGolden compares all tables at scale factor 0.01 with dbgen's, made in one piece and in many.
func TestGolden(t *testing.T) {
	g := newGenerator(t, 0.01)
	for _, table := range Tables() {
		for _, units := range []int64{1 << 40, 777, 1} {
			if got := hashLines(t, g, table, units); got != golden001[table] {
				t.Errorf("%s in ranges of %d: got %v, want %v", table, units, got, golden001[table])
			}
		}
	}
}

// TestGoldenSF1 does so at scale factor 1, where EBIRA_SLOW asks for it.
func TestGoldenSF1(t *testing.T) {
	if os.Getenv("EBIRA_SLOW") == "" {
		t.Skip("a gigabyte of text; set EBIRA_SLOW=1 to run")
	}
	g := newGenerator(t, 1)
	var wg sync.WaitGroup
	for _, table := range Tables() {
		wg.Go(func() {
			if got := hashLines(t, g, table, 100_000); got != golden1[table] {
				t.Errorf("%s: got %v, want %v", table, got, golden1[table])
			}
		})
	}
	wg.Wait()
}

func BenchmarkText(b *testing.B) {
	for b.Loop() {
		newGrammar().write(textBytes)
	}
	b.SetBytes(textBytes)
}

// BenchmarkRows makes 100,000 orders with their lines.
func BenchmarkRows(b *testing.B) {
	text()
	g, err := New(1)
	if err != nil {
		b.Fatal(err)
	}
	for _, table := range []Table{Part, PartSupp, Customer, Orders, LineItem} {
		b.Run(table.String(), func(b *testing.B) {
			rows := 0
			for b.Loop() {
				for r := g.Rows(table, 0, 100_000); ; {
					batch := r.Next()
					if batch == nil {
						break
					}
					rows += batch.Len
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
		})
	}
}
