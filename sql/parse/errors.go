package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// maxShown bounds how much of a token an error message repeats, in characters.
const maxShown = 24

// expected fails at the current token: "expected <what>, found <token>", with a hint if a common slip fits.
func (p *parser) expected(what string) {
	msg := "expected " + what + ", found " + p.found(p.tok)
	if h := p.hint(what); h != "" {
		msg += "; " + h
	}
	p.failf("%s", msg)
}

// failf fails at the current token with a Syntax error.
func (p *parser) failf(format string, args ...any) {
	p.fail(sqlerr.At(sqlerr.Syntax, p.tok.start, format, args...))
}

// unsupported fails at off: the text was understood, but what it asks for is not built.
func (p *parser) unsupported(off int, what string) {
	p.fail(sqlerr.At(sqlerr.Unsupported, off, "%s", what))
}

// failToken reports a tokBad.
func (p *parser) failToken() {
	t := p.tok
	if t.bad != badChar {
		p.failf("%s", badTexts[t.bad])
		return
	}
	r, _ := utf8.DecodeRuneInString(p.src[t.start:])
	if advice := badAdvice[r]; advice != "" {
		p.failf("unexpected character %q; %s", r, advice)
		return
	}
	p.failf("unexpected character %q", r)
}

// found describes a token for messages.
func (p *parser) found(t token) string {
	switch t.kind {
	case tokEOF:
		return "the end of the statement"
	case tokString, tokEscaped, tokHex:
		return "the string " + p.shown(t)
	case tokQuoted:
		return "the quoted name " + p.shown(t)
	case tokInteger, tokDecimal, tokDouble:
		return "the number " + p.shown(t)
	case tokStage:
		return "the stage " + p.shown(t)
	}
	return "'" + p.shown(t) + "'"
}

// shown returns the text of t, cut to a length that fits a message.
func (p *parser) shown(t token) string {
	s := p.text(t)
	if utf8.RuneCountInString(s) <= maxShown {
		return s
	}
	return string([]rune(s)[:maxShown]) + "..."
}

// hint guesses the slip behind an unexpected token, or returns "".
func (p *parser) hint(what string) string {
	t := p.tok
	wantsName := strings.HasSuffix(what, " name")
	switch {
	case t.kw.reserved() && (wantsName || what == "an expression" && p.endsOperand(p.peek())):
		w := p.text(t)
		return strings.ToUpper(w) + ` is a reserved word; write "` + w + `" in double quotes to use it as a name`
	case t.kind == tokString && wantsName:
		return "names are written bare or in double quotes, strings in single quotes"
	case t.kind == tokQuoted && strings.Contains(what, "string"):
		return "strings are written in single quotes, names in double quotes"
	case t.kind == tokBang:
		return "negation is written NOT"
	case p.prev.kind == tokComma && (t.kw.reserved() || t.kind == tokRParen || t.kind == tokEOF):
		return "there is a comma too many in front of it"
	}
	if strings.Contains(what, "clause") || strings.Contains(what, "the end") {
		if w := p.misspelt(); w != "" {
			return w
		}
	}
	if strings.Contains(what, "','") && p.startsOperand(t) {
		return "a comma may be missing in front of it"
	}
	return ""
}

// endsOperand tells that t usually follows an operand, so that a reserved word in front of it was meant as a name.
func (p *parser) endsOperand(t token) bool {
	return t.kind == tokComma || t.kind == tokRParen || t.kw == kwFrom || t.kw == kwAs || infixOfToken[t.kind] != precNone
}

// startsOperand tells that t could begin another element of a list.
func (p *parser) startsOperand(t token) bool {
	switch t.kind {
	case tokWord:
		return !t.kw.reserved()
	case tokQuoted, tokString, tokEscaped, tokHex, tokInteger, tokDecimal, tokDouble, tokDollar, tokQuestion:
		return true
	}
	return false
}

// clauseWords are the words that people misspell in the middle of statements.
var clauseWords = []string{
	"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "JOIN", "INNER", "LEFT", "RIGHT", "DISTINCT",
	"BETWEEN", "VALUES", "INTO", "TABLE", "PROPERTIES", "FILE_FORMAT", "PATTERN", "USING", "QUALIFY", "INTERSECT", "EXCEPT",
}

// misspelt looks whether the current or the previous token is nearly a word of the grammar.
func (p *parser) misspelt() string {
	for _, t := range [...]token{p.prev, p.tok} {
		if t.kind != tokWord || t.kw.reserved() {
			continue
		}
		if w := closest(p.text(t), clauseWords); w != "" && !p.isWord(t, w) {
			return "did you mean " + w + " instead of " + p.shown(t) + "?"
		}
	}
	return ""
}

// closest returns the word of list that is one or, for long words, two slips away from s, or "".
func closest(s string, list []string) string {
	if len(s) < 3 || len(s) > maxShown {
		return ""
	}
	best, bestDist := "", 2
	if len(s) >= 7 {
		bestDist = 3
	}
	up := strings.ToUpper(s)
	for _, w := range list {
		if d := slips(up, w, bestDist); d < bestDist {
			best, bestDist = w, d
		}
	}
	return best
}

// slips counts the inserted, lost, wrong and swapped bytes between a and b, or returns limit if it is not below.
func slips(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
