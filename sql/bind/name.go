package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
)

// maxQualifiers is catalog.database.table in front of a column.
const maxQualifiers = 3

// matches compares a stored name with a written one: exactly, or without regard to case.
func matches(name string, id parse.Ident, exact bool) bool {
	if exact {
		return name == id.Name
	}
	return strings.EqualFold(name, id.Name)
}

// columnRef binds a dotted name: the longest prefix that is a column, and the rest as a path into it.
func (s *scope) columnRef(r *parse.ColumnRef) (expr.Expr, error) {
	if p := s.lambda.param(r.Parts[0]); p != nil {
		return s.members(p, r.Parts[1:])
	}
	for q := min(len(r.Parts)-1, maxQualifiers); q >= 0; q-- {
		x, err := s.find(r.Parts[:q], r.Parts[q], r.Pos(), len(r.Parts) == 1)
		if err != nil {
			return nil, err
		}
		if x != nil {
			return s.members(x, r.Parts[q+1:])
		}
	}
	return nil, s.missing(r)
}

// find looks up one column; nil without error says that there is none. bare tells that the whole reference is one name, which may
// be an alias.
func (s *scope) find(qualifier []parse.Ident, name parse.Ident, pos int, bare bool) (expr.Expr, error) {
	if s.sumsFirst && bare && !s.inAggregate {
		if x, err := s.alias(name); x != nil && hasAggregate(x) || err != nil {
			return x, err
		}
	}
	c, err := s.lookup(qualifier, name, pos)
	if err != nil {
		return nil, err
	}
	if c != nil {
		return s.column(c, pos), nil
	}
	if len(qualifier) == 0 {
		if x, err := s.alias(name); x != nil || err != nil {
			return x, err
		}
	}
	for o := s.outer; o != nil; o = o.outer {
		c, err := o.lookup(qualifier, name, pos)
		if c != nil || err != nil {
			return s.outerColumn(o, c, pos), err
		}
	}
	return nil, nil
}

// lookup finds a column of this scope by name; nil for none. Several matches are an error.
func (s *scope) lookup(qualifier []parse.Ident, name parse.Ident, pos int) (*column, error) {
	if name.Quoted {
		if c, err := s.lookupBy(qualifier, name, pos, true); c != nil || err != nil {
			return c, err
		}
	}
	return s.lookupBy(qualifier, name, pos, false)
}

func (s *scope) lookupBy(qualifier []parse.Ident, name parse.Ident, pos int, exact bool) (*column, error) {
	var found *column
	for i := range s.cols {
		c := &s.cols[i]
		if c.hidden && len(qualifier) == 0 || !matches(c.name, name, exact) || !c.qualifiedBy(qualifier) {
			continue
		}
		if found != nil {
			return nil, ambiguous(name, found, c, pos)
		}
		found = c
	}
	return found, nil
}

// qualifiedBy tells whether q (up to catalog.database.table) names the table of c.
func (c *column) qualifiedBy(q []parse.Ident) bool {
	if len(q) == 0 {
		return true
	}
	if c.table == "" || !matches(c.table, q[len(q)-1], false) {
		return false
	}
	if len(q) >= 2 && !matches(c.database, q[len(q)-2], false) {
		return false
	}
	return len(q) < 3 || matches(catalog.CatalogName, q[0], false)
}

func ambiguous(name parse.Ident, a, b *column, pos int) error {
	if a.table != b.table {
		return sqlerr.At(sqlerr.Bind, pos, "column %s is ambiguous: it is in %s and in %s; write %s.%s",
			name.Name, nameOr(a.table), nameOr(b.table), nameOr(a.table), a.name)
	}
	if a.name != b.name {
		return sqlerr.At(sqlerr.Bind, pos, `column %s is ambiguous: there are "%s" and "%s"; quote the name`, name.Name, a.name, b.name)
	}
	return sqlerr.At(sqlerr.Bind, pos, "column %s is ambiguous: it occurs twice in %s", name.Name, nameOr(a.table))
}

func nameOr(table string) string {
	if table == "" {
		return "a sub-query"
	}
	return table
}

// alias finds a SELECT item by its alias.
func (s *scope) alias(name parse.Ident) (expr.Expr, error) {
	var found *item
	for i := range s.items {
		it := &s.items[i]
		if it.alias.Name == "" || !matches(it.alias.Name, name, false) || s.inAggregate && (it.agg || hasWindow(it.e)) {
			continue
		}
		if found != nil {
			if found.e == it.e {
				continue
			}
			return nil, sqlerr.At(sqlerr.Bind, name.Pos(), "alias %s is ambiguous", name.Name)
		}
		found = it
	}
	if found == nil {
		return nil, nil
	}
	return found.e, nil
}

// missing says which column is not there, and which one may have been meant.
func (s *scope) missing(r *parse.ColumnRef) error {
	name := r.Parts[0].Name
	if len(r.Parts) > 1 {
		name = r.Parts[0].Name + "." + r.Parts[1].Name
		known := false
		for i := range s.cols {
			known = known || s.cols[i].qualifiedBy(r.Parts[:1])
		}
		if !known {
			if hint := s.closest(r.Parts[0].Name, func(c *column) string { return c.table }); hint != "" {
				return sqlerr.At(sqlerr.NotFound, r.Pos(), "no column or table is named %s here; did you mean %s?", r.Parts[0].Name, hint)
			}
			return sqlerr.At(sqlerr.NotFound, r.Pos(), "no column or table is named %s here", r.Parts[0].Name)
		}
	}
	last := r.Parts[min(len(r.Parts), 2)-1].Name
	if hint := s.closest(last, func(c *column) string { return c.name }); hint != "" {
		return sqlerr.At(sqlerr.NotFound, r.Pos(), "column %s does not exist; did you mean %s?", name, hint)
	}
	return sqlerr.At(sqlerr.NotFound, r.Pos(), "column %s does not exist", name)
}

// closest returns the name in sight that differs least from want, "" if none is near.
func (s *scope) closest(want string, nameOf func(*column) string) string {
	best, bestDistance := "", (len(want)+1)/3
	for i := range s.cols {
		n := nameOf(&s.cols[i])
		if n == "" || n == best {
			continue
		}
		if d := distance(strings.ToLower(want), strings.ToLower(n), bestDistance); d < bestDistance || d == bestDistance && best == "" {
			best, bestDistance = n, d
		}
	}
	return best
}

// distance is the edit distance of two short names, or limit + 1 where it is larger than limit.
func distance(a, b string, limit int) int {
	if len(a) > 64 || len(b) > 64 || len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		cur := make([]int, len(b)+1)
		cur[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
		}
		prev = cur
	}
	return prev[len(b)]
}
