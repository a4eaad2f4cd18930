package parse

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// maxOptions bounds one list of options, so that looking for repeated names stays cheap.
const maxOptions = 1000

// options reads (name = value, ...). Commas between the pairs may be left out, and => may stand for =.
func (p *parser) options() []Option {
	p.enter()
	defer p.leave()
	p.expect(tokLParen, "'(' with a list of options")
	var list []Option
	for p.tok.kind != tokRParen && p.tok.kind != tokEOF {
		list = p.appendOption(list)
		if p.accept(tokComma) && p.tok.kind == tokRParen {
			p.expected("an option name")
		}
	}
	p.expect(tokRParen, "an option name or ')'")
	return list
}

// properties reads [PROPERTIES (...)]; TBLPROPERTIES is the same.
func (p *parser) properties() []Option {
	if p.acceptWord("PROPERTIES") || p.acceptWord("TBLPROPERTIES") {
		return p.options()
	}
	return nil
}

// freeOptions reads the pairs NAME = value that end a statement, with or without commas, and appends them to list.
func (p *parser) freeOptions(list []Option) []Option {
	for p.startsOption() {
		list = p.appendOption(list)
		if p.tok.kind == tokComma {
			p.advance()
			if !p.startsOption() {
				p.expected("an option name")
			}
		}
	}
	if p.tok.kind == tokWord {
		p.advance()
		p.expected("'=' behind the option name")
	}
	return list
}

// startsOption tells that a pair NAME = value follows.
func (p *parser) startsOption() bool {
	return p.tok.kind == tokWord && p.peek().kind == tokEq
}

// appendOption reads one pair.
func (p *parser) appendOption(list []Option) []Option {
	t := p.tok
	o := Option{Place: Place(t.start)}
	switch {
	case t.kind == tokWord:
		o.Name = p.text(t)
	case t.kind == tokQuoted || p.isString(t):
		o.Name = p.stringValue(t)
	}
	if o.Name == "" {
		p.expected("an option name")
		return list
	}
	for i := range list {
		if strings.EqualFold(list[i].Name, o.Name) {
			p.failf("option %s is given twice", o.Name)
			return list
		}
	}
	if len(list) == maxOptions {
		p.fail(sqlerr.At(sqlerr.Resource, t.start, "more than %d options in one list", maxOptions))
		return list
	}
	p.advance()
	if !p.accept(tokEq) && !p.accept(tokFatArrow) {
		p.expected("'=' behind the option name")
	}
	o.Value = p.optionValue()
	return append(list, o)
}

// optionValue reads the right side of an option.
func (p *parser) optionValue() Value {
	t := p.tok
	v := Value{Place: Place(t.start)}
	switch {
	case p.isString(t):
		v.Kind, v.Text = ValueString, p.stringValue(t)
	case t.kind == tokStage:
		v.Kind, v.Text = ValueString, p.text(t)
	case t.kind == tokWord:
		v.Text = p.text(t)
	case t.kind == tokDollar:
		v.Kind, v.Text = ValueVariable, p.text(t)[1:]
	case t.kind == tokMinus || t.kind == tokPlus:
		p.advance()
		if !isNumber(p.tok.kind) {
			p.expected("a number")
			return v
		}
		v.Kind, v.Text = ValueNumber, p.text(p.tok)
		if t.kind == tokMinus {
			v.Text = "-" + v.Text
		}
	case isNumber(t.kind):
		v.Kind, v.Text = ValueNumber, p.text(t)
	case t.kind == tokLParen:
		return p.optionList()
	default:
		p.expected("a value: a word, a string, a number or '('")
		return v
	}
	p.advance()
	return v
}

// optionList reads a list of values or of options in parentheses.
func (p *parser) optionList() Value {
	v := Value{Place: p.place(), Kind: ValueList}
	name := p.peek()
	if name.kind == tokWord || name.kind == tokQuoted || p.isString(name) {
		if k := p.scan(name.end).kind; k == tokEq || k == tokFatArrow {
			v.Kind = ValueOptions
			v.Options = p.options()
			return v
		}
	}
	p.enter()
	defer p.leave()
	p.advance()
	if p.tok.kind != tokRParen {
		v.List = []Value{p.optionValue()}
		for p.accept(tokComma) {
			v.List = append(v.List, p.optionValue())
		}
	}
	if last := len(v.List) - 1; last >= 0 && v.List[last].Kind == ValueWord && p.startsOperand(p.tok) {
		p.expected("'=' behind the option name")
	}
	p.closeList()
	return v
}
