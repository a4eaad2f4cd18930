package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// byteClass sorts the first byte of a token.
type byteClass uint8

const (
	classOther byteClass = iota
	classSpace
	classLetter // letters, underscore, and all bytes of multi-byte characters
	classDigit
)

// byteClasses drives the scanner. Inside words, classLetter and classDigit and '$' go on.
var byteClasses = buildByteClasses()

func buildByteClasses() *[256]byteClass {
	t := new([256]byteClass)
	for c := range 256 {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			t[c] = classSpace
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf:
			t[c] = classLetter
		case c >= '0' && c <= '9':
			t[c] = classDigit
		}
	}
	return t
}

// lexer cuts tokens from src. scan has no state but the source and slashComments, so the parser may scan ahead anywhere.
type lexer struct {
	src string
	// slashComments makes // a comment to the end of the line, as pages do inside the list of VARIANT<...>.
	slashComments bool
}

// scan returns the first token at or behind off.
func (l *lexer) scan(off int) token {
	off, bad := l.skipBlanks(off)
	if bad != badNone {
		return token{kind: tokBad, bad: bad, start: off, end: len(l.src)}
	}
	if off >= len(l.src) {
		return token{kind: tokEOF, start: len(l.src), end: len(l.src)}
	}
	switch c := l.src[off]; byteClasses[c] {
	case classLetter:
		return l.scanWord(off)
	case classDigit:
		return l.scanNumber(off)
	default:
		return l.scanSymbol(off, c)
	}
}

// skipBlanks returns the offset of the first byte that is neither white space nor comment.
func (l *lexer) skipBlanks(i int) (int, badToken) {
	s := l.src
	for i < len(s) {
		c := s[i]
		switch {
		case byteClasses[c] == classSpace:
			i++
		case c == '-' && i+1 < len(s) && s[i+1] == '-',
			c == '/' && l.slashComments && i+1 < len(s) && s[i+1] == '/':
			n := strings.IndexByte(s[i:], '\n')
			if n < 0 {
				return len(s), badNone
			}
			i += n + 1
		case c == '/' && i+1 < len(s) && s[i+1] == '*':
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				return i, badComment
			}
			i += n + 4
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != '\uFEFF' && !unicode.IsSpace(r) {
				return i, badNone
			}
			i += n
		default:
			return i, badNone
		}
	}
	return i, badNone
}

// scanWord reads a bare name or keyword, and the strings E'...' and X'...'.
func (l *lexer) scanWord(off int) token {
	i, h := l.wordEnd(off)
	if i == off {
		_, n := utf8.DecodeRuneInString(l.src[i:])
		return token{kind: tokBad, bad: badChar, start: off, end: off + n}
	}
	if i == off+1 && i < len(l.src) && l.src[i] == '\'' {
		switch l.src[off] {
		case 'e', 'E':
			return l.scanEscaped(off)
		case 'x', 'X':
			return l.scanHex(off)
		}
	}
	return token{kind: tokWord, kw: lookupKeyword(l.src[off:i], h), start: off, end: i}
}

// wordEnd returns the end of the run of word characters at off, and the folded hash of its bytes.
func (l *lexer) wordEnd(off int) (end int, hash uint32) {
	s, i, h := l.src, off, uint32(0)
	for i < len(s) {
		c := s[i]
		n := 1
		if c >= utf8.RuneSelf {
			var r rune
			r, n = utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
				break
			}
		} else if byteClasses[c] < classLetter && c != '$' {
			break
		}
		h = hashFolded(h, c)
		i += n
	}
	return i, h
}

// scanQuoted reads a token in quotes that are doubled inside: strings and quoted names.
func (l *lexer) scanQuoted(off int, quote byte, kind tokenKind, unclosed badToken) token {
	t := token{kind: kind, start: off}
	i := off + 1
	for {
		n := strings.IndexByte(l.src[i:], quote)
		if n < 0 {
			return token{kind: tokBad, bad: unclosed, start: off, end: len(l.src)}
		}
		i += n + 1
		if i < len(l.src) && l.src[i] == quote {
			t.rewrite = true
			i++
			continue
		}
		t.end = i
		return t
	}
}

