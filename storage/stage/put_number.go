package stage

import (
	"math"
	"strconv"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/types"
)

// problem is why a column does not take a value.
type problem uint8

const (
	fits         problem = iota
	wrongKind            // a number for a BOOLEAN, an object for a VARCHAR, and so on
	outOfRange           //
	hasFraction          // a fraction for an integer
	losesDigits          // more digits than the column keeps
	unreadable           // text that is no value of the type
	tooLong              // for VARCHAR(n)
	nullRefused          // NULL for NOT NULL
	valueMissing         // no field, and MISSING_FIELD_AS = ERROR
)

// exactDoubles is the magnitude below which all integers are doubles and a double's integer part is the number that was written.
const exactDoubles = 1 << 53

// putInt puts a JSON integer at row r.
func (s *slot) putInt(r int, x int64) problem {
	switch s.op {
	case opInt64:
		s.i64[r] = x
	case opInt32:
		if x != int64(int32(x)) {
			return outOfRange
		}
		s.i32[r] = int32(x)
	case opFloat64:
		s.f64[r] = float64(x)
	case opInt16:
		if x != int64(int16(x)) {
			return outOfRange
		}
		s.i16[r] = int16(x)
	case opInt8:
		if x != int64(int8(x)) {
			return outOfRange
		}
		s.i8[r] = int8(x)
	case opInt128:
		s.i128[r] = types.Int128From(x)
	case opFloat32:
		s.f32[r] = float32(x)
	case opDecimal64:
		if x >= s.whole || x <= -s.whole {
			return outOfRange
		}
		s.i64[r] = x * s.unit
	case opDecimal128, opDecimal256:
		s.env.scratch = strconv.AppendInt(s.env.scratch[:0], x, 10)
		return s.putDecimal(r, s.env.scratch)
	case opText:
		s.env.scratch = strconv.AppendInt(s.env.scratch[:0], x, 10)
		return s.putChars(r, s.env.scratch)
	case opDate:
		if x < minDay || x > maxDay {
			return outOfRange
		}
		s.i32[r] = int32(x)
	case opDateTime, opTimestampTZ:
		return s.putInstant(r, x)
	case opCell:
		s.env.cell.BeginRow()
		s.env.cell.Int(x)
		s.endCell(r)
	default:
		return wrongKind
	}
	s.valid.Set(r)
	return fits
}

// putDouble puts a JSON number that a double denotes exactly.
func (s *slot) putDouble(r int, f float64) problem {
	switch s.op {
	case opFloat64:
		s.f64[r] = f
	case opFloat32:
		g := float32(f)
		if math.IsInf(float64(g), 0) {
			return outOfRange
		}
		s.f32[r] = g
	case opText, opDecimal64, opDecimal128, opDecimal256:
		s.env.scratch = jsonparse.AppendDouble(s.env.scratch[:0], f)
		if s.op == opText {
			return s.putChars(r, s.env.scratch)
		}
		return s.putDecimal(r, s.env.scratch)
	case opInt8, opInt16, opInt32, opInt64, opInt128, opDate, opDateTime, opTimestampTZ:
		if f != math.Trunc(f) {
			if !s.env.rounding {
				return hasFraction
			}
			f = math.Round(f)
		}
		if math.Abs(f) < exactDoubles {
			return s.putInt(r, int64(f))
		}
		s.env.scratch = strconv.AppendFloat(s.env.scratch[:0], f, 'f', -1, 64)
		return s.putInteger(r, s.env.scratch)
	case opCell:
		s.env.cell.BeginRow()
		s.env.cell.Double(f)
		s.endCell(r)
	default:
		return wrongKind
	}
	s.valid.Set(r)
	return fits
}

// putNumber puts a JSON number that is neither an int64 nor exactly a double.
func (s *slot) putNumber(r int, text []byte) problem {
	switch s.op {
	case opFloat64, opFloat32:
		f, err := strconv.ParseFloat(string(text), 64)
		if g := float32(f); err != nil || s.op == opFloat32 && math.IsInf(float64(g), 0) {
			return outOfRange
		}
		if s.op == opFloat64 {
			s.f64[r] = f
		} else {
			s.f32[r] = float32(f)
		}
	case opText:
		return s.putChars(r, text)
	case opDecimal64, opDecimal128, opDecimal256:
		if p := s.putDecimal(r, text); p != unreadable {
			return p
		}
		return outOfRange // a JSON number that is too long to be read
	case opInt8, opInt16, opInt32, opInt64, opInt128, opDate, opDateTime, opTimestampTZ:
		return s.putInteger(r, text)
	case opCell:
		s.env.cell.BeginRow()
		s.env.cell.Number(text)
		s.endCell(r)
	default:
		return wrongKind
	}
	s.valid.Set(r)
	return fits
}

// putInteger puts the text of a number into a column of whole numbers.
func (s *slot) putInteger(r int, text []byte) problem {
	wide, inexact, ok := types.ParseDecimal(text, 0)
	if !ok {
		return outOfRange
	}
	if inexact && !s.env.rounding {
		return hasFraction
	}
	v, ok := wide.Int128()
	if !ok {
		return outOfRange
	}
	if s.op == opInt128 {
		s.i128[r] = v
		s.valid.Set(r)
		return fits
	}
	x, ok := v.Int64()
	if !ok {
		return outOfRange
	}
	return s.putInt(r, x)
}

// putDecimal puts the text of a number into a column of type DECIMAL; text that is no number is unreadable.
func (s *slot) putDecimal(r int, text []byte) problem {
	v, inexact, ok := types.ParseDecimal(text, int(s.t.Scale))
	switch {
	case !ok:
		if _, number := types.ParseDouble(text); number {
			return outOfRange
		}
		return unreadable
	case inexact && !s.env.rounding:
		return losesDigits
	case v.Cmp(s.limit) >= 0 || v.Cmp(s.limit.Neg()) <= 0:
		return outOfRange
	}
	switch s.op {
	case opDecimal256:
		s.i256[r] = v
	case opDecimal128:
		s.i128[r], _ = v.Int128()
	default:
		w, _ := v.Int128()
		s.i64[r], _ = w.Int64()
	}
	s.valid.Set(r)
	return fits
}

// putBool puts true or false.
func (s *slot) putBool(r int, x bool) problem {
	switch s.op {
	case opBool:
		s.bools[r] = x
		s.valid.Set(r)
		return fits
	case opText:
		s.env.scratch = strconv.AppendBool(s.env.scratch[:0], x)
		return s.putChars(r, s.env.scratch)
	case opCell:
		s.env.cell.BeginRow()
		s.env.cell.Bool(x)
		s.endCell(r)
		return fits
	}
	return wrongKind
}
