package function

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

func defineTextMakers() {
	define("concat", "text", "The arguments joined; NULL if one is NULL.", sig("(text, text*) -> text", textRows(concatRow)),
		sig("(array<T>, array<T>*) -> array<T>", buildRows(concatArrays)))
	define("||", "operator", "Two texts or arrays joined; NULL if one is NULL.", sig("(text, text) -> text", textRows(concatRow)),
		sig("(binary, binary) -> binary", textRows(concatRow)), sig("(array<T>, array<T>) -> array<T>", buildRows(concatArrays)))
	define("concat_ws", "text", "The arguments behind the first that are not NULL, joined by the first.",
		sig("(text, text*) -> text", textRows(concatWithSeparator), traits{nullsIn: true}),
		sig("(text, array<text>) -> text", textRows(func(r *row, dst []byte) []byte { return joinArray(r, dst, 1, 0, -1) })))
	define("repeat", "text", "The text n times.", sig("(text, bigint) -> text", textRows(repeatRow)))
	define("space", "text", "n spaces.", sig("(bigint) -> text", textRows(func(r *row, dst []byte) []byte {
		n := max(r.int(0), 0)
		if tooLong(r, "space", n) {
			return dst
		}
		return append(dst, strings.Repeat(" ", int(n))...)
	})))
	define("lpad", "text", "The text cut or filled at its beginning to n characters.",
		sig("(text, bigint, text?) -> text", textRows(func(r *row, dst []byte) []byte { return padRow(r, dst, true) }), traits{maybeNull: true}))
	define("rpad", "text", "The text cut or filled at its end to n characters.",
		sig("(text, bigint, text?) -> text", textRows(func(r *row, dst []byte) []byte { return padRow(r, dst, false) }), traits{maybeNull: true}))
	define("replace", "text", "The text with every occurrence of one text replaced by another.",
		sig("(text, text, text) -> text", textRows(replaceRow)))
	define("translate", "text", "The text with each character of the second argument replaced by the one in the same place of the third.",
		sig("(text, text, text) -> text", textRows(translateRow)))
	define("insert", "text", "The text with len characters from pos on replaced.", sig("(text, bigint, bigint, text) -> text", textRows(insertRow)))
	define("quote", "text", "The text as a SQL literal.", sig("(text) -> text", mapText(func(dst, s []byte) []byte {
		return append(append(append(dst, '\''), bytes.ReplaceAll(s, []byte("'"), []byte("''"))...), '\'')
	})))
	define("chr char", "text", "The character of a code point.", sig("(bigint) -> text", textRows(chrRow)))
	define("ascii ord unicode", "text", "The code point of the first character, 0 for an empty text.", sig("(text) -> bigint", rows(func(r *row) int64 {
		s := r.text(0)
		if len(s) == 0 {
			return 0
		}
		c, _ := utf8.DecodeRune(s)
		return int64(c)
	})))
	define("bin to_binary", "text", "The binary digits of an integer in two's complement.", sig("(bigint) -> text", textRows(func(r *row, dst []byte) []byte {
		return strconv.AppendUint(dst, uint64(r.int(0)), 2)
	})))
	define("encode", "text", "The bytes of a text in UTF-8.", sig("(text) -> binary", sliceRows(func(_ *row, s []byte) (int, int) { return 0, len(s) }), traits{infallible: true}))
	define("elt", "text", "The n-th of the other arguments, NULL if there is none.", sig("(bigint, text, text*) -> text", textRows(func(r *row, dst []byte) []byte {
		k := int64(0)
		if !r.isNull(0) {
			k = r.int(0)
		}
		if k < 1 || k >= int64(len(r.args)) || r.isNull(int(k)) {
			r.null = true
			return dst
		}
		return append(dst, r.text(int(k))...)
	}), traits{nullsIn: true, infallible: true}))
	defineDigests()
}

func concatRow(r *row, dst []byte) []byte {
	for k := range r.args {
		dst = append(dst, r.text(k)...)
	}
	return dst
}

func concatWithSeparator(r *row, dst []byte) []byte {
	if r.isNull(0) {
		r.null = true
		return dst
	}
	first := true
	for k := 1; k < len(r.args); k++ {
		if r.isNull(k) {
			continue
		}
		if !first {
			dst = append(dst, r.text(0)...)
		}
		first = false
		dst = append(dst, r.text(k)...)
	}
	return dst
}

func repeatRow(r *row, dst []byte) []byte {
	s, n := r.text(0), r.int(1)
	if n <= 0 || len(s) == 0 {
		return dst
	}
	hi, total := bits.Mul64(uint64(n), uint64(len(s)))
	if hi != 0 || total > maxTextBytes {
		tooLong(r, "repeat", max(int64(total&(1<<62-1)), maxTextBytes+1))
		return dst
	}
	for ; n > 0; n-- {
		dst = append(dst, s...)
	}
	return dst
}

// padRow is lpad or rpad; like MySQL it gives NULL for a negative length, and like Doris an empty filling leaves nothing to fill with.
func padRow(r *row, dst []byte, left bool) []byte {
	s, n := r.text(0), r.int(1)
	fill := []byte(" ")
	if r.has(2) {
		fill = r.text(2)
	}
	if n < 0 {
		r.null = true
		return dst
	}
	have := int64(vec.RuneCount(s))
	if n <= have {
		return append(dst, s[:runeOffset(s, n)]...)
	}
	if len(fill) == 0 {
		r.null = true
		return dst
	}
	if tooLong(r, "lpad", n) {
		return dst
	}
	if !left {
		dst = append(dst, s...)
	}
	width := int64(vec.RuneCount(fill))
	for missing := n - have; missing > 0; missing -= width {
		dst = append(dst, fill[:runeOffset(fill, missing)]...)
	}
	if left {
		dst = append(dst, s...)
	}
	return dst
}

