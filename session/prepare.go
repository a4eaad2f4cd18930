package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// Prepare checks one statement without executing it. Several statements in one text are refused; see Script.
func (s *Session) Prepare(ctx context.Context, text string) (*Prepared, error) {
	stmts, err := parse.Parse(text)
	if err != nil {
		return nil, err
	}
	switch len(stmts) {
	case 0:
		return nil, sqlerr.New(sqlerr.Syntax, "there is no statement")
	case 1:
		return s.prepare(ctx, text, stmts[0])
	}
	return nil, sqlerr.At(sqlerr.Unsupported, stmts[1].Pos(), "send one statement at a time; this is the second of %d", len(stmts))
}

func (s *Session) prepare(_ context.Context, text string, st parse.Statement) (p *Prepared, err error) {
	defer func() { recovered(recover(), &err) }()
	p = &Prepared{sess: s, text: text, stmt: st}
	err = s.describe(p, st)
	return p, err
}

// Execute runs the statement with one value (a vector of one row) per parameter. The caller must Close the result.
func (p *Prepared) Execute(ctx context.Context, params []*vec.Vector) (r *Result, err error) {
	defer func() { recovered(recover(), &err) }()
	if len(params) != len(p.Params) {
		return nil, sqlerr.New(sqlerr.Bind, "the statement has %d parameters, %d values were given", len(p.Params), len(params))
	}
	return p.sess.execute(ctx, p.stmt, params)
}

// Session returns the view of the session in which the statement is executed, see Session.In.
func (p *Prepared) Session() *Session { return p.sess }

// Text returns the statement as given to Prepare.
func (p *Prepared) Text() string { return p.text }

// Exec prepares and executes one statement without parameters.
func (s *Session) Exec(ctx context.Context, text string) (*Result, error) {
	p, err := s.Prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	return p.Execute(ctx, nil)
}

