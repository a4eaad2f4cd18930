package parse

// selectBlock reads SELECT and its clauses up to QUALIFY.
func (p *parser) selectBlock() *Select {
	s := &Select{Place: p.place()}
	p.advance()
	if p.acceptKw(kwDistinct) {
		if p.acceptKw(kwOn) {
			s.DistinctOn = p.parenExprs()
		} else {
			s.Distinct = true
		}
	} else {
		p.acceptKw(kwAll)
	}
	s.Items = p.selectList()
	if p.isKw(kwInto) {
		p.unsupported(p.tok.start, "SELECT ... INTO is not supported; use CREATE TABLE ... AS, INSERT INTO or COPY INTO")
	}
	if p.acceptKw(kwFrom) {
		s.From = p.fromList()
	}
	if p.acceptKw(kwWhere) {
		s.Where = p.parseExpr()
	}
	if p.isKw(kwGroup) {
		s.GroupBy = p.groupBy()
	}
	if p.acceptKw(kwHaving) {
		s.Having = p.parseExpr()
	}
	if p.isKw(kwQualify) {
		p.advance()
		s.Qualify = p.parseExpr()
	}
	if p.isKw(kwWindow) {
		s.Windows = p.namedWindows()
	}
	if s.Qualify == nil && p.acceptKw(kwQualify) {
		s.Qualify = p.parseExpr()
	}
	if p.isKw(kwUsing) && p.isWord(p.peek(), "SAMPLE") {
		s.Sample = p.usingSample()
	}
	return s
}

// selectList reads the output columns.
func (p *parser) selectList() []SelectItem {
	list := make([]SelectItem, 0, 8)
	for {
		list = append(list, p.selectItem())
		if p.accept(tokComma) {
			continue
		}
		if p.startsOperand(p.tok) && !p.tok.kw.noAlias() {
			p.expected("',' or a clause such as FROM")
		}
		return list
	}
}

// selectItem reads one output column, *, or name.* with what is left out of it.
func (p *parser) selectItem() SelectItem {
	start := p.tok.start
	switch p.tok.kind {
	case tokStar:
		s := &Star{Place: p.place()}
		p.advance()
		p.starTail(s)
		return SelectItem{Expr: s, Text: p.src[start:max(start, p.prev.end)]}
	case tokWord, tokQuoted:
		if p.peek().kind == tokDot && p.startsQualifiedStar() {
			s := p.qualifiedStar()
			p.starTail(s)
			return SelectItem{Expr: s, Text: p.src[start:max(start, p.prev.end)]}
		}
	}
	item := SelectItem{Expr: p.parseExpr()}
	item.Text = p.src[start:max(start, p.prev.end)]
	item.Alias = p.columnAlias()
	return item
}

// columnAlias reads [AS] name behind an output column.
func (p *parser) columnAlias() Ident {
	t := p.tok
	if !p.acceptKw(kwAs) {
		if t.kind == tokQuoted || t.kind == tokWord && !t.kw.noAlias() {
			p.advance()
			return p.identOf(t)
		}
		return Ident{}
	}
	t = p.tok
	if t.kind == tokString && t.end > t.start+2 {
		p.advance()
		return Ident{Place: Place(t.start), Name: p.quotedValue(t), Quoted: true}
	}
	if t.kw == kwFrom {
		p.expected("a column name")
	}
	return p.anyIdent("a column name")
}

// startsQualifiedStar tells that the current tokens are name.*, or name.name.* and so on.
func (p *parser) startsQualifiedStar() bool {
	dot := p.peek()
	for dot.kind == tokDot {
		t := p.scan(dot.end)
		if t.kind == tokStar {
			return true
		}
		if t.kind != tokWord && t.kind != tokQuoted {
			return false
		}
		dot = p.scan(t.end)
	}
	return false
}

// qualifiedStar reads name.* after startsQualifiedStar.
func (p *parser) qualifiedStar() *Star {
	s := &Star{Place: p.place(), Qualifier: []Ident{p.firstIdent("a table name")}}
	for p.accept(tokDot) && !p.accept(tokStar) {
		s.Qualifier = append(s.Qualifier, p.anyIdent("a table name"))
	}
	return s
}

// starTail reads EXCLUDE (names) or EXCEPT (names). EXCEPT in front of a query is the set operation.
func (p *parser) starTail(s *Star) {
	next := p.peek()
	switch {
	case p.isKw(kwExclude) && next.kind != tokLParen && isName(next):
		p.advance()
		s.Exclude = []Ident{p.ident("a column name")}
	case p.isKw(kwExclude) && next.kind == tokLParen,
		p.isKw(kwExcept) && next.kind == tokLParen && isName(p.scan(next.end)):
		p.advance()
		s.Exclude = p.identList("a column name")
	}
	if (p.atWord("REPLACE") || p.atWord("RENAME")) && p.peek().kind == tokLParen {
		p.unsupported(p.tok.start, "* REPLACE and * RENAME are not supported; use * EXCLUDE and list the new columns")
	}
}

// groupBy reads GROUP BY.
func (p *parser) groupBy() *GroupBy {
	g := &GroupBy{Place: p.place()}
	p.advance()
	p.expectKw(kwBy)
	if p.acceptKw(kwAll) {
		g.All = true
		return g
	}
	g.Items = []GroupItem{p.groupItem()}
	for p.accept(tokComma) {
		g.Items = append(g.Items, p.groupItem())
	}
	if !p.isKw(kwWith) {
		return g
	}
	at := p.place()
	p.advance()
	switch p.acceptAny("ROLLUP", "CUBE") {
	case "ROLLUP":
		g.Items = []GroupItem{{Place: at, Kind: GroupRollup, Sets: g.Items}}
	case "CUBE":
		g.Items = []GroupItem{{Place: at, Kind: GroupCube, Sets: g.Items}}
	default:
		p.expected("ROLLUP or CUBE")
	}
	return g
}

// groupItem reads one element of GROUP BY, or one member of ROLLUP, CUBE and GROUPING SETS.
func (p *parser) groupItem() GroupItem {
	g := GroupItem{Place: p.place()}
	next := p.peek()
	switch {
	case p.tok.kind == tokLParen && next.kind == tokRParen:
		p.advance()
		p.advance()
		g.Kind = GroupSet
		return g
	case p.atWord("ROLLUP") && next.kind == tokLParen:
		g.Kind = GroupRollup
	case p.atWord("CUBE") && next.kind == tokLParen:
		g.Kind = GroupCube
	case p.atWord("GROUPING") && p.isWord(next, "SETS"):
		g.Kind = GroupSets
		p.advance()
	default:
		x := p.parseExpr()
		if row, ok := x.(*Row); ok && len(row.Elems) > 1 {
			g.Kind, g.Exprs = GroupSet, row.Elems
		} else {
			g.Exprs = []Expr{x}
		}
		return g
	}
	p.enter()
	p.advance()
	p.expect(tokLParen, "'('")
	g.Sets = []GroupItem{p.groupItem()}
	for p.accept(tokComma) {
		g.Sets = append(g.Sets, p.groupItem())
	}
	p.closeList()
	p.leave()
	return g
}
