package session

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// pathInfo is what a VARIANT column holds at one path, over all segments and batches of a table.
type pathInfo struct {
	path  []string
	typ   types.Type // reported type, see the lattice of package variant
	kinds variant.KindCounts
}

// pathCollector merges what segments and batches hold of a VARIANT column.
type pathCollector struct {
	template *variant.Template
	found    map[string]*pathInfo // by pathKey
}

func newPathCollector(col *catalog.Column) *pathCollector {
	return &pathCollector{template: variant.NewTemplate(col.Type.Variant), found: map[string]*pathInfo{}}
}

// note adds values of a path. The path is copied.
func (l *pathCollector) note(path []string, typ types.Type, kinds variant.KindCounts) {
	key := pathKey(path)
	p := l.found[key]
	if declared, ok := l.template.Match(path); ok {
		typ = asDeclared(typ, declared)
	}
	if p == nil {
		p = &pathInfo{path: slices.Clone(path), typ: typ}
		l.found[key] = p
	}
	p.typ = variant.Merge(p.typ, typ)
	for i := range kinds {
		p.kinds[i] += kinds[i]
	}
}

// asDeclared narrows the type of values to the declared one where the encoding of values does not tell them apart.
func asDeclared(typ, declared types.Type) types.Type {
	switch {
	case typ.IsInteger() && declared.IsInteger(), typ.Kind == types.Double && declared.Kind == types.Float:
		return declared
	case typ.Kind == types.Decimal && declared.Kind == types.Decimal && typ.Scale == declared.Scale:
		return declared
	case typ.Kind == types.Array && declared.Kind == types.Array:
		return types.ArrayOf(asDeclared(*typ.Elem, *declared.Elem))
	}
	return typ
}

// batches adds the small writes of a table.
func (l *pathCollector) batches(t *catalog.Table, id catalog.ColumnID) {
	for _, b := range t.Batches {
		if i := slices.Index(b.Columns, id); i >= 0 {
			l.documents(b.Data.Cols[i])
		}
	}
}

// documents adds the leaves of whole documents.
func (l *pathCollector) documents(v *vec.Vector) {
	v = variant.Flatten(v)
	for i := range v.Len {
		if v.IsNull(i) {
			continue
		}
		meta, value := v.VariantAt(i)
		variant.Leaves(meta, value, func(path []string, leaf []byte) {
			var kinds variant.KindCounts
			kinds[variant.KindOf(leaf)]++
			l.note(path, variant.ReportedType(leaf), kinds)
		})
	}
}

// segment adds the paths that the directory of a segment lists, with their kinds. hidden says that values have members which are not listed.
func (l *pathCollector) segment(r *segment.Reader, id catalog.ColumnID) (listed []segment.PathInfo, hidden bool, err error) {
	infos, err := r.Paths(id)
	if err != nil {
		return nil, false, err
	}
	for i := range infos {
		p := &infos[i]
		hidden = hidden || p.Hidden
		kinds := p.Kinds
		kinds[variant.Object], kinds[variant.Null], kinds[variant.Missing] = 0, 0, 0
		if kinds.Total() == 0 {
			continue
		}
		t, err := reportedType(r, id, p, kinds)
		if err != nil {
			return nil, false, err
		}
		l.note(p.Path, t, kinds)
	}
	return infos, hidden, nil
}

// hasColumn tells whether a segment was written with a column.
func hasColumn(m *segment.Meta, id catalog.ColumnID) bool {
	return slices.ContainsFunc(m.Columns, func(c segment.Column) bool { return c.ID == id })
}

// variantPaths collects the paths of a VARIANT column, sorted by path.
func (c *call) variantPaths(t *catalog.Table, col *catalog.Column) ([]*pathInfo, error) {
	l := newPathCollector(col)
	for _, m := range t.Segments {
		if !hasColumn(m, col.ID) {
			continue
		}
		r, err := c.s.engine.openSegment(m)
		if err != nil {
			return nil, err
		}
		if _, _, err := l.segment(r, col.ID); err != nil {
			return nil, err
		}
	}
	l.batches(t, col.ID)
	out := make([]*pathInfo, 0, len(l.found))
	for _, p := range l.found {
		// Arrays without values say nothing about a type; a path that holds nothing else is not listed.
		if p.typ.Kind != types.Array || p.typ.Elem.Kind != types.Null {
			out = append(out, p)
		}
	}
	sort.Slice(out, func(i, j int) bool { return strings.Join(out[i].path, ".") < strings.Join(out[j].path, ".") })
	return out, nil
}

