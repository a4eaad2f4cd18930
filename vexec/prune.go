package vexec

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// predicateOf translates a condition of a scan for zone maps. The predicate holds for exactly the rows for which the condition is true.
func predicateOf(n *plan.Scan, e expr.Expr) (segment.Predicate, bool) {
	switch e := e.(type) {
	case *expr.Call:
		return comparisonOf(n, e)
	case *expr.IsNull:
		p, _, ok := prunable(n, e.Arg)
		p.Op = segment.IsNull
		if e.Negate {
			p.Op = segment.IsNotNull
		}
		_, cast := e.Arg.(*expr.Cast)
		return p, ok && !cast
	case *expr.In:
		p, t, ok := prunable(n, e.Arg)
		p.Op, p.Values = segment.In, e.List
		return p, ok && !e.Negate && !t.IsVariant()
	}
	return segment.Predicate{}, false
}

// operators are the comparisons by name, and what they become if the operands change places.
var operators = map[string]struct{ op, flipped segment.Op }{
	"=": {segment.Eq, segment.Eq}, "<>": {segment.Ne, segment.Ne},
	"<": {segment.Lt, segment.Gt}, "<=": {segment.Le, segment.Ge},
	">": {segment.Gt, segment.Lt}, ">=": {segment.Ge, segment.Le},
}

// comparisonOf translates column OP constant and constant OP column.
func comparisonOf(n *plan.Scan, e *expr.Call) (segment.Predicate, bool) {
	op, known := operators[e.Fn.Name]
	if !known || len(e.Args) != 2 {
		return segment.Predicate{}, false
	}
	arg, how := e.Args[0], op.op
	c, ok := e.Args[1].(*expr.Const)
	if !ok {
		if c, ok = e.Args[0].(*expr.Const); !ok {
			return segment.Predicate{}, false
		}
		arg, how = e.Args[1], op.flipped
	}
	p, t, ok := prunable(n, arg)
	if !ok || c.Value.Type.IsVariant() || c.Value.IsNull(0) || t.IsVariant() && !c.Value.Type.IsNumeric() {
		return p, false
	}
	p.Op, p.Values = how, vec.Flatten(c.Value.Slice(0, 1))
	return p, true
}

// prunable recognizes what zone maps can say something about: a column, a path of a VARIANT column, or one of both under a cast that
// changes no value, respectively under the implicit cast of a comparison. t is the type in which it is compared; VARIANT stands for the
// exact comparison with numbers.
func prunable(n *plan.Scan, e expr.Expr) (p segment.Predicate, t types.Type, ok bool) {
	switch e := e.(type) {
	case *expr.Column:
		if e.Index >= len(n.Columns) {
			return p, t, false
		}
		c := &n.Columns[e.Index]
		return segment.Predicate{Column: c.ID, Path: c.Path}, c.Type, true
	case *expr.Path:
		p, t, ok = prunable(n, e.Arg)
		if _, isColumn := e.Arg.(*expr.Column); !ok || !isColumn || t.Kind != types.Variant {
			return p, t, false
		}
		p.Path = append([]string(nil), p.Path...)
		for _, s := range e.Steps {
			if s.IsIndex {
				return p, t, false
			}
			p.Path = append(p.Path, s.Key)
		}
		return p, t, true
	case *expr.Cast:
		p, t, ok = prunable(n, e.Arg)
		if !ok {
			return p, t, false
		}
		if t.IsVariant() {
			// A cast to a number rounds and takes booleans and texts; the others are those of a comparison.
			if e.To.IsInteger() {
				p.Integer = e.To.Kind
			}
			return p, e.To, t.Kind == types.Variant && (!e.To.IsNumeric() || e.To.IsInteger()) && e.To.Equal(types.Of(e.To.Kind))
		}
		return p, e.To, lossless(t, e.To)
	}
	return p, t, false
}

// lossless tells whether a cast keeps the order and difference of values, so that they may as well be compared before it.
func lossless(from, to types.Type) bool {
	switch {
	case from.IsInteger() && to.IsInteger():
		return to.Kind >= from.Kind
	case from.IsInteger() && to.Kind == types.Double:
		return from.Kind <= types.Int
	case from.IsInteger() && to.Kind == types.Decimal:
		return int(to.Precision-to.Scale) >= integerDigits[from.Kind]
	case from.Kind == types.Decimal && to.Kind == types.Decimal:
		return to.Scale >= from.Scale && to.Precision-to.Scale >= from.Precision-from.Scale
	case from.Kind == types.Float && to.Kind == types.Double, from.Kind == types.Date && to.Kind == types.DateTime:
		return true
	case from.Kind == types.Varchar && to.Kind == types.Varchar:
		return to.Length == 0
	}
	return from.Equal(to)
}

// integerDigits is how many digits an integer type may have.
var integerDigits = map[types.Kind]int{types.TinyInt: 3, types.SmallInt: 5, types.Int: 10, types.BigInt: 19, types.LargeInt: 39}
