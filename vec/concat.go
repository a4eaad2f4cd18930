package vec

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/types"
)

// Concat joins vectors of type t, in any form but Shredded. The result is Flat; parts that share one dictionary stay a Dictionary
// vector, and a single part is returned as it is. Text buffers are shared, not copied.
func Concat(t types.Type, parts ...*Vector) *Vector {
	if len(parts) == 0 {
		return NewBuilder(t, 0).Finish()
	}
	if len(parts) == 1 || t.Kind == types.Null {
		one := *parts[0]
		one.Len = 0
		for _, p := range parts {
			one.Len += p.Len
		}
		return &one
	}
	n := 0
	sameDict, nulls := true, false
	for _, p := range parts {
		n += p.Len
		sameDict = sameDict && p.Form == Dictionary && p.Dict == parts[0].Dict
		nulls = nulls || p.Valid != nil
	}
	out := &Vector{Type: t, Len: n}
	if nulls {
		out.Valid = joinValid(parts, n)
	}
	if sameDict {
		out.Form, out.Dict = Dictionary, parts[0].Dict
		out.Codes = make([]uint32, 0, n)
		for _, p := range parts {
			out.Codes = append(out.Codes, p.Codes...)
		}
		return out
	}
	flat := make([]*Vector, len(parts))
	for i, p := range parts {
		flat[i] = Flatten(p)
	}
	out.joinData(flat)
	return out
}

// joinValid returns the validity of all parts.
func joinValid(parts []*Vector, n int) Bitmap {
	out := NewBitmap(n)
	pos := 0
	for _, p := range parts {
		for i := range p.Len {
			if !p.IsNull(i) {
				out.Set(pos + i)
			}
		}
		pos += p.Len
	}
	return out
}

func (v *Vector) joinData(parts []*Vector) {
	switch parts[0].Data.(type) {
	case []bool:
		v.Data = join[bool](parts)
	case []int8:
		v.Data = join[int8](parts)
	case []int16:
		v.Data = join[int16](parts)
	case []int32:
		v.Data = join[int32](parts)
	case []int64:
		v.Data = join[int64](parts)
	case []types.Int128:
		v.Data = join[types.Int128](parts)
	case []types.Int256:
		v.Data = join[types.Int256](parts)
	case []uint32:
		v.Data = join[uint32](parts)
	case []types.Uint128:
		v.Data = join[types.Uint128](parts)
	case []float32:
		v.Data = join[float32](parts)
	case []float64:
		v.Data = join[float64](parts)
	case []types.IntervalValue:
		v.Data = join[types.IntervalValue](parts)
	case []View:
		v.joinViews(parts)
	case nil:
		v.joinNested(parts)
	default:
		panic(fmt.Sprintf("BUG: concat %T", parts[0].Data))
	}
}

func join[T any](parts []*Vector) []T {
	n := 0
	for _, p := range parts {
		n += p.Len
	}
	out := make([]T, 0, n)
	for _, p := range parts {
		out = append(out, p.Data.([]T)[:p.Len]...)
	}
	return out
}

func (v *Vector) joinViews(parts []*Vector) {
	out := make([]View, 0, v.Len)
	for i, p := range parts {
		base := len(v.Bufs)
		if i > 0 && sameBufs(p.Bufs, parts[i-1].Bufs) {
			base -= len(p.Bufs)
		} else {
			v.Bufs = append(v.Bufs, p.Bufs...)
		}
		for _, x := range p.Data.([]View)[:p.Len] {
			out = append(out, x.Rebase(base))
		}
	}
	v.Data = out
	if parts[0].Meta == nil {
		return
	}
	metas := make([]*Vector, len(parts))
	for i, p := range parts {
		metas[i] = p.Meta
	}
	v.Meta = joinMeta(metas, v.Len)
}

// joinMeta keeps a metadata that all parts share Constant, so that the joined variants stay cheap to read.
func joinMeta(metas []*Vector, n int) *Vector {
	for _, m := range metas {
		if m.Form != Constant || m.Len == 0 || m.IsNull(0) || string(m.Bytes(0)) != string(metas[0].Bytes(0)) {
			return Concat(metas[0].Type, metas...)
		}
	}
	return NewConstant(metas[0], n)
}

// sameBufs tells whether two vectors point into the same buffer list.
func sameBufs(a, b [][]byte) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

func (v *Vector) joinNested(parts []*Vector) {
	if v.Type.Phys() == types.PhysStruct {
		for c := range parts[0].Children {
			kids := make([]*Vector, len(parts))
			for i, p := range parts {
				kids[i] = p.Children[c]
			}
			v.Children = append(v.Children, Concat(kids[0].Type, kids...))
		}
		return
	}
	v.Offsets = make([]int32, 1, v.Len+1)
	kids := make([]*Vector, len(parts))
	for i, p := range parts {
		first, base := p.Offsets[0], v.Offsets[len(v.Offsets)-1]
		for _, o := range p.Offsets[1 : p.Len+1] {
			v.Offsets = append(v.Offsets, base+o-first)
		}
		kids[i] = p.Children[0].Slice(int(first), int(p.Offsets[p.Len]))
	}
	v.Children = []*Vector{Concat(kids[0].Type, kids...)}
}
