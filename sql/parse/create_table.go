package parse

import "github.com/ebira-db/ebira/sql/sqlerr"

// createTable reads what follows CREATE TABLE.
func (p *parser) createTable(f createFlags) Statement {
	p.notExists(&f)
	s := &CreateTable{OrReplace: f.orReplace, Temporary: f.temporary, IfNotExists: f.ifNotExists, Name: p.objectName("a table name")}
	switch {
	case p.acceptKw(kwLike):
		s.Like = p.objectName("a table name")
	case p.tok.kind == tokLParen && p.peek().kw == kwLike:
		p.advance()
		p.advance()
		s.Like = p.objectName("a table name")
		p.expect(tokRParen, "')'")
	case p.tok.kind == tokLParen:
		p.advance()
		for {
			p.tableElement(s)
			if !p.accept(tokComma) {
				break
			}
		}
		p.closeList()
	}
	for p.tok.kind != tokEOF && p.tableClause(s) {
		if s.As != nil {
			break
		}
	}
	p.checkTable(s)
	return s
}

// checkTable refuses tables without columns and columns without types where no query gives them.
func (p *parser) checkTable(s *CreateTable) {
	if p.err != nil || s.As != nil || !s.Like.IsZero() {
		return
	}
	if len(s.Columns) == 0 {
		p.expected("'(' with the columns, LIKE or AS")
	}
	for _, c := range s.Columns {
		if c.Type == nil {
			p.fail(sqlerr.At(sqlerr.Syntax, c.Pos(), "expected a data type behind column %s", c.Name))
		}
	}
}

// tableElement reads a column, an index or a constraint. The words that begin the latter can be column names too, so what
// follows decides.
func (p *parser) tableElement(s *CreateTable) {
	next := p.peek()
	switch {
	case p.atWord("INDEX") && isName(next) && p.startsIndexColumns(next):
		d := IndexDef{Place: p.place()}
		p.advance()
		d.Name = p.ident("an index name")
		d.Columns = p.identList("a column name")
		p.indexTail(&d)
		s.Indexes = append(s.Indexes, d)
	case p.startsConstraint():
		s.Constraints = append(s.Constraints, p.tableConstraint())
	default:
		s.Columns = append(s.Columns, p.columnDef())
	}
}

// startsIndexColumns tells that (name stands behind the token, as in INDEX i(v) but not in the column: index VARCHAR(10).
func (p *parser) startsIndexColumns(name token) bool {
	open := p.scan(name.end)
	return open.kind == tokLParen && isName(p.scan(open.end))
}

// startsConstraint tells that a table constraint follows.
func (p *parser) startsConstraint() bool {
	next := p.peek()
	switch {
	case p.atWord("PRIMARY"), p.atWord("FOREIGN"):
		return p.isWord(next, "KEY")
	case p.atWord("UNIQUE"):
		return next.kind == tokLParen || p.isWord(next, "KEY") || p.isWord(next, "INDEX")
	case p.atWord("CHECK"):
		return next.kind == tokLParen
	case p.atWord("CONSTRAINT"):
		name := p.scan(next.end)
		return isName(next) && (p.isWord(name, "PRIMARY") || p.isWord(name, "UNIQUE") || p.isWord(name, "FOREIGN") || p.isWord(name, "CHECK"))
	}
	return false
}

// tableConstraint reads a constraint after startsConstraint. Which of them are built is the business of the binder.
func (p *parser) tableConstraint() Constraint {
	c := Constraint{Place: p.place()}
	if p.acceptWord("CONSTRAINT") {
		c.Name = p.ident("a constraint name")
	}
	switch {
	case p.acceptWords("PRIMARY", "KEY"):
		c.Columns = p.identList("a column name")
	case p.acceptWord("UNIQUE"):
		c.Kind = ConstraintUnique
		p.acceptAny("KEY", "INDEX")
		if isName(p.tok) {
			c.Name = p.ident("a constraint name")
		}
		c.Columns = p.identList("a column name")
	case p.acceptWords("FOREIGN", "KEY"):
		c.Kind = ConstraintForeignKey
		c.Columns = p.identList("a column name")
		p.expectWord("REFERENCES")
		p.references(&c)
	case p.acceptWord("CHECK"):
		c.Kind = ConstraintCheck
		c.Expr = p.parenExpr()
	}
	return c
}

