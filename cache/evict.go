package cache

import (
	"github.com/dgraph-io/ristretto/v2"
)

// Delete forgets a key. A load in progress still answers those who wait for it, but is not cached.
func (c *Cache[K, V]) Delete(key K) {
	hash := c.hash(key)
	s := c.shard(hash)
	s.mu.Lock()
	c.doom(s, key)
	removed := c.remove(s, key)
	s.mu.Unlock()
	if removed {
		c.forget([]uint64{hash})
	}
}

// DeleteGroup forgets all keys of a group and returns how many entries it removed. Loads of such keys that are in progress are
// not cached. The cache must have been made with Config.Group.
func (c *Cache[K, V]) DeleteGroup(group uint64) int {
	if c.group == nil {
		panic("BUG: DeleteGroup of a cache without groups")
	}
	var hashes []uint64
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for key := range s.calls {
			if c.group(key) == group {
				c.doom(s, key)
			}
		}
		for key := range s.groups[group] {
			hashes = append(hashes, s.entries[key].hash)
			c.remove(s, key)
		}
		s.mu.Unlock()
	}
	c.forget(hashes)
	return len(hashes)
}

// Shrink evicts entries worth at least wantBytes if there are as many, those first that were not used since the last Shrink, and
// returns the bytes freed. It is a Shrinker for the budget that the cache shares with queries.
func (c *Cache[K, V]) Shrink(wantBytes int64) int64 {
	freed := c.evictCold(wantBytes, false)
	if freed < wantBytes {
		freed += c.evictCold(wantBytes-freed, true)
	}
	return freed
}

// evictCold goes over the index like the hand of a clock, once: it evicts entries that were not used since it last came by (or
// any entry) until want bytes are freed. The caller holds no lock.
func (c *Cache[K, V]) evictCold(want int64, anyEntry bool) (freed int64) {
	start := c.clock.Add(1)
	for i := range uint32(shardCount) {
		if freed >= want {
			break
		}
		s := &c.shards[(start+i)%shardCount]
		var hashes []uint64
		s.mu.Lock()
		for key, e := range s.entries {
			if freed >= want {
				break
			}
			if e.used.Swap(false) && !anyEntry {
				continue
			}
			freed += e.cost
			hashes = append(hashes, e.hash)
			c.remove(s, key)
		}
		s.mu.Unlock()
		c.stats.evictions.Add(int64(len(hashes)))
		c.forget(hashes)
	}
	return freed
}

// Resize changes the limit. Entries above it are evicted before it returns; 0 evicts everything and turns the cache off.
func (c *Cache[K, V]) Resize(maxBytes int64) {
	maxBytes = max(maxBytes, 0)
	c.life.Lock()
	c.maxBytes.Store(maxBytes)
	switch {
	case maxBytes == 0:
		c.turnOff()
	case c.policy == nil:
		c.policy = c.newPolicy(maxBytes)
	}
	c.life.Unlock()
	if maxBytes == 0 {
		return
	}
	// The new limit reaches ristretto only when there is room: otherwise its next writes would evict beside us, twice as much.
	c.settle(func() {})
	if over := c.stats.bytes.Load() - maxBytes; over > 0 {
		c.Shrink(over)
	}
	c.settle(func() { c.policy.UpdateMaxCost(c.maxBytes.Load()) })
}

// settle waits until ristretto has applied all writes and then calls f, unless the cache is off.
func (c *Cache[K, V]) settle(f func()) {
	c.life.RLock()
	defer c.life.RUnlock()
	if c.policy != nil {
		c.policy.Wait()
		f()
	}
}

// Close turns the cache off and ends its goroutines. Later calls work as on a cache that is off.
func (c *Cache[K, V]) Close() { c.Resize(0) }

// turnOff empties everything. The caller holds life for writing.
func (c *Cache[K, V]) turnOff() {
	if c.policy == nil {
		return
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for key := range s.entries {
			c.remove(s, key)
		}
		s.reset()
		s.mu.Unlock()
	}
	c.policy.Close()
	c.policy = nil
}

