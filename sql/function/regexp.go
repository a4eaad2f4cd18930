package function

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// Regular expressions have the syntax of RE2 and take time linear in the text. They match anywhere unless anchored with ^ and $.
func init() {
	define("REGEXP regexp_like regexp_matches rlike", "text", "Whether a regular expression matches somewhere; flags: i (ignore case), s (. matches newlines), m (lines).",
		sig("(text, text, text?) -> boolean", regexpRows(1, 2, func(r *row, re *pattern) bool { return re.match(r.text(0)) })))
	define("regexp_full_match", "text", "Whether a regular expression matches the whole text.",
		sig("(text, text, text?) -> boolean", regexpRows(1, 2, func(r *row, re *pattern) bool { return re.matchWhole(r.text(0)) })))
	define("regexp_escape", "text", "The text as a regular expression that matches it alone.", sig("(text) -> text", mapText(func(dst, s []byte) []byte {
		return append(dst, regexp.QuoteMeta(string(s))...)
	}), traits{infallible: true}))
	define("regexp_instr regexp_position", "text", "The position of the first match, 0 if there is none.",
		sig("(text, text) -> bigint", regexpRows(1, -1, func(r *row, re *pattern) int64 {
			m := re.find(r.text(0))
			if m == nil {
				return 0
			}
			return int64(vec.RuneCount(r.text(0)[:m[0]])) + 1
		})))
	define("regexp_count", "text", "The number of matches that do not overlap.",
		sig("(text, text, text?) -> bigint", regexpRows(1, 2, func(r *row, re *pattern) int64 {
			n := int64(0)
			re.each(r.text(0), func(m []int) {
				if n++; m == nil {
					n = 0
				}
			})
			return n
		})))
	define("regexp_extract regexp_substr", "text", "The first match, or what group n of it matched; empty if nothing matches.",
		sig("(text, text, bigint?) -> text", regexpText(1, -1, func(r *row, re *pattern, dst []byte) []byte {
			group := int64(0)
			if r.has(2) {
				group = r.int(2)
			}
			if group < 0 || group > int64(re.NumSubexp()) {
				r.fail(sqlerr.OutOfRange, "the regular expression '%s' has no group %d", r.text(1), group)
				return dst
			}
			if m := re.find(r.text(0)); m != nil && m[2*group] >= 0 {
				dst = append(dst, r.text(0)[m[2*group]:m[2*group+1]]...)
			}
			return dst
		})))
	define("regexp_extract_all", "text", "All matches, or what group n of each matched.",
		sig("(text, text, bigint?) -> array<text>", regexpLists(extractAll)))
	define("regexp_replace", "text", "The text with every match replaced; in the replacement \\1 (or $1) stands for a group. With flags given only the first match is replaced unless g is among them.",
		sig("(text, text, text, text?) -> text", regexpText(1, 3, func(r *row, re *pattern, dst []byte) []byte {
			all := !r.has(3) || bytes.IndexByte(r.text(3), 'g') >= 0
			return re.replace(dst, r.text(0), re.template(r.text(2)), all)
		})))
	define("regexp_replace_one", "text", "The text with the first match replaced.",
		sig("(text, text, text) -> text", regexpText(1, -1, func(r *row, re *pattern, dst []byte) []byte {
			return re.replace(dst, r.text(0), re.template(r.text(2)), false)
		})))
	define("regexp_split regexp_split_to_array string_split_regex str_split_regex", "text", "The parts of the text between matches.", sig("(text, text) -> array<text>", regexpLists(regexpSplit)))
}

// maxPatternBytes bounds the text of a regular expression.
const maxPatternBytes = 32 << 10

// pattern is a compiled regular expression with what makes it fast: a literal that every match contains, and whether that is all there
// is to it.
type pattern struct {
	*regexp.Regexp
	text, flags string
	// need is a literal that every match contains; only with whole it is also enough.
	need  []byte
	whole bool
	quick *quickRegexp
	// anchored matches whole texts; made when it is needed.
	anchored *regexp.Regexp
	// The last replacement taken apart.
	replacement []byte
	parts       []templatePart
}

func compilePattern(text, flags []byte) (*pattern, error) {
	if len(text) > maxPatternBytes {
		return nil, sqlerr.New(sqlerr.Resource, "a regular expression of %d bytes is longer than the limit of %d", len(text), maxPatternBytes)
	}
	prefix := ""
	for _, f := range string(flags) {
		switch f {
		case 'i', 's', 'm':
			prefix += string(f)
		case 'g', 'c', 'n':
		default:
			return nil, sqlerr.New(sqlerr.Conversion, "unknown regular expression flag '%c'", f)
		}
	}
	source := string(text)
	if prefix != "" {
		source = "(?" + prefix + ")" + source
	}
	re, err := regexp.Compile(source)
	if err != nil {
		why := err.Error()
		if e, ok := err.(*syntax.Error); ok {
			why = string(e.Code) + ": `" + e.Expr + "`"
		}
		return nil, sqlerr.New(sqlerr.Conversion, "bad regular expression '%s': %s", text, why)
	}
	p := &pattern{Regexp: re, text: string(text), flags: string(flags)}
	if tree, err := syntax.Parse(source, syntax.Perl); err == nil {
		tree = tree.Simplify()
		p.need, p.whole = requiredLiteral(tree)
		p.quick = newQuickRegexp(tree, re.NumSubexp())
	}
	return p, nil
}

