package function

import (
	"math"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Arithmetic (decision D7): + - * % DIV over integers keep the wider integer type and report overflow; / over integers gives DOUBLE; DECIMAL
// is exact, FLOAT and DOUBLE compute in DOUBLE; dates take intervals and whole days. Division by zero is an error, also of doubles, since
// a NULL or an infinity in its place would be taken for an answer; try_divide and try_mod give NULL. A VARIANT operand counts as DOUBLE.
func init() {
	num := []string{"(integer, integer) -> the wider", "(decimal, decimal) -> decimal", "(double, double) -> double"}
	defineBy("+", "operator", "Addition; also of an interval or of days to a date.", append(num[:3:3],
		"(date, interval) -> date or datetime", "(datetime, interval) -> datetime", "(timestamptz, interval) -> timestamptz",
		"(date, bigint) -> date", "(interval, interval) -> interval"), resolveArith)
	defineBy("-", "operator", "Subtraction; also of an interval or of days from a date; two dates give days, two timestamps an interval.",
		append(num[:3:3], "(date, interval) -> date or datetime", "(datetime, interval) -> datetime",
			"(timestamptz, interval) -> timestamptz", "(date, bigint) -> date", "(date, date) -> bigint", "(datetime, datetime) -> interval",
			"(interval, interval) -> interval"), resolveArith)
	defineBy("*", "operator", "Multiplication; also of an interval.", append(num[:3:3], "(interval, bigint) -> interval"), resolveArith)
	defineBy("/", "operator", "Division; zero as the divisor is an error.",
		[]string{"(integer, integer) -> double", num[1], num[2]}, resolveArith)
	defineBy("% mod fmod", "operator", "Remainder with the sign of the dividend; zero as the divisor is an error.", num, resolveArith)
	defineBy("DIV", "operator", "Quotient without its fraction; zero as the divisor is an error.",
		[]string{num[0], "(number, number) -> bigint"}, resolveArith)
	defineBy("try_divide divnull", "number", "Division; NULL where the divisor is zero.", []string{"(integer, integer) -> double", num[1], num[2]}, resolveTry("/"))
	defineBy("try_mod", "number", "Remainder; NULL where the divisor is zero.", num, resolveTry("%"))
	defineBy("NEG negative", "operator", "Negation.", []string{"(number) -> first", "(interval) -> interval"}, resolveNeg)
}

// arithKind is what two operands are computed in.
func resolveArith(name string, args []Arg, _ Option) (*Scalar, error) {
	if len(args) != 2 {
		return nil, nil
	}
	if name == "mod" || name == "fmod" {
		name = "%"
	}
	a, b := numericArg(args[0]), numericArg(args[1])
	if !a.IsNumeric() || !b.IsNumeric() {
		return resolveTimeArith(name, args)
	}
	switch {
	case isFloat(a) || isFloat(b) || name == "/" && a.IsInteger() && b.IsInteger():
		return doubleArith(name)
	case a.Kind == types.Decimal || b.Kind == types.Decimal:
		return decimalArith(name, decimalArg(args[0], a), decimalArg(args[1], b))
	}
	if s := narrowSum(name, args, a, b); s != nil {
		return s, nil
	}
	wide := a
	if b.Kind > a.Kind {
		wide = b
	}
	return intArith(name, wide)
}

// numericArg returns the type in which an operand takes part in arithmetic: itself if it is a number; DOUBLE for variants and text
// constants; for the untyped NULL the type of nothing in particular.
func numericArg(a Arg) types.Type {
	switch {
	case a.Type.Kind == types.Null:
		return types.Of(types.TinyInt)
	case a.Type.Kind == types.Boolean:
		return types.Of(types.TinyInt)
	case a.Type.IsVariant(), a.Type.Kind == types.Varchar && a.Const != nil && isNumberText(a.Const):
		return types.Of(types.Double)
	}
	return a.Type
}

func isNumberText(v *vec.Vector) bool {
	if v.IsNull(0) {
		return true
	}
	_, ok := types.ParseDouble(v.Bytes(0))
	return ok
}

// resolveTry resolves a division that gives NULL where the divisor is zero: rows whose divisor is zero reach it as NULL.
func resolveTry(operator string) func(string, []Arg, Option) (*Scalar, error) {
	return func(name string, args []Arg, o Option) (*Scalar, error) {
		s, err := resolveArith(operator, args, o)
		if s == nil || err != nil || !s.Args[1].IsNumeric() {
			return nil, err
		}
		divide := s.Kernel
		core := func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			return divide(c, []*vec.Vector{args[0], withoutZeros(args[1])}, n)
		}
		return newScalar(name, s.Args, s.Ret, true, core), nil
	}
}

