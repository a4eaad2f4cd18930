package variant

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// isPrivate tells whether a value is of a private type.
func isPrivate(v []byte) bool { return len(v) > 0 && v[0]&3 == basicPrimitive && v[0]>>2 >= privNumber }

// hasPrivate tells whether a value is or contains one of a private type.
func hasPrivate(v []byte, depth int) bool {
	c, ok := openContainer(v)
	if !ok || depth == 0 {
		return isPrivate(v)
	}
	for i := range c.n {
		if e, ok := c.value(i); ok && hasPrivate(e, depth-1) {
			return true
		}
	}
	return false
}

// substitute writes a value to e, whose dictionary it refers to, with public values in place of private ones, and calls exact for each
// with its steps below path.
func substitute(e *encoder, v []byte, path []Step, exact func(path []Step, s *scalar)) {
	c, ok := openContainer(v)
	switch {
	case !ok && !isPrivate(v):
		writeLeaf(e, v)
	case !ok:
		var s scalar
		if !s.decode(v) {
			e.Null()
			return
		}
		exact(path, &s)
		writePublic(e, &s)
	case c.object:
		e.BeginObject()
		for i := range c.n {
			name := e.dict.names[c.id(i)]
			m, _ := c.value(i)
			e.Key([]byte(name))
			substitute(e, m, append(path, Step{Key: name}), exact)
		}
		e.EndObject()
	default:
		e.BeginArray()
		for i := range c.n {
			m, _ := c.value(i)
			substitute(e, m, append(path, Step{Index: i, IsIndex: true}), exact)
		}
		e.EndArray()
	}
}

// scalar returns the value; false if the text is none of the kind.
func (x *ExactValue) scalar() (s scalar, ok bool) {
	s.kind = x.Kind
	switch x.Kind {
	case Number:
		s.b = x.Text
		_, ok = parseNumber(x.Text)
	case LargeInt:
		var w types.Int128
		w, ok = types.ParseInt128(x.Text)
		s.w = types.Int256From(w)
	case Decimal:
		scale := 0
		if i := bytes.IndexByte(x.Text, '.'); i >= 0 {
			scale = len(x.Text) - i - 1
		}
		var w types.Int256
		if scale <= types.MaxDecimalPrecision {
			w, _, ok = types.ParseDecimal(x.Text, scale)
			s.setDecimal(w, types.MaxDecimalPrecision, uint8(scale))
		}
	case IPv4:
		var a uint32
		a, ok = types.ParseIPv4(x.Text)
		s.i = int64(a)
	case IPv6:
		s.u, ok = types.ParseIPv6(x.Text)
	}
	return s, ok
}

// below tells whether the value lies at or below a path.
func (x *ExactValue) below(path []Step) bool {
	if len(x.Path) < len(path) {
		return false
	}
	for i := range path {
		if x.Path[i] != path[i] {
			return false
		}
	}
	return true
}

// patchExact puts the exact values of t at or below path into a flat vector of the values at path, which refer to t's dictionary.
func patchExact(v *vec.Vector, t *Tree, path []Step) {
	var e *encoder
	var views []vec.View
	for i := 0; i < len(t.Exact); {
		row := t.Exact[i].Row
		var patches []ExactValue
		for ; i < len(t.Exact) && t.Exact[i].Row == row; i++ {
			if x := t.Exact[i]; x.below(path) {
				x.Path = x.Path[len(path):]
				patches = append(patches, x)
			}
		}
		if len(patches) == 0 || int(row) >= v.Len || v.IsNull(int(row)) {
			continue
		}
		if e == nil {
			e = &encoder{}
			for _, n := range t.Names {
				e.dict.add(string(n))
			}
			views = append([]vec.View(nil), vec.Slice[vec.View](v)...)
		}
		from := len(e.buf)
		writePatched(e, v.Bytes(int(row)), patches)
		views[row] = vec.MakeView(e.buf[from:], len(v.Bufs), from)
	}
	if e != nil {
		v.Data, v.Bufs = views, append(v.Bufs[:len(v.Bufs):len(v.Bufs)], e.buf)
	}
}

// writePatched writes a value with the patches in their places.
func writePatched(e *encoder, v []byte, patches []ExactValue) {
	if len(patches) == 1 && len(patches[0].Path) == 0 {
		if s, ok := patches[0].scalar(); ok {
			e.scalar(&s)
			return
		}
	}
	c, ok := openContainer(v)
	if !ok || len(patches) == 0 {
		(&translation{m: e.metadata()}).writeOpened(e, v, MaxDepth)
		return
	}
	if c.object {
		e.BeginObject()
	} else {
		e.BeginArray()
	}
	for i := range c.n {
		step := Step{Index: i, IsIndex: true}
		if c.object {
			if c.id(i) >= len(e.dict.names) {
				continue
			}
			step = Step{Key: e.dict.names[c.id(i)]}
			e.Key([]byte(step.Key))
		}
		var inner []ExactValue
		for _, x := range patches {
			if len(x.Path) > 0 && x.Path[0] == step {
				x.Path = x.Path[1:]
				inner = append(inner, x)
			}
		}
		m, ok := c.value(i)
		if !ok {
			m = nullValue
		}
		writePatched(e, m, inner)
	}
	if c.object {
		e.EndObject()
	} else {
		e.EndArray()
	}
}

// metadata returns the dictionary so far, taken apart.
func (e *encoder) metadata() metadata {
	m, _ := openMetadata(e.dict.encoded())
	return m
}

// AppendExact appends the exact values of one row as JSON text, the form of the column that stands beside the variant: a list of
// [kind, text, step, ...], steps being names or array indexes.
func AppendExact(dst []byte, exact []ExactValue) []byte {
	dst = append(dst, '[')
	for i, x := range exact {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendQuoted(append(dst, '['), []byte(x.Kind.String()))
		dst = AppendQuoted(append(dst, ','), x.Text)
		for _, p := range x.Path {
			dst = append(dst, ',')
			if p.IsIndex {
				dst = strconv.AppendInt(dst, int64(p.Index), 10)
			} else {
				dst = AppendQuoted(dst, []byte(p.Key))
			}
		}
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

// ParseExact reads what AppendExact wrote for a row; false for other text.
func ParseExact(text []byte, row uint32) ([]ExactValue, bool) {
	var lists [][]any
	if json.Unmarshal(text, &lists) != nil {
		return nil, false
	}
	out := make([]ExactValue, 0, len(lists))
	for _, l := range lists {
		x := ExactValue{Row: row}
		if len(l) < 2 {
			return nil, false
		}
		kind, _ := l[0].(string)
		value, ok := l[1].(string)
		for k, name := range kindNames {
			if name == kind {
				x.Kind = Kind(k)
			}
		}
		x.Text = []byte(value)
		for _, p := range l[2:] {
			switch p := p.(type) {
			case string:
				x.Path = append(x.Path, Step{Key: p})
			case float64:
				x.Path = append(x.Path, Step{Index: int(p), IsIndex: true})
			default:
				return nil, false
			}
		}
		if _, good := x.scalar(); !ok || !good {
			return nil, false
		}
		out = append(out, x)
	}
	return out, true
}
