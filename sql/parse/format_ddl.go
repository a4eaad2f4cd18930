package parse

import "fmt"

// ddlStatement writes the statements about databases, tables, views and indexes.
func (p *printer) ddlStatement(s Statement) {
	switch n := s.(type) {
	case *CreateDatabase:
		p.create(n.OrReplace, false, "DATABASE ", n.IfNotExists)
		p.name(n.Name)
		p.comment(n.Comment)
		p.propertiesClause(n.Properties)
	case *DropDatabase:
		p.drop("DATABASE ", n.IfExists)
		p.name(n.Name)
		p.when(n.Force, " FORCE")
	case *AlterDatabase:
		p.put("ALTER DATABASE ")
		p.when(n.IfExists, "IF EXISTS ")
		p.name(n.Name)
		if n.NewName.Name != "" {
			p.put(" RENAME TO ")
			p.ident(n.NewName)
		} else {
			p.put(" SET PROPERTIES ")
			p.properties(n.Properties)
		}
	case *CreateTable:
		p.createTable(n)
	case *DropTable:
		p.drop("TABLE ", n.IfExists)
		p.list(len(n.Names), func(i int) { p.name(n.Names[i]) })
		p.when(n.Force, " FORCE")
	case *TruncateTable:
		p.put("TRUNCATE TABLE ")
		p.name(n.Name)
	case *AlterTable:
		p.put("ALTER TABLE ")
		p.when(n.IfExists, "IF EXISTS ")
		p.name(n.Name)
		p.put(" ")
		p.list(len(n.Actions), func(i int) { p.action(n.Actions[i]) })
	case *Comment:
		p.commentOn(n)
	case *CreateView:
		p.createView(n)
	case *DropView:
		p.drop("VIEW ", n.IfExists)
		p.name(n.Name)
	case *CreateIndex:
		p.create(false, false, "INDEX ", n.Index.IfNotExists)
		p.ident(n.Index.Name)
		p.put(" ON ")
		p.name(n.Table)
		p.put(" ")
		p.indexTail(n.Index)
	case *DropIndex:
		p.drop("INDEX ", n.IfExists)
		p.ident(n.Name)
		p.put(" ON ")
		p.name(n.Table)
	case *BuildIndex:
		p.put("BUILD INDEX ")
		p.ident(n.Name)
		p.put(" ON ")
		p.name(n.Table)
	default:
		panic(fmt.Sprintf("BUG: no SQL form for %T", s))
	}
}

func (p *printer) propertiesClause(list []Option) {
	if list != nil {
		p.put(" PROPERTIES ")
		p.properties(list)
	}
}

func (p *printer) createView(n *CreateView) {
	p.create(n.OrReplace, false, "VIEW ", n.IfNotExists)
	p.name(n.Name)
	if n.Columns != nil {
		p.put(" (")
		p.list(len(n.Columns), func(i int) {
			p.ident(n.Columns[i].Name)
			p.comment(n.Columns[i].Comment)
		})
		p.put(")")
	}
	p.comment(n.Comment)
	p.put(" AS ")
	p.query(n.Query)
}

// createTable writes columns, then indexes, then constraints, whatever their order was.
func (p *printer) createTable(n *CreateTable) {
	p.create(n.OrReplace, n.Temporary, "TABLE ", n.IfNotExists)
	p.name(n.Name)
	if !n.Like.IsZero() {
		p.put(" LIKE ")
		p.name(n.Like)
	}
	if elements := len(n.Columns) + len(n.Indexes) + len(n.Constraints); elements > 0 {
		p.put(" (")
		p.list(elements, func(i int) {
			c, x := len(n.Columns), len(n.Columns)+len(n.Indexes)
			switch {
			case i < c:
				p.column(n.Columns[i])
			case i < x:
				p.put("INDEX ")
				p.ident(n.Indexes[i-c].Name)
				p.put(" ")
				p.indexTail(n.Indexes[i-c])
			default:
				p.constraint(n.Constraints[i-x])
			}
		})
		p.put(")")
	}
	p.tableClauses(n)
	if n.As != nil {
		p.put(" AS ")
		p.query(n.As)
	}
}

