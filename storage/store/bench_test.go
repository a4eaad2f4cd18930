package store

import (
	"testing"

	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/vfs"
)

// BenchmarkCommit measures commits of one row on a real disk, each alone and from many goroutines at once.
func BenchmarkCommit(b *testing.B) {
	open := func(b *testing.B) (*Store, *catalog.Table) {
		s, err := Open(Options{FS: vfs.OS, Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		t := newTable(s, "t")
		mustCommit(b, s, &catalog.CreateTable{Table: t})
		return s, t
	}
	b.Run("alone", func(b *testing.B) {
		s, t := open(b)
		for b.Loop() {
			mustCommit(b, s, batch(s, t.ID, 1, 1))
		}
		mustClose(b, s)
	})
	b.Run("together", func(b *testing.B) {
		s, t := open(b)
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := s.Commit(bg, &catalog.Edit{Ops: []catalog.Op{batch(s, t.ID, 1, 1)}}, nil); err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(s.Stats().Commits)/float64(s.Stats().Records), "commits/sync")
		mustClose(b, s)
	})
}
