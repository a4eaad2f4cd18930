package parse

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// statementParsers are the statements by their first word; each is called with that word consumed. WITH, SELECT, VALUES and '('
// begin queries and are not in the table. (It is filled in an init function because EXPLAIN leads back to it.)
var statementParsers map[string]func(*parser) Statement

func init() {
	statementParsers = map[string]func(*parser) Statement{
		"CREATE": (*parser).create, "DROP": (*parser).drop, "ALTER": (*parser).alter, "TRUNCATE": (*parser).truncate,
		"INSERT": (*parser).insert, "DELETE": (*parser).delete, "UPDATE": (*parser).update, "MERGE": (*parser).merge,
		"COPY": (*parser).copyInto, "LIST": (*parser).list, "LS": (*parser).list, "REMOVE": (*parser).remove, "RM": (*parser).remove,
		"SHOW": (*parser).show, "DESC": (*parser).describe, "DESCRIBE": (*parser).describe, "EXPLAIN": (*parser).explain,
		"SET": (*parser).set, "UNSET": (*parser).unset, "RESET": (*parser).unset, "USE": (*parser).use,
		"BEGIN": (*parser).begin, "START": (*parser).startTransaction, "COMMIT": (*parser).commit, "END": (*parser).commit,
		"COMMENT": (*parser).commentOn, "ROLLBACK": (*parser).rollback, "ABORT": (*parser).rollback, "KILL": (*parser).kill,
		"ANALYZE": (*parser).analyze, "OPTIMIZE": (*parser).optimize, "FLUSH": (*parser).flush, "BUILD": (*parser).buildIndex,
	}
}

// knownStatements begin with these words elsewhere; they are refused by name and not called a typing error.
var knownStatements = map[string]string{
	"REPLACE": "REPLACE INTO is not supported; use DELETE and INSERT",
	"GRANT":   "GRANT is not supported yet: every authenticated user is an administrator",
	"REVOKE":  "REVOKE is not supported yet: every authenticated user is an administrator",
	"CALL":    "CALL is not supported: there are no stored procedures", "EXECUTE": "EXECUTE is not supported; prepare statements through the client",
	"PREPARE": "PREPARE is not supported; prepare statements through the client", "DEALLOCATE": "DEALLOCATE is not supported; prepare statements through the client",
	"SAVEPOINT": "SAVEPOINT is not supported", "RELEASE": "RELEASE is not supported", "LOCK": "LOCK is not supported; readers and writers do not block each other",
	"UNLOCK": "UNLOCK is not supported", "LOAD": "LOAD is not supported; use COPY INTO", "EXPORT": "EXPORT is not supported; use COPY INTO @stage",
	"IMPORT": "IMPORT is not supported; use COPY INTO", "PUT": "PUT is not supported; copy files into the folder of the stage or use the load command",
	"GET": "GET is not supported; read the files in the folder of the stage", "PRESIGN": "PRESIGN is not supported",
	"REFRESH": "REFRESH is not supported", "VACUUM": "VACUUM is not supported; use OPTIMIZE TABLE", "UNDROP": "UNDROP is not supported",
	"RECOVER": "RECOVER is not supported", "BACKUP": "BACKUP is not supported", "RESTORE": "RESTORE is not supported",
	"ADMIN": "ADMIN statements are not supported", "SYSTEM": "SYSTEM statements are not supported", "ATTACH": "ATTACH is not supported",
	"DETACH": "DETACH is not supported", "PRAGMA": "PRAGMA is not supported; use SET", "DECLARE": "DECLARE is not supported",
	"RENAME": "RENAME is not supported; use ALTER TABLE ... RENAME",
	"SYNC":   "SYNC is not supported", "CANCEL": "CANCEL is not supported; use KILL", "PIVOT": "PIVOT is not supported; use aggregates over CASE",
	"HELP": "HELP is not supported", "TABLE": "TABLE name is not supported as a statement; use SELECT * FROM name",
}

// statement reads one statement and fills in what all statements have.
func (p *parser) statement() Statement {
	start, firstParam := p.tok.start, len(p.params)
	s := p.statementBody()
	if p.err != nil {
		return nil
	}
	b := s.base()
	b.Place, b.Text = Place(start), p.src[start:p.prev.end]
	if len(p.params) > firstParam {
		b.Params = p.params[firstParam:len(p.params):len(p.params)]
	}
	return s
}

// statementBody reads one statement without the fields that all statements have.
func (p *parser) statementBody() Statement {
	switch {
	case p.isKw(kwWith):
		return p.withStatement()
	case p.tok.kind == tokLParen || p.startsQuery():
		return &QueryStmt{Query: p.query()}
	case p.tok.kind != tokWord:
		p.expected("a statement")
		return nil
	}
	word := strings.ToUpper(p.text(p.tok))
	if f := statementParsers[word]; f != nil {
		p.advance()
		return f(p)
	}
	if msg := knownStatements[word]; msg != "" {
		p.unsupported(p.tok.start, msg)
		return nil
	}
	msg := "expected a statement, found " + p.found(p.tok)
	names := []string{"SELECT", "WITH", "VALUES"}
	for name := range statementParsers {
		names = append(names, name)
	}
	if near := closestOrdered(word, names); near != "" {
		msg += "; did you mean " + near + "?"
	}
	p.failf("%s", msg)
	return nil
}

