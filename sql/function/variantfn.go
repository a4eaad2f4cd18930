package function

import (
	"strings"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Functions over VARIANT and JSON. Where a text is given it is read as JSON; text that is no JSON gives NULL. Paths are written
// $.a.b[0]."c.d", and $ may be left out.
func init() {
	define(VariantTypeName, "variant", "The types of the paths of a document as a JSON object; \"\" stands for the document itself. For a column of a table, a path's type is that of all rows.",
		sig("(variant) -> text", typesOfPaths(nil)))
	define("variant_exists json_exists_path", "variant", "Whether a path (keys as arguments) finds a value, JSON null included.",
		sig("(variant, text*) -> boolean", variantExists), sig("(variant, bigint) -> boolean", variantExists))
	define("json_extract variant_get get_json_object", "variant", "The value at a path, NULL if there is none or JSON null.",
		document("(variant, text) -> variant", extractValues(nil))...)
	extract := func(names, what string, t types.Type) {
		define(names, "variant", "The value at a path as "+what+"; NULL if it does not convert.",
			document("(variant, text) -> "+strings.ToLower(typeWordOf(t)), extractValues(&t))...)
	}
	extract("json_extract_string get_json_string json_extract_path_text", "text", types.Of(types.Varchar))
	extract("json_extract_bigint json_extract_int get_json_bigint get_json_int", "an integer", types.Of(types.BigInt))
	extract("json_extract_double get_json_double", "DOUBLE", types.Of(types.Double))
	extract("json_extract_bool get_json_bool", "BOOLEAN", types.Of(types.Boolean))
	define("json_value", "variant", "The scalar at a path as text, NULL for objects and arrays.", document("(variant, text) -> text", textRows(func(r *row, dst []byte) []byte {
		meta, value := r.at(1)
		if value == nil || variant.IsNull(value) || variant.Size(value) >= 0 {
			r.null = true
			return dst
		}
		return variant.AppendText(dst, meta, value)
	}))...)
	define("json_query", "variant", "The object or array at a path as JSON text, NULL for scalars.", document("(variant, text) -> text", textRows(func(r *row, dst []byte) []byte {
		meta, value := r.at(1)
		if value == nil || variant.Size(value) < 0 {
			r.null = true
			return dst
		}
		return variant.AppendJSON(dst, meta, value)
	}))...)
	text := types.Of(types.Varchar)
	define("->", "variant", "The member of a name, the element at a position from 0, or the value at a path that begins with $.", arrowSignatures("variant", nil)...)
	define("->>", "variant", "Like ->, as text.", arrowSignatures("text", &text)...)
	defineShapes()
	defineJSONText()
}

// defineShapes adds the functions that tell what a document is made of.
func defineShapes() {
	define("json_type", "variant", "The kind of the value (at a path): object, array, string, bigint, double, boolean, null and so on.",
		document("(variant, text?) -> text", textRows(func(r *row, dst []byte) []byte {
			if _, value := r.at(1); value != nil {
				return append(dst, variant.KindOf(value).String()...)
			}
			r.null = true
			return dst
		}))...)
	define("json_length json_array_length variant_size", "variant", "The number of elements or members (at a path); 1 for scalars.",
		document("(variant, text?) -> bigint", rows(func(r *row) int64 {
			_, value := r.at(1)
			r.null = value == nil
			if n := variant.Size(value); n >= 0 {
				return int64(n)
			}
			return 1
		}))...)
	define("json_keys object_keys", "variant", "The names of the members of an object (at a path), sorted; NULL for other values.",
		document("(variant, text?) -> array<text>", buildRows(keysRow))...)
}

// defineJSONText adds the functions between values and JSON text.
func defineJSONText() {
	define("json_valid is_json", "variant", "Whether a text is JSON.", sig("(text) -> boolean", rows(func(r *row) bool {
		return jsonparse.New(jsonparse.Options{}).Parse(r.text(0), ignoreVisitor{}) == nil
	})))
	define("json_quote", "variant", "The text as a JSON string.", sig("(text) -> text", mapText(func(dst, s []byte) []byte { return jsonparse.AppendQuoted(dst, s) })))
	define("json_unquote", "variant", "A JSON string without quotes and escapes; other text as it is.", sig("(text) -> text", mapText(appendUnquoted)))
	define("to_json json_text row_to_json array_to_json", "variant", "The value as JSON text.", sig("(any) -> text", textRows(func(r *row, dst []byte) []byte {
		return r.appendJSON(dst, 0)
	})))
	define("to_variant", "variant", "The value as a VARIANT; text becomes a string and is not parsed.", sig("(any) -> variant", func(*Scalar, []Arg) (Kernel, error) {
		return func(_ *Ctx, args []*vec.Vector, _ int) (*vec.Vector, error) { return variant.FromVector(args[0]), nil }, nil
	}))
	define("json_exists", "variant", "Whether a path finds a value, JSON null included.", document("(variant, text) -> boolean", rows(func(r *row) bool {
		_, value := r.at(1)
		return value != nil
	}))...)
	define("json_contains", "variant", "Whether a document has another in it, as in MySQL: as a value, as elements of an array or as members of an object.",
		sig("(variant, variant) -> boolean", rows(func(r *row) bool {
			aMeta, a := r.variant(0)
			bMeta, b := r.variant(1)
			return containsJSON(aMeta, a, bMeta, b)
		})))
	define("json_merge_patch", "variant", "The first document changed by the second as RFC 7396 says: its members replace others, null removes.",
		sig("(variant, variant) -> json", mergePatch))
	define("json_pretty", "variant", "The document as JSON text on lines of its own.", document("(variant) -> text", textRows(prettyRow))...)
	define("json_object", "variant", "A JSON object of names and values in turn.", sig("(text, any, any*) -> json", jsonObject, traits{nullsIn: true}))
	define("json_array", "variant", "A JSON array of the arguments.", sig("(any*) -> json", jsonArray, traits{nullsIn: true}))
	defineBy("json_parse parse_json parse_to_variant", "variant", "The VARIANT that a JSON text stands for; an error if it is none.",
		[]string{"(text) -> variant"}, castFunction(types.Of(types.Variant), false))
	defineBy("try_parse_json json_parse_error_to_null", "variant", "The VARIANT that a JSON text stands for, NULL if it is none.",
		[]string{"(text) -> variant"}, castFunction(types.Of(types.Variant), true))
	defineBy("typeof pg_typeof", "variant", "The SQL type of the argument.", []string{"(any) -> text"}, func(name string, args []Arg, _ Option) (*Scalar, error) {
		if len(args) != 1 {
			return nil, nil
		}
		shown := args[0].Type.String()
		text := types.Of(types.Varchar)
		t := traits{nullsIn: true, shreddedIn: true, infallible: true}
		core := func(_ *Ctx, _ []*vec.Vector, n int) (*vec.Vector, error) { return constantText(shown, n), nil }
		return &Scalar{Name: name, Args: []types.Type{args[0].Type}, Ret: text, traits: t, Kernel: adapt(core, text, t)}, nil
	})
}

// document makes the overloads of a function of a document: of a VARIANT, and of a text, which is read as JSON and counts as NULL where
// it is none.
func document(text string, m maker) []*signature {
	t := traits{maybeNull: true}
	return []*signature{sig(text, m, t), sig(strings.Replace(text, "(variant", "(text", 1), overText(m), t)}
}

// overText makes the kernel of a function of a VARIANT take JSON text in its place.
func overText(m maker) maker {
	return func(s *Scalar, args []Arg) (Kernel, error) {
		inner, err := m(s, args)
		if err != nil {
			return nil, err
		}
		s.traits.cost = costParsing
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			v, err := Cast(c, args[0], types.Of(types.Variant), true)
			if err != nil {
				return nil, err
			}
			if v.ConstNull() {
				return vec.NewNull(s.Ret, n), nil
			}
			return inner(c, append([]*vec.Vector{v}, args[1:]...), n)
		}, nil
	}
}

