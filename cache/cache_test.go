package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

type pageKey struct {
	segment uint64
	page    uint32
}

func newPages(t *testing.T, cfg Config[pageKey]) *Cache[pageKey, []byte] {
	t.Helper()
	cfg.Name = "pages"
	cfg.Group = func(k pageKey) uint64 { return k.segment }
	c := New[pageKey, []byte](cfg)
	t.Cleanup(func() {
		c.Close()
		if m := c.Metrics(); m.Bytes != 0 || m.Entries != 0 {
			t.Errorf("after Close: %+v", m)
		}
		if cfg.Budget != nil && cfg.Budget.Used() != 0 {
			t.Errorf("after Close the budget has %d bytes in use", cfg.Budget.Used())
		}
	})
	return c
}

func loadOf(s string) func() ([]byte, int64, error) {
	return func() ([]byte, int64, error) { return []byte(s), int64(len(s)), nil }
}

func mustGet(t *testing.T, c *Cache[pageKey, []byte], k pageKey, load func() ([]byte, int64, error)) string {
	t.Helper()
	v, err := c.Get(context.Background(), k, load)
	if err != nil {
		t.Fatal(err)
	}
	return string(v)
}

func never() ([]byte, int64, error) { panic("BUG: loaded what should be cached") }

// TestReadAfterWrite reads at once what was loaded or set, many times over, since ristretto alone would often miss.
func TestReadAfterWrite(t *testing.T) {
	c := newPages(t, Config[pageKey]{MaxBytes: 64 << 20})
	for i := range uint32(2000) {
		k := pageKey{1, i}
		want := fmt.Sprint(i)
		if got := mustGet(t, c, k, loadOf(want)); got != want {
			t.Fatalf("Get = %q", got)
		}
		if got := mustGet(t, c, k, never); got != want {
			t.Fatalf("second Get = %q", got)
		}
		c.Set(k, []byte("new"), 3)
		if v, ok := c.Lookup(k); !ok || string(v) != "new" {
			t.Fatalf("Lookup after Set %d = %q, %v", i, v, ok)
		}
		if i%3 == 0 {
			c.Delete(k)
			if _, ok := c.Lookup(k); ok {
				t.Fatalf("key %d is there after Delete", i)
			}
		}
	}
	m := c.Metrics()
	if m.Entries != 1333 || m.Bytes != 1333*(3+entryOverheadBytes) || m.Loads != 2000 || m.Misses != 2000+667 || m.Hits != 4000 {
		t.Errorf("metrics: %+v", m)
	}
}

func TestOff(t *testing.T) {
	c := newPages(t, Config[pageKey]{})
	k := pageKey{1, 1}
	for i := range 3 {
		want := fmt.Sprint(i)
		if got := mustGet(t, c, k, loadOf(want)); got != want {
			t.Errorf("Get = %q", got)
		}
	}
	c.Set(k, nil, 1)
	c.Delete(k)
	if c.DeleteGroup(1) != 0 || c.Shrink(10) != 0 {
		t.Error("there was something in a cache that is off")
	}
	if m := c.Metrics(); m.Loads != 3 || m.Entries != 0 {
		t.Errorf("metrics: %+v", m)
	}
	c.Resize(1 << 20)
	mustGet(t, c, k, loadOf("on"))
	if got := mustGet(t, c, k, never); got != "on" {
		t.Errorf("Get = %q", got)
	}
	c.Resize(0)
	if got := mustGet(t, c, k, loadOf("off")); got != "off" {
		t.Errorf("Get = %q", got)
	}
}

