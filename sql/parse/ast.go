package parse

import "strings"

// Node is anything in the tree that has a place in the source text.
type Node interface {
	// Pos is the byte offset, from 0, in the text given to Parse.
	Pos() int
}

// Place is a byte offset in the parsed text. Nodes embed it to implement Node.
//
// For most nodes it is the first byte. For nodes built around an infix or postfix operator (Binary, Logical, Is, Between, In,
// Like, Match, Quantified, AtTimeZone, SetOp, Join) it is the operator, because that is where an error about them belongs.
type Place int

// Pos returns the byte offset.
func (p Place) Pos() int { return int(p) }

// Expr is an expression node; every implementation is a pointer to one of the structs of ast_expr.go.
type Expr interface {
	Node
	exprNode()
}

// Statement is one SQL statement; every implementation is a pointer to a struct that embeds StmtBase.
type Statement interface {
	Node
	// SourceText is the statement as written, without the closing semicolon, outer blanks and comments.
	SourceText() string
	// Parameters are the parameters of the statement in order of appearance.
	Parameters() []*Param
	base() *StmtBase
}

// StmtBase holds what all statements have.
type StmtBase struct {
	Place
	// Text is the source of the statement, from Pos() to its last byte.
	Text string
	// Params lists the parameters in order of appearance; the same $n may appear several times.
	Params []*Param
}

// SourceText returns Text.
func (s *StmtBase) SourceText() string { return s.Text }

// Parameters returns Params.
func (s *StmtBase) Parameters() []*Param { return s.Params }

func (s *StmtBase) base() *StmtBase { return s }

// Ident is one name as written.
type Ident struct {
	Place
	// Name is the spelling without quotes and with doubled quotes undone.
	Name string
	// Quoted tells that the name was in "..." or `...`: it is looked up exactly first. Bare names match without regard to case.
	Quoted bool
}

// String returns the name as SQL: quoted names come in double quotes.
func (i Ident) String() string {
	if !i.Quoted {
		return i.Name
	}
	return `"` + strings.ReplaceAll(i.Name, `"`, `""`) + `"`
}

// ObjectName names a table, view, database or function: [catalog.][database.]name.
type ObjectName struct {
	// Parts has one to three elements (four are refused by the parser).
	Parts []Ident
}

// Pos is the place of the first part, or 0 for the zero value.
func (n ObjectName) Pos() int {
	if len(n.Parts) == 0 {
		return 0
	}
	return n.Parts[0].Pos()
}

// IsZero tells that no name was written.
func (n ObjectName) IsZero() bool { return len(n.Parts) == 0 }

// Last returns the unqualified name.
func (n ObjectName) Last() Ident {
	if len(n.Parts) == 0 {
		return Ident{}
	}
	return n.Parts[len(n.Parts)-1]
}

// String returns the dotted name as SQL.
func (n ObjectName) String() string {
	if len(n.Parts) == 1 {
		return n.Parts[0].String()
	}
	var b strings.Builder
	for i, p := range n.Parts {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// StringLit is a string in a place where the grammar wants a plain string (COMMENT, LIKE pattern of SHOW, passwords).
// A nil *StringLit means that the clause was not written.
type StringLit struct {
	Place
	Value string
}
