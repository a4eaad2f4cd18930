package cache

import (
	"math"
	"sync"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

func TestBudgetTree(t *testing.T) {
	root := NewBudget("the server", 100<<20)
	query := root.Child("query 7", 0)
	join := query.Child("hash join", 60<<20)
	f := func(b *Budget, n int64, want string) {
		t.Helper()
		err := b.Reserve(n)
		got := ""
		if err != nil {
			got = err.Error()
			if sqlerr.KindOf(err) != sqlerr.Resource {
				t.Errorf("kind of %v is %s", err, sqlerr.KindOf(err))
			}
		}
		if got != want {
			t.Errorf("Reserve(%d) = %q\nwant %q", n, got, want)
		}
	}
	const hint = "; raise max_query_memory or --memory-limit, run fewer queries at once, or make the query read less"
	f(join, 50<<20, "")
	f(join, 11<<20, "resource limit: not enough memory: 11.0 MiB wanted, but hash join has 50.0 MiB of its limit of 60.0 MiB in use"+hint)
	f(query, 45<<20, "")
	f(join, 10<<20, "resource limit: not enough memory for hash join: 10.0 MiB wanted, but the server has 95.0 MiB of its limit of 100.0 MiB in use"+hint)
	f(join, math.MaxInt64, "resource limit: not enough memory: 8.0 EiB wanted, but hash join has 50.0 MiB of its limit of 60.0 MiB in use"+hint)
	f(query, 5<<20, "")
	if root.Used() != 100<<20 || query.Used() != 100<<20 || join.Used() != 50<<20 {
		t.Errorf("used: %d %d %d", root.Used(), query.Used(), join.Used())
	}
	join.Release(20 << 20)
	if left := join.Close(); left != 30<<20 {
		t.Errorf("Close = %d", left)
	}
	if left := query.Close(); left != 50<<20 || root.Used() != 0 || root.Peak() != 100<<20 || join.Peak() != 50<<20 {
		t.Errorf("Close = %d, used %d, peaks %d %d", left, root.Used(), root.Peak(), join.Peak())
	}
	defer func() {
		if r := recover(); r != "BUG: memory budget query 7 released 1 bytes more than it had" {
			t.Errorf("Release of too much: %v", r)
		}
	}()
	query.Release(1)
}

func TestBudgetAsksShrinkers(t *testing.T) {
	root := NewBudget("root", 1000)
	lent := root.Child("lender", 0)
	query := root.Child("query", 0)
	var asked []int64
	root.AddShrinker(func(want int64) int64 {
		asked = append(asked, want)
		give := min(want, lent.Used())
		lent.Release(give)
		return give
	})
	if err := lent.Reserve(800); err != nil {
		t.Fatal(err)
	}
	if query.TryReserve(300) {
		t.Error("TryReserve made the lender shrink")
	}
	if err := query.Reserve(300); err != nil || lent.Used() != 700 || root.Used() != 1000 {
		t.Errorf("Reserve = %v, lender keeps %d", err, lent.Used())
	}
	if err := query.Reserve(1001); err == nil {
		t.Error("more than the limit was reserved")
	}
	if err := query.Reserve(800); err == nil || lent.Used() != 0 {
		t.Errorf("Reserve = %v, lender keeps %d", err, lent.Used())
	}
	if len(asked) != 3 || asked[0] != 100 || asked[1] != 800 || asked[2] != 100 {
		t.Errorf("the lender was asked for %v", asked)
	}
}

func TestBudgetConcurrent(t *testing.T) {
	root := NewBudget("root", 1<<20)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			q := root.Child("query", 0)
			for i := range int64(2000) {
				n := i * 97 % 200_000
				if q.Reserve(n) == nil {
					q.Release(n)
				}
			}
			q.Close()
		})
	}
	wg.Wait()
	if root.Used() != 0 || root.Peak() > 1<<20 {
		t.Errorf("used %d, peak %d", root.Used(), root.Peak())
	}
}