// references reads the target of a foreign key.
func (p *parser) references(c *Constraint) {
	c.Table = p.objectName("a table name")
	if p.tok.kind == tokLParen {
		c.TableColumns = p.identList("a column name")
	}
}

// parenExpr reads (expr).
func (p *parser) parenExpr() Expr {
	p.expect(tokLParen, "'('")
	x := p.parseExpr()
	p.expect(tokRParen, "')'")
	return x
}

// columnDef reads a column with its attributes.
func (p *parser) columnDef() ColumnDef {
	c := ColumnDef{Name: p.ident("a column name")}
	if p.tok.kind != tokComma && p.tok.kind != tokRParen && !p.atWord("COMMENT") {
		c.Type = p.typeName()
	}
	for p.columnAttribute(&c) {
	}
	return c
}

// columnAttribute reads one attribute and tells whether there was one.
func (p *parser) columnAttribute(c *ColumnDef) bool {
	switch {
	case p.acceptKw(kwNull):
		p.setNull(c, Nullable)
	case p.isKw(kwNot):
		p.advance()
		p.expectKw(kwNull)
		p.setNull(c, NotNull)
	case p.isKw(kwDefault):
		if c.Default != nil {
			p.twice("DEFAULT")
		}
		p.advance()
		start := p.tok.start
		// NOT NULL may follow, so the expression must not take in operators such as NOT IN.
		c.Default = p.expr(precCompare + 1)
		c.DefaultText = p.src[start:max(start, p.prev.end)]
	case p.atWord("COMMENT"):
		if c.Comment != nil {
			p.twice("COMMENT")
		}
		c.Comment = p.comment()
	case p.atWord("KEY"):
		p.advance()
		c.Key = true
	default:
		k, ok := p.columnConstraint()
		if ok {
			c.Constraints = append(c.Constraints, k)
		}
		return ok
	}
	return p.err == nil
}

// setNull records NULL or NOT NULL, which may be repeated but not contradicted.
func (p *parser) setNull(c *ColumnDef, n Nullability) {
	if c.Null != NullabilityUnspecified && c.Null != n {
		p.failf("column %s cannot be both NULL and NOT NULL", c.Name)
	}
	c.Null = n
}

// aggregateWords stand behind the columns of AGGREGATE KEY tables.
var aggregateWords = []string{
	"SUM", "MAX", "MIN", "REPLACE", "REPLACE_IF_NOT_NULL", "HLL_UNION", "BITMAP_UNION", "QUANTILE_UNION", "GENERIC",
}

// columnConstraint reads an attribute that is kept as a Constraint, and tells whether there was one.
func (p *parser) columnConstraint() (Constraint, bool) {
	c := Constraint{Place: p.place()}
	switch {
	case p.acceptWords("PRIMARY", "KEY"):
	case p.acceptWord("UNIQUE"):
		c.Kind = ConstraintUnique
		p.acceptWord("KEY")
	case p.acceptAny("AUTO_INCREMENT", "AUTOINCREMENT", "IDENTITY") != "":
		c.Kind = ConstraintAutoIncrement
		if p.accept(tokLParen) {
			for ok := true; ok; ok = p.accept(tokComma) {
				p.number("a number")
			}
			p.closeList()
		}
	case p.acceptWord("CHECK"):
		c.Kind = ConstraintCheck
		c.Expr = p.parenExpr()
	case p.acceptWord("REFERENCES"):
		c.Kind = ConstraintForeignKey
		p.references(&c)
	case p.isKw(kwOn) && p.isWord(p.peek(), "UPDATE"):
		p.advance()
		p.advance()
		c.Kind = ConstraintOnUpdate
		c.Expr = p.expr(precCompare + 1)
	case p.isKw(kwAs) && p.peek().kind == tokLParen, p.atWord("GENERATED"):
		if p.acceptWord("GENERATED") {
			p.expectWord("ALWAYS")
		}
		p.expectKw(kwAs)
		c.Kind = ConstraintGenerated
		c.Expr = p.parenExpr()
		c.Word = p.acceptAny("STORED", "VIRTUAL")
	default:
		c.Kind = ConstraintAggregate
		c.Word = p.acceptAny(aggregateWords...)
		return c, c.Word != ""
	}
	return c, p.err == nil
}
