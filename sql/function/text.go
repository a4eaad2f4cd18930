package function

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// maxTextBytes bounds the text that one call may make of one row, so that repeat and its like cannot exhaust memory.
const maxTextBytes = 64 << 20

// Text functions count characters from 1. As in MySQL and Doris, concat and || give NULL if any part is NULL.
func init() {
	define("length char_length character_length", "text", "Number of characters of a text, of bytes of a binary.",
		sig("(text) -> bigint", textLength(vec.RuneCount)), sig("(binary) -> bigint", textLength(func(s []byte) int { return len(s) })))
	define("octet_length strlen", "text", "Number of bytes.", sig("(text) -> bigint", byteLength), sig("(binary) -> bigint", byteLength))
	define("bit_length", "text", "Number of bits.", sig("(text) -> bigint", rows(func(r *row) int64 { return int64(len(r.text(0))) * 8 })))
	define("lower lcase", "text", "The text in lower case.", sig("(text) -> text", mapText(appendLower)))
	define("upper ucase", "text", "The text in upper case.", sig("(text) -> text", mapText(appendUpper)))
	define("initcap", "text", "The text with the first letter of each word in upper case, others in lower case.",
		sig("(text) -> text", mapText(appendInitcap)))
	define("reverse", "text", "The characters in reverse order.", sig("(text) -> text", mapText(appendReverse)),
		sig("(array<any>) -> first", buildRows(reverseRows)))
	define("trim btrim", "text", "The text without the given characters (default: spaces) at both ends.",
		sig("(text, text?) -> text", sliceRows(func(r *row, s []byte) (int, int) { return trimBounds(r, s, true, true) })))
	define("ltrim", "text", "The text without the given characters (default: spaces) at its beginning.",
		sig("(text, text?) -> text", sliceRows(func(r *row, s []byte) (int, int) { return trimBounds(r, s, true, false) })))
	define("rtrim", "text", "The text without the given characters (default: spaces) at its end.",
		sig("(text, text?) -> text", sliceRows(func(r *row, s []byte) (int, int) { return trimBounds(r, s, false, true) })))
	define("substr substring mid", "text", "The part from a character on, of a length; a negative position counts from the end.",
		sig("(text, bigint, bigint?) -> text", sliceRows(substrBounds)))
	define("left strleft", "text", "The first n characters.", sig("(text, bigint) -> text", sliceRows(func(r *row, s []byte) (int, int) {
		return 0, runeOffset(s, r.int(1))
	})))
	define("right strright", "text", "The last n characters.", sig("(text, bigint) -> text", sliceRows(func(r *row, s []byte) (int, int) {
		return runeOffset(s, int64(vec.RuneCount(s))-max(r.int(1), 0)), len(s)
	})))
	define("substring_index", "text", "The text before the n-th occurrence of a delimiter, or after the n-th from the end if n is negative.",
		sig("(text, text, bigint) -> text", sliceRows(substringIndex)))
	define("split_part", "text", "The n-th part between delimiters, from the end if n is negative; empty if there is none.",
		sig("(text, text, bigint) -> text", sliceRows(splitPart)))
	defineTextMakers()
	defineTextSearch()
	defineSimilarity()
	defineFormatting()
}

// textLength measures texts; n is at most the length of the batch.
func textLength(measure func(s []byte) int) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		s.traits.infallible = true
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			out := make([]int64, n)
			views := vec.Slice[vec.View](args[0])
			for i := range out {
				out[i] = int64(measure(views[i].Bytes(args[0].Bufs)))
			}
			return vec.NewFlat(s.Ret, out, args[0].Valid), nil
		}, nil
	}
}

// byteLength reads lengths from the views without touching the texts.
func byteLength(s *Scalar, _ []Arg) (Kernel, error) {
	s.traits.infallible = true
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]int64, n)
		vec.Map1(out, vec.Slice[vec.View](args[0]), func(v vec.View) int64 { return int64(v.Len()) })
		return vec.NewFlat(s.Ret, out, args[0].Valid), nil
	}, nil
}

// mapText applies a function from text to text.
func mapText(f func(dst, s []byte) []byte) maker {
	return textRows(func(r *row, dst []byte) []byte { return f(dst, r.text(0)) })
}

func appendLower(dst, s []byte) []byte {
	if vec.ASCIIPrefix(s) < len(s) {
		return append(dst, bytes.ToLower(s)...)
	}
	return appendFolded(dst, s, 'A')
}

