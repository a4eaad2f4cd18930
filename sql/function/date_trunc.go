package function

import (
	"math"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// defineTruncation adds the functions that find the beginning of a unit.
func defineTruncation() {
	define("date_trunc datetrunc", "time", "The beginning of the year, month, day, hour and so on that holds a time; the unit may be either argument.", truncSigs()...)
	starts := map[string]string{"toStartOfSecond": "second", "toStartOfMinute": "minute", "toStartOfHour": "hour", "toStartOfDay": "day",
		"toStartOfWeek": "week", "toStartOfMonth": "month", "toStartOfQuarter": "quarter", "toStartOfYear": "year", "toMonday": "week"}
	for name, unit := range starts {
		define(name, "time", "The beginning of the "+unit+".", sig("(datetime) -> datetime", rows(func(r *row) int64 { return truncMicros(r.int(0), truncUnits[unit]) })))
	}
	define("date_part datepart", "time", "A field (year, month, hour, epoch and so on) of a time, as EXTRACT gives it.",
		sig("(text, datetime) -> bigint", rows(datePartRow)))
	define("time_bucket date_bin", "time", "The beginning of the interval of a fixed width that holds a time; intervals count from 2000-01-03 (months: 2000-01-01).",
		sig("(interval, datetime) -> datetime", rows(bucketRow)))
}

// truncUnit is a unit of date_trunc: so many microseconds, or months, or a week.
type truncUnit struct {
	micros int64
	months int64
	week   bool
}

var truncUnits = map[string]truncUnit{
	"microsecond": {micros: 1}, "millisecond": {micros: microsPerMilli}, "second": {micros: microsPerSecond}, "minute": {micros: microsPerMinute},
	"hour": {micros: microsPerHour}, "day": {micros: microsPerDay}, "week": {week: true}, "month": {months: 1}, "quarter": {months: 3},
	"year": {months: 12}, "decade": {months: 120}, "century": {months: 1200},
}

// IsTimeUnit tells whether a word is a unit of time, in any case, singular or plural.
func IsTimeUnit(word string) bool {
	_, ok := unitByName([]byte(word))
	return ok
}

// unitByName finds a unit in any case, singular or plural.
func unitByName(name []byte) (truncUnit, bool) {
	s := strings.ToLower(string(name))
	u, ok := truncUnits[s]
	if !ok {
		u, ok = truncUnits[strings.TrimSuffix(s, "s")]
	}
	return u, ok
}

// truncDays returns the beginning of a unit of days.
func truncDays(days int32, u truncUnit) int32 {
	switch {
	case u.week:
		return days - int32(weekdayOf(days))
	case u.months == 0:
		return days
	}
	y, m, _ := types.CivilFromDays(days)
	total := int64(y)*12 + int64(m-1)
	total -= floorMod(total, u.months)
	return types.DaysFromCivil(int(floorDiv(total, 12)), int(floorMod(total, 12))+1, 1)
}

// truncMicros returns the beginning of a unit of a timestamp.
func truncMicros(us int64, u truncUnit) int64 {
	if u.micros != 0 {
		return us - floorMod(us, u.micros)
	}
	days, _ := types.SplitMicros(us)
	return int64(truncDays(days, u)) * microsPerDay
}

// truncSigs are date_trunc(unit, time) and date_trunc(time, unit).
func truncSigs() []*signature {
	var out []*signature
	for _, t := range []string{"datetime", "timestamptz", "date"} {
		out = append(out, sig("(text, "+t+") -> "+t, truncKernel(0, 1, t)), sig("("+t+", text) -> "+t, truncKernel(1, 0, t)))
	}
	return out
}

func truncKernel(unitAt, timeAt int, t string) maker {
	return func(s *Scalar, args []Arg) (Kernel, error) {
		var fixed *truncUnit
		if c := args[unitAt].Const; c != nil && !c.IsNull(0) && c.Type.Kind == types.Varchar {
			u, ok := unitByName(c.Bytes(0))
			if !ok {
				return nil, unknownUnit(c.Bytes(0))
			}
			fixed = &u
			if t != "timestamptz" {
				s.traits.infallible = true
			}
			if u.micros != 0 && u.micros < microsPerDay && t == "date" {
				fixed.micros = microsPerDay
			}
		}
		unit := func(r *row) truncUnit {
			if fixed != nil {
				return *fixed
			}
			u, ok := unitByName(r.text(unitAt))
			if !ok {
				r.err = unknownUnit(r.text(unitAt))
			}
			return u
		}
		switch t {
		case "date":
			return rows(func(r *row) int32 { return truncDays(r.int32(timeAt), unit(r)) })(s, args)
		case "timestamptz":
			return rows(func(r *row) int64 {
				return wallToMoment(r.c.Zone, truncMicros(momentToWall(r.c.Zone, r.int(timeAt)), unit(r)))
			})(s, args)
		}
		if fixed != nil && fixed.micros != 0 {
			width := fixed.micros
			return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
				out := make([]int64, n)
				times := vec.Flatten(args[timeAt])
				truncLoop(out, vec.Slice[int64](times), width)
				return vec.NewFlat(s.Ret, out, validity(args, n)), nil
			}, nil
		}
		return rows(func(r *row) int64 { return truncMicros(r.int(timeAt), unit(r)) })(s, args)
	}
}

