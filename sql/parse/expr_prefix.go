package parse

import (
	"strconv"
	"strings"
)

// literalOfToken maps the tokens that are literals by themselves; the zero value LitNull stands for all others.
var literalOfToken = [numTokenKinds]LiteralKind{
	tokString: LitString, tokEscaped: LitString, tokHex: LitBytes, tokInteger: LitInteger, tokDecimal: LitDecimal,
	tokDouble: LitDouble,
}

// prefix reads an operand with its prefix operators. level is that of the expression around it.
func (p *parser) prefix(level precedence) Expr {
	at := p.place()
	switch t := p.tok; t.kind {
	case tokWord:
		return p.wordExpr(level)
	case tokQuoted:
		return p.nameExpr()
	case tokInteger, tokDecimal, tokDouble:
		p.advance()
		return p.newLiteral(Literal{Place: at, Kind: literalOfToken[t.kind], Text: p.text(t)})
	case tokString, tokEscaped:
		p.advance()
		return p.newLiteral(Literal{Place: at, Kind: LitString, Text: p.stringValue(t)})
	case tokHex:
		p.advance()
		return p.newLiteral(Literal{Place: at, Kind: LitBytes, Text: strings.ToUpper(p.src[t.start+2 : t.end-1])})
	case tokLParen:
		return p.paren()
	case tokMinus:
		return p.unary(OpNeg)
	case tokPlus:
		return p.unary(OpPlus)
	case tokTilde:
		return p.unary(OpBitNot)
	case tokQuestion, tokDollar, tokColon:
		return p.param()
	case tokSysVar:
		return p.systemVar()
	case tokLBracket:
		return p.array(at)
	case tokLBrace:
		return p.brace()
	case tokStage:
		p.unsupported(t.start, "variables written @name are not supported; a stage can only stand in FROM, COPY INTO, LIST and REMOVE")
	default:
		p.expected("an expression")
	}
	return p.nothing()
}

// nothing is the expression that stands in after an error.
func (p *parser) nothing() Expr { return &Literal{Place: p.place()} }

// unary reads a sign or ~ and its operand, which binds as tightly: -x::INT is -(x::INT).
func (p *parser) unary(op Op) Expr {
	at := p.place()
	p.advance()
	return &Unary{Place: at, Op: op, X: p.expr(precUnary)}
}

// wordExpr reads an expression that begins with an unquoted word.
func (p *parser) wordExpr(level precedence) Expr {
	at := p.place()
	switch p.tok.kw {
	case kwNone:
		return p.nameExpr()
	case kwNull:
		p.advance()
		return p.newLiteral(Literal{Place: at})
	case kwTrue:
		p.advance()
		return p.newLiteral(Literal{Place: at, Kind: LitBool, Text: "true"})
	case kwFalse:
		p.advance()
		return p.newLiteral(Literal{Place: at, Kind: LitBool, Text: "false"})
	case kwNot:
		if level > precNot {
			p.failf("expected an expression, found 'NOT'; put NOT and what it negates in parentheses here")
			return p.nothing()
		}
		p.advance()
		return &Unary{Place: at, Op: OpNot, X: p.expr(precNot)}
	case kwCase:
		return p.caseExpr()
	case kwExists:
		p.advance()
		p.expect(tokLParen, "'(' with a query")
		q := p.query()
		p.expect(tokRParen, "')'")
		return &Exists{Place: at, Query: q}
	case kwDate, kwDateV2, kwDatetime, kwDatetimeV2, kwTimestamp, kwTimestampTZ, kwTime:
		if x := p.typedLiteral(); x != nil {
			return x
		}
	case kwInterval:
		if p.startsInterval() {
			return p.interval()
		}
	case kwArray:
		if p.peek().kind == tokLBracket {
			p.advance()
			return p.array(at)
		}
	case kwCurrentDate, kwCurrentTime, kwCurrentTimestamp, kwCurrentUser, kwSessionUser, kwLocaltime, kwLocaltimestamp:
		if k := p.peek().kind; k != tokLParen && k != tokDot {
			id := p.identOf(p.tok)
			id.Name = strings.ToLower(id.Name)
			p.advance()
			return &Call{Place: at, Name: ObjectName{Parts: p.oneIdent(id)}}
		}
	case kwCast, kwTryCast, kwExtract, kwTrim, kwPosition, kwRow, kwLeft, kwRight:
		if p.peek().kind == tokLParen {
			return p.specialCall()
		}
	case kwSelect, kwValues:
		if p.startsQuery() {
			p.failf("expected an expression, found '%s'; a sub-query stands in parentheses", upper(p.text(p.tok)))
			return p.nothing()
		}
	}
	if p.tok.kw.reserved() && !p.startsDefaultName() {
		p.expected("an expression")
		return p.nothing()
	}
	return p.nameExpr()
}

