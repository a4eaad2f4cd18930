package function

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// defineFormatting adds functions that put values into texts.
func defineFormatting() {
	define("printf", "text", "The first argument with %s, %d, %f, %e, %g, %x, %o and %c replaced by the others, with flags, width and precision as in C.",
		sig("(text, any*) -> text", textRows(printfRow)))
	define("format", "text", "The first argument with {} replaced by the others; {1} takes one by number, {:,} {:.2f} {:>8} {:05d} {:x} format it.",
		sig("(text, any*) -> text", textRows(formatRow)))
	define("format_number format_round", "text", "The number rounded to d decimal places, with commas between thousands.", sig("(number, bigint) -> text", textRows(func(r *row, dst []byte) []byte {
		digits := r.int(1)
		if digits < 0 || digits > 60 {
			r.fail(sqlerr.OutOfRange, "format_number takes 0 to 60 decimal places, not %d", digits)
			return dst
		}
		f, ok := r.number(0)
		if !ok {
			r.null = true
			return dst
		}
		text, ok := exactFixed(r, 0, int(digits))
		if !ok {
			text = strconv.FormatFloat(f, 'f', int(digits), 64)
		}
		return append(dst, grouped(text, ',')...)
	}), traits{maybeNull: true}))
	size := func(names, about string, base int64, units string) {
		define(names, "text", about, sig("(bigint) -> text", textRows(func(r *row, dst []byte) []byte { return appendSize(dst, r.int(0), base, strings.Fields(units)) })))
	}
	size("format_bytes formatReadableSize", "A number of bytes in KiB, MiB and so on.", 1024, "bytes KiB MiB GiB TiB PiB EiB")
	size("formatReadableDecimalSize", "A number of bytes in kB, MB and so on.", 1000, "bytes kB MB GB TB PB EB")
}

// textOf returns argument k as CAST to VARCHAR gives it.
func (r *row) textOf(k int) []byte {
	o := &r.args[k]
	return appendValue(nil, r.c, o.v, r.i&o.mask)
}

// number returns the numeric argument k as a double.
func (r *row) number(k int) (float64, bool) {
	o := &r.args[k]
	i := r.i & o.mask
	switch d := o.v.Data.(type) {
	case []float64:
		return d[i], true
	case []float32:
		return float64(d[i]), true
	}
	if !o.v.Type.IsNumeric() {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(r.textOf(k)), 64)
	return f, err == nil
}

// exactFixed prints an integer or DECIMAL with a number of decimal places; false for other types.
func exactFixed(r *row, k, digits int) (string, bool) {
	t := r.args[k].v.Type
	if !t.IsInteger() && t.Kind != types.Decimal {
		return "", false
	}
	o := &r.args[k]
	v, err := Cast(r.c, o.v.Slice(r.i&o.mask, r.i&o.mask+1), types.DecimalOf(types.MaxDecimalPrecision, min(digits, 30)), false)
	if err != nil {
		return "", false
	}
	text := string(appendValue(nil, r.c, v, 0))
	if missing := digits - 30; missing > 0 {
		text += strings.Repeat("0", missing)
	}
	return text, true
}

// grouped puts a separator between the thousands of a number's text.
func grouped(text string, separator byte) string {
	whole, fraction, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	if strings.Trim(whole, "0123456789") != "" {
		return text
	}
	var b strings.Builder
	for i, c := range []byte(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(separator)
		}
		b.WriteByte(c)
	}
	return sign + b.String() + text[len(sign)+len(whole):len(text)-len(fraction)] + fraction
}

func appendSize(dst []byte, n, base int64, units []string) []byte {
	magnitude := math.Abs(float64(n))
	unit := 0
	for magnitude >= float64(base) && unit < len(units)-1 {
		magnitude /= float64(base)
		unit++
	}
	if n < 0 {
		dst = append(dst, '-')
	}
	if unit == 0 {
		if magnitude == 1 {
			return append(dst, "1 byte"...)
		}
		return append(strconv.AppendFloat(dst, magnitude, 'f', 0, 64), " bytes"...)
	}
	// The digit is cut off, as a size is not rounded to one that it does not have.
	dst = strconv.AppendFloat(dst, math.Floor(magnitude*10)/10, 'f', 1, 64)
	return append(append(dst, ' '), units[unit]...)
}

