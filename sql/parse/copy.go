package parse

// copyInto reads a statement behind COPY.
func (p *parser) copyInto() Statement {
	if !p.acceptKw(kwInto) {
		p.expected("INTO")
	}
	if p.atLocation() {
		return p.copyIntoLocation()
	}
	s := &CopyIntoTable{Table: p.objectName("a table name or a stage")}
	if p.tok.kind == tokLParen {
		s.Columns = p.identList("a column name")
	}
	p.expectKw(kwFrom)
	switch {
	case p.tok.kind == tokLParen:
		s.Query = p.copyQuery()
	case p.atLocation():
		l := p.location()
		p.uriConnection(&l)
		s.Source = &l
	default:
		p.expected("a stage such as @name, a string with a path, or '(' with a query")
	}
	s.Options = p.freeOptions(nil)
	return s
}

// copyQuery reads (query) behind FROM.
func (p *parser) copyQuery() *Query {
	p.advance()
	q := p.query()
	p.expect(tokRParen, "')'")
	return q
}

// copyIntoLocation reads location FROM table | (query) [PARTITION BY (expr)] options, which writes files.
func (p *parser) copyIntoLocation() Statement {
	s := &CopyIntoLocation{Target: p.location()}
	p.uriConnection(&s.Target)
	p.expectKw(kwFrom)
	if p.tok.kind == tokLParen {
		s.Query = p.copyQuery()
	} else {
		s.Table = p.objectName("a table name or '(' with a query")
	}
	if p.acceptKw(kwPartition) {
		p.expectKw(kwBy)
		s.PartitionBy = p.parenExpr()
	}
	s.Options = p.freeOptions(nil)
	return s
}

// list reads a statement behind LIST.
func (p *parser) list() Statement {
	s := &ListStage{Location: p.stageOnly()}
	s.Pattern = p.pattern()
	return s
}

// remove reads a statement behind REMOVE.
func (p *parser) remove() Statement {
	s := &RemoveStage{Location: p.stageOnly()}
	s.Pattern = p.pattern()
	return s
}

// stageOnly reads a location that must be a stage.
func (p *parser) stageOnly() Location {
	at := p.tok
	l := p.location()
	if !l.IsStage() && p.err == nil {
		p.tok = at
		p.expected("a stage such as @name")
	}
	return l
}

// pattern reads [PATTERN = '...'].
func (p *parser) pattern() *StringLit {
	if !p.acceptWord("PATTERN") {
		return nil
	}
	if !p.accept(tokEq) && !p.accept(tokFatArrow) {
		p.expected("'='")
	}
	return p.stringLit("a string with a regular expression")
}
