package bind

import (
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// Names of the layout properties of VARIANT.
const (
	propMaxSubcolumns      = "variant_max_subcolumns_count"
	propTypedPathsToSparse = "variant_enable_typed_paths_to_sparse"
	propSparseShards       = "variant_sparse_hash_shard_count"
	propSparseStatistics   = "variant_max_sparse_column_statistics_size"
	propDocMode            = "variant_enable_doc_mode"
	propDocMinRows         = "variant_doc_materialization_min_rows"
	propDocShards          = "variant_doc_hash_shard_count"
	propNestedGroup        = "variant_enable_nested_group"
	propFlattenNested      = "variant_enable_flatten_nested"
)

// maxTemplateEntries bounds a Schema Template: matching a new path tries every entry.
const maxTemplateEntries = 4096

// bindVariantType binds VARIANT with its Schema Template and layout properties.
func bindVariantType(n *parse.TypeName) (types.Type, error) {
	t := types.Of(types.Variant)
	if len(n.Template) == 0 && len(n.Properties) == 0 {
		return t, nil
	}
	spec := &types.VariantSpec{}
	if len(n.Template) > maxTemplateEntries {
		return t, sqlerr.At(sqlerr.Resource, n.Pos(), "VARIANT template has more than %d entries", maxTemplateEntries)
	}
	seen := map[string]bool{}
	for i := range n.Template {
		e := &n.Template[i]
		et, err := templateType(e)
		if err != nil {
			return t, err
		}
		if seen[e.Pattern] {
			return t, sqlerr.At(sqlerr.Bind, e.Pos(), "duplicate field name %s in variant", e.Pattern)
		}
		seen[e.Pattern] = true
		entry := types.TemplateEntry{Pattern: e.Pattern, Exact: e.Exact, Type: et}
		if e.Comment != nil {
			entry.Comment = e.Comment.Value
		}
		spec.Template = append(spec.Template, entry)
	}
	if err := variantProperties(spec, n.Properties); err != nil {
		return t, err
	}
	t.Variant = spec
	return t, nil
}

// templateType binds the type of one template entry and checks that leaves can have it.
func templateType(e *parse.TemplateEntry) (types.Type, error) {
	if e.Pattern == "" {
		return types.Type{}, sqlerr.At(sqlerr.Bind, e.Pos(), "the pattern of a VARIANT template entry must not be empty")
	}
	t, err := Type(e.Type)
	if err != nil {
		return t, err
	}
	leaf := t
	if t.Kind == types.Array {
		leaf = *t.Elem
	}
	if !templateLeaf(leaf) {
		return t, sqlerr.At(sqlerr.Type, e.Type.Pos(), "VARIANT unsupported sub-type: %s", t)
	}
	return t, nil
}

// templateLeaf tells whether a template may give a path the type t.
func templateLeaf(t types.Type) bool {
	switch t.Kind {
	case types.Boolean, types.Date, types.DateTime, types.TimestampTZ, types.IPv4, types.IPv6:
		return true
	case types.Varchar:
		return t.Length == 0
	}
	return t.IsNumeric()
}

// variantProperties checks PROPERTIES(...) inside VARIANT<...> and fills spec.Props.
func variantProperties(spec *types.VariantSpec, list []parse.Option) error {
	p := &spec.Props
	given := map[string]int{}
	for i := range list {
		o := &list[i]
		name := strings.ToLower(o.Name)
		if _, twice := given[name]; twice {
			return sqlerr.At(sqlerr.Bind, o.Pos(), "property %s is given twice", name)
		}
		given[name] = o.Pos()
		if err := variantProperty(p, name, o); err != nil {
			return err
		}
		p.Given = append(p.Given, types.Property{Name: name, Value: o.Value.Text})
	}
	return variantExclusions(spec, given)
}

func variantProperty(p *types.VariantProps, name string, o *parse.Option) error {
	var err error
	switch name {
	case propMaxSubcolumns:
		p.MaxSubcolumns, err = intProperty(name, o, 0, 10_000)
	case propTypedPathsToSparse:
		p.TypedPathsToSparse, err = boolProperty(name, o)
	case propSparseShards:
		p.SparseShards, err = intProperty(name, o, 1, 1024)
	case propSparseStatistics:
		_, err = intProperty(name, o, 0, 50_000)
	case propDocMode:
		p.DocMode, err = boolProperty(name, o)
	case propDocMinRows:
		p.DocMinRows, err = intProperty(name, o, 0, 1_000_000_000)
	case propDocShards:
		p.DocShards, err = intProperty(name, o, 0, 1024)
	case propNestedGroup:
		p.NestedGroup, err = boolProperty(name, o)
	case propFlattenNested:
		err = sqlerr.At(sqlerr.Unsupported, o.Pos(), "%s is not supported; use %s", propFlattenNested, propNestedGroup)
	default:
		err = sqlerr.At(sqlerr.Bind, o.Pos(), "unknown VARIANT property %s; known are %s", o.Name, strings.Join([]string{propMaxSubcolumns,
			propTypedPathsToSparse, propSparseShards, propDocMode, propDocMinRows, propDocShards, propNestedGroup}, ", "))
	}
	return err
}

// variantExclusions refuses properties that contradict one another when they are given explicitly.
func variantExclusions(spec *types.VariantSpec, given map[string]int) error {
	p := &spec.Props
	if _, doc := given[propDocMode]; doc {
		for _, name := range [...]string{propMaxSubcolumns, propTypedPathsToSparse, propSparseStatistics, propSparseShards} {
			if off, both := given[name]; both {
				return sqlerr.At(sqlerr.Bind, off, "%s and %s cannot be set together", name, propDocMode)
			}
		}
	}
	if p.NestedGroup && p.DocMode {
		return sqlerr.At(sqlerr.Bind, given[propNestedGroup], "%s and %s cannot both be true", propNestedGroup, propDocMode)
	}
	if p.NestedGroup && p.MaxSubcolumns > 0 {
		return sqlerr.At(sqlerr.Bind, given[propNestedGroup], "%s cannot be true when %s > 0", propNestedGroup, propMaxSubcolumns)
	}
	if p.DocMode {
		for _, e := range spec.Template {
			if !e.Type.IsNumeric() && e.Type.Kind != types.Varchar && e.Type.Kind != types.Array {
				return sqlerr.At(sqlerr.Type, given[propDocMode],
					"with %s the template may hold numbers, strings and arrays only, not %s for '%s'", propDocMode, e.Type, e.Pattern)
			}
		}
	}
	return nil
}

func intProperty(name string, o *parse.Option, lo, hi int) (int, error) {
	v, err := strconv.Atoi(strings.TrimSpace(o.Value.Text))
	if err != nil {
		return 0, sqlerr.At(sqlerr.Bind, o.Pos(), "%s format error: %q is not a whole number", name, o.Value.Text)
	}
	if v < lo || v > hi {
		return 0, sqlerr.At(sqlerr.OutOfRange, o.Pos(), "%s must be between %d and %d", name, lo, hi)
	}
	return v, nil
}

func boolProperty(name string, o *parse.Option) (bool, error) {
	switch strings.ToLower(o.Value.Text) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, sqlerr.At(sqlerr.Bind, o.Pos(), "%s format error: %q is neither true nor false", name, o.Value.Text)
}