// requiredLiteral finds the longest literal that a match must contain; whole tells that containing it is enough.
func requiredLiteral(re *syntax.Regexp) (lit []byte, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []byte(string(re.Rune)), true
		}
	case syntax.OpCapture:
		return requiredLiteral(re.Sub[0])
	case syntax.OpPlus:
		lit, _ = requiredLiteral(re.Sub[0])
		return lit, false
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if l, _ := requiredLiteral(sub); len(l) > len(lit) {
				lit = l
			}
		}
	}
	return lit, false
}

// match tells whether s has a match.
func (p *pattern) match(s []byte) bool {
	switch {
	case len(p.need) > 0 && !bytes.Contains(s, p.need):
		return false
	case p.whole:
		return true
	case p.quick != nil:
		if m, ok := p.quick.find(s); ok {
			return m != nil
		}
	}
	return p.Match(s)
}

// matchWhole tells whether s as a whole is a match.
func (p *pattern) matchWhole(s []byte) bool {
	if p.anchored == nil {
		p.anchored = regexp.MustCompile(`\A(?:` + p.Regexp.String() + `)\z`)
	}
	return p.anchored.Match(s)
}

// find returns the bounds of the first match and of its groups, nil if there is none. The result is valid until the next call.
func (p *pattern) find(s []byte) []int {
	anchored := p.quick != nil && p.quick.anchored
	if len(p.need) > 0 && !anchored && !bytes.Contains(s, p.need) {
		return nil
	}
	if p.quick != nil {
		if m, ok := p.quick.find(s); ok {
			return m
		}
	}
	return p.FindSubmatchIndex(s)
}

// templatePart is literal text, or a group if lit is nil.
type templatePart struct {
	lit   []byte
	group int
}

