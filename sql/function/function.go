// Package function is the catalogue of scalar and aggregate functions, operators and casts, with their vectorized kernels.
// It knows vectors and variants but no expressions, plans or tables.
// The catalogue is read-only after init; kernels keep no state and may run on many goroutines.
package function

import (
	"time"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Ctx is what kernels may know of the statement. It is immutable while the statement runs.
type Ctx struct {
	// Now is the start of the statement in microseconds since the epoch; now() is constant within a statement.
	Now int64
	// Zone is the session time zone, never nil.
	Zone *time.Location
	// User, Catalog and Database answer current_user() and its like.
	User, Catalog, Database string
	// VariantTotalOrder allows comparing bare variants (setting variant_total_order).
	VariantTotalOrder bool
	// KeepInvalidJSON makes text that is not JSON a string when it becomes a VARIANT (setting variant_invalid_json = 'string').
	KeepInvalidJSON bool
	// Rounding lets fractions be rounded into integer columns on load (setting numeric_cast_option = 'rounding').
	Rounding bool
}

// Kernel evaluates a function over n rows. Every argument has n rows in any form; the result has n rows.
// Arguments must not be changed. An error names the value that caused it.
type Kernel func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error)

// Scalar is a scalar function resolved for its argument types.
type Scalar struct {
	Name string
	// Args are the types that arguments must be cast to before the call.
	Args   []types.Type
	Ret    types.Type
	Kernel Kernel
	// Volatile functions give another value at each call and must not be folded.
	Volatile bool
	// NotNull means that the result is NULL only where an argument is.
	NotNull bool

	traits traits
}

// Infallible tells that the function never reports an error for a value, so that it may be called for rows whose result is not used.
func (s *Scalar) Infallible() bool { return s.traits.infallible }

// Cost is a rough number of nanoseconds per row, for ordering filters.
func (s *Scalar) Cost() int {
	if s.traits.cost == 0 {
		return usualCost
	}
	return s.traits.cost
}

// Strict tells that the result is NULL wherever an argument is, so that rows with NULL need not be looked at.
func (s *Scalar) Strict() bool { return !s.traits.nullsIn }

// nullsIn tells whether the core kernel handles NULL arguments itself.
func (s *Scalar) nullsIn() bool { return s.traits.nullsIn }

// Arg describes an argument to be resolved.
type Arg struct {
	Type types.Type
	// Const is the value (one row) where the argument is a constant, else nil.
	Const *vec.Vector
}

// Aggregate is an aggregate function resolved for its argument types.
type Aggregate struct {
	Name string
	// Args are the types that arguments must be cast to.
	Args []types.Type
	Ret  types.Type
	// New makes an accumulator with no groups.
	New func(c *Ctx) Accumulator
	// Ordering is set for aggregates that take their rows in order; see NewOrdered.
	Ordering *Ordering
}

// Accumulator holds the state of one aggregate for many groups in column arrays indexed by group id.
// It is used by one goroutine at a time; states of several workers are joined by Merge.
type Accumulator interface {
	// Update adds n rows: row i belongs to groups[i], which is below count. New groups start empty.
	// A nil groups means that all rows belong to group 0.
	Update(groups []uint32, count int, args []*vec.Vector, n int) error
	// Merge adds groups of other, an accumulator of the same aggregate: its group from[i] goes to group to[i], which is below count. Each
	// group of other is merged at most once; those beyond what other was told of are empty. Several goroutines may merge from one
	// accumulator at the same time, which is not updated any more then.
	Merge(other Accumulator, from, to []uint32, count int) error
	// Finish returns the results of groups [from, to); groups never seen give the value of an empty set. More rows may follow it.
	Finish(from, to int) (*vec.Vector, error)
	// SizeBytes estimates the memory held.
	SizeBytes() int64
}