// typeWordOf is the name of a type in signatures.
func typeWordOf(t types.Type) string {
	if t.Kind == types.Varchar {
		return "text"
	}
	return t.String()
}

// constantText makes n rows of one text.
func constantText(s string, n int) *vec.Vector {
	b := vec.NewBuilder(types.Of(types.Varchar), 1)
	b.AppendString(s)
	return vec.NewConstant(b.Finish(), n)
}

// castFunction makes a function of one argument that is a cast.
func castFunction(to types.Type, try bool) func(string, []Arg, Option) (*Scalar, error) {
	return func(name string, args []Arg, _ Option) (*Scalar, error) {
		if len(args) != 1 || CanCast(args[0].Type, to) == No {
			return nil, nil
		}
		core := func(c *Ctx, args []*vec.Vector, _ int) (*vec.Vector, error) { return Cast(c, args[0], to, try) }
		return newScalar(name, []types.Type{args[0].Type}, to, true, core), nil
	}
}

// variant returns argument k of the row.
func (r *row) variant(k int) (meta, value []byte) {
	return r.args[k].v.VariantAt(r.i & r.args[k].mask)
}

// at returns the value of the variant argument 0 at the path argument k, or the whole if that was not given; nil if there is none.
func (r *row) at(k int) (meta, value []byte) {
	meta, value = r.variant(0)
	if !r.has(k) {
		return meta, value
	}
	steps, err := ParsePath(string(r.text(k)))
	if err != nil {
		r.err = err
		return meta, nil
	}
	return meta, variant.Get(meta, value, steps)
}

