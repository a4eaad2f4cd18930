package function

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// defineTimeSums adds the functions that move times and measure between them.
func defineTimeSums() {
	defineBy("date_add adddate", "time", "The date or time moved by an interval or by days.",
		[]string{"(date, interval) -> date or datetime", "(datetime, interval) -> datetime", "(timestamptz, interval) -> timestamptz", "(date, bigint) -> date"}, moveBy("+"))
	defineBy("date_sub subdate", "time", "The date or time moved back by an interval or by days.",
		[]string{"(date, interval) -> date or datetime", "(datetime, interval) -> datetime", "(timestamptz, interval) -> timestamptz", "(date, bigint) -> date"}, moveBy("-"))
	define("timestampadd dateadd", "time", "A time moved by n units.", sig("(text, bigint, datetime) -> datetime", rows(func(r *row) int64 {
		return moveUnits(r, string(r.text(0)), r.int(1), r.int(2))
	})))
	define("datediff", "time", "Whole days from the second date to the first; with a unit as first argument, the units from the second to the third.",
		sig("(date, date) -> bigint", rows(func(r *row) int64 { return int64(r.int32(0)) - int64(r.int32(1)) })),
		sig("(text, datetime, datetime) -> bigint", rows(func(r *row) int64 { return crossings(r, r.text(0), r.int(1), r.int(2)) })))
	define("date_diff", "time", "How often a unit begins between two times.",
		sig("(text, datetime, datetime) -> bigint", rows(func(r *row) int64 { return crossings(r, r.text(0), r.int(1), r.int(2)) })))
	define("timestampdiff", "time", "Whole units from the second argument to the third.",
		sig("(text, datetime, datetime) -> bigint", rows(func(r *row) int64 { return elapsed(r, r.text(0), r.int(1), r.int(2)) })))
	define("timediff", "time", "The interval from the second time to the first.",
		sig("(datetime, datetime) -> interval", rows(func(r *row) types.IntervalValue { return types.IntervalValue{Micros: r.int(0) - r.int(1)} })))
	define("months_between", "time", "Months from the second date to the first, with a fraction of 31-day months.", sig("(date, date) -> double", rows(monthsBetween)))
	define("make_interval", "time", "n units as an interval.", sig("(text, bigint) -> interval", rows(func(r *row) types.IntervalValue {
		x, ok := MakeInterval(appendInt64(nil, r.c, types.Of(types.BigInt), r.int(1)), string(r.text(0)))
		if !ok {
			r.fail(sqlerr.Conversion, "cannot make an interval of %d %s", r.int(1), r.text(0))
		}
		return x
	})))
	for _, unit := range []string{"year", "month", "week", "hour", "minute", "second", "millisecond", "microsecond"} {
		define("to_"+unit+"s", "time", "n "+unit+"s as an interval.", sig("(bigint) -> interval", rows(func(r *row) types.IntervalValue {
			x, ok := MakeInterval(appendInt64(nil, r.c, types.Of(types.BigInt), r.int(0)), unit)
			if !ok {
				r.fail(sqlerr.OutOfRange, "%d %ss are out of range for INTERVAL", r.int(0), unit)
			}
			return x
		})))
	}
	define("age", "time", "Years, months, days and time from the second time to the first (default: today).",
		sig("(datetime, datetime) -> interval", rows(func(r *row) types.IntervalValue { return ageBetween(r.int(0), r.int(1)) }), traits{infallible: true}),
		sig("(datetime) -> interval", rows(func(r *row) types.IntervalValue {
			today, _ := types.SplitMicros(momentToWall(r.c.Zone, r.c.Now))
			return ageBetween(int64(today)*microsPerDay, r.int(0))
		}), traits{infallible: true}))
	define("next_day", "time", "The first date after the argument that falls on a day of the week, given by its English name.", sig("(date, text) -> date", rows(nextDay)))
	define("days_in_month", "time", "The number of days of the month.", sig("(date) -> bigint", rows(func(r *row) int64 {
		y, m, _ := types.CivilFromDays(r.int32(0))
		return int64(types.DaysInMonth(y, m))
	}), traits{infallible: true}))
	for _, unit := range []string{"year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond"} {
		add, sub := unit+"s_add", unit+"s_sub"
		if unit == "month" {
			add += " add_months"
		}
		define(add, "time", "A time moved by n "+unit+"s.", movedSigs(unit, 1)...)
		define(sub, "time", "A time moved back by n "+unit+"s.", movedSigs(unit, -1)...)
		define(unit+"s_diff", "time", "Whole "+unit+"s from the second time to the first.", sig("(datetime, datetime) -> bigint", rows(func(r *row) int64 {
			return elapsed(r, []byte(unit), r.int(1), r.int(0))
		})))
	}
}

// movedSigs moves times by units, and dates by units of days and more.
func movedSigs(unit string, sign int64) []*signature {
	move := func(r *row, us int64) int64 {
		if r.int(1) == -1<<63 {
			r.fail(sqlerr.OutOfRange, "%d %ss are out of range", r.int(1), unit)
			return 0
		}
		return moveUnits(r, unit, sign*r.int(1), us)
	}
	out := []*signature{sig("(datetime, bigint) -> datetime", rows(func(r *row) int64 { return move(r, r.int(0)) }))}
	if u, _ := unitByName([]byte(unit)); u.months != 0 || u.week || u.micros == microsPerDay {
		out = append(out, sig("(date, bigint) -> date", rows(func(r *row) int32 {
			days, _ := types.SplitMicros(move(r, int64(r.int32(0))*microsPerDay))
			return days
		})))
	}
	return out
}

