package parse

// showObjects are what can stand behind SHOW, in the order they are tried.
var showObjects = []struct {
	words string
	kind  ShowKind
}{
	{"DATABASES", ShowDatabases}, {"SCHEMAS", ShowDatabases}, {"TABLES", ShowTables}, {"TABLE STATUS", ShowTableStatus},
	{"VIEWS", ShowViews}, {"COLUMNS", ShowColumns}, {"FIELDS", ShowColumns}, {"FUNCTIONS", ShowFunctions},
	{"VARIABLES", ShowVariables}, {"SETTINGS", ShowVariables}, {"STATUS", ShowStatus}, {"STAGES", ShowStages},
	{"FILE FORMATS", ShowFileFormats}, {"PROCESSLIST", ShowProcesslist}, {"INDEX", ShowIndex}, {"INDEXES", ShowIndex},
	{"KEYS", ShowIndex}, {"USERS", ShowUsers}, {"CATALOGS", ShowCatalogs}, {"CREATE TABLE", ShowCreateTable},
	{"CREATE VIEW", ShowCreateView}, {"CREATE DATABASE", ShowCreateDatabase}, {"CREATE SCHEMA", ShowCreateDatabase},
}

// show reads a statement behind SHOW.
func (p *parser) show() Statement {
	s := &Show{}
	switch p.acceptAny("FULL", "EXTENDED") {
	case "FULL", "EXTENDED":
		s.Full = true
	}
	s.Scope = p.scope()
	objects := make([]object, len(showObjects))
	for i, o := range showObjects {
		objects[i] = object{o.words, func(p *parser) Statement {
			s.Kind = o.kind
			p.showTail(s)
			return s
		}}
	}
	return p.dispatch("SHOW", objects)
}

// showTail reads what follows the object of SHOW.
func (p *parser) showTail(s *Show) {
	switch s.Kind {
	case ShowCreateTable, ShowCreateView:
		s.Name = p.objectName("a table name")
		return
	case ShowCreateDatabase:
		s.Name = p.databaseName()
		return
	case ShowColumns, ShowIndex:
		if !p.acceptKw(kwFrom) && !p.acceptKw(kwIn) {
			p.expected("FROM and a table name")
		}
		s.Name = p.objectName("a table name")
	}
	if p.acceptKw(kwFrom) || p.acceptKw(kwIn) {
		s.From = p.databaseName()
	}
	switch {
	case p.acceptKw(kwLike):
		s.Like = p.stringLit("a string")
	case p.acceptKw(kwWhere):
		s.Where = p.parseExpr()
	}
	if p.acceptKw(kwLimit) {
		s.Limit = p.parseExpr()
	}
}

// describe reads a statement behind DESC or DESCRIBE.
func (p *parser) describe() Statement {
	s := &Describe{}
	next := p.peek()
	switch {
	case p.startsQuery() || p.tok.kind == tokLParen:
		s.Kind, s.Query = DescribeQuery, p.query()
		return s
	case !isName(next) && next.kw != kwDefault:
	case p.acceptWord("TABLE"), p.acceptWord("VIEW"):
	case p.acceptWord("STAGE"):
		s.Kind = DescribeStage
	case p.acceptWord("DATABASE"), p.acceptWord("SCHEMA"):
		s.Kind = DescribeDatabase
	case p.acceptWord("USER"):
		s.Kind = DescribeUser
	}
	if s.Kind == DescribeDatabase {
		s.Name = p.databaseName()
		return s
	}
	s.Name = p.objectName("a table name")
	if s.Kind != DescribeTable {
		return s
	}
	switch {
	case p.acceptKw(kwPartition) || p.acceptWord("PARTITIONS"):
		if p.tok.kind == tokLParen {
			s.Partitions = p.identList("a partition name")
		} else {
			s.Partitions = []Ident{p.ident("a partition name")}
		}
	case p.acceptKw(kwAll):
		s.All = true
	}
	return s
}

// explain reads a statement behind EXPLAIN.
func (p *parser) explain() Statement {
	p.enter()
	defer p.leave()
	s := &Explain{}
	next := p.peek()
	switch {
	case p.atWord("ANALYZE") && !p.isWord(next, "TABLE"):
		p.advance()
		p.acceptWord("VERBOSE")
		s.Mode = ExplainAnalyze
	case p.acceptWord("VERBOSE"):
		s.Mode = ExplainVerbose
	case p.acceptWord("LOGICAL"):
		p.acceptWord("PLAN")
		s.Mode = ExplainLogical
	case p.acceptWord("PLAN"):
		p.acceptKw(kwFor)
	case p.atWord("AST"), p.atWord("RAW"), p.atWord("SYNTAX"), p.atWord("PIPELINE"), p.atWord("GRAPH"), p.atWord("MEMO"),
		p.atWord("SHAPE"), p.atWord("OPTIMIZED"), p.atWord("PARSED"), p.atWord("ANALYZED"), p.atWord("PHYSICAL"),
		p.atWord("FORMAT"), p.atWord("PERF"), p.atWord("ESTIMATE"), p.atWord("TREE"):
		p.unsupported(p.tok.start, "EXPLAIN "+upper(p.text(p.tok))+" is not supported; there are EXPLAIN, EXPLAIN LOGICAL, EXPLAIN VERBOSE and EXPLAIN ANALYZE")
	}
	s.Stmt = p.statement()
	return s
}