// tableClauses writes what stands behind the columns.
func (p *printer) tableClauses(n *CreateTable) {
	if n.Engine != "" {
		p.put(" ENGINE = ")
		p.optionIdent(n.Engine)
	}
	if k := n.Key; k != nil {
		p.put([...]string{DuplicateKey: " DUPLICATE KEY ", UniqueKey: " UNIQUE KEY ", AggregateKey: " AGGREGATE KEY "}[k.Kind])
		p.idents(k.Columns)
	}
	p.comment(n.Comment)
	if d := n.Partition; d != nil {
		p.when(d.Auto, " AUTO")
		p.put(" PARTITION BY ")
		p.put(d.Method)
		p.parenExprs(d.Exprs)
		if d.Definitions != "" {
			p.put(" (", d.Definitions, ")")
		}
	}
	if d := n.Distribution; d != nil {
		p.put(" DISTRIBUTED BY ")
		if d.Columns != nil {
			p.put("HASH ")
			p.idents(d.Columns)
		} else {
			p.put("RANDOM")
		}
		if d.Buckets != "" {
			p.put(" BUCKETS ", d.Buckets)
		}
	}
	if n.ClusterBy != nil {
		p.put(" CLUSTER BY ")
		p.parenExprs(n.ClusterBy)
	}
	if n.OrderBy != nil {
		p.put(" ORDER BY ")
		p.parenExprs(n.OrderBy)
	}
	p.propertiesClause(n.Properties)
	p.freeOptions(n.Options)
}

// optionIdent writes a word that was read as a name.
func (p *printer) optionIdent(name string) {
	p.ident(Ident{Name: name, Quoted: !isPlainName(name)})
}

// isPlainName tells that s can be a name without quotes.
func isPlainName(s string) bool {
	if !isBareWord(s) {
		return false
	}
	l := lexer{src: s}
	return !l.scan(0).kw.reserved()
}

// column writes a column with its attributes in one fixed order.
func (p *printer) column(c ColumnDef) {
	p.ident(c.Name)
	if c.Type != nil {
		p.put(" ")
		p.typeName(c.Type)
	}
	p.when(c.Key, " KEY")
	p.put([...]string{NullabilityUnspecified: "", Nullable: " NULL", NotNull: " NOT NULL"}[c.Null])
	if c.Default != nil {
		p.put(" DEFAULT ")
		p.expr(c.Default, precCompare+1)
	}
	for _, k := range c.Constraints {
		p.put(" ")
		p.constraint(k)
	}
	p.comment(c.Comment)
}

// constraint writes a constraint of a table (with columns) or of a column (without).
func (p *printer) constraint(c Constraint) {
	if c.Name.Name != "" && c.Kind != ConstraintUnique {
		p.put("CONSTRAINT ")
		p.ident(c.Name)
		p.put(" ")
	}
	switch c.Kind {
	case ConstraintPrimaryKey:
		p.put("PRIMARY KEY")
	case ConstraintUnique:
		p.put("UNIQUE")
		if c.Columns != nil {
			p.put(" KEY")
		}
		if c.Name.Name != "" {
			p.put(" ")
			p.ident(c.Name)
		}
	case ConstraintForeignKey:
		p.when(c.Columns != nil, "FOREIGN KEY")
	case ConstraintCheck:
		p.put("CHECK ")
		p.parenExprs([]Expr{c.Expr})
	case ConstraintAutoIncrement:
		p.put("AUTO_INCREMENT")
	case ConstraintAggregate:
		p.put(c.Word)
	case ConstraintGenerated:
		p.put("AS ")
		p.parenExprs([]Expr{c.Expr})
		p.when(c.Word != "", " ")
		p.put(c.Word)
	case ConstraintOnUpdate:
		p.put("ON UPDATE ")
		p.expr(c.Expr, precCompare+1)
	}
	if c.Columns != nil {
		p.put(" ")
		p.idents(c.Columns)
	}
	if !c.Table.IsZero() {
		p.when(c.Columns != nil, " ")
		p.put("REFERENCES ")
		p.name(c.Table)
		if c.TableColumns != nil {
			p.put(" ")
			p.idents(c.TableColumns)
		}
	}
}

// indexTail writes what follows the name of an index.
func (p *printer) indexTail(d IndexDef) {
	p.idents(d.Columns)
	if d.Using != "" {
		p.put(" USING ")
		p.optionIdent(d.Using)
	}
	p.propertiesClause(d.Properties)
	p.comment(d.Comment)
}