// printfRow formats by package fmt, whose verbs are those of C.
func printfRow(r *row, dst []byte) []byte {
	s := r.text(0)
	next := 1
	for {
		at := bytes.IndexByte(s, '%')
		if at < 0 {
			return append(dst, s...)
		}
		dst, s = append(dst, s[:at]...), s[at:]
		end := 1
		for end < len(s) && strings.IndexByte("-+ #0123456789.", s[end]) >= 0 {
			end++
		}
		if end == len(s) {
			r.fail(sqlerr.Conversion, "printf: '%s' ends in the middle of a directive", r.text(0))
			return dst
		}
		verb := s[end]
		directive := string(s[:end])
		s = s[end+1:]
		if verb == '%' {
			dst = append(dst, '%')
			continue
		}
		if !r.has(next) {
			r.fail(sqlerr.Conversion, "printf: '%s' has more directives than arguments", r.text(0))
			return dst
		}
		dst = r.directive(dst, directive, verb, next)
		if next++; r.err != nil {
			return dst
		}
	}
}

// maxFormatWidth bounds widths and precisions of directives.
const maxFormatWidth = 10_000

// directive appends argument k by a directive of fmt without its verb, and a verb of C.
func (r *row) directive(dst []byte, directive string, verb byte, k int) []byte {
	for _, part := range strings.Split(strings.TrimLeft(directive, "%-+ #0"), ".") {
		if n, err := strconv.Atoi(part); part != "" && (err != nil || n > maxFormatWidth) {
			r.fail(sqlerr.Conversion, "printf: the directive %s%c is not possible", directive, verb)
			return dst
		}
	}
	t := r.args[k].v.Type
	bad := func() []byte {
		r.fail(sqlerr.Type, "printf: %s%c does not fit an argument of type %s", directive, verb, t)
		return dst
	}
	switch verb {
	case 's':
		return fmt.Appendf(dst, directive+"s", r.textOf(k))
	case 'd', 'i', 'u', 'x', 'X', 'o', 'c', 'b':
		if !t.IsInteger() && t.Kind != types.Boolean {
			return bad()
		}
		n, err := strconv.ParseInt(string(r.textOf(k)), 10, 64)
		if t.Kind == types.Boolean {
			n, err = int64(boolInt(string(r.textOf(k)) == "true")), nil
		}
		if err != nil {
			return bad()
		}
		switch verb {
		case 'i', 'u':
			verb = 'd'
		case 'x', 'X', 'o', 'b':
			return fmt.Appendf(dst, directive+string(verb), uint64(n))
		}
		return fmt.Appendf(dst, directive+string(verb), n)
	case 'f', 'F', 'e', 'E', 'g', 'G':
		f, ok := r.number(k)
		if !ok {
			return bad()
		}
		return fmt.Appendf(dst, directive+string(verb), f)
	}
	r.fail(sqlerr.Conversion, "printf: %s%c is no directive", directive, verb)
	return dst
}

// formatRow fills braces as fmt of C++ and format of Python do.
func formatRow(r *row, dst []byte) []byte {
	s := r.text(0)
	next := 1
	for {
		at := bytes.IndexAny(s, "{}")
		if at < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:at]...)
		if at+1 < len(s) && s[at+1] == s[at] {
			dst, s = append(dst, s[at]), s[at+2:]
			continue
		}
		end := bytes.IndexByte(s[at:], '}')
		if s[at] == '}' || end < 0 {
			r.fail(sqlerr.Conversion, "format: a brace of '%s' has no counterpart; write {{ or }} for a brace itself", r.text(0))
			return dst
		}
		which, spec, _ := strings.Cut(string(s[at+1:at+end]), ":")
		s = s[at+end+1:]
		k := next
		if which == "" {
			next++
		} else if n, err := strconv.Atoi(which); err == nil && n >= 0 && n < maxFormatWidth {
			k = n + 1
		} else {
			k = -1
		}
		if k < 1 || !r.has(k) {
			r.fail(sqlerr.Conversion, "format: '%s' uses an argument that is not there", r.text(0))
			return dst
		}
		if dst = r.braced(dst, spec, k); r.err != nil {
			return dst
		}
	}
}

