package cache

import (
	"context"
	"errors"
	"hash/maphash"
	"math"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/ristretto/v2"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

const (
	// entryOverheadBytes is charged per entry on top of its cost: the entry, its places in the index and in ristretto's store,
	// policy and counters.
	entryOverheadBytes = 256
	// shardCount bounds contention on the index; it is far above the number of workers that miss at one moment.
	shardCount = 16
	// defaultEntryBytes is the assumed mean cost of an entry, the size of a typical decoded page.
	defaultEntryBytes = 32 << 10
	// countersPerEntry is ristretto's advice for the frequency counters.
	countersPerEntry = 10
	// Bounds of the number of counters; each takes about three bytes.
	minCounters = 1 << 12
	maxCounters = 1 << 22
	// getBufferItems is ristretto's advice for the read buffer.
	getBufferItems = 64
	// slackShare is the part of the limit by which writes that ristretto has not applied yet may exceed it (1/16).
	slackShare = 16
	// noExpirySeconds keeps ristretto's expiry ticker quiet: entries have no lifetime.
	noExpirySeconds = 3600
)

// Config describes a Cache.
type Config[K comparable] struct {
	// Name appears in metrics and errors.
	Name string
	// MaxBytes bounds the cost of all entries; 0 turns the cache off.
	MaxBytes int64
	// EntryBytes is the expected mean cost of an entry, 0 for 32 KiB. It sizes the frequency counters only.
	EntryBytes int64
	// Group returns the group of a key, for DeleteGroup: usually the segment id. Nil means that there are no groups.
	Group func(K) uint64
	// Budget, if not nil, is charged with the cost of the entries. An entry that finds no room there is not cached.
	Budget *Budget
	// Urgent entries make the lenders of Budget shrink when it is full; others are not cached then.
	Urgent bool
}

// Cache maps keys to immutable values, bounded in bytes. Make it with New; end it with Close.
type Cache[K comparable, V any] struct {
	name       string
	entryBytes int64
	group      func(K) uint64
	budget     *Budget
	urgent     bool
	seed       maphash.Seed
	shards     [shardCount]shard[K, V]

	// life guards policy against use after its end: ristretto panics when used while it closes.
	life     sync.RWMutex
	policy   *ristretto.Cache[uint64, *entry[K, V]] // nil while the cache is off
	maxBytes atomic.Int64

	clock atomic.Uint32 // the shard at which the next Shrink begins
	stats counters
}

// entry is one cached value.
type entry[K comparable, V any] struct {
	key   K
	hash  uint64
	value V
	cost  int64
	// dead entries left the index; ristretto may still hold them for a moment.
	dead atomic.Bool
	// used is set by hits and cleared by Shrink, which takes entries without it first.
	used atomic.Bool
}

// shard is a part of the index.
type shard[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*entry[K, V]
	groups  map[uint64]map[K]struct{}
	calls   map[K]*call[V]
}

// call is a load in progress.
type call[V any] struct {
	done chan struct{} // closed when value and err are set
	// doomed loads answer those who wait but are not cached: the key was deleted or set meanwhile. Guarded by shard.mu.
	doomed bool
	value  V
	err    error
}

// New makes a cache.
func New[K comparable, V any](cfg Config[K]) *Cache[K, V] {
	c := &Cache[K, V]{
		name: cfg.Name, entryBytes: cfg.EntryBytes, group: cfg.Group,
		budget: cfg.Budget, urgent: cfg.Urgent, seed: maphash.MakeSeed(),
	}
	if c.entryBytes <= 0 {
		c.entryBytes = defaultEntryBytes
	}
	for i := range c.shards {
		c.shards[i].reset()
		c.shards[i].calls = make(map[K]*call[V])
	}
	c.Resize(cfg.MaxBytes)
	return c
}

// Name returns the name from the Config.
func (c *Cache[K, V]) Name() string { return c.name }

// Get returns the value of key, calling load if it is not cached. Load returns the value and its size in bytes.
//
// Concurrent Gets of one key load once. The load runs in the goroutine of the first caller and does not stop when others that
// wait for it are cancelled; those return an error of kind Canceled at once. If the first caller's own load ends with a
// cancellation, one of the others loads again. A load that fails caches nothing. A load that panics does so in its own
// goroutine, and those who wait get an Internal error. A load must not Get its own key. With the cache off, every Get calls its own load.
func (c *Cache[K, V]) Get(ctx context.Context, key K, load func() (V, int64, error)) (V, error) {
	hash := c.hash(key)
	if v, ok := c.find(key, hash); ok {
		c.stats.hits.Add(1)
		return v, nil
	}
	var zero V
	if c.maxBytes.Load() == 0 {
		c.stats.misses.Add(1)
		c.stats.loads.Add(1)
		v, _, err := load()
		if err != nil {
			c.stats.loadErrors.Add(1)
		}
		return v, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return zero, canceled(c.name, err)
		}
		e, cl, first := c.join(key, hash)
		switch {
		case e != nil:
			c.stats.hits.Add(1)
			return e.value, nil
		case first:
			c.stats.misses.Add(1)
			return c.run(key, hash, cl, load)
		}
		select {
		case <-cl.done:
		case <-ctx.Done():
			return zero, canceled(c.name, ctx.Err())
		}
		if cl.err == nil {
			c.stats.shared.Add(1)
			return cl.value, nil
		}
		if !isCancel(cl.err) {
			return zero, cl.err
		}
	}
}

