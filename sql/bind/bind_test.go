package bind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/bind/bindtest"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// TestPlans runs testdata/*: "create" adds a table, "bind" prints the plan of a statement or its error, "schema" the result columns.
func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		c := bindtest.New()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "create":
				rows := 1000
				d.MaybeScanArgs(t, "rows", &rows)
				if err := c.Create(d.Input, int64(rows)); err != nil {
					return sqlerr.Render(err, d.Input) + "\n"
				}
				return ""
			case "total-order":
				ctx := *c.Ctx
				ctx.VariantTotalOrder = true
				c.Ctx = &ctx
				return ""
			case "bind":
				text, err := bindText(c, d.Input)
				if err != nil {
					return sqlerr.Render(err, d.Input) + "\n"
				}
				return text
			case "schema":
				text, err := schemaText(c, d.Input)
				if err != nil {
					return sqlerr.Render(err, d.Input) + "\n"
				}
				return text
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func bindText(c *bindtest.Catalog, sql string) (string, error) {
	list, err := parse.Parse(sql)
	if err != nil {
		return "", err
	}
	var node plan.Node
	var params []types.Type
	change := func(ch *bind.Change, e error) {
		if err = e; e == nil {
			node, params = ch.Plan, ch.Params
		}
	}
	switch st := list[0].(type) {
	case *parse.QueryStmt:
		var r *bind.Result
		if r, err = bind.Query(c.Env(), st.Query); err == nil {
			node, params = r.Plan, r.Params
		}
	case *parse.Insert:
		change(bind.Insert(c.Env(), st))
	case *parse.Delete:
		change(bind.Delete(c.Env(), st))
	case *parse.Update:
		change(bind.Update(c.Env(), st))
	}
	if err != nil {
		return "", err
	}
	out := plan.Format(node)
	if len(params) > 0 {
		out += fmt.Sprintf("parameters: %v\n", params)
	}
	return out, nil
}

func schemaText(c *bindtest.Catalog, sql string) (string, error) {
	list, err := parse.Parse(sql)
	if err != nil {
		return "", err
	}
	r, err := bind.Query(c.Env(), list[0].(*parse.QueryStmt).Query)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, f := range r.Schema {
		fmt.Fprintf(&b, "%s: %s", f.Name, f.Type)
		if f.NotNull {
			b.WriteString(" NOT NULL")
		}
		if f.Table != "" {
			fmt.Fprintf(&b, " from %s.%s", f.Database, f.Table)
		}
		if r.Whole[i] {
			b.WriteString(" whole")
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}
