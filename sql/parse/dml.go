package parse

// insert reads a statement behind INSERT.
func (p *parser) insert() Statement {
	s := &Insert{}
	if p.atWord("IGNORE") || p.atWord("ALL") || p.isKw(kwOr) {
		p.unsupported(p.tok.start, "INSERT "+upper(p.text(p.tok))+" is not supported")
		return s
	}
	if s.Overwrite = p.acceptWord("OVERWRITE"); !p.acceptKw(kwInto) && !s.Overwrite {
		p.expected("INTO or OVERWRITE")
	}
	if p.atWord("TABLE") && isName(p.peek()) {
		p.advance()
	}
	s.Table = p.objectName("a table name")
	if p.isKw(kwPartition) && p.peek().kind == tokLParen {
		p.unsupported(p.tok.start, "INSERT into one PARTITION is not supported")
	}
	if p.isKw(kwWith) && p.isWord(p.peek(), "LABEL") {
		p.unsupported(p.tok.start, "INSERT ... WITH LABEL is not supported")
	}
	if p.tok.kind == tokLParen {
		switch next := p.peek(); {
		case next.kw == kwSelect || next.kw == kwWith || next.kind == tokLParen:
		case next.kw == kwValues && p.scan(next.end).kind == tokLParen:
		default:
			s.Columns = p.identList("a column name")
		}
	}
	if p.isKw(kwDefault) {
		p.advance()
		p.expectKw(kwValues)
	} else {
		s.Query = p.query()
	}
	p.refuseInsertTail()
	return s
}

// refuseInsertTail names the clauses of other systems that may follow the rows.
func (p *parser) refuseInsertTail() {
	switch {
	case p.isKw(kwOn):
		p.unsupported(p.tok.start, "INSERT ... ON CONFLICT and ON DUPLICATE KEY are not supported: tables have no unique keys")
	case p.atWord("RETURNING"):
		p.unsupported(p.tok.start, "RETURNING is not supported")
	}
}

// dmlAlias reads [AS] alias behind the table of UPDATE and DELETE.
func (p *parser) dmlAlias() Ident {
	if p.acceptKw(kwAs) || isName(p.tok) && !p.tok.kw.noAlias() && !p.atWord("RETURNING") {
		return p.ident("a table name")
	}
	return Ident{}
}

// delete reads a statement behind DELETE.
func (p *parser) delete() Statement {
	p.expectKw(kwFrom)
	s := &Delete{Table: p.objectName("a table name")}
	if p.isKw(kwPartition) {
		p.unsupported(p.tok.start, "DELETE from one PARTITION is not supported; filter with WHERE")
	}
	s.Alias = p.dmlAlias()
	if p.acceptKw(kwUsing) {
		s.Using = p.fromList()
	}
	s.Where = p.dmlWhere()
	return s
}

// dmlWhere reads [WHERE x] and refuses RETURNING.
func (p *parser) dmlWhere() Expr {
	var x Expr
	if p.acceptKw(kwWhere) {
		x = p.parseExpr()
	}
	if p.atWord("RETURNING") {
		p.unsupported(p.tok.start, "RETURNING is not supported")
	}
	return x
}

// update reads a statement behind UPDATE.
func (p *parser) update() Statement {
	s := &Update{Table: p.objectName("a table name"), Alias: p.dmlAlias()}
	p.expectKw(kwSet)
	s.Set = p.assignments()
	if p.acceptKw(kwFrom) {
		s.From = p.fromList()
	}
	s.Where = p.dmlWhere()
	return s
}

// assignments reads column = value, ...
func (p *parser) assignments() (list []Assignment) {
	for {
		at := p.tok
		a := Assignment{Column: p.expr(precPostfix)}
		if !isAssignable(a.Column) && p.err == nil {
			p.tok = at
			p.expected("a column name")
		}
		p.expect(tokEq, "'='")
		a.Value = p.valueExpr()
		list = append(list, a)
		if !p.accept(tokComma) {
			return list
		}
	}
}

// isAssignable tells that x is a column or a path into one.
func isAssignable(x Expr) bool {
	switch n := x.(type) {
	case *ColumnRef:
		return true
	case *Subscript:
		return isAssignable(n.X)
	case *DotAccess:
		return isAssignable(n.X)
	}
	return false
}
