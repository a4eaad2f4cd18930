// Package opt rewrites logical plans into cheaper ones with the same results, by an ordered list of named rules.
// It knows plans, expressions and what the catalogue says of table sizes, but no SQL text and no operators.
// Rules are pure functions from plan to plan; any number of plans may be optimized at once.
package opt

import (
	"slices"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
)

// Options steer one optimization.
type Options struct {
	// Ctx is used to fold constants; never nil.
	Ctx *function.Ctx
	// Off names rules that are left out. Results never depend on them.
	Off []string
	// Trace asks for the plan after each rule that changed something.
	Trace bool
}

// Rule is one named rewrite of a whole plan. It returns its argument if there is nothing to do.
type Rule struct {
	Name string
	// About is one sentence for documentation.
	About string
	Apply func(c *context, n plan.Node) plan.Node
}

// Step is the plan after one rule.
type Step struct{ Rule, Plan string }

// context is what rules share while one plan is optimized.
type context struct {
	fn *function.Ctx
	// rows are the estimates made so far; nodes never change, so they stay right.
	rows map[plan.Node]float64
	// columns are the statistics gathered so far.
	columns map[columnKey]statistics
}

// Rules are applied in this order.
var Rules = []Rule{
	{"inline_shared", "Put what is read at one place only, or costs little, where it is read.", inlineShared},
	{"fold_constants", "Evaluate constant expressions, drop conditions that are always true.", foldConstants},
	{"factor_conditions", "Take conditions that all branches of an OR share out of it.", factorConditions},
	{"distinct_to_aggregate", "Group by all columns instead of removing duplicates.", distinctToAggregate},
	{"reduce_keys", "Group by fewer keys where some follow from others.", reduceKeys},
	{"push_filters", "Evaluate conditions as early as possible; make join keys of equalities.", pushFilters},
	{"fold_constants", "Again, over conditions that met constants on their way.", foldConstants},
	{"push_semi_joins", "Let IN and EXISTS cut down one input of a join before it is joined.", pushSemiJoins},
	{"order_joins", "Join small results first.", orderJoins},
	{"choose_build_side", "Build hash tables from the smaller side.", chooseBuildSide},
	{"split_distinct", "Group by the argument of DISTINCT first, so that its values come once.", splitDistinct},
	{"share_sums", "Compute sums of one column shifted by constants once.", shareSums},
	{"push_limits", "Sort only as many rows as are wanted, stop inputs early.", pushLimits},
	{"push_paths", "Read paths of VARIANT columns instead of whole documents.", pushPaths},
	{"prune_columns", "Compute and read only columns that are used.", pruneColumns},
	{"merge_projections", "Compute adjacent projections in one step.", mergeProjections},
	{"answer_from_metadata", "Answer count(*), min and max of whole tables without reading rows.", answerFromMetadata},
}

// Optimize applies the rules to a plan. The result has the same schema.
func Optimize(n plan.Node, o Options) (plan.Node, []Step) {
	var steps []Step
	n = applyRules(n, o, &steps)
	return optimizeShared(n, o), steps
}

// applyRules applies the rules to a plan without its definitions, and notes in steps what they did unless that is nil.
func applyRules(n plan.Node, o Options, steps *[]Step) plan.Node {
	c := &context{fn: o.Ctx, rows: map[plan.Node]float64{}, columns: map[columnKey]statistics{}}
	for i := range Rules {
		r := &Rules[i]
		if slices.Contains(o.Off, r.Name) {
			continue
		}
		before := n
		n = r.Apply(c, n)
		if o.Trace && steps != nil && n != before {
			text := plan.Format(n)
			if text != plan.Format(before) {
				*steps = append(*steps, Step{Rule: r.Name, Plan: text})
			}
		}
	}
	return n
}

// rewrite applies f to every node, inputs first.
func rewrite(n plan.Node, f func(plan.Node) plan.Node) plan.Node {
	return f(plan.MapChildren(n, func(c plan.Node) plan.Node { return rewrite(c, f) }))
}

// empty is a plan without rows for the place of n.
func empty(n plan.Node) plan.Node { return &plan.Values{Out: n.Schema()} }
