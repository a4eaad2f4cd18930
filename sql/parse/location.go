package parse

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// atLocation tells that the current token is a stage or a string.
func (p *parser) atLocation() bool { return p.tok.kind == tokStage || p.tok.kind == tokString }

// location reads @stage/path, '@stage/path' or 'uri'.
func (p *parser) location() Location {
	t := p.tok
	l := Location{Place: Place(t.start)}
	var s string
	switch t.kind {
	case tokStage:
		s = p.text(t)
	case tokString:
		s = p.quotedValue(t)
		if !strings.HasPrefix(s, "@") {
			if s == "" {
				p.failf("the location is an empty string")
			}
			l.URI = s
			p.advance()
			return l
		}
	default:
		p.expected("a stage such as @name, or a string with a path")
		return l
	}
	p.advance()
	name, path, ok := splitStage(s[1:])
	if !ok {
		p.fail(sqlerr.At(sqlerr.Syntax, t.start, "expected the name of a stage behind '@', then '/' and a path"))
		return l
	}
	name.Place = l.Place + 1
	l.Stage, l.Path = name, path
	return l
}

// splitStage cuts name/path, where the name may be quoted.
func splitStage(s string) (name Ident, path string, ok bool) {
	if s != "" && (s[0] == '"' || s[0] == '`') {
		q := s[:1]
		l := lexer{src: s}
		t := l.scanQuoted(0, s[0], tokQuoted, badQuoted)
		if t.kind == tokBad {
			return name, "", false
		}
		name = Ident{Name: strings.ReplaceAll(s[1:t.end-1], q+q, q), Quoted: true}
		if name.Name == "" {
			return name, "", false
		}
		s = s[t.end:]
	} else {
		i := strings.IndexByte(s, '/')
		if i < 0 {
			i = len(s)
		}
		name, s = Ident{Name: s[:i]}, s[i:]
		if !isStageName(name.Name) {
			return name, "", false
		}
	}
	if s == "" {
		return name, "", true
	}
	return name, s[1:], s[0] == '/'
}

// isStageName tells that s can be written behind @ without quotes.
func isStageName(s string) bool {
	if s == "" || byteClasses[s[0]] != classLetter {
		return s == "~"
	}
	l := lexer{src: s}
	end, _ := l.wordEnd(0)
	return end == len(s)
}

// uriConnection reads [CONNECTION = (...)] behind a URI.
func (p *parser) uriConnection(l *Location) {
	if l.IsStage() || !p.atWord("CONNECTION") || p.peek().kind != tokEq {
		return
	}
	p.advance()
	p.advance()
	l.Connection = p.options()
}
