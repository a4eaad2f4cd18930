package stage

import (
	"strings"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// loadable tells whether a column of a Parquet file may be loaded into a column of another type. Values may still fail to convert. Only
// conversions that keep the meaning are allowed; texts of numbers and dates count as such where the load is a plain SELECT by name, which
// it is unless MISSING_FIELD_AS says otherwise.
func loadable(from, to types.Type, asText bool) bool {
	f := from.Kind
	switch {
	case f == types.Null || from.Equal(to) || to.IsVariant():
		return true
	case to.IsNumeric():
		return from.IsNumeric() || f == types.Boolean || f == types.Varchar || from.IsVariant()
	}
	switch to.Kind {
	case types.Boolean:
		return f == types.Boolean || f == types.TinyInt || f == types.SmallInt || f == types.Varchar || from.IsVariant()
	case types.Date, types.DateTime, types.TimestampTZ:
		return f == types.Int || f == types.BigInt || f == types.Varchar || from.IsVariant() || from.IsTemporal() && f != types.Time
	case types.Time, types.IPv4, types.IPv6, types.UUID, types.Interval:
		return f == to.Kind || f == types.Varchar || from.IsVariant()
	case types.Binary:
		return f == types.Binary || f == types.Varchar
	case types.Varchar:
		return f == types.Varchar || f == types.Binary || asText && f < types.Array
	}
	return loadableNested(from, to, asText)
}

// loadableNested is loadable for ARRAY, MAP and STRUCT. A struct may lack members of the target, which are NULL, and have others, which
// are left out. Variants inside are not taken apart: a value that does not convert could not be told from NULL.
func loadableNested(from, to types.Type, asText bool) bool {
	if from.Kind != to.Kind {
		return false
	}
	part := func(from, to types.Type) bool {
		return (!from.IsVariant() || to.IsVariant()) && loadable(from, to, asText) && !(from.IsInteger() && to.IsTemporal())
	}
	switch to.Kind {
	case types.Array:
		return part(*from.Elem, *to.Elem)
	case types.Map:
		return part(from.Fields[0].Type, to.Fields[0].Type) && part(from.Fields[1].Type, to.Fields[1].Type)
	}
	found := 0
	for _, t := range to.Fields {
		i := memberOf(from, t.Name)
		switch {
		case i >= 0 && !part(from.Fields[i].Type, t.Type), i < 0 && t.NotNull:
			return false
		case i >= 0:
			found++
		}
	}
	return found > 0
}

// memberOf finds a member of a struct: the exact name first. It returns -1 if there is none.
func memberOf(t types.Type, name string) int {
	hit := -1
	for i, f := range t.Fields {
		if f.Name == name {
			return i
		}
		if hit < 0 && strings.EqualFold(f.Name, name) {
			hit = i
		}
	}
	return hit
}

// align gives the structs in v the members of those in to, in their order and under their names. The members keep their types.
func align(v *vec.Vector, to types.Type) *vec.Vector {
	if v.Type.Kind != to.Kind || v.Type.Equal(to) || v.ConstNull() {
		return v
	}
	switch to.Kind {
	case types.Array:
		out := *vec.Flatten(v)
		out.Children = []*vec.Vector{align(out.Children[0], *to.Elem)}
		out.Type = types.ArrayOf(out.Children[0].Type)
		return &out
	case types.Map:
		out := *vec.Flatten(v)
		entries := *vec.Flatten(out.Children[0])
		entries.Children = []*vec.Vector{align(entries.Children[0], to.Fields[0].Type), align(entries.Children[1], to.Fields[1].Type)}
		out.Type.Fields = []types.Field{to.Fields[0], to.Fields[1]}
		out.Type.Fields[0].Type, out.Type.Fields[1].Type = entries.Children[0].Type, entries.Children[1].Type
		entries.Type = types.Type{Kind: types.Struct, Fields: out.Type.Fields}
		out.Children = []*vec.Vector{&entries}
		return &out
	case types.Struct:
		in := vec.Flatten(v)
		out := *in
		out.Type.Fields, out.Children = nil, nil
		for _, f := range to.Fields {
			child := vec.Flatten(vec.NewNull(f.Type, in.Len))
			if i := memberOf(v.Type, f.Name); i >= 0 {
				child = align(in.Children[i], f.Type)
			}
			out.Type.Fields = append(out.Type.Fields, types.Field{Name: f.Name, Type: child.Type, NotNull: f.NotNull})
			out.Children = append(out.Children, child)
		}
		return &out
	}
	return v
}
