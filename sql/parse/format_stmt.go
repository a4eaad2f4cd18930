package parse

import (
	"fmt"
	"strings"
)

// statement writes any statement.
func (p *printer) statement(s Statement) {
	switch n := s.(type) {
	case *QueryStmt:
		p.query(n.Query)
	case *Insert:
		p.insert(n)
	case *Delete:
		p.put("DELETE FROM ")
		p.dmlTable(n.Table, n.Alias)
		if n.Using != nil {
			p.put(" USING ")
			p.fromList(n.Using)
		}
		p.clause(" WHERE ", n.Where)
	case *Merge:
		p.merge(n)
	case *Update:
		p.update(n)
	case *Explain:
		p.put([...]string{ExplainPlan: "EXPLAIN ", ExplainAnalyze: "EXPLAIN ANALYZE ", ExplainVerbose: "EXPLAIN VERBOSE ", ExplainLogical: "EXPLAIN LOGICAL "}[n.Mode])
		p.statement(n.Stmt)
	case *CopyIntoTable, *CopyIntoLocation, *CreateStage, *DropStage, *ListStage, *RemoveStage, *CreateFileFormat, *DropFileFormat:
		p.copyStatement(s)
	case *Show, *Describe, *Set, *Unset, *Use, *Begin, *Commit, *Rollback, *Kill, *Compact, *Analyze, *Flush, *CreateUser, *AlterUser, *DropUser:
		p.adminStatement(s)
	default:
		p.ddlStatement(s)
	}
}

func (p *printer) insert(n *Insert) {
	p.put(either(n.Overwrite, "INSERT OVERWRITE ", "INSERT INTO "))
	p.name(n.Table)
	if n.Columns != nil {
		p.put(" ")
		p.idents(n.Columns)
	}
	if n.Query == nil {
		p.put(" DEFAULT VALUES")
		return
	}
	p.put(" ")
	p.query(n.Query)
}

func (p *printer) dmlTable(table ObjectName, alias Ident) {
	p.name(table)
	if alias.Name != "" {
		p.put(" AS ")
		p.ident(alias)
	}
}

func (p *printer) update(n *Update) {
	p.put("UPDATE ")
	p.dmlTable(n.Table, n.Alias)
	p.put(" SET ")
	p.assignments(n.Set)
	if n.From != nil {
		p.put(" FROM ")
		p.fromList(n.From)
	}
	p.clause(" WHERE ", n.Where)
}

func (p *printer) assignments(list []Assignment) {
	p.list(len(list), func(i int) {
		p.expr(list[i].Column, precPostfix)
		p.put(" = ")
		p.expr(list[i].Value, precNone)
	})
}

// copyStatement writes the statements about files.
func (p *printer) copyStatement(s Statement) {
	switch n := s.(type) {
	case *CopyIntoTable:
		p.copyIntoTable(n)
	case *CopyIntoLocation:
		p.copyIntoLocation(n)
	case *CreateStage:
		p.create(n.OrReplace, n.Temporary, "STAGE ", n.IfNotExists)
		p.ident(n.Name)
		p.freeOptions(n.Options)
	case *DropStage:
		p.drop("STAGE ", n.IfExists)
		p.ident(n.Name)
	case *ListStage:
		p.put("LIST ")
		p.location(n.Location)
		p.pattern(n.Pattern)
	case *RemoveStage:
		p.put("REMOVE ")
		p.location(n.Location)
		p.pattern(n.Pattern)
	case *CreateFileFormat:
		p.create(n.OrReplace, false, "FILE FORMAT ", n.IfNotExists)
		p.ident(n.Name)
		p.put(" ")
		p.optionList(n.Options, " = ")
	case *DropFileFormat:
		p.drop("FILE FORMAT ", n.IfExists)
		p.ident(n.Name)
	}
}

func (p *printer) pattern(s *StringLit) {
	if s != nil {
		p.put(" PATTERN = ")
		p.str(s.Value)
	}
}

func (p *printer) copyIntoTable(n *CopyIntoTable) {
	p.with(n.With)
	p.put("COPY INTO ")
	p.name(n.Table)
	if n.Columns != nil {
		p.put(" ")
		p.idents(n.Columns)
	}
	p.put(" FROM ")
	if n.Query != nil {
		p.paren(n.Query)
	} else {
		p.location(*n.Source)
	}
	p.freeOptions(n.Options)
}

func (p *printer) copyIntoLocation(n *CopyIntoLocation) {
	p.with(n.With)
	p.put("COPY INTO ")
	p.location(n.Target)
	p.put(" FROM ")
	if n.Query != nil {
		p.paren(n.Query)
	} else {
		p.name(n.Table)
	}
	if n.PartitionBy != nil {
		p.put(" PARTITION BY ")
		p.parenExprs([]Expr{n.PartitionBy})
	}
	p.freeOptions(n.Options)
}

// create writes CREATE and its flags.
func (p *printer) create(orReplace, temporary bool, object string, ifNotExists bool) {
	p.put("CREATE ")
	p.when(orReplace, "OR REPLACE ")
	p.when(temporary, "TEMPORARY ")
	p.put(object)
	p.when(ifNotExists, "IF NOT EXISTS ")
}

