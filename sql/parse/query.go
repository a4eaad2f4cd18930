package parse

import "github.com/ebira-db/ebira/sql/sqlerr"

// startsQuery tells that the current token begins a query (not counting parentheses).
func (p *parser) startsQuery() bool {
	switch p.tok.kw {
	case kwSelect, kwWith:
		return true
	case kwValues:
		return p.peek().kind == tokLParen
	}
	return false
}

// continuesQuery tells that the current token, behind a query in parentheses, goes on with a larger query.
func (p *parser) continuesQuery() bool {
	switch p.tok.kw {
	case kwUnion, kwIntersect, kwExcept, kwMinus, kwOrder, kwLimit, kwOffset, kwFetch:
		return true
	}
	return false
}

// query reads a whole query, without parentheses around it.
func (p *parser) query() *Query {
	p.enter()
	at := p.place()
	var with *With
	if p.isKw(kwWith) {
		with = p.with()
	}
	q := p.queryTail(at, with, p.setOps(p.queryOperand(), setOpUnion))
	p.leave()
	return q
}

// queryAfter goes on behind q, which stood in parentheses that began at at, and was taken for a value or a table at first.
func (p *parser) queryAfter(at Place, q *Query) *Query {
	return p.queryTail(at, nil, p.setOps(unwrap(q), setOpUnion))
}

// unwrap removes parentheses that change nothing.
func unwrap(q *Query) QueryBody {
	if q.With == nil && q.OrderBy == nil && q.Limit == nil && q.Offset == nil {
		return q.Body
	}
	return q
}

// with reads WITH [RECURSIVE] name [(columns)] AS (query), ...
func (p *parser) with() *With {
	w := &With{Place: p.place()}
	p.advance()
	if p.atWord("RECURSIVE") && p.peek().kw != kwAs {
		p.advance()
		w.Recursive = true
	}
	for {
		c := CTE{Name: p.ident("a query name")}
		if p.tok.kind == tokLParen {
			c.Columns = p.identList("a column name")
		}
		p.expectKw(kwAs)
		if p.acceptKw(kwNot) {
			p.expectWord("MATERIALIZED")
			c.Materialized = NotMaterialized
		} else if p.acceptWord("MATERIALIZED") {
			c.Materialized = Materialized
		}
		p.expect(tokLParen, "'(' with a query")
		c.Query = p.query()
		p.expect(tokRParen, "')'")
		w.CTEs = append(w.CTEs, c)
		if !p.accept(tokComma) {
			return w
		}
	}
}

// Levels of the set operations: INTERSECT binds tighter.
const (
	setOpNone = iota
	setOpUnion
	setOpIntersect
)

// setOps reads set operations of at least the given level behind left.
func (p *parser) setOps(left QueryBody, level int) QueryBody {
	for {
		op := &SetOp{Place: p.place(), L: left}
		own := setOpUnion
		switch p.tok.kw {
		case kwUnion:
		case kwExcept, kwMinus:
			op.Kind = Except
		case kwIntersect:
			op.Kind, own = Intersect, setOpIntersect
		default:
			return left
		}
		if own < level {
			return left
		}
		p.advance()
		if p.acceptKw(kwAll) {
			op.All = true
		} else {
			p.acceptKw(kwDistinct)
		}
		if p.atWord("BY") || p.isKw(kwBy) {
			if op.Kind != Union {
				p.unsupported(p.tok.start, "only UNION can be BY NAME; list the columns in the same order")
			}
			p.advance()
			p.expectWord("NAME")
			op.ByName = true
		}
		op.R = p.setOps(p.queryOperand(), own+1)
		left = op
		p.grow(p.height + 1)
	}
}

// queryOperand reads SELECT, VALUES or a query in parentheses.
func (p *parser) queryOperand() QueryBody {
	switch {
	case p.isKw(kwSelect):
		return p.selectBlock()
	case p.isKw(kwValues):
		return p.values()
	case p.accept(tokLParen):
		q := p.query()
		p.expect(tokRParen, "')'")
		return unwrap(q)
	}
	p.expected("SELECT, VALUES or '(' with a query")
	return &Select{Place: p.place()}
}

// values reads VALUES (...), (...).
func (p *parser) values() *Values {
	v := &Values{Place: p.place()}
	p.advance()
	width := 0
	for {
		p.expect(tokLParen, "'(' with a row of values")
		row := make([]Expr, 0, width)
		for {
			row = append(row, p.valueExpr())
			if !p.accept(tokComma) {
				break
			}
		}
		p.closeList()
		v.Rows = append(v.Rows, row)
		width = len(row)
		if !p.accept(tokComma) {
			return v
		}
	}
}

