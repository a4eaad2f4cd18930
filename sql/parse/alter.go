package parse

// alter reads a statement behind ALTER.
func (p *parser) alter() Statement {
	return p.dispatch("ALTER", []object{
		{"TABLE", (*parser).alterTable},
		{"DATABASE", (*parser).alterDatabase},
		{"SCHEMA", (*parser).alterDatabase},
		{"USER", (*parser).alterUser},
		{"VIEW", func(p *parser) Statement {
			p.unsupported(p.prev.start, "ALTER VIEW is not supported; use CREATE OR REPLACE VIEW")
			return nil
		}},
	})
}

// alterDatabase reads name RENAME [TO] new | SET [PROPERTIES] (...).
func (p *parser) alterDatabase() Statement {
	s := &AlterDatabase{IfExists: p.ifExists(), Name: p.databaseName()}
	switch {
	case p.acceptWord("RENAME"):
		p.acceptWord("TO")
		s.NewName = p.ident("a database name")
	case p.acceptKw(kwSet):
		p.acceptAny("PROPERTIES", "OPTIONS", "DBPROPERTIES")
		s.Properties = p.options()
	default:
		p.expected("RENAME TO or SET PROPERTIES")
	}
	return s
}

// alterTable reads name action, ... Several actions are one change of the table: all of them or none.
func (p *parser) alterTable() Statement {
	s := &AlterTable{IfExists: p.ifExists(), Name: p.objectName("a table name")}
	for {
		s.Actions = p.appendAction(s.Actions)
		if !p.accept(tokComma) {
			return s
		}
	}
}

// appendAction reads one action; ADD COLUMN with a list gives several.
func (p *parser) appendAction(list []AlterAction) []AlterAction {
	at := p.place()
	switch {
	case p.acceptKw(kwSet):
		p.acceptAny("OPTIONS", "PROPERTIES", "TBLPROPERTIES")
		return append(list, &SetTableOptions{Place: at, Options: p.options()})
	case p.acceptWord("UNSET"):
		p.acceptAny("OPTIONS", "PROPERTIES")
		a := &UnsetTableOptions{Place: at}
		if p.tok.kind == tokLParen {
			a.Names = p.identList("an option name")
		} else {
			a.Names = []Ident{p.ident("an option name")}
		}
		return append(list, a)
	case p.acceptWord("ADD"):
		return p.addAction(list, at)
	case p.acceptWord("DROP"):
		return append(list, p.dropAction(at))
	case p.acceptWord("RENAME"):
		return append(list, p.renameAction(at))
	case p.acceptWord("MODIFY"):
		return append(list, p.modifyAction(at))
	case p.atWord("COMMENT"):
		return append(list, &SetTableComment{Place: at, Comment: p.comment().Value})
	case p.acceptWord("ALTER"):
		return append(list, p.alterColumn(at))
	case p.acceptWord("SWAP"):
		p.expectKw(kwWith)
		return append(list, &SwapTable{Place: at, With: p.objectName("a table name")})
	case p.atWord("CHANGE"):
		p.unsupported(int(at), "CHANGE COLUMN is not supported; use MODIFY COLUMN or RENAME COLUMN")
	case p.atWord("CLUSTER"), p.atWord("RECLUSTER"), p.atWord("REPLACE"), p.atWord("ENABLE"), p.isKw(kwOrder), p.atWord("FLASHBACK"):
		p.unsupported(int(at), "ALTER TABLE ... "+upper(p.text(p.tok))+" is not supported")
	default:
		p.expected("SET, UNSET, ADD, DROP, RENAME, MODIFY or COMMENT")
	}
	return list
}

// refuseParts fails if the word behind ADD, DROP or RENAME is a part of a table that is not built. A column of that name is
// written with the word COLUMN in front.
func (p *parser) refuseParts(verb string) bool {
	next := p.peek()
	if next.kind != tokWord && next.kind != tokQuoted {
		return false
	}
	for _, w := range [...]string{"PARTITION", "PARTITIONS", "ROLLUP", "CONSTRAINT", "TEMPORARY", "PRIMARY", "FOREIGN", "CLUSTER", "GENERATED"} {
		if p.atWord(w) {
			p.unsupported(p.tok.start, "ALTER TABLE ... "+verb+" "+w+" is not supported")
			return true
		}
	}
	return false
}

// addAction reads what follows ADD: an index, a column, or a list of columns in parentheses.
func (p *parser) addAction(list []AlterAction, at Place) []AlterAction {
	if p.atWord("INDEX") && isName(p.peek()) && p.startsIndexColumns(p.peek()) {
		p.advance()
		a := &AddIndex{Place: at, Index: IndexDef{Place: p.place(), Name: p.ident("an index name")}}
		a.Index.Columns = p.identList("a column name")
		p.indexTail(&a.Index)
		return append(list, a)
	}
	if p.refuseParts("ADD") {
		return list
	}
	p.acceptWord("COLUMN")
	if p.tok.kind != tokLParen {
		return append(list, p.addColumn(at))
	}
	p.advance()
	for {
		list = append(list, p.addColumn(p.place()))
		if !p.accept(tokComma) {
			break
		}
	}
	p.closeList()
	return list
}

