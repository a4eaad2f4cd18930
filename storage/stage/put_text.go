package stage

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Text goes to blocks that double from the smaller size to the larger one, so that small files stay small.
const (
	minTextBlock = 4 << 10
	maxTextBlock = 256 << 10
)

// Integers for dates count days, from 0001-01-01 to 9999-12-31; integers for instants count seconds, milliseconds or microseconds since
// 1970, told apart by magnitude: seconds up to the year 2969, milliseconds up to as much.
const (
	minDay       = -719_162
	maxDay       = 2_932_896
	secondsBound = 31_536_000_000
	millisBound  = 31_536_000_000_000
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
		if s.i64[r], ok = types.ParseTime(text); ok && s.i64[r]%precisionUnit(s.t.Precision) != 0 {
			if !s.env.rounding {
				return losesDigits
			}
			s.i64[r] -= s.i64[r] % precisionUnit(s.t.Precision)
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

func (s *slot) putDate(r int, text []byte) problem {
	us, _, ok := types.ParseDateTime(text)
	if !ok {
		return unreadable
	}
	days, rest := types.SplitMicros(us)
	if rest != 0 && !s.env.rounding {
		return losesDigits
	}
	s.i32[r] = days
	s.valid.Set(r)
	return fits
}

// putTimestamp puts text into a DATETIME or TIMESTAMPTZ column. Text with an offset is a moment, text without is wall clock of the zone.
func (s *slot) putTimestamp(r int, text []byte) problem {
	us, zoned, inexact, ok := types.ParseDateTimeExact(text)
	if !ok {
		return unreadable
	}
	switch {
	case zoned && s.op == opDateTime:
		us = s.env.zone.wall(us)
	case !zoned && s.op == opTimestampTZ:
		us = s.env.zone.moment(us)
	}
	rest := us % precisionUnit(s.t.Precision)
	if (inexact || rest != 0) && !s.env.rounding {
		return losesDigits
	}
	if rest < 0 {
		rest += precisionUnit(s.t.Precision)
	}
	s.i64[r] = us - rest
	s.valid.Set(r)
	return fits
}

// putInstant puts an integer into a DATETIME or TIMESTAMPTZ column.
func (s *slot) putInstant(r int, x int64) problem {
	switch {
	case -secondsBound < x && x < secondsBound:
		x *= 1_000_000
	case -millisBound < x && x < millisBound:
		x *= 1000
	}
	if days, _ := types.SplitMicros(x); days < minDay || days > maxDay {
		return outOfRange
	}
	rest := x % precisionUnit(s.t.Precision)
	if rest != 0 && !s.env.rounding {
		return losesDigits
	}
	if s.op == opDateTime {
		x = s.env.zone.wall(x)
	}
	s.i64[r] = x - rest
	s.valid.Set(r)
	return fits
}

// precisionUnit is the number of microseconds that the last digit of a precision stands for.
func precisionUnit(precision uint8) int64 {
	unit := int64(1)
	for ; precision < types.MaxTimePrecision; precision++ {
		unit *= 10
	}
	return unit
}

// zone converts between moments and wall clocks; nil is UTC.
type zone struct{ loc *time.Location }

func newZone(loc *time.Location) *zone {
	if loc == nil || loc == time.UTC {
		return nil
	}
	return &zone{loc}
}

// wall returns the wall clock at a moment.
func (z *zone) wall(us int64) int64 {
	if z == nil {
		return us
	}
	_, off := time.UnixMicro(us).In(z.loc).Zone()
	return us + int64(off)*1_000_000
}

// moment returns the moment at which the wall clock shows us. Of two the earlier offset counts; a clock that is skipped is read with the
// offset before the gap, as package time does.
func (z *zone) moment(us int64) int64 {
	if z == nil {
		return us
	}
	t := time.UnixMicro(us).UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), z.loc).UnixMicro()
}

// putZero puts the value that MISSING_FIELD_AS = FIELD_DEFAULT gives a NOT NULL column without a default: 0, false, the empty text, the
// empty array, JSON null. The zero of every fixed width is all bits clear, so the slices are cleared at the row.
func (s *slot) putZero(r int) {
	switch s.op {
	case opVariant:
		s.builder.BeginRow()
		s.builder.Null()
		s.builder.EndRow()
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
		s.builder.AppendValue(h.VariantAt(j))
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