func TestAccount(t *testing.T) {
	b := NewBudget("operator", 3*accountChunkBytes)
	a := b.Account()
	f := func(err error, wantUsed, wantHeld int64) {
		t.Helper()
		if err != nil || a.Used() != wantUsed || b.Used() != wantHeld {
			t.Errorf("%v: used %d, held %d; want %d, %d", err, a.Used(), b.Used(), wantUsed, wantHeld)
		}
	}
	const chunk = accountChunkBytes
	f(a.Grow(1), 1, chunk)
	f(a.Grow(chunk-1), chunk, chunk)
	f(a.Resize(2*chunk+1), 2*chunk+1, 2*chunk+1)
	f(a.Grow(chunk-1), 3*chunk, 3*chunk)
	if err := a.Grow(1); sqlerr.KindOf(err) != sqlerr.Resource {
		t.Errorf("Grow over the limit = %v", err)
	}
	f(a.Resize(10), 10, chunk+10)
	b.SetLimit(chunk + 20)
	f(a.Grow(chunk+5), chunk+15, chunk+15)
	a.Close()
	f(nil, 0, 0)
}

func TestMemoryShares(t *testing.T) {
	const limit = 1000 << 20
	m := NewMemory(limit, 20)
	f := func(b *Budget, wantMiB int64) {
		t.Helper()
		if b.Limit() != wantMiB<<20 {
			t.Errorf("%s: limit %d MiB, want %d", b.Name(), b.Limit()>>20, wantMiB)
		}
	}
	f(m.Root, 1000)
	f(m.Queries, 850)
	f(m.Caches, 250)
	f(m.Pages, 250)
	f(m.Metadata, 200)
	m.SetLimits(limit, 50)
	f(m.Metadata, 250)

	pages := New[int, []byte](Config[int]{Name: "pages", MaxBytes: m.Pages.Limit(), Budget: m.Pages})
	defer pages.Close()
	metadata := New[int, []byte](Config[int]{Name: "metadata", MaxBytes: m.Metadata.Limit(), Budget: m.Metadata, Urgent: true})
	defer metadata.Close()
	m.Lend(pages.Shrink, metadata.Shrink)
	for i := range 249 {
		pages.Set(i, nil, 1<<20-entryOverheadBytes)
	}
	// Metadata takes the place of pages.
	for i := range 100 {
		metadata.Set(i, nil, 1<<20-entryOverheadBytes)
	}
	if p, d := pages.Metrics().Entries, metadata.Metrics().Entries; p != 150 || d != 100 {
		t.Errorf("%d pages, %d metadata entries", p, d)
	}
	// Pages do not take the place of metadata.
	pages.Set(1000, nil, 60<<20)
	if d := metadata.Metrics().Entries; d != 100 {
		t.Errorf("%d metadata entries", d)
	}
	// Queries have 600 MiB for sure and more when the caches shrink; the pages shrink first.
	query := m.Queries.Child("query", 0)
	if err := query.Reserve(740 << 20); err != nil {
		t.Fatal(err)
	}
	if d := metadata.Metrics().Entries; d != 100 {
		t.Errorf("%d metadata entries with 740 MiB of queries", d)
	}
	if err := query.Reserve(110 << 20); err != nil {
		t.Fatal(err)
	}
	if p, d := pages.Metrics().Entries, metadata.Metrics().Entries; p != 0 || d != 0 {
		t.Errorf("%d pages, %d metadata entries under full load", p, d)
	}
	if err := query.Reserve(1); sqlerr.KindOf(err) != sqlerr.Resource {
		t.Errorf("Reserve over everything = %v", err)
	}
	query.Close()
	if m.Root.Used() != 0 {
		t.Errorf("left: %d", m.Root.Used())
	}
	if got := DefaultMemoryLimit(math.MaxInt64); got != math.MaxInt64/100*70+(math.MaxInt64%100)*70/100 {
		t.Errorf("DefaultMemoryLimit = %d", got)
	}
}

func TestFormatBytes(t *testing.T) {
	f := func(n int64, want string) {
		t.Helper()
		if got := FormatBytes(n); got != want {
			t.Errorf("FormatBytes(%d) = %q, want %q", n, got, want)
		}
	}
	f(0, "0 B")
	f(1023, "1023 B")
	f(1536, "1.5 KiB")
	f(8<<30, "8.0 GiB")
}

func BenchmarkReserveThreeLevels(b *testing.B) {
	op := NewBudget("a", 1<<40).Child("b", 0).Child("c", 0)
	for b.Loop() {
		_ = op.Reserve(1)
		op.Release(1)
	}
}
