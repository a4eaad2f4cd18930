package function

import (
	"math"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// defineTimeMaking adds the functions that make times from numbers, texts and the clock, and numbers from times.
func defineTimeMaking() {
	define("now current_timestamp localtimestamp sysdate localtime", "time", "The time at which the statement began, in the session's time zone.",
		sig("(bigint?) -> datetime", rows(func(r *row) int64 {
			digits := int64(types.MaxTimePrecision)
			if r.has(0) {
				digits = min(max(r.int(0), 0), types.MaxTimePrecision)
			}
			return cutPrecision(momentToWall(r.c.Zone, r.c.Now), int(digits))
		})))
	define("utc_timestamp", "time", "The time at which the statement began, in UTC.", sig("() -> datetime", rows(func(r *row) int64 { return cutPrecision(r.c.Now, 0) })))
	define("current_date curdate today", "time", "The date at which the statement began, in the session's time zone.", sig("() -> date", rows(func(r *row) int32 {
		days, _ := types.SplitMicros(momentToWall(r.c.Zone, r.c.Now))
		return days
	})))
	define("current_time curtime", "time", "The time of day at which the statement began, in the session's time zone.", sig("() -> time", rows(func(r *row) int64 {
		_, us := types.SplitMicros(momentToWall(r.c.Zone, r.c.Now))
		return cutPrecision(us, 0)
	})))
	defineEpochs()
	defineCivil()
	defineZones()
	defineFormats()
}

// defineEpochs adds the functions between times and counts since 1970.
func defineEpochs() {
	define("unix_timestamp", "time", "Seconds since 1970-01-01 00:00:00 UTC of a time in the session's zone, or of now; a text may come with a format of date_format.",
		sig("() -> bigint", rows(func(r *row) int64 { return floorDiv(r.c.Now, microsPerSecond) })),
		sig("(timestamptz) -> bigint", rows(func(r *row) int64 { return floorDiv(r.int(0), microsPerSecond) })),
		sig("(text, text) -> bigint", parseRows(mysqlFormat, func(r *row, us int64) int64 { return floorDiv(wallToMoment(r.c.Zone, us), microsPerSecond) }), traits{maybeNull: true}))
	epoch := func(names, about string, unit int64) {
		define(names, "time", about, sig("(timestamptz) -> bigint", rows(func(r *row) int64 { return floorDiv(r.int(0), unit) })),
			sig("(datetime) -> bigint", rows(func(r *row) int64 { return floorDiv(r.int(0), unit) })))
	}
	epoch("epoch to_unixtime", "Seconds since 1970-01-01 00:00:00 (UTC; a DATETIME counts as UTC).", microsPerSecond)
	epoch("epoch_ms to_unixtime_ms", "Milliseconds since 1970-01-01 00:00:00.", microsPerMilli)
	epoch("epoch_us", "Microseconds since 1970-01-01 00:00:00.", 1)
	define("from_unixtime", "time", "The DATETIME in the session's zone of seconds since 1970; with a format of date_format its text.",
		sig("(bigint) -> datetime", rows(func(r *row) int64 { return momentToWall(r.c.Zone, secondsToMicros(r, r.int(0), microsPerSecond)) })),
		sig("(bigint, text) -> text", formatRows(1, mysqlFormat, func(r *row) int64 { return momentToWall(r.c.Zone, secondsToMicros(r, r.int(0), microsPerSecond)) })))
	define("to_timestamp", "time", "The TIMESTAMPTZ of seconds since 1970, or of a text.",
		sig("(bigint) -> timestamptz", rows(func(r *row) int64 { return secondsToMicros(r, r.int(0), microsPerSecond) })),
		sig("(double) -> timestamptz", rows(func(r *row) int64 {
			us, ok := floorToInt(math.Round(r.float(0) * microsPerSecond))
			if !ok || !microsInRange(us) {
				r.fail(sqlerr.OutOfRange, "%s seconds are out of range for TIMESTAMPTZ", types.AppendDouble(nil, r.float(0)))
			}
			return us
		})),
		sig("(timestamptz) -> timestamptz", rows(func(r *row) int64 { return r.int(0) })))
	since := func(names, about string, unit int64) {
		define(names, "time", about, sig("(bigint) -> datetime", rows(func(r *row) int64 { return secondsToMicros(r, r.int(0), unit) })))
	}
	since("to_timestamp_seconds from_second", "The DATETIME in UTC of seconds since 1970.", microsPerSecond)
	since("to_timestamp_millis from_millisecond", "The DATETIME in UTC of milliseconds since 1970.", microsPerMilli)
}

// defineCivil adds the functions that make times from their fields.
func defineCivil() {
	define("to_timestamp_micros from_microsecond make_timestamp", "time", "The DATETIME in UTC of microseconds since 1970, or the DATETIME of year, month, day, hour, minute and second.",
		sig("(bigint) -> datetime", rows(func(r *row) int64 { return secondsToMicros(r, r.int(0), 1) })),
		sig("(bigint, bigint, bigint, bigint, bigint, double) -> datetime", rows(makeTimestamp)))
	define("make_date datefromparts", "time", "The date of year, month and day, or of days since 1970-01-01.",
		sig("(bigint, bigint, bigint) -> date", rows(func(r *row) int32 { return civil(r, r.int(0), r.int(1), r.int(2)) })),
		sig("(bigint) -> date", rows(func(r *row) int32 {
			if d := r.int(0); daysInRange(d) {
				return int32(d)
			}
			r.fail(sqlerr.OutOfRange, "%d days since 1970-01-01 are out of range for DATE", r.int(0))
			return 0
		})))
	define("make_time", "time", "The time of day of hour, minute and second.", sig("(bigint, bigint, double) -> time", rows(func(r *row) int64 {
		return timeOfDay(r, r.int(0), r.int(1), r.float(2))
	})))
	define("make_timestamptz", "time", "The TIMESTAMPTZ of year, month, day, hour, minute and second in the session's time zone.",
		sig("(bigint, bigint, bigint, bigint, bigint, double) -> timestamptz", rows(func(r *row) int64 { return wallToMoment(r.c.Zone, makeTimestamp(r)) })))
	define("from_days", "time", "The date of days since year 0, as in MySQL.", sig("(bigint) -> date", rows(func(r *row) int32 {
		d := r.int(0) - yearZeroDays
		if r.int(0) < -1<<40 || !daysInRange(d) {
			r.fail(sqlerr.OutOfRange, "%d days are out of range for DATE", r.int(0))
		}
		return int32(d)
	})))
	define("makedate", "time", "The date of year and day of the year; NULL if the day is below 1.", sig("(bigint, bigint) -> date", rows(func(r *row) int32 {
		if r.null = r.int(1) < 1; r.null {
			return 0
		}
		first := int64(civil(r, r.int(0), 1, 1))
		if r.int(1) > 1<<31 || !daysInRange(first+r.int(1)-1) {
			r.fail(sqlerr.OutOfRange, "day %d of year %d is out of range for DATE", r.int(1), r.int(0))
		}
		return int32(first + r.int(1) - 1)
	}), traits{maybeNull: true}))
	define("time_to_sec", "time", "Seconds since midnight.", sig("(time) -> bigint", rows(func(r *row) int64 { return r.int(0) / microsPerSecond })))
	define("sec_to_time", "time", "The time of day of seconds since midnight.", sig("(bigint) -> time", rows(func(r *row) int64 {
		if s := r.int(0); s < 0 || s >= 86_400 {
			r.fail(sqlerr.OutOfRange, "%d seconds are out of range for TIME", s)
		}
		return r.int(0) * microsPerSecond
	})))
}

// secondsToMicros scales a count of units since 1970.
func secondsToMicros(r *row, n, unit int64) int64 {
	us := n * unit
	if n > math.MaxInt64/unit || n < math.MinInt64/unit || !microsInRange(us) {
		r.fail(sqlerr.OutOfRange, "%d units of %d microseconds since 1970 are out of range for DATETIME", n, unit)
		return 0
	}
	return us
}

// civil checks and converts year, month and day.
func civil(r *row, y, m, d int64) int32 {
	if y < -99_999 || y > 99_999 || m < 1 || m > 12 || d < 1 || d > int64(types.DaysInMonth(int(y), int(m))) {
		r.fail(sqlerr.OutOfRange, "there is no date %d-%d-%d", y, m, d)
		return 0
	}
	return types.DaysFromCivil(int(y), int(m), int(d))
}

func makeTimestamp(r *row) int64 {
	days := civil(r, r.int(0), r.int(1), r.int(2))
	return int64(days)*microsPerDay + timeOfDay(r, r.int(3), r.int(4), r.float(5))
}

func timeOfDay(r *row, h, m int64, s float64) int64 {
	if h < 0 || h > 23 || m < 0 || m > 59 || !(s >= 0 && s < 60) {
		r.fail(sqlerr.OutOfRange, "there is no time of day %d:%d:%s", h, m, types.AppendDouble(nil, s))
		return 0
	}
	return h*microsPerHour + m*microsPerMinute + int64(math.Round(s*microsPerSecond))
}

// loadZone finds a time zone by name or offset, remembering the last one.
type zoneCache struct {
	name string
	zone *time.Location
}

func (z *zoneCache) load(r *row, name []byte) *time.Location {
	if z.zone != nil && z.name == string(name) {
		return z.zone
	}
	zone, err := LoadZone(string(name))
	if err != nil {
		r.err = err
		return time.UTC
	}
	z.name, z.zone = string(name), zone
	return zone
}

// LoadZone finds a time zone: a name of the tz database, UTC, or an offset such as +09:00.
func LoadZone(name string) (*time.Location, error) {
	if len(name) > 0 && (name[0] == '+' || name[0] == '-') {
		for _, layout := range []string{"-07:00", "-0700", "-07"} {
			if t, err := time.Parse(layout, name); err == nil {
				_, off := t.Zone()
				return time.FixedZone(name, off), nil
			}
		}
	}
	if name == "" || name == "Local" {
		return nil, sqlerr.New(sqlerr.NotFound, "unknown time zone '%s'", name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, sqlerr.New(sqlerr.NotFound, "unknown time zone '%s'", name)
	}
	return zone, nil
}

// zoneRows makes a kernel of a function that needs time zones, each loaded once while it stays the same.
func zoneRows(f func(r *row, zones *[2]zoneCache) int64) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			var zones [2]zoneCache
			inner, _ := rows(func(r *row) int64 { return f(r, &zones) })(s, nil)
			return inner(c, args, n)
		}, nil
	}
}

func defineZones() {
	define("timezone", "time", "x AT TIME ZONE z as timezone(z, x): the moment at which the zone shows a DATETIME, or the wall clock that it shows at a TIMESTAMPTZ.",
		sig("(text, datetime) -> timestamptz", zoneRows(func(r *row, z *[2]zoneCache) int64 { return wallToMoment(z[0].load(r, r.text(0)), r.int(1)) })),
		sig("(text, timestamptz) -> datetime", zoneRows(func(r *row, z *[2]zoneCache) int64 { return momentToWall(z[0].load(r, r.text(0)), r.int(1)) })))
	define("convert_tz", "time", "The wall clock of the third argument's zone when the second's shows the first.",
		sig("(datetime, text, text) -> datetime", zoneRows(func(r *row, z *[2]zoneCache) int64 {
			return momentToWall(z[1].load(r, r.text(2)), wallToMoment(z[0].load(r, r.text(1)), r.int(0)))
		})))
}
