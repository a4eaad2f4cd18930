package function

import (
	"math"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// resolveTimeArith resolves + - * with a date, timestamp or interval; nil if the operands fit nothing.
func resolveTimeArith(name string, args []Arg) (*Scalar, error) {
	a, b := args[0], args[1]
	switch name {
	case "+":
		if a.Type.Kind == types.Interval || (a.Type.IsNumeric() && b.Type.Kind == types.Date) {
			if b.Type.Kind == types.Interval {
				return intervalSum(name, false), nil
			}
			if s := timePlus(name, b, a, false); s != nil {
				return swapped(s), nil
			}
		}
		return asScalar(timePlus(name, a, b, false))
	case "-":
		if a.Type.Kind == types.Interval && b.Type.Kind == types.Interval {
			return intervalSum(name, true), nil
		}
		if s := timeDifference(a, b); s != nil {
			return s, nil
		}
		return asScalar(timePlus(name, a, b, true))
	case "*":
		if a.Type.IsNumeric() && b.Type.Kind == types.Interval {
			return swapped(intervalProduct()), nil
		}
		if a.Type.Kind == types.Interval && b.Type.IsNumeric() {
			return intervalProduct(), nil
		}
	}
	return nil, nil
}

func asScalar(s *Scalar) (*Scalar, error) { return s, nil }

// swapped takes the arguments in the other order.
func swapped(s *Scalar) *Scalar {
	inner := s.Kernel
	out := *s
	out.Args = []types.Type{s.Args[1], s.Args[0]}
	out.Kernel = func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		return inner(c, []*vec.Vector{args[1], args[0]}, n)
	}
	return &out
}

// temporalArg is the type as which an operand is a date or timestamp; a text constant is one if it reads as one.
func temporalArg(a Arg) types.Type {
	if a.Type.Kind == types.Varchar && a.Const != nil && !a.Const.IsNull(0) {
		if _, ok := types.ParseDate(a.Const.Bytes(0)); ok {
			return types.Of(types.Date)
		}
		return types.Of(types.DateTime)
	}
	return a.Type
}

// timePlus adds or subtracts an interval or whole days. A DATE stays a DATE under days and under a constant interval of whole days.
func timePlus(name string, a, b Arg, minus bool) *Scalar {
	t := temporalArg(a)
	if b.Type.IsInteger() && a.Type.Kind == types.Date {
		core := strictRows(types.Of(types.Date), func(r *row) int32 {
			days := r.int(1)
			if minus {
				days = -days
			}
			sum := int64(r.int32(0)) + days
			if days == math.MinInt64 || !daysInRange(days) || !daysInRange(sum) {
				r.fail(sqlerr.OutOfRange, "%s %s %d days is out of range for DATE", types.AppendDate(nil, r.int32(0)), name, r.int(1))
			}
			return int32(sum)
		})
		return newScalar(name, []types.Type{types.Of(types.Date), types.Of(types.BigInt)}, types.Of(types.Date), false, core)
	}
	if b.Type.Kind != types.Interval || !t.IsTemporal() || t.Kind == types.Time {
		return nil
	}
	interval := types.Of(types.Interval)
	if t.Kind == types.Date && b.Const != nil && !b.Const.IsNull(0) && vec.Slice[types.IntervalValue](b.Const)[0].Micros == 0 {
		core := strictRows(types.Of(types.Date), func(r *row) int32 {
			days, ok := addToDate(r.int32(0), value[types.IntervalValue](r, 1), minus)
			if !ok {
				failTimeSum(r, name, types.AppendDate(nil, r.int32(0)), types.Of(types.Date))
			}
			return days
		})
		return newScalar(name, []types.Type{t, interval}, t, false, core)
	}
	ret := t
	if t.Kind == types.Date {
		ret = types.Of(types.DateTime)
	}
	ret.Precision = types.MaxTimePrecision
	zoned := ret.Kind == types.TimestampTZ
	core := strictRows(ret, func(r *row) int64 {
		us, ok := addToTimestamp(r.c, r.int(0), value[types.IntervalValue](r, 1), minus, zoned)
		if !ok {
			failTimeSum(r, name, appendInt64(nil, r.c, ret, r.int(0)), ret)
		}
		return us
	})
	return newScalar(name, []types.Type{ret, interval}, ret, false, core)
}

func failTimeSum(r *row, name string, shown []byte, t types.Type) {
	r.fail(sqlerr.OutOfRange, "%s %s %s is out of range for %s", shown, name, AppendInterval(nil, value[types.IntervalValue](r, 1)), t)
}

