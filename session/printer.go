package session

import (
	"time"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// printer gives result columns the form that clients see: variants and intervals become text.
type printer struct {
	fn     *function.Ctx
	schema types.Schema
	whole  []bool
}

func newPrinter(fn *function.Ctx, schema types.Schema, whole []bool) *printer {
	return &printer{fn, schema, whole}
}

func (p *printer) print(b *vec.Batch) (*vec.Batch, error) {
	out := &vec.Batch{Cols: make([]*vec.Vector, len(b.Cols)), Len: b.Len}
	for i, c := range b.Cols {
		v, err := p.column(c, p.whole != nil && p.whole[i])
		if err != nil {
			return nil, err
		}
		out.Cols[i] = v
	}
	return out, nil
}

// column prints a variant column as text: a whole VARIANT or JSON column as JSON, everything else with strings raw.
func (p *printer) column(v *vec.Vector, whole bool) (*vec.Vector, error) {
	switch {
	case v.Type.IsVariant():
		return variantText(v, whole || v.Type.Kind == types.JSON), nil
	case v.Type.Kind == types.Interval:
		return function.Cast(p.fn, v, types.Of(types.Varchar), true)
	case v.Type.Phys() == types.PhysList || v.Type.Phys() == types.PhysStruct:
		return p.nested(v)
	}
	return v, nil
}

func variantText(v *vec.Vector, json bool) *vec.Vector {
	v = variant.Flatten(v)
	b := vec.NewBuilder(types.Of(types.Varchar), v.Len)
	var buf []byte
	for i := range v.Len {
		if v.IsNull(i) {
			b.AppendNull()
			continue
		}
		meta, value := v.VariantAt(i)
		if json {
			buf = variant.AppendJSON(buf[:0], meta, value)
		} else {
			buf = variant.AppendText(buf[:0], meta, value)
		}
		b.AppendBytes(buf)
	}
	return b.Finish()
}

// nested prints the variants and intervals inside arrays, maps and structs.
func (p *printer) nested(v *vec.Vector) (*vec.Vector, error) {
	if !holdsText(v.Type) {
		return v, nil
	}
	flat := *vec.Flatten(v)
	children := make([]*vec.Vector, len(flat.Children))
	for i, c := range flat.Children {
		d, err := p.column(c, true)
		if err != nil {
			return nil, err
		}
		children[i] = d
	}
	flat.Children = children
	flat.Type = WireType(v.Type)
	return &flat, nil
}

// holdsText tells whether a nested type has parts that travel as text.
func holdsText(t types.Type) bool {
	if t.IsVariant() || t.Kind == types.Interval {
		return true
	}
	if t.Elem != nil && holdsText(*t.Elem) {
		return true
	}
	for _, f := range t.Fields {
		if holdsText(f.Type) {
			return true
		}
	}
	return false
}

// WireType is the type of printed values: VARIANT, JSON and INTERVAL become VARCHAR, also inside nested types.
func WireType(t types.Type) types.Type {
	switch {
	case t.IsVariant() || t.Kind == types.Interval:
		return types.Of(types.Varchar)
	case t.Elem != nil:
		e := WireType(*t.Elem)
		t.Elem = &e
	case len(t.Fields) > 0:
		fields := append([]types.Field{}, t.Fields...)
		for i := range fields {
			fields[i].Type = WireType(fields[i].Type)
		}
		t.Fields = fields
	}
	return t
}

// cellText prints one value as CAST to VARCHAR would.
func cellText(v *vec.Vector, i int) (string, error) {
	t, err := function.Cast(&function.Ctx{}, v.Slice(i, i+1), types.Of(types.Varchar), false)
	if err != nil {
		return "", err
	}
	return string(t.Bytes(0)), nil
}

// Texts prints the values of a result column as CAST to VARCHAR would.
func Texts(v *vec.Vector) (*vec.Vector, error) {
	if v.Type.Kind == types.Varchar {
		return v, nil
	}
	return function.Cast(&function.Ctx{Zone: time.UTC}, v, types.Of(types.Varchar), false)
}
