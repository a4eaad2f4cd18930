package parse

// createFlags are the words between CREATE and the object.
type createFlags struct {
	orReplace, temporary, ifNotExists bool
}

// create reads a statement behind CREATE.
func (p *parser) create() Statement {
	var f createFlags
	if p.acceptKw(kwOr) {
		p.expectWord("REPLACE")
		f.orReplace = true
	}
	if at := p.tok; p.acceptAny("TEMPORARY", "TEMP", "TRANSIENT", "EXTERNAL") != "" {
		switch {
		case p.isWord(at, "EXTERNAL"):
			p.unsupported(at.start, "external tables are not supported; read files with SELECT ... FROM @stage")
		case !p.isWord(at, "TRANSIENT"):
			f.temporary = true
		}
	}
	return p.dispatch("CREATE", []object{
		{"TABLE", func(p *parser) Statement { return p.createTable(f) }},
		{"VIEW", func(p *parser) Statement { return p.createView(f) }},
		{"DATABASE", func(p *parser) Statement { return p.createDatabase(f) }},
		{"SCHEMA", func(p *parser) Statement { return p.createDatabase(f) }},
		{"STAGE", func(p *parser) Statement { return p.createStage(f) }},
		{"FILE FORMAT", func(p *parser) Statement { return p.createFileFormat(f) }},
		{"INDEX", func(p *parser) Statement { return p.createIndex(f) }},
		{"USER", func(p *parser) Statement { return p.createUser(f) }},
	})
}

// refuse fails for the flags that an object does not take.
func (f createFlags) refuse(p *parser, object string, orReplace, temporary bool) {
	switch {
	case f.orReplace && !orReplace:
		p.unsupported(p.prev.start, "CREATE OR REPLACE "+object+" is not supported; use DROP "+object+" first")
	case f.temporary && !temporary:
		p.unsupported(p.prev.start, "CREATE TEMPORARY "+object+" is not supported")
	}
}

// notExists reads IF NOT EXISTS, which contradicts OR REPLACE.
func (p *parser) notExists(f *createFlags) {
	at := p.tok
	f.ifNotExists = p.ifNotExists()
	if f.ifNotExists && f.orReplace && p.err == nil {
		p.tok = at
		p.failf("OR REPLACE and IF NOT EXISTS contradict each other")
	}
}

// createDatabase reads [IF NOT EXISTS] name [COMMENT ...] [PROPERTIES (...)].
func (p *parser) createDatabase(f createFlags) Statement {
	f.refuse(p, "DATABASE", true, false)
	p.notExists(&f)
	s := &CreateDatabase{OrReplace: f.orReplace, IfNotExists: f.ifNotExists, Name: p.databaseName()}
	s.Comment = p.comment()
	s.Properties = p.properties()
	return s
}

// createView reads [IF NOT EXISTS] name [(columns)] [COMMENT ...] AS query.
func (p *parser) createView(f createFlags) Statement {
	f.refuse(p, "VIEW", true, false)
	p.notExists(&f)
	s := &CreateView{OrReplace: f.orReplace, IfNotExists: f.ifNotExists, Name: p.objectName("a view name")}
	if p.accept(tokLParen) {
		for {
			c := ViewColumn{Name: p.ident("a column name")}
			c.Comment = p.comment()
			s.Columns = append(s.Columns, c)
			if !p.accept(tokComma) {
				break
			}
		}
		p.closeList()
	}
	s.Comment = p.comment()
	p.expectKw(kwAs)
	s.Query = p.query()
	return s
}

// createStage reads [IF NOT EXISTS] name ['uri'] options; a bare URI is the option URL.
func (p *parser) createStage(f createFlags) Statement {
	p.notExists(&f)
	s := &CreateStage{OrReplace: f.orReplace, Temporary: f.temporary, IfNotExists: f.ifNotExists, Name: p.ident("a stage name")}
	if p.tok.kind == tokString {
		s.Options = []Option{{Place: p.place(), Name: "URL", Value: p.optionValue()}}
	}
	s.Options = p.freeOptions(s.Options)
	return s
}