// strictRows is rows for kernels that are not made from a signature.
func strictRows[T any](ret types.Type, f func(r *row) T) Kernel {
	k, err := rows(f)(&Scalar{Ret: ret}, nil)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return k
}

// addMonths moves a date by months; the day is cut to the length of the month.
func addMonths(days int32, months int64) (int32, bool) {
	if months == 0 {
		return days, true
	}
	y, m, d := types.CivilFromDays(days)
	total := int64(y)*12 + int64(m-1) + months
	ny, nm := int(floorDiv(total, 12)), int(floorMod(total, 12))+1
	if ny > 99_999 || ny < -99_999 {
		return 0, false
	}
	return types.DaysFromCivil(ny, nm, min(d, types.DaysInMonth(ny, nm))), true
}

// addToDate adds the months and days of an interval.
func addToDate(days int32, x types.IntervalValue, minus bool) (int32, bool) {
	months, more := int64(x.Months), int64(x.Days)
	if minus {
		months, more = -months, -more
	}
	moved, ok := addMonths(days, months)
	sum := int64(moved) + more
	return int32(sum), ok && daysInRange(sum)
}

// addToTimestamp adds an interval; months and days of a TIMESTAMPTZ move the wall clock of the session's zone, so that a day later is the same
// time of day.
func addToTimestamp(c *Ctx, us int64, x types.IntervalValue, minus, zoned bool) (int64, bool) {
	if x.Months != 0 || x.Days != 0 {
		if zoned {
			us = momentToWall(c.Zone, us)
		}
		days, rest := types.SplitMicros(us)
		moved, ok := addToDate(days, x, minus)
		if !ok {
			return 0, false
		}
		us = int64(moved)*microsPerDay + rest
		if zoned {
			us = wallToMoment(c.Zone, us)
		}
	}
	more := x.Micros
	if minus {
		more = -more
	}
	sum := us + more
	if (us^sum)&(more^sum) < 0 || x.Micros == math.MinInt64 {
		return 0, false
	}
	return sum, microsInRange(sum)
}

// timeDifference is date - date in days and timestamp - timestamp as an interval of days and microseconds.
func timeDifference(a, b Arg) *Scalar {
	x, y := temporalArg(a), temporalArg(b)
	if !x.IsTemporal() || !y.IsTemporal() || !a.Type.IsTemporal() && !b.Type.IsTemporal() {
		return nil
	}
	t, ok := CommonType(x, y)
	if !ok {
		return nil
	}
	if t.Kind == types.Date {
		core := strictRows(types.Of(types.BigInt), func(r *row) int64 { return int64(r.int32(0)) - int64(r.int32(1)) })
		return newScalar("-", two(t), types.Of(types.BigInt), false, core)
	}
	ret := types.Of(types.Interval)
	core := strictRows(ret, func(r *row) types.IntervalValue {
		d := r.int(0) - r.int(1)
		return types.IntervalValue{Days: int32(d / microsPerDay), Micros: d % microsPerDay}
	})
	return newScalar("-", two(t), ret, false, core)
}

func intervalSum(name string, minus bool) *Scalar {
	ret := types.Of(types.Interval)
	core := strictRows(ret, func(r *row) types.IntervalValue {
		a, b := value[types.IntervalValue](r, 0), value[types.IntervalValue](r, 1)
		add := AddIntervals
		if minus {
			add = SubIntervals
		}
		sum, ok := add(a, b)
		if !ok {
			r.fail(sqlerr.OutOfRange, "%s %s %s is out of range for INTERVAL", AppendInterval(nil, a), name, AppendInterval(nil, b))
		}
		return sum
	})
	return newScalar(name, two(ret), ret, false, core)
}

func intervalProduct() *Scalar {
	ret := types.Of(types.Interval)
	core := strictRows(ret, func(r *row) types.IntervalValue {
		x, n := value[types.IntervalValue](r, 0), r.int(1)
		months, days, us := mul64(int64(x.Months), n), mul64(int64(x.Days), n), mul64(x.Micros, n)
		m, ok1 := months.Int64()
		d, ok2 := days.Int64()
		u, ok3 := us.Int64()
		if !ok1 || !ok2 || !ok3 || m != int64(int32(m)) || d != int64(int32(d)) {
			r.fail(sqlerr.OutOfRange, "%s * %d is out of range for INTERVAL", AppendInterval(nil, x), n)
		}
		return types.IntervalValue{Months: int32(m), Days: int32(d), Micros: u}
	})
	return newScalar("*", []types.Type{ret, types.Of(types.BigInt)}, ret, false, core)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }
