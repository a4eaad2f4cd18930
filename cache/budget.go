package cache

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Budget counts memory against a limit and against all its ancestors' limits. Make the root with NewBudget, the others with Child.
//
// Charging is a few atomic additions up the tree; hot loops put an Account before it. Using a Budget after its Close is a bug.
type Budget struct {
	name   string
	parent *Budget
	limit  atomic.Int64
	used   atomic.Int64
	peak   atomic.Int64

	mu        sync.Mutex
	shrinkers []Shrinker
}

// Shrinker gives memory back: it releases about wantBytes to the budget and returns what it released, 0 if it has nothing.
// It may be called from many goroutines and must not Reserve from the budget that calls it.
type Shrinker func(wantBytes int64) (freedBytes int64)

// maxShrinkRounds bounds how often a Reserve asks the shrinkers: what one caller frees another may take.
const maxShrinkRounds = 8

// NewBudget makes a root. A limit of 0 means that only descendants' limits hold.
func NewBudget(name string, limitBytes int64) *Budget {
	b := &Budget{name: name}
	b.SetLimit(limitBytes)
	return b
}

// Child makes a budget whose use counts in b as well: one per query, one per operator. End it with Close.
func (b *Budget) Child(name string, limitBytes int64) *Budget {
	c := NewBudget(name, limitBytes)
	c.parent = b
	return c
}

// Name returns the name given at birth.
func (b *Budget) Name() string { return b.name }

// Limit returns the limit in bytes, 0 for none.
func (b *Budget) Limit() int64 { return b.limit.Load() }

// SetLimit changes the limit. What is in use stays in use, even if it is more.
func (b *Budget) SetLimit(limitBytes int64) { b.limit.Store(max(limitBytes, 0)) }

// Used returns the bytes in use by b and its descendants.
func (b *Budget) Used() int64 { return b.used.Load() }

// Peak returns the most bytes that were ever in use.
func (b *Budget) Peak() int64 { return b.peak.Load() }

// AddShrinker lets b ask f for memory when a Reserve by it or a descendant meets b's limit.
// Put it on the budget whose limit borrower and lender share.
func (b *Budget) AddShrinker(f Shrinker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shrinkers = append(b.shrinkers, f)
}

// Reserve takes n bytes from b and all its ancestors, or nothing. Before it gives up, it asks the shrinkers of the budget that
// is exhausted. The error is of kind Resource and names that budget, its limit and what was wanted.
func (b *Budget) Reserve(n int64) error {
	for round := 0; ; round++ {
		full := b.take(n)
		if full == nil {
			return nil
		}
		if round == maxShrinkRounds || full.shrink(n) == 0 {
			return full.exhausted(b, n)
		}
	}
}

// TryReserve is Reserve without the shrinkers: for caches, which had better not grow than make others shrink.
func (b *Budget) TryReserve(n int64) bool { return b.take(n) == nil }

// Release gives n bytes back. Giving back more than was reserved is a bug.
func (b *Budget) Release(n int64) {
	mustNotBeNegative(b, n)
	for a := b; a != nil; a = a.parent {
		if left := a.used.Add(-n); left < 0 {
			panic(fmt.Sprintf("BUG: memory budget %s released %d bytes more than it had", a.name, -left))
		}
	}
}

// Close gives everything that is still reserved back to the parent and returns how much that was: 0 unless somebody forgot to
// Release. All users of b must have ended.
func (b *Budget) Close() int64 {
	left := b.used.Load()
	b.Release(left)
	return left
}

func mustNotBeNegative(b *Budget, n int64) {
	if n < 0 {
		panic(fmt.Sprintf("BUG: memory budget %s was asked for %d bytes", b.name, n))
	}
}

// take charges b and its ancestors, or nothing; then it returns the budget that is full.
func (b *Budget) take(n int64) (full *Budget) {
	mustNotBeNegative(b, n)
	for a := b; a != nil; a = a.parent {
		if a.add(n) {
			continue
		}
		for undo := b; undo != a; undo = undo.parent {
			undo.used.Add(-n)
		}
		return a
	}
	for a := b; a != nil; a = a.parent {
		a.notePeak()
	}
	return nil
}

