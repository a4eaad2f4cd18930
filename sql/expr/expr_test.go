package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/variant/varianttest"
	"github.com/ebira-db/ebira/vec"
)

// batch has the columns #0 x INT, #1 s VARCHAR, #2 b BOOLEAN, #3 v VARIANT, #4 d VARCHAR as a dictionary.
func batch(t *testing.T) *vec.Batch {
	t.Helper()
	x := vec.NewBuilder(types.Of(types.Int), 0)
	for _, n := range []int32{0, 1, 2, 3, 4} {
		vec.Append(x, n)
	}
	x.AppendNull()
	s := vec.NewBuilder(types.Of(types.Varchar), 0)
	for _, w := range []string{"zero", "1", "two", "3", "four", "5"} {
		s.AppendString(w)
	}
	b := vec.NewBuilder(types.Of(types.Boolean), 0)
	for i := range 6 {
		switch i % 3 {
		case 0:
			vec.Append(b, true)
		case 1:
			vec.Append(b, false)
		default:
			b.AppendNull()
		}
	}
	docs := []string{`{"a":1}`, `{"a":"1"}`, `{"a":1.5}`, `{"a":null}`, `{"b":2}`, `null`}
	dict := vec.NewBuilder(types.Of(types.Varchar), 0)
	dict.AppendString("red")
	dict.AppendString("green")
	d := &vec.Vector{Type: types.Of(types.Varchar), Form: vec.Dictionary, Len: 6, Codes: []uint32{0, 1, 0, 1, 0, 0}, Dict: dict.Finish(), Valid: vec.Bitmap{0b011111}}
	return vec.NewBatch(6, x.Finish(), s.Finish(), b.Finish(), varianttest.Documents(t, docs...), d)
}

var (
	colX = &Column{Index: 0, Name: "x", T: types.Of(types.Int)}
	colS = &Column{Index: 1, Name: "s", T: types.Of(types.Varchar), NotNull: true}
	colB = &Column{Index: 2, Name: "b", T: types.Of(types.Boolean)}
	colV = &Column{Index: 3, Name: "v", T: types.Of(types.Variant)}
	colD = &Column{Index: 4, Name: "d", T: types.Of(types.Varchar)}
)

func integer(n int32) *Const {
	return &Const{Value: vec.NewFlat(types.Of(types.Int), []int32{n}, nil)}
}

func text(s string) *Const {
	b := vec.NewBuilder(types.Of(types.Varchar), 1)
	b.AppendString(s)
	return &Const{Value: b.Finish()}
}

func null() *Const { return &Const{Value: vec.NewNull(types.Type{}, 1)} }

// call resolves a function and casts its arguments as the binder does.
func call(t *testing.T, name string, args ...Expr) Expr {
	t.Helper()
	given := make([]function.Arg, len(args))
	for i, a := range args {
		given[i].Type = a.Type()
		if c, ok := a.(*Const); ok {
			given[i].Const = c.Value
		}
	}
	fn, err := function.Resolve(name, given)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]Expr, len(args))
	for i, a := range args {
		out[i] = a
		if !a.Type().Equal(fn.Args[i]) {
			out[i] = &Cast{Arg: a, To: fn.Args[i]}
		}
	}
	return &Call{Fn: fn, Args: out}
}

// dump prints all rows of a vector.
func dump(v *vec.Vector) string {
	if v.Form == vec.Shredded {
		v = variant.Flatten(v)
	}
	var out []string
	for i := range v.Len {
		out = append(out, string(function.AppendText(nil, utc, v, i)))
	}
	return strings.Join(out, " ")
}

