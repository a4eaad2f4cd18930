package cache

const (
	// defaultMemoryPercent of the machine or cgroup is the default memory limit: the rest is for the Go runtime's own needs, the
	// operating system's file cache and what nobody counts.
	defaultMemoryPercent = 70
	// queryPercent and cachePercent are the shares of the memory limit. What remains is for delta batches, catalog and network.
	queryPercent = 60
	cachePercent = 25
)

// DefaultMemoryLimit returns the memory limit for a machine or cgroup with totalBytes.
func DefaultMemoryLimit(totalBytes int64) int64 { return percentOf(totalBytes, defaultMemoryPercent) }

// percentOf divides first, so that no total can overflow.
func percentOf(total int64, percent int) int64 {
	return total/100*int64(percent) + total%100*int64(percent)/100
}

// Memory is the tree of budgets of a server:
//
//	memory limit                      the limit
//	└─ queries and caches             85 %, where caches lend to queries
//	   ├─ queries                     60 % for sure, 85 % when the caches shrink
//	   └─ caches                      25 %
//	      ├─ segment metadata         segment_cache_memory_percentage of the limit, at most all of the caches
//	      └─ page cache               the rest: makes room for segment metadata and for queries
type Memory struct {
	Root, Queries, Caches, Metadata, Pages *Budget
	shared                                 *Budget
}

// NewMemory makes the tree. MetadataPercent is the value of segment_cache_memory_percentage.
func NewMemory(limitBytes int64, metadataPercent int) *Memory {
	root := NewBudget("the server", 0)
	shared := root.Child("queries and caches", 0)
	caches := shared.Child("the caches", 0)
	m := &Memory{
		Root: root, shared: shared, Queries: shared.Child("all queries", 0),
		Caches: caches, Metadata: caches.Child("segment metadata", 0), Pages: caches.Child("the page cache", 0),
	}
	m.SetLimits(limitBytes, metadataPercent)
	return m
}

// QueryLimit is the most one query may use unless it says otherwise: what queries have for sure.
func (m *Memory) QueryLimit() int64 { return percentOf(m.Root.Limit(), queryPercent) }

// SetLimits changes all limits for a new memory limit or metadata share. The caches are to be resized to Metadata.Limit and
// Pages.Limit then.
func (m *Memory) SetLimits(limitBytes int64, metadataPercent int) {
	working := percentOf(limitBytes, queryPercent+cachePercent)
	caches := percentOf(limitBytes, cachePercent)
	m.Root.SetLimit(limitBytes)
	m.shared.SetLimit(working)
	m.Queries.SetLimit(working)
	m.Caches.SetLimit(caches)
	m.Pages.SetLimit(caches)
	m.Metadata.SetLimit(min(percentOf(limitBytes, min(max(metadataPercent, 0), 100)), caches))
}

// Lend registers the shrinkers of the two caches. Queries shrink the pages first, then the metadata; metadata that uses
// Budget.Reserve shrinks the pages.
func (m *Memory) Lend(pages, metadata Shrinker) {
	m.shared.AddShrinker(pages)
	m.shared.AddShrinker(metadata)
	m.Caches.AddShrinker(pages)
}