// Script executes the statements of a text one after the other and gives each result to f, which must not keep it. It stops at the
// first error. Positions in errors count from the beginning of the text.
func (s *Session) Script(ctx context.Context, text string, f func(source string, r *Result) error) error {
	stmts, err := parse.Parse(text)
	if err != nil {
		return err
	}
	for _, st := range stmts {
		p, err := s.prepare(ctx, text, st)
		if err != nil {
			return err
		}
		r, err := p.Execute(ctx, nil)
		if err != nil {
			return err
		}
		err = f(st.SourceText(), r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// recovered turns a bug of ours into an error of this statement.
func recovered(bug any, err *error) {
	if bug != nil {
		*err = sqlerr.New(sqlerr.Internal, "%v\n%s", bug, firstLines(string(debug.Stack()), 24))
	}
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

// describe finds out what a statement yields and which parameters it takes.
func (s *Session) describe(p *Prepared, st parse.Statement) error {
	c := s.newCall(s.present(), nil)
	switch st := st.(type) {
	case *parse.QueryStmt:
		r, err := bind.Query(c.env, st.Query)
		if err != nil {
			return err
		}
		p.Schema, p.Params, p.ReadOnly = r.Schema, r.Params, true
	case *parse.Explain:
		p.Schema, p.ReadOnly = texts("plan"), st.Mode != parse.ExplainAnalyze
		if _, isQuery := st.Stmt.(*parse.QueryStmt); isQuery {
			p.ReadOnly = true
		}
	case *parse.Show:
		p.Schema, p.ReadOnly = showSchema(st), true
	case *parse.Describe:
		p.Schema, p.ReadOnly = describeSchema, true
		if st.Kind == parse.DescribeStage {
			p.Schema = stageSchema
		}
	case *parse.ListStage:
		p.Schema, p.ReadOnly = listSchema, true
	case *parse.CopyIntoTable:
		// A marker such as $1 in its query is a column of the staged files; binding refuses the others.
		p.Schema = copySchema
		return nil
	case *parse.CopyIntoLocation:
		p.Schema = unloadSchema
		return nil
	case *parse.Insert, *parse.Delete, *parse.Update, *parse.Merge:
		return c.describeChange(p, st)
	case *parse.CreateView:
		// Creating it says what is wrong with its query.
		return nil
	default:
		if len(st.Parameters()) > 0 {
			return sqlerr.At(sqlerr.Unsupported, st.Parameters()[0].Pos(), "parameters are not supported in this statement")
		}
	}
	if p.Params == nil && len(st.Parameters()) > 0 {
		return sqlerr.At(sqlerr.Unsupported, st.Parameters()[0].Pos(), "parameters are not supported in this statement")
	}
	p.ParamNames = paramNames(st, len(p.Params))
	return nil
}

func paramNames(st parse.Statement, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(i + 1)
	}
	slot := map[string]int{}
	for _, m := range st.Parameters() {
		if m.Name != "" {
			if _, ok := slot[m.Name]; !ok && len(slot) < n {
				names[len(slot)] = m.Name
				slot[m.Name] = len(slot)
			}
		}
	}
	return names
}

func (c *call) describeChange(p *Prepared, st parse.Statement) error {
	ch, err := c.bindChange(st)
	if err != nil {
		return err
	}
	p.Params = ch.Params
	p.ParamNames = paramNames(st, len(p.Params))
	return nil
}

// bindChange binds INSERT, DELETE, UPDATE or MERGE.
func (c *call) bindChange(st parse.Statement) (*bind.Change, error) {
	var name parse.ObjectName
	var build func() (*bind.Change, error)
	switch st := st.(type) {
	case *parse.Insert:
		name, build = st.Table, func() (*bind.Change, error) { return bind.Insert(c.env, st) }
	case *parse.Delete:
		name, build = st.Table, func() (*bind.Change, error) { return bind.Delete(c.env, st) }
	case *parse.Update:
		name, build = st.Table, func() (*bind.Change, error) { return bind.Update(c.env, st) }
	case *parse.Merge:
		name, build = st.Table, func() (*bind.Change, error) { return bind.Merge(c.env, st) }
	}
	if _, err := c.s.table(c.snap, name); err != nil {
		return nil, err
	}
	return build()
}

// execute runs a statement.
func (s *Session) execute(ctx context.Context, st parse.Statement, params []*vec.Vector) (r *Result, err error) {
	if q, ok := st.(*parse.QueryStmt); ok {
		v, err := s.reading()
		if err != nil {
			return nil, err
		}
		return s.newCall(v, params).runQuery(ctx, q.SourceText(), q.Query, v.Release)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q := s.register(safeText(st), cancel)
	ctx = context.WithValue(ctx, queryKey{}, q)
	defer func() { s.engine.end(q, err) }()
	switch st := st.(type) {
	case *parse.Insert, *parse.Delete, *parse.Update, *parse.Merge:
		return s.again(ctx, func(v *View) (*Result, error) { return s.newCall(v, params).changeRows(ctx, st) })
	case *parse.CopyIntoTable:
		return s.copyIntoTable(ctx, st)
	case *parse.CopyIntoLocation:
		return s.copyIntoLocation(ctx, st)
	case *parse.Explain:
		return s.explain(ctx, st)
	}
	q.plain.Store(true)
	return s.administer(ctx, st)
}

// safeText is a statement as it may be shown: without passwords.
func safeText(st parse.Statement) string {
	switch st := st.(type) {
	case *parse.CreateUser:
		return "CREATE USER " + st.User.Name + " IDENTIFIED BY '***'"
	case *parse.AlterUser:
		return "ALTER USER " + st.User.Name + " IDENTIFIED BY '***'"
	}
	return st.SourceText()
}

// administer runs the statements that read and change definitions and settings.
func (s *Session) administer(ctx context.Context, st parse.Statement) (*Result, error) {
	switch st := st.(type) {
	case *parse.CreateDatabase:
		return s.createDatabase(ctx, st)
	case *parse.DropDatabase:
		return s.dropDatabase(ctx, st)
	case *parse.AlterDatabase:
		return s.alterDatabase(ctx, st)
	case *parse.CreateTable:
		return s.createTable(ctx, st)
	case *parse.DropTable:
		return s.dropTable(ctx, st)
	case *parse.AlterTable:
		return s.alterTable(ctx, st)
	case *parse.TruncateTable:
		return s.truncate(ctx, st)
	case *parse.Set:
		return s.set(ctx, st)
	case *parse.Unset:
		return s.unset(st)
	case *parse.Use:
		return s.use(st)
	case *parse.Show:
		return s.show(ctx, st)
	case *parse.Describe:
		return s.describeStatement(ctx, st)
	case *parse.Flush:
		return &Result{}, s.engine.store.Flush(ctx)
	case *parse.Compact:
		return s.compact(ctx, st)
	case *parse.Kill:
		return s.kill(st)
	}
	return s.administerMore(ctx, st)
}

func (s *Session) administerMore(ctx context.Context, st parse.Statement) (*Result, error) {
	switch st := st.(type) {
	case *parse.CreateStage:
		return s.createStage(ctx, st)
	case *parse.DropStage:
		return s.dropStage(ctx, st)
	case *parse.ListStage:
		return s.listStage(st)
	case *parse.RemoveStage:
		return s.removeStage(st)
	case *parse.CreateFileFormat:
		return s.createFormat(ctx, st)
	case *parse.DropFileFormat:
		return s.dropFormat(ctx, st)
	case *parse.Comment:
		return s.commentOn(ctx, st)
	case *parse.CreateView:
		return s.createView(ctx, st)
	case *parse.DropView:
		return s.dropView(ctx, st)
	case *parse.CreateUser:
		return s.createUser(ctx, st)
	case *parse.AlterUser:
		return s.alterUser(ctx, st)
	case *parse.DropUser:
		return s.dropUser(ctx, st)
	case *parse.Begin:
		return s.beginTxn(st)
	case *parse.Commit:
		return s.endTxn(ctx, st, true)
	case *parse.Rollback:
		return s.endTxn(ctx, st, false)
	}
	return nil, unsupported(st)
}

// unsupported is the answer to a statement that is known but not built.
func unsupported(st parse.Statement) error {
	what := "this statement is not supported"
	switch st.(type) {
	case *parse.CreateIndex, *parse.DropIndex, *parse.BuildIndex:
		what = "indexes cannot be made or dropped yet; no query needs one"
	case *parse.Analyze:
		what = "ANALYZE is not supported and not needed: the statistics of segments are kept with them"
	}
	return sqlerr.At(sqlerr.Unsupported, st.Pos(), "%s", what)
}
