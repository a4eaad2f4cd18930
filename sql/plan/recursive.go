package plan

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/types"
)

// Recursive yields the rows of Base, then those of Step over what came last, again and again until nothing comes any more. Step reads the
// rows that came last by Working nodes of Self.
type Recursive struct {
	Base, Step Node
	Self       *Recursion
	// Distinct drops rows that came before.
	Distinct bool
	// MaxSteps is how often Step may run.
	MaxSteps int64
	Out      types.Schema
}

// Recursion identifies a Recursive for the Working nodes that belong to it.
type Recursion struct{ Name string }

// Working yields the rows that the last step of a Recursive brought.
type Working struct {
	Self *Recursion
	Out  types.Schema
}

// Children are the base and the step.
func (n *Recursive) Children() []Node { return []Node{n.Base, n.Step} }

// Schema returns Out.
func (n *Recursive) Schema() types.Schema { return n.Out }

// Children returns nothing: a Working is a leaf.
func (n *Working) Children() []Node { return nil }

// Schema returns Out.
func (n *Working) Schema() types.Schema { return n.Out }

// check is checkNode for a Recursive.
func (n *Recursive) check() error {
	for _, in := range n.Children() {
		if err := checkTypes(in.Schema(), n.Out); err != nil {
			return err
		}
	}
	var failed error
	Walk(n.Step, func(in Node) bool {
		if w, ok := in.(*Working); ok && w.Self == n.Self && failed == nil {
			failed = checkTypes(n.Out, w.Out)
		}
		return failed == nil
	})
	return failed
}

// Reads tells whether a plan, or a definition that it reads, reads the rows of a recursion.
func (r *Recursion) Reads(n Node) bool {
	found := false
	seen := map[*Definition]bool{}
	var visit func(n Node) bool
	visit = func(n Node) bool {
		switch x := n.(type) {
		case *Working:
			found = found || x.Self == r
		case *Shared:
			if !seen[x.Def] {
				seen[x.Def] = true
				Walk(x.Def.Plan, visit)
			}
		}
		return !found
	}
	Walk(n, visit)
	return found
}

func describeRecursive(n *Recursive) string {
	s := fmt.Sprintf("Recursive %s [%s]", types.QuoteName(n.Self.Name), fieldNames(n.Out))
	if n.Distinct {
		s += " distinct"
	}
	return s
}
