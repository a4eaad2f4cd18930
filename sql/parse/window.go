package parse

// namedWindows reads WINDOW name AS (specification), ...
func (p *parser) namedWindows() []NamedWindow {
	p.advance()
	var list []NamedWindow
	for {
		w := NamedWindow{Name: p.ident("a window name")}
		p.expectKw(kwAs)
		w.Spec = p.windowSpec()
		list = append(list, w)
		if !p.accept(tokComma) {
			return list
		}
	}
}

// windowSpec reads ([name] [PARTITION BY ...] [ORDER BY ...] [frame]).
func (p *parser) windowSpec() *WindowSpec {
	w := &WindowSpec{Place: p.place()}
	p.expect(tokLParen, "'(' with a window")
	if isName(p.tok) {
		next := p.peek()
		if next.kind == tokRParen || next.kw == kwPartition || next.kw == kwOrder || p.frameUnit(next) != "" {
			w.Name = p.ident("a window name")
		}
	}
	if p.acceptKw(kwPartition) {
		p.expectKw(kwBy)
		w.PartitionBy = p.exprList()
	}
	if p.isKw(kwOrder) {
		w.OrderBy = p.orderBy()
	}
	if p.frameUnit(p.tok) != "" {
		w.Frame = p.frame()
	}
	p.expect(tokRParen, "PARTITION BY, ORDER BY, a frame or ')'")
	return w
}

// frameUnit returns the unit that t names, or "".
func (p *parser) frameUnit(t token) string {
	for _, u := range frameUnits {
		if p.isWord(t, u) {
			return u
		}
	}
	return ""
}

// frameUnits are in the order of FrameUnit.
var frameUnits = [...]string{FrameRows: "ROWS", FrameRange: "RANGE", FrameGroups: "GROUPS"}

// frame reads ROWS | RANGE | GROUPS and one or two bounds.
func (p *parser) frame() *Frame {
	f := &Frame{Place: p.place()}
	for u, word := range frameUnits {
		if p.acceptWord(word) {
			f.Unit = FrameUnit(u)
			break
		}
	}
	if p.acceptKw(kwBetween) {
		f.Start = p.bound()
		p.expectKw(kwAnd)
		f.End = p.bound()
	} else {
		f.Start = p.bound()
		f.End = Bound{Place: f.Start.Place, Kind: CurrentRow}
	}
	if p.acceptKw(kwExclude) {
		switch {
		case p.acceptWords("CURRENT", "ROW"):
			f.Exclude = ExcludeCurrentRow
		case p.acceptKw(kwGroup):
			f.Exclude = ExcludeGroup
		case p.acceptWord("TIES"):
			f.Exclude = ExcludeTies
		case p.acceptWords("NO", "OTHERS"):
		default:
			p.expected("CURRENT ROW, GROUP, TIES or NO OTHERS")
		}
	}
	return f
}

// bound reads one end of a frame.
func (p *parser) bound() Bound {
	b := Bound{Place: p.place()}
	switch {
	case p.acceptWords("UNBOUNDED", "PRECEDING"):
		return b
	case p.acceptWords("UNBOUNDED", "FOLLOWING"):
		b.Kind = UnboundedFollowing
		return b
	case p.acceptWords("CURRENT", "ROW"):
		b.Kind = CurrentRow
		return b
	}
	b.X = p.expr(precCompare + 1)
	switch p.acceptAny("PRECEDING", "FOLLOWING") {
	case "PRECEDING":
		b.Kind = Preceding
	case "FOLLOWING":
		b.Kind = Following
	default:
		p.expected("PRECEDING or FOLLOWING")
	}
	return b
}
