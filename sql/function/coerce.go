package function

import (
	"strings"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
)

// Castability tells whether values of one type can become values of another.
type Castability uint8

// The answers of CanCast.
const (
	No       Castability = iota
	Explicit             // only by CAST
	Implicit             // also where an expression or a write needs it
)

// digitsOf are the decimal digits that hold every value of an integer type.
var digitsOf = [...]int{types.Boolean: 1, types.TinyInt: 3, types.SmallInt: 5, types.Int: 10, types.BigInt: 19, types.LargeInt: 39}

// asDecimal returns the DECIMAL that holds every value of an integer or DECIMAL type.
func asDecimal(t types.Type) types.Type {
	if t.Kind == types.Decimal {
		return t
	}
	return types.DecimalOf(digitsOf[t.Kind], 0)
}

// CommonType returns the type that values of a and b are cast to where they meet: in CASE, UNION, IN and lists. NULL gives way to anything;
// numbers widen without loss, except that FLOAT and DOUBLE with anything give DOUBLE; dates widen to timestamps; text takes in every
// other scalar as text; VARIANT takes in everything; arrays and structs meet element by element.
func CommonType(a, b types.Type) (types.Type, bool) {
	if a.Equal(b) {
		return a, true
	}
	if a.Kind == types.Null {
		return b, true
	}
	if b.Kind == types.Null {
		return a, true
	}
	if a.Kind > b.Kind {
		a, b = b, a
	}
	switch {
	case a.IsVariant() || b.IsVariant():
		if a.Kind == types.JSON && b.Kind == types.JSON {
			return a, true
		}
		return types.Of(types.Variant), true
	case a.Kind == types.Boolean && b.IsNumeric():
		return b, true
	case a.IsNumeric() && b.IsNumeric():
		return commonNumber(a, b)
	case a.Kind == types.Varchar && b.Kind == types.Varchar:
		if a.Length == 0 || b.Length == 0 {
			return types.Of(types.Varchar), true
		}
		return types.Type{Kind: types.Varchar, Length: max(a.Length, b.Length)}, true
	case (a.Kind == types.Varchar || b.Kind == types.Varchar) && isScalar(a) && isScalar(b):
		if b.Kind == types.Binary {
			return b, true
		}
		return types.Of(types.Varchar), true
	case a.IsTemporal() && b.IsTemporal():
		if (a.Kind == types.Time) != (b.Kind == types.Time) {
			return a, false
		}
		b.Precision = max(a.Precision, b.Precision)
		return b, true
	case a.Kind == types.IPv4 && b.Kind == types.IPv6:
		return b, true
	case a.Kind == b.Kind:
		return commonNested(a, b)
	}
	return a, false
}

func isScalar(t types.Type) bool { return t.Kind < types.JSON }

func commonNumber(a, b types.Type) (types.Type, bool) {
	switch {
	case a.Kind == types.Float || a.Kind == types.Double || b.Kind == types.Float || b.Kind == types.Double:
		return types.Of(types.Double), true
	case a.IsInteger() && b.IsInteger():
		return b, true
	}
	a, b = asDecimal(a), asDecimal(b)
	scale := max(a.Scale, b.Scale)
	whole := max(a.Precision-a.Scale, b.Precision-b.Scale)
	if int(whole)+int(scale) > types.MaxDecimalPrecision {
		return types.Of(types.Double), true
	}
	return types.DecimalOf(int(whole+scale), int(scale)), true
}

func commonNested(a, b types.Type) (types.Type, bool) {
	if a.Kind == types.Array {
		e, ok := CommonType(*a.Elem, *b.Elem)
		return types.ArrayOf(e), ok
	}
	if len(a.Fields) != len(b.Fields) {
		return a, false
	}
	out := a
	out.Fields = make([]types.Field, len(a.Fields))
	for i, f := range a.Fields {
		t, ok := CommonType(f.Type, b.Fields[i].Type)
		if !ok || !strings.EqualFold(f.Name, b.Fields[i].Name) {
			return a, false
		}
		out.Fields[i] = types.Field{Name: f.Name, Type: t}
	}
	return out, true
}

// variantCastable tells whether a VARIANT converts to t at all.
func variantCastable(t types.Type) bool { return variant.Castable(t) == nil }

// CanCast tells whether and how values of from convert to to. Values may still fail to convert. From VARIANT: scalars
// and JSON implicitly, ARRAY and STRUCT explicitly, MAP never (decision D2).
func CanCast(from, to types.Type) Castability {
	f, t := from.Kind, to.Kind
	switch {
	case f == types.Null || from.Equal(to):
		return Implicit
	case t == types.Null:
		return No
	case from.IsVariant():
		switch {
		case !variantCastable(to):
			return No
		case t == types.Array || t == types.Struct:
			return Explicit
		}
		return Implicit
	case f == types.Varchar && to.IsVariant():
		return Implicit
	case to.IsVariant():
		return Explicit
	case f == types.Map || t == types.Map, f == types.Struct || t == types.Struct, f == types.Array || t == types.Array:
		return canCastNested(from, to)
	case t == types.Varchar:
		return Explicit
	case f == types.Varchar:
		return Explicit
	case f == types.Binary || t == types.Binary:
		return No
	case from.IsNumeric() && to.IsNumeric():
		if _, ok := implicitCost(Arg{Type: from}, to); ok {
			return Implicit
		}
		return Explicit
	case f == types.Boolean && to.IsNumeric():
		if t == types.Decimal && to.Precision == to.Scale {
			return Explicit
		}
		return Implicit
	case from.IsNumeric() && t == types.Boolean:
		return Explicit
	case from.IsTemporal() && to.IsTemporal():
		switch {
		case f == t:
			return Implicit
		case f == types.Time, t == types.Time && f == types.Date:
			return No
		case f < t && t != types.Time:
			return Implicit
		}
		return Explicit
	case f == types.IPv4 && t == types.IPv6:
		return Implicit
	case f == types.IPv6 && t == types.IPv4, f == types.IPv4 && (t == types.BigInt || t == types.LargeInt), f == types.BigInt && t == types.IPv4:
		return Explicit
	}
	return No
}

func canCastNested(from, to types.Type) Castability {
	switch {
	case from.Kind == types.Varchar && to.Kind != types.Map || to.Kind == types.Varchar:
		if to.Kind == types.Struct || to.Kind == types.Array && !variantCastable(to) {
			return No
		}
		return Explicit
	case from.Kind != to.Kind:
		return No
	case from.Kind == types.Array:
		return CanCast(*from.Elem, *to.Elem)
	case len(from.Fields) != len(to.Fields):
		return No
	}
	worst := Implicit
	for i, f := range from.Fields {
		worst = min(worst, CanCast(f.Type, to.Fields[i].Type))
	}
	return worst
}
