package bind

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// selectBinder binds one SELECT block with its ORDER BY.
type selectBinder struct {
	b     *binder
	s     *parse.Select
	order []parse.OrderItem

	// from are the rows after WHERE.
	from *relation

	items []item
	aggs  aggList
	wins  windowList
	// subs are the sub-queries of SELECT, HAVING, QUALIFY and ORDER BY: they are joined after grouping, except for early ones.
	subs subList
	// keys are the GROUP BY keys; raw are the same before casts to template types.
	keys, raw []expr.Expr
	keyNames  []string
	// sets are the grouping sets, each a list of numbers of keys; nil for a plain GROUP BY.
	sets    [][]int
	grouped bool
}

func (x *selectBinder) bind() (*relation, error) {
	if err := x.start(); err != nil {
		return nil, err
	}
	return x.finish()
}

// start binds FROM and WHERE.
func (x *selectBinder) start() error {
	s := x.s
	x.wins.named = s.Windows
	if err := x.b.grow(4, s.Pos()); err != nil {
		return err
	}
	rel, err := x.b.fromList(s.From)
	if err != nil {
		return err
	}
	if rel, err = x.b.sample(rel, s.Sample); err != nil {
		return err
	}
	x.from = rel
	if s.Where == nil {
		return nil
	}
	return x.where(s.Where)
}

// scope makes the scope of a clause over the rows of FROM.
func (x *selectBinder) scope(clause string) *scope {
	return &scope{b: x.b, cols: x.from.cols, outer: x.b.outer, level: x.b.level(), clause: clause}
}

// splitAnd returns the conjuncts of a condition.
func splitAnd(e parse.Expr) []parse.Expr {
	l, ok := e.(*parse.Logical)
	if !ok || l.Op != parse.OpAnd {
		return []parse.Expr{e}
	}
	var out []parse.Expr
	for _, a := range l.Args {
		out = append(out, splitAnd(a)...)
	}
	return out
}

// where binds the condition: plain conjuncts become a Filter, IN and EXISTS become joins above it, conjuncts with other sub-queries a
// second Filter above these.
func (x *selectBinder) where(e parse.Expr) error {
	s := x.scope("WHERE")
	s.subs = &subList{}
	var plain, late []expr.Expr
	for _, c := range splitAnd(e) {
		cond, err := x.selecting(s, c)
		if err != nil {
			return err
		}
		switch {
		case cond == nil:
		case hasSub(cond):
			late = append(late, cond)
		default:
			plain = append(plain, cond)
		}
	}
	node := x.from.node
	if len(plain) > 0 {
		node = &plan.Filter{Input: node, Cond: expr.Join(plain)}
	}
	node, err := s.subs.attach(node, asIs)
	if err != nil {
		return err
	}
	if len(late) > 0 {
		for i := range late {
			late[i] = s.subs.replace(late[i])
		}
		node = &plan.Filter{Input: node, Cond: expr.Join(late)}
	}
	x.from = &relation{node: node, cols: x.from.cols}
	return nil
}

func hasPlaceholder(e expr.Expr, from, to int) bool {
	found := false
	plan.EachColumn(e, func(c *expr.Column) { found = found || c.Index >= from && c.Index < to })
	return found
}

// selecting binds a conjunct. [NOT] IN (query) and correlated [NOT] EXISTS (query) become pending semi or anti joins, and the result is
// nil then; anything else is a condition.
func (x *selectBinder) selecting(s *scope, e parse.Expr) (expr.Expr, error) {
	not, inner := false, e
	for {
		u, ok := inner.(*parse.Unary)
		if !ok || u.Op != parse.OpNot {
			break
		}
		not, inner = !not, u.X
	}
	switch c := inner.(type) {
	case *parse.Quantified:
		if c.Query != nil && c.Op == parse.OpEq && !c.All {
			return nil, s.selectIn(&parse.In{Place: c.Place, X: c.X, Query: c.Query}, not)
		}
		if c.Query != nil && c.Op == parse.OpNe && c.All {
			return nil, s.selectIn(&parse.In{Place: c.Place, X: c.X, Query: c.Query}, !not)
		}
	case *parse.In:
		if c.Query != nil {
			return nil, s.selectIn(c, not != c.Not)
		}
	case *parse.Exists:
		p, err := s.existence(c.Query, c.Pos())
		if err != nil {
			return nil, err
		}
		if p.values != nil {
			value := s.subs.add(p, c.Pos(), s.b)[0]
			if not {
				value = negate(value)
			}
			return value, nil
		}
		if not {
			p.kind = plan.Anti
		}
		s.subs.pending = append(s.subs.pending, p)
		return nil, nil
	}
	return s.condition(e)
}

