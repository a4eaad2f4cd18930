package parse

import (
	"strconv"
	"strings"
)

// maxTypeArg bounds the numbers in parentheses behind a type; larger ones mean nothing anywhere.
const maxTypeArg = 1 << 31

// exprTypeName reads the type behind ::, where a '<' behind VARIANT may also be a comparison.
func (p *parser) exprTypeName() *TypeName { return p.typeOf(true) }

// typeName reads a data type.
func (p *parser) typeName() *TypeName { return p.typeOf(false) }

// typeOf reads a data type; inExpr tells that an operator may follow it.
func (p *parser) typeOf(inExpr bool) *TypeName {
	p.enter()
	defer p.leave()
	t := &TypeName{Place: p.place()}
	if p.tok.kind != tokWord || p.tok.kw.reserved() {
		p.expected("a data type")
		return t
	}
	t.Name = strings.ToUpper(p.text(p.tok))
	p.advance()
	switch t.Name {
	case "ARRAY", "LIST":
		t.Name = "ARRAY"
		closing := p.openType()
		t.Elem = p.innerType()
		p.closeType(closing)
	case "MAP":
		closing := p.openType()
		t.Key = p.innerType()
		p.expect(tokComma, "','")
		t.Elem = p.innerType()
		p.closeType(closing)
	case "STRUCT", "TUPLE":
		t.Name = "STRUCT"
		p.structFields(t)
	case "VARIANT":
		if p.tok.kind == tokLt && (!inExpr || p.startsTemplate()) {
			p.template(t)
		}
	case "ENUM":
		p.unsupported(t.Pos(), "ENUM is not supported; use VARCHAR")
	default:
		p.typeWords(t)
		p.typeArgs(t)
		p.typeSuffix(t)
	}
	for p.tok.kind == tokLBracket && p.peek().kind == tokRBracket {
		p.advance()
		p.advance()
		t = &TypeName{Place: t.Place, Name: "ARRAY", Elem: t}
		p.grow(p.height + 1)
	}
	return t
}

// typeWords joins names of two words.
func (p *parser) typeWords(t *TypeName) {
	switch t.Name {
	case "DOUBLE":
		p.acceptWord("PRECISION")
	case "CHARACTER", "CHAR", "NCHAR":
		if p.acceptWord("VARYING") {
			t.Name = "VARCHAR"
		}
	}
}

// typeArgs reads (n, ...), and (*) as nothing.
func (p *parser) typeArgs(t *TypeName) {
	if p.tok.kind != tokLParen {
		return
	}
	p.advance()
	if p.accept(tokStar) {
		p.expect(tokRParen, "')'")
		return
	}
	for {
		n, err := strconv.Atoi(p.number("a number"))
		if err != nil || n >= maxTypeArg {
			p.failf("the number in the type %s is too large", t.Name)
		}
		t.Args = append(t.Args, n)
		if !p.accept(tokComma) {
			break
		}
	}
	p.closeList()
}

// typeSuffix reads UNSIGNED, and WITH or WITHOUT TIME ZONE.
func (p *parser) typeSuffix(t *TypeName) {
	switch {
	case p.acceptWord("UNSIGNED"):
		t.Unsigned = true
	case p.atWord("SIGNED"):
		p.advance()
	case p.isKw(kwWith) && p.isWord(p.peek(), "TIME"):
		if t.Name != "TIMESTAMP" {
			p.unsupported(t.Pos(), t.Name+" WITH TIME ZONE is not supported; use TIMESTAMPTZ")
		}
		p.advance()
		p.advance()
		p.expectWord("ZONE")
		t.Name = "TIMESTAMPTZ"
	case p.atWord("WITHOUT") && p.isWord(p.peek(), "TIME"):
		p.advance()
		p.advance()
		p.expectWord("ZONE")
	}
}

// openType reads the bracket behind ARRAY, MAP or STRUCT and returns the one that closes it.
func (p *parser) openType() tokenKind {
	if p.accept(tokLParen) {
		return tokRParen
	}
	p.expect(tokLt, "'<' with the types inside")
	return tokGt
}

// closeType consumes the closing bracket. The tokens >> and >= begin with one.
func (p *parser) closeType(closing tokenKind) {
	if closing == tokGt && (p.tok.kind == tokShiftR || p.tok.kind == tokGe) {
		rest := tokGt
		if p.tok.kind == tokGe {
			rest = tokEq
		}
		p.prev = token{kind: tokGt, start: p.tok.start, end: p.tok.start + 1}
		p.tok.kind = rest
		p.tok.start++
		return
	}
	if closing == tokGt {
		p.expect(tokGt, "',' or '>'")
		return
	}
	p.closeList()
}

// innerType reads a type inside brackets with [NOT] NULL behind it.
func (p *parser) innerType() *TypeName {
	t := p.typeName()
	if p.isKw(kwNot) && p.peek().kw == kwNull {
		p.advance()
		p.advance()
		t.NotNull = true
	} else {
		p.acceptKw(kwNull)
	}
	return t
}

// structFields reads <a: INT, b STRING> or (a INT, b STRING).
func (p *parser) structFields(t *TypeName) {
	closing := p.openType()
	for {
		f := FieldDef{Name: p.ident("a field name")}
		p.accept(tokColon)
		f.Type = p.innerType()
		f.Comment = p.comment()
		t.Fields = append(t.Fields, f)
		if !p.accept(tokComma) {
			break
		}
	}
	p.closeType(closing)
}

// startsTemplate tells that the current '<' begins a Schema Template.
func (p *parser) startsTemplate() bool {
	t := p.peek()
	next := p.scan(t.end)
	switch {
	case t.kind == tokString:
		return next.kind == tokColon
	case p.isWord(t, "MATCH_NAME"), p.isWord(t, "MATCH_NAME_GLOB"):
		return next.kind == tokString
	case p.isWord(t, "PROPERTIES"):
		return next.kind == tokLParen
	}
	return false
}

// template reads <'path' : type, ..., PROPERTIES(...)> behind VARIANT. Inside, // begins a comment.
func (p *parser) template(t *TypeName) {
	outer := p.slashComments
	p.setSlashComments(true)
	p.advance()
	for {
		if p.atWord("PROPERTIES") {
			t.Properties = p.properties()
			break
		}
		t.Template = append(t.Template, p.templateEntry())
		if !p.accept(tokComma) {
			break
		}
	}
	p.setSlashComments(outer)
	p.closeType(tokGt)
}

// setSlashComments changes what // means from the token behind the current one on.
func (p *parser) setSlashComments(on bool) {
	p.slashComments = on
	p.hasPeeked = false
}

// templateEntry reads [MATCH_NAME | MATCH_NAME_GLOB] 'pattern' : type [COMMENT '...'].
func (p *parser) templateEntry() TemplateEntry {
	e := TemplateEntry{Place: p.place()}
	switch {
	case p.acceptWord("MATCH_NAME"):
		e.Exact = true
	case p.acceptWord("MATCH_NAME_GLOB"):
	case p.atWord("SKIP"):
		p.unsupported(p.tok.start, "SKIP in a Schema Template is not supported")
	}
	e.Pattern = p.stringLit("a path in quotes or PROPERTIES").Value
	p.expect(tokColon, "':' and a type behind the path")
	e.Type = p.typeName()
	e.Comment = p.comment()
	return e
}
