package function

import (
	"bytes"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// LIKE: % stands for any text, _ for one character; the escape character, by default a backslash, takes the next one as it is.
func init() {
	define("LIKE", "operator", "Whether the whole text matches a pattern with % and _.", sig("(text, text, text?) -> boolean", likeKernel(false), traits{infallible: true}))
	define("ILIKE", "operator", "LIKE without regard to case.", sig("(text, text, text?) -> boolean", likeKernel(true), traits{infallible: true}))
}

// likeShape is what a pattern amounts to.
type likeShape uint8

const (
	likeEquals   likeShape = iota // parts[0]
	likePrefix                    // parts[0]%
	likeSuffix                    // %parts[0]
	likeContains                  // %parts[0]%
	likeSequence                  // parts in order; open ends as anchored says
	likeGeneral                   // with _
)

// likePattern is a compiled pattern.
type likePattern struct {
	shape likeShape
	// parts are the literals between %, in order, none empty but for likeEquals.
	parts [][]byte
	// fromStart and toEnd say that the first and last part are anchored (likeSequence).
	fromStart, toEnd bool
	// tokens are the pattern of likeGeneral: characters, or one of the two wildcards.
	tokens []rune
}

// The wildcards among tokens; no character has these numbers.
const (
	anyText rune = -1
	anyRune rune = -2
)

// compileLike reads a pattern; false if it ends in the escape character.
func compileLike(pattern []byte, escape rune) (*likePattern, bool) {
	p := &likePattern{}
	var part []byte
	wild := false
	for i := 0; i < len(pattern); {
		c, n := utf8.DecodeRune(pattern[i:])
		raw := pattern[i : i+n]
		i += n
		switch {
		case c == escape && escape != 0:
			if i == len(pattern) {
				return nil, false
			}
			_, n = utf8.DecodeRune(pattern[i:])
			raw = pattern[i : i+n]
			i += n
		case c == '%':
			if len(p.tokens) == 0 || p.tokens[len(p.tokens)-1] != anyText {
				p.tokens = append(p.tokens, anyText)
				p.parts = append(p.parts, part)
				part = nil
			}
			continue
		case c == '_':
			wild = true
			p.tokens = append(p.tokens, anyRune)
			continue
		}
		c, _ = utf8.DecodeRune(raw)
		p.tokens = append(p.tokens, c)
		part = append(part, raw...)
	}
	p.parts = append(p.parts, part)
	if wild {
		p.shape, p.parts = likeGeneral, nil
		return p, true
	}
	p.classify()
	return p, true
}

// classify finds the shape of a pattern without _: parts are the literals, the empty ones included.
func (p *likePattern) classify() {
	n := len(p.parts)
	p.fromStart, p.toEnd = len(p.parts[0]) > 0, len(p.parts[n-1]) > 0
	if n == 1 {
		p.shape = likeEquals
		return
	}
	var kept [][]byte
	for _, part := range p.parts {
		if len(part) > 0 {
			kept = append(kept, part)
		}
	}
	p.parts = kept
	switch {
	case len(kept) == 0:
		p.shape, p.parts = likeContains, [][]byte{nil}
	case len(kept) > 1:
		p.shape = likeSequence
	case p.fromStart:
		p.shape = likePrefix
	case p.toEnd:
		p.shape = likeSuffix
	default:
		p.shape = likeContains
	}
}

// match tells whether s matches.
func (p *likePattern) match(s []byte) bool {
	switch p.shape {
	case likeEquals:
		return bytes.Equal(s, p.parts[0])
	case likePrefix:
		return bytes.HasPrefix(s, p.parts[0])
	case likeSuffix:
		return bytes.HasSuffix(s, p.parts[0])
	case likeContains:
		return bytes.Contains(s, p.parts[0])
	case likeSequence:
		return p.sequence(s)
	}
	return matchTokens(p.tokens, s)
}

// sequence looks for the parts from left to right, which finds a match if there is one.
func (p *likePattern) sequence(s []byte) bool {
	parts := p.parts
	if p.fromStart {
		if !bytes.HasPrefix(s, parts[0]) {
			return false
		}
		s, parts = s[len(parts[0]):], parts[1:]
	}
	if p.toEnd {
		last := parts[len(parts)-1]
		if !bytes.HasSuffix(s, last) {
			return false
		}
		s, parts = s[:len(s)-len(last)], parts[:len(parts)-1]
	}
	for _, part := range parts {
		i := bytes.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// matchTokens matches with one point of return: the last % is extended by a character whenever what follows it fails.
func matchTokens(tokens []rune, s []byte) bool {
	t, i := 0, 0
	backToken, backText := -1, 0
	for i < len(s) {
		if t < len(tokens) {
			if tokens[t] == anyText {
				backToken, backText = t, i
				t++
				continue
			}
			if c, n := utf8.DecodeRune(s[i:]); tokens[t] == anyRune || tokens[t] == c {
				i += n
				t++
				continue
			}
		}
		if backToken < 0 {
			return false
		}
		_, n := utf8.DecodeRune(s[backText:])
		backText += n
		t, i = backToken+1, backText
	}
	for t < len(tokens) && tokens[t] == anyText {
		t++
	}
	return t == len(tokens)
}

// escapeOf reads the escape argument: one character, or empty for none.
func escapeOf(s []byte) (rune, error) {
	if len(s) == 0 {
		return 0, nil
	}
	c, n := utf8.DecodeRune(s)
	if n != len(s) {
		return 0, sqlerr.New(sqlerr.Bind, "the ESCAPE of LIKE must be one character, not '%s'", s)
	}
	return c, nil
}

// newLike compiles a pattern, lower-cased for ILIKE.
func newLike(pattern []byte, escape rune, fold bool) (*likePattern, error) {
	if fold {
		pattern = appendLower(nil, pattern)
	}
	p, ok := compileLike(pattern, escape)
	if !ok {
		return nil, sqlerr.New(sqlerr.Conversion, "the LIKE pattern '%s' ends in its escape character", pattern)
	}
	return p, nil
}

// likeKernel compiles constant patterns when the function is resolved.
func likeKernel(fold bool) maker {
	return func(s *Scalar, args []Arg) (Kernel, error) {
		escape := '\\'
		var err error
		constant := args[1].Const != nil && !args[1].Const.IsNull(0)
		if len(args) == 3 {
			c := args[2].Const
			if constant = constant && c != nil && !c.IsNull(0); constant {
				if escape, err = escapeOf(c.Bytes(0)); err != nil {
					return nil, err
				}
			}
		}
		var p *likePattern
		if constant {
			if p, err = newLike(args[1].Const.Bytes(0), escape, fold); err != nil {
				return nil, err
			}
		}
		s.traits.infallible, s.traits.cost = constant, costLike
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			if p != nil {
				return likeConst(p, args[0], n, fold), nil
			}
			return likeEach(c, args, n, fold)
		}, nil
	}
}

// likeConst matches a column with one pattern.
func likeConst(p *likePattern, v *vec.Vector, n int, fold bool) *vec.Vector {
	out := make([]bool, n)
	views := vec.Slice[vec.View](v)
	mask := v.Mask()
	var buf []byte
	for i := range out {
		s := views[i&mask].Bytes(v.Bufs)
		if fold {
			buf = appendLower(buf[:0], s)
			s = buf
		}
		out[i] = p.match(s)
	}
	return booleans(out, validity([]*vec.Vector{v}, n))
}

// likeEach compiles a pattern for each row, or once for equal patterns in a row.
func likeEach(c *Ctx, args []*vec.Vector, n int, fold bool) (*vec.Vector, error) {
	r := newRow(c, args)
	out := make([]bool, n)
	var last []byte
	var p *likePattern
	valid, err := r.each(n, validity(args, n), func() {
		escape := '\\'
		if r.has(2) {
			if escape, r.err = escapeOf(r.text(2)); r.err != nil {
				return
			}
		}
		pattern := r.text(1)
		if p == nil || r.has(2) || !bytes.Equal(pattern, last) {
			if p, r.err = newLike(pattern, escape, fold); r.err != nil {
				return
			}
			last = pattern
		}
		s := r.text(0)
		if fold {
			s = appendLower(nil, s)
		}
		out[r.i] = p.match(s)
	})
	if err != nil {
		return nil, err
	}
	return booleans(out, valid), nil
}