// newPolicy makes ristretto. Later growth by Resize keeps the number of counters, which costs accuracy only.
func (c *Cache[K, V]) newPolicy(maxBytes int64) *ristretto.Cache[uint64, *entry[K, V]] {
	// An entry that leaves because it was deleted, or that was deleted before ristretto saw it, is not an eviction.
	left := func(item *ristretto.Item[*entry[K, V]], counter func()) {
		if e := item.Value; e != nil && c.drop(e) {
			counter()
		}
	}
	p, err := ristretto.NewCache(&ristretto.Config[uint64, *entry[K, V]]{
		NumCounters:            min(max(maxBytes/c.entryBytes, minCounters/countersPerEntry)*countersPerEntry, maxCounters),
		MaxCost:                maxBytes,
		BufferItems:            getBufferItems,
		KeyToHash:              func(h uint64) (uint64, uint64) { return h, 0 },
		IgnoreInternalCost:     true,
		TtlTickerDurationInSec: noExpirySeconds,
		OnEvict: func(item *ristretto.Item[*entry[K, V]]) {
			left(item, func() { c.stats.evictions.Add(1) })
		},
		OnReject: func(item *ristretto.Item[*entry[K, V]]) {
			left(item, func() { c.stats.rejected.Add(1) })
		},
		// Every other way out: replaced by an entry whose key has the same hash.
		OnExit: func(e *entry[K, V]) {
			if e != nil {
				c.drop(e)
			}
		},
	})
	if err != nil {
		panic("BUG: ristretto refuses our configuration: " + err.Error())
	}
	return p
}

// forget removes hashes from ristretto, and waits until it has: a deletion that ristretto applied later could hit a new entry of
// the same key.
func (c *Cache[K, V]) forget(hashes []uint64) {
	c.life.RLock()
	defer c.life.RUnlock()
	if len(hashes) == 0 || c.policy == nil {
		return
	}
	for _, h := range hashes {
		c.policy.Del(h)
	}
	c.policy.Wait()
}

// insert puts an entry into the index. The caller holds the shard and has made sure that the key has no entry.
func (c *Cache[K, V]) insert(s *shard[K, V], e *entry[K, V]) {
	if s.entries[e.key] != nil {
		panic("BUG: a cache key was inserted twice")
	}
	s.entries[e.key] = e
	if c.group != nil {
		g := c.group(e.key)
		if s.groups[g] == nil {
			s.groups[g] = make(map[K]struct{})
		}
		s.groups[g][e.key] = struct{}{}
	}
	c.stats.bytes.Add(e.cost)
	c.stats.entries.Add(1)
}

// remove takes the entry of a key out of the index, if there is one. The caller holds the shard.
func (c *Cache[K, V]) remove(s *shard[K, V], key K) bool {
	e := s.entries[key]
	if e == nil {
		return false
	}
	e.dead.Store(true)
	delete(s.entries, key)
	if c.group != nil {
		g := c.group(key)
		delete(s.groups[g], key)
		if len(s.groups[g]) == 0 {
			delete(s.groups, g)
		}
	}
	c.stats.bytes.Add(-e.cost)
	c.stats.entries.Add(-1)
	c.release(e.cost)
	return true
}

// drop takes exactly this entry out of the index and reports whether it was there.
func (c *Cache[K, V]) drop(e *entry[K, V]) bool {
	s := c.shard(e.hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[e.key] == e && c.remove(s, e.key)
}

// doom keeps the load of a key that is in progress from being cached. The caller holds the shard.
func (c *Cache[K, V]) doom(s *shard[K, V], key K) {
	if cl := s.calls[key]; cl != nil {
		cl.doomed = true
		delete(s.calls, key)
	}
}

func (c *Cache[K, V]) release(n int64) {
	if c.budget != nil {
		c.budget.Release(n)
	}
}

func (s *shard[K, V]) reset() {
	s.entries = make(map[K]*entry[K, V])
	s.groups = make(map[uint64]map[K]struct{})
}
