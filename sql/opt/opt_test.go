package opt_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/bind/bindtest"
	"github.com/ebira-db/ebira/sql/opt"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
)

// TestPlans runs testdata/*: "create" adds a table, "bounds" sets a zone map, "distinct" how many values a column has, "plan" prints the optimized plan (off=rule leaves rules out,
// only=rule applies a single one), "valid" prints nothing for a plan that stays valid under all rules, "trace" names the rules that changed
// something.
func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		c := bindtest.New()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "create":
				rows := 1000
				d.MaybeScanArgs(t, "rows", &rows)
				if err := c.Create(d.Input, int64(rows)); err != nil {
					t.Fatal(err)
				}
				return ""
			case "bounds":
				var table, column string
				var lo, hi int
				d.ScanArgs(t, "table", &table)
				d.ScanArgs(t, "column", &column)
				d.ScanArgs(t, "lo", &lo)
				d.ScanArgs(t, "hi", &hi)
				c.Bounds(table, column, int32(lo), int32(hi))
				return ""
			case "distinct":
				var table, column string
				var n int
				d.ScanArgs(t, "table", &table)
				d.ScanArgs(t, "column", &column)
				d.ScanArgs(t, "n", &n)
				c.Distinct(table, column, n)
				return ""
			}
			n, err := bindNode(c, d.Input)
			if err != nil {
				return sqlerr.Render(err, d.Input) + "\n"
			}
			text := run(t, c, n, d)
			if d.Cmd == "valid" {
				return ""
			}
			return text
		})
	})
}

func run(t *testing.T, c *bindtest.Catalog, n plan.Node, d *datadriven.TestData) string {
	o := opt.Options{Ctx: c.Ctx, Trace: true}
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "off":
			o.Off = a.Vals
		case "only":
			for _, r := range opt.Rules {
				if r.Name != a.Vals[0] {
					o.Off = append(o.Off, r.Name)
				}
			}
		}
	}
	out, steps := opt.Optimize(n, o)
	check(t, d, n, out)
	if d.Cmd == "trace" {
		names := make([]string, len(steps))
		for i, s := range steps {
			names[i] = s.Rule
		}
		return strings.Join(names, "\n") + "\n"
	}
	return plan.Format(out)
}

// check compares the schemas before and after, and leaves out each rule in turn: no rule may depend on another to keep a plan valid.
func check(t *testing.T, d *datadriven.TestData, before, after plan.Node) {
	t.Helper()
	same := func(what string, n plan.Node) {
		a, b := before.Schema(), n.Schema()
		if len(a) != len(b) {
			t.Fatalf("%s: %s: %d columns became %d", d.Pos, what, len(a), len(b))
		}
		for i := range a {
			if a[i].Name != b[i].Name || !a[i].Type.Equal(b[i].Type) {
				t.Fatalf("%s: %s: column %d was %s %s, is %s %s", d.Pos, what, i, a[i].Name, a[i].Type, b[i].Name, b[i].Type)
			}
		}
		if err := plan.Check(n); err != nil {
			t.Fatalf("%s: %s: %v\n%s", d.Pos, what, err, plan.Format(n))
		}
	}
	same("bound", before)
	same("all rules", after)
	for _, r := range opt.Rules {
		out, _ := opt.Optimize(before, opt.Options{Ctx: bindtest.New().Ctx, Off: []string{r.Name}})
		same("without "+r.Name, out)
	}
	for _, r := range opt.Rules {
		var off []string
		for _, other := range opt.Rules {
			if other.Name != r.Name {
				off = append(off, other.Name)
			}
		}
		out, _ := opt.Optimize(before, opt.Options{Ctx: bindtest.New().Ctx, Off: off})
		same("only "+r.Name, out)
	}
}

func bindNode(c *bindtest.Catalog, sql string) (plan.Node, error) {
	list, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, sqlerr.New(sqlerr.Syntax, "no statement")
	}
	switch st := list[0].(type) {
	case *parse.Insert:
		ch, err := bind.Insert(c.Env(), st)
		if err != nil {
			return nil, err
		}
		return ch.Plan, nil
	case *parse.Delete:
		ch, err := bind.Delete(c.Env(), st)
		if err != nil {
			return nil, err
		}
		return ch.Plan, nil
	case *parse.Update:
		ch, err := bind.Update(c.Env(), st)
		if err != nil {
			return nil, err
		}
		return ch.Plan, nil
	}
	q, ok := list[0].(*parse.QueryStmt)
	if !ok {
		return nil, sqlerr.New(sqlerr.Unsupported, "not a query")
	}
	r, err := bind.Query(c.Env(), q.Query)
	if err != nil {
		return nil, err
	}
	return r.Plan, nil
}
