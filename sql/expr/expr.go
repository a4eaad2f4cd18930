// Package expr is the language of typed expressions that plans carry and operators evaluate.
// It knows functions and vectors but no tables, no SQL text and no operators.
// Expressions are immutable and may be evaluated on many goroutines at once.
package expr

import (
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Expr is a typed expression over the columns of a batch.
type Expr interface {
	// Type is the type of the result.
	Type() types.Type
	// Eval returns a vector of b.Len values.
	Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error)
	// String is the text that EXPLAIN prints.
	String() string
}

// Place is a byte offset in the text of the statement plus one; 0 is unknown.
type Place int

// PlaceAt is the place of byte offset off.
func PlaceAt(off int) Place { return Place(off + 1) }

// mark gives an error the place unless it has one.
func (p Place) mark(err error) error {
	if err == nil || p == 0 {
		return err
	}
	return sqlerr.WithPlace(err, int(p)-1)
}

// Column reads column Index of the batch.
type Column struct {
	Index int
	Name  string
	T     types.Type
	// NotNull says that the column never holds NULL.
	NotNull bool
}

// Const is a literal: Value has one row.
type Const struct{ Value *vec.Vector }

// Call applies a resolved function to arguments that have its argument types.
type Call struct {
	Fn   *function.Scalar
	Args []Expr
	// At is the place in the statement that errors point at.
	At Place

	memo memoRef
}

// Cast converts Arg; with Try (and always from variants) a value that cannot be converted becomes NULL.
type Cast struct {
	Arg Expr
	To  types.Type
	Try bool
	// At is the place in the statement that errors point at.
	At Place

	memo memoRef
}

// Try is Arg with NULL for the rows where Arg has an error of their values: one of conversion or range.
type Try struct{ Arg Expr }

// And is true if all arguments are (three-valued); later arguments see only the rows that earlier ones did not make false.
type And struct{ Args []Expr }

// Or is true if any argument is (three-valued); later arguments see only the rows that earlier ones did not make true.
type Or struct{ Args []Expr }

// Not is three-valued negation.
type Not struct{ Arg Expr }

// IsNull tests for SQL NULL; a JSON null counts as NULL. Negate makes it IS NOT NULL.
type IsNull struct {
	Arg    Expr
	Negate bool
}

// When is one branch of a Case.
type When struct{ Cond, Then Expr }

// Case evaluates each Then only on the rows whose Cond is the first to be true; Else may be nil (NULL). All results have type T.
type Case struct {
	Whens []When
	Else  Expr
	T     types.Type
}

// In tests membership in a list of constants (one vector, no NULL); HasNull says that the written list held a NULL.
type In struct {
	Arg     Expr
	List    *vec.Vector
	HasNull bool
	Negate  bool

	// member is the prepared test, made by the first evaluation.
	member atomic.Pointer[function.Scalar]
	memo   memoRef
}

// Step is one step of a variant path: a key, or an array index (from 0) where IsIndex.
type Step = variant.Step

// Path reads a path of a variant; the result is a variant (type VARIANT), SQL NULL where the path finds nothing or JSON null.
type Path struct {
	Arg   Expr
	Steps []Step
}

// Apply evaluates Body for the elements of arrays or maps and makes its result of what comes out, as Fn says.
type Apply struct {
	Fn function.Higher
	// Args are the arrays or maps, and the initial value of a reduction, then what Body takes from outside of the lambda.
	Args []Expr
	// Inputs is how many of Args are not captured.
	Inputs int
	// Body is over columns of its own: Params for the parameters of the lambda, then what is captured.
	Body   Expr
	Params []*Column
	T      types.Type
	// At is the place in the statement that errors point at.
	At Place
}

// Param is a value that is known when the plan runs: a prepared parameter or the result of an uncorrelated scalar sub-query.
// Bind replaces it before the plan is built.
type Param struct {
	Slot int
	T    types.Type
}
