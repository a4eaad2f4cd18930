package plan

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/types"
)

// Check verifies a plan: every column of every expression exists in the input with the type that the expression believes it has, calls get
// the argument types of their functions, conditions are BOOLEAN, join keys agree, and output schemas have the expressions' types.
// A plan that fails is a bug of whoever built it.
func Check(n Node) error {
	for _, d := range Definitions(n) {
		if err := checkTree(d.Plan); err != nil {
			return err
		}
	}
	return checkTree(n)
}

func checkTree(n Node) error {
	for _, c := range n.Children() {
		if err := checkTree(c); err != nil {
			return err
		}
	}
	if err := checkNode(n); err != nil {
		return fmt.Errorf("%s: %w", Describe(n), err)
	}
	return nil
}

func checkNode(n Node) error {
	switch x := n.(type) {
	case *Scan:
		return checkConds(x.Filter, x.Out)
	case *Values:
		for _, row := range x.Rows {
			if err := checkOutputs(row, nil, x.Out); err != nil {
				return err
			}
		}
	case *Filter:
		return checkConds([]expr.Expr{x.Cond}, x.Input.Schema())
	case *Project:
		return checkOutputs(x.Exprs, x.Input.Schema(), x.Out)
	case *Aggregate:
		return checkAggregate(x)
	case *Join:
		return checkJoin(x)
	case *Sort:
		for _, k := range x.Keys {
			if err := checkExpr(k.Expr, x.Input.Schema()); err != nil {
				return err
			}
		}
	case *Union:
		for _, in := range x.Inputs {
			if err := checkTypes(in.Schema(), x.Out); err != nil {
				return err
			}
		}
	case *Explode:
		if len(x.Out) != len(x.Input.Schema())+1 {
			return fmt.Errorf("%d columns over %d", len(x.Out), len(x.Input.Schema()))
		}
		return checkExpr(x.Arg, x.Input.Schema())
	case *Window:
		return x.check()
	case *Shared:
		return x.check()
	case *Expand:
		return x.check()
	case *Recursive:
		return x.check()
	case *Write:
		if len(x.Input.Schema()) != len(x.Table.Columns) {
			return fmt.Errorf("%d columns for a table with %d", len(x.Input.Schema()), len(x.Table.Columns))
		}
	}
	return nil
}

func checkAggregate(x *Aggregate) error {
	if len(x.Out) != len(x.Keys)+len(x.Aggs) {
		return fmt.Errorf("%d columns for %d keys and %d aggregates", len(x.Out), len(x.Keys), len(x.Aggs))
	}
	if err := checkOutputs(x.Keys, x.Input.Schema(), x.Out[:len(x.Keys)]); err != nil {
		return err
	}
	for i, a := range x.Aggs {
		if !a.Fn.Ret.Equal(x.Out[len(x.Keys)+i].Type) {
			return fmt.Errorf("%s yields %s, schema says %s", a, a.Fn.Ret, x.Out[len(x.Keys)+i].Type)
		}
		for k, e := range a.Args {
			if err := checkExpr(e, x.Input.Schema()); err != nil {
				return err
			}
			if !fits(e.Type(), a.Fn.Args[k]) {
				return fmt.Errorf("%s gets %s for %s", a, e.Type(), a.Fn.Args[k])
			}
		}
		if a.Filter != nil {
			if err := checkConds([]expr.Expr{a.Filter}, x.Input.Schema()); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkJoin(x *Join) error {
	if len(x.LeftKeys) != len(x.RightKeys) {
		return fmt.Errorf("%d left keys, %d right keys", len(x.LeftKeys), len(x.RightKeys))
	}
	l, r := x.Left.Schema(), x.Right.Schema()
	for i := range x.LeftKeys {
		if err := checkExpr(x.LeftKeys[i], l); err != nil {
			return err
		}
		if err := checkExpr(x.RightKeys[i], r); err != nil {
			return err
		}
		if a, b := x.LeftKeys[i].Type(), x.RightKeys[i].Type(); a.Kind != b.Kind || a.Phys() != b.Phys() || a.Scale != b.Scale {
			return fmt.Errorf("key %s of %s meets %s", x.LeftKeys[i], a, b)
		}
	}
	if x.Cond != nil {
		if err := checkConds([]expr.Expr{x.Cond}, append(append(types.Schema(nil), l...), r...)); err != nil {
			return err
		}
	}
	return checkTypes(JoinSchema(x.Kind, l, r), x.Out)
}

func checkTypes(got, want types.Schema) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d columns, schema has %d", len(got), len(want))
	}
	for i := range got {
		if !fits(got[i].Type, want[i].Type) {
			return fmt.Errorf("column %s is %s, schema says %s", want[i].Name, got[i].Type, want[i].Type)
		}
	}
	return nil
}

// fits tells whether values of type got can stand where want is declared: lengths of text and templates of VARIANT do not matter.
func fits(got, want types.Type) bool {
	return got.Equal(want) || got.Kind == want.Kind && got.Phys() == want.Phys() && got.Scale == want.Scale
}

func checkOutputs(list []expr.Expr, in, out types.Schema) error {
	if len(list) != len(out) {
		return fmt.Errorf("%d expressions for %d columns", len(list), len(out))
	}
	for i, e := range list {
		if err := checkExpr(e, in); err != nil {
			return err
		}
		if !fits(e.Type(), out[i].Type) {
			return fmt.Errorf("%s is %s, schema says %s", e, e.Type(), out[i].Type)
		}
	}
	return nil
}

func checkConds(list []expr.Expr, in types.Schema) error {
	for _, e := range list {
		if err := checkExpr(e, in); err != nil {
			return err
		}
		if e.Type().Kind != types.Boolean && e.Type().Kind != types.Null {
			return fmt.Errorf("condition %s is %s", e, e.Type())
		}
	}
	return nil
}

func checkExpr(e expr.Expr, in types.Schema) error {
	var failed error
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Column:
			if x.Index < 0 || x.Index >= len(in) {
				failed = fmt.Errorf("column %s has number %d of %d", x, x.Index, len(in))
			} else if !fits(in[x.Index].Type, x.T) {
				failed = fmt.Errorf("column %s is taken for %s but is %s", x, x.T, in[x.Index].Type)
			}
		case *expr.Call:
			if len(x.Args) != len(x.Fn.Args) {
				failed = fmt.Errorf("%s gets %d arguments for %d", x, len(x.Args), len(x.Fn.Args))
				return false
			}
			for i, a := range x.Args {
				if !fits(a.Type(), x.Fn.Args[i]) && a.Type().Kind != types.Null {
					failed = fmt.Errorf("argument %d of %s is %s, not %s", i+1, x, a.Type(), x.Fn.Args[i])
				}
			}
		case *expr.Case:
			for _, w := range x.Whens {
				if !fits(w.Then.Type(), x.T) {
					failed = fmt.Errorf("branch %s of %s is %s, not %s", w.Then, x, w.Then.Type(), x.T)
				}
			}
		}
		return failed == nil
	})
	return failed
}
