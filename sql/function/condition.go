package function

import (
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Conditional functions take the common type of their arguments. All arguments are evaluated; CASE evaluates only what it needs.
func init() {
	define("coalesce ifnull nvl", "condition", "The first argument that is not NULL.", sig("(T, T*) -> T", coalesce, traits{nullsIn: true}))
	define("if iff", "condition", "The second argument where the first is true, else the third.", sig("(boolean, T, T) -> T", choose, traits{nullsIn: true}))
	define("nullif", "condition", "NULL where the arguments are equal, else the first.", sig("(T, T) -> T", nullIf, traits{nullsIn: true}))
	define("isnull is_null", "condition", "Whether the argument is NULL.", sig("(any) -> boolean", nullTest(true), traits{nullsIn: true, shreddedIn: true}))
	define("isnotnull is_not_null", "condition", "Whether the argument is not NULL.", sig("(any) -> boolean", nullTest(false), traits{nullsIn: true, shreddedIn: true}))
	onlyBound := func(string, []Arg, Option) (*Scalar, error) { return nil, nil }
	defineBy("nvl2", "condition", "The second argument where the first is not NULL, else the third.", []string{"(any, T, T) -> T"}, onlyBound)
	defineBy("decode", "condition", "The result behind the first value that equals the first argument, NULL being equal to NULL; the last argument if none does. Of a BINARY its text.",
		[]string{"(T, T, U, [any...]) -> U", "(binary) -> text"}, decodeBinary)
	define("null_or_empty", "condition", "Whether a text is NULL or empty.", sig("(text) -> boolean", rows(func(r *row) bool { return r.isNull(0) || len(r.text(0)) == 0 }), traits{nullsIn: true, infallible: true}))
	define("not_null_or_empty", "condition", "Whether a text has characters.", sig("(text) -> boolean", rows(func(r *row) bool { return !r.isNull(0) && len(r.text(0)) > 0 }), traits{nullsIn: true, infallible: true}))
	define("error raise_error", "condition", "Ends the statement with an error of the given text where it is evaluated.", sig("(text) -> text", textRows(func(r *row, dst []byte) []byte {
		r.fail(sqlerr.Constraint, "%s", r.text(0))
		return dst
	})))
	define("greatest", "condition", "The greatest argument; NULL if one is NULL.", sig("(T, T*) -> T", extreme(1)))
	define("least", "condition", "The least argument; NULL if one is NULL.", sig("(T, T*) -> T", extreme(-1)))
}

// decodeBinary resolves decode of a BINARY, which must be UTF-8; the binder makes a CASE of the other form.
func decodeBinary(name string, args []Arg, _ Option) (*Scalar, error) {
	if len(args) != 1 || args[0].Type.Kind != types.Binary {
		return nil, nil
	}
	text := types.Of(types.Varchar)
	s := newScalar(name, []types.Type{args[0].Type}, text, false, nil)
	core, err := textRows(func(r *row, dst []byte) []byte {
		if !utf8.Valid(r.text(0)) {
			r.fail(sqlerr.Conversion, "%x is not UTF-8", r.text(0)[:min(len(r.text(0)), 64)])
		}
		return append(dst, r.text(0)...)
	})(s, args)
	s.Kernel = adapt(core, text, s.traits)
	return s, err
}

// pick builds rows from the argument whose index choice holds for them.
func pick(ret types.Type, args []*vec.Vector, choice []int32) *vec.Vector {
	starts := make([]int32, len(args))
	parts := make([]*vec.Vector, len(args))
	total := int32(0)
	for k, a := range args {
		if a.Form == vec.Constant {
			a = a.Slice(0, 1)
		}
		if a.Type.Kind == types.Null {
			a = vec.NewNull(ret, a.Len)
		}
		starts[k], parts[k] = total, flatten(a)
		total += int32(parts[k].Len)
	}
	at := make([]int32, len(choice))
	for i, k := range choice {
		at[i] = starts[k] + int32(i&args[k].Mask())
	}
	return vec.GatherRows(vec.Concat(ret, parts...), at)
}

func coalesce(s *Scalar, _ []Arg) (Kernel, error) {
	return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		if !args[0].HasNulls() && !args[0].Type.IsVariant() {
			return args[0], nil
		}
		choice := make([]int32, n)
		for k, a := range args[:len(args)-1] {
			valid := nulls(a)
			for i := range choice {
				if choice[i] == int32(k) && !valid.Get(i) {
					choice[i]++
				}
			}
		}
		return pick(s.Ret, args, choice), nil
	}, nil
}

func choose(s *Scalar, _ []Arg) (Kernel, error) {
	return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		choice := make([]int32, n)
		for i := range choice {
			choice[i] = 1
		}
		for _, r := range vec.SelectTrue(args[0]) {
			choice[r] = 0
		}
		return pick(s.Ret, args[1:], choice), nil
	}, nil
}

func nullIf(s *Scalar, args []Arg) (Kernel, error) {
	eq, err := resolveComparison(cmpEq, []Arg{{Type: s.Args[0]}, {Type: s.Args[1]}}, 0)
	if err != nil {
		return nil, err
	}
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		same, err := eq.Kernel(c, args, n)
		if err != nil {
			return nil, err
		}
		equal := vec.SelectTrue(same)
		if len(equal) == 0 {
			return args[0], nil
		}
		v := flatten(args[0])
		if v.Type.Kind == types.Null {
			return v, nil
		}
		valid := vec.NewBitmapSet(n)
		if v.Valid != nil {
			copy(valid, v.Valid)
		}
		for _, r := range equal {
			valid.Clear(int(r))
		}
		out := *v
		out.Valid = valid
		return &out, nil
	}, nil
}

func nullTest(want bool) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		s.traits.infallible = true
		return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			valid := nulls(args[0])
			out := make([]bool, n)
			for i := range out {
				out[i] = valid.Get(i) != want
			}
			return booleans(out, nil), nil
		}, nil
	}
}

// extreme picks the greatest (sign 1) or least (sign -1) argument.
func extreme(sign int) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		// Types that do not compare are refused here.
		if _, err := resolveComparison(cmpLt, []Arg{{Type: s.Ret}, {Type: s.Ret}}, 0); err != nil {
			return nil, err
		}
		return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			valid := validity(args, n)
			choice := make([]int32, n)
			for i := range choice {
				if !valid.Get(i) {
					continue
				}
				for k := 1; k < len(args); k++ {
					if vec.Compare(args[k], i, args[choice[i]], i)*sign > 0 {
						choice[i] = int32(k)
					}
				}
			}
			out := *pick(s.Ret, args, choice)
			out.Valid = vec.And(out.Valid, valid, n)
			return &out, nil
		}, nil
	}
}
