package parse

import "strings"

// caseExpr reads CASE ... END.
func (p *parser) caseExpr() Expr {
	c := &Case{Place: p.place()}
	p.advance()
	if !p.isKw(kwWhen) {
		c.Operand = p.parseExpr()
	}
	for p.acceptKw(kwWhen) {
		cond := p.parseExpr()
		p.expectKw(kwThen)
		c.Whens = append(c.Whens, When{Cond: cond, Result: p.parseExpr()})
	}
	if len(c.Whens) == 0 {
		p.expected("WHEN")
	}
	if p.acceptKw(kwElse) {
		c.Else = p.parseExpr()
	}
	if !p.acceptKw(kwEnd) {
		p.expected("WHEN, ELSE or END")
	}
	return c
}

// typedLiteral reads DATE '...' and its like, or returns nil if the word is an ordinary name here.
func (p *parser) typedLiteral() Expr {
	at, typ := p.place(), strings.ToUpper(p.text(p.tok))
	switch next := p.peek(); {
	case next.kind == tokString || next.kind == tokEscaped:
		p.advance()
	case next.kind == tokQuoted && byteClasses[p.at(next.start+1)] == classDigit:
		p.advance()
		p.expected("a string in single quotes behind " + typ)
		return p.nothing()
	case typ == "TIMESTAMP" && (next.kw == kwWith || p.isWord(next, "WITHOUT")) && p.zonedLiteral(next):
		zoned := next.kw == kwWith
		for range 4 {
			p.advance()
		}
		if zoned {
			typ = "TIMESTAMPTZ"
		}
	default:
		return nil
	}
	x := &TypedLiteral{Place: at, Type: typ, Text: p.stringValue(p.tok)}
	p.advance()
	return x
}

// zonedLiteral tells that TIME ZONE and a string follow the token with, which is WITH or WITHOUT.
func (p *parser) zonedLiteral(with token) bool {
	time := p.scan(with.end)
	if !p.isWord(time, "TIME") {
		return false
	}
	zone := p.scan(time.end)
	return p.isWord(zone, "ZONE") && p.scan(zone.end).kind == tokString
}

// intervalUnits are the units by their singular.
var intervalUnits = []string{
	"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND",
}

// unitOf returns the singular unit that t names, or "".
func (p *parser) unitOf(t token) string {
	if t.kind != tokWord {
		return ""
	}
	s := p.text(t)
	for _, u := range intervalUnits {
		if strings.EqualFold(s, u) || len(s) == len(u)+1 && strings.EqualFold(s[:len(u)], u) && s[len(u)]|0x20 == 's' {
			return u
		}
	}
	return ""
}

// startsInterval tells that the word INTERVAL begins an interval and is not the name of a column.
func (p *parser) startsInterval() bool {
	next := p.peek()
	switch next.kind {
	case tokString, tokEscaped, tokInteger, tokDecimal, tokDouble, tokQuestion, tokDollar, tokLParen:
		return true
	case tokMinus, tokPlus:
		number := p.scan(next.end)
		return isNumber(number.kind) && p.unitOf(p.scan(number.end)) != ""
	case tokWord, tokQuoted:
		return isName(next) && infixOfKeyword[next.kw] == precNone && p.unitOf(p.scan(next.end)) != ""
	}
	return false
}

func isNumber(k tokenKind) bool { return k == tokInteger || k == tokDecimal || k == tokDouble }

// interval reads INTERVAL value unit. After a string the unit may be missing; then the string holds the units.
func (p *parser) interval() Expr {
	n := &Interval{Place: p.place()}
	p.advance()
	if p.tok.kind == tokString || p.tok.kind == tokEscaped {
		n.Value = p.newLiteral(Literal{Place: p.place(), Kind: LitString, Text: p.stringValue(p.tok)})
		p.advance()
		n.Unit = p.unitOf(p.tok)
		if n.Unit == "" {
			return n
		}
	} else {
		if p.tok.kind == tokQuoted && byteClasses[p.at(p.tok.start+1)] == classDigit {
			p.expected("a number or a string in single quotes")
		}
		n.Value = p.expr(precUnary)
		if n.Unit = p.unitOf(p.tok); n.Unit == "" {
			p.expected("a unit such as DAY or MONTH")
			return n
		}
	}
	p.advance()
	if p.atWord("TO") && p.unitOf(p.peek()) != "" {
		p.unsupported(p.tok.start, "intervals from one unit TO another are not supported; add two intervals")
	}
	return n
}

