package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
)

// coerce casts x to t where its type is another one. The cast must be legal.
func (s *scope) coerce(x expr.Expr, t types.Type) expr.Expr { return s.b.coerce(x, t) }

func (b *binder) coerce(x expr.Expr, t types.Type) expr.Expr {
	if unknown(x) {
		x = b.infer(x, t)
	}
	from := x.Type()
	switch {
	case from.Equal(t), from.Kind == types.Varchar && t.Kind == types.Varchar && t.Length == 0:
		return x
	case from.Kind == types.Null && t.Kind == types.Null, from.Kind == types.Variant && t.Kind == types.Variant && t.Variant == nil:
		return x
	}
	c := &expr.Cast{Arg: x, To: t}
	if k, ok := x.(*expr.Const); ok {
		// A constant that does not convert keeps its cast: the error comes when, and if, the value is needed.
		if v, err := function.Cast(b.env.Ctx, k.Value, t, false); err == nil {
			return &expr.Const{Value: v}
		}
	}
	return c
}

// castable checks that a cast exists.
func castable(from, to types.Type, pos int) error {
	if from.Kind == types.Null || function.CanCast(from, to) != function.No {
		return nil
	}
	return sqlerr.WithPlace(function.CastError(from, to), pos)
}

// commonType is function.CommonType, except that a VARIANT meeting text, dates and other scalars that JSON writes as text gives way to
// them: text is not parsed as JSON unasked.
func commonType(a, b types.Type) (types.Type, bool) {
	if a.IsVariant() && textual(b) {
		return b, true
	}
	if b.IsVariant() && textual(a) {
		return a, true
	}
	return function.CommonType(a, b)
}

func textual(t types.Type) bool {
	switch t.Kind {
	case types.Varchar, types.Binary, types.Date, types.Time, types.DateTime, types.TimestampTZ, types.IPv4, types.IPv6, types.UUID:
		return true
	}
	return false
}

// templateType returns the type that a Schema Template gives to the path o.
func (b *binder) templateType(o origin) (types.Type, bool) {
	if !o.whole || o.spec == nil || len(o.path) == 0 {
		return types.Type{}, false
	}
	t, ok := b.templates[o.spec]
	if !ok {
		t = variant.NewTemplate(o.spec)
		b.templates[o.spec] = t
	}
	return t.Match(o.path)
}

// knownTemplate casts a VARIANT path to the type of its Schema Template, where there is one.
func (b *binder) knownTemplate(s *scope, x expr.Expr) expr.Expr {
	if x.Type().Kind != types.Variant {
		return x
	}
	if t, ok := b.templateType(s.originOf(x)); ok {
		return &expr.Cast{Arg: x, To: t}
	}
	return x
}

func (b *binder) options() []function.Option {
	if b.env.Ctx.VariantTotalOrder {
		return []function.Option{function.TotalOrder}
	}
	return nil
}

func isComparisonName(name string) bool {
	switch name {
	case "=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM":
		return true
	}
	return false
}

// unifying are the functions whose arguments meet in one type that is also their result's.
var unifying = map[string]bool{"coalesce": true, "ifnull": true, "nvl": true, "nullif": true, "greatest": true, "least": true, "if": true, "iff": true}

// resolve finds the function for the arguments' types and builds the call with its casts.
func (s *scope) resolve(pos int, name string, args ...expr.Expr) (expr.Expr, error) {
	if unifying[strings.ToLower(name)] {
		if err := s.meet(pos, strings.ToLower(name), args); err != nil {
			return nil, err
		}
	}
	fn, err := function.Resolve(name, describe(args), s.b.options()...)
	if typed := s.useTemplates(name, fn, args); typed != nil {
		if f, e := function.Resolve(name, describe(typed), s.b.options()...); e == nil {
			fn, err, args = f, nil, typed
		}
	}
	if err != nil {
		return nil, s.explain(err, pos, args)
	}
	out := make([]expr.Expr, len(args))
	for i, a := range args {
		out[i] = s.coerce(a, fn.Args[i])
	}
	return &expr.Call{Fn: fn, Args: out, At: s.b.place(pos)}, nil
}

// meet casts the arguments of a unifying function to their common type.
func (s *scope) meet(pos int, name string, args []expr.Expr) error {
	from := 0
	if name == "if" || name == "iff" {
		from = 1
	}
	if len(args) <= from {
		return nil
	}
	list, _, err := s.unify(pos, name, args[from:])
	if err == nil {
		copy(args[from:], list)
	}
	return err
}

// useTemplates returns the arguments with paths cast to their template types where fn would cast them to something else or compares
// them; nil if there is none.
func (s *scope) useTemplates(name string, fn *function.Scalar, args []expr.Expr) []expr.Expr {
	var out []expr.Expr
	for i, a := range args {
		if a.Type().Kind != types.Variant || fn != nil && fn.Args[i].IsVariant() && !isComparisonName(name) {
			continue
		}
		if t := s.b.knownTemplate(s, a); t != a {
			if out == nil {
				out = append(out, args...)
			}
			out[i] = t
		}
	}
	return out
}

// explain places an error of Resolve and, where a bare VARIANT is at fault, says which CAST to write.
func (s *scope) explain(err error, pos int, args []expr.Expr) error {
	for _, a := range args {
		if a.Type().IsVariant() && sqlerr.KindOf(err) == sqlerr.Type && !strings.Contains(message(err), "cast") {
			return sqlerr.At(sqlerr.Type, pos, "%s; cast the VARIANT first, as in CAST(%s AS STRING)", message(err), a)
		}
	}
	return sqlerr.WithPlace(err, pos)
}

// message is the text of an error without its kind.
func message(err error) string {
	if e, ok := err.(*sqlerr.Error); ok {
		return e.Msg
	}
	return err.Error()
}

// describe makes the arguments that Resolve wants to see.
func describe(args []expr.Expr) []function.Arg {
	out := make([]function.Arg, len(args))
	for i, a := range args {
		out[i].Type = a.Type()
		if c, ok := a.(*expr.Const); ok {
			out[i].Const = c.Value
		}
	}
	return out
}
