package function

import (
	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// nested casts arrays to arrays and structs to structs by casting their members. An element that does not convert is NULL with try.
func (k *castJob) nested() (*vec.Vector, error) {
	out := *k.src
	out.Type, out.Valid = k.to, k.valid
	out.Children = make([]*vec.Vector, len(k.src.Children))
	for i, child := range k.src.Children {
		to := elemType(k.to)
		if k.to.Kind == types.Struct {
			to = k.to.Fields[i].Type
		}
		var err error
		if out.Children[i], err = castWith(k.c, child, to, k.castMode); err != nil {
			return nil, err
		}
		if out.Children[i].Form != vec.Flat {
			out.Children[i] = flatten(out.Children[i])
		}
	}
	return &out, nil
}

// elemType is the type of the child of an ARRAY or MAP.
func elemType(t types.Type) types.Type {
	if t.Kind == types.Array {
		return *t.Elem
	}
	return types.Type{Kind: types.Struct, Fields: t.Fields}
}

// flatten returns v in Flat form, whatever its form is.
func flatten(v *vec.Vector) *vec.Vector {
	if v.Form == vec.Shredded {
		return variant.Flatten(v)
	}
	return vec.Flatten(v)
}

// address casts between IPV4, IPV6 and integers.
func (k *castJob) address() (*vec.Vector, error) {
	switch d := k.src.Data.(type) {
	case []uint32:
		switch k.to.Kind {
		case types.IPv6:
			return castRows(k, d, func(x uint32) (types.Uint128, status) { return types.Uint128{Lo: mappedPrefix | uint64(x)}, fits })
		case types.BigInt:
			return castRows(k, d, func(x uint32) (int64, status) { return int64(x), fits })
		case types.LargeInt:
			return castRows(k, d, func(x uint32) (types.Int128, status) { return types.Int128From(int64(x)), fits })
		}
	case []types.Uint128:
		return castRows(k, d, func(x types.Uint128) (uint32, status) {
			if x.Hi != 0 || x.Lo>>32 != mappedPrefix>>32 {
				return 0, badValue
			}
			return uint32(x.Lo), fits
		})
	case []int64:
		return castRows(k, d, func(x int64) (uint32, status) {
			if x != int64(uint32(x)) {
				return 0, tooBig
			}
			return uint32(x), fits
		})
	}
	return nil, CastError(k.src.Type, k.to)
}

// mappedPrefix is the lower half of ::ffff:0:0/96, under which IPv6 holds the IPv4 addresses.
const mappedPrefix = 0xffff << 32

// toVariant parses text as JSON and wraps other values as they are.
func (k *castJob) toVariant() (*vec.Vector, error) {
	if k.src.Type.Kind != types.Varchar {
		v := *k.src
		v.Valid = k.valid
		return variant.FromVector(&v).Retype(k.to), nil
	}
	b, err := k.parseJSON()
	if err != nil {
		return nil, err
	}
	return b.Retype(k.to), nil
}

// parseJSON reads every text as one JSON document.
func (k *castJob) parseJSON() (*vec.Vector, error) {
	p := jsonparse.New(jsonparse.Options{})
	b := variant.NewBatchBuilder(k.src.Len)
	views := vec.Slice[vec.View](k.src)
	for i := range views {
		if !k.valid.Get(i) {
			b.AppendNull()
			continue
		}
		b.BeginRow()
		err := p.Parse(views[i].Bytes(k.src.Bufs), b)
		if err == nil {
			b.EndRow()
			continue
		}
		b.Undo()
		if k.c.KeepInvalidJSON && k.to.Kind == types.Variant {
			b.BeginRow()
			b.String(views[i].Bytes(k.src.Bufs))
			b.EndRow()
			continue
		}
		b.AppendNull()
		if !k.try {
			return nil, k.failure(i, badValue, "invalid JSON: "+err.Error())
		}
	}
	return b.Finish(), nil
}

// textToArray reads a JSON array and casts its elements.
func (k *castJob) textToArray() (*vec.Vector, error) {
	parsed, err := k.parseJSON()
	if err != nil {
		return nil, err
	}
	out, err := variant.Cast(parsed, k.to)
	if k.try || err != nil {
		return out, err
	}
	for i := range k.src.Len {
		if k.valid.Get(i) && out.IsNull(i) {
			return nil, k.failure(i, badValue, "the JSON text is no array")
		}
	}
	return out, nil
}
