package function

import (
	"strings"
	"time"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Units of time in microseconds.
const (
	microsPerMilli  = 1_000
	microsPerSecond = 1_000_000
	microsPerMinute = 60 * microsPerSecond
	microsPerHour   = 3_600 * microsPerSecond
	microsPerDay    = 86_400 * microsPerSecond
)

// Bounds of DATE and the timestamps, in days: years -99999 to 99999 can be written and read back.
var (
	minDays = types.DaysFromCivil(-99_999, 1, 1)
	maxDays = types.DaysFromCivil(99_999, 12, 31)
)

// daysInRange and microsInRange tell whether a date or timestamp is one that can be written.
func daysInRange(d int64) bool { return d >= int64(minDays) && d <= int64(maxDays) }

func microsInRange(us int64) bool {
	return us >= int64(minDays)*microsPerDay && us < (int64(maxDays)+1)*microsPerDay
}

// zoneOffset returns the offset of a zone in seconds at a moment.
func zoneOffset(zone *time.Location, us int64) int64 {
	if zone == time.UTC {
		return 0
	}
	_, off := time.UnixMicro(us).In(zone).Zone()
	return int64(off)
}

// momentToWall returns the wall clock that a zone shows at a moment.
func momentToWall(zone *time.Location, us int64) int64 {
	return us + zoneOffset(zone, us)*microsPerSecond
}

// wallToMoment returns the moment at which a zone shows a wall clock. Where the clock shows a time twice it is the first of the two; a
// time that the clock skips counts as if it had not been put forward.
func wallToMoment(zone *time.Location, us int64) int64 {
	if zone == time.UTC {
		return us
	}
	before := us - zoneOffset(zone, us-microsPerDay)*microsPerSecond
	if momentToWall(zone, before) == us {
		return before
	}
	after := us - zoneOffset(zone, us+microsPerDay)*microsPerSecond
	if momentToWall(zone, after) == us {
		return after
	}
	return before
}

// cutPrecision cuts a time to so many digits behind the second, downwards.
func cutPrecision(us int64, digits int) int64 {
	unit := pow10[types.MaxTimePrecision-min(digits, types.MaxTimePrecision)]
	r := us % unit
	if r < 0 {
		r += unit
	}
	return us - r
}

// temporal casts between DATE, TIME, DATETIME and TIMESTAMPTZ.
func (k *castJob) temporal() (*vec.Vector, error) {
	from, to := k.src.Type, k.to
	zone := k.c.Zone
	if from.Kind == types.Date {
		return castRows(k, vec.Slice[int32](k.src), func(d int32) (int64, status) {
			us := int64(d) * microsPerDay
			if to.Kind == types.TimestampTZ {
				us = wallToMoment(zone, us)
			}
			return us, fits
		})
	}
	d := vec.Slice[int64](k.src)
	wall := func(us int64) int64 { return us }
	if from.Kind == types.TimestampTZ && to.Kind != types.TimestampTZ {
		wall = func(us int64) int64 { return momentToWall(zone, us) }
	}
	switch to.Kind {
	case types.Date:
		return castRows(k, d, func(us int64) (int32, status) {
			days, rest := types.SplitMicros(wall(us))
			if rest != 0 {
				return days, lossy
			}
			return days, fits
		})
	case types.Time:
		return castRows(k, d, func(us int64) (int64, status) {
			if from.Kind != types.Time {
				_, us = types.SplitMicros(wall(us))
			}
			return cutPrecision(us, int(to.Precision)), fits
		})
	}
	return castRows(k, d, func(us int64) (int64, status) {
		if from.Kind == types.DateTime && to.Kind == types.TimestampTZ {
			us = wallToMoment(zone, us)
		} else {
			us = wall(us)
		}
		cut := cutPrecision(us, int(to.Precision))
		if cut != us {
			return cut, lossy
		}
		return cut, fits
	})
}

// intervalUnits are the units of intervals: how many months, days or microseconds one of them is.
var intervalUnits = map[string]types.IntervalValue{
	"year": {Months: 12}, "quarter": {Months: 3}, "month": {Months: 1}, "week": {Days: 7}, "day": {Days: 1}, "hour": {Micros: microsPerHour},
	"minute": {Micros: microsPerMinute}, "second": {Micros: microsPerSecond}, "millisecond": {Micros: microsPerMilli},
	"microsecond": {Micros: 1}, "decade": {Months: 120}, "century": {Months: 1200},
}

// intervalUnit finds a unit by name, in any case, singular or plural.
func intervalUnit(name string) (types.IntervalValue, bool) {
	name = strings.ToLower(name)
	if u, ok := intervalUnits[name]; ok {
		return u, true
	}
	switch name {
	case "centuries":
		name = "century"
	case "h", "hr", "hrs":
		name = "hour"
	case "min", "mins":
		name = "minute"
	case "s", "sec", "secs":
		name = "second"
	case "ms", "msec", "msecs":
		name = "millisecond"
	case "us", "usec", "usecs":
		name = "microsecond"
	case "d":
		name = "day"
	case "w":
		name = "week"
	case "y", "yr", "yrs":
		name = "year"
	case "mon", "mons":
		name = "month"
	default:
		name = strings.TrimSuffix(name, "s")
	}
	u, ok := intervalUnits[name]
	return u, ok
}

// ParseInterval reads "1 day 2 hours", "-3 months", "1.5 hours", "04:05:06" or a mixture of these.
func ParseInterval(s []byte) (types.IntervalValue, bool) {
	var sum types.IntervalValue
	words := strings.Fields(string(s))
	if len(words) == 0 {
		return sum, false
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if strings.Contains(w, ":") {
			clock, neg := strings.CutPrefix(w, "-")
			us, ok := types.ParseTime([]byte(strings.TrimPrefix(clock, "+")))
			if !ok {
				return sum, false
			}
			if neg {
				us = -us
			}
			sum.Micros += us
			continue
		}
		unit := ""
		number := strings.TrimRightFunc(w, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
		if unit = w[len(number):]; unit == "" {
			if i++; i == len(words) {
				return sum, false
			}
			unit = words[i]
		}
		part, ok := MakeInterval([]byte(number), unit)
		if !ok {
			return sum, false
		}
		if sum, ok = AddIntervals(sum, part); !ok {
			return sum, false
		}
	}
	return sum, true
}

// MakeInterval returns number times a unit, as INTERVAL '1.5' HOUR gives it; only units below the month take fractions.
func MakeInterval(number []byte, unit string) (types.IntervalValue, bool) {
	u, ok := intervalUnit(unit)
	if !ok {
		return u, false
	}
	const scale = 6
	w, _, ok := types.ParseDecimal(number, scale)
	if !ok {
		return u, false
	}
	n, ok := w.Int128()
	if !ok {
		return u, false
	}
	million := types.Int128From(pow10[scale])
	whole, rest := n.QuoRem(million)
	if u.Micros != 0 {
		us, fine := n.Mul(types.Int128From(u.Micros))
		us, _ = us.QuoRem(million)
		x, small := us.Int64()
		return types.IntervalValue{Micros: x}, fine && small
	}
	x, ok := whole.Int64()
	if !ok || x > 1<<31-1 || x < -1<<31 {
		return u, false
	}
	if u.Months != 0 {
		months := x * int64(u.Months)
		part, _ := rest.Int64()
		months += part * int64(u.Months) / pow10[scale]
		return types.IntervalValue{Months: int32(months)}, int64(int32(months)) == months
	}
	days := x * int64(u.Days)
	part, _ := rest.Int64()
	return types.IntervalValue{Days: int32(days), Micros: part * int64(u.Days) * (microsPerDay / microsPerSecond)}, int64(int32(days)) == days
}

// AddIntervals adds part by part; false on overflow.
func AddIntervals(a, b types.IntervalValue) (types.IntervalValue, bool) {
	months, days := int64(a.Months)+int64(b.Months), int64(a.Days)+int64(b.Days)
	us := a.Micros + b.Micros
	r := types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us}
	overflow := (a.Micros^us)&(b.Micros^us) < 0
	return r, int64(r.Months) == months && int64(r.Days) == days && !overflow
}

// SubIntervals subtracts part by part; false on overflow.
func SubIntervals(a, b types.IntervalValue) (types.IntervalValue, bool) {
	months, days := int64(a.Months)-int64(b.Months), int64(a.Days)-int64(b.Days)
	us := a.Micros - b.Micros
	r := types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us}
	overflow := (a.Micros^b.Micros)&(a.Micros^us) < 0
	return r, int64(r.Months) == months && int64(r.Days) == days && !overflow
}
