package difftest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// query is a generated SELECT in parts.
type query struct {
	// with are common table expressions by name.
	with     []with
	distinct bool
	items    []string
	// kinds are those of the items.
	kinds []kind
	from  string
	where []*cond
	// groups are expressions; empty for no GROUP BY.
	groups []string
	// ordinals writes groups as positions of items.
	ordinals bool
	having   []*cond
	order    []string
	// limit and offset are 0 for none.
	limit, offset int
	// op and right are a set operation after this query.
	op    string
	right *query
}

type with struct {
	name string
	q    *query
}

func (q *query) String() string {
	var b strings.Builder
	for i, w := range q.with {
		b.WriteString(map[bool]string{true: "WITH ", false: ", "}[i == 0])
		fmt.Fprintf(&b, "%s AS (%s)", w.name, w.q)
	}
	b.WriteString(" SELECT ")
	if q.distinct {
		b.WriteString("DISTINCT ")
	}
	for i, it := range q.items {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s AS c%d", it, i)
	}
	b.WriteString(" FROM " + q.from)
	writeConds(&b, " WHERE ", q.where)
	if len(q.groups) > 0 {
		groups := slices.Clone(q.groups)
		if q.ordinals {
			for i, group := range groups {
				if at := slices.Index(q.items, group); at >= 0 {
					groups[i] = fmt.Sprint(at + 1)
				}
			}
		}
		b.WriteString(" GROUP BY " + strings.Join(groups, ", "))
	}
	writeConds(&b, " HAVING ", q.having)
	if q.right != nil {
		b.WriteString(" " + q.op + " " + q.right.String())
	}
	if len(q.order) > 0 {
		b.WriteString(" ORDER BY " + strings.Join(q.order, ", "))
	}
	if q.limit > 0 {
		fmt.Fprintf(&b, " LIMIT %d", q.limit)
	}
	if q.offset > 0 {
		fmt.Fprintf(&b, " OFFSET %d", q.offset)
	}
	return strings.TrimSpace(b.String())
}

func writeConds(b *strings.Builder, word string, conds []*cond) {
	for i, c := range conds {
		if i > 0 {
			word = " AND "
		}
		b.WriteString(word + "(" + c.String() + ")")
	}
}

// source adds a table under a new alias to the scope.
func (g *generator) source(name string) string {
	g.aliases++
	alias := fmt.Sprintf("a%d", g.aliases)
	for _, f := range fields {
		g.scope = append(g.scope, ref{fmt.Sprintf("{%s.%s}", alias, f.name), f.kind})
	}
	return fmt.Sprintf("<%s> AS %s", name, alias)
}

// derived adds a sub-query or a common table expression with plain columns to the scope.
func (g *generator) derived(from string, kinds []kind) string {
	g.aliases++
	alias := fmt.Sprintf("a%d", g.aliases)
	for i, k := range kinds {
		g.scope = append(g.scope, ref{fmt.Sprintf("%s.c%d", alias, i), k})
	}
	return from + " AS " + alias
}

// statement writes a whole query.
func (g *generator) statement() *query {
	g.scope, g.aliases, g.queries, g.crosses = nil, 0, 2, 1
	var ctes []with
	if g.IntN(5) == 0 {
		ctes = append(ctes, with{"w1", g.nested()})
	}
	q := g.query(ctes, 2)
	q.with = ctes
	if g.IntN(6) == 0 && len(q.order) == 0 {
		g.scope = nil
		q.op = pick(g, "UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT")
		if slices.Contains(q.kinds, double) {
			// Equal doubles may differ in the last bit, by the order of additions.
			q.op = "UNION ALL"
		}
		q.right = g.queryOf(ctes, q.kinds)
	}
	return q
}

// nested writes a query for FROM in a scope of its own. It is ordered only for a LIMIT.
func (g *generator) nested() *query {
	saved := g.scope
	g.scope = nil
	q := g.query(nil, 1)
	if q.limit == 0 {
		q.order = nil
		if g.IntN(5) == 0 && !slices.Contains(q.kinds, double) {
			g.scope = nil
			q.op, q.right = pick(g, "UNION", "UNION ALL", "EXCEPT", "INTERSECT"), g.queryOf(nil, q.kinds)
		}
	}
	g.scope = saved
	return q
}

