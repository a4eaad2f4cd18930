package variant

import "unicode/utf8"

// glob is a compiled path pattern: '*' any run, '?' one character, [abc], [a-z], [!x], [^x] one of a class, '\' takes the next character
// as it is (alone at the end: itself). Dots and slashes are ordinary. A pattern with an empty or unterminated class matches nothing.
type glob struct {
	tokens []globToken
	never  bool
}

// globToken matches one character, or any run of them where star is set.
type globToken struct {
	star, any, class bool
	negated          bool
	ranges           []runeRange // for a plain character: one range of it
}

type runeRange struct{ lo, hi rune }

func compileGlob(pattern string) glob {
	var g glob
	for i := 0; i < len(pattern); {
		r, size := utf8.DecodeRuneInString(pattern[i:])
		i += size
		switch {
		case r == '*':
			if n := len(g.tokens); n == 0 || !g.tokens[n-1].star {
				g.tokens = append(g.tokens, globToken{star: true})
			}
			continue
		case r == '?':
			g.tokens = append(g.tokens, globToken{any: true})
			continue
		case r == '[':
			t, next, ok := compileClass(pattern, i)
			if !ok {
				return glob{never: true}
			}
			g.tokens, i = append(g.tokens, t), next
			continue
		case r == '\\' && i < len(pattern):
			r, size = utf8.DecodeRuneInString(pattern[i:])
			i += size
		}
		g.tokens = append(g.tokens, globToken{ranges: []runeRange{{r, r}}})
	}
	return g
}

// compileClass reads a class whose '[' lies before pattern[i:] and returns where it ends.
func compileClass(pattern string, i int) (t globToken, next int, ok bool) {
	t.class = true
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		t.negated = true
		i++
	}
	char := func() (r rune, escaped bool) {
		r, size := utf8.DecodeRuneInString(pattern[i:])
		i += size
		if r == '\\' && i < len(pattern) {
			r, size = utf8.DecodeRuneInString(pattern[i:])
			i += size
			escaped = true
		}
		return r, escaped
	}
	for i < len(pattern) {
		lo, escaped := char()
		if lo == ']' && !escaped {
			return t, i, len(t.ranges) > 0
		}
		hi := lo
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			i++
			hi, _ = char()
		}
		t.ranges = append(t.ranges, runeRange{lo, hi})
	}
	return t, i, false
}

func (t *globToken) matches(r rune) bool {
	if t.any {
		return true
	}
	for _, c := range t.ranges {
		if r >= c.lo && r <= c.hi {
			return !t.negated
		}
	}
	return t.negated
}

// match tells whether the pattern matches all of s. Its cost is at most the product of the lengths.
func (g *glob) match(s string) bool {
	if g.never {
		return false
	}
	at, i := 0, 0
	star, resume := -1, 0 // the last '*' and the place in s from which it may take one character more
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case at < len(g.tokens) && g.tokens[at].star:
			star, resume = at, i
			at++
			continue
		case at < len(g.tokens) && g.tokens[at].matches(r):
			at++
			i += size
			continue
		case star < 0:
			return false
		}
		_, skip := utf8.DecodeRuneInString(s[resume:])
		resume += skip
		at, i = star+1, resume
	}
	for at < len(g.tokens) && g.tokens[at].star {
		at++
	}
	return at == len(g.tokens)
}
