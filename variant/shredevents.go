package variant

import "github.com/ebira-db/ebira/sql/types"

// BeginObject opens an object.
func (s *Shredder) BeginObject() {
	n := s.slot
	if s.mode != modeNodes || n == nil || n.depth >= maxShredDepth || n.space == n && n.conv != nil {
		s.beginWhole(true)
		return
	}
	s.touch(n)
	n.objects = push(n.objects, s.at)
	s.stack = append(s.stack, openNode{n, s.at})
	s.prev = nil
	s.expect(n, n.first)
}

// Key names the next member.
func (s *Shredder) Key(k []byte) {
	if s.mode != modeNodes {
		if s.mode == modeRaw {
			s.enc.Key(k)
		}
		return
	}
	c := s.predict
	if c == nil || c.key != string(k) {
		if c = s.child(k); c == nil {
			s.slot, s.predict, s.extraID = nil, nil, s.enc.dict.id(k)
			return
		}
	}
	s.slot, s.prev = c, c
	s.expect(c.parent, c.after)
}

// EndObject closes the object.
func (s *Shredder) EndObject() {
	if s.mode != modeNodes {
		if s.mode == modeRaw {
			s.enc.EndObject()
		}
		s.endWhole()
		return
	}
	top := len(s.stack) - 1
	n := s.stack[top].n
	s.stack = s.stack[:top]
	s.afterContainer(n)
}

// afterContainer prepares for what follows an object or array.
func (s *Shredder) afterContainer(n *pathNode) {
	if n.space == n {
		s.slot = n
		return
	}
	s.prev = n
	if n.parent != nil {
		s.expect(n.parent, n.after)
	}
}

// BeginArray opens an array.
func (s *Shredder) BeginArray() {
	if n := s.slot; s.mode == modeNodes && n != nil && s.keepsList(n) {
		s.beginList(n)
		return
	}
	s.beginWhole(false)
}

// EndArray closes the array.
func (s *Shredder) EndArray() {
	if s.mode == modeNodes {
		s.endList()
		return
	}
	if s.mode == modeRaw {
		s.enc.EndArray()
	}
	s.endWhole()
}

// beginWhole opens a container whose events go to the encoder, or nowhere, up to its end.
func (s *Shredder) beginWhole(object bool) {
	switch {
	case s.mode == modeSkip:
		s.depth++
		return
	case s.mode == modeRaw && s.elem != nil:
		// No container is a value of the element type. Its events are skipped up to the end that endWhole sees at depth 1.
		s.removed++
		s.enc.Null()
		s.mode = modeSkip
		s.depth++
		return
	case s.mode == modeNodes:
		s.enc.private = false
		if n := s.slot; n != nil && n.conv != nil && n.space == n {
			s.removed++
			s.Null()
			s.mode, s.depth = modeSkip, 1
			return
		}
		if n := s.slot; n != nil && n.conv != nil && !object {
			switch n.conv.t.Kind {
			case types.Array:
				s.elem = &converter{t: *n.conv.t.Elem}
			case types.Varchar:
			default:
				s.removed++
				s.hide(n)
				s.mode, s.depth = modeSkip, 1
				return
			}
		}
		s.mode = modeRaw
	}
	s.depth++
	if object {
		s.enc.BeginObject()
	} else {
		s.enc.BeginArray()
	}
}

// hide drops an earlier value of the same name where the value itself is removed.
func (s *Shredder) hide(n *pathNode) {
	if n.seen == s.at+1 {
		n.drop(s.at)
		s.dups++
	}
}

// endWhole closes a container opened by beginWhole.
func (s *Shredder) endWhole() {
	s.depth--
	switch {
	case s.depth > 1 || s.depth == 1 && s.elem == nil:
		return
	case s.depth == 1:
		s.mode = modeRaw // a skipped element has ended, or an element never was a container
		return
	case s.mode == modeSkip:
		s.mode = modeNodes
		return
	}
	s.mode, s.elem = modeNodes, nil
	s.storeWhole()
}

// storeWhole takes the finished value from the encoder.
func (s *Shredder) storeWhole() {
	n, v := s.slot, s.enc.buf
	switch {
	case n == nil:
		p := s.stack[len(s.stack)-1].n
		if p.extra == nil {
			p.extra = &extras{}
		}
		p.extra.add(s.at, s.extraID, v)
		p.extra.private = p.extra.private || s.enc.private
	case n.conv != nil && n.conv.t.Kind == types.Varchar && v[0]&3 == basicArray:
		s.touch(n)
		n.strs = orNew(n.strs)
		m := metadata{}
		m, _ = openMetadata(s.enc.dict.encoded())
		budget := len(v)
		n.strs.append(s.at, appendJSON(nil, &m, v, MaxDepth, &budget))
	default:
		s.touch(n)
		n.other = orNew(n.other)
		n.other.append(s.at, v)
		n.other.private = n.other.private || s.enc.private
	}
	s.enc.buf = s.enc.buf[:0]
}

