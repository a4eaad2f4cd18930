package stage

import (
	"strings"
	"unicode"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// fold maps names that differ only in case to one text: every letter to the smallest code point of its case variants, which is how
// strings.EqualFold compares.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 'A' {
			return r
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

// nameIndex finds columns by the name of a field: the exact name first, then a name that differs in case only.
type nameIndex struct {
	exact  map[string]int
	folded map[string]int // ambiguous where several names fold alike; nil if case matters
}

// Results of nameIndex.find that are no positions.
const (
	nameUnknown   = -1
	nameAmbiguous = -2
)

func newNameIndex(names []string, caseSensitive bool) *nameIndex {
	x := &nameIndex{exact: make(map[string]int, len(names))}
	if !caseSensitive {
		x.folded = make(map[string]int, len(names))
	}
	for i, n := range names {
		if _, ok := x.exact[n]; !ok {
			x.exact[n] = i
		}
		if caseSensitive {
			continue
		}
		key := fold(n)
		if _, ok := x.folded[key]; ok {
			i = nameAmbiguous
		}
		x.folded[key] = i
	}
	return x
}

// find returns the position of a name, nameUnknown or nameAmbiguous.
func (x *nameIndex) find(name string) int {
	if i, ok := x.exact[name]; ok {
		return i
	}
	if x.folded != nil {
		if i, ok := x.folded[fold(name)]; ok {
			return i
		}
	}
	return nameUnknown
}

// findKey is find without making a string of a key that is spelled exactly.
func (x *nameIndex) findKey(key []byte) int {
	if i, ok := x.exact[string(key)]; ok {
		return i
	}
	return x.find(string(key))
}

// errAmbiguous is the error for names of which the case decides.
func errAmbiguous(file, a, b string) error {
	return sqlerr.New(sqlerr.Bind, "file %s: columns %s and %s differ in case only; use COLUMN_MATCH_MODE = CASE_SENSITIVE", file, a, b)
}
