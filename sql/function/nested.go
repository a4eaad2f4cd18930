package function

import (
	"fmt"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Functions over MAP and STRUCT. The values of a MAP are found by key; of equal keys the last one counts, as in JSON objects.
func init() {
	made := traits{nullsIn: true}
	define("map", "map", "A MAP of keys and values in turn; of equal keys the last counts.", sig("(any, any, any*) -> first", makeMap, made))
	define("map_keys", "map", "The keys of a map.", sig("(map) -> first", mapPart(0)))
	define("map_values", "map", "The values of a map, in the order of its keys.", sig("(map) -> first", mapPart(1)))
	define("map_size", "map", "The number of keys of a map.", sig("(map) -> bigint", rows(listLength)))
	define("map_contains_key map_contains", "map", "Whether a map has a key.", sig("(map, any) -> boolean", mapContains))
	define("map_entries", "map", "The entries of a map as an array of STRUCT(key, value).", sig("(map) -> first", func(s *Scalar, args []Arg) (Kernel, error) {
		s.Ret = types.ArrayOf(types.Type{Kind: types.Struct, Fields: args[0].Type.Fields})
		return func(_ *Ctx, args []*vec.Vector, _ int) (*vec.Vector, error) {
			out := *flatten(args[0])
			out.Type = s.Ret
			return &out, nil
		}, nil
	}, traits{infallible: true}))
	define("map_contains_value", "map", "Whether a map has a value.", sig("(map, any) -> boolean", mapContainsValue))
	defineBy("map_from_arrays map_from_lists", "map", "A MAP of an array of keys and one of values; of equal keys the last counts.", []string{"(array<T>, array<any>) -> map"}, mapFromArrays)
	define("struct row", "struct", "A STRUCT of the arguments, named col1, col2 and so on.", sig("(any, any*) -> first", func(s *Scalar, args []Arg) (Kernel, error) {
		var names []string
		for i := range args {
			names = append(names, fmt.Sprint("col", i+1))
		}
		return makeStruct(s, names, 0, 1), nil
	}, made))
	define("named_struct", "struct", "A STRUCT of names (constant texts) and values in turn.", sig("(text, any, any*) -> first", namedStruct, made))
	define("struct_element struct_extract", "struct", "The member of a STRUCT with a name or a position, counted from 1; both must be constant.",
		sig("(struct, any) -> first", structElement, traits{maybeNull: true}))
}

// listLength is the number of elements of an array or of keys of a map.
func listLength(r *row) int64 {
	_, from, to := r.list(0)
	return int64(to - from)
}

// makeMap makes the kernel of map(), whose keys have one type, and whose values have one.
func makeMap(s *Scalar, args []Arg) (Kernel, error) {
	if len(args)%2 != 0 {
		return nil, sqlerr.New(sqlerr.Type, "map takes keys and values in turn, and the last key has no value")
	}
	key, value := args[0].Type, args[1].Type
	for i := 2; i < len(args); i += 2 {
		var ok, ok2 bool
		key, ok = CommonType(key, args[i].Type)
		value, ok2 = CommonType(value, args[i+1].Type)
		if !ok || !ok2 {
			return nil, sqlerr.New(sqlerr.Type, "the keys, or the values, of map have no common type")
		}
	}
	if !isScalar(key) || key.Kind == types.Null {
		return nil, sqlerr.New(sqlerr.Type, "%s cannot be the key of a MAP", key)
	}
	s.Args = make([]types.Type, len(args))
	for i := range s.Args {
		s.Args[i] = key
		if i%2 == 1 {
			s.Args[i] = value
		}
	}
	s.Ret = types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: key, NotNull: true}, {Name: "value", Type: value}}}
	return buildRows(func(r *row, b *vec.Builder) {
		entry := b.Child(0)
		for k := 0; k < len(r.args); k += 2 {
			if r.isNull(k) {
				r.fail(sqlerr.Conversion, "a key of a MAP cannot be NULL")
				return
			}
			if r.keyAgain(k) {
				continue
			}
			entry.Child(0).AppendFrom(r.args[k].v, r.i&r.args[k].mask)
			entry.Child(1).AppendFrom(r.args[k+1].v, r.i&r.args[k+1].mask)
			entry.CloseStruct()
		}
		b.CloseList()
	})(s, args)
}

