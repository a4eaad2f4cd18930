package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// limit adds LIMIT and OFFSET.
func (b *binder) limit(rel *relation, q *parse.Query) (*relation, error) {
	if q.Limit == nil && q.Offset == nil {
		return rel, nil
	}
	if holdsQuery(q.Limit) || holdsQuery(q.Offset) {
		return b.computedLimit(rel, q)
	}
	n := &plan.Limit{Input: rel.node, Count: -1}
	var err error
	if q.Limit != nil {
		if n.Count, err = b.rowCount(q.Limit, "LIMIT", -1); err != nil {
			return nil, err
		}
	}
	if q.Offset != nil {
		if n.Offset, err = b.rowCount(q.Offset, "OFFSET", 0); err != nil {
			return nil, err
		}
	}
	return &relation{node: n, cols: rel.cols}, nil
}

// rowCount evaluates the constant of LIMIT or OFFSET. NULL and parameters without a value yet give none.
func (b *binder) rowCount(e parse.Expr, what string, none int64) (int64, error) {
	if c, ok := e.(*parse.ColumnRef); ok && len(c.Parts) == 1 && !c.Parts[0].Quoted && matches("ALL", c.Parts[0], false) {
		return none, nil
	}
	s := &scope{b: b, clause: what}
	x, err := s.bind(e)
	if err != nil {
		return 0, err
	}
	if !unknown(x) && !x.Type().IsInteger() && x.Type().Kind != types.Null {
		return 0, sqlerr.At(sqlerr.Type, e.Pos(), "%s needs a whole number, not %s", what, x.Type())
	}
	x = b.coerce(x, types.Of(types.BigInt))
	if findParam(x) != nil {
		return none, nil
	}
	v, err := evaluate(b.env.Ctx, x, e.Pos())
	if err != nil {
		return 0, err
	}
	if v.IsNull(0) {
		return none, nil
	}
	n := vec.Slice[int64](v)[0]
	if n < 0 {
		return 0, sqlerr.At(sqlerr.OutOfRange, e.Pos(), "%s must not be negative", what)
	}
	return n, nil
}

// holdsQuery tells whether the number of LIMIT or OFFSET is a sub-query.
func holdsQuery(e parse.Expr) bool {
	switch x := e.(type) {
	case *parse.Subquery:
		return true
	case *parse.Cast:
		return holdsQuery(x.X)
	case *parse.Binary:
		return holdsQuery(x.L) || holdsQuery(x.R)
	}
	return false
}

// computedLimit is LIMIT and OFFSET with numbers that sub-queries yield: the rows are numbered and filtered. NULL means no limit.
func (b *binder) computedLimit(rel *relation, q *parse.Query) (*relation, error) {
	node, err := numbered(rel.node)
	if err != nil {
		return nil, err
	}
	width := len(rel.node.Schema())
	number := plan.ColumnOf(node.Schema(), width)
	s := &scope{b: b, outer: b.outer, level: b.level(), clause: "LIMIT", subs: &subList{}}
	zero := expr.Expr(constOf(types.Of(types.BigInt), int64(0)))
	bound := func(e parse.Expr, what string) (expr.Expr, error) {
		if e == nil {
			return nil, nil
		}
		x, err := s.bind(e)
		if err != nil {
			return nil, err
		}
		if !unknown(x) && !x.Type().IsInteger() && x.Type().Kind != types.Null {
			return nil, sqlerr.At(sqlerr.Type, e.Pos(), "%s needs a whole number, not %s", what, x.Type())
		}
		return s.coerce(x, types.Of(types.BigInt)), nil
	}
	limit, err := bound(q.Limit, "LIMIT")
	if err != nil {
		return nil, err
	}
	offset, err := bound(q.Offset, "OFFSET")
	if err != nil {
		return nil, err
	}
	if offset == nil {
		offset = zero
	} else if offset, err = s.resolve(q.Offset.Pos(), "coalesce", offset, zero); err != nil {
		return nil, err
	}
	behind, err := s.operator(q.Pos(), parse.OpSub, number, offset)
	if err != nil {
		return nil, err
	}
	cond, err := s.operator(q.Pos(), parse.OpGt, behind, zero)
	if err != nil {
		return nil, err
	}
	if limit != nil {
		within, err := s.operator(q.Pos(), parse.OpLe, behind, limit)
		if err != nil {
			return nil, err
		}
		cond = &expr.And{Args: []expr.Expr{cond, &expr.Or{Args: []expr.Expr{within, &expr.IsNull{Arg: limit}}}}}
	}
	if node, err = s.subs.attach(node, asIs); err != nil {
		return nil, err
	}
	return &relation{node: pick(&plan.Filter{Input: node, Cond: s.subs.replace(cond)}, span(0, width)), cols: rel.cols}, nil
}