func (g *generator) query(ctes []with, depth int) *query {
	q := &query{from: g.fromClause(ctes)}
	if g.IntN(5) < 2 {
		g.grouped(q, depth)
	} else {
		for range 1 + g.IntN(4) {
			if g.queries > 0 && g.IntN(12) == 0 {
				q.add(g.scalarQuery())
				continue
			}
			k := pick(g, allKinds...)
			q.add(g.expr(k, depth), k)
		}
		q.distinct = g.IntN(6) == 0 && !slices.Contains(q.kinds, double)
	}
	for range g.IntN(3) {
		q.where = append(q.where, g.cond(depth))
	}
	g.ordered(q)
	return q
}

// queryOf writes a query with items of given kinds.
func (g *generator) queryOf(ctes []with, kinds []kind) *query {
	q := &query{from: g.fromClause(ctes)}
	for _, k := range kinds {
		q.add(g.expr(k, 1), k)
	}
	for range g.IntN(3) {
		q.where = append(q.where, g.cond(1))
	}
	return q
}

func (q *query) add(item string, k kind) {
	q.items, q.kinds = append(q.items, item), append(q.kinds, k)
}

// fromClause writes tables and joins and sets the scope.
func (g *generator) fromClause(ctes []with) string {
	from := g.primary(ctes, true)
	for range []int{0, 0, 0, 1, 1, 2}[g.IntN(6)] {
		left := slices.Clone(g.scope)
		g.scope = nil
		right := g.primary(ctes, false)
		rightScope := g.scope
		l, r := "", ""
		for _, k := range []kind{pick(g, small, small, text, date, large), small, text, date, moment} {
			g.scope = rightScope
			r = g.column(k)
			g.scope = left
			if l = g.column(k); l != "" && r != "" {
				break
			}
		}
		g.scope = append(left, rightScope...)
		if l == "" || r == "" || g.crosses > 0 && g.IntN(6) == 0 {
			g.crosses--
			from += " CROSS JOIN " + right
			continue
		}
		join := pick(g, "JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
		on := l + " = " + r
		if join == "JOIN" && g.IntN(6) == 0 {
			on = fmt.Sprintf("%s %s %s", l, pick(g, "<", ">=", "<>"), r)
		}
		if g.IntN(3) == 0 && join != "FULL JOIN" {
			queries := g.queries
			g.queries = 0
			on += " AND " + "(" + g.cond(1).String() + ")"
			g.queries = queries
		}
		from += fmt.Sprintf(" %s %s ON %s", join, right, on)
	}
	return from
}

// primary writes one source of a FROM clause. Of what may be wide only the first is.
func (g *generator) primary(ctes []with, first bool) string {
	if g.wide && !first {
		return g.source("u")
	}
	switch n := g.IntN(8); {
	case n == 0 && len(ctes) > 0 || n < 3 && len(ctes) > 0:
		w := ctes[g.IntN(len(ctes))]
		return g.derived(w.name, w.q.kinds)
	case n == 7 && g.queries > 0:
		g.queries--
		q := g.nested()
		return g.derived("("+q.String()+")", q.kinds)
	}
	if g.wide {
		return g.source(pick(g, "t", "u"))
	}
	return g.source(pick(g, "t", "u", "u"))
}

// grouped makes q a query with aggregates.
func (g *generator) grouped(q *query, depth int) {
	for range g.IntN(3) {
		k := pick(g, small, small, large, text, text, date, boolean, decimal)
		e := g.expr(k, g.IntN(2))
		if g.IntN(2) == 0 {
			e = g.column1(k)
		}
		if isLiteral(e) || slices.Contains(q.groups, e) {
			continue
		}
		q.groups = append(q.groups, e)
		q.add(e, k)
	}
	q.ordinals = g.IntN(3) == 0
	for range 1 + g.IntN(3) {
		e, k := g.aggregate(depth)
		q.add(e, k)
	}
	if len(q.groups) > 0 && g.IntN(3) == 0 {
		e, k := g.aggregate(1)
		if k != double {
			q.having = append(q.having, &cond{leaf: fmt.Sprintf("%s %s %s", e, pick(g, ">", "<", "<>", ">="), g.literal(k))})
		}
	}
}

// isLiteral tells whether an expression reads no column: an integer in GROUP BY is a position.
func isLiteral(e string) bool { return !strings.Contains(e, "{") && !columnName.MatchString(e) }

var columnName = regexp.MustCompile(`\ba\d+\.c\d+`)

func (g *generator) aggregate(depth int) (string, kind) {
	switch g.IntN(13) {
	case 8:
		return fmt.Sprintf("%s(%s)", pick(g, "bool_and", "bool_or"), g.expr(boolean, depth)), boolean
	case 9:
		return fmt.Sprintf("median(%s)", g.expr(small, depth)), double
	case 10:
		return fmt.Sprintf("%s(%s)", pick(g, "stddev_pop", "var_samp"), g.expr(small, depth)), double
	case 11:
		return fmt.Sprintf("quantile_cont(%s, %s)", g.expr(double, depth), pick(g, "0.25", "0.5", "0.9")), double
	case 12:
		return fmt.Sprintf("%s FILTER (WHERE %s)", pick(g, "count(*)", "sum("+g.expr(small, depth)+")", "max("+g.expr(small, 0)+")"), g.cond(1)), small
	case 0:
		return "count(*)", small
	case 1:
		return fmt.Sprintf("count(%s)", g.expr(pick(g, allKinds...), depth)), small
	case 2:
		return fmt.Sprintf("count(DISTINCT %s)", g.expr(pick(g, small, large, text, date, decimal, boolean), depth)), small
	case 3:
		k := pick(g, small, decimal, double)
		if k == decimal {
			// Sums have 38 digits. Beside a decimal of another scale DuckDB, which has no more digits, drops some.
			return fmt.Sprintf("CAST(sum(%s) AS DECIMAL(20,6))", g.expr(k, depth)), k
		}
		return fmt.Sprintf("sum(%s)", g.expr(k, depth)), k
	case 4:
		return fmt.Sprintf("avg(%s)", g.expr(pick(g, small, double, decimal), depth)), double
	case 5:
		return fmt.Sprintf("sum(CASE WHEN %s THEN 1 ELSE 0 END)", g.cond(1)), small
	}
	k := pick(g, small, large, decimal, double, text, date, moment)
	return fmt.Sprintf("%s(%s)", pick(g, "min", "max"), g.expr(k, depth)), k
}

// ordered adds an ORDER BY that leaves no ties but equal rows, and perhaps a LIMIT.
func (g *generator) ordered(q *query) {
	if g.IntN(3) > 0 || slices.Contains(q.kinds, double) {
		return
	}
	for i := range q.items {
		q.order = append(q.order, fmt.Sprintf("%d%s", i+1, pick(g, "", " DESC", " ASC", " NULLS FIRST", " DESC NULLS LAST")))
	}
	g.Shuffle(len(q.order), func(i, j int) { q.order[i], q.order[j] = q.order[j], q.order[i] })
	if g.IntN(2) == 0 {
		q.limit, q.offset = 1+g.IntN(20), g.IntN(2)*g.IntN(10)
	}
}

// queryPredicate writes IN, EXISTS or a comparison with a scalar sub-query, correlated in half of the cases.
func (g *generator) queryPredicate() string {
	g.queries--
	outer := g.scope
	defer func() { g.scope = outer }()
	k := pick(g, small, text, date, small)
	left := g.column1(k)
	g.scope = nil
	from := g.source(pick(g, "t", "u"))
	inner := g.column(k)
	var conds []*cond
	if g.IntN(2) == 0 {
		conds = append(conds, g.cond(1))
	}
	if g.IntN(2) == 0 {
		j := pick(g, small, text)
		mine := g.column(j)
		g.scope = outer
		if theirs := g.column(j); theirs != "" {
			conds = append(conds, &cond{leaf: mine + " = " + theirs})
		}
	}
	var b strings.Builder
	writeConds(&b, " WHERE ", conds)
	switch g.IntN(4) {
	case 0:
		return fmt.Sprintf("%sEXISTS (SELECT 1 FROM %s%s)", pick(g, "", "NOT "), from, b.String())
	case 1:
		return fmt.Sprintf("%s %s (SELECT %s(%s) FROM %s%s)", left, pick(g, "=", "<", ">", "<>"), pick(g, "min", "max"), inner, from, b.String())
	}
	return fmt.Sprintf("%s %sIN (SELECT %s FROM %s%s)", left, pick(g, "", "NOT "), inner, from, b.String())
}

// scalarQuery writes a sub-query of one row and column, correlated in half of the cases.
func (g *generator) scalarQuery() (string, kind) {
	g.queries--
	outer := g.scope
	defer func() { g.scope = outer }()
	g.scope = nil
	from := g.source(pick(g, "t", "u"))
	e, k := g.aggregate(1)
	where := ""
	if g.IntN(2) == 0 {
		j := pick(g, small, text, date)
		mine := g.column(j)
		g.scope = outer
		if theirs := g.column(j); theirs != "" {
			where = " WHERE " + mine + " = " + theirs
		}
	}
	return fmt.Sprintf("(SELECT %s FROM %s%s)", e, from, where), k
}

var (
	columnRef = regexp.MustCompile(`\{(a\d+)\.(\w+)\}`)
	tableRef  = regexp.MustCompile(`<([tu])>`)
)

// render writes a query for an engine: typed tables, or VARIANT tables with casts.
func render(q string, duck, variant bool) string {
	if duck {
		q = strings.ReplaceAll(q, "<div>", "//")
	}
	q = strings.ReplaceAll(q, "<div>", "DIV")
	if !variant {
		return tableRef.ReplaceAllString(columnRef.ReplaceAllString(q, "$1.$2"), "$1")
	}
	q = columnRef.ReplaceAllStringFunc(q, func(m string) string {
		p := columnRef.FindStringSubmatch(m)
		f := fields[slices.IndexFunc(fields, func(f field) bool { return f.name == p[2] })]
		return f.subscript(p[1])
	})
	return tableRef.ReplaceAllString(q, "v$1")
}

// smaller returns queries that are q with something left out.
func (q *query) smaller() (out []*query) {
	try := func(change func(c *query)) {
		c := *q
		change(&c)
		out = append(out, &c)
	}
	if q.right != nil {
		try(func(c *query) { c.right = nil })
		r := *q.right
		r.with = q.with
		out = append(out, &r)
		for _, s := range q.right.smaller() {
			if len(s.items) == len(q.items) {
				try(func(c *query) { c.right = s })
			}
		}
	}
	if len(q.with) > 0 && !strings.Contains(q.from, q.with[0].name) && (q.right == nil || !strings.Contains(q.right.from, q.with[0].name)) {
		try(func(c *query) { c.with = nil })
	}
	if q.limit > 0 {
		try(func(c *query) { c.limit, c.offset = 0, 0 })
	}
	if len(q.order) > 0 && q.limit == 0 {
		try(func(c *query) { c.order = nil })
	}
	if q.distinct {
		try(func(c *query) { c.distinct = false })
	}
	for i := range q.where {
		try(func(c *query) { c.where = slices.Delete(slices.Clone(q.where), i, i+1) })
		for _, k := range q.where[i].smaller() {
			try(func(c *query) { c.where = slices.Clone(q.where); c.where[i] = k })
		}
	}
	for i := range q.having {
		try(func(c *query) { c.having = slices.Delete(slices.Clone(q.having), i, i+1) })
	}
	if q.right == nil && len(q.order) == 0 {
		for i := range q.items {
			if len(q.items) > 1 {
				try(func(c *query) {
					c.items, c.kinds = slices.Delete(slices.Clone(q.items), i, i+1), slices.Delete(slices.Clone(q.kinds), i, i+1)
				})
			}
		}
	}
	return out
}

// smaller returns the conditions below c.
func (c *cond) smaller() (out []*cond) {
	out = append(out, c.kids...)
	for i, k := range c.kids {
		for _, s := range k.smaller() {
			kids := slices.Clone(c.kids)
			kids[i] = s
			out = append(out, &cond{op: c.op, kids: kids})
		}
	}
	return out
}
