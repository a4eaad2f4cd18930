package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes random SQL that both engines understand. Columns of the tables are written {alias.name}, so that the same query can be
// rendered for typed columns and for paths of a VARIANT.
type generator struct {
	*rand.Rand
	// scope are the columns in sight.
	scope []ref
	// aliases numbers table aliases.
	aliases int
	// queries and crosses bound the sub-queries and the cross joins of one statement.
	queries, crosses int
	// wide says that table t is large: it is joined with u only.
	wide bool
}

// ref is an expression in sight.
type ref struct {
	text string
	kind kind
}

// pick returns one of several texts.
func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

// column returns a column of a kind, or "" if none is in sight.
func (g *generator) column(k kind) string {
	var fit []string
	for _, r := range g.scope {
		if r.kind == k {
			fit = append(fit, r.text)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return pick(g, fit...)
}

// literal writes a constant.
func (g *generator) literal(k kind) string {
	switch k {
	case small:
		return fmt.Sprint(g.IntN(41) - 20)
	case large:
		return pick(g, "0", "1", "9007199254740992", "9007199254740993", "-5", "9223372036854775807")
	case decimal:
		return pick(g, "0.5", "12.125", "-3.250", "100.0", "0.001")
	case double:
		return pick(g, "CAST(0.5 AS DOUBLE)", "1e2", "2.5e0", "-1.25e0", "0e0")
	case text:
		return quote(pick(g, words...))
	case date:
		return fmt.Sprintf("DATE '%04d-%02d-%02d'", 1970+g.IntN(55), 1+g.IntN(12), 1+g.IntN(28))
	case moment:
		return fmt.Sprintf("TIMESTAMP '%04d-%02d-%02d %02d:30:00'", 1970+g.IntN(55), 1+g.IntN(12), 1+g.IntN(28), g.IntN(24))
	}
	return pick(g, "TRUE", "FALSE")
}

// expr writes an expression of a kind.
func (g *generator) expr(k kind, depth int) string {
	if depth <= 0 || g.IntN(4) == 0 {
		if c := g.column(k); c != "" && g.IntN(8) > 0 {
			return c
		}
		return g.literal(k)
	}
	depth--
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.cond(depth).String(), g.expr(k, depth), pick(g, "NULL", g.expr(k, depth)))
	case 1:
		return fmt.Sprintf("COALESCE(%s, %s)", g.expr(k, depth), g.expr(k, depth))
	case 2:
		return fmt.Sprintf("NULLIF(%s, %s)", g.expr(k, depth), g.expr(k, depth))
	}
	switch k {
	case small:
		return g.smallExpr(depth)
	case decimal:
		return g.decimalExpr(depth)
	case double:
		return g.doubleExpr(depth)
	case text:
		return g.textExpr(depth)
	case date:
		return g.dateExpr(depth)
	case moment:
		return g.momentExpr(depth)
	case boolean:
		return "(" + g.cond(depth).String() + ")"
	}
	return g.expr(k, depth)
}

func (g *generator) smallExpr(depth int) string {
	x := func() string { return g.expr(small, depth) }
	switch g.IntN(20) {
	case 14:
		return fmt.Sprintf("ascii(%s)", g.expr(text, depth))
	case 15:
		return fmt.Sprintf("(%s %s %d)", g.expr(small, 0), pick(g, "&", "|"), g.IntN(16))
	case 16:
		return fmt.Sprintf("CAST(%s AS INT)", g.expr(boolean, depth))
	case 17:
		return fmt.Sprintf("mod(%s, %d)", x(), g.IntN(9)+1)
	case 18:
		return fmt.Sprintf("%s(%s)", pick(g, "weekofyear", "isodow"), g.expr(date, depth))
	case 19:
		return fmt.Sprintf("if(%s, %s, %s)", g.cond(depth), x(), x())
	case 0:
		return fmt.Sprintf("(%s + %s)", x(), x())
	case 1:
		return fmt.Sprintf("(%s - %s)", x(), x())
	case 2:
		return fmt.Sprintf("(%s * %d)", x(), g.IntN(7)-3)
	case 3:
		return fmt.Sprintf("(%s %% %d)", x(), g.IntN(9)+1)
	case 4:
		return fmt.Sprintf("(%s <div> %d)", x(), g.IntN(9)+1)
	case 5:
		return fmt.Sprintf("abs(%s)", x())
	case 6:
		return fmt.Sprintf("(- %s)", x())
	case 7:
		return fmt.Sprintf("length(%s)", g.expr(text, depth))
	case 8:
		return fmt.Sprintf("%s(%s)", pick(g, "year", "month", "day", "quarter", "dayofyear"), g.expr(date, depth))
	case 9:
		return fmt.Sprintf("%s(%s)", pick(g, "hour", "minute", "second", "year"), g.expr(moment, depth))
	case 10:
		return fmt.Sprintf("strpos(%s, %s)", g.expr(text, depth), pick(g, "'a'", "'b'", "'é'", "'字'", "' '"))
	case 11:
		return fmt.Sprintf("CAST(sign(%s) AS INT)", x())
	case 12:
		return fmt.Sprintf("date_diff('day', %s, %s)", g.expr(date, depth), g.expr(date, depth))
	}
	return fmt.Sprintf("extract(%s FROM %s)", pick(g, "year", "month", "day"), g.expr(date, depth))
}

