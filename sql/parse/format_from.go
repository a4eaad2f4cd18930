package parse

import "fmt"

func (p *printer) fromList(list []TableExpr) {
	p.list(len(list), func(i int) { p.table(list[i]) })
}

// table writes an element of FROM.
func (p *printer) table(t TableExpr) {
	switch n := t.(type) {
	case *TableName:
		p.name(n.Name)
		p.tableAlias(n.Alias)
		p.sample(n.Sample)
	case *DerivedTable:
		p.when(n.Lateral, "LATERAL ")
		p.paren(n.Query)
		p.tableAlias(n.Alias)
	case *TableFunc:
		p.when(n.Lateral, "LATERAL ")
		p.call(n.Call)
		p.when(n.Ordinality, " WITH ORDINALITY")
		p.tableAlias(n.Alias)
	case *StageTable:
		p.location(n.Location)
		if n.Args != nil {
			p.put(" ")
			p.optionList(n.Args, " => ")
		}
		p.tableAlias(n.Alias)
	case *Join:
		p.join(n)
	case *LateralView:
		p.lateralView(n)
	default:
		panic(fmt.Sprintf("BUG: no SQL form for %T", t))
	}
}

func (p *printer) tableAlias(a TableAlias) {
	if a.IsZero() {
		return
	}
	p.put(" AS ")
	p.ident(a.Name)
	if a.Columns != nil {
		p.put(" ")
		p.idents(a.Columns)
	}
}

func (p *printer) sample(s *Sample) {
	if s == nil {
		return
	}
	p.put(" TABLESAMPLE ")
	if s.Method != "" {
		p.put(s.Method, " ")
	}
	p.put("(")
	p.expr(s.Value, precUnary)
	p.put(either(s.Rows, " ROWS)", " PERCENT)"))
	if s.Seed != nil {
		p.put(" REPEATABLE ")
		p.parenExprs([]Expr{s.Seed})
	}
}

var joinWords = [...]string{
	JoinInner: " JOIN ", JoinLeft: " LEFT JOIN ", JoinRight: " RIGHT JOIN ", JoinFull: " FULL JOIN ", JoinCross: " CROSS JOIN ",
	JoinLeftSemi: " LEFT SEMI JOIN ", JoinLeftAnti: " LEFT ANTI JOIN ", JoinRightSemi: " RIGHT SEMI JOIN ",
	JoinRightAnti: " RIGHT ANTI JOIN ",
}

// join writes a join. A join or lateral view on the right side needs parentheses: without them it would be read from the left.
func (p *printer) join(j *Join) {
	p.table(j.L)
	p.when(j.Natural, " NATURAL")
	p.put(joinWords[j.Kind])
	switch j.R.(type) {
	case *Join, *LateralView:
		p.put("(")
		p.table(j.R)
		p.put(")")
	default:
		p.table(j.R)
	}
	p.clause(" ON ", j.On)
	if j.Using != nil {
		p.put(" USING ")
		p.idents(j.Using)
	}
}

// lateralView writes several columns in parentheses, so that a comma behind them begins another table.
func (p *printer) lateralView(v *LateralView) {
	p.table(v.Input)
	p.put(" LATERAL VIEW ")
	p.when(v.Outer, "OUTER ")
	p.call(v.Call)
	if v.Table.Name != "" {
		p.put(" ")
		p.ident(v.Table)
	}
	if v.Columns != nil {
		p.put(" AS ")
		p.idents(v.Columns)
	}
}