// braced appends argument k by [[fill]align][sign][0][width][,][.precision][type].
func (r *row) braced(dst []byte, spec string, k int) []byte {
	t := r.args[k].v.Type
	p := parseBraces(spec)
	if !p.ok {
		r.fail(sqlerr.Conversion, "format: {:%s} is not possible", spec)
		return dst
	}
	var text string
	switch f, number := r.number(k); {
	case p.verb == 0 && !p.hasPrecision, p.verb == 's', p.verb == 'd' && t.IsInteger():
		if text = string(r.textOf(k)); p.hasPrecision {
			text = string([]rune(text)[:min(p.precision, len([]rune(text)))])
		}
	case strings.IndexByte("xXob", p.verb) >= 0 && t.IsInteger():
		text = string(r.directive(nil, "%", p.verb, k))
	case number && p.verb != 'd' && strings.IndexByte("xXob", p.verb) < 0:
		verb, precision := p.verb, 6
		if p.hasPrecision {
			precision = p.precision
		}
		if verb == 0 {
			verb = 'g'
		}
		if verb == 'F' {
			verb = 'f'
		}
		text = strconv.FormatFloat(f, verb, precision, 64)
	default:
		r.fail(sqlerr.Type, "format: {:%s} does not fit an argument of type %s", spec, t)
		return dst
	}
	if p.group {
		text = grouped(text, ',')
	}
	if t.IsNumeric() && p.plus && !strings.HasPrefix(text, "-") {
		text = "+" + text
	}
	return append(dst, p.pad(text, t.IsNumeric())...)
}

// braces is a parsed format of a braced argument.
type braces struct {
	fill                  rune
	align                 byte
	plus, zero, group, ok bool
	width, precision      int
	hasPrecision          bool
	verb                  byte
}

func parseBraces(spec string) (p braces) {
	p.fill = ' '
	runes := []rune(spec)
	if len(runes) > 1 && strings.ContainsRune("<>^", runes[1]) {
		p.fill, p.align, runes = runes[0], byte(runes[1]), runes[2:]
	} else if len(runes) > 0 && strings.ContainsRune("<>^", runes[0]) {
		p.align, runes = byte(runes[0]), runes[1:]
	}
	s := string(runes)
	if strings.HasPrefix(s, "+") {
		p.plus, s = true, s[1:]
	}
	if strings.HasPrefix(s, "0") {
		p.zero, s = true, s[1:]
	}
	digits := func() (n int) {
		for len(s) > 0 && s[0] >= '0' && s[0] <= '9' && n <= maxFormatWidth {
			n, s = n*10+int(s[0]-'0'), s[1:]
		}
		return n
	}
	p.width = digits()
	if strings.HasPrefix(s, ",") {
		p.group, s = true, s[1:]
	}
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		p.precision, p.hasPrecision = digits(), true
	}
	if len(s) == 1 && strings.Contains("sdxXobfFeEgG", s) {
		p.verb, s = s[0], ""
	}
	p.ok = s == "" && p.width <= maxFormatWidth && p.precision <= maxFormatWidth
	return p
}

// pad fills text to the width: texts at their end, numbers at their beginning.
func (p *braces) pad(text string, number bool) string {
	missing := p.width - vec.RuneCount([]byte(text))
	if missing <= 0 {
		return text
	}
	if p.zero && p.align == 0 && number {
		sign := ""
		if text[0] == '-' || text[0] == '+' {
			sign, text = text[:1], text[1:]
		}
		return sign + strings.Repeat("0", missing) + text
	}
	before := 0
	switch {
	case p.align == '>', p.align == 0 && number:
		before = missing
	case p.align == '^':
		before = missing / 2
	}
	fill := string(p.fill)
	return strings.Repeat(fill, before) + text + strings.Repeat(fill, missing-before)
}
