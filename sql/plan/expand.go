package plan

import (
	"fmt"
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/types"
)

// Expand yields each row of its input once for each grouping set: the input's columns, then one for each key, NULL where the set leaves the
// key out, then the number of the set. GROUPING SETS group what it yields.
type Expand struct {
	Input Node
	Keys  []expr.Expr
	// Sets tells for each set which keys are in it.
	Sets [][]bool
	Out  types.Schema
}

// SetColumn is the name of the column with the number of the grouping set.
const SetColumn = "$set"

// NewExpand makes an Expand; names name the keys.
func NewExpand(input Node, keys []expr.Expr, names []string, sets [][]bool) *Expand {
	n := &Expand{Input: input, Keys: keys, Sets: sets, Out: append(types.Schema(nil), input.Schema()...)}
	for i, k := range keys {
		n.Out = append(n.Out, types.Field{Name: names[i], Type: k.Type()})
	}
	n.Out = append(n.Out, types.Field{Name: SetColumn, Type: types.Of(types.Int), NotNull: true})
	return n
}

// Children returns the input.
func (n *Expand) Children() []Node { return []Node{n.Input} }

// Schema returns Out: the input's columns, the keys, the number of the set.
func (n *Expand) Schema() types.Schema { return n.Out }

// check is checkNode for an Expand.
func (n *Expand) check() error {
	in := n.Input.Schema()
	if len(n.Out) != len(in)+len(n.Keys)+1 {
		return fmt.Errorf("%d columns over %d and %d keys", len(n.Out), len(in), len(n.Keys))
	}
	for _, s := range n.Sets {
		if len(s) != len(n.Keys) {
			return fmt.Errorf("a set of %d keys over %d", len(s), len(n.Keys))
		}
	}
	return checkOutputs(n.Keys, in, n.Out[len(in):len(in)+len(n.Keys)])
}

func describeExpand(n *Expand) string {
	sets := make([]string, len(n.Sets))
	for i, s := range n.Sets {
		var keys []string
		for k, in := range s {
			if in {
				keys = append(keys, n.Keys[k].String())
			}
		}
		sets[i] = "(" + strings.Join(keys, ", ") + ")"
	}
	return "Expand sets=[" + joinShown(sets) + "]"
}
