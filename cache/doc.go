// Package cache holds byte-bounded caches with single-flight loading, and the memory budgets of the engine.
// It must not know what is cached: keys, costs and loaders come from above, and files are read by the loaders only.
// Everything here is safe for concurrent use except Account, which belongs to one goroutine.
//
// # Ownership
//
// Cached values are immutable and never pooled. Eviction drops a reference and nothing else, so a caller may keep what it got
// for ever; such values then count in the caller's budget, not in the cache's.
//
// # How a Cache works
//
// Ristretto decides what stays: TinyLFU admission, sampled LFU eviction, costs in bytes. It applies writes in the background and
// may drop them, so a Cache keeps an exact index beside it. An entry is in the index from the moment its load ends until
// ristretto lets it go; a lookup that ristretto does not answer yet is answered from the index. The index also finds the
// entries of a group (a segment) to delete them, and the cold ones to give memory back.
package cache
