package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// tree prints operators with parentheses around each, so that tests can see how the parser grouped them.
func tree(x Expr) string {
	switch n := x.(type) {
	case *Unary:
		return "(" + n.Op.String() + " " + tree(n.X) + ")"
	case *Binary:
		return "(" + tree(n.L) + " " + n.Op.String() + " " + tree(n.R) + ")"
	case *Logical:
		parts := make([]string, len(n.Args))
		for i, a := range n.Args {
			parts[i] = tree(a)
		}
		return "(" + strings.Join(parts, " "+n.Op.String()+" ") + ")"
	case *Is:
		return fmt.Sprintf("(%s is %d %v)", tree(n.X), n.Kind, n.Not)
	case *Between:
		return fmt.Sprintf("(%s between %v %s %s)", tree(n.X), n.Not, tree(n.Lo), tree(n.Hi))
	case *LikeExpr:
		return fmt.Sprintf("(%s like %v %s)", tree(n.X), n.Not, tree(n.Pattern))
	case *Match:
		return fmt.Sprintf("(%s match %v %s)", tree(n.X), n.Not, tree(n.Text))
	case *AtTimeZone:
		return fmt.Sprintf("(%s at %s)", tree(n.X), tree(n.Zone))
	case *Cast:
		return fmt.Sprintf("(%s :: %s)", tree(n.X), Format(n.Type))
	case *Subscript:
		return fmt.Sprintf("(%s [] %s)", tree(n.X), tree(n.Index))
	case *DotAccess:
		return fmt.Sprintf("(%s . %s)", tree(n.X), n.Name)
	}
	return Format(x)
}

func mustExpr(t *testing.T, sql string) Expr {
	t.Helper()
	x, err := ParseExpr(sql)
	if err != nil {
		t.Fatalf("%s", sqlerr.Render(err, sql))
	}
	return x
}

func TestPrecedence(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := tree(mustExpr(t, in)); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
	f("a OR b AND c OR d", "(a OR (b AND c) OR d)")
	f("a AND b AND c", "(a AND b AND c)")
	f("(a AND b) AND c", "((a AND b) AND c)")
	f("a AND (b AND c)", "(a AND (b AND c))")
	f("NOT a = b AND c", "((NOT (a = b)) AND c)")
	f("NOT NOT a", "(NOT (NOT a))")
	f("a = b IS NULL", "((a = b) is 0 false)")
	f("a < b = c", "((a < b) = c)")
	f("a <=> b", "(a IS NOT DISTINCT FROM b)")
	f("a IS DISTINCT FROM b + 1", "(a IS DISTINCT FROM (b + 1))")
	f("a != b", "(a <> b)")
	f("a == b", "(a = b)")
	f("a BETWEEN 1 AND 2 AND b", "((a between false 1 2) AND b)")
	f("a NOT BETWEEN b + 1 AND c * 2", "(a between true (b + 1) (c * 2))")
	f("a NOT LIKE 'x' OR b", "((a like true 'x') OR b)")
	f("v['a'] MATCH 'x' AND b NOT MATCH_ALL 'y z'", "(((v [] 'a') match false 'x') AND (b match true 'y z'))")
	f("a | b & c << d || e + f * g ^ h", "(a | (b & (c << (d || (e + (f * (g ^ h)))))))")
	f("a - b - c", "((a - b) - c)")
	f("a * b / c % d DIV e", "((((a * b) / c) % d) DIV e)")
	f("-a * b", "((- a) * b)")
	f("- - 1", "(- (- 1))")
	f("-x::INT", "(- (x :: INT))")
	f("-x['a'].b", "(- ((x [] 'a') . b))")
	f("a + -b", "(a + (- b))")
	f("~a | b", "((~ a) | b)")
	f("a + b::INT", "(a + (b :: INT))")
	f("x::INT::STRING", "((x :: INT) :: STRING)")
	f("x::INT[]", "(x :: ARRAY<INT>)")
	f("x::ARRAY<ARRAY<INT>>['a']", "((x :: ARRAY<ARRAY<INT>>) [] 'a')")
	f("x::ARRAY<ARRAY<INT>> = y", "((x :: ARRAY<ARRAY<INT>>) = y)")
	f("x::ARRAY<INT>=y", "((x :: ARRAY<INT>) = y)")
	f("x::VARIANT < 5", "((x :: VARIANT) < 5)")
	f("x::VARIANT<'a': INT>['a']", "((x :: VARIANT<'a': INT>) [] 'a')")
	f("t AT TIME ZONE 'UTC' + i", "((t at 'UTC') + i)")
	f("v.a.b", "v.a.b")
	f("(v.a).b.c", "((v.a . b) . c)")
	f("(v).a['x'].b[1]", "((((v . a) [] 'x') . b) [] 1)")
	f("$1:a.b", "(($1 [] 'a') . b)")
	f("f(x)[1].y", "((f(x) [] 1) . y)")
	f("1+2", "(1 + 2)")
	f("a-1", "(a - 1)")
	f("a -- comment\n- 1", "(a - 1)")
	f("a /* x */ /b", "(a / b)")
}

