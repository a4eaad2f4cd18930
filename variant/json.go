package variant

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/ebira-db/ebira/sql/types"
)

// AppendJSON appends a value as compact JSON: names sorted bytewise at every level (values hold them so), numbers as ECMAScript prints
// them, decimals with the digits stored, exact numbers as written, other scalars as quoted text. Parts that cannot be read print null.
func AppendJSON(dst, meta, value []byte) []byte {
	var m metadata
	if isContainer(value) {
		m, _ = openMetadata(meta)
	}
	budget := len(value)
	return appendJSON(dst, &m, value, MaxDepth, &budget)
}

// AppendText is AppendJSON with a text value appended as it is: what CAST to VARCHAR gives and query results show.
func AppendText(dst, meta, value []byte) []byte {
	if isContainer(value) {
		return AppendJSON(dst, meta, value)
	}
	var s scalar
	if !s.decode(value) {
		return append(dst, "null"...)
	}
	return s.appendText(dst)
}

func appendJSON(dst []byte, m *metadata, value []byte, depth int, budget *int) []byte {
	c, nested, ok := enter(value, depth, budget)
	if !ok {
		return append(dst, "null"...)
	}
	if !nested {
		if len(value) > 0 {
			if text, ok := plainText(value); ok {
				return AppendQuoted(dst, text)
			}
			if i, ok := plainInt(value); ok {
				return strconv.AppendInt(dst, i, 10)
			}
		}
		var s scalar
		if !s.decode(value) {
			return append(dst, "null"...)
		}
		return s.appendJSON(dst)
	}
	open, end := byte('['), byte(']')
	if c.object {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for i := range c.n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.object {
			name, _ := m.name(c.id(i))
			dst = append(AppendQuoted(dst, name), ':')
		}
		v, _ := c.value(i)
		dst = appendJSON(dst, m, v, depth-1, budget)
	}
	return append(dst, end)
}

// appendJSON appends the scalar as JSON.
func (s *scalar) appendJSON(dst []byte) []byte {
	switch s.kind {
	case String:
		return AppendQuoted(dst, s.b)
	case Null, Boolean, BigInt, LargeInt, Decimal, Number:
		return s.appendText(dst)
	case Double, Float:
		if !math.IsNaN(s.f) && !math.IsInf(s.f, 0) {
			return s.appendText(dst)
		}
	}
	dst = s.appendText(append(dst, '"'))
	return append(dst, '"')
}

// appendText appends the scalar as plain text.
func (s *scalar) appendText(dst []byte) []byte {
	switch s.kind {
	case Boolean:
		return strconv.AppendBool(dst, s.i != 0)
	case BigInt:
		return strconv.AppendInt(dst, s.i, 10)
	case LargeInt:
		return types.Int128{Lo: s.w[0], Hi: int64(s.w[1])}.Append(dst)
	case Double:
		return types.AppendDouble(dst, s.f)
	case Float:
		return types.AppendFloat(dst, float32(s.f))
	case Decimal:
		return s.appendDecimal(dst)
	case Number, String:
		return append(dst, s.b...)
	case Date:
		return types.AppendDate(dst, int32(s.i))
	case DateTime:
		return s.appendNanos(types.AppendDateTime(dst, s.i))
	case TimestampTZ:
		return append(s.appendNanos(types.AppendDateTime(dst, s.i)), "+00:00"...)
	case Time:
		return types.AppendTime(dst, s.i)
	case IPv4:
		return types.AppendIPv4(dst, uint32(s.i))
	case IPv6:
		return types.AppendIPv6(dst, s.u)
	case UUID:
		return types.AppendUUID(dst, s.u)
	case Binary:
		return base64.StdEncoding.AppendEncode(dst, s.b)
	}
	return append(dst, "null"...)
}

// appendNanos appends the digits below the microsecond to a timestamp whose text ends with as many digits of the fraction as it needs.
func (s *scalar) appendNanos(dst []byte) []byte {
	if s.nanos == 0 {
		return dst
	}
	micros := s.i % 1_000_000
	if micros < 0 {
		micros += 1_000_000
	}
	if micros != 0 {
		for dst[len(dst)-1] != '.' {
			dst = dst[:len(dst)-1]
		}
	} else {
		dst = append(dst, '.')
	}
	text := strconv.AppendInt(nil, 1_000_000_000+micros*1000+int64(s.nanos), 10)
	return append(dst, text[1:]...)
}

// AppendQuoted appends s as a JSON string: `"`, `\` and control characters escaped (the usual letters, else \u00XX in upper case), and
// U+2028 and U+2029, which end lines for some readers.
func AppendQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; ; i++ {
		i += plainPrefix(s[i:])
		if i >= len(s) {
			break
		}
		c := s[i]
		if c == 0xE2 {
			if i+2 < len(s) && s[i+1] == 0x80 && s[i+2]&^1 == 0xA8 {
				dst = append(append(dst, s[from:i]...), `\u202`...)
				dst = append(dst, '8'+s[i+2]&1)
				i += 2
				from = i + 1
			}
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		if e := escapes[c]; e != 0 {
			dst = append(dst, '\\', e)
		} else {
			const hex = "0123456789ABCDEF"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}

var escapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// plainPrefix returns the number of bytes before the first that AppendQuoted must look at: below 0x20, '"', '\' or 0xE2.
func plainPrefix(s []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		quote, slash, line := w^ones*'"', w^ones*'\\', w^ones*0xE2
		// A byte that borrows from its neighbour marks only bytes above the first hit, so the lowest mark is right.
		hit := (w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash | (line-ones)&^line
		if hit &= tops; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c == 0xE2 {
			return i
		}
	}
	return i
}
