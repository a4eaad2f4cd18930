package expr

import (
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Type returns BOOLEAN.
func (e *And) Type() types.Type { return boolean }

// Type returns BOOLEAN.
func (e *Or) Type() types.Type { return boolean }

// Eval evaluates the arguments in order, each only on the rows that none before made false.
func (e *And) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	return evalLogic(c, b, e.Args, false)
}

// Eval evaluates the arguments in order, each only on the rows that none before made true.
func (e *Or) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	return evalLogic(c, b, e.Args, true)
}

// evalLogic evaluates a chain in which the value decisive settles a row: true for OR, false for AND.
func evalLogic(c *function.Ctx, b *vec.Batch, args []Expr, decisive bool) (*vec.Vector, error) {
	n := b.Len
	out := make([]bool, n)
	if !decisive {
		for i := range out {
			out[i] = true
		}
	}
	var null vec.Bitmap // rows that met a NULL
	rows := vec.SelectAll(n)
	for k, a := range args {
		if len(rows) == 0 {
			break
		}
		v, all, err := evalOn(c, b, a, rows)
		if err != nil {
			return nil, err
		}
		open := rows[:0:len(rows)]
		if k < len(args)-1 {
			open = make(vec.Sel, 0, len(rows))
		}
		for i, r := range rows {
			at := i
			if all {
				at = int(r)
			}
			switch {
			case v.IsNull(at):
				if null == nil {
					null = vec.NewBitmap(n)
				}
				null.Set(int(r))
			case boolAt(v, at) == decisive:
				out[r] = decisive
				if null != nil {
					null.Clear(int(r))
				}
				continue
			}
			open = append(open, r)
		}
		rows = open
	}
	if null == nil {
		return vec.NewFlat(boolean, out, nil), nil
	}
	valid := vec.NewBitmapSet(n)
	for i := range valid {
		valid[i] &^= null[i]
	}
	return vec.NewFlat(boolean, out, valid), nil
}

// boolAt reads row i of a BOOLEAN vector, which is not NULL.
func boolAt(v *vec.Vector, i int) bool {
	h, j := v.At(i)
	return vec.Slice[bool](h)[j]
}

// evalOn evaluates e on the rows of b, or on all rows where that is cheaper and cannot fail; all tells which.
func evalOn(c *function.Ctx, b *vec.Batch, e Expr, rows vec.Sel) (v *vec.Vector, all bool, err error) {
	if len(rows) == b.Len || len(rows) > b.Len/2 && Cost(e) <= gatherCost && Infallible(e) {
		v, err = e.Eval(c, b)
		return v, true, err
	}
	v, err = e.Eval(c, subset(b, e, rows))
	return v, false, err
}

// gatherCost is about what gathering the rows of a column or two costs in nanoseconds per row: what is cheaper is evaluated for rows that
// do not need it rather than on a subset.
const gatherCost = 8

// applyCost is what making an array costs besides its elements.
const applyCost = 50

// Cost is a rough number of nanoseconds per row that evaluating e takes, for ordering filters and the like.
func Cost(e Expr) int {
	cost := 0
	Walk(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Call:
			cost += x.Fn.Cost()
		case *Cast:
			cost += castCost(x.Arg.Type(), x.To)
		case *Path:
			cost += 50
		case *Apply:
			cost += applyCost + 4*Cost(x.Body)
		case *Column, *Const, *Param:
		default:
			cost += 2
		}
		return true
	})
	return cost
}

// castCost tells cheap conversions of numbers from those that read or print text.
func castCost(from, to types.Type) int {
	switch {
	case from.IsVariant() || to.IsVariant():
		return 100
	case from.IsNumeric() && to.IsNumeric() || from.IsTemporal() && to.IsTemporal():
		return 2
	}
	return 50
}