func appendUpper(dst, s []byte) []byte {
	if vec.ASCIIPrefix(s) < len(s) {
		return append(dst, bytes.ToUpper(s)...)
	}
	return appendFolded(dst, s, 'a')
}

// appendFolded appends ASCII text with the case of the 26 letters from first on changed, eight bytes at a time.
func appendFolded(dst, s []byte, first byte) []byte {
	const ones = 0x0101010101010101
	// Adding these to a byte below 128 carries into its bit 7 from the first letter on, and from behind the last one on.
	from, behind := ones*uint64(0x80-first), ones*uint64(0x80-first-26)
	for len(s) >= 8 {
		x := binary.LittleEndian.Uint64(s)
		letters := ((x + from) &^ (x + behind)) & (ones * 0x80)
		dst = binary.LittleEndian.AppendUint64(dst, x^letters>>2)
		s = s[8:]
	}
	for _, c := range s {
		if c-first < 26 {
			c ^= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func appendInitcap(dst, s []byte) []byte {
	inWord := false
	for _, c := range string(s) {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			inWord = false
		case inWord:
			c = unicode.ToLower(c)
		default:
			c, inWord = unicode.ToTitle(c), true
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}

func appendReverse(dst, s []byte) []byte {
	for len(s) > 0 {
		_, n := utf8.DecodeLastRune(s)
		dst = append(dst, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	return dst
}

// trimBounds finds what is left between the characters of argument 1, or spaces.
func trimBounds(r *row, s []byte, left, right bool) (from, to int) {
	cut := " "
	if r.has(1) {
		cut = string(r.text(1))
	}
	to = len(s)
	if left {
		from = to - len(bytes.TrimLeft(s, cut))
	}
	if right {
		to = from + len(bytes.TrimRight(s[from:], cut))
	}
	return from, to
}

// runeOffset is the byte offset behind the first n characters.
func runeOffset(s []byte, n int64) int {
	if n <= 0 {
		return 0
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return i
}

func substrBounds(r *row, s []byte) (from, to int) {
	pos := r.int(1)
	switch {
	case pos == 0:
		return 0, 0
	case pos < 0:
		n := int64(vec.RuneCount(s))
		if -pos > n || pos < -n {
			return 0, 0
		}
		pos = n + pos + 1
	}
	from, to = runeOffset(s, pos-1), len(s)
	if r.has(2) {
		to = from + runeOffset(s[from:], r.int(2))
	}
	return from, to
}

func substringIndex(r *row, s []byte) (from, to int) {
	delim, n := r.text(1), r.int(2)
	if len(delim) == 0 || n == 0 {
		return 0, 0
	}
	if n > 0 {
		at := 0
		for ; n > 0; n-- {
			i := bytes.Index(s[at:], delim)
			if i < 0 {
				return 0, len(s)
			}
			at += i + len(delim)
		}
		return 0, at - len(delim)
	}
	at := len(s)
	for ; n < 0; n++ {
		i := bytes.LastIndex(s[:at], delim)
		if i < 0 {
			return 0, len(s)
		}
		at = i
	}
	return at + len(delim), len(s)
}

func splitPart(r *row, s []byte) (from, to int) {
	delim, n := r.text(1), r.int(2)
	switch {
	case len(delim) == 0:
		if n == 1 || n == -1 {
			return 0, len(s)
		}
		return 0, 0
	case n > 0:
		for ; n > 1; n-- {
			i := bytes.Index(s[from:], delim)
			if i < 0 {
				return 0, 0
			}
			from += i + len(delim)
		}
		if i := bytes.Index(s[from:], delim); i >= 0 {
			return from, from + i
		}
		return from, len(s)
	case n < 0:
		to = len(s)
		for ; n < -1; n++ {
			i := bytes.LastIndex(s[:to], delim)
			if i < 0 {
				return 0, 0
			}
			to = i
		}
		return bytes.LastIndex(s[:to], delim) + lenIfFound(s[:to], delim), to
	}
	return 0, 0
}

// lenIfFound is what to add to LastIndex to get behind the delimiter, or to 0 where there is none.
func lenIfFound(s, delim []byte) int {
	if bytes.Contains(s, delim) {
		return len(delim)
	}
	return 1
}

// tooLong fails the row if its result would exceed the limit.
func tooLong(r *row, name string, n int64) bool {
	if n > maxTextBytes {
		r.fail(sqlerr.Resource, "%s makes a text of %d bytes, more than the limit of %d", name, n, maxTextBytes)
		return true
	}
	return false
}
