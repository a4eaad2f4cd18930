package parse

import (
	"strings"

	"github.com/ebira-db/ebira/sql/function"
)

// call reads the parentheses of a function call and the clauses behind them; the current token is the '('.
func (p *parser) call(name ObjectName) *Call {
	c := &Call{Place: Place(name.Pos()), Name: name}
	p.advance()
	switch {
	case p.tok.kind == tokRParen:
	case p.tok.kind == tokStar:
		p.advance()
		c.Star = true
	default:
		p.callArgs(c)
	}
	p.expect(tokRParen, "',' or ')'")
	if p.tok.kind == tokWord {
		p.callTail(c)
	}
	return c
}

// callArgs reads everything between the parentheses.
func (p *parser) callArgs(c *Call) {
	if p.acceptKw(kwDistinct) {
		c.Distinct = true
	} else {
		p.acceptKw(kwAll)
	}
	lambdas := len(c.Name.Parts) == 1 && function.TakesLambda(c.Name.Parts[0].Name)
	for {
		c.Args = append(c.Args, p.arg(lambdas))
		if !p.accept(tokComma) {
			break
		}
	}
	if p.isKw(kwFrom) && isSubstring(c) {
		p.advance()
		c.Args = append(c.Args, p.parseExpr())
		if p.acceptKw(kwFor) {
			c.Args = append(c.Args, p.parseExpr())
		}
		return
	}
	if p.isKw(kwOrder) {
		c.OrderBy = p.orderBy()
	}
	if p.acceptKw(kwSeparator) {
		c.Args = append(c.Args, p.parseExpr())
	}
	p.nullsTreatment(c)
}

// isSubstring tells that FROM may follow the first argument of c.
func isSubstring(c *Call) bool {
	n := c.Name.Parts[0]
	return len(c.Args) == 1 && len(c.Name.Parts) == 1 && !n.Quoted &&
		(strings.EqualFold(n.Name, "substring") || strings.EqualFold(n.Name, "substr"))
}

// arg reads one argument: an expression, name => x, t.*, or a lambda where the function takes one; elsewhere x -> 'a' reads a member.
func (p *parser) arg(lambdas bool) Expr {
	at := p.place()
	if lambdas {
		if x := p.lambda(); x != nil {
			return x
		}
	}
	switch p.tok.kind {
	case tokWord, tokQuoted:
		switch p.peek().kind {
		case tokFatArrow:
			id := p.anyIdent("an argument name")
			p.advance()
			return &NamedArg{Place: at, Name: id, X: p.argValue()}
		case tokDot:
			if p.startsQualifiedStar() {
				return p.qualifiedStar()
			}
		}
	}
	return p.parseExpr()
}

// lambda reads x -> body, (x, y) -> body or lambda x, y: body; nil if none begins here.
func (p *parser) lambda() Expr {
	at := p.place()
	var params []Ident
	switch next := p.peek(); {
	case p.atWord("LAMBDA") && isName(next):
		p.advance()
		params = []Ident{p.ident("a parameter name")}
		for p.accept(tokComma) {
			params = append(params, p.ident("a parameter name"))
		}
		p.expect(tokColon, "':'")
		return &Lambda{Place: at, Params: params, Body: p.parseExpr()}
	case isName(p.tok) && next.kind == tokArrow:
		params = p.oneIdent(p.ident("a parameter name"))
	case p.tok.kind == tokLParen && p.startsLambda():
		params = p.identList("a parameter name")
	default:
		return nil
	}
	p.advance()
	return &Lambda{Place: at, Params: params, Body: p.parseExpr()}
}

// argValue reads the right side of name => x, where a stage stands for the string that names it.
func (p *parser) argValue() Expr {
	if p.tok.kind == tokStage {
		t := p.tok
		p.advance()
		return p.newLiteral(Literal{Place: Place(t.start), Kind: LitString, Text: p.text(t)})
	}
	return p.parseExpr()
}

// startsLambda tells that the current '(' begins (a, b) -> ...
func (p *parser) startsLambda() bool {
	t := p.peek()
	for isName(t) {
		t = p.scan(t.end)
		if t.kind == tokRParen {
			return p.scan(t.end).kind == tokArrow
		}
		if t.kind != tokComma {
			return false
		}
		t = p.scan(t.end)
	}
	return false
}

// nullsTreatment reads IGNORE NULLS or RESPECT NULLS.
func (p *parser) nullsTreatment(c *Call) {
	switch {
	case p.acceptWords("IGNORE", "NULLS"):
		c.Nulls = NullsIgnored
	case p.acceptWords("RESPECT", "NULLS"):
		c.Nulls = NullsRespected
	}
}

// callTail reads WITHIN GROUP, FILTER, IGNORE NULLS and OVER. The words are names elsewhere, so the next token decides.
func (p *parser) callTail(c *Call) {
	if p.isKw(kwWithin) && p.peek().kw == kwGroup {
		p.advance()
		p.advance()
		p.expect(tokLParen, "'('")
		c.Within = p.orderBy()
		p.expect(tokRParen, "')'")
	}
	if p.isKw(kwFilter) && p.peek().kind == tokLParen {
		p.advance()
		p.advance()
		p.expectKw(kwWhere)
		c.Filter = p.parseExpr()
		p.expect(tokRParen, "')'")
	}
	p.nullsTreatment(c)
	if !p.isKw(kwOver) {
		return
	}
	switch next := p.peek(); {
	case next.kind == tokLParen:
		p.advance()
		c.Over = p.windowSpec()
	case isName(next):
		p.advance()
		c.Over = &WindowSpec{Place: p.place(), Ref: true, Name: p.ident("a window name")}
	}
}
