package variant

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Template is a compiled schema template: it gives paths their declared types. A nil *Template declares nothing.
type Template struct {
	entries []compiledEntry
}

type compiledEntry struct {
	exact string
	glob  *glob // nil for an exact name
	t     types.Type
}

// NewTemplate compiles the template of a VARIANT type; nil if it has none. spec may be nil.
func NewTemplate(spec *types.VariantSpec) *Template {
	if spec == nil || len(spec.Template) == 0 {
		return nil
	}
	t := &Template{}
	for _, e := range spec.Template {
		c := compiledEntry{exact: e.Pattern, t: e.Type}
		if !e.Exact {
			g := compileGlob(e.Pattern)
			c.glob = &g
		}
		t.entries = append(t.entries, c)
	}
	return t
}

// Match returns the type that the first entry matching a path declares. Patterns speak of the names joined with dots.
func (t *Template) Match(path []string) (types.Type, bool) {
	if t == nil {
		return types.Type{}, false
	}
	joined := JoinPath(path)
	for i := range t.entries {
		e := &t.entries[i]
		if e.glob == nil && e.exact == joined || e.glob != nil && e.glob.match(joined) {
			return e.t, true
		}
	}
	return types.Type{}, false
}

// Apply converts the values of a variant vector as a write to a column with the template does: values that cannot be converted are
// removed with their name, elements that cannot be become null, JSON null and objects stay. It returns how many values it removed or
// nulled. The type of the result is that of v.
func (t *Template) Apply(v *vec.Vector) (*vec.Vector, int) {
	if t == nil {
		return v, 0
	}
	v = Flatten(v)
	b := NewBatchBuilder(v.Len)
	b.t = v.Type
	a := templateWalk{t: t, e: &b.encoder}
	for i := range v.Len {
		if v.IsNull(i) {
			b.AppendNull()
			continue
		}
		meta, value := v.VariantAt(i)
		a.m, _ = openMetadata(meta)
		a.budget = len(value)
		b.BeginRow()
		if !a.write(&a.root, value, MaxDepth, nil) {
			b.Null()
		}
		b.EndRow()
	}
	return b.Finish(), a.removed
}

// templateNode is a path with its declared type, so that patterns are matched once for each path.
type templateNode struct {
	children map[string]*templateNode
	declared bool
	t        types.Type
}

func (n *templateNode) declare(t *Template, path []string) { n.t, n.declared = t.Match(path) }

// templateWalk rewrites values under a template.
type templateWalk struct {
	t       *Template
	e       *encoder
	m       metadata
	root    templateNode
	path    []string
	removed int
	budget  int
}

// write writes the value at node n with its key, if key is not nil; false if it is removed.
func (a *templateWalk) write(n *templateNode, v []byte, depth int, key []byte) bool {
	c, nested, ok := enter(v, depth, &a.budget)
	if !ok {
		return false
	}
	if nested && c.object {
		a.key(key)
		a.e.BeginObject()
		for i := range c.n {
			name, _ := a.m.name(c.id(i))
			member, ok := c.value(i)
			if !ok {
				continue
			}
			a.path = append(a.path, string(name))
			a.write(a.child(n, name), member, depth-1, name)
			a.path = a.path[:len(a.path)-1]
		}
		a.e.EndObject()
		return true
	}
	if !n.declared || IsNull(v) {
		a.key(key)
		(&translation{m: a.m}).writeOpened(a.e, v, depth)
		return true
	}
	conv := converter{t: n.t}
	if nested && n.t.Kind == types.Array {
		a.key(key)
		a.removed += conv.writeArray(a.e, &c)
		return true
	}
	var s scalar
	if nested && n.t.Kind == types.Varchar {
		s.kind, s.b = String, a.text(v)
	} else if nested || !s.decode(v) || !conv.convert(&s) {
		a.removed++
		return false
	}
	a.key(key)
	a.e.scalar(&s)
	return true
}

func (a *templateWalk) text(v []byte) []byte {
	budget := len(v)
	return appendJSON(nil, &a.m, v, MaxDepth, &budget)
}

func (a *templateWalk) key(key []byte) {
	if key != nil {
		a.e.Key(key)
	}
}

