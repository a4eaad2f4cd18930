package plan

import "github.com/ebira-db/ebira/sql/expr"

// MapArgs returns e with f applied to its direct arguments; e itself if f changes none of them.
func MapArgs(e expr.Expr, f func(expr.Expr) expr.Expr) expr.Expr {
	args := expr.Children(e)
	if len(args) == 0 {
		return e
	}
	out := make([]expr.Expr, len(args))
	changed := false
	for i, a := range args {
		out[i] = f(a)
		changed = changed || out[i] != a
	}
	if !changed {
		return e
	}
	return expr.WithChildren(e, out)
}

// MapColumns replaces every column of e by what f returns for it.
func MapColumns(e expr.Expr, f func(*expr.Column) expr.Expr) expr.Expr {
	if c, ok := e.(*expr.Column); ok {
		return f(c)
	}
	return MapArgs(e, func(a expr.Expr) expr.Expr { return MapColumns(a, f) })
}

// EachColumn calls f for every column that e reads, as often as it reads it; e may be nil.
func EachColumn(e expr.Expr, f func(*expr.Column)) {
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok {
			f(c)
		}
		return true
	})
}

// Moved returns c as column number index.
func Moved(c *expr.Column, index int) *expr.Column {
	if c.Index == index {
		return c
	}
	m := *c
	m.Index = index
	return &m
}

// Volatile tells whether e calls a function that gives another value at each call.
func Volatile(e expr.Expr) bool { return expr.Volatile(e) }