// moveBy resolves a function that is + or - of a date and an interval or days.
func moveBy(op string) func(string, []Arg, Option) (*Scalar, error) {
	return func(_ string, args []Arg, _ Option) (*Scalar, error) {
		if len(args) != 2 {
			return nil, nil
		}
		if k := args[0].Type.Kind; k == types.Varchar && args[0].Const == nil || k == types.Variant || k == types.JSON {
			args = []Arg{{Type: types.Of(types.DateTime)}, args[1]}
		}
		if args[1].Type.IsInteger() && args[0].Type.Kind != types.Date {
			if temporalArg(args[0]).Kind == types.Date {
				args = []Arg{{Type: types.Of(types.Date)}, args[1]}
			} else {
				return nil, nil
			}
		}
		s := timePlus(op, args[0], args[1], op == "-")
		if s == nil {
			return nil, nil
		}
		return s, nil
	}
}

// moveUnits adds n units to a wall clock.
func moveUnits(r *row, unit string, n, us int64) int64 {
	u, ok := intervalUnit(unit)
	if !ok {
		r.err = unknownUnit([]byte(unit))
		return 0
	}
	months, days, micros := mul64(int64(u.Months), n), mul64(int64(u.Days), n), mul64(u.Micros, n)
	m, ok1 := months.Int64()
	d, ok2 := days.Int64()
	x, ok3 := micros.Int64()
	if ok1 && ok2 && ok3 && m == int64(int32(m)) && d == int64(int32(d)) {
		if sum, ok := addToTimestamp(r.c, us, types.IntervalValue{Months: int32(m), Days: int32(d), Micros: x}, false, false); ok {
			return sum
		}
	}
	r.fail(sqlerr.OutOfRange, "%s moved by %d %s is out of range for DATETIME", types.AppendDateTime(nil, us), n, strings.ToLower(unit))
	return 0
}

// crossings counts how often a unit begins in (from, to].
func crossings(r *row, unit []byte, from, to int64) int64 {
	u, ok := unitByName(unit)
	if !ok {
		r.err = unknownUnit(unit)
		return 0
	}
	switch {
	case u.week:
		a, _ := types.SplitMicros(truncMicros(from, u))
		b, _ := types.SplitMicros(truncMicros(to, u))
		return int64(b-a) / 7
	case u.months != 0:
		return floorDiv(monthNumber(to), u.months) - floorDiv(monthNumber(from), u.months)
	}
	return floorDiv(to, u.micros) - floorDiv(from, u.micros)
}

func monthNumber(us int64) int64 {
	days, _ := types.SplitMicros(us)
	y, m, _ := types.CivilFromDays(days)
	return int64(y)*12 + int64(m-1)
}

// elapsed counts the whole units that passed between two times.
func elapsed(r *row, unit []byte, from, to int64) int64 {
	u, ok := unitByName(unit)
	if !ok {
		r.err = unknownUnit(unit)
		return 0
	}
	switch {
	case u.week:
		return (to - from) / (7 * microsPerDay)
	case u.months == 0:
		return (to - from) / u.micros
	}
	months := monthNumber(to) - monthNumber(from)
	// A month has passed when day and time of day are reached again.
	fromDays, fromRest := types.SplitMicros(from)
	toDays, toRest := types.SplitMicros(to)
	_, _, d1 := types.CivilFromDays(fromDays)
	_, _, d2 := types.CivilFromDays(toDays)
	before := d2 < d1 || d2 == d1 && toRest < fromRest
	after := d2 > d1 || d2 == d1 && toRest > fromRest
	switch {
	case months > 0 && before:
		months--
	case months < 0 && after:
		months++
	}
	return months / u.months
}

func monthsBetween(r *row) float64 {
	y1, m1, d1 := types.CivilFromDays(r.int32(0))
	y2, m2, d2 := types.CivilFromDays(r.int32(1))
	months := float64((y1-y2)*12 + m1 - m2)
	if d1 == d2 || d1 == types.DaysInMonth(y1, m1) && d2 == types.DaysInMonth(y2, m2) {
		return months
	}
	return months + float64(d1-d2)/31
}

// ageBetween counts whole months, then days, then time, as people tell ages; a negative age is that of the other way round, negated.
func ageBetween(to, from int64) types.IntervalValue {
	if to < from {
		x := ageBetween(from, to)
		return types.IntervalValue{Months: -x.Months, Days: -x.Days, Micros: -x.Micros}
	}
	days, rest := types.SplitMicros(to)
	fromDays, fromRest := types.SplitMicros(from)
	y, m, d := types.CivilFromDays(days)
	fromY, fromM, fromD := types.CivilFromDays(fromDays)
	months, day, micros := (y-fromY)*12+m-fromM, d-fromD, rest-fromRest
	if micros < 0 {
		micros += microsPerDay
		day--
	}
	if day < 0 {
		// The days that are left of the month of the earlier date.
		day += types.DaysInMonth(fromY, fromM)
		months--
	}
	return types.IntervalValue{Months: int32(months), Days: int32(day), Micros: micros}
}

func nextDay(r *row) int32 {
	name := strings.ToLower(string(r.text(1)))
	for i, day := range dayNames {
		if full := strings.ToLower(day); len(name) >= 2 && strings.HasPrefix(full, name) {
			d := int64(r.int32(0)) + 1
			d += floorMod(int64(i)-int64(weekdayOf(int32(d))), 7)
			if !daysInRange(d) {
				r.fail(sqlerr.OutOfRange, "next_day of %s is out of range for DATE", types.AppendDate(nil, r.int32(0)))
			}
			return int32(d)
		}
	}
	r.fail(sqlerr.Conversion, "'%s' is no day of the week", r.text(1))
	return 0
}
