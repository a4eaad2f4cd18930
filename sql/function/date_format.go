package function

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/types"
)

// formatStyle is one of the two families of format letters.
type formatStyle uint8

const (
	mysqlFormat formatStyle = iota // date_format, str_to_date
	cFormat                        // strftime, strptime
)

// javaFormats are the formats of Java's style that Doris accepts beside MySQL's.
var javaFormats = map[string]string{
	"yyyyMMdd": "%Y%m%d", "yyyy-MM-dd": "%Y-%m-%d", "yyyy-MM-dd HH:mm:ss": "%Y-%m-%d %H:%i:%s", "yyyy-MM": "%Y-%m", "yyyy": "%Y",
	"HH:mm:ss": "%H:%i:%s", "yyyyMMddHHmmss": "%Y%m%d%H%i%s",
}

func defineFormats() {
	wall := func(k int) func(r *row) int64 { return func(r *row) int64 { return r.int(k) } }
	define("date_format", "time", "The time as text by MySQL's format: %Y %m %d %H %i %s %f %M %b %W %a %j %p and so on.",
		sig("(datetime, text) -> text", formatRows(1, mysqlFormat, wall(0))))
	define("strftime", "time", "The time as text by C's format: %Y %m %d %H %M %S %f %B %b %A %a %j %p and so on, %-d without zeros in front; the format may be either argument.",
		sig("(datetime, text) -> text", formatRows(1, cFormat, wall(0))), sig("(text, datetime) -> text", formatRows(0, cFormat, wall(1))))
	identity := func(_ *row, us int64) int64 { return us }
	define("str_to_date", "time", "The DATETIME that a text means under MySQL's format, NULL if it does not fit.",
		sig("(text, text) -> datetime", parseRows(mysqlFormat, identity), traits{maybeNull: true}))
	define("strptime try_strptime", "time", "The DATETIME that a text means under C's format, NULL if it does not fit.",
		sig("(text, text) -> datetime", parseRows(cFormat, identity), traits{maybeNull: true}))
}

// formatRows formats the time that wall gives by the format in argument at.
func formatRows(at int, style formatStyle, wall func(r *row) int64) maker {
	return textRows(func(r *row, dst []byte) []byte {
		us := wall(r)
		if r.err != nil {
			return dst
		}
		format := r.text(at)
		if java, ok := javaFormats[string(format)]; ok && style == mysqlFormat {
			format = []byte(java)
		}
		return appendFormatted(dst, us, format, style)
	})
}

// letter translates a letter of C's format to that of MySQL's with the same meaning; they share most.
func (s formatStyle) letter(c byte) byte {
	if s == mysqlFormat {
		switch c {
		case 'S':
			return 's'
		case 'h':
			return 'I'
		}
		return c
	}
	switch c {
	case 'M':
		return 'i'
	case 'S':
		return 's'
	case 'B':
		return 'M'
	case 'A':
		return 'W'
	case 'W':
		return '3' // week of the year, from Monday
	case 'I':
		return 'I'
	case 'V':
		return 'v'
	case 'u':
		return '1' // ISO day of the week
	case 'w':
		return 'w'
	case 'g':
		return '2' // milliseconds
	}
	return c
}

// maxFormatBytes bounds what one format may produce.
const maxFormatBytes = 1 << 16

func appendFormatted(dst []byte, us int64, format []byte, style formatStyle) []byte {
	start := len(dst)
	days, rest := types.SplitMicros(us)
	y, m, d := types.CivilFromDays(days)
	for i := 0; i < len(format) && len(dst)-start < maxFormatBytes; i++ {
		if format[i] != '%' || i+1 == len(format) {
			dst = append(dst, format[i])
			continue
		}
		i++
		bare := style == cFormat && format[i] == '-' && i+1 < len(format)
		if bare {
			i++
		}
		from := len(dst)
		dst = appendField(dst, style.letter(format[i]), format[i], y, m, d, days, rest)
		for bare && len(dst)-from > 1 && dst[from] == '0' {
			dst = append(dst[:from], dst[from+1:]...)
		}
	}
	return dst
}

// pad appends n with at least width digits.
func pad(dst []byte, n int64, width int) []byte {
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	s := strconv.FormatInt(n, 10)
	for k := len(s); k < width; k++ {
		dst = append(dst, '0')
	}
	return append(dst, s...)
}

