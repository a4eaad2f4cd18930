package parse

import "github.com/ebira-db/ebira/sql/sqlerr"

// tablePrimary reads one table of a FROM clause with its alias.
func (p *parser) tablePrimary() TableExpr {
	at := p.place()
	switch p.tok.kind {
	case tokLParen:
		return p.tableParen()
	case tokStage, tokString:
		return p.stageTable()
	case tokWord:
		switch {
		case p.acceptKw(kwLateral):
			return p.lateral(at)
		case p.isKw(kwValues) && p.peek().kind == tokLParen:
			// ORDER BY and LIMIT behind bare VALUES belong to the query around it.
			q := &Query{Place: at, Body: p.values()}
			q.Text = p.src[at:max(int(at), p.prev.end)]
			return &DerivedTable{Place: at, Query: q, Alias: p.tableAlias()}
		case p.atWord("TABLE") && p.peek().kind == tokLParen:
			p.advance()
			p.advance()
			if p.isKw(kwValues) || p.atWord("TABLE") {
				p.expected("a table function name")
			}
			call := p.tableCall(p.objectName("a table function name"))
			p.expect(tokRParen, "')'")
			return p.tableFunc(at, call, false)
		}
	}
	name := p.objectName("a table name")
	if p.tok.kind == tokLParen {
		return p.tableFunc(at, p.call(name), false)
	}
	t := &TableName{Name: name}
	p.refuseTableSuffix()
	t.Sample = p.sample()
	t.Alias = p.tableAlias()
	if t.Sample == nil {
		t.Sample = p.sample()
	}
	p.refuseTableSuffix()
	return t
}

// refuseTableSuffix names the clauses of other systems that may stand behind a table name.
func (p *parser) refuseTableSuffix() {
	next := p.peek()
	switch {
	case p.isKw(kwPartition) && (next.kind == tokLParen || isName(next)):
		p.unsupported(p.tok.start, "reading one PARTITION is not supported; filter with WHERE")
	case p.isKw(kwAt) && next.kind == tokLParen, p.isKw(kwFor) && next.kw != kwNone:
		p.unsupported(p.tok.start, "reading an older version of a table is not supported")
	case (p.isKw(kwPivot) || p.isKw(kwUnpivot)) && next.kind == tokLParen:
		p.unsupported(p.tok.start, "PIVOT and UNPIVOT are not supported; use aggregates over CASE, or UNION ALL")
	}
}

// tableFunc reads what follows a table function.
func (p *parser) tableFunc(at Place, call *Call, lateral bool) TableExpr {
	f := &TableFunc{Place: at, Call: call, Lateral: lateral}
	if p.isKw(kwWith) && p.isWord(p.peek(), "ORDINALITY") {
		p.advance()
		p.advance()
		f.Ordinality = true
	}
	f.Alias = p.tableAlias()
	return f
}

// lateral reads a sub-query or table function behind LATERAL.
func (p *parser) lateral(at Place) TableExpr {
	if !p.accept(tokLParen) {
		return p.tableFunc(at, p.tableCall(p.objectName("a table function name or '('")), true)
	}
	q := p.query()
	p.expect(tokRParen, "')'")
	return &DerivedTable{Place: at, Query: q, Lateral: true, Alias: p.tableAlias()}
}

// tableParen reads what stands in parentheses in FROM: a query, or a table or join. As the query may begin with parentheses
// itself, the inside is read as a table first and becomes the first operand of a query if a set operation follows.
func (p *parser) tableParen() TableExpr {
	p.enter()
	defer p.leave()
	at := p.place()
	p.advance()
	if p.startsQuery() {
		q := p.query()
		p.expect(tokRParen, "')'")
		return &DerivedTable{Place: at, Query: q, Alias: p.tableAlias()}
	}
	inner := p.tableExpr()
	if d, ok := inner.(*DerivedTable); ok && !d.Lateral && d.Alias.IsZero() {
		if p.continuesQuery() {
			d.Query = p.queryAfter(d.Place, d.Query)
		}
		p.expect(tokRParen, "')'")
		d.Place = at
		d.Alias = p.tableAlias()
		return d
	}
	p.expect(tokRParen, "')'")
	aliasAt := p.tok.start
	if alias := p.tableAlias(); !alias.IsZero() {
		if t, ok := inner.(*TableName); ok && t.Alias.IsZero() {
			t.Alias = alias
		} else {
			p.fail(sqlerr.At(sqlerr.Unsupported, aliasAt, "a name for a join in parentheses is not supported; name its tables"))
		}
	}
	return inner
}

// stageTable reads @stage/path or a string with a location, arguments in parentheses, and the alias.
func (p *parser) stageTable() TableExpr {
	t := &StageTable{Place: p.place(), Location: p.location()}
	if p.tok.kind == tokLParen {
		t.Args = p.options()
	}
	t.Alias = p.tableAlias()
	return t
}
