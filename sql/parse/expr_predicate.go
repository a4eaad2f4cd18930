package parse

// matchKinds maps the words of text search to their kinds.
var matchKinds = [numKeywords]MatchKind{
	kwMatch: MatchAny, kwMatchAny: MatchAny, kwMatchAll: MatchAll, kwMatchPhrase: MatchPhrase,
	kwMatchPhrasePrefix: MatchPhrasePrefix, kwMatchPhraseEdge: MatchPhraseEdge, kwMatchRegexp: MatchRegexp,
}

// predicate reads a comparison that is a word: IS, [NOT] BETWEEN, IN, LIKE, RLIKE, MATCH.
func (p *parser) predicate(x Expr) Expr {
	at := p.place()
	if p.acceptKw(kwIs) {
		return p.is(x, at)
	}
	not := p.acceptKw(kwNot)
	kw := p.tok.kw
	switch kw {
	case kwBetween:
		p.advance()
		p.acceptWord("ASYMMETRIC")
		if p.atWord("SYMMETRIC") {
			p.unsupported(p.tok.start, "BETWEEN SYMMETRIC is not supported")
		}
		lo := p.expr(precCompare + 1)
		p.expectKw(kwAnd)
		return &Between{Place: at, X: x, Lo: lo, Hi: p.expr(precCompare + 1), Not: not}
	case kwIn:
		p.advance()
		return p.in(x, at, not)
	case kwLike, kwILike:
		return p.like(x, at, not)
	case kwRLike, kwRegexp:
		p.advance()
		return &LikeExpr{Place: at, X: x, Pattern: p.expr(precCompare + 1), Kind: RLike, Not: not}
	case kwMatch, kwMatchAny, kwMatchAll, kwMatchPhrase, kwMatchPhrasePrefix, kwMatchPhraseEdge, kwMatchRegexp:
		p.advance()
		return &Match{Place: at, X: x, Text: p.expr(precCompare + 1), Kind: matchKinds[kw], Not: not}
	}
	p.expected("BETWEEN, IN, LIKE, RLIKE or MATCH behind NOT")
	return x
}

// is reads what follows IS.
func (p *parser) is(x Expr, at Place) Expr {
	not := p.acceptKw(kwNot)
	switch {
	case p.acceptKw(kwNull):
		return &Is{Place: at, X: x, Kind: IsNull, Not: not}
	case p.acceptKw(kwTrue):
		return &Is{Place: at, X: x, Kind: IsTrue, Not: not}
	case p.acceptKw(kwFalse):
		return &Is{Place: at, X: x, Kind: IsFalse, Not: not}
	case p.acceptWord("UNKNOWN"):
		return &Is{Place: at, X: x, Kind: IsUnknown, Not: not}
	case p.acceptKw(kwDistinct):
		p.expectKw(kwFrom)
		op := OpDistinct
		if not {
			op = OpNotDistinct
		}
		return p.newBinary(at, op, x, p.expr(precCompare+1))
	}
	p.expected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM")
	return x
}

// in reads the parentheses behind IN. A single sub-query in extra parentheses is still a query, not a list of one value.
func (p *parser) in(x Expr, at Place, not bool) Expr {
	n := &In{Place: at, X: x, Not: not}
	p.expect(tokLParen, "'(' with a list or a query")
	if p.tok.kind == tokRParen {
		p.failf("the list of IN is empty")
	}
	first := p.parseExprOrQuery()
	if s, ok := first.(*Subquery); ok && p.tok.kind == tokRParen {
		n.Query = s.Query
	} else {
		n.List = append(n.List, first)
		for p.accept(tokComma) {
			n.List = append(n.List, p.parseExpr())
		}
	}
	p.closeList()
	return n
}

// like reads LIKE or ILIKE, the pattern and [ESCAPE e].
func (p *parser) like(x Expr, at Place, not bool) Expr {
	n := &LikeExpr{Place: at, X: x, Not: not}
	if p.isKw(kwILike) {
		n.Kind = ILike
	}
	p.advance()
	if (p.isKw(kwAny) || p.isKw(kwAll) || p.isKw(kwSome)) && p.peek().kind == tokLParen {
		p.unsupported(p.tok.start, "LIKE ANY and LIKE ALL are not supported; combine several LIKE with OR or AND")
	}
	n.Pattern = p.expr(precCompare + 1)
	if p.acceptKw(kwEscape) {
		n.Escape = p.expr(precCompare + 1)
	}
	return n
}
