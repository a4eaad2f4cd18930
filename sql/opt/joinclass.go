package opt

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/types"
)

// class is a set of columns that keys of inner joins make equal to one another, at most one of each leaf. Joining two parts that both have
// columns of it takes one key, whichever two columns the query had compared: all columns of the class within a part are equal already.
// So a.x = b.x and b.x = c.x also let a and c be joined first.
type class struct {
	leaves  uint64
	members []member
}

// member is a column of a class; the column is numbered over all leaves.
type member struct {
	leaf     uint64 // its bit
	col      *expr.Column
	distinct ndv
	known    bool
}

// between returns a column of the class in each of two sets of leaves.
func (c *class) between(x, y uint64) (l, r *member, ok bool) {
	if c.leaves&x == 0 || c.leaves&y == 0 {
		return nil, nil, false
	}
	for i := range c.members {
		m := &c.members[i]
		if l == nil && m.leaf&x != 0 {
			l = m
		}
		if r == nil && m.leaf&y != 0 {
			r = m
		}
	}
	return l, r, true
}

// classify makes classes of the edges between plain columns, and uses these edges up. Edges stay as they are where a leaf would have two
// columns of a class, and where types differ, so that equality might not carry over.
func (g *joinGraph) classify() {
	group := map[int]int{} // of a column, by its number: another column of its group, itself for the last
	var find func(int) int
	find = func(x int) int {
		if group[x] != x {
			group[x] = find(group[x])
		}
		return group[x]
	}
	plain := func(e *edge) (l, r *expr.Column, ok bool) {
		if e.left == nil {
			return nil, nil, false
		}
		l, lok := e.left.(*expr.Column)
		r, rok := e.right.(*expr.Column)
		return l, r, lok && rok && l.T.Equal(r.T) && !isFloat(l.T)
	}
	columns := map[int]*expr.Column{}
	var order []int
	for i := range g.edges {
		l, r, ok := plain(&g.edges[i])
		if !ok {
			continue
		}
		for _, c := range []*expr.Column{l, r} {
			if columns[c.Index] == nil {
				columns[c.Index], group[c.Index], order = c, c.Index, append(order, c.Index)
			}
		}
		group[find(r.Index)] = find(l.Index)
	}
	at := map[int]int{} // of a group: its class
	for _, x := range order {
		k, ok := at[find(x)]
		if !ok {
			k = len(g.classes)
			at[find(x)], g.classes = k, append(g.classes, class{})
		}
		g.classes[k].add(g.newMember(columns[x]))
	}
	for i := range g.edges {
		if l, _, ok := plain(&g.edges[i]); ok && g.classes[at[find(l.Index)]].leaves != 0 {
			g.edges[i].used = true
		}
	}
}

// isFloat tells whether values of a type can be equal without being the same.
func isFloat(t types.Type) bool { return t.Kind == types.Float || t.Kind == types.Double }

func (g *joinGraph) newMember(col *expr.Column) member {
	m := member{leaf: g.leavesOf(col), col: col}
	for i := range g.leaves {
		if m.leaf == 1<<i {
			m.distinct, m.known = g.c.distinct(g.leaves[i], expr.Shift(col, -g.starts[i]))
		}
	}
	return m
}

// add adds a member. A second one of a leaf makes an end of the class: it has no leaves then.
func (c *class) add(m member) {
	for i := range c.members {
		if c.members[i].leaf == m.leaf {
			c.leaves = 0
			c.members = append(c.members, m)
			return
		}
	}
	if c.members = append(c.members, m); len(c.members) == 1 || c.leaves != 0 {
		c.leaves |= m.leaf
	}
}