// appendField appends one field; raw is the letter as written, which stands for itself if it means nothing.
func appendField(dst []byte, letter, raw byte, y, m, d int, days int32, rest int64) []byte {
	hour := rest / microsPerHour
	half := (hour+11)%12 + 1
	minute, second := rest/microsPerMinute%60, rest/microsPerSecond%60
	switch letter {
	case 'Y':
		return pad(dst, int64(y), 4)
	case 'y':
		return pad(dst, floorMod(int64(y), 100), 2)
	case 'm':
		return pad(dst, int64(m), 2)
	case 'c':
		return pad(dst, int64(m), 1)
	case 'd':
		return pad(dst, int64(d), 2)
	case 'e':
		return pad(dst, int64(d), 1)
	case 'H':
		return pad(dst, hour, 2)
	case 'k':
		return pad(dst, hour, 1)
	case 'I':
		return pad(dst, half, 2)
	case 'l':
		return pad(dst, half, 1)
	case 'i':
		return pad(dst, minute, 2)
	case 's':
		return pad(dst, second, 2)
	case 'f':
		return pad(dst, rest%microsPerSecond, 6)
	case '2':
		return pad(dst, rest%microsPerSecond/microsPerMilli, 3)
	case 'M':
		return append(dst, monthNames[m-1]...)
	case 'b':
		return append(dst, monthNames[m-1][:3]...)
	case 'W':
		return append(dst, dayNames[weekdayOf(days)]...)
	case 'a':
		return append(dst, dayNames[weekdayOf(days)][:3]...)
	case 'w':
		return pad(dst, int64(weekdayOf(days)+1)%7, 1)
	case '1':
		return pad(dst, int64(weekdayOf(days)+1), 1)
	case 'j':
		return pad(dst, fieldDayOfYear.of(days), 3)
	}
	return appendRareField(dst, letter, raw, days, rest, hour, half, minute, second)
}

func appendRareField(dst []byte, letter, raw byte, days int32, rest, hour, half, minute, second int64) []byte {
	noon := "AM"
	if hour >= 12 {
		noon = "PM"
	}
	clock := func(h int64) { dst = pad(append(pad(append(pad(dst, h, 2), ':'), minute, 2), ':'), second, 2) }
	switch letter {
	case 'p':
		return append(dst, noon...)
	case 'r':
		clock(half)
		return append(append(dst, ' '), noon...)
	case 'T':
		clock(hour)
		return dst
	case 'F':
		return types.AppendDate(dst, days)
	case 'v':
		_, week := isoWeek(days)
		return pad(dst, week, 2)
	case 'x', 'G':
		year, _ := isoWeek(days)
		return pad(dst, int64(year), 4)
	case 'u', 'U':
		_, week := weekOf(days, map[byte]int64{'U': 0, 'u': 1}[letter])
		return pad(dst, week, 2)
	case '3':
		_, week := weekOf(days, 5)
		return pad(dst, week, 2)
	case 'V':
		_, week := weekOf(days, 2)
		return pad(dst, week, 2)
	case 'X':
		year, _ := weekOf(days, 2)
		return pad(dst, int64(year), 4)
	case 'D':
		_, _, d := types.CivilFromDays(days)
		suffix := "th"
		if d/10 != 1 {
			switch d % 10 {
			case 1:
				suffix = "st"
			case 2:
				suffix = "nd"
			case 3:
				suffix = "rd"
			}
		}
		return append(pad(dst, int64(d), 1), suffix...)
	case '%':
		return append(dst, '%')
	}
	return append(dst, raw)
}

// parseRows reads argument 0 by the format in argument 1; text that does not fit gives NULL.
func parseRows(style formatStyle, f func(r *row, us int64) int64) maker {
	return rows(func(r *row) int64 {
		format := r.text(1)
		if java, ok := javaFormats[string(format)]; ok && style == mysqlFormat {
			format = []byte(java)
		}
		us, ok := parseFormatted(r.text(0), format, style)
		if r.null = !ok; r.null {
			return 0
		}
		return f(r, us)
	})
}

// timeParts are the fields read so far.
type timeParts struct {
	year, month, day, dayOfYear  int
	hour, minute, second, micros int64
	half, pm                     bool
}

// parseFormatted reads a whole text by a format.
func parseFormatted(s, format []byte, style formatStyle) (int64, bool) {
	p := timeParts{month: 1, day: 1}
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c == ' ' {
			s = bytes.TrimLeft(s, " ")
			continue
		}
		if c != '%' || i+1 == len(format) {
			if len(s) == 0 || s[0] != c {
				return 0, false
			}
			s = s[1:]
			continue
		}
		i++
		if style == cFormat && format[i] == '-' && i+1 < len(format) {
			i++
		}
		var ok bool
		if s, ok = p.read(s, style.letter(format[i])); !ok {
			return 0, false
		}
	}
	if len(bytes.TrimSpace(s)) > 0 {
		return 0, false
	}
	return p.micros64()
}

