package stage

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// finish returns the first n rows as a vector, nil if they went to a sink from outside. The slot is empty afterwards and has no room.
func (s *slot) finish(n int) *vec.Vector {
	if s.op == opVariant {
		if s.sink != variant.RowSink(s.builder) {
			return nil
		}
		return s.builder.Finish().Retype(s.t)
	}
	v := &vec.Vector{Type: s.t, Len: n, Valid: s.validity(n)}
	switch s.op {
	case opCell:
		cells := s.cells
		s.clear()
		return joinCells(s.t, cells[:n])
	case opText, opBinary:
		v.Data, v.Bufs = s.views[:n:n], s.bufs
	case opList:
		v.Offsets = s.offsets[: n+1 : n+1]
		v.Children = []*vec.Vector{s.children[0].finish(int(v.Offsets[n]))}
	case opMap:
		v.Offsets = s.offsets[: n+1 : n+1]
		m := int(v.Offsets[n])
		entries := &vec.Vector{Type: types.Type{Kind: types.Struct, Fields: s.t.Fields}, Len: m}
		entries.Children = []*vec.Vector{s.children[0].finish(m), s.children[1].finish(m)}
		v.Children = []*vec.Vector{entries}
	case opStruct:
		for _, c := range s.children {
			v.Children = append(v.Children, c.finish(n))
		}
	default:
		v.Data = s.fixed(n)
	}
	s.clear()
	return v
}

// fixed returns the first n values of a fixed-width slot.
func (s *slot) fixed(n int) any {
	switch s.op {
	case opBool:
		return s.bools[:n:n]
	case opInt8:
		return s.i8[:n:n]
	case opInt16:
		return s.i16[:n:n]
	case opInt32, opDate:
		return s.i32[:n:n]
	case opInt128, opDecimal128:
		return s.i128[:n:n]
	case opDecimal256:
		return s.i256[:n:n]
	case opFloat32:
		return s.f32[:n:n]
	case opFloat64:
		return s.f64[:n:n]
	case opInterval:
		return s.spans[:n:n]
	case opIPv4:
		return s.u32[:n:n]
	case opIPv6, opUUID:
		return s.u128[:n:n]
	}
	return s.i64[:n:n]
}

// validity returns the bitmap of the first n rows, nil if all are valid. A bad row may have left a bit behind them.
func (s *slot) validity(n int) vec.Bitmap {
	words := (n + 63) / 64
	b := s.valid[:words:words]
	if rest := n % 64; rest > 0 {
		b[words-1] &= 1<<rest - 1
	}
	if b.Count(n) == n {
		return nil
	}
	return b
}

// clear forgets the values, which now belong to a vector.
func (s *slot) clear() {
	*s = slot{op: s.op, t: s.t, env: s.env, label: s.label, notNull: s.notNull, target: s.target, width: s.width, mark: s.mark,
		limit: s.limit, whole: s.whole, unit: s.unit, date: s.date, dateMicros: s.dateMicros, children: s.children, members: s.members}
	if s.op == opList || s.op == opMap {
		s.offsets = []int32{0}
	}
}

// joinCells makes one variant vector of single rows.
func joinCells(t types.Type, cells []*vec.Vector) *vec.Vector {
	b := variant.NewBatchBuilder(len(cells))
	for _, c := range cells {
		if c == nil {
			b.AppendNull()
		} else {
			b.AppendValue(c.VariantAt(0))
		}
	}
	return b.Finish().Retype(t)
}
