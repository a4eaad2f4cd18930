package function

import (
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
	define("hour", "time", "The hour.", clockSigs(func(out, times []int64) { vec.Map1(out, times, hourOf) })...)
	define("minute", "time", "The minute.", clockSigs(func(out, times []int64) { vec.Map1(out, times, minuteOf) })...)
	define("second", "time", "The second.", clockSigs(func(out, times []int64) { vec.Map1(out, times, secondOf) })...)
	define("millisecond milliseconds", "time", "The milliseconds, seconds included, as in EXTRACT.",
		clockSigs(func(out, times []int64) { vec.Map1(out, times, millisecondOf) })...)
	define("microsecond microseconds", "time", "The microseconds of the second.",
		clockSigs(func(out, times []int64) { vec.Map1(out, times, microsecondOf) })...)
	defineWeeks()
	defineTruncation()
	defineTimeMaking()
	defineTimeSums()
}

// defineWeeks adds weeks, names and last days.
func defineWeeks() {
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

// clockBias is a whole number of days that makes every time that can be written positive when it is added, so that the fields of the
// clock need no care for signs: just below 2^62 microseconds.
const clockBias = 53_376_000 * microsPerDay

// The fields of the time of day. Each divides by constants, which the compiler turns into multiplications.
func hourOf(us int64) int64        { return int64(uint64(us+clockBias) / microsPerHour % 24) }
func minuteOf(us int64) int64      { return int64(uint64(us+clockBias) / microsPerMinute % 60) }
func secondOf(us int64) int64      { return int64(uint64(us+clockBias) / microsPerSecond % 60) }
func millisecondOf(us int64) int64 { return int64(uint64(us+clockBias) / microsPerMilli % 60_000) }
func microsecondOf(us int64) int64 { return int64(uint64(us+clockBias) % microsPerSecond) }

// clockSigs are the overloads of a field of the time of day.
func clockSigs(loop func(out, times []int64)) []*signature {
	kernel := func(zoned bool) maker {
		return func(s *Scalar, _ []Arg) (Kernel, error) {
			return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
				times := vec.Slice[int64](args[0])[:n]
				out := make([]int64, n)
				if zoned {
					wall := make([]int64, n)
					for i, us := range times {
						wall[i] = momentToWall(c.Zone, us)
					}
					times = wall
				}
				loop(out, times)
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
