package plan

import (
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

var integer = types.Of(types.Int)

// source has two columns, the first of which is never NULL.
func source() Node {
	return &Batches{Out: types.Schema{{Name: "a", Type: integer, NotNull: true}, {Name: "b", Type: integer}}}
}

func call(t *testing.T, name string, args ...expr.Expr) *expr.Call {
	t.Helper()
	list := make([]function.Arg, len(args))
	for i, a := range args {
		list[i].Type = a.Type()
	}
	fn, err := function.Resolve(name, list)
	if err != nil {
		t.Fatal(err)
	}
	return &expr.Call{Fn: fn, Args: args}
}

func col(i int) *expr.Column { return ColumnOf(source().Schema(), i) }

func TestJoinSchema(t *testing.T) {
	f := func(kind JoinKind, want string) {
		t.Helper()
		var parts []string
		for _, c := range JoinSchema(kind, source().Schema(), source().Schema()) {
			s := c.Name
			if c.NotNull {
				s += "!"
			}
			parts = append(parts, s)
		}
		if got := strings.Join(parts, " "); got != want {
			t.Errorf("%s join yields %s, want %s", kind, got, want)
		}
	}
	f(Inner, "a! b a! b")
	f(Cross, "a! b a! b")
	f(Left, "a! b a b")
	f(Right, "a b a! b")
	f(Full, "a b a b")
	f(Single, "a! b a b")
	f(Semi, "a! b")
	f(Anti, "a! b")
	f(NullAwareAnti, "a! b")
	f(Mark, "a! b mark")
}

func TestCheck(t *testing.T) {
	f := func(n Node, want string) {
		t.Helper()
		err := Check(n)
		switch {
		case want == "" && err != nil:
			t.Errorf("valid plan: %v", err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("got %v, want %q", err, want)
		}
	}
	text := types.Of(types.Varchar)
	f(&Filter{Input: source(), Cond: call(t, ">", col(0), col(1))}, "")
	f(&Filter{Input: source(), Cond: col(0)}, "is INT")
	f(&Filter{Input: source(), Cond: call(t, ">", col(0), &expr.Column{Index: 2, Name: "c", T: integer})}, "number 2 of 2")
	f(&Filter{Input: source(), Cond: call(t, "=", &expr.Column{Index: 1, Name: "b", T: text}, &expr.Column{Index: 1, Name: "b", T: text})}, "taken for VARCHAR")
	f(NewJoin(Inner, source(), source(), []expr.Expr{col(0)}, []expr.Expr{col(1)}, nil), "")
	f(NewJoin(Inner, source(), source(), []expr.Expr{col(0)}, nil, nil), "right keys")
	f(&Join{Kind: Semi, Left: source(), Right: source(), Out: JoinSchema(Inner, source().Schema(), source().Schema())}, "schema has 4")
	f(&Union{Inputs: []Node{source(), source()}, Out: source().Schema()}, "")
	f(&Union{Inputs: []Node{source()}, Out: source().Schema()[:1]}, "schema has 1")
	f(&Project{Input: source(), Exprs: []expr.Expr{col(0)}, Out: types.Schema{{Name: "x", Type: text}}}, "schema says VARCHAR")
}

func TestWithChildren(t *testing.T) {
	one := vec.NewFlat(integer, []int32{1}, nil)
	in := source()
	nodes := []Node{
		&Filter{Input: in, Cond: call(t, "=", col(0), &expr.Const{Value: one})}, NewProject(in, []expr.Expr{col(1)}, []string{"x"}),
		NewAggregate(in, []expr.Expr{col(0)}, []string{"k"}, nil), NewJoin(Cross, in, in, nil, nil, nil), &Sort{Input: in, Limit: -1},
		&Limit{Input: in, Count: 1}, &Union{Inputs: []Node{in, in}, Out: in.Schema()}, &Distinct{Input: in},
		&Explode{Input: in, Arg: col(0), Out: append(in.Schema(), types.Field{Name: "e", Type: integer})}, &Write{Input: in}, &Delete{Input: in},
	}
	other := source()
	for _, n := range nodes {
		if MapChildren(n, func(c Node) Node { return c }) != n {
			t.Errorf("%T without change is a new node", n)
		}
		m := MapChildren(n, func(Node) Node { return other })
		for _, c := range m.Children() {
			if c != other {
				t.Errorf("%T keeps its old input", n)
			}
		}
		if len(m.Schema()) != len(n.Schema()) {
			t.Errorf("%T: %d columns became %d", n, len(n.Schema()), len(m.Schema()))
		}
	}
}

func TestMapExprs(t *testing.T) {
	n := NewJoin(Left, source(), source(), []expr.Expr{col(0)}, []expr.Expr{col(1)}, call(t, "<", col(0), col(1)))
	seen := 0
	MapExprs(n, func(e expr.Expr) expr.Expr {
		seen++
		return e
	})
	if seen != 3 || len(Exprs(n)) != 3 {
		t.Errorf("%d expressions mapped, %d listed, want 3", seen, len(Exprs(n)))
	}
	deep := source()
	for range 30 {
		deep = &Union{Inputs: []Node{deep, deep}, Out: deep.Schema()}
	}
	if got := Size(deep, 1000); got != 1000 {
		t.Errorf("size of a plan that doubles 30 times is %d, want the limit", got)
	}
}
