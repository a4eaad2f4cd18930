package plan

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/types"
)

// Definition is a plan whose rows several places of a query read.
type Definition struct {
	Name string
	Plan Node
	// Keep and Inline say that the query asks for it to be computed once, or at each place by itself.
	Keep, Inline bool
}

// Shared yields the rows of a definition, which is computed once a query and kept. It is a leaf: its plan is not part of the tree above.
type Shared struct {
	Def *Definition
	// Columns are the columns of the definition that are read, nil for all.
	Columns []int
	Out     types.Schema
}

// NewShared reads all columns of a definition.
func NewShared(d *Definition) *Shared { return &Shared{Def: d, Out: d.Plan.Schema()} }

// Children returns nothing: a Shared is a leaf.
func (n *Shared) Children() []Node { return nil }

// Schema returns Out.
func (n *Shared) Schema() types.Schema { return n.Out }

// Column is the number that column i of the node has in the definition.
func (n *Shared) Column(i int) int {
	if n.Columns == nil {
		return i
	}
	return n.Columns[i]
}

// check is checkNode for a Shared.
func (n *Shared) check() error {
	schema := n.Def.Plan.Schema()
	if n.Columns != nil {
		picked := make(types.Schema, len(n.Columns))
		for i, c := range n.Columns {
			if c < 0 || c >= len(schema) {
				return fmt.Errorf("column %d of %d", c, len(schema))
			}
			picked[i] = schema[c]
		}
		schema = picked
	}
	return checkTypes(schema, n.Out)
}

// Definitions returns the definitions that a plan reads, directly or through others; a definition stands behind those it reads itself.
func Definitions(n Node) []*Definition {
	var out []*Definition
	seen := map[*Definition]bool{}
	var visit func(n Node) bool
	visit = func(n Node) bool {
		if s, ok := n.(*Shared); ok && !seen[s.Def] {
			seen[s.Def] = true
			Walk(s.Def.Plan, visit)
			out = append(out, s.Def)
		}
		return true
	}
	Walk(n, visit)
	return out
}

// MapDefinitions returns n with every definition that it reads, directly or through others, replaced by one with the plan that f makes of
// its plan. Columns and schemas stay.
func MapDefinitions(n Node, f func(Node) Node) Node {
	now := map[*Definition]*Definition{}
	var replace func(n Node) Node
	replace = func(n Node) Node {
		if s, ok := n.(*Shared); ok {
			if d := now[s.Def]; d != nil && d != s.Def {
				return &Shared{Def: d, Columns: s.Columns, Out: s.Out}
			}
			return n
		}
		return MapChildren(n, replace)
	}
	for _, d := range Definitions(n) {
		now[d] = d
		if p := f(replace(d.Plan)); p != d.Plan {
			now[d] = &Definition{Name: d.Name, Plan: p, Keep: d.Keep, Inline: d.Inline}
		}
	}
	return replace(n)
}