// TestExprForms checks the canonical text of every kind of expression.
func TestExprForms(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		x := mustExpr(t, in)
		got := Format(x)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
		if again := Format(mustExpr(t, got)); again != got {
			t.Errorf("%s is not stable: %s", got, again)
		}
	}
	f("null", "NULL")
	f("True", "TRUE")
	f("1.50", "1.50")
	f(".5", ".5")
	f("1.", "1.")
	f("1e10", "1e10")
	f("123456789012345678901234567890", "123456789012345678901234567890")
	f("'it''s \\n'", "'it''s \\n'")
	f(`E'a\n\t\'\\ \u00e9 \x41 \ud83d\ude00'`, "'a\n\t''\\ é A 😀'")
	f("x'0aFF'", "X'0AFF'")
	f("date '2020-01-01'", "DATE '2020-01-01'")
	f("TIMESTAMP '2020-01-01 00:00:00'", "TIMESTAMP '2020-01-01 00:00:00'")
	f("timestamp with time zone '2020-01-01 00:00:00+01'", "TIMESTAMPTZ '2020-01-01 00:00:00+01'")
	f("{d '2020-01-01'}", "DATE '2020-01-01'")
	f("{ts '2020-01-01 00:00:00'}", "TIMESTAMP '2020-01-01 00:00:00'")
	f("{fn upper(x)}", "upper(x)")
	f("interval '1' day", "INTERVAL '1' DAY")
	f("interval 3 months", "INTERVAL 3 MONTH")
	f("interval '1 day 2 hours'", "INTERVAL '1 day 2 hours'")
	f("interval (a + 1) hour", "INTERVAL (a + 1) HOUR")
	f("interval a hour", "INTERVAL (a) HOUR")
	f("interval -1 hour", "INTERVAL (-1) HOUR")
	f("interval + 1", "interval + 1")
	f("date", "date")
	f("date(x)", "date(x)")
	f("a.\"b c\".`d``e`", "a.\"b c\".\"d`e\"")
	f(`"a""b"`, `"a""b"`)
	f("naïve.列", "naïve.列")
	f("? + $2 + :n", "? + $2 + :n")
	f("@@session.x = @@global.y", "@@session.x = @@global.y")
	f("count(*)", "count(*)")
	f("COUNT(DISTINCT a, b)", "COUNT(DISTINCT a, b)")
	f("sum(ALL x)", "sum(x)")
	f("count(t.*)", "count(t.*)")
	f("db.f(1)", "db.f(1)")
	f("f()", "f()")
	f("left(x, 1)", "left(x, 1)")
	f("if(a, b, c)", "if(a, b, c)")
	f("substring(x FROM 2 FOR 3)", "substring(x, 2, 3)")
	f("substr(x, 2)", "substr(x, 2)")
	f("trim(BOTH 'a' FROM x)", "trim(x, 'a')")
	f("trim(LEADING FROM x)", "ltrim(x)")
	f("TRIM('a' FROM x)", "trim(x, 'a')")
	f("trim(trailing 'b' from x)", "rtrim(x, 'b')")
	f("trim(x)", "trim(x)")
	f("trim((both + 1))", "trim(both + 1)")
	f("position('a' IN x)", "position('a', x)")
	f("position((a = b), c)", "position((a = b), c)")
	f("extract(year from x)", "EXTRACT(YEAR FROM x)")
	f("extract('epoch' from x)", "EXTRACT(EPOCH FROM x)")
	f("current_date", "current_date()")
	f("CURRENT_TIMESTAMP(3)", "CURRENT_TIMESTAMP(3)")
	f("group_concat(DISTINCT x ORDER BY y DESC SEPARATOR ';')", "group_concat(DISTINCT x, ';' ORDER BY y DESC)")
	f("percentile_cont(0.5) WITHIN GROUP (ORDER BY x)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY x)")
	f("sum(x) FILTER (WHERE y > 1) OVER w", "sum(x) FILTER (WHERE y > 1) OVER w")
	f("first_value(x IGNORE NULLS) over (order by y)", "first_value(x) IGNORE NULLS OVER (ORDER BY y)")
	f("lag(x) respect nulls over ()", "lag(x) RESPECT NULLS OVER ()")
	f("sum(x) OVER (w PARTITION BY a, b ORDER BY c NULLS FIRST ROWS 1 PRECEDING)",
		"sum(x) OVER (w PARTITION BY a, b ORDER BY c NULLS FIRST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)")
	f("sum(x) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND interval '1' day FOLLOWING EXCLUDE TIES)",
		"sum(x) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL '1' DAY FOLLOWING EXCLUDE TIES)")
	f("array_map(x -> x + 1, a)", "array_map(x -> x + 1, a)")
	f("array_sort((x, y) -> x < y, a)", "array_sort((x, y) -> x < y, a)")
	f("f(a => 1, b := 'x', s => @st/dir)", "f(a => 1, b => 'x', s => '@st/dir')")
	f("[1, 2, [3]]", "[1, 2, [3]]")
	f("ARRAY[1]", "[1]")
	f("[]", "[]")
	f("(a, b) IN ((1, 2), (3, 4))", "(a, b) IN ((1, 2), (3, 4))")
	f("row(a)", "ROW(a)")
	f("a IN (SELECT 1)", "a IN (SELECT 1)")
	f("a IN ((SELECT 1))", "a IN (SELECT 1)")
	f("a NOT IN (1, (SELECT 2))", "a NOT IN (1, (SELECT 2))")
	f("a = ANY (SELECT 1) AND b <> ALL (SELECT 2) AND c < SOME ([1])", "a = ANY (SELECT 1) AND b <> ALL (SELECT 2) AND c < ANY ([1])")
	f("NOT EXISTS (SELECT 1)", "NOT EXISTS (SELECT 1)")
	f("((SELECT 1) UNION (SELECT 2)) + 1", "(SELECT 1 UNION SELECT 2) + 1")
	f("((SELECT 1) + 2)", "(SELECT 1) + 2")
	f("case a when 1 then 'x' else 'y' end", "CASE a WHEN 1 THEN 'x' ELSE 'y' END")
	f("CASE WHEN a THEN b WHEN c THEN d END", "CASE WHEN a THEN b WHEN c THEN d END")
	f("cast(a as double precision)", "CAST(a AS DOUBLE)")
	f("try_cast(a as decimal(10,2))", "TRY_CAST(a AS DECIMAL(10, 2))")
	f("a::timestamp with time zone", "CAST(a AS TIMESTAMPTZ)")
	f("a IS NOT TRUE AND b IS UNKNOWN", "a IS NOT TRUE AND b IS UNKNOWN")
	f("a LIKE 'x!%' ESCAPE '!'", "a LIKE 'x!%' ESCAPE '!'")
	f("a NOT REGEXP 'x' OR b RLIKE 'y' OR c ILIKE 'z'", "a NOT RLIKE 'x' OR b RLIKE 'y' OR c ILIKE 'z'")
	f("a MATCH 'x' OR a MATCH_PHRASE 'x y ~2' OR a MATCH_REGEXP '^x'", "a MATCH_ANY 'x' OR a MATCH_PHRASE 'x y ~2' OR a MATCH_REGEXP '^x'")
	f("a MATCH_PHRASE_PREFIX 'x' OR a MATCH_PHRASE_EDGE 'y'", "a MATCH_PHRASE_PREFIX 'x' OR a MATCH_PHRASE_EDGE 'y'")
	f("-(-1)", "- -1")
	f("(a OR b) AND NOT (c AND d)", "(a OR b) AND NOT (c AND d)")
	f("(a = b) = (c = d)", "a = b = (c = d)")
	f("key + value + type + status + index", "key + value + type + status + index")
}

func TestParameters(t *testing.T) {
	list, err := Parse("SELECT ?, $7 FROM t WHERE a = ? AND b = :name; SELECT ?")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		for _, p := range s.Parameters() {
			got = append(got, fmt.Sprint(p.Text, " ", p.Ordinal, " ", p.Name))
		}
	}
	want := "? 1 |$7 7 |? 2 |:name 0 name|? 1 "
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

// TestPlaces checks that nodes point at the operator or at their first byte.
func TestPlaces(t *testing.T) {
	f := func(sql string, want int, pick func(Expr) Node) {
		t.Helper()
		if got := pick(mustExpr(t, sql)).Pos(); got != want {
			t.Errorf("%s: %d, want %d", sql, got, want)
		}
	}
	same := func(x Expr) Node { return x }
	f("  a + b", 4, same)
	f("  abc", 2, same)
	f("a AND b", 2, same)
	f("a IS NULL", 2, same)
	f("x::NOTYPE", 3, func(x Expr) Node { return x.(*Cast).Type })
	f("f(a, b.c)", 5, func(x Expr) Node { return x.(*Call).Args[1] })
	f("a.b.c", 4, func(x Expr) Node { return x.(*ColumnRef).Parts[2] })
	f("(SELECT 1)", 0, same)
}
