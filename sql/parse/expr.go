package parse

// precedence is how tightly an operator binds its operands; higher binds tighter. All binary operators associate to the left.
type precedence uint8

// The levels, from loosest to tightest.
const (
	precNone precedence = iota
	precOr
	precAnd
	precNot
	precCompare // = < IS BETWEEN IN LIKE MATCH
	precBitOr
	precBitAnd
	precShift
	precConcat
	precAdd
	precMul
	precBitXor
	precAt // AT TIME ZONE
	precUnary
	precPostfix // :: [ . :
	precPrimary
)

// infixOfToken and infixOfKeyword give the level of a token behind an operand, or precNone if it ends the expression.
var infixOfToken = [numTokenKinds]precedence{
	tokEq: precCompare, tokNe: precCompare, tokLt: precCompare, tokLe: precCompare, tokGt: precCompare, tokGe: precCompare,
	tokNullEq: precCompare, tokPipe: precBitOr, tokAmp: precBitAnd, tokShiftL: precShift, tokShiftR: precShift,
	tokConcat: precConcat, tokArrow: precConcat, tokLongArrow: precConcat, tokPlus: precAdd, tokMinus: precAdd, tokStar: precMul, tokSlash: precMul, tokPercent: precMul,
	tokCaret: precBitXor, tokCast: precPostfix, tokLBracket: precPostfix, tokDot: precPostfix, tokColon: precPostfix,
}

var infixOfKeyword = [numKeywords]precedence{
	kwOr: precOr, kwAnd: precAnd, kwNot: precCompare, kwIs: precCompare, kwBetween: precCompare, kwIn: precCompare,
	kwLike: precCompare, kwILike: precCompare, kwRLike: precCompare, kwRegexp: precCompare, kwMatch: precCompare,
	kwMatchAny: precCompare, kwMatchAll: precCompare, kwMatchPhrase: precCompare, kwMatchPhrasePrefix: precCompare,
	kwMatchPhraseEdge: precCompare, kwMatchRegexp: precCompare, kwDiv: precMul, kwAt: precAt, kwCollate: precPostfix,
}

// binaryOfToken gives the operator of tokens that build a Binary.
var binaryOfToken = [numTokenKinds]Op{
	tokEq: OpEq, tokNe: OpNe, tokLt: OpLt, tokLe: OpLe, tokGt: OpGt, tokGe: OpGe, tokNullEq: OpNotDistinct, tokPipe: OpBitOr,
	tokAmp: OpBitAnd, tokShiftL: OpShiftLeft, tokShiftR: OpShiftRight, tokConcat: OpConcat, tokArrow: OpArrow, tokLongArrow: OpLongArrow, tokPlus: OpAdd, tokMinus: OpSub,
	tokStar: OpMul, tokSlash: OpDiv, tokPercent: OpMod, tokCaret: OpBitXor,
}

// infixLevel returns the level of the current token as an infix or postfix operator.
func (p *parser) infixLevel() precedence {
	if p.tok.kind != tokWord {
		if p.tok.kind == tokColon && p.peek().kind != tokWord && p.peek().kind != tokQuoted {
			return precNone
		}
		return infixOfToken[p.tok.kind]
	}
	level := infixOfKeyword[p.tok.kw]
	if level == precAt && !p.isWord(p.peek(), "TIME") {
		return precNone
	}
	return level
}

// parseExpr reads an expression of any level.
func (p *parser) parseExpr() Expr { return p.expr(precOr) }

// expr reads an expression whose operators all bind at least as tightly as level.
func (p *parser) expr(level precedence) Expr {
	p.enter()
	outer := p.height
	p.height = 0
	x := p.prefix(level)
	height := p.height + 1
	// chain is the Logical that this loop has begun; it takes further arguments instead of becoming an argument itself.
	var chain *Logical
	for {
		infix := p.infixLevel()
		if infix < level || infix == precNone {
			break
		}
		p.height = 0
		if infix <= precAnd {
			op := OpOr
			if infix == precAnd {
				op = OpAnd
			}
			x, chain = p.logical(x, chain, op, infix)
			height = max(height, p.height+1)
			continue
		}
		x = p.infix(x, infix)
		height = max(height, p.height) + 1
		p.grow(height)
	}
	p.height = max(outer, height)
	p.leave()
	return x
}