// scanEscaped reads E'...', in which a backslash protects the next byte.
func (l *lexer) scanEscaped(off int) token {
	for i := off + 2; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '\'':
			if i+1 < len(l.src) && l.src[i+1] == '\'' {
				i++
				continue
			}
			return token{kind: tokEscaped, start: off, end: i + 1}
		}
	}
	return token{kind: tokBad, bad: badString, start: off, end: len(l.src)}
}

// scanHex reads X'...'; the digits are checked here, because nothing else may stand between the quotes.
func (l *lexer) scanHex(off int) token {
	i := off + 2
	for i < len(l.src) && isHexDigit(l.src[i]) {
		i++
	}
	if i < len(l.src) && l.src[i] == '\'' && (i-off)%2 == 0 {
		return token{kind: tokHex, start: off, end: i + 1}
	}
	return token{kind: tokBad, bad: badHex, start: off, end: i}
}

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// scanNumber reads 1, 1.5, 1., .5 and 1e-3.
func (l *lexer) scanNumber(off int) token {
	s := l.src
	i := l.skipDigits(off)
	t := token{kind: tokInteger, start: off}
	if i < len(s) && s[i] == '.' {
		t.kind = tokDecimal
		i = l.skipDigits(i + 1)
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		t.kind = tokDouble
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		end := l.skipDigits(i)
		if end == i {
			return token{kind: tokBad, bad: badExponent, start: off, end: i}
		}
		i = end
	}
	if i < len(s) && s[i] < utf8.RuneSelf && byteClasses[s[i]] == classLetter {
		return token{kind: tokBad, bad: badNumber, start: off, end: i}
	}
	t.end = i
	return t
}

func (l *lexer) skipDigits(i int) int {
	for i < len(l.src) && byteClasses[l.src[i]] == classDigit {
		i++
	}
	return i
}

// at returns the byte at i, or 0 behind the end.
func (l *lexer) at(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// scanDollar reads $1 and $name.
func (l *lexer) scanDollar(off int) token {
	i := off + 1
	switch byteClasses[l.at(i)] {
	case classDigit:
		i = l.skipDigits(i)
	case classLetter:
		i, _ = l.wordEnd(i)
	}
	if i == off+1 {
		return token{kind: tokBad, bad: badDollar, start: off, end: i}
	}
	return token{kind: tokDollar, start: off, end: i}
}

// scanSysVar reads @@name with any number of dots.
func (l *lexer) scanSysVar(off int) token {
	for i := off + 2; ; i++ {
		end, _ := l.wordEnd(i)
		if end == i || byteClasses[l.src[i]] != classLetter {
			return token{kind: tokBad, bad: badSysVar, start: off, end: i}
		}
		i = end
		if l.at(i) != '.' {
			return token{kind: tokSysVar, start: off, end: i}
		}
	}
}

// scanStage reads @stage and @stage/path. A path runs to the next blank or one of ( ) , ; ' ".
func (l *lexer) scanStage(off int) token {
	i := off + 1
	switch c := l.at(i); {
	case c == '~':
		i++
	case byteClasses[c] == classLetter:
		i, _ = l.wordEnd(i)
	case c == '"' || c == '`':
		t := l.scanQuoted(i, c, tokQuoted, badQuoted)
		if t.kind == tokBad {
			return t
		}
		i = t.end
	case c == '\'':
		// The host of 'user'@'host'.
		t := l.scanQuoted(i, c, tokString, badString)
		t.start = off
		if t.kind != tokBad {
			t.kind = tokStage
		}
		return t
	}
	if i == off+1 {
		return token{kind: tokBad, bad: badStage, start: off, end: i}
	}
	if l.at(i) == '/' {
		n := strings.IndexAny(l.src[i:], stagePathEnd)
		if n < 0 {
			n = len(l.src) - i
		}
		i += n
	}
	return token{kind: tokStage, start: off, end: i}
}

// stagePathEnd are the characters that end the path of an unquoted stage.
const stagePathEnd = " \t\r\n\v\f(),;'\""
