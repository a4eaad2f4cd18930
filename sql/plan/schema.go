package plan

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// Names of the two columns that a Scan with RowIDs appends.
const (
	SegmentColumn = "$segment"
	OrdinalColumn = "$ordinal"
)

// countSchema is the schema of nodes that yield a row count.
var countSchema = types.Schema{{Name: "rows", Type: types.Of(types.BigInt), NotNull: true}}

// Schema returns Out.
func (n *Scan) Schema() types.Schema { return n.Out }

// Schema returns Out.
func (n *StageScan) Schema() types.Schema { return n.Out }

// Schema returns Out.
func (n *Values) Schema() types.Schema { return n.Out }

// Schema returns Out.
func (n *Batches) Schema() types.Schema { return n.Out }

// Schema is that of the input.
func (n *Filter) Schema() types.Schema { return n.Input.Schema() }

// Schema returns Out.
func (n *Project) Schema() types.Schema { return n.Out }

// Schema returns Out: keys, then aggregates.
func (n *Aggregate) Schema() types.Schema { return n.Out }

// Schema returns Out.
func (n *Join) Schema() types.Schema { return n.Out }

// Schema is that of the input.
func (n *Sort) Schema() types.Schema { return n.Input.Schema() }

// Schema is that of the input.
func (n *Limit) Schema() types.Schema { return n.Input.Schema() }

// Schema returns Out.
func (n *Union) Schema() types.Schema { return n.Out }

// Schema is that of the input.
func (n *Distinct) Schema() types.Schema { return n.Input.Schema() }

// Schema returns Out: the input's columns and the element.
func (n *Explode) Schema() types.Schema { return n.Out }

// Schema is one BIGINT row count.
func (n *Write) Schema() types.Schema { return countSchema }

// Schema is one BIGINT row count.
func (n *Delete) Schema() types.Schema { return countSchema }

// NewScan makes a Scan of whole columns in table order; with rowIDs it appends the segment id and the ordinal.
func NewScan(t *catalog.Table, rowIDs bool) *Scan {
	s := &Scan{Table: t, RowIDs: rowIDs}
	for _, c := range t.Columns {
		s.Columns = append(s.Columns, ScanColumn{ID: c.ID, Name: c.Name, Type: c.Type})
	}
	s.Out = ScanSchema(t, s.Columns, rowIDs)
	return s
}

// ScanSchema is the schema of a Scan with the given columns.
func ScanSchema(t *catalog.Table, cols []ScanColumn, rowIDs bool) types.Schema {
	out := make(types.Schema, 0, len(cols)+2)
	for _, c := range cols {
		f := types.Field{Name: c.Label(), Type: c.Type, Table: t.Name, Database: t.Database}
		for i := range t.Columns {
			if t.Columns[i].ID == c.ID && len(c.Path) == 0 {
				f.NotNull, f.Comment = t.Columns[i].NotNull, t.Columns[i].Comment
			}
		}
		out = append(out, f)
	}
	if rowIDs {
		big := types.Of(types.BigInt)
		out = append(out, types.Field{Name: SegmentColumn, Type: big, NotNull: true}, types.Field{Name: OrdinalColumn, Type: big, NotNull: true})
	}
	return out
}

// Label is the column's name, with subscripts where it is a path: v['a']['b'].
func (c ScanColumn) Label() string {
	s := c.Name
	for _, k := range c.Path {
		s += "['" + k + "']"
	}
	return s
}

// NewJoin makes a Join and derives its schema from the kind.
func NewJoin(kind JoinKind, left, right Node, leftKeys, rightKeys []expr.Expr, cond expr.Expr) *Join {
	return &Join{Kind: kind, Left: left, Right: right, LeftKeys: leftKeys, RightKeys: rightKeys, Cond: cond,
		Out: JoinSchema(kind, left.Schema(), right.Schema())}
}

// JoinSchema is the schema of a join: columns of a side that may be missing lose their NOT NULL.
func JoinSchema(kind JoinKind, left, right types.Schema) types.Schema {
	out := make(types.Schema, 0, len(left)+len(right))
	add := func(s types.Schema, nullable bool) {
		for _, f := range s {
			f.NotNull = f.NotNull && !nullable
			out = append(out, f)
		}
	}
	add(left, kind == Right || kind == Full)
	switch kind {
	case Semi, Anti, NullAwareAnti:
	case Mark:
		out = append(out, types.Field{Name: "mark", Type: types.Of(types.Boolean)})
	case Exists:
		out = append(out, types.Field{Name: "mark", Type: types.Of(types.Boolean), NotNull: true})
	default:
		add(right, kind == Left || kind == Full || kind == Single)
	}
	return out
}

// YieldsRight tells whether the columns of the right input are part of the join's rows.
func (k JoinKind) YieldsRight() bool {
	return k != Semi && k != Anti && k != NullAwareAnti && !k.YieldsMark()
}

// YieldsMark tells whether a join of this kind yields the left columns and a mark.
func (k JoinKind) YieldsMark() bool { return k == Mark || k == Exists }

var joinNames = [...]string{
	Inner: "inner", Left: "left", Right: "right", Full: "full", Cross: "cross", Semi: "semi", Anti: "anti",
	NullAwareAnti: "null-aware anti", Mark: "mark", Exists: "exists", Single: "single",
}

// String returns the lower-case name that EXPLAIN prints.
func (k JoinKind) String() string { return joinNames[k] }

// NewProject makes a Project whose fields are named by names; a NotNull column keeps that property. While a query is being bound, columns
// may have numbers that the input does not have.
func NewProject(input Node, exprs []expr.Expr, names []string) *Project {
	p := &Project{Input: input, Exprs: exprs, Out: make(types.Schema, len(exprs))}
	in := input.Schema()
	for i, e := range exprs {
		p.Out[i] = types.Field{Name: names[i], Type: e.Type()}
		if c, ok := e.(*expr.Column); ok && c.Index < len(in) {
			p.Out[i] = in[c.Index]
			p.Out[i].Name, p.Out[i].Type = names[i], c.T
		}
	}
	return p
}

// NewAggregate makes an Aggregate; keyNames name the keys in its schema.
func NewAggregate(input Node, keys []expr.Expr, keyNames []string, aggs []AggCall) *Aggregate {
	a := &Aggregate{Input: input, Keys: keys, Aggs: aggs}
	in := input.Schema()
	for i, k := range keys {
		f := types.Field{Name: keyNames[i], Type: k.Type()}
		if c, ok := k.(*expr.Column); ok && c.Index < len(in) {
			f = in[c.Index]
			f.Name = keyNames[i]
		}
		a.Out = append(a.Out, f)
	}
	for _, g := range aggs {
		a.Out = append(a.Out, types.Field{Name: g.Name, Type: g.Fn.Ret, NotNull: g.Fn.Name == "count"})
	}
	return a
}

// NameOf is the name of a column that holds the values of e: that of a plain column, else the expression's text.
func NameOf(e expr.Expr) string {
	if c, ok := e.(*expr.Column); ok {
		return c.Name
	}
	return e.String()
}

// ColumnOf returns an expression that reads column i of a schema.
func ColumnOf(s types.Schema, i int) *expr.Column {
	return &expr.Column{Index: i, Name: s[i].Name, T: s[i].Type, NotNull: s[i].NotNull}
}

// Identity returns expressions and names that pass all columns of a schema.
func Identity(s types.Schema) ([]expr.Expr, []string) {
	exprs, names := make([]expr.Expr, len(s)), make([]string, len(s))
	for i := range s {
		exprs[i], names[i] = ColumnOf(s, i), s[i].Name
	}
	return exprs, names
}
