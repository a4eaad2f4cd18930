package tpch

import (
	"strings"
	"testing"
)

func TestQueriesAndAnswers(t *testing.T) {
	rows := 0
	for n := 1; n <= QueryCount; n++ {
		if q := Query(n); !strings.Contains(q, "select ") || strings.Contains(q, ";") {
			t.Errorf("query %d is %q", n, q)
		}
		rows += len(Answer(n))
	}
	if rows != 933 {
		t.Errorf("the answers have %d rows together", rows)
	}
}

func TestCompare(t *testing.T) {
	parse := func(s string) (rows [][]string) {
		for _, r := range strings.Fields(s) {
			rows = append(rows, strings.Split(r, ","))
		}
		return rows
	}
	f := func(got, want string, same bool) {
		t.Helper()
		if err := Compare(parse(got), parse(want), Tolerance); (err == nil) != same {
			t.Errorf("%q against %q: %v", got, want, err)
		}
	}
	f("", "", true)
	f("a,1", "a,1", true)
	f("a,1", "", false)
	f("a,1", "a,1 a,1", false)
	f("a,1", "a,1,2", false)
	f("a,1 b,2", "b,2 a,1", true)
	f("a,1 a,1", "a,1 a,2", false)
	f("a,0.03443589", "a,0.03443589041", true)
	f("a,0.0344", "a,0.0345", false)
	f("a,2.00", "a,2", true)
	f("a,2", "a,3", false)
	f("a,10000000", "a,10000001", false)
	f("a,", "a,", true)
	f("a,", "a,0.0", false)
	f("a,1.5 a,", "a, a,1.5", true)
	f("1.50000001,b 1.5,a", "1.5,a 1.5,b", true)
	if err := Compare(parse("a,0.0286"), parse("a,0.02864874"), OfficialTolerance); err != nil {
		t.Error(err)
	}
	if err := Compare(parse("a,0.028"), parse("a,0.02864874"), OfficialTolerance); err == nil {
		t.Error("two percent are one percent")
	}
}

func TestCreateSQL(t *testing.T) {
	want := "CREATE TABLE partsupp (ps_partkey BIGINT NOT NULL, ps_suppkey BIGINT NOT NULL, ps_availqty INT NOT NULL, " +
		"ps_supplycost DECIMAL(15, 2) NOT NULL, ps_comment VARCHAR NOT NULL)"
	if got := PartSupp.CreateSQL(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestScales(t *testing.T) {
	for _, scale := range []float64{0, -1, 0.0001, 20_000} {
		if _, err := New(scale); err == nil {
			t.Errorf("scale factor %v was accepted", scale)
		}
	}
	if _, err := New(MinScale); err != nil {
		t.Error(err)
	}
}
