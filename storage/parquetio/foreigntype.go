package parquetio

import (
	"strings"

	"github.com/ebira-db/ebira/sql/types"
)

// shaper applies the mapping of foreign Parquet types to SQL types.
type shaper struct {
	// rawIntegers reads dates, times and timestamps as plain integers.
	rawIntegers bool
	// toVariant reads timestamps of nanoseconds as VARIANT.
	toVariant bool
	// own names the SQL types of columns that Parquet has no type for, in files that we wrote.
	own map[string]string
}

// column returns the shape of a top-level column or a member of a group. A repeated field that no list annotation explains is a list
// of required elements.
func (s *shaper) column(n *Node) (*shape, error) {
	if n.Repetition == Repeated {
		elem, err := s.value(n)
		if err != nil {
			return nil, err
		}
		return &shape{t: types.ArrayOf(elem.t), node: n, repeated: n, parts: []*shape{elem}, first: firstLeaf(n)}, nil
	}
	return s.value(n)
}

// value returns the shape of the values of n, whatever its repetition.
func (s *shaper) value(n *Node) (*shape, error) {
	if n.IsLeaf() {
		return s.leaf(n)
	}
	first := firstLeaf(n)
	if first == nil {
		return nil, unsupported("group %s has no columns", n.Name)
	}
	switch n.Annotation.Logical {
	case LogicalVariant:
		return s.variantGroup(n)
	case LogicalList:
		if r := onlyRepeated(n); r != nil {
			return s.list(n, r)
		}
	case LogicalMap, LogicalMapEntry:
		if r := onlyRepeated(n); r != nil && !r.IsLeaf() && len(r.Children) <= 2 {
			return s.mapping(n, r)
		}
	}
	out := &shape{t: types.Type{Kind: types.Struct}, node: n, first: first}
	for _, c := range n.Children {
		if !c.IsLeaf() && firstLeaf(c) == nil {
			continue
		}
		p, err := s.column(c)
		if err != nil {
			return nil, err
		}
		out.parts = append(out.parts, p)
		out.t.Fields = append(out.t.Fields, types.Field{Name: c.Name, Type: p.t, NotNull: c.Repetition == Required})
	}
	return out, nil
}

// onlyRepeated returns the only child of n if it is repeated.
func onlyRepeated(n *Node) *Node {
	if len(n.Children) == 1 && n.Children[0].Repetition == Repeated {
		return n.Children[0]
	}
	return nil
}

// firstLeaf returns the first leaf under n, nil if there is none.
func firstLeaf(n *Node) *Node {
	if n.IsLeaf() {
		return n
	}
	for _, c := range n.Children {
		if l := firstLeaf(c); l != nil {
			return l
		}
	}
	return nil
}

// list applies the backward-compatibility rules of the format: the repeated field is the element itself if it is no group, has several
// fields or a repeated one, or is named like the wrappers of old writers; else its only field is.
func (s *shaper) list(n, r *Node) (*shape, error) {
	var elem *shape
	var err error
	if r.IsLeaf() || len(r.Children) != 1 || r.Children[0].Repetition == Repeated || r.Name == "array" || r.Name == n.Name+"_tuple" ||
		r.Annotation.Logical == LogicalList || r.Annotation.Logical == LogicalMap {
		elem, err = s.value(r)
	} else {
		elem, err = s.column(r.Children[0])
	}
	if err != nil {
		return nil, err
	}
	return &shape{t: types.ArrayOf(elem.t), node: n, repeated: r, parts: []*shape{elem}, first: firstLeaf(n)}, nil
}

// mapping reads the key-value group of a map. A map without values is a list of its keys.
func (s *shaper) mapping(n, r *Node) (*shape, error) {
	key, err := s.column(r.Children[0])
	if err != nil {
		return nil, err
	}
	if len(r.Children) == 1 {
		return &shape{t: types.ArrayOf(key.t), node: n, repeated: r, parts: []*shape{key}, first: firstLeaf(n)}, nil
	}
	value, err := s.column(r.Children[1])
	if err != nil {
		return nil, err
	}
	t := types.Type{Kind: types.Map, Fields: []types.Field{{Name: keyName, Type: key.t, NotNull: true}, {Name: ValueName, Type: value.t}}}
	return &shape{t: t, node: n, repeated: r, parts: []*shape{key, value}, first: firstLeaf(n)}, nil
}

// leaf maps a column type.
func (s *shaper) leaf(n *Node) (*shape, error) {
	out := &shape{node: n, first: n}
	var err error
	out.t, out.conv, err = s.scalar(n)
	return out, err
}

// mapped is a SQL type with the converter of its values.
func mapped(k types.Kind, c converter) (types.Type, converter, error) { return types.Of(k), c, nil }

