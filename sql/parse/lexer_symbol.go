package parse

import "unicode/utf8"

// single maps the characters that are always a token of their own.
var single = [256]tokenKind{
	'(': tokLParen, ')': tokRParen, '[': tokLBracket, ']': tokRBracket, '{': tokLBrace, '}': tokRBrace, ',': tokComma,
	';': tokSemicolon, '+': tokPlus, '*': tokStar, '/': tokSlash, '%': tokPercent, '^': tokCaret, '&': tokAmp, '~': tokTilde,
	'?': tokQuestion,
}

// scanSymbol reads a token that begins with neither letter nor digit.
func (l *lexer) scanSymbol(off int, c byte) token {
	if k := single[c]; k != tokEOF {
		return token{kind: k, start: off, end: off + 1}
	}
	switch c {
	case '\'':
		return l.scanQuoted(off, c, tokString, badString)
	case '"', '`':
		return l.scanQuoted(off, c, tokQuoted, badQuoted)
	case '.':
		if byteClasses[l.at(off+1)] == classDigit {
			return l.scanNumber(off)
		}
		return token{kind: tokDot, start: off, end: off + 1}
	case '$':
		return l.scanDollar(off)
	case '@':
		if l.at(off+1) == '@' {
			return l.scanSysVar(off)
		}
		return l.scanStage(off)
	}
	if kind, n := l.operator(off, c); n > 0 {
		return token{kind: kind, start: off, end: off + n}
	}
	_, n := utf8.DecodeRuneInString(l.src[off:])
	return token{kind: tokBad, bad: badChar, start: off, end: off + n}
}

// operator returns the operator at off, which begins with c, and its length, or length 0.
func (l *lexer) operator(off int, c byte) (tokenKind, int) {
	next := l.at(off + 1)
	switch c {
	case '=':
		switch next {
		case '=':
			return tokEq, 2
		case '>':
			return tokFatArrow, 2
		}
		return tokEq, 1
	case '<':
		switch next {
		case '=':
			if l.at(off+2) == '>' {
				return tokNullEq, 3
			}
			return tokLe, 2
		case '>':
			return tokNe, 2
		case '<':
			return tokShiftL, 2
		}
		return tokLt, 1
	case '>':
		switch next {
		case '=':
			return tokGe, 2
		case '>':
			return tokShiftR, 2
		}
		return tokGt, 1
	case '!':
		if next == '=' {
			return tokNe, 2
		}
		return tokBang, 1
	case '|':
		if next == '|' {
			return tokConcat, 2
		}
		return tokPipe, 1
	case ':':
		switch next {
		case ':':
			return tokCast, 2
		case '=':
			return tokFatArrow, 2
		}
		return tokColon, 1
	case '-':
		if next != '>' {
			return tokMinus, 1
		}
		if l.at(off+2) == '>' {
			return tokLongArrow, 3
		}
		return tokArrow, 2
	}
	return tokEOF, 0
}
