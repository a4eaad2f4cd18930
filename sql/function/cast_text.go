package function

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// AppendText appends the text of row i of v, which is not NULL, as CAST to VARCHAR gives it: numbers in their shortest exact form, dates
// as ISO 8601, TIMESTAMPTZ in the session's zone, binary in hexadecimal, arrays and structs as JSON, a variant string raw and other
// variants as JSON. v must not be Shredded.
func AppendText(dst []byte, c *Ctx, v *vec.Vector, i int) []byte { return appendValue(dst, c, v, i) }

func appendValue(dst []byte, c *Ctx, v *vec.Vector, i int) []byte {
	if v.IsNull(i) {
		return append(dst, "NULL"...)
	}
	h, j := v.At(i)
	t := h.Type
	switch d := h.Data.(type) {
	case []bool:
		return strconv.AppendBool(dst, d[j])
	case []int8:
		return strconv.AppendInt(dst, int64(d[j]), 10)
	case []int16:
		return strconv.AppendInt(dst, int64(d[j]), 10)
	case []int32:
		if t.Kind == types.Date {
			return types.AppendDate(dst, d[j])
		}
		return strconv.AppendInt(dst, int64(d[j]), 10)
	case []int64:
		return appendInt64(dst, c, t, d[j])
	case []types.Int128:
		return types.AppendDecimal128(dst, d[j], int(t.Scale))
	case []types.Int256:
		return types.AppendDecimal256(dst, d[j], int(t.Scale))
	case []uint32:
		return types.AppendIPv4(dst, d[j])
	case []types.Uint128:
		if t.Kind == types.UUID {
			return types.AppendUUID(dst, d[j])
		}
		return types.AppendIPv6(dst, d[j])
	case []float32:
		return types.AppendFloat(dst, d[j])
	case []float64:
		return types.AppendDouble(dst, d[j])
	case []types.IntervalValue:
		return AppendInterval(dst, d[j])
	case []vec.View:
		switch s := d[j].Bytes(h.Bufs); {
		case t.IsVariant():
			return variant.AppendText(dst, h.Meta.Bytes(j), s)
		case t.Kind == types.Binary:
			return hex.AppendEncode(dst, s)
		default:
			return append(dst, s...)
		}
	}
	one := variant.FromVector(h.Slice(j, j+1))
	return variant.AppendJSON(dst, one.Meta.Bytes(0), one.Bytes(0))
}

func appendInt64(dst []byte, c *Ctx, t types.Type, x int64) []byte {
	switch t.Kind {
	case types.Decimal:
		return types.AppendDecimal64(dst, x, int(t.Scale))
	case types.DateTime:
		return types.AppendDateTime(dst, x)
	case types.TimestampTZ:
		return appendZoned(dst, c.Zone, x)
	case types.Time:
		return types.AppendTime(dst, x)
	}
	return strconv.AppendInt(dst, x, 10)
}

// appendZoned appends a moment as wall clock of a zone with its offset.
func appendZoned(dst []byte, zone *time.Location, us int64) []byte {
	off := zoneOffset(zone, us)
	dst = types.AppendDateTime(dst, us+off*microsPerSecond)
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	m := off / 60
	return append(dst, sign, byte('0'+m/600), byte('0'+m/60%10), ':', byte('0'+m%60/10), byte('0'+m%10))
}

// AppendInterval appends an interval as "1 year 2 months 3 days 04:05:06"; the zero interval is 00:00:00.
func AppendInterval(dst []byte, x types.IntervalValue) []byte {
	start := len(dst)
	part := func(n int64, unit string) {
		if n == 0 {
			return
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, n, 10)
		dst = append(append(dst, ' '), unit...)
		if n != 1 && n != -1 {
			dst = append(dst, 's')
		}
	}
	part(int64(x.Months/12), "year")
	part(int64(x.Months%12), "month")
	part(int64(x.Days), "day")
	if x.Micros == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	us := x.Micros
	if us < 0 {
		dst = append(dst, '-')
		us = -us
	}
	if us < 0 || us >= 100*3600*microsPerSecond {
		dst = strconv.AppendUint(dst, uint64(us)/(3600*microsPerSecond), 10)
		us = int64(uint64(us) % (3600 * microsPerSecond))
		return append(dst, types.AppendTime(nil, us)[2:]...)
	}
	hours := us / (3600 * microsPerSecond)
	dst = append(dst, byte('0'+hours/10), byte('0'+hours%10))
	return append(dst, types.AppendTime(nil, us%(3600*microsPerSecond))[2:]...)
}

// toText casts anything to VARCHAR, checking VARCHAR(n).
func (k *castJob) toText() (*vec.Vector, error) {
	v := k.src
	if v.Type.Kind == types.Varchar {
		if err := k.checkLength(vec.Slice[vec.View](v), v.Bufs); err != nil {
			return nil, err
		}
		out := *v.Retype(k.to)
		out.Valid = k.valid
		return &out, nil
	}
	out := newTextOut(v.Len)
	for i := range v.Len {
		if !k.valid.Get(i) {
			continue
		}
		if v.Type.Kind == types.Binary {
			s := v.Bytes(i)
			if !utf8.Valid(s) {
				if err := k.failed(i, badValue); err != nil {
					return nil, err
				}
				continue
			}
			out.put(i, append(out.buf, s...))
			continue
		}
		out.put(i, appendValue(out.buf, k.c, v, i))
	}
	r := out.vector(k.to, nil)
	if err := k.checkLength(out.views, r.Bufs); err != nil {
		return nil, err
	}
	r.Valid = k.valid
	return r, nil
}