// logical reads AND or OR with its right operand.
func (p *parser) logical(x Expr, chain *Logical, op Op, level precedence) (Expr, *Logical) {
	at := p.place()
	p.advance()
	right := p.expr(level + 1)
	if chain != nil && x == Expr(chain) && chain.Op == op {
		chain.Args = append(chain.Args, right)
		return chain, chain
	}
	chain = &Logical{Place: at, Op: op, Args: []Expr{x, right}}
	return chain, chain
}

// infix reads the operator at the current token, whose level is given, and what follows it; x is its left operand.
func (p *parser) infix(x Expr, level precedence) Expr {
	at := p.place()
	switch level {
	case precPostfix:
		return p.postfix(x)
	case precCompare:
		if p.tok.kind == tokWord {
			return p.predicate(x)
		}
	case precAt:
		p.advance()
		p.expectWord("TIME")
		p.expectWord("ZONE")
		return &AtTimeZone{Place: at, X: x, Zone: p.expr(precAt + 1)}
	}
	op := binaryOfToken[p.tok.kind]
	if p.isKw(kwDiv) {
		op = OpIntDiv
	}
	p.advance()
	if level == precCompare && p.tok.kind == tokWord && op <= OpGe {
		if q := p.quantified(x, op, at); q != nil {
			return q
		}
	}
	return p.newBinary(at, op, x, p.expr(level+1))
}

// quantified reads ANY, SOME or ALL with its parentheses behind a comparison, or returns nil.
func (p *parser) quantified(x Expr, op Op, at Place) Expr {
	all := p.isKw(kwAll)
	if !all && !p.isKw(kwAny) && !p.isKw(kwSome) || p.peek().kind != tokLParen {
		return nil
	}
	p.advance()
	p.advance()
	q := &Quantified{Place: at, Op: op, X: x, All: all}
	arg := p.parseExprOrQuery()
	if s, ok := arg.(*Subquery); ok {
		q.Query = s.Query
	} else {
		q.Array = arg
	}
	p.expect(tokRParen, "')'")
	return q
}

// postfix reads ::type, [index], .name or :name.
func (p *parser) postfix(x Expr) Expr {
	at := p.place()
	kind := p.tok.kind
	if p.isKw(kwCollate) {
		p.unsupported(p.tok.start, "COLLATE is not supported; text is compared by its bytes")
		return x
	}
	p.advance()
	switch kind {
	case tokCast:
		return &Cast{Place: at, X: x, Type: p.exprTypeName()}
	case tokLBracket:
		index := p.parseExpr()
		if p.tok.kind == tokColon {
			p.unsupported(p.tok.start, "array slices are not supported; use array_slice(array, from, length)")
		}
		p.expect(tokRBracket, "']'")
		return &Subscript{Place: at, X: x, Index: index}
	case tokDot:
		return &DotAccess{Place: at, X: x, Name: p.anyIdent("a member name")}
	default:
		id := p.anyIdent("a member name")
		p.grow(1)
		return &Subscript{Place: at, X: x, Index: p.newLiteral(Literal{Place: id.Place, Kind: LitString, Text: id.Name})}
	}
}

// exprList reads one or more expressions separated by commas.
func (p *parser) exprList() []Expr {
	list := []Expr{p.parseExpr()}
	for p.accept(tokComma) {
		list = append(list, p.parseExpr())
	}
	return list
}

// parenExprs reads (expr, ...).
func (p *parser) parenExprs() []Expr {
	p.expect(tokLParen, "'('")
	list := p.exprList()
	p.closeList()
	return list
}
