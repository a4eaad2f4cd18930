package parse

// MergeMatch is which rows a WHEN clause of MERGE is about.
type MergeMatch uint8

// The matches.
const (
	MergeMatched MergeMatch = iota
	// MergeNotMatched are source rows without a target row.
	MergeNotMatched
	// MergeNotMatchedBySource are target rows without a source row.
	MergeNotMatchedBySource
)

// MergeAction is what a WHEN clause of MERGE does.
type MergeAction uint8

// The actions.
const (
	MergeUpdate MergeAction = iota
	MergeDelete
	MergeInsert
	MergeNothing
)

// MergeWhen is WHEN [NOT] MATCHED [BY TARGET|SOURCE] [AND x] THEN action.
type MergeWhen struct {
	Place
	Match  MergeMatch
	And    Expr
	Action MergeAction
	// Star is UPDATE * or INSERT *: all columns that the source has by name.
	Star bool
	// Set belongs to UPDATE, Columns (empty if not written) and Values to INSERT.
	Set     []Assignment
	Columns []Ident
	Values  []Expr
}

// Merge is MERGE INTO name [AS alias] USING source ON x WHEN ... For each row the first clause that applies decides.
type Merge struct {
	StmtBase
	Table ObjectName
	Alias Ident
	Using TableExpr
	On    Expr
	When  []MergeWhen
}

// merge reads a statement behind MERGE.
func (p *parser) merge() Statement {
	p.expectKw(kwInto)
	s := &Merge{Table: p.objectName("a table name")}
	if p.acceptKw(kwAs) || isName(p.tok) && !p.tok.kw.noAlias() {
		s.Alias = p.ident("a table name")
	}
	p.expectKw(kwUsing)
	s.Using = p.tablePrimary()
	p.expectKw(kwOn)
	s.On = p.parseExpr()
	for p.isKw(kwWhen) {
		s.When = append(s.When, p.mergeWhen())
	}
	if len(s.When) == 0 {
		p.expected("WHEN")
	}
	return s
}

func (p *parser) mergeWhen() MergeWhen {
	w := MergeWhen{Place: p.place()}
	p.advance()
	if p.acceptKw(kwNot) {
		w.Match = MergeNotMatched
	}
	p.expectWord("MATCHED")
	if w.Match == MergeNotMatched && p.acceptKw(kwBy) {
		if p.acceptWord("SOURCE") {
			w.Match = MergeNotMatchedBySource
		} else {
			p.expectWord("TARGET")
		}
	}
	if p.acceptKw(kwAnd) {
		w.And = p.parseExpr()
	}
	p.expectKw(kwThen)
	switch {
	case p.acceptWord("UPDATE"):
		w.Action = MergeUpdate
		set := p.acceptKw(kwSet)
		if w.Star = p.accept(tokStar); !w.Star {
			if !set {
				p.expected("SET or *")
			}
			w.Set = p.assignments()
		}
	case p.acceptWord("DELETE"):
		w.Action = MergeDelete
	case p.acceptWord("INSERT"):
		w.Action = MergeInsert
		p.mergeInsert(&w)
	case p.acceptWords("DO", "NOTHING"):
		w.Action = MergeNothing
	default:
		p.expected("UPDATE, DELETE, INSERT or DO NOTHING")
	}
	return w
}

// mergeInsert reads [(columns)] VALUES (...) or *.
func (p *parser) mergeInsert(w *MergeWhen) {
	if w.Star = p.accept(tokStar); w.Star {
		return
	}
	if p.tok.kind == tokLParen {
		w.Columns = p.identList("a column name")
	}
	p.expectKw(kwValues)
	p.expect(tokLParen, "'('")
	for {
		w.Values = append(w.Values, p.valueExpr())
		if !p.accept(tokComma) {
			break
		}
	}
	p.closeList()
}

// merge writes a MERGE.
func (p *printer) merge(n *Merge) {
	p.put("MERGE INTO ")
	p.dmlTable(n.Table, n.Alias)
	p.put(" USING ")
	p.table(n.Using)
	p.put(" ON ")
	p.expr(n.On, precNone)
	for i := range n.When {
		p.mergeWhen(&n.When[i])
	}
}

func (p *printer) mergeWhen(w *MergeWhen) {
	p.put([...]string{MergeMatched: " WHEN MATCHED", MergeNotMatched: " WHEN NOT MATCHED", MergeNotMatchedBySource: " WHEN NOT MATCHED BY SOURCE"}[w.Match])
	p.clause(" AND ", w.And)
	p.put(" THEN ")
	switch w.Action {
	case MergeUpdate:
		p.put(either(w.Star, "UPDATE *", "UPDATE SET "))
		p.assignments(w.Set)
	case MergeDelete:
		p.put("DELETE")
	case MergeNothing:
		p.put("DO NOTHING")
	case MergeInsert:
		if w.Star {
			p.put("INSERT *")
			return
		}
		p.put("INSERT ")
		if w.Columns != nil {
			p.idents(w.Columns)
			p.put(" ")
		}
		p.put("VALUES (")
		p.list(len(w.Values), func(i int) { p.expr(w.Values[i], precNone) })
		p.put(")")
	}
}