func (k *castJob) checkLength(views []vec.View, bufs [][]byte) error {
	limit := int(k.to.Length)
	if limit == 0 {
		return nil
	}
	for i := range views {
		if views[i].Len() <= limit || !k.valid.Get(i) {
			continue
		}
		if utf8.RuneCount(views[i].Bytes(bufs)) > limit {
			if err := k.failed(i, tooBig); err != nil {
				return err
			}
		}
	}
	return nil
}

// fromText reads text as a value of the target type.
func (k *castJob) fromText() (*vec.Vector, error) {
	switch k.to.Kind {
	case types.Boolean:
		return castViews(k, parsed(types.ParseBool))
	case types.TinyInt:
		return castViews(k, func(s []byte) (int8, status) { return narrowWith[int8](readInt(s)) })
	case types.SmallInt:
		return castViews(k, func(s []byte) (int16, status) { return narrowWith[int16](readInt(s)) })
	case types.Int:
		return castViews(k, func(s []byte) (int32, status) { return narrowWith[int32](readInt(s)) })
	case types.BigInt:
		return castViews(k, readInt)
	case types.LargeInt:
		return castViews(k, readInt128)
	case types.Float:
		return castViews(k, func(s []byte) (float32, status) {
			f, st := readDouble(s)
			if g := float32(f); st != fits || !math.IsInf(float64(g), 0) || math.IsInf(f, 0) {
				return g, st
			}
			return 0, tooBig
		})
	case types.Double:
		return castViews(k, readDouble)
	case types.Decimal:
		return k.textToDecimal()
	case types.Date:
		return castViews(k, func(s []byte) (int32, status) {
			us, _, ok := types.ParseDateTime(s)
			if !ok {
				return 0, badValue
			}
			days, rest := types.SplitMicros(us)
			if rest != 0 {
				return days, lossy
			}
			return days, fits
		})
	case types.Time:
		return castViews(k, parsed(types.ParseTime))
	case types.DateTime, types.TimestampTZ:
		return castViews(k, func(s []byte) (int64, status) { return readTimestamp(k.c, s, k.to) })
	case types.Interval:
		return castViews(k, parsed(ParseInterval))
	case types.IPv4:
		return castViews(k, parsed(types.ParseIPv4))
	case types.IPv6:
		return castViews(k, parsed(types.ParseIPv6))
	case types.UUID:
		return castViews(k, parsed(types.ParseUUID))
	case types.Array:
		return k.textToArray()
	}
	return nil, CastError(k.src.Type, k.to)
}

func parsed[B any](parse func(s []byte) (B, bool)) func(s []byte) (B, status) {
	return func(s []byte) (B, status) {
		x, ok := parse(s)
		if !ok {
			return x, badValue
		}
		return x, fits
	}
}

// readInt reads an integer, or a number with a fraction or exponent, which is rounded.
func readInt(s []byte) (int64, status) {
	if x, ok := types.ParseInt(s); ok {
		return x, fits
	}
	y, st := readInt128(s)
	x, ok := y.Int64()
	if !ok {
		return 0, tooBig
	}
	return x, st
}

func readInt128(s []byte) (types.Int128, status) {
	if x, ok := types.ParseInt128(s); ok {
		return x, fits
	}
	w, inexact, ok := types.ParseDecimal(s, 0)
	if !ok {
		if _, number := types.ParseDouble(s); number {
			return types.Int128{}, tooBig
		}
		return types.Int128{}, badValue
	}
	x, ok := w.Int128()
	switch {
	case !ok:
		return x, tooBig
	case inexact:
		return x, lossy
	}
	return x, fits
}

func readDouble(s []byte) (float64, status) {
	f, ok := types.ParseDouble(s)
	if ok {
		return f, fits
	}
	if _, _, number := types.ParseDecimal(s, 0); number || len(bytes.TrimSpace(s)) > 0 && isNumberTooBig(s) {
		return 0, tooBig
	}
	return 0, badValue
}

// isNumberTooBig tells a number beyond the range of doubles from text that is no number.
func isNumberTooBig(s []byte) bool {
	_, err := strconv.ParseFloat(string(bytes.TrimSpace(s)), 64)
	ne, ok := err.(*strconv.NumError)
	return ok && ne.Err == strconv.ErrRange
}

// readTimestamp reads a DATETIME or TIMESTAMPTZ. Text with an offset is a moment, text without is wall clock of the session's zone;
// digits beyond the precision are cut.
func readTimestamp(c *Ctx, s []byte, to types.Type) (int64, status) {
	us, zoned, inexact, ok := types.ParseDateTimeExact(s)
	if !ok {
		return 0, badValue
	}
	switch {
	case zoned && to.Kind == types.DateTime:
		us = momentToWall(c.Zone, us)
	case !zoned && to.Kind == types.TimestampTZ:
		us = wallToMoment(c.Zone, us)
	}
	cut := cutPrecision(us, int(to.Precision))
	if inexact || cut != us {
		return cut, lossy
	}
	return cut, fits
}

func (k *castJob) textToDecimal() (*vec.Vector, error) {
	p, s := int(k.to.Precision), int(k.to.Scale)
	read := func(b []byte) (types.Int256, status) {
		y, inexact, ok := types.ParseDecimal(b, s)
		return checkDecimal(y, inexact, ok, p)
	}
	switch k.to.Phys() {
	case types.PhysInt64:
		return castViews(k, func(b []byte) (int64, status) {
			y, st := read(b)
			return int64(y[0]), st
		})
	case types.PhysInt128:
		return castViews(k, func(b []byte) (types.Int128, status) {
			y, st := read(b)
			return types.Int128{Lo: y[0], Hi: int64(y[1])}, st
		})
	}
	return castViews(k, read)
}
