package bind

import (
	"strconv"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

const (
	// maxRecursion is how often a recursive query may run its step where the session says nothing.
	maxRecursion = 100_000
	// maxWidening bounds how often the types of a recursive query grow until base and step agree.
	maxWidening = 4
)

// cte binds a common table expression.
func (b *binder) cte(entry *cte, c *parse.CTE, recursive bool) (*relation, error) {
	q := c.Query
	union, ok := q.Body.(*parse.SetOp)
	if !recursive || !ok || union.Kind != parse.Union || union.ByName {
		return b.query(q)
	}
	defer b.scopeCTEs()()
	if err := b.with(q.With); err != nil {
		return nil, err
	}
	base, steps, err := b.recursiveParts(entry, union)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		return b.query(q)
	}
	rel, err := b.recursive(entry, c, union, base, steps)
	if err != nil {
		return nil, err
	}
	if rel, err = b.orderOutput(rel, q.OrderBy); err != nil {
		return nil, err
	}
	return b.limit(rel, q)
}

// recursiveParts separates the operands of a union that read the expression itself, which must come last, from the others, which are bound.
func (b *binder) recursiveParts(entry *cte, u *parse.SetOp) (base []*relation, steps []parse.QueryBody, err error) {
	var operands []parse.QueryBody
	left := parse.QueryBody(u)
	for {
		op, ok := left.(*parse.SetOp)
		if !ok || op.Kind != parse.Union || op.All != u.All || op.ByName {
			break
		}
		operands = append([]parse.QueryBody{op.R}, operands...)
		left = op.L
	}
	operands = append([]parse.QueryBody{left}, operands...)
	for i, op := range operands {
		entry.used = false
		rel, err := b.body(op)
		if entry.used && i > 0 {
			return base, operands[i:], nil
		}
		if err != nil {
			return nil, nil, err
		}
		base = append(base, rel)
	}
	return base, nil, nil
}

// recursive binds the step over the rows of the base. Where the step yields wider types, the whole takes them.
func (b *binder) recursive(entry *cte, c *parse.CTE, u *parse.SetOp, base []*relation, steps []parse.QueryBody) (*relation, error) {
	start, err := b.align(base, u)
	if err != nil {
		return nil, err
	}
	for range maxWidening {
		self := &plan.Recursion{Name: c.Name.Name}
		working := &plan.Working{Self: self}
		for _, col := range start.cols {
			working.Out = append(working.Out, types.Field{Name: col.name, Type: col.t})
		}
		if entry.working, err = rename(nodeRelation(working), c.Name.Name, c.Columns); err != nil {
			return nil, err
		}
		var rels []*relation
		for _, op := range steps {
			rel, err := b.body(op)
			if err != nil {
				return nil, err
			}
			rels = append(rels, rel)
		}
		both, err := b.align(append([]*relation{start}, rels...), u)
		if err != nil {
			return nil, err
		}
		same := true
		for i := range both.cols {
			same = same && both.cols[i].t.Equal(start.cols[i].t)
		}
		if !same {
			start = both.first()
			continue
		}
		return b.recursion(self, u, both, working.Out)
	}
	return nil, sqlerr.At(sqlerr.Type, u.Pos(), "the recursive query %s gives wider types at each step; cast its columns to those of the first part", c.Name.Name)
}

// first returns the first operand of an aligned union, cast to the types of all.
func (r *relation) first() *relation {
	u := r.node.(*plan.Union)
	out := nodeRelation(u.Inputs[0])
	for i := range out.cols {
		out.cols[i].name, out.cols[i].notNull = r.cols[i].name, false
	}
	return out
}

// recursion builds the node of base and steps, the operands of an aligned union.
func (b *binder) recursion(self *plan.Recursion, u *parse.SetOp, both *relation, out types.Schema) (*relation, error) {
	operands := both.node.(*plan.Union)
	n := &plan.Recursive{Base: operands.Inputs[0], Self: self, Distinct: !u.All, MaxSteps: maxRecursion, Out: out}
	if steps := operands.Inputs[1:]; len(steps) == 1 {
		n.Step = steps[0]
	} else {
		n.Step = &plan.Union{Inputs: steps, Out: out}
	}
	if f := b.env.Variable; f != nil {
		if v, ok := f("cte_max_recursion_depth", false); ok {
			if limit, err := strconv.ParseInt(v, 10, 64); err == nil {
				n.MaxSteps = limit
			}
		}
	}
	s := &scope{b: b}
	rel := nodeRelation(n)
	for i := range rel.cols {
		if n.Distinct {
			if err := s.groupable(plan.ColumnOf(out, i), u.Pos(), "UNION"); err != nil {
				return nil, err
			}
		}
	}
	return rel, nil
}