// template takes a replacement apart: \1 to \9 and $1 to $9 stand for groups, \0 and $0 for the match, \\ for a backslash.
func (p *pattern) template(text []byte) []templatePart {
	if p.replacement != nil && bytes.Equal(text, p.replacement) {
		return p.parts
	}
	p.replacement = append([]byte{}, text...)
	p.parts = nil
	var lit []byte
	flush := func() {
		if len(lit) > 0 {
			p.parts = append(p.parts, templatePart{lit: lit})
			lit = nil
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if (c == '\\' || c == '$') && i+1 < len(text) {
			next := text[i+1]
			if next >= '0' && next <= '9' {
				flush()
				p.parts = append(p.parts, templatePart{group: int(next - '0')})
				i++
				continue
			}
			if c == '\\' && next == '\\' {
				i++
			}
		}
		lit = append(lit, c)
	}
	flush()
	return p.parts
}

// replace appends s with its first match, or all of them, replaced.
func (p *pattern) replace(dst, s []byte, parts []templatePart, all bool) []byte {
	anchored := p.quick != nil && p.quick.anchored
	if len(p.need) > 0 && !anchored && !bytes.Contains(s, p.need) {
		return append(dst, s...)
	}
	if !all || anchored {
		m := p.find(s)
		if m == nil {
			return append(dst, s...)
		}
		dst = append(dst, s[:m[0]]...)
		dst = appendTemplate(dst, s, parts, m)
		return append(dst, s[m[1]:]...)
	}
	from, start := 0, len(dst)
	p.each(s, func(m []int) {
		if m == nil {
			from, dst = 0, dst[:start]
			return
		}
		dst = append(dst, s[from:m[0]]...)
		dst = appendTemplate(dst, s, parts, m)
		from = m[1]
	})
	return append(dst, s[from:]...)
}

// each calls f for every match that does not overlap with one before. A call with nil says that the matches so far do not count and come
// again.
func (p *pattern) each(s []byte, f func(m []int)) {
	if len(p.need) > 0 && !bytes.Contains(s, p.need) {
		return
	}
	if p.quick != nil {
		if p.quick.each(s, f) {
			return
		}
		f(nil)
	}
	for _, m := range p.FindAllSubmatchIndex(s, -1) {
		f(m)
	}
}

func appendTemplate(dst, s []byte, parts []templatePart, m []int) []byte {
	for _, part := range parts {
		switch g := 2 * part.group; {
		case part.lit != nil:
			dst = append(dst, part.lit...)
		case g+1 < len(m) && m[g] >= 0:
			dst = append(dst, s[m[g]:m[g+1]]...)
		}
	}
	return dst
}

// patterns compiles the expressions of a call, each once while it stays the same. It belongs to one call of a kernel.
type patterns struct {
	constant *pattern
	last     *pattern
}

// newPatterns compiles constant arguments when the function is resolved, so that their errors come at once.
func newPatterns(args []Arg, at, flags int) (*pattern, error) {
	constant := func(k int) ([]byte, bool) {
		if k < 0 || k >= len(args) {
			return nil, true
		}
		c := args[k].Const
		if c == nil || c.IsNull(0) || c.Data == nil {
			return nil, false
		}
		if _, ok := c.Data.([]vec.View); !ok {
			return nil, false
		}
		return c.Bytes(0), true
	}
	text, ok := constant(at)
	f, okFlags := constant(flags)
	if !ok || !okFlags {
		return nil, nil
	}
	return compilePattern(text, f)
}

// of returns the expression of a row; nil if it has an error, which is then r's.
func (p *patterns) of(r *row, at, flags int) *pattern {
	if p.constant != nil {
		return p.constant
	}
	var f []byte
	if flags >= 0 && r.has(flags) {
		f = r.text(flags)
	}
	text := r.text(at)
	if p.last != nil && p.last.text == string(text) && p.last.flags == string(f) {
		return p.last
	}
	re, err := compilePattern(text, f)
	r.err = err
	p.last = re.own()
	return p.last
}

// own returns a copy of a shared pattern with scratch space of its own, since kernels run on many goroutines.
func (p *pattern) own() *pattern {
	if p == nil {
		return nil
	}
	c := *p
	if p.quick != nil {
		c.quick = p.quick.own()
	}
	return &c
}

// regexpRows makes a kernel of a function of the row and the expression that argument at holds.
func regexpRows[T any](at, flags int, f func(r *row, re *pattern) T) maker {
	return func(s *Scalar, args []Arg) (Kernel, error) {
		shared, err := newPatterns(args, at, flags)
		if err != nil {
			return nil, err
		}
		s.traits.cost = costRegexp
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			p := patterns{constant: shared.own()}
			inner, _ := rows(func(r *row) (x T) {
				if re := p.of(r, at, flags); re != nil {
					x = f(r, re)
				}
				return x
			})(s, nil)
			return inner(c, args, n)
		}, nil
	}
}

// regexpText is regexpRows for text results.
func regexpText(at, flags int, f func(r *row, re *pattern, dst []byte) []byte) maker {
	return func(s *Scalar, args []Arg) (Kernel, error) {
		shared, err := newPatterns(args, at, flags)
		if err != nil {
			return nil, err
		}
		s.traits.cost = costRegexp
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			p := patterns{constant: shared.own()}
			inner, _ := shortRows(func(r *row, dst []byte) []byte {
				re := p.of(r, at, flags)
				if re == nil {
					return dst
				}
				return f(r, re, dst)
			})(s, nil)
			return inner(c, args, n)
		}, nil
	}
}

// regexpLists is regexpRows for lists of texts; the expression is argument 1.
func regexpLists(f func(r *row, re *pattern, b *vec.Builder)) maker {
	return func(s *Scalar, args []Arg) (Kernel, error) {
		shared, err := newPatterns(args, 1, -1)
		if err != nil {
			return nil, err
		}
		s.traits.cost = costRegexp
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			p := patterns{constant: shared.own()}
			inner, _ := buildRows(func(r *row, b *vec.Builder) {
				if re := p.of(r, 1, -1); re != nil {
					f(r, re, b)
				}
			})(s, nil)
			return inner(c, args, n)
		}, nil
	}
}

func extractAll(r *row, re *pattern, b *vec.Builder) {
	group := int64(0)
	if r.has(2) {
		group = r.int(2)
	}
	if group < 0 || group > int64(re.NumSubexp()) {
		r.fail(sqlerr.OutOfRange, "the regular expression '%s' has no group %d", r.text(1), group)
		return
	}
	s := r.text(0)
	var found []int
	re.each(s, func(m []int) {
		if m == nil {
			found = found[:0]
			return
		}
		found = append(found, m[2*group], m[2*group+1])
	})
	for k := 0; k < len(found); k += 2 {
		if found[k] < 0 {
			b.Child(0).AppendNull()
			continue
		}
		b.Child(0).AppendBytes(s[found[k]:found[k+1]])
	}
	b.CloseList()
}

func regexpSplit(r *row, re *pattern, b *vec.Builder) {
	for _, part := range re.Split(string(r.text(0)), -1) {
		b.Child(0).AppendString(strings.ToValidUTF8(part, ""))
	}
	b.CloseList()
}