// neverNull tells whether e is a NOT NULL column or a constant, perhaps under a cast.
func neverNull(e expr.Expr) bool {
	switch x := e.(type) {
	case *expr.Column:
		return x.NotNull
	case *expr.Const:
		return !x.Value.IsNull(0)
	case *expr.Cast:
		return !x.Try && !x.Arg.Type().IsVariant() && neverNull(x.Arg)
	}
	return false
}

// finish binds everything behind WHERE and builds the plan.
func (x *selectBinder) finish() (*relation, error) {
	if err := x.bindItems(); err != nil {
		return nil, err
	}
	if err := x.groupBy(); err != nil {
		return nil, err
	}
	having, err := x.having()
	if err != nil {
		return nil, err
	}
	// The keys of DISTINCT ON go the same way as those of ORDER BY, behind them.
	order, err := x.orderKeys(append(slices.Clip(x.order), x.distinctOn()...))
	if err != nil {
		return nil, err
	}
	qualify, err := x.qualify()
	if err != nil {
		return nil, err
	}
	node, err := x.group(having, qualify, order)
	if err != nil {
		return nil, err
	}
	replace := x.subs.replace
	if having != nil {
		node = &plan.Filter{Input: node, Cond: replace(*having)}
	}
	for i := range x.wins.calls {
		_ = x.wins.calls[i].eachExpr(func(e *expr.Expr) error {
			*e = replace(*e)
			return nil
		})
	}
	node, computed := x.windows(node)
	for i := range x.items {
		x.items[i].e = computed(replace(x.items[i].e))
	}
	for i := range order {
		order[i].e = computed(replace(order[i].e))
	}
	if qualify != nil {
		node = &plan.Filter{Input: node, Cond: computed(replace(*qualify))}
	}
	return x.output(node, order)
}

// bindItems binds the SELECT list.
func (x *selectBinder) bindItems() error {
	s := x.scope("the SELECT list")
	s.aggs, s.subs, s.wins = &x.aggs, &x.subs, &x.wins
	for i := range x.s.Items {
		it := &x.s.Items[i]
		if star, ok := it.Expr.(*parse.Star); ok {
			if err := x.star(star); err != nil {
				return err
			}
			continue
		}
		e, err := s.bind(it.Expr)
		if err != nil {
			return err
		}
		x.items = append(x.items, x.item(s, it, x.b.settle(e)))
	}
	if len(x.items) > maxColumns {
		return sqlerr.At(sqlerr.Resource, x.s.Pos(), "more than %d columns in a SELECT list", maxColumns)
	}
	return nil
}

// item names an output column: its alias, the name of a plain column, or the expression as written.
func (x *selectBinder) item(s *scope, it *parse.SelectItem, e expr.Expr) item {
	out := item{e: e, alias: it.Alias, pos: it.Pos(), agg: hasAggregate(e), origin: s.originOf(e), name: it.Text}
	if c, ok := e.(*expr.Column); ok && c.Index < ownEnd {
		out.name = c.Name
	}
	if it.Alias.Name != "" {
		out.name = it.Alias.Name
	}
	return out
}

// distinctOn are the expressions of DISTINCT ON as keys.
func (x *selectBinder) distinctOn() []parse.OrderItem {
	var out []parse.OrderItem
	for _, e := range x.s.DistinctOn {
		out = append(out, parse.OrderItem{Expr: e})
	}
	return out
}