// decimalExpr multiplies columns only, as the precisions of products add up.
func (g *generator) decimalExpr(depth int) string {
	x := func() string { return g.expr(decimal, depth) }
	switch g.IntN(7) {
	case 0:
		return fmt.Sprintf("(%s + %s)", x(), x())
	case 1:
		return fmt.Sprintf("(%s - %s)", x(), x())
	case 2:
		return fmt.Sprintf("(%s * %s)", g.expr(decimal, 0), g.literal(decimal))
	case 3:
		return fmt.Sprintf("abs(%s)", x())
	case 4:
		return fmt.Sprintf("(- %s)", x())
	case 5:
		return fmt.Sprintf("round(%s, %d)", g.expr(decimal, 0), g.IntN(3))
	}
	return fmt.Sprintf("CAST(%s AS DECIMAL(12,3))", g.expr(small, 0))
}

func (g *generator) doubleExpr(depth int) string {
	x := func() string { return g.expr(double, depth) }
	switch g.IntN(12) {
	case 10:
		return fmt.Sprintf("ln(abs(%s) + 1)", x())
	case 11:
		return fmt.Sprintf("trunc(%s)", x())
	case 0:
		return fmt.Sprintf("(%s + %s)", x(), x())
	case 1:
		return fmt.Sprintf("(%s - %s)", x(), x())
	case 2:
		return fmt.Sprintf("(%s * %s)", x(), g.expr(double, 0))
	case 3:
		return fmt.Sprintf("(%s / %d)", g.expr(small, depth), g.IntN(9)+1)
	case 4:
		return fmt.Sprintf("(%s / %s)", x(), pick(g, "4", "2.5e0"))
	case 5:
		return fmt.Sprintf("%s(%s)", pick(g, "floor", "ceil", "round", "abs"), x())
	case 6:
		return fmt.Sprintf("sqrt(abs(%s))", x())
	case 7:
		return fmt.Sprintf("CAST(%s AS DOUBLE)", g.expr(pick(g, small, decimal), depth))
	case 8:
		return fmt.Sprintf("(- %s)", x())
	}
	return fmt.Sprintf("power(%s, 2)", g.expr(double, 0))
}

func (g *generator) textExpr(depth int) string {
	x := func() string { return g.expr(text, depth) }
	switch g.IntN(18) {
	case 13:
		return fmt.Sprintf("%s(%s)", pick(g, "md5", "hex"), x())
	case 14:
		return fmt.Sprintf("%s(%s)", pick(g, "monthname", "dayname"), g.expr(date, depth))
	case 15:
		return fmt.Sprintf("translate(%s, 'abé', 'x')", x())
	case 16:
		return fmt.Sprintf("concat_ws('-', %s, %s, 'z')", x(), x())
	case 17:
		return fmt.Sprintf("regexp_extract(%s, '([a-c]+)(.)', %d)", x(), g.IntN(3))
	case 0:
		return fmt.Sprintf("%s(%s)", pick(g, "upper", "lower"), x())
	case 1:
		return fmt.Sprintf("%s(%s)", pick(g, "trim", "ltrim", "rtrim", "reverse"), x())
	case 2:
		return fmt.Sprintf("substr(%s, %d, %d)", x(), 1+g.IntN(4), g.IntN(5))
	case 3:
		return fmt.Sprintf("%s(%s, %d)", pick(g, "left", "right"), x(), g.IntN(4))
	case 4:
		return fmt.Sprintf("replace(%s, %s, %s)", x(), pick(g, "'a'", "'字'", "'bc'"), pick(g, "''", "'Q'", "'éé'"))
	case 5, 6:
		return fmt.Sprintf("(%s || %s)", x(), x())
	case 7:
		return fmt.Sprintf("CAST(%s AS VARCHAR)", g.expr(pick(g, small, date, decimal), 0))
	case 8:
		return fmt.Sprintf("%s(%s, %d, %s)", pick(g, "lpad", "rpad"), x(), g.IntN(6), pick(g, "'*'", "'xy'"))
	case 9:
		return fmt.Sprintf("repeat(%s, %d)", g.expr(text, 0), g.IntN(3))
	case 10:
		return fmt.Sprintf("split_part(%s, %s, %d)", x(), pick(g, "' '", "'a'"), 1+g.IntN(2))
	case 11:
		return fmt.Sprintf("substr(%s, %d)", x(), 1+g.IntN(3))
	}
	return fmt.Sprintf("concat(%s, %s)", pick(g, "'p'", "'é'"), g.literal(text))
}

