package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

func isExplode(c *parse.Call) bool {
	_, ok := explodes[strings.ToLower(c.Name.Last().Name)]
	return ok
}

// lateralView binds input LATERAL VIEW [OUTER] explode(x) table AS column.
func (b *binder) lateralView(v *parse.LateralView) (*relation, error) {
	input := noColumns()
	if v.Input != nil {
		rel, err := b.from(v.Input)
		if err != nil {
			return nil, err
		}
		input = rel
	}
	if !isExplode(v.Call) {
		return nil, sqlerr.At(sqlerr.Unsupported, v.Call.Pos(), "LATERAL VIEW supports explode, explode_outer, explode_variant_array and explode_split, not %s", v.Call.Name)
	}
	return b.explode(v.Call, input, v.Outer, v.Table.Name, v.Columns)
}

// explodeFrom binds explode(x) as an element of FROM; x may use the columns of left.
func (b *binder) explodeFrom(f *parse.TableFunc, left *relation, outer bool) (*relation, error) {
	if f.Ordinality {
		return nil, sqlerr.At(sqlerr.Unsupported, f.Pos(), "WITH ORDINALITY is not supported")
	}
	if !isExplode(f.Call) {
		return b.lateralSeries(f, left, outer)
	}
	columns := f.Alias.Columns
	table := f.Alias.Name.Name
	if len(columns) == 0 && table != "" {
		// FROM t, explode(x) AS e names the element e as well as the table.
		columns = []parse.Ident{f.Alias.Name}
	}
	return b.explode(f.Call, left, outer, table, columns)
}

// joinExplode binds t JOIN explode(t.x): CROSS JOIN, or INNER and LEFT JOIN ON TRUE.
func (b *binder) joinExplode(j *parse.Join, f *parse.TableFunc, left *relation) (*relation, error) {
	onTrue := false
	if l, ok := j.On.(*parse.Literal); ok {
		onTrue = l.Kind == parse.LitBool && strings.EqualFold(l.Text, "true")
	}
	switch {
	case j.Kind == parse.JoinCross, j.Kind == parse.JoinInner && onTrue:
		return b.explodeFrom(f, left, false)
	case j.Kind == parse.JoinLeft && onTrue:
		return b.explodeFrom(f, left, true)
	}
	return nil, sqlerr.At(sqlerr.Unsupported, j.Pos(), "%s can be joined by CROSS JOIN, or INNER or LEFT JOIN ... ON TRUE", f.Call.Name)
}

// explode builds the node; the element is the last column.
func (b *binder) explode(c *parse.Call, input *relation, outer bool, table string, columns []parse.Ident) (*relation, error) {
	name := strings.ToLower(c.Name.Last().Name)
	outer = outer || explodes[name]
	s := &scope{b: b, cols: input.cols, outer: b.outer, level: b.level(), clause: name}
	args, err := s.bindAll(c.Args)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, "explode_split") {
		x, err := s.resolve(c.Pos(), "split_by_string", args...)
		if err != nil {
			return nil, err
		}
		args = []expr.Expr{x}
	}
	switch {
	case name == "posexplode" || name == "explode_map":
		return nil, sqlerr.At(sqlerr.Unsupported, c.Pos(), "%s is not supported", name)
	case len(args) != 1:
		return nil, sqlerr.At(sqlerr.Unsupported, c.Pos(), "%s takes one argument", name)
	case len(columns) > 1:
		return nil, sqlerr.At(sqlerr.Bind, columns[1].Pos(), "%s yields one column", name)
	}
	return b.exploded(c, input, args[0], outer, table, columns)
}

// exploded yields the rows of input once for each element of list.
func (b *binder) exploded(c *parse.Call, input *relation, list expr.Expr, outer bool, table string, columns []parse.Ident) (*relation, error) {
	elem := types.Of(types.Variant)
	switch t := list.Type(); {
	case t.Kind == types.Array:
		elem = *t.Elem
	case t.Kind == types.Null:
		list = b.coerce(list, types.ArrayOf(types.Of(types.Varchar)))
		elem = types.Of(types.Varchar)
	case !t.IsVariant():
		return nil, sqlerr.At(sqlerr.Type, c.Pos(), "%s needs an ARRAY or a VARIANT holding one, not %s", strings.ToLower(c.Name.Last().Name), t)
	}
	f := types.Field{Name: "col", Type: elem}
	if strings.EqualFold(c.Name.Last().Name, "unnest") {
		f.Name = "unnest"
	}
	if len(columns) == 1 {
		f.Name = columns[0].Name
	}
	schema := input.node.Schema()
	node := &plan.Explode{Input: input.node, Arg: list, Outer: outer, Out: append(append(types.Schema(nil), schema...), f)}
	rel := &relation{node: node, cols: append([]column(nil), input.cols...)}
	e := fieldColumn(f, len(schema))
	e.table = table
	rel.cols = append(rel.cols, e)
	return rel, nil
}
