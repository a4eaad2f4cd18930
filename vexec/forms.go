package vexec

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// plain returns v without the Shredded form, which kernels below variant do not know.
func plain(v *vec.Vector) *vec.Vector {
	if v.Form == vec.Shredded {
		return variant.Flatten(v)
	}
	return v
}

// flat returns v in Flat form (Constant for the NULL type).
func flat(v *vec.Vector) *vec.Vector { return vec.Flatten(plain(v)) }

// detach returns v, which is Flat, with its own copy of the text that its rows refer to, so that a few rows do not keep the buffers
// of a whole page. Texts of dictionaries are better shared; see flatOwned.
func detach(v *vec.Vector) *vec.Vector {
	switch v.Type.Phys() {
	case types.PhysString:
		return detachText(v)
	case types.PhysVariant:
		out := detachText(v)
		if out.Meta.Form != vec.Constant {
			out.Meta = detachText(vec.Flatten(out.Meta))
		}
		return out
	case types.PhysStruct:
		out := *v
		out.Children = make([]*vec.Vector, len(v.Children))
		for i, c := range v.Children {
			out.Children[i] = detach(flat(c))
		}
		return &out
	case types.PhysList:
		out := *v
		from, to := v.Offsets[0], v.Offsets[v.Len]
		out.Offsets = make([]int32, v.Len+1)
		for i, o := range v.Offsets[:v.Len+1] {
			out.Offsets[i] = o - from
		}
		out.Children = []*vec.Vector{detach(flat(v.Children[0].Slice(int(from), int(to))))}
		return &out
	}
	return v
}

// detachText is detach for views.
func detachText(v *vec.Vector) *vec.Vector {
	out := *v
	out.Bufs = nil
	views := vec.Slice[vec.View](v)
	total := 0
	for i := range views {
		if !views[i].Inline() {
			total += views[i].Len()
		}
	}
	if total == 0 {
		return &out
	}
	moved := make([]vec.View, len(views))
	var buf []byte
	for i := range views {
		x := views[i]
		if x.Inline() {
			moved[i] = x
			continue
		}
		if cap(buf)-len(buf) < x.Len() {
			buf = make([]byte, 0, max(min(total, vec.MaxBufferBytes), x.Len()))
			out.Bufs = append(out.Bufs, nil)
		}
		total -= x.Len()
		off := len(buf)
		buf = append(buf, x.Bytes(v.Bufs)...)
		moved[i] = vec.MakeView(buf[off:], len(out.Bufs)-1, off)
		out.Bufs[len(out.Bufs)-1] = buf
	}
	out.Data = moved
	return &out
}

// flatOwned returns v in a form fit to be kept long: Flat, its text copied unless it comes from a dictionary. dict is the shared
// dictionary in that case.
func flatOwned(v *vec.Vector) (own, dict *vec.Vector) {
	v = plain(v)
	if v.Form == vec.Dictionary {
		return vec.Flatten(v), v.Dict
	}
	return detach(vec.Flatten(v)), nil
}
