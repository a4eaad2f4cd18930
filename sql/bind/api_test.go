package bind_test

import (
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/bind/bindtest"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func catalog(t *testing.T) *bindtest.Catalog {
	t.Helper()
	c := bindtest.New()
	if err := c.Create("create table t (id int not null, s varchar(3), v variant, d int default 7)", 10); err != nil {
		t.Fatal(err)
	}
	return c
}

func query(t *testing.T, sql string) *parse.Query {
	t.Helper()
	list, err := parse.Parse(sql)
	if err != nil {
		t.Fatal(err)
	}
	return list[0].(*parse.QueryStmt).Query
}

// TestParamValues binds the same text without and with values: a value is a constant with its own type, so LIMIT can use it.
func TestParamValues(t *testing.T) {
	c := catalog(t)
	const sql = "select id + ? from t where id = ? limit ?"
	r, err := bind.Query(c.Env(), query(t, sql))
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Format(r.Plan); !strings.Contains(got, "(id = $2)") || !strings.HasPrefix(got, "Limit\n") {
		t.Errorf("without values:\n%s", got)
	}
	if len(r.Params) != 3 || r.Params[0].Kind != types.Int || r.Params[2].Kind != types.BigInt {
		t.Errorf("parameter types %v", r.Params)
	}
	env := c.Env()
	big := types.Of(types.BigInt)
	env.Params = []*vec.Vector{vec.NewFlat(big, []int64{1}, nil), vec.NewFlat(big, []int64{2}, nil), vec.NewFlat(big, []int64{3}, nil)}
	if r, err = bind.Query(env, query(t, sql)); err != nil {
		t.Fatal(err)
	}
	if got := plan.Format(r.Plan); !strings.Contains(got, "(id = 2)") || !strings.HasPrefix(got, "Limit limit=3\n") {
		t.Errorf("with values:\n%s", got)
	}
}

func TestRows(t *testing.T) {
	c := catalog(t)
	rel, err := c.Relation(parse.Ident{}, parse.Ident{Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	in := &plan.Batches{Out: types.Schema{{Name: "a", Type: types.Of(types.BigInt)}, {Name: "b", Type: types.Of(types.Varchar)}}}
	n, err := bind.Rows(c.Env(), in, rel.Table, []parse.Ident{{Name: "ID"}, {Name: "v"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "Write default.t\n  Project [CAST(a AS INT) AS id, NULL AS s, CAST(b AS VARIANT) AS v, 7 AS d]\n    Batches rows=0 [a, b]\n"
	if got := plan.Format(n); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if err := plan.Check(n); err != nil {
		t.Error(err)
	}
	_, err = bind.Rows(c.Env(), in, rel.Table, []parse.Ident{{Name: "s"}, {Name: "v"}})
	if sqlerr.KindOf(err) != sqlerr.Constraint {
		t.Errorf("rows without the NOT NULL column: %v", err)
	}
}

func TestConstant(t *testing.T) {
	c := catalog(t)
	f := func(in, want string) {
		t.Helper()
		e, err := parse.ParseExpr(in)
		if err != nil {
			t.Fatal(err)
		}
		v, err := bind.Constant(c.Env(), e)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = v.Type.String()
		}
		if got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
	f("1 + 1", "INT")
	f("upper('a')", "VARCHAR")
	f("now()", "DATETIME")
	f("?", "bind error: parameter 1 has no value yet")
	f("id", "not found: column id does not exist")
	f("count(*)", "bind error: aggregate count is not allowed in this expression")
	f("(select 1)", "unsupported: a sub-query is not supported in this expression")
}

func TestResultColumns(t *testing.T) {
	c := catalog(t)
	r, err := bind.Query(c.Env(), query(t, "select id, v['a'] k, null n, s from t"))
	if err != nil {
		t.Fatal(err)
	}
	cols, err := bind.ResultColumns(r.Schema, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"id INT", "k VARIANT", "n VARCHAR", "s VARCHAR(3)"}
	for i, col := range cols {
		if got := col.Name + " " + col.Type.String(); got != want[i] {
			t.Errorf("column %d is %s, want %s", i, got, want[i])
		}
	}
	if r, err = bind.Query(c.Env(), query(t, "select id, ID from t")); err != nil {
		t.Fatal(err)
	}
	if _, err := bind.ResultColumns(r.Schema, nil, 0); sqlerr.KindOf(err) != sqlerr.Bind {
		t.Errorf("two columns of one name: %v", err)
	}
}

// TestGrowth refuses common table expressions that double at each step instead of building the plan, unless each is computed once.
func TestGrowth(t *testing.T) {
	c := catalog(t)
	if _, err := bind.Query(c.Env(), query(t, doubling(""))); err != nil {
		t.Errorf("shared plan: %v", err)
	}
	if _, err := bind.Query(c.Env(), query(t, doubling("not materialized "))); sqlerr.KindOf(err) != sqlerr.Resource {
		t.Errorf("exponential plan: %v", err)
	}
	if err := c.Create("create view loop1 as select * from loop2; create view loop2 as select * from loop1", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := bind.Query(c.Env(), query(t, "select * from loop1")); sqlerr.KindOf(err) != sqlerr.Resource {
		t.Errorf("view over itself: %v", err)
	}
}

// doubling is a query whose common table expressions read the one before twice.
func doubling(how string) string {
	var b strings.Builder
	b.WriteString("with c0 as (select 1 x)")
	names := "abcdefghijklmnopqrstuvwxyz"
	for i := range names[:25] {
		from := "c0"
		if i > 0 {
			from = names[i-1 : i]
		}
		b.WriteString(", " + names[i:i+1] + " as " + how + "(select p.x from " + from + " p, " + from + " q)")
	}
	b.WriteString(" select * from y")
	return b.String()
}