// specialCall reads the calls whose parentheses hold more than arguments.
func (p *parser) specialCall() Expr {
	at, word, kw := p.place(), p.tok, p.tok.kw
	switch kw {
	case kwCast, kwTryCast:
		p.advance()
		p.advance()
		x := p.parseExpr()
		p.expectKw(kwAs)
		c := &Cast{Place: at, X: x, Type: p.typeName(), Try: kw == kwTryCast}
		p.expect(tokRParen, "')'")
		return c
	case kwExtract:
		return p.extract()
	case kwTrim:
		return p.trim()
	case kwPosition:
		return p.position()
	case kwRow:
		p.advance()
		p.advance()
		r := &Row{Place: at}
		if p.tok.kind != tokRParen {
			r.Elems = p.exprList()
		}
		p.closeList()
		return r
	}
	p.advance()
	return p.call(ObjectName{Parts: p.oneIdent(p.identOf(word))})
}

// extract reads EXTRACT(field FROM x).
func (p *parser) extract() Expr {
	n := &Extract{Place: p.place()}
	p.advance()
	p.advance()
	t := p.tok
	switch {
	case t.kind == tokString:
		n.Field = strings.ToUpper(p.stringValue(t))
	case t.kind == tokWord && !t.kw.reserved():
		n.Field = strings.ToUpper(p.text(t))
		if u := p.unitOf(t); u != "" {
			n.Field = u
		}
	default:
		p.expected("a field such as YEAR")
		return n
	}
	p.advance()
	p.expectKw(kwFrom)
	n.X = p.parseExpr()
	p.expect(tokRParen, "')'")
	return n
}

// trim reads TRIM([BOTH | LEADING | TRAILING] [characters] FROM x) and TRIM(x [, characters]) as calls of trim, ltrim, rtrim.
func (p *parser) trim() Expr {
	id := p.identOf(p.tok)
	id.Name = "trim"
	c := &Call{Place: id.Place}
	p.advance()
	p.advance()
	side := ""
	if next := p.peek(); p.startsOperand(next) && infixOfKeyword[next.kw] == precNone || next.kw == kwFrom {
		side = p.acceptAny("BOTH", "LEADING", "TRAILING")
	}
	switch side {
	case "LEADING":
		id.Name = "ltrim"
	case "TRAILING":
		id.Name = "rtrim"
	}
	c.Name = ObjectName{Parts: p.oneIdent(id)}
	if side != "" && p.acceptKw(kwFrom) {
		c.Args = []Expr{p.parseExpr()}
		p.expect(tokRParen, "')'")
		return c
	}
	c.Args = p.exprList()
	if len(c.Args) == 1 && p.acceptKw(kwFrom) {
		c.Args = []Expr{p.parseExpr(), c.Args[0]}
	} else if side != "" {
		p.expected("FROM")
	}
	p.expect(tokRParen, "')'")
	return c
}

// position reads POSITION(a IN b) and POSITION(a, b [, start]).
func (p *parser) position() Expr {
	id := p.identOf(p.tok)
	id.Name = "position"
	c := &Call{Place: id.Place, Name: ObjectName{Parts: p.oneIdent(id)}}
	p.advance()
	p.advance()
	c.Args = []Expr{p.expr(precCompare + 1)}
	if p.acceptKw(kwIn) {
		c.Args = append(c.Args, p.parseExpr())
	}
	for p.accept(tokComma) {
		c.Args = append(c.Args, p.parseExpr())
	}
	p.closeList()
	return c
}
