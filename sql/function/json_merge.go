package function

import (
	"bytes"
	"encoding/json"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// containsJSON tells whether every part of b is in a: members by name, elements in any order.
func containsJSON(aMeta, a, bMeta, b []byte) bool {
	switch kind := variant.KindOf(a); {
	case kind == variant.Array && variant.KindOf(b) == variant.Array:
		all := true
		variant.Elements(b, func(_ int, want []byte) bool {
			all = containsElement(aMeta, a, bMeta, want)
			return all
		})
		return all
	case kind == variant.Array:
		return containsElement(aMeta, a, bMeta, b)
	case kind == variant.Object && variant.KindOf(b) == variant.Object:
		all := true
		variant.Members(bMeta, b, func(name, want []byte) bool {
			have := variant.Get(aMeta, a, []variant.Step{{Key: string(name)}})
			all = have != nil && containsJSON(aMeta, have, bMeta, want)
			return all
		})
		return all
	}
	return variant.Equal(aMeta, a, bMeta, b)
}

func containsElement(aMeta, a, bMeta, want []byte) bool {
	found := false
	variant.Elements(a, func(_ int, have []byte) bool {
		found = containsJSON(aMeta, have, bMeta, want)
		return !found
	})
	return found
}

// mergePatch applies the second document to the first (RFC 7396).
func mergePatch(*Scalar, []Arg) (Kernel, error) {
	return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		target, patch := flatten(args[0]), flatten(args[1])
		valid := validity([]*vec.Vector{target, patch}, n)
		b := variant.NewBatchBuilder(n)
		for i := range n {
			if !valid.Get(i) {
				b.AppendNull()
				continue
			}
			b.BeginRow()
			aMeta, a := target.VariantAt(i)
			pMeta, p := patch.VariantAt(i)
			patched(b, aMeta, a, pMeta, p)
			b.EndRow()
		}
		return b.Finish().Retype(types.Of(types.JSON)), nil
	}, nil
}

// patched writes a changed by p; a is nil where there is nothing to change.
func patched(b *variant.BatchBuilder, aMeta, a, pMeta, p []byte) {
	if variant.KindOf(p) != variant.Object {
		emit(b, pMeta, p)
		return
	}
	isObject := a != nil && variant.KindOf(a) == variant.Object
	b.BeginObject()
	if isObject {
		variant.Members(aMeta, a, func(name, have []byte) bool {
			if variant.Get(pMeta, p, []variant.Step{{Key: string(name)}}) == nil {
				b.Key(name)
				emit(b, aMeta, have)
			}
			return true
		})
	}
	variant.Members(pMeta, p, func(name, change []byte) bool {
		if variant.IsNull(change) {
			return true
		}
		var have []byte
		if isObject {
			have = variant.Get(aMeta, a, []variant.Step{{Key: string(name)}})
		}
		b.Key(name)
		patched(b, aMeta, have, pMeta, change)
		return true
	})
	b.EndObject()
}

func prettyRow(r *row, dst []byte) []byte {
	meta, value := r.variant(0)
	var out bytes.Buffer
	if err := json.Indent(&out, variant.AppendJSON(nil, meta, value), "", "  "); err != nil {
		r.fail(sqlerr.Conversion, "a value cannot be written as JSON: %s", err)
	}
	return append(dst, out.Bytes()...)
}
