package variant

import (
	"sort"

	"github.com/ebira-db/ebira/sql/types"
)

// Reported types are SQL types used as names: JSON stands for jsonb, the least upper bound of whatever has no better one; Null is the type
// of a path without values. They describe a path and change no value.

// ReportedType returns the type that variant_type and DESC report for one value.
func ReportedType(value []byte) types.Type {
	if c, ok := openContainer(value); ok {
		if c.object {
			return types.Of(types.JSON)
		}
		if elem, flat := elementType(value); flat {
			return types.ArrayOf(elem)
		}
		return types.Of(types.JSON)
	}
	var s scalar
	s.read(value)
	if s.kind == Decimal {
		return types.DecimalOf(int(s.width), int(s.scale))
	}
	return types.Of(reportedKinds[s.kind])
}

// elementType returns the least common type of the elements of an array; false if the value is none or holds arrays or objects.
func elementType(value []byte) (types.Type, bool) {
	elem := types.Of(types.Null)
	c, ok := openContainer(value)
	if !ok || c.object {
		return elem, false
	}
	for i := range c.n {
		v, _ := c.value(i)
		if isContainer(v) {
			return elem, false
		}
		elem = Merge(elem, ReportedType(v))
	}
	return elem, true
}

// reportedKinds gives the type of a kind; exact numbers count as the doubles that stand for them in arithmetic.
var reportedKinds = [NumKinds]types.Kind{
	Missing: types.Null, Null: types.Null, Boolean: types.Boolean, TinyInt: types.TinyInt, SmallInt: types.SmallInt, Int: types.Int,
	BigInt: types.BigInt, LargeInt: types.LargeInt, Float: types.Float, Double: types.Double, Number: types.Double, String: types.Varchar,
	Date: types.Date, DateTime: types.DateTime, TimestampTZ: types.TimestampTZ, Time: types.Time, IPv4: types.IPv4, IPv6: types.IPv6,
	Binary: types.Binary, UUID: types.UUID, Object: types.JSON, Array: types.JSON,
}

// Merge returns the type that a path reports which holds values of both types. It is commutative.
func Merge(a, b types.Type) types.Type {
	jsonb := types.Of(types.JSON)
	switch {
	case a.Kind == types.Null:
		return b
	case b.Kind == types.Null:
		return a
	case a.Kind == types.Array && b.Kind == types.Array:
		return types.ArrayOf(Merge(*a.Elem, *b.Elem))
	case a.Kind == types.Decimal && b.Kind == types.Decimal:
		if a.Scale == b.Scale {
			return types.DecimalOf(int(max(a.Precision, b.Precision)), int(a.Scale))
		}
		return jsonb
	case a.Kind == b.Kind:
		if a.Precision < b.Precision {
			return b
		}
		return a
	case a.Kind > b.Kind:
		return Merge(b, a)
	}
	// From here on a is the lesser kind: BOOLEAN before the integers, these before FLOAT and DOUBLE.
	switch {
	case a.Kind == types.Boolean && b.Kind == types.TinyInt:
		return types.Of(types.SmallInt) // BOOLEAN counts as an unsigned byte
	case a.Kind == types.Boolean && b.Kind > types.TinyInt && b.Kind <= types.Double, a.IsInteger() && b.IsInteger():
		return b
	case a.IsInteger() && (b.Kind == types.Float && mantissaHolds(a.Kind, 24) || b.Kind == types.Double && mantissaHolds(a.Kind, 53)):
		return b
	case a.Kind == types.Float && b.Kind == types.Double:
		return b
	}
	return jsonb
}

// mantissaHolds tells whether all integers of a kind fit a mantissa of so many bits.
func mantissaHolds(k types.Kind, mantissa int) bool {
	width := map[types.Kind]int{types.TinyInt: 8, types.SmallInt: 16, types.Int: 32, types.BigInt: 64, types.LargeInt: 128}[k]
	return width <= mantissa
}

// TypeName returns the name of a reported type; the name of an array is that of its elements, as variant_type has it.
func TypeName(t types.Type) string {
	switch t.Kind {
	case types.Array:
		return TypeName(*t.Elem)
	case types.Decimal:
		switch widthOf(t.Precision) {
		case 9:
			return "decimal32"
		case 18:
			return "decimal64"
		case 38:
			return "decimal128i"
		}
		return "decimal256"
	}
	return typeNames[t.Kind]
}

var typeNames = map[types.Kind]string{
	types.Null: "null", types.Boolean: "boolean", types.TinyInt: "tinyint", types.SmallInt: "smallint", types.Int: "int",
	types.BigInt: "bigint", types.LargeInt: "largeint", types.Float: "float", types.Double: "double", types.Varchar: "string",
	types.Binary: "varbinary", types.Date: "datev2", types.Time: "time", types.DateTime: "datetimev2", types.TimestampTZ: "timestamptz",
	types.Interval: "string", types.IPv4: "ipv4", types.IPv6: "ipv6", types.UUID: "uuid", types.JSON: "jsonb", types.Variant: "jsonb",
	types.Struct: "jsonb", types.Map: "jsonb",
}

// DescName returns the name of a reported type in extended DESC, where arrays show as array<...>.
func DescName(t types.Type) string {
	if t.Kind == types.Array {
		return "array<" + DescName(*t.Elem) + ">"
	}
	return TypeName(t)
}

// AppendTypes appends what variant_type shows for a document: a JSON object from leaf path (names joined with dots, "" for a root that is
// no object), sorted, to type name. reported gives the type that the path has in all rows, if known; nil means that no such types are
// known and each value reports its own. Paths that hold JSON null, {} or an array without values are left out.
func AppendTypes(dst, meta, value []byte, reported func(path []string) (types.Type, bool)) []byte {
	w := typeWalk{reported: reported}
	w.m, _ = openMetadata(meta)
	w.budget = len(value)
	w.value(value, MaxDepth)
	sort.Slice(w.leaves, func(i, j int) bool { return w.leaves[i].path < w.leaves[j].path })
	dst = append(dst, '{')
	for i, leaf := range w.leaves {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendQuoted(dst, []byte(leaf.path))
		dst = AppendQuoted(append(dst, ':'), []byte(TypeName(leaf.t)))
	}
	return append(dst, '}')
}

// typeWalk collects the leaves of a document.
type typeWalk struct {
	m        metadata
	reported func([]string) (types.Type, bool)
	path     []string
	leaves   []typedLeaf
	budget   int
}

type typedLeaf struct {
	path string
	t    types.Type
}

func (w *typeWalk) value(v []byte, depth int) {
	c, nested, ok := enter(v, depth, &w.budget)
	if !ok {
		return
	}
	if nested && c.object {
		for i := range c.n {
			name, _ := w.m.name(c.id(i))
			member, _ := c.value(i)
			w.path = append(w.path, string(name))
			w.value(member, depth-1)
			w.path = w.path[:len(w.path)-1]
		}
		return
	}
	t := ReportedType(v)
	if t.Kind == types.Null || t.Kind == types.Array && t.Elem.Kind == types.Null {
		return
	}
	if w.reported != nil {
		if all, ok := w.reported(w.path); ok {
			t = all
		}
	}
	w.leaves = append(w.leaves, typedLeaf{JoinPath(w.path), t})
}