// join returns the live entry of key, or the load in progress, or starts one for the caller to run.
func (c *Cache[K, V]) join(key K, hash uint64) (e *entry[K, V], cl *call[V], first bool) {
	s := c.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[key]; e != nil {
		return e, nil, false
	}
	if cl := s.calls[key]; cl != nil {
		return nil, cl, false
	}
	cl = &call[V]{done: make(chan struct{})}
	s.calls[key] = cl
	return nil, cl, true
}

// run loads and makes the result known. It never recovers: a panic goes on in the caller's goroutine.
func (c *Cache[K, V]) run(key K, hash uint64, cl *call[V], load func() (V, int64, error)) (V, error) {
	returned := false
	var cost int64
	defer func() {
		if !returned {
			cl.err = sqlerr.New(sqlerr.Internal, "load into cache %s did not return", c.name)
		}
		c.finish(key, hash, cl, cost)
	}()
	c.stats.loads.Add(1)
	cl.value, cost, cl.err = load()
	returned = true
	return cl.value, cl.err
}

// finish ends a load and caches its value unless it failed or was doomed.
func (c *Cache[K, V]) finish(key K, hash uint64, cl *call[V], cost int64) {
	var e *entry[K, V]
	if cl.err == nil {
		e = c.newEntry(key, hash, cl.value, cost)
	} else {
		c.stats.loadErrors.Add(1)
	}
	charged := e != nil && c.charge(e)
	c.life.RLock()
	defer c.life.RUnlock()
	s := c.shard(hash)
	s.mu.Lock()
	admitted := charged && !cl.doomed && c.policy != nil
	if !cl.doomed {
		delete(s.calls, key)
	}
	if admitted {
		c.insert(s, e)
	}
	s.mu.Unlock()
	// Only now: who waits must find the entry when it asks again.
	close(cl.done)
	switch {
	case admitted:
		c.admit(e)
	case charged:
		c.release(e.cost)
	}
}

// Lookup returns the value of key if it is cached.
func (c *Cache[K, V]) Lookup(key K) (V, bool) {
	hash := c.hash(key)
	v, ok := c.find(key, hash)
	if !ok && c.maxBytes.Load() > 0 {
		s := c.shard(hash)
		s.mu.Lock()
		e := s.entries[key]
		s.mu.Unlock()
		if e != nil {
			v, ok = e.value, true
		}
	}
	if ok {
		c.stats.hits.Add(1)
	} else {
		c.stats.misses.Add(1)
	}
	return v, ok
}

