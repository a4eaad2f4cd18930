package parse

// fromList reads the elements of FROM.
func (p *parser) fromList() []TableExpr {
	list := []TableExpr{p.tableExpr()}
	for p.accept(tokComma) {
		list = append(list, p.tableExpr())
	}
	return list
}

// tableExpr reads a table with the joins and lateral views behind it.
func (p *parser) tableExpr() TableExpr {
	left := p.tablePrimary()
	for {
		switch {
		case p.startsLateralView():
			left = p.lateralView(left)
		case p.startsJoin():
			left = p.join(left)
		default:
			return left
		}
		p.grow(p.height + 1)
	}
}

// startsJoin tells that the current token begins a join operator.
func (p *parser) startsJoin() bool {
	switch p.tok.kw {
	case kwJoin, kwInner, kwLeft, kwRight, kwFull, kwCross, kwNatural:
		return true
	case kwSemi, kwAnti:
		return p.peek().kw == kwJoin
	}
	return false
}

// join reads a join operator, its right side and its condition.
func (p *parser) join(left TableExpr) TableExpr {
	j := &Join{Place: p.place(), L: left}
	j.Natural = p.acceptKw(kwNatural)
	switch {
	case !j.Natural && p.acceptKw(kwCross):
		j.Kind = JoinCross
	case p.acceptKw(kwLeft):
		j.Kind = p.sidedJoin(JoinLeft, JoinLeftSemi, JoinLeftAnti)
	case p.acceptKw(kwRight):
		j.Kind = p.sidedJoin(JoinRight, JoinRightSemi, JoinRightAnti)
	case p.acceptKw(kwFull):
		j.Kind = JoinFull
		p.acceptWord("OUTER")
	case p.acceptKw(kwSemi):
		j.Kind = JoinLeftSemi
	case p.acceptKw(kwAnti):
		j.Kind = JoinLeftAnti
	default:
		p.acceptKw(kwInner)
	}
	p.expectKw(kwJoin)
	j.R = p.tablePrimary()
	if j.Natural || j.Kind == JoinCross {
		return j
	}
	// A lateral view in front of ON belongs to the right side: there is no complete join yet.
	for p.startsLateralView() {
		j.R = p.lateralView(j.R)
	}
	switch {
	case p.acceptKw(kwOn):
		j.On = p.parseExpr()
	case p.acceptKw(kwUsing):
		j.Using = p.identList("a column name")
	default:
		p.expected("ON or USING")
	}
	return j
}

// sidedJoin reads [OUTER | SEMI | ANTI] behind LEFT or RIGHT.
func (p *parser) sidedJoin(outer, semi, anti JoinKind) JoinKind {
	switch {
	case p.acceptKw(kwSemi):
		return semi
	case p.acceptKw(kwAnti):
		return anti
	}
	p.acceptWord("OUTER")
	return outer
}

// startsLateralView tells LATERAL VIEW from LATERAL with a sub-query or function.
func (p *parser) startsLateralView() bool {
	return p.isKw(kwLateral) && p.isWord(p.peek(), "VIEW")
}

// lateralView reads LATERAL VIEW [OUTER] call [table] AS column, ...
func (p *parser) lateralView(input TableExpr) TableExpr {
	v := &LateralView{Place: p.place(), Input: input}
	p.advance()
	p.advance()
	v.Outer = p.acceptWord("OUTER")
	v.Call = p.tableCall(p.objectName("a table function name"))
	if isName(p.tok) && !p.tok.kw.noAlias() {
		v.Table = p.ident("a table name")
	}
	if !p.acceptKw(kwAs) {
		return v
	}
	if p.tok.kind == tokLParen {
		v.Columns = p.identList("a column name")
		return v
	}
	v.Columns = []Ident{p.ident("a column name")}
	for p.tok.kind == tokComma && p.listsLateralColumn() {
		p.advance()
		v.Columns = append(v.Columns, p.ident("a column name"))
	}
	return v
}

// listsLateralColumn decides whether the comma behind a column of LATERAL VIEW is followed by another column, and not by the
// next table of FROM: a table that is only a name cannot be told from a column, and is taken for one.
func (p *parser) listsLateralColumn() bool {
	name := p.peek()
	if !isName(name) {
		return false
	}
	next := p.scan(name.end)
	return !isName(next) && next.kind != tokDot && next.kind != tokLParen && next.kw != kwAs
}

// tableCall reads the arguments of a table function.
func (p *parser) tableCall(name ObjectName) *Call {
	if p.tok.kind != tokLParen {
		p.expected("'(' with the arguments of a table function")
		return &Call{Name: name}
	}
	return p.call(name)
}

// tableAlias reads [[AS] name [(columns)]].
func (p *parser) tableAlias() TableAlias {
	var a TableAlias
	switch {
	case p.acceptKw(kwAs):
		a.Name = p.ident("a table name")
	case isName(p.tok) && !p.tok.kw.noAlias():
		if p.peek().kw == kwJoin && (p.atWord("ASOF") || p.atWord("POSITIONAL") || p.atWord("OUTER")) {
			p.unsupported(p.tok.start, "this kind of join is not supported")
			return a
		}
		a.Name = p.ident("a table name")
	default:
		return a
	}
	if p.tok.kind == tokLParen {
		a.Columns = p.identList("a column name")
	}
	return a
}
