package types

import (
	"strconv"
	"strings"
)

// VariantSpec is what a VARIANT type may carry: a schema template (first matching entry wins) and layout properties.
// A nil *VariantSpec means neither. Results never depend on the properties.
type VariantSpec struct {
	Template []TemplateEntry
	Props    VariantProps
}

// TemplateEntry fixes the type of the paths that match Pattern.
type TemplateEntry struct {
	// Pattern is compared with the whole dotted leaf path: '*', '?', '[...]' and '\' are special unless Exact.
	Pattern string
	// Exact is MATCH_NAME: the pattern is plain text.
	Exact   bool
	Type    Type
	Comment string
}

// VariantProps are the layout properties. The zero value of a field means "not given"; Given lists what was given, in order.
type VariantProps struct {
	MaxSubcolumns      int
	TypedPathsToSparse bool
	SparseShards       int
	DocMode            bool
	DocMinRows         int
	DocShards          int
	NestedGroup        bool
	// Given holds the names and texts of the properties that were written, as SHOW CREATE TABLE prints them.
	Given []Property
}

// Property is a name with its text.
type Property struct{ Name, Value string }

// DefaultMaxSubcolumns is variant_max_subcolumns_count where neither column nor session says otherwise.
const DefaultMaxSubcolumns = 2048

// SubcolumnLimit returns how many untyped paths may become subcolumns. s may be nil.
func (s *VariantSpec) SubcolumnLimit() int {
	if s != nil {
		for _, p := range s.Props.Given {
			if p.Name == "variant_max_subcolumns_count" {
				if s.Props.MaxSubcolumns == 0 {
					return 10_000
				}
				return s.Props.MaxSubcolumns
			}
		}
	}
	return DefaultMaxSubcolumns
}

// String returns the part of the SQL spelling behind VARIANT, "" for nothing.
func (s *VariantSpec) String() string {
	if s == nil || len(s.Template) == 0 && len(s.Props.Given) == 0 {
		return ""
	}
	var parts []string
	for _, e := range s.Template {
		p := ""
		if e.Exact {
			p = "MATCH_NAME "
		}
		p += "'" + strings.ReplaceAll(e.Pattern, "'", "''") + "' : " + e.Type.String()
		if e.Comment != "" {
			p += " COMMENT '" + strings.ReplaceAll(e.Comment, "'", "''") + "'"
		}
		parts = append(parts, p)
	}
	if len(s.Props.Given) > 0 {
		var props []string
		for _, p := range s.Props.Given {
			props = append(props, strconv.Quote(p.Name)+" = "+strconv.Quote(p.Value))
		}
		parts = append(parts, "PROPERTIES ("+strings.Join(props, ", ")+")")
	}
	return "<" + strings.Join(parts, ", ") + ">"
}
