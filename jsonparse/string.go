package jsonparse

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// slowString reads the string whose opening quote is d[open] and that has an escape, a control character or (in a line with invalid
// UTF-8) a non-ASCII byte in it, or no end. It gives the decoded text, valid until the next string, and the position of the closing
// quote.
func (p *Parser) slowString(d []byte, open int) (s []byte, end int, err error) {
	buf := p.scratch[:0]
	from := open + 1 // d[from:i] is read but not yet copied
	i := from
	for {
		i = nextMark(p.marks, i)
		if i >= len(d) {
			return nil, 0, &SyntaxError{Offset: len(d), Msg: "string without an end"}
		}
		switch c := d[i]; {
		case c == '"':
			if from == open+1 {
				return d[from:i], i, nil
			}
			buf = append(buf, d[from:i]...)
			p.scratch = buf
			return buf, i, nil
		case c == '\\':
			buf = append(buf, d[from:i]...)
			if buf, i, err = unescape(buf, d, i); err != nil {
				return nil, 0, err
			}
			from = i
		case c < ' ':
			return nil, 0, &SyntaxError{Offset: i, Msg: fmt.Sprintf("control character 0x%02x in a string must be escaped", c)}
		default:
			r, n := utf8.DecodeRune(d[i:])
			if r == utf8.RuneError && n <= 1 {
				return nil, 0, &SyntaxError{Offset: i, Msg: fmt.Sprintf("invalid UTF-8 byte 0x%02x in a string", c)}
			}
			i += n
		}
	}
}

// unescaped maps the letter of a two-byte escape to the byte it denotes; 0 marks no escape.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unescape appends what the escape at d[i] denotes to buf and gives the position behind it. Two \u escapes that form a surrogate pair
// are one escape; any other surrogate is an error because no UTF-8 text can hold it.
func unescape(buf, d []byte, i int) ([]byte, int, error) {
	if i+1 >= len(d) {
		return nil, 0, &SyntaxError{Offset: len(d), Msg: "string without an end"}
	}
	c := d[i+1]
	if b := unescaped[c]; b != 0 {
		return append(buf, b), i + 2, nil
	}
	if c != 'u' {
		return nil, 0, &SyntaxError{Offset: i, Msg: "invalid escape: \\ followed by " + quoteAt(d, i+1)}
	}
	r, err := hex4(d, i)
	if err != nil {
		return nil, 0, err
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(buf, r), i + 6, nil
	}
	if r < 0xdc00 && i+7 < len(d) && d[i+6] == '\\' && d[i+7] == 'u' {
		low, err := hex4(d, i+6)
		if err != nil {
			return nil, 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return utf8.AppendRune(buf, pair), i + 12, nil
		}
	}
	return nil, 0, &SyntaxError{Offset: i, Msg: fmt.Sprintf("lone surrogate \\u%04x is no character", r)}
}

// hex4 reads the four hexadecimal digits of the \u escape at d[i].
func hex4(d []byte, i int) (rune, error) {
	var r rune
	for k := i + 2; k < i+6; k++ {
		if k >= len(d) {
			return 0, &SyntaxError{Offset: len(d), Msg: "string without an end"}
		}
		c := d[k]
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, &SyntaxError{Offset: k, Msg: "expected four hexadecimal digits after \\u, found " + quoteAt(d, k)}
		}
	}
	return r, nil
}
