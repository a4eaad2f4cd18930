package parse

// slabSize is how many small nodes are allocated at once. A kept node keeps its neighbours alive, which are of the same
// statement anyway; larger slabs gain nothing measurable on TPC-H Q1.
const slabSize = 16

// slabs hands out the nodes that make up most of a tree from small arrays, which saves most allocations of a parse.
type slabs struct {
	idents   []Ident
	literals []Literal
	columns  []ColumnRef
	binaries []Binary
}

func (s *slabs) newLiteral(l Literal) *Literal {
	if len(s.literals) == 0 {
		s.literals = make([]Literal, slabSize)
	}
	n := &s.literals[0]
	s.literals = s.literals[1:]
	*n = l
	return n
}

func (s *slabs) newColumn(at Place, parts []Ident) *ColumnRef {
	if len(s.columns) == 0 {
		s.columns = make([]ColumnRef, slabSize)
	}
	n := &s.columns[0]
	s.columns = s.columns[1:]
	n.Place, n.Parts = at, parts
	return n
}

func (s *slabs) newBinary(at Place, op Op, l, r Expr) *Binary {
	if len(s.binaries) == 0 {
		s.binaries = make([]Binary, slabSize)
	}
	n := &s.binaries[0]
	s.binaries = s.binaries[1:]
	n.Place, n.Op, n.L, n.R = at, op, l, r
	return n
}

// oneIdent returns a slice of one name without room to grow, so that appending copies.
func (s *slabs) oneIdent(id Ident) []Ident {
	if len(s.idents) == 0 {
		s.idents = make([]Ident, slabSize)
	}
	n := s.idents[:1:1]
	s.idents = s.idents[1:]
	n[0] = id
	return n
}