// addColumn reads [IF NOT EXISTS] definition [FIRST | AFTER column].
func (p *parser) addColumn(at Place) *AddColumn {
	a := &AddColumn{Place: at, IfNotExists: p.ifNotExists(), Column: p.columnDef()}
	if a.Column.Type == nil {
		p.expected("a data type")
	}
	a.First, a.After = p.columnPosition()
	return a
}

// columnPosition reads [FIRST | AFTER column].
func (p *parser) columnPosition() (first bool, after Ident) {
	if p.acceptWord("FIRST") {
		return true, after
	}
	if p.acceptWord("AFTER") {
		after = p.ident("a column name")
	}
	return false, after
}

// dropAction reads what follows DROP. INDEX is a column name if nothing follows it.
func (p *parser) dropAction(at Place) AlterAction {
	if p.atWord("INDEX") && p.peek().kind == tokWord {
		p.advance()
		return &DropTableIndex{Place: at, IfExists: p.ifExists(), Name: p.ident("an index name")}
	}
	if p.refuseParts("DROP") {
		return nil
	}
	p.acceptWord("COLUMN")
	return &DropColumn{Place: at, IfExists: p.ifExists(), Name: p.ident("a column name")}
}

// renameAction reads RENAME COLUMN a [TO] b and RENAME [TO] name.
func (p *parser) renameAction(at Place) AlterAction {
	if p.refuseParts("RENAME") {
		return nil
	}
	if p.acceptWord("COLUMN") {
		a := &RenameColumn{Place: at, From: p.ident("a column name")}
		p.acceptWord("TO")
		a.To = p.ident("a column name")
		return a
	}
	p.acceptWord("TO")
	return &RenameTable{Place: at, To: p.objectName("a table name")}
}

// alterColumn reads what follows ALTER: [COLUMN] name and a change.
func (p *parser) alterColumn(at Place) *AlterColumn {
	p.acceptWord("COLUMN")
	a := &AlterColumn{Place: at, Name: p.ident("a column name")}
	switch {
	case p.acceptWord("TYPE"):
		a.Type = p.typeName()
	case p.atWord("COMMENT"):
		a.Comment = p.comment()
	case p.acceptWord("DROP"):
		if p.acceptKw(kwDefault) {
			a.DropDefault = true
			break
		}
		p.expectKw(kwNot)
		p.expectKw(kwNull)
		a.Null = Nullable
	case p.acceptKw(kwSet):
		p.alterColumnSet(a)
	default:
		p.expected("TYPE, SET, DROP or COMMENT")
	}
	if p.isKw(kwUsing) {
		p.unsupported(p.tok.start, "ALTER COLUMN ... USING is not supported; add a column and UPDATE it")
	}
	return a
}

// alterColumnSet reads what follows SET: DATA TYPE x, DEFAULT x or NOT NULL.
func (p *parser) alterColumnSet(a *AlterColumn) {
	switch {
	case p.acceptWords("DATA", "TYPE"):
		a.Type = p.typeName()
	case p.acceptKw(kwDefault):
		start := p.tok.start
		a.Default = p.expr(precCompare + 1)
		a.DefaultText = p.src[start:max(start, p.prev.end)]
	case p.acceptKw(kwNot):
		p.expectKw(kwNull)
		a.Null = NotNull
	default:
		p.expected("DATA TYPE, DEFAULT or NOT NULL")
	}
}

// commentOn reads a statement behind COMMENT.
func (p *parser) commentOn() Statement {
	p.expectKw(kwOn)
	s := &Comment{}
	switch {
	case p.acceptWord("TABLE"):
		s.Name = p.objectName("a table name")
	case p.acceptWord("VIEW"):
		s.Kind, s.Name = CommentView, p.objectName("a view name")
	case p.acceptAny("DATABASE", "SCHEMA") != "":
		s.Kind, s.Name = CommentDatabase, p.databaseName()
	case p.acceptWord("COLUMN"):
		s.Kind = CommentColumn
		for {
			s.Name.Parts = append(s.Name.Parts, p.ident("a column name"))
			if len(s.Name.Parts) == 4 || !p.accept(tokDot) {
				break
			}
		}
		n := len(s.Name.Parts)
		if n < 2 {
			p.expected("'.' and a column name")
			return s
		}
		s.Column, s.Name.Parts = s.Name.Parts[n-1], s.Name.Parts[:n-1]
	default:
		p.expected("TABLE, COLUMN, VIEW or DATABASE")
		return s
	}
	p.expectKw(kwIs)
	if !p.acceptKw(kwNull) {
		s.Text = p.stringLit("a string or NULL")
	}
	return s
}

// modifyAction reads MODIFY COLUMN definition and MODIFY COMMENT '...'.
func (p *parser) modifyAction(at Place) AlterAction {
	if p.atWord("COMMENT") && p.isString(p.peek()) {
		return &SetTableComment{Place: at, Comment: p.comment().Value}
	}
	if p.atWord("PARTITION") || p.atWord("DISTRIBUTION") || p.atWord("ENGINE") {
		p.unsupported(p.tok.start, "ALTER TABLE ... MODIFY "+upper(p.text(p.tok))+" is not supported")
		return nil
	}
	p.acceptWord("COLUMN")
	a := &ModifyColumn{Place: at, Column: p.columnDef()}
	if a.Column.Type == nil && a.Column.Comment == nil {
		p.expected("a data type or COMMENT")
	}
	a.First, a.After = p.columnPosition()
	return a
}
