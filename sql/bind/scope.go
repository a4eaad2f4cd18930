package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// Placeholder columns: see the package comment. The ranges are far above any real column number.
const (
	ownEnd    = 1 << 24 // real column numbers lie below
	aggBase   = 1 << 25 // + number in aggList.calls
	setBase   = 5 << 23 // + number in aggList.groupings
	winBase   = 3 << 24 // + number in windowList.calls
	subBase   = 1 << 26 // + number in subList.pending
	rightBase = 1 << 27 // + column number of a sub-query's rows once it is joined
	levelStep = 1 << 28 // all of the above lie below
	// A parameter of a lambda is lambdaBase + its number, until the body is bound.
	lambdaBase = 1 << 29
	// A column of an enclosing query is outerBase + its level * levelStep + the number that it has in that query.
	outerBase = 1 << 32
)

// column is a name that a scope offers for one column of a relation.
type column struct {
	// index is the column's number in the schema of the relation's node.
	index int
	name  string
	// table is the alias or table name that qualifies it, "" for none.
	table, database string
	t               types.Type
	notNull         bool
	// hidden columns are only found with their qualifier: the second side of USING.
	hidden bool
	origin origin
	// field carries what clients want to know of a plain column.
	field types.Field
}

// origin says which part of a table's VARIANT column a value is, through any number of sub-queries.
type origin struct {
	// whole is true for a VARIANT column of a table (with an empty path) and for paths in it.
	whole bool
	spec  *types.VariantSpec
	path  []string
}

// fieldColumn makes a scope column of field i of a schema.
func fieldColumn(f types.Field, i int) column {
	return column{index: i, name: f.Name, t: f.Type, notNull: f.NotNull, field: f}
}

// relation is a node with the names of its columns. The order of cols is that of SELECT *; it may differ from the node's.
type relation struct {
	node plan.Node
	cols []column
}

// scope is where names are looked up while one clause is bound.
type scope struct {
	b    *binder
	cols []column
	// outer is the scope of the enclosing query, nil if there is none to be seen.
	outer *scope
	// level is how many queries enclose that of this scope.
	level int
	// clause names the clause in messages: WHERE, GROUP BY, ...
	clause string
	// items are SELECT items that an alias can name where no input column has the name; nil where aliases are not visible.
	items []item
	// sumsFirst lets the alias of an aggregate win over an input column, which could not stand there anyway.
	sumsFirst bool
	// aggs collects aggregate calls, subs sub-queries; nil where they are not allowed.
	aggs *aggList
	subs *subList
	// wins collects window functions; nil where they are not allowed.
	wins *windowList
	// inAggregate is set while arguments of an aggregate are bound.
	inAggregate bool
	// lambda holds the parameters of the lambda that is being bound, nil outside of lambdas.
	lambda *lambdaFrame
}

// column makes the expression that reads c.
func (s *scope) column(c *column, pos int) *expr.Column {
	x := &expr.Column{Index: c.index, Name: c.name, T: c.t, NotNull: c.notNull}
	s.b.places[x] = pos
	return x
}

// at returns the scope column with number index, nil if there is none.
func (s *scope) at(index int) *column {
	for i := range s.cols {
		if s.cols[i].index == index {
			return &s.cols[i]
		}
	}
	return nil
}

// originOf tells which part of a table's VARIANT column e is.
func (s *scope) originOf(e expr.Expr) origin {
	switch x := e.(type) {
	case *expr.Column:
		if x.Index >= outerBase {
			level, index := outerPlace(x)
			for o := s.outer; o != nil; o = o.outer {
				if o.level == level {
					if c := o.at(index); c != nil {
						return c.origin
					}
				}
			}
			return origin{}
		}
		if c := s.at(x.Index); c != nil {
			return c.origin
		}
	case *expr.Path:
		o := s.originOf(x.Arg)
		if !o.whole {
			return origin{}
		}
		path := append([]string(nil), o.path...)
		for _, step := range x.Steps {
			if step.IsIndex {
				return origin{}
			}
			path = append(path, step.Key)
		}
		return origin{whole: true, spec: o.spec, path: path}
	}
	return origin{}
}

// item is an output column of a SELECT.
type item struct {
	e    expr.Expr
	name string
	// alias is the written alias, zero for none.
	alias parse.Ident
	pos   int
	// agg tells that the expression contains an aggregate.
	agg    bool
	origin origin
}

// hasAggregate tells whether e contains a placeholder of an aggregate.
func hasAggregate(e expr.Expr) bool {
	found := false
	plan.EachColumn(e, func(c *expr.Column) { found = found || c.Index >= aggBase && c.Index < winBase })
	return found
}