// keyAgain tells whether a later key argument equals argument k.
func (r *row) keyAgain(k int) bool {
	for j := k + 2; j < len(r.args); j += 2 {
		if !r.isNull(j) && sameElement(r.args[k].v, r.i&r.args[k].mask, r.args[j].v, r.i&r.args[j].mask) {
			return true
		}
	}
	return false
}

// mapPart makes the kernels of map_keys (0) and map_values (1).
func mapPart(part int) maker {
	return func(s *Scalar, args []Arg) (Kernel, error) {
		s.Ret = types.ArrayOf(args[0].Type.Fields[part].Type)
		return func(_ *Ctx, args []*vec.Vector, _ int) (*vec.Vector, error) {
			out := *args[0]
			out.Type = s.Ret
			out.Children = []*vec.Vector{vec.Flatten(args[0].Children[0]).Children[part]}
			return &out, nil
		}, nil
	}
}

// mapFind returns the entry of the map argument 0 with the key argument 1, -1 if there is none, and the entries.
func mapFind(list, key *vec.Vector, i int) (entries *vec.Vector, at int) {
	entries, from, to := list.ListAt(i)
	for e := to - 1; e >= from; e-- {
		if sameElement(entries.Children[0], e, key, i&key.Mask()) {
			return entries, e
		}
	}
	return entries, -1
}

// byKey makes the second argument of a function of a map have the type of its keys.
func byKey(s *Scalar, args []Arg) error {
	key := args[0].Type.Fields[0].Type
	if t := args[1].Type; !isScalar(t) && !t.IsVariant() || CanCast(t, key) == No {
		return sqlerr.New(sqlerr.Type, "a key of %s is %s, not %s", args[0].Type, key, args[1].Type)
	}
	s.Args = []types.Type{args[0].Type, key}
	return nil
}

func mapContains(s *Scalar, args []Arg) (Kernel, error) {
	if err := byKey(s, args); err != nil {
		return nil, err
	}
	return rows(func(r *row) bool {
		_, at := mapFind(r.args[0].v, r.args[1].v, r.i)
		return at >= 0
	})(s, args)
}

// mapElement gathers the value of a key.
func mapElement(s *Scalar, args []Arg) (Kernel, error) {
	if err := byKey(s, args); err != nil {
		return nil, err
	}
	s.Ret = args[0].Type.Fields[1].Type
	return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		valid := validity(args, n)
		at := make([]int32, n)
		var values *vec.Vector
		for i := range at {
			at[i] = -1
			if valid.Get(i) {
				entries, e := mapFind(args[0], args[1], i)
				at[i], values = int32(e), entries.Children[1]
			}
		}
		if values == nil {
			return vec.NewNull(s.Ret, n), nil
		}
		return vec.GatherRows(values, at), nil
	}, nil
}

// makeStruct makes a kernel that makes members of arguments from, from+step and so on.
func makeStruct(s *Scalar, names []string, from, step int) Kernel {
	s.Ret = types.Type{Kind: types.Struct}
	for i, name := range names {
		s.Ret.Fields = append(s.Ret.Fields, types.Field{Name: name, Type: s.Args[from+i*step]})
	}
	return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := &vec.Vector{Type: s.Ret, Len: n}
		for i := range names {
			out.Children = append(out.Children, flatten(args[from+i*step]))
		}
		return out, nil
	}
}

func namedStruct(s *Scalar, args []Arg) (Kernel, error) {
	if len(args)%2 != 0 {
		return nil, sqlerr.New(sqlerr.Type, "named_struct takes names and values in turn, and the last name has no value")
	}
	var names []string
	for i := 0; i < len(args); i += 2 {
		c := args[i].Const
		if c == nil || c.Type.Kind != types.Varchar || c.IsNull(0) {
			return nil, sqlerr.New(sqlerr.Type, "the names of named_struct must be constant texts")
		}
		name := string(vec.Flatten(c).Bytes(0))
		for _, other := range names {
			if strings.EqualFold(other, name) {
				return nil, sqlerr.New(sqlerr.Bind, "named_struct has two members named %s", types.QuoteName(name))
			}
		}
		names = append(names, name)
	}
	return makeStruct(s, names, 1, 2), nil
}

