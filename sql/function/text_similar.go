package function

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// defineSimilarity adds measures of how much texts look or sound alike.
func defineSimilarity() {
	define("damerau_levenshtein", "text", "The edit distance in which exchanging two neighbours counts as one step too.",
		sig("(text, text) -> bigint", rows(func(r *row) int64 { return int64(damerau([]rune(string(r.text(0))), []rune(string(r.text(1))))) })))
	define("hamming mismatches", "text", "The number of places at which texts of the same length differ.", sig("(text, text) -> bigint", rows(func(r *row) int64 {
		a, b := []rune(string(r.text(0))), []rune(string(r.text(1)))
		if len(a) != len(b) {
			r.fail(sqlerr.OutOfRange, "hamming takes texts of the same length, not of %d and %d characters", len(a), len(b))
			return 0
		}
		n := int64(0)
		for i := range a {
			if a[i] != b[i] {
				n++
			}
		}
		return n
	})))
	score := func(name, about string, f func(a, b []rune) float64) {
		define(name, "text", about, sig("(text, text) -> double", rows(func(r *row) float64 {
			return f([]rune(string(r.text(0))), []rune(string(r.text(1))))
		}), traits{infallible: true}))
	}
	score("jaccard", "The share of the characters that both texts have in those that either has, from 0 to 1.", jaccard)
	score("jaro_similarity", "The Jaro similarity, from 0 to 1.", jaro)
	score("jaro_winkler_similarity", "The Jaro-Winkler similarity, from 0 to 1: a common beginning counts more.", jaroWinkler)
	define("soundex", "text", "The American Soundex code of a word.", sig("(text) -> text", mapText(appendSoundex), traits{infallible: true}))
	define("strip_accents", "text", "The text with letters in the place of letters with accents.", sig("(text) -> text", mapText(func(dst, s []byte) []byte {
		for _, c := range string(norm.NFD.Bytes(s)) {
			if !unicode.Is(unicode.Mn, c) {
				dst = utf8.AppendRune(dst, c)
			}
		}
		return dst
	}), traits{infallible: true}))
	define("nfc_normalize", "text", "The text in Unicode's composed form (NFC).", sig("(text) -> text", mapText(func(dst, s []byte) []byte {
		return norm.NFC.Append(dst, s...)
	}), traits{infallible: true}))
}

// damerau is the optimal string alignment distance.
func damerau(a, b []rune) int {
	width := len(b) + 1
	table := make([]int, (len(a)+1)*width)
	for i := range len(a) + 1 {
		table[i*width] = i
	}
	for j := range width {
		table[j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(table[(i-1)*width+j]+1, table[i*width+j-1]+1, table[(i-1)*width+j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, table[(i-2)*width+j-2]+1)
			}
			table[i*width+j] = d
		}
	}
	return table[len(table)-1]
}

func jaccard(a, b []rune) float64 {
	seen := map[rune]int{}
	for _, c := range a {
		seen[c] |= 1
	}
	for _, c := range b {
		seen[c] |= 2
	}
	common := 0
	for _, sides := range seen {
		if sides == 3 {
			common++
		}
	}
	if len(seen) == 0 {
		return 1
	}
	return float64(common) / float64(len(seen))
}

func jaro(a, b []rune) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	reach := max(max(len(a), len(b))/2-1, 0)
	usedA, usedB := make([]bool, len(a)), make([]bool, len(b))
	matches := 0
	for i := range a {
		for j := max(0, i-reach); j < min(len(b), i+reach+1); j++ {
			if !usedB[j] && a[i] == b[j] {
				usedA[i], usedB[j] = true, true
				matches++
				break
			}
		}
	}
	if matches == 0 {
		return 0
	}
	crossed, j := 0, 0
	for i := range a {
		if !usedA[i] {
			continue
		}
		for !usedB[j] {
			j++
		}
		if a[i] != b[j] {
			crossed++
		}
		j++
	}
	m := float64(matches)
	return (m/float64(len(a)) + m/float64(len(b)) + (m-float64(crossed/2))/m) / 3
}

// jaroWinkler gives a tenth of what is missing for each of up to four equal first characters, where texts are alike at all.
func jaroWinkler(a, b []rune) float64 {
	score := jaro(a, b)
	if score <= 0.7 {
		return score
	}
	prefix := 0
	for prefix < min(len(a), len(b), 4) && a[prefix] == b[prefix] {
		prefix++
	}
	return score + float64(prefix)*0.1*(1-score)
}

// soundexCodes are the digits of the letters A to Z; vowels have 0, which separates equal codes, as H and W do not.
const soundexCodes = "01230120022455012623010202"

func appendSoundex(dst, s []byte) []byte {
	start := len(dst)
	last := byte(0)
	for _, c := range s {
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c < 'A' || c > 'Z' {
			continue
		}
		code := soundexCodes[c-'A']
		switch {
		case len(dst) == start:
			dst = append(dst, c)
		case c == 'H' || c == 'W':
			continue
		case code != '0' && code != last:
			dst = append(dst, code)
		}
		if last = code; len(dst) == start+4 {
			return dst
		}
	}
	for len(dst) > start && len(dst) < start+4 {
		dst = append(dst, '0')
	}
	return dst
}