func TestBounded(t *testing.T) {
	const limit = 1 << 20
	c := newPages(t, Config[pageKey]{MaxBytes: limit, EntryBytes: 1 << 10})
	for i := range uint32(5000) {
		mustGet(t, c, pageKey{uint64(i % 7), i}, loadOf(strings.Repeat("x", 1000)))
		if m := c.Metrics(); m.Bytes > limit+limit/slackShare+1000+entryOverheadBytes {
			t.Fatalf("%d bytes after %d loads", m.Bytes, i)
		}
	}
	m := c.Metrics()
	if m.Evictions+m.Rejected+m.Entries != 5000 || m.Bytes != m.Entries*(1000+entryOverheadBytes) || m.Entries < 700 {
		t.Errorf("metrics: %+v", m)
	}
	// What is larger than the cache passes through.
	if got := mustGet(t, c, pageKey{9, 9}, func() ([]byte, int64, error) { return []byte("big"), limit, nil }); got != "big" {
		t.Errorf("Get = %q", got)
	}
	if _, ok := c.Lookup(pageKey{9, 9}); ok {
		t.Error("an entry larger than the cache was cached")
	}
	c.Resize(limit / 4)
	if m := c.Metrics(); m.Bytes > limit/4 || m.MaxBytes != limit/4 || m.Bytes < limit/4-2*(1000+entryOverheadBytes) {
		t.Errorf("after Resize: %+v", m)
	}
}

func TestDeleteGroup(t *testing.T) {
	c := newPages(t, Config[pageKey]{MaxBytes: 1 << 20})
	for i := range uint32(60) {
		mustGet(t, c, pageKey{uint64(i % 3), i}, loadOf("v"))
	}
	if n := c.DeleteGroup(1); n != 20 {
		t.Errorf("DeleteGroup = %d", n)
	}
	if n := c.DeleteGroup(1); n != 0 {
		t.Errorf("second DeleteGroup = %d", n)
	}
	for i := range uint32(60) {
		if _, ok := c.Lookup(pageKey{uint64(i % 3), i}); ok != (i%3 != 1) {
			t.Errorf("key %d cached: %v", i, ok)
		}
	}
	// A load that was under way when its segment went is answered but not cached.
	k := pageKey{1, 500}
	got := mustGet(t, c, k, func() ([]byte, int64, error) {
		c.DeleteGroup(1)
		return []byte("late"), 4, nil
	})
	if _, ok := c.Lookup(k); got != "late" || ok {
		t.Errorf("Get = %q, cached %v", got, ok)
	}
	// A Set during a load wins.
	mustGet(t, c, k, func() ([]byte, int64, error) {
		c.Set(k, []byte("set"), 3)
		return []byte("loaded"), 6, nil
	})
	if v, _ := c.Lookup(k); string(v) != "set" {
		t.Errorf("Lookup = %q", v)
	}
}

func TestLoadErrorsAreNotCached(t *testing.T) {
	c := newPages(t, Config[pageKey]{MaxBytes: 1 << 20})
	boom := errors.New("boom")
	if _, err := c.Get(context.Background(), pageKey{}, func() ([]byte, int64, error) { return nil, 0, boom }); err != boom {
		t.Errorf("Get = %v", err)
	}
	if got := mustGet(t, c, pageKey{}, loadOf("ok")); got != "ok" {
		t.Errorf("Get = %q", got)
	}
	if m := c.Metrics(); m.Loads != 2 || m.LoadErrors != 1 || m.Entries != 1 {
		t.Errorf("metrics: %+v", m)
	}
}

// inFlight starts a Get whose load waits for release and then answers by end. The Get is loading when inFlight returns.
func inFlight(c *Cache[pageKey, []byte], k pageKey, end func() ([]byte, int64, error)) (release func(), result chan error) {
	started, goOn := make(chan struct{}), make(chan struct{})
	result = make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				result <- fmt.Errorf("panic: %v", r)
			}
		}()
		_, err := c.Get(context.Background(), k, func() ([]byte, int64, error) {
			close(started)
			<-goOn
			return end()
		})
		result <- err
	}()
	<-started
	return func() { close(goOn) }, result
}

