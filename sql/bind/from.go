package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// fromList binds FROM a, b, c: a cross join in which a later table function may use columns of earlier elements.
func (b *binder) fromList(list []parse.TableExpr) (*relation, error) {
	if len(list) == 0 {
		return noColumns(), nil
	}
	var left *relation
	for _, t := range list {
		right, lateral, err := b.fromItem(t, left)
		if err != nil {
			return nil, err
		}
		switch {
		case left == nil || lateral:
			left = right
		default:
			if left, err = b.cross(left, right, t.Pos()); err != nil {
				return nil, err
			}
		}
	}
	return left, nil
}

// fromItem binds one element; lateral tells that the result contains left already.
func (b *binder) fromItem(t parse.TableExpr, left *relation) (rel *relation, lateral bool, err error) {
	switch f := t.(type) {
	case *parse.TableFunc:
		if left == nil {
			left = noColumns()
		}
		if isExplode(f.Call) || b.usesLeft(f, left) {
			rel, err = b.explodeFrom(f, left, false)
			return rel, true, err
		}
	case *parse.DerivedTable:
		if f.Lateral && left != nil {
			rel, err = b.lateral(left, f, plan.Cross, nil)
			return rel, true, err
		}
	}
	rel, err = b.from(t)
	return rel, false, err
}

// from binds an element of FROM that stands by itself.
func (b *binder) from(t parse.TableExpr) (*relation, error) {
	if err := b.grow(1, t.Pos()); err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case *parse.TableName:
		return b.tableName(t)
	case *parse.DerivedTable:
		rel, err := b.query(t.Query)
		if err != nil {
			return nil, err
		}
		return rename(rel, t.Alias.Name.Name, t.Alias.Columns)
	case *parse.Join:
		return b.join(t)
	case *parse.LateralView:
		return b.lateralView(t)
	case *parse.TableFunc:
		if isExplode(t.Call) || b.usesLeft(t, noColumns()) {
			return b.explodeFrom(t, noColumns(), false)
		}
		return b.tableFunc(t)
	case *parse.StageTable:
		node, err := b.env.Tables.Stage(t)
		if err != nil {
			return nil, sqlerr.WithPlace(err, t.Pos())
		}
		return rename(nodeRelation(node), t.Alias.Name.Name, t.Alias.Columns)
	}
	return nil, sqlerr.At(sqlerr.Unsupported, t.Pos(), "this form of table is not supported")
}

// nodeRelation names the columns of a node as its schema does. A VARIANT column of a Scan is a whole one.
func nodeRelation(node plan.Node) *relation {
	rel := &relation{node: node}
	for i, f := range node.Schema() {
		rel.cols = append(rel.cols, fieldColumn(f, i))
	}
	return rel
}

// tableName binds a table, view, system table or common table expression.
func (b *binder) tableName(t *parse.TableName) (*relation, error) {
	rel, err := b.named(t)
	if err != nil {
		return nil, err
	}
	return b.sample(rel, t.Sample)
}

// named finds what a name stands for.
func (b *binder) named(t *parse.TableName) (*relation, error) {
	alias := t.Alias.Name.Name
	if len(t.Name.Parts) == 1 {
		if c := b.findCTE(t.Name.Parts[0]); c != nil {
			return b.useCTE(c, t)
		}
	}
	db, name, err := b.qualify(t.Name)
	if err != nil {
		return nil, err
	}
	r, err := b.env.Tables.Relation(db, name)
	if err != nil {
		return nil, sqlerr.WithPlace(err, t.Pos())
	}
	var rel *relation
	database := db.Name
	switch {
	case r.Table != nil:
		rel = tableRelation(plan.NewScan(r.Table, false))
		name.Name, database = r.Table.Name, r.Table.Database
	case r.View != nil:
		if rel, err = b.view(r.View, t.Pos()); err != nil {
			return nil, err
		}
		name.Name, database = r.View.Name, r.View.Database
	default:
		rel = nodeRelation(r.Node)
	}
	if alias == "" {
		alias = name.Name
	} else {
		database = ""
	}
	rel, err = rename(rel, alias, t.Alias.Columns)
	if err != nil {
		return nil, err
	}
	for i := range rel.cols {
		rel.cols[i].database = database
	}
	return rel, nil
}

// qualify splits catalog.database.name; without a database it is the current one, or a view's.
func (b *binder) qualify(n parse.ObjectName) (db, name parse.Ident, err error) {
	parts := n.Parts
	if len(parts) == 3 {
		if !matches(catalog.CatalogName, parts[0], false) {
			return db, name, sqlerr.At(sqlerr.NotFound, parts[0].Pos(), "catalog %s does not exist; there is only %s", parts[0].Name, catalog.CatalogName)
		}
		parts = parts[1:]
	}
	if len(parts) == 2 {
		return parts[0], parts[1], nil
	}
	return b.database, parts[0], nil
}

// tableRelation names the columns of a Scan; VARIANT columns know where they come from.
func tableRelation(scan *plan.Scan) *relation {
	rel := &relation{node: scan}
	for i := range scan.Columns {
		c := fieldColumn(scan.Out[i], i)
		if c.t.Kind == types.Variant {
			c.origin = origin{whole: true, spec: c.t.Variant}
		}
		rel.cols = append(rel.cols, c)
	}
	return rel
}