// scalar returns SQL type and converter of a leaf.
func (s *shaper) scalar(n *Node) (types.Type, converter, error) {
	if text, ok := s.own[strings.Join(n.Path, ".")]; ok {
		if t, conv, ok := ownType(text, n.Leaf); ok {
			return t, conv, nil
		}
	}
	a := n.Annotation
	switch {
	case a.Logical == LogicalNull:
		return mapped(types.Null, nil)
	case a.Logical == LogicalDecimal:
		return decimalType(n)
	}
	switch n.Leaf.Kind {
	case KindBool:
		return mapped(types.Boolean, plainConvert)
	case KindInt32, KindInt64:
		return s.integer(n)
	case KindInt96:
		return mapped(types.DateTime, convertInt96)
	case KindFloat:
		return mapped(types.Float, plainConvert)
	case KindDouble:
		return mapped(types.Double, plainConvert)
	case KindBytes:
		switch a.Logical {
		case LogicalString, LogicalEnum:
			return mapped(types.Varchar, convertText)
		case LogicalJSON:
			return mapped(types.JSON, convertJSON)
		}
		return mapped(types.Binary, plainConvert)
	}
	switch {
	case a.Logical == LogicalUUID && n.Leaf.Width == 16:
		return mapped(types.UUID, plainConvert)
	case a.Logical == LogicalFloat16 && n.Leaf.Width == 2:
		return mapped(types.Float, convertFloat16)
	case a.Logical == LogicalInterval && n.Leaf.Width == 12:
		return mapped(types.Interval, convertInterval)
	}
	return mapped(types.Binary, convertFixedBytes)
}

// integer maps INT32 and INT64 with their annotations. Unsigned numbers get the next wider signed type.
func (s *shaper) integer(n *Node) (types.Type, converter, error) {
	a := n.Annotation
	wide := n.Leaf.Kind == KindInt64
	plain := types.Int
	if wide {
		plain = types.BigInt
	}
	if s.rawIntegers && (a.Logical == LogicalDate || a.Logical == LogicalTime || a.Logical == LogicalTimestamp) {
		return mapped(plain, plainConvert)
	}
	switch a.Logical {
	case LogicalDate:
		if !wide {
			return mapped(types.Date, plainConvert)
		}
	case LogicalTime:
		return mapped(types.Time, timeConverter(a.Unit))
	case LogicalTimestamp:
		if s.toVariant && wide && a.Unit == Nanos {
			return mapped(types.Variant, nanosConverter(a.UTC))
		}
		if a.UTC {
			return mapped(types.TimestampTZ, unitConverter(a.Unit))
		}
		return mapped(types.DateTime, unitConverter(a.Unit))
	case LogicalInt:
		return intType(a, wide)
	}
	return mapped(plain, plainConvert)
}

func intType(a Annotation, wide bool) (types.Type, converter, error) {
	switch {
	case a.Signed && a.Bits == 8:
		return mapped(types.TinyInt, narrowConverter(-1<<7, 1<<7-1))
	case a.Signed && a.Bits == 16:
		return mapped(types.SmallInt, narrowConverter(-1<<15, 1<<15-1))
	case a.Signed && a.Bits == 32:
		return mapped(types.Int, narrowConverter(-1<<31, 1<<31-1))
	case a.Signed:
		return mapped(types.BigInt, narrowConverter(-1<<63, 1<<63-1))
	case a.Bits == 8:
		return mapped(types.SmallInt, narrowConverter(0, 1<<8-1))
	case a.Bits == 16:
		return mapped(types.Int, narrowConverter(0, 1<<16-1))
	case a.Bits == 32 && wide:
		return mapped(types.BigInt, narrowConverter(0, 1<<32-1))
	case a.Bits == 32:
		return mapped(types.BigInt, convertUint32)
	}
	return types.DecimalOf(20, 0), convertUint64, nil
}

func decimalType(n *Node) (types.Type, converter, error) {
	a := n.Annotation
	if a.Precision < 1 || a.Scale < 0 || a.Scale > a.Precision {
		return types.Type{}, nil, corrupt("column %s is DECIMAL(%d, %d)", n.Name, a.Precision, a.Scale)
	}
	if a.Precision > types.MaxDecimalPrecision {
		return types.Type{}, nil, unsupported("column %s is DECIMAL(%d, %d), more than %d digits", n.Name, a.Precision, a.Scale, types.MaxDecimalPrecision)
	}
	switch n.Leaf.Kind {
	case KindInt32, KindInt64, KindBytes, KindFixed:
		return types.DecimalOf(a.Precision, a.Scale), convertDecimal, nil
	}
	return types.Type{}, nil, corrupt("column %s is a decimal in a %s", n.Name, n.Leaf.Kind)
}

// ownTypes are the types that files of ours name in the key TypeKey, because Parquet has no annotation for them.
var ownTypes = map[string]types.Kind{
	"LARGEINT": types.LargeInt, "IPV4": types.IPv4, "IPV6": types.IPv6, "INTERVAL": types.Interval,
}

// ownType returns the type that a file of ours names for a column, which is stored in its own form, or addresses as text; false if
// text or form are neither.
func ownType(text string, leaf LeafInfo) (types.Type, converter, bool) {
	k, ok := ownTypes[text]
	if !ok {
		return types.Type{}, nil, false
	}
	t := types.Of(k)
	if s, _ := StoreOf(t); s.Leaf.Kind == leaf.Kind && s.Leaf.Width == leaf.Width {
		return t, plainConvert, true
	}
	if leaf.Kind == KindBytes && (k == types.IPv4 || k == types.IPv6) {
		return t, convertAddress, true
	}
	return types.Type{}, nil, false
}
