package bind

import (
	"math"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Limits of generate_series and its like.
const (
	// seriesChunk is how many numbers one array of a series holds; a series is exploded from such arrays, a batch of them at a time.
	seriesChunk = 8192
	// maxSeries bounds a series.
	maxSeries = 100_000_000
)

// series builds numbers(n), generate_series(a, b[, step]) with b included, and range(a, b[, step]) without b; nil for other functions.
func (b *binder) series(name string, args []FuncArg) (plan.Node, error) {
	column := ""
	switch name {
	case "numbers":
		column = "number"
	case "generate_series", "range":
		column = name
	default:
		return nil, nil
	}
	n := make([]int64, len(args))
	for i, a := range args {
		if a.Name != "" && !(name == "numbers" && a.Name == "number") {
			return nil, sqlerr.New(sqlerr.Bind, "%s has no argument named %s", name, a.Name)
		}
		v, err := function.Cast(b.env.Ctx, a.Value, types.Of(types.BigInt), false)
		if err != nil {
			return nil, err
		}
		if v.IsNull(0) {
			return nil, sqlerr.New(sqlerr.Bind, "arguments of %s must not be NULL", name)
		}
		n[i] = vec.Slice[int64](vec.Flatten(v))[0]
	}
	lo, hi, step := int64(0), int64(0), int64(1)
	switch {
	case len(n) == 1 && name != "generate_series":
		hi = n[0]
	case (len(n) == 2 || len(n) == 3) && name != "numbers":
		lo, hi = n[0], n[1]
		if len(n) == 3 {
			step = n[2]
		}
	default:
		return nil, sqlerr.New(sqlerr.Bind, "%s does not take %d arguments", name, len(n))
	}
	if step == 0 {
		return nil, sqlerr.New(sqlerr.OutOfRange, "the step of %s must not be 0", name)
	}
	count := seriesLength(lo, hi, step, name == "generate_series")
	if count > maxSeries {
		return nil, sqlerr.New(sqlerr.Resource, "%s with more than %d rows", name, maxSeries)
	}
	return seriesPlan(lo, step, int64(count), column)
}

// seriesLength counts the numbers from lo to hi. It is computed in floating point: only its size matters where that is not exact.
func seriesLength(lo, hi, step int64, inclusive bool) float64 {
	span := (float64(hi) - float64(lo)) / float64(step)
	if span < 0 {
		return 0
	}
	if inclusive {
		return math.Floor(span) + 1
	}
	return math.Ceil(span)
}

// seriesPlan explodes one array for each chunk of the series.
func seriesPlan(lo, step, count int64, column string) (plan.Node, error) {
	big := types.Of(types.BigInt)
	chunks := &plan.Values{Out: types.Schema{{Name: "from", Type: big, NotNull: true}, {Name: "to", Type: big, NotNull: true}}}
	for done := int64(0); done < count; done += seriesChunk {
		size := min(seriesChunk, count-done)
		from := lo + done*step
		last := from + (size-1)*step
		// The end of range() is not part of it: one further than the last number, on the side of the step.
		end := last + 1
		if step < 0 {
			end = last - 1
		}
		chunks.Rows = append(chunks.Rows, []expr.Expr{constOf(big, from), constOf(big, end)})
	}
	args := []expr.Expr{plan.ColumnOf(chunks.Out, 0), plan.ColumnOf(chunks.Out, 1), constOf(big, step)}
	fn, err := function.Resolve("range", describe(args))
	if err != nil {
		return nil, err
	}
	f := types.Field{Name: column, Type: big, NotNull: true}
	exploded := &plan.Explode{Input: chunks, Arg: &expr.Call{Fn: fn, Args: args}, Out: append(append(types.Schema(nil), chunks.Out...), f)}
	return plan.NewProject(exploded, []expr.Expr{plan.ColumnOf(exploded.Out, 2)}, []string{column}), nil
}
