package function

import (
	"math"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Functions of dates and times. TIMESTAMPTZ arguments count as the wall clock of the session's time zone.
func init() {
	fields := []struct {
		names, about string
		field        dateField
	}{
		{"year", "The year.", fieldYear}, {"quarter", "The quarter, 1 to 4.", fieldQuarter}, {"month", "The month, 1 to 12.", fieldMonth},
		{"day dayofmonth", "The day of the month.", fieldDay}, {"dayofyear doy day_of_year", "The day of the year, from 1.", fieldDayOfYear},
		{"dayofweek dow day_of_week", "The day of the week: 1 for Sunday to 7 for Saturday.", fieldDayOfWeek},
		{"weekday", "The day of the week: 0 for Monday to 6 for Sunday.", fieldWeekday},
		{"isodow dayofweek_iso", "The day of the week: 1 for Monday to 7 for Sunday.", fieldISODow},
		{"weekofyear isoweek week_iso", "The ISO 8601 week of the year.", fieldISOWeek}, {"isoyear", "The year of the ISO 8601 week.", fieldISOYear},
		{"decade", "The year without its last digit.", fieldDecade}, {"century", "The century.", fieldCentury},
		{"to_days", "Days since year 0, as in MySQL.", fieldToDays},
	}
	for _, f := range fields {
		define(f.names, "time", f.about, dateFieldSigs(f.field)...)
	}
	clocks := []struct {
		names, about string
		unit, modulo int64
	}{
		{"hour", "The hour.", microsPerHour, 24}, {"minute", "The minute.", microsPerMinute, 60}, {"second", "The second.", microsPerSecond, 60},
		{"millisecond milliseconds", "The milliseconds, seconds included, as in EXTRACT.", microsPerMilli, 60_000},
		{"microsecond microseconds", "The microseconds of the second.", 1, microsPerSecond},
	}
	for _, f := range clocks {
		define(f.names, "time", f.about, clockSigs(f.unit, f.modulo)...)
	}
	define("week", "time", "The week of the year; mode as in MySQL (default 0: weeks begin on Sunday).",
		sig("(date, bigint?) -> bigint", rows(func(r *row) int64 {
			mode := int64(0)
			if r.has(1) {
				mode = r.int(1)
			}
			_, week := weekOf(r.int32(0), mode)
			return week
		})))
	define("yearweek", "time", "Year and week as one number; mode as in MySQL.", sig("(date, bigint?) -> bigint", rows(func(r *row) int64 {
		mode := int64(0)
		if r.has(1) {
			mode = r.int(1)
		}
		year, week := weekOf(r.int32(0), mode|2)
		return int64(year)*100 + week
	})))
	define("monthname", "time", "The English name of the month.", sig("(date) -> text", textRows(func(r *row, dst []byte) []byte {
		_, m, _ := types.CivilFromDays(r.int32(0))
		return append(dst, monthNames[m-1]...)
	})))
	define("dayname", "time", "The English name of the day of the week.", sig("(date) -> text", textRows(func(r *row, dst []byte) []byte {
		return append(dst, dayNames[weekdayOf(r.int32(0))]...)
	})))
	define("last_day", "time", "The last day of the month.", sig("(date) -> date", rows(func(r *row) int32 {
		y, m, _ := types.CivilFromDays(r.int32(0))
		return types.DaysFromCivil(y, m, types.DaysInMonth(y, m))
	})))
	defineBy("date to_date todate", "time", "The date of a timestamp.", []string{"(datetime) -> date", "(text) -> date"}, castFunction(types.Of(types.Date), false))
	defineBy("timestamp to_datetime todatetime", "time", "The argument as DATETIME.", []string{"(any) -> datetime"}, castFunction(types.Of(types.DateTime), false))
	define("date_trunc", "time", "The beginning of the year, month, day, hour and so on that holds a time; the unit may be either argument.", truncSigs()...)
	starts := map[string]string{"toStartOfSecond": "second", "toStartOfMinute": "minute", "toStartOfHour": "hour", "toStartOfDay": "day",
		"toStartOfWeek": "week", "toStartOfMonth": "month", "toStartOfQuarter": "quarter", "toStartOfYear": "year", "toMonday": "week"}
	for name, unit := range starts {
		define(name, "time", "The beginning of the "+unit+".", sig("(datetime) -> datetime", rows(func(r *row) int64 { return truncMicros(r.int(0), truncUnits[unit]) })))
	}
	define("date_part datepart", "time", "A field (year, month, hour, epoch and so on) of a time, as EXTRACT gives it.",
		sig("(text, datetime) -> bigint", rows(datePartRow)))
	define("time_bucket date_bin", "time", "The beginning of the interval of a fixed width that holds a time; intervals count from 2000-01-03 (months: 2000-01-01).",
		sig("(interval, datetime) -> datetime", rows(bucketRow)))
	defineTimeMaking()
	defineTimeSums()
}

var monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
var dayNames = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// weekdayOf is 0 for Monday to 6 for Sunday; 1970-01-01 was a Thursday.
func weekdayOf(days int32) int { return int(floorMod(int64(days)+3, 7)) }

// dateField is a field of a date.
type dateField uint8

const (
	fieldYear dateField = iota
	fieldQuarter
	fieldMonth
	fieldDay
	fieldDayOfYear
	fieldDayOfWeek
	fieldWeekday
	fieldISODow
	fieldISOWeek
	fieldISOYear
	fieldDecade
	fieldCentury
	fieldToDays
)

// yearZeroDays is what MySQL's TO_DAYS gives for 1970-01-01.
const yearZeroDays = 719_528

// of computes the field.
func (f dateField) of(days int32) int64 {
	switch f {
	case fieldDayOfWeek:
		return int64(weekdayOf(days)+1)%7 + 1
	case fieldWeekday:
		return int64(weekdayOf(days))
	case fieldISODow:
		return int64(weekdayOf(days)) + 1
	case fieldISOWeek, fieldISOYear:
		year, week := isoWeek(days)
		if f == fieldISOYear {
			return int64(year)
		}
		return week
	case fieldToDays:
		return int64(days) + yearZeroDays
	}
	y, m, d := types.CivilFromDays(days)
	switch f {
	case fieldYear:
		return int64(y)
	case fieldQuarter:
		return int64(m+2) / 3
	case fieldMonth:
		return int64(m)
	case fieldDay:
		return int64(d)
	case fieldDayOfYear:
		return int64(days-types.DaysFromCivil(y, 1, 1)) + 1
	case fieldDecade:
		return floorDiv(int64(y), 10)
	}
	if y > 0 {
		return int64(y+99) / 100
	}
	return int64(y)/100 - 1
}

// isoWeek returns the ISO 8601 year and week: the week belongs to the year that its Thursday is in.
func isoWeek(days int32) (year int, week int64) {
	thursday := days - int32(weekdayOf(days)) + 3
	y, _, _ := types.CivilFromDays(thursday)
	return y, int64(thursday-types.DaysFromCivil(y, 1, 1))/7 + 1
}

// weekOf returns year and week by MySQL's modes: bit 0 set means weeks begin on Monday; bit 1 that days before week 1 belong to the last
// week of the year before (else they are week 0); week 1 is the first with four days of the year where exactly one of bits 0 and 2 is set,
// else the first that begins in the year.
func weekOf(days int32, mode int64) (year int, week int64) {
	monday := mode&1 != 0
	numbered := mode&2 != 0
	fourDays := monday != (mode&4 != 0)
	y, _, _ := types.CivilFromDays(days)
	weekOne := func(y int) int32 {
		first := types.DaysFromCivil(y, 1, 1)
		since := int32(weekdayOf(first)) // days since the week began
		if !monday {
			since = (since + 1) % 7
		}
		begin := first - since
		if fourDays && since > 3 || !fourDays && since > 0 {
			begin += 7
		}
		return begin
	}
	begin := weekOne(y)
	if days < begin {
		if !numbered {
			return y, 0
		}
		y--
		begin = weekOne(y)
	} else if numbered && days >= weekOne(y+1) {
		return y + 1, 1
	}
	return y, int64(days-begin)/7 + 1
}

// dateFieldSigs are the overloads of a field of a date: DATE directly, timestamps by their day.
func dateFieldSigs(f dateField) []*signature {
	return []*signature{
		sig("(date) -> bigint", daysKernel(f), traits{infallible: true}),
		sig("(datetime) -> bigint", microsKernel(f, false), traits{infallible: true}),
		sig("(timestamptz) -> bigint", microsKernel(f, true), traits{infallible: true}),
	}
}

func daysKernel(f dateField) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			out := make([]int64, n)
			var last int32
			value := f.of(0)
			for i, d := range vec.Slice[int32](args[0])[:n] {
				// Neighbouring rows mostly have the same date.
				if d != last {
					last, value = d, f.of(d)
				}
				out[i] = value
			}
			return vec.NewFlat(s.Ret, out, args[0].Valid), nil
		}, nil
	}
}

