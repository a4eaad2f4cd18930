package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Limits of one statement.
const (
	// maxPlanNodes bounds a plan: common table expressions that use one another several times grow exponentially.
	maxPlanNodes = 20_000
	// maxViewDepth bounds views that use views.
	maxViewDepth = 32
	// maxParams bounds the parameters of a prepared statement.
	maxParams = 65_535
	// maxColumns bounds the output columns of one SELECT.
	maxColumns = 10_000
)

// Env is what a statement is bound against. It is only read.
type Env struct {
	Tables Tables
	// Ctx is used to fold constants; never nil.
	Ctx *function.Ctx
	// Params are the values of the statement's parameters, one row each, by slot. Parameters without a value (a missing or nil
	// element) stay in the plan as expr.Param, with an inferred type.
	Params []*vec.Vector
	// Variable answers @@name; nil, or false for unknown names, makes it an error.
	Variable func(name string, global bool) (string, bool)
}

// Relation is what a name in FROM stands for. Exactly one of Table, View and Node is set.
type Relation struct {
	Table *catalog.Table
	View  *View
	// Node yields the rows of a system table.
	Node plan.Node
}

// View is a stored query.
type View struct {
	Database, Name string
	// Text is the SELECT; names without a database in it mean Home, or Database if that is empty.
	Text string
	Home string
	// Columns rename the output columns where not empty.
	Columns []string
}

// FuncArg is a constant argument of a table function; Name is "" for positional ones.
type FuncArg struct {
	Name  string
	Value *vec.Vector
}

// Tables finds what FROM can name. Errors are of package sqlerr and need no position. It is called on the binder's goroutine.
type Tables interface {
	// Relation finds a table, view or system table. db is the zero Ident for the current database. Bare names match without
	// regard to case and are ambiguous if several do; quoted names match exactly first. A missing one is NotFound.
	Relation(db, name parse.Ident) (Relation, error)
	// Function answers a table function with constant arguments; (nil, nil) says that there is none of that name.
	Function(name string, args []FuncArg) (plan.Node, error)
	// Stage reads staged files as a table.
	Stage(t *parse.StageTable) (plan.Node, error)
}

// Result is a bound query.
type Result struct {
	Plan plan.Node
	// Schema describes the columns as clients see them.
	Schema types.Schema
	// Whole tells for each output column whether it is a VARIANT column of a table as such, or a JSON value: its cells print as JSON
	// text with strings in quotes; other VARIANT cells print strings raw.
	Whole []bool
	// Params are the types of the parameters by slot.
	Params []types.Type
}

// Query binds a query.
func Query(env *Env, q *parse.Query) (*Result, error) {
	b := newBinder(env)
	rel, err := b.query(q)
	if err != nil {
		return nil, err
	}
	r := &Result{Plan: rel.node, Schema: rel.node.Schema(), Whole: make([]bool, len(rel.cols)), Params: b.paramTypes()}
	for i, c := range rel.cols {
		r.Whole[i] = c.origin.whole && len(c.origin.path) == 0 || c.t.Kind == types.JSON
	}
	return r, nil
}

// Scalar binds an expression that may use the columns of a schema, as DEFAULT, SET and COPY transformations need; no aggregates,
// no sub-queries. A nil schema allows no columns.
func Scalar(env *Env, schema types.Schema, e parse.Expr) (expr.Expr, error) {
	s := &scope{b: newBinder(env), clause: "this expression"}
	for i, f := range schema {
		s.cols = append(s.cols, fieldColumn(f, i))
	}
	x, err := s.bind(e)
	if err != nil {
		return nil, err
	}
	return s.b.settle(x), nil
}

// Constant binds and evaluates an expression without columns; the result has one row.
func Constant(env *Env, e parse.Expr) (*vec.Vector, error) {
	x, err := Scalar(env, nil, e)
	if err != nil {
		return nil, err
	}
	return evaluate(env.Ctx, x, e.Pos())
}

// evaluate computes an expression without columns; pos is where an error belongs.
func evaluate(c *function.Ctx, x expr.Expr, pos int) (*vec.Vector, error) {
	if k, ok := x.(*expr.Const); ok {
		return k.Value, nil
	}
	if missing := findParam(x); missing != nil {
		return nil, sqlerr.At(sqlerr.Bind, pos, "parameter %d has no value yet", missing.Slot+1)
	}
	v, err := x.Eval(c, &vec.Batch{Len: 1})
	if err != nil {
		return nil, sqlerr.WithPlace(err, pos)
	}
	return vec.Flatten(v), nil
}

func findParam(x expr.Expr) *expr.Param {
	if p, ok := x.(*expr.Param); ok {
		return p
	}
	var found *expr.Param
	plan.MapArgs(x, func(a expr.Expr) expr.Expr {
		if found == nil {
			found = findParam(a)
		}
		return a
	})
	return found
}

// binder holds the state of one statement.
type binder struct {
	env *Env
	// ctes are the common table expressions in sight, innermost last.
	ctes []*cte
	// outer is the scope of the query that encloses the one being bound, nil at the top.
	outer *scope
	// params are the inferred types by slot; types.Null means unknown.
	params []types.Type
	// places are the positions of columns in the SQL text.
	places map[*expr.Column]int
	// templates are the compiled Schema Templates met so far.
	templates map[*types.VariantSpec]*variant.Template
	// database replaces the current one inside a view.
	database  parse.Ident
	viewDepth int
	// origin is where the statement names the view or column whose own text is being bound, 0 while the statement's is.
	origin expr.Place
	nodes  int
	// lambdaParams counts the parameters of lambdas met so far.
	lambdaParams int
}

func newBinder(env *Env) *binder {
	return &binder{env: env, places: map[*expr.Column]int{}, templates: map[*types.VariantSpec]*variant.Template{}}
}

// place is what errors at position pos of the text being bound point at.
func (b *binder) place(pos int) expr.Place {
	if b.origin != 0 {
		return b.origin
	}
	return expr.PlaceAt(pos)
}

// enter begins with the text of a view or default that the statement uses at pos; the function that it returns ends with it.
func (b *binder) enter(pos int) func() {
	before := b.origin
	b.origin = b.place(pos)
	return func() { b.origin = before }
}

// grow charges n plan nodes to the statement.
func (b *binder) grow(n, pos int) error {
	if b.nodes += n; b.nodes > maxPlanNodes {
		return sqlerr.At(sqlerr.Resource, pos, "query grows beyond %d plan nodes", maxPlanNodes)
	}
	return nil
}
