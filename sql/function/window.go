package function

import (
	"slices"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// WindowKind tells apart the functions that exist with OVER only.
type WindowKind uint8

// The window functions of SQL:2011 that are no aggregates.
const (
	RowNumber WindowKind = iota
	Rank
	DenseRank
	PercentRank
	CumeDist
	Ntile
	Lag
	Lead
	FirstValue
	LastValue
	NthValue
)

// Window is a window function resolved for its argument types. Aggregates with OVER are plain aggregates over frames.
type Window struct {
	Name string
	Kind WindowKind
	// Args are the types that arguments must be cast to.
	Args []types.Type
	Ret  types.Type
}

// Ordered tells whether the function numbers rows in their order, so that a frame means nothing to it.
func (w *Window) Ordered() bool { return w.Kind <= Lead }

// TakesNulls tells whether IGNORE NULLS means something to the function.
func (w *Window) TakesNulls() bool { return w.Kind >= Lag }

type windowDefinition struct {
	names       []string
	about, sigs string
	kind        WindowKind
	resolve     func(args []types.Type) (in []types.Type, ret types.Type, ok bool)
}

var bigInt, double = types.Of(types.BigInt), types.Of(types.Double)

var windows = []*windowDefinition{
	{[]string{"row_number"}, "The number of the row in its partition, from 1.", "() -> bigint", RowNumber, noWindowArgs(bigInt)},
	{[]string{"rank"}, "The rank of the row in its partition: equal rows share one, and the next ranks are left out.", "() -> bigint", Rank, noWindowArgs(bigInt)},
	{[]string{"dense_rank"}, "The rank of the row in its partition, without gaps.", "() -> bigint", DenseRank, noWindowArgs(bigInt)},
	{[]string{"percent_rank"}, "The rank as a share of the other rows, from 0 to 1.", "() -> double", PercentRank, noWindowArgs(double)},
	{[]string{"cume_dist"}, "The share of the rows of the partition that are not behind the row.", "() -> double", CumeDist, noWindowArgs(double)},
	{[]string{"ntile"}, "The number of the row's part where the partition is cut into equal parts.", "(bigint) -> bigint", Ntile,
		func(a []types.Type) ([]types.Type, types.Type, bool) {
			return []types.Type{bigInt}, bigInt, len(a) == 1 && wholeNumber(a[0])
		}},
	{[]string{"lag"}, "The value some rows before (1 by default), or else a default (NULL).", "(any[, bigint[, any]]) -> first", Lag, shiftArgs},
	{[]string{"lead"}, "The value some rows behind (1 by default), or else a default (NULL).", "(any[, bigint[, any]]) -> first", Lead, shiftArgs},
	{[]string{"first_value"}, "The value in the first row of the frame.", "(any) -> first", FirstValue, frameArgs(1)},
	{[]string{"last_value"}, "The value in the last row of the frame.", "(any) -> first", LastValue, frameArgs(1)},
	{[]string{"nth_value"}, "The value in the n-th row of the frame, from 1.", "(any, bigint) -> first", NthValue, frameArgs(2)},
}

func noWindowArgs(ret types.Type) func([]types.Type) ([]types.Type, types.Type, bool) {
	return func(a []types.Type) ([]types.Type, types.Type, bool) { return nil, ret, len(a) == 0 }
}

func wholeNumber(t types.Type) bool { return t.IsInteger() || t.Kind == types.Null || t.IsVariant() }

func shiftArgs(a []types.Type) (in []types.Type, ret types.Type, ok bool) {
	if len(a) < 1 || len(a) > 3 || len(a) > 1 && !wholeNumber(a[1]) {
		return nil, ret, false
	}
	ret = a[0]
	if len(a) == 3 {
		if ret, ok = CommonType(a[0], a[2]); !ok {
			return nil, ret, false
		}
	}
	return []types.Type{ret, bigInt, ret}[:len(a)], ret, true
}

func frameArgs(n int) func([]types.Type) ([]types.Type, types.Type, bool) {
	return func(a []types.Type) (in []types.Type, ret types.Type, ok bool) {
		if len(a) != n || n == 2 && !wholeNumber(a[1]) {
			return nil, ret, false
		}
		return []types.Type{a[0], bigInt}[:n], a[0], true
	}
}

func findWindow(name string) *windowDefinition {
	for _, d := range windows {
		if slices.ContainsFunc(d.names, func(n string) bool { return strings.EqualFold(n, name) }) {
			return d
		}
	}
	return nil
}

// IsWindow reports whether name is a function that needs OVER.
func IsWindow(name string) bool { return findWindow(name) != nil }

// ResolveWindow finds the window function of a name for arguments of the given types, which must then be cast to Window.Args. Errors are
// those of Resolve.
func ResolveWindow(name string, args []Arg) (*Window, error) {
	d := findWindow(name)
	if d == nil {
		return nil, unknown(name)
	}
	given := make([]types.Type, len(args))
	shown := make([]string, len(args))
	for i, a := range args {
		given[i], shown[i] = a.Type, a.Type.String()
	}
	in, ret, ok := d.resolve(given)
	if !ok {
		return nil, sqlerr.New(sqlerr.Type, "%s cannot take (%s); accepted: %s%s", name, strings.Join(shown, ", "), strings.ToLower(name), d.sigs)
	}
	return &Window{Name: d.names[0], Kind: d.kind, Args: in, Ret: ret}, nil
}
