package bind

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// literal binds a constant; negative says that a minus stands before the number, so that the smallest integers have their type.
func (s *scope) literal(l *parse.Literal, negative bool) (expr.Expr, error) {
	switch l.Kind {
	case parse.LitNull:
		return nullConst(), nil
	case parse.LitBool:
		return boolConst(strings.EqualFold(l.Text, "true")), nil
	case parse.LitInteger:
		return integer(l, negative)
	case parse.LitDecimal:
		return decimal(l, negative)
	case parse.LitDouble:
		return double(l, negative)
	case parse.LitString:
		return textConst(l.Text), nil
	}
	b := vec.NewBuilder(types.Of(types.Binary), 1)
	raw, err := hexBytes(l)
	if err != nil {
		return nil, err
	}
	b.AppendBytes(raw)
	return &expr.Const{Value: b.Finish()}, nil
}

func hexBytes(l *parse.Literal) ([]byte, error) {
	text := l.Text
	if len(text)%2 == 1 {
		text = "0" + text
	}
	out := make([]byte, len(text)/2)
	for i := range out {
		v, err := strconv.ParseUint(text[2*i:2*i+2], 16, 8)
		if err != nil {
			return nil, sqlerr.At(sqlerr.Syntax, l.Pos(), "%q is not hexadecimal", l.Text)
		}
		out[i] = byte(v)
	}
	return out, nil
}

func nullConst() *expr.Const {
	b := vec.NewBuilder(types.Of(types.Null), 1)
	b.AppendNull()
	return &expr.Const{Value: b.Finish()}
}

// integer gives an integer the smallest of INT, BIGINT, LARGEINT that holds it (LARGEINT up to 38 digits), else DECIMAL(p, 0).
func integer(l *parse.Literal, negative bool) (expr.Expr, error) {
	text := l.Text
	if negative {
		text = "-" + text
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		if v >= math.MinInt32 && v <= math.MaxInt32 {
			return constOf(types.Of(types.Int), int32(v)), nil
		}
		return constOf(types.Of(types.BigInt), v), nil
	}
	if v, ok := types.ParseInt128([]byte(text)); ok {
		return constOf(types.Of(types.LargeInt), v), nil
	}
	return unscaled(l, text, 0)
}

// decimal makes a DECIMAL with exactly the digits written.
func decimal(l *parse.Literal, negative bool) (expr.Expr, error) {
	whole, fraction, _ := strings.Cut(l.Text, ".")
	text := whole + fraction
	if negative {
		text = "-" + text
	}
	return unscaled(l, text, len(fraction))
}

// unscaled makes a DECIMAL of digits (with an optional sign) and a scale.
func unscaled(l *parse.Literal, text string, scale int) (expr.Expr, error) {
	digits := strings.TrimLeft(strings.TrimPrefix(text, "-"), "0")
	p := max(len(digits), scale, 1)
	if p > types.MaxDecimalPrecision {
		return nil, sqlerr.At(sqlerr.OutOfRange, l.Pos(), "number with more than %d digits; write it with an exponent for DOUBLE", types.MaxDecimalPrecision)
	}
	v, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return nil, sqlerr.At(sqlerr.Syntax, l.Pos(), "%q is not a number", l.Text)
	}
	t := types.DecimalOf(p, scale)
	switch t.Phys() {
	case types.PhysInt64:
		return constOf(t, v.Int64()), nil
	case types.PhysInt128:
		w, _ := types.Int128FromBig(v)
		return constOf(t, w), nil
	}
	w, _ := types.Int256FromBig(v)
	return constOf(t, w), nil
}

func double(l *parse.Literal, negative bool) (expr.Expr, error) {
	v, err := strconv.ParseFloat(l.Text, 64)
	if err != nil {
		return nil, sqlerr.At(sqlerr.OutOfRange, l.Pos(), "number %s does not fit DOUBLE", l.Text)
	}
	if negative {
		v = -v
	}
	return constOf(types.Of(types.Double), v), nil
}

func constOf[T any](t types.Type, v T) *expr.Const {
	return &expr.Const{Value: vec.NewFlat(t, []T{v}, nil)}
}