// valueExpr reads an expression or DEFAULT.
func (p *parser) valueExpr() Expr {
	if p.isKw(kwDefault) && !p.startsDefaultName() {
		d := &DefaultValue{Place: p.place()}
		p.advance()
		return d
	}
	return p.parseExpr()
}

// queryTail reads ORDER BY, LIMIT, OFFSET and FETCH behind the body of a query.
func (p *parser) queryTail(at Place, with *With, body QueryBody) *Query {
	q := &Query{Place: at, With: with, Body: body}
	if p.isKw(kwOrder) {
		q.OrderBy = p.queryOrder()
	}
	for {
		start := p.tok.start
		switch p.tok.kw {
		case kwLimit:
			p.advance()
			p.limit(q, start)
		case kwOffset:
			p.advance()
			p.setOnce(&q.Offset, p.parseExpr(), start, "OFFSET")
			p.acceptAny("ROWS", "ROW")
		case kwFetch:
			p.advance()
			p.fetch(q, start)
		case kwFor:
			p.unsupported(start, "SELECT ... FOR UPDATE and FOR SHARE are not supported; rows are never locked")
		default:
			if inner, ok := body.(*Query); ok && unwrap(q) == body {
				return inner
			}
			q.Text = p.src[at:max(p.prev.end, int(at))]
			return q
		}
	}
}

// setOnce sets *to, or fails if the clause was written before.
func (p *parser) setOnce(to *Expr, x Expr, start int, clause string) {
	if *to != nil {
		p.fail(sqlerr.At(sqlerr.Syntax, start, "%s is given twice", clause))
	}
	*to = x
}

// limit reads what follows LIMIT: n, ALL, or offset, n.
func (p *parser) limit(q *Query, start int) {
	if p.acceptKw(kwAll) {
		return
	}
	n := p.parseExpr()
	if p.accept(tokComma) {
		p.setOnce(&q.Offset, n, start, "OFFSET")
		n = p.parseExpr()
	}
	p.setOnce(&q.Limit, n, start, "LIMIT")
}

// fetch reads what follows FETCH: FIRST [n] ROWS ONLY.
func (p *parser) fetch(q *Query, start int) {
	if p.acceptAny("FIRST", "NEXT") == "" {
		p.expected("FIRST or NEXT")
	}
	var n Expr
	if p.atWord("ROW") || p.atWord("ROWS") {
		n = p.newLiteral(Literal{Place: p.place(), Kind: LitInteger, Text: "1"})
	} else {
		n = p.parseExpr()
	}
	if p.acceptAny("ROWS", "ROW") == "" {
		p.expected("ROWS")
	}
	if p.isKw(kwWith) {
		p.unsupported(p.tok.start, "FETCH ... WITH TIES is not supported; use a window function with QUALIFY")
	}
	p.expectWord("ONLY")
	p.setOnce(&q.Limit, n, start, "LIMIT")
}

// queryOrder reads the ORDER BY of a query, which may be ORDER BY ALL.
func (p *parser) queryOrder() []OrderItem {
	if by := p.peek(); by.kw != kwBy || p.scan(by.end).kw != kwAll {
		return p.orderBy()
	}
	p.advance()
	p.advance()
	o := OrderItem{Expr: &Star{Place: p.place()}}
	p.advance()
	p.direction(&o)
	return []OrderItem{o}
}

// orderBy reads ORDER BY key, ...
func (p *parser) orderBy() []OrderItem {
	p.expectKw(kwOrder)
	p.expectKw(kwBy)
	var list []OrderItem
	for {
		o := OrderItem{Expr: p.parseExpr()}
		p.direction(&o)
		list = append(list, o)
		if !p.accept(tokComma) {
			return list
		}
	}
}

// direction reads [ASC | DESC] [NULLS FIRST | LAST] behind a key.
func (p *parser) direction(o *OrderItem) {
	if p.acceptKw(kwDesc) {
		o.Desc = true
	} else {
		p.acceptKw(kwAsc)
	}
	if !p.isKw(kwNulls) {
		return
	}
	p.advance()
	switch p.acceptAny("FIRST", "LAST") {
	case "FIRST":
		o.Nulls = NullsFirst
	case "LAST":
		o.Nulls = NullsLast
	default:
		p.expected("FIRST or LAST")
	}
}
