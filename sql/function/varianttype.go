package function

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
)

// VariantTypeName is the name of the function that tells the types of a document's paths.
const VariantTypeName = "variant_type"

// PathTypes tells the type that a path has in all rows of a column; false for paths that it does not know. It may be called by many
// goroutines. path is valid during the call only. An error ends the query.
type PathTypes func(path []string) (t types.Type, ok bool, err error)

// WithPathTypes returns variant_type, resolved as s, for documents of one column: the paths that are known report its types instead of
// those of the values.
func (s *Scalar) WithPathTypes(known PathTypes) *Scalar {
	if s.Name != VariantTypeName {
		panic("BUG: path types for " + s.Name)
	}
	out := *s
	core, _ := typesOfPaths(known)(&out, nil)
	out.Kernel = adapt(core, out.Ret, out.traits)
	return &out
}

// typesOfPaths makes the kernel of variant_type; known is nil where each value reports its own types.
func typesOfPaths(known PathTypes) maker {
	return textRows(func(r *row, dst []byte) []byte {
		meta, value := r.variant(0)
		if known == nil {
			return variant.AppendTypes(dst, meta, value, nil)
		}
		return variant.AppendTypes(dst, meta, value, func(path []string) (types.Type, bool) {
			t, ok, err := known(path)
			if err != nil {
				r.err = err
			}
			return t, ok
		})
	})
}