func replaceRow(r *row, dst []byte) []byte {
	s, old, with := r.text(0), r.text(1), r.text(2)
	if len(old) == 0 {
		return append(dst, s...)
	}
	start := len(dst)
	for {
		i := bytes.Index(s, old)
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(append(dst, s[:i]...), with...)
		s = s[i+len(old):]
		if tooLong(r, "replace", int64(len(dst)-start)) {
			return dst
		}
	}
}

func translateRow(r *row, dst []byte) []byte {
	from, to := []rune(string(r.text(1))), []rune(string(r.text(2)))
	for _, c := range string(r.text(0)) {
		hit := false
		for i, f := range from {
			if c != f {
				continue
			}
			if hit = true; i < len(to) {
				dst = utf8.AppendRune(dst, to[i])
			}
			break
		}
		if !hit {
			dst = utf8.AppendRune(dst, c)
		}
	}
	return dst
}

func insertRow(r *row, dst []byte) []byte {
	s, pos, n := r.text(0), r.int(1), r.int(2)
	if pos < 1 || pos > int64(vec.RuneCount(s)) {
		return append(dst, s...)
	}
	from := runeOffset(s, pos-1)
	to := len(s)
	if n >= 0 {
		to = from + runeOffset(s[from:], n)
	}
	return append(append(append(dst, s[:from]...), r.text(3)...), s[to:]...)
}

func chrRow(r *row, dst []byte) []byte {
	n := r.int(0)
	if n < 0 || n > utf8.MaxRune || n >= 0xd800 && n <= 0xdfff {
		r.fail(sqlerr.OutOfRange, "%d is no Unicode code point", n)
		return dst
	}
	return utf8.AppendRune(dst, rune(n))
}

// hexDigest makes a function from text or binary to the hexadecimal digits of a digest.
func hexDigest(sum func(s []byte) []byte) []*signature {
	m := textRows(func(r *row, dst []byte) []byte { return hex.AppendEncode(dst, sum(r.text(0))) })
	return []*signature{sig("(text) -> text", m), sig("(binary) -> text", m)}
}

func defineDigests() {
	define("md5 md5sum", "text", "The MD5 digest in hexadecimal.", hexDigest(func(s []byte) []byte { d := md5.Sum(s); return d[:] })...)
	define("sha1 sha", "text", "The SHA-1 digest in hexadecimal.", hexDigest(func(s []byte) []byte { d := sha1.Sum(s); return d[:] })...)
	define("sha256", "text", "The SHA-256 digest in hexadecimal.", hexDigest(func(s []byte) []byte { d := sha256.Sum256(s); return d[:] })...)
	define("sha512", "text", "The SHA-512 digest in hexadecimal.", hexDigest(func(s []byte) []byte { d := sha512.Sum512(s); return d[:] })...)
	define("sha2", "text", "The SHA-2 digest of 224, 256, 384 or 512 bits in hexadecimal; NULL for other sizes.",
		sig("(text, bigint) -> text", textRows(sha2Row), traits{maybeNull: true}))
	define("crc32", "text", "The CRC-32 checksum (IEEE).", sig("(text) -> bigint", rows(func(r *row) int64 { return int64(crc32.ChecksumIEEE(r.text(0))) })))
	define("hash", "text", "A 64-bit hash of the text, the same in every process.",
		sig("(text) -> bigint", rows(func(r *row) int64 { return int64(vec.HashBytes(r.text(0))) })))
	define("hex to_hex", "text", "Hexadecimal digits of a text, of bytes or of an integer.",
		sig("(bigint) -> text", textRows(func(r *row, dst []byte) []byte {
			return append(dst, strings.ToUpper(strconv.FormatUint(uint64(r.int(0)), 16))...)
		})),
		sig("(text) -> text", textRows(hexRow)), sig("(binary) -> text", textRows(hexRow)))
	define("unhex from_hex", "text", "The bytes of hexadecimal digits, NULL for other text.",
		sig("(text) -> binary", textRows(func(r *row, dst []byte) []byte {
			out, err := hex.AppendDecode(dst, r.text(0))
			if err != nil {
				r.null = true
				return dst
			}
			return out
		}), traits{maybeNull: true}))
	base64Of := textRows(func(r *row, dst []byte) []byte { return base64.StdEncoding.AppendEncode(dst, r.text(0)) })
	define("to_base64 base64", "text", "Base64 of a text or of bytes.", sig("(text) -> text", base64Of), sig("(binary) -> text", base64Of))
	define("from_base64 unbase64", "text", "The bytes that base64 text stands for, NULL for other text.",
		sig("(text) -> binary", textRows(func(r *row, dst []byte) []byte {
			out, err := base64.StdEncoding.AppendDecode(dst, r.text(0))
			if err != nil {
				r.null = true
				return dst
			}
			return out
		}), traits{maybeNull: true}))
}

func hexRow(r *row, dst []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range r.text(0) {
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return dst
}

func sha2Row(r *row, dst []byte) []byte {
	s := r.text(0)
	switch r.int(1) {
	case 224:
		d := sha256.Sum224(s)
		return hex.AppendEncode(dst, d[:])
	case 0, 256:
		d := sha256.Sum256(s)
		return hex.AppendEncode(dst, d[:])
	case 384:
		d := sha512.Sum384(s)
		return hex.AppendEncode(dst, d[:])
	case 512:
		d := sha512.Sum512(s)
		return hex.AppendEncode(dst, d[:])
	}
	r.null = true
	return dst
}
