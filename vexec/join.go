package vexec

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// joinPlan is what the parts of a join know in common. The right side is collected in a hash table (joinBuild), then the left side
// runs through it (joinProbe); of Right and Full joins the rows of the right side that nobody met come last (joinUnmatched). Without
// key pairs all rows of the right side are candidates of every left row, which is a nested loop.
type joinPlan struct {
	n           *plan.Join
	layout      *keyLayout // nil without key pairs
	left, right []types.Type
	// stored is how the right side is kept: without its columns if only the keys count.
	stored storedKeys
	// condCols are the columns, left then right, that Cond reads.
	condCols []int
	// threeValued says that a left row without a match may be neither in nor out, which takes a look at keys with NULL.
	threeValued bool
	// keepKeys says that the keys of the right side must be kept as columns to decide that.
	keepKeys bool
}

func (b *builder) join(n *plan.Join) (heads, error) {
	j := &joinPlan{n: n, left: schemaTypes(n.Left.Schema()), right: schemaTypes(n.Right.Schema())}
	if len(n.LeftKeys) > 0 {
		if err := j.keys(b.env); err != nil {
			return nil, err
		}
	}
	if n.Cond != nil {
		j.condCols = expr.Columns(n.Cond)
	}
	left, err := b.leftFirst(n)
	if err != nil {
		return nil, err
	}
	width := 0
	if n.Kind.YieldsRight() || n.Cond != nil {
		width = len(j.right)
	}
	j.stored = newStoredKeys(width, n.RightKeys)
	var right heads
	if width == 0 {
		right, err = b.buildFor(n.Right, n.RightKeys)
	} else {
		right, err = b.build(n.Right)
	}
	if err != nil {
		return nil, err
	}
	build := &joinBuild{label: label{"join build", n}, j: j}
	b.end(right, build, false)
	if left == nil {
		b.offerKeys(build)
	}
	if left == nil {
		if left, err = b.build(n.Left); err != nil {
			return nil, err
		}
	}
	probe := &joinProbe{label{n.Kind.String() + " join", n}, j, build}
	left.then(probe)
	if n.Kind == plan.Right || n.Kind == plan.Full {
		left = append(left, b.start(&joinUnmatched{label{"unmatched rows", n}, probe})...)
	}
	if b.env.Spill != nil {
		s := &joinSpilled{label{"spilled rows", n}, probe, &spilledProbe{probe}}
		left = append(left, b.start(s).then(s.op)...)
	}
	return left, nil
}

// keys makes the layout of the key pairs.
func (j *joinPlan) keys(env *Env) error {
	n := j.n
	ts, _ := keyTypes(n.LeftKeys)
	for i, k := range n.RightKeys {
		if l, r := ts[i], k.Type(); l.Phys() != r.Phys() || l.Kind == types.Decimal && l.Scale != r.Scale {
			return sqlerr.New(sqlerr.Internal, "BUG: join keys of types %s and %s", l, r)
		}
	}
	var err error
	if j.layout, err = newKeyLayout(ts, make([]bool, len(ts)), env); err != nil {
		return err
	}
	j.threeValued = n.Kind == plan.Mark || n.Kind == plan.NullAwareAnti
	j.keepKeys = j.threeValued && (len(ts) > 1 || n.Cond != nil)
	for _, t := range ts {
		if j.keepKeys && t.IsVariant() {
			return sqlerr.New(sqlerr.Unsupported, "IN with several columns or a correlated list does not compare VARIANT; CAST it to a type")
		}
	}
	return nil
}

// offerKeys lets the sources of the left side leave out rows without a partner, where the join drops them.
func (b *builder) offerKeys(build *joinBuild) {
	n := build.j.n
	if n.Kind != plan.Inner && n.Kind != plan.Semi && n.Kind != plan.Right {
		return
	}
	build.wanted = make([]bool, len(n.LeftKeys))
	for k, e := range n.LeftKeys {
		if filterable(e.Type()) {
			build.wanted[k] = b.offer(n.Left, e, &joinFilter{build, k})
		}
	}
}

// columnsOf returns the indexes of the columns that expressions read, ascending.
func columnsOf(exprs []expr.Expr) []int {
	var out []int
	for _, e := range exprs {
		out = append(out, expr.Columns(e)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
