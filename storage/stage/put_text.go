package stage

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Text goes to blocks that double from the smaller size to the larger one, so that small files stay small.
const (
	minTextBlock = 4 << 10
	maxTextBlock = 256 << 10
)

// putText puts a JSON string at row r.
func (s *slot) putText(r int, text []byte) problem {
	ok := true
	switch s.op {
	case opText:
		return s.putChars(r, text)
	case opDecimal64, opDecimal128, opDecimal256:
		return s.putDecimal(r, text)
	case opDate:
		return s.putDate(r, text)
	case opDateTime, opTimestampTZ:
		return s.putTimestamp(r, text)
	case opTime:
		if s.i64[r], ok = types.ParseTime(text); ok && s.i64[r]%s.unit != 0 {
			if !s.env.rounding {
				return losesDigits
			}
			s.i64[r] -= s.i64[r] % s.unit
		}
	case opInterval:
		s.spans[r], ok = function.ParseInterval(text)
	case opIPv4:
		s.u32[r], ok = types.ParseIPv4(text)
	case opIPv6:
		s.u128[r], ok = types.ParseIPv6(text)
	case opUUID:
		s.u128[r], ok = types.ParseUUID(text)
	case opBinary:
		decoded, err := base64.StdEncoding.AppendDecode(s.env.scratch[:0], text)
		if s.env.scratch = decoded; err != nil {
			return unreadable
		}
		s.store(r, decoded)
	case opCell:
		s.env.cell.BeginRow()
		s.env.cell.String(text)
		s.endCell(r)
	default:
		return wrongKind
	}
	if !ok {
		return unreadable
	}
	s.valid.Set(r)
	return fits
}

// putChars puts text into a VARCHAR column.
func (s *slot) putChars(r int, text []byte) problem {
	if limit := int(s.t.Length); limit > 0 && len(text) > limit && utf8.RuneCount(text) > limit {
		return tooLong
	}
	s.store(r, text)
	s.valid.Set(r)
	return fits
}

// store copies bytes into the blocks and sets the view of row r.
func (s *slot) store(r int, text []byte) {
	last := len(s.bufs) - 1
	if v := vec.MakeView(text, max(last, 0), 0); v.Inline() {
		s.views[r] = v
		return
	}
	if last < 0 || len(s.bufs[last])+len(text) > cap(s.bufs[last]) {
		size := minTextBlock
		if last >= 0 {
			size = min(2*cap(s.bufs[last]), maxTextBlock)
		}
		s.bufs = append(s.bufs, make([]byte, 0, max(size, len(text))))
		last++
	}
	off := len(s.bufs[last])
	s.bufs[last] = append(s.bufs[last], text...)
	s.views[r] = vec.MakeView(text, last, off)
}

// endCell completes the variant begun in the shared builder as the value of row r.
func (s *slot) endCell(r int) {
	s.env.cell.EndRow()
	s.cells[r] = s.env.cell.Finish()
	s.valid.Set(r)
}
