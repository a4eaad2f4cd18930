package expr

import (
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// String returns the name, quoted where SQL needs it.
func (e *Column) String() string {
	if e.Name == "" {
		return "#" + strconv.Itoa(e.Index)
	}
	return types.QuoteName(e.Name)
}

// String returns the literal as SQL.
func (e *Const) String() string { return literal(e.Value, 0) }

// literal prints one value as SQL: text and what is written like text in quotes, with its type where the text alone would not tell.
func literal(v *vec.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	if v.Form == vec.Shredded {
		v = flatten(v)
	}
	s := string(function.AppendText(nil, utc, v, i))
	switch k := v.Type.Kind; {
	case v.Type.IsNumeric() || k == types.Boolean:
		return s
	case k == types.Varchar:
		return quote(s)
	case k == types.Binary:
		return "X'" + s + "'"
	case k == types.Interval || k.String() == v.Type.String() && v.Type.IsTemporal():
		return k.String() + " " + quote(s)
	}
	return "CAST(" + quote(s) + " AS " + v.Type.String() + ")"
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// binaryOperators print between their operands.
var binaryOperators = map[string]bool{
	"+": true, "-": true, "*": true, "/": true, "%": true, "DIV": true, "||": true, "=": true, "<>": true, "<": true, "<=": true, ">": true,
	">=": true, "<=>": true, "IS DISTINCT FROM": true, "LIKE": true, "ILIKE": true, "REGEXP": true, "&": true, "|": true, "^": true,
	"<<": true, ">>": true, "->": true, "->>": true,
}

// String returns the call, operators between their operands.
func (e *Call) String() string {
	if len(e.Args) == 2 && binaryOperators[strings.ToUpper(e.Fn.Name)] {
		return "(" + e.Args[0].String() + " " + strings.ToUpper(e.Fn.Name) + " " + e.Args[1].String() + ")"
	}
	if len(e.Args) == 1 && e.Fn.Name == "NEG" {
		return "(- " + e.Args[0].String() + ")"
	}
	return e.Fn.Name + "(" + list(e.Args, ", ") + ")"
}

func list(args []Expr, sep string) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	return strings.Join(parts, sep)
}

// String returns CAST or TRY_CAST.
func (e *Cast) String() string {
	name := "CAST("
	if e.Try {
		name = "TRY_CAST("
	}
	return name + e.Arg.String() + " AS " + e.To.String() + ")"
}

// String returns TRY with the argument.
func (e *Try) String() string { return "TRY(" + e.Arg.String() + ")" }

// String returns the call with the lambda behind the other arguments.
func (e *Apply) String() string {
	params := make([]string, len(e.Params))
	for i, p := range e.Params {
		params[i] = p.String()
	}
	return e.Fn.Name + "(" + list(e.Args[:e.Inputs], ", ") + ", (" + strings.Join(params, ", ") + ") -> " + e.Body.String() + ")"
}

// String returns the conjunction in parentheses.
func (e *And) String() string { return "(" + list(e.Args, " AND ") + ")" }

// String returns the disjunction in parentheses.
func (e *Or) String() string { return "(" + list(e.Args, " OR ") + ")" }

// String returns NOT in parentheses.
func (e *Not) String() string { return "(NOT " + e.Arg.String() + ")" }

// String returns IS [NOT] NULL in parentheses.
func (e *IsNull) String() string {
	if e.Negate {
		return "(" + e.Arg.String() + " IS NOT NULL)"
	}
	return "(" + e.Arg.String() + " IS NULL)"
}

// String returns the CASE.
func (e *Case) String() string {
	var s strings.Builder
	s.WriteString("CASE")
	for _, w := range e.Whens {
		s.WriteString(" WHEN " + w.Cond.String() + " THEN " + w.Then.String())
	}
	if e.Else != nil {
		s.WriteString(" ELSE " + e.Else.String())
	}
	return s.String() + " END"
}

// shownMembers bounds how many members of a list are printed.
const shownMembers = 20

// String returns [NOT] IN with the list, cut where it is long.
func (e *In) String() string {
	var parts []string
	for i := range min(e.List.Len, shownMembers) {
		parts = append(parts, literal(e.List, i))
	}
	if more := e.List.Len - shownMembers; more > 0 {
		parts = append(parts, "... "+strconv.Itoa(more)+" more")
	}
	if e.HasNull {
		parts = append(parts, "NULL")
	}
	op := " IN ("
	if e.Negate {
		op = " NOT IN ("
	}
	return "(" + e.Arg.String() + op + strings.Join(parts, ", ") + "))"
}

// String returns the path in brackets.
func (e *Path) String() string {
	s := e.Arg.String()
	for _, step := range e.Steps {
		if step.IsIndex {
			s += "[" + strconv.Itoa(step.Index) + "]"
		} else {
			s += "[" + quote(step.Key) + "]"
		}
	}
	return s
}

// String returns the slot as $1.
func (e *Param) String() string { return "$" + strconv.Itoa(e.Slot+1) }
