package opt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/bind/bindtest"
	"github.com/ebira-db/ebira/sql/opt"
)

// BenchmarkJoinOrder orders twelve inputs: all on one key, so that any two can be joined, and as a chain.
func BenchmarkJoinOrder(b *testing.B) {
	const n = 12
	c := bindtest.New()
	var from, clique, chain []string
	for i := range n {
		if err := c.Create(fmt.Sprintf("create table t%d (a int, b int)", i), int64(1000*(i+1))); err != nil {
			b.Fatal(err)
		}
		from = append(from, fmt.Sprintf("t%d", i))
		if i > 0 {
			clique = append(clique, fmt.Sprintf("t0.a = t%d.a", i))
			chain = append(chain, fmt.Sprintf("t%d.a = t%d.b", i-1, i))
		}
	}
	for name, where := range map[string][]string{"clique": clique, "chain": chain} {
		b.Run(name, func(b *testing.B) {
			p, err := bindNode(c, "select count(*) from "+strings.Join(from, ", ")+" where "+strings.Join(where, " and "))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				opt.Optimize(p, opt.Options{Ctx: c.Ctx})
			}
		})
	}
}
