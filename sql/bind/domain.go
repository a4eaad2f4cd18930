package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
)

// domain is the set of the different combinations of values for which a correlated sub-query has to be computed: those of the
// expressions that the sub-query takes from its enclosing query.
type domain struct {
	// outer are these expressions as they stand in the sub-query, own the same numbered as the enclosing query does.
	outer, own []expr.Expr
	// byRow says that some values cannot be compared, such as VARIANT: every row of the enclosing query counts as different, and the
	// last column of the domain is its number.
	byRow  bool
	schema types.Schema
	// uses counts the places in the sub-query's plan that read the domain.
	uses int
}

// domainRows stands for the rows of a domain until the rows of the enclosing query are known.
type domainRows struct{ d *domain }

// Schema is that of the domain.
func (n *domainRows) Schema() types.Schema { return n.d.schema }

// Children returns nothing.
func (n *domainRows) Children() []plan.Node { return nil }

// rowColumn is the name of the column that numbers rows in a domain by row.
const rowColumn = "$row"

// newDomain collects what the plan of a sub-query takes from the enclosing query of a level.
func newDomain(b *binder, n plan.Node, level int) *domain {
	d := &domain{}
	planReads(n, func(e expr.Expr) bool {
		expr.Walk(e, func(x expr.Expr) bool {
			if !isUnit(x, level) {
				return true
			}
			d.add(b, x, level)
			return false
		})
		return false
	})
	if d.byRow {
		d.schema = append(d.schema, types.Field{Name: rowColumn, Type: types.Of(types.BigInt), NotNull: true})
	}
	return d
}

func (d *domain) add(b *binder, e expr.Expr, level int) {
	if d.find(e) >= 0 {
		return
	}
	own := b.fromOuter(e, level)
	d.outer, d.own = append(d.outer, e), append(d.own, own)
	d.schema = append(d.schema, types.Field{Name: plan.NameOf(own), Type: e.Type(), NotNull: neverNull(own)})
	d.byRow = d.byRow || zero(e.Type()) == nil
}

func (d *domain) find(e expr.Expr) int {
	for i := range d.outer {
		if expr.Equal(d.outer[i], e) {
			return i
		}
	}
	return -1
}

// isUnit tells whether e is taken from the enclosing query as a whole: a column, a path of one, or what a VARIANT is cast to. None of these
// can fail.
func isUnit(e expr.Expr, level int) bool {
	switch x := e.(type) {
	case *expr.Column:
		return isOuter(x, level)
	case *expr.Path:
		return isUnit(x.Arg, level)
	case *expr.Cast:
		return x.Arg.Type().IsVariant() && isUnit(x.Arg, level)
	}
	return false
}

// in replaces the units in e by the domain's columns, which begin at number base.
func (d *domain) in(e expr.Expr, level, base int) expr.Expr {
	if e == nil {
		return nil
	}
	if isUnit(e, level) {
		return d.column(d.find(e), base)
	}
	return plan.MapArgs(e, func(a expr.Expr) expr.Expr { return d.in(a, level, base) })
}

func (d *domain) column(i, base int) *expr.Column {
	f := d.schema[i]
	return &expr.Column{Index: base + i, Name: f.Name, T: f.Type, NotNull: f.NotNull}
}

// columns are all columns of the domain, numbered from base.
func (d *domain) columns(base int) (exprs []expr.Expr, names []string) {
	for i := range d.schema {
		exprs, names = append(exprs, d.column(i, base)), append(names, d.schema[i].Name)
	}
	return exprs, names
}

// keys compares a domain's columns, numbered from left and right on, so that NULL equals NULL.
func (d *domain) keys(left, right int) (l, r []expr.Expr) {
	for i := range d.schema {
		if d.byRow && i < len(d.schema)-1 {
			continue
		}
		a, b := sameKeys(d.column(i, left), d.column(i, right))
		l, r = append(l, a...), append(r, b...)
	}
	return l, r
}