func (g *generator) dateExpr(depth int) string {
	switch g.IntN(4) {
	case 0:
		return fmt.Sprintf("CAST(%s %s INTERVAL %d %s AS DATE)", g.expr(date, depth), pick(g, "+", "-"), g.IntN(40), pick(g, "DAY", "MONTH", "YEAR"))
	case 1:
		return fmt.Sprintf("CAST(%s AS DATE)", g.expr(moment, depth))
	case 2:
		return fmt.Sprintf("CAST(date_trunc('%s', %s) AS DATE)", pick(g, "month", "year", "quarter", "week"), g.expr(date, depth))
	}
	return fmt.Sprintf("last_day(%s)", g.expr(date, depth))
}

func (g *generator) momentExpr(depth int) string {
	switch g.IntN(3) {
	case 0:
		return fmt.Sprintf("(%s %s INTERVAL %d %s)", g.expr(moment, depth), pick(g, "+", "-"), g.IntN(40), pick(g, "DAY", "HOUR", "MINUTE", "MONTH"))
	case 1:
		return fmt.Sprintf("date_trunc('%s', %s)", pick(g, "hour", "day", "month", "minute"), g.expr(moment, depth))
	}
	return fmt.Sprintf("CAST(%s AS TIMESTAMP)", g.expr(date, depth))
}

// cond is a condition as a tree, so that a failing query can be made smaller.
type cond struct {
	// op is AND, OR, NOT or "" for a leaf.
	op   string
	kids []*cond
	leaf string
}

func (c *cond) String() string {
	switch c.op {
	case "":
		return c.leaf
	case "NOT":
		return "NOT (" + c.kids[0].String() + ")"
	}
	var parts []string
	for _, k := range c.kids {
		parts = append(parts, "("+k.String()+")")
	}
	return strings.Join(parts, " "+c.op+" ")
}

// cond writes a condition.
func (g *generator) cond(depth int) *cond {
	if depth > 0 {
		switch g.IntN(6) {
		case 0, 1:
			c := &cond{op: pick(g, "AND", "OR", "OR")}
			for range 2 + g.IntN(2) {
				c.kids = append(c.kids, g.cond(depth-1))
			}
			return c
		case 2:
			return &cond{op: "NOT", kids: []*cond{g.cond(depth - 1)}}
		}
	}
	return &cond{leaf: g.predicate(depth)}
}

func (g *generator) predicate(depth int) string {
	k := pick(g, allKinds...)
	x := func() string { return g.expr(k, min(depth, 2)) }
	if g.queries > 0 && g.IntN(8) == 0 {
		return g.queryPredicate()
	}
	switch g.IntN(13) {
	case 10:
		return fmt.Sprintf("(%s) IS %s%s", g.cond(0), pick(g, "", "NOT "), pick(g, "TRUE", "FALSE"))
	case 11:
		return fmt.Sprintf("regexp_matches(%s, %s)", g.expr(text, depth), quote(pick(g, "^a", "b.*c", "[é字]", "d$", "^.$", "")))
	case 12:
		return fmt.Sprintf("%s IN (%s, %s)", x(), x(), x())
	case 0:
		return fmt.Sprintf("%s IS %sNULL", x(), pick(g, "", "NOT "))
	case 1:
		return fmt.Sprintf("%s %sBETWEEN %s AND %s", x(), pick(g, "", "NOT "), g.literal(k), g.literal(k))
	case 2:
		return fmt.Sprintf("%s %sIN (%s, %s, %s)", x(), pick(g, "", "NOT "), g.literal(k), g.literal(k), pick(g, g.literal(k), "NULL"))
	case 3:
		pattern := pick(g, "a%", "%b%", "%c", "_", "__", "a_c", "%é%", "%字", "", "%", "A%", "long text%")
		return fmt.Sprintf("%s %sLIKE %s", g.expr(text, depth), pick(g, "", "NOT "), quote(pattern))
	case 4:
		return fmt.Sprintf("%s IS %sDISTINCT FROM %s", x(), pick(g, "", "NOT "), x())
	case 5:
		if c := g.column(boolean); c != "" {
			return c
		}
	case 6:
		return fmt.Sprintf("%s(%s, %s)", pick(g, "starts_with", "contains", "ends_with"), g.expr(text, depth), g.literal(text))
	case 7, 8:
		return fmt.Sprintf("%s %s %s", g.column1(k), pick(g, "=", "<", ">", "<=", ">=", "<>"), g.literal(k))
	}
	return fmt.Sprintf("%s %s %s", x(), pick(g, "=", "<", ">", "<=", ">=", "<>"), x())
}

// column1 is a column of a kind if there is one, else a literal.
func (g *generator) column1(k kind) string {
	if c := g.column(k); c != "" {
		return c
	}
	return g.literal(k)
}
