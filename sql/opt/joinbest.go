package opt

import (
	"math/bits"

	"github.com/ebira-db/ebira/sql/expr"
)

// maxBestLeaves bounds the inputs whose best order is looked for: every subset of them is looked at, and every way to cut it in two.
const maxBestLeaves = 12

// maxCuts bounds the ways to cut sets in two that are looked at, so that planning takes some milliseconds at most. Only inputs that are
// nearly all connected to one another come near it.
const maxCuts = 50_000

// tree is a way to join a set of leaves.
type tree struct {
	set         uint64
	rows, cost  float64
	left, right *tree // nil for a leaf
}

// orderBest joins the parts that keys connect, each group in the order that costs least, if it is not too large. The parts that remain
// have no keys between them, or belong to large groups.
func (g *joinGraph) orderBest(parts []*part) []*part {
	var out []*part
	for len(parts) > 0 {
		// A group grows from the first part.
		group, set := parts[:1:1], parts[0].set
		rest := parts[1:]
		for grown := true; grown; {
			grown = false
			var others []*part
			for _, p := range rest {
				if g.linked(set, p.set) {
					group, set, grown = append(group, p), set|p.set, true
				} else {
					others = append(others, p)
				}
			}
			rest = others
		}
		parts = rest
		if best := g.bestTree(group); best != nil {
			out = append(out, g.plant(best, group))
		} else {
			out = append(out, group...)
		}
	}
	return out
}

// plant makes the joins of a tree.
func (g *joinGraph) plant(t *tree, leaves []*part) *part {
	if t.left != nil {
		return g.join(g.plant(t.left, leaves), g.plant(t.right, leaves))
	}
	for _, p := range leaves {
		if p.set == t.set {
			return p
		}
	}
	panic("BUG: a leaf of a join order is no part")
}

// bestTree returns the cheapest tree over parts without cross products, nil if they are too many or there is none: a key that reads several
// leaves on one side connects parts only after these are joined.
func (g *joinGraph) bestTree(parts []*part) *tree {
	if len(parts) > maxBestLeaves {
		return nil
	}
	trees := make([]*tree, 1<<len(parts)) // by the subset of parts
	for i, p := range parts {
		trees[1<<i] = &tree{set: p.set, rows: g.c.estimate(p.node)}
	}
	cuts := 0
	for set := 1; set < len(trees); set++ {
		if bits.OnesCount(uint(set)) < 2 {
			continue
		}
		lowest := set & -set
		// Each cut is looked at once: the side with the lowest part is called a.
		for sub := (set - 1) & set; sub > 0; sub = (sub - 1) & set {
			a, b := trees[sub], trees[set&^sub]
			if sub&lowest == 0 || a == nil || b == nil || !g.linked(a.set, b.set) {
				continue
			}
			if cuts++; cuts > maxCuts {
				return nil
			}
			rows := g.rowsOf(a, b)
			// Every intermediate row is made and read once; building a hash table of the smaller side costs once more.
			cost := a.cost + b.cost + rows + min(a.rows, b.rows)
			if t := trees[set]; t == nil || cost < t.cost {
				trees[set] = &tree{set: a.set | b.set, rows: rows, cost: cost, left: a, right: b}
			}
		}
	}
	return trees[len(trees)-1]
}

// rowsOf guesses the rows of the join of two trees, as joinRows does, without making it.
func (g *joinGraph) rowsOf(a, b *tree) float64 {
	var space [8]keyPair
	keys, share := space[:0], 1.0
	for i := range g.classes {
		if l, r, ok := g.classes[i].narrowest(a.set, b.set); ok {
			keys = append(keys, keyPair{l, r})
		}
	}
	for i := range g.edges {
		e := &g.edges[i]
		if e.used || e.reads&^(a.set|b.set) != 0 || e.reads&^a.set == 0 || e.reads&^b.set == 0 {
			continue
		}
		if e.left == nil {
			share *= rangeSelectivity
			continue
		}
		keys = append(keys, keyPair{g.distinctOf(e.left, e.l), g.distinctOf(e.right, e.r)})
	}
	return max(a.rows*b.rows/divisor(keys, a.rows, b.rows)*share, 1)
}

// narrowest returns for each of two sets of leaves how many different values its columns of the class have together.
func (c *class) narrowest(x, y uint64) (l, r guess, ok bool) {
	if c.leaves&x == 0 || c.leaves&y == 0 {
		return guess{}, guess{}, false
	}
	for i := range c.members {
		m := &c.members[i]
		side := &l
		if m.leaf&y != 0 {
			side = &r
		} else if m.leaf&x == 0 {
			continue
		}
		if m.known && (!side.known || m.distinct.n < side.n) {
			*side = guess{m.distinct, true}
		}
	}
	return l, r, true
}

// distinctOf guesses the different values of an expression over the columns of some leaves.
func (g *joinGraph) distinctOf(e expr.Expr, leaves uint64) guess {
	if bits.OnesCount64(leaves) != 1 {
		return guess{}
	}
	i := bits.TrailingZeros64(leaves)
	d, ok := g.c.distinct(g.leaves[i], expr.Shift(e, -g.starts[i]))
	return guess{d, ok}
}
