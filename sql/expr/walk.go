package expr

import (
	"slices"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/vec"
)

// Children returns the direct parts of e in the order of evaluation. The body of a lambda is none: its columns are others.
func Children(e Expr) []Expr {
	switch x := e.(type) {
	case *Call:
		return x.Args
	case *Cast:
		return []Expr{x.Arg}
	case *Try:
		return []Expr{x.Arg}
	case *Apply:
		return x.Args
	case *And:
		return x.Args
	case *Or:
		return x.Args
	case *Not:
		return []Expr{x.Arg}
	case *IsNull:
		return []Expr{x.Arg}
	case *Case:
		out := make([]Expr, 0, 2*len(x.Whens)+1)
		for _, w := range x.Whens {
			out = append(out, w.Cond, w.Then)
		}
		if x.Else != nil {
			out = append(out, x.Else)
		}
		return out
	case *In:
		return []Expr{x.Arg}
	case *Path:
		return []Expr{x.Arg}
	}
	return nil
}

// WithChildren returns e with other parts, in the order of Children. Nodes without parts are returned as they are.
func WithChildren(e Expr, parts []Expr) Expr {
	switch x := e.(type) {
	case *Call:
		return &Call{Fn: x.Fn, Args: parts, At: x.At}
	case *Cast:
		return &Cast{Arg: parts[0], To: x.To, Try: x.Try, At: x.At}
	case *Try:
		return &Try{Arg: parts[0]}
	case *Apply:
		out := *x
		out.Args = parts
		return &out
	case *And:
		return &And{Args: parts}
	case *Or:
		return &Or{Args: parts}
	case *Not:
		return &Not{Arg: parts[0]}
	case *IsNull:
		return &IsNull{Arg: parts[0], Negate: x.Negate}
	case *Case:
		out := &Case{T: x.T, Whens: make([]When, len(x.Whens))}
		for i := range x.Whens {
			out.Whens[i] = When{Cond: parts[2*i], Then: parts[2*i+1]}
		}
		if x.Else != nil {
			out.Else = parts[2*len(x.Whens)]
		}
		return out
	case *In:
		return &In{Arg: parts[0], List: x.List, HasNull: x.HasNull, Negate: x.Negate}
	case *Path:
		return &Path{Arg: parts[0], Steps: x.Steps}
	}
	return e
}

// Walk calls f for e and, where f returns true, for its parts.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, c := range Children(e) {
		Walk(c, f)
	}
}

// Volatile tells whether e calls a function that gives another value at each call.
func Volatile(e Expr) bool {
	found := false
	Walk(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Call:
			found = found || x.Fn.Volatile
		case *Apply:
			found = found || Volatile(x.Body)
		}
		return !found
	})
	return found
}

// Rewrite replaces every node by f(node), parts before wholes. Nodes whose parts do not change are kept.
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	parts := Children(e)
	var changed []Expr
	for i, p := range parts {
		if q := Rewrite(p, f); q != p {
			if changed == nil {
				changed = slices.Clone(parts)
			}
			changed[i] = q
		}
	}
	if changed != nil {
		e = WithChildren(e, changed)
	}
	return f(e)
}

