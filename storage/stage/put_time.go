package stage

import (
	"time"

	"github.com/ebira-db/ebira/sql/types"
)

// Integers for dates count days, from 0001-01-01 to 9999-12-31; integers for instants count seconds, milliseconds or microseconds since
// 1970, told apart by magnitude: seconds up to the year 2969, milliseconds up to as much.
const (
	minDay       = -719_162
	maxDay       = 2_932_896
	secondsBound = 31_536_000_000
	millisBound  = 31_536_000_000_000
)

func (s *slot) putDate(r int, text []byte) problem {
	us, _, ok := types.ParseDateTime(text)
	if !ok {
		return unreadable
	}
	days, rest := types.SplitMicros(us)
	if rest != 0 && !s.env.rounding {
		return losesDigits
	}
	s.i32[r] = days
	s.valid.Set(r)
	return fits
}

// putTimestamp puts text into a DATETIME or TIMESTAMPTZ column. Text with an offset is a moment, text without is wall clock of the zone.
func (s *slot) putTimestamp(r int, text []byte) problem {
	inexact := false
	us, zoned, ok := s.quickTimestamp(text)
	if !ok {
		if us, zoned, inexact, ok = types.ParseDateTimeExact(text); !ok {
			return unreadable
		}
	}
	switch {
	case zoned && s.op == opDateTime:
		us = s.env.zone.wall(us)
	case !zoned && s.op == opTimestampTZ:
		us = s.env.zone.moment(us)
	}
	rest := us % s.unit
	if (inexact || rest != 0) && !s.env.rounding {
		return losesDigits
	}
	if rest < 0 {
		rest += s.unit
	}
	s.i64[r] = us - rest
	s.valid.Set(r)
	return fits
}

// quickTimestamp reads the shape that machines write, YYYY-MM-DD, a blank or T, HH:MM:SS, up to six digits of fraction, and perhaps Z.
// Other shapes are left to package types, which knows them all. Records of one time mostly have one date, so the last one is remembered.
func (s *slot) quickTimestamp(t []byte) (us int64, zoned, ok bool) {
	if len(t) < 19 || t[4] != '-' || t[7] != '-' || t[10] != ' ' && t[10] != 'T' || t[13] != ':' || t[16] != ':' {
		return 0, false, false
	}
	if string(s.date[:]) != string(t[:10]) {
		days, ok := types.ParseDate(t[:10])
		if !ok || twoDigits(t[8:]) > 99 {
			return 0, false, false
		}
		s.date, s.dateMicros = [10]byte(t[:10]), int64(days)*microsPerDay
	}
	h, m, sec := twoDigits(t[11:]), twoDigits(t[14:]), twoDigits(t[17:])
	if h > 23 || m > 59 || sec > 59 {
		return 0, false, false
	}
	us = s.dateMicros + int64((h*60+m)*60+sec)*1_000_000
	t = t[19:]
	if len(t) > 1 && t[0] == '.' {
		t = t[1:]
		unit := int64(100_000)
		for len(t) > 0 && t[0]-'0' <= 9 {
			us += int64(t[0]-'0') * unit
			if t = t[1:]; unit == 0 {
				return 0, false, false
			}
			unit /= 10
		}
		if unit == 100_000 {
			return 0, false, false
		}
	}
	if len(t) == 1 && t[0] == 'Z' {
		return us, true, true
	}
	return us, false, len(t) == 0
}

const microsPerDay = 86_400_000_000

// twoDigits returns the number that two digits make, and a number above 99 for other bytes.
func twoDigits(t []byte) uint {
	a, b := uint(t[0]-'0'), uint(t[1]-'0')
	if a > 9 || b > 9 {
		return 100
	}
	return a*10 + b
}

// putInstant puts an integer into a DATETIME or TIMESTAMPTZ column.
func (s *slot) putInstant(r int, x int64) problem {
	switch {
	case -secondsBound < x && x < secondsBound:
		x *= 1_000_000
	case -millisBound < x && x < millisBound:
		x *= 1000
	}
	if days, _ := types.SplitMicros(x); days < minDay || days > maxDay {
		return outOfRange
	}
	rest := x % s.unit
	if rest != 0 && !s.env.rounding {
		return losesDigits
	}
	if s.op == opDateTime {
		x = s.env.zone.wall(x)
	}
	s.i64[r] = x - rest
	s.valid.Set(r)
	return fits
}

// precisionUnit is the number of microseconds that the last digit of a precision stands for.
func precisionUnit(precision uint8) int64 {
	unit := int64(1)
	for ; precision < types.MaxTimePrecision; precision++ {
		unit *= 10
	}
	return unit
}

// zone converts between moments and wall clocks; nil is UTC.
type zone struct{ loc *time.Location }

func newZone(loc *time.Location) *zone {
	if loc == nil || loc == time.UTC {
		return nil
	}
	return &zone{loc}
}

// wall returns the wall clock at a moment.
func (z *zone) wall(us int64) int64 {
	if z == nil {
		return us
	}
	_, off := time.UnixMicro(us).In(z.loc).Zone()
	return us + int64(off)*1_000_000
}

// moment returns the moment at which the wall clock shows us. Of two the earlier offset counts; a clock that is skipped is read with the
// offset before the gap, as package time does.
func (z *zone) moment(us int64) int64 {
	if z == nil {
		return us
	}
	t := time.UnixMicro(us).UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), z.loc).UnixMicro()
}
