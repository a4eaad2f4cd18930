package variant

import (
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Cast converts variants to another type. It never fails for a value: what cannot be converted, JSON null, and NULL give NULL. Numbers
// convert exactly, to DECIMAL by way of their decimal text, fractions to integers rounded half away from zero; texts are read as the
// target type where they can be; true and false are 1 and 0; VARCHAR gets AppendText; ARRAY and STRUCT convert their parts. Types that no
// variant converts to, such as MAP, are errors of kind Type.
func Cast(v *vec.Vector, to types.Type) (*vec.Vector, error) {
	if err := Castable(to); err != nil {
		return nil, err
	}
	return castTo(v, to), nil
}

// Castable returns an error of kind Type if variants do not convert to that type.
func Castable(to types.Type) error {
	switch to.Kind {
	case types.Null, types.Interval, types.Map:
		return sqlerr.New(sqlerr.Type, "cannot cast VARIANT to %s", to)
	case types.Array:
		return Castable(*to.Elem)
	case types.Struct:
		for _, f := range to.Fields {
			if err := Castable(f.Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// castTo is Cast to a castable type.
func castTo(v *vec.Vector, to types.Type) *vec.Vector {
	if v.Form == vec.Constant {
		return onConstant(v, func(one *vec.Vector) *vec.Vector { return castTo(one, to) })
	}
	if v.Form != vec.Shredded {
		v = vec.Flatten(v)
	}
	switch to.Kind {
	case types.Variant:
		return v.Retype(to)
	case types.JSON:
		return Flatten(v).Retype(to)
	case types.Boolean:
		return castFixed(v, to, (*scalar).toBool)
	case types.TinyInt:
		return castFixed(v, to, narrow[int8])
	case types.SmallInt:
		return castFixed(v, to, narrow[int16])
	case types.Int:
		return castFixed(v, to, narrow[int32])
	case types.BigInt:
		return castFixed(v, to, (*scalar).toInt64)
	case types.LargeInt:
		return castFixed(v, to, (*scalar).toLargeInt)
	case types.Float:
		return castFixed(v, to, (*scalar).toFloat)
	case types.Double:
		return castFixed(v, to, (*scalar).toDouble)
	case types.Decimal:
		return castDecimal(v, to)
	case types.Varchar, types.Binary:
		return castText(v, to)
	case types.Date:
		return castFixed(v, to, (*scalar).toDate)
	case types.Time:
		return castFixed(v, to, atPrecision((*scalar).toTime, to.Precision))
	case types.DateTime, types.TimestampTZ:
		return castFixed(v, to, atPrecision((*scalar).toTimestamp, to.Precision))
	case types.IPv4:
		return castFixed(v, to, (*scalar).toIPv4)
	case types.IPv6:
		return castFixed(v, to, (*scalar).toIPv6)
	case types.UUID:
		return castFixed(v, to, (*scalar).toUUID)
	case types.Array:
		return castArray(Flatten(v), to)
	case types.Struct:
		return castStruct(v, to)
	}
	panic("BUG: cast of a variant to " + to.String())
}

func narrow[T int8 | int16 | int32](s *scalar) (T, bool) {
	i, ok := s.toInt64()
	return T(i), ok && i == int64(T(i))
}

func atPrecision(conv func(*scalar) (int64, bool), precision uint8) func(*scalar) (int64, bool) {
	if precision >= types.MaxTimePrecision {
		return conv
	}
	return func(s *scalar) (int64, bool) {
		us, ok := conv(s)
		return cutFraction(us, precision), ok
	}
}

func castDecimal(v *vec.Vector, to types.Type) *vec.Vector {
	precision, scale := int(to.Precision), int(to.Scale)
	switch to.Phys() {
	case types.PhysInt64:
		return castFixed(v, to, func(s *scalar) (int64, bool) {
			w, ok := s.toDecimal(precision, scale)
			return int64(w[0]), ok
		})
	case types.PhysInt128:
		return castFixed(v, to, func(s *scalar) (types.Int128, bool) {
			w, ok := s.toDecimal(precision, scale)
			return types.Int128{Lo: w[0], Hi: int64(w[1])}, ok
		})
	}
	return castFixed(v, to, func(s *scalar) (types.Int256, bool) { return s.toDecimal(precision, scale) })
}

// castFixed casts a Flat or Shredded variant vector to a type whose values are T.
func castFixed[T any](v *vec.Vector, to types.Type, conv func(*scalar) (T, bool)) *vec.Vector {
	if v.Form == vec.Shredded && v.Rest == nil && sameValues(v.Typed.Type, to) {
		return v.Typed.Retype(to)
	}
	out, valid := make([]T, v.Len), vec.NewBitmap(v.Len)
	if v.Form == vec.Shredded {
		castTyped(v.Typed, to, out, valid, conv)
		for v = v.Rest; v != nil && v.Form == vec.Shredded; v = v.Rest {
			mergeTyped(out, valid, func(out []T, valid vec.Bitmap) { castTyped(v.Typed, to, out, valid, conv) })
		}
	}
	if v != nil {
		castRows(vec.Flatten(v), out, valid, conv)
	}
	return vec.NewFlat(to, out, denseValid(valid, len(out)))
}

// sameValues tells whether values of from are values of to as they stand.
func sameValues(from, to types.Type) bool {
	switch {
	case from.Kind != to.Kind:
		return false
	case from.Kind == types.Varchar:
		return to.Length == 0 || from.Length > 0 && from.Length <= to.Length
	case from.Kind == types.Decimal:
		return from.Scale == to.Scale && from.Precision <= to.Precision && from.Phys() == to.Phys()
	case from.IsTemporal():
		return from.Precision <= to.Precision
	}
	return true
}

// castRows converts the rows of a flat variant vector that are not NULL.
func castRows[T any](v *vec.Vector, out []T, valid vec.Bitmap, conv func(*scalar) (T, bool)) {
	var s scalar
	views := vec.Slice[vec.View](v)
	for i := range views {
		if !v.Valid.Get(i) || !s.decode(views[i].Bytes(v.Bufs)) {
			continue
		}
		if x, ok := conv(&s); ok {
			out[i] = x
			valid.Set(i)
		}
	}
}

// castTyped converts the rows of a plain vector that are not NULL.
func castTyped[T any](v *vec.Vector, to types.Type, out []T, valid vec.Bitmap, conv func(*scalar) (T, bool)) {
	var s scalar
	switch v.Form {
	case vec.Constant:
		if v.Len == 0 || v.IsNull(0) {
			return
		}
		s.load(v, 0)
		if x, ok := conv(&s); ok {
			for i := range out {
				out[i] = x
				valid.Set(i)
			}
		}
		return
	case vec.Dictionary:
		entries, good := make([]T, v.Dict.Len), vec.NewBitmap(v.Dict.Len)
		castTyped(v.Dict, to, entries, good, conv)
		for i, code := range v.Codes {
			if v.Valid.Get(i) && good.Get(int(code)) {
				out[i] = entries[code]
				valid.Set(i)
			}
		}
		return
	}
	if castPlain(v, to, out) {
		copyValid(valid, v.Valid, v.Len)
		return
	}
	for i := range out {
		if v.IsNull(i) {
			continue
		}
		s.load(v, i)
		if x, ok := conv(&s); ok {
			out[i] = x
			valid.Set(i)
		}
	}
}

// castFitting casts integers of up to 64 bits; it returns false if some value does not fit.
func castFitting(v *vec.Vector, out any) bool {
	switch src := v.Data.(type) {
	case []int8:
		return fitInto(src, out)
	case []int16:
		return fitInto(src, out)
	case []int32:
		return fitInto(src, out)
	case []int64:
		return fitInto(src, out)
	}
	return false
}

// fitInto is castFitting for one type of source.
func fitInto[S int8 | int16 | int32 | int64](src []S, out any) bool {
	switch dst := out.(type) {
	case []int8:
		return fitAll(dst, src)
	case []int16:
		return fitAll(dst, src)
	case []int32:
		return fitAll(dst, src)
	case []int64:
		return fitAll(dst, src)
	}
	return false
}

func fitAll[T, S int8 | int16 | int32 | int64](dst []T, src []S) bool {
	lost := int64(0)
	src = src[:len(dst)]
	for i, x := range src {
		y := T(x)
		dst[i] = y
		lost |= int64(x) ^ int64(y)
	}
	return lost == 0
}

// castPlain does the casts of flat vectors in which no value can fail; false if this is none of them.
func castPlain(v *vec.Vector, to types.Type, out any) bool {
	if sameValues(v.Type, to) {
		return copyData(v.Data, out)
	}
	dst, isDouble := out.([]float64)
	if !isDouble {
		return v.Type.IsInteger() && to.IsInteger() && castFitting(v, out)
	}
	switch src := v.Data.(type) {
	case []int64:
		if v.Type.Kind != types.BigInt {
			return false
		}
		widen(dst, src)
	case []int32:
		if v.Type.Kind != types.Int {
			return false
		}
		widen(dst, src)
	case []float32:
		widen(dst, src)
	default:
		return false
	}
	return true
}

func widen[S int64 | int32 | float32](dst []float64, src []S) {
	for i, x := range src {
		dst[i] = float64(x)
	}
}

// copyData copies a slice of one of the forms of vectors to another of the same form.
func copyData(src, dst any) bool {
	switch s := src.(type) {
	case []int64:
		copy(dst.([]int64), s)
	case []float64:
		copy(dst.([]float64), s)
	case []bool:
		copy(dst.([]bool), s)
	case []int32:
		copy(dst.([]int32), s)
	case []types.Int128:
		copy(dst.([]types.Int128), s)
	default:
		return false
	}
	return true
}

func copyValid(dst, src vec.Bitmap, n int) {
	if src == nil {
		src = vec.NewBitmapSet(n)
	}
	copy(dst, src)
}

// castText casts a Flat or Shredded variant vector to VARCHAR or BINARY. Texts keep their memory.
func castText(v *vec.Vector, to types.Type) *vec.Vector {
	t := textCast{to: to, views: make([]vec.View, v.Len), valid: vec.NewBitmap(v.Len)}
	if v.Form == vec.Shredded && v.Rest == nil && sameValues(v.Typed.Type, to) {
		return v.Typed.Retype(to)
	}
	for ; v != nil && v.Form == vec.Shredded; v = v.Rest {
		t.typed(vec.Flatten(v.Typed))
	}
	if v != nil {
		t.variants(vec.Flatten(v))
	}
	return &vec.Vector{Type: to, Len: len(t.views), Data: t.views, Bufs: t.w.finish(), Valid: denseValid(t.valid, len(t.views))}
}

// textCast is the state of a cast to VARCHAR or BINARY.
type textCast struct {
	to    types.Type
	views []vec.View
	valid vec.Bitmap
	w     viewWriter
}

// typed converts the rows of a flat plain vector.
func (t *textCast) typed(v *vec.Vector) {
	same, base := sameValues(v.Type, t.to), 0
	if same {
		base = t.w.share(v.Bufs)
	}
	var s scalar
	for i := range v.Len {
		if v.IsNull(i) {
			continue
		}
		if same {
			t.views[i] = vec.Slice[vec.View](v)[i]
			if base > 0 && !t.views[i].Inline() {
				t.views[i] = vec.MakeView(v.Bytes(i), base+t.views[i].Buffer(), t.views[i].Offset())
			}
			t.valid.Set(i)
			continue
		}
		s.load(v, i)
		t.scalar(i, &s)
	}
}

// variants converts the rows of a flat variant vector.
func (t *textCast) variants(v *vec.Vector) {
	base := t.w.share(v.Bufs)
	views := vec.Slice[vec.View](v)
	metas := newMetaReader(v.Meta)
	var s scalar
	for i := range views {
		if !v.Valid.Get(i) {
			continue
		}
		value := views[i].Bytes(v.Bufs)
		switch {
		case isContainer(value):
			if t.to.Kind == types.Varchar {
				t.w.buf = AppendJSON(t.w.buf, metas.at(i), value)
				t.end(i)
			}
		case !s.decode(value) || s.kind == Null:
		case s.kind == String && t.to.Length == 0:
			// Only this branch takes texts from the buffers of v, where they end with the value.
			buf, off := 0, 0
			if !views[i].Inline() {
				buf, off = base+views[i].Buffer(), views[i].Offset()+len(value)-len(s.b)
			}
			t.views[i] = vec.MakeView(s.b, buf, off)
			t.valid.Set(i)
		default:
			t.scalar(i, &s)
		}
	}
}

// scalar converts one scalar.
func (t *textCast) scalar(i int, s *scalar) {
	if t.to.Kind == types.Binary {
		if s.kind != Binary && s.kind != String {
			return
		}
		t.w.buf = append(t.w.buf, s.b...)
	} else {
		t.w.buf = s.appendText(t.w.buf)
	}
	t.end(i)
}

// end makes the text written to the buffer the value of row i, cut to the length of the type.
func (t *textCast) end(i int) {
	if n := int(t.to.Length); n > 0 && len(t.w.buf)-t.w.from > n {
		at := t.w.from
		for ; n > 0 && at < len(t.w.buf); n-- {
			_, size := utf8.DecodeRune(t.w.buf[at:])
			at += size
		}
		t.w.buf = t.w.buf[:at]
	}
	t.views[i] = t.w.view()
	t.valid.Set(i)
}
