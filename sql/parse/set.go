package parse

import "strings"

// upper is strings.ToUpper under a shorter name for the many words that are made canonical.
func upper(s string) string { return strings.ToUpper(s) }

// scope reads [GLOBAL | SESSION | LOCAL].
func (p *parser) scope() SetScope {
	if k := p.peek().kind; k == tokEq || k == tokDot || k == tokFatArrow {
		return ScopeDefault
	}
	switch p.acceptAny("GLOBAL", "SESSION", "LOCAL") {
	case "GLOBAL":
		return ScopeGlobal
	case "SESSION", "LOCAL":
		return ScopeSession
	}
	return ScopeDefault
}

// set reads a statement behind SET.
func (p *parser) set() Statement {
	s := &Set{}
	scope := p.scope()
	if p.atWord("TIME") && p.isWord(p.peek(), "ZONE") {
		item := SetItem{Place: p.place(), Scope: scope, Name: "time_zone"}
		p.advance()
		p.advance()
		item.Value = p.setValue()
		s.Items = append(s.Items, item)
		return s
	}
	if p.refuseSet() {
		return s
	}
	for {
		item := p.setItem()
		if item.Scope == ScopeDefault {
			item.Scope = scope
		}
		s.Items = append(s.Items, item)
		if !p.accept(tokComma) {
			return s
		}
		scope = p.scope()
	}
}

// refuseSet names the forms of SET that are not settings.
func (p *parser) refuseSet() bool {
	if k := p.peek().kind; k != tokWord && k != tokString && k != tokQuoted {
		return false
	}
	for _, w := range [...]string{"ROLE", "SECONDARY", "NAMES", "CHARACTER", "CHARSET", "PASSWORD", "TRANSACTION", "PROPERTY", "VARIABLE", "DEFAULT"} {
		if p.atWord(w) && !p.isWord(p.peek(), "TO") {
			p.unsupported(p.tok.start, "SET "+w+" is not supported")
			return true
		}
	}
	return false
}

// setItem reads name = value, name := value or name TO value.
func (p *parser) setItem() SetItem {
	item := SetItem{Place: p.place()}
	if p.tok.kind == tokSysVar {
		v := p.systemVar().(*SystemVar)
		item.Scope, item.Name = v.Scope, v.Name
	} else {
		item.Name = p.ident("a setting name").Name
		for p.accept(tokDot) {
			item.Name += "." + p.anyIdent("a setting name").Name
		}
	}
	if !p.accept(tokEq) && !p.accept(tokFatArrow) && !p.acceptWord("TO") {
		p.expected("'=' behind the setting")
	}
	item.Value = p.setValue()
	return item
}

// setValue reads an expression, or one of the reserved words that name values of settings.
func (p *parser) setValue() Expr {
	switch p.tok.kw {
	case kwOn, kwAll, kwFull:
		return p.newColumn(p.place(), p.oneIdent(p.anyIdent("a value")))
	}
	return p.valueExpr()
}

// unset reads a statement behind UNSET or RESET.
func (p *parser) unset() Statement {
	s := &Unset{Scope: p.scope()}
	if p.tok.kind == tokLParen {
		s.Names = p.identList("a setting name")
	} else {
		s.Names = []Ident{p.ident("a setting name")}
	}
	return s
}

// use reads a statement behind USE.
func (p *parser) use() Statement {
	s := &Use{}
	if isName(p.peek()) {
		switch p.acceptAny("CATALOG", "DATABASE", "SCHEMA") {
		case "CATALOG":
			s.Catalog = true
			s.Name = ObjectName{Parts: p.oneIdent(p.ident("a catalog name"))}
			return s
		}
	}
	// The first database is called default, which is a reserved word; nothing else can stand here.
	parts := p.oneIdent(p.anyIdent("a database name"))
	if p.accept(tokDot) {
		parts = append(parts, p.anyIdent("a database name"))
	}
	s.Name = ObjectName{Parts: parts}
	return s
}

// begin reads a statement behind BEGIN.
func (p *parser) begin() Statement {
	p.acceptAny("TRANSACTION", "WORK")
	return p.transactionModes()
}

// startTransaction reads a statement behind START.
func (p *parser) startTransaction() Statement {
	p.expectWord("TRANSACTION")
	return p.transactionModes()
}

// transactionModes reads READ ONLY, READ WRITE and WITH CONSISTENT SNAPSHOT; every transaction has a snapshot.
func (p *parser) transactionModes() Statement {
	s := &Begin{}
	for {
		switch {
		case p.acceptWords("READ", "ONLY"):
			s.ReadOnly = true
		case p.acceptWords("READ", "WRITE"):
			s.ReadOnly = false
		case p.isKw(kwWith) && p.isWord(p.peek(), "CONSISTENT"):
			p.advance()
			p.advance()
			p.expectWord("SNAPSHOT")
		case p.atWord("ISOLATION"), p.isKw(kwWith):
			p.unsupported(p.tok.start, "isolation levels cannot be chosen: transactions read one snapshot")
			return s
		default:
			return s
		}
		p.accept(tokComma)
	}
}

// commit reads a statement behind COMMIT or END.
func (p *parser) commit() Statement {
	p.acceptAny("TRANSACTION", "WORK")
	return &Commit{}
}

// rollback reads a statement behind ROLLBACK or ABORT.
func (p *parser) rollback() Statement {
	p.acceptAny("TRANSACTION", "WORK")
	if p.atWord("TO") {
		p.unsupported(p.tok.start, "savepoints are not supported")
	}
	return &Rollback{}
}

// kill reads a statement behind KILL.
func (p *parser) kill() Statement {
	s := &Kill{}
	s.Connection = p.acceptAny("CONNECTION", "QUERY") == "CONNECTION"
	if p.tok.kind == tokInteger {
		s.ID = p.number("")
	} else {
		s.ID = p.stringLit("the number or string of a query").Value
	}
	return s
}

// analyze reads a statement behind ANALYZE.
func (p *parser) analyze() Statement {
	p.expectWord("TABLE")
	return &Analyze{Table: p.objectName("a table name")}
}

// optimize reads a statement behind OPTIMIZE.
func (p *parser) optimize() Statement {
	p.expectWord("TABLE")
	s := &Compact{Table: p.objectName("a table name")}
	if p.atWord("PURGE") {
		p.unsupported(p.tok.start, "OPTIMIZE TABLE ... PURGE is not supported; unused files are removed by themselves")
	}
	p.acceptAny("COMPACT", "ALL", "FINAL")
	return s
}

// flush reads a statement behind FLUSH.
func (p *parser) flush() Statement {
	switch p.acceptAny("TABLES", "TABLE") {
	case "TABLES":
		return &Flush{}
	case "TABLE":
		return &Flush{Table: p.objectName("a table name")}
	}
	if p.tok.kind == tokWord {
		p.unsupported(p.tok.start, "FLUSH "+upper(p.text(p.tok))+" is not supported")
	} else {
		p.expected("TABLE")
	}
	return nil
}
