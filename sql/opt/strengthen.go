package opt

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
)

// strengthen makes an outer join narrower where a condition above it drops the rows that the outer join adds.
func strengthen(kind plan.JoinKind, conds []expr.Expr, width, total int) plan.JoinKind {
	var needsLeft, needsRight bool
	for _, c := range conds {
		needsLeft = needsLeft || dropsNull(c, 0, width)
		needsRight = needsRight || dropsNull(c, width, total)
	}
	switch {
	case kind == plan.Left && needsRight, kind == plan.Right && needsLeft, kind == plan.Full && needsLeft && needsRight:
		return plan.Inner
	case kind == plan.Full && needsLeft:
		return plan.Left
	case kind == plan.Full && needsRight:
		return plan.Right
	}
	return kind
}

// dropsNull tells whether condition e is never true where all columns in [from, to) are NULL.
func dropsNull(e expr.Expr, from, to int) bool {
	switch x := e.(type) {
	case *expr.And:
		for _, a := range x.Args {
			if dropsNull(a, from, to) {
				return true
			}
		}
		return false
	case *expr.Or:
		for _, a := range x.Args {
			if !dropsNull(a, from, to) {
				return false
			}
		}
		return len(x.Args) > 0
	case *expr.IsNull:
		return x.Negate && nullOnNull(x.Arg, from, to)
	}
	return nullOnNull(e, from, to)
}

// strict are the functions and operators that give NULL for a NULL argument.
var strict = map[string]bool{
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true, "+": true, "-": true, "*": true, "/": true, "%": true, "neg": true,
	"like": true, "ilike": true, "rlike": true, "NEG": true, "LIKE": true, "ILIKE": true, "RLIKE": true,
}

// nullOnNull tells whether e is NULL where all columns in [from, to) are.
func nullOnNull(e expr.Expr, from, to int) bool {
	switch x := e.(type) {
	case *expr.Column:
		return x.Index >= from && x.Index < to
	case *expr.Cast:
		return nullOnNull(x.Arg, from, to)
	case *expr.Path:
		return nullOnNull(x.Arg, from, to)
	case *expr.Not:
		return nullOnNull(x.Arg, from, to)
	case *expr.In:
		return nullOnNull(x.Arg, from, to)
	case *expr.Call:
		if !strict[x.Fn.Name] {
			return false
		}
		for _, a := range x.Args {
			if nullOnNull(a, from, to) {
				return true
			}
		}
	}
	return false
}
