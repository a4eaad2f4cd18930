package types

import "strconv"

// Units of time in microseconds.
const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond
)

// DaysFromCivil returns the days since 1970-01-01 of a date of the proleptic Gregorian calendar (H. Hinnant's algorithm).
func DaysFromCivil(y, m, d int) int32 {
	if m <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yoe := y - era*400
	mp := (m + 9) % 12
	doy := (153*mp+2)/5 + d - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return int32(era*146097 + doe - 719468)
}

// CivilFromDays is the inverse of DaysFromCivil.
func CivilFromDays(days int32) (y, m, d int) {
	z := int(days) + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d = doy - (153*mp+2)/5 + 1
	m = mp%12 + 1 + 2
	if m > 12 {
		m -= 12
	}
	y = yoe + era*400
	if m <= 2 {
		y++
	}
	return y, m, d
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// DaysInMonth returns the number of days of month m (1..12) of year y.
func DaysInMonth(y, m int) int {
	switch m {
	case 2:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// SplitMicros splits a timestamp into days and microseconds of the day.
func SplitMicros(us int64) (days int32, rest int64) {
	d := us / microsPerDay
	r := us % microsPerDay
	if r < 0 {
		d--
		r += microsPerDay
	}
	return int32(d), r
}

// timeScanner reads fixed shapes off a text; ok turns false at the first misfit.
type timeScanner struct {
	s  []byte
	ok bool
}

func (t *timeScanner) digits(least, most int) int {
	n, v := 0, 0
	for n < len(t.s) && n < most && t.s[n] >= '0' && t.s[n] <= '9' {
		v = v*10 + int(t.s[n]-'0')
		n++
	}
	if n < least {
		t.ok = false
	}
	t.s = t.s[n:]
	return v
}

func (t *timeScanner) skip(c byte) bool {
	if len(t.s) > 0 && t.s[0] == c {
		t.s = t.s[1:]
		return true
	}
	return false
}

func (t *timeScanner) want(c byte) {
	if !t.skip(c) {
		t.ok = false
	}
}

// date reads YYYY-MM-DD or YYYY/MM/DD; the year may have four to six digits.
func (t *timeScanner) date() int32 {
	neg := t.skip('-')
	y := t.digits(4, 6)
	if neg {
		y = -y
	}
	sep := byte('-')
	if len(t.s) > 0 && t.s[0] == '/' {
		sep = '/'
	}
	t.want(sep)
	m := t.digits(1, 2)
	t.want(sep)
	d := t.digits(1, 2)
	if m < 1 || m > 12 || d < 1 || d > DaysInMonth(y, m) {
		t.ok = false
		return 0
	}
	return DaysFromCivil(y, m, d)
}

// clock reads HH:MM[:SS[.fraction]]; digits behind the microsecond are cut, inexact tells that one of them was not zero.
func (t *timeScanner) clock() (us int64, inexact bool) {
	h := t.digits(1, 2)
	t.want(':')
	m := t.digits(2, 2)
	s := 0
	if t.skip(':') {
		s = t.digits(2, 2)
		if t.skip('.') {
			var frac, n int
			for len(t.s) > 0 && t.s[0] >= '0' && t.s[0] <= '9' {
				if n < 6 {
					frac = frac*10 + int(t.s[0]-'0')
				} else if t.s[0] != '0' {
					inexact = true
				}
				n++
				t.s = t.s[1:]
			}
			if n == 0 {
				t.ok = false
			}
			for ; n < 6; n++ {
				frac *= 10
			}
			us = int64(frac)
		}
	}
	if h > 23 || m > 59 || s > 59 {
		t.ok = false
	}
	return us + int64(h*3600+m*60+s)*microsPerSecond, inexact
}

// zone reads Z, UTC, +HH, +HHMM or +HH:MM and returns the offset in microseconds.
func (t *timeScanner) zone() int64 {
	if string(t.s) == "Z" || string(t.s) == "z" || string(t.s) == "UTC" {
		t.s = nil
		return 0
	}
	neg := len(t.s) > 0 && t.s[0] == '-'
	if !t.skip('+') && !t.skip('-') {
		t.ok = false
		return 0
	}
	h := t.digits(2, 2)
	m := 0
	if t.skip(':') || len(t.s) > 0 {
		m = t.digits(2, 2)
	}
	if h > 18 || m > 59 {
		t.ok = false
	}
	off := int64(h*60+m) * 60 * microsPerSecond
	if neg {
		return -off
	}
	return off
}

func trimSpace(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t' || s[0] == '\n' || s[0] == '\r') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t' || s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}

// ParseDate reads a date; a time of day behind it must be midnight.
func ParseDate(s []byte) (days int32, ok bool) {
	us, _, ok := ParseDateTime(s)
	if !ok {
		return 0, false
	}
	days, rest := SplitMicros(us)
	return days, rest == 0
}

// ParseDateTime reads "date", "date time" or "dateTtime", with an optional zone offset. With a zone the result is UTC and zoned is
// true, else it is the wall clock. Digits behind the microsecond are cut; ParseDateTimeExact refuses them.
func ParseDateTime(s []byte) (micros int64, zoned, ok bool) {
	micros, zoned, _, ok = ParseDateTimeExact(s)
	return micros, zoned, ok
}

// ParseDateTimeExact is ParseDateTime that also tells whether digits behind the microsecond were lost.
func ParseDateTimeExact(s []byte) (micros int64, zoned, inexact, ok bool) {
	t := timeScanner{s: trimSpace(s), ok: true}
	micros = int64(t.date()) * microsPerDay
	if !t.ok {
		return 0, false, false, false
	}
	if len(t.s) == 0 {
		return micros, false, false, true
	}
	if !t.skip(' ') && !t.skip('T') && !t.skip('t') {
		return 0, false, false, false
	}
	us, inexact := t.clock()
	micros += us
	if t.skip(' '); t.ok && len(t.s) > 0 {
		zoned = true
		micros -= t.zone()
	}
	return micros, zoned, inexact, t.ok && len(t.s) == 0
}

// ParseTime reads HH:MM[:SS[.fraction]] into microseconds of the day.
func ParseTime(s []byte) (micros int64, ok bool) {
	t := timeScanner{s: trimSpace(s), ok: true}
	micros, _ = t.clock()
	return micros, t.ok && len(t.s) == 0
}

func append2(dst []byte, v int) []byte { return append(dst, byte('0'+v/10), byte('0'+v%10)) }

// AppendDate appends YYYY-MM-DD.
func AppendDate(dst []byte, days int32) []byte {
	y, m, d := CivilFromDays(days)
	if y < 0 {
		dst = append(dst, '-')
		y = -y
	}
	if y < 1000 {
		dst = append(dst, "000"[:4-len(strconv.Itoa(y))]...)
	}
	dst = strconv.AppendInt(dst, int64(y), 10)
	dst = append2(append(dst, '-'), m)
	return append2(append(dst, '-'), d)
}

// AppendTime appends HH:MM:SS and, where it is not zero, the fraction without trailing zeros.
func AppendTime(dst []byte, micros int64) []byte {
	s := int(micros / microsPerSecond)
	dst = append2(dst, s/3600)
	dst = append2(append(dst, ':'), s/60%60)
	dst = append2(append(dst, ':'), s%60)
	if f := micros % microsPerSecond; f != 0 {
		dst = append(dst, '.')
		for unit := int64(100_000); f > 0; unit /= 10 {
			dst = append(dst, byte('0'+f/unit))
			f %= unit
		}
	}
	return dst
}

// AppendDateTime appends YYYY-MM-DD HH:MM:SS[.fraction].
func AppendDateTime(dst []byte, micros int64) []byte {
	days, rest := SplitMicros(micros)
	return AppendTime(append(AppendDate(dst, days), ' '), rest)
}

// AppendTimestampTZ appends a timestamp in UTC with its zone: YYYY-MM-DD HH:MM:SS[.fraction]+00:00.
func AppendTimestampTZ(dst []byte, micros int64) []byte {
	return append(AppendDateTime(dst, micros), "+00:00"...)
}