func microsKernel(f dateField, zoned bool) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			out := make([]int64, n)
			var last int32
			value := f.of(0)
			for i, us := range vec.Slice[int64](args[0])[:n] {
				if zoned {
					us = momentToWall(c.Zone, us)
				}
				if d, _ := types.SplitMicros(us); d != last {
					last, value = d, f.of(d)
				}
				out[i] = value
			}
			return vec.NewFlat(s.Ret, out, args[0].Valid), nil
		}, nil
	}
}

// clockSigs are the overloads of a field of the time of day: micros / unit % modulo.
func clockSigs(unit, modulo int64) []*signature {
	kernel := func(zoned bool) maker {
		return func(s *Scalar, _ []Arg) (Kernel, error) {
			return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
				out := make([]int64, n)
				d := vec.Slice[int64](args[0])[:n]
				if zoned {
					vec.Map1(out, d, func(us int64) int64 { return floorMod(floorDiv(momentToWall(c.Zone, us), unit), modulo) })
				} else {
					vec.Map1(out, d, func(us int64) int64 { return floorMod(floorDiv(us, unit), modulo) })
				}
				return vec.NewFlat(s.Ret, out, args[0].Valid), nil
			}, nil
		}
	}
	return []*signature{
		sig("(datetime) -> bigint", kernel(false), traits{infallible: true}),
		sig("(timestamptz) -> bigint", kernel(true), traits{infallible: true}),
		sig("(time) -> bigint", kernel(false), traits{infallible: true}),
	}
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
				vec.Map1(out, vec.Slice[int64](times), func(us int64) int64 { return us - floorMod(us, width) })
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
	if step <= 0 {
		r.fail(sqlerr.OutOfRange, "the width of a time bucket must be positive")
		return 0
	}
	return us - floorMod(us-bucketOrigin, step)
}
