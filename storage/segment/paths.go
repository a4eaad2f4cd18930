package segment

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
)

// PathInfo describes a subcolumn of a VARIANT column in this segment: what system.variant_paths and DESC show.
type PathInfo struct {
	// Path are the names from the root; none for the root itself.
	Path []string
	// Type is the type of the typed leaf; NULL where the path is an object or has residual values only.
	Type types.Type
	// Second is the type of the leaf that a second frequent kind has beside the typed one; NULL if there is none.
	Second types.Type
	// Declared says that a template asked for Type.
	Declared bool
	// Object says that the members are subcolumns of their own, List that arrays are lists of their own columns.
	Object, List bool
	// Hidden says that values of the path have members that are not listed, because they are rare.
	Hidden bool
	// Arrays is what the arrays of the path report together (see variant.Merge); NULL where there are none.
	Arrays types.Type
	// Kinds counts the values of the path by kind.
	Kinds variant.KindCounts
	// Bytes is the size of the path's own pages in the file, those of the elements of its arrays included.
	Bytes int64
}

// Paths describes all subcolumns of a VARIANT or JSON column, parents first, in bytewise order of names. It reads the whole directory of
// the column. Paths that have no column of their own, because they are rare, are not among them.
func (r *Reader) Paths(c ColumnID) ([]PathInfo, error) {
	col := r.column(c)
	all, err := r.file.below(entryKey(c, nil))
	if err != nil {
		return nil, wrap(err, "segment %s: column %s", r.file.name, col.Name)
	}
	var out []PathInfo
	for _, e := range all {
		if !e.isVariant() {
			continue
		}
		if lists, _ := e.lists(); lists == 0 {
			out = append(out, e.info())
		} else if len(out) == 0 {
			return nil, corrupt("segment %s: directory has elements without a list", r.file.name)
		}
		// The columns of elements, which come right behind the path of their list, belong to it.
		for _, l := range e.variantLeaves() {
			out[len(out)-1].Bytes += l.bytes()
		}
	}
	return out, nil
}

// info describes the path of an entry that lies in no list.
func (e *entry) info() PathInfo {
	i := PathInfo{Declared: e.declared, Object: e.node == variant.NodeObject, List: e.node == variant.NodeList, Arrays: e.arrays, Second: e.secondType, Kinds: e.kinds}
	for _, s := range e.path {
		i.Path = append(i.Path, s.Key)
	}
	if e.typed != nil {
		i.Type = e.t
	}
	for p := range e.residual {
		i.Hidden = i.Hidden || e.residual[p].kinds&(1<<variant.Object) != 0
	}
	return i
}

// bytes is the size of the leaf's pages; nil has none.
func (l *leafEntry) bytes() int64 {
	if l == nil {
		return 0
	}
	n := int64(l.chunk.DictLoc.Bytes)
	for i := range l.pages {
		n += int64(l.pages[i].loc.Bytes)
	}
	return n
}
