package vec

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/types"
)

// index is any integer that numbers rows.
type index interface {
	~uint16 | ~int32 | ~uint32 | ~int
}

// GatherSel returns the rows of sel.
func GatherSel(v *Vector, sel Sel) *Vector { return gather(v, []uint16(sel)) }

// GatherRows returns the rows whose numbers are in rows; a number below zero gives NULL.
func GatherRows(v *Vector, rows []int32) *Vector {
	neg := false
	for _, r := range rows {
		neg = neg || r < 0
	}
	if !neg {
		return gather(v, rows)
	}
	if v.Form == Shredded {
		out := *v
		out.Len, out.Typed = len(rows), GatherRows(v.Typed, rows)
		if v.Rest != nil {
			out.Rest = GatherRows(v.Rest, rows)
		}
		return &out
	}
	safe := make([]int32, len(rows))
	valid := NewBitmap(len(rows))
	for i, r := range rows {
		if r >= 0 {
			safe[i] = r
			if !v.IsNull(int(r)) {
				valid.Set(i)
			}
		}
	}
	if v.Len == 0 {
		return NewNull(v.Type, len(rows))
	}
	if v.Form == Constant {
		v = Flatten(NewConstant(v, v.Len))
	}
	out := *gather(v, safe)
	out.Valid = valid
	return &out
}

func gather[I index](v *Vector, rows []I) *Vector {
	out := &Vector{Type: v.Type, Form: v.Form, Len: len(rows), Bufs: v.Bufs}
	switch v.Form {
	case Constant:
		c := *v
		c.Len = len(rows)
		if c.Meta != nil {
			c.Meta = NewConstant(c.Meta, len(rows))
		}
		return &c
	case Dictionary:
		out.Dict = v.Dict
		out.Codes = take(v.Codes, rows)
		out.Valid = gatherBits(v.Valid, rows)
		return out
	case Shredded:
		out.Typed = gather(v.Typed, rows)
		if v.Rest != nil {
			out.Rest = gather(v.Rest, rows)
		}
		return out
	}
	out.Valid = gatherBits(v.Valid, rows)
	if v.Meta != nil {
		out.Meta = gather(v.Meta, rows)
	}
	switch d := v.Data.(type) {
	case nil:
		gatherNested(out, v, rows)
	case []bool:
		out.Data = take(d, rows)
	case []int8:
		out.Data = take(d, rows)
	case []int16:
		out.Data = take(d, rows)
	case []int32:
		out.Data = take(d, rows)
	case []int64:
		out.Data = take(d, rows)
	case []types.Int128:
		out.Data = take(d, rows)
	case []types.Int256:
		out.Data = take(d, rows)
	case []uint32:
		out.Data = take(d, rows)
	case []types.Uint128:
		out.Data = take(d, rows)
	case []float32:
		out.Data = take(d, rows)
	case []float64:
		out.Data = take(d, rows)
	case []View:
		out.Data = take(d, rows)
	case []types.IntervalValue:
		out.Data = take(d, rows)
	default:
		panic(fmt.Sprintf("BUG: gather %T", d))
	}
	return out
}

func take[T any, I index](src []T, rows []I) []T {
	dst := make([]T, len(rows))
	for i, r := range rows {
		dst[i] = src[r]
	}
	return dst
}

func gatherBits[I index](b Bitmap, rows []I) Bitmap {
	if b == nil {
		return nil
	}
	out := NewBitmap(len(rows))
	set := 0
	for i, r := range rows {
		if b.Get(int(r)) {
			out.Set(i)
			set++
		}
	}
	if set == len(rows) {
		return nil
	}
	return out
}

func gatherNested[I index](out, v *Vector, rows []I) {
	switch v.Type.Phys() {
	case types.PhysNone:
		out.Form = Constant
	case types.PhysStruct:
		out.Children = make([]*Vector, len(v.Children))
		for i, c := range v.Children {
			out.Children[i] = gather(c, rows)
		}
	case types.PhysList:
		out.Offsets = make([]int32, 1, len(rows)+1)
		var inner []int32
		for _, r := range rows {
			for e := v.Offsets[r]; e < v.Offsets[int(r)+1]; e++ {
				inner = append(inner, e)
			}
			out.Offsets = append(out.Offsets, int32(len(inner)))
		}
		out.Children = []*Vector{gather(v.Children[0], inner)}
	default:
		panic(fmt.Sprintf("BUG: %s vector without data", v.Type))
	}
}

// Flatten returns v in Flat form. NULL-typed vectors stay Constant; Shredded ones are flattened by package variant, not here.
func Flatten(v *Vector) *Vector {
	switch {
	case v.Form == Shredded:
		panic("BUG: vec.Flatten of a shredded variant")
	case v.Form == Flat || v.Type.Kind == types.Null:
		return v
	case v.Form == Dictionary:
		out := *gather(v.Dict, v.Codes)
		out.Valid = v.Valid
		return &out
	}
	flat := *v
	flat.Form, flat.Len = Flat, 1
	if flat.Meta != nil {
		flat.Meta = &Vector{Type: v.Meta.Type, Form: Constant, Len: 1, Data: v.Meta.Data, Bufs: v.Meta.Bufs, Valid: v.Meta.Valid}
		if v.Meta.Form == Dictionary {
			flat.Meta = v.Meta.Slice(0, 1)
		}
	}
	return gather(&flat, make([]int32, v.Len))
}

// Slice returns rows [from, to) without copying values (list offsets and validity bits are copied).
func (v *Vector) Slice(from, to int) *Vector {
	if from == 0 && to == v.Len {
		return v
	}
	n := to - from
	out := *v
	out.Len = n
	if v.Form == Constant {
		if v.Meta != nil {
			out.Meta = NewConstant(v.Meta, n)
		}
		return &out
	}
	if v.Form == Shredded {
		out.Typed = v.Typed.Slice(from, to)
		if v.Rest != nil {
			out.Rest = v.Rest.Slice(from, to)
		}
		return &out
	}
	out.Valid = v.Valid.Range(from, n)
	if v.Form == Dictionary {
		out.Codes = v.Codes[from:to]
		return &out
	}
	if v.Meta != nil {
		out.Meta = v.Meta.Slice(from, to)
	}
	switch d := v.Data.(type) {
	case nil:
		if v.Type.Phys() == types.PhysList {
			out.Offsets = v.Offsets[from : to+1]
		} else {
			out.Children = make([]*Vector, len(v.Children))
			for i, c := range v.Children {
				out.Children[i] = c.Slice(from, to)
			}
		}
	case []bool:
		out.Data = d[from:to]
	case []int8:
		out.Data = d[from:to]
	case []int16:
		out.Data = d[from:to]
	case []int32:
		out.Data = d[from:to]
	case []int64:
		out.Data = d[from:to]
	case []types.Int128:
		out.Data = d[from:to]
	case []types.Int256:
		out.Data = d[from:to]
	case []uint32:
		out.Data = d[from:to]
	case []types.Uint128:
		out.Data = d[from:to]
	case []float32:
		out.Data = d[from:to]
	case []float64:
		out.Data = d[from:to]
	case []View:
		out.Data = d[from:to]
	case []types.IntervalValue:
		out.Data = d[from:to]
	default:
		panic(fmt.Sprintf("BUG: slice %T", d))
	}
	return &out
}