// drop writes DROP and its flag.
func (p *printer) drop(object string, ifExists bool) {
	p.put("DROP ", object)
	p.when(ifExists, "IF EXISTS ")
}

// showWords are the canonical words of each kind of SHOW.
var showWords = [...]string{
	ShowDatabases: "DATABASES", ShowTables: "TABLES", ShowViews: "VIEWS", ShowColumns: "COLUMNS FROM ", ShowFunctions: "FUNCTIONS",
	ShowCreateTable: "CREATE TABLE ", ShowCreateDatabase: "CREATE DATABASE ", ShowCreateView: "CREATE VIEW ",
	ShowVariables: "VARIABLES", ShowStatus: "STATUS", ShowStages: "STAGES", ShowFileFormats: "FILE FORMATS",
	ShowProcesslist: "PROCESSLIST", ShowIndex: "INDEX FROM ", ShowUsers: "USERS", ShowCatalogs: "CATALOGS",
	ShowTableStatus: "TABLE STATUS",
}

func (p *printer) show(n *Show) {
	p.put("SHOW ")
	p.when(n.Full, "FULL ")
	p.put(scopeWords[n.Scope], showWords[n.Kind])
	p.name(n.Name)
	if !n.From.IsZero() {
		p.put(" FROM ")
		p.name(n.From)
	}
	if n.Like != nil {
		p.put(" LIKE ")
		p.str(n.Like.Value)
	}
	p.clause(" WHERE ", n.Where)
	p.clause(" LIMIT ", n.Limit)
}

var scopeWords = [...]string{ScopeDefault: "", ScopeSession: "SESSION ", ScopeGlobal: "GLOBAL "}

func (p *printer) describe(n *Describe) {
	p.put("DESCRIBE ")
	if n.Kind == DescribeQuery {
		p.query(n.Query)
		return
	}
	p.put([...]string{DescribeTable: "TABLE ", DescribeStage: "STAGE ", DescribeDatabase: "DATABASE ", DescribeUser: "USER ", DescribeQuery: ""}[n.Kind])
	p.name(n.Name)
	p.when(n.All, " ALL")
	if n.Partitions != nil {
		p.put(" PARTITION ")
		p.idents(n.Partitions)
	}
}

// adminStatement writes the statements about sessions, users and upkeep.
func (p *printer) adminStatement(s Statement) {
	switch n := s.(type) {
	case *Show:
		p.show(n)
	case *Describe:
		p.describe(n)
	case *Set:
		p.put("SET ")
		p.list(len(n.Items), func(i int) { p.setItem(n.Items[i]) })
	case *Unset:
		p.put("UNSET ", scopeWords[n.Scope])
		p.idents(n.Names)
	case *Use:
		p.put(either(n.Catalog, "USE CATALOG ", "USE "))
		p.name(n.Name)
	case *Begin:
		p.put("BEGIN")
		p.when(n.ReadOnly, " READ ONLY")
	case *Commit:
		p.put("COMMIT")
	case *Rollback:
		p.put("ROLLBACK")
	case *Kill:
		p.put("KILL ", either(n.Connection, "CONNECTION ", "QUERY "))
		p.str(n.ID)
	case *Compact:
		p.put("OPTIMIZE TABLE ")
		p.name(n.Table)
		p.put(" COMPACT")
	case *Analyze:
		p.put("ANALYZE TABLE ")
		p.name(n.Table)
	case *Flush:
		p.put(either(n.Table.IsZero(), "FLUSH TABLES", "FLUSH TABLE "))
		p.name(n.Table)
	default:
		p.userStatement(s)
	}
}

// setItem writes one setting. A name that is not made of plain words and dots was quoted as a whole.
func (p *printer) setItem(item SetItem) {
	p.put(scopeWords[item.Scope])
	plain := true
	for i, part := range strings.Split(item.Name, ".") {
		plain = plain && isBareWord(part) && (i > 0 || isPlainName(part))
	}
	p.ident(Ident{Name: item.Name, Quoted: !plain})
	p.put(" = ")
	p.expr(item.Value, precNone)
}

// userStatement writes the statements about users.
func (p *printer) userStatement(s Statement) {
	switch n := s.(type) {
	case *CreateUser:
		p.create(n.OrReplace, false, "USER ", n.IfNotExists)
		p.user(n.User)
		p.identified(n.Method, n.Password, n.Options)
	case *AlterUser:
		p.put("ALTER USER ")
		p.when(n.IfExists, "IF EXISTS ")
		p.user(n.User)
		p.identified(n.Method, n.Password, n.Options)
	case *DropUser:
		p.drop("USER ", n.IfExists)
		p.user(n.User)
	default:
		panic(fmt.Sprintf("BUG: no SQL form for %T", s))
	}
}

func (p *printer) user(u UserName) {
	p.str(u.Name)
	if u.Host != "" {
		p.put("@")
		p.str(u.Host)
	}
}

func (p *printer) identified(method string, password *StringLit, options []Option) {
	if method != "" || password != nil {
		p.put(" IDENTIFIED")
	}
	if method != "" {
		p.put(" WITH ")
		p.optionIdent(method)
	}
	if password != nil {
		p.put(" BY ")
		p.str(password.Value)
	}
	if options != nil {
		p.put(" WITH")
		p.freeOptions(options)
	}
}