// newScalar finishes a Scalar whose kernel is strict: NULL exactly where an argument is, unless maybeNull.
func newScalar(name string, args []types.Type, ret types.Type, maybeNull bool, core Kernel) *Scalar {
	t := traits{maybeNull: maybeNull}
	return &Scalar{Name: name, Args: args, Ret: ret, Kernel: adapt(core, ret, t), NotNull: !maybeNull, traits: t}
}

func two(t types.Type) []types.Type { return []types.Type{t, t} }

func overflow(c *Ctx, op string, t types.Type, args []*vec.Vector, i int) error {
	left, right := showAt(c, args[0], i), showAt(c, args[1], i)
	return sqlerr.New(sqlerr.OutOfRange, "%s %s %s is out of range for %s", left, op, right, t)
}

// showAt shows row i of a Flat or Constant argument.
func showAt(c *Ctx, v *vec.Vector, i int) string {
	if v.Form == vec.Constant {
		i = 0
	}
	return showValue(c, v, i)
}

// doubleArith computes in DOUBLE.
func doubleArith(name string) (*Scalar, error) {
	var core Kernel
	switch name {
	case "+":
		core = doubleKernel(func(a, b float64) float64 { return a + b })
	case "-":
		core = doubleKernel(func(a, b float64) float64 { return a - b })
	case "*":
		core = doubleKernel(func(a, b float64) float64 { return a * b })
	case "/":
		core = doubleDivision(name, func(a, b float64) float64 { return a / b })
	case "%":
		core = doubleDivision(name, math.Mod)
	case "div":
		return newScalar("DIV", two(types.Of(types.Double)), types.Of(types.BigInt), false, doubleDiv), nil
	}
	s := newScalar(name, two(types.Of(types.Double)), types.Of(types.Double), false, core)
	s.traits.infallible = name != "/" && name != "%"
	return s, nil
}

func doubleKernel(f func(a, b float64) float64) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]float64, n)
		applyDoubles(out, args, f)
		return vec.NewFlat(types.Of(types.Double), out, validity(args, n)), nil
	}
}

func applyDoubles(out []float64, args []*vec.Vector, f func(a, b float64) float64) {
	a, b := vec.Slice[float64](args[0]), vec.Slice[float64](args[1])
	vec.MapN(out, a, args[0].Mask(), b, args[1].Mask(), f)
}

// doubleDivision is doubleKernel with an error where the divisor is zero.
func doubleDivision(op string, f func(a, b float64) float64) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		valid := validity(args, n)
		if err := checkDivisor(c, op, vec.Slice[float64](args[1]), args, valid, n); err != nil {
			return nil, err
		}
		out := make([]float64, n)
		applyDoubles(out, args, f)
		return vec.NewFlat(types.Of(types.Double), out, valid), nil
	}
}

// checkDivisor returns an error that names the operands of the first row of valid whose divisor, from b, is zero.
func checkDivisor[T comparable](c *Ctx, op string, b []T, args []*vec.Vector, valid vec.Bitmap, n int) error {
	var zero T
	if args[1].Mask() == 0 && b[0] != zero {
		return nil
	}
	for i := range n {
		if b[i&args[1].Mask()] == zero && valid.Get(i) {
			return sqlerr.New(sqlerr.OutOfRange, "division by zero: %s %s %s; try_divide and nullif give NULL instead", showAt(c, args[0], i), op, showAt(c, args[1], i))
		}
	}
	return nil
}