func (b *binder) useCTE(c *cte, t *parse.TableName) (*relation, error) {
	if c.binding {
		c.used = true
		if c.working == nil {
			return nil, sqlerr.At(sqlerr.Bind, t.Pos(), "%s reads itself: that is possible in the part of WITH RECURSIVE behind UNION or UNION ALL only", c.name.Name)
		}
		alias := t.Alias.Name.Name
		if alias == "" {
			alias = c.name.Name
		}
		return rename(c.working, alias, t.Alias.Columns)
	}
	if err := b.grow(c.size, t.Pos()); err != nil {
		return nil, err
	}
	alias := t.Alias.Name.Name
	if alias == "" {
		alias = c.name.Name
	}
	return rename(c.rel, alias, t.Alias.Columns)
}

// view binds the query of a view in the database where it was made, without the common table expressions of its user.
func (b *binder) view(v *View, pos int) (*relation, error) {
	if b.viewDepth >= maxViewDepth {
		return nil, sqlerr.At(sqlerr.Resource, pos, "views use one another more than %d deep; does view %s use itself?", maxViewDepth, v.Name)
	}
	q, err := parseQuery(v.Text)
	if err != nil {
		return nil, sqlerr.At(sqlerr.Corrupt, pos, "view %s cannot be read: %s", v.Name, err)
	}
	home := v.Home
	if home == "" {
		home = v.Database
	}
	ctes, database, outer := b.ctes, b.database, b.outer
	b.ctes, b.outer, b.database = nil, nil, parse.Ident{Name: home, Quoted: true}
	b.viewDepth++
	leave := b.enter(pos)
	rel, err := b.query(q)
	leave()
	b.viewDepth--
	b.ctes, b.database, b.outer = ctes, database, outer
	if err != nil {
		// Positions inside the view's text mean nothing to the reader of the statement.
		return nil, sqlerr.At(sqlerr.KindOf(err), pos, "view %s: %s", v.Name, message(err))
	}
	if len(v.Columns) > 0 && len(v.Columns) != len(rel.cols) {
		return nil, sqlerr.At(sqlerr.Bind, pos, "view %s has %d column names for %d columns", v.Name, len(v.Columns), len(rel.cols))
	}
	for i := range v.Columns {
		rel.cols[i].name = v.Columns[i]
	}
	return rel, nil
}

func parseQuery(text string) (*parse.Query, error) {
	list, err := parse.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(list) == 1 {
		if q, ok := list[0].(*parse.QueryStmt); ok {
			return q.Query, nil
		}
	}
	return nil, sqlerr.New(sqlerr.Syntax, "not a query")
}

// tableFunc binds a table function with constant arguments.
func (b *binder) tableFunc(t *parse.TableFunc) (*relation, error) {
	if t.Ordinality {
		return nil, sqlerr.At(sqlerr.Unsupported, t.Pos(), "WITH ORDINALITY is not supported")
	}
	name := strings.ToLower(t.Call.Name.Last().Name)
	s := &scope{b: b, clause: "arguments of a table function"}
	var args []FuncArg
	for _, a := range t.Call.Args {
		arg := FuncArg{}
		e := a
		if n, ok := a.(*parse.NamedArg); ok {
			arg.Name, e = strings.ToLower(n.Name.Name), n.X
		}
		// numbers("number" = "10") writes an option as a comparison with a quoted name.
		if c, ok := a.(*parse.Binary); ok && c.Op == parse.OpEq {
			if r, ok := c.L.(*parse.ColumnRef); ok && len(r.Parts) == 1 && r.Parts[0].Quoted {
				arg.Name, e = strings.ToLower(r.Parts[0].Name), c.R
				if v, ok := c.R.(*parse.ColumnRef); ok && len(v.Parts) == 1 && v.Parts[0].Quoted {
					e = &parse.Literal{Place: v.Place, Kind: parse.LitString, Text: v.Parts[0].Name}
				}
			}
		}
		x, err := s.bind(e)
		if err != nil {
			return nil, err
		}
		if arg.Value, err = evaluate(b.env.Ctx, b.settle(x), e.Pos()); err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	node, err := b.series(name, args)
	if node == nil && err == nil {
		node, err = b.env.Tables.Function(name, args)
	}
	if err != nil {
		return nil, sqlerr.WithPlace(err, t.Pos())
	}
	if node == nil {
		return nil, sqlerr.At(sqlerr.NotFound, t.Pos(), "table function %s does not exist", name)
	}
	alias := t.Alias.Name.Name
	if alias == "" {
		alias = name
	}
	return rename(nodeRelation(node), alias, t.Alias.Columns)
}

// explodes are the functions that make a row of each element of their argument; the value says whether they are OUTER.
var explodes = map[string]bool{
	"explode": false, "explode_outer": true, "explode_variant_array": false, "unnest": false, "posexplode": false, "explode_map": false,
	"explode_split": false, "explode_split_outer": true,
}
