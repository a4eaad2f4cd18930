package difftest

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// pathStat is what the documents hold at a path.
type pathStat struct {
	path                                             []string
	ints, numbers, texts, bools, containers, isNulls int
	// sample is a text of one value, for filters.
	sample string
}

// kind names what a path holds: int, number, text, bool or mixed.
func (p *pathStat) kind() string {
	all := p.ints + p.numbers + p.texts + p.bools + p.containers
	switch all {
	case 0:
		return "null"
	case p.ints:
		return "int"
	case p.ints + p.numbers:
		return "number"
	case p.texts:
		return "text"
	case p.bools:
		return "bool"
	}
	return "mixed"
}

// ebira is the path as a subscript of column v.
func (p *pathStat) ebira() string {
	s := "v"
	for _, k := range p.path {
		s += "[" + quote(k) + "]"
	}
	return s
}

// duck is the path as a JSON path.
func (p *pathStat) duck() string {
	s := "$"
	for _, k := range p.path {
		s += `."` + k + `"`
	}
	return s
}

// pathStats counts kinds by path over documents, down to a depth, without paths that DuckDB's JSON path cannot write.
func pathStats(docs []any, depth int) []*pathStat {
	seen := map[string]*pathStat{}
	var walk func(path []string, v any)
	walk = func(path []string, v any) {
		m, ok := v.(map[string]any)
		if ok && len(path) < depth {
			for k, e := range m {
				if k != "" && !strings.ContainsAny(k, `"\`) {
					walk(append(path[:len(path):len(path)], k), e)
				}
			}
		}
		if len(path) == 0 {
			return
		}
		key := strings.Join(path, "\x00")
		p := seen[key]
		if p == nil {
			p = &pathStat{path: path}
			seen[key] = p
		}
		p.count(v)
	}
	for _, d := range docs {
		walk(nil, d)
	}
	out := make([]*pathStat, 0, len(seen))
	for _, p := range seen {
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return strings.Join(out[i].path, "\x00") < strings.Join(out[j].path, "\x00") })
	return out
}

func (p *pathStat) count(v any) {
	switch v := v.(type) {
	case nil:
		p.isNulls++
	case json.Number:
		p.sample = string(v)
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			p.ints++
		} else {
			p.numbers++
		}
	case string:
		p.sample = v
		p.texts++
	case bool:
		p.sample = fmt.Sprint(v)
		p.bools++
	default:
		p.containers++
	}
}

// aggregates are the checks of a path: the same aggregate over a text column of DuckDB and over a path of Ebira.
func (p *pathStat) aggregates(column string) (ebira, duck []string) {
	add := func(e, d string) {
		ebira = append(ebira, strings.ReplaceAll(e, "@", p.ebira()))
		duck = append(duck, strings.ReplaceAll(d, "@", column))
	}
	add("count(@)", "count(@)")
	switch p.kind() {
	case "int":
		add("sum(CAST(@ AS DECIMAL(38,0)))", "sum(CAST(@ AS HUGEINT))::HUGEINT")
		add("min(CAST(@ AS BIGINT))", "min(CAST(@ AS BIGINT))")
		add("max(CAST(@ AS BIGINT))", "max(CAST(@ AS BIGINT))")
		add("count(DISTINCT CAST(@ AS STRING))", "count(DISTINCT @)")
	case "number":
		add("sum(CAST(@ AS DOUBLE))", "sum(CAST(@ AS DOUBLE))")
		add("min(CAST(@ AS DOUBLE))", "min(CAST(@ AS DOUBLE))")
		add("max(CAST(@ AS DOUBLE))", "max(CAST(@ AS DOUBLE))")
		add("count(DISTINCT CAST(@ AS DOUBLE))", "count(DISTINCT CAST(@ AS DOUBLE))")
	case "text":
		add("min(CAST(@ AS STRING))", "min(@)")
		add("max(CAST(@ AS STRING))", "max(@)")
		add("sum(length(CAST(@ AS STRING)))", "sum(length(@))::BIGINT")
		add("count(DISTINCT CAST(@ AS STRING))", "count(DISTINCT @)")
	case "bool":
		add("sum(CASE WHEN CAST(@ AS BOOLEAN) THEN 1 ELSE 0 END)", "sum(CASE WHEN CAST(@ AS BOOLEAN) THEN 1 ELSE 0 END)::BIGINT")
	}
	return ebira, duck
}

// filters are conditions of a path that select the same rows in both.
func (p *pathStat) filters(column string) (ebira, duck []string) {
	switch k := p.kind(); k {
	case "int", "number":
		as := map[string]string{"int": "BIGINT", "number": "DOUBLE"}[k]
		for _, op := range []string{"=", "<", ">=", "<>"} {
			ebira = append(ebira, p.ebira()+" "+op+" "+p.sample)
			duck = append(duck, fmt.Sprintf("CAST(%s AS %s) %s CAST('%s' AS %s)", column, as, op, p.sample, as))
		}
	case "text":
		for _, op := range []string{"=", "<", ">="} {
			ebira = append(ebira, p.ebira()+" "+op+" "+quote(p.sample))
			duck = append(duck, column+" "+op+" "+quote(p.sample))
		}
	}
	for _, op := range []string{" IS NULL", " IS NOT NULL"} {
		ebira = append(ebira, p.ebira()+op)
		duck = append(duck, column+op)
	}
	return ebira, duck
}
