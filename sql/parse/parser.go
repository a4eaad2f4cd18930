package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Limits of one statement. They bound memory and stack for hostile text and are far above what people and tools write.
const (
	// MaxStatementBytes bounds the text of one statement.
	MaxStatementBytes = 16 << 20
	// MaxDepth bounds how deep expressions, queries and types may be nested in each other.
	MaxDepth = 256
	// MaxHeight bounds the height of a tree, which left-associative chains such as 1 + 1 + 1 ... make without nesting. Walks over
	// a tree may recurse this deep. Chains of AND and OR are flat and do not count.
	MaxHeight = 10_000
)

// Parse splits sql at its semicolons and returns the statements; empty ones are left out. If one is wrong, the statements in
// front of it are returned together with the error, so that scripts can run up to the place. Errors are of kind Syntax,
// Unsupported (understood, but not built) or Resource (a limit) and have a position in sql.
func Parse(sql string) ([]Statement, error) {
	p := newParser(sql)
	var list []Statement
	for {
		for p.tok.kind == tokSemicolon {
			p.advance()
		}
		if p.tok.kind == tokEOF {
			return list, p.err
		}
		p.stmtStart = p.tok.start
		p.params, p.questions, p.height = nil, 0, 0
		s := p.statement()
		if p.tok.kind != tokSemicolon && p.tok.kind != tokEOF {
			p.expected("';' or the end of the statement")
		}
		if p.err != nil {
			return list, p.err
		}
		list = append(list, s)
	}
}

// ParseExpr reads sql as one expression.
func ParseExpr(sql string) (Expr, error) {
	p := newParser(sql)
	e := p.parseExpr()
	if p.tok.kind != tokEOF {
		p.expected("an operator or the end of the expression")
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

// ParseType reads sql as one data type.
func ParseType(sql string) (*TypeName, error) {
	p := newParser(sql)
	t := p.typeName()
	if p.tok.kind != tokEOF {
		p.expected("the end of the data type")
	}
	if p.err != nil {
		return nil, p.err
	}
	return t, nil
}

// parser is a cursor over tokens. The first error is kept and turns the rest of the text into tokEOF, so productions need no
// error results: every loop ends at tokEOF, and what they return after an error is thrown away.
type parser struct {
	lexer
	// tok is the current token, peeked the one behind it if hasPeeked.
	tok, peeked token
	hasPeeked   bool
	// prev is the token before tok.
	prev token
	err  error

	stmtStart int
	depth     int
	// height is the greatest height of the trees built since it was last set to zero. An expression sets it to zero for its
	// operands and, when it ends, raises it to its own height for whoever reads it as an operand.
	height int

	params []*Param
	// questions counts the parameters written as ?.
	questions int
	slabs
}

// newParser returns a parser at the first token of sql, or one that has failed already.
func newParser(sql string) *parser {
	p := &parser{lexer: lexer{src: sql}}
	if !utf8.ValidString(sql) {
		p.fail(sqlerr.At(sqlerr.Syntax, invalidUTF8(sql), "the text is not valid UTF-8"))
		return p
	}
	p.advance()
	return p
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8.
func invalidUTF8(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return len(s)
}

// advance makes the next token current.
func (p *parser) advance() {
	if p.err != nil {
		return
	}
	p.prev = p.tok
	if p.hasPeeked {
		p.tok, p.hasPeeked = p.peeked, false
	} else {
		p.tok = p.scan(p.tok.end)
	}
	if p.tok.kind == tokBad {
		p.failToken()
	} else if p.tok.end-p.stmtStart > MaxStatementBytes {
		p.fail(sqlerr.At(sqlerr.Resource, p.stmtStart, "the statement is longer than %d bytes", MaxStatementBytes))
	}
}

// peek returns the token behind the current one.
func (p *parser) peek() token {
	if !p.hasPeeked {
		p.peeked, p.hasPeeked = p.scan(p.tok.end), true
	}
	return p.peeked
}

// fail records the first error and stops the token stream.
func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
	p.tok = token{kind: tokEOF, start: len(p.src), end: len(p.src)}
	p.hasPeeked = false
}

// enter counts one level of nesting; every enter is matched by a leave. After too many levels the stream is at its end, so
// the recursion stops by itself.
func (p *parser) enter() {
	p.depth++
	if p.depth > MaxDepth {
		p.fail(sqlerr.At(sqlerr.Resource, p.tok.start, "the statement is nested more than %d levels deep", MaxDepth))
	}
}

// leave undoes one enter.
func (p *parser) leave() { p.depth-- }

// grow records a tree of height h, and fails if it is too high.
func (p *parser) grow(h int) {
	p.height = max(p.height, h)
	if h > MaxHeight {
		p.fail(sqlerr.At(sqlerr.Resource, p.tok.start, "more than %d operators in a row; use parentheses or fewer", MaxHeight))
	}
}

// text returns the text of t as written.
func (p *parser) text(t token) string { return p.src[t.start:t.end] }

// place returns the offset of the current token.
func (p *parser) place() Place { return Place(p.tok.start) }

// accept consumes the current token if it is of kind k.
func (p *parser) accept(k tokenKind) bool {
	if p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

// expect consumes a token of kind k, or fails saying what was expected.
func (p *parser) expect(k tokenKind, what string) {
	if !p.accept(k) {
		p.expected(what)
	}
}

// closeList consumes the ')' behind a list.
func (p *parser) closeList() { p.expect(tokRParen, "',' or ')'") }

// isKw tells that the current token is the keyword k. The keyword number of every other kind of token is kwNone.
func (p *parser) isKw(k keyword) bool { return p.tok.kw == k }

// acceptKw consumes the keyword k.
func (p *parser) acceptKw(k keyword) bool {
	if p.tok.kw != k {
		return false
	}
	p.advance()
	return true
}

// expectKw consumes the keyword k or fails.
func (p *parser) expectKw(k keyword) {
	if !p.acceptKw(k) {
		p.expected(strings.ToUpper(keywordTexts[k]))
	}
}

// isWord tells that t is the unquoted word w, given in upper case.
func (p *parser) isWord(t token, w string) bool {
	return t.kind == tokWord && t.end-t.start == len(w) && strings.EqualFold(p.src[t.start:t.end], w)
}

// atWord tells that the current token is the unquoted word w.
func (p *parser) atWord(w string) bool { return p.isWord(p.tok, w) }

// acceptWord consumes the word w.
func (p *parser) acceptWord(w string) bool {
	if !p.isWord(p.tok, w) {
		return false
	}
	p.advance()
	return true
}

// acceptWords consumes the two words a b, or nothing.
func (p *parser) acceptWords(a, b string) bool {
	if !p.isWord(p.tok, a) || !p.isWord(p.peek(), b) {
		return false
	}
	p.advance()
	p.advance()
	return true
}

// acceptAny consumes one of the words and returns it in upper case, or "".
func (p *parser) acceptAny(words ...string) string {
	for _, w := range words {
		if p.acceptWord(w) {
			return w
		}
	}
	return ""
}

// expectWord consumes the word w or fails.
func (p *parser) expectWord(w string) {
	if !p.acceptWord(w) {
		p.expected(w)
	}
}

// ifExists consumes IF EXISTS.
func (p *parser) ifExists() bool {
	if !p.acceptWord("IF") {
		return false
	}
	p.expectKw(kwExists)
	return true
}

// ifNotExists consumes IF NOT EXISTS.
func (p *parser) ifNotExists() bool {
	if !p.acceptWord("IF") {
		return false
	}
	p.expectKw(kwNot)
	p.expectKw(kwExists)
	return true
}