// createFileFormat reads [IF NOT EXISTS] name and the options, in parentheses or free.
func (p *parser) createFileFormat(f createFlags) Statement {
	f.refuse(p, "FILE FORMAT", true, false)
	p.notExists(&f)
	s := &CreateFileFormat{OrReplace: f.orReplace, IfNotExists: f.ifNotExists, Name: p.ident("a file format name")}
	if p.tok.kind == tokLParen {
		s.Options = p.options()
	} else {
		s.Options = p.freeOptions(nil)
	}
	if len(s.Options) == 0 {
		p.expected("TYPE = and the options of the format")
	}
	return s
}

// createIndex reads [IF NOT EXISTS] name ON table (columns) and the tail of an index.
func (p *parser) createIndex(f createFlags) Statement {
	f.refuse(p, "INDEX", false, false)
	at := p.place()
	p.notExists(&f)
	s := &CreateIndex{Index: IndexDef{Place: at, IfNotExists: f.ifNotExists, Name: p.ident("an index name")}}
	p.expectKw(kwOn)
	s.Table = p.objectName("a table name")
	s.Index.Columns = p.identList("a column name")
	p.indexTail(&s.Index)
	return s
}

// indexTail reads [USING method] [PROPERTIES (...)] [COMMENT '...'].
func (p *parser) indexTail(d *IndexDef) {
	if p.acceptKw(kwUsing) {
		d.Using = upper(p.ident("an index method name").Name)
	}
	d.Properties = p.properties()
	d.Comment = p.comment()
}

// buildIndex reads a statement behind BUILD.
func (p *parser) buildIndex() Statement {
	p.expectWord("INDEX")
	s := &BuildIndex{Name: p.ident("an index name")}
	p.expectKw(kwOn)
	s.Table = p.objectName("a table name")
	return s
}

// drop reads a statement behind DROP.
func (p *parser) drop() Statement {
	p.acceptAny("TEMPORARY", "TEMP")
	return p.dispatch("DROP", []object{
		{"TABLE", (*parser).dropTable},
		{"VIEW", func(p *parser) Statement { return &DropView{IfExists: p.ifExists(), Name: p.objectName("a view name")} }},
		{"DATABASE", (*parser).dropDatabase},
		{"SCHEMA", (*parser).dropDatabase},
		{"STAGE", func(p *parser) Statement { return &DropStage{IfExists: p.ifExists(), Name: p.ident("a stage name")} }},
		{"FILE FORMAT", func(p *parser) Statement {
			return &DropFileFormat{IfExists: p.ifExists(), Name: p.ident("a file format name")}
		}},
		{"INDEX", (*parser).dropIndex},
		{"USER", func(p *parser) Statement { return &DropUser{IfExists: p.ifExists(), User: p.userName()} }},
	})
}

// dropTable reads [IF EXISTS] name, ... [FORCE].
func (p *parser) dropTable() Statement {
	s := &DropTable{IfExists: p.ifExists()}
	for {
		s.Names = append(s.Names, p.objectName("a table name"))
		if !p.accept(tokComma) {
			break
		}
	}
	s.Force = p.force()
	return s
}

// dropDatabase reads [IF EXISTS] name [FORCE].
func (p *parser) dropDatabase() Statement {
	return &DropDatabase{IfExists: p.ifExists(), Name: p.databaseName(), Force: p.force()}
}

// force reads FORCE or CASCADE; RESTRICT is the default.
func (p *parser) force() bool {
	w := p.acceptAny("FORCE", "CASCADE", "RESTRICT")
	return w == "FORCE" || w == "CASCADE"
}

// dropIndex reads [IF EXISTS] name ON table.
func (p *parser) dropIndex() Statement {
	s := &DropIndex{IfExists: p.ifExists(), Name: p.ident("an index name")}
	p.expectKw(kwOn)
	s.Table = p.objectName("a table name")
	return s
}

// truncate reads a statement behind TRUNCATE.
func (p *parser) truncate() Statement {
	p.acceptWord("TABLE")
	s := &TruncateTable{Name: p.objectName("a table name")}
	if p.isKw(kwPartition) {
		p.unsupported(p.tok.start, "TRUNCATE of one PARTITION is not supported; use DELETE ... WHERE")
	}
	return s
}
