package stage

import (
	"fmt"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// frame is an open array, map or struct of a nested column.
type frame struct {
	slot   *slot
	row    int   // of the value in slot
	serial int64 // struct: marks the members that have a value
	member *slot // struct: where the next value goes, nil if nobody wants it
	// Map: the rows of the keys so far, and that of the next value.
	keys  map[string]int
	entry int // -1 if nobody wants it
}

// maxRecordCells bounds the cells of arrays and maps in one record. A few bytes of JSON can make an element of many members, so the length
// of the line is no bound.
const maxRecordCells = 16 << 20

// take counts the cells of an element, and makes the record bad where there are too many of them.
func (v *rowVisitor) take(s *slot, cells int) bool {
	if v.cells += cells; v.cells <= maxRecordCells {
		return true
	}
	if v.bad == nil {
		v.bad = &fault{sqlerr.Resource, s.label, fmt.Sprintf("column %s (%s) takes more than %d values in one row", s.label, s.t, maxRecordCells)}
	}
	return false
}

// push begins the array, map or struct at row r of a slot.
func (v *rowVisitor) push(s *slot, r int) {
	v.inner++
	f := frame{slot: s, row: r, serial: v.inner}
	if s.op != opStruct {
		s.begin(r)
	}
	if s.op == opMap {
		f.keys = map[string]int{}
	}
	v.frames = append(v.frames, f)
	v.mode = modeNested
}

// pop ends the innermost array, map or struct. Members without a value are NULL.
func (v *rowVisitor) pop() {
	last := len(v.frames) - 1
	f := &v.frames[last]
	if f.slot.op == opStruct {
		for _, c := range f.slot.children {
			switch {
			case c.mark == f.serial:
			case c.notNull:
				v.refuse(c, nullRefused, "null")
			default:
				c.putNull(f.row)
			}
		}
	}
	f.slot.end(f.row)
	if v.frames = v.frames[:last]; last == 0 {
		v.mode = modeField
	}
}

// place returns slot and row of the next value in the innermost array, map or struct.
func (v *rowVisitor) place() (*slot, int) {
	f := &v.frames[len(v.frames)-1]
	switch f.slot.op {
	case opList:
		if !v.take(f.slot, f.slot.children[0].width) {
			return nil, 0
		}
		r := f.slot.element()
		f.slot.elements++
		return f.slot.children[0], r
	case opMap:
		if f.entry < 0 {
			return nil, 0
		}
		return f.slot.children[1], f.entry
	}
	return f.member, f.row
}

// member goes to a member of the innermost map or struct.
func (v *rowVisitor) member(k []byte) {
	f := &v.frames[len(v.frames)-1]
	if f.slot.op == opMap {
		v.mapKey(f, k)
		return
	}
	i := f.slot.members.findKey(k)
	if f.member = nil; i == nameAmbiguous {
		v.ambiguous(string(k))
	}
	if i < 0 {
		return
	}
	f.member = f.slot.children[i]
	if f.member.mark == f.serial {
		v.duplicates++
	}
	f.member.mark = f.serial
}

// mapKey adds an entry to a map, or goes back to the one of the same key.
func (v *rowVisitor) mapKey(f *frame, k []byte) {
	if r, ok := f.keys[string(k)]; ok {
		f.entry = r
		v.duplicates++
		return
	}
	if f.entry = -1; !v.take(f.slot, 1+f.slot.children[1].width) {
		return
	}
	f.entry = f.slot.element()
	f.slot.elements++
	f.keys[string(k)] = f.entry
	if p := f.slot.children[0].putText(f.entry, k); p != fits {
		v.refuse(f.slot.children[0], p, showQuoted(k))
	}
}
