package function

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// testCtx is the statement of the tests: 2024-03-10 12:34:56.789 UTC in Tokyo.
var testCtx = &Ctx{
	Now: time.Date(2024, 3, 10, 12, 34, 56, 789_000_000, time.UTC).UnixMicro(), Zone: time.FixedZone("+09:00", 9*3600),
	User: "ann", Catalog: "ebira", Database: "default",
}

// reader parses the calls of the tests: name(arg, ...) over literals as SQL writes them, with casts as ::type.
type reader struct {
	t *testing.T
	s string
}

// node is a literal (value) or a call.
type node struct {
	value *vec.Vector
	name  string
	args  []*node
	cast  string // a type name behind ::, applied last
	try   bool
}

func (r *reader) space() { r.s = strings.TrimLeft(r.s, " ") }

func (r *reader) eat(p string) bool {
	r.space()
	if strings.HasPrefix(r.s, p) {
		r.s = r.s[len(p):]
		return true
	}
	return false
}

func (r *reader) node() *node {
	n := r.primary()
	for r.eat("::") {
		n = &node{name: "::", args: []*node{n}}
		if n.try = r.eat("?"); n.try {
			r.space()
		}
		end := 0
		for depth := 0; end < len(r.s); end++ {
			c := r.s[end]
			if c == '(' || c == '<' {
				depth++
			}
			if c == ')' || c == '>' {
				if depth--; depth < 0 {
					break
				}
			}
			if depth == 0 && (c == ',' || c == ':' || c == ' ' || c == ']') {
				break
			}
		}
		n.cast, r.s = r.s[:end], r.s[end:]
	}
	return n
}

func (r *reader) primary() *node {
	r.space()
	switch {
	case strings.HasPrefix(r.s, "'"):
		var b strings.Builder
		i := 1
		for ; i < len(r.s); i++ {
			if r.s[i] == '\'' {
				if i+1 < len(r.s) && r.s[i+1] == '\'' {
					i++
				} else {
					break
				}
			}
			b.WriteByte(r.s[i])
		}
		r.s = r.s[i+1:]
		return &node{value: testText(b.String())}
	case strings.HasPrefix(r.s, "["):
		r.s = r.s[1:]
		n := &node{name: "array"}
		for !r.eat("]") {
			n.args = append(n.args, r.node())
			r.eat(",")
		}
		return n
	}
	end := strings.IndexAny(r.s, "(,) :]")
	if end < 0 {
		end = len(r.s)
	}
	word := r.s[:end]
	for _, op := range []string{"<=>", "<<", ">>", "||"} {
		if strings.HasPrefix(r.s, op+"(") {
			word = op
		}
	}
	r.s = r.s[len(word):]
	if strings.HasPrefix(r.s, "(") && (word == "" || word[0] < '0' || word[0] > '9') {
		r.s = r.s[1:]
		n := &node{name: word}
		for !r.eat(")") {
			n.args = append(n.args, r.node())
			r.eat(",")
		}
		return n
	}
	switch word {
	case "NULL":
		return &node{value: vec.NewBuilder(types.Type{}, 0).Finish().Slice(0, 0)}
	case "true", "false":
		return &node{value: vec.NewFlat(types.Of(types.Boolean), []bool{word == "true"}, nil)}
	}
	digits, neg := strings.CutPrefix(word, "-")
	v, err := LiteralNumber(digits)
	if err != nil {
		r.t.Fatalf("literal %q: %v", word, err)
	}
	if neg {
		s, err := Resolve("NEG", []Arg{{Type: v.Type, Const: v}})
		if err != nil {
			r.t.Fatal(err)
		}
		if v, err = s.Kernel(testCtx, []*vec.Vector{v}, 1); err != nil {
			r.t.Fatal(err)
		}
	}
	return &node{value: v}
}

func testText(s string) *vec.Vector {
	b := vec.NewBuilder(types.Of(types.Varchar), 1)
	b.AppendString(s)
	return b.Finish()
}

// testType reads a type name of the tests.
func testType(t *testing.T, s string) types.Type {
	upper := strings.ToUpper(s)
	if rest, ok := strings.CutPrefix(upper, "ARRAY<"); ok {
		return types.ArrayOf(testType(t, strings.TrimSuffix(rest, ">")))
	}
	var p, sc int
	if n, _ := fmt.Sscanf(upper, "DECIMAL(%d,%d)", &p, &sc); n == 2 {
		return types.DecimalOf(p, sc)
	}
	if n, _ := fmt.Sscanf(upper, "VARCHAR(%d)", &p); n == 1 {
		return types.Type{Kind: types.Varchar, Length: int32(p)}
	}
	if n, _ := fmt.Sscanf(upper, "DATETIME(%d)", &p); n == 1 {
		return types.Type{Kind: types.DateTime, Precision: uint8(p)}
	}
	for k := types.Boolean; k <= types.Variant; k++ {
		if k.String() == upper {
			return types.Of(k)
		}
	}
	t.Fatalf("unknown type %q", s)
	return types.Type{}
}

// form is how the literals of a test reach the kernel.
type form uint8

const (
	asConstant form = iota
	asFlat
	asDictionary
	asMixed // even arguments constant, odd ones flat
	asNulls // flat, with every other row NULL
	asConstKnown
)

const testRows = 5

