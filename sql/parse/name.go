package parse

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// maxNameParts bounds catalog.database.name.
const maxNameParts = 3

// identOf makes a name of a word or quoted token.
func (p *parser) identOf(t token) Ident {
	if t.kind == tokWord {
		return Ident{Place: Place(t.start), Name: p.text(t)}
	}
	if t.end == t.start+2 {
		p.fail(sqlerr.At(sqlerr.Syntax, t.start, "a name cannot be empty; strings are written in single quotes"))
	}
	return Ident{Place: Place(t.start), Name: p.quotedValue(t), Quoted: true}
}

// quotedValue returns what stands between the quotes of a tokString or tokQuoted.
func (p *parser) quotedValue(t token) string {
	s := p.src[t.start+1 : t.end-1]
	if t.rewrite {
		q := p.src[t.start : t.start+1]
		s = strings.ReplaceAll(s, q+q, q)
	}
	return s
}

// isName tells that t can be a name.
func isName(t token) bool {
	return t.kind == tokWord && !t.kw.reserved() || t.kind == tokQuoted
}

// ident reads a name; what says which one is expected, as in "a table name".
func (p *parser) ident(what string) Ident {
	if !isName(p.tok) {
		p.expected(what)
		return Ident{}
	}
	id := p.identOf(p.tok)
	p.advance()
	return id
}

// anyIdent reads a name where no keyword can stand, so that reserved words are names too: behind a dot and behind AS.
func (p *parser) anyIdent(what string) Ident {
	if p.tok.kind != tokWord && p.tok.kind != tokQuoted {
		p.expected(what)
		return Ident{}
	}
	id := p.identOf(p.tok)
	p.advance()
	return id
}

// firstIdent reads the first part of a dotted name. The database that every store begins with is called default, so that
// word is a name in front of a dot although it is reserved.
func (p *parser) firstIdent(what string) Ident {
	if p.startsDefaultName() {
		return p.anyIdent(what)
	}
	return p.ident(what)
}

// startsDefaultName tells that the current token is the database default of a dotted name.
func (p *parser) startsDefaultName() bool { return p.isKw(kwDefault) && p.peek().kind == tokDot }

// databaseName reads [catalog.]database, where default is a name even alone.
func (p *parser) databaseName() ObjectName {
	if p.isKw(kwDefault) {
		return ObjectName{Parts: p.oneIdent(p.anyIdent("a database name"))}
	}
	return p.objectName("a database name")
}

// objectName reads [catalog.][database.]name.
func (p *parser) objectName(what string) ObjectName {
	parts := p.oneIdent(p.firstIdent(what))
	for p.accept(tokDot) {
		parts = append(parts, p.anyIdent(what))
	}
	if len(parts) > maxNameParts {
		p.fail(sqlerr.At(sqlerr.Syntax, parts[maxNameParts].Pos(), "a name has at most %d parts: catalog.database.name", maxNameParts))
	}
	return ObjectName{Parts: parts}
}

// identList reads (name, ...).
func (p *parser) identList(what string) []Ident {
	p.expect(tokLParen, "'('")
	list := []Ident{p.ident(what)}
	for p.accept(tokComma) {
		list = append(list, p.ident(what))
	}
	p.closeList()
	return list
}

// stringLit reads a string where nothing else can stand, therefore in single or double quotes.
func (p *parser) stringLit(what string) *StringLit {
	t := p.tok
	if !p.isString(t) {
		p.expected(what)
		return &StringLit{}
	}
	p.advance()
	return &StringLit{Place: Place(t.start), Value: p.stringValue(t)}
}

// isString tells that t is a string where double quotes make strings.
func (p *parser) isString(t token) bool {
	return t.kind == tokString || t.kind == tokEscaped || t.kind == tokQuoted && p.src[t.start] == '"'
}

// stringValue returns the value of any string token.
func (p *parser) stringValue(t token) string {
	if t.kind == tokEscaped {
		return p.unescape(t)
	}
	return p.quotedValue(t)
}

// comment reads [COMMENT [=] '...'].
func (p *parser) comment() *StringLit {
	if !p.acceptWord("COMMENT") && !p.acceptWord("COMMENTS") {
		return nil
	}
	p.accept(tokEq)
	return p.stringLit("a string")
}

// number reads an unsigned integer and returns its text.
func (p *parser) number(what string) string {
	t := p.tok
	if t.kind != tokInteger {
		p.expected(what)
		return ""
	}
	p.advance()
	return p.text(t)
}