func orNew[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// usual returns the node whose column takes the next scalar as it is; nil if there is more to do.
func (s *Shredder) usual() *pathNode {
	n := s.slot
	if s.mode != modeNodes || n == nil || n.conv != nil {
		return nil
	}
	s.touch(n)
	return n
}

// whole tells whether events go to the encoder as they are.
func (s *Shredder) whole() bool { return s.mode == modeRaw && s.elem == nil }

// Null adds JSON null.
func (s *Shredder) Null() {
	if s.whole() {
		s.enc.Null()
		return
	}
	if s.mode != modeNodes || s.slot == nil {
		s.x = scalar{kind: Null}
		s.scalar(&s.x)
		return
	}
	n := s.slot
	s.touch(n)
	n.nulls = push(n.nulls, s.at)
}

// Bool adds a boolean.
func (s *Shredder) Bool(v bool) {
	if s.whole() {
		s.enc.Bool(v)
		return
	}
	n := s.usual()
	if n == nil {
		s.x = scalar{kind: Boolean, i: int64(boolInt(v))}
		s.scalar(&s.x)
		return
	}
	n.bools = orNew(n.bools)
	n.bools.append(s.at, v)
}

// Int adds an integer.
func (s *Shredder) Int(v int64) {
	if s.whole() {
		s.enc.Int(v)
		return
	}
	n := s.usual()
	if n == nil {
		s.x = scalar{kind: BigInt, i: v}
		s.scalar(&s.x)
		return
	}
	n.ints = orNew(n.ints)
	n.ints.append(s.at, v)
}

// Double adds a double.
func (s *Shredder) Double(v float64) {
	if s.whole() {
		s.enc.Double(v)
		return
	}
	n := s.usual()
	if n == nil {
		s.x = scalar{kind: Double, f: v}
		s.scalar(&s.x)
		return
	}
	n.doubles = orNew(n.doubles)
	n.doubles.append(s.at, v)
}

// String adds a text.
func (s *Shredder) String(text []byte) {
	if s.whole() {
		s.enc.String(text)
		return
	}
	n := s.usual()
	if n == nil {
		s.x = scalar{kind: String, b: text}
		s.scalar(&s.x)
		return
	}
	n.strs = orNew(n.strs)
	n.strs.append(s.at, text)
}

// Number adds a JSON number given as text; see BatchBuilder.Number.
func (s *Shredder) Number(text []byte) {
	s.x = scalar{}
	s.x.setNumber(text)
	s.scalar(&s.x)
}

// scalar adds any scalar. It may change x.
func (s *Shredder) scalar(x *scalar) {
	switch {
	case s.mode == modeSkip:
	case s.mode == modeRaw:
		if s.elem != nil && s.depth == 1 && x.kind != Null && !s.elem.convert(x) {
			s.removed++
			x.kind = Null
		}
		s.enc.scalar(x)
	case s.slot == nil:
		s.enc.private = false
		s.enc.scalar(x)
		s.storeWhole()
	case x.kind == Null:
		s.Null()
	case s.slot.conv != nil && !s.slot.conv.convert(x):
		s.removed++
		if s.slot.space == s.slot {
			s.Null()
			return
		}
		s.hide(s.slot)
	default:
		s.touch(s.slot)
		s.slot.add(s.at, x)
	}
}

// add appends a scalar that is not JSON null to the column of its kind.
func (n *pathNode) add(row uint32, x *scalar) {
	switch {
	case n.conv != nil && keepsInts(n.conv.t) || x.kind == BigInt:
		n.ints = orNew(n.ints)
		n.ints.append(row, x.i)
	case x.kind == Double, n.conv != nil && x.kind == Float:
		n.doubles = orNew(n.doubles)
		n.doubles.append(row, x.f)
	case x.kind == Boolean:
		n.bools = orNew(n.bools)
		n.bools.append(row, x.i != 0)
	case x.kind == String:
		n.strs = orNew(n.strs)
		n.strs.append(row, x.b)
	default:
		n.other = orNew(n.other)
		var buf [64]byte
		v := appendScalar(buf[:0], x)
		n.other.append(row, v)
		n.other.private = n.other.private || isPrivate(v)
	}
}