// reportedKinds maps the kinds that have one reported type.
var reportedKinds = map[variant.Kind]types.Kind{
	variant.Boolean: types.Boolean, variant.TinyInt: types.TinyInt, variant.SmallInt: types.SmallInt, variant.Int: types.Int,
	variant.BigInt: types.BigInt, variant.LargeInt: types.LargeInt, variant.Float: types.Float, variant.Double: types.Double,
	variant.Number: types.Double, variant.String: types.Varchar, variant.Date: types.Date, variant.DateTime: types.DateTime,
	variant.TimestampTZ: types.TimestampTZ, variant.Time: types.Time, variant.IPv4: types.IPv4, variant.IPv6: types.IPv6,
	variant.Binary: types.Binary, variant.UUID: types.UUID,
}

// reportedType returns the least common type of the values of a path in a segment.
func reportedType(r *segment.Reader, id catalog.ColumnID, p *segment.PathInfo, kinds variant.KindCounts) (types.Type, error) {
	t := types.Of(types.Null)
	vague := false
	for k, n := range kinds {
		switch kind := variant.Kind(k); {
		case n == 0:
		case kind == variant.Decimal && p.Declared && p.Type.Kind == types.Decimal:
			t = variant.Merge(t, p.Type)
		case kind == variant.Decimal:
			vague = true
		case kind == variant.Array:
			t = variant.Merge(t, p.Arrays)
		default:
			t = variant.Merge(t, types.Of(reportedKinds[kind]))
		}
	}
	switch {
	case !vague:
		return t, nil
	case t.Kind != types.Null:
		return types.Of(types.JSON), nil // decimals have no type in common with other kinds
	}
	return typeOfValues(r, id, p.Path)
}

// typeOfValues merges the types of the values at a path, where the directory does not tell: of decimals of several scales.
func typeOfValues(r *segment.Reader, id catalog.ColumnID, path []string) (types.Type, error) {
	merged := types.Of(types.Null)
	for p := range r.Pages() {
		v, err := r.Read(segment.Want{Column: id, Path: path}, p)
		if err != nil {
			return merged, err
		}
		v = variant.Flatten(v)
		for i := range v.Len {
			if v.IsNull(i) {
				continue
			}
			if _, value := v.VariantAt(i); variant.KindOf(value) != variant.Object {
				merged = variant.Merge(merged, variant.ReportedType(value))
			}
		}
	}
	return merged, nil
}

// share prints kinds with their shares, the commonest first: "bigint 60 %, double 40 %".
func share(k variant.KindCounts) string {
	total := k.Total()
	type part struct {
		name string
		n    uint32
	}
	var parts []part
	for i, n := range k {
		if n > 0 {
			parts = append(parts, part{variant.Kind(i).String(), n})
		}
	}
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].n > parts[j].n })
	var out []string
	for _, p := range parts {
		out = append(out, fmt.Sprintf("%s %.3g %%", p.name, 100*float64(p.n)/float64(total)))
	}
	return strings.Join(out, ", ")
}

// describePaths adds the rows of extended DESC: the paths of each VARIANT column.
func (s *Session) describePaths(t *catalog.Table, out *rowsBuilder, keep func(string) bool) error {
	v, err := s.reading()
	if err != nil {
		return err
	}
	defer v.Release()
	c := s.newCall(v, nil)
	if now := c.snap.TableByID(t.ID); now != nil {
		t = now
	}
	for i := range t.Columns {
		col := &t.Columns[i]
		if col.Type.Kind != types.Variant {
			continue
		}
		paths, err := c.variantPaths(t, col)
		if err != nil {
			return err
		}
		for _, p := range paths {
			if name := col.Name + "." + variant.JoinPath(p.path); len(p.path) > 0 && keep(name) {
				out.add(name, variant.DescName(p.typ), "YES", "NULL", "")
			}
		}
	}
	return nil
}

func fillVariantPaths(c *call, out *rowsBuilder) error {
	return c.eachTable(func(t *catalog.Table) error {
		for i := range t.Columns {
			col := &t.Columns[i]
			if col.Type.Kind != types.Variant {
				continue
			}
			paths, err := c.variantPaths(t, col)
			if err != nil {
				return err
			}
			for _, p := range paths {
				out.add(t.Database, t.Name, col.Name, variant.JoinPath(p.path), variant.TypeName(p.typ), share(p.kinds), p.kinds.Total())
			}
		}
		return nil
	})
}