// eval evaluates e over the batch, over each of its rows alone, and after folding; all must agree.
func eval(t *testing.T, e Expr) string {
	t.Helper()
	b := batch(t)
	v, err := e.Eval(utc, b)
	if err != nil {
		return "error: " + err.Error()
	}
	whole := dump(v)
	var rows []string
	for i := range b.Len {
		one, err := e.Eval(utc, b.Slice(i, i+1))
		if err != nil {
			t.Errorf("%s row %d: %v", e, i, err)
			continue
		}
		rows = append(rows, dump(one))
	}
	if got := strings.Join(rows, " "); got != whole {
		t.Errorf("%s: rows alone give %s, together %s", e, got, whole)
	}
	folded, err := Fold(utc, e).Eval(utc, b)
	if err != nil || dump(folded) != whole {
		t.Errorf("%s folded to %s: %v, %v", e, Fold(utc, e), folded, err)
	}
	if e.Type().Kind == types.Boolean {
		sel, err := Select(utc, e, b)
		if got := fmt.Sprint(sel); err != nil || got != fmt.Sprint(vec.SelectTrue(v)) {
			t.Errorf("%s selects %s (%v), evaluates to %s", e, got, err, whole)
		}
	}
	if empty, err := e.Eval(utc, b.Slice(0, 0)); err != nil || empty.Len != 0 {
		t.Errorf("%s over no rows: %v, %v", e, empty, err)
	}
	return whole
}

func TestEval(t *testing.T) {
	f := func(e Expr, want string) {
		t.Helper()
		if got := eval(t, e); got != want && !(strings.HasPrefix(want, "error: ") && strings.Contains(got, want[len("error: "):])) {
			t.Errorf("%s: got %s, want %s", e, got, want)
		}
	}
	gt := func(a, b Expr) Expr { return call(t, ">", a, b) }
	eq := func(a, b Expr) Expr { return call(t, "=", a, b) }
	// 12 / x fails for no x (it gives NULL), so the cast of a text is what fails here.
	bad := gt(&Cast{Arg: colS, To: types.Of(types.Int)}, integer(0))
	digit := call(t, "regexp", colS, text("^[0-9]"))
	f(colX, "0 1 2 3 4 NULL")
	f(integer(7), "7 7 7 7 7 7")
	f(call(t, "+", colX, integer(1)), "1 2 3 4 5 NULL")
	f(bad, "error: cannot convert 'zero'")
	f(&And{Args: []Expr{digit, bad}}, "false true false true false true")
	f(&And{Args: []Expr{bad, digit}}, "error: cannot convert 'zero'")
	f(&Or{Args: []Expr{&Not{Arg: digit}, bad}}, "true true true true true true")
	f(&And{Args: []Expr{gt(colX, integer(1)), colB}}, "false false NULL true false NULL")
	f(&Or{Args: []Expr{gt(colX, integer(1)), colB}}, "true false true true true NULL")
	f(&And{Args: []Expr{colB, null()}}, "NULL false NULL NULL false NULL")
	f(&Or{Args: []Expr{colB, null()}}, "true NULL NULL true NULL NULL")
	f(&Not{Arg: colB}, "false true NULL false true NULL")
	f(&Not{Arg: null()}, "NULL NULL NULL NULL NULL NULL")
	f(&IsNull{Arg: colX}, "false false false false false true")
	f(&IsNull{Arg: colX, Negate: true}, "true true true true true false")
	f(&IsNull{Arg: colV}, "false false false false false true")
	f(&IsNull{Arg: colS}, "false false false false false false")
	f(&IsNull{Arg: null()}, "true true true true true true")
	list := vec.NewFlat(types.Of(types.Int), []int32{1, 3}, nil)
	f(&In{Arg: colX, List: list}, "false true false true false NULL")
	f(&In{Arg: colX, List: list, Negate: true}, "true false true false true NULL")
	f(&In{Arg: colX, List: list, HasNull: true}, "NULL true NULL true NULL NULL")
	f(&In{Arg: colX, List: list, HasNull: true, Negate: true}, "NULL false NULL false NULL NULL")
	f(&In{Arg: colD, List: text("red").Value}, "true false true false true NULL")
	f(&Path{Arg: colV, Steps: []Step{{Key: "a"}}}, "1 1 1.5 NULL NULL NULL")
	f(eq(&Path{Arg: colV, Steps: []Step{{Key: "a"}}}, integer(1)), "true true false NULL NULL NULL")
	f(&Cast{Arg: &Path{Arg: colV, Steps: []Step{{Key: "a"}}}, To: types.Of(types.Int)}, "1 1 2 NULL NULL NULL")
	f(call(t, "upper", colD), "RED GREEN RED GREEN RED NULL")
	f(call(t, "concat", colD, colS), "redzero green1 redtwo green3 redfour NULL")
	f(&Cast{Arg: colS, To: types.Of(types.Int), Try: true}, "NULL 1 NULL 3 NULL 5")
}