// number reads up to width digits.
func number(s []byte, width int) (n int64, rest []byte, digits int) {
	for digits < len(s) && digits < width && s[digits] >= '0' && s[digits] <= '9' {
		n = n*10 + int64(s[digits]-'0')
		digits++
	}
	return n, s[digits:], digits
}

func (p *timeParts) read(s []byte, letter byte) ([]byte, bool) {
	width := map[byte]int{'Y': 5, 'y': 2, 'm': 2, 'c': 2, 'd': 2, 'e': 2, 'H': 2, 'k': 2, 'I': 2, 'l': 2, 'i': 2, 's': 2, 'f': 6, 'j': 3, '2': 3}[letter]
	if letter == 'Y' && (len(s) < 5 || s[4] < '0' || s[4] > '9' || len(s) > 5) {
		width = 4
	}
	if width == 0 {
		return p.readWord(s, letter)
	}
	n, rest, digits := number(s, width)
	if digits == 0 {
		return s, false
	}
	switch letter {
	case 'Y':
		p.year = int(n)
	case 'y':
		p.year = int(n) + 1900
		if n < 70 {
			p.year += 100
		}
	case 'm', 'c':
		p.month = int(n)
	case 'd', 'e':
		p.day = int(n)
	case 'H', 'k':
		p.hour = n
	case 'I', 'l':
		p.hour, p.half = n, true
	case 'i':
		p.minute = n
	case 's':
		p.second = n
	case 'f', '2':
		for ; digits < 6; digits++ {
			n *= 10
		}
		p.micros = n
	case 'j':
		p.dayOfYear = int(n)
	}
	return rest, true
}

func (p *timeParts) readWord(s []byte, letter byte) ([]byte, bool) {
	name := func(list []string, least int) (int, bool) {
		for i, n := range list {
			for _, w := range []string{n, n[:3]} {
				if len(w) >= least && len(s) >= len(w) && strings.EqualFold(string(s[:len(w)]), w) {
					s = s[len(w):]
					return i, true
				}
			}
		}
		return 0, false
	}
	switch letter {
	case 'M', 'b':
		i, ok := name(monthNames[:], 3)
		p.month = i + 1
		return s, ok
	case 'W', 'a':
		_, ok := name(dayNames[:], 3)
		return s, ok
	case 'p':
		if len(s) < 2 || s[1]|0x20 != 'm' || s[0]|0x20 != 'a' && s[0]|0x20 != 'p' {
			return s, false
		}
		p.half, p.pm = true, s[0]|0x20 == 'p'
		return s[2:], true
	case 'T':
		for k, l := range []byte{'H', 'i', 's'} {
			if k > 0 {
				if len(s) == 0 || s[0] != ':' {
					return s, false
				}
				s = s[1:]
			}
			var ok bool
			if s, ok = p.read(s, l); !ok {
				return s, false
			}
		}
		return s, true
	case 'F':
		us, _, ok := types.ParseDateTime(s[:min(10, len(s))])
		if !ok || len(s) < 10 {
			return s, false
		}
		days, _ := types.SplitMicros(us)
		p.year, p.month, p.day = types.CivilFromDays(days)
		return s[10:], true
	case '%':
		if len(s) == 0 || s[0] != '%' {
			return s, false
		}
		return s[1:], true
	}
	return s, false
}

// micros64 checks the fields and puts them together.
func (p *timeParts) micros64() (int64, bool) {
	if p.half {
		if p.hour < 1 || p.hour > 12 {
			return 0, false
		}
		p.hour %= 12
		if p.pm {
			p.hour += 12
		}
	}
	if p.month < 1 || p.month > 12 || p.day < 1 || p.day > types.DaysInMonth(p.year, p.month) || p.hour > 23 || p.minute > 59 || p.second > 59 {
		return 0, false
	}
	days := types.DaysFromCivil(p.year, p.month, p.day)
	if p.dayOfYear > 0 {
		days = types.DaysFromCivil(p.year, 1, 1) + int32(p.dayOfYear) - 1
	}
	return int64(days)*microsPerDay + p.hour*microsPerHour + p.minute*microsPerMinute + p.second*microsPerSecond + p.micros, true
}
