package function

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/ebira-db/ebira/vec"
)

func defineTextSearch() {
	test := func(f func(s, part []byte) bool) []*signature {
		return []*signature{sig("(text, text) -> boolean", rows(func(r *row) bool { return f(r.text(0), r.text(1)) }), traits{infallible: true})}
	}
	define("starts_with startswith prefix", "text", "Whether the text begins with another.", test(bytes.HasPrefix)...)
	define("ends_with endswith suffix", "text", "Whether the text ends with another.", test(bytes.HasSuffix)...)
	define("contains", "text", "Whether the text contains another, or the array an element.",
		append(test(bytes.Contains), sig("(array<T>, T) -> boolean", rows(arrayContains), traits{maybeNull: true}))...)
	define("instr strpos", "text", "The position of the second text in the first, 0 if it is not there.",
		sig("(text, text) -> bigint", rows(func(r *row) int64 { return findText(r.text(0), r.text(1), 1) })))
	define("locate position", "text", "The position of the first text in the second, from a position on, 0 if it is not there.",
		sig("(text, text, bigint?) -> bigint", rows(func(r *row) int64 {
			from := int64(1)
			if r.has(2) {
				from = r.int(2)
			}
			return findText(r.text(1), r.text(0), from)
		})))
	define("strcmp", "text", "-1, 0 or 1 as the first text sorts before, equals or sorts after the second.",
		sig("(text, text) -> bigint", rows(func(r *row) int64 { return int64(bytes.Compare(r.text(0), r.text(1))) })))
	define("field", "text", "The position of the first argument among the others, 0 if it is not there.",
		sig("(text, text*) -> bigint", rows(fieldRow), traits{nullsIn: true}))
	define("find_in_set", "text", "The position of a text in a comma-separated list, 0 if it is not there.",
		sig("(text, text) -> bigint", rows(func(r *row) int64 {
			for i, part := range bytes.Split(r.text(1), []byte(",")) {
				if bytes.Equal(part, r.text(0)) {
					return int64(i + 1)
				}
			}
			return 0
		})))
	define("levenshtein editdist3", "text", "The edit distance: insertions, deletions and replacements of characters.",
		sig("(text, text) -> bigint", rows(levenshteinRow)))
	define("count_substrings substring_count", "text", "The number of occurrences of a text that do not overlap.",
		sig("(text, text) -> bigint", rows(func(r *row) int64 {
			if len(r.text(1)) == 0 {
				return 0
			}
			return int64(bytes.Count(r.text(0), r.text(1)))
		})))
	defineURLs()
}

// findText returns the position in characters of part in s from a position on.
func findText(s, part []byte, from int64) int64 {
	if from < 1 {
		return 0
	}
	at := runeOffset(s, from-1)
	if from > 1 && at == len(s) && int64(vec.RuneCount(s)) < from-1 {
		return 0
	}
	i := bytes.Index(s[at:], part)
	if i < 0 {
		return 0
	}
	return from + int64(vec.RuneCount(s[at:at+i]))
}

func fieldRow(r *row) int64 {
	if r.isNull(0) {
		return 0
	}
	for k := 1; k < len(r.args); k++ {
		if !r.isNull(k) && bytes.Equal(r.text(0), r.text(k)) {
			return int64(k)
		}
	}
	return 0
}

// maxDistanceCells bounds the work of one levenshtein call.
const maxDistanceCells = 1 << 26

func levenshteinRow(r *row) int64 {
	a, b := []rune(string(r.text(0))), []rune(string(r.text(1)))
	if tooLong(r, "levenshtein", int64(len(a))*int64(len(b))*(maxTextBytes/maxDistanceCells)) {
		return 0
	}
	return int64(editDistance(a, b))
}

func defineURLs() {
	define("url_encode", "text", "The text with everything but letters, digits and -_.~ percent-encoded.", sig("(text) -> text", mapText(func(dst, s []byte) []byte {
		return append(dst, strings.ReplaceAll(url.QueryEscape(string(s)), "+", "%20")...)
	})))
	define("url_decode", "text", "The text with percent-encoding undone; text that is not well encoded stays.", sig("(text) -> text", mapText(func(dst, s []byte) []byte {
		if out, err := url.PathUnescape(string(s)); err == nil && utf8.ValidString(out) {
			return append(dst, out...)
		}
		return append(dst, s...)
	})))
	define("domain", "text", "The host name of a URL, empty if it has none.", sig("(text) -> text", sliceRows(func(_ *row, s []byte) (int, int) { return hostBounds(s) })))
	define("domain_without_www", "text", "The host name of a URL without a leading www.", sig("(text) -> text", sliceRows(func(_ *row, s []byte) (int, int) {
		from, to := hostBounds(s)
		if bytes.HasPrefix(s[from:to], []byte("www.")) {
			from += 4
		}
		return from, to
	})))
	define("protocol", "text", "The scheme of a URL, empty if it has none.", sig("(text) -> text", sliceRows(func(_ *row, s []byte) (int, int) {
		return 0, max(bytes.Index(s, []byte("://")), 0)
	})))
	define("parse_url", "text", "A part of a URL: PROTOCOL, HOST, PATH, QUERY, REF, AUTHORITY, USERINFO, PORT, FILE, or QUERY with a key; NULL if it has none.",
		sig("(text, text, text?) -> text", textRows(parseURLRow), traits{maybeNull: true}))
}

// hostBounds finds the host name behind "scheme://" or "//", without user and port.
func hostBounds(s []byte) (from, to int) {
	i := bytes.Index(s, []byte("//"))
	if i < 0 || i > 0 && s[i-1] != ':' {
		return 0, 0
	}
	from, to = i+2, len(s)
	if end := bytes.IndexAny(s[from:], "/?#"); end >= 0 {
		to = from + end
	}
	if at := bytes.LastIndexByte(s[from:to], '@'); at >= 0 {
		from += at + 1
	}
	if colon := bytes.LastIndexByte(s[from:to], ':'); colon >= 0 && !bytes.HasSuffix(s[from:to], []byte("]")) {
		to = from + colon
	}
	return from, to
}

func parseURLRow(r *row, dst []byte) []byte {
	u, err := url.Parse(string(r.text(0)))
	if err != nil {
		r.null = true
		return dst
	}
	var part string
	switch strings.ToUpper(string(r.text(1))) {
	case "PROTOCOL":
		part = u.Scheme
	case "HOST":
		part = u.Hostname()
	case "PATH":
		part = u.EscapedPath()
	case "QUERY":
		if part = u.RawQuery; r.has(2) {
			part = u.Query().Get(string(r.text(2)))
		}
	case "REF":
		part = u.EscapedFragment()
	case "AUTHORITY":
		part = u.Host
		if u.User != nil {
			part = u.User.String() + "@" + u.Host
		}
	case "USERINFO":
		part = u.User.String()
	case "PORT":
		part = u.Port()
	case "FILE":
		if part = u.EscapedPath(); u.RawQuery != "" {
			part += "?" + u.RawQuery
		}
	}
	r.null = part == "" || !utf8.ValidString(part)
	return append(dst, part...)
}