// Columns returns the indexes of the columns that e reads, ascending.
func Columns(e Expr) []int {
	var out []int
	Walk(e, func(x Expr) bool {
		if c, ok := x.(*Column); ok {
			out = append(out, c.Index)
		}
		return true
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Remap renumbers columns: index i becomes to[i]; an index that to does not have stays.
func Remap(e Expr, to map[int]int) Expr {
	return Rewrite(e, func(x Expr) Expr {
		c, ok := x.(*Column)
		if !ok {
			return x
		}
		n, ok := to[c.Index]
		if !ok || n == c.Index {
			return x
		}
		return &Column{Index: n, Name: c.Name, T: c.T, NotNull: c.NotNull}
	})
}

// Shift adds delta to every column index.
func Shift(e Expr, delta int) Expr {
	return Rewrite(e, func(x Expr) Expr {
		if c, ok := x.(*Column); ok {
			return &Column{Index: c.Index + delta, Name: c.Name, T: c.T, NotNull: c.NotNull}
		}
		return x
	})
}

// Conjuncts splits e at its outer ANDs; nil has none.
func Conjuncts(e Expr) []Expr {
	switch x := e.(type) {
	case nil:
		return nil
	case *And:
		var out []Expr
		for _, a := range x.Args {
			out = append(out, Conjuncts(a)...)
		}
		return out
	}
	return []Expr{e}
}

// Join is the conjunction of list: nil for none, the element itself for one.
func Join(list []Expr) Expr {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &And{Args: list}
}

// Equal tells whether two expressions are the same: equal trees with equal constants. Volatile calls equal nothing.
func Equal(a, b Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if !sameNode(a, b) {
		return false
	}
	x, y := Children(a), Children(b)
	return slices.EqualFunc(x, y, Equal)
}

// sameNode compares two nodes without their parts.
func sameNode(a, b Expr) bool {
	switch x := a.(type) {
	case *Column:
		y, ok := b.(*Column)
		return ok && x.Index == y.Index && x.T.Equal(y.T)
	case *Const:
		y, ok := b.(*Const)
		return ok && sameValues(x.Value, y.Value)
	case *Call:
		y, ok := b.(*Call)
		return ok && !x.Fn.Volatile && x.Fn.Name == y.Fn.Name && x.Fn.Ret.Equal(y.Fn.Ret)
	case *Cast:
		y, ok := b.(*Cast)
		return ok && x.Try == y.Try && x.To.Equal(y.To)
	case *Try:
		_, ok := b.(*Try)
		return ok
	case *Apply:
		y, ok := b.(*Apply)
		return ok && x.Fn.Name == y.Fn.Name && x.Inputs == y.Inputs && len(x.Params) == len(y.Params) && x.T.Equal(y.T) && Equal(x.Body, y.Body)
	case *And:
		_, ok := b.(*And)
		return ok
	case *Or:
		_, ok := b.(*Or)
		return ok
	case *Not:
		_, ok := b.(*Not)
		return ok
	case *IsNull:
		y, ok := b.(*IsNull)
		return ok && x.Negate == y.Negate
	case *Case:
		y, ok := b.(*Case)
		return ok && len(x.Whens) == len(y.Whens) && (x.Else == nil) == (y.Else == nil) && x.T.Equal(y.T)
	case *In:
		y, ok := b.(*In)
		return ok && x.Negate == y.Negate && x.HasNull == y.HasNull && sameValues(x.List, y.List)
	case *Path:
		y, ok := b.(*Path)
		return ok && slices.Equal(x.Steps, y.Steps)
	case *Param:
		y, ok := b.(*Param)
		return ok && x.Slot == y.Slot && x.T.Equal(y.T)
	}
	return false
}

// sameValues compares vectors of constants row by row; variants by their bytes.
func sameValues(a, b *vec.Vector) bool {
	if !a.Type.Equal(b.Type) || a.Len != b.Len {
		return false
	}
	for i := range a.Len {
		if a.IsNull(i) != b.IsNull(i) {
			return false
		}
		if a.IsNull(i) {
			continue
		}
		if a.Type.IsVariant() {
			am, av := flatten(a).VariantAt(i)
			bm, bv := flatten(b).VariantAt(i)
			if string(am) != string(bm) || string(av) != string(bv) {
				return false
			}
			continue
		}
		if vec.Compare(a, i, b, i) != 0 {
			return false
		}
	}
	return true
}

// BindParams replaces parameters by constants: slot i by row 0 of values[i], cast to the parameter's type. Slots beyond the list, or nil
// there, stay.
func BindParams(c *function.Ctx, e Expr, values []*vec.Vector) (Expr, error) {
	var failed error
	out := Rewrite(e, func(x Expr) Expr {
		p, ok := x.(*Param)
		if !ok || p.Slot >= len(values) || values[p.Slot] == nil || failed != nil {
			return x
		}
		v, err := function.Cast(c, values[p.Slot], p.T, false)
		if err != nil {
			failed = err
			return x
		}
		return &Const{Value: flatten(v.Slice(0, 1))}
	})
	return out, failed
}