func (a *templateWalk) child(n *templateNode, name []byte) *templateNode {
	if c, ok := n.children[string(name)]; ok {
		return c
	}
	if n.children == nil {
		n.children = map[string]*templateNode{}
	}
	c := &templateNode{}
	c.declare(a.t, a.path)
	n.children[string(name)] = c
	return c
}

// converter converts scalars to a declared type.
type converter struct {
	t   types.Type
	buf []byte // texts made by convert; they live until the next call
}

// convert makes s a value of the declared type; false if it cannot be.
func (c *converter) convert(s *scalar) (ok bool) {
	switch c.t.Kind {
	case types.Boolean:
		if ok = s.kind == Boolean || s.kind == String || s.isNumber() && (s.nearest() == 0 || s.nearest() == 1); ok {
			var b bool
			b, ok = s.toBool()
			s.kind, s.i = Boolean, int64(boolInt(b))
		}
	case types.TinyInt:
		ok = c.integer(s, 8)
	case types.SmallInt:
		ok = c.integer(s, 16)
	case types.Int:
		ok = c.integer(s, 32)
	case types.BigInt:
		ok = c.integer(s, 64)
	case types.LargeInt:
		var w types.Int128
		if w, ok = s.toLargeInt(); ok {
			s.setLargeInt(w)
		}
	case types.Float:
		var f float32
		f, ok = s.toFloat()
		s.kind, s.f = Float, float64(f)
	case types.Double:
		s.f, ok = s.toDouble()
		s.kind = Double
	case types.Decimal:
		var w types.Int256
		if w, ok = s.toDecimal(int(c.t.Precision), int(c.t.Scale)); ok {
			s.setDecimal(w, c.t.Precision, c.t.Scale)
		}
	case types.Varchar:
		if s.kind != String {
			c.buf = s.appendText(c.buf[:0])
			s.kind, s.b = String, c.buf
		}
		ok = true
	default:
		ok = c.convertOther(s)
	}
	return ok
}

// convertOther is convert for temporal types, addresses and the like.
func (c *converter) convertOther(s *scalar) (ok bool) {
	switch c.t.Kind {
	case types.Date:
		var days int32
		days, ok = s.toDate()
		s.kind, s.i = Date, int64(days)
	case types.DateTime, types.TimestampTZ, types.Time:
		kind, conv := DateTime, (*scalar).toTimestamp
		switch c.t.Kind {
		case types.TimestampTZ:
			kind = TimestampTZ
		case types.Time:
			kind, conv = Time, (*scalar).toTime
		}
		s.i, ok = conv(s)
		s.kind, s.i, s.nanos = kind, cutFraction(s.i, c.t.Precision), 0
	case types.IPv4:
		var a uint32
		a, ok = s.toIPv4()
		s.kind, s.i = IPv4, int64(a)
	case types.IPv6:
		s.u, ok = s.toIPv6()
		s.kind = IPv6
	case types.UUID:
		s.u, ok = s.toUUID()
		s.kind = UUID
	case types.Binary:
		ok = s.kind == Binary || s.kind == String
		s.kind = Binary
	}
	return ok
}

func (c *converter) integer(s *scalar, bits int) bool {
	i, ok := s.toInt64()
	s.kind, s.i = BigInt, i
	return ok && i == i<<(64-bits)>>(64-bits)
}

// writeArray writes an array with its elements converted to the element type of a declared ARRAY and returns how many became null.
func (c *converter) writeArray(e *encoder, arr *container) (nulled int) {
	elem := converter{t: *c.t.Elem}
	e.BeginArray()
	for i := range arr.n {
		v, _ := arr.value(i)
		nulled += elem.writeElement(e, v)
	}
	e.EndArray()
	return nulled
}

// writeElement writes one element, converted, and returns 1 if it had to become null.
func (c *converter) writeElement(e *encoder, v []byte) int {
	var s scalar
	switch {
	case IsNull(v):
		e.Null()
		return 0
	case isContainer(v) || !s.decode(v) || !c.convert(&s):
		e.Null()
		return 1
	}
	e.scalar(&s)
	return 0
}