// spread makes testRows rows of a value.
func spread(v *vec.Vector, f form, at int) *vec.Vector {
	if v.Type.Kind == types.Null {
		return vec.NewNull(v.Type, testRows)
	}
	if v.Len != 1 {
		panic("BUG: a literal has one row")
	}
	if v.Form != vec.Flat {
		v = flatten(v)
	}
	constant := vec.NewConstant(v, testRows)
	switch {
	case f == asConstant, f == asConstKnown, f == asMixed && at%2 == 0:
		return constant
	case f == asDictionary && !v.IsNull(0):
		// The entry of NULL rows is another one than that of the value where that is possible.
		codes := make([]uint32, testRows)
		dict := v
		if v.Type.Kind == types.Varchar {
			dict = vec.Concat(v.Type, testText("some other entry"), v)
			for i := range codes {
				codes[i] = 1
			}
		}
		return &vec.Vector{Type: v.Type, Form: vec.Dictionary, Len: testRows, Codes: codes, Dict: dict}
	case f == asNulls:
		rows := make([]int32, testRows)
		for i := range rows {
			if i%2 == 1 {
				rows[i] = -1
			}
		}
		return vec.GatherRows(v, rows)
	}
	return flatten(constant)
}

// eval evaluates a node with its literals in one form.
func (n *node) eval(t *testing.T, f form) (*vec.Vector, error) {
	if n.value != nil {
		return spread(n.value, f, 0), nil
	}
	args := make([]*vec.Vector, len(n.args))
	given := make([]Arg, len(n.args))
	for i, a := range n.args {
		v, err := a.eval(t, f)
		if err != nil {
			return nil, err
		}
		if a.value != nil {
			v = spread(a.value, f, i)
			if f != asConstant && f != asFlat {
				given[i].Const = nil
			}
			if v.Form == vec.Constant && f == asConstKnown || a.value.Type.Kind == types.Varchar && f != asNulls {
				given[i].Const = a.value
			}
		}
		args[i], given[i].Type = v, v.Type
	}
	if n.name == "::" {
		return Cast(testCtx, args[0], testType(t, n.cast), n.try)
	}
	s, err := Resolve(n.name, given)
	if err != nil {
		return nil, err
	}
	for i := range args {
		if args[i], err = Cast(testCtx, args[i], s.Args[i], false); err != nil {
			return nil, err
		}
	}
	rows := testRows
	out, err := s.Kernel(testCtx, args, rows)
	if err != nil {
		return nil, err
	}
	if out.Len != rows {
		t.Errorf("%s: result has %d rows", n.name, out.Len)
	}
	if !out.Type.Equal(s.Ret) {
		t.Errorf("%s: result has type %s, declared %s", n.name, out.Type, s.Ret)
	}
	checkNulls(t, s, args, out)
	return out, nil
}

// checkNulls compares the NULLs of a result with what the function promises.
func checkNulls(t *testing.T, s *Scalar, args []*vec.Vector, out *vec.Vector) {
	t.Helper()
	for i := range out.Len {
		null := false
		for _, a := range args {
			null = null || a.IsNull(i)
		}
		if null && s.Strict() && !out.IsNull(i) {
			t.Errorf("%s: row %d is not NULL though an argument is", s.Name, i)
		}
		if !null && s.NotNull && out.IsNull(i) {
			t.Errorf("%s: row %d is NULL though no argument is", s.Name, i)
		}
	}
}

func show(v *vec.Vector, i int) string {
	if v.Form == vec.Shredded {
		v = variant.Flatten(v)
	}
	return string(AppendText(nil, testCtx, v, i))
}

// check evaluates a call in all forms and compares the text of the result, or of the error after "error: ". A want with a type behind
// an arrow checks that too.
func check(t *testing.T, call, want string) {
	t.Helper()
	want, wantType, typed := strings.Cut(want, " -> ")
	checkForms(t, call, want, wantType, typed, asConstant, asFlat, asDictionary, asMixed, asNulls, asConstKnown)
}

func checkForms(t *testing.T, call, want, wantType string, typed bool, list ...form) {
	t.Helper()
	for _, f := range list {
		r := &reader{t: t, s: call}
		n := r.node()
		if r.s != "" {
			t.Fatalf("%s: rest %q", call, r.s)
		}
		v, err := n.eval(t, f)
		if err != nil {
			msg, ok := strings.CutPrefix(want, "error: ")
			if f == asNulls && !ok && sqlerr.KindOf(err) == sqlerr.Type {
				continue // a text column is not taken for a number or date as a text constant is
			}
			if !ok || !strings.Contains(err.Error(), msg) {
				t.Errorf("%s (form %d): error %v, want %s", call, f, err, want)
			}
			continue
		}
		for i := range v.Len {
			got := show(v, i)
			if f == asNulls && i%2 == 1 {
				continue // what NULL arguments give is tested by name
			}
			if got != want {
				t.Errorf("%s (form %d, row %d): got %s, want %s", call, f, i, got, want)
				break
			}
		}
		if typed && v.Type.String() != wantType {
			t.Errorf("%s (form %d): type %s, want %s", call, f, v.Type, wantType)
		}
	}
}

// checker returns the f of a table test.
func checker(t *testing.T) func(call, want string) {
	return func(call, want string) {
		t.Helper()
		check(t, call, want)
	}
}