// add charges one budget if its limit allows it. Comparing before adding keeps a large request that fails from failing small
// ones beside it.
func (b *Budget) add(n int64) bool {
	for {
		used, limit := b.used.Load(), b.limit.Load()
		// Written so that no sum can overflow.
		if limit > 0 && n > limit-used {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

func (b *Budget) notePeak() {
	used := b.used.Load()
	for {
		peak := b.peak.Load()
		if used <= peak || b.peak.CompareAndSwap(peak, used) {
			return
		}
	}
}

// shrink asks the shrinkers for what is missing to reserve n bytes.
func (b *Budget) shrink(n int64) (freed int64) {
	limit := b.limit.Load()
	if n > limit {
		// Nothing that is freed would be enough.
		return 0
	}
	b.mu.Lock()
	shrinkers := b.shrinkers
	b.mu.Unlock()
	for _, f := range shrinkers {
		want := n - (limit - b.used.Load())
		if want <= 0 {
			// Somebody released meanwhile: worth another try.
			return max(freed, 1)
		}
		freed += f(want)
	}
	return freed
}

// exhausted is the error of a request of n bytes by from that b refused.
func (b *Budget) exhausted(from *Budget, n int64) error {
	who := ""
	if from != b {
		who = " for " + from.name
	}
	return sqlerr.New(sqlerr.Resource,
		"not enough memory%s: %s wanted, but %s has %s of its limit of %s in use; raise max_query_memory or --memory-limit, run fewer queries at once, or make the query read less",
		who, FormatBytes(n), b.name, FormatBytes(b.Used()), FormatBytes(b.Limit()))
}

// FormatBytes writes a size as the settings read it: "512 B", "1.5 GiB".
func FormatBytes(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/(1<<10), 0
	for f >= 1<<10 && unit < len(units)-1 {
		f /= 1 << 10
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", f, units[unit])
}

// accountChunkBytes is how much an Account takes at once; small beside any limit that makes sense, large beside a batch.
const accountChunkBytes = 256 << 10

// Account charges a Budget in chunks, for one goroutine that grows in small steps. The zero Account of a Budget is made by
// Budget.Account; end it with Close.
type Account struct {
	b          *Budget
	used, held int64
}

// Account returns an empty account on b.
func (b *Budget) Account() Account { return Account{b: b} }

// Grow adds n bytes to what the account uses. The error is that of Budget.Reserve, and then nothing has changed.
func (a *Account) Grow(n int64) error {
	mustNotBeNegative(a.b, n)
	if n <= a.held-a.used {
		a.used += n
		return nil
	}
	need := n - (a.held - a.used)
	take := max(need, accountChunkBytes)
	if !a.b.TryReserve(take) {
		// Close to the limit only what is needed counts.
		take = need
		if err := a.b.Reserve(take); err != nil {
			return err
		}
	}
	a.held += take
	a.used += n
	return nil
}

// Resize sets the bytes in use, for containers that know their total.
func (a *Account) Resize(totalBytes int64) error {
	if totalBytes > a.used {
		return a.Grow(totalBytes - a.used)
	}
	a.Shrink(a.used - totalBytes)
	return nil
}

// Shrink takes n bytes off what the account uses and gives whole chunks back.
func (a *Account) Shrink(n int64) {
	mustNotBeNegative(a.b, n)
	if n > a.used {
		panic(fmt.Sprintf("BUG: memory account of %s shrinks by %d of %d bytes", a.b.name, n, a.used))
	}
	a.used -= n
	if spare := a.held - a.used; spare >= 2*accountChunkBytes {
		a.b.Release(spare - accountChunkBytes)
		a.held -= spare - accountChunkBytes
	}
}

// Used returns the bytes in use.
func (a *Account) Used() int64 { return a.used }

// Close gives everything back. The account is empty then and may be used again.
func (a *Account) Close() {
	if a.held > 0 {
		a.b.Release(a.held)
	}
	a.used, a.held = 0, 0
}
