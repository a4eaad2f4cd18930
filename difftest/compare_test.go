package difftest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// sameRows compares two results as multisets and describes the first differences, or returns "".
func sameRows(a, b result) string {
	if len(a.rows) != len(b.rows) {
		return fmt.Sprintf("%d rows against %d", len(a.rows), len(b.rows))
	}
	if len(a.rows) == 0 {
		return ""
	}
	if len(a.rows[0]) != len(b.rows[0]) {
		return fmt.Sprintf("%d columns against %d", len(a.rows[0]), len(b.rows[0]))
	}
	float := make([]bool, len(a.rows[0]))
	for i := range float {
		float[i] = a.float != nil && a.float[i] || b.float != nil && b.float[i]
	}
	x, y := normal(a.rows, float), normal(b.rows, float)
	for i := range x {
		if !sameRow(x[i], y[i], float) {
			return unmatched(x, y, float)
		}
	}
	return ""
}

// normal returns rows in an order that floats decide last. Numbers are printed in one form.
func normal(rows [][]string, float []bool) [][]string {
	out := make([][]string, len(rows))
	for i, r := range rows {
		out[i] = make([]string, len(r))
		for j, c := range r {
			if out[i][j] = c; !float[j] {
				out[i][j] = plainNumber(c)
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		for pass := range 2 {
			for c := range float {
				if float[c] != (pass == 1) || out[i][c] == out[j][c] {
					continue
				}
				if !float[c] {
					return out[i][c] < out[j][c]
				}
				x, errX := strconv.ParseFloat(out[i][c], 64)
				y, errY := strconv.ParseFloat(out[j][c], 64)
				if errX == nil && errY == nil && x != y {
					return x < y
				}
				if (errX == nil) != (errY == nil) {
					return errX == nil
				}
			}
		}
		return false
	})
	return out
}

// plainNumber drops the zeros after the last digit of a decimal or a time, which say nothing about its value.
func plainNumber(s string) string {
	if dot := strings.LastIndexByte(s, '.'); dot > 0 && dot < len(s)-1 && strings.Trim(s[dot+1:], "0123456789") == "" &&
		strings.Trim(s[:dot], "0123456789-: ") == "" {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

func sameRow(a, b []string, float []bool) bool {
	for i := range a {
		if a[i] != b[i] && !(float[i] && sameFloat(a[i], b[i])) {
			return false
		}
	}
	return true
}

// sameFloat tells whether two texts are the same double but for the order of additions.
func sameFloat(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return false
	}
	return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y), 1e-3)
}

// unmatched pairs the rows that have an equal row on the other side and shows the rest.
func unmatched(a, b [][]string, float []bool) string {
	used := make([]bool, len(b))
	var left, right [][]string
	for _, r := range a {
		k := slices.IndexFunc(indexes(len(b)), func(j int) bool { return !used[j] && sameRow(r, b[j], float) })
		if k >= 0 {
			used[k] = true
			continue
		}
		left = append(left, r)
	}
	if left == nil {
		return ""
	}
	for j, r := range b {
		if !used[j] {
			right = append(right, r)
		}
	}
	// Columns that are alike in all rows shown say nothing.
	n := min(5, len(left))
	out := fmt.Sprintf("%d of %d rows differ\n", len(left), len(a))
	for c := range float {
		x, y := column(left[:n], c), column(right[:n], c)
		if !slices.Equal(x, y) || len(float) < 6 {
			out += fmt.Sprintf("  column %d: %q\n   against %q\n", c, x, y)
		}
	}
	return out
}

func column(rows [][]string, c int) (out []string) {
	for _, r := range rows {
		out = append(out, cut(r[c]))
	}
	return out
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// canonicalForms rewrites a JSON text so that values that DuckDB prints in its own way are equal to Ebira's: fractions are equal if their
// doubles or floats are, time zones are written short, times have five digits, and binary values are base64.
func canonicalForms(t *testing.T, text string) string {
	t.Helper()
	v, err := decodeJSON(text)
	if err != nil {
		t.Fatalf("%v in %s", err, cut(text))
	}
	return string(appendCanonical(nil, canonicalForm(v)))
}

var (
	duckBinary = regexp.MustCompile(`^(\\x[0-9A-F]{2})+$`)
	longTime   = regexp.MustCompile(`( \d\d:\d\d:\d\d\.\d{5})\d+`)
	utcOffset  = regexp.MustCompile(`( \d\d:\d\d:\d\d(\.\d+)?)\+00(:00)?$`)
)

func canonicalForm(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = canonicalForm(e)
		}
	case []any:
		for i, e := range v {
			v[i] = canonicalForm(e)
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && strings.ContainsAny(string(v), ".eE") {
			bits := 64
			if float64(float32(f)) == f {
				bits = 32
			}
			return json.Number(strconv.FormatFloat(f, 'e', -1, bits))
		}
	case string:
		if duckBinary.MatchString(v) {
			b, err := hex.DecodeString(strings.ReplaceAll(v, `\x`, ""))
			if err == nil {
				return base64.StdEncoding.EncodeToString(b)
			}
		}
		return longTime.ReplaceAllString(utcOffset.ReplaceAllString(v, "$1"), "$1")
	}
	return v
}

// decodeJSON parses a text and keeps its numbers as written.
func decodeJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	return v, d.Decode(&v)
}

// appendCanonical writes a parsed document so that equal values have equal texts: keys sorted, numbers by exact value.
func appendCanonical(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		b = append(b, '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(strconv.AppendQuote(b, k), ':')
			b = appendCanonical(b, v[k])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCanonical(b, e)
		}
		return append(b, ']')
	case json.Number:
		return append(b, exactNumber(string(v))...)
	case string:
		return strconv.AppendQuote(b, v)
	case nil:
		return append(b, "null"...)
	}
	return fmt.Append(b, v)
}

// exactNumber writes a JSON number as digits and a power of ten, without zeros at either end.
func exactNumber(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	exp := 0
	if e := strings.IndexAny(s, "eE"); e >= 0 {
		n, err := strconv.Atoi(s[e+1:])
		if err != nil {
			return sign + s
		}
		s, exp = s[:e], n
	}
	if dot := strings.IndexByte(s, '.'); dot >= 0 {
		exp -= len(s) - dot - 1
		s = s[:dot] + s[dot+1:]
	}
	s = strings.TrimLeft(s, "0")
	trimmed := strings.TrimRight(s, "0")
	exp += len(s) - len(trimmed)
	if trimmed == "" {
		return "0"
	}
	return fmt.Sprintf("%s%se%d", sign, trimmed, exp)
}
