package parse

// tableClause reads one clause behind the columns of CREATE TABLE, and tells whether there was one.
func (p *parser) tableClause(s *CreateTable) bool {
	switch next := p.peek(); {
	case p.isKw(kwAs) || p.startsQuery():
		p.acceptKw(kwAs)
		s.As = p.query()
	case p.atWord("ENGINE") && (next.kind == tokEq || isName(next)):
		if s.Engine != "" {
			p.twice("ENGINE")
		}
		p.advance()
		p.accept(tokEq)
		s.Engine = p.ident("an engine name").Name
	case p.isWord(next, "KEY") && (p.atWord("DUPLICATE") || p.atWord("UNIQUE") || p.atWord("AGGREGATE")):
		if s.Key != nil {
			p.twice("the key of the table")
		}
		s.Key = p.tableKey()
	case p.atWord("COMMENT"):
		if s.Comment != nil {
			p.twice("COMMENT")
		}
		s.Comment = p.comment()
	case p.isKw(kwPartition), p.atWord("AUTO") && next.kw == kwPartition:
		if s.Partition != nil {
			p.twice("PARTITION BY")
		}
		s.Partition = p.partitioning()
	case p.atWord("DISTRIBUTED"):
		if s.Distribution != nil {
			p.twice("DISTRIBUTED BY")
		}
		s.Distribution = p.distribution()
	case p.atWord("CLUSTER"):
		if s.ClusterBy != nil {
			p.twice("CLUSTER BY")
		}
		p.advance()
		p.expectKw(kwBy)
		p.acceptWord("LINEAR")
		s.ClusterBy = p.parenExprs()
	case p.isKw(kwOrder):
		if s.OrderBy != nil {
			p.twice("ORDER BY")
		}
		p.advance()
		p.expectKw(kwBy)
		s.OrderBy = p.parenExprs()
	case p.atWord("PROPERTIES") || p.atWord("TBLPROPERTIES"):
		if s.Properties != nil {
			p.twice("PROPERTIES")
		}
		s.Properties = p.properties()
	case p.atWord("ROLLUP") && next.kind == tokLParen:
		p.unsupported(p.tok.start, "ROLLUP tables are not supported; create a second table")
	case p.startsOption():
		s.Options = p.appendOption(s.Options)
		if p.accept(tokComma) && p.tok.kind != tokWord {
			p.expected("an option name")
		}
	default:
		return false
	}
	return p.err == nil
}

// tableKey reads DUPLICATE|UNIQUE|AGGREGATE KEY (columns).
func (p *parser) tableKey() *TableKey {
	k := &TableKey{Place: p.place()}
	switch p.acceptAny("DUPLICATE", "UNIQUE", "AGGREGATE") {
	case "UNIQUE":
		k.Kind = UniqueKey
	case "AGGREGATE":
		k.Kind = AggregateKey
	}
	p.advance()
	k.Columns = p.identList("a column name")
	return k
}

// partitioning reads [AUTO] PARTITION BY [RANGE|LIST] (exprs) [(definitions)].
func (p *parser) partitioning() *Partitioning {
	n := &Partitioning{Place: p.place()}
	n.Auto = p.acceptWord("AUTO")
	p.advance()
	p.expectKw(kwBy)
	if p.peek().kind == tokLParen {
		n.Method = p.acceptAny("RANGE", "LIST")
	}
	if p.tok.kind == tokLParen {
		n.Exprs = p.parenExprs()
	} else {
		n.Exprs = p.exprList()
	}
	if p.tok.kind == tokLParen {
		n.Definitions = p.skipParens()
	}
	return n
}

// skipParens consumes a balanced parenthesised text and returns what is inside.
func (p *parser) skipParens() string {
	p.advance()
	start, end, open := p.tok.start, p.tok.start, 1
	for {
		switch p.tok.kind {
		case tokEOF:
			p.expected("')'")
			return ""
		case tokLParen:
			open++
		case tokRParen:
			open--
			if open == 0 {
				p.advance()
				return p.src[start:end]
			}
		}
		end = p.tok.end
		p.advance()
	}
}

// distribution reads DISTRIBUTED BY HASH (columns) | RANDOM [BUCKETS n | AUTO].
func (p *parser) distribution() *Distribution {
	d := &Distribution{Place: p.place()}
	p.advance()
	p.expectKw(kwBy)
	switch p.acceptAny("HASH", "RANDOM") {
	case "HASH":
		d.Columns = p.identList("a column name")
	case "":
		p.expected("HASH or RANDOM")
	}
	if !p.atWord("BUCKETS") || p.startsOption() {
		return d
	}
	p.advance()
	if p.acceptWord("AUTO") {
		d.Buckets = "AUTO"
	} else {
		d.Buckets = p.number("a number or AUTO")
	}
	return d
}
