package parse

import (
	"fmt"
	"strings"
)

// Format prints a node as canonical SQL on one line: keywords in upper case, single spaces, parentheses only where they are
// needed, synonyms replaced by one spelling. Parsing the result gives the same tree but for places and source texts, and
// formatting that tree gives the same text. Node may be any Statement, Expr, TableExpr, QueryBody, AlterAction, *TypeName,
// *WindowSpec, Location, ObjectName or Ident; anything else is a bug of the caller and panics.
func Format(n Node) string {
	var p printer
	switch n := n.(type) {
	case Statement:
		p.statement(n)
	case Expr:
		p.expr(n, precNone)
	case TableExpr:
		p.table(n)
	case QueryBody:
		p.body(n)
	case AlterAction:
		p.action(n)
	case *TypeName:
		p.typeName(n)
	case *WindowSpec:
		p.window(n)
	case Location:
		p.location(n)
	case ObjectName:
		p.name(n)
	case Ident:
		p.ident(n)
	default:
		panic(fmt.Sprintf("BUG: no SQL form for %T", n))
	}
	return p.String()
}

// printer collects the text.
type printer struct{ strings.Builder }

// put writes its arguments one behind the other.
func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// either returns yes if cond holds, else no.
func either(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

// when writes s if cond holds.
func (p *printer) when(cond bool, s string) {
	if cond {
		p.WriteString(s)
	}
}

func (p *printer) ident(i Ident) { p.WriteString(i.String()) }

func (p *printer) name(n ObjectName) { p.WriteString(n.String()) }

// str writes a string literal.
func (p *printer) str(s string) {
	p.put("'", strings.ReplaceAll(s, "'", "''"), "'")
}

// list writes n elements with commas between them.
func (p *printer) list(n int, element func(int)) {
	for i := range n {
		p.when(i > 0, ", ")
		element(i)
	}
}

// idents writes (a, b).
func (p *printer) idents(list []Ident) {
	p.put("(")
	p.list(len(list), func(i int) { p.ident(list[i]) })
	p.put(")")
}

// exprs writes a, b.
func (p *printer) exprs(list []Expr) {
	p.list(len(list), func(i int) { p.expr(list[i], precNone) })
}

// parenExprs writes (a, b).
func (p *printer) parenExprs(list []Expr) {
	p.put("(")
	p.exprs(list)
	p.put(")")
}

// comment writes the clause COMMENT, if there is one.
func (p *printer) comment(c *StringLit) {
	if c != nil {
		p.put(" COMMENT ")
		p.str(c.Value)
	}
}

// optionName writes the name of an option in a list, where a string can stand for a name.
func (p *printer) optionName(name string) {
	if isBareWord(name) {
		p.put(name)
		return
	}
	p.str(name)
}

// isBareWord tells that s reads as one word and not as a string with a prefix.
func isBareWord(s string) bool {
	if s == "" || byteClasses[s[0]] != classLetter {
		return false
	}
	l := lexer{src: s}
	end, _ := l.wordEnd(0)
	return end == len(s)
}

// properties writes ("k" = "v", ...), with the values as they were.
func (p *printer) properties(list []Option) {
	p.put("(")
	p.list(len(list), func(i int) {
		p.put(`"`, strings.ReplaceAll(list[i].Name, `"`, `""`), `" = `)
		if v := list[i].Value; v.Kind == ValueString {
			p.put(`"`, strings.ReplaceAll(v.Text, `"`, `""`), `"`)
			return
		}
		p.value(list[i].Value)
	})
	p.put(")")
}

// optionList writes (NAME = value, ...).
func (p *printer) optionList(list []Option, assign string) {
	p.put("(")
	p.list(len(list), func(i int) { p.option(list[i], assign) })
	p.put(")")
}

// freeOptions writes NAME = value pairs separated by blanks, each with a blank in front.
func (p *printer) freeOptions(list []Option) {
	for _, o := range list {
		p.put(" ")
		p.option(o, " = ")
	}
}

// option writes one pair; assign is " = " or " => ".
func (p *printer) option(o Option, assign string) {
	p.optionName(o.Name)
	p.put(assign)
	p.value(o.Value)
}

// value writes the right side of an option.
func (p *printer) value(v Value) {
	switch v.Kind {
	case ValueWord, ValueNumber:
		p.put(v.Text)
	case ValueString:
		p.str(v.Text)
	case ValueVariable:
		p.put("$", v.Text)
	case ValueList:
		p.put("(")
		p.list(len(v.List), func(i int) { p.value(v.List[i]) })
		p.put(")")
	case ValueOptions:
		p.optionList(v.Options, " = ")
	}
}

// location writes a stage bare where its path allows it, else as a string.
func (p *printer) location(l Location) {
	if !l.IsStage() {
		p.str(l.URI)
		if l.Connection != nil {
			p.put(" CONNECTION = ")
			p.optionList(l.Connection, " = ")
		}
		return
	}
	s := "@" + l.Stage.String()
	if l.Path != "" {
		s += "/" + l.Path
	}
	if strings.ContainsAny(l.Path, stagePathEnd) {
		p.str(s)
		return
	}
	p.put(s)
}

// typeName writes a data type in the spelling with angle brackets.
func (p *printer) typeName(t *TypeName) {
	p.put(t.Name)
	switch {
	case t.Name == "MAP" && t.Key != nil:
		p.put("<")
		p.innerType(t.Key)
		p.put(", ")
		p.innerType(t.Elem)
		p.put(">")
	case t.Elem != nil:
		p.put("<")
		p.innerType(t.Elem)
		p.put(">")
	case t.Fields != nil:
		p.put("<")
		p.list(len(t.Fields), func(i int) {
			f := t.Fields[i]
			p.ident(f.Name)
			p.put(": ")
			p.innerType(f.Type)
			p.comment(f.Comment)
		})
		p.put(">")
	case t.Template != nil || t.Properties != nil:
		p.template(t)
	case t.Args != nil:
		p.put("(")
		p.list(len(t.Args), func(i int) { fmt.Fprint(p, t.Args[i]) })
		p.put(")")
	}
	p.when(t.Unsigned, " UNSIGNED")
}

// innerType writes a type inside brackets, where NOT NULL belongs to the type.
func (p *printer) innerType(t *TypeName) {
	p.typeName(t)
	p.when(t.NotNull, " NOT NULL")
}

// template writes the list behind VARIANT.
func (p *printer) template(t *TypeName) {
	p.put("<")
	p.list(len(t.Template), func(i int) {
		e := t.Template[i]
		p.when(e.Exact, "MATCH_NAME ")
		p.str(e.Pattern)
		p.put(": ")
		p.typeName(e.Type)
		p.comment(e.Comment)
	})
	if t.Properties != nil {
		p.when(len(t.Template) > 0, ", ")
		p.put("PROPERTIES ")
		p.properties(t.Properties)
	}
	p.put(">")
}
