package stage

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// putZero puts the value that MISSING_FIELD_AS = FIELD_DEFAULT gives a NOT NULL column without a default: 0, false, the empty text, the
// empty array, JSON null. The zero of every fixed width is all bits clear, so the slices are cleared at the row.
func (s *slot) putZero(r int) {
	switch s.op {
	case opVariant:
		s.sink.BeginRow()
		s.sink.Null()
		s.sink.EndRow()
		return
	case opCell:
		s.env.cell.BeginRow()
		s.env.cell.Null()
		s.endCell(r)
		return
	case opList, opMap:
		s.begin(r)
		s.end(r)
		return
	case opStruct:
		for _, c := range s.children {
			c.putZero(r)
		}
	case opBool:
		s.bools[r] = false
	case opText, opBinary:
		s.views[r] = vec.View{}
	case opInterval:
		s.spans[r] = types.IntervalValue{}
	case opIPv4:
		s.u32[r] = 0
	case opIPv6, opUUID:
		s.u128[r] = types.Uint128{}
	case opTime:
		s.i64[r] = 0
	default:
		s.putInt(r, 0)
	}
	s.valid.Set(r)
}

// putFrom puts row i of a vector of the slot's type.
func (s *slot) putFrom(r int, v *vec.Vector, i int) {
	if v.IsNull(i) {
		s.putNull(r)
		return
	}
	h, j := v.At(i)
	switch d := h.Data.(type) {
	case []bool:
		s.bools[r] = d[j]
	case []int8:
		s.i8[r] = d[j]
	case []int16:
		s.i16[r] = d[j]
	case []int32:
		s.i32[r] = d[j]
	case []int64:
		s.i64[r] = d[j]
	case []types.Int128:
		s.i128[r] = d[j]
	case []types.Int256:
		s.i256[r] = d[j]
	case []uint32:
		s.u32[r] = d[j]
	case []types.Uint128:
		s.u128[r] = d[j]
	case []float32:
		s.f32[r] = d[j]
	case []float64:
		s.f64[r] = d[j]
	case []types.IntervalValue:
		s.spans[r] = d[j]
	case []vec.View:
		s.putBytes(r, h, j)
	case nil:
		s.putNested(r, h, j)
	}
	if s.op != opVariant {
		s.valid.Set(r)
	}
}

// putBytes is putFrom for text, binary and variants.
func (s *slot) putBytes(r int, h *vec.Vector, j int) {
	switch s.op {
	case opVariant:
		s.sink.AppendValue(h.VariantAt(j))
	case opCell:
		b := variant.NewBatchBuilder(1)
		b.AppendValue(h.VariantAt(j))
		s.cells[r] = b.Finish()
	default:
		s.store(r, h.Bytes(j))
	}
}

// putNested is putFrom for arrays, maps and structs.
func (s *slot) putNested(r int, h *vec.Vector, j int) {
	if s.op == opStruct {
		for c, child := range s.children {
			child.putFrom(r, h.Children[c], j)
		}
		return
	}
	child, from, to := h.ListAt(j)
	s.begin(r)
	for e := from; e < to; e++ {
		row := s.element()
		if s.op == opList {
			s.children[0].putFrom(row, child, e)
		} else {
			entries, k := child.At(e)
			s.children[0].putFrom(row, entries.Children[0], k)
			s.children[1].putFrom(row, entries.Children[1], k)
		}
		s.elements++
	}
	s.end(r)
}
