package parse

// tokenKind tells tokens apart. Words are one kind; their keyword number says which word they are.
type tokenKind uint8

// The tokens. Operators have one kind each so that the expression parser can use tables.
const (
	tokEOF tokenKind = iota
	// tokBad is text that is no token: token.bad says why.
	tokBad
	tokWord
	tokQuoted  // "x" or `x`
	tokString  // '...'
	tokEscaped // E'...'
	tokHex     // X'...'
	tokInteger
	tokDecimal
	tokDouble
	tokQuestion
	tokDollar // $1 or $name
	tokStage  // @name, @~, with /path
	tokSysVar // @@name
	tokLParen
	tokRParen
	tokLBracket
	tokRBracket
	tokLBrace
	tokRBrace
	tokComma
	tokSemicolon
	tokDot
	tokColon
	tokCast // ::
	tokPlus
	tokMinus
	tokStar
	tokSlash
	tokPercent
	tokCaret
	tokAmp
	tokPipe
	tokConcat // ||
	tokTilde
	tokBang
	tokEq // = and ==
	tokNe // <> and !=
	tokLt
	tokLe
	tokGt
	tokGe
	tokNullEq    // <=>
	tokShiftL    // <<
	tokShiftR    // >>
	tokFatArrow  // => and :=
	tokArrow     // ->
	tokLongArrow // ->>
	numTokenKinds
)

// token is one lexical element. It holds places only; values are cut from the source when they are needed.
type token struct {
	kind tokenKind
	kw   keyword
	// rewrite tells that a quoted token holds doubled quotes.
	rewrite bool
	bad     badToken
	// start and end are byte offsets; the text of the token is src[start:end].
	start, end int
}

// badToken says what is wrong with a tokBad.
type badToken uint8

// The lexical errors.
const (
	badNone badToken = iota
	badChar
	badString
	badQuoted
	badComment
	badNumber
	badExponent
	badDollar
	badStage
	badSysVar
	badHex
)

var badTexts = [...]string{
	badString:   "this string has no closing quote",
	badQuoted:   "this quoted name has no closing quote",
	badComment:  "this comment has no closing */",
	badNumber:   "a number is followed directly by letters; put a name that begins with a digit in double quotes",
	badExponent: "the exponent of this number has no digits",
	badDollar:   "expected a number or a name behind '$'",
	badStage:    "expected the name of a stage behind '@'",
	badSysVar:   "expected the name of a setting behind '@@'",
	badHex:      "a string X'...' holds an even number of hexadecimal digits",
}

// badAdvice maps characters that word processors put into SQL to what was meant.
var badAdvice = map[rune]string{
	'‘': "use the straight quote ' for strings", '’': "use the straight quote ' for strings",
	'＇': "use the straight quote ' for strings", '“': `use the straight quote " for names and ' for strings`,
	'”': `use the straight quote " for names and ' for strings`, '＂': `use the straight quote " for names and ' for strings`,
	'；': "use the ASCII character ;", '，': "use the ASCII character ,", '、': "use the ASCII character ,",
	'（': "use the ASCII character (", '）': "use the ASCII character )", '＝': "use the ASCII character =",
	'＊': "use the ASCII character *", '–': "use the ASCII character -", '—': "use the ASCII character -",
	'#': "comments begin with --", '\\': "a backslash has a meaning only inside E'...'",
}
