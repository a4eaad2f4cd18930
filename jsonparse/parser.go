package jsonparse

import (
	"fmt"
	"unicode/utf8"
)

// Parser reads values one after another; it keeps its buffers, so that Parse allocates nothing once they have grown to the longest
// line. It must not be used by two goroutines at once.
type Parser struct {
	opts    Options
	marks   []uint64 // see mark
	stack   []bool   // for each open container: is it an object
	scratch []byte   // the decoded text of the current string, if it has escapes
	tape    *tape    // nil unless the engine is Simdjson and the processor can run it
}

// New makes a parser; zero options take the defaults.
func New(opts Options) *Parser {
	if opts.MaxDepth <= 0 {
		opts.MaxDepth = DefaultMaxDepth
	}
	if opts.MaxKeyBytes <= 0 {
		opts.MaxKeyBytes = DefaultMaxKeyBytes
	}
	p := &Parser{opts: opts}
	if opts.Engine == Simdjson {
		p.tape = newTape()
	}
	return p
}

// Parse reads exactly one JSON value with nothing but white space around it and reports it to v. Text that RFC 8259 does not allow
// (and that includes invalid UTF-8, lone surrogates, NaN and anything after the value), a container nested deeper than MaxDepth and a
// key longer than MaxKeyBytes give a *SyntaxError; v has then seen a prefix of the value, and the parser can be used on.
func (p *Parser) Parse(line []byte, v Visitor) error {
	if p.tape != nil {
		if done, err := p.tape.parse(p, line, v); done {
			return err
		}
	}
	p.mark(line)
	err := p.walk(line, v)
	if len(line) > keepLineBytes {
		p.marks, p.scratch = nil, nil
	}
	return err
}

// keepLineBytes bounds the lines whose buffers stay with the parser, so that one huge document does not cost memory for ever.
const keepLineBytes = 4 << 20

// skipSpace gives the position of the first byte at or after i that is not JSON white space, or len(d).
func skipSpace(d []byte, i int) int {
	for i < len(d) {
		switch d[i] {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
	return i
}

// unexpected is the error for a byte (or the end) found where something else was wanted.
func unexpected(d []byte, i int, wanted string) error {
	if i >= len(d) {
		return &SyntaxError{Offset: len(d), Msg: "expected " + wanted + ", found the end of the text"}
	}
	return &SyntaxError{Offset: i, Msg: "expected " + wanted + ", found " + quoteAt(d, i)}
}

// quoteAt shows the character at d[i] the way an error message can carry it.
func quoteAt(d []byte, i int) string {
	r, n := utf8.DecodeRune(d[i:])
	if r == utf8.RuneError && n <= 1 {
		return fmt.Sprintf("byte 0x%02x", d[i])
	}
	return fmt.Sprintf("%q", r)
}

// unexpectedValue is the error for a byte that begins no value; it names the usual culprits.
func unexpectedValue(d []byte, i int) error {
	if i < len(d) {
		switch d[i] {
		case 'N', 'I':
			return &SyntaxError{Offset: i, Msg: "expected a value; JSON knows no NaN and no Infinity"}
		case '\'':
			return &SyntaxError{Offset: i, Msg: "expected a value; JSON strings stand in double quotes"}
		}
	}
	return unexpected(d, i, "a value")
}

// afterMember is the error for what follows a member or an element when it is neither a comma nor the end of the container.
func afterMember(d []byte, i int, inObject bool) error {
	if inObject {
		return unexpected(d, i, "',' or '}' after a member")
	}
	return unexpected(d, i, "',' or ']' after an element")
}

// errDeep is the error for a container that would exceed MaxDepth.
func (p *Parser) errDeep(i int) error {
	return &SyntaxError{Offset: i, Msg: fmt.Sprintf("nested deeper than %d levels", p.opts.MaxDepth)}
}

// shownKeyBytes is how much of a key that is too long its error shows.
const shownKeyBytes = 40

// errKey is the error for a key that is too long; i is the position of its opening quote.
func (p *Parser) errKey(i int, key []byte) error {
	head := key[:min(len(key), shownKeyBytes)]
	for len(head) > 0 && !utf8.Valid(head) {
		head = head[:len(head)-1] // the cut went through a character
	}
	return &SyntaxError{Offset: i, Msg: fmt.Sprintf("key of %d bytes exceeds the limit of %d, it begins with %q", len(key), p.opts.MaxKeyBytes, head)}
}