// withStatement reads WITH and the query or COPY INTO behind it.
func (p *parser) withStatement() Statement {
	p.enter()
	defer p.leave()
	at := p.place()
	with := p.with()
	switch {
	case p.acceptWord("COPY"):
		s := p.copyInto()
		switch c := s.(type) {
		case *CopyIntoTable:
			c.With = with
		case *CopyIntoLocation:
			c.With = with
		}
		return s
	case p.atWord("INSERT"), p.atWord("UPDATE"), p.atWord("DELETE"):
		p.unsupported(int(at), "WITH in front of INSERT, UPDATE and DELETE is not supported; write WITH inside the query")
	}
	return &QueryStmt{Query: p.queryTail(at, with, p.setOps(p.queryOperand(), setOpUnion))}
}

// object is a word that can stand behind CREATE, DROP or ALTER with the function that reads the rest.
type object struct {
	words string
	read  func(*parser) Statement
}

// dispatch reads the words of one of the objects and calls its function. verb is for messages.
func (p *parser) dispatch(verb string, objects []object) Statement {
	for _, o := range objects {
		first, second, two := strings.Cut(o.words, " ")
		if !p.atWord(first) || two && !p.isWord(p.peek(), second) {
			continue
		}
		p.advance()
		if two {
			p.advance()
		}
		return o.read(p)
	}
	return p.unknownObject(verb, objects)
}

// maxChoice bounds how many words a message offers.
const maxChoice = 9

// foreignObjects can be created elsewhere.
var foreignObjects = []string{
	"ROLE", "FUNCTION", "PROCEDURE", "TRIGGER", "SEQUENCE", "CATALOG", "RESOURCE", "JOB", "TASK", "STREAM", "CONNECTION", "NETWORK",
	"MASKING", "MATERIALIZED", "ROW", "POLICY", "WORKLOAD", "REPOSITORY", "DICTIONARY", "AGGREGATE", "ALIAS", "SQL_BLOCK_RULE",
	"SYNC", "ROUTINE", "INVERTED", "PASSWORD", "TAG", "NOTIFICATION", "WAREHOUSE", "TYPE", "EXTENSION", "DOMAIN", "PUBLICATION",
	"STORAGE", "GRANTS", "ROLES", "BACKENDS", "FRONTENDS", "PARTITIONS", "LOAD", "ALTER", "WARNINGS", "ERRORS", "DATA", "PRIVILEGES",
	"ENGINES", "TABLET", "TABLETS", "STATS", "TRIGGERS", "EVENTS", "LOCKS", "SEQUENCES", "STREAMS", "TASKS", "CHARSET", "COLLATION",
	"PROPERTY", "USER_FUNCTIONS", "STAGE", "FILE", "ROUTINES", "PLUGINS", "SNAPSHOT", "EXPORT", "BACKUP", "METRICS", "SYSTEM",
}

// unknownObject fails because none of the objects follows.
func (p *parser) unknownObject(verb string, objects []object) Statement {
	word := strings.ToUpper(p.text(p.tok))
	for _, f := range foreignObjects {
		if word == f {
			p.unsupported(p.tok.start, verb+" "+word+" is not supported")
			return nil
		}
	}
	names := make([]string, len(objects))
	for i, o := range objects {
		names[i] = o.words
	}
	choice := strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
	if len(names) > maxChoice {
		choice = strings.Join(names[:maxChoice], ", ") + " ..."
	}
	msg := "expected " + choice + " behind " + verb + ", found " + p.found(p.tok)
	if near := closestOrdered(word, names); near != "" && p.tok.kind == tokWord {
		msg += "; did you mean " + near + "?"
	}
	p.failf("%s", msg)
	return nil
}

// closestOrdered is closest over a list in any order with a result that does not depend on it.
func closestOrdered(s string, list []string) string {
	best := ""
	for _, w := range list {
		if near := closest(s, []string{w}); near != "" && (best == "" || better(s, near, best)) {
			best = near
		}
	}
	return best
}

// better tells that a is nearer to s than b, or as near and first in the alphabet.
func better(s, a, b string) bool {
	da, db := slips(s, a, maxShown), slips(s, b, maxShown)
	return da < db || da == db && a < b
}

// twice fails because a clause is repeated at the current token.
func (p *parser) twice(clause string) {
	p.fail(sqlerr.At(sqlerr.Syntax, p.tok.start, "%s is given twice", clause))
}