func TestCase(t *testing.T) {
	f := func(e *Case, want string) {
		t.Helper()
		if got := eval(t, e); got != want {
			t.Errorf("%s: got %s, want %s", e, got, want)
		}
	}
	gt := func(n int32) Expr { return call(t, ">", colX, integer(n)) }
	intType, varchar := types.Of(types.Int), types.Of(types.Varchar)
	toInt := &Cast{Arg: colS, To: intType}
	f(&Case{T: varchar, Whens: []When{{gt(3), text("big")}, {gt(1), text("middle")}}, Else: colS}, "zero 1 middle middle big 5")
	f(&Case{T: varchar, Whens: []When{{gt(3), text("big")}}}, "NULL NULL NULL NULL big NULL")
	f(&Case{T: intType, Whens: []When{{call(t, "regexp", colS, text("^[0-9]")), toInt}}, Else: colX}, "0 1 2 3 4 5")
	f(&Case{T: intType, Whens: []When{{boolConst(true), colX}}, Else: toInt}, "0 1 2 3 4 NULL")
	f(&Case{T: intType, Whens: []When{{boolConst(false), toInt}}}, "NULL NULL NULL NULL NULL NULL")
	f(&Case{T: intType, Whens: []When{{gt(1), null()}}, Else: integer(9)}, "9 9 NULL NULL NULL 9")
	f(&Case{T: types.Of(types.Variant), Whens: []When{{gt(0), colV}}, Else: &Cast{Arg: colX, To: types.Of(types.Variant)}}, `0 {"a":"1"} {"a":1.5} {"a":null} {"b":2} NULL`)
}

// TestShredded evaluates over a shredded variant: typed BIGINT in some rows, another kind in one, nothing in the others.
func TestShredded(t *testing.T) {
	typed := vec.NewBuilder(types.Of(types.BigInt), 3)
	vec.Append(typed, int64(5))
	typed.AppendNull()
	typed.AppendNull()
	rest := variant.NewBatchBuilder(3)
	rest.AppendNull()
	rest.AppendScalar(text("five").Value, 0)
	rest.AppendNull()
	v := &vec.Vector{Type: types.Of(types.Variant), Form: vec.Shredded, Len: 3, Typed: typed.Finish(), Rest: rest.Finish()}
	b := vec.NewBatch(3, v)
	col := &Column{Index: 0, Name: "v", T: v.Type}
	f := func(e Expr, want string) {
		t.Helper()
		got, err := e.Eval(utc, b)
		if err != nil || dump(got) != want {
			t.Errorf("%s: got %v, %v; want %s", e, got, err, want)
		}
	}
	f(col, "5 five NULL")
	f(&IsNull{Arg: col}, "false false true")
	f(&Cast{Arg: col, To: types.Of(types.Int)}, "5 NULL NULL")
	f(call(t, "=", col, integer(5)), "true NULL NULL")
	f(call(t, "=", col, text("five")), "false true NULL")
	f(call(t, "length", col), "1 4 NULL")
	f(call(t, "+", col, integer(1)), "6 NULL NULL")
	f(call(t, "coalesce", col, &Cast{Arg: integer(1), To: v.Type}), "5 five 1")
	f(call(t, "variant_type", col), `{"":"bigint"} {"":"string"} NULL`)
	f(&Case{T: v.Type, Whens: []When{{call(t, "=", col, integer(5)), col}}}, "5 NULL NULL")
}

