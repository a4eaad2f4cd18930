package parse

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// simpleEscapes are the escapes of E'...' that stand for one character.
var simpleEscapes = [256]byte{
	'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v', 'a': '\a', '\\': '\\', '\'': '\'', '"': '"', '/': '/',
}

// unescape returns the value of a tokEscaped. Besides the simple escapes there are \0, \xHH, \uXXXX (also surrogate pairs, as
// in JSON) and \UXXXXXXXX; any other letter behind a backslash is an error rather than a guess.
func (p *parser) unescape(t token) string {
	s := p.src[t.start+2 : t.end-1]
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\'':
			b.WriteByte(c)
			i += 2
		case c != '\\':
			b.WriteByte(c)
			i++
		case simpleEscapes[s[i+1]] != 0:
			b.WriteByte(simpleEscapes[s[i+1]])
			i += 2
		case s[i+1] == '0':
			b.WriteByte(0)
			i += 2
		default:
			n := unescapeHex(&b, s[i:])
			if n == 0 {
				p.fail(sqlerr.At(sqlerr.Syntax, t.start+2+i, `unknown escape in E'...'; known are \n \t \r \b \f \v \a \0 \\ \' \" \/ \xHH \uXXXX`))
				return ""
			}
			i += n
		}
	}
	if !utf8.ValidString(b.String()) {
		p.fail(sqlerr.At(sqlerr.Syntax, t.start, "this string is not valid UTF-8; bytes are written X'...'"))
	}
	return b.String()
}

// unescapeHex writes the character of a \x, \u or \U escape at the start of s and returns the length read, or 0.
func unescapeHex(b *strings.Builder, s string) int {
	digits := 0
	switch s[1] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	r, ok := hexAt(s, 2, digits)
	if !ok {
		return 0
	}
	if digits == 2 {
		b.WriteByte(byte(r))
		return 4
	}
	n := 2 + digits
	if r >= 0xD800 && r < 0xDC00 && strings.HasPrefix(s[n:], `\u`) {
		low, ok := hexAt(s, n+2, 4)
		if !ok || low < 0xDC00 || low > 0xDFFF {
			return 0
		}
		r = (r-0xD800)<<10 + (low - 0xDC00) + 0x10000
		n += 6
	}
	if !utf8.ValidRune(r) {
		return 0
	}
	b.WriteRune(r)
	return n
}

// hexAt reads exactly n hexadecimal digits at s[i:].
func hexAt(s string, i, n int) (rune, bool) {
	if n == 0 || i+n > len(s) {
		return 0, false
	}
	v, err := strconv.ParseUint(s[i:i+n], 16, 32)
	if err != nil || v > utf8.MaxRune {
		return 0, false
	}
	return rune(v), true
}