func structElement(s *Scalar, args []Arg) (Kernel, error) {
	at, err := memberOf(args[0].Type, args[1])
	if err != nil {
		return nil, err
	}
	s.Ret = args[0].Type.Fields[at].Type
	return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		whole := vec.Flatten(args[0])
		out := *vec.Flatten(whole.Children[at])
		out.Valid = vec.And(out.Valid, whole.Valid, n)
		return &out, nil
	}, nil
}

// memberOf finds the member of a STRUCT that a constant names.
func memberOf(t types.Type, which Arg) (int, error) {
	c := which.Const
	switch {
	case c == nil || c.IsNull(0):
	case c.Type.Kind == types.Varchar:
		name := string(vec.Flatten(c).Bytes(0))
		for i, f := range t.Fields {
			if strings.EqualFold(f.Name, name) {
				return i, nil
			}
		}
		return 0, sqlerr.New(sqlerr.NotFound, "%s has no member %s", t, types.QuoteName(name))
	case c.Type.IsInteger():
		v, err := Cast(&Ctx{}, c, types.Of(types.BigInt), false)
		if err != nil {
			return 0, err
		}
		if i := vec.Slice[int64](vec.Flatten(v))[0]; i >= 1 && i <= int64(len(t.Fields)) {
			return int(i - 1), nil
		}
		return 0, sqlerr.New(sqlerr.OutOfRange, "%s has the members 1 to %d", t, len(t.Fields))
	}
	return 0, sqlerr.New(sqlerr.Type, "a member of a STRUCT is given by a constant name or position")
}

func mapContainsValue(s *Scalar, args []Arg) (Kernel, error) {
	value := args[0].Type.Fields[1].Type
	if CanCast(args[1].Type, value) == No {
		return nil, sqlerr.New(sqlerr.Type, "a value of %s is %s, not %s", args[0].Type, value, args[1].Type)
	}
	s.Args = []types.Type{args[0].Type, value}
	return rows(func(r *row) bool {
		entries, from, to := r.list(0)
		values := flatten(entries).Children[1]
		for e := from; e < to; e++ {
			if sameElement(values, e, r.args[1].v, r.i&r.args[1].mask) {
				return true
			}
		}
		return false
	})(s, args)
}

func mapFromArrays(name string, args []Arg, _ Option) (*Scalar, error) {
	if len(args) != 2 || args[0].Type.Kind != types.Array || args[1].Type.Kind != types.Array {
		return nil, nil
	}
	key, value := *args[0].Type.Elem, *args[1].Type.Elem
	if !isScalar(key) || key.Kind == types.Null {
		return nil, sqlerr.New(sqlerr.Type, "%s cannot be the key of a MAP", key)
	}
	ret := types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: key, NotNull: true}, {Name: "value", Type: value}}}
	core, err := buildRows(func(r *row, b *vec.Builder) {
		keys, from, to := r.list(0)
		values, first, end := r.list(1)
		if end-first != to-from {
			r.fail(sqlerr.OutOfRange, "a MAP cannot be made of %d keys and %d values", to-from, end-first)
			return
		}
		entry := b.Child(0)
		for e := from; e < to; e++ {
			if keys.IsNull(e) {
				r.fail(sqlerr.Conversion, "a key of a MAP cannot be NULL")
				return
			}
			again := false
			for other := e + 1; other < to && !again; other++ {
				again = !keys.IsNull(other) && sameElement(keys, e, keys, other)
			}
			if !again {
				entry.Child(0).AppendFrom(keys, e)
				entry.Child(1).AppendFrom(values, first+e-from)
				entry.CloseStruct()
			}
		}
		b.CloseList()
	})(&Scalar{Ret: ret}, nil)
	return newScalar(name, []types.Type{args[0].Type, args[1].Type}, ret, false, core), err
}