// sameKeys makes join keys that are equal where l IS NOT DISTINCT FROM r: for what may be NULL, a value in the place of NULL and whether
// it is NULL.
func sameKeys(l, r expr.Expr) (left, right []expr.Expr) {
	if neverNull(l) && neverNull(r) {
		return []expr.Expr{l}, []expr.Expr{r}
	}
	filled := func(e expr.Expr) expr.Expr {
		return &expr.Case{Whens: []expr.When{{Cond: &expr.IsNull{Arg: e, Negate: true}, Then: e}}, Else: zero(e.Type()), T: e.Type()}
	}
	return []expr.Expr{filled(l), &expr.IsNull{Arg: l}}, []expr.Expr{filled(r), &expr.IsNull{Arg: r}}
}

// zeroTexts are values of the types that are written as text.
var zeroTexts = map[types.Kind]string{
	types.Varchar: "", types.Binary: "", types.Date: "1970-01-01", types.Time: "00:00:00", types.DateTime: "1970-01-01 00:00:00",
	types.TimestampTZ: "1970-01-01 00:00:00Z", types.IPv4: "0.0.0.0", types.IPv6: "::", types.UUID: "00000000-0000-0000-0000-000000000000",
}

// zero is some value of a type that hash joins and grouping can compare; nil for other types.
func zero(t types.Type) *expr.Const {
	c := constOf(types.Of(types.Int), int32(0))
	text, isText := zeroTexts[t.Kind]
	switch {
	case isText:
		c = textConst(text)
	case t.Kind == types.Boolean:
		return boolConst(false)
	case !t.IsNumeric():
		return nil
	}
	v, err := function.Cast(&function.Ctx{}, c.Value, t, false)
	if err != nil || v.IsNull(0) {
		return nil
	}
	return &expr.Const{Value: v}
}

// supply puts the rows of a domain into the plan of a sub-query. node yields the rows of the enclosing query and own are the domain's
// expressions over them. It returns node, perhaps with columns appended, the plan, and the domain's key over node.
func (d *domain) supply(node, right plan.Node, own []expr.Expr) (left, supplied plan.Node, keys []expr.Expr, err error) {
	left = node
	names := make([]string, len(own))
	for i := range names {
		names[i] = d.schema[i].Name
	}
	if d.byRow {
		if left, err = numbered(node); err != nil {
			return nil, nil, nil, err
		}
		n := plan.ColumnOf(left.Schema(), len(left.Schema())-1)
		n.NotNull = true
		own, names = append(own[:len(own):len(own)], n), append(names, rowColumn)
	}
	if d.byRow || !repeatable(node) {
		left = plan.NewShared(&plan.Definition{Name: "outer", Plan: left})
	}
	var rows plan.Node = plan.NewProject(left, own, names)
	if !d.byRow {
		rows = &plan.Distinct{Input: rows}
	}
	if d.uses > 1 {
		rows = plan.NewShared(&plan.Definition{Name: "domain", Plan: rows})
	}
	var put func(n plan.Node) plan.Node
	put = func(n plan.Node) plan.Node {
		if x, ok := n.(*domainRows); ok && x.d == d {
			return rows
		}
		return plan.MapChildren(n, put)
	}
	return left, put(plan.MapDefinitions(right, put)), own, nil
}

// rowNumber is the call of row_number().
func rowNumber() (plan.WindowCall, error) {
	fn, err := function.ResolveWindow("row_number", nil)
	return plan.WindowCall{Fn: fn, Name: rowColumn, Frame: plan.Frame{Unit: plan.FrameRange, End: plan.Bound{Kind: plan.CurrentRow}}}, err
}

// numbered appends a column that numbers the rows of a node.
func numbered(n plan.Node) (plan.Node, error) {
	call, err := rowNumber()
	if err != nil {
		return nil, err
	}
	return plan.NewWindow(n, nil, nil, []plan.WindowCall{call}), nil
}

// repeatable tells whether a plan yields the same rows each time and costs little, so that it may run twice.
func repeatable(n plan.Node) bool {
	same := true
	plan.Walk(n, func(n plan.Node) bool {
		switch n.(type) {
		case *plan.Scan, *plan.Values, *plan.Batches, *plan.Filter, *plan.Project, *plan.Shared:
			for _, e := range plan.Exprs(n) {
				same = same && !plan.Volatile(e)
			}
		default:
			same = false
		}
		return same
	})
	return same
}