// join starts a Get that is to wait for the load in progress. Its own load is second.
func join(ctx context.Context, c *Cache[pageKey, []byte], k pageKey, second func() ([]byte, int64, error)) chan string {
	out := make(chan string, 1)
	entered := make(chan struct{})
	go func() {
		close(entered)
		v, err := c.Get(ctx, k, second)
		out <- fmt.Sprintf("%s %v", v, err)
	}()
	<-entered
	for range 100 {
		runtime.Gosched()
	}
	return out
}

func TestSingleFlight(t *testing.T) {
	c := newPages(t, Config[pageKey]{MaxBytes: 1 << 20})
	release, result := inFlight(c, pageKey{1, 1}, loadOf("one"))
	var outs []chan string
	for range 10 {
		outs = append(outs, join(context.Background(), c, pageKey{1, 1}, never))
	}
	release()
	for _, out := range outs {
		if got := <-out; got != "one <nil>" {
			t.Errorf("Get = %q", got)
		}
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
	if m := c.Metrics(); m.Loads != 1 || m.Misses != 1 || m.Shared+m.Hits != 10 {
		t.Errorf("metrics: %+v", m)
	}
}

func TestCancelledWaiter(t *testing.T) {
	c := newPages(t, Config[pageKey]{MaxBytes: 1 << 20})
	release, result := inFlight(c, pageKey{1, 1}, loadOf("one"))
	ctx, cancel := context.WithCancel(context.Background())
	impatient := join(ctx, c, pageKey{1, 1}, never)
	patient := join(context.Background(), c, pageKey{1, 1}, never)
	cancel()
	if got := <-impatient; got != " canceled: wait for cache pages: context canceled" {
		t.Errorf("cancelled Get = %q", got)
	}
	release()
	if got := <-patient; got != "one <nil>" {
		t.Errorf("patient Get = %q", got)
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
	if _, err := c.Get(ctx, pageKey{2, 2}, never); sqlerr.KindOf(err) != sqlerr.Canceled {
		t.Errorf("Get with a cancelled context = %v", err)
	}
}

func TestCancelledLoader(t *testing.T) {
	c := newPages(t, Config[pageKey]{MaxBytes: 1 << 20})
	release, result := inFlight(c, pageKey{1, 1}, func() ([]byte, int64, error) { return nil, 0, context.Canceled })
	other := join(context.Background(), c, pageKey{1, 1}, loadOf("two"))
	release()
	if got := <-other; got != "two <nil>" {
		t.Errorf("Get = %q", got)
	}
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPanickingLoader(t *testing.T) {
	c := newPages(t, Config[pageKey]{MaxBytes: 1 << 20})
	k := pageKey{1, 1}
	release, result := inFlight(c, k, func() ([]byte, int64, error) { panic("BUG: oh") })
	other := join(context.Background(), c, k, loadOf("two"))
	release()
	if err := <-result; err == nil || err.Error() != "panic: BUG: oh" {
		t.Errorf("the first caller got %v", err)
	}
	// The other waited, or came too late for it and loaded.
	if got := <-other; got != " internal error: load into cache pages did not return" && got != "two <nil>" {
		t.Errorf("Get = %q", got)
	}
	c.Delete(k)
	if got := mustGet(t, c, k, loadOf("three")); got != "three" {
		t.Errorf("Get after the panic = %q", got)
	}
}

func TestShrinkTakesColdEntriesFirst(t *testing.T) {
	budget := NewBudget("root", 0)
	c := newPages(t, Config[pageKey]{MaxBytes: 1 << 20, Budget: budget})
	const cost = 100 + entryOverheadBytes
	for i := range uint32(100) {
		mustGet(t, c, pageKey{1, i}, func() ([]byte, int64, error) { return nil, 100, nil })
	}
	c.settle(func() {}) // hits count once ristretto has the entries
	for i := range uint32(50) {
		mustGet(t, c, pageKey{1, i}, never)
	}
	if freed := c.Shrink(50 * cost); freed != 50*cost {
		t.Errorf("Shrink = %d", freed)
	}
	for i := range uint32(100) {
		if _, ok := c.Lookup(pageKey{1, i}); ok != (i < 50) {
			t.Errorf("key %d cached: %v", i, ok)
		}
	}
	if budget.Used() != 50*cost {
		t.Errorf("budget: %d", budget.Used())
	}
	if freed := c.Shrink(1 << 30); freed != 50*cost || c.Metrics().Entries != 0 || c.Metrics().Evictions != 100 {
		t.Errorf("Shrink of everything = %d, %+v", freed, c.Metrics())
	}
}

// TestConcurrent mixes everything and checks values, bounds and the books at the end.
func TestConcurrent(t *testing.T) {
	budget := NewBudget("root", 300<<10)
	c := newPages(t, Config[pageKey]{MaxBytes: 400 << 10, EntryBytes: 1 << 10, Budget: budget})
	budget.AddShrinker(c.Shrink)
	queries := budget.Child("queries", 0)
	// Versions only grow; a Get must never answer with a version older than one whose Delete or Set had ended before.
	var versions [64]atomic.Int64
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 2))
			for range 3000 {
				i := rng.IntN(len(versions))
				k := pageKey{uint64(i % 5), uint32(i)}
				switch rng.IntN(20) {
				case 0:
					versions[i].Add(1)
					c.Delete(k)
				case 1:
					c.DeleteGroup(uint64(rng.IntN(5)))
				case 2:
					c.Resize(int64(rng.IntN(2)) * 400 << 10)
				case 3:
					n := int64(rng.IntN(50 << 10))
					if queries.Reserve(n) == nil {
						queries.Release(n)
					}
				default:
					least := versions[i].Load()
					v, err := c.Get(context.Background(), k, func() ([]byte, int64, error) {
						return fmt.Appendf(nil, "%d", versions[i].Load()), int64(rng.IntN(20 << 10)), nil
					})
					var got int64
					if _, serr := fmt.Sscan(string(v), &got); err != nil || serr != nil || got < least-8 {
						t.Errorf("Get = %q, %v; least %d", v, err, least)
					}
				}
			}
		})
	}
	wg.Wait()
	c.Resize(400 << 10)
	mustGet(t, c, pageKey{99, 99}, loadOf("x"))
	c.settle(func() {})
	m := c.Metrics()
	var bytes, entries int64
	for i := range c.shards {
		for _, e := range c.shards[i].entries {
			bytes += e.cost
			entries++
			if e.dead.Load() {
				t.Error("a dead entry is in the index")
			}
		}
		if len(c.shards[i].calls) != 0 {
			t.Error("a load is still in progress")
		}
	}
	if m.Bytes != bytes || m.Entries != entries || budget.Used() != bytes || queries.Used() != 0 {
		t.Errorf("books: %+v, counted %d bytes, %d entries, budget %d", m, bytes, entries, budget.Used())
	}
	if budget.Peak() > 300<<10 {
		t.Errorf("the budget was exceeded: %d", budget.Peak())
	}
}

func BenchmarkHit(b *testing.B) {
	c := New[pageKey, []byte](Config[pageKey]{MaxBytes: 64 << 20})
	defer c.Close()
	for i := range uint32(1000) {
		c.Set(pageKey{1, i}, nil, 1000)
	}
	b.ReportAllocs()
	i := uint32(0)
	for b.Loop() {
		i++
		c.Lookup(pageKey{1, i % 1000})
	}
}

func BenchmarkMiss(b *testing.B) {
	c := New[pageKey, []byte](Config[pageKey]{MaxBytes: 64 << 20})
	defer c.Close()
	b.ReportAllocs()
	i := uint32(0)
	for b.Loop() {
		i++
		_, _ = c.Get(context.Background(), pageKey{1, i}, func() ([]byte, int64, error) { return nil, 32 << 10, nil })
	}
}
