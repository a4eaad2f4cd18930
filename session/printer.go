package session

import (
	"time"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Form says in which form the values of a result come. The zero value is the form for people: VARIANT, JSON and INTERVAL values are
// text, also inside nested types; everything else has the type of Result.Schema.
type Form struct {
	// JSON quotes strings in all VARIANT columns, so that every value is JSON text; otherwise strings that are not the value of a
	// table's column come raw.
	JSON bool
	// Variants keeps VARIANT values, in the form of variant.Export (JSON becomes text all the same); Intervals keeps INTERVAL values.
	Variants, Intervals bool
	// NestedText turns ARRAY, MAP and STRUCT columns into JSON text.
	NestedText bool
}

// printer gives result columns their Form.
type printer struct {
	fn     *function.Ctx
	schema types.Schema
	whole  []bool
	form   Form
}

func newPrinter(fn *function.Ctx, schema types.Schema, whole []bool, form Form) *printer {
	return &printer{fn, schema, whole, form}
}

func (p *printer) print(b *vec.Batch) (*vec.Batch, error) {
	out := &vec.Batch{Cols: make([]*vec.Vector, len(b.Cols)), Len: b.Len}
	for i, c := range b.Cols {
		v, err := p.column(c, p.form.JSON || p.whole != nil && p.whole[i])
		if err != nil {
			return nil, err
		}
		out.Cols[i] = v
	}
	return out, nil
}

// column gives one column its form. Variants that become text are JSON if whole is set or the type is JSON; else strings come raw.
func (p *printer) column(v *vec.Vector, whole bool) (*vec.Vector, error) {
	nested := v.Type.Phys() == types.PhysList || v.Type.Phys() == types.PhysStruct
	switch {
	case v.Type.Kind == types.Variant && p.form.Variants:
		return variant.Export(v), nil
	case v.Type.IsVariant():
		return variantText(v, whole || v.Type.Kind == types.JSON), nil
	case v.Type.Kind == types.Interval && !p.form.Intervals:
		return function.Cast(p.fn, v, types.Of(types.Varchar), true)
	case nested && p.form.NestedText:
		return variantText(variant.FromVector(v), true), nil
	case nested:
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
	if !p.holdsText(v.Type) {
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
	flat.Type = p.printedType(v.Type)
	return &flat, nil
}

// becomesText tells whether values of a type that is not nested become text.
func (p *printer) becomesText(t types.Type) bool {
	switch t.Kind {
	case types.Variant:
		return !p.form.Variants
	case types.Interval:
		return !p.form.Intervals
	}
	return t.Kind == types.JSON
}

// holdsText tells whether a type becomes text or has parts that do.
func (p *printer) holdsText(t types.Type) bool {
	if p.becomesText(t) || t.Elem != nil && p.holdsText(*t.Elem) {
		return true
	}
	for _, f := range t.Fields {
		if p.holdsText(f.Type) {
			return true
		}
	}
	return false
}

// printedType is the type of printed values: what becomes text is VARCHAR, also inside nested types.
func (p *printer) printedType(t types.Type) types.Type {
	switch {
	case p.becomesText(t):
		return types.Of(types.Varchar)
	case t.Elem != nil:
		e := p.printedType(*t.Elem)
		t.Elem = &e
	case len(t.Fields) > 0:
		fields := append([]types.Field{}, t.Fields...)
		for i := range fields {
			fields[i].Type = p.printedType(fields[i].Type)
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