// withoutZeros returns a numeric vector, Flat or Constant, with NULL in the place of zeros.
func withoutZeros(v *vec.Vector) *vec.Vector {
	switch d := v.Data.(type) {
	case []int8:
		return nullWhereZero(v, d)
	case []int16:
		return nullWhereZero(v, d)
	case []int32:
		return nullWhereZero(v, d)
	case []int64:
		return nullWhereZero(v, d)
	case []types.Int128:
		return nullWhereZero(v, d)
	case []types.Int256:
		return nullWhereZero(v, d)
	}
	return nullWhereZero(v, vec.Slice[float64](v))
}

func nullWhereZero[T comparable](v *vec.Vector, data []T) *vec.Vector {
	var zero T
	if v.Form == vec.Constant {
		if data[0] == zero {
			return vec.NewNull(v.Type, v.Len)
		}
		return v
	}
	valid := vec.NewBitmap(v.Len)
	for i, x := range data[:v.Len] {
		if x != zero && v.Valid.Get(i) {
			valid.Set(i)
		}
	}
	out := *v
	out.Valid = valid
	return &out
}

func doubleDiv(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
	valid := validity(args, n)
	if err := checkDivisor(c, "DIV", vec.Slice[float64](args[1]), args, valid, n); err != nil {
		return nil, err
	}
	quotients := make([]float64, n)
	applyDoubles(quotients, args, func(a, b float64) float64 { return math.Trunc(a / b) })
	out := make([]int64, n)
	for i, q := range quotients {
		if q >= -0x1p63 && q < 0x1p63 {
			out[i] = int64(q)
		} else if valid.Get(i) {
			return nil, overflow(c, "DIV", types.Of(types.BigInt), args, i)
		}
	}
	return vec.NewFlat(types.Of(types.BigInt), out, valid), nil
}

// resolveNeg negates numbers and intervals.
func resolveNeg(name string, args []Arg, _ Option) (*Scalar, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t := args[0].Type
	if t.Kind == types.Interval {
		core := unaryKernel(t, func(x types.IntervalValue) (types.IntervalValue, bool) {
			return SubIntervals(types.IntervalValue{}, x)
		}, "-")
		return newScalar("NEG", []types.Type{t}, t, false, core), nil
	}
	t = numericArg(args[0])
	var core Kernel
	switch t.Phys() {
	case types.PhysInt8:
		core = unaryKernel(t, func(x int8) (int8, bool) { return -x, x != math.MinInt8 }, "-")
	case types.PhysInt16:
		core = unaryKernel(t, func(x int16) (int16, bool) { return -x, x != math.MinInt16 }, "-")
	case types.PhysInt32:
		core = unaryKernel(t, func(x int32) (int32, bool) { return -x, x != math.MinInt32 }, "-")
	case types.PhysInt64:
		core = unaryKernel(t, func(x int64) (int64, bool) { return -x, x != math.MinInt64 }, "-")
	case types.PhysInt128:
		core = unaryKernel(t, func(x types.Int128) (types.Int128, bool) { return x.Neg(), x != types.MinInt128 }, "-")
	case types.PhysInt256:
		core = unaryKernel(t, func(x types.Int256) (types.Int256, bool) { return x.Neg(), true }, "-")
	case types.PhysFloat32:
		core = unaryKernel(t, func(x float32) (float32, bool) { return -x, true }, "-")
	case types.PhysFloat64:
		core = unaryKernel(t, func(x float64) (float64, bool) { return -x, true }, "-")
	}
	if !t.IsNumeric() || core == nil {
		return nil, nil
	}
	return newScalar("NEG", []types.Type{t}, t, false, core), nil
}

// unaryKernel applies f, which tells whether the result fits; what names the operation in the error.
func unaryKernel[A, R any](ret types.Type, f func(A) (R, bool), what string) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]R, n)
		d := vec.Slice[A](args[0])
		valid := args[0].Valid
		for i := range out {
			r, ok := f(d[i])
			if !ok && valid.Get(i) {
				return nil, sqlerr.New(sqlerr.OutOfRange, "%s(%s) is out of range for %s", what, showAt(c, args[0], i), ret)
			}
			out[i] = r
		}
		return vec.NewFlat(ret, out, valid), nil
	}
}