// subset gathers the rows of the columns that e reads.
func subset(b *vec.Batch, e Expr, rows vec.Sel) *vec.Batch {
	out := &vec.Batch{Cols: make([]*vec.Vector, len(b.Cols)), Len: len(rows)}
	Walk(e, func(x Expr) bool {
		if col, ok := x.(*Column); ok && out.Cols[col.Index] == nil {
			out.Cols[col.Index] = vec.GatherSel(b.Cols[col.Index], rows)
		}
		return true
	})
	return out
}

// Infallible tells that evaluating e never reports an error, so that it may be done for rows that do not need it and in any order.
func Infallible(e Expr) bool {
	ok := true
	Walk(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Column, *Const, *Not, *IsNull, *In, *And, *Or, *Path, *Case:
		case *Try:
			return false // whatever stands in it
		case *Apply:
			ok = ok && x.Fn.Infallible() && Infallible(x.Body)
		case *Call:
			ok = ok && x.Fn.Infallible() && !x.Fn.Volatile
		case *Cast:
			ok = ok && (x.Try || safeCast(x))
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// safeCast tells whether a cast cannot fail: none from a VARIANT does, nor one that widens.
func safeCast(x *Cast) bool {
	from := x.Arg.Type()
	return from.IsVariant() || x.To.Kind < types.JSON && function.CanCast(from, x.To) == function.Implicit
}

// Select returns the rows of b for which e is true.
func Select(c *function.Ctx, e Expr, b *vec.Batch) (vec.Sel, error) {
	switch x := e.(type) {
	case *And:
		return selectAnd(c, x, b)
	case *Or:
		return selectOr(c, x, b)
	}
	v, err := e.Eval(c, b)
	if err != nil {
		return nil, err
	}
	return vec.SelectTrue(v), nil
}

// selectAnd narrows the selection argument by argument.
func selectAnd(c *function.Ctx, e *And, b *vec.Batch) (vec.Sel, error) {
	rows := vec.SelectAll(b.Len)
	for _, a := range e.Args {
		if len(rows) == 0 {
			break
		}
		next, err := selectOn(c, a, b, rows)
		if err != nil {
			return nil, err
		}
		rows = next
	}
	return rows, nil
}

// selectOr tries each argument on the rows that none before selected.
func selectOr(c *function.Ctx, e *Or, b *vec.Batch) (vec.Sel, error) {
	var hits vec.Sel
	rows := vec.SelectAll(b.Len)
	for _, a := range e.Args {
		if len(rows) == 0 {
			break
		}
		more, err := selectOn(c, a, b, rows)
		if err != nil {
			return nil, err
		}
		if len(more) > 0 {
			hits, rows = merge(hits, more), without(rows, more)
		}
	}
	return hits, nil
}

// selectOn returns those of rows for which e is true.
func selectOn(c *function.Ctx, e Expr, b *vec.Batch, rows vec.Sel) (vec.Sel, error) {
	if len(rows) == b.Len {
		return Select(c, e, b)
	}
	switch e.(type) {
	case *And, *Or:
		sel, err := Select(c, e, subset(b, e, rows))
		return rows.Compose(sel), err
	}
	v, all, err := evalOn(c, b, e, rows)
	if err != nil {
		return nil, err
	}
	sel := vec.SelectTrue(v)
	if all {
		return intersect(rows, sel), nil
	}
	return rows.Compose(sel), nil
}

// merge joins two ascending selections without common rows.
func merge(a, b vec.Sel) vec.Sel {
	out := make(vec.Sel, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// without returns the rows of a that are not in b.
func without(a, b vec.Sel) vec.Sel {
	out := make(vec.Sel, 0, len(a))
	for _, r := range a {
		for len(b) > 0 && b[0] < r {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != r {
			out = append(out, r)
		}
	}
	return out
}

// intersect returns the rows that are in both.
func intersect(a, b vec.Sel) vec.Sel {
	out := make(vec.Sel, 0, min(len(a), len(b)))
	for _, r := range a {
		for len(b) > 0 && b[0] < r {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == r {
			out = append(out, r)
		}
	}
	return out
}
