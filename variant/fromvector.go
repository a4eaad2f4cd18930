package variant

import (
	"bytes"
	"strconv"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// FromVector converts a vector of any SQL type to VARIANT: scalars to the value of their kind, ARRAY to an array, STRUCT and MAP to an
// object (keys of a MAP as text, the last of equal ones), INTERVAL to text. VARIANT and JSON stay as they are.
func FromVector(v *vec.Vector) *vec.Vector {
	variant := types.Of(types.Variant)
	switch {
	case v.Type.IsVariant():
		return v.Retype(types.Type{Kind: types.Variant, Variant: v.Type.Variant})
	case v.Type.Kind == types.Null:
		return vec.NewNull(variant, v.Len)
	case v.Form == vec.Constant:
		return onConstant(v, FromVector)
	case v.Form == vec.Dictionary:
		out := *vec.Flatten(&vec.Vector{Type: variant, Form: vec.Dictionary, Len: v.Len, Codes: v.Codes, Dict: FromVector(v.Dict)})
		out.Valid = v.Valid
		return &out
	}
	b := NewBatchBuilder(v.Len)
	nested := v.Type.Phys() == types.PhysList || v.Type.Phys() == types.PhysStruct || v.Type.Kind == types.Interval
	for i := range v.Len {
		if !nested || v.IsNull(i) {
			b.AppendScalar(v, i)
			continue
		}
		b.BeginRow()
		b.nested(v, i)
		b.EndRow()
	}
	return b.Finish()
}

// nested writes row i of a vector of any type as one value; NULL becomes JSON null.
func (b *BatchBuilder) nested(v *vec.Vector, i int) {
	if v.IsNull(i) {
		b.Null()
		return
	}
	switch v.Type.Kind {
	case types.Array:
		child, from, to := v.ListAt(i)
		b.BeginArray()
		for e := from; e < to; e++ {
			b.nested(child, e)
		}
		b.EndArray()
	case types.Struct:
		h, j := v.At(i)
		b.BeginObject()
		for f, field := range v.Type.Fields {
			b.Key([]byte(field.Name))
			b.nested(h.Children[f], j)
		}
		b.EndObject()
	case types.Map:
		entries, from, to := v.ListAt(i)
		b.BeginObject()
		for e := from; e < to; e++ {
			b.Key(keyText(entries.Children[0], e))
			b.nested(entries.Children[1], e)
		}
		b.EndObject()
	case types.Interval:
		h, j := v.At(i)
		b.String(appendInterval(nil, vec.Slice[types.IntervalValue](h)[j]))
	case types.Variant, types.JSON:
		if v.Form == vec.Shredded {
			v = Flatten(v)
		}
		meta, value := v.VariantAt(i)
		b.lastTranslated.write(&b.encoder, meta, value)
	default:
		var s scalar
		s.load(v, i)
		b.scalar(&s)
	}
}

// keyText returns the text of a key of a MAP.
func keyText(keys *vec.Vector, i int) []byte {
	if keys.IsNull(i) {
		return []byte("null")
	}
	switch keys.Type.Phys() {
	case types.PhysList, types.PhysStruct, types.PhysVariant, types.PhysInterval:
		one := FromVector(keys.Slice(i, i+1))
		meta, value := Flatten(one).VariantAt(0)
		return AppendText(nil, meta, value)
	}
	var s scalar
	s.load(keys, i)
	return s.appendText(nil)
}

// appendInterval appends an interval as an ISO 8601 duration of months, days and seconds, each part with its own sign.
func appendInterval(dst []byte, v types.IntervalValue) []byte {
	dst = append(dst, 'P')
	if v.Months != 0 {
		dst = append(strconv.AppendInt(dst, int64(v.Months), 10), 'M')
	}
	if v.Days != 0 {
		dst = append(strconv.AppendInt(dst, int64(v.Days), 10), 'D')
	}
	if v.Micros == 0 && len(dst) > 1 {
		return dst
	}
	var s scalar
	s.setDecimal(types.Int256From(types.Int128From(v.Micros)), 18, 6)
	seconds := bytes.TrimRight(s.appendDecimal(nil), "0")
	return append(append(append(dst, 'T'), bytes.TrimSuffix(seconds, []byte{'.'})...), 'S')
}