func unknownUnit(name []byte) error {
	return sqlerr.New(sqlerr.Conversion, "unknown unit of time '%s'; known are microsecond to century", name)
}

// partFields are the fields of a date by the names of EXTRACT; fields of the clock are units with a modulus.
var partFields = map[string]dateField{
	"year": fieldYear, "quarter": fieldQuarter, "month": fieldMonth, "day": fieldDay, "doy": fieldDayOfYear, "dayofyear": fieldDayOfYear,
	"dow": fieldDayOfWeek, "dayofweek": fieldDayOfWeek, "isodow": fieldISODow, "week": fieldISOWeek, "isoyear": fieldISOYear,
	"decade": fieldDecade, "century": fieldCentury, "weekday": fieldWeekday,
}

var partClocks = map[string][2]int64{
	"hour": {microsPerHour, 24}, "minute": {microsPerMinute, 60}, "second": {microsPerSecond, 60}, "millisecond": {microsPerMilli, 60_000},
	"microsecond": {1, microsPerSecond}, "epoch": {microsPerSecond, math.MaxInt64},
}

func datePartRow(r *row) int64 {
	name := strings.ToLower(string(r.text(0)))
	us := r.int(1)
	for _, n := range []string{name, strings.TrimSuffix(name, "s")} {
		if f, ok := partFields[n]; ok {
			days, _ := types.SplitMicros(us)
			return f.of(days)
		}
		if c, ok := partClocks[n]; ok {
			if n == "epoch" {
				return floorDiv(us, c[0])
			}
			return floorMod(floorDiv(us, c[0]), c[1])
		}
	}
	r.err = unknownUnit(r.text(0))
	return 0
}

// bucketOrigin is Monday 2000-01-03, from which intervals of fixed width are counted.
var bucketOrigin = int64(types.DaysFromCivil(2000, 1, 3)) * microsPerDay

func bucketRow(r *row) int64 {
	width, us := value[types.IntervalValue](r, 0), r.int(1)
	if width.Months != 0 {
		if width.Days != 0 || width.Micros != 0 || width.Months < 0 {
			r.fail(sqlerr.OutOfRange, "an interval of months and days has no fixed width")
			return 0
		}
		days, _ := types.SplitMicros(us)
		y, m, _ := types.CivilFromDays(days)
		total := int64(y)*12 + int64(m-1) - 2000*12
		total -= floorMod(total, int64(width.Months))
		total += 2000 * 12
		return int64(types.DaysFromCivil(int(floorDiv(total, 12)), int(floorMod(total, 12))+1, 1)) * microsPerDay
	}
	step := int64(width.Days)*microsPerDay + width.Micros
	if width.Days > maxDays || width.Days < 0 || width.Micros > int64(maxDays)*microsPerDay || step <= 0 {
		r.fail(sqlerr.OutOfRange, "the width of a time bucket must be positive and at most that of all time")
		return 0
	}
	return us - floorMod(us-bucketOrigin, step)
}

// truncLoop cuts times to a width. The common widths are constants, by which the compiler divides without dividing.
func truncLoop(out, times []int64, width int64) {
	switch width {
	case microsPerSecond:
		vec.Map1(out, times, func(us int64) int64 { return us - int64(uint64(us+clockBias)%microsPerSecond) })
	case microsPerMinute:
		vec.Map1(out, times, func(us int64) int64 { return us - int64(uint64(us+clockBias)%microsPerMinute) })
	case microsPerHour:
		vec.Map1(out, times, func(us int64) int64 { return us - int64(uint64(us+clockBias)%microsPerHour) })
	case microsPerDay:
		vec.Map1(out, times, func(us int64) int64 { return us - int64(uint64(us+clockBias)%microsPerDay) })
	default:
		vec.Map1(out, times, func(us int64) int64 { return us - floorMod(us, width) })
	}
}