// output projects the SELECT list, removes duplicates and sorts. The last keys of order are those of DISTINCT ON.
func (x *selectBinder) output(node plan.Node, order []orderKey) (*relation, error) {
	exprs, names := make([]expr.Expr, len(x.items)), make([]string, len(x.items))
	for i, it := range x.items {
		exprs[i], names[i] = it.e, it.name
	}
	rel := &relation{}
	if x.s.Distinct {
		for i, it := range x.items {
			exprs[i] = x.typed(it.e)
			if err := x.scope("").groupable(exprs[i], it.pos, "DISTINCT"); err != nil {
				return nil, err
			}
			x.items[i].e = exprs[i]
		}
	}
	keys, hidden, err := x.sortColumns(order)
	if err != nil {
		return nil, err
	}
	for i, h := range hidden {
		exprs, names = append(exprs, h), append(names, columnName(len(x.items)+i))
	}
	project := plan.NewProject(node, exprs, names)
	rel.node = project
	if x.s.Distinct {
		rel.node = &plan.Distinct{Input: rel.node}
	}
	if n := len(keys) - len(x.s.DistinctOn); n < len(keys) {
		if rel.node, err = x.firstOfEach(rel.node, keys[n:], keys[:n]); err != nil {
			return nil, err
		}
		keys = keys[:n]
	}
	if len(keys) > 0 {
		rel.node = &plan.Sort{Input: rel.node, Keys: keys, Limit: -1}
	}
	if len(hidden) > 0 {
		visible, visibleNames := plan.Identity(project.Out[:len(x.items)])
		rel.node = plan.NewProject(rel.node, visible, visibleNames)
	}
	schema := rel.node.Schema()
	for i, it := range x.items {
		c := fieldColumn(schema[i], i)
		if it.origin.whole && schema[i].Type.IsVariant() {
			c.origin = it.origin
		}
		rel.cols = append(rel.cols, c)
	}
	return rel, nil
}

// firstOfEach keeps the first row, in the order of keys, of those that are equal in on.
func (x *selectBinder) firstOfEach(n plan.Node, on, keys []plan.SortKey) (plan.Node, error) {
	call, err := rowNumber()
	if err != nil {
		return nil, err
	}
	var partition []expr.Expr
	for _, k := range on {
		partition = append(partition, k.Expr)
	}
	w := plan.NewWindow(n, partition, keys, []plan.WindowCall{call})
	first, err := (&scope{b: x.b}).operator(x.s.Pos(), parse.OpEq, plan.ColumnOf(w.Out, len(w.Out)-1), constOf(types.Of(types.BigInt), int64(1)))
	if err != nil {
		return nil, err
	}
	return pick(&plan.Filter{Input: w, Cond: first}, span(0, len(w.Out)-1)), nil
}

// typed casts a VARIANT path to its template type. Behind grouping that has happened already.
func (x *selectBinder) typed(e expr.Expr) expr.Expr {
	if x.grouped {
		return e
	}
	return x.b.knownTemplate(x.scope(""), e)
}

// star expands * and t.*, without the excluded columns.
func (x *selectBinder) star(st *parse.Star) error {
	s := x.scope("the SELECT list")
	excluded := make([]bool, len(st.Exclude))
	found := false
	for i := range s.cols {
		c := &s.cols[i]
		if c.hidden && len(st.Qualifier) == 0 || !c.qualifiedBy(st.Qualifier) {
			continue
		}
		found = true
		skip := false
		for k, ex := range st.Exclude {
			if matches(c.name, ex, ex.Quoted) {
				excluded[k], skip = true, true
			}
		}
		if !skip {
			x.items = append(x.items, item{e: s.column(c, st.Pos()), name: c.name, pos: st.Pos(), origin: c.origin})
		}
	}
	if !found {
		if len(st.Qualifier) > 0 {
			return sqlerr.At(sqlerr.NotFound, st.Pos(), "no table is named %s here", st.Qualifier[len(st.Qualifier)-1].Name)
		}
		return sqlerr.At(sqlerr.Bind, st.Pos(), "SELECT * without FROM")
	}
	for k, ok := range excluded {
		if !ok {
			return sqlerr.At(sqlerr.NotFound, st.Exclude[k].Pos(), "column %s does not exist", st.Exclude[k].Name)
		}
	}
	return nil
}

// noColumns is the input of a SELECT without FROM: one row without columns.
func noColumns() *relation {
	return &relation{node: &plan.Values{Rows: [][]expr.Expr{{}}, Out: types.Schema{}}}
}