// find asks ristretto, which counts the access. It misses entries that ristretto has not stored yet.
func (c *Cache[K, V]) find(key K, hash uint64) (v V, ok bool) {
	c.life.RLock()
	defer c.life.RUnlock()
	if c.policy == nil {
		return v, false
	}
	e, ok := c.policy.Get(hash)
	if !ok || e.key != key {
		return v, false
	}
	if e.dead.Load() {
		// It was deleted while ristretto was about to store it.
		c.policy.Del(hash)
		return v, false
	}
	if !e.used.Load() {
		e.used.Store(true)
	}
	return e.value, true
}

// Set caches a value of costBytes, replacing what is there; a load of the key that is in progress will not replace it.
// The value can be read at once, but may be evicted as any other.
func (c *Cache[K, V]) Set(key K, value V, costBytes int64) {
	hash := c.hash(key)
	e := c.newEntry(key, hash, value, costBytes)
	c.Delete(key)
	if !c.charge(e) {
		return
	}
	c.life.RLock()
	defer c.life.RUnlock()
	if c.policy == nil {
		c.release(e.cost)
		return
	}
	s := c.shard(hash)
	s.mu.Lock()
	c.doom(s, key)
	old := c.remove(s, key)
	c.insert(s, e)
	s.mu.Unlock()
	if old {
		// Another Set came between; see forget.
		c.policy.Del(hash)
		c.policy.Wait()
	}
	c.admit(e)
}

// charge reserves the cost of an entry, giving up cold entries for it, and reports whether it may be cached.
// The caller holds no lock: the budget may call Shrink.
func (c *Cache[K, V]) charge(e *entry[K, V]) bool {
	maxBytes := c.maxBytes.Load()
	if maxBytes == 0 {
		return false
	}
	if e.cost <= maxBytes && c.reserve(e.cost) {
		return true
	}
	c.stats.rejected.Add(1)
	return false
}

func (c *Cache[K, V]) reserve(n int64) bool {
	switch {
	case c.budget == nil:
		return true
	case c.urgent:
		return c.budget.Reserve(n) == nil
	case c.budget.TryReserve(n):
		return true
	}
	// Others use our memory. Entries that nobody asked for lately make room, so that the cache still follows the workload.
	c.evictCold(n, false)
	return c.budget.TryReserve(n)
}

// admit hands an entry of the index to ristretto. The caller holds life for reading and no shard.
func (c *Cache[K, V]) admit(e *entry[K, V]) {
	if !c.policy.Set(e.hash, e, e.cost) {
		c.stats.rejected.Add(1)
		c.drop(e)
		return
	}
	if e.dead.Load() {
		// Deleted before ristretto had it.
		c.policy.Del(e.hash)
	}
	maxBytes := c.maxBytes.Load()
	if c.stats.bytes.Load() > maxBytes+maxBytes/slackShare {
		c.policy.Wait()
	}
}

func (c *Cache[K, V]) newEntry(key K, hash uint64, value V, cost int64) *entry[K, V] {
	cost = min(max(cost, 0), math.MaxInt64-entryOverheadBytes) + entryOverheadBytes
	return &entry[K, V]{key: key, hash: hash, value: value, cost: cost}
}

func (c *Cache[K, V]) hash(key K) uint64 { return maphash.Comparable(c.seed, key) }

func (c *Cache[K, V]) shard(hash uint64) *shard[K, V] { return &c.shards[hash%shardCount] }

func canceled(name string, err error) error {
	return sqlerr.Wrap(sqlerr.Canceled, err, "wait for cache %s", name)
}

// isCancel reports whether an error speaks of the goroutine that got it and not of what it loaded.
func isCancel(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || sqlerr.KindOf(err) == sqlerr.Canceled
}
