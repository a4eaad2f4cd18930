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
	known bool
	kinds variant.KindCounts
}

// variantPaths collects the paths of a VARIANT column, sorted by path.
func (c *call) variantPaths(t *catalog.Table, col *catalog.Column) ([]*pathInfo, error) {
	found := map[string]*pathInfo{}
	note := func(path []string, typ types.Type, kinds variant.KindCounts) {
		key := strings.Join(path, "\x00")
		p := found[key]
		if p == nil {
			p = &pathInfo{path: append([]string{}, path...)}
			found[key] = p
		}
		if p.typ = typ; p.known {
			p.typ = variant.Merge(p.typ, typ)
		}
		p.known = true
		for i := range kinds {
			p.kinds[i] += kinds[i]
		}
	}
	for _, m := range t.Segments {
		r, err := c.s.engine.openSegment(m)
		if err != nil {
			return nil, err
		}
		if err := segmentPaths(r, m, col.ID, note); err != nil {
			return nil, err
		}
	}
	for _, b := range t.Batches {
		for i, id := range b.Columns {
			if id == col.ID {
				batchPaths(b.Data.Cols[i], note)
			}
		}
	}
	out := make([]*pathInfo, 0, len(found))
	for _, p := range found {
		out = append(out, p)
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

// segmentPaths finds the paths of a segment, which its directory lists with their kinds.
func segmentPaths(r *segment.Reader, m *segment.Meta, id catalog.ColumnID, note func([]string, types.Type, variant.KindCounts)) error {
	if !slices.ContainsFunc(m.Columns, func(c segment.Column) bool { return c.ID == id }) {
		return nil
	}
	infos, err := r.Paths(id)
	if err != nil {
		return err
	}
	for _, p := range infos {
		kinds := p.Kinds
		kinds[variant.Object], kinds[variant.Null], kinds[variant.Missing] = 0, 0, 0
		if kinds.Total() == 0 {
			continue
		}
		for k, n := range kinds {
			var one variant.KindCounts
			one[k] = n
			switch kind := variant.Kind(k); {
			case n == 0:
			case kind == variant.Array:
				t, err := arrayType(r, id, p.Path)
				if err != nil {
					return err
				}
				note(p.Path, t, one)
			case kind == variant.Decimal && p.Type.Kind == types.Decimal:
				note(p.Path, p.Type, one)
			case kind == variant.Decimal:
				note(p.Path, types.DecimalOf(38, 0), one)
			default:
				note(p.Path, types.Of(reportedKinds[kind]), one)
			}
		}
	}
	return nil
}

// arrayType merges the types of the arrays at a path, which the directory does not know.
func arrayType(r *segment.Reader, id catalog.ColumnID, path []string) (merged types.Type, err error) {
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
			if _, value := v.VariantAt(i); variant.KindOf(value) == variant.Array {
				merged = variant.Merge(merged, variant.ReportedType(value))
			}
		}
	}
	return merged, nil
}

// batchPaths finds the paths of a small write.
func batchPaths(v *vec.Vector, note func([]string, types.Type, variant.KindCounts)) {
	v = variant.Flatten(v)
	for i := range v.Len {
		if v.IsNull(i) {
			continue
		}
		meta, value := v.VariantAt(i)
		variant.Leaves(meta, value, func(path []string, leaf []byte) {
			var kinds variant.KindCounts
			kinds[variant.KindOf(leaf)]++
			note(path, variant.ReportedType(leaf), kinds)
		})
	}
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
	pin := s.engine.store.Pin()
	defer pin.Release()
	c := s.newCall(pin.Snapshot(), nil)
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
