package parse

// sample reads TABLESAMPLE, or returns nil.
func (p *parser) sample() *Sample {
	if !p.isKw(kwTablesample) {
		return nil
	}
	s := &Sample{Place: p.place()}
	p.advance()
	s.Method = p.sampleMethod()
	p.expect(tokLParen, "'(' with a share or a number of rows")
	p.sampleSize(s)
	p.expect(tokRParen, "PERCENT, ROWS or ')'")
	p.sampleSeed(s)
	return s
}

// usingSample reads USING SAMPLE size [(method)], or method(size), and REPEATABLE (seed).
func (p *parser) usingSample() *Sample {
	s := &Sample{Place: p.place()}
	p.advance()
	p.advance()
	s.Method = p.sampleMethod()
	if s.Method != "" {
		p.expect(tokLParen, "'(' with a share or a number of rows")
		p.sampleSize(s)
		p.expect(tokRParen, "PERCENT, ROWS or ')'")
		p.sampleSeed(s)
		return s
	}
	s.Rows = !p.sampleSize(s)
	if p.accept(tokLParen) {
		if s.Method = p.sampleMethod(); s.Method == "" {
			p.expected("BERNOULLI, SYSTEM or RESERVOIR")
		}
		p.expect(tokRParen, "')'")
	}
	p.sampleSeed(s)
	return s
}

func (p *parser) sampleMethod() string { return p.acceptAny("BERNOULLI", "SYSTEM", "RESERVOIR") }

// sampleSize reads n [ROWS | PERCENT | %], and tells whether a percentage was written as such.
func (p *parser) sampleSize(s *Sample) bool {
	s.Value = p.expr(precUnary)
	if p.acceptWord("ROWS") {
		s.Rows = true
		return false
	}
	return p.accept(tokPercent) || p.acceptWord("PERCENT")
}

func (p *parser) sampleSeed(s *Sample) {
	if p.acceptWord("REPEATABLE") {
		p.expect(tokLParen, "'('")
		s.Seed = p.parseExpr()
		p.expect(tokRParen, "')'")
	}
}