var typedLiterals = map[string]types.Kind{
	"DATE": types.Date, "DATEV2": types.Date, "DATETIME": types.DateTime, "DATETIMEV2": types.DateTime, "TIMESTAMP": types.DateTime,
	"TIMESTAMPTZ": types.TimestampTZ, "TIME": types.Time,
}

// typedLiteral binds DATE '2024-01-31' and its like: the text must be a value of the type.
func (s *scope) typedLiteral(l *parse.TypedLiteral) (expr.Expr, error) {
	k, ok := typedLiterals[l.Type]
	if !ok {
		return nil, sqlerr.At(sqlerr.Unsupported, l.Pos(), "literals of type %s are not supported", l.Type)
	}
	v, err := function.Cast(s.b.env.Ctx, textConst(l.Text).Value, types.Of(k), false)
	if err != nil {
		return nil, sqlerr.WithPlace(err, l.Pos())
	}
	return &expr.Const{Value: vec.Flatten(v)}, nil
}

// intervalUnits give the parts of one unit.
var intervalUnits = map[string]struct {
	months, days int64
	micros       int64
}{
	"YEAR": {months: 12}, "QUARTER": {months: 3}, "MONTH": {months: 1}, "WEEK": {days: 7}, "DAY": {days: 1}, "HOUR": {micros: 3_600_000_000},
	"MINUTE": {micros: 60_000_000}, "SECOND": {micros: 1_000_000}, "MILLISECOND": {micros: 1000}, "MICROSECOND": {micros: 1},
}

// interval binds INTERVAL n unit for a constant n, INTERVAL 'n unit ...', and INTERVAL x unit for any x as x times one unit.
func (s *scope) interval(e *parse.Interval) (expr.Expr, error) {
	x, err := s.bind(e.Value)
	if err != nil {
		return nil, err
	}
	t := types.Of(types.Interval)
	if e.Unit == "" {
		return s.toInterval(x, e.Pos())
	}
	unit, ok := intervalUnits[e.Unit]
	if !ok {
		return nil, sqlerr.At(sqlerr.Unsupported, e.Pos(), "interval unit %s is not supported", e.Unit)
	}
	c, ok := x.(*expr.Const)
	if !ok {
		one := constOf(t, types.IntervalValue{Months: int32(unit.months), Days: int32(unit.days), Micros: unit.micros})
		return s.resolve(e.Pos(), "*", one, s.b.infer(x, types.Of(types.BigInt)))
	}
	if c.Value.Type.Kind == types.Varchar && !c.Value.IsNull(0) {
		return s.toInterval(textConst(string(c.Value.Bytes(0))+" "+strings.ToLower(e.Unit)), e.Pos())
	}
	v, err := function.Cast(s.b.env.Ctx, c.Value, types.Of(types.BigInt), false)
	if err != nil {
		return nil, sqlerr.WithPlace(err, e.Pos())
	}
	if v.IsNull(0) {
		return s.coerce(nullConst(), t), nil
	}
	n := vec.Slice[int64](vec.Flatten(v))[0]
	months, days, micros, fits := n*unit.months, n*unit.days, n*unit.micros, n > -math.MaxInt32 && n < math.MaxInt32
	if !fits || int64(int32(months)) != months || int64(int32(days)) != days {
		return nil, sqlerr.At(sqlerr.OutOfRange, e.Pos(), "interval of %d %s is too large", n, strings.ToLower(e.Unit))
	}
	return constOf(t, types.IntervalValue{Months: int32(months), Days: int32(days), Micros: micros}), nil
}

// toInterval reads a text as an interval.
func (s *scope) toInterval(x expr.Expr, pos int) (expr.Expr, error) {
	t := types.Of(types.Interval)
	if unknown(x) {
		return s.coerce(x, t), nil
	}
	if err := castable(x.Type(), t, pos); err != nil {
		return nil, err
	}
	c, ok := x.(*expr.Const)
	if !ok {
		return &expr.Cast{Arg: x, To: t}, nil
	}
	v, err := function.Cast(s.b.env.Ctx, c.Value, t, false)
	if err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	return &expr.Const{Value: vec.Flatten(v)}, nil
}
