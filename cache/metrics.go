package cache

import "sync/atomic"

// Metrics are the figures of a Cache. Counts run since New.
type Metrics struct {
	// Hits and Misses count Gets and Lookups; Shared counts Gets that waited for the load of another.
	Hits, Misses, Shared int64
	// Loads counts calls of loaders, LoadErrors those that failed.
	Loads, LoadErrors int64
	// Evictions counts entries that made room, Rejected those that the policy or the budget did not take.
	Evictions, Rejected int64
	// Bytes is the cost of all entries with overhead, Entries their number, MaxBytes the limit.
	Bytes, Entries, MaxBytes int64
}

// counters are the live figures.
type counters struct {
	hits, misses, shared, loads, loadErrors, evictions, rejected, bytes, entries atomic.Int64
}

// Metrics returns the present figures. They are read one by one, so under load they may differ by what happened between.
func (c *Cache[K, V]) Metrics() Metrics {
	s := &c.stats
	return Metrics{
		Hits: s.hits.Load(), Misses: s.misses.Load(), Shared: s.shared.Load(),
		Loads: s.loads.Load(), LoadErrors: s.loadErrors.Load(),
		Evictions: s.evictions.Load(), Rejected: s.rejected.Load(),
		Bytes: s.bytes.Load(), Entries: s.entries.Load(), MaxBytes: c.maxBytes.Load(),
	}
}
