package function

import (
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// comparedAs finds the types that two operands are cast to for a comparison: equal physical types, or an integer and a double.
func comparedAs(args []Arg) (x, y types.Type, err error) {
	a, b := args[0], args[1]
	if a.Const == nil && b.Const != nil || a.Type.IsVariant() || b.Const != nil && b.Type.Kind == types.Varchar && a.Type.Kind != types.Varchar {
		y, x, err = comparedWith(b, a)
		return x, y, err
	}
	return comparedWith(a, b)
}

// comparedWith is comparedAs where, if one operand is constant, it is a.
func comparedWith(a, b Arg) (x, y types.Type, err error) {
	s, t := a.Type, b.Type
	switch {
	case t.IsVariant() && s.Kind == types.Null:
		return types.Of(types.Varchar), types.Of(types.Varchar), nil
	case t.IsVariant():
		if CanCast(t, s) != Implicit || s.Kind >= types.JSON {
			return s, t, sqlerr.New(sqlerr.Type, "VARIANT cannot be compared with %s; write CAST(... AS %s)", s, s)
		}
		return s, s, nil
	case s.Kind == types.Null:
		return t, t, nil
	case t.Kind == types.Null:
		return s, s, nil
	case s.Kind == t.Kind && s.Phys() == t.Phys() && s.Kind < types.JSON && (s.Kind != types.Decimal || s.Scale == t.Scale):
		return s, t, nil
	case s.Kind == types.Varchar && a.Const != nil && t.Kind != types.Binary:
		return textConstant(a, b)
	}
	common, ok := CommonType(s, t)
	if !ok || common.Kind == types.Varchar {
		return s, t, sqlerr.New(sqlerr.Type, "%s cannot be compared with %s; cast one of them", s, t)
	}
	if a.Const != nil && b.Const == nil && sameIn(a.Const, t, common) {
		return t, t, nil
	}
	if isFloat(common) && (s.Kind == types.BigInt && isFloat(t) || t.Kind == types.BigInt && isFloat(s)) {
		return keepBigInt(s), keepBigInt(t), nil
	}
	return common, common, nil
}

func keepBigInt(t types.Type) types.Type {
	if t.Kind == types.BigInt {
		return t
	}
	return types.Of(types.Double)
}

// textConstant compares a text constant with a value of another type: the text is read as that type. A text with a fraction beside an
// integer, or with a time beside a date, widens both sides instead of losing it.
func textConstant(a, b Arg) (x, y types.Type, err error) {
	t := b.Type
	if a.Const.IsNull(0) {
		return t, t, nil
	}
	switch {
	case t.IsNumeric():
		text := a.Const.Bytes(0)
		if _, st := readInt128(text); st == fits && t.IsInteger() {
			if _, err := castWith(&Ctx{}, a.Const, t, castMode{exact: true}); err == nil {
				return t, t, nil
			}
			return types.Of(types.LargeInt), types.Of(types.LargeInt), nil
		}
		if isFloat(t) {
			return types.Of(types.Double), types.Of(types.Double), nil
		}
		literal := decimalLiteral(string(text))
		if _, _, ok := types.ParseDecimal(text, int(literal.Scale)); !ok || int(literal.Precision) > types.MaxDecimalPrecision {
			return t, t, nil // the cast of the constant reports it
		}
		if t, ok := commonNumber(literal, t); ok && t.Kind == types.Decimal {
			return t, t, nil
		}
		return types.Of(types.Double), types.Of(types.Double), nil
	case t.Kind == types.Date:
		if _, ok := types.ParseDate(a.Const.Bytes(0)); !ok {
			return types.Of(types.DateTime), types.Of(types.DateTime), nil
		}
	case t.Kind == types.DateTime || t.Kind == types.TimestampTZ:
		return types.Of(t.Kind), t, nil
	}
	if CanCast(a.Type, t) == No {
		return a.Type, t, sqlerr.New(sqlerr.Type, "%s cannot be compared with %s; cast one of them", a.Type, t)
	}
	return t, t, nil
}

// sameIn tells whether a constant keeps its value when it is cast to t: then a column of type t is compared without being cast itself.
func sameIn(c *vec.Vector, t, common types.Type) bool {
	if c.IsNull(0) {
		return false
	}
	ctx := &Ctx{Zone: nil}
	if c.Type.Kind == types.TimestampTZ || t.Kind == types.TimestampTZ {
		return false // depends on the session's zone
	}
	v, err := castWith(ctx, c, t, castMode{exact: true})
	if err != nil {
		return false
	}
	back, err := castWith(ctx, v, common, castMode{exact: true})
	if err != nil {
		return false
	}
	direct, err := castWith(ctx, c, common, castMode{exact: true})
	return err == nil && !back.IsNull(0) && vec.Compare(back, 0, direct, 0) == 0
}
