package parse

import "fmt"

// paren writes a query in parentheses.
func (p *printer) paren(q *Query) {
	p.put("(")
	p.query(q)
	p.put(")")
}

func (p *printer) query(q *Query) {
	p.with(q.With)
	p.body(q.Body)
	if q.OrderBy != nil {
		p.put(" ORDER BY ")
		p.orderItems(q.OrderBy)
	}
	if q.Limit != nil {
		p.put(" LIMIT ")
		p.expr(q.Limit, precNone)
	}
	if q.Offset != nil {
		p.put(" OFFSET ")
		p.expr(q.Offset, precNone)
	}
}

func (p *printer) with(w *With) {
	if w == nil {
		return
	}
	p.put("WITH ")
	p.when(w.Recursive, "RECURSIVE ")
	p.list(len(w.CTEs), func(i int) {
		c := w.CTEs[i]
		p.ident(c.Name)
		if c.Columns != nil {
			p.put(" ")
			p.idents(c.Columns)
		}
		p.put(" AS ", [...]string{MaterializedUnspecified: "", Materialized: "MATERIALIZED ", NotMaterialized: "NOT MATERIALIZED "}[c.Materialized])
		p.paren(c.Query)
	})
	p.put(" ")
}

// body writes the body of a query; a *Query stands in parentheses here.
func (p *printer) body(b QueryBody) {
	switch n := b.(type) {
	case *Select:
		p.selectBlock(n)
	case *Values:
		p.values(n)
	case *Query:
		p.paren(n)
	case *SetOp:
		p.operand(n.L, n.level())
		p.put([...]string{Union: " UNION ", Intersect: " INTERSECT ", Except: " EXCEPT "}[n.Kind])
		p.when(n.All, "ALL ")
		p.when(n.ByName, "BY NAME ")
		p.operand(n.R, n.level()+1)
	default:
		panic(fmt.Sprintf("BUG: no SQL form for %T", b))
	}
}

// level is the precedence of the set operation.
func (n *SetOp) level() int {
	if n.Kind == Intersect {
		return setOpIntersect
	}
	return setOpUnion
}

// operand writes one side of a set operation of the given level.
func (p *printer) operand(b QueryBody, level int) {
	if n, ok := b.(*SetOp); ok && n.level() < level {
		p.put("(")
		p.body(n)
		p.put(")")
		return
	}
	p.body(b)
}

func (p *printer) values(v *Values) {
	p.put("VALUES ")
	p.list(len(v.Rows), func(i int) { p.parenExprs(v.Rows[i]) })
}

func (p *printer) selectBlock(s *Select) {
	p.put("SELECT ")
	p.when(s.Distinct, "DISTINCT ")
	if s.DistinctOn != nil {
		p.put("DISTINCT ON ")
		p.parenExprs(s.DistinctOn)
		p.put(" ")
	}
	p.list(len(s.Items), func(i int) {
		p.expr(s.Items[i].Expr, precNone)
		if a := s.Items[i].Alias; a.Name != "" {
			p.put(" AS ")
			p.ident(a)
		}
	})
	if s.From != nil {
		p.put(" FROM ")
		p.fromList(s.From)
	}
	p.clause(" WHERE ", s.Where)
	if s.GroupBy != nil {
		p.groupBy(s.GroupBy)
	}
	p.clause(" HAVING ", s.Having)
	if s.Windows != nil {
		p.put(" WINDOW ")
		p.list(len(s.Windows), func(i int) {
			p.ident(s.Windows[i].Name)
			p.put(" AS ")
			p.window(s.Windows[i].Spec)
		})
	}
	p.clause(" QUALIFY ", s.Qualify)
	if s.Sample != nil {
		p.put(" USING SAMPLE ")
		p.expr(s.Sample.Value, precUnary)
		p.put(either(s.Sample.Rows, " ROWS", " PERCENT"))
		p.when(s.Sample.Method != "", " ("+s.Sample.Method+")")
		if s.Sample.Seed != nil {
			p.put(" REPEATABLE ")
			p.parenExprs([]Expr{s.Sample.Seed})
		}
	}
}

// clause writes a word and an expression, if there is one.
func (p *printer) clause(word string, x Expr) {
	if x != nil {
		p.put(word)
		p.expr(x, precNone)
	}
}

func (p *printer) orderItems(list []OrderItem) {
	p.list(len(list), func(i int) {
		if _, all := list[i].Expr.(*Star); all {
			p.put("ALL")
		} else {
			p.expr(list[i].Expr, precNone)
		}
		p.when(list[i].Desc, " DESC")
		p.put([...]string{NullsDefault: "", NullsFirst: " NULLS FIRST", NullsLast: " NULLS LAST"}[list[i].Nulls])
	})
}

func (p *printer) groupBy(g *GroupBy) {
	p.put(" GROUP BY ")
	p.when(g.All, "ALL")
	p.list(len(g.Items), func(i int) { p.groupItem(g.Items[i]) })
}

// groupItem writes an element of GROUP BY. Lists of one key have become keys when they were read.
func (p *printer) groupItem(g GroupItem) {
	switch g.Kind {
	case GroupExpr:
		level := precNone
		if c, ok := g.Exprs[0].(*Call); ok && c.isGrouping() {
			level = precPrimary + 1
		}
		p.expr(g.Exprs[0], level)
		return
	case GroupSet:
		p.parenExprs(g.Exprs)
		return
	}
	p.put([...]string{GroupRollup: "ROLLUP", GroupCube: "CUBE", GroupSets: "GROUPING SETS"}[g.Kind], " (")
	p.list(len(g.Sets), func(i int) { p.groupItem(g.Sets[i]) })
	p.put(")")
}

// isGrouping tells that n would be read as ROLLUP (...) or CUBE (...) in GROUP BY without parentheses around it.
func (n *Call) isGrouping() bool { return n.named("rollup", "cube") }

// window writes what stands behind OVER or AS.
func (p *printer) window(w *WindowSpec) {
	if w.Ref {
		p.ident(w.Name)
		return
	}
	sep := ""
	part := func() {
		p.put(sep)
		sep = " "
	}
	p.put("(")
	if w.Name.Name != "" {
		part()
		p.ident(w.Name)
	}
	if w.PartitionBy != nil {
		part()
		p.put("PARTITION BY ")
		p.exprs(w.PartitionBy)
	}
	if w.OrderBy != nil {
		part()
		p.put("ORDER BY ")
		p.orderItems(w.OrderBy)
	}
	if f := w.Frame; f != nil {
		part()
		p.put(frameUnits[f.Unit], " BETWEEN ")
		p.bound(f.Start)
		p.put(" AND ")
		p.bound(f.End)
		p.put([...]string{ExcludeNothing: "", ExcludeCurrentRow: " EXCLUDE CURRENT ROW", ExcludeGroup: " EXCLUDE GROUP", ExcludeTies: " EXCLUDE TIES"}[f.Exclude])
	}
	p.put(")")
}

func (p *printer) bound(b Bound) {
	switch b.X.(type) {
	case nil:
	case *ColumnRef:
		// A column called unbounded would be taken for the word.
		p.parenExprs([]Expr{b.X})
		p.put(" ")
	default:
		p.expr(b.X, precCompare+1)
		p.put(" ")
	}
	p.put([...]string{
		UnboundedPreceding: "UNBOUNDED PRECEDING", Preceding: "PRECEDING", CurrentRow: "CURRENT ROW", Following: "FOLLOWING",
		UnboundedFollowing: "UNBOUNDED FOLLOWING",
	}[b.Kind])
}
