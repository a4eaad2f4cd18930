package segment

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
)

// reportedKinds maps the kinds that have one reported type.
var reportedKinds = map[variant.Kind]types.Kind{
	variant.Boolean: types.Boolean, variant.TinyInt: types.TinyInt, variant.SmallInt: types.SmallInt, variant.Int: types.Int,
	variant.BigInt: types.BigInt, variant.LargeInt: types.LargeInt, variant.Float: types.Float, variant.Double: types.Double,
	variant.Number: types.Double, variant.String: types.Varchar, variant.Date: types.Date, variant.DateTime: types.DateTime,
	variant.TimestampTZ: types.TimestampTZ, variant.Time: types.Time, variant.IPv4: types.IPv4, variant.IPv6: types.IPv6,
	variant.Binary: types.Binary, variant.UUID: types.UUID,
}

// Paths calls f for each path of a VARIANT column that has values other than objects and JSON null, with the reported type (see
// variant.Merge) and the number of values by kind. Paths inside residual objects are not known to the directory and not listed.
// A column that the segment does not have has no paths.
func (r *Reader) Paths(id ColumnID, f func(path []string, t types.Type, kinds variant.KindCounts)) error {
	entries, err := r.file.below(entryKey(id, nil))
	if err != nil {
		return wrap(err, "segment %s", r.file.name)
	}
	for _, e := range entries {
		if !e.isVariant() {
			continue
		}
		t := e.t
		known := false
		add := func(next types.Type) {
			if known {
				next = variant.Merge(t, next)
			}
			t, known = next, true
		}
		for k, n := range e.kinds {
			if kind, ok := reportedKinds[variant.Kind(k)]; ok && n > 0 {
				add(types.Of(kind))
			}
		}
		if e.kinds[variant.Decimal] > 0 {
			d := types.DecimalOf(38, 0)
			if e.t.Kind == types.Decimal {
				d = e.t
			}
			add(d)
		}
		if e.kinds[variant.Array] > 0 {
			a, err := r.arrayType(id, e.path)
			if err != nil {
				return err
			}
			add(a)
		}
		if known {
			f(e.path, t, e.kinds)
		}
	}
	return nil
}

// arrayType merges the types of the arrays at a path, which the directory does not know.
func (r *Reader) arrayType(id ColumnID, path []string) (types.Type, error) {
	merged := types.Type{}
	for p := range r.Pages() {
		v, err := r.Read(Want{Column: id, Path: path}, p)
		if err != nil {
			return merged, err
		}
		v = variant.Flatten(v)
		for i := range v.Len {
			if v.IsNull(i) {
				continue
			}
			if _, value := v.VariantAt(i); variant.KindOf(value) == variant.Array {
				t := variant.ReportedType(value)
				if merged.Kind == types.Null {
					merged = t
				} else {
					merged = variant.Merge(merged, t)
				}
			}
		}
	}
	return merged, nil
}