func TestFold(t *testing.T) {
	f := func(e Expr, want string) {
		t.Helper()
		if got := Fold(utc, e).String(); got != want {
			t.Errorf("%s folds to %s, want %s", e, got, want)
		}
	}
	one := call(t, "=", integer(1), integer(1))
	gt := call(t, ">", colX, integer(1))
	bad := &Cast{Arg: text("x"), To: types.Of(types.Int)}
	f(call(t, "+", integer(1), integer(2)), "3")
	f(call(t, "+", colX, call(t, "*", integer(2), integer(3))), "(x + 6)")
	f(&And{Args: []Expr{one, gt}}, "(x > 1)")
	f(&And{Args: []Expr{gt, &Not{Arg: one}}}, "false")
	f(&Or{Args: []Expr{gt, one}}, "true")
	f(&And{Args: []Expr{one, one}}, "true")
	f(&And{Args: []Expr{gt, &And{Args: []Expr{colB, colB}}}}, "((x > 1) AND b AND b)")
	f(bad, "CAST('x' AS INT)")
	f(&Case{T: types.Of(types.Int), Whens: []When{{&Not{Arg: one}, bad}, {one, colX}}, Else: bad}, "x")
	f(&IsNull{Arg: colS}, "false")
	f(call(t, "random"), "random()")
	f(&Cast{Arg: text("2024-01-31"), To: types.Of(types.Date)}, "DATE '2024-01-31'")
}

func TestPrint(t *testing.T) {
	f := func(e Expr, want string) {
		t.Helper()
		if got := e.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f(&Column{Name: "a b"}, `"a b"`)
	f(&Column{Index: 3}, "#3")
	f(text("it's"), "'it''s'")
	f(null(), "NULL")
	f(call(t, "like", colS, text("a%")), "(s LIKE 'a%')")
	f(call(t, "neg", colX), "(- x)")
	f(call(t, "substr", colS, &Cast{Arg: integer(1), To: types.Of(types.BigInt)}), "substr(s, CAST(1 AS BIGINT))")
	f(&Cast{Arg: colX, To: types.Of(types.Double), Try: true}, "TRY_CAST(x AS DOUBLE)")
	f(&In{Arg: colX, List: integer(1).Value, HasNull: true, Negate: true}, "(x NOT IN (1, NULL))")
	f(&IsNull{Arg: &Path{Arg: colV, Steps: []Step{{Key: "a'b"}, {Index: 0, IsIndex: true}}}, Negate: true}, "(v['a''b'][0] IS NOT NULL)")
	f(&Case{Whens: []When{{colB, integer(1)}}, Else: integer(2), T: types.Of(types.Int)}, "CASE WHEN b THEN 1 ELSE 2 END")
	f(&Param{Slot: 1}, "$2")
}

func TestTools(t *testing.T) {
	e := &And{Args: []Expr{call(t, ">", colX, integer(1)), &Or{Args: []Expr{colB, call(t, "=", colX, integer(1))}}}}
	if got := fmt.Sprint(Columns(e)); got != "[0 2]" {
		t.Errorf("columns %s", got)
	}
	if got := Remap(e, map[int]int{0: 7}); fmt.Sprint(Columns(got)) != "[2 7]" || fmt.Sprint(Columns(e)) != "[0 2]" {
		t.Errorf("remapped columns %v", Columns(got))
	}
	if got := Shift(e, 10); fmt.Sprint(Columns(got)) != "[10 12]" {
		t.Errorf("shifted columns %v", Columns(got))
	}
	if got := Conjuncts(e); len(got) != 2 || !Equal(Join(got), e) {
		t.Errorf("conjuncts %v", got)
	}
	if Conjuncts(nil) != nil || Join(nil) != nil {
		t.Error("conjuncts of nothing")
	}
	if !Equal(e, Rewrite(e, func(x Expr) Expr { return x })) || Rewrite(e, func(x Expr) Expr { return x }) != Expr(e) {
		t.Error("rewriting by nothing makes something else")
	}
	if Equal(call(t, "random"), call(t, "random")) {
		t.Error("two calls of random are equal")
	}
	if Equal(integer(1), integer(2)) || Equal(integer(1), text("1")) || !Equal(text("1"), text("1")) {
		t.Error("equality of constants")
	}
	p := &Param{Slot: 0, T: types.Of(types.Date)}
	bound, err := BindParams(utc, &IsNull{Arg: p}, []*vec.Vector{text("2024-01-31").Value})
	if err != nil || bound.String() != "(DATE '2024-01-31' IS NULL)" {
		t.Errorf("bound to %v, %v", bound, err)
	}
	if _, err := BindParams(utc, p, []*vec.Vector{text("x").Value}); err == nil {
		t.Error("a text that is no date was bound to a DATE parameter")
	}
	if _, err := p.Eval(utc, batch(t)); err == nil {
		t.Error("an unbound parameter was evaluated")
	}
}
