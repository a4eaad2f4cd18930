package parquetio

import (
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Repetition of a node, with the numbers of the format.
type Repetition uint8

// The repetitions.
const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// Logical is a logical type annotation.
type Logical uint8

// The logical types. Converted types of old files are read as the logical types that replaced them.
const (
	LogicalNone Logical = iota
	LogicalString
	LogicalMap
	LogicalList
	LogicalEnum
	LogicalDecimal   // Precision, Scale
	LogicalDate      //
	LogicalTime      // Unit, UTC
	LogicalTimestamp // Unit, UTC
	LogicalInt       // Bits, Signed
	LogicalNull
	LogicalJSON
	LogicalBSON
	LogicalUUID
	LogicalFloat16
	LogicalVariant
	LogicalInterval // only as a converted type
	LogicalMapEntry // MAP_KEY_VALUE, a converted type on the repeated group of old maps
	LogicalOther    // known to the format, without meaning for us: geometry
)

// Units below a second of LogicalTime and LogicalTimestamp, as digits.
const (
	Millis = 3
	Micros = 6
	Nanos  = 9
)

// Annotation is a logical type with its parameters.
type Annotation struct {
	Logical          Logical
	Precision, Scale int
	Unit             int // Millis, Micros or Nanos
	UTC              bool
	Bits             int
	Signed           bool
}

// Node is a node of a file's schema. Nodes of an opened file and of a writer are never changed.
type Node struct {
	Name       string
	Repetition Repetition
	Annotation Annotation
	FieldID    int32 // 0 for none
	Children   []*Node

	// Leaf describes a node without children; Index is its number among the leaves of the file, -1 for groups.
	Leaf  LeafInfo
	Index int
	// MaxDef and MaxRep are the levels of an entry that is there.
	MaxDef, MaxRep int
	Path           []string
}

// IsLeaf tells whether n is a column and no group.
func (n *Node) IsLeaf() bool { return n.Index >= 0 }

// Child returns the child of that name, or nil.
func (n *Node) Child(name string) *Node {
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Limits of schemas: what a crafted footer may not exceed. Files of ten thousand paths have about 40,000 elements.
const (
	maxSchemaDepth    = 128
	maxSchemaElements = 1 << 20
)

// schemaReader builds the tree from the flat list of the footer.
type schemaReader struct {
	elems  []schemaElem
	pos    int
	leaves []*Node
}

func (r *schemaReader) node(parent *Node, depth int) (*Node, error) {
	if depth > maxSchemaDepth || r.pos >= len(r.elems) || r.pos > maxSchemaElements {
		return nil, fmt.Errorf("schema is cut short or nested too deep")
	}
	e := &r.elems[r.pos]
	r.pos++
	n := &Node{Name: e.name, FieldID: e.fieldID, Index: -1, Annotation: e.annotation}
	if parent != nil {
		if e.repetition < 0 || e.repetition > int(Repeated) {
			return nil, fmt.Errorf("column %q has no repetition", e.name)
		}
		n.Repetition = Repetition(e.repetition)
		n.MaxDef, n.MaxRep = parent.MaxDef, parent.MaxRep
		n.Path = append(parent.Path[:len(parent.Path):len(parent.Path)], e.name)
		if n.Repetition != Required {
			n.MaxDef++
		}
		if n.Repetition == Repeated {
			n.MaxRep++
		}
	}
	if e.typ >= 0 && parent != nil {
		return n, r.leaf(n, e)
	}
	count := e.children
	if count < 0 || count > len(r.elems)-r.pos {
		return nil, fmt.Errorf("group %q claims %d children", e.name, count)
	}
	n.Children = make([]*Node, count)
	for i := range n.Children {
		c, err := r.node(n, depth+1)
		if err != nil {
			return nil, err
		}
		n.Children[i] = c
	}
	return n, nil
}

func (r *schemaReader) leaf(n *Node, e *schemaElem) error {
	if e.typ > int(KindFixed) || e.children > 0 {
		return fmt.Errorf("column %q has a malformed type", e.name)
	}
	n.Leaf = LeafInfo{Kind: Kind(e.typ), MaxDef: n.MaxDef, MaxRep: n.MaxRep}
	switch n.Leaf.Kind {
	case KindFixed:
		if n.Leaf.Width = e.typeLength; n.Leaf.Width <= 0 || n.Leaf.Width > 1<<20 {
			return fmt.Errorf("column %q has values of %d bytes", e.name, n.Leaf.Width)
		}
	case KindInt96:
		n.Leaf.Width = int96Bytes
	}
	if n.MaxDef > 255 || n.MaxRep > 255 {
		return fmt.Errorf("column %q is nested too deep", e.name)
	}
	n.Index = len(r.leaves)
	r.leaves = append(r.leaves, n)
	return nil
}

// buildSchema returns the tree and the leaves in file order.
func buildSchema(elems []schemaElem) (*Node, []*Node, error) {
	r := schemaReader{elems: elems}
	root, err := r.node(nil, 0)
	if err == nil && r.pos != len(elems) {
		err = fmt.Errorf("schema has %d elements outside the root", len(elems)-r.pos)
	}
	return root, r.leaves, err
}

// Converted types, with the numbers of the format.
const (
	convUTF8 = iota
	convMap
	convMapKeyValue
	convList
	convEnum
	convDecimal
	convDate
	convTimeMillis
	convTimeMicros
	convTimestampMillis
	convTimestampMicros
	convUint8
	convUint16
	convUint32
	convUint64
	convInt8
	convInt16
	convInt32
	convInt64
	convJSON
	convBSON
	convInterval
)

// convertedType returns the logical type that stands for the converted type of old files.
func convertedType(e *schemaElem) Annotation {
	switch c := e.converted; c {
	case convUTF8:
		return Annotation{Logical: LogicalString}
	case convMap:
		return Annotation{Logical: LogicalMap}
	case convMapKeyValue:
		return Annotation{Logical: LogicalMapEntry}
	case convList:
		return Annotation{Logical: LogicalList}
	case convEnum:
		return Annotation{Logical: LogicalEnum}
	case convDecimal:
		return Annotation{Logical: LogicalDecimal, Precision: e.precision, Scale: e.scale}
	case convDate:
		return Annotation{Logical: LogicalDate}
	case convTimeMillis:
		return Annotation{Logical: LogicalTime, Unit: Millis, UTC: true}
	case convTimeMicros:
		return Annotation{Logical: LogicalTime, Unit: Micros, UTC: true}
	case convTimestampMillis:
		return Annotation{Logical: LogicalTimestamp, Unit: Millis, UTC: true}
	case convTimestampMicros:
		return Annotation{Logical: LogicalTimestamp, Unit: Micros, UTC: true}
	case convUint8, convUint16, convUint32, convUint64:
		return Annotation{Logical: LogicalInt, Bits: 8 << (c - convUint8)}
	case convInt8, convInt16, convInt32, convInt64:
		return Annotation{Logical: LogicalInt, Bits: 8 << (c - convInt8), Signed: true}
	case convJSON:
		return Annotation{Logical: LogicalJSON}
	case convBSON:
		return Annotation{Logical: LogicalBSON}
	case convInterval:
		return Annotation{Logical: LogicalInterval}
	}
	return Annotation{}
}

// Number fills the levels, paths and leaf numbers of a tree that a writer made, and returns the leaves.
func Number(root *Node) []*Node {
	var leaves []*Node
	var visit func(n *Node)
	visit = func(n *Node) {
		for _, c := range n.Children {
			c.MaxDef, c.MaxRep = n.MaxDef, n.MaxRep
			c.Path = append(n.Path[:len(n.Path):len(n.Path)], c.Name)
			if c.Repetition != Required {
				c.MaxDef++
			}
			if c.Repetition == Repeated {
				c.MaxRep++
			}
			if c.Children != nil {
				c.Index = -1
				visit(c)
				continue
			}
			c.Leaf.MaxDef, c.Leaf.MaxRep = c.MaxDef, c.MaxRep
			c.Index = len(leaves)
			leaves = append(leaves, c)
		}
	}
	root.Index = -1
	visit(root)
	return leaves
}

// elements flattens a tree for the footer.
func elements(root *Node) []format.SchemaElement {
	var out []format.SchemaElement
	var visit func(n *Node)
	visit = func(n *Node) {
		e := format.SchemaElement{Name: n.Name, FieldID: n.FieldID}
		if n != root {
			e.RepetitionType = thrift.New(format.FieldRepetitionType(n.Repetition))
		}
		if n.Index >= 0 {
			e.Type = thrift.New(format.Type(n.Leaf.Kind))
			if n.Leaf.Kind == KindFixed {
				e.TypeLength = thrift.New(int32(n.Leaf.Width))
			}
		} else {
			e.NumChildren = thrift.New(int32(len(n.Children)))
		}
		annotate(&e, n.Annotation)
		out = append(out, e)
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(root)
	return out
}

// annotate sets the logical type and, for old readers, the converted type where it means the same.
func annotate(e *format.SchemaElement, a Annotation) {
	old := func(c int) { e.ConvertedType = thrift.New(deprecated.ConvertedType(c)) }
	unit, same := format.TimeUnit{Value: &format.MicroSeconds{}}, a.UTC
	if a.Unit == Nanos {
		unit.Value, same = &format.NanoSeconds{}, false
	}
	switch a.Logical {
	case LogicalString:
		e.LogicalType.Value = &format.StringType{}
		old(convUTF8)
	case LogicalMap:
		e.LogicalType.Value = &format.MapType{}
		old(convMap)
	case LogicalList:
		e.LogicalType.Value = &format.ListType{}
		old(convList)
	case LogicalDecimal:
		e.LogicalType.Value = &format.DecimalType{Precision: int32(a.Precision), Scale: int32(a.Scale)}
		e.Precision, e.Scale = thrift.New(int32(a.Precision)), thrift.New(int32(a.Scale))
		old(convDecimal)
	case LogicalDate:
		e.LogicalType.Value = &format.DateType{}
		old(convDate)
	case LogicalTime:
		e.LogicalType.Value = &format.TimeType{IsAdjustedToUTC: a.UTC, Unit: unit}
		if same {
			old(convTimeMicros)
		}
	case LogicalTimestamp:
		e.LogicalType.Value = &format.TimestampType{IsAdjustedToUTC: a.UTC, Unit: unit}
		if same {
			old(convTimestampMicros)
		}
	case LogicalInt:
		e.LogicalType.Value = &format.IntType{BitWidth: int8(a.Bits), IsSigned: a.Signed}
		base := convUint8
		if a.Signed {
			base = convInt8
		}
		for b := 8; b < a.Bits; b *= 2 {
			base++
		}
		old(base)
	case LogicalUUID:
		e.LogicalType.Value = &format.UUIDType{}
	case LogicalVariant:
		e.LogicalType.Value = &format.VariantType{}
	}
}
