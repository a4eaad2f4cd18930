package variant

import (
	"encoding/json"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// castArray casts a flat variant vector to ARRAY: arrays element by element, texts that are a JSON array of plain values likewise, other
// values to NULL.
func castArray(v *vec.Vector, to types.Type) *vec.Vector {
	views := vec.Slice[vec.View](v)
	valid := vec.NewBitmap(v.Len)
	offsets := make([]int32, 1, v.Len+1)
	elems := elemList{src: v, w: viewWriter{bufs: v.Bufs}}
	for i := range views {
		if v.Valid.Get(i) && elems.add(i, &views[i]) {
			valid.Set(i)
		}
		offsets = append(offsets, int32(len(elems.views)))
	}
	child := elems.vector()
	return &vec.Vector{Type: to, Len: v.Len, Offsets: offsets, Children: []*vec.Vector{castTo(child, *to.Elem)}, Valid: denseValid(valid, v.Len)}
}

// elemList collects the elements of arrays as variants that share the memory of src.
type elemList struct {
	src   *vec.Vector
	views []vec.View
	rows  []int32
	w     viewWriter // elements that were read from texts
}

// add appends the elements of one row; false if it is no array.
func (e *elemList) add(row int, view *vec.View) bool {
	value := view.Bytes(e.src.Bufs)
	c, ok := openContainer(value)
	if !ok {
		var s scalar
		return s.decode(value) && s.kind == String && e.addText(row, s.b)
	}
	if c.object {
		return false
	}
	base := len(value) - len(c.values)
	for i := range c.n {
		v, ok := c.value(i)
		if !ok {
			v = nullValue
		}
		buf, off := 0, 0
		if !view.Inline() {
			buf, off = view.Buffer(), view.Offset()+base+c.offset(i)
		}
		e.views = append(e.views, vec.MakeView(v, buf, off))
		e.rows = append(e.rows, int32(row))
	}
	return true
}

// addText appends the elements of a text such as [1, "a", null]; false, with nothing appended, if it is no such text.
func (e *elemList) addText(row int, text []byte) bool {
	before := len(e.views)
	ok := scanArrayText(text, func(s *scalar) {
		e.w.buf = appendScalar(e.w.buf, s)
		e.views = append(e.views, e.w.view())
		e.rows = append(e.rows, int32(row))
	})
	if !ok {
		e.views, e.rows = e.views[:before], e.rows[:before]
	}
	return ok
}

// vector returns the elements.
func (e *elemList) vector() *vec.Vector {
	meta := e.src.Meta
	if meta.Form == vec.Constant && meta.Len > 0 {
		meta = metaVector(meta.Bytes(0), len(e.views))
	} else {
		meta = vec.GatherRows(vec.Flatten(meta), e.rows)
	}
	if e.views == nil {
		e.views = []vec.View{}
	}
	return &vec.Vector{Type: types.Of(types.Variant), Len: len(e.views), Data: e.views, Bufs: e.w.finish(), Meta: meta}
}

// castStruct casts variants to STRUCT: objects member by member, other values to NULL.
func castStruct(v *vec.Vector, to types.Type) *vec.Vector {
	out := &vec.Vector{Type: to, Len: v.Len}
	for _, f := range to.Fields {
		out.Children = append(out.Children, vec.Flatten(castTo(PathVector(v, []Step{{Key: f.Name}}), f.Type)))
	}
	valid := vec.NewBitmap(v.Len)
	if flat := residue(v); flat != nil {
		for i := range v.Len {
			if !flat.IsNull(i) && KindOf(flat.Bytes(i)) == Object {
				valid.Set(i)
			}
		}
	}
	out.Valid = denseValid(valid, v.Len)
	return out
}

// scanArrayText reads a JSON array of scalars and calls f for each; false for any other text (f may have been called before).
func scanArrayText(text []byte, f func(*scalar)) bool {
	p := arrayText{rest: text}
	if !p.skip('[') {
		return false
	}
	for first := true; ; first = false {
		if p.skip(']') {
			p.space()
			return len(p.rest) == 0
		}
		if !first && !p.skip(',') {
			return false
		}
		var s scalar
		p.space()
		if !p.scalar(&s) {
			return false
		}
		f(&s)
	}
}

// arrayText is the unread part of a text.
type arrayText struct{ rest []byte }

func (p *arrayText) space() {
	for len(p.rest) > 0 && (p.rest[0] == ' ' || p.rest[0] == '\t' || p.rest[0] == '\n' || p.rest[0] == '\r') {
		p.rest = p.rest[1:]
	}
}

func (p *arrayText) skip(c byte) bool {
	p.space()
	if len(p.rest) > 0 && p.rest[0] == c {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

func (p *arrayText) scalar(s *scalar) bool {
	if len(p.rest) > 0 && p.rest[0] == '"' {
		text, size, ok := unquote(p.rest)
		s.kind, s.b, p.rest = String, text, p.rest[size:]
		return ok
	}
	end := 0
	for end < len(p.rest) && p.rest[end] != ',' && p.rest[end] != ']' && p.rest[end] > ' ' {
		end++
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	switch string(word) {
	case "null":
		s.kind = Null
	case "true", "false":
		s.kind, s.i = Boolean, int64(boolInt(word[0] == 't'))
	default:
		if _, ok := parseNumber(word); !ok {
			return false
		}
		s.setNumber(word)
	}
	return true
}

// unquote decodes the JSON string at the start of s and tells how many bytes it has there.
func unquote(s []byte) (text []byte, size int, ok bool) {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			var text string
			ok := json.Unmarshal(s[:i+1], &text) == nil
			return []byte(text), i + 1, ok
		case s[i] == '\\':
			i++
		}
	}
	return nil, len(s), false
}
