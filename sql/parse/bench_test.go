package parse

import (
	"strings"
	"testing"
)

// BenchmarkQ1 parses the first TPC-H query.
func BenchmarkQ1(b *testing.B) {
	sql := loadStatements(b, "tpch.sql")[0].SourceText()
	b.SetBytes(int64(len(sql)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(sql); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInsertValues parses an INSERT of 1000 rows of three literals.
func BenchmarkInsertValues(b *testing.B) {
	sql := "INSERT INTO t VALUES " + strings.Repeat("(1, 'some text', 3.25), ", 999) + "(1, 'some text', 3.25)"
	b.SetBytes(int64(len(sql)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(sql); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFormatQ1 prints the first TPC-H query.
func BenchmarkFormatQ1(b *testing.B) {
	s := loadStatements(b, "tpch.sql")[0]
	b.ReportAllocs()
	for b.Loop() {
		Format(s)
	}
}
