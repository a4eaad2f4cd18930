package variant

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Step is one step of a path: a key, or an array index (from 0) where IsIndex.
type Step struct {
	Key     string
	Index   int
	IsIndex bool
}

// Tree is the shredded form of Rows rows, in the shape of the Parquet Variant shredding specification. Row numbers in it count from the
// start of the tree: a segment when it is written, a page when it is read.
type Tree struct {
	Rows int
	// Null has a set bit for each row that is SQL NULL; nil means none.
	Null vec.Bitmap
	// Names is the dictionary that all residual values refer to; it also holds the names of shredded fields. Ids are positions.
	Names [][]byte
	// Meta is Names as metadata bytes, the same for all rows.
	Meta []byte
	// RowNames, if not nil, stands in place of Names and Meta: each row has metadata of its own, which its residual values refer to.
	// Metas has it as a vector with one value a row; Finish leaves it nil.
	RowNames *RowNames
	Metas    *vec.Vector
	// Ranks is NameRanks(Names), for readers that make many trees of one dictionary; nil has it computed where it is needed.
	Ranks []uint32
	// IDs gives the position of each name in Names; nil, likewise.
	IDs  map[string]uint32
	Root *Node
	// Paths describes the paths of the rows; pages have none.
	Paths []PathInfo
	// Exact lists values that the Parquet encoding cannot hold, by ascending row; the residual has a substitute in their place.
	Exact []ExactValue
	// Removed counts values that the template could not convert; Duplicates counts object members hidden by a later one of the same name.
	Removed, Duplicates int
}

// ExactValue is a value whose residual holds only a substitute: the nearest double or text.
type ExactValue struct {
	Row  uint32
	Path []Step
	Kind Kind // Number, LargeInt, Decimal, IPv4 or IPv6
	Text []byte
}

// NodeKind says what the typed part of a node is.
type NodeKind uint8

// The node kinds.
const (
	NodeNone   NodeKind = iota // residual only
	NodeScalar                 // Typed
	NodeObject                 // Children
	NodeList                   // Elem
)

// Node holds the values of one path. A row has, at this path: a value in Typed; or an object in ObjectRows whose shredded members are
// in Children and whose other members, if any, are an object in Value; or an array in ListRows whose elements are rows of Elem; or any
// other value in Value; or nothing.
//
// Row lists ascend. A nil list beside a non-nil vector (or for NodeObject and NodeList, a nil ObjectRows or ListRows) means all rows; a
// list that is empty but not nil means none. Rows are those of the tree; in Elem and the nodes below it they are the elements of the list,
// counted through all its arrays.
type Node struct {
	Key  string // name in the parent object; "" for the root
	Kind NodeKind
	// Type is the type of Typed: BOOLEAN, integers, FLOAT, DOUBLE, DECIMAL, VARCHAR, BINARY, DATE, TIME, DATETIME, TIMESTAMPTZ, IPV4,
	// IPV6, UUID. Declared says that a template asked for it.
	Type     types.Type
	Declared bool
	// TypedRows are the rows of Typed, a flat vector without NULLs.
	TypedRows []uint32
	Typed     *vec.Vector
	// ObjectRows are the rows whose value is an object (possibly empty) shredded into Children, which are sorted bytewise by Key.
	ObjectRows []uint32
	Children   []*Node
	// ListRows are the rows whose value is an array in Elem. Offsets has one entry more: where the elements of each begin, and the end.
	ListRows []uint32
	Offsets  []uint32
	Elem     *Node
	// Arrays is what the arrays of the path report, those in Value included; NULL if there are none. Readers of pages leave it so.
	Arrays types.Type
	// ValueRows are the rows of Value, a flat BINARY vector without NULLs of residual values; JSON null is 0x00.
	ValueRows []uint32
	Value     *vec.Vector
	// Second is a copy of the values of the second most frequent kind, which are in Value too, where they are many; SecondRows are their
	// rows. Readers of pages leave it nil.
	SecondRows []uint32
	Second     *vec.Vector
	// Kinds counts the values of the path by kind, of a page those of all pages. Readers of pages may leave it zero; integers in a column
	// of doubles are doubles then.
	Kinds KindCounts
}

// Child returns the child with that key, or nil.
func (n *Node) Child(key string) *Node {
	lo, hi := 0, len(n.Children)
	for lo < hi {
		m := (lo + hi) / 2
		if n.Children[m].Key < key {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(n.Children) && n.Children[lo].Key == key {
		return n.Children[lo]
	}
	return nil
}

// Elements returns the number of rows of Elem.
func (n *Node) Elements() int {
	if len(n.Offsets) == 0 {
		return 0
	}
	return int(n.Offsets[len(n.Offsets)-1])
}

// Walk calls f for n and all nodes below, parents first, with the keys from the root. It does not go into lists.
func (n *Node) Walk(f func(path []string, n *Node)) { n.walk(nil, f) }

func (n *Node) walk(path []string, f func([]string, *Node)) {
	f(path, n)
	for _, c := range n.Children {
		c.walk(append(path[:len(path):len(path)], c.Key), f)
	}
}