// appendJSON appends argument k as JSON.
func (r *row) appendJSON(dst []byte, k int) []byte {
	v := r.args[k].v
	i := r.i & r.args[k].mask
	if v.IsNull(i) {
		return append(dst, "null"...)
	}
	if !v.Type.IsVariant() {
		v = flatten(variant.FromVector(v.Slice(i, i+1)))
		i = 0
	}
	meta, value := v.VariantAt(i)
	return variant.AppendJSON(dst, meta, value)
}

func variantSize(r *row) int64 {
	_, value := r.variant(0)
	n := variant.Size(value)
	r.null = n < 0
	return int64(n)
}

func keysRow(r *row, b *vec.Builder) {
	meta, value := r.at(1)
	if variant.KindOf(value) != variant.Object {
		b.AppendNull()
		return
	}
	variant.Members(meta, value, func(name, _ []byte) bool {
		b.Child(0).AppendBytes(name)
		return true
	})
	b.CloseList()
}

// constSteps returns the path of constant arguments; ok is false if one is not constant.
func constSteps(args []*vec.Vector) (steps []variant.Step, ok bool) {
	for _, a := range args {
		if a.Len > 1 && a.Form != vec.Constant {
			return nil, false
		}
		switch d := a.Data.(type) {
		case []int64:
			steps = append(steps, variant.Step{Index: int(d[0]), IsIndex: true})
		default:
			steps = append(steps, variant.Step{Key: string(a.Bytes(0))})
		}
	}
	return steps, true
}

// variantExists takes each argument behind the first as one key, or as an index from 0.
func variantExists(s *Scalar, _ []Arg) (Kernel, error) {
	s.traits.shreddedIn = true
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		if steps, ok := constSteps(args[1:]); ok {
			return variant.Exists(args[0], steps), nil
		}
		v := flatten(args[0])
		out := make([]bool, n)
		valid := validity(args, n)
		for i := range out {
			if !valid.Get(i) {
				continue
			}
			one := make([]*vec.Vector, len(args)-1)
			for k, a := range args[1:] {
				one[k] = a.Slice(i, i+1)
			}
			steps, _ := constSteps(one)
			meta, value := v.VariantAt(i)
			out[i] = variant.Get(meta, value, steps) != nil
		}
		return booleans(out, valid), nil
	}, nil
}

// variantMember reads a member by name or an element by position from 0, which is how paths of VARIANT count.
func variantMember(s *Scalar, _ []Arg) (Kernel, error) {
	s.traits.shreddedIn = true
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		if steps, ok := constSteps(args[1:]); ok {
			return variant.PathVector(args[0], steps), nil
		}
		v := flatten(args[0])
		return readPaths(v, n, validity(args, n), func(i int) ([]variant.Step, error) {
			steps, _ := constSteps([]*vec.Vector{args[1].Slice(i, i+1)})
			return steps, nil
		})
	}, nil
}

// readPaths reads another path of each row.
func readPaths(v *vec.Vector, n int, valid vec.Bitmap, path func(i int) ([]variant.Step, error)) (*vec.Vector, error) {
	b := variant.NewBatchBuilder(n)
	for i := range n {
		if !valid.Get(i) {
			b.AppendNull()
			continue
		}
		steps, err := path(i)
		if err != nil {
			return nil, err
		}
		meta, value := v.VariantAt(i)
		if found := variant.Get(meta, value, steps); found != nil && !variant.IsNull(found) {
			b.AppendValue(meta, found)
		} else {
			b.AppendNull()
		}
	}
	return b.Finish(), nil
}

// extractValues reads a path and casts the result, if a type is given.
func extractValues(to *types.Type) maker {
	return func(s *Scalar, args []Arg) (Kernel, error) {
		s.traits.shreddedIn = true
		if p := args[1].Const; p != nil && !p.IsNull(0) && p.Type.Kind == types.Varchar {
			if _, err := ParsePath(string(p.Bytes(0))); err != nil {
				return nil, err
			}
		}
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			found, err := extractPaths(args, n)
			if err != nil || to == nil {
				return found, err
			}
			return variant.Cast(found, *to)
		}, nil
	}
}

func extractPaths(args []*vec.Vector, n int) (*vec.Vector, error) {
	if args[1].Form == vec.Constant || args[1].Len == 1 {
		steps, err := ParsePath(string(args[1].Bytes(0)))
		if err == nil {
			return variant.PathVector(args[0], steps), nil
		}
		// The path matters only where there is something to read.
		if valid := validity(args, n); valid == nil || valid.Count(n) > 0 {
			return nil, err
		}
		return vec.NewNull(types.Of(types.Variant), n), nil
	}
	return readPaths(flatten(args[0]), n, validity(args, n), func(i int) ([]variant.Step, error) {
		return ParsePath(string(args[1].Bytes(i)))
	})
}