// nameExpr reads a dotted name and, if parentheses follow, the function call.
func (p *parser) nameExpr() Expr {
	first := p.identOf(p.tok)
	p.advance()
	parts := p.oneIdent(first)
	for p.tok.kind == tokDot {
		p.advance()
		parts = append(parts, p.anyIdent("a column or member name"))
	}
	if p.tok.kind == tokLParen {
		return p.call(ObjectName{Parts: parts})
	}
	return p.newColumn(first.Place, parts)
}

// paren reads what stands in parentheses: an expression, a row, or a query.
func (p *parser) paren() Expr {
	at := p.place()
	p.advance()
	x := p.parseExprOrQuery()
	if p.tok.kind == tokComma {
		row := &Row{Place: at, Elems: []Expr{x}}
		for p.accept(tokComma) {
			row.Elems = append(row.Elems, p.parseExpr())
		}
		x = row
	}
	p.expect(tokRParen, "')'")
	if s, ok := x.(*Subquery); ok {
		s.Place = at
	}
	return x
}

// parseExprOrQuery reads an expression, or a query without parentheses, which becomes a *Subquery. The text may begin with
// any number of parentheses that belong to either.
func (p *parser) parseExprOrQuery() Expr {
	at := p.place()
	if p.startsQuery() {
		return &Subquery{Place: at, Query: p.query()}
	}
	x := p.parseExpr()
	if s, ok := x.(*Subquery); ok && p.continuesQuery() {
		return &Subquery{Place: at, Query: p.queryAfter(at, s.Query)}
	}
	return x
}

// array reads [a, b]; the word ARRAY in front of it is consumed already.
func (p *parser) array(at Place) Expr {
	p.advance()
	a := &Array{Place: at}
	if p.tok.kind != tokRBracket {
		a.Elems = p.exprList()
	}
	p.expect(tokRBracket, "',' or ']'")
	return a
}

// param reads ?, $1, $name or :name.
func (p *parser) param() Expr {
	t := p.tok
	n := &Param{Place: Place(t.start), Text: p.text(t)}
	switch t.kind {
	case tokQuestion:
		p.questions++
		n.Ordinal = p.questions
	case tokColon:
		if p.peek().kind != tokWord || p.peek().start != t.end {
			p.expected("an expression")
			return p.nothing()
		}
		p.advance()
		n.Name = p.text(p.tok)
		n.Text = ":" + n.Name
	default:
		i, err := strconv.Atoi(n.Text[1:])
		switch {
		case byteClasses[n.Text[1]] != classDigit:
			n.Name = n.Text[1:]
		case err != nil || i < 1 || i > maxParam:
			p.failf("parameters are numbered $1 to $%d", maxParam)
		default:
			n.Ordinal = i
			n.Text = "$" + strconv.Itoa(i)
		}
	}
	p.advance()
	p.params = append(p.params, n)
	return n
}

// maxParam bounds n of $n, because callers allocate by it.
const maxParam = 65535

// systemVar reads @@name, cutting off the scope session, local or global.
func (p *parser) systemVar() Expr {
	n := &SystemVar{Place: p.place(), Name: p.text(p.tok)[2:]}
	p.advance()
	first, rest, dotted := strings.Cut(n.Name, ".")
	switch {
	case dotted && (strings.EqualFold(first, "session") || strings.EqualFold(first, "local")):
		n.Scope, n.Name = ScopeSession, rest
	case dotted && strings.EqualFold(first, "global"):
		n.Scope, n.Name = ScopeGlobal, rest
	}
	return n
}

// odbcTypes are the letters of ODBC's date and time literals.
var odbcTypes = map[string]string{"D": "DATE", "T": "TIME", "TS": "TIMESTAMP"}

// brace reads the ODBC escapes {d '...'}, {t '...'}, {ts '...'} and {fn f(x)}.
func (p *parser) brace() Expr {
	at := p.place()
	p.advance()
	var x Expr
	word := upper(p.text(p.tok))
	typ := odbcTypes[word]
	switch {
	case typ != "" && p.peek().kind == tokString:
		p.advance()
		x = &TypedLiteral{Place: at, Type: typ, Text: p.stringValue(p.tok)}
		p.advance()
	case word == "FN" && p.peek().kind == tokWord:
		p.advance()
		x = p.parseExpr()
	default:
		p.unsupported(int(at), "literals in braces are not supported; write map(...), named_struct(...) or the JSON text CAST AS VARIANT")
		return p.nothing()
	}
	p.expect(tokRBrace, "'}'")
	return x
}
