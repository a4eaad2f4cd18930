package jsonparse

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"sync"
)

// letters holds the letter of the two-byte escape of a byte, or 0.
var letters = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// AppendQuoted appends s as a JSON string: quote, backslash and control characters escaped, everything else as it is, so that valid
// UTF-8 stays valid and text that Parse delivered comes back as the shortest JSON text that denotes it.
func AppendQuoted(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for {
		i := plainPrefix(s)
		dst = append(dst, s[:i]...)
		if i == len(s) {
			return append(dst, '"')
		}
		c := s[i]
		if l := letters[c]; l != 0 {
			dst = append(dst, '\\', l)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		s = s[i+1:]
	}
}

// plainPrefix is the length of the longest prefix of s that needs no escape.
func plainPrefix(s []byte) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := binary.LittleEndian.Uint64(s[i:])
		low := x & lows
		t := ((low^'"'*ones)+lows)&((low^'\\'*ones)+lows)&(low+0x60*ones) | x
		if m := ^t & highs; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// AppendDouble appends the shortest text that denotes f in the form ECMAScript prints numbers: plain from 1e-6 up to below 1e21, else
// with an exponent (1e+30, 1e-7). It differs for the negative zero, which is -0. NaN and the infinities, which JSON does not have, become
// null.
func AppendDouble(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case abs < 1<<53 && f == math.Trunc(f) && (f != 0 || !math.Signbit(f)):
		return strconv.AppendInt(dst, int64(f), 10)
	case f == 0:
		return append(dst, "-0"...)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // strconv writes at least two digits of exponent
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// deaf is a visitor that ignores everything.
type deaf struct{}

func (deaf) BeginObject()   {}
func (deaf) Key([]byte)     {}
func (deaf) EndObject()     {}
func (deaf) BeginArray()    {}
func (deaf) EndArray()      {}
func (deaf) Null()          {}
func (deaf) Bool(bool)      {}
func (deaf) Int(int64)      {}
func (deaf) Double(float64) {}
func (deaf) Number([]byte)  {}
func (deaf) String([]byte)  {}

// parsers holds parsers with default limits for the functions below.
var parsers = sync.Pool{New: func() any { return New(Options{}) }}

// Valid returns nil if data is one JSON value that Parse accepts under the default limits, and Parse's error otherwise.
func Valid(data []byte) error {
	p := parsers.Get().(*Parser)
	defer parsers.Put(p)
	return p.Parse(data, deaf{})
}

// Compact appends the JSON value in src without insignificant white space; strings and numbers keep their spelling. On error, that of
// Valid, dst comes back unchanged.
func Compact(dst, src []byte) ([]byte, error) {
	if err := Valid(src); err != nil {
		return dst, err
	}
	from := 0 // src[from:i] is still to be copied
	for i := 0; i < len(src); {
		switch src[i] {
		case '"':
			i = skipString(src, i)
		case ' ', '\t', '\r', '\n':
			dst = append(dst, src[from:i]...)
			i = skipSpace(src, i)
			from = i
		default:
			i++
		}
	}
	return append(dst, src[from:]...), nil
}
