package opt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/bind/bindtest"
	"github.com/ebira-db/ebira/sql/opt"
	"github.com/ebira-db/ebira/sql/plan"
)

// FuzzPlan binds and optimizes any text: neither may panic, and a plan that is bound must stay valid under all rules.
func FuzzPlan(f *testing.F) {
	c := bindtest.New()
	err := c.Create(`create table t (id int not null, a int, b bigint, d decimal(10,2), s string, dt date, arr array<int>, v variant<'n': int>);
		create table u (id int not null, t_id int, name string, v variant);
		create view vw as select id, a from t where a > 1`, 100)
	if err != nil {
		f.Fatal(err)
	}
	for _, dir := range []string{"testdata", "../bind/testdata"} {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			for _, part := range strings.Split(string(text), "\n\n") {
				if _, sql, ok := strings.Cut(part, "\n"); ok && !strings.HasPrefix(part, "create") {
					sql, _, _ = strings.Cut(sql, "\n----")
					f.Add(sql)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if len(sql) > 2000 {
			return
		}
		n, err := bindFuzz(c, sql)
		if err != nil || n == nil {
			return
		}
		if err := plan.Check(n); err != nil {
			t.Fatalf("bound plan: %v\n%s", err, plan.Format(n))
		}
		out, _ := opt.Optimize(n, opt.Options{Ctx: c.Ctx})
		if err := plan.Check(out); err != nil {
			t.Fatalf("optimized plan: %v\n%s\nfrom\n%s", err, plan.Format(out), plan.Format(n))
		}
		if len(out.Schema()) != len(n.Schema()) {
			t.Fatalf("%d columns became %d", len(n.Schema()), len(out.Schema()))
		}
	})
}

func bindFuzz(c *bindtest.Catalog, sql string) (plan.Node, error) {
	if !bindable(sql) {
		return nil, nil
	}
	return bindNode(c, sql)
}

// bindable tells whether the text is one statement of a kind that bindNode knows.
func bindable(sql string) bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(sql)), " ")
	switch strings.TrimSpace(word) {
	case "select", "with", "values", "insert", "delete", "update":
		return true
	}
	return false
}
